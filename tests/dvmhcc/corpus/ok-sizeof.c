/* sizeof of arrays, of rows and elements, of rows that are allocated, of ordinary things beside them. */
#include <stdio.h>
#include <stdlib.h>

#define M 6

#pragma dvm array distribute[block]
short A[M];
#pragma dvm array distribute[block][*]
float (*B)[M];

#pragma dvm array distribute[block][block]
double D[3][M];

int main(void) {
    int n = 4;
    float largest = 0;
    B = malloc(n * sizeof(*B));
#pragma dvm parallel([i][j] on B[i][j])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < M; j++)
            B[i][j] = (float)(i * M + j);
#pragma dvm parallel([i][j] on B[i][j]) reduction(max(largest))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < M; j++)
            largest = B[i][j] > largest ? B[i][j] : largest;
    free(B);
    printf("%d %d %d %d\n", (int)sizeof A, (int)(sizeof(A) / sizeof(A[0])), (int)sizeof(D),
           (int)(sizeof D[0] / sizeof(*D[0])));
    printf("%d %d %d %g\n", (int)sizeof A[0], (int)sizeof(B[0][0]), (int)sizeof(int[M]), largest);
    return 0;
}
