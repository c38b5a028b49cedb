/* Bounds that call functions: what they do might depend on when they are called. */
#define N 10

#pragma dvm array distribute[block]
double A[N];

static int half(int n) { return n / 2; }

int main(void) {
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < half(N); i++)
        A[i] = 0;
    return 0;
}

/* expect: 11:25: error: bounds and steps of a parallel loop must not call functions */
