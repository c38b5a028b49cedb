/* Functions called from loops: of this file, of the mathematical library, one by another; pure ones, and ones with pointers to
 * scalars of the body. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 25

#pragma dvm array distribute[block]
double A[N];
#pragma dvm array align([i] with A[i])
int B[N];

static double square(double x) { return x * x; }

static double distance(double x, double y) { return sqrt(square(x) + square(y)); }

static int digits(int n) {
    int count = 1;
    while (n >= 10) {
        n /= 10;
        count++;
    }
    return count;
}

static void split(double x, int *whole, double *rest) {
    *whole = (int)floor(x);
    *rest = x - *whole;
}

int main(void) {
    double largest = 0;
    long sum = 0;
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++) {
            double rest;
            int whole;
            split(distance(i, 7), &whole, &rest);
            A[i] = rest + fabs(-2.0) + pow(2, i % 3);
            B[i] = whole + digits(i * 20) - abs(3 - i);
        }
#pragma dvm parallel([i] on A[i]) reduction(max(largest), sum(sum))
        for (int i = 0; i < N; i++) {
            largest = fmax(largest, A[i]);
            sum += B[i] * (i + 1);
        }
    }
#pragma dvm get_actual(largest, sum)
    printf("%.17g %ld\n", largest, sum);
    return 0;
}
