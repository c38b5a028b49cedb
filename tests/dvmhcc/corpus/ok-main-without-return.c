/* main may end without return, and exit ends a program from anywhere, after what atexit asked for. */
#include <stdio.h>
#include <stdlib.h>

#define N 5

#pragma dvm array distribute[block]
int A[N];

/* Both use what the end of the program must not have taken down before. */
static void goodbye(void) {
    int sum = 0;
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
    for (int i = 0; i < N; i++)
        sum += A[i] * A[i];
    printf("goodbye %d\n", sum);
}

static void farewell(void) {
    puts("farewell");
}

static void stop(int sum) {
    if (sum > 100) {
        printf("too much\n");
        exit(1);
    }
    if (sum == 10) {
        printf("ten\n");
        exit(EXIT_SUCCESS);
    }
}

int main() {
    int sum = 0;
    atexit(farewell);
    atexit(goodbye);
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < N; i++)
        A[i] = i;
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
    for (int i = 0; i < N; i++)
        sum += A[i];
    stop(sum);
    printf("not here\n");
}
