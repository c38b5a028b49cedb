/* Every error that a directive can have: the place and the words of the messages, and that parsing goes on behind it. */
#include <config.h>

#include "tests/dvmhcc/directive_text.h"

#define DIRECTIVES                                                                                           \
    "actual, array, endinterval, exitinterval, get_actual, host_section, inherit, interval, parallel, "      \
    "realign, redistribute, region, remote_access, routine, shadow_renew, template"
#define LOOP_CLAUSES   "across, cuda_block, private, reduction, remote_access, shadow_renew, stage, tie"
#define REGION_CLAUSES "in, inlocal, inout, local, out, use, async, targets"

/* A directive and all that is told about it, a line each: column: severity: text. */
typedef struct wrong {
    const char *text, *messages;
} wrong_t;

static const wrong_t declarations[] = {
    {"array align([i][j] with A[i+j])",
     "27: error: expected the form a * index + b with one index, got 'i+j'\n"},
    {"array align([i][j] with A[i][i])", "29: error: index 'i' is used twice after 'with'\n"},
    {"array distribute[block] distribute[block]", "25: error: clause 'distribute' stands here twice\n"},
    {"array distribute[block], align([i] with A[i])",
     "26: error: 'distribute' and 'align' exclude each other\n"},
    {"array distribute[blok][*]", "18: error: unknown distribution 'blok'; did you mean 'block'? expected "
                                  "one of block, genblock, multblock, wgtblock\n"},
    {"array distribute block",
     "18: error: expected '[' and how the first axis is distributed, got 'block'\n"},
    {"array distribute[block][block] shadow[1:1]", "32: error: 'shadow' has 1 axis, but 2 stand before it\n"},
    {"array shadow[-1:2]", "14: error: a width must not be negative, got -1\n"},
    {"array shadow[1:-1], dynamic", "16: error: a width must not be negative, got -1\n"},
    {"array shadow[1:]", "16: error: expected a width, got ']'\n"},
    {"array shadow[:1]", "14: error: expected a width, got ':'\n"},
    {"array shadow[]", "14: error: expected a width, got ']'\n"},
    {"array distribute[wgtblock(w)]", "28: error: expected the form wgtblock(array, count)\n"},
    {"array distribute[wgtblock(w, 0)][genblock(g, 3)][multblock(0)][genblock][indirect(m)][derived(x with "
     "@i)]",
     "30: error: the number of weights must be at least 1, got 0\n"
     "46: error: expected the form genblock(array)\n"
     "60: error: the unit of multblock must be at least 1, got 0\n"
     "72: error: expected '(' after 'genblock', got ']'\n"
     "74: error: distribution 'indirect' is not supported yet\n"
     "87: error: distribution 'derived' is not supported yet\n"},
    {"array distribute[block][block][block][block][block][block][block][block][block]",
     "73: error: more than 8 axes\n"},
    {"template[10][20] distribute[block]", "18: error: 'distribute' has 1 axis, but 2 stand before it\n"},
    {"template distribute[block]",
     "10: error: expected '[' and the size of the template's first axis, got 'distribute'\n"},
    {"template[0] align([i] with A[i])",
     "10: error: the size of an axis must be at least 1, got 0\n"
     "13: error: unknown clause 'align' of 'template'; expected one of distribute, dynamic\n"},
    {"template[", "9: error: '[' is never closed\n"},
    {"array foo[1] shadow[1:1] bar",
     "7: error: unknown clause 'foo' of 'array'; expected one of align, distribute, dynamic, shadow\n"
     "26: error: unknown clause 'bar' of 'array'; expected one of align, distribute, dynamic, shadow\n"},
    {"array align [i] shadow[1]", "13: error: expected '(' after 'align', got '['\n"},
    {"array shadow[1] shadow[2]", "17: error: clause 'shadow' stands here twice\n"},
    {"array align([i][i] with A[i])", "17: error: index 'i' stands here twice\n"},
    {"array align([i+1] with A[i])", "15: error: expected ']', got '+'\n"},
    {"array align([i] with A[j+1][3][k-])", "34: error: expected an operand, got ']'\n"},
    {"array distribute[3]",
     "18: error: expected block, genblock(..), multblock(..), wgtblock(..), '*' or nothing, got '3'\n"},
    {"array align([i] with A[i]) distribute[block]",
     "28: error: 'distribute' and 'align' exclude each other\n"},
};

