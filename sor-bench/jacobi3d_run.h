/* A run of jacobi3d with elements of the type REAL, included once for each. Its loops stand in jacobi3d_loops.h. */

static void NAME(run)(sor_course_t *course, const bench_options_t *options) {
    const long n1 = options->n[0], n2 = options->n[1], n3 = options->n[2];
    const REAL w = (REAL)SOR_WEIGHT;
#pragma dvm array distribute[block][block][block]
    REAL(*A)[n2][n3];
#pragma dvm array align([i][j][k] with A[i][j][k])
    REAL(*B)[n2][n3];

    A = malloc((size_t)n1 * (size_t)n2 * (size_t)n3 * sizeof(REAL));
    B = malloc((size_t)n1 * (size_t)n2 * (size_t)n3 * sizeof(REAL));
    if (A == NULL || B == NULL)
        sor_no_memory(course);
    NAME(start)(n1, n2, n3, A, B);
    while (sor_next_sweep(course)) { /* there and back */
        if (options->is_reversed && options->is_box) {
            NAME(box_reversed)(n1, n2, n3, A, B, w);
            NAME(box_reversed)(n1, n2, n3, B, A, w);
        } else if (options->is_reversed) {
            NAME(star_reversed)(n1, n2, n3, A, B, w);
            NAME(star_reversed)(n1, n2, n3, B, A, w);
        } else if (options->is_box) {
            NAME(box)(n1, n2, n3, A, B, w);
            NAME(box)(n1, n2, n3, B, A, w);
        } else {
            NAME(star)(n1, n2, n3, A, B, w);
            NAME(star)(n1, n2, n3, B, A, w);
        }
    }
#pragma dvm get_actual(A)
    sor_begin_values(course);
    for (long i = 0; i < n1; i++) {
#pragma dvm remote_access(A[i][][])
        {
            for (long j = 0; j < n2; j++)
                for (long k = 0; k < n3; k++)
                    sor_take_value(course, (double)A[i][j][k]);
        }
    }
    free(B);
    free(A);
}
