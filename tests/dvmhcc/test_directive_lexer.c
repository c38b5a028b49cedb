/* Words and brackets of directives, the limits that keep any input harmless, the arena, and what happens without memory. */
#include <config.h>

#include "tests/dvmhcc/directive_text.h"

#include "rts/memory.h"

/* ---- words ---- */

/* The words of a text with '|' between them, each followed by its kind's letter, and '_' before one that follows a blank. */
static void check_words(const char *text, const char *expected) {
    dvmhcc_arena_t arena = {0};
    const dvmhcc_token_t *tokens;
    dvmhcc_lexer_fault_t fault;
    char shown[512] = "";
    size_t used = 0;
    CHECK_EQ_INT(dvmhcc_lex(&arena, text, strlen(text), &tokens, &fault), RTS_OK);
    for (int i = 0; tokens[i].kind != DVMHCC_TOKEN_END; i++) {
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s%s%.*s%c", i > 0 ? "|" : "",
                                 tokens[i].blank ? "_" : "", (int)tokens[i].length, tokens[i].text,
                                 "NDQS"[tokens[i].kind]);
        CHECK(memcmp(text + tokens[i].offset, tokens[i].text, tokens[i].length) == 0);
    }
    snprintf(shown + used, sizeof shown - used, "%s%s", fault.message[0] != '\0' ? "!" : "", fault.message);
    CHECK_EQ_STR(shown, expected);
    dvmhcc_arena_free(&arena);
}

static void test_words(void) {
    check_words("", "");
    check_words("a", "aN");
    check_words("  ab1_$ \t", "_ab1_$N");
    check_words("a+b", "aN|+S|bN");
    check_words("1.5e-3+0x1fUL .5 5..", "1.5e-3D|+S|0x1fULD|_.5D|_5..D");
    check_words("0x1p-3-1", "0x1p-3D|-S|1D");
    check_words("a->b<<=c...d", "aN|->S|bN|<<=S|cN|...S|dN");
    check_words("x---y", "xN|--S|-S|yN");
    check_words("a:b?c", "aN|:S|bN|?S|cN");
    check_words("\"a b\" 'c' \"\\\"\" '\\''", "\"a b\"Q|_'c'Q|_\"\\\"\"Q|_'\\''Q");
    check_words("a/**/b /* x * / */c", "aN|_bN|_cN");
    check_words("a // b\nc", "aN|_cN");
    check_words("a \\\nb\\ \r\nc", "aN|_bN|_cN");
    check_words("a // b \\\n c\nd", "aN|_dN");
    check_words("gr\xc3\xb6\xc3\x9f"
                "e",
                "gr\xc3\xb6\xc3\x9f"
                "eN");
    check_words("@#", "@S|#S");
    check_words("a \x01", "aN!stray '\\x01'");
    check_words("a \\ b", "aN!stray '\\'");
    check_words("a \"b", "aN!this quote has no end on its line");
    check_words("a \"b\\\"", "aN!this quote has no end on its line");
    check_words("a 'b\n'", "aN!this quote has no end on its line");
    check_words("a /* b *", "aN!this comment has no end");
    check_words("a /*/", "aN!this comment has no end");
}

static void test_brackets(void) {
    dvmhcc_arena_t arena = {0};
    const dvmhcc_token_t *tokens;
    dvmhcc_lexer_fault_t fault;
    static const char text[] = "a(b[c]{}())[]";
    static const int partners[] = {-1, 10, -1, 5, -1, 3, 7, 6, 9, 8, 1, 12, 11, -1};
    CHECK_EQ_INT(dvmhcc_lex(&arena, text, sizeof text - 1, &tokens, &fault), RTS_OK);
    CHECK_EQ_STR(fault.message, "");
    for (int i = 0; i < 14; i++)
        CHECK_EQ_INT(tokens[i].partner, partners[i]);
    static const struct {
        const char *text, *message;
        size_t offset;
    } wrong[] = {{"a)", "')' closes nothing", 1},
                 {"(a]", "expected ')', got ']'", 2},
                 {"([a)", "expected ']', got ')'", 3},
                 {"{(a)", "'{' is never closed", 0},
                 {"(a)[", "'[' is never closed", 3}};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        CHECK_EQ_INT(dvmhcc_lex(&arena, wrong[k].text, strlen(wrong[k].text), &tokens, &fault), RTS_OK);
        CHECK_EQ_STR(fault.message, wrong[k].message);
        CHECK_EQ_INT(fault.offset, wrong[k].offset);
        CHECK_EQ_INT(fault.length, 1);
        for (int i = 0; tokens[i].kind != DVMHCC_TOKEN_END; i++)
            CHECK_EQ_INT(tokens[i].partner, -1);
    }
    dvmhcc_arena_free(&arena);
}

