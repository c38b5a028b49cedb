/* Every directive and every clause, written right: what the tree holds. Errors are in test_directive_errors.c, combinations at
 * random in test_directive_random.c. */
#include <config.h>

#include "tests/dvmhcc/directive_text.h"

/* Parse a text that must be good and without warnings. */
static parsed_t good(const char *text, dvmhcc_directive_kind_t kind) {
    parsed_t parsed = parse_text(text);
    if (!CHECK_EQ_INT(parsed.status, RTS_OK))
        abort();
    if (!CHECK_EQ_STR(parsed.messages, ""))
        fprintf(stderr, "    told about: %s\n", text);
    CHECK(!parsed.directive->faulty);
    CHECK_EQ_INT(parsed.directive->kind, kind);
    return parsed;
}

static void check_name(const dvmhcc_name_t *name, const char *text, size_t offset) {
    CHECK_EQ_STR(name->text, text);
    CHECK_EQ_INT(name->span.offset, offset);
    CHECK_EQ_INT(name->span.length, strlen(text));
}

static void check_known(const dvmhcc_expression_t *expression, const char *text, int64_t value) {
    CHECK_EQ_STR(expression->constant.text, text);
    CHECK(expression->constant.known);
    CHECK_EQ_INT(expression->constant.value, value);
}

static void check_unknown(const dvmhcc_expression_t *expression, const char *text) {
    CHECK_EQ_STR(expression->constant.text, text);
    CHECK(!expression->constant.known);
}

static void check_subscript(const dvmhcc_subscript_t *subscript, int index, const char *coefficient,
                            const char *summand) {
    CHECK_EQ_INT(subscript->kind, DVMHCC_SUBSCRIPT_INDEX);
    CHECK_EQ_INT(subscript->index, index);
    CHECK_EQ_STR(subscript->coefficient.text, coefficient);
    CHECK_EQ_STR(subscript->summand.text, summand);
}

/* ---- declarations ---- */

static void test_array(void) {
    parsed_t parsed = good("array", DVMHCC_ARRAY);
    CHECK_EQ_INT(parsed.directive->is.declaration.rank, 0);
    check_name(&parsed.directive->name, "array", 0);
    forget(&parsed);

    parsed = good(" array  distribute[block][*][]", DVMHCC_ARRAY);
    const dvmhcc_declaration_t *declaration = &parsed.directive->is.declaration;
    check_name(&parsed.directive->name, "array", 1);
    CHECK(declaration->has_distribution && !declaration->has_alignment && !declaration->has_shadow);
    CHECK(!declaration->has_sizes && !declaration->dynamic);
    CHECK_EQ_INT(declaration->rank, 3);
    CHECK_EQ_INT(declaration->distribution.rank, 3);
    CHECK_EQ_INT(declaration->distribution.axes[0].kind, DVMHCC_AXIS_BLOCK);
    CHECK_EQ_INT(declaration->distribution.axes[1].kind, DVMHCC_AXIS_WHOLE);
    CHECK_EQ_INT(declaration->distribution.axes[2].kind, DVMHCC_AXIS_WHOLE);
    CHECK_EQ_INT(declaration->distribution.axes[1].span.offset, 25);
    CHECK_EQ_INT(declaration->distribution.axes[1].span.length, 3);
    forget(&parsed);

    parsed = good("array shadow[1:2][3], distribute[block][block] dynamic", DVMHCC_ARRAY);
    declaration = &parsed.directive->is.declaration;
    CHECK(declaration->has_shadow && declaration->has_distribution && declaration->dynamic);
    CHECK_EQ_INT(declaration->rank, 2);
    check_known(&declaration->shadow[0].low, "1", 1);
    check_known(&declaration->shadow[0].high, "2", 2);
    CHECK(!declaration->shadow[0].single && declaration->shadow[1].single);
    check_known(&declaration->shadow[1].low, "3", 3);
    check_known(&declaration->shadow[1].high, "3", 3);
    forget(&parsed);
}

