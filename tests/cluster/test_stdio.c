/* Standard input and output on many processes: every process gets from a global file what libc would give it, with errno and all that is
 * stored, though one process alone reads; what is written stands there once; local files are each process's own. Random calls, compared
 * with libc's on a copy of the file in every process. */
#include <config.h>

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dvmhlib2.h>

#include "tests/cluster/cluster_check.h"

enum { FILES = 12, CALLS = 400, CONTENT = 3000 };

static char content[CONTENT];

static bool is_first(void) {
    return rts_comm_rank() == 0;
}

static void wait_for_all(void) {
    CLUSTER_TRY(rts_comm_barrier());
}

/* ---- input ---- */

/* Words, numbers and lines, now and then a zero. */
static void make_content(void) {
    static const char *const pieces[] = {"12 ", "-7,",  "0x1f", "3.5e1 ", "abc",  "word ", "%",  "\n",
                                         " ",   "+99 ", "z",    "1e400 ", "x\ny", "8 ",    "\t", "70000 "};
    size_t bytes = 0;
    while (bytes < sizeof content - 16) {
        const char *const piece = pieces[check_random_range(0, 15)];
        memcpy(content + bytes, piece, strlen(piece));
        bytes += strlen(piece);
        if (check_random_once_in(150))
            content[bytes++] = '\0';
    }
    memset(content + bytes, '.', sizeof content - bytes);
}

static void make_file(const char *name) {
    if (is_first()) {
        FILE *const file = fopen(name, "wb");
        if (CHECK(file != NULL)) {
            CHECK_EQ_INT(fwrite(content, 1, sizeof content, file), sizeof content);
            CHECK_EQ_INT(fclose(file), 0);
        }
    }
    wait_for_all();
}

/* A file of the library and one of libc, in the same state. */
typedef struct both {
    FILE *ours, *theirs;
} both_t;

/* All that formats store into. */
typedef struct stored {
    int i, n;
    short h;
    signed char b;
    long l;
    long long q;
    float f;
    double d;
    char c[8], s[24], t[24];
} stored_t;

/* One format, on both files, into memory that was the same before. */
#define SCAN(...)                                                                                            \
    do {                                                                                                     \
        errno = 0;                                                                                           \
        v = &b;                                                                                              \
        const int their_items = fscanf(both->theirs, __VA_ARGS__);                                           \
        v = &a;                                                                                              \
        CHECK_EQ_INT(dvmh_fscanf(both->ours, __VA_ARGS__), their_items);                                     \
    } while (0)

/* Words end at a zero for the library; what a word of the file has behind it only the process gets that reads. */
static void clear_behind(char text[24]) {
    const size_t length = strnlen(text, 24);
    memset(text + length, 0, 24 - length);
}

static void scan_some(const both_t *both) {
    stored_t a, b, *v;
    memset(&a, 'q', sizeof a);
    memset(&b, 'q', sizeof b);
    switch (check_random_range(0, 13)) {
    case 0:
        SCAN("%d%n", &v->i, &v->n);
        break;
    case 1:
        SCAN(" %20s%n", v->s, &v->n);
        break;
    case 2:
        SCAN("%3c", v->c);
        break;
    case 3:
        SCAN("%hd %ld", &v->h, &v->l);
        break;
    case 4:
        SCAN("%lf%f", &v->d, &v->f);
        break;
    case 5:
        SCAN("%7[a-z]%n", v->s, &v->n);
        break;
    case 6:
        SCAN("abc%n", &v->n);
        break;
    case 7:
        SCAN("%*d%x", (unsigned *)&v->i);
        break;
    case 8:
        SCAN("%n%d", &v->n, &v->i);
        break;
    case 9:
        SCAN("%hhd,%lld", &v->b, &v->q);
        break;
    case 10:
        SCAN("%%%d", &v->i);
        break;
    case 11:
        SCAN("%20[^]\n]%c%20s", v->s, v->c, v->t);
        break;
    case 12:
        SCAN("%*s");
        break;
    default:
        SCAN("%li%*[ ,\n]%20s%n", &v->l, v->s, &v->n);
    }
    clear_behind(a.s);
    clear_behind(b.s);
    clear_behind(a.t);
    clear_behind(b.t);
    CHECK(memcmp(&a, &b, sizeof a) == 0);
}

