/* main with arguments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma dvm array distribute[block]
int *A;

int main(int count, char *words[]) {
    int n = count > 1 ? atoi(words[1]) : 3;
    long sum = 0;
    A = malloc(n * sizeof(int));
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < n; i++)
        A[i] = 3 * i;
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
    for (int i = 0; i < n; i++)
        sum += A[i];
    free(A);
    printf("%d %ld\n", count, sum);
    for (int k = 1; k < count; k++)
        printf("%s %d\n", words[k], (int)strlen(words[k]));
    printf("%d\n", words[count] == NULL);
    return 0;
}

/* arguments: 31 second-word --third=word */
