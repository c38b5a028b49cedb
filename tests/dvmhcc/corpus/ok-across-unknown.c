/* Subscripts that cannot be analysed in a loop with dependences: corners are assumed. */
#include <stdio.h>
#define N 12

#pragma dvm array distribute[block][block]
double A[N][N];

int main(void) {
    double sum = 0;
#pragma dvm parallel([i][j] on A[i][j])
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            A[i][j] = i * 7 % 13 + j % 5;
    for (int t = 0; t < 30; t++) {
#pragma dvm region inout(A)
        {
#pragma dvm parallel([i][j] on A[i][j]) across(A[1:1][1:1])
            for (int i = 1; i < N - 1; i++)
                for (int j = 1; j < N - 1; j++) {
                    int im = i - 1, jp = j + 1;
                    A[i][j] = .3 * (A[im][jp] + A[i][j - 1] + A[i + 1][j]);
                }
        }
    }
#pragma dvm get_actual(A)
#pragma dvm remote_access(A[][])
    {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                sum += A[i][j] * (i + 3 * j);
    }
    printf("%.17g\n", sum);
    return 0;
}

/* expect: 21:37: warning: where A[i][j] and A[im][jp] meet is not known here; all dependences within the widths of across are assumed */
