/* Ordinary arrays, pointers and structures that bodies read. */
#include <stdio.h>
#include <stdlib.h>

#define N 20

#pragma dvm array distribute[block][block]
double A[N][N];

double table[N][3];

struct settings {
    double factor[2];
    int shift;
};

int main(void) {
    int i, j;
    double local[N], largest = 0;
    struct settings settings = {{0.5, 0.25}, 3};
    const struct settings *given = &settings;
    int *places = malloc(N * sizeof *places);
    if (places == NULL)
        return 1;
    for (i = 0; i < N; i++) {
        local[i] = i % 4;
        places[i] = (i * 7) % N;
        for (j = 0; j < 3; j++)
            table[i][j] = i - j;
    }
#pragma dvm parallel([i][j] on A[i][j])
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            A[i][j] = local[i] * settings.factor[1] + table[places[j]][2] * given->factor[0] + given->shift;
#pragma dvm parallel([i][j] on A[i][j]) reduction(max(largest))
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            largest = A[i][j] + *(local + j) > largest ? A[i][j] + *(local + j) : largest;
    free(places);
    printf("%.17g\n", largest);
    return 0;
}