static const wrong_t layouts[] = {
    {"redistribute(A)", "15: error: expected '[' and how the first axis is distributed, got ')'\n"},
    {"redistribute A[block]", "14: error: expected '(' after 'redistribute', got 'A'\n"},
    {"redistribute(A[block]) x", "24: error: expected the end of the directive, got 'x'\n"},
    {"realign(A[i][j] wih B[j][i])", "17: error: expected 'with', got 'wih'\n"},
    {"realign(A[i][j] with B)", "23: error: expected '[' and the subscripts of 'B', got ')'\n"},
    {"realign(A with B[i])", "11: error: expected '[' and a name for the index of each axis, got 'with'\n"},
    {"realign(A[i] with A[i])", "19: error: 'A' cannot be aligned with itself\n"},
    {"realign(A[i] with B[i]) new_val",
     "25: error: unknown clause 'new_val' of 'realign'; did you mean 'new_value'? expected new_value\n"},
    {"realign(A[i] with B[i], foo) bar",
     "25: error: unknown clause 'foo' of 'realign'; expected new_value\n"
     "30: error: unknown clause 'bar' of 'realign'; expected new_value\n"},
};

static const wrong_t loops[] = {
    {"parallel([i][j] on A[i][i])", "24: error: index 'i' is used twice after 'on'\n"},
    {"parallel([i][j] on A[i][])",
     "14: warning: index 'j' is not used after 'on': every process runs all its iterations\n"},
    {"parallel([i][i] on A[i][])", "14: error: index 'i' stands here twice\n"},
    {"parallel([i][j] onn A[i][j])", "17: error: expected 'on', got 'onn'\n"},
    {"parallel([i][j] on A)", "21: error: expected '[' and the subscripts of 'A', got ')'\n"},
    {"parallel([i on A[i])", "20: error: expected ']', got ')'\n"},
    {"parallel([i] on A[i]", "9: error: '(' is never closed\n"},
    {"parallel([i] on A[i]))", "22: error: ')' closes nothing\n"},
    {"parallel(0)", "10: error: expected a number of loops from 1 to 8, or [i][j] on A[i][j], got '0'\n"},
    {"parallel(N)", "10: error: expected a number of loops from 1 to 8, or [i][j] on A[i][j], got 'N'\n"},
    {"parallel(2) tie(A[i][j])",
     "13: error: 'tie' needs the names of the loop's variables: parallel([i][j])\n"},
    {"parallel([i]) stage(2)", "15: error: 'stage' needs a loop with a mapping: parallel([i] on A[i])\n"},
    {"parallel()", "10: error: expected [i][j] on A[i][j], [i][j], or the number of loops, got ')'\n"},
    {"parallel", "9: error: expected '(' after 'parallel', got the end of the directive\n"},
    {"parallel([i] on A[*])", "19: error: expected a subscript, got '*'; [] stands for all\n"},
    {"parallel([i] on A(i))", "18: error: expected '[' and the subscripts of 'A', got '('\n"},
    {"parallel([i] on A[i, j])", "20: error: expected ']' (every axis has brackets of its own), got ','\n"},
    {"parallel([i] on A[i*i])", "19: error: expected the form a * index + b with one index, got 'i*i'\n"},
    {"parallel([i] on A[0*i])", "19: error: the coefficient of 'i' is 0\n"},
    {"parallel([i] on A[i]) shadow_renw(A)", "23: error: unknown clause 'shadow_renw' of 'parallel'; did you "
                                             "mean 'shadow_renew'? expected one of " LOOP_CLAUSES "\n"},
    {"parallel([i] on A[i]) privat(x) foo bar(3) reduction(summ(s))",
     "23: error: unknown clause 'privat' of 'parallel'; did you mean 'private'? expected one of " LOOP_CLAUSES
     "\n"
     "33: error: unknown clause 'foo' of 'parallel'; expected one of " LOOP_CLAUSES "\n"
     "37: error: unknown clause 'bar' of 'parallel'; expected one of " LOOP_CLAUSES "\n"
     "54: error: unknown reduction operation 'summ'; did you mean 'sum'? expected one of sum, product, max, "
     "min, and, or, xor, maxloc, minloc\n"},
    {"parallel([i] on A[i]) private x, y reduction(max(e)) ",
     "31: error: expected '(' after 'private', got 'x'\n"},
    {"parallel([i] on A[i]) private(x y), reduction(+: s)",
     "33: error: expected ',' or ')', got 'y'\n"
     "47: error: expected an operation such as sum(x), got '+'\n"},
    {"parallel([i] on A[i]) reduction(max(a, b), maxloc(m), maxloc(m, l, 0), minloc(q, l, 3, 4), sum())",
     "40: error: expected the form max(x)\n"
     "52: error: expected the form maxloc(x, location) or maxloc(x, location, size)\n"
     "68: error: the size of the location must be at least 1, got 0\n"
     "62: error: 'm' is reduced twice\n"
     "88: error: expected the form minloc(x, location, size)\n"
     "82: error: 'l' is reduced twice\n"
     "96: error: expected the name of a variable, got ')'\n"},
    {"parallel([i] on A[i]) reduction(sum(s), max(s), sum(i)) private(s, i, x, x)",
     "45: error: 's' is reduced twice\n"
     "53: error: loop variable 'i' cannot be reduced\n"
     "65: error: 's' cannot be private and reduced\n"
     "68: warning: loop variable 'i' is private anyway\n"
     "68: error: 'i' cannot be private and reduced\n"
     "74: warning: 'x' stands in 'private' twice\n"},
    {"parallel([i] on A[i]) across(A[1:1][1:1])",
     "30: error: 'A' has 2 subscripts here, but 1 before in this directive\n"},
    {"parallel([i] on A[i]) across(A[1:1], A[0:0])", "38: error: 'A' stands in 'across' twice\n"},
    {"parallel([i] on A[i]) across(A[-1])", "32: error: a width must not be negative, got -1\n"},
    {"parallel([i] on A[i]) across(A[1:1]", "29: error: '(' is never closed\n"},
    {"parallel([i] on A[i]) across(A[1:1], )", "38: error: expected the name of an array, got ')'\n"},
    {"parallel([i] on A[i]), across(out:A[1:1], out)",
     "22: error: expected a clause of 'parallel', got ','\n"},
    {"parallel([i] on A[i]) shadow_renew(A(conner))", "38: error: expected 'corner', got 'conner'\n"},
    {"parallel([i] on A[i]) shadow_renew(A[\"edge\"])",
     "38: error: shadow edges with names are not supported yet\n"},
    {"parallel([i] on A[i]) remote_access(B)",
     "38: error: expected '[' and the subscripts of 'B', got ')'\n"},
    {"parallel([i] on A[i]) remote_access(B[i/2])",
     "39: error: expected the form a * index + b with one index, got 'i/2'\n"},
    {"parallel([i] on A[i]) tie(B[k], C, D[i+1])",
     "29: error: 'k' is no loop variable of this directive\n"
     "34: error: expected '[' and which loop walks the first axis of 'C', got ','\n"
     "39: error: expected ']', got '+'\n"},
    {"parallel([i] on A[i]) cuda_block(1,2,3,4)",
     "40: error: more than 3 numbers in 'cuda_block'\n"
     "38: error: 'cuda_block' has 3 dims, but the loop nest has 1\n"},
    {"parallel([i] on A[i]) cuda_block(32 8)",
     "37: error: expected an operator or the expression's end, got '8'\n"},
    {"parallel([i] on A[i]) cuda_block(-1), cuda_block(2)",
     "34: error: the number of threads must be at least 1, got -1\n"
     "39: error: clause 'cuda_block' stands here twice\n"},
    {"parallel([i] on A[i]) stage(-2)", "29: error: the number of stages must be at least 0, got -2\n"},
    {"parallel([i] on A[i]) stage()", "29: error: expected the number of stages, got ')'\n"},
    {"parallel([i] on A[i]) consistent(B), shadow_compute",
     "23: error: clause 'consistent' is not supported yet\n"
     "38: error: clause 'shadow_compute' is not supported yet\n"},
    {"parallel([i] on A[i]) 3 private(x)", "23: error: expected a clause of 'parallel', got '3'\n"},
    {"parallel([i] on A[i]),", "22: error: expected a clause of 'parallel', got ','\n"},
    {"parallel([i] on A[i]) reduction(sum(s)", "32: error: '(' is never closed\n"},
    {"parallel([3] on A[i])", "11: error: expected the name of a loop variable, got '3'\n"},
    {"parallel([i][] on A[i])", "14: error: expected the name of a loop variable, got ']'\n"},
    {"parallel([i] on A[(i+1)*(i-1)])",
     "19: error: expected the form a * index + b with one index, got '(i+1)*(i-1)'\n"},
    {"parallel([i][j] on A[i+j][j])",
     "22: error: expected the form a * index + b with one index, got 'i+j'\n"},
    {"parallel([i] on A[i%2])", "19: error: expected the form a * index + b with one index, got 'i%2'\n"},
    {"parallel([i] on A[i<<1])", "19: error: expected the form a * index + b with one index, got 'i<<1'\n"},
    {"parallel([i] on A[f(i)])", "19: error: expected the form a * index + b with one index, got 'f(i)'\n"},
    {"parallel([i] on A[i*4/2])", "19: error: expected the form a * index + b with one index, got 'i*4/2'\n"},
    {"parallel([i] on 3)", "17: error: expected the name of an array or a template, got '3'\n"},
    {"parallel([i] on A[i]) reduction(maxloc(m, m))", "43: error: 'm' is reduced twice\n"},
    {"parallel([i] on A[i]) reduction sum(s)", "33: error: expected '(' after 'reduction', got 'sum'\n"},
    {"parallel([i] on A[i]) reduction(sum s)", "37: error: expected '(' after 'sum', got 's'\n"},
    {"parallel([i] on A[i]) tie(B[-3])", "30: error: expected the name of a loop variable, got '3'\n"},
    {"parallel([i] on A[i]) stage 3, cuda_block 32, tie A, across B, remote_access C, shadow_renew D, "
     "reduction E",
     "29: error: expected '(' after 'stage', got '3'\n"
     "43: error: expected '(' after 'cuda_block', got '32'\n"
     "51: error: expected '(' after 'tie', got 'A'\n"
     "61: error: expected '(' after 'across', got 'B'\n"
     "78: error: expected '(' after 'remote_access', got 'C'\n"
     "94: error: expected '(' after 'shadow_renew', got 'D'\n"
     "107: error: expected '(' after 'reduction', got 'E'\n"},
    {"parallel([i] on A[i]) shadow_renew(A[1](corner, B))", "47: error: expected ')', got ','\n"},
    {"parallel([i] on B[i]) remote_access(A[i], A[i][i])",
     "43: error: 'A' has 2 subscripts here, but 1 before in this directive\n"},
    {"parallel([i] on A[i]) cuda_block(32, 8, 1)",
     "38: error: 'cuda_block' has 2 dims, but the loop nest has 1\n"},
    {"parallel([i][j] on A[i][j]) cuda_block(32, 8, 2), stage(0)",
     "47: error: 'cuda_block' has 3 dims, but the loop nest has 2\n"},
    {"parallel([i] on A[i + n << 1])",
     "19: error: expected the form a * index + b with one index, got 'i + n << 1'\n"},
    {"parallel([i] on A[i + n > 1 ? 2 : 3])",
     "19: error: expected the form a * index + b with one index, got 'i + n > 1 ? 2 : 3'\n"},
    {"parallel(9)", "10: error: expected a number of loops from 1 to 8, or [i][j] on A[i][j], got '9'\n"},
    {"parallel([i][j] on A[j])",
     "11: warning: index 'i' is not used after 'on': every process runs all its iterations\n"},
    {"parallel([i][j] on A[i][]) across(B, out: B)",
     "14: warning: index 'j' is not used after 'on': every process runs all its iterations\n"},
    {"parallel([i][j] onn A[i]) tie(A[k]) private(3)",
     "17: error: expected 'on', got 'onn'\n"
     "45: error: expected the name of a variable, got '3'\n"},
};

