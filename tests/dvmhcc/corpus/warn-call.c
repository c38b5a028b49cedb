/* A function of another file that no `routine` stands before. */
#define N 10

#pragma dvm array distribute[block]
double A[N];

double other(double x);
#pragma dvm routine
double good(double x);

int main(void) {
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < N; i++)
        A[i] = good(i) + other(i);
    return 0;
}

/* expect: 14:26: warning: 'other' is not known to be callable from a parallel loop */
