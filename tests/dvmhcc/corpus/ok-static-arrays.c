/* Static arrays: at file scope, and inside of functions, where they keep their values from call to call. */
#include <stdio.h>

#define N 14

#pragma dvm array distribute[block]
static int A[N];

static int counter(int add) {
#pragma dvm array distribute[block]
    static int kept[N];
    static int calls;
    int total = 0;
    if (calls++ == 0)
#pragma dvm parallel([i] on kept[i])
        for (int i = 0; i < N; i++)
            kept[i] = 1;
#pragma dvm parallel([i] on kept[i]) reduction(sum(total))
    for (int i = 0; i < N; i++) {
        kept[i] += add * i;
        total += kept[i];
    }
    return total;
}

static int fill(int first) {
#pragma dvm array align([i] with A[i])
    static int kept[N];
    int total = 0;
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < N; i++) {
        A[i] = first + i;
        kept[i] = A[i] * (first == 10 ? 1 : kept[i] % 7);
    }
#pragma dvm parallel([i] on kept[i]) reduction(sum(total))
    for (int i = 0; i < N; i++)
        total += kept[i] * (i + 1);
    return total;
}

int main(void) {
    for (int k = 1; k < 4; k++) {
        const int counted = counter(k);
        printf("%d ", counted);
        printf("%d\n", fill(10 * k));
    }
    return 0;
}
