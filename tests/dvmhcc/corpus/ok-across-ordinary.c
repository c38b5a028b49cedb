/* Dependences through arrays that nothing distributes, in loops that every process runs. */
#include <stdio.h>
#include <stdlib.h>
#define N 17
#define M 11

static double V[N][M];

static void relax(int n, double (*w)[M]) {
#pragma dvm parallel([i][j]) tie(w[i][j]) across(w[1:1][1:1])
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < M - 1; j++)
            w[i][j] += .3 * (w[i - 1][j] + w[i + 1][j] + w[i][j - 1] + w[i][j + 1] - 4 * w[i][j]);
}

int main(void) {
    double(*w)[M] = malloc(sizeof(double[N][M])), sum = 0;
    int i, j;
#pragma dvm region
    {
#pragma dvm parallel([i][j]) tie(V[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                V[i][j] = (i * 5 + j * 3) % 11;
        for (int step = 0; step < 6; step++) {
            /* Corners, of which widths along single axes say nothing. */
#pragma dvm parallel([i][j]) tie(V[i][j]) across(V[1:0][1:1])
            for (i = 1; i < N; i++)
                for (j = 1; j < M - 1; j++)
                    V[i][j] = .4 * V[i - 1][j + 1] + .5 * V[i - 1][j - 1] + V[i][j] / 8;
#pragma dvm parallel([i][j]) tie(V[-i][j]) across(V[0:2][1:0])
            for (i = N - 3; i >= 0; i--)
                for (j = 1; j < M; j++)
                    V[i][j] = .7 * V[i + 2][j - 1] + i - j;
        }
#pragma dvm parallel([i][j]) reduction(sum(sum))
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                sum += (double)(long)(V[i][j] * 4096) * (i + 2 * j); /* whole: in any order */
    }
#pragma dvm get_actual(sum)
    if (w == NULL)
        return 1;
    for (i = 0; i < N; i++)
        for (j = 0; j < M; j++)
            w[i][j] = V[i][j] + i;
    for (int step = 0; step < 5; step++)
        relax(N, w);
    printf("%.17g %.17g %.17g\n", sum, w[N / 2][M / 2], w[1][1]);
    free(w);
    return 0;
}

/* info: ok-across-ordinary.c:10: parallel loop[i][j] */
/* info:   w: inout; updates w[i][j] x2, reads w[i - 1][j], reads w[i + 1][j], reads w[i][j - 1], reads w[i][j + 1] */
/* info:   dependences: (1,0) (0,1) */
/* info: ok-across-ordinary.c:21: parallel loop[i][j], in a region */
/* info:   dependences: none */
/* info: ok-across-ordinary.c:27: parallel loop[i][j], in a region */
/* info:   V: inout; updates V[i][j] x2, reads V[i - 1][j + 1], reads V[i - 1][j - 1] */
/* info:   dependences: (1,-1) (1,1) */
/* info: ok-across-ordinary.c:31: parallel loop[i][j], in a region */
/* info:   V: inout; writes V[i][j], reads V[i + 2][j - 1] */
/* info:   dependences: (2,1) */
/* info: ok-across-ordinary.c:36: parallel loop[i][j], in a region */
/* info:   dependences: none */
