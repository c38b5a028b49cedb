/* Standard input and output through the library, value and void forms: results, errno and data are those of
 * libc. */
#include "tests/abi/child.h"

#include <errno.h>

/* ---- standard files ---- */

static void print_all(FILE *file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    CHECK_EQ_INT(dvmh_vfprintf(file, format, arguments), 3);
    va_end(arguments);
    va_start(arguments, format);
    dvmh_void_vfprintf(file, format, arguments);
    va_end(arguments);
    va_start(arguments, format);
    CHECK_EQ_INT(dvmh_vprintf(format, arguments), 3);
    va_end(arguments);
    va_start(arguments, format);
    dvmh_void_vprintf(format, arguments);
    va_end(arguments);
}

static void test_standard_output(void) {
    child_init();
    CHECK_EQ_INT(dvmh_printf("%d %s\n", 1, "one"), 6);
    dvmh_void_printf("%.2f\n", 2.0);
    CHECK_EQ_INT(dvmh_fprintf(dvmh_stdout, "%c", 'a'), 1);
    dvmh_void_fprintf(dvmh_stdout, "%c\n", 'b');
    print_all(dvmh_stdout, "%d\n", 34);
    CHECK_EQ_INT(dvmh_putchar('c'), 'c');
    dvmh_void_putchar('d');
    CHECK_EQ_INT(dvmh_putc('e', dvmh_stdout), 'e');
    dvmh_void_putc('f', dvmh_stdout);
    CHECK_EQ_INT(dvmh_fputc('\377', dvmh_stdout), 255);
    dvmh_void_fputc('\n', dvmh_stdout);
    CHECK(dvmh_puts("put") >= 0);
    dvmh_void_puts("");
    CHECK(dvmh_fputs("g", dvmh_stdout) >= 0);
    dvmh_void_fputs("h\n", dvmh_stdout);
    dvmh_void_fprintf(dvmh_stderr, "to errors\n");
    errno = ENOENT;
    dvmh_perror("told");
    printf("libc's\n"); /* the same stream below */
    child_exit();
}

static void scan_all(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    CHECK_EQ_INT(dvmh_vscanf(format, arguments), 1);
    va_end(arguments);
    va_start(arguments, format);
    dvmh_void_vscanf(format, arguments);
    va_end(arguments);
    va_start(arguments, format);
    CHECK_EQ_INT(dvmh_vfscanf(dvmh_stdin, format, arguments), 1);
    va_end(arguments);
    va_start(arguments, format);
    dvmh_void_vfscanf(dvmh_stdin, format, arguments);
    va_end(arguments);
}

static const char input[] = "12 word x\n13 1 2 3 14 abc\nline one\nline two\nline three\nline four\nlast";

static void test_standard_input(void) {
    int number = 0;
    char text[32] = "";
    char character = 0;
    child_init();
    CHECK_EQ_INT(dvmh_scanf("%d %31s %c", &number, text, &character), 3);
    CHECK_EQ_INT(number, 12);
    CHECK_EQ_STR(text, "word");
    CHECK_EQ_INT(character, 'x');
    dvmh_void_scanf("%d", &number);
    CHECK_EQ_INT(number, 13);
    scan_all("%d", &number);
    CHECK_EQ_INT(number, 14);
    CHECK_EQ_INT(dvmh_getchar(), ' ');
    CHECK_EQ_INT(dvmh_getc(dvmh_stdin), 'a');
    CHECK_EQ_INT(dvmh_fgetc(dvmh_stdin), 'b');
    CHECK_EQ_INT(dvmh_ungetc('B', dvmh_stdin), 'B');
    CHECK_EQ_INT(dvmh_fscanf(dvmh_stdin, "%31s", text), 1);
    CHECK_EQ_STR(text, "Bc");
    dvmh_void_fscanf(dvmh_stdin, " %31[a-z]", text);
    CHECK_EQ_STR(text, "line");
    CHECK(dvmh_gets(text) == text);
    CHECK_EQ_STR(text, " one");
    dvmh_void_gets(text);
    CHECK_EQ_STR(text, "line two");
    CHECK(dvmh_fgets(text, 6, dvmh_stdin) == text);
    CHECK_EQ_STR(text, "line ");
    dvmh_void_ungetc('>', dvmh_stdin);
    dvmh_void_fgets(text, sizeof text, dvmh_stdin);
    CHECK_EQ_STR(text, ">three\n");
    dvmh_void_fgets(text, sizeof text, dvmh_stdin);
    CHECK(dvmh_gets(text) == text); /* ends with the file */
    CHECK_EQ_STR(text, "last");
    CHECK(dvmh_feof(dvmh_stdin) != 0);
    CHECK(dvmh_gets(text) == NULL);
    CHECK(dvmh_fgets(text, sizeof text, dvmh_stdin) == NULL);
    CHECK_EQ_STR(text, "last");
    CHECK_EQ_INT(dvmh_scanf("%d", &number), EOF);
    CHECK_EQ_INT(dvmh_getchar(), EOF);
    child_exit();
}

