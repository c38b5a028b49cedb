/* Input straight into elements. */
#include <stdio.h>

#define N 4

#pragma dvm array distribute[block]
double A[N];
#pragma dvm array distribute[block][*]
int B[N][2];

int main(void) {
    double sum = 0;
    for (int i = 0; i < N; i++)
        B[i][0] = B[i][1] = -i;
    for (int i = 0; i < N; i++)
        if (scanf("%lf %d", &A[i], &B[i][i % 2]) != 2)
            return 1;
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
    for (int i = 0; i < N; i++)
        sum += A[i] * (i + 1);
#pragma dvm remote_access(B[][])
    {
        for (int i = 0; i < N; i++)
            printf("%d %d\n", B[i][0], B[i][1]);
    }
    printf("%.17g\n", sum);
    return 0;
}
