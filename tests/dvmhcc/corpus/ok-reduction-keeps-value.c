/* A reduction variable goes on from the value that it had, also over loops without iterations. */
#include <stdio.h>

#define N 8

#pragma dvm array distribute[block]
int A[N];

int main(void) {
    long sum = 100;
    int most = 50;
    int none = N;
    for (int round = 0; round < 3; round++) {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] = i * round;
#pragma dvm parallel([i] on A[i]) reduction(sum(sum), max(most))
        for (int i = 0; i < N; i++) {
            sum += A[i];
            most = A[i] * 5 > most ? A[i] * 5 : most;
        }
#pragma dvm parallel([i] on A[i]) reduction(sum(sum), max(most))
        for (int i = none; i < N; i++) {
            sum += 1000;
            most = most > i * 1000 ? most : i * 1000;
        }
        printf("%ld %d\n", sum, most);
        sum *= 2;
    }
    return 0;
}
