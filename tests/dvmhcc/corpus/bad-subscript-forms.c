/* Subscripts right of `on` that are no a * index + b. */
#define N 10

#pragma dvm array distribute[block][block]
double A[N][N];

int main(void) {
    int i, j;
#pragma dvm parallel([i][j] on A[i + j][j])
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            A[i][j] = 0;
#pragma dvm parallel([i][j] on A[i / 2][j])
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            A[i][j] = 0;
#pragma dvm parallel([i][j] on A[0 * i][j])
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            A[i][j] = 0;
#pragma dvm parallel([i][j] on A[i][i])
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            A[i][j] = 0;
#pragma dvm parallel([i][i] on A[i][])
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            A[i][j] = 0;
    return 0;
}

/* expect: 9:34: error: expected the form a * index + b with one index, got 'i + j' */
/* expect: 13:34: error: expected the form a * index + b with one index, got 'i / 2' */
/* expect: 17:34: error: the coefficient of 'i' is 0 */
/* expect: 21:36: error: index 'i' is used twice after 'on' */
/* expect: 25:26: error: index 'i' stands here twice */
