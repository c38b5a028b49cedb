/* One sweep of sor2d-record: a STENCIL, in both orders of the loops, as handlers. SWEEP(name) makes the names. Both are undefined at
 * the end. */

/* The neighbour of the element x; and by rows, where the front's rows run along the outer dim's axis: i in natural order, j in
 * reversed. */
#define AT_ELEMENT(i, j)       x[(i)*s1 + (j)*s2]
#define AT_ROWS(i, j)          c->row[1 + (j)][1 + (i)][at]
#define AT_ROWS_REVERSED(i, j) c->row[1 + (i)][1 + (j)][at]

static inline REAL SWEEP(value)(const REAL *x, DvmType s1, DvmType s2, REAL w) {
    return STENCIL(AT_ELEMENT);
}

static inline void SWEEP(body)(SOR_NAME(context_t) * c, DvmType i, DvmType j) {
    REAL *x = c->a + i * c->s1 + j * c->s2;

    *x = SWEEP(value)(x, c->s1, c->s2, c->w);
}

static inline void SWEEP(reversed_body)(SOR_NAME(context_t) * c, DvmType j, DvmType i) {
    SWEEP(body)(c, i, j);
}

static inline void SWEEP(row_body)(SOR_NAME(context_t) * c, DvmType at, DvmType j) {
    const REAL w = c->w;

    (void)j;
    AT_ROWS(0, 0) = STENCIL(AT_ROWS);
}

static inline void SWEEP(reversed_row_body)(SOR_NAME(context_t) * c, DvmType at, DvmType i) {
    const REAL w = c->w;

    (void)i;
    AT_ROWS_REVERSED(0, 0) = STENCIL(AT_ROWS_REVERSED);
}

#define DVMHX_NAME         SWEEP(natural)
#define DVMHX_RANK         2
#define DVMHX_CONTEXT      SOR_NAME(context_t)
#define DVMHX_BODY         SWEEP(body)
#define DVMHX_ROW_BEGIN    SOR_NAME(set_rows)
#define DVMHX_ROW_BODY     SWEEP(row_body)
#define DVMHX_ROW_PREFETCH SOR_AHEAD_2D
#include <dvmhx_run.h>

#define DVMHX_NAME         SWEEP(reversed)
#define DVMHX_RANK         2
#define DVMHX_CONTEXT      SOR_NAME(context_t)
#define DVMHX_BODY         SWEEP(reversed_body)
#define DVMHX_ROW_BEGIN    SOR_NAME(set_rows_reversed)
#define DVMHX_ROW_BODY     SWEEP(reversed_row_body)
#define DVMHX_ROW_PREFETCH SOR_AHEAD_2D_REVERSED
#include <dvmhx_run.h>

static void SWEEP(handler)(const dvmhx_record_t *record, const double *weight) {
    SOR_NAME(context_t) c = SOR_NAME(context_of)(record, weight);

    DVMHX_SPECIALISE(c.s2, SOR_PASTE(SWEEP(natural), run)(record, &c));
}

static void SWEEP(reversed_handler)(const dvmhx_record_t *record, const double *weight) {
    SOR_NAME(context_t) c = SOR_NAME(context_of)(record, weight);

    DVMHX_SPECIALISE(c.s1, SOR_PASTE(SWEEP(reversed), run)(record, &c));
}

#undef AT_ELEMENT
#undef AT_ROWS
#undef AT_ROWS_REVERSED
#undef STENCIL
#undef SWEEP
