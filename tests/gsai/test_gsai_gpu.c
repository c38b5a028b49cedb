/* Inverses made on a GPU against those of the host: problems of every class of size, up to one dense column; matrices that are on the GPU already;
 * batches of columns; backends that do not exist. Definitions are checked by test_gsai_inverse, which runs on GPUs, too. Skips without a
 * GPU. */
#include <cuda_runtime_api.h>
#include <dvmhlib2.h>

#include "examples/gsai/gsai_gpu.h"
#include "tests/gsai/gsai_example.h"

/* Column 0 is full, the others have their diagonal and a neighbour. */
static void make_arrow(int n, gsai_sparse_t *matrix_p) {
    gsai_fault_t fault;
    int64_t at = 0;

    if (gsai_sparse_create(n, 3 * (int64_t)n, matrix_p, &fault) != GSAI_OK)
        abort();
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++)
            if (k == 0 || i == k || i == k + 1) {
                matrix_p->index[at] = i;
                matrix_p->value[at++] = example_random() + (i == k ? 3 : 0);
            }
        matrix_p->start[k + 1] = at;
    }
}

/* Rows of two inverses are the same up to rounding. */
static void compare(const gsai_sparse_t *a, const gsai_sparse_t *b, double bound) {
    double largest = 0;

    if (!CHECK_EQ_INT(a->start[a->n], b->start[b->n]))
        return;
    for (int64_t at = 0; at < a->start[a->n]; at++)
        largest = fmax(largest, fabs(a->value[at]));
    for (int32_t k = 0; k <= a->n; k++)
        CHECK_EQ_INT(a->start[k], b->start[k]);
    for (int64_t at = 0; at < a->start[a->n]; at++) {
        CHECK_EQ_INT(a->index[at], b->index[at]);
        CHECK(fabs(a->value[at] - b->value[at]) <= bound * largest);
    }
}

static gsai_t *build(gsai_options_t o, gsai_backend_t backend, const gsai_sparse_t *columns) {
    gsai_t *inverse = NULL;
    gsai_fault_t fault = {""};

    o.backend = backend;
    if (!CHECK_EQ_INT(gsai_build(&o, GSAI_COLUMNS, columns, &inverse, &fault), GSAI_OK)) {
        fprintf(stderr, "%s\n", fault.text);
        exit(1);
    }
    return inverse;
}

static void check_classes(void) {
    static const int orders[] = {1, 14, 20, 30, 42, 64, 96, 116};

    for (size_t which = 0; which < sizeof orders / sizeof orders[0]; which++) {
        gsai_options_t o = gsai_default_options();
        gsai_sparse_t matrix;

        o.is_single = which == 3;
        if (which == 7)
            o.work_bytes = 1; /* one slot for large problems */
        make_arrow(orders[which], &matrix);
        gsai_t *const host = build(o, GSAI_BACKEND_HOST, &matrix), *const gpu =
                                                                       build(o, GSAI_BACKEND_CUDA, &matrix);
        const gsai_facts_t *const a = gsai_facts(host), *const b = gsai_facts(gpu);
        compare(gsai_rows(host), gsai_rows(gpu), o.is_single ? 1e-5 : 1e-12);
        CHECK(b->is_on_gpu && !a->is_on_gpu);
        CHECK_EQ_INT(a->rows_max, b->rows_max);
        CHECK_EQ_INT(a->columns_max, b->columns_max);
        CHECK_EQ_INT(a->pattern_entries, b->pattern_entries);
        CHECK_EQ_INT(a->entries, b->entries);
        CHECK(which != 7 || b->batches > 1);
        gsai_destroy(host);
        gsai_destroy(gpu);
        gsai_sparse_free(&matrix);
    }
}

static void *upload(const void *values, size_t bytes) {
    void *memory = NULL;

    CHECK(cudaMalloc(&memory, bytes > 0 ? bytes : 1) == cudaSuccess);
    CHECK(cudaMemcpy(memory, values, bytes, cudaMemcpyHostToDevice) == cudaSuccess);
    return memory;
}

