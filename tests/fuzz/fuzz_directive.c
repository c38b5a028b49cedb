/* Fuzzing of the directive parser. The input is the text of a directive, any bytes. Whatever it is: the parser ends, every message
 * names a place inside of the text, and a directive without errors can be written and parsed again with the same result. As a
 * libFuzzer target by default; with -DFUZZ_STANDALONE a program of its own that makes its inputs from a printed seed (CHECK_SEED)
 * for some seconds (FUZZ_SECONDS, default 3), which is what `make check` runs. */
#include <config.h>

#include "compiler-hooks/dvmhcc/directive.h"
#include "rts/memory.h"
#include "rts/stats.h"

#include "tests/check.h"
#include "tests/dvmhcc/directive_print.h"
#include "tests/dvmhcc/directive_same.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what) {
    if (condition)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}
#define REQUIRE(condition) require(condition, #condition)

static void place(void *context, size_t offset, size_t length, dvmhcc_place_t *place_p) {
    const size_t *text_length = context;
    REQUIRE(offset <= *text_length && length <= *text_length - offset);
    *place_p = (dvmhcc_place_t){.line = 1, .column = (int)offset + 1, .length = (int)length};
}

/* Every span that later messages may use lies in the text. */
static void check_span(dvmhcc_span_t span, size_t length) {
    REQUIRE(span.offset <= length && span.length <= length - span.offset);
}

static void check_tree(const dvmhcc_directive_t *directive, size_t length) {
    REQUIRE(directive->kind >= DVMHCC_UNKNOWN && directive->kind <= DVMHCC_UNSUPPORTED);
    check_span(directive->name.span, length);
    if (directive->kind != DVMHCC_PARALLEL)
        return;
    const dvmhcc_parallel_t *parallel = &directive->is.parallel;
    const dvmhcc_mapping_t *mapping = &parallel->mapping;
    REQUIRE(parallel->rank >= 0 && parallel->rank <= DVMHCC_RANK_MAX);
    REQUIRE(mapping->index_count == 0 || mapping->index_count == parallel->rank);
    REQUIRE(directive->faulty || parallel->rank > 0);
    for (int a = 0; a < mapping->target_rank; a++) {
        check_span(mapping->subscripts[a].span, length);
        REQUIRE(mapping->subscripts[a].kind != DVMHCC_SUBSCRIPT_INDEX ||
                (mapping->subscripts[a].index >= 0 && mapping->subscripts[a].index < parallel->rank));
    }
    for (const dvmhcc_reduction_t *reduction = parallel->reductions; reduction != NULL;
         reduction = reduction->next)
        check_span(reduction->variable.span, length);
}

static const dvmhcc_directive_t *parse(dvmhcc_arena_t *arena, const char *text, size_t length) {
    const dvmhcc_directive_t *directive = NULL;
    const dvmhcc_directive_source_t source = {.text = text,
                                              .length = length,
                                              .place = place,
                                              .context = &length};
    const int before = dvmhcc_error_count();
    REQUIRE(dvmhcc_directive_parse(arena, &source, &directive) == RTS_OK);
    const int errors = dvmhcc_error_count() - before;
    REQUIRE(directive->faulty == (errors > 0));
    REQUIRE(errors <= DVMHCC_DIRECTIVE_FAULTS_MAX + 1);
    check_tree(directive, length);
    return directive;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static FILE *nowhere;
    dvmhcc_arena_t arena = {0}, again = {0};
    if (nowhere == NULL) {
        nowhere = fopen("/dev/null", "w");
        REQUIRE(nowhere != NULL);
    }
    /* Forgets the count, which would overflow. */
    dvmhcc_report_to(nowhere);
    const dvmhcc_directive_t *directive = parse(&arena, (const char *)data, size);
    if (!directive->faulty) {
        char *text = NULL;
        size_t length = 0;
        FILE *file = open_memstream(&text, &length);
        REQUIRE(file != NULL);
        print_directive(file, directive);
        fclose(file);
        if (length <= DVMHCC_DIRECTIVE_LENGTH_MAX)
            REQUIRE(same_directive(directive, parse(&again, text, length)));
        free(text);
    }
    dvmhcc_arena_free(&arena);
    dvmhcc_arena_free(&again);
    REQUIRE(rts_memory_live() == 0);
    return 0;
}

#ifdef FUZZ_STANDALONE

#define INPUT_MAX 3000

