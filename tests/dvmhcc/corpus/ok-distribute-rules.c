/* Every rule of distribution, on either axis. */
#include <stdio.h>

#define N 24

double weights[4] = {1.0, 2.0, 1.0, 4.0};

#pragma dvm array distribute[block][*]
int A[N][3];
#pragma dvm array distribute[*][block]
int B[3][N];
#pragma dvm array distribute[][block]
int C[3][N];
#pragma dvm array distribute[wgtblock(weights, 4)]
int D[N];
#pragma dvm array distribute[multblock(4)][block]
int E[N][N];
#pragma dvm array distribute[*][*]
int F[4][5];

int main(void) {
    int i, j;
    long sum = 0;
#pragma dvm parallel([i][j] on A[i][j])
    for (i = 0; i < N; i++)
        for (j = 0; j < 3; j++)
            A[i][j] = i - j;
#pragma dvm parallel([i][j] on B[i][j])
    for (i = 0; i < 3; i++)
        for (j = 0; j < N; j++)
            B[i][j] = C[i][j] = i + 2 * j;
#pragma dvm parallel([i] on D[i])
    for (i = 0; i < N; i++)
        D[i] = 3 * i;
#pragma dvm parallel([i][j] on E[i][j])
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            E[i][j] = i * j;
#pragma dvm parallel([i][j] on F[i][j])
    for (i = 0; i < 4; i++)
        for (j = 0; j < 5; j++)
            F[i][j] = 5 * i + j;
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(sum))
    for (i = 0; i < N; i++)
        for (j = 0; j < 3; j++)
            sum += A[i][j] * (i + j + 1);
#pragma dvm parallel([i][j] on B[i][j]) reduction(sum(sum))
    for (i = 0; i < 3; i++)
        for (j = 0; j < N; j++)
            sum += B[i][j] * (i + 1) + C[i][j] * (j + 1);
#pragma dvm parallel([i] on D[i]) reduction(sum(sum))
    for (i = 0; i < N; i++)
        sum += D[i] * i;
#pragma dvm parallel([i][j] on E[i][j]) reduction(sum(sum))
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            sum += E[i][j] * (i - j + N);
    printf("%ld", sum);
    for (i = 0; i < 4; i++)
        for (j = 0; j < 5; j++)
            printf(" %d", F[i][j]);
    printf("\n");
    return 0;
}
