/* The other array of the header, and functions. */
#include <stdio.h>
#include <stdlib.h>

#include "shared.h"

#pragma dvm array align([i][j] with A[i][j])
double B[N][M];

#pragma dvm array distribute[block]
static int kept[N + 1];

#pragma dvm array distribute[block]
static float *rows;

static int rows_count;

void allocate(int n) {
    rows = malloc(n * sizeof(float));
    rows_count = n;
}

void release(void) { free(rows); }

static int sum_kept(void) {
    int sum = 0;
#pragma dvm parallel([i] on kept[i]) reduction(sum(sum))
    for (int i = 0; i < N + 1; i++)
        sum += kept[i];
    return sum;
}

double value(int i, int j) { return (i * 3 + j * j) % 19; }

void smooth(double (*to)[M], double (*from)[M]) {
    int i, j;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on from[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                to[i][j] = from[i][j] * 0.75 + 0.5;
    }
}

int others(void) {
    float largest = 0;
#pragma dvm parallel([i] on kept[i])
    for (int i = 0; i < N + 1; i++)
        kept[i] = 2 * i;
#pragma dvm parallel([i] on rows[i])
    for (int i = 0; i < rows_count; i++)
        rows[i] = (float)i;
#pragma dvm parallel([i] on rows[i]) reduction(max(largest))
    for (int i = 0; i < rows_count; i++)
        largest = rows[i] > largest ? rows[i] : largest;
    return sum_kept() + (int)largest;
}
