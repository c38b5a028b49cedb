/* Clauses of `parallel` with wrong contents. */
#define N 10

#pragma dvm array distribute[block]
double A[N];

int main(void) {
    double s = 0, t = 0;
    int x;
#pragma dvm parallel([i] on A[i]) reduction(summ(s))
    for (int i = 0; i < N; i++)
        s += A[i];
#pragma dvm parallel([i] on A[i]) reduction(sum(s), max(s))
    for (int i = 0; i < N; i++)
        s += A[i];
#pragma dvm parallel([i] on A[i]) reduction(sum(s)) private(s)
    for (int i = 0; i < N; i++)
        s += A[i];
#pragma dvm parallel([i] on A[i]) reduction(sum(i))
    for (int i = 0; i < N; i++)
        A[i] = 0;
#pragma dvm parallel([i] on A[i]) cuda_block(32, 8) stage(-2)
    for (int i = 0; i < N; i++)
        A[i] = 0;
#pragma dvm parallel([i] on A[i]) across(A[-1]) private()
    for (int i = 0; i < N; i++)
        A[i] = 0;
#pragma dvm parallel([i] on A[i]) shadow_renew(A(conner))
    for (int i = 0; i < N; i++)
        A[i] = 0;
#pragma dvm parallel([i] on A[i]) reduction(maxloc(t))
    for (int i = 0; i < N; i++)
        A[i] = 0;
#pragma dvm parallel([i] on A[i]) private(x t)
    for (int i = 0; i < N; i++)
        A[i] = 0;
    x = (int)t;
    return x;
}

/* expect: 10:45: error: unknown reduction operation 'summ'; did you mean 'sum'? */
/* expect: 13:57: error: 's' is reduced twice */
/* expect: 16:61: error: 's' cannot be private and reduced */
/* expect: 19:49: error: loop variable 'i' cannot be reduced */
/* expect: 22:50: error: 'cuda_block' has 2 dims, but the loop nest has 1 */
/* expect: 22:59: error: the number of stages must be at least 0, got -2 */
/* expect: 25:44: error: a width must not be negative, got -1 */
/* expect: 25:57: error: expected the name of a variable, got ')' */
/* expect: 28:50: error: expected 'corner', got 'conner' */
/* expect: 31:53: error: expected the form maxloc(x, location) or maxloc(x, location, size) */
/* expect: 34:45: error: expected ',' or ')', got 't' */
