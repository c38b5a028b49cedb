/* A parallel loop in a parallel loop. */
#define N 10

#pragma dvm array distribute[block][block]
double A[N][N];

int main(void) {
    int i;
#pragma dvm parallel([i] on A[i][])
    for (i = 0; i < N; i++) {
#pragma dvm parallel([j] on A[i][j])
        for (int j = 0; j < N; j++)
            A[i][j] = 0;
    }
    return 0;
}

/* expect: 11:13: error: 'parallel' inside of a parallel loop */
