/* The functions of gsai_local.h for the element type REAL, with names that end in TYPE_NAME; included once for each type by gsai_local.c.
 * DEPENDENT: what of a column's length may be rounding. Sums are double for both types. */

/** The identity plus factor v transpose(v): v is 0 outside of first .. end - 1, which are multiples of GSAI_ROWS_UNIT. */
typedef struct NAMED(reflection) {
    const REAL *v;
    double factor;
    int64_t first, end;
} NAMED(reflection_t);

/* Two reflections, r before s, on four columns: each element is read and written once for both. cross: the product of their vectors. */
static inline void NAMED(reflect_twice)(const NAMED(reflection_t) * r, const NAMED(reflection_t) * s,
                                        double cross, REAL *c0, int64_t pitch) {
    const REAL *const v = r->v, *const w = s->v;
    REAL *const c1 = c0 + pitch, *const c2 = c1 + pitch, *const c3 = c2 + pitch;
    double v0 = 0, v1 = 0, v2 = 0, v3 = 0, w0 = 0, w1 = 0, w2 = 0, w3 = 0;

#pragma omp simd reduction(+ : v0, v1, v2, v3, w0, w1, w2, w3)
    for (int64_t i = r->first; i < s->end; i++) {
        const double vi = v[i], wi = w[i];

        v0 += vi * c0[i];
        v1 += vi * c1[i];
        v2 += vi * c2[i];
        v3 += vi * c3[i];
        w0 += wi * c0[i];
        w1 += wi * c1[i];
        w2 += wi * c2[i];
        w3 += wi * c3[i];
    }
    v0 *= r->factor;
    v1 *= r->factor;
    v2 *= r->factor;
    v3 *= r->factor;
    w0 = s->factor * (w0 + v0 * cross);
    w1 = s->factor * (w1 + v1 * cross);
    w2 = s->factor * (w2 + v2 * cross);
    w3 = s->factor * (w3 + v3 * cross);
#pragma omp simd
    for (int64_t i = r->first; i < s->end; i++) {
        const double vi = v[i], wi = w[i];

        c0[i] = (REAL)(c0[i] + v0 * vi + w0 * wi);
        c1[i] = (REAL)(c1[i] + v1 * vi + w1 * wi);
        c2[i] = (REAL)(c2[i] + v2 * vi + w2 * wi);
        c3[i] = (REAL)(c3[i] + v3 * vi + w3 * wi);
    }
}

/* One reflection on one column. */
static inline void NAMED(reflect)(const NAMED(reflection_t) * r, REAL *c) {
    const REAL *const v = r->v;
    double sum = 0;

#pragma omp simd reduction(+ : sum)
    for (int64_t i = r->first; i < r->end; i++)
        sum += (double)v[i] * c[i];
    sum *= r->factor;
#pragma omp simd
    for (int64_t i = r->first; i < r->end; i++)
        c[i] = (REAL)(c[i] + sum * v[i]);
}

static inline double NAMED(cross_of)(const NAMED(reflection_t) * r, const NAMED(reflection_t) * s) {
    double sum = 0;

#pragma omp simd reduction(+ : sum)
    for (int64_t i = r->first; i < r->end; i++)
        sum += (double)r->v[i] * s->v[i];
    return sum;
}

/* Two reflections on one column. */
static inline void NAMED(reflect_twice_one)(const NAMED(reflection_t) * r, const NAMED(reflection_t) * s,
                                            double cross, REAL *c) {
    const REAL *const v = r->v, *const w = s->v;
    double of_v = 0, of_w = 0;

#pragma omp simd reduction(+ : of_v, of_w)
    for (int64_t i = r->first; i < s->end; i++) {
        of_v += (double)v[i] * c[i];
        of_w += (double)w[i] * c[i];
    }
    of_v *= r->factor;
    of_w = s->factor * (of_w + of_v * cross);
#pragma omp simd
    for (int64_t i = r->first; i < s->end; i++)
        c[i] = (REAL)(c[i] + of_v * v[i] + of_w * w[i]);
}

/** Reflections that are made before they are applied; cross: products of the vectors of the first two, the next two .. */
typedef struct NAMED(panel) {
    NAMED(reflection_t) reflection[PANEL_MAX];
    double cross[PANEL_MAX / 2];
    int count;
} NAMED(panel_t);

/* All of a panel on columns from `c` on, one by one, so that what one gets does not depend on the others. */
static void NAMED(apply_one_by_one)(const NAMED(panel_t) * p, REAL *c, int64_t columns, int64_t pitch) {
    const NAMED(reflection_t) *const r = p->reflection;

    for (; columns > 0; columns--, c += pitch) {
        for (int q = 0; q + 1 < p->count; q += 2)
            NAMED(reflect_twice_one)(&r[q], &r[q + 1], p->cross[q / 2], c);
        if (p->count % 2 != 0)
            NAMED(reflect)(&r[p->count - 1], c);
    }
}

