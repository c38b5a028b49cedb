/* Edits against a slow model that works byte by byte and knows no sorting, segments or sharing; line markers against a reading of the
 * result as a compiler reads it; every contradiction. */
#include <config.h>

#include "compiler-hooks/dvmhcc/edit.h"

#include "tests/dvmhcc/files.h"

#include "rts/memory.h"

#define CHANGES_MAX 12
#define PIECES_MAX  3
#define RESULT_MAX  100000

/* ---- the model: changes as they were made, and a recursive reading of the comment in edit.h */

enum { AFTER, BEFORE, REPLACE };

typedef struct change {
    int kind;
    size_t begin, end;
    dvmhcc_piece_t pieces[PIECES_MAX];
    char texts[PIECES_MAX][16];
    int count;
} change_t;

typedef struct model {
    char original[64];
    size_t length;
    change_t changes[CHANGES_MAX];
    int count;
    bool active[CHANGES_MAX];
    char result[RESULT_MAX];
    size_t result_length;
    bool contradicts;
} model_t;

static void model_range(model_t *m, size_t begin, size_t end, bool inside);

static void model_put(model_t *m, char c) {
    if (m->result_length + 1 < RESULT_MAX)
        m->result[m->result_length++] = c;
    m->result[m->result_length] = '\0';
}

static void model_apply(model_t *m, int number) {
    if (m->active[number]) {
        m->contradicts = true;
        return;
    }
    m->active[number] = true;
    for (int i = 0; i < m->changes[number].count && !m->contradicts; i++) {
        const dvmhcc_piece_t *piece = &m->changes[number].pieces[i];
        for (const char *c = piece->text; c != NULL && *c != '\0'; c++)
            model_put(m, *c);
        if (piece->text == NULL && piece->begin < piece->end)
            model_range(m, piece->begin, piece->end, piece->inside);
    }
    m->active[number] = false;
}

/* An active replacement that reaches around [begin, end) and shares the end in question. */
static bool model_shares(const model_t *m, size_t begin, size_t end, bool at_end) {
    for (int i = 0; i < m->count; i++) {
        const change_t *c = &m->changes[i];
        if (c->kind == REPLACE && m->active[i] && c->begin <= begin && end <= c->end &&
            (at_end ? c->end == end : c->begin == begin))
            return true;
    }
    return false;
}

static void model_inserts(model_t *m, int kind, size_t offset) {
    for (int i = 0; i < m->count && !m->contradicts; i++) {
        if (m->changes[i].kind == kind && m->changes[i].begin == offset)
            model_apply(m, i);
    }
}

/* The largest replacement that begins at an offset and lies in [begin, end); -1: none. */
static int model_replacement(const model_t *m, size_t offset, size_t begin, size_t end, bool inside) {
    int best = -1;
    for (int i = 0; i < m->count; i++) {
        const change_t *c = &m->changes[i];
        const bool whole = c->begin == begin && c->end == end;
        if (c->kind == REPLACE && c->begin == offset && c->end <= end &&
            !(whole && (inside || m->active[i])) && (best < 0 || c->end > m->changes[best].end))
            best = i;
    }
    return best;
}

static bool crosses(size_t a, size_t b, size_t c, size_t d) {
    return (a < c && c < b && b < d) || (c < a && a < d && d < b);
}

static void model_range(model_t *m, size_t begin, size_t end, bool inside) {
    for (int i = 0; i < m->count; i++) {
        if (m->changes[i].kind == REPLACE && crosses(begin, end, m->changes[i].begin, m->changes[i].end))
            m->contradicts = true;
    }
    const bool open_begin = !inside && !model_shares(m, begin, end, false);
    const bool open_end = !inside && !model_shares(m, begin, end, true);
    for (size_t at = begin; at < end && !m->contradicts;) {
        if (at > begin)
            model_inserts(m, AFTER, at);
        if (at > begin || open_begin)
            model_inserts(m, BEFORE, at);
        const int replacement = model_replacement(m, at, begin, end, inside);
        if (replacement >= 0 && !m->contradicts) {
            model_apply(m, replacement);
            at = m->changes[replacement].end;
        } else {
            model_put(m, m->original[at++]);
        }
    }
    if (open_end && !m->contradicts)
        model_inserts(m, AFTER, end);
}

