/* Elements from elsewhere, read in statements. */
#include <stdio.h>

#define N 12

#pragma dvm array distribute[block][block]
int A[N][N];
#pragma dvm array distribute[block]
int B[N];

int main(void) {
    int i, j, sum = 0;
#pragma dvm parallel([i][j] on A[i][j])
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            A[i][j] = 13 * i + j;
#pragma dvm parallel([i] on B[i])
    for (i = 0; i < N; i++)
        B[i] = 1000 + i;
    i = 4;
    j = 7;
#pragma dvm remote_access(A[i][j], B[i + 1], A[N - 1][N - 1])
    {
        sum = A[i][j] + B[i + 1] * A[N - 1][N - 1];
        printf("%d %d\n", sum, A[i][j]);
    }
#pragma dvm remote_access(A[i][], A[][j], B[])
    {
        for (int k = 0; k < N; k++) {
            sum += A[i][k] * A[k][j];
            sum -= B[k];
        }
    }
    printf("%d\n", sum);
    return 0;
}