static void test_standard_files(void) {
    CHECK_EQ_INT(child_run(test_standard_output, NULL, "output", "errors"), 0);
    CHECK_EQ_STR(child_text("output"), "1 one\n2.00\nab\n34\n34\n34\n34\ncdef\377\nput\n\ngh\nlibc's\n");
    char expected[128];
    snprintf(expected, sizeof expected, "to errors\ntold: %s\n", strerror(ENOENT));
    CHECK_EQ_STR(child_text("errors"), expected);
    FILE *const file = fopen("input", "w");
    if (CHECK(file != NULL)) {
        fputs(input, file);
        fclose(file);
    }
    CHECK_EQ_INT(child_run(test_standard_input, "input", NULL, NULL), 0);
}

/* ---- files ---- */

static void check_positions(FILE *file) {
    fpos_t position;
    char text[16] = "";
    CHECK_EQ_INT(dvmh_ftell(file), 10);
    CHECK_EQ_INT(dvmh_fseek(file, 2, SEEK_SET), 0);
    CHECK_EQ_INT(dvmh_fgetpos(file, &position), 0);
    CHECK_EQ_INT(dvmh_fread(text, 2, 3, file), 3);
    CHECK_EQ_STR(text, "234567");
    CHECK_EQ_INT(dvmh_fsetpos(file, &position), 0);
    CHECK_EQ_INT(dvmh_fgetc(file), '2');
    dvmh_void_fseek(file, -1, SEEK_END);
    CHECK_EQ_INT(dvmh_fgetc(file), '9');
    CHECK_EQ_INT(dvmh_feof(file), 0);
    CHECK_EQ_INT(dvmh_fread(text, 4, 1, file), 0);
    CHECK(dvmh_feof(file) != 0);
    dvmh_clearerr(file);
    CHECK_EQ_INT(dvmh_feof(file), 0);
    dvmh_rewind(file);
    dvmh_void_fread(text, 1, 2, file);
    CHECK(text[0] == '0' && text[1] == '1');
    CHECK_EQ_INT(dvmh_fseek(file, -5, SEEK_SET), -1);
    CHECK_EQ_INT(errno, EINVAL);
}

static void test_files(void) {
    static char buffer[BUFSIZ];
    child_init();
    FILE *file = dvmh_fopen("file", "w+");
    if (!CHECK(file != NULL))
        child_exit();
    CHECK_EQ_INT(dvmh_setvbuf(file, buffer, _IOFBF, sizeof buffer), 0);
    CHECK_EQ_INT(dvmh_fwrite("01234", 1, 5, file), 5);
    dvmh_void_fwrite("56789", 5, 1, file);
    CHECK_EQ_STR(child_text("file"), "");
    CHECK_EQ_INT(dvmh_fflush(file), 0);
    CHECK_EQ_STR(child_text("file"), "0123456789");
    check_positions(file);
    CHECK_EQ_INT(dvmh_fclose(file), 0);

    file = dvmh_fopen("file", "r");
    dvmh_setbuf(file, NULL);
    errno = 0;
    CHECK_EQ_INT(dvmh_fputc('x', file), EOF);
    CHECK_EQ_INT(errno, EBADF);
    CHECK(dvmh_ferror(file) != 0);
    dvmh_clearerr(file);
    CHECK_EQ_INT(dvmh_ferror(file), 0);
    CHECK(dvmh_freopen("other", "w", file) == file);
    dvmh_void_fputs("other", file);
    CHECK_EQ_INT(dvmh_fflush(NULL), 0);
    CHECK_EQ_STR(child_text("other"), "other");
    CHECK(dvmh_freopen(NULL, "a", file) == file);
    dvmh_void_fputs("s", file);
    errno = 0;
    CHECK(dvmh_freopen("no/such/file", "r", file) == NULL);
    CHECK_EQ_INT(errno, ENOENT);
    CHECK_EQ_STR(child_text("other"), "others");

    CHECK_EQ_INT(dvmh_rename("other", "again"), 0);
    CHECK_EQ_INT(dvmh_remove("again"), 0);
    errno = 0;
    CHECK(dvmh_remove("again") != 0);
    CHECK_EQ_INT(errno, ENOENT);
    child_exit();
}