static void model_all(model_t *m) {
    for (int i = 0; i < m->count; i++) {
        for (int j = 0; j < i; j++) {
            const change_t *a = &m->changes[i], *b = &m->changes[j];
            if (a->kind == REPLACE && b->kind == REPLACE &&
                ((a->begin == b->begin && a->end == b->end) || crosses(a->begin, a->end, b->begin, b->end)))
                m->contradicts = true;
        }
    }
    if (m->contradicts)
        return;
    /* The whole has a border of nothing around it, so that all insertions attach to something in it. */
    model_inserts(m, AFTER, 0);
    if (m->length == 0)
        model_inserts(m, BEFORE, 0);
    else
        model_range(m, 0, m->length, false);
    if (m->length > 0)
        model_inserts(m, BEFORE, m->length);
}

/* ---- random edits */

static void random_range(const model_t *m, bool empty_too, size_t *begin_p, size_t *end_p) {
    do {
        *begin_p = (size_t)check_random_range(0, (int64_t)m->length);
        *end_p = (size_t)check_random_range((int64_t)*begin_p, (int64_t)m->length);
    } while (!empty_too && *begin_p == *end_p);
}

static bool random_change(model_t *m) {
    change_t *c = &m->changes[m->count];
    memset(c, 0, sizeof *c);
    c->kind = (int)check_random_range(AFTER, REPLACE);
    if (c->kind == REPLACE && m->length == 0)
        return false;
    random_range(m, c->kind != REPLACE, &c->begin, &c->end);
    if (c->kind != REPLACE)
        c->end = c->begin;
    for (int j = 0; c->kind == REPLACE && j < m->count; j++) {
        const change_t *other = &m->changes[j];
        if (other->kind == REPLACE && !check_random_once_in(60) &&
            (crosses(c->begin, c->end, other->begin, other->end) ||
             (c->begin == other->begin && c->end == other->end)))
            return false; /* most trials shall not contradict */
    }
    c->count = (int)check_random_range(0, PIECES_MAX);
    for (int i = 0; i < c->count; i++) {
        if (check_random_once_in(2)) {
            snprintf(c->texts[i], sizeof c->texts[i], "%c%d", (int)('A' + m->count), i);
            c->pieces[i].text = c->texts[i];
            continue;
        }
        random_range(m, true, &c->pieces[i].begin, &c->pieces[i].end);
        if (c->kind == REPLACE && check_random_once_in(2)) {
            c->pieces[i].begin = (size_t)check_random_range((int64_t)c->begin, (int64_t)c->end);
            c->pieces[i].end = (size_t)check_random_range((int64_t)c->pieces[i].begin, (int64_t)c->end);
        }
        c->pieces[i].inside = check_random_once_in(3);
    }
    m->count++;
    return true;
}

static bool add_change(dvmhcc_edit_t *edit, const change_t *c) {
    if (c->kind == REPLACE)
        return dvmhcc_edit_replace(edit, c->begin, c->end, c->pieces, c->count);
    return c->kind == BEFORE ? dvmhcc_edit_before(edit, c->begin, c->pieces, c->count)
                             : dvmhcc_edit_after(edit, c->begin, c->pieces, c->count);
}

static void print_model(const model_t *m) {
    fprintf(stderr, "  of \"%s\"\n", m->original);
    for (int i = 0; i < m->count; i++) {
        const change_t *c = &m->changes[i];
        fprintf(stderr, "  %s %zu..%zu:",
                c->kind == REPLACE  ? "replace"
                : c->kind == BEFORE ? "before"
                                    : "after",
                c->begin, c->end);
        for (int j = 0; j < c->count; j++) {
            if (c->pieces[j].text != NULL)
                fprintf(stderr, " '%s'", c->pieces[j].text);
            else
                fprintf(stderr, " [%zu,%zu)%s", c->pieces[j].begin, c->pieces[j].end,
                        c->pieces[j].inside ? " inside" : "");
        }
        fprintf(stderr, "\n");
    }
}