static void test_distributions(void) {
    parsed_t parsed = good("array distribute[wgtblock(w, 2*n)][genblock(g)][multblock(4)]", DVMHCC_ARRAY);
    const dvmhcc_axis_rule_t *axes = parsed.directive->is.declaration.distribution.axes;
    CHECK_EQ_INT(axes[0].kind, DVMHCC_AXIS_WGTBLOCK);
    check_name(&axes[0].array, "w", 26);
    check_unknown(&axes[0].value, "2*n");
    CHECK_EQ_INT(axes[1].kind, DVMHCC_AXIS_GENBLOCK);
    check_name(&axes[1].array, "g", 44);
    CHECK(axes[1].value.constant.text == NULL);
    CHECK_EQ_INT(axes[2].kind, DVMHCC_AXIS_MULTBLOCK);
    check_known(&axes[2].value, "4", 4);
    CHECK(axes[2].array.text == NULL);
    forget(&parsed);
}

static void test_align(void) {
    parsed_t parsed = good("array align([i][][k] with T[2*k + 1][][n - 1][i])", DVMHCC_ARRAY);
    const dvmhcc_declaration_t *declaration = &parsed.directive->is.declaration;
    const dvmhcc_mapping_t *alignment = &declaration->alignment;
    CHECK(declaration->has_alignment && !declaration->has_distribution);
    CHECK_EQ_INT(declaration->rank, 3);
    CHECK_EQ_INT(alignment->index_count, 3);
    check_name(&alignment->indexes[0], "i", 13);
    CHECK(alignment->indexes[1].text == NULL);
    check_name(&alignment->indexes[2], "k", 18);
    check_name(&alignment->target, "T", 26);
    CHECK_EQ_INT(alignment->target_rank, 4);
    check_subscript(&alignment->subscripts[0], 2, "2", "1");
    CHECK_EQ_INT(alignment->subscripts[1].kind, DVMHCC_SUBSCRIPT_ALL);
    CHECK_EQ_INT(alignment->subscripts[2].kind, DVMHCC_SUBSCRIPT_CONSTANT);
    check_unknown(&alignment->subscripts[2].whole, "n - 1");
    check_subscript(&alignment->subscripts[3], 0, "1", "0");
    forget(&parsed);
}

static void test_template(void) {
    parsed_t parsed = good("template[100][n] distribute[block][block], dynamic", DVMHCC_TEMPLATE);
    const dvmhcc_declaration_t *declaration = &parsed.directive->is.declaration;
    CHECK(declaration->has_sizes && declaration->has_distribution && declaration->dynamic);
    CHECK_EQ_INT(declaration->rank, 2);
    check_known(&declaration->sizes[0], "100", 100);
    check_unknown(&declaration->sizes[1], "n");
    forget(&parsed);
    parsed = good("template[5]", DVMHCC_TEMPLATE);
    CHECK(!parsed.directive->is.declaration.has_distribution);
    forget(&parsed);
}

static void test_redistribute_realign(void) {
    parsed_t parsed = good("redistribute(A[block][*])", DVMHCC_REDISTRIBUTE);
    const dvmhcc_redistribution_t *is = &parsed.directive->is.redistribution;
    check_name(&is->array, "A", 13);
    CHECK_EQ_INT(is->distribution.rank, 2);
    CHECK_EQ_INT(is->distribution.axes[0].kind, DVMHCC_AXIS_BLOCK);
    forget(&parsed);

    static const char *const spellings[] = {"realign(B[i][j] with A[j][i])",
                                            "realign(B[i][j] with A[j][i]) new_value",
                                            "realign(B[i][j] with A[j][i]), new_value",
                                            "realign(B[i][j] with A[j][i], new_value)"};
    for (int k = 0; k < 4; k++) {
        parsed = good(spellings[k], DVMHCC_REALIGN);
        is = &parsed.directive->is.redistribution;
        check_name(&is->array, "B", 8);
        check_name(&is->alignment.target, "A", 21);
        check_subscript(&is->alignment.subscripts[0], 1, "1", "0");
        CHECK_EQ_INT(is->new_value, k > 0);
        forget(&parsed);
    }
}

/* ---- loops ---- */

