/* Axes in another order. */
#include <stdio.h>

#define N 9
#define M 13

#pragma dvm array distribute[block][block]
float A[N][M];
#pragma dvm array align([i][j] with A[j][i])
float B[M][N];

int main(void) {
    int i, j;
    float largest = 0, smallest = 1000;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                A[i][j] = (float)(i * M + j) * 0.5f;
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                B[j][i] = A[i][j] + 1.0f;
#pragma dvm parallel([i][j] on B[i][j]) reduction(max(largest), min(smallest))
        for (i = 0; i < M; i++)
            for (j = 0; j < N; j++) {
                if (B[i][j] * (float)(M - i) > largest)
                    largest = B[i][j] * (float)(M - i);
                if (B[i][j] / (float)(j + 1) < smallest)
                    smallest = B[i][j] / (float)(j + 1);
            }
    }
#pragma dvm get_actual(largest, smallest)
    printf("%.9g %.9g\n", largest, smallest);
    return 0;
}
