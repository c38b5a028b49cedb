/* Elements farther from the own one than shadow edges reach, and written ones that are not the own: told along distributed axes, unless across
   or remote_access speak of them. */
#define N 12

#pragma dvm array distribute[block][block] shadow[1:2][1]
double A[N][N];
#pragma dvm array distribute[block][*]
double B[N][N];
#pragma dvm array align([i] with A[2 * i][0]) shadow[1:1]
double C[N / 2];
#pragma dvm array align([i][j] with A[j][i])
double D[N][N];
#pragma dvm array distribute[block][*], dynamic
double E[N][N];
#pragma dvm array align([i][j] with B[i][j])
double F[N][N];
#pragma dvm array distribute[multblock(4)] shadow[0]
double G[N]; /* neighbours within a block stay together */

int main(void) {
    int i, j, k = 3;
#pragma dvm parallel([i][j] on A[i][j])
    for (i = 2; i < N - 2; i++)
        for (j = 2; j < N - 2; j++)
            A[i][j] = D[j][i + 1] + D[j - 1][i] + D[j][i - 1] + D[j - 2][i];
#pragma dvm parallel([i][j] on B[i][j]) remote_access(A[i - 3][j])
    for (i = 3; i < N - 3; i++)
        for (j = 3; j < N - 3; j++)
            F[i][j] = B[i][j - 3] + B[i - 1][j] + A[i - 3][j];
#pragma dvm parallel([i][j] on B[i][j])
    for (i = 3; i < N - 3; i++)
        for (j = 3; j < N - 3; j++)
            F[i][j] = B[i + 2][j] + B[i - 3][j] + B[i][k];
#pragma dvm parallel([i] on A[2 * i + 2][0])
    for (i = 0; i < N / 2 - 1; i++)
        C[i + 1] = A[2 * i + 1][0] + A[2 * i + 4][0] + A[2 * i][0];
#pragma dvm parallel([i] on E[i][0])
    for (i = 3; i < N; i++)
        E[i][0] = E[i - 3][1];
#pragma dvm parallel([i] on B[i][0]) across(B[3:0][0])
    for (i = 3; i < N; i++)
        B[i][0] = B[i - 3][0];
#pragma dvm parallel([i] on G[4 * i])
    for (i = 0; i < N / 4; i++)
        G[4 * i] = G[4 * i + 1];
#pragma dvm parallel([i][j] on B[i][j])
    for (i = 1; i < N; i++)
        for (j = 0; j < N - 1; j++)
            F[i - 1][j + 1] = B[i][j];
#pragma dvm parallel([i] on B[i][0]) across(out: B[0:1][0])
    for (i = 0; i < N - 1; i++)
        B[i + 1][1] = B[i][0];
#pragma dvm parallel([i] on A[2 * i][0])
    for (i = 0; i < N / 2; i++)
        C[i] = 1, A[2 * i][5] += 2;
    return 0;
}

/* expect: 25:65: warning: D[j - 2][i] lies 2 before the element of its iteration along axis 1, where the shadow edges of 'D' reach 1 */
/* expect: 33:23: warning: B[i + 2][j] lies 2 after the element of its iteration along axis 1, where the shadow edges of 'B' reach 1 */
/* expect: 36:56: warning: A[2*i][0] lies 2 before the element of its iteration along axis 1, where the shadow edges of 'A' reach 1 */
/* expect: 49:13: warning: F[i - 1][j + 1] is written and lies 1 before the element of its iteration along axis 1: as arrays are declared here */