static void test_show(void) {
    char buffer[64], long_name[200];
    memset(long_name, 'x', sizeof long_name);
    dvmhcc_token_t token = {.kind = DVMHCC_TOKEN_NAME, .text = long_name, .length = sizeof long_name};
    CHECK_EQ_INT(strlen(dvmhcc_token_show(&token, buffer)), 55);
    CHECK_CONTAINS(buffer, "xxx...'");
    /* Whole characters of UTF-8 only, and no overflow when they are none. */
    for (size_t i = 0; i < sizeof long_name; i++)
        long_name[i] = i % 2 == 0 ? '\xc3' : '\xb6';
    CHECK_CONTAINS(dvmhcc_token_show(&token, buffer), "\xc3\xb6...'");
    memset(long_name, '\xb6', sizeof long_name);
    CHECK(strlen(dvmhcc_token_show(&token, buffer)) < 64);
    memset(long_name, '\x01', sizeof long_name);
    CHECK(strlen(dvmhcc_token_show(&token, buffer)) < 64);
    token.kind = DVMHCC_TOKEN_END;
    CHECK_EQ_STR(dvmhcc_token_show(&token, buffer), "the end of the directive");
}

/* ---- limits ---- */

/* "begin" + count times "middle" + "end" */
static parsed_t parse_repeated(const char *begin, const char *middle, int count, const char *end) {
    const size_t size = strlen(begin) + strlen(middle) * (size_t)count + strlen(end) + 1;
    char *text = malloc(size), *at = text;
    if (text == NULL)
        abort();
    at = stpcpy(at, begin);
    for (int i = 0; i < count; i++)
        at = stpcpy(at, middle);
    strcpy(at, end);
    parsed_t parsed = parse_text(text);
    free(text);
    return parsed;
}

