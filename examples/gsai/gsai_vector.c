/* Vectors on the run-time system. Loops run over blocks of elements. */
#include "examples/gsai/gsai_vector.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256, SOURCES_MAX = GSAI_SOURCES_MAX };

void gsai_space_create(int32_t n, const gsai_gpu_t *gpu, gsai_space_t *space_p) {
    const DvmType blocks = (n + (DvmType)BLOCK - 1) / BLOCK;

    memset(space_p, 0, sizeof *space_p);
    space_p->n = n;
    space_p->gpu = gpu;
    gsai_array_create_whole(&space_p->partial, rt_DOUBLE, gpu != NULL ? 2 * GSAI_DOT_BLOCKS : blocks);
    if (gpu != NULL)
        gsai_array_create_whole(&space_p->sums, rt_DOUBLE, 2);
}

void gsai_space_delete(gsai_space_t *space) {
    gsai_array_delete(&space->partial);
    gsai_array_delete(&space->sums);
}

void gsai_vector_create(gsai_space_t *space, gsai_array_t *vector_p) {
    gsai_array_create_whole(vector_p, rt_DOUBLE, space->n);
    memset(gsai_array_write(vector_p), 0, (size_t)space->n * sizeof(double));
    gsai_array_written(vector_p);
}

static void combine_body(const dvmhx_record_t *record, void *context) {
    const gsai_combination_t *const c = context;
    const double *x[SOURCES_MAX];
    double *const target = GSAI_BASE(record, 0, double);
    const DvmType lo = record->start[0], hi = lo + record->count[0];

    for (int k = 0; k < SOURCES_MAX; k++)
        x[k] = GSAI_BASE(record, c->array[k < c->count ? k : 0], double);
    const double c1 = c->coefficient[0], c2 = c->coefficient[1], c3 = c->coefficient[2];
    if (c->count == 1)
        for (DvmType k = lo; k < hi; k++)
            target[k] = c1 * x[0][k];
    else if (c->count == 2)
        for (DvmType k = lo; k < hi; k++)
            target[k] = c1 * x[0][k] + c2 * x[1][k];
    else
        for (DvmType k = lo; k < hi; k++)
            target[k] = c1 * x[0][k] + c2 * x[1][k] + c3 * x[2][k];
}

void gsai_vector_combine(gsai_space_t *space, gsai_array_t *target, double c1, gsai_array_t *x1, double c2,
                         gsai_array_t *x2, double c3, gsai_array_t *x3) {
    gsai_array_t *const source[SOURCES_MAX] = {x1, x2, x3};
    const double coefficient[SOURCES_MAX] = {c1, c2, c3};
    gsai_use_t uses[SOURCES_MAX + 1] = {{target, INTENT_OUT}};
    gsai_combination_t c = {0};
    int use_count = 1;

    for (int k = 0; k < SOURCES_MAX && source[k] != NULL; k++) {
        c.coefficient[k] = coefficient[k];
        if (source[k] == target) {
            uses[0].intent = INTENT_INOUT;
            c.array[k] = 0;
        } else {
            uses[use_count] = (gsai_use_t){source[k], INTENT_IN};
            c.array[k] = use_count++;
        }
        c.count = k + 1;
    }
    const gsai_bodies_t bodies = {combine_body, space->gpu != NULL ? space->gpu->combine : NULL};
    gsai_loop_on(target, 0, space->n, use_count, uses, bodies, &c);
}

/* Arrays: partial, x, y where that is another one. */
static void dot_body(const dvmhx_record_t *record, void *context) {
    const int32_t n = *(const int32_t *)context;
    double *const partial = GSAI_BASE(record, 0, double);
    const double *const x = GSAI_BASE(record, 1, double), *const y =
                                                              GSAI_BASE(record,
                                                                        record->array_count == 3 ? 2 : 1,
                                                                        double);

    for (DvmType m = 0; m < record->count[0]; m++) {
        const DvmType block = record->start[0] + m, lo = block * BLOCK,
                      hi = lo + BLOCK < n ? lo + BLOCK : (DvmType)n;
        double sum = 0;

#pragma omp simd reduction(+ : sum)
        for (DvmType k = lo; k < hi; k++)
            sum += x[k] * y[k];
        partial[block] = sum;
    }
}

/* The same as the GPU's, where that has no memory. Arrays: sums, partial sums, vectors. */
static void dot_here(const dvmhx_record_t *record, void *context) {
    const gsai_dot_t *const d = context;
    const double *const x = GSAI_BASE(record, d->x, double);

    for (int number = 0; number < d->count; number++) {
        const double *const y = GSAI_BASE(record, d->y[number], double);
        double sum = 0;

        for (int32_t k = 0; k < d->n; k++)
            sum += x[k] * y[k];
        GSAI_BASE(record, 0, double)[number] = sum;
    }
}

/* The number of an array in the uses of a loop, which grow when it is new. */
static int use_of(gsai_use_t uses[], int *count, gsai_array_t *array) {
    for (int k = 0; k < *count; k++)
        if (uses[k].array == array)
            return k;
    uses[*count] = (gsai_use_t){array, INTENT_IN};
    return (*count)++;
}

/* On a GPU, sums and all. z: NULL where there is one product. */
static void find_dots(gsai_space_t *space, gsai_array_t *x, gsai_array_t *y, gsai_array_t *z,
                      double sums[2]) {
    gsai_use_t uses[5] = {{&space->sums, INTENT_OUT}, {&space->partial, INTENT_OUT}};
    int count = 2;
    gsai_dot_t d = {.n = space->n, .count = z != NULL ? 2 : 1};

    d.x = use_of(uses, &count, x);
    d.y[0] = use_of(uses, &count, y);
    if (z != NULL)
        d.y[1] = use_of(uses, &count, z);
    gsai_loop_on(&space->sums, 0, 1, count, uses, (gsai_bodies_t){dot_here, space->gpu->dot}, &d);
    memcpy(sums, gsai_array_read(&space->sums), (size_t)d.count * sizeof *sums);
}

void gsai_vector_dots(gsai_space_t *space, gsai_array_t *x, gsai_array_t *y, gsai_array_t *z,
                      double sums[2]) {
    if (space->gpu != NULL) {
        find_dots(space, x, y, z, sums);
        return;
    }
    sums[0] = gsai_vector_dot(space, x, y);
    sums[1] = gsai_vector_dot(space, x, z);
}

double gsai_vector_dot(gsai_space_t *space, gsai_array_t *x, gsai_array_t *y) {
    if (space->gpu != NULL) {
        double one[2];

        find_dots(space, x, y, NULL, one);
        return one[0];
    }
    const gsai_use_t uses[] = {{&space->partial, INTENT_OUT}, {x, INTENT_IN}, {y, INTENT_IN}};
    double sum = 0;

    gsai_loop(&space->partial, 0, space->partial.count, x == y ? 2 : 3, uses, dot_body, &space->n);
    const double *const partial = gsai_array_read(&space->partial);
    for (DvmType k = 0; k < space->partial.count; k++)
        sum += partial[k];
    return sum;
}

double gsai_vector_norm(gsai_space_t *space, gsai_array_t *x) {
    return sqrt(gsai_vector_dot(space, x, x));
}
