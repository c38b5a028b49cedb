/* Parsing of the environment variables and printing of their table (environment_table.c). Decides the forms
 * of values and the messages about bad ones; not what the values are used for. Numbers are parsed by hand,
 * because the C library's ways depend on the locale, skip blanks and take trailing garbage. */
#include <config.h>

#include "rts/environment.h"

#include "rts/environment_table.h"

#include <math.h>
#include <string.h>

#define PREFIX           "DVMH_"
#define NAME_LENGTH_MAX  63  /* longer names resemble no row */
#define SHOWN_SIZE       64  /* longest part of a value that a message repeats, terminator included */
#define FLOAT_DIGITS_MAX 308 /* 10^308 is still finite in double precision */

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_word(const char *a, const char *b) {
    while (*a != '\0' && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return *a == '\0' && *b == '\0';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Place of a text in a NULL-terminated list of words; -1 when it is none of them. */
static int find_word(const char *text, const char *const words[]) {
    for (int i = 0; words[i] != NULL; i++)
        if (same_word(text, words[i]))
            return i;
    return -1;
}

/* Numbers: each reads as far as its form goes and says where it ends; NULL when there is none or it is too
 * large. */

static const char *scan_unsigned(const char *text, uint64_t *value_p) {
    uint64_t value = 0;
    if (!is_digit(*text))
        return NULL;
    for (; is_digit(*text); text++)
        if (__builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (unsigned)(*text - '0'), &value))
            return NULL;
    *value_p = value;
    return text;
}

/* A whole number min..max, min >= 0. */
static const char *scan_int(const char *text, int64_t min, int64_t max, int64_t *value_p) {
    uint64_t value;
    const char *end = scan_unsigned(text, &value);
    if (end == NULL || value > (uint64_t)max || value < (uint64_t)min)
        return NULL;
    *value_p = (int64_t)value;
    return end;
}

/* digits [. digits] [e [+-] digits], at least one digit before the exponent. Values are exact to a few units in the last place. */
static const char *scan_float(const char *text, double *value_p) {
    uint64_t whole = 0; /* digits before the point: the value is below 10^(whole + exponent) */
    bool fraction = false;
    uint64_t exponent = 0;
    double value = 0, scale = 1;
    while (text[0] == '0' && is_digit(text[1]))
        text++;
    for (; is_digit(*text); text++, whole++)
        value = value * 10 + (*text - '0');
    if (*text == '.')
        for (text++; is_digit(*text); text++) {
            value += (*text - '0') * (scale /= 10);
            fraction = true;
        }
    if (whole == 0 && !fraction)
        return NULL;
    if (*text == 'e' || *text == 'E') {
        const bool negative = text[1] == '-';
        text = scan_unsigned(text + (negative || text[1] == '+' ? 2 : 1), &exponent);
        value *= pow(10, negative ? -(double)exponent : (double)exponent);
        if (negative)
            exponent = 0;
    }
    *value_p = value;
    return whole <= FLOAT_DIGITS_MAX && exponent <= FLOAT_DIGITS_MAX - whole ? text : NULL;
}

static const char *skip_blanks(const char *text) {
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

/* Numbers separated by blanks, a comma, or both. Blanks around the list are fine, empty places are not. */
static bool parse_list(const rts_environment_row_t *row, const char *text, rts_int_list_t *list_p) {
    rts_int_list_t list = {0};
    double ignored; /* weights have no effect in this version */
    text = skip_blanks(text);
    for (;;) {
        if (list.count == RTS_ENVIRONMENT_LIST_MAX)
            return false;
        int64_t *value_p = &list.value[list.count++];
        const char *end = row->type == RTS_VALUE_FLOAT_LIST ? scan_float(text, &ignored)
                                                            : scan_int(text, row->min, row->max, value_p);
        if (end == NULL)
            return false;
        text = skip_blanks(end);
        if (*text == '\0')
            break;
        if (*text == ',')
            text = skip_blanks(text + 1);
        else if (text == end)
            return false; /* garbage right behind a number */
    }
    *list_p = list;
    return true;
}

static bool parse_bool(const char *text, bool *value_p) {
    static const char *const words[] = {"0", "off", "no", "disable", "1", "on", "yes", "enable", NULL};
    const int place = find_word(text, words);
    *value_p = place >= 4;
    return place >= 0;
}

static bool parse_level(const char *text, int *value_p) {
    static const char *const words[] = {"0",     "1",       "2",    "3",     "4",     "5", "fatal",
                                        "error", "warning", "info", "debug", "trace", NULL};
    const int place = find_word(text, words);
    *value_p = place % 6;
    return place >= 0;
}

/* What follows a head such as "random:", in either case; NULL when the text does not begin with it. */
static const char *skip_head(const char *text, const char *head) {
    for (; *head != '\0'; text++, head++)
        if (lower(*text) != *head)
            return NULL;
    return text;
}

/* A mode, with the seed or the file that belongs to it; what belongs to other modes becomes 0. */
static bool parse_planner(const char *text, rts_environment_t *environment_p) {
    static const char *const words[] = {"off", "greedy", "cost", NULL};
    static const rts_planner_mode_t modes[] = {RTS_PLANNER_OFF, RTS_PLANNER_GREEDY, RTS_PLANNER_COST};
    rts_planner_mode_t mode;
    uint64_t seed = 0;
    const char *seed_text = skip_head(text, "random:"), *file = skip_head(text, "replay:");
    const int place = find_word(text, words);
    if (place >= 0) {
        mode = modes[place];
    } else if (seed_text != NULL) {
        const char *end = scan_unsigned(seed_text, &seed);
        if (end == NULL || *end != '\0')
            return false;
        mode = RTS_PLANNER_RANDOM;
    } else {
        if (file == NULL || *file == '\0' || strlen(file) >= sizeof environment_p->planner_file)
            return false;
        mode = RTS_PLANNER_REPLAY;
    }
    environment_p->planner_mode = mode;
    environment_p->planner_seed = seed;
    memset(environment_p->planner_file, 0, sizeof environment_p->planner_file);
    if (mode == RTS_PLANNER_REPLAY)
        memcpy(environment_p->planner_file, file, strlen(file));
    return true;
}

/* Put a number into a row's field, whose type its size tells: bool, int (or an enum), int64_t. */
static void store_int(const rts_environment_row_t *row, int64_t value, rts_environment_t *environment_p) {
    char *field = (char *)environment_p + row->offset;
    if (row->size == sizeof(bool)) {
        const bool narrow = value != 0;
        memcpy(field, &narrow, sizeof narrow);
    } else if (row->size == sizeof(int)) {
        const int narrow = (int)value;
        memcpy(field, &narrow, sizeof narrow);
    } else if (row->size == sizeof(int64_t)) {
        memcpy(field, &value, sizeof value);
    }
}

static bool parse_string(const rts_environment_row_t *row, const char *text,
                         rts_environment_t *environment_p) {
    if (row->size == 0)
        return true;
    const size_t bytes = strlen(text) + 1;
    if (bytes > row->size)
        return false;
    memcpy((char *)environment_p + row->offset, text, bytes);
    return true;
}

/* Check a value and store it where the row says. @return false: not allowed, nothing stored */
static bool parse_value(const rts_environment_row_t *row, const char *text,
                        rts_environment_t *environment_p) {
    const char *end;
    int64_t number = 0;
    double decimal;
    int small = 0;
    bool on = false;
    bool good = false;
    rts_int_list_t list;
    switch (row->type) {
    case RTS_VALUE_BOOL:
    case RTS_VALUE_BOOL_AUTO:
        good = parse_bool(text, &on);
        number = on;
        if (!good && row->type == RTS_VALUE_BOOL_AUTO && same_word(text, "auto")) {
            good = true;
            number = -1;
        }
        break;
    case RTS_VALUE_INT:
        end = scan_int(text, row->min, row->max, &number);
        good = end != NULL && *end == '\0';
        break;
    case RTS_VALUE_FLOAT:
        end = scan_float(text, &decimal);
        good = end != NULL && *end == '\0';
        if (good && row->size == sizeof decimal)
            memcpy((char *)environment_p + row->offset, &decimal, sizeof decimal);
        return good;
    case RTS_VALUE_INT_LIST:
    case RTS_VALUE_FLOAT_LIST:
        good = parse_list(row, text, &list);
        if (good && row->size == sizeof list)
            memcpy((char *)environment_p + row->offset, &list, sizeof list);
        return good;
    case RTS_VALUE_STRING:
        return parse_string(row, text, environment_p);
    case RTS_VALUE_LEVEL:
        good = parse_level(text, &small);
        number = small;
        break;
    case RTS_VALUE_CHOICE:
        number = find_word(text, row->words);
        good = number >= 0;
        break;
    case RTS_VALUE_PLANNER:
        return parse_planner(text, environment_p);
    }
    if (good)
        store_int(row, number, environment_p);
    return good;
}

/* A text as messages show it: cut, and without control characters. */
static const char *printable(const char *text, size_t length, char shown[SHOWN_SIZE]) {
    const bool cut = length >= SHOWN_SIZE;
    const size_t kept = cut ? SHOWN_SIZE - 1 - 3 : length;
    for (size_t i = 0; i < kept; i++)
        shown[i] = (unsigned char)text[i] < ' ' || text[i] == '\x7f' ? '?' : text[i];
    memcpy(shown + kept, "...", cut ? 3 : 0);
    shown[kept + (cut ? 3 : 0)] = '\0';
    return shown;
}

/* The value in a "NAME=value" of the block when it is one of ours; the length of the name goes to length_p.
 */
static const char *own_value(const char *entry, size_t *length_p) {
    if (strncmp(entry, PREFIX, sizeof PREFIX - 1) != 0)
        return NULL;
    const char *equals = strchr(entry, '=');
    if (equals == NULL)
        return NULL;
    *length_p = (size_t)(equals - entry);
    return equals + 1;
}

static bool is_name(const rts_environment_row_t *row, const char *name, size_t length) {
    return strlen(row->name) == length && memcmp(row->name, name, length) == 0;
}

static int find_row(const char *name, size_t length) {
    for (int i = 0; i < rts_environment_row_count; i++)
        if (is_name(&rts_environment_rows[i], name, length))
            return i;
    return -1;
}

/* Changes, insertions and deletions that turn one name into the other, case aside; neither longer than
 * NAME_LENGTH_MAX. */
static int edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    int row[NAME_LENGTH_MAX + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            int best = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[b_length];
}

static void warn_unknown(const char *name, size_t length) {
    char shown[SHOWN_SIZE];
    int nearest = -1;
    int nearest_distance = 3;
    for (int i = 0; i < rts_environment_row_count && length <= NAME_LENGTH_MAX; i++) {
        const char *known = rts_environment_rows[i].name;
        const int distance = edit_distance(name, length, known, strlen(known));
        if (distance < nearest_distance) {
            nearest_distance = distance;
            nearest = i;
        }
    }
    printable(name, length, shown);
    if (nearest < 0)
        rts_log(RTS_LOG_WARNING, "unknown environment variable %s", shown);
    else
        rts_log(RTS_LOG_WARNING, "unknown environment variable %s; did you mean %s?", shown,
                rts_environment_rows[nearest].name);
}

void rts_environment_defaults(rts_environment_t *environment_p) {
    memset(environment_p, 0, sizeof *environment_p);
    environment_p->planner_mode = RTS_PLANNER_PROGRAM; /* no word that a user may give */
    for (int i = 0; i < rts_environment_row_count; i++) {
        const rts_environment_row_t *row = &rts_environment_rows[i];
        const bool good = row->initial == NULL || parse_value(row, row->initial, environment_p);
        RTS_ASSERT(good);
        (void)good;
    }
}

rts_status_t rts_environment_values(char *const block[], rts_environment_t *environment_p) {
    rts_environment_t environment;
    bool seen[RTS_ENVIRONMENT_ROWS_MAX] = {false};
    size_t length;
    rts_environment_defaults(&environment);
    for (int i = 0; block[i] != NULL; i++) {
        const char *value = own_value(block[i], &length);
        const int place = value != NULL ? find_row(block[i], length) : -1;
        if (place < 0 || seen[place])
            continue; /* of a name that stands twice, getenv takes the first as well */
        seen[place] = true;
        const rts_environment_row_t *row = &rts_environment_rows[place];
        if (*value != '\0' && !parse_value(row, value, &environment)) {
            char shown[SHOWN_SIZE];
            return rts_fail(RTS_ERR_INVALID, "%s: '%s' is not allowed; allowed: %s", row->name,
                            printable(value, strlen(value), shown), row->allowed);
        }
    }
    *environment_p = environment;
    return RTS_OK;
}

void rts_environment_warn(char *const block[]) {
    size_t length;
    for (int i = 0; block[i] != NULL; i++)
        if (own_value(block[i], &length) != NULL && find_row(block[i], length) < 0)
            warn_unknown(block[i], length);
}

rts_status_t rts_environment_read(char *const block[], rts_environment_t *environment_p) {
    RTS_TRY(rts_environment_values(block, environment_p));
    if (environment_p->log_level >= RTS_LOG_WARNING) /* the level that the user wants is among the values */
        rts_environment_warn(block);
    return RTS_OK;
}

static const char *shown_default(const rts_environment_row_t *row) {
    return row->shown != NULL ? row->shown : row->initial;
}

void rts_environment_print_markdown(FILE *file) {
    fputs("<!-- Generated from rts/environment_table.c; do not edit. -->\n\n"
          "# Environment variables\n\n"
          "An empty value counts as not set. Words may be written in either case. A value that is not "
          "allowed ends\n"
          "the program with a message; an unknown `DVMH_` name is warned about.\n\n"
          "Processes that lack a variable get that of process 0. What all must do alike is decided by "
          "process 0 "
          "alone:\n"
          "`DVMH_PROC_GRID`, `DVMH_IO_BUF_SIZE`, `DVMH_PARALLEL_IO_THRES`, `DVMH_REPORT`.\n\n"
          "| name | default | allowed values | meaning |\n"
          "|---|---|---|---|\n",
          file);
    for (int i = 0; i < rts_environment_row_count; i++) {
        const rts_environment_row_t *row = &rts_environment_rows[i];
        fprintf(file, "| `%s` | %s | %s | %s |\n", row->name, shown_default(row), row->allowed, row->help);
    }
}

static void print_value(FILE *file, const rts_environment_row_t *row, const char *value) {
    rts_environment_t ignored;
    char shown[SHOWN_SIZE];
    if (*value == '\0') {
        fprintf(file, "%s=%s  (default)\n", row->name, shown_default(row));
        return;
    }
    printable(value, strlen(value), shown);
    if (parse_value(row, value, &ignored))
        fprintf(file, "%s=%s  (set)\n", row->name, shown);
    else
        fprintf(file, "%s=%s  (not allowed; allowed: %s)\n", row->name, shown, row->allowed);
}

void rts_environment_print_values(FILE *file, char *const block[]) {
    for (int i = 0; i < rts_environment_row_count; i++) {
        const rts_environment_row_t *row = &rts_environment_rows[i];
        const char *value = NULL;
        for (int k = 0; block[k] != NULL && value == NULL; k++) {
            size_t length;
            const char *own = own_value(block[k], &length);
            if (own != NULL && is_name(row, block[k], length))
                value = own;
        }
        print_value(file, row, value != NULL ? value : "");
    }
}
