/* Shadow edges of several widths, also none. */
#include <stdio.h>

#define N 30

#pragma dvm array distribute[block] shadow[2:3]
int A[N];
#pragma dvm array align([i] with A[i]), shadow[0]
int B[N];
#pragma dvm array shadow[1:0], distribute[block]
int C[N];

int main(void) {
    long sum = 0;
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] = i * 3 % 7;
#pragma dvm parallel([i] on B[i]) shadow_renew(A)
        for (int i = 2; i < N - 3; i++)
            B[i] = A[i - 2] + 10 * A[i + 3];
#pragma dvm parallel([i] on C[i])
        for (int i = 0; i < N; i++)
            C[i] = i;
#pragma dvm parallel([i] on B[i]) reduction(sum(sum))
        for (int i = 2; i < N - 3; i++)
            sum += B[i] * i;
#pragma dvm parallel([i] on C[i]) shadow_renew(C), reduction(sum(sum))
        for (int i = 1; i < N; i++)
            sum += C[i] * C[i - 1];
    }
#pragma dvm get_actual(sum)
    printf("%ld\n", sum);
    return 0;
}
