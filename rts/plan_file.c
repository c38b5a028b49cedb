/* Files of costs: text, a line a cost.
 *
 *     dvmh-rts costs 1
 *     rate 11300000000                                        bytes a second of a reorganisation
 *     cost 9ac3e1f07b5d2846 0.0345 "plain" "jam"              loop, seconds, layouts of its arrays, plan
 *     kept 9ac3e1f07b5d2846 0.0123 "wrap(+)" "tile(diagonal) 64x1024"      the same, and the run ended with the loop so
 *     end 2                                                   how many costs: a file that was cut off has no such line
 *
 * What follows a # is for readers: where the loop is and how large. Numbers are written and read in the C locale whatever the
 * program has set, with 17 digits, so that they come back exactly. */
#include <config.h>

#include "rts/plan_file.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rts/memory.h"

#define HEAD           "dvmh-rts costs 1"
#define LINE_SIZE      2048 /* longest line with its newline; the longest names take a third */
#define SHOWN_SIZE     64   /* longest part of a line that a message repeats */
#define CAPACITY_LEAST 64

/* --- the locale of numbers --- */

typedef struct locale_switch {
    locale_t ours, before;
} locale_switch_t;

static rts_status_t locale_enter(locale_switch_t *change) {
    change->ours = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (change->ours == (locale_t)0)
        return rts_fail(RTS_ERR_NO_MEMORY, "no memory for a locale");
    change->before = uselocale(change->ours);
    return RTS_OK;
}

static void locale_leave(const locale_switch_t *change) {
    (void)uselocale(change->before);
    freelocale(change->ours);
}

/* --- writing --- */

typedef struct writer {
    FILE *file;
    size_t count;
} writer_t;

/* Where a loop is and how large; file names may hold anything. */
static void write_comment(FILE *file, const rts_site_summary_t *site, int64_t executions) {
    const char *name = site->position.file != NULL ? site->position.file : "?";
    fputs(" # ", file);
    for (int i = 0; name[i] != '\0' && i < 200; i++)
        fputc((unsigned char)name[i] < ' ' || name[i] == '\x7f' ? '?' : name[i], file);
    fprintf(file, ":%d", site->position.line);
    for (int dim = 0; dim < site->facts->rank; dim++)
        fprintf(file, "%s%" PRId64, dim == 0 ? ", " : "x", site->facts->count[dim]);
    fprintf(file, ", %" PRId64 " executions\n", executions);
}

static void write_site(void *context, const rts_site_summary_t *site) {
    writer_t *writer = context;
    rts_saved_cost_t cost = {.loop = rts_planner_loop_key(site)};
    const int array_count = site->facts->arrays != NULL ? site->facts->array_count : 0;
    for (int i = 0; i < site->option_count; i++) {
        rts_option_name(site->option[i], array_count, cost.forms, sizeof cost.forms);
        for (int k = 0; k < site->plan_count[i]; k++) {
            const rts_plan_t *plan = &site->plan[i][k];
            if (plan->measured_s < 0)
                continue;
            rts_plan_name(plan, site->facts->rank, cost.plan, sizeof cost.plan);
            RTS_ASSERT(strchr(cost.forms, '"') == NULL && strchr(cost.plan, '"') == NULL);
            fprintf(writer->file, "%s %016" PRIx64 " %.17g \"%s\" \"%s\"",
                    i == site->chosen && k == site->chosen_plan ? "kept" : "cost", cost.loop,
                    plan->measured_s, cost.forms, cost.plan);
            write_comment(writer->file, site, plan->executions);
            writer->count++;
        }
    }
}

/* @return false when the file is not complete; errno says why */
static bool write_all(FILE *file) {
    writer_t writer = {.file = file};
    fprintf(file, HEAD "\nrate %.17g # bytes a second of a reorganisation\n", rts_planner_reorganise_rate());
    rts_planner_visit(write_site, &writer);
    fprintf(file, "end %zu\n", writer.count);
    return fflush(file) == 0 && !ferror(file);
}

static rts_status_t write_named(const char *name, const char *beside) {
    errno = 0;
    FILE *file = fopen(beside, "w");
    if (file == NULL)
        return rts_fail(RTS_ERR_IO, "'%s' cannot be created: %s", beside, strerror(errno));
    bool good = write_all(file);
    int reason = errno;
    if (fclose(file) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good && rename(beside, name) == 0)
        return RTS_OK;
    reason = good ? errno : reason;
    (void)remove(beside);
    return rts_fail(RTS_ERR_IO, "'%s' cannot be written: %s", name, strerror(reason));
}

