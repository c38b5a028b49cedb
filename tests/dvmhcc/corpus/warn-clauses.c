/* What is likely a mistake, but does no harm. */
#define N 10

#pragma dvm array distribute[block][block]
double A[N][N];

#pragma dvm inherit(a, b, a)
void function(double *a, double *b);

int main(void) {
    int i, j;
    double x;
#pragma dvm parallel([i][j] on A[i][j]) private(x, x), private(j)
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
            x = i;
            A[i][j] = x;
        }
#pragma dvm parallel([i][j] on A[i][])
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            A[i][j] = 0;
    return 0;
}

/* expect: 7:27: warning: 'a' stands here twice */
/* expect: 13:52: warning: 'x' stands in 'private' twice */
/* expect: 13:64: warning: loop variable 'j' is private anyway */
/* expect: 19:26: warning: index 'j' is not used after 'on': every process runs all its iterations */
