/* Preprocessed sources, with the real preprocessor: directives wherever they can stand and macros in them, headers of the system,
 * dependencies, odd files, failures. Places have a test of their own. */
#include <config.h>

#include "compiler-hooks/dvmhcc/source.h"

#include "compiler-hooks/dvmhcc/temporary.h"
#include "tests/dvmhcc/files.h"

#include "rts/memory.h"

static dvmhcc_command_t command;

/* Read a source that must be fine. */
static dvmhcc_source_t *read_source(const char *flags, const char *name) {
    char line[512];
    dvmhcc_source_t *source = NULL;
    snprintf(line, sizeof line, "-c %s %s", flags, name);
    dvmhcc_command_free(&command);
    files_report_begin();
    const bool good = files_command(line, &command) && dvmhcc_source_read(&command, name, &source);
    CHECK_EQ_STR(files_report_end(), "");
    if (!CHECK(good))
        exit(check_finish());
    return source;
}

static const char *text_of(const dvmhcc_source_t *source) {
    size_t length;
    const char *text = dvmhcc_source_text(source, &length);
    CHECK_EQ_INT(strlen(text), length);
    return text;
}

/* The words of a directive, and where it stands in the text and in the files. */
static void check_pragma(dvmhcc_source_t *source, int index, const char *file, int line, const char *words) {
    if (!CHECK(index < dvmhcc_source_pragma_count(source)))
        return;
    const dvmhcc_pragma_t *pragma = dvmhcc_source_pragma(source, index);
    const char *text = text_of(source);
    CHECK_EQ_STR(pragma->words, words);
    CHECK(pragma->begin == 0 || text[pragma->begin - 1] == '\n');
    CHECK_EQ_INT(text[pragma->end], '\n');
    CHECK(strncmp(text + pragma->begin, "#pragma", 7) == 0);
    CHECK(memchr(text + pragma->begin, '\n', pragma->end - pragma->begin) == NULL);
    for (int i = 0; i < 2; i++) {
        const dvmhcc_place_t place = i == 0 ? dvmhcc_source_line(source, pragma->begin)
                                            : dvmhcc_source_pragma_place(source, index, 0, 1);
        CHECK_EQ_STR(place.file, file);
        CHECK_EQ_INT(place.line, line);
    }
}

static void test_pragmas(void) {
    files_write("part.h", "#pragma once\n"
                          "#define W 2\n"
                          "#pragma dvm array distribute[block] shadow[W:W]\n"
                          "extern double B[W];\n");
    files_write("a.c", "#define N 100\n"
                       "#define ADD(a, b) ((a) + (b))\n"
                       "  #  pragma   dvm  array /* here */ distribute[block]\\\n"
                       "   shadow[N:ADD(W,\\\n"
                       "  1)] // and here\n"
                       "double A[N];\n"
                       "#include \"part.h\"\n"
                       "#undef N\n"
                       "#define N W\n"
                       "#pragma dvm actual(A[0:N])\n"
                       "#pragma omp parallel\n"
                       "#pragma dvmx N\n"
                       "#pragma dvm\n"
                       "_Pragma(\"dvm region in(A[N])\") int x = N;\n"
                       "#define AGAIN _Pragma(\"dvm get_actual(N)\")\n"
                       "AGAIN\n"
                       "#if 0\n"
                       "#pragma dvm hidden\n"
                       "#endif\n"
                       "#pragma dvm get_actual(A)");
    dvmhcc_source_t *source = read_source("", "a.c");
    CHECK_EQ_INT(dvmhcc_source_pragma_count(source), 7);
    /* W is not defined yet: the first stays as it is. */
    check_pragma(source, 0, "a.c", 3, "array distribute[block] shadow[100:((W) + (1))]");
    check_pragma(source, 1, dvmhcc_source_line(source, dvmhcc_source_pragma(source, 1)->begin).file, 3,
                 "array distribute[block] shadow[2:2]");
    CHECK_CONTAINS(dvmhcc_source_pragma_place(source, 1, 0, 1).file, "part.h");
    check_pragma(source, 2, "a.c", 10, "actual(A[0:2])");
    check_pragma(source, 3, "a.c", 13, "");
    check_pragma(source, 4, "a.c", 14, "region in(A[2])");
    check_pragma(source, 5, "a.c", 16, "get_actual(2)");
    check_pragma(source, 6, "a.c", 20, "get_actual(A)");
    CHECK_CONTAINS(text_of(source), "double A[100];");
    CHECK_CONTAINS(text_of(source), "int x = 2;");
    CHECK_CONTAINS(text_of(source), "\n#undef N\n");
    CHECK_CONTAINS(text_of(source), "\n#pragma omp parallel\n#pragma dvmx N\n");
    CHECK(strstr(text_of(source), "#define") == NULL && strstr(text_of(source), "#include") == NULL);
    dvmhcc_source_free(source);
}