static const wrong_t regions[] = {
    {"region in(A[5:2])", "13: error: the low bound 5 lies above the high bound 2\n"},
    {"region targets(host)",
     "16: error: unknown target 'host'; did you mean 'HOST'? expected one of CUDA, HOST\n"},
    {"region targets(GPU)", "16: error: unknown target 'GPU'; expected one of CUDA, HOST\n"},
    {"region targets(HOST) targets(CUDA)", "22: error: clause 'targets' stands here twice\n"},
    {"region private(x)",
     "8: error: unknown clause 'private' of 'region'; expected one of " REGION_CLAUSES "\n"},
    {"region in(A[1:2:3])", "16: error: expected an operator or the expression's end, got ':'\n"},
    {"region in(A[i++])", "14: error: expected an expression that changes no variable, got '++'\n"},
    {"region in(A[x = 3])", "15: error: expected an expression that changes no variable, got '='\n"},
    {"region in(A[x, y])", "14: error: expected ']' (every axis has brackets of its own), got ','\n"},
    {"region in(A[a b])", "15: error: expected an operator or the expression's end, got 'b'\n"},
    {"region in(A[a +])", "16: error: expected an operand, got ']'\n"},
    {"region in(A[/ 2])", "13: error: expected an operand, got '/'\n"},
    {"region in(A[1][2], A[3])", "20: error: 'A' has 1 subscript here, but 2 before in this directive\n"},
    {"region in(A[1)", "14: error: expected ']', got ')'\n"},
    {"region in(`)", "11: error: stray '`'\n"},
    {"region in(\"abc)", "11: error: this quote has no end on its line\n"},
    {"region /* x", "8: error: this comment has no end\n"},
    {"region , in(A)", "8: error: expected a clause of 'region', got ','\n"},
    {"region in", "10: error: expected '(' after 'in', got the end of the directive\n"},
    {"region in(3)", "11: error: expected the name of a variable, got '3'\n"},
    {"region in(A)(B) out(C)", "13: error: expected a clause of 'region', got '('\n"},
    {"region in(A[1), out(B)", "14: error: expected ']', got ')'\n"},
    {"region targets HOST", "16: error: expected '(' after 'targets', got 'HOST'\n"},
    {"region targets(3)", "16: error: unknown target '3'; expected one of CUDA, HOST\n"},
    {"region in(A[1 ? 2])", "18: error: expected ':' and an operand, got ']'\n"},
    {"region in(A[!])", "14: error: expected an operand, got ']'\n"},
    {"region in(A[\"x\" 3])", "17: error: expected an operator or the expression's end, got '3'\n"},
    {"region in(A[f(,)])", "15: error: expected an operand, got ','\n"},
    {"region in(A[1 ! 2])", "15: error: expected an operator or the expression's end, got '!'\n"},
    {"region in(A[2](B))", "15: error: expected ',' or ')', got '('\n"},
    {"region in(A[1], A[1][2], A[3][4])",
     "17: error: 'A' has 2 subscripts here, but 1 before in this directive\n"
     "26: error: 'A' has 2 subscripts here, but 1 before in this directive\n"},
};

