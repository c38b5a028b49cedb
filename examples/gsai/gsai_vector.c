/* Vectors on the run-time system. Loops run over blocks of elements. */
#include "examples/gsai/gsai_vector.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256, SOURCES_MAX = 3 };

void gsai_space_create(int32_t n, gsai_space_t *space_p) {
    space_p->n = n;
    gsai_array_create_whole(&space_p->partial, rt_DOUBLE, (n + (DvmType)BLOCK - 1) / BLOCK);
}

void gsai_space_delete(gsai_space_t *space) {
    gsai_array_delete(&space->partial);
}

void gsai_vector_create(gsai_space_t *space, gsai_array_t *vector_p) {
    gsai_array_create_whole(vector_p, rt_DOUBLE, space->n);
    memset(gsai_array_write(vector_p), 0, (size_t)space->n * sizeof(double));
    gsai_array_written(vector_p);
}

/** Coefficients, and which of the loop's arrays they go with. Array 0 is the target. */
typedef struct combination {
    int count;
    int array[SOURCES_MAX];
    double coefficient[SOURCES_MAX];
} combination_t;

static void combine_body(const dvmhx_record_t *record, void *context) {
    const combination_t *const c = context;
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
    combination_t c = {0};
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
    gsai_loop(target, 0, space->n, use_count, uses, combine_body, &c);
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

double gsai_vector_dot(gsai_space_t *space, gsai_array_t *x, gsai_array_t *y) {
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
