/* Names in `parallel` that are not the variables of its loops. */
#define N 10

#pragma dvm array distribute[block][block]
double A[N][N];

int main(void) {
    int i, j, k = 0;
#pragma dvm parallel([i][k] on A[i][k])
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            A[i][j] = 0;
#pragma dvm parallel([j][i] on A[j][i])
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            A[i][j] = 0;
    return k;
}

/* expect: 9:26: error: 'k' is not the variable of loop 2 of the nest, which is 'j' */
/* expect: 13:23: error: 'j' is not the variable of loop 1 of the nest, which is 'i' */
/* expect: 13:26: error: 'i' is not the variable of loop 2 */
