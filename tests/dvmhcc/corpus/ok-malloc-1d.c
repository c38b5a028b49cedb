/* A vector that is allocated while the program runs. */
#include <stdio.h>
#include <stdlib.h>

#pragma dvm array distribute[block]
double *A;

int main(void) {
    int n = 25;
    double smallest = 100;
    A = malloc(n * sizeof(double));
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < n; i++)
            A[i] = (i - 10.5) * (i - 10.5);
#pragma dvm parallel([i] on A[i]) reduction(min(smallest))
        for (int i = 0; i < n; i++)
            if (A[i] + i < smallest)
                smallest = A[i] + i;
    }
#pragma dvm get_actual(smallest)
    printf("%.17g\n", smallest);
    free(A);
    return 0;
}
