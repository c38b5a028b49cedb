/* Loops of sor2d-record for the element type REAL; included once for each. The sweeps stand in sor2d_record_sweep.h. */
#include "sor-bench/sor_record_kernels.h"

typedef struct SOR_NAME(context) {
    REAL *a; /* element with all indices 0 */
    DvmType s1, s2;
    REAL w;
    const dvmhx_array_t *array;
    REAL *row[3][3]; /* see SOR_SET_ROWS */
    REAL *ahead;     /* row that is used first a few fronts on */
} SOR_NAME(context_t);

static inline SOR_NAME(context_t) SOR_NAME(context_of)(const dvmhx_record_t *record, const double *weight) {
    const dvmhx_array_t *a = &record->arrays[0];
    const SOR_NAME(context_t)
        c = {.a = a->base, .s1 = a->stride[0], .s2 = a->stride[1], .w = (REAL)*weight, .array = a};

    return c;
}

DVMHX_ALWAYS_INLINE void SOR_NAME(set_rows)(SOR_NAME(context_t) * c, DvmType i, DvmType j) {
    const DvmType index[] = {i, j};
    const dvmhx_rows_t rows = dvmhx_rows_at(c->array, index);

    SOR_SET_ROWS(c->row, &rows);
    c->ahead = dvmhx_row(&rows, 3, 0);
}

DVMHX_ALWAYS_INLINE void SOR_NAME(set_rows_reversed)(SOR_NAME(context_t) * c, DvmType j, DvmType i) {
    SOR_NAME(set_rows)(c, i, j);
}

static inline void SOR_NAME(start_body)(SOR_NAME(context_t) * c, DvmType i, DvmType j) {
    c->a[i * c->s1 + j * c->s2] = (REAL)sor_start_value(i, j, 0);
}

static inline void SOR_NAME(start_row_body)(SOR_NAME(context_t) * c, DvmType i, DvmType j) {
    c->row[1][1][i] = (REAL)sor_start_value(i, j, 0);
}

#define DVMHX_NAME      SOR_NAME(start)
#define DVMHX_RANK      2
#define DVMHX_CONTEXT   SOR_NAME(context_t)
#define DVMHX_BODY      SOR_NAME(start_body)
#define DVMHX_ROW_BEGIN SOR_NAME(set_rows)
#define DVMHX_ROW_BODY  SOR_NAME(start_row_body)
#define DVMHX_INDEPENDENT
#include <dvmhx_run.h>

static void SOR_NAME(start_handler)(const dvmhx_record_t *record, const double *weight) {
    SOR_NAME(context_t) c = SOR_NAME(context_of)(record, weight);

    DVMHX_SPECIALISE(c.s2, SOR_PASTE(SOR_NAME(start), run)(record, &c));
}

/* New value of an element: AT(i, j) is its neighbour i and j further along the axes. */
#define SWEEP(name) SOR_NAME(SOR_PASTE(star, name))
#define STENCIL(AT) (w / 4 * (AT(-1, 0) + AT(1, 0) + AT(0, -1) + AT(0, 1)) + (1 - w) * AT(0, 0))
#include "sor-bench/sor2d_record_sweep.h"

#define SWEEP(name) SOR_NAME(SOR_PASTE(box, name))
#define STENCIL(AT)                                                                                          \
    (w / 8 * (AT(-1, -1) + AT(-1, 0) + AT(-1, 1) + AT(0, -1) + AT(0, 1) + AT(1, -1) + AT(1, 0) + AT(1, 1)) + \
     (1 - w) * AT(0, 0))
#include "sor-bench/sor2d_record_sweep.h"

static const sor_record_kernels_t SOR_NAME(kernels) = {
    .start = SOR_HANDLER(start_handler),
    .sweep = {{SOR_HANDLER(star_handler), SOR_HANDLER(box_handler)},
              {SOR_HANDLER(star_reversed_handler), SOR_HANDLER(box_reversed_handler)}},
};

#undef REAL
