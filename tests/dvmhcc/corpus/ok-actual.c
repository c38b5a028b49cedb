/* Values go back and forth between serial code and regions. */
#include <stdio.h>

#define N 12

#pragma dvm array distribute[block]
int A[N];
int table[N];

int main(void) {
    int scalar = 1, back = 0;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) {
            A[i] = round + i;
            table[i] = i * scalar;
        }
        scalar += round;
#pragma dvm actual(A, table, scalar)
#pragma dvm region
        {
#pragma dvm parallel([i] on A[i])
            for (int i = 0; i < N; i++)
                A[i] = A[i] * scalar + table[i];
        }
#pragma dvm get_actual(A)
        for (int i = 0; i < N; i++) {
#pragma dvm remote_access(A[i])
            {
                back += A[i];
            }
        }
        A[round] = back;
#pragma dvm actual(A[round])
#pragma dvm region
        {
#pragma dvm parallel([i] on A[i]) reduction(sum(back))
            for (int i = 0; i < N; i++)
                back += A[i];
        }
#pragma dvm get_actual(back)
        printf("%d\n", back);
    }
    return 0;
}
