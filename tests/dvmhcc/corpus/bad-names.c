/* Names that nothing declares, and names of the wrong things. */
#define N 10

#pragma dvm array distribute[block]
double A[N];
#pragma dvm template[N] distribute[block]
void *T;
double plain[N];

int main(void) {
    double x = 0;
#pragma dvm parallel([i] on B[i])
    for (int i = 0; i < N; i++)
        A[i] = 0;
#pragma dvm parallel([i] on plain[i])
    for (int i = 0; i < N; i++)
        plain[i] = 0;
#pragma dvm parallel([i] on A[i]) private(y), reduction(sum(z))
    for (int i = 0; i < N; i++)
        A[i] = x;
#pragma dvm parallel([i] on A[i]) across(plain[1:0])
    for (int i = 1; i < N; i++)
        A[i] = 1;
#pragma dvm parallel([i] on A[i]) remote_access(T[i])
    for (int i = 1; i < N; i++)
        A[i] = 1;
#pragma dvm shadow_renew(plain)
#pragma dvm redistribute(x[block])
#pragma dvm get_actual(nothing)
#pragma dvm region in(main)
    {}
    return 0;
}

/* expect: 12:29: error: unknown name 'B' */
/* expect: 15:29: error: 'plain' is not a distributed array or template */
/* expect: 18:43: error: unknown name 'y' */
/* expect: 18:61: error: unknown name 'z' */
/* expect: 21:42: error: 'plain' is not a distributed array */
/* expect: 24:49: error: 'T' is a template, which has no elements */
/* expect: 27:26: error: 'plain' is not a distributed array */
/* expect: 28:26: error: 'x' is not a distributed array or template */
/* expect: 29:24: error: unknown name 'nothing' */
/* expect: 30:23: error: 'main' is not a variable or an array */
