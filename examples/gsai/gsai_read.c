/* The Matrix Market reader: one pass over the text makes triples, a second step compressed rows. Messages name the line.
 *
 * Comments (% to the end of the line) and blank lines may stand anywhere below the banner. Lines end in LF, CR or both. Sizes are checked
 * before memory is asked for: an entry takes at least four bytes of text, so that a false count is no reason for a large allocation. */
#include "examples/gsai/gsai_read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "examples/gsai/gsai_sparse.h"

enum { ENTRY_BYTES_MIN = 4, WORD_MAX = 63 };

typedef enum symmetry { GENERAL, SYMMETRIC, SKEW } symmetry_t;

typedef struct reader {
    const char *at, *end; /* what is left of the text */
    const char *name;
    int64_t line; /* of `at`, from 1 */
    bool is_pattern, is_integer;
    symmetry_t symmetry;
    const gsai_read_options_t *options;
    gsai_fault_t *fault;
} reader_t;

/** Entries in the order of the file, mirrored ones included. */
typedef struct triples {
    int32_t *row, *column;
    double *value;
    int64_t count;
} triples_t;

static gsai_status_t fail_at(const reader_t *r, const char *what, const char *detail) {
    return gsai_fail(r->fault, GSAI_ERR_INPUT, "%s:%lld: %s%s", r->name, (long long)r->line, what, detail);
}

static bool is_end_of_line(char c) {
    return c == '\n' || c == '\r';
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static void skip_blanks(reader_t *r) {
    while (r->at < r->end && is_blank(*r->at))
        r->at++;
}

static void skip_end_of_line(reader_t *r) {
    if (r->at < r->end && *r->at == '\r')
        r->at++;
    if (r->at < r->end && *r->at == '\n')
        r->at++;
    r->line++;
}

/** To the first word of the next line that has one. @return whether there is one */
static bool find_line(reader_t *r) {
    for (;;) {
        skip_blanks(r);
        if (r->at == r->end)
            return false;
        if (*r->at == '%') {
            while (r->at < r->end && !is_end_of_line(*r->at))
                r->at++;
        }
        if (r->at < r->end && !is_end_of_line(*r->at))
            return true;
        if (r->at < r->end)
            skip_end_of_line(r);
    }
}

/** The next word of the line, with a zero behind it. @return its length: 0 at the end of the line */
static int take_word(reader_t *r, char word[WORD_MAX + 1]) {
    int length = 0;

    skip_blanks(r);
    for (; r->at < r->end && !is_blank(*r->at) && !is_end_of_line(*r->at) && length < WORD_MAX; r->at++)
        word[length++] = *r->at != '\0' ? *r->at : '?'; /* a zero byte is no end of a word */
    word[length] = '\0';
    return length;
}

/** Nothing but a comment may follow in the line. */
static gsai_status_t end_line(reader_t *r) {
    char word[WORD_MAX + 1];

    skip_blanks(r);
    if (r->at < r->end && *r->at == '%')
        while (r->at < r->end && !is_end_of_line(*r->at))
            r->at++;
    if (r->at == r->end || is_end_of_line(*r->at))
        return GSAI_OK;
    take_word(r, word);
    return fail_at(r, "nothing was expected here, but there is: ", word);
}

/** A whole number without more in its word. */
static gsai_status_t take_count(reader_t *r, const char *what, int64_t *count_p) {
    char text[160];
    const char *const begin = r->at;
    int64_t count = 0;
    bool overflows = false;

    skip_blanks(r);
    const char *const first = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') {
        const int digit = *r->at++ - '0';

        overflows = overflows || count > (INT64_MAX - digit) / 10;
        if (!overflows)
            count = 10 * count + digit;
    }
    if (r->at == first || (r->at < r->end && !is_blank(*r->at) && !is_end_of_line(*r->at))) {
        char word[WORD_MAX + 1];

        r->at = begin;
        snprintf(text, sizeof text, "%s is to be a number of digits, but there is: ", what);
        return fail_at(r, text, take_word(r, word) > 0 ? word : "the end of the line");
    }
    snprintf(text, sizeof text, "%s is beyond 64 bits", what);
    if (overflows)
        return fail_at(r, text, "");
    *count_p = count;
    return GSAI_OK;
}

