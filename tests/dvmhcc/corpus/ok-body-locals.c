/* What a body declares for itself: scalars, arrays, structures, nested blocks, inner loops. */
#include <stdio.h>

#define N 12

#pragma dvm array distribute[block][block] shadow[1][1:1]
double A[N][N];
#pragma dvm array align([i][j] with A[i][j])
double B[N][N];

int main(void) {
    int i, j;
    double largest = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                A[i][j] = (i * 5 + j * 7) % 13;
#pragma dvm parallel([i][j] on B[i][j]) shadow_renew(A(corner))
        for (i = 1; i < N - 1; i++) {
            for (j = 1; j < N - 1; j++) {
                double near[3][3], sorted[9], total = 0;
                int n = 0;
                for (int k = -1; k <= 1; k++)
                    for (int l = -1; l <= 1; l++)
                        near[k + 1][l + 1] = A[i + k][j + l];
                for (int k = 0; k < 3; k++) {
                    for (int l = 0; l < 3; l++) {
                        int place = n++;
                        while (place > 0 && sorted[place - 1] > near[k][l]) {
                            sorted[place] = sorted[place - 1];
                            place--;
                        }
                        sorted[place] = near[k][l];
                    }
                }
                {
                    struct {
                        double low, high;
                    } ends = {sorted[0], sorted[8]};
                    double total = ends.high - ends.low;
                    near[0][0] = total;
                }
                total += sorted[4];
                B[i][j] = total + near[0][0] / 16;
            }
        }
#pragma dvm parallel([i][j] on B[i][j]) reduction(max(largest))
        for (i = 1; i < N - 1; i++)
            for (j = 1; j < N - 1; j++)
                largest = B[i][j] > largest ? B[i][j] : largest;
    }
#pragma dvm get_actual(largest, B)
    printf("%.17g\n", largest);
#pragma dvm remote_access(B[3][5], B[7][2])
    {
        printf("%.17g %.17g\n", B[3][5], B[7][2]);
    }
    return 0;
}
