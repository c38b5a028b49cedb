/* jacobi-bench: how near an independent loop comes to the speed of a copy. One sweep of a 7-point stencil from one array to the
 * other, back and forth, against copies between the same two arrays in the same run: threaded memcpy, and threaded streaming
 * stores. All three read an array and write an array. */
#include "tests/bench/bench.h"

static DvmType A[64], B[64];

struct stencil {
    const double *from;
    double *to;
    DvmType s1, s2, s3;
    double w;
};

static inline void stencil_body(struct stencil *c, DvmType i, DvmType j, DvmType k) {
    const double *x = c->from + i * c->s1 + j * c->s2 + k * c->s3;
    c->to[i * c->s1 + j * c->s2 + k * c->s3] =
        c->w * (x[-c->s1] + x[c->s1] + x[-c->s2] + x[c->s2] + x[-c->s3] + x[c->s3]) + .1 * x[0];
}
#define DVMHX_NAME    stencil
#define DVMHX_RANK    3
#define DVMHX_CONTEXT struct stencil
#define DVMHX_BODY    stencil_body
#define DVMHX_INDEPENDENT
#define DVMHX_STREAM(c)             ((c)->to)
#define DVMHX_STREAM_AT(c, i, j, k) ((i) * (c)->s1 + (j) * (c)->s2 + (k) * (c)->s3)
#define DVMHX_STREAM_TYPE           double
#define DVMHX_PREFETCH(c, i, j, k)  ((c)->from + ((i) + 1) * (c)->s1 + ((j) + 2) * (c)->s2 + (k) * (c)->s3)
#include <dvmhx_run.h>

static void stencil_handler(const dvmhx_record_t *record, const double *w) {
    const dvmhx_array_t *from = &record->arrays[0], *to = &record->arrays[1];
    struct stencil c = {from->base, to->base, from->stride[0], from->stride[1], from->stride[2], *w};
    DVMHX_SPECIALISE(c.s3, stencil_run(record, &c));
}

static double *base_of(DvmType header[]) {
    return dvmh_get_natural_base_C(0, header);
}

static double sweep(DvmType from[], DvmType to[], DvmType n, double *w) {
    dvmhx_array_use_t reads = {.size = sizeof reads, .header = from, .rank = 3, .intent = INTENT_IN};
    dvmhx_array_use_t writes = {.size = sizeof writes, .header = to, .rank = 3, .intent = INTENT_OUT};
    const DvmType loop = dvmh_loop_create_C(0, 3, (DvmType)1, n - 2, (DvmType)1, (DvmType)1, n - 2,
                                            (DvmType)1, (DvmType)1, n - 2, (DvmType)1);
    dvmh_loop_map_C(loop, to, 3, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0),
                    dvmh_alignment_linear_C(3, 1, 0));
    dvmhx_loop_array_C(loop, &reads);
    dvmhx_loop_array_C(loop, &writes);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(BENCH_HANDLER(stencil_handler), 1, (void *)w));
    const double start = omp_get_wtime();
    dvmh_loop_perform_C(loop);
    return omp_get_wtime() - start;
}

static void reference_sweep(const double *from, double *to, DvmType n, double w) {
    const DvmType s1 = n * n, s2 = n;
    for (DvmType i = 1; i < n - 1; i++)
        for (DvmType j = 1; j < n - 1; j++)
            for (DvmType k = 1; k < n - 1; k++) {
                const double *x = from + i * s1 + j * s2 + k;
                to[i * s1 + j * s2 + k] = w * (x[-s1] + x[s1] + x[-s2] + x[s2] + x[-1] + x[1]) + .1 * x[0];
            }
}

static void make_array(DvmType header[], DvmType n, int threads) {
    dvmh_array_create_C(header, 3, -rt_DOUBLE, n, (DvmType)1, (DvmType)1, n, (DvmType)1, (DvmType)1, n,
                        (DvmType)1, (DvmType)1);
    dvmh_distribute_C(header, 3, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2),
                      dvmh_distribution_block_C(3));
    double *a = base_of(header);
#pragma omp parallel for num_threads(threads)
    for (DvmType x = 0; x < n * n * n; x++)
        a[x] = (double)(x * 37 % 1009) / 1009.;
}

/* The last pair of sweeps once more, sequentially. */
static bool verify(DvmType n, double w) {
    const size_t bytes = (size_t)(n * n * n) * sizeof(double);
    double *a = bench_allocate(bytes), *b = bench_allocate(bytes);
    memcpy(a, base_of(A), bytes);
    memcpy(b, base_of(B), bytes);
    sweep(A, B, n, &w);
    sweep(B, A, n, &w);
    reference_sweep(a, b, n, w);
    reference_sweep(b, a, n, w);
    const bool same = memcmp(a, base_of(A), bytes) == 0 && memcmp(b, base_of(B), bytes) == 0;
    free(a);
    free(b);
    return same;
}

