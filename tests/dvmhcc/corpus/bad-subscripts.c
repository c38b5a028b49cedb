/* Too few subscripts in a loop. */
#define N 10

#pragma dvm array distribute[block][block]
double A[N][N];

int main(void) {
    int i, j;
    double x = 0;
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(x))
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            x += *A[i];
    return x > 0;
}

/* expect: 13:19: error: the distributed array 'A' has 2 axes, but 1 subscript stands here */
