/* Control inside of bodies: if, switch, while, do, continue and break of inner loops. */
#include <stdio.h>

#define N 40

#pragma dvm array distribute[block]
int A[N];

int main(void) {
    long sum = 0;
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++) {
            int n = i + 1, steps = 0;
            while (n != 1) {
                if (n % 2 == 0)
                    n /= 2;
                else
                    n = 3 * n + 1;
                steps++;
            }
            do {
                steps += 2;
            } while (steps < 10);
            switch (i % 5) {
            case 0:
                A[i] = steps;
                break;
            case 1:
            case 2:
                A[i] = -steps;
                break;
            default:
                A[i] = 0;
                for (int k = 0; k < steps; k++) {
                    if (k % 3 == 0)
                        continue;
                    if (k > 50)
                        break;
                    A[i] += k;
                }
            }
        }
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
        for (int i = 0; i < N; i++) {
            if (A[i] < 0)
                continue;
            sum += (long)A[i] * (i + 1);
        }
    }
#pragma dvm get_actual(sum, A)
    printf("%ld\n", sum);
    for (int i = 0; i < N; i++) {
#pragma dvm remote_access(A[i])
        {
            printf("%d%s", A[i], i == N - 1 ? "\n" : " ");
        }
    }
    return 0;
}
