/* Axes that do not matter: a vector that every column has, and one that lies in one row. */
#include <stdio.h>

#define N 8
#define M 11

#pragma dvm array distribute[block][block]
int A[N][M];
#pragma dvm array align([i] with A[i][])
int everywhere[N];
#pragma dvm array align([j] with A[3][j])
int row[M];
#pragma dvm array align([i][] with A[i][])
int wide[N][4];

int main(void) {
    int i, j;
    long sum = 0;
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i][])
        for (i = 0; i < N; i++)
            everywhere[i] = 10 * i;
#pragma dvm parallel([j] on A[3][j])
        for (j = 0; j < M; j++)
            row[j] = j * j;
#pragma dvm parallel([i][j] on wide[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < 4; j++)
                wide[i][j] = i + j;
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                A[i][j] = everywhere[i] + j + wide[i][2];
#pragma dvm parallel([j] on A[3][j]) reduction(sum(sum))
        for (j = 0; j < M; j++)
            sum += A[3][j] * row[j];
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(sum))
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                sum += A[i][j] * (i + 2 * j);
    }
#pragma dvm get_actual(sum)
    printf("%ld\n", sum);
    return 0;
}
