/* Loops of regions that GPUs cannot run, each for another reason. They run on the host, and the program does what it should. */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 12

/* expect: 60:21: warning: 'strtol' is not known to be callable from a parallel loop */
/* expect: 85:21: warning: a parallel loop calls a function by pointer; it runs on the host only */
/* expect: 50:25: warning: the parallel loop in line 48 does not run on GPUs: the pointer 'given': how much there is where it po */
/* expect: 54:17: warning: the parallel loop in line 51 does not run on GPUs: goto and labels */
/* expect: 60:21: warning: the parallel loop in line 58 does not run on GPUs: the function 'strtol' of the C library, which GPUs */
/* expect: 63:13: warning: the parallel loop in line 61 does not run on GPUs: the array 'some', whose size is not constant */
/* expect: 37:42: warning: the parallel loop in line 67 does not run on GPUs: 'counted' uses the variable 'factor', which is no  */
/* expect: 72:20: warning: the parallel loop in line 70 does not run on GPUs: complex numbers */
/* expect: 77:29: warning: the parallel loop in line 75 does not run on GPUs: 'long double': numbers wider than double, or of ha */
/* expect: 80:36: warning: the parallel loop in line 78 does not run on GPUs: initialisers that say which element, or part of a  */
/* expect: 85:21: warning: the parallel loop in line 83 does not run on GPUs: a call by a pointer to a function */
/* expect: 88:21: warning: the parallel loop in line 86 does not run on GPUs: a pointer inside of a structure */
/* expect: 92:21: warning: the parallel loop in line 89 does not run on GPUs: arithmetic on a value of enum type, which is u */
/* expect: 96:21: warning: the parallel loop in line 94 does not run on GPUs: sizeof of an expression, whose type may be anot */

#pragma dvm array distribute[block]
double A[N];

static double factor = 2;
static double values[2] = {3, 4};
static struct holder {
    double *first;
} holder = {values};

enum step { ONE = 1, TWO };

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
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++) {
            enum step step = i % 2 ? TWO : ONE;
            A[i] += step - 2 > 0;
        }
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] += sizeof(i < 3);
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
        for (int i = 0; i < N; i++)
            sum += A[i] * i;
    }
#pragma dvm get_actual(sum)
    printf("%.17g\n", sum);
    free(given);
    return 0;
}
