/* Sweeps of one loop in a row, which a GPU may run together: stencils of several reaches and directions, a weight that changes between sweeps, another
 * loop between them, one that looks at the result, and two arrays that take turns. */
#include <stdio.h>
#define N 45
#define M 38
#define L 14

#pragma dvm array distribute[block][block], shadow[2:2][2:2]
double A[N][M];
#pragma dvm array align([i][j] with A[i][j]), shadow[1:1][1:1]
double B[N][M];
#pragma dvm array distribute[block][block][block], shadow[1:1][1:1][1:1]
double C[L][L + 3][L + 5];

static double checksum(void) {
    double sum = 0;
#pragma dvm get_actual(A, B, C)
#pragma dvm remote_access(A[][], B[][], C[][][])
    {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < M; j++)
                sum += (A[i][j] - B[i][j]) * (i * 3 - j * 2);
        for (int i = 0; i < L; i++)
            for (int j = 0; j < L + 3; j++)
                for (int k = 0; k < L + 5; k++)
                    sum += C[i][j][k] * (i * 3 - j * 2 + k);
    }
    return sum;
}

static void five_points(double weight) {
#pragma dvm region inout(A)
    {
#pragma dvm parallel([i][j] on A[i][j]) across(A[1:1][1:1])
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < M - 1; j++)
                A[i][j] = weight / 4 * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) + (1 - weight) * A[i][j];
    }
}

static void wide(void) {
#pragma dvm region inout(A)
    {
#pragma dvm parallel([i][j] on A[i][j]) across(A[2:2][1:2])
        for (int i = 2; i < N - 2; i++)
            for (int j = 2; j < M - 2; j++)
                A[i][j] = A[i - 2][j] * .375 + A[i + 2][j] * .25 + A[i][j - 1] * .125 + A[i][j + 2] * .125 + A[i][j] * .125;
    }
}

static void corners(void) {
#pragma dvm region inout(A), in(B)
    {
#pragma dvm parallel([i][j] on A[i][j]) across(A[1:1][1:1])
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < M - 1; j++)
                A[i][j] = (A[i - 1][j - 1] + A[i - 1][j + 1] * 2 + A[i + 1][j - 1] * 3 + A[i + 1][j + 1]) / 8 +
                          A[i][j] / 16 + B[i][j] / 64;
    }
}

static void backward(void) {
#pragma dvm region inout(A, B)
    {
#pragma dvm parallel([i][j] on A[i][j]) across(A[1:1][1:1], B[0:1][1:0])
        for (int i = N - 2; i >= 1; i--)
            for (int j = 1; j < M - 1; j++) {
                A[i][j] = A[i][j] / 2 + B[i][j] / 8 + (A[i + 1][j] + A[i - 1][j] + A[i][j - 1] + A[i][j + 1]) / 16;
                B[i][j] = (B[i + 1][j] + B[i][j - 1]) / 4 + A[i][j] / 8;
            }
    }
}

static void boxes(void) {
#pragma dvm region inout(C)
    {
#pragma dvm parallel([i][j][k] on C[i][j][k]) across(C[1:1][1:1][1:1])
        for (int i = 1; i < L - 1; i++)
            for (int j = 1; j < L + 2; j++)
                for (int k = 1; k < L + 4; k++)
                    C[i][j][k] = (C[i - 1][j][k] + C[i + 1][j][k] + C[i][j - 1][k] + C[i][j + 1][k] + C[i][j][k - 1] +
                                  C[i][j][k + 1]) / 8 + C[i][j][k] / 4;
    }
}

/* A loop along one dim alone: rows know nothing of each other. */
static void rows(void) {
#pragma dvm region inout(B)
    {
#pragma dvm parallel([i][j] on B[i][j]) across(B[0:0][1:1])
        for (int i = 0; i < N; i++)
            for (int j = 1; j < M - 1; j++)
                B[i][j] = (B[i][j - 1] + B[i][j + 1]) / 4 + B[i][j] / 2;
    }
}

int main(void) {
#pragma dvm parallel([i][j] on A[i][j])
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            A[i][j] = (i * 7 + j * 13) % 32;
            B[i][j] = (i * 5 + j * 3) % 16;
        }
#pragma dvm parallel([i][j][k] on C[i][j][k])
    for (int i = 0; i < L; i++)
        for (int j = 0; j < L + 3; j++)
            for (int k = 0; k < L + 5; k++)
                C[i][j][k] = (i * 7 + j * 13 + k * 5) % 32;
    for (int step = 0; step < 40; step++)
        five_points(1.25);
    printf("%.17g\n", checksum());
    for (int step = 0; step < 12; step++)
        five_points(step % 4 == 3 ? .5 : 1.25);
    for (int step = 0; step < 24; step++)
        wide();
    printf("%.17g\n", checksum());
    for (int step = 0; step < 24; step++)
        corners();
    for (int step = 0; step < 24; step++)
        backward();
    for (int step = 0; step < 24; step++)
        boxes();
    printf("%.17g\n", checksum());
    for (int step = 0; step < 24; step++)
        rows();
    for (int step = 0; step < 20; step++) {
        five_points(1.25);
        if (step % 5 == 0)
            rows();
        if (step % 7 == 0)
            printf("%.17g\n", checksum());
    }
    printf("%.17g\n", checksum());
    return 0;
}