/** A value; Fortran's D for an exponent is understood. */
static gsai_status_t take_value(reader_t *r, double *value_p) {
    char word[WORD_MAX + 1], *end;
    const int length = take_word(r, word);

    if (length == 0)
        return fail_at(r, "a value is missing", "");
    for (int i = 0; i < length; i++) {
        if (word[i] == 'd' || word[i] == 'D')
            word[i] = 'e';
        if (strchr("0123456789+-.eE", word[i]) == NULL || (r->is_integer && strchr(".eE", word[i]) != NULL))
            return fail_at(r, r->is_integer ? "no whole number: " : "no finite number: ", word);
    }
    *value_p = strtod(word, &end);
    if (*end != '\0' || !isfinite(*value_p))
        return fail_at(r, "no finite number: ", word);
    return GSAI_OK;
}

static gsai_status_t read_banner(reader_t *r) {
    char word[WORD_MAX + 1];

    take_word(r, word);
    if (strcasecmp(word, "%%MatrixMarket") != 0)
        return fail_at(r, "the file does not begin with %%MatrixMarket", "");
    take_word(r, word);
    if (strcasecmp(word, "matrix") != 0)
        return fail_at(r, "the object has to be matrix, but is: ", word);
    take_word(r, word);
    if (strcasecmp(word, "coordinate") != 0)
        return fail_at(r, "the format has to be coordinate (sparse), but is: ", word);
    take_word(r, word);
    r->is_pattern = strcasecmp(word, "pattern") == 0;
    r->is_integer = strcasecmp(word, "integer") == 0;
    if (strcasecmp(word, "complex") == 0)
        return fail_at(r, "complex matrices are not supported: real, integer and pattern are", "");
    if (!r->is_pattern && !r->is_integer && strcasecmp(word, "real") != 0 && strcasecmp(word, "double") != 0)
        return fail_at(r, "the field has to be real, integer or pattern, but is: ", word);
    take_word(r, word);
    if (strcasecmp(word, "general") == 0)
        r->symmetry = GENERAL;
    else if (strcasecmp(word, "symmetric") == 0 || strcasecmp(word, "hermitian") == 0)
        r->symmetry = SYMMETRIC; /* the same for real values */
    else if (strcasecmp(word, "skew-symmetric") == 0 || strcasecmp(word, "skew") == 0)
        r->symmetry = SKEW;
    else
        return fail_at(r, "the symmetry has to be general, symmetric, skew-symmetric or hermitian, but is: ",
                       word);
    if (r->is_pattern && r->symmetry == SKEW)
        return fail_at(r, "a pattern has no values that could be skew-symmetric", "");
    return end_line(r);
}

static gsai_status_t read_sizes(reader_t *r, int32_t *n_p, int64_t *entries_p) {
    int64_t rows = 0, columns = 0, entries = 0;
    char text[200];
    gsai_status_t status;

    if (!find_line(r))
        return fail_at(r, "the file ends before its line of sizes", "");
    if ((status = take_count(r, "the number of rows", &rows)) != GSAI_OK ||
        (status = take_count(r, "the number of columns", &columns)) != GSAI_OK ||
        (status = take_count(r, "the number of entries", &entries)) != GSAI_OK ||
        (status = end_line(r)) != GSAI_OK)
        return status;
    snprintf(text, sizeof text, "the matrix has %lld rows and %lld columns", (long long)rows,
             (long long)columns);
    if (rows != columns)
        return fail_at(r, text, ": only square ones have an inverse");
    if (rows < 1)
        return fail_at(r, text, "");
    if (rows > r->options->order_max) {
        snprintf(text, sizeof text, "the matrix has %lld rows, at most %d are allowed", (long long)rows,
                 r->options->order_max);
        return fail_at(r, text, "");
    }
    if (entries > (r->end - r->at) / ENTRY_BYTES_MIN + 1) {
        snprintf(text, sizeof text, "%lld entries are announced, but the file is too short for them",
                 (long long)entries);
        return fail_at(r, text, "");
    }
    *n_p = (int32_t)rows;
    *entries_p = entries;
    return GSAI_OK;
}

