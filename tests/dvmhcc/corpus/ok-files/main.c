/* Several files: arrays declared in a header, defined in one file, used in all; functions with distributed parameters; static
 * arrays and loops of the same names in each. */
#include <stdio.h>

#include "shared.h"

#pragma dvm array distribute[block][block] shadow[1][1:1]
double A[N][M];

#pragma dvm array distribute[block]
static int kept[N];

static int sum_kept(void) {
    int sum = 0;
#pragma dvm parallel([i] on kept[i]) reduction(sum(sum))
    for (int i = 0; i < N; i++)
        sum += kept[i] * i;
    return sum;
}

int main(void) {
    double largest = 0;
    int i, j;
    allocate(13);
#pragma dvm parallel([i] on kept[i])
    for (i = 0; i < N; i++)
        kept[i] = i;
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                A[i][j] = value(i, j);
    }
    smooth(B, A);
    smooth(A, B);
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j]) reduction(max(largest))
        for (i = 0; i < N; i++)
            for (j = 0; j < M; j++)
                largest = A[i][j] > largest ? A[i][j] : largest;
    }
#pragma dvm get_actual(largest)
    const int mine = sum_kept();
    printf("%.17g %d\n", largest, mine);
    printf("%d\n", others());
    release();
    return 0;
}
