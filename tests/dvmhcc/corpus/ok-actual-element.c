/* actual of a part of an array: the element just written at home is the newest, the others are where they were. */
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block]
double A[N];
#pragma dvm array align([i] with A[i])
double B[N];
#pragma dvm array distribute[*][block]
int C[3][N];

int main(void) {
    double sum = 0;
    long weighted = 0;
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] = i, B[i] = 10 * i;
#pragma dvm parallel([j][i] on C[j][i])
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < N; i++)
                C[j][i] = 10 * j + i;
    }
    B[2] = 7;
#pragma dvm actual(B[2])
    C[1][2] = 100;
    C[1][3] = 200;
#pragma dvm actual(C[1][2:3])
    C[2][0] = 1000;
#pragma dvm actual(C[2:][:0])
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
        for (int i = 0; i < N; i++)
            sum += A[i] * 3 + B[i];
#pragma dvm parallel([j][i] on C[j][i]) reduction(sum(weighted))
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < N; i++)
                weighted += (j * N + i + 1) * C[j][i];
    }
#pragma dvm get_actual(sum, weighted)
    printf("%.17g %ld\n", sum, weighted);
    return 0;
}
