/* A flow dependence: each iteration reads what the one before it wrote. */
#include <stdio.h>

#define N 50

#pragma dvm array distribute[block]
double A[N];

int main(void) {
    double largest = 0;
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] = i % 5;
#pragma dvm parallel([i] on A[i]) across(A[1:0])
        for (int i = 1; i < N; i++)
            A[i] = A[i] + A[i - 1] / 3;
#pragma dvm parallel([i] on A[i]) reduction(max(largest))
        for (int i = 0; i < N; i++)
            if (A[i] > largest)
                largest = A[i];
    }
#pragma dvm get_actual(largest, A)
    printf("%.17g\n", largest);
#pragma dvm remote_access(A[N - 1])
    {
        printf("%.17g\n", A[N - 1]);
    }
    return 0;
}
