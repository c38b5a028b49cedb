/* Loops of regions that GPUs cannot run, each for another reason. They run on the host, and the program does what it should. */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 12

/* expect: 56:21: warning: 'strtol' is not known to be callable from a parallel loop */
/* expect: 81:21: warning: a parallel loop calls a function by pointer; it runs on the host only */
/* expect: 46:25: warning: the parallel loop in line 44 does not run on GPUs: the pointer 'given': how much there is where it po */
/* expect: 50:17: warning: the parallel loop in line 47 does not run on GPUs: goto and labels */
/* expect: 56:21: warning: the parallel loop in line 54 does not run on GPUs: the function 'strtol' of the C library, which GPUs */
/* expect: 59:13: warning: the parallel loop in line 57 does not run on GPUs: the array 'some', whose size is not constant */
/* expect: 33:42: warning: the parallel loop in line 63 does not run on GPUs: 'counted' uses the variable 'factor', which is no  */
/* expect: 68:20: warning: the parallel loop in line 66 does not run on GPUs: complex numbers */
/* expect: 73:29: warning: the parallel loop in line 71 does not run on GPUs: 'long double': numbers wider than double, or of ha */
/* expect: 76:36: warning: the parallel loop in line 74 does not run on GPUs: initialisers that say which element, or part of a  */
/* expect: 81:21: warning: the parallel loop in line 79 does not run on GPUs: a call by a pointer to a function */
/* expect: 84:21: warning: the parallel loop in line 82 does not run on GPUs: a pointer inside of a structure */

#pragma dvm array distribute[block]
double A[N];

static double factor = 2;
static double values[2] = {3, 4};
static struct holder {
    double *first;
} holder = {values};

static double twice(double x) { return x * 2; }

static double counted(double x) { return factor * x; }

int main(void) {
    double *given = malloc(sizeof *given), sum = 0;
    double (*function)(double) = twice;
    int n = 3;
    if (given == NULL)
        return 1;
    *given = 1;
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] = i + *given;
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++) {
            if (i > 3)
                goto end;
            A[i] += 1;
        end:;
        }
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] += strtol("12", NULL, 10);
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++) {
            double some[n];
            some[i % n] = i;
            A[i] += some[i % n];
        }
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] += counted(i);
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++) {
            double complex z = i + 2.0 * I;
            A[i] += creal(z * z);
        }
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] += (double)((long double)A[i] / 4);
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++) {
            const double some[4] = {[2] = 1};
            A[i] += some[i % 4];
        }
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] += function(i);
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] += holder.first[i % 2];
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
        for (int i = 0; i < N; i++)
            sum += A[i] * i;
    }
#pragma dvm get_actual(sum)
    printf("%.17g\n", sum);
    free(given);
    return 0;
}
