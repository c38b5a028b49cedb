/* Subscripts of align, on, remote_access: coefficient * index + summand in at most one index, where coefficient and summand are
 * any C without an index. Sums, products, signs and brackets are taken apart; whatever else has an index in it is refused. */
#include <config.h>

#include "compiler-hooks/dvmhcc/directive_parser.h"

#include <string.h>

/* factor * (coefficient * index + summand) taken apart. Texts have only * / % outside of brackets (coefficient), or also + and -
 * (summand). */
typedef struct linear {
    int index; /* -1: none yet */
    const char *coefficient;
    dvmhcc_formula_t summand; /* empty: 0 */
} linear_t;

typedef struct affine {
    dvmhcc_parser_t *parser;
    const dvmhcc_mapping_t *mapping;
} affine_t;

static bool read_sum(const affine_t *affine, int first, int end, linear_t *sum);

/* Which index a word is, -1: none. Members behind . and -> are none. */
static int index_of(const affine_t *affine, int at) {
    const dvmhcc_token_t *token = &affine->parser->tokens[at];
    if (affine->mapping == NULL || token->kind != DVMHCC_TOKEN_NAME ||
        (at > 0 && (dvmhcc_token_is(token - 1, ".") || dvmhcc_token_is(token - 1, "->"))))
        return -1;
    for (int i = 0; i < affine->mapping->index_count; i++)
        if (affine->mapping->indexes[i].text != NULL &&
            dvmhcc_token_is(token, affine->mapping->indexes[i].text))
            return i;
    return -1;
}

static bool has_index(const affine_t *affine, int first, int end) {
    for (int i = first; i < end; i++)
        if (index_of(affine, i) >= 0)
            return true;
    return false;
}

/* The next word of first..end-1 that is this sign with an operand before it, outside of brackets; end when there is none. */
static int next_binary(const affine_t *affine, int first, int at, int end, const char *sign,
                       const char *or_sign) {
    const dvmhcc_token_t *tokens = affine->parser->tokens;
    for (; at < end; at++) {
        if (tokens[at].partner > at)
            at = tokens[at].partner;
        else if (at > first && dvmhcc_ends_operand(&tokens[at - 1]) &&
                 (dvmhcc_token_is(&tokens[at], sign) || dvmhcc_token_is(&tokens[at], or_sign)))
            return at;
    }
    return end;
}

/* Whether a text is one name or number, which a sign may stand before. */
static bool is_plain(const char *text) {
    for (; *text != '\0'; text++)
        if (strchr("+-*/%<>=!&|^?:()[]{}., ~\"'", *text) != NULL)
            return false;
    return true;
}

static void add(const affine_t *affine, dvmhcc_formula_t *text, const char *piece) {
    dvmhcc_formula_add(affine->parser, text, piece, strlen(piece));
}

static void add_bracketed(const affine_t *affine, dvmhcc_formula_t *text, const char *piece) {
    const bool plain = is_plain(piece);
    add(affine, text, plain ? "" : "(");
    add(affine, text, piece);
    add(affine, text, plain ? "" : ")");
}

/* A text's content, "" when there is none or no memory for it. */
static const char *content(const dvmhcc_formula_t *text) {
    return text->length > 0 ? text->data : "";
}

static void add_summand(const affine_t *affine, dvmhcc_formula_t *summand, bool negative, const char *piece) {
    const bool sign_first = *piece == '-' || *piece == '+';
    if (summand->length > 0)
        add(affine, summand, negative ? " - " : " + ");
    else if (negative)
        add(affine, summand, "-");
    add(affine, summand, negative && sign_first ? "(" : "");
    add(affine, summand, piece);
    add(affine, summand, negative && sign_first ? ")" : "");
}

/* [+ or -]... index, or [+ or -]... ( sum ). */
static bool read_index_factor(const affine_t *affine, int first, int end, bool *negative, linear_t *inner) {
    const dvmhcc_token_t *tokens = affine->parser->tokens;
    while (first < end && (dvmhcc_token_is(&tokens[first], "-") || dvmhcc_token_is(&tokens[first], "+"))) {
        if (dvmhcc_token_is(&tokens[first], "-"))
            *negative = !*negative;
        first++;
    }
    if (end - first == 1) {
        inner->index = index_of(affine, first);
        inner->coefficient = "1";
        return inner->index >= 0;
    }
    return first < end && dvmhcc_token_is(&tokens[first], "(") && tokens[first].partner == end - 1 &&
           read_sum(affine, first + 1, end - 1, inner);
}

/* Find the factors of a product. `inner` receives the one with the index, `factors` the others.
 * @return false: not of the form */
static bool read_product(const affine_t *affine, int first, int end, bool *negative, linear_t *inner,
                         dvmhcc_formula_t *factors) {
    bool found = false;
    for (int at = first; at < end;) {
        const int next = next_binary(affine, at, at, end, "*", "*");
        if (has_index(affine, at, next)) {
            if (found || !read_index_factor(affine, at, next, negative, inner))
                return false;
            found = true;
        } else {
            /* (2 * i) / 3 is not 2 * (i / 3). */
            if (found && next_binary(affine, at, at, next, "/", "%") < next)
                return false;
            if (factors->length > 0)
                add(affine, factors, "*");
            dvmhcc_formula_add_words(affine->parser, factors, at, next);
        }
        at = next + 1;
    }
    return found;
}

