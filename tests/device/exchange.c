/* Loops whose processes exchange edges, with and without dependences, in regions: what tests of exchanges between GPUs run. Every process does
 * all of it once more on ordinary arrays, one iteration after the other, and compares what it owns bit for bit.
 *
 * use: exchange [SEED [STEPS]] */
#include <stdio.h>
#include <stdlib.h>

#define N0 41
#define N1 37
#define M0 14
#define M1 11
#define M2 23

#pragma dvm array distribute[block][block], shadow[1 : 1][1 : 1]
double A[N0][N1];
#pragma dvm array align([i][j] with A[i][j]), shadow[1 : 1][1 : 1]
double B[N0][N1];
#pragma dvm array align([i][j] with A[i][j]), shadow[2 : 1][1 : 2]
float C[N0][N1];
#pragma dvm array distribute[block][block][], shadow[1 : 1][1 : 1][1 : 1]
double D[M0][M1][M2];

double a[N0][N1], b[N0][N1], d[M0][M1][M2];
float c[N0][N1];
int bad;

static unsigned state = 1;

static double draw(void) {
    state = state * 1664525u + 1013904223u;
    return (double)(state >> 8) / (1 << 24);
}

/* Ordinary arrays that every process has, as they are now. */
static void copy_in(void) {
#pragma dvm parallel([i][j] on A[i][j])
    for (int i = 0; i < N0; i++)
        for (int j = 0; j < N1; j++) {
            A[i][j] = a[i][j];
            B[i][j] = b[i][j];
            C[i][j] = c[i][j];
        }
#pragma dvm parallel([i][j][k] on D[i][j][k])
    for (int i = 0; i < M0; i++)
        for (int j = 0; j < M1; j++)
            for (int k = 0; k < M2; k++)
                D[i][j][k] = d[i][j][k];
}

static void start(unsigned seed) {
    state = seed;
    for (int i = 0; i < N0; i++)
        for (int j = 0; j < N1; j++) {
            a[i][j] = draw();
            b[i][j] = draw();
            c[i][j] = (float)draw();
        }
    for (int i = 0; i < M0; i++)
        for (int j = 0; j < M1; j++)
            for (int k = 0; k < M2; k++)
                d[i][j][k] = draw();
    copy_in();
}

/* Nine points: edges and corners. */
static void relax(void) {
#pragma dvm region in(A), inout(B)
    {
#pragma dvm parallel([i][j] on B[i][j]) shadow_renew(A(corner))
        for (int i = 1; i < N0 - 1; i++)
            for (int j = 1; j < N1 - 1; j++)
                B[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j + 1] +
                           A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) /
                          8;
    }
    for (int i = 1; i < N0 - 1; i++)
        for (int j = 1; j < N1 - 1; j++)
            b[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j + 1] +
                       a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) /
                      8;
}

/* Two arrays of different types in one message, edges of different widths, and what was read is written. */
static void mix(void) {
#pragma dvm region in(B, C), inout(A)
    {
#pragma dvm parallel([i][j] on A[i][j]) shadow_renew(B, C)
        for (int i = 2; i < N0 - 1; i++)
            for (int j = 1; j < N1 - 2; j++)
                A[i][j] = (A[i][j] + B[i - 1][j] + B[i][j + 1]) / 3 + C[i - 2][j] / 16 + C[i + 1][j] / 32 +
                          C[i][j - 1] / 64 + C[i][j + 2] / 128;
    }
    for (int i = 2; i < N0 - 1; i++)
        for (int j = 1; j < N1 - 2; j++)
            a[i][j] = (a[i][j] + b[i - 1][j] + b[i][j + 1]) / 3 + c[i - 2][j] / 16 + c[i + 1][j] / 32 +
                      c[i][j - 1] / 64 + c[i][j + 2] / 128;
}

/* A sweep along both axes. */
static void sweep(void) {
#pragma dvm region inout(A)
    {
#pragma dvm parallel([i][j] on A[i][j]) across(A [1:1] [1:1])
        for (int i = 1; i < N0 - 1; i++)
            for (int j = 1; j < N1 - 1; j++)
                A[i][j] += .35 * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1] - 4 * A[i][j]);
    }
    for (int i = 1; i < N0 - 1; i++)
        for (int j = 1; j < N1 - 1; j++)
            a[i][j] += .35 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1] - 4 * a[i][j]);
}

