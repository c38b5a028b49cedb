/* Elements changed in serial code in all the ways of C; what stands beside a change happens as often as in C. */
#include <stdio.h>
#define N 8

struct cell {
    int n, v[3];
    double x;
};

#pragma dvm array distribute[block]
int A[N];
#pragma dvm array distribute[block][block]
double B[N][N];
#pragma dvm array distribute[block]
struct cell C[N];

static int calls;

static int next(void) { return ++calls; }
static int square(int n) { return n * n; }
static struct cell make(int n) {
    struct cell made = {n, {n, n + 1, n + 2}, n * .5};
    return made;
}

int main(void) {
    int i, k = 0, x, *p = &x;
    for (i = 0; i < N; i++)
        A[i] = square(i);
    for (i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            B[i][j] = next() + A[i];
        C[i] = make(i);
    }
    A[k++] = 7;
    A[k++] += next();
    A[k]++;
    --A[k + 1];
    x = A[4] = A[5] = 40;
    x += A[6]++ * 2 + ++A[7];
    x += A[3] *= 3;
    (*p)++;
    A[0] = next(), A[1] -= 2, k = A[1];
    (void)(A[2] <<= 1);
    for (A[3] = 0; A[3] < 5; A[3] += 2)
        x += A[3];
    x ? (A[4] = x) : (A[5] = x);
    if (A[6] > 3)
        A[6] = k = 1;
    else
        A[6] = k = 2;
    C[1].x = A[1];
    C[2].v[next() % 3] += 10;
    C[3].v[1]++;
    C[4] = C[3];
    B[1][2] = B[2][1] = B[3][3] /= 2;
    B[A[6]][k] = ({
        int y = next();
        y + 1;
    });
    sscanf("17 3.25 99", "%d %lf %d", &A[7], &B[0][0], &C[5].v[2]);
    printf("%d %d %d\n", x, k, calls);
    for (i = 0; i < N; i++)
        printf("%d %g %g %d %d %d %d %g\n", A[i], B[i][i], B[i][N - 1 - i], C[i].n, C[i].v[0], C[i].v[1],
               C[i].v[2], C[i].x);
    return 0;
}

/* processes: 1 */
