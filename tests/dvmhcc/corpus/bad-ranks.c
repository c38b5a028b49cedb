/* Directives whose brackets do not fit the array that was declared. */
#define N 10

#pragma dvm array distribute[block]
double A[N][N];
#pragma dvm array distribute[block][*]
double B[N][N];
#pragma dvm array align([i] with B[i])
double C[N];

int main(void) {
    int i, j;
#pragma dvm parallel([i] on B[i]) private(j)
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            B[i][j] = 0;
#pragma dvm parallel([i][j] on B[i][j]) across(B[1:0][1:0]) shadow_renew(C[1:0][1:0])
    for (i = 1; i < N; i++)
        for (j = 1; j < N; j++)
            B[i][j] = B[i - 1][j] + B[i][j - 1];
#pragma dvm redistribute(B[block])
#pragma dvm parallel([i][j] on B[i][j]) across(B[1:0][1:0][1:0])
    for (i = 1; i < N; i++)
        for (j = 1; j < N; j++)
            B[i][j] = 0;
#pragma dvm get_actual(B[0])
    return 0;
}

/* expect: 4:13: error: 'A' has 2 axes, but the directive is for 1 */
/* expect: 8:34: error: 'B' has 2 axes, but 1 pair of brackets stands here */
/* expect: 13:29: error: 'B' has 2 axes, but 1 pair of brackets stands here */
/* expect: 17:74: error: 'C' has 1 axis, but 2 pairs of brackets stand here */
/* expect: 21:26: error: 'B' has 2 axes, but 1 pair of brackets stands here */
/* expect: 22:48: error: 'B' has 3 subscripts here, but 2 before in this directive */
/* expect: 26:24: error: 'B' has 2 axes, but 1 pair of brackets stands here */
