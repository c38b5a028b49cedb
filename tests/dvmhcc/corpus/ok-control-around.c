/* Parallel loops under control of all kinds: if, else, switch, while, labels and goto, functions called again and again. */
#include <stdio.h>

#define N 15

#pragma dvm array distribute[block]
int A[N];

static void add(int what) {
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < N; i++)
        A[i] += what;
}

static int total(void) {
    int sum = 0;
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
    for (int i = 0; i < N; i++)
        sum += A[i] * (i + 1);
    return sum;
}

int main(void) {
    int round = 0, tries = 0;
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < N; i++)
        A[i] = 0;
again:
    if (round % 2 == 0)
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] += i;
    else
        add(5);
    switch (round) {
    case 1:
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] *= 2;
        break;
    case 2:
    default:
        add(3);
    }
    while (total() < 200 * round)
        add(1);
    if (++round < 4)
        goto again;
    do
        tries++;
    while (tries < 3);
    for (int k = 0; k < tries; k++)
        add(k);
    const int sum = total();
    printf("%d\n", sum);
    return 0;
}
