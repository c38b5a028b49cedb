/* One sweep of sor3d-record, in both orders of the loops, as handlers. SWEEP(name) makes the names. SWEEP(value) computes an element by strides, STENCIL(AT) the same by rows: AT(i, j, k) is the neighbour i, j and k
 * further along the axes. SWEEP and STENCIL are undefined at the end. */

/* By rows the front's rows run along j and its columns along k in natural order, along i in reversed. The third axis, the outer
 * dim's, has a stride. */
#define AT_ROWS(i, j, k)          c->row[1 + (k)][1 + (j)][at + (i)*s1]
#define AT_ROWS_REVERSED(i, j, k) c->row[1 + (i)][1 + (j)][at + (k)*s3]

static inline void SWEEP(body)(SOR_NAME(context_t) * c, DvmType i, DvmType j, DvmType k) {
    REAL *x = c->a + i * c->s1 + j * c->s2 + k * c->s3;

    *x = SWEEP(value)(x, c->s1, c->s2, c->s3, c->w);
}

static inline void SWEEP(reversed_body)(SOR_NAME(context_t) * c, DvmType k, DvmType j, DvmType i) {
    SWEEP(body)(c, i, j, k);
}

static inline void SWEEP(row_body)(SOR_NAME(context_t) * c, DvmType i, DvmType at, DvmType k) {
    const DvmType s1 = c->s1;
    const REAL w = c->w;

    (void)i;
    (void)k;
    AT_ROWS(0, 0, 0) = STENCIL(AT_ROWS);
}

static inline void SWEEP(reversed_row_body)(SOR_NAME(context_t) * c, DvmType k, DvmType at, DvmType i) {
    const DvmType s3 = c->s3;
    const REAL w = c->w;

    (void)k;
    (void)i;
    AT_ROWS_REVERSED(0, 0, 0) = STENCIL(AT_ROWS_REVERSED);
}

#define DVMHX_NAME         SWEEP(natural)
#define DVMHX_RANK         3
#define DVMHX_CONTEXT      SOR_NAME(context_t)
#define DVMHX_BODY         SWEEP(body)
#define DVMHX_ROW_BEGIN    SOR_NAME(set_rows)
#define DVMHX_ROW_BODY     SWEEP(row_body)
#define DVMHX_ROW_PREFETCH SOR_AHEAD_3D
#include <dvmhx_run.h>

#define DVMHX_NAME         SWEEP(reversed)
#define DVMHX_RANK         3
#define DVMHX_CONTEXT      SOR_NAME(context_t)
#define DVMHX_BODY         SWEEP(reversed_body)
#define DVMHX_ROW_BEGIN    SOR_NAME(set_rows_reversed)
#define DVMHX_ROW_BODY     SWEEP(reversed_row_body)
#define DVMHX_ROW_PREFETCH SOR_AHEAD_3D_REVERSED
#include <dvmhx_run.h>

static void SWEEP(handler)(const dvmhx_record_t *record, const double *weight) {
    SOR_NAME(context_t) c = SOR_NAME(context_of)(record, weight);

    DVMHX_SPECIALISE(c.s3, SOR_PASTE(SWEEP(natural), run)(record, &c));
}

static void SWEEP(reversed_handler)(const dvmhx_record_t *record, const double *weight) {
    SOR_NAME(context_t) c = SOR_NAME(context_of)(record, weight);

    DVMHX_SPECIALISE(c.s1, SOR_PASTE(SWEEP(reversed), run)(record, &c));
}

#undef AT_ROWS
#undef AT_ROWS_REVERSED
#undef STENCIL
#undef SWEEP