rts_status_t rts_plan_file_check(const char *name) {
    const char *slash = strrchr(name, '/');
    const size_t length = slash == NULL ? 1 : slash == name ? 1 : (size_t)(slash - name);
    struct stat facts;
    char *folder = rts_alloc(length + 1);
    if (folder == NULL)
        return rts_fail_memory("a file name", length + 1);
    memcpy(folder, slash == NULL ? "." : name, length);
    folder[length] = '\0';
    rts_status_t status = RTS_OK;
    if (access(folder, W_OK | X_OK) != 0)
        status = rts_fail(RTS_ERR_IO, "'%s' cannot be created in the folder '%s': %s", name, folder,
                          strerror(errno));
    else if (stat(name, &facts) == 0 && S_ISDIR(facts.st_mode))
        status = rts_fail(RTS_ERR_IO, "'%s' cannot be created: %s", name, strerror(EISDIR));
    rts_free(folder);
    return status;
}

rts_status_t rts_plan_file_write(const char *name) {
    const size_t bytes = strlen(name) + sizeof ".tmp";
    locale_switch_t change = {0};
    char *beside = rts_alloc(bytes);
    if (beside == NULL)
        return rts_fail_memory("a file name", bytes);
    snprintf(beside, bytes, "%s.tmp", name);
    rts_status_t status = locale_enter(&change);
    if (status == RTS_OK) {
        status = write_named(name, beside);
        locale_leave(&change);
    }
    rts_free(beside);
    return status;
}

/* --- reading --- */

typedef struct reader {
    FILE *file;
    const char *name;
    long line; /* number of the line in `text`, from 1 */
    char text[LINE_SIZE];
    rts_plan_file_t found;
    size_t capacity;
} reader_t;

/* The message about a wrong place. `found` may hold anything. */
static rts_status_t unexpected(const reader_t *reader, const char *found, const char *expected) {
    char shown[SHOWN_SIZE];
    size_t i = 0;
    for (; found[i] != '\0' && i + 4 < sizeof shown; i++)
        shown[i] = (unsigned char)found[i] < ' ' || found[i] == '\x7f' ? '?' : found[i];
    snprintf(shown + i, sizeof shown - i, "%s", found[i] != '\0' ? "..." : "");
    return rts_fail(RTS_ERR_INVALID, "costs in '%s', line %ld: '%s' found; expected: %s", reader->name,
                    reader->line, shown, expected);
}

/* The next line, without its newline, to reader->text. */
static rts_status_t next_line(reader_t *reader, const char *expected) {
    size_t length = 0;
    int c;
    reader->line++;
    while ((c = getc(reader->file)) != EOF && c != '\n') {
        reader->text[length++] = (char)c;
        reader->text[length] = '\0';
        if (c == '\0')
            return unexpected(reader, reader->text, "text, not a byte of value 0");
        if (length + 1 == sizeof reader->text)
            return unexpected(reader, reader->text, "a line of at most 2046 bytes");
    }
    reader->text[length] = '\0';
    if (ferror(reader->file))
        return rts_fail(RTS_ERR_IO, "costs in '%s' cannot be read: %s", reader->name, strerror(errno));
    if (c == EOF)
        return length == 0 ? unexpected(reader, "end of file", expected)
                           : unexpected(reader, reader->text, "a whole line; the file is cut off here");
    return RTS_OK;
}

static const char *skip_blanks(const char *text) {
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

/* Whether nothing but a comment is left. */
static bool is_end(const char *text) {
    text = skip_blanks(text);
    return *text == '\0' || *text == '#';
}

/* Behind a word and the blanks that follow it; NULL when another text stands there. */
static const char *skip_word(const char *text, const char *word) {
    const size_t length = strlen(word);
    if (strncmp(text, word, length) != 0 || (text[length] != ' ' && text[length] != '\t'))
        return NULL;
    return skip_blanks(text + length);
}

/* Each of these reads a value at *text_p and moves that behind it and its blanks. @return false: there is none */

static bool scan_number(const char **text_p, double *value_p) {
    char *end;
    const size_t length = strspn(*text_p, "0123456789.eE+-");
    if (**text_p < '0' || **text_p > '9')
        return false;
    const double value = strtod(*text_p, &end);
    if (end != *text_p + length || !isfinite(value))
        return false;
    *value_p = value;
    *text_p = skip_blanks(end);
    return true;
}

static bool scan_key(const char **text_p, uint64_t *key_p) {
    const size_t length = strspn(*text_p, "0123456789abcdefABCDEF");
    if (length != 16)
        return false;
    *key_p = strtoull(*text_p, NULL, 16);
    *text_p = skip_blanks(*text_p + length);
    return true;
}

static bool scan_quoted(const char **text_p, char *name, size_t size) {
    if (**text_p != '"')
        return false;
    const char *begin = *text_p + 1;
    const size_t length = strcspn(begin, "\"");
    if (begin[length] != '"' || length >= size)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)begin[i] < ' ' || begin[i] == '\x7f')
            return false;
    memcpy(name, begin, length);
    name[length] = '\0';
    *text_p = skip_blanks(begin + length + 1);
    return true;
}