static void test_mapping(void) {
    parsed_t parsed = good("parallel([i][j] on A[i - 1][3*j])", DVMHCC_PARALLEL);
    const dvmhcc_parallel_t *parallel = &parsed.directive->is.parallel;
    CHECK_EQ_INT(parallel->rank, 2);
    CHECK_EQ_INT(parallel->mapping.index_count, 2);
    check_name(&parallel->mapping.indexes[1], "j", 13);
    check_name(&parallel->mapping.target, "A", 19);
    check_subscript(&parallel->mapping.subscripts[0], 0, "1", "-1");
    CHECK(parallel->mapping.subscripts[0].summand.known);
    CHECK_EQ_INT(parallel->mapping.subscripts[0].summand.value, -1);
    check_subscript(&parallel->mapping.subscripts[1], 1, "3", "0");
    CHECK(parallel->privates == NULL && parallel->reductions == NULL && parallel->acrosses == NULL);
    CHECK(parallel->shadow_renews == NULL && parallel->remote_accesses == NULL && parallel->ties == NULL);
    CHECK(parallel->cuda_block_rank == 0 && parallel->stage.constant.text == NULL);
    forget(&parsed);

    parsed = good("parallel([i][j])", DVMHCC_PARALLEL);
    CHECK_EQ_INT(parsed.directive->is.parallel.rank, 2);
    CHECK(parsed.directive->is.parallel.mapping.target.text == NULL);
    forget(&parsed);
    parsed = good("parallel(3)", DVMHCC_PARALLEL);
    CHECK_EQ_INT(parsed.directive->is.parallel.rank, 3);
    CHECK_EQ_INT(parsed.directive->is.parallel.mapping.index_count, 0);
    forget(&parsed);
    parsed = good("parallel((1 + 0x3u)*2)", DVMHCC_PARALLEL);
    CHECK_EQ_INT(parsed.directive->is.parallel.rank, 8);
    forget(&parsed);
}

