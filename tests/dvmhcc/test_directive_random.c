/* Directives at random. A tree is made, written with white space at random, and parsed: the same tree must come out. Subscripts
 * are made as sums and products at random, and coefficient * index + summand is compared with the value of the whole. */
#include <config.h>

#include "tests/dvmhcc/directive_print.h"
#include "tests/dvmhcc/directive_same.h"
#include "tests/dvmhcc/directive_text.h"

/* ---- trees ---- */

static dvmhcc_arena_t arena;
static int name_count;

static void *take(size_t bytes) {
    void *memory = dvmhcc_arena_take(&arena, bytes);
    if (memory == NULL)
        abort();
    return memory;
}

static bool half(void) {
    return check_random_once_in(2);
}

static int from(int lo, int hi) {
    return (int)check_random_range(lo, hi);
}

/* A name that this directive has nowhere else, so that ranks cannot contradict each other. Some are words of the language. */
static dvmhcc_name_t name(void) {
    static const char *const words[] = {"on",    "with", "out",     "in",   "corner",
                                        "block", "x",    "private", "array"};
    char *text = take(32);
    snprintf(text, 32, "%s%d", words[from(0, 8)], name_count++);
    return (dvmhcc_name_t){.text = text};
}

static dvmhcc_expression_t expression(void) {
    static const dvmhcc_constant_t texts[] = {{"n", false, 0},
                                              {"n - 1", false, 0},
                                              {"n*(m+ 1)", false, 0},
                                              {"f(x, y)[2]", false, 0},
                                              {"a ? b : c", false, 0},
                                              {"s.x->y", false, 0},
                                              {"sizeof(unsigned long)", false, 0},
                                              {"(int)*p", false, 0},
                                              {"\"a ]) b\" [1]", false, 0},
                                              {"'\\''", false, 0},
                                              {"0x10", true, 16},
                                              {"(2 + 3) * 4", true, 20},
                                              {"7", true, 7}};
    return (dvmhcc_expression_t){.constant = texts[from(0, 12)]};
}

static void ranges(int rank, dvmhcc_range_t axes[], bool may_be_open) {
    for (int a = 0; a < rank; a++) {
        axes[a].single = half();
        axes[a].low = expression();
        axes[a].high = axes[a].single ? axes[a].low : expression();
        if (may_be_open && axes[a].high.constant.known && axes[a].low.constant.known)
            axes[a].high = axes[a].low;
        if (may_be_open && !axes[a].single && half())
            axes[a].low = (dvmhcc_expression_t){0};
        if (may_be_open && !axes[a].single && half())
            axes[a].high = (dvmhcc_expression_t){0};
    }
}

static void subscript(const dvmhcc_mapping_t *mapping, int index, dvmhcc_subscript_t *subscript_p) {
    static const dvmhcc_constant_t coefficients[] = {{"1", true, 1},
                                                     {"-1", true, -1},
                                                     {"2", true, 2},
                                                     {"n", false, 0},
                                                     {"(n - 1)", false, 0}};
    static const dvmhcc_constant_t summands[] = {{"0", true, 0},
                                                 {"3", true, 3},
                                                 {"-4", true, -4},
                                                 {"n + 1", false, 0},
                                                 {"f(m)", false, 0}};
    if (index < 0 && half())
        return;
    if (index < 0) {
        subscript_p->kind = DVMHCC_SUBSCRIPT_CONSTANT;
        subscript_p->whole = expression();
        return;
    }
    const int c = from(0, 4), s = from(0, 4);
    char *text = take(64), factor[16] = "", summand[16] = "";
    if (c > 0)
        snprintf(factor, sizeof factor, c == 1 ? "-" : "%s * ", coefficients[c].text);
    if (s > 0)
        snprintf(summand, sizeof summand, s == 2 ? "%s" : " + %s", summands[s].text);
    snprintf(text, 64, "%s%s%s", factor, mapping->indexes[index].text, summand);
    subscript_p->kind = DVMHCC_SUBSCRIPT_INDEX;
    subscript_p->index = index;
    subscript_p->coefficient = coefficients[c];
    subscript_p->summand = summands[s];
    subscript_p->whole.constant.text = text;
}