static void test_random(void) {
    static model_t m;
    int applied = 0, contradictions = 0;
    for (int trial = 0; trial < 30000; trial++) {
        memset(&m, 0, sizeof m);
        m.length = (size_t)check_random_range(0, 20);
        for (size_t i = 0; i < m.length; i++)
            m.original[i] = (char)('a' + i);
        const int wanted = (int)check_random_range(0, CHANGES_MAX);
        for (int tries = 0; m.count < wanted && tries < 50; tries++)
            random_change(&m);
        model_all(&m);
        if (m.result_length + 1 == RESULT_MAX)
            continue;
        dvmhcc_edit_t *edit = dvmhcc_edit_create(m.original, m.length, NULL, NULL);
        bool good = edit != NULL;
        for (int i = 0; i < m.count; i++)
            good = good && add_change(edit, &m.changes[i]);
        CHECK(good);
        dvmhcc_text_t result = {0};
        files_report_begin();
        const bool applies = dvmhcc_edit_apply(edit, &result);
        const char *told = files_report_end();
        bool same = CHECK_EQ_INT(applies, !m.contradicts);
        if (m.contradicts)
            CHECK_CONTAINS(told, "internal error: ");
        else
            same = CHECK_EQ_STR(dvmhcc_text_string(&result), m.result) && same;
        if (!same)
            print_model(&m);
        applied += !m.contradicts;
        contradictions += m.contradicts;
        dvmhcc_text_free(&result);
        dvmhcc_edit_free(edit);
    }
    CHECK(applied > 5000 && contradictions > 500);
}

/* ---- examples that show what is meant */

static void check_result(dvmhcc_edit_t *edit, const char *wanted) {
    dvmhcc_text_t result = {0};
    CHECK(dvmhcc_edit_apply(edit, &result));
    CHECK_EQ_STR(dvmhcc_text_string(&result), wanted);
    dvmhcc_text_free(&result);
    dvmhcc_edit_free(edit);
}

static void test_loop_becomes_handler(void) {
    const char *source = "#pragma dvm\nfor (i) { A[i] = B[i]; }\nend";
    const size_t loop = 12, body = loop + 8, body_end = (size_t)(strchr(source, '}') - source) + 1;
    dvmhcc_edit_t *edit = dvmhcc_edit_create(source, strlen(source), NULL, NULL);
    const dvmhcc_piece_t handler[] = {DVMHCC_PIECE_TEXT("void h() "), DVMHCC_PIECE_RANGE(body, body_end),
                                      DVMHCC_PIECE_TEXT("\n")};
    CHECK(dvmhcc_edit_before(edit, 0, handler, 3));
    CHECK(dvmhcc_edit_replace_text(edit, 0, 11, "begin();"));
    CHECK(dvmhcc_edit_replace_text(edit, loop, body_end, "run(h);"));
    CHECK(dvmhcc_edit_after_text(edit, body_end, " finish();"));
    CHECK(dvmhcc_edit_replace_text(edit, loop + 10, loop + 14, "a(i)"));
    CHECK(dvmhcc_edit_replace_text(edit, loop + 17, loop + 21, "b(i)"));
    check_result(edit, "void h() { a(i) = b(i); } finish();\nbegin();\nrun(h); finish();\nend");
}

static void test_own_range(void) {
    dvmhcc_edit_t *edit = dvmhcc_edit_create("x+y;", 4, NULL, NULL);
    const dvmhcc_piece_t around[] = {DVMHCC_PIECE_TEXT("("), DVMHCC_PIECE_RANGE(0, 3),
                                     DVMHCC_PIECE_TEXT(")*"), DVMHCC_PIECE_INSIDE(0, 3)};
    CHECK(dvmhcc_edit_replace(edit, 0, 3, around, 4));
    CHECK(dvmhcc_edit_replace_text(edit, 2, 3, "z"));
    CHECK(dvmhcc_edit_before_text(edit, 0, "r="));
    CHECK(dvmhcc_edit_after_text(edit, 3, "!"));
    CHECK(dvmhcc_edit_before_text(edit, 3, "?"));
    check_result(edit, "r=(x+z)*x+z!?;");
}

static void check_refused(dvmhcc_edit_t *edit, const char *wanted) {
    dvmhcc_text_t result = {0};
    files_report_begin();
    CHECK(!dvmhcc_edit_apply(edit, &result));
    CHECK_EQ_STR(files_report_end(), wanted);
    CHECK_EQ_INT(result.length, 0);
    dvmhcc_text_free(&result);
    dvmhcc_edit_free(edit);
}

/* ---- places: the original's line n is line 100 + n of "user.c", from line 5 on of "other.c" */

static dvmhcc_place_t place_of(void *context, size_t offset) {
    const char *original = context;
    int line = 0;
    for (size_t i = 0; i < offset; i++)
        line += original[i] == '\n';
    return (dvmhcc_place_t){.file = line < 5 ? "user.c" : "other.c", .line = 100 + line};
}

