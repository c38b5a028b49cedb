/* An array that gets its first place while the program runs. */
#include <stdio.h>

#define N 20

#pragma dvm array
int A[N][N];
#pragma dvm array shadow[1]
int B[N];

int main(void) {
    long sum = 0;
#pragma dvm redistribute(A[block][*])
#pragma dvm realign(B[i] with A[i][])
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                A[i][j] = i + 3 * j;
#pragma dvm parallel([i] on B[i])
        for (int i = 0; i < N; i++)
            B[i] = A[i][N - 1];
#pragma dvm parallel([i] on B[i]) reduction(sum(sum))
        for (int i = 0; i < N; i++)
            sum += B[i] * (i + 1);
    }
#pragma dvm get_actual(sum)
    printf("%ld\n", sum);
    return 0;
}
