/* Reading what the preprocessor wrote: line markers, definitions (-dD), includes (-dI) and text, one line after the other, into the
 * source's text and tables. Keeps no blank lines where a marker is shorter. */
#include <config.h>

#include "compiler-hooks/dvmhcc/source_inside.h"

#include "rts/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* So many blank lines are kept instead of a marker. */
#define BLANK_LINES_MAX 3

typedef struct parser {
    dvmhcc_source_t *source;
    dvmhcc_text_t *expansion;
    const char *main_file;
    int file, line;           /* of the line being read */
    bool system, built_in;    /* it belongs to a header of the system; to no file, such as <built-in> */
    int depth;                /* includes that are open */
    int text_file, text_line; /* what a reader of the text takes the next line for; -1: nothing yet */
    bool text_system;
    bool joinable;         /* the last line of the text is no directive */
    dvmhcc_text_t pending; /* the include directive just read, as <name>; empty: none, or not such */
    int pending_file, pending_line;
    int open_depth;    /* depth outside the system's header being read; -1: in none */
    bool open_dropped; /* it may not be left out of the text, or was not written with <> */
    dvmhcc_include_t open;
    dvmhcc_text_t again; /* for open.again */
} parser_t;

/* The number of a file; names are few, so they are searched. -1: no memory, told. */
static int file_number(dvmhcc_source_t *source, const char *name) {
    for (size_t i = source->file_count; i-- > 0;) {
        if (strcmp(source->files[i].name, name) == 0)
            return (int)i;
    }
    if (!dvmhcc_grow((void **)&source->files, &source->file_capacity, source->file_count,
                     sizeof *source->files))
        return -1;
    char *copy = rts_strdup(name);
    if (copy == NULL) {
        dvmhcc_no_memory();
        return -1;
    }
    source->files[source->file_count] = (dvmhcc_file_t){.name = copy};
    return (int)source->file_count++;
}

/* ---- text */

static bool add_line_entry(parser_t *p) {
    dvmhcc_source_t *source = p->source;
    if (!dvmhcc_grow((void **)&source->lines, &source->line_capacity, source->line_count,
                     sizeof *source->lines))
        return false;
    source->lines[source->line_count++] =
        (dvmhcc_line_t){.offset = source->text.length, .file = p->file, .line = p->line, .system = p->system};
    return true;
}

/* Append a line that comes from the current place, after a marker where its number would be another. */
static bool add_text_line(parser_t *p, const char *line, size_t length) {
    dvmhcc_text_t *text = &p->source->text;
    const bool same = p->text_file == p->file && p->text_system == p->system;
    p->joinable = false;
    if (same && p->line >= p->text_line && p->line - p->text_line <= BLANK_LINES_MAX) {
        for (; p->text_line < p->line; p->text_line++)
            dvmhcc_text_add(text, "\n", 1);
    } else {
        if (!add_line_entry(p))
            return false;
        dvmhcc_text_add_marker(text, p->line, p->source->files[p->file].name, p->system);
    }
    if (!add_line_entry(p))
        return false;
    dvmhcc_text_add(text, line, length);
    dvmhcc_text_add(text, "\n", 1);
    p->text_file = p->file;
    p->text_line = p->line + 1;
    p->text_system = p->system;
    return true;
}

/* The same for a line that is no directive. Some compilers break a line around what a macro of the system expanded to, with markers
 * that say so; it becomes one line again. */
static bool add_code_line(parser_t *p, const char *line, size_t length) {
    dvmhcc_text_t *text = &p->source->text;
    if (!p->joinable || p->text_file != p->file || p->line != p->text_line - 1) {
        const bool good = add_text_line(p, line, length);
        p->joinable = true;
        return good;
    }
    while (length > 0 && isspace((unsigned char)*line)) {
        line++;
        length--;
    }
    if (text->failed)
        return true; /* told at the end */
    text->length--;  /* the newline of the first part */
    if (text->data[text->length - 1] != ' ')
        dvmhcc_text_add(text, " ", 1);
    dvmhcc_text_add(text, line, length);
    dvmhcc_text_add(text, "\n", 1);
    return true;
}

