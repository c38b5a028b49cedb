/* The stencils of sor3d and jacobi3d, around the element i, j, k of A with the weight w. */
#ifndef STENCILS3D_H
#define STENCILS3D_H

#define ALONG_AXES                                                                                           \
    (A[i - 1][j][k] + A[i + 1][j][k] + A[i][j - 1][k] + A[i][j + 1][k] + A[i][j][k - 1] + A[i][j][k + 1])
#define STAR (w / 6 * ALONG_AXES + (1 - w) * A[i][j][k])

/* With all corners. */
#define ROW(i, j) A[i][j][k - 1] + A[i][j][k] + A[i][j][k + 1]
#define PLANE(i)  (ROW(i, j - 1) + ROW(i, j) + ROW(i, j + 1))
#define AROUND    (ROW(i, j - 1) + A[i][j][k - 1] + A[i][j][k + 1] + ROW(i, j + 1))
#define BOX       (w / 26 * (PLANE(i - 1) + AROUND + PLANE(i + 1)) + (1 - w) * A[i][j][k])

#endif
