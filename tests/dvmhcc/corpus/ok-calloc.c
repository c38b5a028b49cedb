/* Allocated arrays of zeros. */
#include <stdio.h>
#include <stdlib.h>
#define M 5

#pragma dvm array distribute[block][block]
double (*A)[M];
#pragma dvm array distribute[block]
int *B;
#pragma dvm array align([i] with B[i])
short *C;

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 7;
    double sum = 0;
    for (int step = 0; step < 3; step++) {
        A = calloc(n, sizeof(*A));
        B = (int *)calloc(1, n * sizeof(int));
        C = calloc((size_t)n, sizeof *C);
        if (A == NULL || !B || C == NULL)
            return 1;
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(sum))
        for (int i = 0; i < n; i++)
            for (int j = 0; j < M; j++) {
                sum += A[i][j] + 1;
                A[i][j] = 5;
            }
#pragma dvm parallel([i] on B[i]) reduction(sum(sum))
        for (int i = 0; i < n; i++) {
            sum += B[i] + C[i] + 100;
            B[i] = C[i] = 77;
        }
        free(C);
        free(B);
        free(A);
    }
    printf("%g\n", sum);
    return 0;
}

/* arguments: 9 */
