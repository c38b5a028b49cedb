/* Loops of one iteration, and arrays of one element. */
#include <stdio.h>

#pragma dvm array distribute[block]
int A[1];
#pragma dvm array distribute[block][block]
int B[1][7];

int main(void) {
    int i, j, sum = 0;
#pragma dvm parallel([i] on A[i])
    for (i = 0; i < 1; i++)
        A[i] = 5;
#pragma dvm parallel([i][j] on B[i][j])
    for (i = 0; i < 1; i++)
        for (j = 6; j >= 6; j--)
            B[i][j] = 8;
#pragma dvm parallel([i][j] on B[i][j]) across(B[0:0][0:1])
    for (i = 0; i <= 0; i++)
        for (j = 5; j >= 0; j--)
            B[i][j] = B[i][j + 1] + 1;
#pragma dvm parallel([i][j] on B[i][j]) reduction(sum(sum))
    for (i = 0; i < 1; i++)
        for (j = 0; j < 7; j++)
            sum += B[i][j] * (j + 1);
#pragma dvm remote_access(A[0])
    {
        printf("%d %d\n", A[0], sum);
    }
    return 0;
}
