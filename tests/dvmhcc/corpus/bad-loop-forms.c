/* Loops that do not count from a bound to a bound by a step. */
#define N 10

#pragma dvm array distribute[block]
double A[N];

int main(void) {
    int i, n = N;
#pragma dvm parallel([i] on A[i])
    for (i = 0; i != N; i++)
        A[i] = 0;
#pragma dvm parallel([i] on A[i])
    for (i = 1; i < N; i *= 2)
        A[i] = 0;
#pragma dvm parallel([i] on A[i])
    for (i = 0; i < N; i--)
        A[i] = 0;
#pragma dvm parallel([i] on A[i])
    for (i = 0; ; i++)
        A[i] = 0;
#pragma dvm parallel([i] on A[i])
    for (; i < N; i++)
        A[i] = 0;
#pragma dvm parallel([i] on A[i])
    for (i = 0; i < N && n > 0; i++)
        A[i] = 0;
    return 0;
}

/* expect: 10:17: error: the condition of a parallel loop must compare 'i' with a bound */
/* expect: 13:24: error: the step of a parallel loop must be i++, i-- */
/* expect: 16:24: error: this step leads */
/* expect: 19:5: error: the condition of a parallel loop must compare 'i' with a bound */
/* expect: 22:5: error: a parallel loop must begin with 'index = expression' */
/* expect: 25:17: error: the condition of a parallel loop must compare 'i' with a bound */
