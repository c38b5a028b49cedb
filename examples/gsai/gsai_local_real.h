/* The functions of gsai_local.h for the element type REAL, with names that end in TYPE_NAME; included once for each type by gsai_local.c.
 * DEPENDENT: what of a column's length may be rounding. Sums are double for both types. */

/* target += factor * source for four columns at once, factor from the sum of products: so the sums do not wait for each other. */
static inline void NAMED(reflect_four)(const REAL *v, REAL *c0, int64_t pitch, int64_t first, double factor) {
    REAL *const c1 = c0 + pitch, *const c2 = c1 + pitch, *const c3 = c2 + pitch;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;

#pragma omp simd reduction(+ : s0, s1, s2, s3)
    for (int64_t i = first; i < pitch; i++) {
        const double vi = v[i];

        s0 += vi * c0[i];
        s1 += vi * c1[i];
        s2 += vi * c2[i];
        s3 += vi * c3[i];
    }
    s0 *= factor;
    s1 *= factor;
    s2 *= factor;
    s3 *= factor;
#pragma omp simd
    for (int64_t i = first; i < pitch; i++) {
        const double vi = v[i];

        c0[i] = (REAL)(c0[i] + s0 * vi);
        c1[i] = (REAL)(c1[i] + s1 * vi);
        c2[i] = (REAL)(c2[i] + s2 * vi);
        c3[i] = (REAL)(c3[i] + s3 * vi);
    }
}

static inline void NAMED(reflect_one)(const REAL *v, REAL *c, int64_t pitch, int64_t first, double factor) {
    double s = 0;

#pragma omp simd reduction(+ : s)
    for (int64_t i = first; i < pitch; i++)
        s += (double)v[i] * c[i];
    s *= factor;
#pragma omp simd
    for (int64_t i = first; i < pitch; i++)
        c[i] = (REAL)(c[i] + s * v[i]);
}

/* Make column v, whose entries before `row` are finished, a reflection that leaves `*beta_p` at `row` and zeros below. @return whether
 * there is something below to speak of */
static inline int NAMED(make_reflection)(REAL *v, int64_t pitch, int64_t row, double *finished,
                                         double *beta_p) {
    double head = 0, tail = 0;

    for (int64_t i = 0; i < row; i++) {
        finished[i] = v[i];
        head += (double)v[i] * v[i];
        v[i] = 0;
    }
    const int64_t first = row / GSAI_ROWS_UNIT * GSAI_ROWS_UNIT;
#pragma omp simd reduction(+ : tail)
    for (int64_t i = first; i < pitch; i++)
        tail += (double)v[i] * v[i];
    if (!(tail > DEPENDENT * DEPENDENT * (head + tail)))
        return 0;
    const double length = sqrt(tail);
    *beta_p = v[row] > 0 ? -length : length;
    v[row] = (REAL)(v[row] - *beta_p);
    return 1;
}

int64_t NAMED(gsai_local_solve)(REAL *a, int64_t rows, int64_t columns, double *triangle, double *x) {
    const int64_t pitch = gsai_local_pitch(rows);
    REAL *const b = a + columns * pitch;
    int64_t row = 0, j;

    for (j = 0; j < columns; j++) {
        REAL *const v = a + j * pitch;
        double *const finished = triangle + j * columns;
        double beta = 0;

        x[j] = -1;
        if (row == rows || !NAMED(make_reflection)(v, pitch, row, finished, &beta))
            continue;
        /* The rounded v is not exactly of the length that beta says in float, so the factor comes from v itself. */
        const double factor = 1 / (beta * (double)v[row]);
        const int64_t first = row / GSAI_ROWS_UNIT * GSAI_ROWS_UNIT;
        REAL *c = v + pitch;
        for (; b - c >= 3 * pitch; c += 4 * pitch)
            NAMED(reflect_four)(v, c, pitch, first, factor);
        for (; c <= b; c += pitch)
            NAMED(reflect_one)(v, c, pitch, first, factor);
        finished[row] = beta;
        x[j] = (double)row++; /* until the last step, the row of its pivot */
    }
    const int64_t rank = row;
    for (j = columns - 1; j >= 0; j--) {
        const double *const finished = triangle + j * columns;
        const int64_t pivot = (int64_t)x[j];

        if (pivot < 0) {
            x[j] = 0;
            continue;
        }
        x[j] = b[pivot] / finished[pivot];
        for (int64_t i = 0; i < pivot; i++)
            b[i] = (REAL)(b[i] - x[j] * finished[i]);
    }
    return columns - rank;
}

int NAMED(gsai_local_factor)(REAL *a, int64_t size, double *x) {
    const int64_t pitch = gsai_local_pitch(size);

    for (int64_t j = 0; j < size; j++) {
        REAL *const column = a + j * pitch;
        const double before = column[j];
        double pivot = before;

        for (int64_t k = 0; k < j; k++)
            pivot -= (double)a[k * pitch + j] * a[k * pitch + j];
        if (!(pivot > DEPENDENT * before))
            return 0;
        pivot = sqrt(pivot);
        for (int64_t i = j + 1; i < size; i++) {
            double sum = column[i];

            for (int64_t k = 0; k < j; k++)
                sum -= (double)a[k * pitch + i] * a[k * pitch + j];
            column[i] = (REAL)(sum / pivot);
        }
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
