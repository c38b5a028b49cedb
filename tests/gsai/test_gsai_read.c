/* The Matrix Market reader of examples/gsai: what it refuses, with which line; and random files of every kind, with comments, blank lines, any
 * ends of lines and case, against a dense matrix that is filled beside the text. */
#include "examples/gsai/gsai_read.h"
#include "examples/gsai/gsai_sparse.h"

#include <ctype.h>
#include <stdarg.h>

#include "tests/check.h"

enum { ORDER_MAX = 12, ENTRIES_MAX = 60, TEXT_MAX = 20000, ROUNDS = 3000 };

static const gsai_read_options_t keep = {.order_max = INT32_MAX - 1};

static void refused(const char *text, const char *message) {
    gsai_sparse_t matrix = {0};
    gsai_read_facts_t facts;
    gsai_fault_t fault = {""};

    const bool is_refused =
        CHECK(gsai_read_text(text, strlen(text), "f.mtx", &keep, &matrix, &facts, &fault) == GSAI_ERR_INPUT);
    if (!CHECK_CONTAINS(fault.text, message) || !is_refused)
        fprintf(stderr, "the text was:\n%s\n", text);
    if (!is_refused)
        gsai_sparse_free(&matrix);
}

#define HEAD "%%MatrixMarket matrix coordinate real general\n"

static void check_refusals(void) {
    refused("", "f.mtx:1: the file does not begin with %%MatrixMarket");
    refused("%MatrixMarket matrix coordinate real general\n1 1 0\n", "f.mtx:1: ");
    refused("%%MatrixMarket vector coordinate real general\n",
            "f.mtx:1: the object has to be matrix, but is: vector");
    refused("%%MatrixMarket matrix array real general\n1 1\n1\n", "f.mtx:1: the format has to be coordinate");
    refused("%%MatrixMarket matrix coordinate complex general\n",
            "f.mtx:1: complex matrices are not supported");
    refused("%%MatrixMarket matrix coordinate quaternion general\n", "but is: quaternion");
    refused("%%MatrixMarket matrix coordinate real diagonal\n", "but is: diagonal");
    refused("%%MatrixMarket matrix coordinate real\n", "the symmetry has to be");
    refused("%%MatrixMarket matrix coordinate real general extra\n", "f.mtx:1: nothing was expected here");
    refused("%%MatrixMarket matrix coordinate pattern skew-symmetric\n", "f.mtx:1: a pattern has no values");
    refused(HEAD, "f.mtx:2: the file ends before its line of sizes");
    refused(HEAD "% c\n\n%c\n", "f.mtx:5: the file ends before its line of sizes");
    refused(HEAD "2 3 1\n1 1 1\n", "f.mtx:2: the matrix has 2 rows and 3 columns: only square");
    refused(HEAD "0 0 0\n", "f.mtx:2: the matrix has 0 rows");
    refused(HEAD "2 2\n",
            "f.mtx:2: the number of entries is to be a number of digits, but there is: the end");
    refused(HEAD "2 2 1 1\n", "f.mtx:2: nothing was expected here, but there is: 1");
    refused(HEAD "2 -2 1\n", "f.mtx:2: the number of columns is to be a number of digits, but there is: -2");
    refused(HEAD "99999999999999999999 2 1\n", "f.mtx:2: the number of rows is beyond 64 bits");
    refused(HEAD "9223372036854775807 9223372036854775807 1\n", "at most 2147483646 are allowed");
    refused(HEAD "2147483647 2147483647 1\n1 1 1\n", "f.mtx:2: the matrix has 2147483647 rows, at most");
    refused(HEAD "2 2 9223372036854775807\n1 1 1\n", "f.mtx:2: 9223372036854775807 entries are announced");
    refused(HEAD "2 2 2\n1 1 1\n", "f.mtx:4: the file ends after 1 of 2 entries");
    refused(HEAD "2 2 1\n1 1 1\n2 2 1\n", "f.mtx:4: there is more in the file than the 1 entries announced");
    refused(HEAD "2 2 1\n\n%\n3 1 1\n", "f.mtx:5: entry (3, 1) is outside of the matrix, indices are 1..2");
    refused(HEAD "2 2 1\n1 0 1\n", "f.mtx:3: entry (1, 0) is outside");
    refused(HEAD "2 2 1\r\n1 1\r\n", "f.mtx:3: a value is missing");
    refused(HEAD "2 2 1\r1 1 1 1\r", "f.mtx:3: nothing was expected here");
    refused(HEAD "2 2 1\n1 1 nan\n", "f.mtx:3: no finite number: nan");
    refused(HEAD "2 2 1\n1 1 1e999\n", "f.mtx:3: no finite number: 1e999");
    refused(HEAD "2 2 1\n1 1 0x10\n", "f.mtx:3: no finite number: 0x10");
    refused(HEAD "2 2 1\n1 1 1.5.2\n", "f.mtx:3: no finite number: 1.5.2");
    refused(HEAD "2 2 1\n1.0 1 1\n", "f.mtx:3: the row is to be a number of digits, but there is: 1.0");
    refused(HEAD "2 2 2\n1 1 1e308\n1 1 1e308\n", "f.mtx: the entries at (1, 1) together are not finite");
    refused("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n",
            "f.mtx:3: no whole number: 1.5");
    refused("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n",
            "f.mtx:3: nothing was expected");
    refused("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n",
            "f.mtx:3: a skew-symmetric matrix has no diagonal");
}

static void check_zero_byte(void) {
    static const char text[] = HEAD "2 2 1\n1 1 1\0z\n";
    gsai_sparse_t matrix;
    gsai_read_facts_t facts;
    gsai_fault_t fault;

    CHECK_EQ_INT(gsai_read_text(text, sizeof text - 1, "f.mtx", &keep, &matrix, &facts, &fault),
                 GSAI_ERR_INPUT);
    CHECK_CONTAINS(fault.text, "f.mtx:3: no finite number: 1?z");
}

