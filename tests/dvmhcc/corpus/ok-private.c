/* Private scalars: every iteration has its own. */
#include <stdio.h>

#define N 13

#pragma dvm array distribute[block][block]
double A[N][N];

int main(void) {
    int i, j, k;
    double x, y, largest = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j]) private(x) private(y, k)
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++) {
                x = i * 0.5;
                y = 0;
                for (k = 0; k < j; k++)
                    y += x * k;
                A[i][j] = y - x;
            }
#pragma dvm parallel([i][j] on A[i][j]) reduction(max(largest)), private(x)
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++) {
                x = A[i][j];
                if (x > largest)
                    largest = x;
            }
    }
#pragma dvm get_actual(largest)
    printf("%.17g\n", largest);
    return 0;
}