static const wrong_t others[] = {
    {"inherit(a, b, a)", "15: warning: 'a' stands here twice\n"},
    {"inherit()", "9: error: expected the name of a variable, got ')'\n"},
    {"inherit(a b)", "11: error: expected ',' or ')', got 'b'\n"},
    {"inherit(a,)", "11: error: expected the name of a variable, got ')'\n"},
    {"actual(x,)", "10: error: expected the name of a variable, got ')'\n"},
    {"actual x", "8: error: expected '(' after 'actual', got 'x'\n"},
    {"getactual(x)",
     "1: error: unknown directive 'getactual'; did you mean 'get_actual'? expected one of " DIRECTIVES "\n"},
    {"shadow_renew(A) x", "17: error: expected the end of the directive, got 'x'\n"},
    {"interval n +", "13: error: expected an operand, got the end of the directive\n"},
    {"interval 5, 6", "11: error: expected an operator or the expression's end, got ','\n"},
    {"endinterval 3", "13: error: expected the end of the directive, got '3'\n"},
    {"exitinterval", "13: error: expected the number of an interval, got the end of the directive\n"},
    {"routine(x)", "8: error: expected the end of the directive, got '('\n"},
    {"localize(a => b)", "1: error: directive 'localize' is not supported yet\n"},
    {"paralel([i] on A[i])",
     "1: error: unknown directive 'paralel'; did you mean 'parallel'? expected one of " DIRECTIVES "\n"},
    {"3", "1: error: expected the name of a directive, got '3'\n"},
    {" ", "1: error: expected the name of a directive, got the end of the directive\n"},
    {"inherit(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bb)",
     "98: error: expected ',' or ')', got 'bb'\n"},
    {"PARALLEL([i] on A[i])",
     "1: error: unknown directive 'PARALLEL'; did you mean 'parallel'? expected one of " DIRECTIVES "\n"},
    {"instantiations set(T = int)", "1: error: directive 'instantiations' is not supported yet\n"},
    {"exitinterval 1,,2", "16: error: expected the number of an interval, got ','\n"},
};