static void test_contradictions(void) {
    char text[] = "ab\ncdefgh";
    dvmhcc_edit_t *edit = dvmhcc_edit_create(text, 9, place_of, text);
    CHECK(dvmhcc_edit_replace_text(edit, 0, 4, "x") && dvmhcc_edit_replace_text(edit, 3, 6, "y"));
    check_refused(edit,
                  "user.c:101: error: internal error: two edits replace text that overlaps (bytes 3..6)\n"
                  "user.c:100: note: the other edit is here (bytes 0..4)\n");
    edit = dvmhcc_edit_create(text, 9, place_of, text);
    CHECK(dvmhcc_edit_replace_text(edit, 3, 6, "x") && dvmhcc_edit_replace_text(edit, 3, 6, "x"));
    check_refused(edit, "user.c:101: error: internal error: two edits replace the same text (bytes 3..6)\n"
                        "user.c:101: note: the other edit is here (bytes 3..6)\n");
    edit = dvmhcc_edit_create(text, 9, place_of, text);
    CHECK(dvmhcc_edit_replace_text(edit, 1, 5, "x") &&
          dvmhcc_edit_before(edit, 9, &DVMHCC_PIECE_RANGE(4, 7), 1));
    check_refused(
        edit,
        "user.c:101: error: internal error: an edit moves a part of what another replaces (bytes 4..7)\n"
        "user.c:100: note: the other edit is here (bytes 1..5)\n");
    edit = dvmhcc_edit_create(text, 9, place_of, text);
    CHECK(dvmhcc_edit_replace(edit, 0, 2, &DVMHCC_PIECE_RANGE(3, 7), 1) &&
          dvmhcc_edit_replace(edit, 4, 5, &DVMHCC_PIECE_RANGE(0, 3), 1));
    check_refused(
        edit,
        "user.c:100: error: internal error: an edit moves text that leads back to the edit (bytes 0..2)\n"
        "user.c:100: note: the other edit is here (bytes 0..2)\n");
    edit = dvmhcc_edit_create(text, 9, place_of, text);
    files_report_begin();
    CHECK(!dvmhcc_edit_replace_text(edit, 4, 10, "x") && !dvmhcc_edit_replace_text(edit, 4, 4, "x") &&
          !dvmhcc_edit_before_text(edit, 10, "x") &&
          !dvmhcc_edit_before(edit, 1, &DVMHCC_PIECE_RANGE(5, 4), 1));
    CHECK_CONTAINS(files_report_end(),
                   "user.c:101: error: internal error: an edit of bytes 4..10 in a text of 9\n");
    check_result(edit, "# 100 \"user.c\"\nab\ncdefgh");
}

/* Read a result as a compiler does, and check that every line with a byte of the original, a letter, is where place_of says. */
static int check_lines(const char *result, const char *original) {
    const char *file = "?";
    int line = 0, markers = 0;
    while (*result != '\0') {
        const size_t length = strcspn(result, "\n");
        if (strncmp(result, "# ", 2) == 0) {
            line = atoi(result + 2);
            file = strstr(result, "other.c") != NULL && strstr(result, "other.c") < result + length
                       ? "other.c"
                       : "user.c";
            markers++;
        } else {
            for (size_t i = 0; i < length; i++) {
                const char *at = result[i] >= 'a' && result[i] <= 'z' ? strchr(original, result[i]) : NULL;
                if (at != NULL) {
                    const dvmhcc_place_t place =
                        place_of((char *)(uintptr_t)original, (size_t)(at - original));
                    CHECK_EQ_INT(line, place.line);
                    CHECK_EQ_STR(file, place.file);
                    break;
                }
            }
            line++;
        }
        result += length + (result[length] == '\n');
    }
    return markers;
}

