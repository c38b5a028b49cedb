/* A break of an inner loop that is the whole body of a parallel one. */
#include <stdio.h>
#pragma dvm array distribute[block]
int A[10];
int main(void) {
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < 5; k++)
            if (k == 3)
                break;
            else
                A[i] = k;
#pragma dvm get_actual(A)
#pragma dvm remote_access(A[4])
    {
        printf("%d\n", A[4]);
    }
    return 0;
}
