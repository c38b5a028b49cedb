/* A part of a region that runs on the host. */
#include <stdio.h>

#define N 18

#pragma dvm array distribute[block]
int A[N];
int limit = 10;

int main(void) {
    long sum = 0;
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] = i;
#pragma dvm host_section
        {
#pragma dvm remote_access(A[N - 1])
            {
                limit = A[N - 1] / 2;
            }
        }
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
        for (int i = 0; i < N; i++)
            if (A[i] < limit)
                sum += A[i];
    }
#pragma dvm get_actual(sum)
    printf("%d %ld\n", limit, sum);
    return 0;
}