static void distribution(int rank, dvmhcc_distribution_t *distribution_p) {
    distribution_p->rank = rank;
    for (int a = 0; a < rank; a++) {
        dvmhcc_axis_rule_t *axis = &distribution_p->axes[a];
        axis->kind = (dvmhcc_axis_kind_t)from(DVMHCC_AXIS_WHOLE, DVMHCC_AXIS_MULTBLOCK);
        if (axis->kind == DVMHCC_AXIS_WGTBLOCK || axis->kind == DVMHCC_AXIS_GENBLOCK)
            axis->array = name();
        if (axis->kind == DVMHCC_AXIS_WGTBLOCK || axis->kind == DVMHCC_AXIS_MULTBLOCK)
            axis->value = expression();
    }
}

/* Every index at most once on the right side. */
static void mapping(int rank, bool with_empty, bool with_target, dvmhcc_mapping_t *mapping_p) {
    bool used[DVMHCC_RANK_MAX] = {false};
    mapping_p->index_count = rank;
    for (int i = 0; i < rank; i++)
        if (!with_empty || !check_random_once_in(4))
            mapping_p->indexes[i] = name();
    if (!with_target)
        return;
    mapping_p->target = name();
    mapping_p->target_rank = from(1, DVMHCC_RANK_MAX);
    for (int a = 0; a < mapping_p->target_rank; a++) {
        const int index = from(0, rank - 1);
        const bool good = !used[index] && mapping_p->indexes[index].text != NULL;
        used[index] |= good;
        subscript(mapping_p, good ? index : -1, &mapping_p->subscripts[a]);
    }
}

static dvmhcc_names_t *names(void) {
    dvmhcc_names_t *list = NULL;
    for (int k = from(1, 4); k > 0; k--) {
        dvmhcc_names_t *entry = take(sizeof *entry);
        *entry = (dvmhcc_names_t){.name = name(), .next = list};
        list = entry;
    }
    return list;
}

static dvmhcc_widths_t *widths(bool across) {
    dvmhcc_widths_t *list = NULL;
    for (int k = from(1, 3); k > 0; k--) {
        dvmhcc_widths_t *entry = take(sizeof *entry);
        *entry = (dvmhcc_widths_t){.array = name(), .rank = from(0, DVMHCC_RANK_MAX), .next = list};
        entry->out = across && half();
        entry->corner = !across && half();
        ranges(entry->rank, entry->axes, false);
        list = entry;
    }
    return list;
}

static dvmhcc_data_t *data(bool with_intent) {
    static const int intents[] = {DVMHCC_INTENT_IN,
                                  DVMHCC_INTENT_OUT,
                                  DVMHCC_INTENT_LOCAL,
                                  DVMHCC_INTENT_IN | DVMHCC_INTENT_OUT,
                                  DVMHCC_INTENT_IN | DVMHCC_INTENT_LOCAL,
                                  DVMHCC_INTENT_USE};
    dvmhcc_data_t *list = NULL;
    for (int k = from(0, 6); k > 0; k--) {
        dvmhcc_data_t *entry = take(sizeof *entry);
        *entry = (dvmhcc_data_t){.variable = name(), .rank = from(0, 3), .next = list};
        entry->intent = with_intent ? intents[from(0, 5)] : 0;
        ranges(entry->rank, entry->axes, true);
        list = entry;
    }
    return list;
}

static dvmhcc_reference_t *references(const dvmhcc_mapping_t *mapping_p) {
    dvmhcc_reference_t *list = NULL;
    for (int k = from(1, 3); k > 0; k--) {
        dvmhcc_reference_t *entry = take(sizeof *entry);
        *entry = (dvmhcc_reference_t){.array = name(), .rank = from(1, DVMHCC_RANK_MAX), .next = list};
        for (int a = 0; a < entry->rank; a++)
            subscript(mapping_p, mapping_p == NULL ? -1 : from(-1, mapping_p->index_count - 1),
                      &entry->axes[a]);
        list = entry;
    }
    return list;
}

static dvmhcc_reduction_t *reductions(void) {
    dvmhcc_reduction_t *list = NULL;
    for (int k = from(1, 4); k > 0; k--) {
        dvmhcc_reduction_t *entry = take(sizeof *entry);
        *entry = (dvmhcc_reduction_t){.operation = (dvmhcc_operation_t)from(0, DVMHCC_MINLOC),
                                      .variable = name(),
                                      .next = list};
        if (entry->operation >= DVMHCC_MAXLOC) {
            entry->location = name();
            if (half())
                entry->location_size = expression();
        }
        list = entry;
    }
    return list;
}

