/* Macros in directives: sizes, widths, names, whole clauses and whole directives. */
#include <stdio.h>

#define N           12
#define BLOCKS      [block][block]
#define WIDTH       2
#define DATA        A
#define INDEX(x)    x[i][j]
#define LOOP        parallel([i][j] on INDEX(A))
#define MAXIMUM(x)  reduction(max(x))
#define DIRECTIVE   array align([i][j] with A[i][j])
#define RENEW(x, w) shadow_renew(x[w:w][w:w])

#pragma dvm array distribute BLOCKS shadow[WIDTH:WIDTH - 1][WIDTH]
double DATA[N][N];
#pragma dvm DIRECTIVE
double B[N][N];

int main(void) {
    int i, j;
    double largest = 0;
#pragma dvm region out(DATA, B)
    {
#pragma dvm LOOP
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++)
                INDEX(A) = (i + 3 * j) % 8;
#pragma dvm LOOP MAXIMUM(largest) RENEW(A, 1)
        for (i = 1; i < N - 1; i++)
            for (j = 1; j < N - 1; j++) {
                INDEX(B) = A[i - 1][j] + A[i][j + 1];
                largest = INDEX(B) > largest ? INDEX(B) : largest;
            }
    }
#pragma dvm get_actual(largest)
    printf("%.17g\n", largest);
    return 0;
}
