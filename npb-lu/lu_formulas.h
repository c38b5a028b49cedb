/* The formulas of LU for one point of the grid: the compressible Navier-Stokes equations of the benchmark, their Jacobians, and the
 * solution that they are given. Has no arrays and no loops over the grid; constants are those of NASA's report RNR-94-007.
 *
 * Five quantities are conserved: mass, three momenta and energy. Fluxes look alike along all directions, so a point is described as
 * seen along one: momentum along it, and along the two others. Blocks of 5 x 5 are never formed: a product of a block with a vector
 * takes fewer operations than its elements do. */
#ifndef LU_FORMULAS_H
#define LU_FORMULAS_H

/* Bodies of loops are to be vectorised, so nothing in them may stay a call. */
#if defined(__GNUC__) || defined(__clang__)
#define LU_INLINE static inline __attribute__((always_inline))
#else
#define LU_INLINE static inline
#endif

/* Of the equations: ratio of specific heats, that minus 1, viscosity, and Prandtl's numbers. */
#define LU_C1 1.4
#define LU_C2 0.4
#define LU_C3 0.1
#define LU_C4 1.0
#define LU_C5 1.4
/* Viscosity of momentum across a direction and along it, of kinetic energy, and of heat. */
#define LU_SHEAR       (LU_C3 * LU_C4)
#define LU_ALONG       (4.0 / 3.0 * LU_C3 * LU_C4)
#define LU_HEAT        (LU_C1 * LU_C3 * LU_C4 * LU_C5)
#define LU_DAMPING_X   0.75 /* second-order dissipation */
#define LU_DAMPING_Y   0.75
#define LU_DAMPING_Z   1.0
#define LU_DISSIPATION (LU_DAMPING_Z / 4) /* fourth-order */
#define LU_RELAXATION  1.2

/** Five quantities as seen along a direction; or what a flux, a block or a difference makes of them. */
typedef struct lu_vector {
    double mass, along, across, beyond,
        energy; /* momentum along the direction, and along the other two, x before y before z */
} lu_vector_t;

/** A point as seen along a direction. */
typedef struct lu_point {
    lu_vector_t u;
    double volume;  /* 1 / mass */
    double kinetic; /* energy */
} lu_point_t;

/** Weights of differences along a direction, of the scheme or of a block of the implicit part. */
typedef struct lu_direction {
    double convection; /* of differences over two points */
    double diffusion;  /* of second differences */
    double damping;    /* the same, for dissipation */
} lu_direction_t;

typedef struct lu_directions {
    lu_direction_t x, y, z;
} lu_directions_t;

/** Whether the fourth difference reaches its neighbours: at the edges of the grid it leaves some out. */
typedef struct lu_reach {
    double low, high; /* 1: the next neighbour counts; 0: not */
} lu_reach_t;

/** Weights of differences between n points along each axis of the unit cube, times a factor. */
LU_INLINE lu_directions_t lu_scheme(long n, double factor) {
    const double first = factor * (double)(n - 1), second = first * (double)(n - 1);
    const lu_directions_t scheme = {{first / 2, second, second * LU_DAMPING_X},
                                    {first / 2, second, second * LU_DAMPING_Y},
                                    {first / 2, second, second * LU_DAMPING_Z}};

    return scheme;
}

/** The diagonal block: 1 plus the weights of all directions at the point itself. */
typedef struct lu_diagonal {
    double base;     /* what all rows have */
    double shear[3]; /* along x, y and z: of the volume, in the rows of momentum */
    double heat;     /* of the volume, in the row of energy */
} lu_diagonal_t;

LU_INLINE lu_diagonal_t lu_diagonal_block(lu_directions_t s) {
    const double sum = s.x.diffusion + s.y.diffusion + s.z.diffusion, more = LU_ALONG - LU_SHEAR;
    const lu_diagonal_t d = {1 + 2 * (s.x.damping + s.y.damping + s.z.damping),
                             {2 * (LU_SHEAR * sum + more * s.x.diffusion),
                              2 * (LU_SHEAR * sum + more * s.y.diffusion),
                              2 * (LU_SHEAR * sum + more * s.z.diffusion)},
                             2 * LU_HEAT * sum};

    return d;
}

