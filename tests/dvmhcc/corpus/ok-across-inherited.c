/* A sweep in a function: the array is a parameter, its sizes too. */
#include <stdio.h>

#define N 16
#define M 12

#pragma dvm array distribute[block][block]
float A[N][M];
#pragma dvm array distribute[*][block]
float B[N][M];

#pragma dvm inherit(a)
static float sweep(float (*a)[M], int rows, float factor) {
    int i, j;
    float largest = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on a[i][j])
        for (i = 0; i < rows; i++)
            for (j = 0; j < M; j++)
                a[i][j] = (float)((i - j) * (i - j) % 9);
#pragma dvm parallel([i][j] on a[i][j]) across(a[1:1][1:1])
        for (i = 1; i < rows - 1; i++)
            for (j = 1; j < M - 1; j++)
                a[i][j] = factor * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
#pragma dvm parallel([i][j] on a[i][j]) reduction(max(largest))
        for (i = 0; i < rows; i++)
            for (j = 0; j < M; j++)
                largest = a[i][j] * (float)(i + 1) > largest ? a[i][j] * (float)(i + 1) : largest;
    }
#pragma dvm get_actual(largest)
    return largest;
}

int main(void) {
    float first = sweep(A, N, 0.25f);
    float second = sweep(B, N - 3, 0.125f);
    printf("%.9g %.9g\n", first, second);
    return 0;
}
