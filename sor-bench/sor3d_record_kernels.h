/* Loops of sor3d-record for the element type REAL; included once for each. The sweeps stand in sor3d_record_sweep.h. */
#include "sor-bench/sor_record_kernels.h"

typedef struct SOR_NAME(context) {
    REAL *a; /* element with all indices 0 */
    DvmType s1, s2, s3;
    REAL w;
    const dvmhx_array_t *array;
    REAL *row[3][3]; /* see SOR_SET_ROWS */
    REAL *ahead;     /* row that is used first a few fronts on */
} SOR_NAME(context_t);

static inline SOR_NAME(context_t) SOR_NAME(context_of)(const dvmhx_record_t *record, const double *weight) {
    const dvmhx_array_t *a = &record->arrays[0];
    const SOR_NAME(context_t) c = {.a = a->base,
                                   .s1 = a->stride[0],
                                   .s2 = a->stride[1],
                                   .s3 = a->stride[2],
                                   .w = (REAL)*weight,
                                   .array = a};

    return c;
}

DVMHX_ALWAYS_INLINE void SOR_NAME(set_rows)(SOR_NAME(context_t) * c, DvmType i, DvmType j, DvmType k) {
    const DvmType index[] = {i, j, k};
    const dvmhx_rows_t rows = dvmhx_rows_at(c->array, index);

    SOR_SET_ROWS(c->row, &rows);
    c->ahead = (REAL *)dvmhx_row(&rows, 2, 0) + c->s1; /* of the next plane */
}

DVMHX_ALWAYS_INLINE void SOR_NAME(set_rows_reversed)(SOR_NAME(context_t) * c, DvmType k, DvmType j,
                                                     DvmType i) {
    SOR_NAME(set_rows)(c, i, j, k);
    c->ahead += c->s3 - c->s1;
}

static inline void SOR_NAME(start_body)(SOR_NAME(context_t) * c, DvmType i, DvmType j, DvmType k) {
    c->a[i * c->s1 + j * c->s2 + k * c->s3] = (REAL)sor_start_value(i, j, k);
}

static inline void SOR_NAME(start_row_body)(SOR_NAME(context_t) * c, DvmType i, DvmType j, DvmType k) {
    c->row[1][1][j] = (REAL)sor_start_value(i, j, k);
}

#define DVMHX_NAME      SOR_NAME(start)
#define DVMHX_RANK      3
#define DVMHX_CONTEXT   SOR_NAME(context_t)
#define DVMHX_BODY      SOR_NAME(start_body)
#define DVMHX_ROW_BEGIN SOR_NAME(set_rows)
#define DVMHX_ROW_BODY  SOR_NAME(start_row_body)
#define DVMHX_INDEPENDENT
#include <dvmhx_run.h>

static void SOR_NAME(start_handler)(const dvmhx_record_t *record, const double *weight) {
    SOR_NAME(context_t) c = SOR_NAME(context_of)(record, weight);

    DVMHX_SPECIALISE(c.s3, SOR_PASTE(SOR_NAME(start), run)(record, &c));
}

/* New value of the element x, whose neighbours along the axes are s1, s2 and s3 elements away. Not made of the stencils below,
 * though that would be shorter: with planes as functions gcc's code for jams is a sixth faster. */
static inline REAL SOR_NAME(star_value)(const REAL *x, DvmType s1, DvmType s2, DvmType s3, REAL w) {
    return w / 6 * (x[-s1] + x[s1] + x[-s2] + x[s2] + x[-s3] + x[s3]) + (1 - w) * x[0];
}

/* The nine neighbours of a plane along the axes with strides s2 and s3. */
static inline REAL SOR_NAME(plane)(const REAL *x, DvmType s2, DvmType s3) {
    return x[-s2 - s3] + x[-s2] + x[-s2 + s3] + x[-s3] + x[0] + x[s3] + x[s2 - s3] + x[s2] + x[s2 + s3];
}

static inline REAL SOR_NAME(box_value)(const REAL *x, DvmType s1, DvmType s2, DvmType s3, REAL w) {
    const REAL around = x[-s2 - s3] + x[-s2] + x[-s2 + s3] + x[-s3] + x[s3] + x[s2 - s3] + x[s2] + x[s2 + s3];

    return w / 26 * (SOR_NAME(plane)(x - s1, s2, s3) + around + SOR_NAME(plane)(x + s1, s2, s3)) +
           (1 - w) * x[0];
}

/* The same, in the same order of operations, by rows. */
#define SWEEP(name) SOR_NAME(SOR_PASTE(star, name))
#define STENCIL(AT)                                                                                          \
    (w / 6 * (AT(-1, 0, 0) + AT(1, 0, 0) + AT(0, -1, 0) + AT(0, 1, 0) + AT(0, 0, -1) + AT(0, 0, 1)) +        \
     (1 - w) * AT(0, 0, 0))
#include "sor-bench/sor3d_record_sweep.h"

/* The eight neighbours around one, before and after it, in the plane i of the axes j and k. */
#define BEFORE(AT, i) AT(i, -1, -1) + AT(i, -1, 0) + AT(i, -1, 1) + AT(i, 0, -1)
#define AFTER(AT, i)  AT(i, 0, 1) + AT(i, 1, -1) + AT(i, 1, 0) + AT(i, 1, 1)
#define SWEEP(name)   SOR_NAME(SOR_PASTE(box, name))
#define STENCIL(AT)                                                                                          \
    (w / 26 *                                                                                                \
         ((BEFORE(AT, -1) + AT(-1, 0, 0) + AFTER(AT, -1)) + (BEFORE(AT, 0) + AFTER(AT, 0)) +                 \
          (BEFORE(AT, 1) + AT(1, 0, 0) + AFTER(AT, 1))) +                                                    \
     (1 - w) * AT(0, 0, 0))
#include "sor-bench/sor3d_record_sweep.h"
#undef BEFORE
#undef AFTER

static const sor_record_kernels_t SOR_NAME(kernels) = {
    .start = SOR_HANDLER(start_handler),
    .sweep = {{SOR_HANDLER(star_handler), SOR_HANDLER(box_handler)},
              {SOR_HANDLER(star_reversed_handler), SOR_HANDLER(box_reversed_handler)}},
};

#undef REAL