/** The part of the residual from fluxes along a direction: differences of convection over low and high, second ones of diffusion. */
LU_INLINE lu_vector_t lu_fluxes(lu_direction_t d, lu_point_t low, lu_point_t here, lu_point_t high) {
    const double shear = d.diffusion * LU_SHEAR, along = d.diffusion * LU_ALONG;
    const double heat = d.diffusion * LU_HEAT, kinetic = d.diffusion * (LU_SHEAR * (1 - LU_C1 * LU_C5));
    const double square = d.diffusion * (LU_SHEAR / 6);
    /* velocities */
    const double l = low.u.along * low.volume, h = high.u.along * high.volume, c = here.u.along * here.volume;
    const double l_across = low.u.across * low.volume, h_across = high.u.across * high.volume;
    const double l_beyond = low.u.beyond * low.volume, h_beyond = high.u.beyond * high.volume;
    const double pressure = LU_C2 * ((high.u.energy - high.kinetic) - (low.u.energy - low.kinetic));
    const double h_work = (LU_C1 * high.u.energy - LU_C2 * high.kinetic) * h;
    const double l_work = (LU_C1 * low.u.energy - LU_C2 * low.kinetic) * l;
    lu_vector_t r;

    r.mass = -d.convection * (high.u.along - low.u.along);
    r.along = -d.convection * (high.u.along * h - low.u.along * l + pressure) + along * (h - 2 * c + l);
    r.across = -d.convection * (high.u.across * h - low.u.across * l) +
               shear * (h_across - 2 * (here.u.across * here.volume) + l_across);
    r.beyond = -d.convection * (high.u.beyond * h - low.u.beyond * l) +
               shear * (h_beyond - 2 * (here.u.beyond * here.volume) + l_beyond);
    r.energy =
        -d.convection * (h_work - l_work) +
        kinetic * (high.kinetic * high.volume - 2 * (here.kinetic * here.volume) + low.kinetic * low.volume) +
        square * (h * h - 2 * (c * c) + l * l) +
        heat * (high.u.energy * high.volume - 2 * (here.u.energy * here.volume) + low.u.energy * low.volume);
    return r;
}

/** Dissipation of one quantity along a direction: its second difference, minus the fourth. `low2` and `high2` are 0 where the fourth
 * difference does not reach them. */
LU_INLINE double lu_dissipation(double damping, lu_reach_t reach, double low2, double low, double here,
                                double high, double high2) {
    return (damping + 4 * LU_DISSIPATION * reach.low) * low +
           (damping + 4 * LU_DISSIPATION * reach.high) * high -
           (2 * damping + LU_DISSIPATION * (4 + reach.low + reach.high)) * here -
           LU_DISSIPATION * (low2 + high2);
}

/** The product of a block beside the diagonal with a vector: `sign` times the Jacobian of convection, minus that of diffusion.
 * @param sign  -1: of the neighbour at the lower side, 1: at the higher */
