/* Arrays of one to four dimensions, and loops over them. */
#include <stdio.h>

#define N 5

#pragma dvm array distribute[block]
int A1[N];
#pragma dvm array distribute[block][block]
int A2[N][N + 1];
#pragma dvm array distribute[block][block][block]
int A3[N][N + 1][N + 2];
#pragma dvm array distribute[block][block][block][block]
int A4[N][N + 1][N + 2][N + 3];

int main(void) {
    int i, j, k, l;
    long s1 = 0, s2 = 0, s3 = 0, s4 = 0;
#pragma dvm region
    {
#pragma dvm parallel([i] on A1[i])
        for (i = 0; i < N; i++)
            A1[i] = i + 1;
#pragma dvm parallel([i][j] on A2[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < N + 1; j++)
                A2[i][j] = 10 * i + j;
#pragma dvm parallel([i][j][k] on A3[i][j][k])
        for (i = 0; i < N; i++)
            for (j = 0; j < N + 1; j++)
                for (k = 0; k < N + 2; k++)
                    A3[i][j][k] = 100 * i + 10 * j + k;
#pragma dvm parallel([i][j][k][l] on A4[i][j][k][l])
        for (i = 0; i < N; i++)
            for (j = 0; j < N + 1; j++)
                for (k = 0; k < N + 2; k++)
                    for (l = 0; l < N + 3; l++)
                        A4[i][j][k][l] = 1000 * i + 100 * j + 10 * k + l;
#pragma dvm parallel([i] on A1[i]) reduction(sum(s1))
        for (i = 0; i < N; i++)
            s1 += (long)A1[i] * (i + 1);
#pragma dvm parallel([i][j] on A2[i][j]) reduction(sum(s2))
        for (i = 0; i < N; i++)
            for (j = 0; j < N + 1; j++)
                s2 += (long)A2[i][j] * (7 * i + j + 1);
#pragma dvm parallel([i][j][k] on A3[i][j][k]) reduction(sum(s3))
        for (i = 0; i < N; i++)
            for (j = 0; j < N + 1; j++)
                for (k = 0; k < N + 2; k++)
                    s3 += (long)A3[i][j][k] * (49 * i + 7 * j + k + 1);
#pragma dvm parallel([i][j][k][l] on A4[i][j][k][l]) reduction(sum(s4))
        for (i = 0; i < N; i++)
            for (j = 0; j < N + 1; j++)
                for (k = 0; k < N + 2; k++)
                    for (l = 0; l < N + 3; l++)
                        s4 += (long)A4[i][j][k][l] * (343 * i + 49 * j + 7 * k + l + 1);
    }
#pragma dvm get_actual(s1, s2, s3, s4)
    printf("%ld %ld %ld %ld\n", s1, s2, s3, s4);
    return 0;
}
