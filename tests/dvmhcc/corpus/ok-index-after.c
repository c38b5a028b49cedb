/* Loop variables that were declared before the loop have the value afterwards that C gives them. */
#include <stdio.h>

#define N 15

#pragma dvm array distribute[block][block]
int A[N][N];

int main(void) {
    int i = -1, j = -2, n = 0;
#pragma dvm parallel([i][j] on A[i][j])
    for (i = 0; i < N; i++)
        for (j = 2; j < N - 1; j += 3)
            A[i][j] = i + j;
    printf("%d %d\n", i, j);
#pragma dvm parallel([i][j] on A[i][j])
    for (i = N - 1; i >= 4; i -= 4)
        for (j = N - 1; j > 0; j--)
            A[i][j] = 0;
    printf("%d %d\n", i, j);
    j = 77;
#pragma dvm parallel([i][j] on A[i][j])
    for (i = 3; i < n; i++)
        for (j = 0; j < N; j++)
            A[i][j] = 1;
    printf("%d %d\n", i, j);
    return 0;
}
