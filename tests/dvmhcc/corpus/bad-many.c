/* Errors of many kinds in one file: all are told in one go, in the order of the passes or of the text. */
#define N 10

#pragma dvm array distribute[blck]
double A[N];
#pragma dvm array distribute[block] shadow[1:1]
double B[N];

int main(void) {
    double s = 0;
#pragma dvm regoin
    {
    }
#pragma dvm parallel([i] on B[i]) reducton(sum(s))
    for (int i = 0; i < N; i++)
        s += B[i];
#pragma dvm parallel([i] on C[i])
    for (int i = 0; i < N; i++)
        B[i] = s;
#pragma dvm shadow_renew(B, )
    return 0;
}

/* expect: 4:30: error: unknown distribution 'blck'; did you mean 'block'? */
/* expect: 11:13: error: unknown directive 'regoin'; did you mean 'region'? */
/* expect: 14:35: error: unknown clause 'reducton' of 'parallel'; did you mean 'reduction'? */
/* expect: 17:29: error: unknown name 'C' */
/* expect: 20:29: error: expected the name of an array, got ')' */
