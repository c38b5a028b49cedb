/* across of ordinary arrays that cannot be. */
#define N 10

double V[N], W[N][N];
int index_of[N];
#pragma dvm array distribute[block]
double D[N];

int main(void) {
#pragma dvm parallel([i]) across(V[1:0])
    for (int i = 1; i < N; i++)
        V[i] = V[i - 1];
#pragma dvm parallel([i][j]) tie(W[i][j]) across(W)
    for (int i = 1; i < N; i++)
        for (int j = 1; j < N; j++)
            W[i][j] = W[i - 1][j];
#pragma dvm parallel([i] on D[i]) tie(V[i]) across(V[1:0])
    for (int i = 1; i < N; i++)
        V[i] = V[i - 1];
    return 0;
}

/* expect: 10:34: error: 'V' is not a distributed array; across of an ordinary one needs tie(V[..]) */
/* expect: 13:50: error: across of the ordinary array 'W' needs widths for each of its 2 axes */
/* expect: 17:52: error: across of the ordinary array 'V' in a loop with `on` */
