/* A run of sor2d with elements of the type REAL, included once for each. Its loops stand in sor2d_loops.h. */

static void NAME(run)(sor_course_t *course, const bench_options_t *options) {
    const long n1 = options->n[0], n2 = options->n[1];
    const REAL w = (REAL)SOR_WEIGHT;
#pragma dvm array distribute[block][block]
    REAL(*A)[n2];

    A = malloc((size_t)n1 * (size_t)n2 * sizeof(REAL));
    if (A == NULL)
        sor_no_memory(course);
    NAME(start)(n1, n2, A);
    while (sor_next_sweep(course)) {
        if (options->is_reversed && options->is_box)
            NAME(box_reversed)(n1, n2, A, w);
        else if (options->is_reversed)
            NAME(star_reversed)(n1, n2, A, w);
        else if (options->is_box)
            NAME(box)(n1, n2, A, w);
        else
            NAME(star)(n1, n2, A, w);
    }
#pragma dvm get_actual(A)
    sor_begin_values(course);
    for (long i = 0; i < n1; i++) {
#pragma dvm remote_access(A[i][])
        {
            for (long j = 0; j < n2; j++)
                sor_take_value(course, (double)A[i][j]);
        }
    }
    free(A);
}
