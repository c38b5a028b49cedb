/* Elements of one array read in place and from elsewhere, in one loop and in blocks of all kinds. */
#include <stdio.h>
#define N 12

#pragma dvm array distribute[block][block]
double A[N][N];
#pragma dvm array distribute[block]
double A_1[N];
struct pair {
    int n;
    double x[2];
};
#pragma dvm array distribute[block]
struct pair P[N];

static double corner(int last) {
#pragma dvm remote_access(A[last][last], A[0][])
    {
        if (A[last][last] > 5)
            return A[last][last];
        for (int j = 0; j < N; j++)
            if (A[0][j] > 3)
                return A[0][j];
    }
    return 0;
}

int main(void) {
    int i, j, k = 2;
    double sum = 0;
#pragma dvm parallel([i][j] on A[i][j])
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            A[i][j] = i == N - 1 ? i - j : i * 3 % 7 + j % 5;
#pragma dvm parallel([i] on P[i]) remote_access(A[0][N - i - 1], A[i][2 * 1])
    for (i = 0; i < N; i++) {
        P[i].n = (int)A[0][N - i - 1];
        P[i].x[1] = A[i][2] + P[i].n;
        A_1[i] = P[i].x[1];
    }
#pragma dvm region
    {
        /* The array itself, its rows and single elements, the row below, which no iteration writes. */
#pragma dvm parallel([i][j] on A[i][j]) remote_access(A[N - 1][j], A[N - 1][k], P[j]) across(A[1:1][1:0])
        for (i = 1; i < N - 1; i++)
            for (j = 1; j < N - 1; j++)
                A[i][j] = .25 * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1]) + A[N - 1][j] / (1 + A[N - 1][k]) +
                          P[j].x[1] + A_1[i];
#pragma dvm remote_access(A[k][k])
        sum = A[k][k] + 1;
    }
    if (sum > 0)
#pragma dvm remote_access(P[k + 1])
        sum += P[k + 1].n + P[k + 1].x[1];
#pragma dvm remote_access(A[1][])
#pragma dvm region
    {
#pragma dvm parallel([i] on A_1[i]) reduction(sum(sum))
        for (i = 0; i < N; i++)
            sum += A_1[i];
        sum += A[1][3] * A[1][k];
    }
#pragma dvm get_actual(A)
    printf("%.17g %g %g\n", sum, corner(N - 1), corner(0));
    return 0;
}
