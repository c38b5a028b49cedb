/* A scalar that iterations write, and no clause names. */
#define N 10

#pragma dvm array distribute[block]
double A[N];

int main(void) {
    int i;
    double x = 0, last = 0;
#pragma dvm parallel([i] on A[i])
    for (i = 0; i < N; i++) {
        x = i * 2;
        A[i] = x;
    }
#pragma dvm parallel([i] on A[i])
    for (i = 0; i < N; i++)
        last += A[i];
    return last > x;
}

/* expect: 12:9: error: iterations of a parallel loop share 'x', which is written here */
/* expect: 17:9: error: iterations of a parallel loop share 'last', which is written here */