/* ---- headers of the system */

/* A header of the system begins at the current end of the text. */
static void open_include(parser_t *p, int depth_outside) {
    p->open_depth = depth_outside;
    p->open_dropped = p->pending.length == 0;
    p->open = (dvmhcc_include_t){.begin = p->source->text.length,
                                 .file = p->pending_file,
                                 .line = p->pending_line,
                                 .event_count = (int)p->source->event_count};
    p->again.length = 0;
}

static bool close_include(parser_t *p) {
    dvmhcc_source_t *source = p->source;
    p->open_depth = -1;
    if (p->open_dropped)
        return true;
    if (!dvmhcc_grow((void **)&source->includes, &source->include_capacity, source->include_count,
                     sizeof *source->includes))
        return false;
    p->open.end = source->text.length;
    p->open.in_main = strcmp(source->files[p->open.file].name, p->main_file) == 0;
    p->open.again = rts_strdup(p->again.length > 0 ? dvmhcc_text_string(&p->again) : "");
    if (p->open.header == NULL || p->open.again == NULL) {
        rts_free(p->open.header);
        rts_free(p->open.again);
        p->open.header = NULL;
        return dvmhcc_no_memory();
    }
    source->includes[source->include_count++] = p->open;
    p->open.header = NULL;
    return true;
}

/* `# line "file" flags`. @return false  no memory, told */
static bool read_marker(parser_t *p, const char *line, size_t length) {
    const char *at = line + 1, *end = line + length;
    const long number = strtol(at, (char **)(uintptr_t)&at, 10);
    while (at < end && *at != '"')
        at++;
    dvmhcc_text_t name = {0};
    for (at++; at < end && *at != '"'; at++) {
        char c = *at;
        if (c == '\\' && at + 1 < end) {
            c = *++at;
            if (c >= '0' && c <= '7') {
                int code = 0;
                for (int digits = 0; digits < 3 && at < end && *at >= '0' && *at <= '7'; digits++, at++)
                    code = 8 * code + (*at - '0');
                at--;
                c = (char)code;
            }
        }
        dvmhcc_text_add(&name, &c, 1);
    }
    bool enters = false, leaves = false, system = false;
    for (at += at < end; at < end; at++) {
        enters |= *at == '1';
        leaves |= *at == '2';
        system |= *at == '3';
    }
    const int file = dvmhcc_text_good(&name) ? file_number(p->source, dvmhcc_text_string(&name)) : -1;
    p->built_in = name.length > 0 && name.data[0] == '<';
    dvmhcc_text_free(&name);
    if (file < 0)
        return false;
    const int depth_before = p->depth;
    p->depth += enters - leaves;
    bool good = true;
    if (p->open_depth >= 0 && p->depth <= p->open_depth)
        good = close_include(p);
    if (enters && system && !p->system && p->open_depth < 0) {
        open_include(p, depth_before);
        if (!p->open_dropped && (p->open.header = rts_strdup(dvmhcc_text_string(&p->pending))) == NULL)
            good = dvmhcc_no_memory();
    }
    /* Without a flag of entering, the flag of the system only says that a macro of the system was expanded in the line. */
    if (enters)
        p->source->files[file].system = system;
    p->file = file;
    p->line = (int)number;
    p->system = p->source->files[file].system;
    if (enters)
        p->pending.length = 0;
    return good;
}

/* ---- definitions and includes */

static bool in_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || ((unsigned char)c & 0x80) != 0;
}

