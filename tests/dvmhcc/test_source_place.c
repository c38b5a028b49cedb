/* Places: every name of a random source says in itself where it was written, so that after preprocessing its line and column can be
 * checked wherever it went: through macros, continued lines, comments, tabs, headers and directives. Then examples, and the
 * alignment of words alone. */
#include <config.h>

#include "compiler-hooks/dvmhcc/source.h"

#include "compiler-hooks/dvmhcc/alignment.h"
#include "tests/dvmhcc/files.h"

static dvmhcc_command_t command;

static dvmhcc_source_t *read_source(const char *name) {
    dvmhcc_source_t *source = NULL;
    if (!CHECK(dvmhcc_source_read(&command, name, &source)))
        exit(check_finish());
    return source;
}

/* ---- random sources */

#define SOURCE_MAX 200000

typedef struct writer {
    char text[SOURCE_MAX];
    size_t length;
    int line, column;
    char file; /* first letter of names: f or h */
    int names;
} writer_t;

static void put(writer_t *w, const char *text) {
    for (; *text != '\0'; text++) {
        w->text[w->length++] = *text;
        w->column++;
        if (*text == '\n') {
            w->line++;
            w->column = 1;
        }
    }
    w->text[w->length] = '\0';
}

static void put_name(writer_t *w) {
    char name[32];
    snprintf(name, sizeof name, "%c%d_%d", w->file, w->line, w->column);
    put(w, name);
    w->names++;
}

/* White space that may stand between words; with newlines outside directives only. */
static void put_blank(writer_t *w, bool newlines) {
    static const char *const blanks[] = {" ",    "\t",     "  ", " \t ", "/* c */", " /* a, b ) */ ",
                                         "\\\n", " \\\n\t"};
    static const char *const lines[] = {"\n", "\n\n  ", " // ( rest\n", "/* over\n lines ) */"};
    put(w, check_random_once_in(4) && newlines ? lines[check_random_range(0, 3)]
                                               : blanks[check_random_range(0, 7)]);
}

static void put_expression(writer_t *w, int depth, bool newlines) {
    static const char *const macros[] = {"SAME(", "BOTH(", "WRAP("};
    const int64_t kind = check_random_range(0, depth > 0 ? 4 : 1);
    if (kind <= 1) {
        put_name(w);
    } else if (kind == 2) {
        put(w, "(");
        put_expression(w, depth - 1, newlines);
        put(w, check_random_once_in(2) ? "+" : ") * (");
        put_expression(w, depth - 1, newlines);
        put(w, ")");
    } else if (kind == 3) {
        put_expression(w, depth - 1, newlines);
        put(w, check_random_once_in(2) ? "-" : " ONE +");
        put_expression(w, depth - 1, newlines);
    } else {
        const int64_t macro = check_random_range(0, 2);
        put(w, macros[macro]);
        put_blank(w, newlines);
        put_expression(w, depth - 1, newlines);
        if (macro == 1) {
            put(w, ",");
            put_blank(w, newlines);
            put_expression(w, depth - 1, newlines);
        }
        put(w, ")");
    }
}

static void put_item(writer_t *w) {
    const int64_t kind = check_random_range(0, 7);
    if (kind <= 4 && w->column > 1)
        put(w, "\n");
    switch (kind) {
    case 0:
        put(w, "#if 0\nBOTH( ONE hidden ( \n\n#endif\n");
        break;
    case 1:
        for (int64_t i = check_random_range(0, 15); i > 0; i--)
            put(w, "\n");
        break;
    case 2:
    case 3:
        put(w, check_random_once_in(2) ? "#pragma dvm actual(" : " \t# /* x */ pragma\tdvm   region in (");
        put_expression(w, 3, false);
        put_blank(w, false);
        put(w, "[");
        put_expression(w, 2, false);
        put(w, "] )\n");
        break;
    case 4:
        put(w, "#define ONE ((1))\n");
        break;
    default:
        put_expression(w, 4, true);
        put_blank(w, true);
        put(w, "= ONE *");
        put_expression(w, 3, true);
        put(w, check_random_once_in(3) ? "; " : ";\n");
    }
}

