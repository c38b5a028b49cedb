/* files - what a program does with files, for check-files.sh:
 *
 *   files write NAME MODE    three arrays, a line of text before each
 *   files read NAME MODE     read them again; exit code 1 and a message when anything is not what was written
 *   files WRONG              a mistake, by name: null, closed, foreign, much, part, handle
 *   files report             nothing; with DVMH_REPORT the runtime says something at the end */
#include <config.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dvmhlib2.h>

enum { ROWS = 37, COLUMNS = 23, PLANES = 5 };

static DvmType matrix[64], column[64], cube[64];

/* A matrix cut along both axes, a column aligned with every second row of it, and a cube along its second and first axes. */
static void make_arrays(void) {
    const DvmType none = 0, one = 1;
    dvmh_line_C(10, "files.c");
    dvmh_array_create_C(matrix, 2, -rt_DOUBLE, (DvmType)ROWS, one, one, (DvmType)COLUMNS, one, one);
    dvmh_distribute_C(matrix, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
    dvmh_array_create_C(column, 1, -rt_INT, (DvmType)(ROWS / 2), none, none);
    dvmh_align_C(column, matrix, 2, dvmh_alignment_linear_C(1, 2, 1),
                 dvmh_alignment_linear_C(-1, none, none));
    dvmh_array_create_C(cube, 3, -rt_CHAR, (DvmType)PLANES, none, none, (DvmType)ROWS, one, one,
                        (DvmType)COLUMNS, none, one);
    dvmh_distribute_C(cube, 3, dvmh_distribution_block_C(2), dvmh_distribution_block_C(1),
                      dvmh_distribution_replicated_());
}

/* Do something to every element that this process owns; @return how many are not as they should be. */
static int visit(bool is_set) {
    int wrong = 0;
    for (DvmType i = 0; i < ROWS; i++)
        for (DvmType j = 0; j < COLUMNS; j++) {
            double *const value = dvmh_get_own_element_addr_C(matrix, 2, i, j),
                          wanted = (double)i + 0.01 * (double)j;
            if (value != NULL && is_set)
                *value = wanted;
            wrong += value != NULL && *value != wanted;
        }
    for (DvmType i = 0; i < ROWS / 2; i++) {
        int *const value = dvmh_get_own_element_addr_C(column, 1, i), wanted = (int)(7 * i);
        if (value != NULL && is_set)
            *value = wanted;
        wrong += value != NULL && *value != wanted;
    }
    for (DvmType i = 0; i < PLANES * ROWS * COLUMNS; i++) {
        char *const value = dvmh_get_own_element_addr_C(cube, 3, i / COLUMNS / ROWS, i / COLUMNS % ROWS,
                                                        i % COLUMNS),
                    wanted = (char)('a' + i % 26);
        if (value != NULL && is_set)
            *value = wanted;
        wrong += value != NULL && *value != wanted;
    }
    return wrong;
}

static int write_all(const char *name, const char *mode) {
    (void)visit(true);
    dvmh_line_C(20, "files.c");
    FILE *const file = dvmh_fopen(name, mode);
    dvmh_void_fprintf(file, "matrix\n");
    const size_t rows = dvmh_fwrite_distrib(matrix, sizeof(double) * COLUMNS, ROWS, file);
    dvmh_void_fprintf(file, "column\n");
    dvmh_void_fwrite_distrib(column, sizeof(int), ROWS / 2, file);
    dvmh_void_fprintf(file, "cube\n");
    const size_t bytes = dvmh_fwrite_distrib(cube, 1, PLANES * ROWS * COLUMNS, file);
    return dvmh_fclose(file) == 0 && rows == ROWS && bytes == PLANES * ROWS * COLUMNS ? 0 : 1;
}

static int read_all(const char *name, const char *mode) {
    char line[16];
    int number = 0;
    dvmh_line_C(30, "files.c");
    FILE *const file = dvmh_fopen(name, mode);
    bool is_good =
        dvmh_fscanf(file, "matr%[ix]%n", line, &number) == 1 && strcmp(line, "ix") == 0 && number == 6;
    is_good = dvmh_getc(file) == '\n' && is_good;
    is_good = dvmh_fread_distrib(matrix, sizeof(double), ROWS * COLUMNS, file) == ROWS * COLUMNS && is_good;
    is_good = dvmh_fgets(line, sizeof line, file) == line && strcmp(line, "column\n") == 0 && is_good;
    dvmh_void_fread_distrib(column, sizeof(int), ROWS / 2, file);
    dvmh_void_fgets(line, sizeof line, file);
    is_good = strcmp(line, "cube\n") == 0 && is_good;
    is_good =
        dvmh_fread_distrib(cube, 1, PLANES * ROWS * COLUMNS, file) == PLANES * ROWS * COLUMNS && is_good;
    is_good = dvmh_getc(file) == EOF && dvmh_feof(file) != 0 && is_good;
    const int wrong = visit(false);
    if (!is_good || wrong > 0)
        fprintf(stderr, "text %s, %d elements wrong\n", is_good ? "right" : "wrong", wrong);
    dvmh_fclose(file);
    return is_good && wrong == 0 ? 0 : 1;
}

static void go_wrong(const char *how) {
    FILE *const file = dvmh_tmpfile();
    dvmh_line_C(41, "files.c");
    if (strcmp(how, "null") == 0)
        dvmh_void_fputs("x", dvmh_fopen("no/such/file", "r"));
    if (strcmp(how, "closed") == 0 && dvmh_fclose(file) == 0)
        dvmh_void_fputs("x", file);
    if (strcmp(how, "foreign") == 0)
        dvmh_void_fputs("x", stdout);
    if (strcmp(how, "much") == 0)
        dvmh_void_fwrite_distrib(column, sizeof(int), ROWS, file);
    if (strcmp(how, "part") == 0)
        dvmh_void_fread_distrib(matrix, 1, 12, file);
    if (strcmp(how, "handle") == 0)
        dvmh_fread_distrib((DvmType[64]){0}, 1, 1, file);
}

int main(int argc, char **argv) {
    int code = 0;
    dvmh_line_C(1, "files.c");
    dvmh_init_C(0, &argc, &argv);
    make_arrays();
    if (argc == 4 && strcmp(argv[1], "write") == 0)
        code = write_all(argv[2], argv[3]);
    else if (argc == 4 && strcmp(argv[1], "read") == 0)
        code = read_all(argv[2], argv[3]);
    else if (argc == 2)
        go_wrong(argv[1]);
    dvmh_exit_C(code);
}
