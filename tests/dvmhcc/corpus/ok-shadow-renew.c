/* Shadow edges filled before a loop and by the directive, with widths, with corners. */
#include <stdio.h>

#define N 15

#pragma dvm array distribute[block][block] shadow[2:2][2:2]
int A[N][N];
#pragma dvm array align([i][j] with A[i][j])
int B[N][N];
#pragma dvm array align([i][j] with A[i][j])
int C[N][N];

int main(void) {
    int i, j;
    long sum = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++) {
                A[i][j] = (i * 5 + j * 3) % 17;
                B[i][j] = i - j;
                C[i][j] = 0;
            }
#pragma dvm parallel([i][j] on C[i][j]) shadow_renew(A[1:1][1:1](corner), B[1:0][0:1])
        for (i = 1; i < N - 1; i++)
            for (j = 1; j < N - 1; j++)
                C[i][j] = A[i - 1][j - 1] - A[i + 1][j + 1] + B[i - 1][j] * B[i][j + 1];
#pragma dvm parallel([i][j] on B[i][j]) shadow_renew(A, C(corner))
        for (i = 2; i < N - 2; i++)
            for (j = 2; j < N - 2; j++)
                B[i][j] = A[i - 2][j] + A[i][j + 2] + C[i + 1][j - 1];
    }
#pragma dvm get_actual(B)
#pragma dvm shadow_renew(B[1:1][1:1](corner))
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(sum))
    for (i = 1; i < N - 1; i++)
        for (j = 1; j < N - 1; j++)
            sum += (long)B[i - 1][j + 1] * i + B[i][j] * j;
    printf("%ld\n", sum);
    return 0;
}