static void add_triple(triples_t *t, int64_t row, int64_t column, double value) {
    t->row[t->count] = (int32_t)(row - 1);
    t->column[t->count] = (int32_t)(column - 1);
    t->value[t->count] = value;
    t->count++;
}

static gsai_status_t read_entry(reader_t *r, int32_t n, triples_t *t) {
    int64_t row = 0, column = 0;
    double value = 1;
    char text[160];
    gsai_status_t status;

    if ((status = take_count(r, "the row", &row)) != GSAI_OK ||
        (status = take_count(r, "the column", &column)) != GSAI_OK ||
        (!r->is_pattern && (status = take_value(r, &value)) != GSAI_OK) || (status = end_line(r)) != GSAI_OK)
        return status;
    if (row < 1 || row > n || column < 1 || column > n) {
        snprintf(text, sizeof text, "entry (%lld, %lld) is outside of the matrix, indices are 1..%d",
                 (long long)row, (long long)column, n);
        return fail_at(r, text, "");
    }
    if (r->symmetry == SKEW && row == column && value != 0) {
        return fail_at(r, "a skew-symmetric matrix has no diagonal, but here is an entry of it", "");
    }
    add_triple(t, row, column, value);
    if (r->symmetry != GENERAL && row != column)
        add_triple(t, column, row, r->symmetry == SKEW ? -value : value);
    return GSAI_OK;
}

static gsai_status_t read_entries(reader_t *r, int32_t n, int64_t entries, triples_t *t) {
    char text[160];

    for (int64_t k = 0; k < entries; k++) {
        if (!find_line(r)) {
            snprintf(text, sizeof text, "the file ends after %lld of %lld entries", (long long)k,
                     (long long)entries);
            return fail_at(r, text, "");
        }
        const gsai_status_t status = read_entry(r, n, t);
        if (status != GSAI_OK)
            return status;
    }
    snprintf(text, sizeof text, "there is more in the file than the %lld entries announced",
             (long long)entries);
    return find_line(r) ? fail_at(r, text, "") : GSAI_OK;
}

/** Add duplicates and drop zeros in a matrix with ascending indices, in place. */
static void tidy(gsai_sparse_t *matrix, bool drops_zeros, gsai_read_facts_t *facts) {
    int64_t kept = 0, at = 0;

    for (int32_t k = 0; k < matrix->n; k++) {
        const int64_t end = matrix->start[k + 1];

        matrix->start[k] = kept;
        while (at < end) {
            const int32_t index = matrix->index[at];
            double value = matrix->value[at++];

            for (; at < end && matrix->index[at] == index; at++) {
                value += matrix->value[at];
                facts->duplicates++;
            }
            facts->zeros += value == 0;
            if (value == 0 && drops_zeros)
                continue;
            matrix->index[kept] = index;
            matrix->value[kept++] = value;
        }
    }
    matrix->start[matrix->n] = kept;
}

/** Compressed rows with ascending indices from triples: by columns first, in the order of the file, then transposed. */
static gsai_status_t compress(const triples_t *t, int32_t n, gsai_sparse_t *matrix_p, gsai_fault_t *fault) {
    gsai_sparse_t columns;
    gsai_status_t status = gsai_sparse_create(n, t->count, &columns, fault);

    if (status != GSAI_OK)
        return status;
    for (int64_t k = 0; k < t->count; k++)
        columns.start[t->column[k] + 1]++;
    for (int32_t k = 0; k < n; k++)
        columns.start[k + 1] += columns.start[k];
    for (int64_t k = 0; k < t->count; k++) {
        const int64_t place = columns.start[t->column[k]]++;

        columns.index[place] = t->row[k];
        columns.value[place] = t->value[k];
    }
    for (int32_t k = n; k > 0; k--)
        columns.start[k] = columns.start[k - 1];
    columns.start[0] = 0;
    status = gsai_sparse_transpose(&columns, matrix_p, fault);
    gsai_sparse_free(&columns);
    return status;
}