static int count_lines(const char *text) {
    int lines = 0;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

static void test_limits(void) {
    parsed_t parsed = parse_repeated("region in(a", ",a", 32000, ")");
    CHECK_EQ_STR(parsed.messages, "");
    int count = 0;
    for (const dvmhcc_data_t *data = parsed.directive->is.region.data; data != NULL; data = data->next)
        count++;
    CHECK_EQ_INT(count, 32001);
    forget(&parsed);

    parsed = parse_repeated("region in(a", ",a", 40000, ")");
    CHECK_EQ_STR(parsed.messages, "1: error: a directive of more than 65536 characters\n");
    forget(&parsed);

    /* A NUL would cut a text that is handed on. */
    parsed = parse_bytes("interval \"a\0b\"", 14);
    CHECK_EQ_STR(parsed.messages, "10: error: this quote has no end on its line\n");
    forget(&parsed);
    parsed = parse_bytes("interval a\0b", 12);
    CHECK_EQ_STR(parsed.messages, "11: error: stray '\\x00'\n");
    forget(&parsed);

    parsed = parse_repeated("interval ", "(", 64, "1 + (2)");
    CHECK_EQ_STR(parsed.messages, "78: error: brackets inside brackets, more than 64 deep\n");
    forget(&parsed);
    parsed = parse_repeated("parallel([i] on A[", "2*(", 62, "i");
    CHECK_EQ_STR(parsed.messages, "204: error: '(' is never closed\n");
    forget(&parsed);

    /* Twenty errors are told, and that there are more. */
    parsed = parse_repeated("region in(a", ",3", 30, ") out(4)");
    CHECK_EQ_INT(count_lines(parsed.messages), DVMHCC_DIRECTIVE_FAULTS_MAX + 1);
    CHECK_CONTAINS(parsed.messages, "too many errors in this directive; the rest of it is not read\n");
    forget(&parsed);
    parsed = parse_repeated("region in(a", ",3", 20, ")");
    CHECK_EQ_INT(count_lines(parsed.messages), DVMHCC_DIRECTIVE_FAULTS_MAX);
    forget(&parsed);

    parsed = parse_repeated("inherit(a", ",a", 30, ")");
    CHECK_EQ_INT(count_lines(parsed.messages), DVMHCC_DIRECTIVE_FAULTS_MAX);
    CHECK(!parsed.directive->faulty);
    forget(&parsed);

    /* Work that grows with the square of the length would show here. */
    parsed = parse_repeated("interval ", "a+", 32000, "b");
    CHECK_EQ_STR(parsed.messages, "");
    forget(&parsed);
    parsed = parse_repeated("parallel([i] on A[i", "+1", 10000, "])");
    CHECK_EQ_STR(parsed.messages, "");
    CHECK_EQ_INT(parsed.directive->is.parallel.mapping.subscripts[0].summand.value, 10000);
    forget(&parsed);
    parsed = parse_repeated("interval ", "-", 60000, "1");
    CHECK_CONTAINS(parsed.messages, "an expression that changes no variable, got '--'");
    forget(&parsed);
    parsed = parse_repeated("interval ", "- ", 30000, "1");
    CHECK_EQ_INT(parsed.directive->is.intervals->expression.constant.value, 1);
    forget(&parsed);
}

/* The deepest subscript that is allowed, taken apart level by level. */
static void test_deep(void) {
    char text[512] = "parallel([i] on A[";
    /* A round and a square bracket are open already. */
    for (int i = 0; i < DVMHCC_DIRECTIVE_DEPTH_MAX - 2; i++)
        strcat(text, "-(");
    strcat(text, "i + 1");
    for (int i = 0; i < DVMHCC_DIRECTIVE_DEPTH_MAX - 2; i++)
        strcat(text, ")");
    strcat(text, "])");
    parsed_t parsed = parse_text(text);
    const dvmhcc_subscript_t *subscript = &parsed.directive->is.parallel.mapping.subscripts[0];
    CHECK_EQ_STR(parsed.messages, "");
    CHECK(subscript->coefficient.known && subscript->summand.known);
    CHECK_EQ_INT(subscript->coefficient.value, 1);
    CHECK_EQ_INT(subscript->summand.value, 1);
    forget(&parsed);
}

/* ---- memory ---- */

static void test_arena(void) {
    dvmhcc_arena_t arena = {0};
    const int64_t live = rts_memory_live();
    char *small = dvmhcc_arena_take(&arena, 0), *other = dvmhcc_arena_take(&arena, 1);
    CHECK(small != NULL && other != NULL);
    char *large = dvmhcc_arena_take(&arena, 1 << 20);
    CHECK(large != NULL && large[0] == 0 && large[(1 << 20) - 1] == 0);
    CHECK(dvmhcc_arena_take(&arena, SIZE_MAX) == NULL);
    CHECK(dvmhcc_arena_take(&arena, SIZE_MAX - 64) == NULL);
    CHECK(dvmhcc_arena_copy(&arena, "x", SIZE_MAX) == NULL);
    CHECK_EQ_STR(dvmhcc_arena_copy(&arena, "abc", 2), "ab");
    for (int i = 0; i < 10000; i++) {
        unsigned char *bytes = dvmhcc_arena_take(&arena, 40);
        if (bytes == NULL)
            abort();
        CHECK((uintptr_t)bytes % sizeof(void *) == 0);
        for (int k = 0; k < 40; k++)
            CHECK(bytes[k] == 0);
        memset(bytes, 255, 40);
    }
    dvmhcc_arena_free(&arena);
    CHECK(arena.blocks == NULL);
    CHECK_EQ_INT(rts_memory_live(), live);
    dvmhcc_arena_free(&arena);
}

/* Every allocation of a directive that fills many blocks fails once; it is said, and nothing is lost. */
static void test_no_memory(void) {
    char text[40000] = "parallel([i][j] on A[2*(i+1)][j]) private(a";
    const int64_t live = rts_memory_live();
    for (int i = 0; i < 3000; i++)
        strcat(text, ",a1");
    strcat(text, ") reduction(sum(s)) remote_access(B[");
    for (int i = 0; i < 3000; i++)
        strcat(text, "f()+");
    strcat(text, "i]) tie(A[i][j]) across(A[1][1]) shadow_renew(A)");
    const int64_t before = rts_memory_calls();
    parsed_t parsed = parse_text(text);
    const int64_t calls = rts_memory_calls() - before;
    CHECK_EQ_INT(parsed.status, RTS_OK);
    CHECK(calls > 10);
    forget(&parsed);
    for (int64_t n = 1; n <= calls; n++) {
        rts_memory_fail_at(n);
        parsed = parse_text(text);
        rts_memory_fail_at(0);
        CHECK_EQ_INT(parsed.status, RTS_ERR_NO_MEMORY);
        CHECK(parsed.directive == NULL);
        CHECK_CONTAINS(rts_error_text(), "directive");
        forget(&parsed);
        CHECK_EQ_INT(rts_memory_live(), live);
    }
}

int main(void) {
    test_words();
    test_brackets();
    test_show();
    test_limits();
    test_deep();
    test_arena();
    test_no_memory();
    return check_finish();
}
