/* Elements in serial code: read, written, compound assignments, ++, as arguments, in conditions. */
#include <stdio.h>

#define N 10

#pragma dvm array distribute[block][*]
int A[N][4];
#pragma dvm array distribute[block]
double B[N];
#pragma dvm array distribute[*]
float C[N];

static int twice(int x) { return 2 * x; }

int main(void) {
    int i, k, sum = 0;
    for (i = 0; i < N; i++) {
        for (k = 0; k < 4; k++)
            A[i][k] = 10 * i + k;
        B[i] = i * 0.5;
        C[i] = (float)i;
    }
    A[3][1] += 5;
    A[3][1] *= 2;
    A[4][0]++;
    --A[4][0];
    ++A[4][3];
    A[5][2]--;
    A[6][2] -= 1, A[6][3] %= 7;
    A[9][0] <<= 2;
    A[9][1] ^= 0xff;
    B[2] /= 4;
    B[7] = B[7] * 3 + 1;
    C[1] = C[2] = 8;
    if (C[1] > 7 && C[0] < 1)
        C[9] = C[1] + C[8] * 2;
#pragma dvm remote_access(A[][], B[])
    {
        for (i = 0; i < N; i++)
            for (k = 0; k < 4; k++)
                sum += twice(A[i][k]) * (i + 1);
        printf("%d %d %g %g\n", sum, A[3][1] > 70 ? A[9][0] : A[9][1], B[2], B[7]);
    }
    for (i = 0; i < N; i++)
        printf("%g ", C[i]);
    printf("\n");
    return 0;
}
