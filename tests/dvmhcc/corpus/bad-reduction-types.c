/* Operations that the type of the variable has not. */
#define N 10

#pragma dvm array distribute[block]
double A[N];

struct pair {
    int a, b;
};

int main(void) {
    int i;
    double s = 0;
    struct pair p = {0, 0};
    const int fixed = 3;
#pragma dvm parallel([i] on A[i]) reduction(and(s))
    for (i = 0; i < N; i++)
        A[i] = 0;
#pragma dvm parallel([i] on A[i]) reduction(sum(p), sum(fixed))
    for (i = 0; i < N; i++)
        A[i] = 0;
#pragma dvm parallel([i] on A[i]) reduction(maxloc(s, p)), private(A)
    for (i = 0; i < N; i++)
        A[i] = 0;
    return p.a + fixed + (s > 0);
}

/* expect: 16:49: error: 'and' combines integers; 's' has the type 'double' */
/* expect: 19:49: error: 'p' cannot be reduced */
/* expect: 19:57: error: 'fixed' is const */
/* expect: 22:55: error: 'p' cannot hold a location */
/* expect: 22:68: error: the distributed array 'A' cannot be private */