typedef struct result {
    double sweep_s, memcpy_s, stream_s, sequential_s;
} result_t;

static void print(bool json, DvmType n, int iterations, const result_t *result) {
    dvmhx_report_t report = {.size = sizeof report};
    const double bytes = 2. * (double)(n * n * n) * sizeof(double);
    dvmhx_get_report_C(&report);
    printf(json ? "{\"program\": \"jacobi-bench\", \"n\": %ld, \"iterations\": %d, \"threads\": %ld, "
                  "\"strategy\": \"%s\", "
                  "\"sweep_s\": %.6g, \"gb_s\": %.4g, \"memcpy_s\": %.6g, \"ratio_memcpy\": %.3f, "
                  "\"stream_s\": %.6g, "
                  "\"ratio_stream\": %.3f, \"sequential_s\": %.6g}\n"
                : "jacobi %ld^3, %d iterations, %ld threads, %s: %.3g s a sweep, %.3g GB/s; memcpy %.3g s, "
                  "ratio %.2f; streaming "
                  "copy %.3g s, ratio %.2f; sequential loop %.3g s\n",
           (long)n, iterations, (long)report.threads, report.strategy, result->sweep_s,
           bytes / result->sweep_s * 1e-9, result->memcpy_s, result->memcpy_s / result->sweep_s,
           result->stream_s, result->stream_s / result->sweep_s, result->sequential_s);
}

/* In rounds of a few each, so that all three see the same machine; the first of a round is not counted, since it begins with
 * what the kind before left in the caches. Medians. */
static void measure(DvmType n, int iterations, double *w, int threads, result_t *result_p) {
    enum { ROUND = 4 };
    const size_t bytes = (size_t)(n * n * n) * sizeof(double),
                 list_bytes = (size_t)iterations * sizeof(double);
    double *sweeps = bench_allocate(list_bytes), *copies = bench_allocate(list_bytes),
           *streams = bench_allocate(list_bytes);
    for (int done = 0; done < iterations; done += ROUND) {
        for (int i = -1; i < ROUND && done + i < iterations; i++) {
            const double s = i % 2 == 0 ? sweep(A, B, n, w) : sweep(B, A, n, w);
            sweeps[done + (i < 0 ? 0 : i)] = s;
        }
        for (int i = -1; i < ROUND && done + i < iterations; i++)
            copies[done + (i < 0 ? 0 : i)] =
                bench_copy((char *)base_of(B), (char *)base_of(A), bytes, threads, false);
        for (int i = -1; i < ROUND && done + i < iterations; i++)
            streams[done + (i < 0 ? 0 : i)] =
                bench_copy((char *)base_of(B), (char *)base_of(A), bytes, threads, true);
    }
    result_p->sweep_s = bench_median(sweeps, iterations);
    result_p->memcpy_s = bench_median(copies, iterations);
    result_p->stream_s = bench_median(streams, iterations);
    free(sweeps);
    free(copies);
    free(streams);
    const double start = omp_get_wtime();
    reference_sweep(base_of(A), base_of(B), n, *w);
    result_p->sequential_s = omp_get_wtime() - start;
}

int main(int argc, char **argv) {
    DvmType n = 256;
    int iterations = 20;
    bool json = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-n") == 0) {
            n = bench_number("-n", argv[i + 1], 3, 4096), i++;
        } else if (strcmp(argv[i], "-i") == 0) {
            iterations = (int)bench_number("-i", argv[i + 1], 1, 100000), i++;
        } else if (strcmp(argv[i], "--json") == 0) {
            json = true;
        } else {
            fprintf(stderr, "'%s' is no option; allowed: -n N, -i ITERATIONS, --json\n", argv[i]);
            return 2;
        }
    }
    double w = .15;
    dvmh_init_C(INITFLAG_OPENMP, &argc, &argv);
    dvmhx_report_t report = {.size = sizeof report};
    dvmhx_get_report_C(&report);
    const int threads = (int)report.threads;
    make_array(A, n, threads);
    make_array(B, n, threads);
    result_t result;
    measure(n, iterations, &w, threads, &result);
    const bool good = verify(n, w);
    print(json, n, iterations, &result);
    if (!good)
        fprintf(stderr, "jacobi-bench: the result differs from the sequential loop\n");
    dvmh_exit_C(good ? 0 : 1);
}
