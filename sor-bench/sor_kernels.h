/* Names in the templates sor2d_kernels.h and sor3d_kernels.h, which are included once for each type. */
#ifndef SOR_KERNELS_H
#define SOR_KERNELS_H

#include <dvmhx_run.h>

/* REAL is the element type, double or float; SOR_NAME(star) is star_double or star_float. */
#define SOR_PASTE_(a, b) a##_##b
#define SOR_PASTE(a, b)  SOR_PASTE_(a, b)
#define SOR_NAME(name)   SOR_PASTE(name, REAL)

/* A handler as the interface takes it; by way of a type that compilers let through without a warning. */
#define SOR_HANDLER(name) ((DvmHandlerFunc)(void (*)(void))SOR_NAME(name))

/** Start value, border included, of the element i, j, k: the same in every type as far as it reaches. */
static inline double sor_start_value(DvmType i, DvmType j, DvmType k) {
    return (double)((i * 131 + j * 37 + k * 17) % 1009) / 1009;
}

#endif