static void test_opening(void) {
    child_init();
    errno = 0;
    CHECK(dvmh_fopen("missing", "r") == NULL);
    CHECK_EQ_INT(errno, ENOENT);
    CHECK(dvmh_fopen("x", "") == NULL);
    CHECK_EQ_INT(errno, EINVAL);
    errno = 0;
    CHECK(dvmh_fopen("x", "rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr") == NULL);
    CHECK_EQ_INT(errno, EINVAL);
    static const char *const modes[] = {"wl", "lw", "wlps", "w+bl"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        FILE *const file = dvmh_fopen("part%d", modes[i]);
        if (!CHECK(file != NULL))
            continue;
        CHECK_EQ_INT(dvmh_fprintf(file, "%s", modes[i]), strlen(modes[i]));
        CHECK_EQ_INT(dvmh_fclose(file), 0);
        CHECK_EQ_STR(child_text("part0"), modes[i]);
    }
    FILE *file = dvmh_fopen("whole%d", "wps"); /* global: the name stands as it is */
    CHECK(dvmh_freopen("part%d", "rl", file) == file);
    CHECK_EQ_INT(dvmh_fgetc(file), 'w');
    CHECK_EQ_INT(access("whole%d", F_OK), 0);
    CHECK_EQ_INT(dvmh_fclose(file), 0);

    FILE *many[200];
    for (int i = 0; i < 200; i++) {
        many[i] = dvmh_tmpfile();
        CHECK(many[i] != NULL && (i == 0 || many[i] != many[i - 1]));
        dvmh_void_fprintf(many[i], "%d", i);
    }
    for (int i = 0; i < 200; i++) {
        int number = -1;
        dvmh_rewind(many[i]);
        CHECK_EQ_INT(dvmh_fscanf(many[i], "%d", &number), 1);
        CHECK_EQ_INT(number, i);
        if (i % 3 == 0)
            CHECK_EQ_INT(dvmh_fclose(many[i]), 0); /* the others are closed at the end */
    }
    char name[L_tmpnam];
    CHECK(dvmh_tmpnam(name) == name);
    CHECK(access(name, F_OK) != 0);
    CHECK(dvmh_tmpnam(NULL) != NULL);
    dvmh_void_fputs("left open", dvmh_fopen("left", "w"));
    CHECK(dvmh_freopen("redirected", "w", dvmh_stdout) == dvmh_stdout);
    dvmh_void_printf("printed");
    child_exit();
}

static void check_null(void) {
    if (dvmh_stdin != NULL || dvmh_stdout != NULL || dvmh_stderr != NULL)
        _exit(1);
}

static void test_standard_variables(void) {
    CHECK(dvmh_stdin == NULL && dvmh_stdout == NULL && dvmh_stderr == NULL);
    atexit(check_null);
    child_init();
    CHECK(dvmh_stdin != NULL && dvmh_stdout != NULL && dvmh_stderr != NULL);
    CHECK(dvmh_stdin != dvmh_stdout && dvmh_stdout != dvmh_stderr);
    child_exit();
}

/* ---- distributed arrays ---- */

#define ROWS    7
#define COLUMNS 5

static int *element(const DvmType header[], DvmType i, DvmType j) {
    return dvmh_get_own_element_addr_C(header, 2, i, j);
}

