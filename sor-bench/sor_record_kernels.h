/* What the templates sor2d_record_kernels.h and sor3d_record_kernels.h share, which are included once for each type: names, and the parts
 * of a loop that are the same for every rank and stencil. */
#ifndef SOR_RECORD_KERNELS_H
#define SOR_RECORD_KERNELS_H

#include <dvmhx_run.h>

/* REAL is the element type, double or float; SOR_NAME(star) is star_double or star_float. */
#define SOR_PASTE_(a, b) a##_##b
#define SOR_PASTE(a, b)  SOR_PASTE_(a, b)
#define SOR_NAME(name)   SOR_PASTE(name, REAL)

/* A handler as the interface takes it; by way of a type that compilers let through without a warning. */
#define SOR_HANDLER(name) ((DvmHandlerFunc)(void (*)(void))SOR_NAME(name))

/* The rows of an element's neighbours along the two axes of its front, in row[1 + p][1 + q]. Those that a stencil does not use
 * cost nothing: the compiler leaves them out. Written without a loop, so that all entries become variables. */
#define SOR_SET_ROWS(row, rows)                                                                              \
    do {                                                                                                     \
        (row)[0][0] = dvmhx_row(rows, -1, -1);                                                               \
        (row)[0][1] = dvmhx_row(rows, -1, 0);                                                                \
        (row)[0][2] = dvmhx_row(rows, -1, 1);                                                                \
        (row)[1][0] = dvmhx_row(rows, 0, -1);                                                                \
        (row)[1][1] = dvmhx_row(rows, 0, 0);                                                                 \
        (row)[1][2] = dvmhx_row(rows, 0, 1);                                                                 \
        (row)[2][0] = dvmhx_row(rows, 1, -1);                                                                \
        (row)[2][1] = dvmhx_row(rows, 1, 0);                                                                 \
        (row)[2][2] = dvmhx_row(rows, 1, 1);                                                                 \
    } while (0)

/* For DVMHX_ROW_PREFETCH. */
#define SOR_AHEAD_2D(c, i, j)             ((c)->ahead + (i))
#define SOR_AHEAD_2D_REVERSED(c, j, i)    ((c)->ahead + (j))
#define SOR_AHEAD_3D(c, i, j, k)          ((c)->ahead + (j))
#define SOR_AHEAD_3D_REVERSED(c, k, j, i) ((c)->ahead + (j))

#endif
