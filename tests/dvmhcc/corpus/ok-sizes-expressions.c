/* Sizes that are constant expressions, enumerators and macros; zero and negative values in bounds. */
#include <stdio.h>

enum { SIZE = 4 };
#define WIDE (SIZE * 3 + 1)
#define SQUARE(x) ((x) * (x))

#pragma dvm array distribute[block][block] shadow[SIZE / 4][0:SIZE - 3]
short A[SQUARE(SIZE)][WIDE];
#pragma dvm template[SQUARE(SIZE) + WIDE] distribute[block]
void *T;
#pragma dvm array align([i] with T[i + WIDE])
char B[sizeof(double) * 2];

int main(void) {
    long sum = 0;
#pragma dvm parallel([i][j] on A[i][j])
    for (int i = 0; i < SQUARE(SIZE); i++)
        for (int j = WIDE - 1; j > -1; j--)
            A[i][j] = (short)(i - j);
#pragma dvm parallel([i] on B[i])
    for (int i = 0; i < (int)sizeof(double) * 2; i++)
        B[i] = (char)i;
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(sum))
    for (int i = 0; i < SQUARE(SIZE); i++)
        for (int j = 0; j < WIDE; j++)
            sum += A[i][j] * (i + 2 * j);
#pragma dvm parallel([i] on B[i]) reduction(sum(sum))
    for (int i = 0; i < SQUARE(SIZE); i++)
        sum += B[i];
    printf("%ld\n", sum);
    return 0;
}
