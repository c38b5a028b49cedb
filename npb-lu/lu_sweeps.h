/* The loops of a time step: the residual, and the two sweeps of the relaxation. Ordinary C with directives.
 *
 * A step solves (D + w L) D^-1 (D + w U) change = dt * residual approximately: the lower sweep goes from the corner with the least indices
 * to that with the greatest, the upper one back. Blocks are those of the solution, which sweeps only read; so only the products of blocks
 * with neighbours in rsd are on the chain of dependences. */

#define X_VECTOR(a, k, j, i)                                                                                 \
    { a[k][j][i][0], a[k][j][i][1], a[k][j][i][2], a[k][j][i][3], a[k][j][i][4] }
#define Y_VECTOR(a, k, j, i)                                                                                 \
    { a[k][j][i][0], a[k][j][i][2], a[k][j][i][1], a[k][j][i][3], a[k][j][i][4] }
#define Z_VECTOR(a, k, j, i)                                                                                 \
    { a[k][j][i][0], a[k][j][i][3], a[k][j][i][1], a[k][j][i][2], a[k][j][i][4] }
#define POINT(VECTOR, k, j, i)                                                                               \
    { VECTOR(u, k, j, i), volume[k][j][i], kinetic[k][j][i] }

/* Add the change of a step to the solution, and find what depends on it. With a factor of 0 only the latter. */
#pragma dvm inherit(u, volume, kinetic, rsd)
static void lu_update(long n, double (*u)[n][n][5], double (*volume)[n][n], double (*kinetic)[n][n],
                      double (*rsd)[n][n][5], double factor) {
#pragma dvm region
    {
#pragma dvm parallel([k][j][i] on u[k][j][i][])
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++)
                for (long i = 0; i < n; i++) {
                    const double mass = u[k][j][i][0] + factor * rsd[k][j][i][0];
                    const double x = u[k][j][i][1] + factor * rsd[k][j][i][1];
                    const double y = u[k][j][i][2] + factor * rsd[k][j][i][2];
                    const double z = u[k][j][i][3] + factor * rsd[k][j][i][3];
                    const double one_by_mass = 1 / mass;

                    u[k][j][i][0] = mass;
                    u[k][j][i][1] = x;
                    u[k][j][i][2] = y;
                    u[k][j][i][3] = z;
                    u[k][j][i][4] = u[k][j][i][4] + factor * rsd[k][j][i][4];
                    volume[k][j][i] = one_by_mass;
                    kinetic[k][j][i] = 0.5 * (x * x + y * y + z * z) * one_by_mass;
                }
    }
}

/* Dissipation of quantity m along all directions. */
#define DISSIPATION(m)                                                                                       \
    (lu_dissipation(s.x.damping, reach_x, i > 2 ? u[k][j][i - 2][m] : 0, u[k][j][i - 1][m], u[k][j][i][m],   \
                    u[k][j][i + 1][m], i < n - 3 ? u[k][j][i + 2][m] : 0) +                                  \
     lu_dissipation(s.y.damping, reach_y, j > 2 ? u[k][j - 2][i][m] : 0, u[k][j - 1][i][m], u[k][j][i][m],   \
                    u[k][j + 1][i][m], j < n - 3 ? u[k][j + 2][i][m] : 0) +                                  \
     lu_dissipation(s.z.damping, reach_z, k > 2 ? u[k - 2][j][i][m] : 0, u[k - 1][j][i][m], u[k][j][i][m],   \
                    u[k + 1][j][i][m], k < n - 3 ? u[k + 2][j][i][m] : 0))

/* rsd = what the equations make of u, without the forcing term: that is part of the lower sweep, so that all loops of a step but that one
 * need no more than u, what depends on it, and rsd. */
#pragma dvm inherit(u, volume, kinetic, rsd)
static void lu_residual(long n, double (*u)[n][n][5], double (*volume)[n][n], double (*kinetic)[n][n],
                        double (*rsd)[n][n][5]) {
    const lu_directions_t s = lu_scheme(n, 1);
#pragma dvm region
    {
#pragma dvm parallel([k][j][i] on rsd[k][j][i][]) shadow_renew(u, volume, kinetic)
        for (long k = 1; k < n - 1; k++)
            for (long j = 1; j < n - 1; j++)
                for (long i = 1; i < n - 1; i++) {
                    const lu_reach_t reach_x = {i > 1 ? 1 : 0, i < n - 2 ? 1 : 0};
                    const lu_reach_t reach_y = {j > 1 ? 1 : 0, j < n - 2 ? 1 : 0};
                    const lu_reach_t reach_z = {k > 1 ? 1 : 0, k < n - 2 ? 1 : 0};
                    const lu_point_t low_x = POINT(X_VECTOR, k, j, i - 1), x = POINT(X_VECTOR, k, j, i);
                    const lu_point_t high_x = POINT(X_VECTOR, k, j, i + 1),
                                     low_y = POINT(Y_VECTOR, k, j - 1, i);
                    const lu_point_t y = POINT(Y_VECTOR, k, j, i), high_y = POINT(Y_VECTOR, k, j + 1, i);
                    const lu_point_t low_z = POINT(Z_VECTOR, k - 1, j, i), z = POINT(Z_VECTOR, k, j, i);
                    const lu_point_t high_z = POINT(Z_VECTOR, k + 1, j, i);
                    const lu_vector_t f = lu_fluxes(s.x, low_x, x, high_x),
                                      g = lu_fluxes(s.y, low_y, y, high_y);
                    const lu_vector_t h = lu_fluxes(s.z, low_z, z, high_z);

                    rsd[k][j][i][0] = f.mass + g.mass + h.mass + DISSIPATION(0);
                    rsd[k][j][i][1] = f.along + g.across + h.across + DISSIPATION(1);
                    rsd[k][j][i][2] = f.across + g.along + h.beyond + DISSIPATION(2);
                    rsd[k][j][i][3] = f.beyond + g.beyond + h.along + DISSIPATION(3);
                    rsd[k][j][i][4] = f.energy + g.energy + h.energy + DISSIPATION(4);
                }
    }
}

