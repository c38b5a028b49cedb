/* Macros in bodies: of accesses, of whole statements, with arguments that are accesses, nested ones. */
#include <stdio.h>

#define N              14
#define AT(x, i, j)    x[(i)][(j)]
#define OLD(di, dj)    AT(A, i + (di), j + (dj))
#define Max(a, b)      ((a) > (b) ? (a) : (b))
#define SET(x, value)  x[i][j] = (value)
#define FOR(i, n)      for (i = 0; i < (n); i++)
#define INNER(i, n)    for (i = 1; i < (n)-1; i++)
#define KEEP_MAX(m, x) (m) = Max(m, x)

#pragma dvm array distribute[block][block]
double A[N][N];
#pragma dvm array align([i][j] with A[i][j])
double B[N][N];

int main(void) {
    int i, j;
    double largest = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        FOR(i, N) FOR(j, N) SET(A, (i * i + j) % 7);
#pragma dvm parallel([i][j] on B[i][j]) shadow_renew(A)
        INNER(i, N)
        INNER(j, N)
        SET(B, OLD(-1, 0) + OLD(1, 0) - Max(OLD(0, -1), OLD(0, 1)));
#pragma dvm parallel([i][j] on B[i][j]) reduction(max(largest))
        INNER(i, N) {
            INNER(j, N) {
                KEEP_MAX(largest, AT(B, i, j));
            }
        }
    }
#pragma dvm get_actual(largest, B)
    printf("%.17g\n", largest);
#pragma dvm remote_access(AT(B, 3, 4))
    {
        printf("%.17g\n", AT(B, 3, 4));
    }
    return 0;
}
