/* Bodies that change what their loop counts with. */
#define N 10

#pragma dvm array distribute[block][block]
double A[N][N];

int main(void) {
    int i, j, n = N;
#pragma dvm parallel([i][j] on A[i][j])
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
            A[i][j] = 0;
            i++;
        }
#pragma dvm parallel([i][j] on A[i][j])
    for (i = 0; i < N; i++)
        for (j = i; j < N; j++)
            A[i][j] = 0;
#pragma dvm parallel([i][j] on A[i][j]) private(n)
    for (i = 0; i < n; i++)
        for (j = 0; j < N; j++) {
            n = j;
            A[i][j] = n;
        }
    return 0;
}

/* expect: 13:13: error: the index 'i' of a parallel loop is changed in its body */
/* expect: 17:18: error: bounds and steps of a parallel loop must not depend on its indices */
/* expect: 20:21: error: the loop changes this variable, on which its bounds or steps depend */
