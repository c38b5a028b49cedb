/* Nests that are too shallow, or not tight. */
#define N 10

#pragma dvm array distribute[block][block]
double A[N][N];

int main(void) {
    int i, j;
    double x;
#pragma dvm parallel([i][j] on A[i][j])
    for (i = 0; i < N; i++)
        A[i][0] = 0;
#pragma dvm parallel([i][j] on A[i][j]) private(x)
    for (i = 0; i < N; i++) {
        x = i;
        for (j = 0; j < N; j++)
            A[i][j] = x;
    }
    return 0;
}

/* expect: 12:9: error: 'parallel' is for 2 nested loops, but only 1 stands here */
/* expect: 15:9: error: statements between the loops of a parallel nest */