/* From the residual, rsd - frct, to what the upper sweep begins with. */
#pragma dvm inherit(u, volume, kinetic, frct, rsd)
static void lu_lower_sweep(long n, double (*u)[n][n][5], double (*volume)[n][n], double (*kinetic)[n][n],
                           double (*frct)[n][n][5], double (*rsd)[n][n][5], double dt) {
    const lu_directions_t s = lu_scheme(n, LU_RELAXATION * dt);
    const lu_diagonal_t diagonal = lu_diagonal_block(lu_scheme(n, dt));
#pragma dvm region
    {
#pragma dvm parallel([k][j][i] on rsd[k][j][i][]) across(rsd [1:0] [1:0] [1:0] [0:0])
        for (long k = 1; k < n - 1; k++)
            for (long j = 1; j < n - 1; j++)
                for (long i = 1; i < n - 1; i++) {
                    const lu_point_t at = POINT(X_VECTOR, k, j, i), x = POINT(X_VECTOR, k, j, i - 1);
                    const lu_point_t y = POINT(Y_VECTOR, k, j - 1, i), z = POINT(Z_VECTOR, k - 1, j, i);
                    const lu_vector_t along_z = Z_VECTOR(rsd, k - 1, j, i),
                                      along_y = Y_VECTOR(rsd, k, j - 1, i);
                    const lu_vector_t along_x = X_VECTOR(rsd, k, j, i - 1);
                    const lu_vector_t h = lu_block_times(s.z, -1, z, along_z);
                    const lu_vector_t g = lu_block_times(s.y, -1, y, along_y);
                    const lu_vector_t f = lu_block_times(s.x, -1, x, along_x);
                    const lu_vector_t right =
                        {dt * (rsd[k][j][i][0] - frct[k][j][i][0]) - (h.mass + g.mass) - f.mass,
                         dt * (rsd[k][j][i][1] - frct[k][j][i][1]) - (h.across + g.across) - f.along,
                         dt * (rsd[k][j][i][2] - frct[k][j][i][2]) - (h.beyond + g.along) - f.across,
                         dt * (rsd[k][j][i][3] - frct[k][j][i][3]) - (h.along + g.beyond) - f.beyond,
                         dt * (rsd[k][j][i][4] - frct[k][j][i][4]) - (h.energy + g.energy) - f.energy};
                    const lu_vector_t v = lu_diagonal_solve(diagonal, at, right);

                    rsd[k][j][i][0] = v.mass;
                    rsd[k][j][i][1] = v.along;
                    rsd[k][j][i][2] = v.across;
                    rsd[k][j][i][3] = v.beyond;
                    rsd[k][j][i][4] = v.energy;
                }
    }
}

/* From what the lower sweep left to the change of a step. */
#pragma dvm inherit(u, volume, kinetic, rsd)
static void lu_upper_sweep(long n, double (*u)[n][n][5], double (*volume)[n][n], double (*kinetic)[n][n],
                           double (*rsd)[n][n][5], double dt) {
    const lu_directions_t s = lu_scheme(n, LU_RELAXATION * dt);
    const lu_diagonal_t diagonal = lu_diagonal_block(lu_scheme(n, dt));
#pragma dvm region
    {
#pragma dvm parallel([k][j][i] on rsd[k][j][i][]) across(rsd [0:1] [0:1] [0:1] [0:0])
        for (long k = n - 2; k > 0; k--)
            for (long j = n - 2; j > 0; j--)
                for (long i = n - 2; i > 0; i--) {
                    const lu_point_t at = POINT(X_VECTOR, k, j, i), x = POINT(X_VECTOR, k, j, i + 1);
                    const lu_point_t y = POINT(Y_VECTOR, k, j + 1, i), z = POINT(Z_VECTOR, k + 1, j, i);
                    const lu_vector_t along_z = Z_VECTOR(rsd, k + 1, j, i),
                                      along_y = Y_VECTOR(rsd, k, j + 1, i);
                    const lu_vector_t along_x = X_VECTOR(rsd, k, j, i + 1);
                    const lu_vector_t h = lu_block_times(s.z, 1, z, along_z);
                    const lu_vector_t g = lu_block_times(s.y, 1, y, along_y);
                    const lu_vector_t f = lu_block_times(s.x, 1, x, along_x);
                    const lu_vector_t right = {h.mass + g.mass + f.mass, h.across + g.across + f.along,
                                               h.beyond + g.along + f.across, h.along + g.beyond + f.beyond,
                                               h.energy + g.energy + f.energy};
                    const lu_vector_t v = lu_diagonal_solve(diagonal, at, right);

                    rsd[k][j][i][0] -= v.mass;
                    rsd[k][j][i][1] -= v.along;
                    rsd[k][j][i][2] -= v.across;
                    rsd[k][j][i][3] -= v.beyond;
                    rsd[k][j][i][4] -= v.energy;
                }
    }
}
