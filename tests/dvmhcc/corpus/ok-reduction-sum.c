/* sum: of int, long, float and double, in all spellings. The values are exact, so that the order does not matter. */
#include <stdio.h>

#define N 40

#pragma dvm array distribute[block]
double A[N];

int main(void) {
    int count = 3;
    long total = 0;
    float half = 1.5f;
    double all = 0;
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] = i * 0.25 - 2;
#pragma dvm parallel([i] on A[i]) reduction(sum(count), sum(total), sum(half)), reduction(sum(all))
        for (int i = 0; i < N; i++) {
            count++;
            total -= 2 * i;
            half = half + (float)A[i];
            all = A[i] * i + all;
            if (i % 2 == 0)
                all += 1;
        }
    }
#pragma dvm get_actual(count, total, half, all)
    printf("%d %ld %.9g %.17g\n", count, total, half, all);
    return 0;
}
