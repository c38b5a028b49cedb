/* Messages about the source: their text to the byte, for every kind of place, and odd lines: tabs, UTF-8, CRLF, long ones, none. */
#include <config.h>

#include "tests/dvmhcc/files.h"

static const char *report_at(const char *file, int line, int column, int length) {
    const dvmhcc_place_t place = {.file = file, .line = line, .column = column, .length = length};
    files_report_begin();
    dvmhcc_report(DVMHCC_WARNING, &place, "it is %d", 7);
    return files_report_end();
}

static void test_text(void) {
    files_write("a.c", "first\n\tint x;\n#pragma dvm parallel([i] on A[i]) shadow_renw(A)\nlast");
    CHECK_EQ_STR(report_at("a.c", 3, 35, 11), "a.c:3:35: warning: it is 7\n"
                                              "   3 | #pragma dvm parallel([i] on A[i]) shadow_renw(A)\n"
                                              "     |                                   ^~~~~~~~~~~\n");
    CHECK_EQ_STR(report_at("a.c", 1, 1, 0), "a.c:1:1: warning: it is 7\n   1 | first\n     | ^\n");
    CHECK_EQ_STR(report_at("a.c", 1, 1, 1), "a.c:1:1: warning: it is 7\n   1 | first\n     | ^\n");
    CHECK_EQ_STR(report_at("a.c", 1, 0, 3), "a.c:1: warning: it is 7\n   1 | first\n");
    /* A tail ends with the line; a caret may stand behind it, where something is missing. */
    CHECK_EQ_STR(report_at("a.c", 1, 4, 99), "a.c:1:4: warning: it is 7\n   1 | first\n     |    ^~\n");
    CHECK_EQ_STR(report_at("a.c", 1, 6, 1), "a.c:1:6: warning: it is 7\n   1 | first\n     |      ^\n");
    CHECK_EQ_STR(report_at("a.c", 1, 8, 1), "a.c:1:8: warning: it is 7\n   1 | first\n");
    CHECK_EQ_STR(report_at("a.c", 4, 1, 4), "a.c:4:1: warning: it is 7\n   4 | last\n     | ^~~~\n");
    CHECK_EQ_STR(report_at("a.c", 2, 6, 1), "a.c:2:6: warning: it is 7\n   2 | \tint x;\n     | \t    ^\n");
}

static void test_without_line(void) {
    CHECK_EQ_STR(report_at("a.c", 5, 1, 1), "a.c:5:1: warning: it is 7\n");
    CHECK_EQ_STR(report_at("a.c", 99, 1, 1), "a.c:99:1: warning: it is 7\n");
    CHECK_EQ_STR(report_at("missing.c", 3, 2, 1), "missing.c:3:2: warning: it is 7\n");
    CHECK_EQ_STR(report_at("a.c", 0, 0, 0), "a.c: warning: it is 7\n");
    CHECK_EQ_STR(report_at(NULL, 3, 2, 1), "dvmhcc: warning: it is 7\n");
    files_write("empty.c", "");
    CHECK_EQ_STR(report_at("empty.c", 1, 1, 1), "empty.c:1:1: warning: it is 7\n");
    files_report_begin();
    dvmhcc_report(DVMHCC_NOTE, NULL, "%s", "so");
    CHECK_EQ_STR(files_report_end(), "dvmhcc: note: so\n");
}

static void test_odd_lines(void) {
    files_write("crlf.c", "one\r\ntwo\r\n\r\n");
    CHECK_EQ_STR(report_at("crlf.c", 2, 1, 9), "crlf.c:2:1: warning: it is 7\n   2 | two\n     | ^~~\n");
    CHECK_EQ_STR(report_at("crlf.c", 3, 1, 1), "crlf.c:3:1: warning: it is 7\n   3 | \n     | ^\n");
    files_write("utf8.c", "\xc3\xa4\xc3\xb6 = \xd0\xb6\xd0\xb6;\n");
    CHECK_EQ_STR(report_at("utf8.c", 1, 8, 4), "utf8.c:1:8: warning: it is 7\n"
                                               "   1 | \xc3\xa4\xc3\xb6 = \xd0\xb6\xd0\xb6;\n"
                                               "     |      ^~\n");
    files_write_bytes("nul.c", "a\0b\n", 4);
    CHECK_EQ_STR(report_at("nul.c", 1, 3, 1), "nul.c:1:3: warning: it is 7\n   1 | a b\n     |   ^\n");
    char many[20100];
    memset(many, '\n', sizeof many);
    memcpy(many + 12344, "here", 4);
    files_write_bytes("many.c", many, sizeof many);
    CHECK_EQ_STR(report_at("many.c", 12345, 1, 4),
                 "many.c:12345:1: warning: it is 7\n12345 | here\n      | ^~~~\n");
}

/* Long lines are shown in part, and the caret stands under its column: found again by what is printed there. */
static void test_long_lines(void) {
    static char line[5001];
    for (size_t i = 0; i < 5000; i++)
        line[i] = (char)('a' + i % 26);
    line[4999] = '\n';
    files_write("long.c", line);
    const int columns[] = {1, 2, 79, 80, 81, 82, 100, 160, 161, 162, 1000, 4900, 4998, 4999};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const char *shown = strchr(report_at("long.c", 1, columns[i], 1), '\n') + 1;
        const char *below = strchr(shown, '\n') + 1;
        CHECK(below - shown < 180);
        const char *caret = strchr(below, '^');
        if (CHECK(caret != NULL))
            CHECK_EQ_INT(shown[caret - below], line[columns[i] - 1]);
    }
}

static void test_count(void) {
    files_report_begin();
    CHECK_EQ_INT(dvmhcc_error_count(), 0);
    dvmhcc_report(DVMHCC_ERROR, NULL, "a");
    dvmhcc_report(DVMHCC_WARNING, NULL, "b");
    dvmhcc_report(DVMHCC_NOTE, NULL, "c");
    dvmhcc_report(DVMHCC_ERROR, NULL, "d");
    CHECK_EQ_INT(dvmhcc_error_count(), 2);
    CHECK_EQ_STR(files_report_end(),
                 "dvmhcc: error: a\ndvmhcc: warning: b\ndvmhcc: note: c\ndvmhcc: error: d\n");
    CHECK_EQ_INT(dvmhcc_error_count(), 0);
}

int main(void) {
    files_enter();
    test_text();
    test_without_line();
    test_odd_lines();
    test_long_lines();
    test_count();
    files_leave();
    return check_finish();
}