/* A matrix and vectors in memory of the GPU that the program itself has. */
static void check_device_arrays(void) {
    enum { N = 30 };
    gsai_options_t o = gsai_default_options();
    gsai_sparse_t matrix;
    gsai_fault_t fault = {""};
    double x[N], y[N], found[N];

    make_arrow(N, &matrix);
    const size_t entries = (size_t)matrix.start[N];
    const gsai_sparse_t there = {N, upload(matrix.start, (N + 1) * sizeof matrix.start[0]),
                                 upload(matrix.index, entries * sizeof matrix.index[0]),
                                 upload(matrix.value, entries * sizeof matrix.value[0])};
    gsai_t *const host = build(o, GSAI_BACKEND_HOST, &matrix);
    gsai_t *gpu = NULL;
    if (CHECK_EQ_INT(gsai_build_on_gpu(&o, GSAI_COLUMNS, &there, &gpu, &fault), GSAI_OK)) {
        compare(gsai_rows(host), gsai_rows(gpu), 1e-12);
        for (int k = 0; k < N; k++)
            x[k] = example_random();
        double *const device = upload(x, sizeof x);
        gsai_apply(host, x, y);
        CHECK_EQ_INT(gsai_apply_on_gpu(gpu, device, device, &fault), GSAI_OK);
        CHECK(cudaMemcpy(found, device, sizeof found, cudaMemcpyDeviceToHost) == cudaSuccess);
        for (int k = 0; k < N; k++)
            CHECK(fabs(found[k] - y[k]) < 1e-12);
        CHECK(cudaFree(device) == cudaSuccess);
        gsai_destroy(gpu);
    }
    CHECK_EQ_INT(gsai_apply_on_gpu(host, NULL, NULL, &fault), GSAI_ERR_ARGUMENT);
    o.backend = GSAI_BACKEND_HOST;
    CHECK_EQ_INT(gsai_build_on_gpu(&o, GSAI_COLUMNS, &there, &gpu, &fault), GSAI_ERR_ARGUMENT);
    o.backend = GSAI_BACKEND_ANY;
    matrix.index[1] = N; /* out of range */
    CHECK(cudaMemcpy(there.index, matrix.index, entries * sizeof matrix.index[0], cudaMemcpyHostToDevice) ==
          cudaSuccess);
    CHECK_EQ_INT(gsai_build_on_gpu(&o, GSAI_COLUMNS, &there, &gpu, &fault), GSAI_ERR_INPUT);
    CHECK_CONTAINS(fault.text, "row or column 0: an index is out of range");
    gsai_destroy(host);
    CHECK(cudaFree(there.start) == cudaSuccess && cudaFree(there.index) == cudaSuccess &&
          cudaFree(there.value) == cudaSuccess);
    gsai_sparse_free(&matrix);
}

/* Columns longer than a warp, or a block, sorts at once, in descending order; as rows and as columns. */
static void check_long_columns(void) {
    enum { N = 1100 };
    gsai_options_t o = gsai_default_options();
    gsai_sparse_t matrix;

    if (gsai_sparse_create(N, 2 * N + 38, &matrix, &(gsai_fault_t){""}) != GSAI_OK)
        abort();
    int64_t at = 0;
    for (int k = 0; k < N; k++) { /* row 0 is full, row 1 has 40 elements, the others their diagonal */
        const int count = k == 0 ? N : k == 1 ? 40 : 1;

        for (int m = 0; m < count; m++) {
            const int index = count == 1 ? k : count - 1 - m;

            matrix.index[at] = index;
            matrix.value[at++] = index == k ? 4 : example_random() / 16;
        }
        matrix.start[k + 1] = at;
    }
    o.side = GSAI_SIDE_LEFT; /* of columns: every column of the worked matrix has few elements */
    for (int pass = 0; pass < 2; pass++) {
        gsai_t *const host = build(o, GSAI_BACKEND_HOST, &matrix), *const gpu =
                                                                       build(o, GSAI_BACKEND_CUDA, &matrix);

        compare(gsai_rows(host), gsai_rows(gpu), 1e-12);
        gsai_destroy(host);
        gsai_destroy(gpu);
        o.levels = 2;
    }
    gsai_sparse_free(&matrix);
}

int main(int argc, char **argv) {
    const gsai_gpu_t *const gpu = gsai_gpu();
    int count = 0;

    check_random_start();
    if (gpu == NULL || cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        printf("SKIP: there is no GPU\n");
        return getenv("DVMH_REQUIRE_CUDA") != NULL && strcmp(getenv("DVMH_REQUIRE_CUDA"), "1") == 0 ? 1 : 77;
    }
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_init_C(INITFLAG_OPENMP, &argc, &argv);
    check_classes();
    check_device_arrays();
    check_long_columns();
    dvmh_exit_C(check_finish());
}
