/* across of ordinary arrays that cannot be. */
#define N 10

double V[N], W[N][N];
int index_of[N];

int main(void) {
#pragma dvm parallel([i]) across(V[1:0])
    for (int i = 1; i < N; i++)
        V[i] = V[i - 1];
#pragma dvm parallel([i][j]) tie(W[i][j]) across(W)
    for (int i = 1; i < N; i++)
        for (int j = 1; j < N; j++)
            W[i][j] = W[i - 1][j];
    return 0;
}

/* expect: 8:34: error: 'V' is not a distributed array; across of an ordinary one needs tie(V[..]) */
/* expect: 11:50: error: across of the ordinary array 'W' needs widths for each of its 2 axes */
