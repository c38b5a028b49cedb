/* Ways out of a parallel loop. */
#define N 10

#pragma dvm array distribute[block]
double A[N];

int main(void) {
    int i;
#pragma dvm parallel([i] on A[i])
    for (i = 0; i < N; i++) {
        A[i] = i;
        if (i > 5)
            break;
    }
#pragma dvm parallel([i] on A[i])
    for (i = 0; i < N; i++) {
        if (A[i] > 5)
            return 1;
    }
#pragma dvm parallel([i] on A[i])
    for (i = 0; i < N; i++) {
        if (A[i] > 5)
            goto out;
    }
out:
    return 0;
}

/* expect: 13:13: error: 'break' leaves a parallel loop */
/* expect: 18:13: error: 'return' leaves a parallel loop */
/* expect: 23:13: error: 'goto' leaves a parallel loop */