static void put_source(writer_t *w, char file, int items) {
    w->length = 0;
    w->line = w->column = 1;
    w->names = 0;
    w->file = file;
    if (file == 'f')
        put(w, "#define ONE ((1))\n#define SAME(x) x\n#define BOTH(a, b) ((a) + (ONE) * (b))\n"
               "#define WRAP(x) (ONE + BOTH(3, x) - ONE)\n#include \"h.h\"\n");
    for (int i = 0; i < items; i++)
        put_item(w);
    put(w, "\n");
}

/* Check one name at `at` of a text. @return whether it was one */
static bool check_name(const char *at, const dvmhcc_place_t *place) {
    int line, column, length = 0;
    char file;
    if (sscanf(at, "%c%d_%d%n", &file, &line, &column, &length) != 3 || (file != 'f' && file != 'h'))
        return false;
    const char *name = file == 'f' ? "f.c" : "h.h"; /* with folders, as some compilers write it */
    const size_t file_length = strlen(place->file);
    const bool good = CHECK_EQ_INT(place->line, line) && CHECK_EQ_INT(place->column, column) &&
                      CHECK_EQ_INT(place->length, length) &&
                      CHECK(file_length >= 3 && strcmp(place->file + file_length - 3, name) == 0);
    if (!good)
        fprintf(stderr, "  for %.*s\n", length, at);
    return true;
}

static bool in_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The names in a directive's words. */
static int check_pragma(dvmhcc_source_t *source, int index) {
    const char *words = dvmhcc_source_pragma(source, index)->words;
    int names = 0;
    for (size_t at = 0; words[at] != '\0'; at++) {
        if ((at > 0 && in_word(words[at - 1])) || !in_word(words[at]))
            continue;
        const dvmhcc_place_t place =
            dvmhcc_source_pragma_place(source, index, at, strcspn(words + at, ")+-* ,[];"));
        names += check_name(words + at, &place);
    }
    return names;
}

static void test_random(bool crlf) {
    static writer_t header, main_file;
    put_source(&header, 'h', 12);
    put_source(&main_file, 'f', 60);
    const writer_t *both[] = {&header, &main_file};
    for (int i = 0; i < 2; i++) {
        static char copy[2 * SOURCE_MAX];
        size_t length = 0;
        for (const char *c = both[i]->text; *c != '\0'; c++) {
            if (*c == '\n' && crlf)
                copy[length++] = '\r';
            copy[length++] = *c;
        }
        files_write_bytes(i == 0 ? "h.h" : "f.c", copy, length);
    }
    dvmhcc_source_t *source = read_source("f.c");
    size_t length;
    const char *text = dvmhcc_source_text(source, &length);
    int names = 0;
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        if (*line == '#')
            continue;
        for (const char *at = line; *at != '\n'; at++) {
            if ((at > line && in_word(at[-1])) || !in_word(*at))
                continue;
            const dvmhcc_place_t place = dvmhcc_source_place(source, (size_t)(at - text));
            names += check_name(at, &place);
        }
    }
    for (int i = 0; i < dvmhcc_source_pragma_count(source); i++)
        names += check_pragma(source, i);
    CHECK_EQ_INT(names, header.names + main_file.names);
    dvmhcc_source_free(source);
}

/* ---- examples */

static dvmhcc_place_t place_of(dvmhcc_source_t *source, const char *part, size_t more) {
    size_t length;
    const char *text = dvmhcc_source_text(source, &length);
    const char *at = strstr(text, part);
    CHECK(at != NULL);
    return dvmhcc_source_place(source, at != NULL ? (size_t)(at - text) + more : 0);
}

static void check_place(dvmhcc_place_t place, int line, int column, int length) {
    CHECK_EQ_STR(place.file, "e.c");
    CHECK_EQ_INT(place.line, line);
    CHECK_EQ_INT(place.column, column);
    CHECK_EQ_INT(place.length, length);
}