/* One term with an index, added to the sum. */
static bool read_term(const affine_t *affine, int first, int end, bool negative, linear_t *sum) {
    linear_t inner = {.index = -1};
    dvmhcc_formula_t factors = {0}, coefficient = {0}, piece = {0};
    if (sum->index >= 0 || !read_product(affine, first, end, &negative, &inner, &factors))
        return false;
    add(affine, &coefficient, content(&factors));
    if (factors.length == 0) {
        add(affine, &coefficient, inner.coefficient);
    } else if (strcmp(inner.coefficient, "1") != 0) {
        add(affine, &coefficient, "*");
        add_bracketed(affine, &coefficient, inner.coefficient);
    }
    sum->index = inner.index;
    sum->coefficient = content(&coefficient);
    if (negative) {
        dvmhcc_formula_t minus = {0};
        add(affine, &minus, "-");
        add_bracketed(affine, &minus, sum->coefficient);
        sum->coefficient = content(&minus);
    }
    if (inner.summand.length > 0) {
        add(affine, &piece, content(&factors));
        add(affine, &piece, factors.length > 0 ? "*" : "");
        add_bracketed(affine, &piece, content(&inner.summand));
        add_summand(affine, &sum->summand, negative, content(&piece));
    }
    return true;
}

/* Whether an operator outside of brackets binds less than + does. */
static bool has_loose_operator(const affine_t *affine, int first, int end) {
    static const char *const loose[] = {"<<", ">>", "<", ">", "<=", ">=", "==", "!=",
                                        "&&", "||", "|", "^", "?",  ":",  ","};
    for (size_t i = 0; i < sizeof loose / sizeof loose[0]; i++)
        if (next_binary(affine, first, first, end, loose[i], "&") < end)
            return true;
    return false;
}

static bool read_sum(const affine_t *affine, int first, int end, linear_t *sum) {
    bool negative = false;
    *sum = (linear_t){.index = -1};
    if (has_loose_operator(affine, first, end))
        return false;
    for (int at = first; at < end && !affine->parser->stop;) {
        const int next = next_binary(affine, at, at, end, "+", "-");
        if (has_index(affine, at, next)) {
            if (!read_term(affine, at, next, negative, sum))
                return false;
        } else {
            dvmhcc_formula_t piece = {0};
            dvmhcc_formula_add_words(affine->parser, &piece, at, next);
            add_summand(affine, &sum->summand, negative, content(&piece));
        }
        if (next < end)
            negative = dvmhcc_token_is(&affine->parser->tokens[next], "-");
        at = next + 1;
    }
    return sum->index >= 0;
}

/* Texts are put together, so their value is not that of words that stand in the directive. */
static void set_constant(dvmhcc_parser_t *parser, const char *text, dvmhcc_constant_t *constant_p) {
    const dvmhcc_token_t *tokens;
    dvmhcc_lexer_fault_t fault;
    int count = 0;
    constant_p->text = text;
    if (parser->stop)
        return;
    if (dvmhcc_lex(parser->arena, text, strlen(text), &tokens, &fault) != RTS_OK) {
        parser->no_memory = parser->stop = true;
        return;
    }
    while (tokens[count].kind != DVMHCC_TOKEN_END)
        count++;
    constant_p->known = fault.message[0] == '\0' && dvmhcc_evaluate(tokens, 0, count, &constant_p->value);
}

void dvmhcc_read_subscript(dvmhcc_parser_t *parser, const dvmhcc_mapping_t *mapping,
                           dvmhcc_subscript_t *subscript_p) {
    const affine_t affine = {.parser = parser, .mapping = mapping};
    const int first = parser->at, end = parser->end;
    linear_t sum;
    subscript_p->span = dvmhcc_span_of(parser, first - 1, end + 1);
    if (first == end)
        return;
    if (end - first == 1 && dvmhcc_next_is(parser, "*")) {
        dvmhcc_fault(parser, dvmhcc_span_of(parser, first, end),
                     "expected a subscript, got '*'; [] stands for all");
        return;
    }
    if (!dvmhcc_read_expression(parser, end, "a subscript", &subscript_p->whole))
        return;
    subscript_p->kind = DVMHCC_SUBSCRIPT_CONSTANT;
    if (!has_index(&affine, first, end))
        return;
    if (!read_sum(&affine, first, end, &sum)) {
        dvmhcc_fault(parser, subscript_p->whole.span,
                     "expected the form a * index + b with one index, got '%.60s'",
                     subscript_p->whole.constant.text);
        return;
    }
    subscript_p->index = sum.index;
    set_constant(parser, sum.coefficient, &subscript_p->coefficient);
    set_constant(parser, sum.summand.length > 0 ? sum.summand.data : "0", &subscript_p->summand);
    subscript_p->kind = DVMHCC_SUBSCRIPT_INDEX;
    if (subscript_p->coefficient.known && subscript_p->coefficient.value == 0)
        dvmhcc_fault(parser, subscript_p->whole.span, "the coefficient of '%s' is 0",
                     mapping->indexes[sum.index].text);
}