static dvmhcc_tie_t *ties(int rank) {
    dvmhcc_tie_t *list = NULL;
    for (int k = from(1, 3); k > 0; k--) {
        dvmhcc_tie_t *entry = take(sizeof *entry);
        *entry = (dvmhcc_tie_t){.array = name(), .rank = from(1, DVMHCC_RANK_MAX), .next = list};
        for (int a = 0; a < entry->rank; a++)
            entry->axes[a] = from(-rank, rank);
        list = entry;
    }
    return list;
}

static void make_parallel(dvmhcc_parallel_t *parallel) {
    const bool with_target = half(), with_indexes = with_target || half();
    parallel->rank = from(1, DVMHCC_RANK_MAX);
    if (with_indexes)
        mapping(parallel->rank, false, with_target, &parallel->mapping);
    parallel->privates = half() ? names() : NULL;
    parallel->reductions = half() ? reductions() : NULL;
    parallel->acrosses = half() ? widths(true) : NULL;
    parallel->shadow_renews = half() ? widths(false) : NULL;
    parallel->remote_accesses = half() ? references(with_indexes ? &parallel->mapping : NULL) : NULL;
    parallel->ties = with_indexes && half() ? ties(parallel->rank) : NULL;
    parallel->cuda_block_rank = from(0, parallel->rank < 3 ? parallel->rank : 3);
    for (int a = 0; a < parallel->cuda_block_rank; a++)
        parallel->cuda_block[a] = expression();
    if (with_target && half())
        parallel->stage = expression();
}

static void make_declaration(dvmhcc_declaration_t *declaration, bool is_template) {
    declaration->has_sizes = is_template;
    declaration->dynamic = half();
    declaration->has_distribution = half();
    declaration->has_alignment = !is_template && !declaration->has_distribution && half();
    declaration->has_shadow = !is_template && half();
    if (!is_template && !declaration->has_distribution && !declaration->has_alignment &&
        !declaration->has_shadow)
        return;
    declaration->rank = from(1, DVMHCC_RANK_MAX);
    for (int a = 0; is_template && a < declaration->rank; a++)
        declaration->sizes[a] = expression();
    if (declaration->has_distribution)
        distribution(declaration->rank, &declaration->distribution);
    if (declaration->has_alignment)
        mapping(declaration->rank, true, true, &declaration->alignment);
    if (declaration->has_shadow)
        ranges(declaration->rank, declaration->shadow, false);
}

static dvmhcc_expressions_t *intervals(int count) {
    dvmhcc_expressions_t *list = NULL;
    for (; count > 0; count--) {
        dvmhcc_expressions_t *entry = take(sizeof *entry);
        *entry = (dvmhcc_expressions_t){.expression = expression(), .next = list};
        list = entry;
    }
    return list;
}

