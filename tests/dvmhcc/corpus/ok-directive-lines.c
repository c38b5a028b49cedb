/* Directives on several lines, with comments and odd white space; very long ones. */
#include <stdio.h>

#define N 8

#pragma dvm array distribute[block][block] /* a comment */ shadow[1][1] // another
double A[N][N];
  # /* here too */   pragma	dvm   array   align( [ i ] [ j ]   with   A [ i ] [ j ] )
double B[N][N];

int main(void) {
    double largest = 0, smallest = 100, x, y, z, u, v, w;
    int i, j;
#pragma dvm \
region
    {
#pragma dvm parallel([i][j]   \
        on A[i][j]) /* a comment
                       over two lines */ private(x)
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++) {
                x = i - j;
                A[i][j] = x * x;
            }
#pragma dvm parallel([i][j] on B[i][j]) private(x, y, z), private(u), private(v), private(w), reduction(max(largest)), reduction(min(smallest)), shadow_renew(A[1:1][1:1](corner)), cuda_block(16, 16)
        for (i = 1; i < N - 1; i++)
            for (j = 1; j < N - 1; j++) {
                x = A[i - 1][j], y = A[i + 1][j], z = A[i][j - 1], u = A[i][j + 1], v = A[i - 1][j - 1], w = A[i + 1][j + 1]; B[i][j] = x + y - z + u + v * w;
                if (B[i][j] > largest) largest = B[i][j];
                if (B[i][j] < smallest) smallest = B[i][j];
            }
    }
#pragma dvm get_actual(largest, \
                       smallest)
    printf("%.17g %.17g\n", largest, smallest);
    return 0;
}
