/* What other versions of the language have: recognised, and refused. */
#define N 10

int map[N];

#pragma dvm array distribute[indirect(map)]
double A[N];
#pragma dvm array distribute[block]
double B[N];

int main(void) {
#pragma dvm localize(map => B[:])
#pragma dvm parallel([i] on B[i]) consistent(map), shadow_compute
    for (int i = 0; i < N; i++)
        B[i] = i;
#pragma dvm shadow_renew(B["edge"])
    return 0;
}

/* expect: 6:30: error: distribution 'indirect' is not supported yet */
/* expect: 12:13: error: directive 'localize' is not supported yet */
/* expect: 13:35: error: clause 'consistent' is not supported yet */
/* expect: 13:52: error: clause 'shadow_compute' is not supported yet */
/* expect: 16:28: error: shadow edges with names are not supported yet */