static dvmhcc_directive_t *make_directive(void) {
    static const char *const words[] = {[DVMHCC_ACTUAL] = "actual",
                                        [DVMHCC_ARRAY] = "array",
                                        [DVMHCC_ENDINTERVAL] = "endinterval",
                                        [DVMHCC_EXITINTERVAL] = "exitinterval",
                                        [DVMHCC_GET_ACTUAL] = "get_actual",
                                        [DVMHCC_HOST_SECTION] = "host_section",
                                        [DVMHCC_INHERIT] = "inherit",
                                        [DVMHCC_INTERVAL] = "interval",
                                        [DVMHCC_PARALLEL] = "parallel",
                                        [DVMHCC_REALIGN] = "realign",
                                        [DVMHCC_REDISTRIBUTE] = "redistribute",
                                        [DVMHCC_REGION] = "region",
                                        [DVMHCC_REMOTE_ACCESS] = "remote_access",
                                        [DVMHCC_ROUTINE] = "routine",
                                        [DVMHCC_SHADOW_RENEW] = "shadow_renew",
                                        [DVMHCC_TEMPLATE] = "template"};
    dvmhcc_directive_t *directive = take(sizeof *directive);
    directive->kind = check_random_once_in(3) ? DVMHCC_PARALLEL
                                              : (dvmhcc_directive_kind_t)from(DVMHCC_ACTUAL, DVMHCC_TEMPLATE);
    directive->name.text = words[directive->kind];
    dvmhcc_redistribution_t *redistribution = &directive->is.redistribution;
    switch (directive->kind) {
    case DVMHCC_ARRAY:
    case DVMHCC_TEMPLATE:
        make_declaration(&directive->is.declaration, directive->kind == DVMHCC_TEMPLATE);
        break;
    case DVMHCC_REDISTRIBUTE:
        redistribution->array = name();
        distribution(from(1, DVMHCC_RANK_MAX), &redistribution->distribution);
        break;
    case DVMHCC_REALIGN:
        redistribution->array = name();
        redistribution->new_value = half();
        mapping(from(1, DVMHCC_RANK_MAX), true, true, &redistribution->alignment);
        break;
    case DVMHCC_REGION:
        directive->is.region.data = data(true);
        directive->is.region.targets = from(0, 3);
        directive->is.region.async = half();
        break;
    case DVMHCC_PARALLEL:
        make_parallel(&directive->is.parallel);
        break;
    case DVMHCC_ACTUAL:
    case DVMHCC_GET_ACTUAL:
        directive->is.data = data(false);
        break;
    case DVMHCC_INHERIT:
        directive->is.names = names();
        break;
    case DVMHCC_SHADOW_RENEW:
        directive->is.shadow_renews = widths(false);
        break;
    case DVMHCC_REMOTE_ACCESS:
        directive->is.remote_accesses = references(NULL);
        break;
    case DVMHCC_INTERVAL:
    case DVMHCC_EXITINTERVAL:
        directive->is.intervals = intervals(directive->kind == DVMHCC_INTERVAL ? from(0, 1) : from(1, 3));
        break;
    default:
        break;
    }
    return directive;
}

static void test_round_trip(void) {
    for (int round = 0; round < 10000; round++) {
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        if (file == NULL)
            abort();
        name_count = 1;
        const dvmhcc_directive_t *directive = make_directive();
        print_directive(file, directive);
        fclose(file);
        parsed_t parsed = parse_text(text);
        if (!CHECK(!parsed.directive->faulty) || !CHECK(same_directive(directive, parsed.directive)))
            fprintf(stderr, "    round %d: %s\n%s", round, text, parsed.messages);
        forget(&parsed);
        free(text);
        dvmhcc_arena_free(&arena);
    }
}

/* ---- subscripts ---- */

/* Values of the names in expressions. 1 / 0 is never written: divisors are numbers. */
static int64_t variables[3]; /* i, n, m */
static const char *const variable_names[] = {"i", "n", "m"};

/* An expression at random in at most one i, of limited depth; linear: i may be in it. @return its value */
static int64_t make_sum(FILE *file, int depth, bool linear);

static int64_t make_factor(FILE *file, int depth, bool linear) {
    int64_t value;
    if (check_random_once_in(6)) {
        fputs("-", file);
        print_word(file, " ");
        return -make_factor(file, depth, linear);
    }
    if (linear && (depth == 0 || half())) {
        print_word(file, "i");
        return variables[0];
    }
    if (depth > 0 && (linear || check_random_once_in(3))) {
        print_word(file, "(");
        value = make_sum(file, depth - 1, linear);
        print_word(file, ")");
        return value;
    }
    if (half()) {
        value = from(0, 9);
        fprintf(file, "%d", (int)value);
        print_gap(file);
        return value;
    }
    const int v = from(1, 2);
    print_word(file, variable_names[v]);
    return variables[v];
}

/* Division only before the factor with the index, or where there is none. */
static int64_t make_product(FILE *file, int depth, bool linear) {
    const int count = from(1, 3), index_at = linear ? from(0, count - 1) : count;
    int64_t value = make_factor(file, depth, index_at == 0);
    for (int k = 1; k < count; k++) {
        if (k < index_at && check_random_once_in(3)) {
            const int divisor = from(1, 5);
            const bool over = half();
            fprintf(file, "%s%d", over ? "/" : "%", divisor);
            print_gap(file);
            value = over ? value / divisor : value % divisor;
            continue;
        }
        print_word(file, "*");
        value *= make_factor(file, depth, index_at == k);
    }
    return value;
}

