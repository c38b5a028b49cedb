/* Elements from elsewhere, read in a loop: single ones, rows, columns, and those that the iteration names. */
#include <stdio.h>

#define N 14
#define M 10

#pragma dvm array distribute[block][block]
double A[N][M];
#pragma dvm array distribute[block]
double B[N];
#pragma dvm array align([i] with B[i])
double C[N];

int main(void) {
    int i, j, last = N - 1;
    double sum = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                A[i][j] = i * i - j;
#pragma dvm parallel([i] on B[i]) remote_access(A[i][0], A[0][0])
        for (i = 0; i < N; i++)
            B[i] = A[i][0] + A[0][0];
#pragma dvm parallel([i] on C[i]) remote_access(B[last - i], A[2][])
        for (i = 0; i < N; i++) {
            C[i] = B[last - i];
            for (int k = 0; k < M; k++)
                C[i] += A[2][k];
        }
#pragma dvm parallel([i][j] on A[i][j]) remote_access(C[i], B[j])
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                A[i][j] = A[i][j] * C[i] + B[j];
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(sum))
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                sum += A[i][j] * (i + j);
    }
#pragma dvm get_actual(sum)
    printf("%.17g\n", sum);
    return 0;
}

/* info: ok-remote-access-clause.c:19: parallel loop[i][j] on A, in a region */
/* info:   A: out; writes A[i][j] */
/* info:   dependences: none */
/* info:   A would like: PLAIN, order (1,2) */
/* info: ok-remote-access-clause.c:23: parallel loop[i] on B, in a region */
/* info:   B: out; writes B[i] */
/* info:   A: in; reads A[i][0] remotely, reads A[0][0] remotely */
/* info:   dependences: none */
/* info:   B would like: PLAIN, order (1) */
/* info: ok-remote-access-clause.c:26: parallel loop[i] on C, in a region */
/* info:   C: inout; updates C[i] x2 */
/* info:   B: in; reads B[-i + last] remotely */
/* info:   A: in; reads A[2][k] at times remotely */
/* info:   dependences: none */
/* info:   C would like: PLAIN, order (1) */
/* info: ok-remote-access-clause.c:32: parallel loop[i][j] on A, in a region */
/* info:   A: inout; updates A[i][j] x2 */
/* info:   C: in; reads C[i] remotely */
/* info:   B: in; reads B[j] remotely */
/* info:   dependences: none */
/* info:   A would like: PLAIN, order (1,2) */
/* info: ok-remote-access-clause.c:36: parallel loop[i][j] on A, in a region */
/* info:   A: in; reads A[i][j] */
/* info:   dependences: none */
/* info:   A would like: PLAIN, order (1,2) */