static void test_markers(void) {
    char original[] = "ab\ncd\n\nef\n gh\nij\nkl\nm";
    dvmhcc_edit_t *edit = dvmhcc_edit_create(original, strlen(original), place_of, original);
    CHECK(dvmhcc_edit_replace_text(edit, 3, 5, "NEW\nNEW"));
    CHECK(dvmhcc_edit_before(edit, 0, &DVMHCC_PIECE_RANGE(11, 13), 1));
    CHECK(dvmhcc_edit_before_text(edit, 0, " X\nY\n"));
    check_result(edit,
                 "# 104 \"user.c\"\ngh X\nY\n# 100 \"user.c\"\nab\nNEW\nNEW\n\n# 103 \"user.c\"\nef\n gh\n"
                 "# 105 \"other.c\"\nij\nkl\nm");
    for (int trial = 0; trial < 5000; trial++) {
        edit = dvmhcc_edit_create(original, strlen(original), place_of, original);
        dvmhcc_text_t result = {0};
        bool good = true;
        for (int i = 0; i < 4; i++) {
            const size_t at = (size_t)check_random_range(0, (int64_t)strlen(original));
            const size_t begin = (size_t)check_random_range(0, (int64_t)strlen(original));
            const size_t end = (size_t)check_random_range((int64_t)begin, (int64_t)strlen(original));
            const dvmhcc_piece_t piece = DVMHCC_PIECE_RANGE(begin, end);
            if (check_random_once_in(2))
                good = good && dvmhcc_edit_after_text(edit, at, check_random_once_in(2) ? "N\n\nN" : "\n");
            else if (at < begin)
                good = good && dvmhcc_edit_before(edit, at, &piece, 1);
            else if (begin < end)
                good = good && dvmhcc_edit_replace_text(edit, begin, end, "R\n");
        }
        files_report_begin();
        if (CHECK(good) && dvmhcc_edit_apply(edit, &result))
            check_lines(dvmhcc_text_string(&result), original);
        files_report_end();
        dvmhcc_text_free(&result);
        dvmhcc_edit_free(edit);
    }
    /* Markers of the original count. */
    char marked[] = "# 7 \"other.c\"\na\n";
    edit = dvmhcc_edit_create(marked, strlen(marked), NULL, NULL);
    check_result(edit, marked);
}

/* The place function as a source has it: a marker's line has the place of what follows. */
static dvmhcc_place_t marked_place(void *context, size_t offset) {
    (void)context;
    return (dvmhcc_place_t){.file = offset < 16 ? "a.c" : "b.c",
                            .line = offset < 14   ? 7
                                    : offset < 16 ? 8
                                                  : 20};
}

static void test_original_markers(void) {
    const char *marked = "# 7 \"a.c\"\na()\nb\n# 20 \"b.c\" 3\nc\n";
    dvmhcc_edit_t *edit = dvmhcc_edit_create(marked, strlen(marked), marked_place, NULL);
    check_result(edit, marked);
    edit = dvmhcc_edit_create(marked, strlen(marked), marked_place, NULL);
    CHECK(dvmhcc_edit_replace_text(edit, 11, 13, "\nNEW\n"));
    check_result(edit, "# 7 \"a.c\"\na\nNEW\n\n# 8 \"a.c\"\nb\n# 20 \"b.c\" 3\nc\n");
    /* New text may hold markers too. */
    edit = dvmhcc_edit_create(marked, strlen(marked), marked_place, NULL);
    CHECK(dvmhcc_edit_before_text(edit, 14, "# 3 \"made.h\"\nNEW\n"));
    check_result(edit, "# 7 \"a.c\"\na()\n# 3 \"made.h\"\nNEW\n# 8 \"a.c\"\nb\n# 20 \"b.c\" 3\nc\n");
}

static void test_memory(void) {
    const int64_t live = rts_memory_live();
    bool failed = true;
    int n = 1;
    for (; failed && n < 200; n++) {
        dvmhcc_text_t result = {0};
        files_report_begin();
        rts_memory_fail_at(n);
        dvmhcc_edit_t *edit = dvmhcc_edit_create("abcdefgh\n", 9, NULL, NULL);
        failed = edit == NULL;
        for (size_t i = 0; !failed && i < 8; i++)
            failed =
                !dvmhcc_edit_replace_text(edit, i, i + 1, "x\n") || !dvmhcc_edit_after_text(edit, i, "y");
        failed = failed || !dvmhcc_edit_apply(edit, &result);
        rts_memory_fail_at(0);
        dvmhcc_edit_free(edit);
        dvmhcc_text_free(&result);
        const char *told = files_report_end();
        if (failed)
            CHECK_EQ_STR(told, "dvmhcc: error: out of memory\n");
        CHECK_EQ_INT(rts_memory_live(), live);
    }
    CHECK(n > 20 && n < 200);
}

int main(void) {
    check_random_start();
    test_random();
    test_loop_becomes_handler();
    test_own_range();
    test_contradictions();
    test_markers();
    test_original_markers();
    test_memory();
    return check_finish();
}