static const char *const good[] = {
    "array distribute[block][wgtblock(w, 10)][genblock(g)][multblock(2)][*][] shadow[1:1][0][1][2][3][4]",
    "array align([i][][k] with T[2*k + 1][][n - 1][i]) dynamic",
    "template[100][n] distribute[block][block]",
    "redistribute(A[block][*])",
    "realign(B[i][j] with A[j][i - (n + 1)]), new_value",
    "inherit(a, b, c)",
    "parallel([i][j] on A[i][3*(j + 1) - n/2]) private(x, y), reduction(sum(s), maxloc(m, l, 3), max(t))",
    "parallel([i][j] on A[i][j]) across(A[1:1][0:1], out: B) shadow_renew(C[1][2](corner), D(corner), E)",
    "parallel([i][j] on A[i][j]) remote_access(B[i][], C[2*j][n]) tie(D[j][-i][]) cuda_block(32, 8) stage(4)",
    "parallel([i][j]) tie(A[i][j])",
    "parallel(3) private(x)",
    "region in(A[1:n][], x)out(B[c ? 1 : 2:7]) local(C[2:][:3]), inout(d) inlocal(e) use(f) async",
    "region targets(HOST, CUDA), in(A)",
    "actual(A[0:n], x, B[3])",
    "get_actual()",
    "shadow_renew(A[1:1](corner), B)",
    "remote_access(A[3][], B[f(i, \"x\")])",
    "interval (n + 1) * 2",
    "exitinterval 1, 2, n",
    "endinterval",
    "host_section",
    "routine"};

/* Pieces that make a difference somewhere. */
static const char *const pieces[] = {"(",
                                     ")",
                                     "[",
                                     "]",
                                     ",",
                                     ":",
                                     "*",
                                     "-",
                                     "+",
                                     "/",
                                     "%",
                                     "?",
                                     " ",
                                     "i",
                                     "j",
                                     "A",
                                     "n",
                                     "0",
                                     "1",
                                     "9",
                                     "\"",
                                     "'",
                                     "\\\n",
                                     "/*",
                                     "*/",
                                     "//",
                                     "\n",
                                     "->",
                                     ".",
                                     "&&",
                                     "<<",
                                     "=",
                                     "++",
                                     "{",
                                     "}",
                                     "sizeof",
                                     "on",
                                     "with",
                                     "out",
                                     "corner",
                                     "block",
                                     "private(x)",
                                     "sum(s)",
                                     "in(A)",
                                     "stage(1)",
                                     "tie(A[i])",
                                     "([i]",
                                     "0x",
                                     "1e+",
                                     "\xc3\xb6",
                                     "@",
                                     "i*i",
                                     "(i)",
                                     "-i",
                                     "[:]",
                                     "()",
                                     "region",
                                     "parallel",
                                     "async",
                                     "[1:1]",
                                     "9223372036854775807"};
#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static const char *any(const char *const list[], size_t count) {
    return list[check_random_range(0, (int64_t)count - 1)];
}

/* Put a piece in place of bytes at .. at + gone - 1. @return the new length */
static size_t splice(char *input, size_t length, size_t at, size_t gone, const char *piece) {
    const size_t more = strlen(piece);
    if (length - gone + more > INPUT_MAX)
        return length;
    memmove(input + at + more, input + at + gone, length - at - gone);
    memcpy(input + at, piece, more);
    return length - gone + more;
}

static size_t make_input(char *input) {
    size_t length = 0;
    if (check_random_once_in(10)) {
        for (int64_t k = check_random_range(0, 200); k > 0; k--)
            length = splice(input, length, length, 0, any(pieces, COUNT(pieces)));
    } else {
        length = splice(input, 0, 0, 0, any(good, COUNT(good)));
        if (check_random_once_in(4))
            length = splice(input, length, length, 0, any(good, COUNT(good)));
    }
    for (int64_t k = check_random_range(0, 4); k > 0; k--) {
        const size_t at = (size_t)check_random_range(0, (int64_t)length);
        const size_t gone = (size_t)check_random_range(0, length - at < 5 ? (int64_t)(length - at) : 5);
        length = splice(input, length, at, check_random_once_in(2) ? gone : 0,
                        check_random_once_in(3) ? "" : any(pieces, COUNT(pieces)));
    }
    if (check_random_once_in(20))
        for (size_t i = 0; i < length; i++)
            if (check_random_once_in(20))
                input[i] = (char)check_random_u64();
    return length;
}

int main(void) {
    static char input[INPUT_MAX];
    const char *text = getenv("FUZZ_SECONDS");
    const long seconds = text != NULL ? atol(text) : 3;
    const int64_t end = rts_clock_ns() + (int64_t)seconds * 1000000000;
    int64_t count = 0;
    check_random_start();
    for (size_t k = 0; k < COUNT(good); k++)
        LLVMFuzzerTestOneInput((const uint8_t *)good[k], strlen(good[k]));
    while (rts_clock_ns() < end || count < 1000) {
        LLVMFuzzerTestOneInput((const uint8_t *)input, make_input(input));
        count++;
    }
    printf("%" PRId64 " inputs\n", count);
    return check_finish();
}

#endif
