/* Elements changed by whoever owns them, read by all: what stands beside a change happens in every process. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define N 12

#pragma dvm array distribute[block][block]
int A[N][N];
#pragma dvm array distribute[block]
static int B[N];
#pragma dvm array distribute[block][*]
double (*C)[3];

static int calls;

static int next(void) { return ++calls; }

/* Only computes, so that owners alone call it. */
static double power(double x, int n) {
    double result = 1;
    for (int i = 0; i < n; i++)
        result *= x;
    return floor(result) + fabs(x);
}

int main(void) {
    int i, j, sum = 0, last = 0;
    double all = 0;
    C = calloc(N, sizeof *C);
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            A[i][j] = 13 * i + j + next();
    for (i = 0; i < N; i++) {
        B[i] += 3 * i, last = i;
        C[i][1] += power(i * .5, 3) + C[i][0];
        C[i][i % 3]++;
    }
    A[3][3] += next();
    (void)(A[11][11] = next());
    A[next() % N][0] = 77;
    A[5][1] = sum = last = A[0][1] = next();
    sscanf("500 6.25", "%d %lf", &B[2], &C[N - 1][2]);
#pragma dvm parallel([i] on B[i]) remote_access(A[N - 1][N - 1 - i], A[0][])
    for (i = 0; i < N; i++)
        B[i] += 1000 + i + A[N - 1][N - 1 - i] + A[0][3];
#pragma dvm remote_access(A[][], B[])
    {
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                sum = (sum * 7 + A[i][j] + B[j]) % 100003;
    }
    for (i = 0; i < N; i++)
#pragma dvm remote_access(C[i][])
        for (j = 0; j < 3; j++)
            all = all * 3 + C[i][j];
    printf("%d %d %d %.17g\n", sum, calls, last, all);
    free(C);
    return 0;
}
