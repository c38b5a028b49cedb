/* actual and get_actual belong outside of regions. */
#define N 10

#pragma dvm array distribute[block]
double A[N];

int main(void) {
    int n = N;
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] = 0;
#pragma dvm get_actual(A)
        n = n - 1;
#pragma dvm actual(n)
    }
    return n == N;
}

/* expect: 14:13: error: 'get_actual' cannot stand inside of a region */
/* expect: 16:13: error: 'actual' cannot stand inside of a region */
