/* Allocated planes and cubes: rows of known length, their number known at run time; aligned with each other. */
#include <stdio.h>
#include <stdlib.h>

#define M 7

#pragma dvm array distribute[block][block]
float (*A)[M];
#pragma dvm array align([i][j] with A[i][j])
float (*B)[M];
#pragma dvm array distribute[block][*][*]
int (*C)[M][3];

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 9;
    int i, j, k;
    float largest = 0;
    long sum = 0;
    A = (float(*)[M])malloc(n * M * sizeof(float));
    B = (float(*)[M])malloc(n * M * sizeof(float));
    C = malloc(sizeof(int[M][3]) * n);
    if (A == NULL || !B || C == NULL)
        return 1;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < n; i++)
            for (j = 0; j < M; j++) {
                A[i][j] = (float)(i * j);
                B[i][j] = 0;
            }
#pragma dvm parallel([i][j] on B[i][j]) shadow_renew(A)
        for (i = 1; i < n - 1; i++)
            for (j = 1; j < M - 1; j++)
                B[i][j] = A[i - 1][j] + A[i][j + 1] / 2;
#pragma dvm parallel([i][j][k] on C[i][j][k])
        for (i = 0; i < n; i++)
            for (j = 0; j < M; j++)
                for (k = 0; k < 3; k++)
                    C[i][j][k] = i * 21 + j * 3 + k;
#pragma dvm parallel([i][j] on B[i][j]) reduction(max(largest))
        for (i = 0; i < n; i++)
            for (j = 0; j < M; j++)
                largest = B[i][j] > largest ? B[i][j] : largest;
#pragma dvm parallel([i][j][k] on C[i][j][k]) reduction(sum(sum))
        for (i = 0; i < n; i++)
            for (j = 0; j < M; j++)
                for (k = 0; k < 3; k++)
                    sum += (long)C[i][j][k] * (i + j + k);
    }
#pragma dvm get_actual(largest, sum)
    printf("%.9g %ld\n", largest, sum);
    free(C);
    free(B);
    free(A);
    return 0;
}

/* arguments: 11 */
