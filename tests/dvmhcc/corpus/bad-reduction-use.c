/* Reduction variables that the body uses otherwise. */
#define N 10

#pragma dvm array distribute[block]
double A[N];

int main(void) {
    int i;
    double s = 0, m = 0;
#pragma dvm parallel([i] on A[i]) reduction(sum(s))
    for (i = 0; i < N; i++) {
        s += A[i];
        A[i] = s;
    }
#pragma dvm parallel([i] on A[i]) reduction(sum(s))
    for (i = 0; i < N; i++)
        s *= A[i];
#pragma dvm parallel([i] on A[i]) reduction(max(m))
    for (i = 0; i < N; i++)
        if (A[i] > m)
            m = A[i] + 1;
    return s > m;
}

/* expect: 13:16: error: 's' is in reduction(sum(..)), which allows only uses such as */
/* expect: 17:9: error: 's' is in reduction(sum(..)) */
/* expect: 20:20: error: 'm' is in reduction(max(..)), which allows only */