static void check_file(void) {
    gsai_sparse_t matrix;
    gsai_read_facts_t facts;
    gsai_fault_t fault;

    CHECK_EQ_INT(gsai_read_file("no/such/file.mtx", &keep, &matrix, &facts, &fault), GSAI_ERR_INPUT);
    CHECK_CONTAINS(fault.text, "no/such/file.mtx: No such file");
}

/** A random file, and what is to come of it. */
typedef struct random_file {
    char text[TEXT_MAX];
    int length;
    int n;
    double value[ORDER_MAX][ORDER_MAX];
    int count[ORDER_MAX][ORDER_MAX]; /* entries at a place */
    int64_t stored;
} random_file_t;

static void append(random_file_t *f, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    f->length += vsnprintf(f->text + f->length, (size_t)(TEXT_MAX - f->length), format, arguments);
    va_end(arguments);
}

static void append_end(random_file_t *f) {
    static const char *const ends[] = {"\n", "\r\n", "\r"};

    append(f, "%s%s", check_random_once_in(4) ? " \t" : "", ends[check_random_range(0, 2)]);
}

/* The end of a line, maybe with lines that say nothing behind. */
static void append_line_end(random_file_t *f) {
    append_end(f);
    while (check_random_once_in(3)) {
        append(f, "%s", check_random_once_in(2) ? " " : "");
        append(f, "%s", check_random_once_in(2) ? "% comment 1 1 1" : "");
        append_end(f);
    }
}

static void append_any_case(random_file_t *f, const char *word) {
    const bool is_changed = check_random_once_in(2);

    for (; *word != '\0'; word++)
        append(f, "%c", is_changed && check_random_once_in(2) ? toupper((unsigned char)*word) : *word);
    append(f, " ");
}

static void add(random_file_t *f, int i, int j, double value) {
    f->value[i][j] += value;
    f->count[i][j]++;
}

static void make_file(random_file_t *f) {
    static const char *const fields[] = {"real", "integer", "pattern"};
    static const char *const symmetries[] = {"general", "symmetric", "hermitian", "skew-symmetric"};
    const int field = (int)check_random_range(0, 2), kind = (int)check_random_range(0, field == 2 ? 2 : 3);
    const int entries = (int)check_random_range(0, ENTRIES_MAX);

    memset(f, 0, sizeof *f);
    f->n = (int)check_random_range(kind == 3 ? 2 : 1, ORDER_MAX);
    append_any_case(f, "%%matrixmarket");
    append_any_case(f, "matrix");
    append_any_case(f, "coordinate");
    append_any_case(f, fields[field]);
    append_any_case(f, symmetries[kind]);
    append_line_end(f);
    append(f, "%d\t%d  %d", f->n, f->n, entries);
    append_line_end(f);
    for (int k = 0; k < entries; k++) {
        int i = (int)check_random_range(0, f->n - 1), j = (int)check_random_range(0, f->n - 1);
        const int value = check_random_once_in(5) ? 0 : (int)check_random_range(-9, 9);

        while (kind == 3 && i == j)
            j = (int)check_random_range(0, f->n - 1);
        append(f, " %d %d", i + 1, j + 1);
        if (field == 0)
            append(f, check_random_once_in(2) ? " %d.25E+0" : " %d.25d0", value);
        else if (field == 1)
            append(f, " %d", value);
        const double exact = field == 2 ? 1 : field == 1 ? value : value < 0 ? value - .25 : value + .25;
        append_line_end(f);
        add(f, i, j, exact);
        if (kind > 0 && i != j)
            add(f, j, i, kind == 3 ? -exact : exact);
    }
    f->stored = entries;
}

static void check_random_file(bool drops_zeros) {
    static random_file_t f;
    gsai_sparse_t matrix;
    gsai_read_facts_t facts;
    gsai_fault_t fault;
    const gsai_read_options_t options = {.drops_zeros = drops_zeros, .order_max = ORDER_MAX};
    int64_t at = 0, duplicates = 0, zeros = 0;

    make_file(&f);
    if (!CHECK_EQ_INT(gsai_read_text(f.text, (size_t)f.length, "f", &options, &matrix, &facts, &fault),
                      GSAI_OK)) {
        fprintf(stderr, "%s\n%s\n", fault.text, f.text);
        return;
    }
    CHECK_EQ_INT(matrix.n, f.n);
    for (int i = 0; i < f.n; i++) {
        CHECK_EQ_INT(matrix.start[i], at);
        for (int j = 0; j < f.n; j++) {
            duplicates += f.count[i][j] > 1 ? f.count[i][j] - 1 : 0;
            zeros += f.count[i][j] > 0 && f.value[i][j] == 0;
            if (f.count[i][j] == 0 || (drops_zeros && f.value[i][j] == 0))
                continue;
            if (CHECK(at < matrix.start[f.n])) {
                CHECK_EQ_INT(matrix.index[at], j);
                CHECK(matrix.value[at] == f.value[i][j]);
                at++;
            }
        }
    }
    CHECK_EQ_INT(matrix.start[f.n], at);
    CHECK_EQ_INT(facts.stored, f.stored);
    CHECK_EQ_INT(facts.duplicates, duplicates);
    CHECK_EQ_INT(facts.zeros, zeros);
    gsai_sparse_free(&matrix);
}

int main(void) {
    check_random_start();
    check_refusals();
    check_zero_byte();
    check_file();
    for (int round = 0; round < ROUNDS; round++)
        check_random_file(round % 2 == 1);
    return check_finish();
}