/* Macros whose names are words of the language do not change directives, but work in expressions. */
static void test_language_words(void) {
    files_write(
        "a.c",
        "#define max(a, b) ((a) > (b) ? (a) : (b))\n"
        "#define on ON\n#define in IN\n#define block 16\n#define sum(x) SUM\n#define private PRIVATE\n"
        "#define STR(x) #x\n#define CAT(a, b) a##b\n#define EMPTY\n#define NEST max(1, 2)\n#define F(x) x\n"
        "#pragma dvm parallel([i] on A[max(i,1)]) reduction(max(e), sum(s), min (m)) private(x)\n"
        "#pragma dvm array distribute[block] EMPTY shadow[NEST] CAT(in,out) STR(a  \"b\" c) x\n"
        "#pragma dvm broken max(1\n"
        "int after = 1;\n"
        "#pragma dvm last F\n"
        "#pragma dvm (F) (3) reduction(F(sum)(a)) interval __LINE__ __FILE__\n");
    dvmhcc_source_t *source = read_source("", "a.c");
    CHECK_EQ_INT(dvmhcc_source_pragma_count(source), 5);
    check_pragma(source, 0, "a.c", 12,
                 "parallel([i] on A[((i) > (1) ? (i) : (1))]) reduction(max(e), sum(s), min (m)) private(x)");
    check_pragma(source, 1, "a.c", 13,
                 "array distribute[block] shadow[((1) > (2) ? (1) : (2))] inout \"a \\\"b\\\" c\" x");
    check_pragma(source, 2, "a.c", 14, "broken max(1");
    check_pragma(source, 3, "a.c", 16, "last F");
    check_pragma(source, 4, "a.c", 17, "(F) (3) reduction(SUM) interval 17 \"a.c\"");
    CHECK_CONTAINS(text_of(source), "int after = 1;");
    dvmhcc_source_free(source);
}

static void test_macro_sources(void) {
    files_write("first.h", "#define FIRST 11\n");
    files_write("macros.h", "#define SECOND 22\nint not_seen;\n");
    files_write("a.c", "#pragma dvm actual(A[FIRST + SECOND + GIVEN + GONE + _DVMH])\n"
                       "#ifdef __OPTIMIZE__\n#pragma dvm actual(A[__OPTIMIZE__])\n#endif\n");
    dvmhcc_source_t *source =
        read_source("-include first.h -imacros macros.h -D GIVEN=33 -DGONE=4 -UGONE -O2 -g3", "a.c");
    CHECK_EQ_INT(dvmhcc_source_pragma_count(source), 2);
    check_pragma(source, 0, "a.c", 1, "actual(A[11 + 22 + 33 + GONE + " DVMHCC_LANGUAGE_VERSION "])");
    check_pragma(source, 1, "a.c", 3, "actual(A[1])");
    dvmhcc_source_free(source);
}

/* Line ends, tabs, no newline at the end, an empty file, a line of a megabyte. */
static void test_odd_files(void) {
    files_write("crlf.c",
                "#define N 3\r\n#pragma dvm actual(A[N], \\\r\n  B)\r\nint x;\r\n#pragma dvm get_actual(x)");
    dvmhcc_source_t *source = read_source("", "crlf.c");
    check_pragma(source, 0, "crlf.c", 2, "actual(A[3], B)");
    check_pragma(source, 1, "crlf.c", 5, "get_actual(x)");
    CHECK(strchr(text_of(source), '\r') == NULL);
    dvmhcc_source_free(source);
    files_write("empty.c", "");
    source = read_source("", "empty.c");
    CHECK_EQ_STR(text_of(source), "");
    CHECK_EQ_INT(dvmhcc_source_line(source, 0).line, 1);
    dvmhcc_source_free(source);
    const size_t length = 1 << 20;
    char *line = malloc(length + 100);
    if (!CHECK(line != NULL))
        return;
    size_t at = (size_t)sprintf(line, "int x[] = {");
    while (at < length)
        at += (size_t)sprintf(line + at, "%zu, ", at % 1000);
    sprintf(line + at, "7};\n#pragma dvm actual(x)\nint y;\n");
    files_write("long.c", line);
    source = read_source("", "long.c");
    check_pragma(source, 0, "long.c", 2, "actual(x)");
    const size_t offset = (size_t)(strstr(text_of(source), "7};") - text_of(source));
    const dvmhcc_place_t place = dvmhcc_source_place(source, offset);
    CHECK_EQ_INT(place.line, 1);
    CHECK_EQ_INT(place.column, at + 1);
    dvmhcc_source_free(source);
    free(line);
    files_write("a \"b\\c.c", "#pragma dvm actual(x)\nint z;\n");
    dvmhcc_source_t *named = NULL;
    CHECK(dvmhcc_source_read(&command, "a \"b\\c.c", &named));
    check_pragma(named, 0, "a \"b\\c.c", 1, "actual(x)");
    CHECK_CONTAINS(text_of(named), "# 1 \"a \\\"b\\\\c.c\"\n");
    dvmhcc_source_free(named);
}

