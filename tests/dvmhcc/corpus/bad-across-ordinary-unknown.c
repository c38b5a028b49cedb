/* across of an ordinary array whose dependences the compiler cannot find. */
#define N 10

double V[N][N];
int number[N];

int main(void) {
#pragma dvm parallel([i][j]) tie(V[i][j]) across(V[1:0][1:0])
    for (int i = 1; i < N; i++)
        for (int j = 1; j < N; j++)
            V[i][j] = V[number[i]][number[j]];
    return 0;
}

/* expect: 11:23: error: where V[i][j] and V[number[i]][number[j]] meet is not known here, as it must be in a loop with across of the ordinary array 'V' */