static void make_array(DvmType header[]) {
    dvmh_array_create_C(header, 2, -rt_INT, (DvmType)ROWS, (DvmType)1, (DvmType)1, (DvmType)COLUMNS,
                        (DvmType)1, (DvmType)1);
    dvmh_distribute_C(header, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
    for (DvmType i = 0; i < ROWS; i++)
        for (DvmType j = 0; j < COLUMNS; j++)
            *element(header, i, j) = (int)(i * 100 + j);
}

static void test_arrays(void) {
    static DvmType header[64];
    int read[ROWS * COLUMNS];
    child_init();
    make_array(header);
    FILE *file = dvmh_fopen("array", "w+b");
    CHECK_EQ_INT(dvmh_fwrite_distrib(header, sizeof(int), ROWS * COLUMNS, file), ROWS * COLUMNS);
    dvmh_void_fwrite_distrib(header, sizeof(int) * COLUMNS, 2, file);
    CHECK_EQ_INT(dvmh_fwrite_distrib(header, 0, 3, file), 0);
    CHECK_EQ_INT(dvmh_ftell(file), sizeof(int) * (ROWS + 2) * COLUMNS);
    dvmh_rewind(file);
    CHECK_EQ_INT(dvmh_fread(read, sizeof(int), ROWS * COLUMNS, file), ROWS * COLUMNS);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        CHECK_EQ_INT(read[i], i / COLUMNS * 100 + i % COLUMNS);

    /* Back in: the first two rows, from rows 5 and 6 of the file; then a file too short for the whole
     * array. */
    dvmh_void_fseek(file, (long)sizeof(int) * 5 * COLUMNS, SEEK_SET);
    CHECK_EQ_INT(dvmh_fread_distrib(header, sizeof(int) * COLUMNS, 2, file), 2);
    CHECK_EQ_INT(*element(header, 0, 0), 500);
    CHECK_EQ_INT(*element(header, 1, 4), 604);
    CHECK_EQ_INT(*element(header, 2, 0), 200);
    CHECK_EQ_INT(dvmh_fread_distrib(header, sizeof(int), ROWS * COLUMNS, file), 2 * COLUMNS);
    CHECK_EQ_INT(*element(header, 1, 1), 101);
    CHECK_EQ_INT(*element(header, 6, 4), 604);
    dvmh_rewind(file);
    *element(header, 3, 3) = -1;
    dvmh_void_fread_distrib(header, sizeof(int), ROWS * COLUMNS, file);
    CHECK_EQ_INT(*element(header, 3, 3), 303);
    CHECK_EQ_INT(dvmh_fclose(file), 0);
    dvmh_delete_object_(header);
    child_exit();
}

static void write_too_much(void) {
    static DvmType header[64];
    child_init();
    make_array(header);
    dvmh_void_fwrite_distrib(header, sizeof(int), ROWS * COLUMNS + 1, dvmh_tmpfile());
}

static void write_far_too_much(void) {
    static DvmType header[64];
    child_init();
    make_array(header);
    dvmh_void_fwrite_distrib(header, SIZE_MAX / 2, 4, dvmh_tmpfile());
}

static void read_half_an_element(void) {
    static DvmType header[64];
    child_init();
    make_array(header);
    dvmh_fread_distrib(header, 2, 3, dvmh_tmpfile());
}

static void read_no_array(void) {
    DvmType header[64] = {0};
    child_init();
    dvmh_void_fread_distrib(header, 4, 1, dvmh_tmpfile());
}

/* ---- mistakes ---- */

static void too_early(void) {
    dvmh_printf("never");
}

static void null_file(void) {
    child_init();
    dvmh_fprintf(NULL, "never");
}

static void closed_file(void) {
    child_init();
    FILE *const file = dvmh_tmpfile();
    dvmh_fclose(file);
    for (int i = 0; i < 20; i++)
        dvmh_tmpfile();
    dvmh_void_fputc('x', file);
}

static void file_of_libc(void) {
    child_init();
    dvmh_fflush(stdout);
}

static void file_of_nowhere(void) {
    child_init();
    dvmh_getc((FILE *)(intptr_t)12345);
}

static void file_beside(void) {
    child_init();
    dvmh_fclose((FILE *)((char *)dvmh_stdout + 1));
}

static void unopened_file(void) {
    child_init();
    dvmh_ftell(dvmh_fopen("missing", "r"));
}

static void closed_output(void) {
    child_init();
    dvmh_fclose(dvmh_stdout);
    dvmh_void_puts("never");
}

static void null_name(void) {
    child_init();
    dvmh_fopen(NULL, "r");
}

static void null_mode(void) {
    child_init();
    dvmh_fopen("x", NULL);
}

static void null_removed(void) {
    child_init();
    dvmh_remove(NULL);
}

int main(void) {
    child_folder(true);
    test_standard_files();
    CHECK_EQ_INT(child_run(test_files, NULL, NULL, NULL), 0);
    CHECK_EQ_INT(child_run(test_opening, NULL, NULL, NULL), 0);
    CHECK_EQ_STR(child_text("left"), "left open");
    CHECK_EQ_STR(child_text("redirected"), "printed");
    CHECK_EQ_INT(child_run(test_standard_variables, NULL, NULL, NULL), 0);
    CHECK_EQ_INT(child_run(test_arrays, NULL, NULL, NULL), 0);
    child_expect_error(write_too_much, "dvmh_void_fwrite_distrib", "140 bytes", true);
    child_expect_error(write_far_too_much, "dvmh_void_fwrite_distrib", "more than the array", true);
    child_expect_error(read_half_an_element, "dvmh_fread_distrib", "elements of 4 bytes", true);
    child_expect_error(read_no_array, "dvmh_void_fread_distrib", "", true);
    child_expect_error(too_early, "dvmh_printf", "", false);
    child_expect_error(null_file, "dvmh_fprintf", "NULL", true);
    child_expect_error(closed_file, "dvmh_void_fputc", "closed", true);
    child_expect_error(file_of_libc, "dvmh_fflush", "none that a dvmh_", true);
    child_expect_error(file_of_nowhere, "dvmh_getc", "none that a dvmh_", true);
    child_expect_error(file_beside, "dvmh_fclose", "none that a dvmh_", true);
    child_expect_error(unopened_file, "dvmh_ftell", "NULL", true);
    child_expect_error(closed_output, "dvmh_void_puts", "closed", true);
    child_expect_error(null_name, "dvmh_fopen", "name is NULL", true);
    child_expect_error(null_mode, "dvmh_fopen", "mode is NULL", true);
    child_expect_error(null_removed, "dvmh_remove", "name is NULL", true);
    child_folder(false);
    return check_finish();
}