/* Memory that the library asks for itself. */
static void scan_allocated(const both_t *both) {
    char *ours = NULL, *theirs = NULL;
    const int items = fscanf(both->theirs, "%ms", &theirs);
    if (CHECK_EQ_INT(dvmh_fscanf(both->ours, "%ms", &ours), items) && items == 1)
        CHECK_EQ_STR(ours, theirs);
    free(ours);
    free(theirs);
}

static void read_some(const both_t *both) {
    char ours[64], theirs[64];
    memset(ours, 'q', sizeof ours);
    memset(theirs, 'q', sizeof theirs);
    const int size = (int)check_random_range(1, 60);
    const char *line;
    switch (check_random_range(0, 3)) {
    case 0:
        line = fgets(theirs, size, both->theirs);
        CHECK((dvmh_fgets(ours, size, both->ours) == ours) == (line == theirs));
        break;
    case 1:
        line = fgets(theirs, size, both->theirs);
        dvmh_void_fgets(ours, size, both->ours);
        break;
    case 2: {
        const size_t bytes = (size_t)check_random_range(1, 9), items = 60 / bytes;
        CHECK_EQ_INT(dvmh_fread(ours, bytes, items, both->ours), fread(theirs, bytes, items, both->theirs));
        break;
    }
    default:
        dvmh_void_fread(ours, 1, (size_t)size, both->ours);
        CHECK(fread(theirs, 1, (size_t)size, both->theirs) <= (size_t)size);
    }
    CHECK(memcmp(ours, theirs, sizeof ours) == 0);
}

static void move_about(const both_t *both) {
    static fpos_t ours, theirs;
    static bool has_place;
    const long offset = (long)check_random_range(-20, CONTENT + 20);
    switch (check_random_range(0, 4)) {
    case 0:
        errno = 0;
        CHECK_EQ_INT(dvmh_fseek(both->ours, offset, SEEK_SET), fseek(both->theirs, offset, SEEK_SET));
        CHECK_EQ_INT(errno, offset < 0 ? EINVAL : 0);
        break;
    case 1:
        dvmh_void_fseek(both->ours, -offset / 50, SEEK_CUR);
        (void)fseek(both->theirs, -offset / 50, SEEK_CUR);
        break;
    case 2:
        dvmh_rewind(both->ours);
        rewind(both->theirs);
        break;
    case 3:
        CHECK_EQ_INT(dvmh_fgetpos(both->ours, &ours), fgetpos(both->theirs, &theirs));
        has_place = true;
        break;
    default:
        if (has_place)
            CHECK_EQ_INT(dvmh_fsetpos(both->ours, &ours), fsetpos(both->theirs, &theirs));
    }
}

static void one_call(const both_t *both) {
    const int character = (int)check_random_range(-1, 255);
    switch (check_random_range(0, 9)) {
    case 0:
        CHECK_EQ_INT(dvmh_fgetc(both->ours), fgetc(both->theirs));
        break;
    case 1:
        CHECK_EQ_INT(dvmh_getc(both->ours), getc(both->theirs));
        CHECK_EQ_INT(dvmh_ungetc(character, both->ours), ungetc(character, both->theirs));
        CHECK_EQ_INT(dvmh_getc(both->ours), getc(both->theirs));
        break;
    case 2:
    case 3:
        read_some(both);
        break;
    case 4:
        move_about(both);
        break;
    case 5:
        scan_allocated(both);
        break;
    default:
        scan_some(both);
    }
    CHECK_EQ_INT(dvmh_feof(both->ours) != 0, feof(both->theirs) != 0);
    CHECK_EQ_INT(dvmh_ferror(both->ours), 0);
    CHECK_EQ_INT(dvmh_ftell(both->ours), ftell(both->theirs));
    if (check_random_once_in(5)) {
        dvmh_clearerr(both->ours);
        clearerr(both->theirs);
    }
}

