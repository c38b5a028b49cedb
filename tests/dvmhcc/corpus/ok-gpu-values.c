/* Elements that are read behind stores of the same iteration: own ones that have changed since or not, by conditions, by other subscripts that
 * may or may not be the same; behind jumps; of several types; in loops with dependences; and of an array that a function is given twice. */
#include <stdio.h>

#define N 37

#pragma dvm array distribute[block][]
double V[N][4];
#pragma dvm array align([i][j] with V[i][j])
double U[N][4];
#pragma dvm array align([i] with V[i][])
float F[N];
#pragma dvm array align([i] with V[i][])
int I[N];
#pragma dvm array distribute[block][block][]
double W[N][N][2];

#pragma dvm inherit(a, b)
static void chain(double (*a)[4], double (*b)[4]) {
#pragma dvm region
    {
#pragma dvm parallel([i] on a[i][]) across(a [1:0] [0:0])
        for (int i = 1; i < N; i++) {
            a[i][0] = a[i - 1][0] * .5 + i;
            a[i][1] += b[i][0];
            a[i][2] -= b[i][1] + a[i - 1][1];
        }
    }
}

int main(void) {
    double sum = 0;
#pragma dvm region
    {
#pragma dvm parallel([i] on V[i][])
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < 4; k++) {
                V[i][k] = i + 10 * k;
                U[i][k] = i - 7 * k;
            }
            F[i] = (float)i / 3;
            I[i] = i * 17;
        }
#pragma dvm parallel([i][j] on W[i][j][])
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                W[i][j][0] = (i * 13 + j * 7) % 11;
                W[i][j][1] = (i * 5 + j * 3) % 17;
            }
    }
#pragma dvm region
    {
#pragma dvm parallel([i] on V[i][])
        for (int i = 0; i < N; i++) {
            V[i][0] -= .25;
            V[i][1] *= V[i][0];
            (V[i][0]) += V[i][2] = V[i][0] + V[i][1];
            if (i % 3 == 0)
                V[i][1] = V[i][0] + 7;
            V[i][2] += V[i][1];
            if (i % 2 == 0)
                V[i][3] /= 3;
            V[i][3] += V[i][2];
        }
#pragma dvm parallel([i] on U[i][])
        for (int i = 0; i < N; i++) {
            U[i][i % 4] = 5;
            U[i][3] += 1;
            U[i][0] -= U[i][3];
        }
#pragma dvm parallel([i] on F[i])
        for (int i = 0; i < N; i++) {
            F[i] /= 3;
            F[i] += .1;
            F[i] = F[i] * F[i] - 1e-9;
            I[i] %= 50;
            I[i] <<= 2;
            I[i] |= 1;
            I[i] ^= I[i] >> 3;
        }
#pragma dvm parallel([i][j] on W[i][j][]) across(W [1:1] [1:1] [0:0])
        for (int i = 1; i < N - 1; i++)
            for (int j = N - 2; j > 0; j--) {
                W[i][j][0] = .25 * (W[i - 1][j][0] + W[i + 1][j][0] + W[i][j - 1][0] + W[i][j + 1][0]);
                W[i][j][1] -= .5 * (W[i - 1][j][1] + W[i][j - 1][0]);
                W[i][j][1] = W[i][j][1] * .5 + W[i + 1][j][1] * .125 + W[i][j][0];
            }
        /* Behind jumps: what is left out at the edges does not exist. */
#pragma dvm parallel([i] on V[i][]) across(V [0:1] [0:0])
        for (int i = 0; i < N; i++)
            do {
                V[i][3] += 1;
                if (i == N - 1)
                    break;
                V[i][3] += V[i + 1][3];
            } while (0);
#pragma dvm parallel([i] on U[i][]) across(U [0:1] [0:0])
        for (int i = 0; i < N; i++) {
            int again = 0;
            do {
                U[i][1] += again++;
                if (i == N - 1)
                    continue;
                U[i][1] += U[i + 1][1];
            } while (again < 2);
        }
    }
    chain(V, U);
    chain(U, U);
#pragma dvm get_actual(V, U, F, I, W)
#pragma dvm remote_access(V[][], U[][], F[], I[], W[][][])
    {
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < 4; k++)
                sum += V[i][k] * (k + 1) + U[i][k] * (k + 5);
            sum += F[i] + I[i];
            for (int j = 0; j < N; j++)
                sum += W[i][j][0] * (i + 1) + W[i][j][1] * (j + 1);
            if (i % 12 == 5)
                printf("%d %.17g %.17g %.17g %.17g %.9g %d %.17g\n", i, V[i][0], V[i][2], V[i][3], U[i][2],
                       (double)F[i], I[i], W[i][5][1]);
        }
        printf("%.17g\n", sum);
    }
    return 0;
}
