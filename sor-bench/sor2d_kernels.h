/* Loops of sor2d for the element type REAL; included once for each. */
#include "sor-bench/sor_kernels.h"

typedef struct SOR_NAME(context) {
    REAL *a; /* element with all indices 0 */
    DvmType s1, s2;
    REAL w;
} SOR_NAME(context_t);

/* New value of the element x, whose neighbours along the axes are s1 and s2 elements away. */
static inline REAL SOR_NAME(star)(const REAL *x, DvmType s1, DvmType s2, REAL w) {
    return w / 4 * (x[-s1] + x[s1] + x[-s2] + x[s2]) + (1 - w) * x[0];
}

static inline REAL SOR_NAME(box)(const REAL *x, DvmType s1, DvmType s2, REAL w) {
    return w / 8 * (x[-s1 - s2] + x[-s1] + x[-s1 + s2] + x[-s2] + x[s2] + x[s1 - s2] + x[s1] + x[s1 + s2]) +
           (1 - w) * x[0];
}

static inline void SOR_NAME(start_body)(SOR_NAME(context_t) * c, DvmType i, DvmType j) {
    c->a[i * c->s1 + j * c->s2] = (REAL)sor_start_value(i, j, 0);
}

static inline void SOR_NAME(star_body)(SOR_NAME(context_t) * c, DvmType i, DvmType j) {
    REAL *x = c->a + i * c->s1 + j * c->s2;

    *x = SOR_NAME(star)(x, c->s1, c->s2, c->w);
}

static inline void SOR_NAME(star_reversed_body)(SOR_NAME(context_t) * c, DvmType j, DvmType i) {
    SOR_NAME(star_body)(c, i, j);
}

static inline void SOR_NAME(box_body)(SOR_NAME(context_t) * c, DvmType i, DvmType j) {
    REAL *x = c->a + i * c->s1 + j * c->s2;

    *x = SOR_NAME(box)(x, c->s1, c->s2, c->w);
}

static inline void SOR_NAME(box_reversed_body)(SOR_NAME(context_t) * c, DvmType j, DvmType i) {
    SOR_NAME(box_body)(c, i, j);
}

#define DVMHX_NAME    SOR_NAME(start)
#define DVMHX_RANK    2
#define DVMHX_CONTEXT SOR_NAME(context_t)
#define DVMHX_BODY    SOR_NAME(start_body)
#define DVMHX_INDEPENDENT
#include <dvmhx_run.h>

#define DVMHX_NAME    SOR_NAME(star)
#define DVMHX_RANK    2
#define DVMHX_CONTEXT SOR_NAME(context_t)
#define DVMHX_BODY    SOR_NAME(star_body)
#include <dvmhx_run.h>

#define DVMHX_NAME    SOR_NAME(star_reversed)
#define DVMHX_RANK    2
#define DVMHX_CONTEXT SOR_NAME(context_t)
#define DVMHX_BODY    SOR_NAME(star_reversed_body)
#include <dvmhx_run.h>

#define DVMHX_NAME    SOR_NAME(box)
#define DVMHX_RANK    2
#define DVMHX_CONTEXT SOR_NAME(context_t)
#define DVMHX_BODY    SOR_NAME(box_body)
#include <dvmhx_run.h>

#define DVMHX_NAME    SOR_NAME(box_reversed)
#define DVMHX_RANK    2
#define DVMHX_CONTEXT SOR_NAME(context_t)
#define DVMHX_BODY    SOR_NAME(box_reversed_body)
#include <dvmhx_run.h>

static inline SOR_NAME(context_t) SOR_NAME(context_of)(const dvmhx_record_t *record, const double *weight) {
    const dvmhx_array_t *a = &record->arrays[0];
    const SOR_NAME(context_t) c = {a->base, a->stride[0], a->stride[1], (REAL)*weight};

    return c;
}

static void SOR_NAME(start_handler)(const dvmhx_record_t *record, const double *weight) {
    SOR_NAME(context_t) c = SOR_NAME(context_of)(record, weight);

    DVMHX_SPECIALISE(c.s2, SOR_PASTE(SOR_NAME(start), run)(record, &c));
}