static rts_status_t add_cost(reader_t *reader, const rts_saved_cost_t *cost) {
    rts_plan_file_t *found = &reader->found;
    if (found->count == reader->capacity) {
        const size_t capacity = reader->capacity == 0 ? CAPACITY_LEAST : 2 * reader->capacity;
        rts_saved_cost_t *grown =
            rts_realloc(found->cost, found->count * sizeof *grown, capacity * sizeof *grown);
        if (grown == NULL)
            return rts_fail_memory("costs of an earlier run", capacity * sizeof *grown);
        found->cost = grown;
        reader->capacity = capacity;
    }
    found->cost[found->count++] = *cost;
    return RTS_OK;
}

/* A cost, from behind its first word. */
static rts_status_t read_cost(reader_t *reader, const char *text, bool is_kept) {
    rts_saved_cost_t cost = {.is_kept = is_kept};
    if (!scan_key(&text, &cost.loop))
        return unexpected(reader, text, "16 hexadecimal digits that stand for a loop");
    if (!scan_number(&text, &cost.seconds))
        return unexpected(reader, text, "seconds, a decimal number");
    if (!scan_quoted(&text, cost.forms, sizeof cost.forms))
        return unexpected(reader, text, "names of layouts in double quotes, at most 511 bytes");
    if (!scan_quoted(&text, cost.plan, sizeof cost.plan))
        return unexpected(reader, text, "the name of a plan in double quotes, at most 63 bytes");
    if (!is_end(text))
        return unexpected(reader, text, "the end of the line or a comment that begins with #");
    return add_cost(reader, &cost);
}

/* The number of costs, from behind the word "end"; nothing may follow. */
static rts_status_t read_end(reader_t *reader, const char *text) {
    const char *rest = text;
    double count;
    if (!scan_number(&rest, &count) || !is_end(rest) || count != (double)reader->found.count)
        return unexpected(reader, text, "the number of lines of costs in this file");
    reader->line++;
    if (getc(reader->file) != EOF)
        return unexpected(reader, "more text", "the end of the file");
    return RTS_OK;
}

static rts_status_t read_all(reader_t *reader) {
    static const char rate_line[] = "rate and the bytes a second of a reorganisation";
    static const char cost_line[] = "a line that begins with cost, kept or end";
    const char *text;
    RTS_TRY(next_line(reader, HEAD));
    if (strcmp(reader->text, HEAD) != 0)
        return unexpected(reader, reader->text, HEAD);
    RTS_TRY(next_line(reader, rate_line));
    text = skip_word(reader->text, "rate");
    if (text == NULL || !scan_number(&text, &reader->found.reorganise_rate) || !is_end(text) ||
        reader->found.reorganise_rate <= 0)
        return unexpected(reader, reader->text, rate_line);
    for (;;) {
        RTS_TRY(next_line(reader, cost_line));
        if ((text = skip_word(reader->text, "cost")) != NULL)
            RTS_TRY(read_cost(reader, text, false));
        else if ((text = skip_word(reader->text, "kept")) != NULL)
            RTS_TRY(read_cost(reader, text, true));
        else if ((text = skip_word(reader->text, "end")) != NULL)
            return read_end(reader, text);
        else if (!is_end(reader->text))
            return unexpected(reader, reader->text, cost_line);
    }
}

rts_status_t rts_plan_file_read(const char *name, rts_plan_file_t *file_p) {
    reader_t reader = {.name = name};
    locale_switch_t change = {0};
    errno = 0;
    reader.file = fopen(name, "r");
    if (reader.file == NULL)
        return rts_fail(RTS_ERR_IO, "costs in '%s' cannot be read: %s", name, strerror(errno));
    rts_status_t status = locale_enter(&change);
    if (status == RTS_OK) {
        status = read_all(&reader);
        locale_leave(&change);
    }
    (void)fclose(reader.file); /* nothing was written to it */
    if (status == RTS_OK)
        *file_p = reader.found;
    else
        rts_free(reader.found.cost);
    return status;
}
