/* heat - files: text, whole arrays written and read, and one program for all compilers.
 *
 * Heat spreads in a plate from a hot spot. At the end the plate is saved to a file and read back, into an array that lies otherwise.
 *
 * use: heat [steps [file]]; compile with -DN=.. for another size */
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 32
#endif

#pragma dvm array distribute[block][block]
double plate[N][N];
#pragma dvm array align([i][j] with plate[i][j])
double next[N][N];

/* Cut along columns only, to show that a file does not know of distributions. */
#pragma dvm array distribute[*][block]
double copy[N][N];

static void spread(int steps) {
    const double rate = 0.2;
    int i, j;
    for (int step = 0; step < steps; step++) {
#pragma dvm region
        {
#pragma dvm parallel([i][j] on next[i][j]) shadow_renew(plate)
            for (i = 1; i < N - 1; i++)
                for (j = 1; j < N - 1; j++)
                    next[i][j] = plate[i][j] + rate * (plate[i - 1][j] + plate[i + 1][j] + plate[i][j - 1] +
                                                       plate[i][j + 1] - 4 * plate[i][j]);
#pragma dvm parallel([i][j] on plate[i][j])
            for (i = 1; i < N - 1; i++)
                for (j = 1; j < N - 1; j++)
                    plate[i][j] = next[i][j];
        }
    }
}

/* Save the plate: one line of text, then all elements, first row first. Calls of stdio in a parallel program do what they do in a
 * sequential one: one file, each byte written once. fwrite and fread take whole distributed arrays, and fetch the newest values
 * themselves. */
static int save(const char *name) {
    FILE *file = fopen(name, "wb");
    size_t written;
    if (file == NULL)
        return 0;
    fprintf(file, "plate %d %d\n", N, N);
    written = fwrite(plate, sizeof(double), N * N, file);
    return fclose(file) == 0 && written == (size_t)N * N;
}

static int load(const char *name) {
    FILE *file = fopen(name, "rb");
    int rows = 0, columns = 0;
    size_t read = 0;
    if (file == NULL)
        return 0;
    if (fscanf(file, "plate %d %d", &rows, &columns) == 2 && fgetc(file) == '\n' && rows == N && columns == N)
        read = fread(copy, sizeof(double), N * N, file);
    fclose(file);
    return read == (size_t)N * N;
}

int main(int argc, char **argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 60;
    const char *name = argc > 2 ? argv[2] : "heat.out";
    double warmest = 0;
    long different = 0;
    int i, j;

    /* Serial code: each process executes it, and the owner of an element writes it. Afterwards `actual` tells that these values are
     * the newest. */
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            plate[i][j] = 0;
    plate[N / 3][N / 2] = 1000;
#pragma dvm actual(plate)
    spread(steps);

    if (!save(name) || !load(name)) {
        fprintf(stderr, "heat: cannot write or read '%s'\n", name);
        return 1;
    }

    /* The two arrays lie differently, so the loop reads one of them by remote access. */
#pragma dvm region
    {
#pragma dvm parallel([i][j] on plate[i][j]) remote_access(copy[i][j]), reduction(sum(different), max(warmest))
        for (i = 0; i < N; i++)
            for (j = 0; j < N; j++) {
                if (plate[i][j] != copy[i][j])
                    different++;
                if (plate[i][j] > warmest)
                    warmest = plate[i][j];
            }
    }
#pragma dvm get_actual(different, warmest)
    printf("%ld elements differ, the warmest has %.17g\n", different, warmest);

    /* _DVMH is defined when dvmhcc compiles. Both branches do the same. */
#ifdef _DVMH
#pragma dvm get_actual(copy)
#endif
    for (i = 0; i < N; i += 8) {
#pragma dvm remote_access(copy[i][])
        {
            for (j = 0; j < N; j += 8)
                printf("%10.6f", copy[i][j]);
            printf("\n");
        }
    }
    return different == 0 ? 0 : 1;
}
