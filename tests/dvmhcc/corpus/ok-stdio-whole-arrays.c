/* Whole arrays written to a file and read back, also into an array of another distribution; parts of them. */
#include <stdio.h>

#define N 9
#define M 5

#pragma dvm array distribute[block][block]
double A[N][M];
#pragma dvm array distribute[*][block]
double B[N][M];
#pragma dvm array distribute[block]
int C[N];

int main(void) {
    FILE *file;
    size_t written, read;
    int i, j, first = 0;
    double sum = 0;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                A[i][j] = i + j / 8.0;
#pragma dvm parallel([i] on C[i])
        for (i = 0; i < N; i++)
            C[i] = i * i;
    }
    file = fopen("arrays.bin", "wb");
    if (file == NULL)
        return 1;
    written = fwrite(A, sizeof(double), N * M, file);
    written += fwrite(C, sizeof(int), N, file);
    fclose(file);
    file = fopen("arrays.bin", "rb");
    if (file == NULL)
        return 1;
    read = fread(B, sizeof(double), N * M, file);
    read += fread(&first, sizeof first, 1, file);
    read += fread(C, sizeof(int), N - 1, file);
    printf("%d %d %d\n", (int)written, (int)read, first);
    fclose(file);
#pragma dvm region
    {
#pragma dvm parallel([i][j] on B[i][j]) reduction(sum(sum))
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                sum += B[i][j] * (i + 2 * j);
#pragma dvm parallel([i] on C[i]) reduction(sum(sum))
        for (i = 0; i < N; i++)
            sum += C[i] * (i + 1);
    }
#pragma dvm get_actual(sum)
    printf("%.17g\n", sum);
    return 0;
}
