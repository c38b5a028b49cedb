/* Directives that do not exist, with a hint where the word is nearly right. */
#define N 10

#pragma dvm array distribute[block]
double A[N];

int main(void) {
#pragma dvm paralel([i] on A[i])
    for (int i = 0; i < N; i++)
        A[i] = i;
#pragma dvm getactual(A)
#pragma dvm Region
    {}
#pragma dvm barrier
#pragma dvm 3
    return 0;
}

/* expect: 8:13: error: unknown directive 'paralel'; did you mean 'parallel'? */
/* expect: 11:13: error: unknown directive 'getactual'; did you mean 'get_actual'? */
/* expect: 12:13: error: unknown directive 'Region'; did you mean 'region'? */
/* expect: 14:13: error: unknown directive 'barrier' */
/* expect: 15:13: error: expected the name of a directive, got '3' */