static void test_examples(void) {
    files_write("e.c", "#define LIMIT (10 + 20)\n"
                       "#define ADD(a, b) ((a) + (b))\n"
                       "int x = LIMIT;\n"
                       "\tint   y\t= ADD(first,\n"
                       "\t\tsecond) + long_name;\n"
                       "#pragma dvm actual(A [LIMIT], unknown) x\n"
                       "_Pragma(\"dvm region\") int z;\n");
    dvmhcc_source_t *source = read_source("e.c");
    check_place(place_of(source, "int x", 0), 3, 1, 3);
    check_place(place_of(source, "int x", 1), 3, 2, 2);
    check_place(place_of(source, "int x", 3), 3, 5, 1);
    check_place(place_of(source, "10 + 20", 0), 3, 9, 5);
    check_place(place_of(source, "10 + 20", 6), 3, 9, 5);
    check_place(place_of(source, "(10 + 20);", 9), 3, 14, 1);
    check_place(place_of(source, "first", 2), 4, 18, 3);
    check_place(place_of(source, "second", 0), 5, 3, 6);
    check_place(place_of(source, "long_name", 5), 5, 18, 4);
    const char *words = dvmhcc_source_pragma(source, 0)->words;
    CHECK_EQ_STR(words, "actual(A [(10 + 20)], unknown) x");
    check_place(dvmhcc_source_pragma_place(source, 0, 0, 6), 6, 13, 6);
    check_place(dvmhcc_source_pragma_place(source, 0, 7, 13), 6, 20, 9);
    check_place(dvmhcc_source_pragma_place(source, 0, 14, 2), 6, 23, 5);
    check_place(dvmhcc_source_pragma_place(source, 0, (size_t)(strstr(words, "unknown") - words), 7), 6, 31,
                7);
    check_place(dvmhcc_source_pragma_place(source, 0, (size_t)(strstr(words, "known") - words), 5), 6, 33, 5);
    check_place(dvmhcc_source_pragma_place(source, 0, strlen(words), 1), 6, 41, 0);
    check_place(dvmhcc_source_pragma_place(source, 1, 0, 6), 7, 0, 0);
    /* The user's file is gone, or another: lines are still right. */
    dvmhcc_source_free(source);
    source = read_source("e.c");
    files_write("e.c", "int x\n");
    check_place(place_of(source, "second", 0), 4, 0, 0);
    dvmhcc_source_free(source);
    CHECK(unlink("e.c") == 0);
}

/* ---- alignment: words all different, some replaced by new ones */

static void test_alignment(void) {
    for (int trial = 0; trial < 3000; trial++) {
        char user_text[400] = "", made_text[2000] = "";
        int owner[200], made_count = 0; /* of the made words: the word of the user it comes from */
        bool fresh[200];
        const int64_t words = check_random_range(1, 12);
        for (int i = 0; i < words; i++) {
            snprintf(user_text + strlen(user_text), sizeof user_text - strlen(user_text), "w%d ", i);
            const bool replaced = check_random_once_in(4);
            const int64_t copies = replaced ? check_random_range(1, 4) : 1;
            for (int64_t j = 0; j < copies; j++) {
                owner[made_count] = i;
                fresh[made_count++] = replaced;
                snprintf(made_text + strlen(made_text), sizeof made_text - strlen(made_text),
                         replaced ? "new%d_%d " : "w%d ", i, (int)j);
            }
        }
        dvmhcc_lexemes_t user = {0}, made = {0};
        CHECK(dvmhcc_lexemes_cut(user_text, strlen(user_text), DVMHCC_CUT_TEXT, &user));
        CHECK(dvmhcc_lexemes_cut(made_text, strlen(made_text), DVMHCC_CUT_TEXT, &made));
        CHECK_EQ_INT(made.count, made_count);
        for (int i = 0; i < made_count; i++) {
            /* Several replaced words in a row cannot be told apart: the first of them is meant. */
            int wanted = owner[i];
            for (int k = i; k >= 0 && fresh[i] && fresh[k]; k--)
                wanted = owner[k];
            CHECK_EQ_INT(dvmhcc_alignment_find(&made, &user, (size_t)i), wanted);
        }
        dvmhcc_lexemes_free(&user);
        dvmhcc_lexemes_free(&made);
    }
}

