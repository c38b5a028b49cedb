/* maxloc: the largest value, and where it was found. It stands in one place only. */
#include <stdio.h>

#define N 17
#define M 23

#pragma dvm array distribute[block][block]
double A[N][M];

int main(void) {
    int i, j;
    double largest = -1;
    int place[2] = {-1, -1};
    float top = 0;
    int where = -1;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                A[i][j] = (i * 61 + j * 29) % 391;
#pragma dvm parallel([i][j] on A[i][j]) reduction(maxloc(largest, place, 2))
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                if (A[i][j] > largest) {
                    largest = A[i][j];
                    place[0] = i;
                    place[1] = j;
                }
#pragma dvm parallel([j] on A[5][j]) reduction(maxloc(top, where))
        for (j = 0; j < M; j++)
            if (top < (float)A[5][j]) {
                top = (float)A[5][j];
                where = j;
            }
    }
#pragma dvm get_actual(largest, place, top, where)
    printf("%g at %d %d, %g at %d\n", largest, place[0], place[1], top, where);
    return 0;
}
