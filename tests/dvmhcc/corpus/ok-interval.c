/* Intervals: numbered, nested, in loops, left before their end. */
#include <stdio.h>

#define N 10

#pragma dvm array distribute[block]
int A[N];

static int work(int limit) {
    int sum = 0;
    for (int step = 0; step < 5; step++) {
#pragma dvm interval 2 * step
        sum += step;
#pragma dvm interval
        sum += 100;
#pragma dvm endinterval
        if (sum > limit) {
#pragma dvm exitinterval 2 * step
            break;
        }
#pragma dvm endinterval
    }
    return sum;
}

int main(void) {
    int sum = 0;
    const int worked = work(250);
#pragma dvm interval 7
#pragma dvm interval
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < N; i++)
        A[i] = i;
#pragma dvm endinterval
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
    for (int i = 0; i < N; i++)
        sum += A[i];
#pragma dvm endinterval
    printf("%d %d %d\n", worked, work(10000), sum);
    return 0;
}
