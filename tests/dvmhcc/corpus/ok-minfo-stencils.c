/* What -Minfo says of loops with dependences: vectors, corners among them, and the layouts that they would like. */
#include <stdio.h>
#define N 12

#pragma dvm array distribute[block][block]
double A[N][N];
#pragma dvm array align([i][j][] with A[i][j]) shadow[2:2][1:1][0:0]
double S[N][N][3];
#pragma dvm array distribute[block]
double V[N];

int main(void) {
    int i, j, n = N;
    double sum = 0;
#pragma dvm parallel([i][j] on A[i][j])
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            A[i][j] = S[i][j][0] = S[i][j][1] = S[i][j][2] = i + 2 * j;
#pragma dvm parallel([i] on V[i]) remote_access(A[i][n - 1], A[0][])
    for (i = 0; i < N; i++)
        V[i] = A[i][n - 1] + A[0][N / 2];
#pragma dvm region
    {
        /* Both dims depend, and the body follows rows. */
#pragma dvm parallel([i][j] on A[i][j]) across(A[1:1][1:1])
        for (i = 1; i < N - 1; i++)
            for (j = 1; j < N - 1; j++)
                A[i][j] = .25 * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]);
        /* A corner: fronts are steeper. */
#pragma dvm parallel([i][j] on A[i][j]) across(A[1:0][1:1])
        for (i = 1; i < N; i++)
            for (j = 1; j < N - 1; j++)
                if (A[i][j] > 1)
                    A[i][j] = .5 * (A[i - 1][j + 1] + A[i][j - 1]);
        /* The other way round, with a step. */
#pragma dvm parallel([i][j] on S[i][j][]) across(S[0:2][0:0][0:0])
        for (i = N - 3; i >= 0; i -= 2)
            for (j = 0; j < n; j++)
                S[i][j][1] += S[i + 2][j][1] * .5;
        /* The innermost loop walks rows. */
#pragma dvm parallel([j][i] on A[i][j]) reduction(sum(sum))
        for (j = 0; j < N; j++)
            for (i = 0; i < N; i++)
                sum += A[i][j] * V[i] + S[i][j][1];
    }
#pragma dvm get_actual(sum)
    printf("%.17g\n", sum);
    return 0;
}

/* info: ok-minfo-stencils.c:15: parallel loop[i][j] on A */
/* info:   A: out; writes A[i][j] */
/* info:   S: out; writes S[i][j][0], writes S[i][j][1], writes S[i][j][2] */
/* info:   dependences: none */
/* info:   A would like: PLAIN, order (1,2) */
/* info:   S would like: PLAIN, order (1,3,2) */
/* info: ok-minfo-stencils.c:19: parallel loop[i] on V */
/* info:   V: out; writes V[i] */
/* info:   A: in; reads A[i][n - 1] remotely, reads A[0][6] remotely */
/* info:   dependences: none */
/* info:   V would like: PLAIN, order (1) */
/* info: ok-minfo-stencils.c:25: parallel loop[i][j] on A, in a region */
/* info:   A: inout; writes A[i][j], reads A[i - 1][j], reads A[i + 1][j], reads A[i][j - 1], reads A[i][j + 1] */
/* info:   dependences: (1,0) (0,1) */
/* info:   A would like: WRAP or SKEW of axes 1 and 2, a = 1, b = 1 */
/* info: ok-minfo-stencils.c:30: parallel loop[i][j] on A, in a region */
/* info:   A: inout; updates A[i][j] x2, reads A[i - 1][j + 1] at times, reads A[i][j - 1] at times */
/* info:   dependences: (1,-1) (0,1) */
/* info:   A would like: WRAP or SKEW of axes 1 and 2, a = 2, b = 1 */
/* info: ok-minfo-stencils.c:36: parallel loop[i][j] on S, in a region */
/* info:   S: inout; updates S[i][j][1], reads S[i + 2][j][1] */
/* info:   dependences: (1,0) */
/* info:   S would like: PLAIN, order (1,3,2) */
/* info: ok-minfo-stencils.c:41: parallel loop[j][i] on A, in a region */
/* info:   A: in; reads A[i][j] */
/* info:   V: in; reads V[i] */
/* info:   S: in; reads S[i][j][1] */
/* info:   dependences: none */
/* info:   A would like: PLAIN, order (2,1) */
/* info:   V would like: PLAIN, order (1) */
/* info:   S would like: PLAIN, order (2,3,1) */
