/* Messages about the user's source: one message, the line it is about, a caret. The line is read from the file each time, since
 * messages are few and most runs have none. */
#include <config.h>

#include "compiler-hooks/dvmhcc/diagnostic.h"

#include <stdarg.h>
#include <string.h>

/* Longer lines are shown in part, around the caret. */
#define LINE_SHOWN 160

static FILE *destination; /* NULL: standard error */
static int error_count;

/* The line of a file without its end, cut to bytes first .. first + size - 2 (from 0). Bytes before `first` are skipped.
 * @return whole length of the line, -1 when the file has no such line */
static long read_line(const char *file_name, int line, long first, char *shown, size_t size) {
    FILE *file = fopen(file_name, "r");
    if (file == NULL)
        return -1;
    int c = 0;
    for (int at = 1; at < line && c != EOF;) {
        c = getc(file);
        at += c == '\n';
    }
    long length = 0;
    size_t kept = 0;
    bool found = false;
    while (c != EOF && (c = getc(file)) != EOF && c != '\n') {
        found = true;
        if (length >= first && kept + 1 < size)
            shown[kept++] = (char)(c == '\0' ? ' ' : c);
        length++;
    }
    found |= c == '\n';
    fclose(file);
    if (kept > 0 && shown[kept - 1] == '\r' && first + (long)kept == length)
        kept--;
    shown[kept] = '\0';
    return found ? length : -1;
}

/* Print the line, and below it a caret under the column with a tail over the length. Tabs are copied below, so that the caret
 * stands right whatever their width; bytes that continue a UTF-8 character take no room. */
static void show_line(FILE *file, const dvmhcc_place_t *place) {
    char shown[LINE_SHOWN + 8];
    long first = 0;
    if (place->column > LINE_SHOWN / 2)
        first = place->column - LINE_SHOWN / 2;
    long whole = read_line(place->file, place->line, 0, shown, sizeof shown);
    if (whole < 0)
        return;
    if (whole <= LINE_SHOWN)
        first = 0;
    else
        read_line(place->file, place->line, first, shown, LINE_SHOWN + 1);
    const char *before = first > 0 ? "..." : "";
    const char *after = whole > first + LINE_SHOWN ? "..." : "";
    const int width = fprintf(file, "%4d", place->line);
    fprintf(file, " | %s%s%s\n", before, shown, after);
    const long caret = (long)place->column - 1 - first;
    if (place->column <= 0 || caret > (long)strlen(shown))
        return;
    fprintf(file, "%*s | %*s", width, "", (int)strlen(before), "");
    for (long i = 0; i < caret; i++) {
        if (shown[i] == '\t')
            putc('\t', file);
        else if (((unsigned char)shown[i] & 0xc0) != 0x80)
            putc(' ', file);
    }
    putc('^', file);
    for (long i = 1; i < place->length && shown[caret] != '\0' && shown[caret + i] != '\0'; i++) {
        if (((unsigned char)shown[caret + i] & 0xc0) != 0x80)
            putc('~', file);
    }
    putc('\n', file);
}

void dvmhcc_report(dvmhcc_severity_t severity, const dvmhcc_place_t *place, const char *format, ...) {
    static const char *const names[] = {"note", "warning", "error"};
    FILE *file = destination != NULL ? destination : stderr;
    error_count += severity == DVMHCC_ERROR;
    const bool has_file = place != NULL && place->file != NULL;
    fputs(has_file ? place->file : "dvmhcc", file);
    if (has_file && place->line > 0) {
        fprintf(file, ":%d", place->line);
        if (place->column > 0)
            fprintf(file, ":%d", place->column);
    }
    fprintf(file, ": %s: ", names[severity]);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    putc('\n', file);
    if (has_file && place->line > 0)
        show_line(file, place);
    fflush(file);
}

int dvmhcc_error_count(void) {
    return error_count;
}

void dvmhcc_report_to(FILE *file) {
    destination = file;
    error_count = 0;
}