static void check_all(const wrong_t cases[], size_t count) {
    for (size_t k = 0; k < count; k++) {
        parsed_t parsed = parse_text(cases[k].text);
        CHECK_EQ_INT(parsed.status, RTS_OK);
        if (!CHECK_EQ_STR(parsed.messages, cases[k].messages))
            fprintf(stderr, "    told about: %s\n", cases[k].text);
        forget(&parsed);
    }
}
#define CHECK_ALL(cases) check_all(cases, sizeof(cases) / sizeof(cases)[0])

/* Later passes must know that a directive stands there, and which, whatever is wrong with it. */
static void test_kind(void) {
    static const struct {
        const char *text;
        dvmhcc_directive_kind_t kind;
    } cases[] = {{"paralel([i] on A[i])", DVMHCC_UNKNOWN}, {"", DVMHCC_UNKNOWN},
                 {"localize(a => b)", DVMHCC_UNSUPPORTED}, {"region in(", DVMHCC_REGION},
                 {"unlocalize(", DVMHCC_UNSUPPORTED},      {"parallel(0)", DVMHCC_PARALLEL}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        parsed_t parsed = parse_text(cases[k].text);
        CHECK(parsed.directive->faulty);
        CHECK_EQ_INT(parsed.directive->kind, cases[k].kind);
        forget(&parsed);
    }
}

