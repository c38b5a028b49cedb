/* Functions whose parameters are distributed arrays, of whatever distribution; one passes them on. */
#include <stdio.h>

#define N 18
#define M 6

#pragma dvm array distribute[block][block]
double A[N][M];
#pragma dvm array align([i][j] with A[i][j])
double B[N][M];
#pragma dvm array distribute[*][block]
double C[N][M];
#pragma dvm array distribute[block]
int V[N];

#pragma dvm inherit(to, from)
static void copy_plus(double (*to)[M], double from[N][M], double add) {
    int i, j;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on to[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                to[i][j] = from[i][j] + add;
    }
}

#pragma dvm inherit(x)
static double weighted(double x[][M]) {
    double sum = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on x[i][j]) reduction(sum(sum))
        for (int i = 0; i < N; i++)
            for (int j = 0; j < M; j++)
                sum += x[i][j] * (i + 5 * j + 1);
    }
#pragma dvm get_actual(sum)
    return sum;
}

#pragma dvm inherit(v)
static void number(int *v, int factor) {
#pragma dvm region
    {
#pragma dvm parallel([i] on v[i])
        for (int i = 0; i < N; i++)
            v[i] = factor * i;
    }
}

#pragma dvm inherit(x, y)
static double both(double (*x)[M], double (*y)[M]) {
    copy_plus(x, y, 2);
    return weighted(x) - weighted(y);
}

int main(void) {
    int last = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on B[i][j])
        for (int i = 0; i < N; i++)
            for (int j = 0; j < M; j++)
                B[i][j] = i * j;
#pragma dvm parallel([i][j] on C[i][j])
        for (int i = 0; i < N; i++)
            for (int j = 0; j < M; j++)
                C[i][j] = i - j;
    }
    const double first = both(A, B);
    const double second = weighted(C);
    number(V, 4);
#pragma dvm region
    {
#pragma dvm parallel([i] on V[i]) reduction(max(last))
        for (int i = 0; i < N; i++)
            last = V[i] > last ? V[i] : last;
    }
#pragma dvm get_actual(last)
    printf("%.17g %.17g %d\n", first, second, last);
    return 0;
}
