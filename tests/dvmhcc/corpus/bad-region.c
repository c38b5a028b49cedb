/* Clauses of regions, and parts of arrays, with wrong contents. */
#define N 10

#pragma dvm array distribute[block]
double A[N];

int main(void) {
    int n = 3;
#pragma dvm region in(A[5:2])
    {}
#pragma dvm region targets(host)
    {}
#pragma dvm region targets(HOST) targets(CUDA)
    {}
#pragma dvm region in(A[n++])
    {}
#pragma dvm actual(A[1:3], A[1 n])
#pragma dvm get_actual(n, A, )
    return n;
}

/* expect: 9:25: error: the low bound 5 lies above the high bound 2 */
/* expect: 11:28: error: unknown target 'host'; did you mean 'HOST'? */
/* expect: 13:34: error: clause 'targets' stands here twice */
/* expect: 15:26: error: expected an expression that changes no variable, got '++' */
/* expect: 17:32: error: expected an operator or the expression's end, got 'n' */
/* expect: 18:30: error: expected the name of a variable, got ')' */