/* Whether a definition's text names the macro itself, other than by being just its name: expanded twice it would change. */
static bool names_itself(const char *name, size_t length, const char *rest, size_t rest_length) {
    size_t at = 0;
    if (rest_length > 0 && rest[0] == '(') {
        while (at < rest_length && rest[at] != ')')
            at++;
        at += at < rest_length;
    }
    const bool alone = rest_length == length + 1 && rest[0] == ' ' && memcmp(rest + 1, name, length) == 0;
    for (; !alone && at + length <= rest_length; at++) {
        if (memcmp(rest + at, name, length) == 0 && (at == 0 || !in_name(rest[at - 1])) &&
            (at + length == rest_length || !in_name(rest[at + length])))
            return true;
    }
    return false;
}

/* A #define or #undef line. Those of the user outside the system's headers are kept as events. @return false  no memory, told */
static bool read_definition(parser_t *p, const char *line, size_t length, bool defines) {
    if (p->built_in)
        return true;
    dvmhcc_text_add(p->expansion, line, length);
    dvmhcc_text_add(p->expansion, "\n", 1);
    const char *name = line + strlen(defines ? "#define " : "#undef ");
    size_t name_length = 0;
    while (name + name_length < line + length && in_name(name[name_length]))
        name_length++;
    const char *rest = name + name_length;
    const size_t rest_length = (size_t)(line + length - rest);
    if (p->open_depth >= 0 || p->system) {
        if (defines && names_itself(name, name_length, rest, rest_length)) {
            dvmhcc_text_add(&p->again, name, name_length);
            dvmhcc_text_add(&p->again, "\n", 1);
        }
        return dvmhcc_text_good(&p->again);
    }
    dvmhcc_source_t *source = p->source;
    if (!dvmhcc_grow((void **)&source->events, &source->event_capacity, source->event_count,
                     sizeof *source->events))
        return false;
    dvmhcc_text_t name_copy = {0}, line_copy = {0};
    dvmhcc_text_add(&name_copy, name, name_length);
    if (defines)
        dvmhcc_text_add(&line_copy, line, length);
    source->events[source->event_count++] =
        (dvmhcc_event_t){.name = name_copy.data, .line = line_copy.data, .next = -1};
    if (!dvmhcc_text_good(&name_copy) || !dvmhcc_text_good(&line_copy))
        return false;
    return defines || add_text_line(p, line, length);
}

/* An include directive, which -dI shows before the marker of the file that it enters. */
static void read_include(parser_t *p, const char *line, size_t length) {
    p->pending.length = 0;
    p->pending_file = p->file;
    p->pending_line = p->line;
    static const char plain[] = "#include <";
    const char *end = memchr(line, '>', length);
    if (length > sizeof plain && memcmp(line, plain, sizeof plain - 1) == 0 && end != NULL)
        dvmhcc_text_add(&p->pending, line + sizeof plain - 2, (size_t)(end - line) + 1 - (sizeof plain - 2));
}

/* ---- directives */

/* What follows `dvm` in a #pragma line; NULL: it is none of ours. *length_p is the length of what is returned. */
static const char *dvm_words(const char *line, size_t length, size_t *length_p) {
    const char *at = line + strlen("#pragma"), *end = line + length;
    while (at < end && isspace((unsigned char)*at))
        at++;
    if (end - at < 3 || memcmp(at, "dvm", 3) != 0 || (end - at > 3 && in_name(at[3])))
        return NULL;
    at += 3;
    while (at < end && isspace((unsigned char)*at))
        at++;
    while (end > at && isspace((unsigned char)end[-1]))
        end--;
    *length_p = (size_t)(end - at);
    return at;
}

