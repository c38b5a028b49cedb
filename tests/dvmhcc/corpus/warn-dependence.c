/* Dependences that no across declares: to a neighbour, to a corner, over two elements. */
#define N 10

#pragma dvm array distribute[block][block]
double A[N][N];

int main(void) {
    int i, j;
#pragma dvm parallel([i][j] on A[i][j])
    for (i = 1; i < N; i++)
        for (j = 0; j < N; j++)
            A[i][j] = A[i - 1][j];
#pragma dvm parallel([i][j] on A[i][j]) across(A[1:0][0:0])
    for (i = 2; i < N; i++)
        for (j = 0; j < N; j++)
            A[i][j] = A[i - 2][j];
    return 0;
}

/* expect: 12:23: warning: iterations depend on each other by (1,0) */
/* expect: 16:23: warning: iterations depend on each other by (2,0) */
