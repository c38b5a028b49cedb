/* Arrays with static storage begin with zeros, as in C. */
#include <stdio.h>

#define N 3000

#pragma dvm array distribute[block]
double A[N];
#pragma dvm array align([i] with A[i])
static long B[N];

static long count(int add) {
#pragma dvm array distribute[block]
    static int kept[N];
    long total = 0;
#pragma dvm parallel([i] on kept[i]) reduction(sum(total))
    for (int i = 0; i < N; i++) {
        kept[i] += add;
        total += kept[i];
    }
    return total;
}

int main(void) {
    double largest = -1;
    long sum = 0;
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i += 7)
            A[i] += 1;
#pragma dvm parallel([i] on A[i]) reduction(max(largest), sum(sum))
        for (int i = 0; i < N; i++) {
            largest = A[i] > largest ? A[i] : largest;
            sum += B[i] + (A[i] != 0);
        }
    }
#pragma dvm get_actual(largest, sum)
    const long first = count(2);
    const long second = count(3);
    printf("%g %ld %ld %ld\n", largest, sum, first, second);
    return 0;
}
