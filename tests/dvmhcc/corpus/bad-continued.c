/* An error in the third line of a directive. */
#define N 10

#pragma dvm array distribute[block]
double A[N];

int main(void) {
    double x, y;
#pragma dvm parallel([i] on A[i]) \
    private(x), /* a comment */ \
    private_too(y)
    for (int i = 0; i < N; i++) {
        x = y = i;
        A[i] = x + y;
    }
    return 0;
}

/* expect: 11:5: error: unknown clause 'private_too' */