static void test_subscripts(void) {
    static const struct {
        const char *text, *coefficient, *summand;
    } cases[] = {
        {"i", "1", "0"},
        {"(i)", "1", "0"},
        {"-i", "-1", "0"},
        {"i+1", "1", "1"},
        {"1 + i", "1", "1"},
        {"i - n", "1", "-n"},
        {"i - (n - 1)", "1", "-(n - 1)"},
        {"2*i", "2", "0"},
        {"i*2", "2", "0"},
        {"2*i + n - 1", "2", "n - 1"},
        {"n - 2 * i", "-2", "n"},
        {"a*i*b", "a*b", "0"},
        {"-(2*i - 3)", "-2", "-(-3)"},
        {"3*(i + n)", "3", "3*n"},
        {"3*(2*i + n - 1)", "3*2", "3*(n - 1)"},
        {"n/2*i", "n/2", "0"},
        {"i - -1", "1", "-(-1)"},
        {"i + f(n, 2)[1].x->i", "1", "f(n, 2)[1].x->i"},
        {"*p + i*(n << 1)", "(n << 1)", "*p"},
        {"i /* here */ + /**/ 1", "1", "1"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[128];
        snprintf(text, sizeof text, "parallel([i] on A[%s])", cases[k].text);
        parsed_t parsed = good(text, DVMHCC_PARALLEL);
        check_subscript(&parsed.directive->is.parallel.mapping.subscripts[0], 0, cases[k].coefficient,
                        cases[k].summand);
        forget(&parsed);
    }
}

static void test_reductions(void) {
    parsed_t parsed =
        good("parallel([i] on A[i]) reduction(sum(a), product(b), max(c)) reduction(min(d), and(e), or(f), "
             "xor(g), maxloc(h, k), minloc(l, m, 2 + 1))",
             DVMHCC_PARALLEL);
    static const char *const words[] = {"sum", "product", "max",    "min",   "and",
                                        "or",  "xor",     "maxloc", "minloc"};
    static const char *const variables[] = {"a", "b", "c", "d", "e", "f", "g", "h", "l"};
    const dvmhcc_reduction_t *reduction = parsed.directive->is.parallel.reductions;
    for (int k = 0; k < 9; k++, reduction = reduction->next) {
        if (!CHECK(reduction != NULL))
            return;
        CHECK_EQ_STR(dvmhcc_operation_name(reduction->operation), words[k]);
        CHECK_EQ_INT(reduction->operation, k);
        CHECK_EQ_STR(reduction->variable.text, variables[k]);
        CHECK_EQ_INT(reduction->location.text != NULL, k >= 7);
        if (k == 7) {
            CHECK_EQ_STR(reduction->location.text, "k");
            CHECK(reduction->location_size.constant.text == NULL);
        } else if (k == 8) {
            CHECK_EQ_STR(reduction->location.text, "m");
            check_known(&reduction->location_size, "2 + 1", 3);
        }
    }
    CHECK(reduction == NULL);
    forget(&parsed);
}

static void test_widths(void) {
    parsed_t parsed = good("parallel([i][j] on A[i][j]) across(A[1:2][0:n], out: B, out) "
                           "shadow_renew(C[1][2](corner), D(corner), E) across(C[1][1])",
                           DVMHCC_PARALLEL);
    const dvmhcc_widths_t *across = parsed.directive->is.parallel.acrosses;
    check_name(&across->array, "A", 35);
    CHECK(!across->out);
    CHECK_EQ_INT(across->rank, 2);
    check_known(&across->axes[0].low, "1", 1);
    check_known(&across->axes[0].high, "2", 2);
    check_unknown(&across->axes[1].high, "n");
    across = across->next;
    CHECK_EQ_STR(across->array.text, "B");
    CHECK(across->out && across->rank == 0);
    across = across->next;
    CHECK_EQ_STR(across->array.text, "out");
    CHECK(!across->out && across->rank == 0);
    across = across->next;
    CHECK_EQ_STR(across->array.text, "C");
    CHECK(across->next == NULL);

    const dvmhcc_widths_t *shadow = parsed.directive->is.parallel.shadow_renews;
    CHECK_EQ_STR(shadow->array.text, "C");
    CHECK(shadow->corner && shadow->rank == 2 && shadow->axes[1].single);
    shadow = shadow->next;
    CHECK_EQ_STR(shadow->array.text, "D");
    CHECK(shadow->corner && shadow->rank == 0);
    shadow = shadow->next;
    CHECK_EQ_STR(shadow->array.text, "E");
    CHECK(!shadow->corner && shadow->next == NULL);
    forget(&parsed);
}

static void test_other_clauses(void) {
    parsed_t parsed = good("parallel([i][j] on A[i][j]) private(x, y) remote_access(B[i][], C[2*j + 1][n]) "
                           "tie(D[j][-i][], E[i]), cuda_block(32, n) stage(4) private(z)",
                           DVMHCC_PARALLEL);
    const dvmhcc_parallel_t *parallel = &parsed.directive->is.parallel;
    CHECK_EQ_STR(parallel->privates->name.text, "x");
    CHECK_EQ_STR(parallel->privates->next->name.text, "y");
    CHECK_EQ_STR(parallel->privates->next->next->name.text, "z");
    CHECK(parallel->privates->next->next->next == NULL);

    const dvmhcc_reference_t *reference = parallel->remote_accesses;
    CHECK_EQ_STR(reference->array.text, "B");
    CHECK_EQ_INT(reference->rank, 2);
    check_subscript(&reference->axes[0], 0, "1", "0");
    CHECK_EQ_INT(reference->axes[1].kind, DVMHCC_SUBSCRIPT_ALL);
    reference = reference->next;
    check_subscript(&reference->axes[0], 1, "2", "1");
    CHECK_EQ_INT(reference->axes[1].kind, DVMHCC_SUBSCRIPT_CONSTANT);
    CHECK(reference->next == NULL);

    const dvmhcc_tie_t *tie = parallel->ties;
    CHECK_EQ_STR(tie->array.text, "D");
    CHECK_EQ_INT(tie->rank, 3);
    CHECK_EQ_INT(tie->axes[0], 2);
    CHECK_EQ_INT(tie->axes[1], -1);
    CHECK_EQ_INT(tie->axes[2], 0);
    CHECK_EQ_STR(tie->next->array.text, "E");
    CHECK(tie->next->next == NULL);

    CHECK_EQ_INT(parallel->cuda_block_rank, 2);
    check_known(&parallel->cuda_block[0], "32", 32);
    check_unknown(&parallel->cuda_block[1], "n");
    check_known(&parallel->stage, "4", 4);
    forget(&parsed);
}

/* ---- regions and data ---- */

static void test_region(void) {
    parsed_t parsed = good("region", DVMHCC_REGION);
    CHECK(parsed.directive->is.region.data == NULL && parsed.directive->is.region.targets == 0);
    forget(&parsed);

    parsed = good("region in(A[1:n - 1][], x)out(B[c ? 1 : 2 : 7]) local(C[2:][:3]), inout(d), inlocal(e) "
                  "use(f) targets(CUDA, HOST), async",
                  DVMHCC_REGION);
    const dvmhcc_region_t *region = &parsed.directive->is.region;
    static const struct {
        const char *variable;
        int intent, rank;
    } expected[] = {{"A", DVMHCC_INTENT_IN, 2},
                    {"x", DVMHCC_INTENT_IN, 0},
                    {"B", DVMHCC_INTENT_OUT, 1},
                    {"C", DVMHCC_INTENT_LOCAL, 2},
                    {"d", DVMHCC_INTENT_IN | DVMHCC_INTENT_OUT, 0},
                    {"e", DVMHCC_INTENT_IN | DVMHCC_INTENT_LOCAL, 0},
                    {"f", DVMHCC_INTENT_USE, 0}};
    const dvmhcc_data_t *data[7], *next = region->data;
    for (int k = 0; k < 7; k++, next = next->next) {
        data[k] = next;
        if (!CHECK(next != NULL))
            return;
        CHECK_EQ_STR(next->variable.text, expected[k].variable);
        CHECK_EQ_INT(next->intent, expected[k].intent);
        CHECK_EQ_INT(next->rank, expected[k].rank);
    }
    CHECK(next == NULL);
    check_known(&data[0]->axes[0].low, "1", 1);
    check_unknown(&data[0]->axes[0].high, "n - 1");
    CHECK(data[0]->axes[1].low.constant.text == NULL && data[0]->axes[1].high.constant.text == NULL);
    check_unknown(&data[2]->axes[0].low, "c ? 1 : 2");
    check_known(&data[2]->axes[0].high, "7", 7);
    check_known(&data[3]->axes[0].low, "2", 2);
    CHECK(data[3]->axes[0].high.constant.text == NULL && data[3]->axes[1].low.constant.text == NULL);
    check_known(&data[3]->axes[1].high, "3", 3);
    CHECK_EQ_INT(region->targets, DVMHCC_TARGET_HOST | DVMHCC_TARGET_CUDA);
    CHECK(region->async);
    forget(&parsed);

    parsed = good("region targets(HOST)", DVMHCC_REGION);
    CHECK_EQ_INT(parsed.directive->is.region.targets, DVMHCC_TARGET_HOST);
    CHECK(!parsed.directive->is.region.async);
    forget(&parsed);
}

static void test_actual(void) {
    static const char *const everything[] = {"actual", "actual()", "get_actual", "get_actual( )"};
    for (int k = 0; k < 4; k++) {
        parsed_t parsed = good(everything[k], k < 2 ? DVMHCC_ACTUAL : DVMHCC_GET_ACTUAL);
        CHECK(parsed.directive->is.data == NULL);
        forget(&parsed);
    }
    parsed_t parsed = good("get_actual(A[0:n], x, B[3])", DVMHCC_GET_ACTUAL);
    const dvmhcc_data_t *data = parsed.directive->is.data;
    CHECK_EQ_STR(data->variable.text, "A");
    CHECK(!data->axes[0].single);
    CHECK_EQ_STR(data->next->variable.text, "x");
    CHECK(data->next->next->axes[0].single);
    check_known(&data->next->next->axes[0].high, "3", 3);
    CHECK_EQ_INT(data->intent, 0);
    forget(&parsed);
    /* One below the low bound is how nothing is written. */
    parsed = good("actual(A[0:-1])", DVMHCC_ACTUAL);
    forget(&parsed);
}

static void test_others(void) {
    parsed_t parsed = good("inherit(a, b)", DVMHCC_INHERIT);
    check_name(&parsed.directive->is.names->name, "a", 8);
    check_name(&parsed.directive->is.names->next->name, "b", 11);
    forget(&parsed);

    parsed = good("shadow_renew(A[1:1](corner), B)", DVMHCC_SHADOW_RENEW);
    CHECK(parsed.directive->is.shadow_renews->corner);
    CHECK_EQ_STR(parsed.directive->is.shadow_renews->next->array.text, "B");
    forget(&parsed);

    parsed = good("remote_access(A[3][], B[i])", DVMHCC_REMOTE_ACCESS);
    CHECK_EQ_INT(parsed.directive->is.remote_accesses->axes[0].kind, DVMHCC_SUBSCRIPT_CONSTANT);
    CHECK_EQ_INT(parsed.directive->is.remote_accesses->next->axes[0].kind, DVMHCC_SUBSCRIPT_CONSTANT);
    forget(&parsed);

    parsed = good("interval", DVMHCC_INTERVAL);
    CHECK(parsed.directive->is.intervals == NULL);
    forget(&parsed);
    parsed = good("interval f(n, 1)", DVMHCC_INTERVAL);
    check_unknown(&parsed.directive->is.intervals->expression, "f(n, 1)");
    forget(&parsed);
    parsed = good("exitinterval 1, n", DVMHCC_EXITINTERVAL);
    check_known(&parsed.directive->is.intervals->expression, "1", 1);
    check_unknown(&parsed.directive->is.intervals->next->expression, "n");
    forget(&parsed);
    parsed = good("endinterval", DVMHCC_ENDINTERVAL);
    forget(&parsed);
    parsed = good("routine", DVMHCC_ROUTINE);
    forget(&parsed);
    parsed = good("host_section", DVMHCC_HOST_SECTION);
    forget(&parsed);
}

/* Numbers and the few operators that are computed. */
static void test_values(void) {
    static const struct {
        const char *text;
        bool known;
        int64_t value;
    } cases[] = {{"017", true, 15},
                 {"0x1F", true, 31},
                 {"0b101", true, 5},
                 {"12uLL", true, 12},
                 {"08", false, 0},
                 {"1.5", false, 0},
                 {"1e3", false, 0},
                 {"- -3", true, 3},
                 {"-7/2", true, -3},
                 {"-7%2", true, -1},
                 {"2+3*4-(5-1)", true, 10},
                 {"1/0", false, 0},
                 {"9223372036854775807", true, INT64_MAX},
                 {"9223372036854775808", false, 0},
                 {"9223372036854775807 + 1", false, 0},
                 {"-9223372036854775807 - 2", false, 0},
                 {"4294967296*4294967296", false, 0},
                 {"1 < 2", false, 0},
                 {"n", false, 0},
                 {"'a'", false, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[128];
        snprintf(text, sizeof text, "interval %s", cases[k].text);
        parsed_t parsed = good(text, DVMHCC_INTERVAL);
        const dvmhcc_expression_t *expression = &parsed.directive->is.intervals->expression;
        CHECK_EQ_STR(expression->constant.text, cases[k].text);
        if (!CHECK(expression->constant.known == cases[k].known))
            fprintf(stderr, "    %s\n", cases[k].text);
        if (cases[k].known)
            CHECK_EQ_INT(expression->constant.value, cases[k].value);
        forget(&parsed);
    }
}

/* Expressions are kept word by word. */
static void test_expressions(void) {
    static const char *const texts[] = {"(unsigned long)n + sizeof(int *)",
                                        "a[i][2].b->c(1, x ? y : z, \")\")",
                                        "!a && ~b || c == 'x' && (d, e)",
                                        "*p & -q",
                                        "(struct s){1, 2}.x",
                                        "L\"wide\"[0] + \"a\" \"b\"[0]",
                                        "sizeof x",
                                        "a ? b ? 1 : 2 : 3"};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        char text[128];
        snprintf(text, sizeof text, "interval %s", texts[k]);
        parsed_t parsed = good(text, DVMHCC_INTERVAL);
        CHECK_EQ_STR(parsed.directive->is.intervals->expression.constant.text, texts[k]);
        CHECK_EQ_INT(parsed.directive->is.intervals->expression.span.offset, 9);
        CHECK_EQ_INT(parsed.directive->is.intervals->expression.span.length, strlen(texts[k]));
        forget(&parsed);
    }
    parsed_t parsed = good("interval\\\n  a +\t/* b */c// d", DVMHCC_INTERVAL);
    CHECK_EQ_STR(parsed.directive->is.intervals->expression.constant.text, "a + c");
    CHECK_EQ_INT(parsed.directive->is.intervals->expression.count, 3);
    forget(&parsed);
}

int main(void) {
    test_array();
    test_distributions();
    test_align();
    test_template();
    test_redistribute_realign();
    test_mapping();
    test_subscripts();
    test_reductions();
    test_widths();
    test_other_clauses();
    test_region();
    test_actual();
    test_others();
    test_values();
    test_expressions();
    return check_finish();
}
