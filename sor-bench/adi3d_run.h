/* A run of adi3d with elements of the type REAL, included once for each. Its loops stand in adi3d_loops.h. */

static void NAME(run)(sor_course_t *course, const bench_options_t *options) {
    const long n1 = options->n[0], n2 = options->n[1], n3 = options->n[2];
#pragma dvm array distribute[block][block][block]
    REAL(*A)[n2][n3];

    A = malloc((size_t)n1 * (size_t)n2 * (size_t)n3 * sizeof(REAL));
    if (A == NULL)
        sor_no_memory(course);
    NAME(start)(n1, n2, n3, A);
    while (sor_next_sweep(course)) {
        if (options->is_reversed)
            NAME(lines_reversed)(n1, n2, n3, A);
        else
            NAME(lines)(n1, n2, n3, A);
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
    free(A);
}