static void check_include(const dvmhcc_source_t *source, int index, const char *header, bool in_main,
                          int line, const char *again) {
    if (!CHECK(index < dvmhcc_source_include_count(source)))
        return;
    const dvmhcc_include_t *include = dvmhcc_source_include(source, index);
    CHECK_EQ_STR(include->header, header);
    CHECK_EQ_INT(include->in_main, in_main);
    CHECK_EQ_INT(include->line, line);
    for (size_t at = include->begin; at < include->end; at++)
        CHECK(dvmhcc_source_is_system(source, at));
    CHECK(include->begin == 0 || !dvmhcc_source_is_system(source, include->begin - 1) ||
          (index > 0 && dvmhcc_source_include(source, index - 1)->end == include->begin));
    dvmhcc_text_t text = {0};
    dvmhcc_source_include_again(source, index, &text);
    CHECK_EQ_STR(dvmhcc_text_string(&text), again);
    dvmhcc_text_free(&text);
}

/* Our own headers of the system, so that what they define is known. */
static void test_includes(void) {
    CHECK(system("mkdir -p sys/deep") == 0);
    files_write("sys/one.h",
                "#ifndef ONE\n#define ONE\n#include <deep/two.h>\nint one;\n#define self(x) self(x, 1)\n"
                "#define same same\n#define other(self) self\n#endif\n");
    files_write("sys/deep/two.h", "int two;\n#define two two+1\n#include \"near.h\"\n");
    files_write("sys/deep/near.h", "int near;\n");
    files_write("sys/macros.h", "#define M 1\n");
    files_write("sys/with_directive.h", "#pragma dvm template[10] distribute[block]\nextern void *t;\n");
    files_write("mine.h", "#define MINE(x) ((x) + A)\n#include <deep/two.h>\nint mine;\n");
    files_write("a.c", "#define A 1\n#define B\n#undef B\n"
                       "#include <one.h>\n"
                       "#define A 1\n"
                       "#include \"mine.h\"\n"
                       "#include <one.h>\n"
                       "#undef A\n"
                       "#include <macros.h>\n"
                       "#include \"macros.h\"\n"
                       "#include <with_directive.h>\n"
                       "int end = M; int M, after(M,\n M, x);\n");
    dvmhcc_source_t *source = read_source("-isystem sys", "a.c");
    CHECK_EQ_INT(dvmhcc_source_include_count(source), 3);
    check_include(source, 0, "<one.h>", true, 4,
                  "#define A 1\n#include <one.h>\n#undef A\n#undef two\n#undef self\n");
    check_include(
        source, 1, "<deep/two.h>", false, 2,
        "#define A 1\n#define MINE(x) ((x) + A)\n#include <deep/two.h>\n#undef A\n#undef MINE\n#undef two\n");
    check_include(source, 2, "<macros.h>", true, 9,
                  "#define MINE(x) ((x) + A)\n#include <macros.h>\n#undef MINE\n");
    CHECK_EQ_INT(dvmhcc_source_include(source, 2)->begin, dvmhcc_source_include(source, 2)->end);
    CHECK_EQ_INT(dvmhcc_source_pragma_count(source), 1);
    CHECK_CONTAINS(text_of(source), "extern void *t;");
    /* Macros of the system in a line of the user leave it a line of the user. */
    const char *end = strstr(text_of(source), "int end");
    if (CHECK(end != NULL)) {
        CHECK(strchr(end, '#') == NULL &&
              !dvmhcc_source_is_system(source, (size_t)(end - text_of(source)) + 10));
        const dvmhcc_place_t place =
            dvmhcc_source_place(source, (size_t)(strstr(end, "x") - text_of(source)));
        CHECK_EQ_INT(place.line, 13);
        CHECK_EQ_INT(place.column, 5);
    }
    dvmhcc_source_free(source);
}

