/* Input from the standard input, by scanf and by lines. */
#include <stdio.h>
#include <stdlib.h>

#pragma dvm array distribute[block]
double *A;

int main(void) {
    int n, read;
    char line[80], word[20];
    double x, largest = -1e9;
    if (fgets(line, sizeof line, stdin) == NULL || sscanf(line, "size %d", &n) != 1)
        return 1;
    A = malloc(sizeof(double) * n);
    for (int i = 0; i < n; i++) {
        if (scanf("%lf", &x) != 1)
            return 2;
        A[i] = x;
    }
    read = scanf("%19s", word);
    printf("%d %s %d", read, word, getchar() == '\n');
    printf(" %d\n", feof(stdin) != 0 || getc(stdin) == EOF);
#pragma dvm parallel([i] on A[i]) reduction(max(largest))
    for (int i = 0; i < n; i++)
        largest = A[i] > largest ? A[i] : largest;
    printf("%.17g\n", largest);
    free(A);
    return 0;
}