static void test_input(void) {
    static const char *const modes[] = {"r", "rp", "rl", "rs"};
    make_content();
    make_file("input");
    const both_t both = {dvmh_fopen("input", modes[check_random_range(0, 3)]), fopen("input", "r")};
    if (!CHECK(both.ours != NULL && both.theirs != NULL))
        return;
    for (int i = 0; i < CALLS; i++)
        one_call(&both);
    CHECK_EQ_INT(dvmh_fclose(both.ours), 0);
    CHECK_EQ_INT(fclose(both.theirs), 0);
    wait_for_all();
}

/* The functions without a file; a line that is longer than what is looked at, and one with a zero in it. */
static void test_standard_input(void) {
    char text[64];
    int number = 0;
    static const char lines[] = "12 x\nfirst line\nzero\0inside\nlast";
    memcpy(content, lines, sizeof lines);
    make_file("input");
    CHECK(dvmh_freopen("input", "r", dvmh_stdin) == dvmh_stdin);
    CHECK_EQ_INT(dvmh_scanf("%d", &number), 1);
    CHECK_EQ_INT(number, 12);
    CHECK_EQ_INT(dvmh_getchar(), ' ');
    dvmh_void_gets(text);
    CHECK_EQ_STR(text, "x");
    CHECK(dvmh_fgets(text, 7, dvmh_stdin) == text);
    CHECK_EQ_STR(text, "first ");
    CHECK(dvmh_gets(text) == text);
    CHECK_EQ_STR(text, "line");
    CHECK(dvmh_gets(text) == text);
    CHECK(memcmp(text, "zero\0inside", sizeof "zero\0inside") == 0);
    wait_for_all();
}

/* ---- output ---- */

static void check_text(const char *name, const char *expected) {
    char text[256] = "";
    FILE *const file = fopen(name, "r");
    if (!CHECK(file != NULL))
        return;
    CHECK(fread(text, 1, sizeof text - 1, file) > 0);
    CHECK_EQ_STR(text, expected);
    fclose(file);
}

/* Arguments count where the file is accessed; elsewhere they may be anything. */
static void test_output(void) {
    const char *const word = is_first() ? "word" : (const char *)(uintptr_t)8;
    const int number = rts_comm_rank();
    FILE *const file = dvmh_fopen("output", "w");
    if (!CHECK(file != NULL))
        return;
    CHECK_EQ_INT(dvmh_fprintf(file, "%s %d\n", word, number), 7);
    dvmh_void_fprintf(file, "%s", word);
    CHECK_EQ_INT(dvmh_fputs(is_first() ? "puts" : NULL, file) >= 0, 1);
    CHECK_EQ_INT(dvmh_fputc('a' + number, file), 'a');
    dvmh_void_putc('b' + number, file);
    CHECK_EQ_INT(dvmh_fwrite(word, 2, 2, file), 2);
    CHECK_EQ_INT(dvmh_ftell(file), 21);
    CHECK_EQ_INT(dvmh_fclose(file), 0);
    check_text("output", "word 0\nwordputsabword");

    CHECK(dvmh_freopen("printed", "w", dvmh_stdout) == dvmh_stdout);
    CHECK_EQ_INT(dvmh_printf("%s\n", word), 5);
    dvmh_void_puts(word);
    CHECK_EQ_INT(dvmh_putchar('x' + number), 'x');
    CHECK_EQ_INT(dvmh_fflush(dvmh_stdout), 0);
    check_text("printed", "word\nword\nx");
    wait_for_all();
}

static void test_local(void) {
    char name[32], expected[32];
    int number = -1;
    snprintf(name, sizeof name, "local%d", rts_comm_rank());
    snprintf(expected, sizeof expected, "of %d", rts_comm_rank());
    FILE *file = dvmh_fopen("local%d", "wl");
    if (!CHECK(file != NULL))
        return;
    for (int i = 0; i < rts_comm_rank(); i++) /* not collective */
        CHECK_EQ_INT(dvmh_fputs("", file) >= 0, 1);
    CHECK_EQ_INT(dvmh_fprintf(file, "of %d", rts_comm_rank()), strlen(expected));
    CHECK_EQ_INT(dvmh_fclose(file), 0);
    check_text(name, expected);
    file = dvmh_fopen("local%d", "rl");
    CHECK_EQ_INT(dvmh_fscanf(file, "of %d", &number), 1);
    CHECK_EQ_INT(number, rts_comm_rank());
    CHECK_EQ_INT(dvmh_fclose(file), 0);
    CHECK_EQ_INT(dvmh_remove_local("local%d"), 0);
}

