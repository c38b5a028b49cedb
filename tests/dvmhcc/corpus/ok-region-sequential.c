/* Statements between the loops of a region, loops around them, and what they change. */
#include <stdio.h>

#define N 18

#pragma dvm array distribute[block]
double A[N];
double history[6];

int main(void) {
    double factor = 1, largest = 0;
    int step, count = 0;
#pragma dvm region
    {
        factor = 0.5;
        double add = 0.25;
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] = i;
        for (step = 0; step < 6; step++) {
            largest = 0;
#pragma dvm parallel([i] on A[i]) reduction(max(largest))
            for (int i = 0; i < N; i++) {
                A[i] = A[i] * factor + add * step;
                largest = A[i] > largest ? A[i] : largest;
            }
            history[step] = largest;
            if (step % 2 == 0) {
                factor += 0.125;
                count++;
            } else {
                add = -add;
            }
        }
    }
#pragma dvm get_actual(history, factor, count, largest)
    for (int k = 0; k < 6; k++)
        printf("%.17g ", history[k]);
    printf("%.17g %d %.17g %d\n", factor, count, largest, step);
    return 0;
}
