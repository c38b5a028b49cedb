/* Files of text: written, appended, read back, places in them, removed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define N 7

#pragma dvm array distribute[block]
double A[N];

int main(void) {
    FILE *file;
    double x, sum = 0;
    long place;
    int n;
    char line[60];
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < N; i++)
        A[i] = i * 1.25;
    file = fopen("numbers.txt", "w");
    if (file == NULL)
        return 1;
    fprintf(file, "%d\n", N);
    for (int i = 0; i < N; i++) {
#pragma dvm remote_access(A[i])
        {
            fprintf(file, "%g\n", A[i]);
        }
    }
    fclose(file);
    file = fopen("numbers.txt", "a");
    fputs("end of numbers\n", file);
    if (fclose(file) != 0)
        return 2;
    file = fopen("numbers.txt", "r");
    if (file == NULL || fscanf(file, "%d", &n) != 1)
        return 3;
    place = ftell(file);
    for (int i = 0; i < n; i++) {
        if (fscanf(file, "%lf", &x) != 1)
            return 4;
        A[i] = x + 1;
    }
    fgets(line, sizeof line, file);
    fgets(line, sizeof line, file);
    printf("%d %ld %s", n, place, line);
    rewind(file);
    n = fgetc(file);
    ungetc(n, file);
    printf("%c %c\n", n, fgetc(file));
    fseek(file, place, SEEK_SET);
    printf("%d\n", fscanf(file, "%lf", &x));
    fclose(file);
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
    for (int i = 0; i < N; i++)
        sum += A[i] * (i + 1);
    printf("%g %g\n", x, sum);
    file = fopen("no/such/file", "r");
    printf("%d %d\n", file == NULL, errno == ENOENT);
    rename("numbers.txt", "kept.txt");
    file = fopen("other.txt", "w");
    fclose(file);
    remove("other.txt");
    return 0;
}