/* ---- names and errors ---- */

static void test_names(void) {
    char name[L_tmpnam], other[L_tmpnam];
    CHECK(dvmh_tmpnam(name) == name);
    memcpy(other, name, sizeof other);
    CLUSTER_TRY(rts_comm_broadcast(other, sizeof other, 0));
    CHECK_EQ_STR(name, other);
    FILE *const file = dvmh_tmpfile();
    CHECK_EQ_INT(dvmh_fputs("7", file) >= 0, 1);
    dvmh_rewind(file);
    CHECK_EQ_INT(dvmh_fgetc(file), '7');
    CHECK_EQ_INT(dvmh_fclose(file), 0);
    CHECK_EQ_INT(dvmh_rename("output", "moved"), 0);
    CHECK_EQ_INT(dvmh_remove("moved"), 0);
    errno = 0;
    CHECK(dvmh_remove("moved") != 0);
    CHECK_EQ_INT(errno, ENOENT);
    errno = 0;
    CHECK(dvmh_fopen("no/such/file", "w") == NULL);
    CHECK_EQ_INT(errno, ENOENT);
    errno = 0;
    CHECK(dvmh_fopen("no such file", "rp") == NULL);
    CHECK_EQ_INT(errno, ENOENT);
}

static void test_errors(void) {
    struct stat status;
    FILE *file = dvmh_fopen("printed", "r");
    errno = 0;
    CHECK_EQ_INT(dvmh_fputc('x', file), EOF);
    CHECK_EQ_INT(errno, EBADF);
    CHECK(dvmh_ferror(file) != 0);
    CHECK_EQ_INT(dvmh_fclose(file), 0);
    if (stat("/dev/full", &status) != 0 || !S_ISCHR(status.st_mode))
        return;
    file = dvmh_fopen("/dev/full", "w");
    CHECK_EQ_INT(dvmh_fprintf(file, "lost"), 4);
    errno = 0;
    CHECK_EQ_INT(dvmh_fclose(file), EOF);
    CHECK_EQ_INT(errno, ENOSPC);

    const bool is_last = rts_comm_rank() == rts_comm_size() - 1;
    file = dvmh_fopen(is_last ? "/dev/full" : "local%d", "wl");
    CHECK_EQ_INT(dvmh_fputs("x", file) >= 0, 1);
    errno = 0;
    CHECK_EQ_INT(dvmh_fflush(NULL), EOF); /* of the last process, told in all */
    CHECK_EQ_INT(errno, ENOSPC);
    (void)dvmh_fclose(file); /* whether it fails again is libc's business */
    if (!is_last)
        CHECK_EQ_INT(dvmh_remove_local("local%d"), 0);
}

int main(int argc, char **argv) {
    static char who[32], folder[] = "test_stdio_XXXXXX";
    check_random_start();
    dvmh_init_C(0, &argc, &argv);
    snprintf(who, sizeof who, "[process %d] ", rts_comm_rank());
    check_who = who;
    if (is_first())
        CHECK(mkdtemp(folder) != NULL);
    CLUSTER_TRY(rts_comm_broadcast(folder, sizeof folder, 0));
    if (chdir(folder) != 0)
        rts_comm_abort(1);
    for (int i = 0; i < FILES; i++)
        test_input();
    test_standard_input();
    test_output();
    test_local();
    test_names();
    test_errors();
    CHECK_EQ_INT(dvmh_remove("input"), 0);
    CHECK_EQ_INT(dvmh_remove("printed"), 0);
    wait_for_all();
    if (is_first())
        CHECK(chdir("..") == 0 && rmdir(folder) == 0);
    const rts_status_t status = rts_comm_agree(check_finish() == 0 ? RTS_OK : RTS_ERR_INTERNAL);
    dvmh_exit_C(status == RTS_OK ? 0 : 1);
}