/* The same, four at a time, so that these stay near the processor meanwhile. */
static void NAMED(apply_panel)(const NAMED(panel_t) * p, REAL *c, int64_t columns, int64_t pitch) {
    const NAMED(reflection_t) *const r = p->reflection;

    for (; columns >= 4; columns -= 4, c += 4 * pitch) {
        for (int q = 0; q + 1 < p->count; q += 2)
            NAMED(reflect_twice)(&r[q], &r[q + 1], p->cross[q / 2], c, pitch);
        for (int column = 0; p->count % 2 != 0 && column < 4; column++)
            NAMED(reflect)(&r[p->count - 1], c + column * pitch);
    }
    NAMED(apply_one_by_one)(p, c, columns, pitch);
}

/* Make column v, whose entries before `row` are finished and which is 0 from `end` on, a reflection that leaves `*beta_p` at `row` and zeros below.
 * @return whether there is something below to speak of */
static inline int NAMED(make_reflection)(REAL *v, int64_t row, int64_t end, double *finished, double *beta_p,
                                         NAMED(reflection_t) * reflection_p) {
    const int64_t first = row / GSAI_ROWS_UNIT * GSAI_ROWS_UNIT;
    double head = 0, tail = 0;

    for (int64_t i = 0; i < row; i++) {
        finished[i] = v[i];
        head += (double)v[i] * v[i];
        v[i] = 0;
    }
#pragma omp simd reduction(+ : tail)
    for (int64_t i = first; i < end; i++)
        tail += (double)v[i] * v[i];
    if (!(tail > DEPENDENT * DEPENDENT * (head + tail)))
        return 0;
    const double length = sqrt(tail);
    *beta_p = v[row] > 0 ? -length : length;
    v[row] = (REAL)(v[row] - *beta_p);
    /* The rounded v is not exactly of the length that beta says in float, so the factor comes from v itself. */
    *reflection_p = (NAMED(reflection_t)){v, 1 / (*beta_p * (double)v[row]), first, end};
    return 1;
}

/* Back substitution; `pivot` has the row of each column's pivot, negative where it has none. */
static void NAMED(substitute)(const double *triangle, int64_t columns, const int32_t *pivot, REAL *b,
                              double *x) {
    for (int64_t j = columns - 1; j >= 0; j--) {
        const double *const finished = triangle + j * columns;

        x[j] = pivot[j] >= 0 ? b[pivot[j]] / finished[pivot[j]] : 0;
        for (int64_t i = 0; i < pivot[j]; i++)
            b[i] = (REAL)(b[i] - x[j] * finished[i]);
    }
}

int64_t NAMED(gsai_local_solve)(REAL *a, int64_t rows, int64_t columns, int64_t right_sides, int32_t *reach,
                                double *triangle, double *x) {
    const int64_t pitch = gsai_local_pitch(rows), width = panel_width(pitch * columns);
    REAL *const b = a + columns * pitch;
    int64_t row = 0;

    for (int64_t j = 0; j < columns;) {
        NAMED(panel_t) panel;
        const int64_t stop = j + width < columns ? j + width : columns;

        panel.count = 0;
        for (; j < stop; j++) {
            NAMED(reflection_t) *const next = &panel.reflection[panel.count];
            const int64_t end = gsai_local_pitch(reach[j]);
            double beta = 0;

            for (int q = 0; q < panel.count; q++)
                NAMED(reflect)(&panel.reflection[q], a + j * pitch);
            reach[j] = -1; /* from here on the row of its pivot */
            if (row == rows ||
                !NAMED(make_reflection)(a + j * pitch, row, end, triangle + j * columns, &beta, next))
                continue;
            triangle[j * columns + row] = beta;
            reach[j] = (int32_t)row++;
            if (panel.count % 2 != 0)
                panel.cross[panel.count / 2] = NAMED(cross_of)(next - 1, next);
            panel.count++;
        }
        NAMED(apply_panel)(&panel, a + j * pitch, columns - j, pitch);
        NAMED(apply_one_by_one)(&panel, b, right_sides, pitch);
    }
    for (int64_t side = 0; side < right_sides; side++)
        NAMED(substitute)(triangle, columns, reach, b + side * pitch, x + side * columns);
    return columns - row;
}

int NAMED(gsai_local_factor)(REAL *a, int64_t size, double *x) {
    const int64_t pitch = gsai_local_pitch(size);

    for (int64_t j = 0; j < size; j++) {
        REAL *const column = a + j * pitch;
        const double before = column[j];

        for (int64_t i = j; i < size; i++)
            x[i] = column[i];
        for (int64_t k = 0; k < j; k++) {
            const REAL *const other = a + k * pitch;
            const double factor = other[j];

#pragma omp simd
            for (int64_t i = j; i < size; i++)
                x[i] -= factor * other[i];
        }
        if (!(x[j] > DEPENDENT * before))
            return 0;
        const double pivot = sqrt(x[j]);
        for (int64_t i = j + 1; i < size; i++)
            column[i] = (REAL)(x[i] / pivot);
        column[j] = (REAL)pivot;
    }
    for (int64_t j = size - 1; j >= 0; j--) {
        double sum = j == size - 1 ? 1 : 0;

        for (int64_t i = j + 1; i < size; i++)
            sum -= (double)a[j * pitch + i] * x[i];
        x[j] = sum / (double)a[j * pitch + j];
    }
    return 1;
}