/* Equal words at both ends must not be paired twice. */
static void test_repeated_words(void) {
    dvmhcc_lexemes_t user = {0}, made = {0};
    CHECK(dvmhcc_lexemes_cut("x x", 3, DVMHCC_CUT_TEXT, &user) &&
          dvmhcc_lexemes_cut("x x x", 5, DVMHCC_CUT_TEXT, &made));
    CHECK_EQ_INT(dvmhcc_alignment_find(&made, &user, 0), 0);
    CHECK_EQ_INT(dvmhcc_alignment_find(&made, &user, 1), 1);
    CHECK_EQ_INT(dvmhcc_alignment_find(&made, &user, 2), 1);
    CHECK(dvmhcc_lexemes_cut("", 0, DVMHCC_CUT_TEXT, &user));
    CHECK_EQ_INT(dvmhcc_alignment_find(&made, &user, 1), 0);
    dvmhcc_lexemes_free(&user);
    dvmhcc_lexemes_free(&made);
}

static void test_words(void) {
    const char *text = "a1 0x1p-3.5e+2u '\\'' \"s \\\" /* \"b/c//x\n$d+=\xc3\xa4(\\\n )";
    static const char *const wanted[] =
        {"a1", "0x1p-3.5e+2u", "'\\''", "\"s \\\" /* \"", "b", "/", "c", "$d", "+", "=", "\xc3\xa4", "(",
         ")"};
    dvmhcc_lexemes_t lexemes = {0};
    CHECK(dvmhcc_lexemes_cut(text, strlen(text), DVMHCC_CUT_TEXT, &lexemes));
    if (CHECK_EQ_INT(lexemes.count, sizeof wanted / sizeof wanted[0])) {
        for (size_t i = 0; i < lexemes.count; i++)
            CHECK(lexemes.lexeme[i].length == strlen(wanted[i]) &&
                  memcmp(text + lexemes.lexeme[i].begin, wanted[i], strlen(wanted[i])) == 0);
        CHECK_EQ_INT(lexemes.lexeme[12].line, 2);
        CHECK_EQ_INT(lexemes.lexeme[12].column, 2);
    }
    /* No bytes make it read beyond the end. */
    for (int trial = 0; trial < 20000; trial++) {
        static const char letters[] = "\"'\\/*\n\r()a1.+e \t#\xff";
        const size_t length = (size_t)check_random_range(0, 8);
        char *bytes = malloc(length + 1);
        for (size_t i = 0; bytes != NULL && i < length; i++)
            bytes[i] = letters[check_random_range(0, (int64_t)sizeof letters - 1)];
        char *exact = bytes != NULL ? realloc(bytes, length > 0 ? length : 1) : NULL;
        CHECK(exact != NULL &&
              dvmhcc_lexemes_cut(exact, length, (dvmhcc_cut_t)check_random_range(0, 2), &lexemes));
        size_t end = 0;
        for (size_t i = 0; i < lexemes.count; i++) {
            CHECK(lexemes.lexeme[i].begin >= end && lexemes.lexeme[i].length > 0);
            end = lexemes.lexeme[i].begin + lexemes.lexeme[i].length;
            CHECK(end <= length);
        }
        free(exact);
    }
    dvmhcc_lexemes_free(&lexemes);
}

int main(void) {
    check_random_start();
    files_enter();
    CHECK(files_command("-c f.c", &command));
    for (int i = 0; i < 12; i++)
        test_random(i % 3 == 2);
    test_examples();
    test_alignment();
    test_repeated_words();
    test_words();
    dvmhcc_command_free(&command);
    files_leave();
    return check_finish();
}