/* What was right before and behind an error is in the tree. */
static void test_recovery(void) {
    parsed_t parsed =
        parse_text("parallel([i] on A[i]) private(x, 3, y) foo(1) reduction(sum(s), top(t), max(u))");
    const dvmhcc_parallel_t *parallel = &parsed.directive->is.parallel;
    CHECK(parsed.directive->faulty);
    CHECK_EQ_STR(parallel->privates->name.text, "x");
    CHECK_EQ_STR(parallel->privates->next->name.text, "y");
    CHECK(parallel->privates->next->next == NULL);
    CHECK_EQ_STR(parallel->reductions->variable.text, "s");
    CHECK_EQ_STR(parallel->reductions->next->variable.text, "u");
    forget(&parsed);
}

/* The part that is underlined: from the first word of what is wrong to its last. */
static dvmhcc_place_t last_place;

static void keep_place(void *context, size_t offset, size_t length, dvmhcc_place_t *place_p) {
    directive_place(context, offset, length, place_p);
    last_place = *place_p;
}

static void test_length(void) {
    static const struct {
        const char *text;
        int column, length;
    } cases[] = {{"parallel([i] on A[ i *  i ])", 20, 6},
                 {"paralel", 1, 7},
                 {"region in(A[ 1 : -5 ])", 14, 6},
                 {"region in", 10, 0},
                 {"region in  ", 10, 0},
                 {"region in(a /* b", 13, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        dvmhcc_arena_t arena = {0};
        const dvmhcc_directive_t *directive;
        char *messages = NULL;
        size_t size = 0, length = strlen(cases[k].text);
        FILE *file = open_memstream(&messages, &size);
        const dvmhcc_directive_source_t source = {.text = cases[k].text,
                                                  .length = length,
                                                  .place = keep_place,
                                                  .context = &length};
        dvmhcc_report_to(file);
        CHECK_EQ_INT(dvmhcc_directive_parse(&arena, &source, &directive), RTS_OK);
        dvmhcc_report_to(NULL);
        CHECK_EQ_INT(last_place.column, cases[k].column);
        CHECK_EQ_INT(last_place.length, cases[k].length);
        fclose(file);
        free(messages);
        dvmhcc_arena_free(&arena);
    }
}

int main(void) {
    CHECK_ALL(declarations);
    CHECK_ALL(layouts);
    CHECK_ALL(loops);
    CHECK_ALL(regions);
    CHECK_ALL(others);
    test_kind();
    test_recovery();
    test_length();
    return check_finish();
}
