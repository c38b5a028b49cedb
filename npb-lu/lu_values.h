/* The loops around the time steps: start values and norms. Ordinary C with directives. */

/* The given solution everywhere, or at the faces alone and interpolated inside; no residual and no change. */
#pragma dvm inherit(u, rsd)
static void lu_start(long n, double (*u)[n][n][5], double (*rsd)[n][n][5], int is_exact) {
    const double h = 1 / (double)(n - 1);
#pragma dvm region
    {
#pragma dvm parallel([k][j][i] on u[k][j][i][])
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++)
                for (long i = 0; i < n; i++) {
                    const double x = (double)i * h, y = (double)j * h, z = (double)k * h;
                    const int is_inside = i > 0 && j > 0 && k > 0 && i < n - 1 && j < n - 1 && k < n - 1;

                    for (int m = 0; m < 5; m++) {
                        u[k][j][i][m] =
                            is_inside && !is_exact ? lu_interpolated(m, x, y, z) : lu_exact(m, x, y, z);
                        rsd[k][j][i][m] = 0;
                    }
                }
    }
}

#pragma dvm inherit(from, to)
static void lu_copy(long n, double (*from)[n][n][5], double (*to)[n][n][5]) {
#pragma dvm region
    {
#pragma dvm parallel([k][j][i] on to[k][j][i][])
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++)
                for (long i = 0; i < n; i++)
                    for (int m = 0; m < 5; m++)
                        to[k][j][i][m] = from[k][j][i][m];
    }
}

/* Root mean squares of the five quantities of the residual inside of the grid. */
#pragma dvm inherit(frct, rsd)
static void lu_residual_norms(long n, double (*frct)[n][n][5], double (*rsd)[n][n][5], double norm[5]) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0;
#pragma dvm actual(s0, s1, s2, s3, s4)
#pragma dvm region
    {
#pragma dvm parallel([k][j][i] on rsd[k][j][i][]) reduction(sum(s0), sum(s1), sum(s2), sum(s3), sum(s4))
        for (long k = 1; k < n - 1; k++)
            for (long j = 1; j < n - 1; j++)
                for (long i = 1; i < n - 1; i++) {
                    const double d0 = rsd[k][j][i][0] - frct[k][j][i][0];
                    const double d1 = rsd[k][j][i][1] - frct[k][j][i][1];
                    const double d2 = rsd[k][j][i][2] - frct[k][j][i][2];
                    const double d3 = rsd[k][j][i][3] - frct[k][j][i][3];
                    const double d4 = rsd[k][j][i][4] - frct[k][j][i][4];

                    s0 += d0 * d0;
                    s1 += d1 * d1;
                    s2 += d2 * d2;
                    s3 += d3 * d3;
                    s4 += d4 * d4;
                }
    }
#pragma dvm get_actual(s0, s1, s2, s3, s4)
    lu_roots(n, s0, s1, s2, s3, s4, norm);
}

/* The same of the difference to the given solution. */
#pragma dvm inherit(u)
static void lu_error_norms(long n, double (*u)[n][n][5], double norm[5]) {
    const double h = 1 / (double)(n - 1);
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0;
#pragma dvm actual(s0, s1, s2, s3, s4)
#pragma dvm region
    {
#pragma dvm parallel([k][j][i] on u[k][j][i][]) reduction(sum(s0), sum(s1), sum(s2), sum(s3), sum(s4))
        for (long k = 1; k < n - 1; k++)
            for (long j = 1; j < n - 1; j++)
                for (long i = 1; i < n - 1; i++) {
                    const double x = (double)i * h, y = (double)j * h, z = (double)k * h;
                    const double d0 = lu_exact(0, x, y, z) - u[k][j][i][0];
                    const double d1 = lu_exact(1, x, y, z) - u[k][j][i][1];
                    const double d2 = lu_exact(2, x, y, z) - u[k][j][i][2];
                    const double d3 = lu_exact(3, x, y, z) - u[k][j][i][3];
                    const double d4 = lu_exact(4, x, y, z) - u[k][j][i][4];

                    s0 += d0 * d0;
                    s1 += d1 * d1;
                    s2 += d2 * d2;
                    s3 += d3 * d3;
                    s4 += d4 * d4;
                }
    }
#pragma dvm get_actual(s0, s1, s2, s3, s4)
    lu_roots(n, s0, s1, s2, s3, s4, norm);
}

/* The integral of the pressure over the six faces of a box, by the trapezoidal rule: points inside of a face count four quarters, those
 * of its edges two, of its corners one. The box is the one that the benchmark gives. */
#pragma dvm inherit(u)
static double lu_surface_integral(long n, double (*u)[n][n][5]) {
    const long i0 = 1, i1 = n - 2, j0 = 1, j1 = n - 3, k0 = 2, k1 = n - 2;
    const double h = 1 / (double)(n - 1);
    double sum = 0;
#pragma dvm actual(sum)
#pragma dvm region
    {
#pragma dvm parallel([k][j][i] on u[k][j][i][]) reduction(sum(sum))
        for (long k = k0; k <= k1; k++)
            for (long j = j0; j <= j1; j++)
                for (long i = i0; i <= i1; i++) {
                    const int end_i = i == i0 || i == i1, end_j = j == j0 || j == j1,
                              end_k = k == k0 || k == k1;
                    const double along_i = end_i ? 1 : 2, along_j = end_j ? 1 : 2, along_k = end_k ? 1 : 2;
                    const double weight = (end_i ? along_j * along_k : 0) + (end_j ? along_i * along_k : 0) +
                                          (end_k ? along_i * along_j : 0);
                    const double square = u[k][j][i][1] * u[k][j][i][1] + u[k][j][i][2] * u[k][j][i][2] +
                                          u[k][j][i][3] * u[k][j][i][3];

                    sum += weight * (LU_C2 * (u[k][j][i][4] - 0.5 * square / u[k][j][i][0]));
                }
    }
#pragma dvm get_actual(sum)
    return 0.25 * h * h * sum;
}