static void SOR_NAME(star_handler)(const dvmhx_record_t *record, const double *weight) {
    SOR_NAME(context_t) c = SOR_NAME(context_of)(record, weight);

    DVMHX_SPECIALISE(c.s2, SOR_PASTE(SOR_NAME(star), run)(record, &c));
}

static void SOR_NAME(star_reversed_handler)(const dvmhx_record_t *record, const double *weight) {
    SOR_NAME(context_t) c = SOR_NAME(context_of)(record, weight);

    DVMHX_SPECIALISE(c.s1, SOR_PASTE(SOR_NAME(star_reversed), run)(record, &c));
}

static void SOR_NAME(box_handler)(const dvmhx_record_t *record, const double *weight) {
    SOR_NAME(context_t) c = SOR_NAME(context_of)(record, weight);

    DVMHX_SPECIALISE(c.s2, SOR_PASTE(SOR_NAME(box), run)(record, &c));
}

static void SOR_NAME(box_reversed_handler)(const dvmhx_record_t *record, const double *weight) {
    SOR_NAME(context_t) c = SOR_NAME(context_of)(record, weight);

    DVMHX_SPECIALISE(c.s1, SOR_PASTE(SOR_NAME(box_reversed), run)(record, &c));
}

static void SOR_NAME(plain_start)(void *memory, const long n[]) {
    REAL *restrict a = memory;
    const long n1 = n[0], n2 = n[1];

    for (long i = 0; i < n1; i++)
        for (long j = 0; j < n2; j++)
            a[i * n2 + j] = (REAL)sor_start_value(i, j, 0);
}

static void SOR_NAME(plain_star)(void *memory, const long n[], double weight) {
    REAL *restrict a = memory;
    const long n1 = n[0], n2 = n[1];
    const REAL w = (REAL)weight;

    for (long i = 1; i < n1 - 1; i++)
        for (long j = 1; j < n2 - 1; j++)
            a[i * n2 + j] = SOR_NAME(star)(a + i * n2 + j, n2, 1, w);
}

static void SOR_NAME(plain_star_reversed)(void *memory, const long n[], double weight) {
    REAL *restrict a = memory;
    const long n1 = n[0], n2 = n[1];
    const REAL w = (REAL)weight;

    for (long j = 1; j < n2 - 1; j++)
        for (long i = 1; i < n1 - 1; i++)
            a[i * n2 + j] = SOR_NAME(star)(a + i * n2 + j, n2, 1, w);
}

static void SOR_NAME(plain_box)(void *memory, const long n[], double weight) {
    REAL *restrict a = memory;
    const long n1 = n[0], n2 = n[1];
    const REAL w = (REAL)weight;

    for (long i = 1; i < n1 - 1; i++)
        for (long j = 1; j < n2 - 1; j++)
            a[i * n2 + j] = SOR_NAME(box)(a + i * n2 + j, n2, 1, w);
}

static void SOR_NAME(plain_box_reversed)(void *memory, const long n[], double weight) {
    REAL *restrict a = memory;
    const long n1 = n[0], n2 = n[1];
    const REAL w = (REAL)weight;

    for (long j = 1; j < n2 - 1; j++)
        for (long i = 1; i < n1 - 1; i++)
            a[i * n2 + j] = SOR_NAME(box)(a + i * n2 + j, n2, 1, w);
}

static const sor_kernels_t SOR_NAME(kernels) = {
    .start = SOR_HANDLER(start_handler),
    .sweep = {{SOR_HANDLER(star_handler), SOR_HANDLER(box_handler)},
              {SOR_HANDLER(star_reversed_handler), SOR_HANDLER(box_reversed_handler)}},
    .plain_start = SOR_NAME(plain_start),
    .plain_sweep = {{SOR_NAME(plain_star), SOR_NAME(plain_box)},
                    {SOR_NAME(plain_star_reversed), SOR_NAME(plain_box_reversed)}},
};

#undef REAL