static bool read_pragma(parser_t *p, const char *line, size_t length) {
    dvmhcc_source_t *source = p->source;
    size_t words_length = 0;
    const char *words = dvm_words(line, length, &words_length);
    if (!add_text_line(p, line, length))
        return false;
    if (words == NULL)
        return true;
    p->open_dropped = true;
    if (!dvmhcc_grow((void **)&source->pragmas, &source->pragma_capacity, source->pragma_count,
                     sizeof *source->pragmas))
        return false;
    dvmhcc_text_t copy = {0};
    dvmhcc_text_add(&copy, words, words_length);
    if (!dvmhcc_text_good(&copy))
        return false;
    const size_t end = source->text.length - (source->text.length > 0);
    source->pragmas[source->pragma_count++] = (dvmhcc_pragma_t){.begin = end - length,
                                                                .end = end,
                                                                .words = copy.data,
                                                                .file = p->file,
                                                                .line = p->line};
    dvmhcc_text_add_marker(p->expansion, p->line, source->files[p->file].name, false);
    return dvmhcc_pragma_add_expansion(p->expansion, copy.data, (int)source->pragma_count - 1);
}

/* ---- all */

static bool starts_with(const char *line, size_t length, const char *prefix) {
    return length >= strlen(prefix) && memcmp(line, prefix, strlen(prefix)) == 0;
}

static bool is_blank(const char *line, size_t length) {
    while (length > 0 && isspace((unsigned char)*line)) {
        line++;
        length--;
    }
    return length == 0;
}

static bool read_line(parser_t *p, const char *line, size_t length) {
    if (length > 2 && line[0] == '#' && line[1] == ' ' && isdigit((unsigned char)line[2]))
        return read_marker(p, line, length);
    bool good = true;
    if (starts_with(line, length, "#include ") || starts_with(line, length, "#include_next ") ||
        starts_with(line, length, "#import "))
        read_include(p, line, length);
    else if (starts_with(line, length, "#define "))
        good = read_definition(p, line, length, true);
    else if (starts_with(line, length, "#undef "))
        good = read_definition(p, line, length, false);
    else if (starts_with(line, length, "#pragma"))
        good = read_pragma(p, line, length);
    else if (!is_blank(line, length))
        good = add_code_line(p, line, length);
    p->line++;
    return good;
}

static int compare_events(const void *a, const void *b) {
    const dvmhcc_event_t *const *x = a, *const *y = b;
    const int order = strcmp((*x)->name, (*y)->name);
    return order != 0 ? order : (*x > *y) - (*x < *y);
}

/* Give each event the number of the next one about the same name. */
static bool link_events(dvmhcc_source_t *source) {
    if (source->event_count == 0)
        return true;
    dvmhcc_event_t **sorted = rts_alloc(source->event_count * sizeof(dvmhcc_event_t *));
    if (sorted == NULL)
        return dvmhcc_no_memory();
    for (size_t i = 0; i < source->event_count; i++)
        sorted[i] = &source->events[i];
    qsort(sorted, source->event_count, sizeof(dvmhcc_event_t *), compare_events);
    for (size_t i = 0; i + 1 < source->event_count; i++) {
        if (strcmp(sorted[i]->name, sorted[i + 1]->name) == 0)
            sorted[i]->next = (int)(sorted[i + 1] - source->events);
    }
    rts_free(sorted);
    return true;
}

bool dvmhcc_source_parse(dvmhcc_source_t *source, const char *main_file, const dvmhcc_text_t *raw,
                         dvmhcc_text_t *expansion) {
    parser_t p = {.source = source,
                  .expansion = expansion,
                  .main_file = main_file,
                  .line = 1,
                  .text_file = -1,
                  .open_depth = -1};
    bool good = (p.file = file_number(source, main_file)) >= 0;
    const char *at = dvmhcc_text_string(raw), *end = at + raw->length;
    while (good && at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = newline != NULL ? newline : end;
        good = read_line(&p, at, (size_t)(line_end - at));
        at = line_end + (newline != NULL);
    }
    if (good && p.open_depth >= 0)
        good = close_include(&p);
    good = good && link_events(source) && dvmhcc_text_good(&source->text) && dvmhcc_text_good(expansion) &&
           dvmhcc_text_good(&p.pending) && dvmhcc_text_good(&p.again);
    rts_free(p.open.header);
    dvmhcc_text_free(&p.pending);
    dvmhcc_text_free(&p.again);
    return good;
}
