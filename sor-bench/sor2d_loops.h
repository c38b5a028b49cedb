/* Loops of sor2d for the element type REAL, included once for each; NAME makes the names of functions. Ordinary C with directives. */

#pragma dvm inherit(A)
static void NAME(start)(long n1, long n2, REAL (*A)[n2]) {
#pragma dvm region out(A)
    {
#pragma dvm parallel([i][j] on A[i][j])
        for (long i = 0; i < n1; i++)
            for (long j = 0; j < n2; j++)
                A[i][j] = (REAL)sor_start_value(i, j, 0);
    }
}

#define STAR (w / 4 * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) + (1 - w) * A[i][j])

#pragma dvm inherit(A)
static void NAME(star)(long n1, long n2, REAL (*A)[n2], REAL w) {
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j]) across(A[1][1])
        for (long i = 1; i < n1 - 1; i++)
            for (long j = 1; j < n2 - 1; j++)
                A[i][j] = STAR;
    }
}

#pragma dvm inherit(A)
static void NAME(star_reversed)(long n1, long n2, REAL (*A)[n2], REAL w) {
#pragma dvm region
    {
#pragma dvm parallel([j][i] on A[i][j]) across(A[1][1])
        for (long j = 1; j < n2 - 1; j++)
            for (long i = 1; i < n1 - 1; i++)
                A[i][j] = STAR;
    }
}

/* With the corners. dvmhcc sees them in the subscripts: `across` need not mention them. */
#define ROW(i) A[i][j - 1] + A[i][j] + A[i][j + 1]
#define BOX    (w / 8 * (ROW(i - 1) + A[i][j - 1] + A[i][j + 1] + ROW(i + 1)) + (1 - w) * A[i][j])

#pragma dvm inherit(A)
static void NAME(box)(long n1, long n2, REAL (*A)[n2], REAL w) {
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j]) across(A[1][1])
        for (long i = 1; i < n1 - 1; i++)
            for (long j = 1; j < n2 - 1; j++)
                A[i][j] = BOX;
    }
}

#pragma dvm inherit(A)
static void NAME(box_reversed)(long n1, long n2, REAL (*A)[n2], REAL w) {
#pragma dvm region
    {
#pragma dvm parallel([j][i] on A[i][j]) across(A[1][1])
        for (long j = 1; j < n2 - 1; j++)
            for (long i = 1; i < n1 - 1; i++)
                A[i][j] = BOX;
    }
}

#undef STAR
#undef ROW
#undef BOX