static gsai_status_t read_body(reader_t *r, int32_t n, int64_t entries, gsai_sparse_t *matrix_p) {
    const int64_t room = r->symmetry == GENERAL ? entries : 2 * entries;
    triples_t t = {.row = gsai_alloc(room, sizeof(int32_t)),
                   .column = gsai_alloc(room, sizeof(int32_t)),
                   .value = gsai_alloc(room, sizeof(double))};
    gsai_status_t status;

    if (t.row == NULL || t.column == NULL || t.value == NULL)
        status = gsai_fail(r->fault, GSAI_ERR_MEMORY, "%s: no memory for %lld entries", r->name,
                           (long long)entries);
    else
        status = read_entries(r, n, entries, &t);
    if (status == GSAI_OK)
        status = compress(&t, n, matrix_p, r->fault);
    free(t.row);
    free(t.column);
    free(t.value);
    return status;
}

/** Sums of duplicates may overflow. */
static gsai_status_t check_sums(const gsai_sparse_t *matrix, const char *name, gsai_fault_t *fault) {
    for (int32_t k = 0; k < matrix->n; k++)
        for (int64_t at = matrix->start[k]; at < matrix->start[k + 1]; at++)
            if (!isfinite(matrix->value[at]))
                return gsai_fail(fault, GSAI_ERR_INPUT, "%s: the entries at (%d, %d) together are not finite",
                                 name, k + 1, matrix->index[at] + 1);
    return GSAI_OK;
}

gsai_status_t gsai_read_text(const char *text, size_t length, const char *name,
                             const gsai_read_options_t *options, gsai_sparse_t *matrix_p,
                             gsai_read_facts_t *facts_p, gsai_fault_t *fault) {
    reader_t r =
        {.at = text, .end = text + length, .name = name, .line = 1, .options = options, .fault = fault};
    gsai_read_facts_t facts = {0};
    gsai_sparse_t matrix;
    int32_t n = 0;
    gsai_status_t status;

    if ((status = read_banner(&r)) != GSAI_OK || (status = read_sizes(&r, &n, &facts.stored)) != GSAI_OK ||
        (status = read_body(&r, n, facts.stored, &matrix)) != GSAI_OK)
        return status;
    facts.is_symmetric = r.symmetry != GENERAL;
    tidy(&matrix, options->drops_zeros, &facts);
    status = check_sums(&matrix, name, fault);
    if (status != GSAI_OK) {
        gsai_sparse_free(&matrix);
        return status;
    }
    *matrix_p = matrix;
    *facts_p = facts;
    return GSAI_OK;
}

/** All bytes of a file, with a zero behind them. */
static gsai_status_t load(const char *name, char **text_p, size_t *length_p, gsai_fault_t *fault) {
    FILE *const file = fopen(name, "rb");
    size_t room = 1 << 16, length = 0;
    char *text = NULL;

    if (file == NULL)
        return gsai_fail(fault, GSAI_ERR_INPUT, "%s: %s", name, strerror(errno));
    for (;;) {
        char *const larger = room < SIZE_MAX / 2 ? realloc(text, room + 1) : NULL;

        if (larger == NULL) {
            free(text);
            fclose(file);
            return gsai_fail(fault, GSAI_ERR_MEMORY, "%s: no memory for the file", name);
        }
        text = larger;
        length += fread(text + length, 1, room - length, file);
        if (length < room)
            break;
        room *= 2;
    }
    const bool is_read = !ferror(file);
    fclose(file);
    if (!is_read) {
        free(text);
        return gsai_fail(fault, GSAI_ERR_INPUT, "%s: reading failed", name);
    }
    text[length] = '\0';
    *text_p = text;
    *length_p = length;
    return GSAI_OK;
}

gsai_status_t gsai_read_file(const char *name, const gsai_read_options_t *options, gsai_sparse_t *matrix_p,
                             gsai_read_facts_t *facts_p, gsai_fault_t *fault) {
    char *text = NULL;
    size_t length = 0;
    gsai_status_t status = load(name, &text, &length, fault);

    if (status != GSAI_OK)
        return status;
    status = gsai_read_text(text, length, name, options, matrix_p, facts_p, fault);
    free(text);
    return status;
}
