/* Arrays of a function and of a block: made when it is entered, gone at every way out. */
#include <stdio.h>

#define N 10

static int work(int kind) {
#pragma dvm array distribute[block]
    int A[N];
    int total = 0;
    if (kind == 0)
        return -1;
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < N; i++)
        A[i] = kind * i;
    for (int k = 0; k < 3; k++) {
#pragma dvm array align([i] with A[i])
        int B[N];
        if (k == kind)
            continue;
#pragma dvm parallel([i] on B[i])
        for (int i = 0; i < N; i++)
            B[i] = A[i] + k;
        if (k == 2 && kind == 1)
            break;
#pragma dvm parallel([i] on B[i]) reduction(sum(total))
        for (int i = 0; i < N; i++)
            total += B[i] * (i + 1);
        if (kind == 2)
            return total;
    }
    return total;
}

int main(void) {
    for (int kind = 0; kind < 5; kind++) {
        const int total = work(kind);
        printf("%d\n", total);
    }
    return 0;
}