static const char *content_of(const char *name) {
    static char text[4096];
    FILE *file = fopen(name, "r");
    text[file != NULL ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
    if (file != NULL)
        fclose(file);
    return text;
}

static void test_dependencies(void) {
    files_write("d.h", "int d;\n");
    CHECK(system("mkdir -p sub") == 0);
    files_write("sub/d.c", "#include \"../d.h\"\n#include <limits.h>\n");
    dvmhcc_source_free(read_source("-MMD", "sub/d.c"));
    CHECK_CONTAINS(content_of("d.d"), "d.o: sub/d.c sub/../d.h\n");
    dvmhcc_source_free(read_source("-MD -MF x.dep -MT target -MP", "sub/d.c"));
    CHECK_CONTAINS(content_of("x.dep"), "target: sub/d.c");
    CHECK_CONTAINS(content_of("x.dep"), "limits.h");
    CHECK_CONTAINS(content_of("x.dep"), "\nsub/../d.h:\n");
    CHECK(access("x.dep.tmp", F_OK) != 0);
    dvmhcc_temporary_remove();
    CHECK(access("x.dep", F_OK) == 0);
}

/* What fails is told, once, and leaves nothing. */
static void check_fails(const char *compiler, const char *flags, const char *name, const char *told) {
    char line[512];
    dvmhcc_source_t *source = NULL;
    snprintf(line, sizeof line, "-c -w -MD -MF failed.d %s %s", flags, name);
    setenv("DVMHCC_CC", compiler, 1);
    dvmhcc_command_free(&command);
    files_report_begin();
    CHECK(files_command(line, &command));
    CHECK(!dvmhcc_source_read(&command, name, &source));
    CHECK_EQ_STR(files_report_end(), told);
    unsetenv("DVMHCC_CC");
    dvmhcc_temporary_remove();
    CHECK(access("failed.d", F_OK) != 0 && access("failed.d.tmp", F_OK) != 0);
}

static void test_failures(void) {
    files_write("good.c", "#pragma dvm actual(x)\nint x;\n");
    files_write("error.c", "#error \"wanted by the test\"\n");
    check_fails("", "", "missing.c", "dvmhcc: error: cannot read 'missing.c': No such file or directory\n");
    CHECK(system("mkdir -p folder.c") == 0);
    check_fails("", "", "folder.c", "dvmhcc: error: cannot read 'folder.c': Is a directory\n");
    fflush(stderr);
    check_fails("", "", "error.c", "");
    check_fails("", "-include not_there.h", "good.c", "");
    check_fails("false", "", "good.c", "");
    check_fails("./no-such-compiler", "", "good.c",
                "dvmhcc: error: cannot run './no-such-compiler': No such file or directory\n");
    files_write("killed", "#!/bin/sh\nkill -9 $$\n");
    CHECK(system("chmod +x killed") == 0);
    check_fails("./killed", "", "good.c", "dvmhcc: error: './killed' was ended by signal 9 (Killed)\n");
}

static void test_memory(void) {
    files_write("m.h", "#define W 3\n#pragma dvm array shadow[W]\nint m;\n");
    files_write(
        "m.c",
        "#define N 4\n#include <limits.h>\n#include \"m.h\"\n#pragma dvm actual(A[N])\n#undef N\nint x;\n");
    dvmhcc_command_free(&command);
    CHECK(files_command("-c m.c", &command));
    const int64_t live = rts_memory_live();
    dvmhcc_source_t *source = NULL;
    CHECK(dvmhcc_source_read(&command, "m.c", &source));
    dvmhcc_source_free(source);
    const int64_t before = rts_memory_calls();
    CHECK(dvmhcc_source_read(&command, "m.c", &source));
    const int64_t calls = rts_memory_calls() - before;
    dvmhcc_source_free(source);
    /* Each run starts compilers, so take some of the many. */
    int failed = 0;
    for (int trial = 0; trial < 60; trial++) {
        files_report_begin();
        rts_memory_fail_at(trial < 30 ? trial + 1 : check_random_range(1, calls));
        const bool good = dvmhcc_source_read(&command, "m.c", &source);
        rts_memory_fail_at(0);
        CHECK_EQ_STR(files_report_end(), good ? "" : "dvmhcc: error: out of memory\n");
        if (good)
            dvmhcc_source_free(source);
        failed += !good;
        CHECK_EQ_INT(rts_memory_live(), live);
    }
    CHECK(failed > 50);
}

int main(void) {
    check_random_start();
    files_enter();
    test_pragmas();
    test_language_words();
    test_macro_sources();
    test_odd_files();
    test_includes();
    test_dependencies();
    test_failures();
    test_memory();
    dvmhcc_command_free(&command);
    files_leave();
    return check_finish();
}