LU_INLINE lu_vector_t lu_block_times(lu_direction_t d, double sign, lu_point_t at, lu_vector_t v) {
    const double convection = sign * d.convection, diffusion = d.diffusion * at.volume;
    const double along = at.u.along * at.volume, across = at.u.across * at.volume;
    const double beyond = at.u.beyond * at.volume, energy = at.u.energy * at.volume;
    const double kinetic = at.kinetic * at.volume;
    /* changes of the velocities, times the mass */
    const double a = v.along - along * v.mass, b = v.across - across * v.mass, c = v.beyond - beyond * v.mass;
    const double change = along * a + across * b + beyond * c; /* of kinetic energy, beside that ..  */
    const double more = change + kinetic * v.mass;             /* .. of the mass */
    lu_vector_t r;

    r.mass = convection * v.along - d.damping * v.mass;
    r.along = convection * (along * (a + v.along) + LU_C2 * (v.energy - more)) - diffusion * (LU_ALONG * a) -
              d.damping * v.along;
    r.across =
        convection * (across * a + along * v.across) - diffusion * (LU_SHEAR * b) - d.damping * v.across;
    r.beyond =
        convection * (beyond * a + along * v.beyond) - diffusion * (LU_SHEAR * c) - d.damping * v.beyond;
    r.energy =
        convection * ((LU_C1 * energy - LU_C2 * kinetic) * a + along * (LU_C1 * v.energy - LU_C2 * more)) -
        diffusion * ((LU_SHEAR - LU_HEAT) * change + (LU_ALONG - LU_SHEAR) * (along * a) +
                     LU_HEAT * (v.energy - energy * v.mass)) -
        d.damping * v.energy;
    return r;
}

/** The solution of the diagonal block for a right side, both seen along x. The block is lower triangular. */
LU_INLINE lu_vector_t lu_diagonal_solve(lu_diagonal_t d, lu_point_t at, lu_vector_t right) {
    const double x = at.u.along * at.volume, y = at.u.across * at.volume, z = at.u.beyond * at.volume;
    const double shear_x = d.shear[0] * at.volume, shear_y = d.shear[1] * at.volume;
    const double shear_z = d.shear[2] * at.volume, heat = d.heat * at.volume;
    lu_vector_t v;

    v.mass = right.mass / d.base;
    v.along = (right.along + shear_x * (x * v.mass)) / (d.base + shear_x);
    v.across = (right.across + shear_y * (y * v.mass)) / (d.base + shear_y);
    v.beyond = (right.beyond + shear_z * (z * v.mass)) / (d.base + shear_z);
    v.energy =
        (right.energy -
         ((shear_x - heat) * x * (v.along - x * v.mass) + (shear_y - heat) * y * (v.across - y * v.mass) +
          (shear_z - heat) * z * (v.beyond - z * v.mass) - heat * (at.u.energy * at.volume) * v.mass)) /
        (d.base + heat);
    return v;
}

/** The given solution: one quantity, 0 to 4, at a point of the unit cube. A polynomial along each axis. */
LU_INLINE double lu_exact(int quantity, double x, double y, double z) {
    static const double c[5][13] = {{2, 0, 0, 4, 5, 3, .5, .02, .01, .03, .5, .4, .3},
                                    {1, 0, 0, 0, 1, 2, 3, .01, .03, .02, .4, .3, .5},
                                    {2, 2, 0, 0, 0, 2, 3, .04, .03, .05, .3, .5, .4},
                                    {2, 2, 0, 0, 0, 2, 3, .03, .05, .04, .2, .1, .3},
                                    {5, 4, 3, 2, .1, .4, .3, .05, .04, .03, .1, .3, .2}};
    const double *p = c[quantity];

    return p[0] + x * (p[1] + x * (p[4] + x * (p[7] + x * p[10]))) +
           y * (p[2] + y * (p[5] + y * (p[8] + y * p[11]))) +
           z * (p[3] + z * (p[6] + z * (p[9] + z * p[12])));
}

/** The start value of one quantity inside of the cube: interpolated between the faces, where the given solution holds. */
LU_INLINE double lu_interpolated(int quantity, double x, double y, double z) {
    const double along_x = (1 - x) * lu_exact(quantity, 0, y, z) + x * lu_exact(quantity, 1, y, z);
    const double along_y = (1 - y) * lu_exact(quantity, x, 0, z) + y * lu_exact(quantity, x, 1, z);
    const double along_z = (1 - z) * lu_exact(quantity, x, y, 0) + z * lu_exact(quantity, x, y, 1);

    return along_x + along_y + along_z - along_x * along_y - along_y * along_z - along_z * along_x +
           along_x * along_y * along_z;
}

#endif
