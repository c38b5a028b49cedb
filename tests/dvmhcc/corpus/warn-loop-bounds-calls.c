/* Bounds whose calls would show how often they are made. */
#define N 10

#pragma dvm array distribute[block]
double A[N];

static int count = N, found;

static int limit(int n) { return n < count ? n : count; }

static int again(int n) { return limit(n) + 1; }

static int next(void) { return ++found; }

int main(void) {
#pragma dvm parallel([i] on A[i]) reduction(max(count))
    for (int i = 0; i < again(N - 1); i++) {
        A[i] = 0;
        if (i > count)
            count = i;
    }
#pragma dvm parallel([i] on A[i])
    for (int i = next(); i < N; i++)
        A[i] = limit(i);
    return 0;
}

/* expect: 17:25: warning: 'again' is called once, before the parallel loop, but reads 'count', which the loop changes */
/* expect: 23:18: warning: 'next' is called once, before the parallel loop, not for every iteration */
