/* max and min in the forms that C programs use: if, ?:, macros, fmax and fmin. */
#include <math.h>
#include <stdio.h>

#define N 30
#define Max(a, b) ((a) > (b) ? (a) : (b))
#define Min(a, b) ((a) < (b) ? (a) : (b))

#pragma dvm array distribute[block] shadow[1]
double A[N];

int main(void) {
    double a = -1e300, b = -1e300, c = 0, d = 1e300;
    int e = 100, f = -100;
    float g = 1000.0f;
    double before = 5000;
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] = (i * 7 % N) - 11.75;
#pragma dvm parallel([i] on A[i]) reduction(max(a), max(b), max(c), max(before), max(f)) \
    reduction(min(d), min(e), min(g)), shadow_renew(A)
        for (int i = 1; i < N - 1; i++) {
            if (a < A[i])
                a = A[i];
            b = Max(b, A[i] - A[i - 1]);
            c = fmax(fabs(A[i + 1]), c);
            d = Min(A[i] * i, d);
            e = (int)A[i] < e ? (int)A[i] : e;
            f = f > i ? f : i;
            g = fminf(g, (float)A[i]);
            before = Max(A[i], before);
        }
    }
#pragma dvm get_actual(a, b, c, d, e, f, g, before)
    printf("%.17g %.17g %.17g %.17g %d %d %.9g %.17g\n", a, b, c, d, e, f, g, before);
    return 0;
}