/* Backwards, in single precision, by two. */
static void sweep_back(void) {
#pragma dvm region inout(C)
    {
#pragma dvm parallel([i][j] on C[i][j]) across(C [0:0] [0:2])
        for (int i = N0 - 2; i > 1; i--)
            for (int j = N1 - 3; j > 0; j--)
                C[i][j] = C[i][j] / 2 + C[i][j + 1] / 4 + C[i][j + 2] / 8;
    }
    for (int i = N0 - 2; i > 1; i--)
        for (int j = N1 - 3; j > 0; j--)
            c[i][j] = c[i][j] / 2 + c[i][j + 1] / 4 + c[i][j + 2] / 8;
}

/* Three dims, two of them distributed: stages along the third. */
static void sweep_space(void) {
#pragma dvm region inout(D)
    {
#pragma dvm parallel([i][j][k] on D[i][j][k]) across(D [1:1] [1:1] [1:1])
        for (int i = 1; i < M0 - 1; i++)
            for (int j = 1; j < M1 - 1; j++)
                for (int k = 1; k < M2 - 1; k++)
                    D[i][j][k] += .3 * (D[i - 1][j][k] + D[i + 1][j][k] + D[i][j - 1][k] + D[i][j + 1][k] +
                                        D[i][j][k - 1] + D[i][j][k + 1] - 6 * D[i][j][k]);
    }
    for (int i = 1; i < M0 - 1; i++)
        for (int j = 1; j < M1 - 1; j++)
            for (int k = 1; k < M2 - 1; k++)
                d[i][j][k] += .3 * (d[i - 1][j][k] + d[i + 1][j][k] + d[i][j - 1][k] + d[i][j + 1][k] +
                                    d[i][j][k - 1] + d[i][j][k + 1] - 6 * d[i][j][k]);
}

/* Elements of other processes that get into a buffer beside the arrays. */
static void reach(void) {
#pragma dvm region in(A), inout(B)
    {
#pragma dvm parallel([i][j] on B[i][j]) remote_access(A[5][], A[][N1 - 2])
        for (int i = 0; i < N0; i++)
            for (int j = 0; j < N1; j++)
                B[i][j] += A[5][j] / 2 - A[i][N1 - 2] / 4;
    }
    for (int i = 0; i < N0; i++)
        for (int j = 0; j < N1; j++)
            b[i][j] += a[5][j] / 2 - a[i][N1 - 2] / 4;
}

static void compare(int step) {
    bad = 0;
#pragma dvm get_actual(A, B, C, D)
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(bad))
    for (int i = 0; i < N0; i++)
        for (int j = 0; j < N1; j++)
            bad += (A[i][j] != a[i][j]) + (B[i][j] != b[i][j]) + (C[i][j] != c[i][j]);
#pragma dvm parallel([i][j][k] on D[i][j][k]) reduction(sum(bad))
    for (int i = 0; i < M0; i++)
        for (int j = 0; j < M1; j++)
            for (int k = 0; k < M2; k++)
                bad += D[i][j][k] != d[i][j][k];
    if (bad > 0) {
        printf("step %d: %d elements differ\n", step, bad);
        exit(1);
    }
}

int main(int argc, char **argv) {
    const unsigned seed = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 1;
    const int steps = argc > 2 ? atoi(argv[2]) : 40;
    unsigned choice = seed;
    start(seed);
    for (int step = 0; step < steps; step++) {
        choice = choice * 1664525u + 1013904223u;
        switch (choice >> 16 & 7) {
        case 0:
        case 1:
            relax();
            break;
        case 2:
        case 3:
            mix();
            break;
        case 4:
            sweep();
            sweep();
            reach();
            break;
        case 5:
            sweep_back();
            break;
        case 6:
            sweep_space();
            sweep_space();
            break;
        default:
            relax();
            sweep();
        }
        if ((choice >> 24 & 7) == 0)
            compare(step);
    }
    compare(steps);
    printf("seed %u: right\n", seed);
    return 0;
}
