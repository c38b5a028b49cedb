/* actual and get_actual between the loops of a region: what the host reads and changes there. */
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
double A[N];
#pragma dvm array align([i] with A[i])
double B[N];

int main(void) {
    double first = 0, sum = 0;
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++) {
            A[i] = i + 1;
            B[i] = 0;
        }
#pragma dvm get_actual(A[0:1], B)
#pragma dvm remote_access(A[0], A[1])
        first = A[0] + A[1];
        A[2] = 100;
        B[3] = first;
#pragma dvm actual(A[2], B)
        if (first > 2)
#pragma dvm get_actual
            first *= 2;
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
        for (int i = 0; i < N; i++)
            sum += A[i] * (i + 1) + B[i];
#pragma dvm get_actual(A)
#pragma dvm actual()
    }
#pragma dvm get_actual(sum)
    printf("%g %g\n", first, sum);
    return 0;
}