static int64_t make_sum(FILE *file, int depth, bool linear) {
    const int count = from(1, 3), index_at = linear ? from(0, count - 1) : count;
    int64_t value = make_product(file, depth, index_at == 0);
    for (int k = 1; k < count; k++) {
        const bool plus = half();
        print_word(file, plus ? "+ " : "- ");
        const int64_t term = make_product(file, depth, index_at == k);
        value = plus ? value + term : value - term;
    }
    return value;
}

/* The value of a text that the parser made: names, numbers, + - * / % and brackets. */
static int64_t evaluate_sum(const char **at);

static const char *skip(const char *at) {
    return at + strspn(at, " ");
}

static int64_t evaluate_factor(const char **at) {
    *at = skip(*at);
    const char c = **at;
    if (c == '-' || c == '+') {
        ++*at;
        const int64_t value = evaluate_factor(at);
        return c == '-' ? -value : value;
    }
    if (c == '(') {
        ++*at;
        const int64_t value = evaluate_sum(at);
        *at = skip(*at);
        CHECK(**at == ')');
        ++*at;
        return value;
    }
    for (int v = 0; v < 3; v++)
        if (c == variable_names[v][0]) {
            ++*at;
            return variables[v];
        }
    char *end;
    const int64_t value = strtoll(*at, &end, 10);
    CHECK(end > *at);
    *at = end;
    return value;
}

static int64_t evaluate_product(const char **at) {
    int64_t value = evaluate_factor(at);
    for (;;) {
        *at = skip(*at);
        const char c = **at;
        if (c != '*' && c != '/' && c != '%')
            return value;
        ++*at;
        const int64_t right = evaluate_factor(at);
        value = c == '*' ? value * right : right == 0 ? 0 : c == '/' ? value / right : value % right;
    }
}

static int64_t evaluate_sum(const char **at) {
    int64_t value = evaluate_product(at);
    for (;;) {
        *at = skip(*at);
        const char c = **at;
        if (c != '+' && c != '-')
            return value;
        ++*at;
        const int64_t right = evaluate_product(at);
        value = c == '+' ? value + right : value - right;
    }
}

static void test_affine(void) {
    int zeros = 0;
    for (int round = 0; round < 10000; round++) {
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        if (file == NULL)
            abort();
        for (int v = 0; v < 3; v++)
            variables[v] = from(-9, 9);
        fputs("parallel([i] on A[", file);
        const int64_t value = make_sum(file, 2, true);
        fputs("])", file);
        fclose(file);
        parsed_t parsed = parse_text(text);
        const dvmhcc_subscript_t *subscript_p = &parsed.directive->is.parallel.mapping.subscripts[0];
        const char *coefficient = subscript_p->coefficient.text, *summand = subscript_p->summand.text;
        if (strstr(parsed.messages, "the coefficient of 'i' is 0") != NULL) {
            zeros++;
        } else if (!CHECK(!parsed.directive->faulty) ||
                   !CHECK_EQ_INT(subscript_p->kind, DVMHCC_SUBSCRIPT_INDEX)) {
            fprintf(stderr, "    round %d: %s\n%s", round, text, parsed.messages);
        } else {
            const int64_t c = evaluate_sum(&coefficient), s = evaluate_sum(&summand);
            CHECK(*coefficient == '\0' && *summand == '\0');
            bool good = CHECK_EQ_INT(c * variables[0] + s, value);
            good =
                (!subscript_p->coefficient.known || CHECK_EQ_INT(subscript_p->coefficient.value, c)) && good;
            good = (!subscript_p->summand.known || CHECK_EQ_INT(subscript_p->summand.value, s)) && good;
            if (!good)
                fprintf(stderr, "    round %d: %s\n%s: %s and %s\n", round, text, parsed.messages,
                        subscript_p->coefficient.text, subscript_p->summand.text);
        }
        forget(&parsed);
        free(text);
    }
    /* Numbers that multiply to 0 are made now and then, not mostly. */
    CHECK(zeros < 5000);
}

int main(void) {
    check_random_start();
    test_round_trip();
    test_affine();
    return check_finish();
}
