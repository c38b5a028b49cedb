/* Expressions of C inside directives. They are kept as text for generated code, so they are checked only as far as a message
 * about generated code would be worse: operands and operators take turns, nothing is assigned, ':' belongs to a '?'. Values of
 * whole numbers are computed, for checks of ranges. */
#include <config.h>

#include "compiler-hooks/dvmhcc/directive_parser.h"

#include <inttypes.h>
#include <string.h>

/* ---- text ---- */

void dvmhcc_formula_add(dvmhcc_parser_t *parser, dvmhcc_formula_t *text, const char *piece, size_t length) {
    if (text->length + length + 1 > text->capacity) {
        const size_t capacity = 2 * (text->length + length) + 32;
        char *data = dvmhcc_take(parser, capacity);
        if (data == NULL)
            return;
        if (text->length > 0)
            memcpy(data, text->data, text->length);
        text->data = data;
        text->capacity = capacity;
    }
    memcpy(text->data + text->length, piece, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void dvmhcc_formula_add_words(dvmhcc_parser_t *parser, dvmhcc_formula_t *text, int first, int end) {
    for (int i = first; i < end; i++) {
        const dvmhcc_token_t *token = &parser->tokens[i];
        if (i > first && token->blank)
            dvmhcc_formula_add(parser, text, " ", 1);
        dvmhcc_formula_add(parser, text, token->text, token->length);
    }
}

/* ---- checks ---- */

static const char *const assignments[] = {"=",  "+=", "-=",  "*=",  "/=", "%=", "&=",
                                          "|=", "^=", "<<=", ">>=", "++", "--", NULL};
static const char *const binary_only[] = {"/",  "%",  "<", ">", "<=", ">=", "==", "!=", "<<", ">>",
                                          "&&", "||", "|", "^", "?",  ":",  ".",  "->", NULL};

static const char an_operator[] = "an operator or the expression's end";

static bool is_one_of(const dvmhcc_token_t *token, const char *const signs[]) {
    for (int i = 0; signs[i] != NULL; i++)
        if (dvmhcc_token_is(token, signs[i]))
            return true;
    return false;
}

static bool is_opening(const dvmhcc_token_t *token) {
    return dvmhcc_token_is(token, "(") || dvmhcc_token_is(token, "[") || dvmhcc_token_is(token, "{");
}

static bool is_closing(const dvmhcc_token_t *token) {
    return dvmhcc_token_is(token, ")") || dvmhcc_token_is(token, "]") || dvmhcc_token_is(token, "}");
}

bool dvmhcc_ends_operand(const dvmhcc_token_t *token) {
    if (token->kind == DVMHCC_TOKEN_NAME)
        return !dvmhcc_token_is(token, "sizeof");
    return token->kind == DVMHCC_TOKEN_NUMBER || token->kind == DVMHCC_TOKEN_QUOTED || is_closing(token);
}

/* Whether a word that begins an operand may follow one that ends an operand: casts, types of several words (inside brackets
 * only), texts in a row, calls, compound literals. */
static bool may_follow(const dvmhcc_token_t *before, const dvmhcc_token_t *token, int depth) {
    if (dvmhcc_token_is(before, ")"))
        return true;
    if (token->kind == DVMHCC_TOKEN_QUOTED)
        return before->kind == DVMHCC_TOKEN_QUOTED || (before->kind == DVMHCC_TOKEN_NAME && !token->blank);
    if (is_opening(token))
        return (before->kind == DVMHCC_TOKEN_QUOTED && dvmhcc_token_is(token, "[")) ||
               before->kind == DVMHCC_TOKEN_NAME || is_closing(before);
    return depth > 0 && before->kind == DVMHCC_TOKEN_NAME && token->kind == DVMHCC_TOKEN_NAME;
}

/* What is wrong with a word after the one before it, or NULL. `before` NULL: it begins the expression or a bracket. */
static const char *wrong_after(const dvmhcc_token_t *before, const dvmhcc_token_t *token, int depth) {
    const bool operand_before = before != NULL && dvmhcc_ends_operand(before);
    if (is_closing(token) || dvmhcc_token_is(token, ",")) {
        /* Inside of a cast a type may end with '*'. */
        const bool type = before != NULL && depth > 0 && dvmhcc_token_is(before, "*");
        const bool nothing_inside = before == NULL && is_closing(token);
        return operand_before || type || nothing_inside ? NULL : "an operand";
    }
    if (is_one_of(token, binary_only))
        return operand_before ? NULL : "an operand";
    if (token->kind == DVMHCC_TOKEN_SIGN && !is_opening(token)) {
        if (dvmhcc_token_is(token, "!") || dvmhcc_token_is(token, "~"))
            return operand_before ? an_operator : NULL;
        const bool either = dvmhcc_token_is(token, "+") || dvmhcc_token_is(token, "-") ||
                            dvmhcc_token_is(token, "*") || dvmhcc_token_is(token, "&");
        return either ? NULL : operand_before ? an_operator : "an operand";
    }
    return operand_before && !may_follow(before, token, depth) ? an_operator : NULL;
}

/* Tell the first word of first..end-1 that C does not allow there. @return whether there is none */
static bool check(dvmhcc_parser_t *parser, int first, int end) {
    int questions[DVMHCC_DIRECTIVE_DEPTH_MAX + 1] = {0}, depth = 0;
    const dvmhcc_token_t *before = NULL;
    for (int i = first; i <= end; i++) {
        const dvmhcc_token_t *token = &parser->tokens[i];
        const char *wanted = NULL;
        if (i == end)
            wanted = before == NULL || !dvmhcc_ends_operand(before) ? "an operand" : NULL;
        else if (is_one_of(token, assignments))
            wanted = "an expression that changes no variable";
        else if (depth == 0 && dvmhcc_token_is(token, ","))
            wanted = dvmhcc_token_is(&parser->tokens[end], "]") ? "']' (every axis has brackets of its own)"
                                                                : an_operator;
        else
            wanted = wrong_after(before, token, depth);
        if (wanted == NULL && i < end && dvmhcc_token_is(token, ":") && questions[depth]-- == 0)
            wanted = an_operator;
        if (wanted == NULL && (i == end || is_closing(token)) && questions[depth] > 0)
            wanted = "':' and an operand";
        if (wanted != NULL) {
            parser->at = i;
            dvmhcc_expected(parser, "%s", wanted);
            return false;
        }
        before = token;
        if (i < end && dvmhcc_token_is(token, "?"))
            questions[depth]++;
        if (i < end && is_opening(token)) {
            questions[++depth] = 0;
            before = NULL;
        } else if (i < end && is_closing(token)) {
            depth--;
        } else if (i < end && dvmhcc_token_is(token, ",")) {
            before = NULL;
        }
    }
    return true;
}

/* ---- values ---- */

/* A whole number of C: decimal, octal, 0x, 0b, with suffixes u and l. */
static bool number_value(const dvmhcc_token_t *token, int64_t *value_p) {
    const char *text = token->text, *end = text + token->length;
    int base = 10;
    int64_t value = 0;
    while (end > text + 1 && strchr("uUlL", end[-1]) != NULL)
        end--;
    if (end - text > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text += 2;
    } else if (end - text > 2 && text[0] == '0' && (text[1] == 'b' || text[1] == 'B')) {
        base = 2;
        text += 2;
    } else if (text[0] == '0') {
        base = 8;
    }
    for (; text < end; text++) {
        static const char digits[] = "0123456789abcdef";
        const char c = *text >= 'A' && *text <= 'F' ? (char)(*text - 'A' + 'a') : *text;
        const char *digit = memchr(digits, c, (size_t)base);
        if (digit == NULL || __builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, digit - digits, &value))
            return false;
    }
    *value_p = value;
    return true;
}

typedef struct evaluation {
    const dvmhcc_token_t *tokens;
    int at, end;
} evaluation_t;

static bool evaluate_sum(evaluation_t *evaluation, int64_t *value_p);

static bool accept(evaluation_t *evaluation, const char *sign) {
    const bool there =
        evaluation->at < evaluation->end && dvmhcc_token_is(&evaluation->tokens[evaluation->at], sign);
    evaluation->at += there;
    return there;
}

static bool evaluate_factor(evaluation_t *evaluation, int64_t *value_p) {
    bool negative = false;
    for (;;) {
        if (accept(evaluation, "-"))
            negative = !negative;
        else if (!accept(evaluation, "+"))
            break;
    }
    if (evaluation->at >= evaluation->end)
        return false;
    const dvmhcc_token_t *token = &evaluation->tokens[evaluation->at];
    if (accept(evaluation, "(")) {
        /* Recursion is as deep as brackets, which is bounded. */
        if (!evaluate_sum(evaluation, value_p) || !accept(evaluation, ")"))
            return false;
    } else {
        evaluation->at++;
        if (token->kind != DVMHCC_TOKEN_NUMBER || !number_value(token, value_p))
            return false;
    }
    return !negative || !__builtin_sub_overflow((int64_t)0, *value_p, value_p);
}

static bool evaluate_product(evaluation_t *evaluation, int64_t *value_p) {
    if (!evaluate_factor(evaluation, value_p))
        return false;
    for (;;) {
        const bool times = accept(evaluation, "*"), over = !times && accept(evaluation, "/");
        int64_t right;
        if (!times && !over && !accept(evaluation, "%"))
            return true;
        if (!evaluate_factor(evaluation, &right))
            return false;
        if (times) {
            if (__builtin_mul_overflow(*value_p, right, value_p))
                return false;
        } else if (right == 0 || right == -1) {
            /* INT64_MIN / -1 has no value; others are not worth a case. */
            return false;
        } else {
            *value_p = over ? *value_p / right : *value_p % right;
        }
    }
}

static bool evaluate_sum(evaluation_t *evaluation, int64_t *value_p) {
    if (!evaluate_product(evaluation, value_p))
        return false;
    for (;;) {
        const bool plus = accept(evaluation, "+");
        int64_t right;
        if (!plus && !accept(evaluation, "-"))
            return true;
        if (!evaluate_product(evaluation, &right))
            return false;
        if (plus ? __builtin_add_overflow(*value_p, right, value_p)
                 : __builtin_sub_overflow(*value_p, right, value_p))
            return false;
    }
}

bool dvmhcc_evaluate(const dvmhcc_token_t *tokens, int first, int end, int64_t *value_p) {
    evaluation_t evaluation = {.tokens = tokens, .at = first, .end = end};
    int64_t value;
    if (!evaluate_sum(&evaluation, &value) || evaluation.at != end)
        return false;
    *value_p = value;
    return true;
}

/* ---- expressions ---- */

bool dvmhcc_read_expression(dvmhcc_parser_t *parser, int end, const char *what,
                            dvmhcc_expression_t *expression_p) {
    const int first = parser->at;
    dvmhcc_formula_t text = {0};
    if (first >= end) {
        dvmhcc_expected(parser, "%s", what);
        return false;
    }
    const bool good = check(parser, first, end);
    parser->at = end;
    if (!good)
        return false;
    dvmhcc_formula_add_words(parser, &text, first, end);
    if (parser->no_memory)
        return false;
    expression_p->tokens = &parser->tokens[first];
    expression_p->count = end - first;
    expression_p->span = dvmhcc_span_of(parser, first, end);
    expression_p->constant.text = text.data;
    expression_p->constant.known = dvmhcc_evaluate(parser->tokens, first, end, &expression_p->constant.value);
    return true;
}

void dvmhcc_read_count(dvmhcc_parser_t *parser, const char *what, int least, dvmhcc_expression_t *count_p) {
    if (dvmhcc_read_expression(parser, parser->end, what, count_p) && count_p->constant.known &&
        count_p->constant.value < least)
        dvmhcc_fault(parser, count_p->span, "%s must be at least %d, got %" PRId64, what, least,
                     count_p->constant.value);
}

/* The ':' of a range between at and end, outside of brackets and of ?:; `end` when there is none. */
static int colon(const dvmhcc_parser_t *parser) {
    int questions = 0;
    for (int i = parser->at; i < parser->end; i++) {
        const dvmhcc_token_t *token = &parser->tokens[i];
        if (token->partner > i)
            i = token->partner;
        else if (dvmhcc_token_is(token, "?"))
            questions++;
        else if (dvmhcc_token_is(token, ":") && questions-- == 0)
            return i;
    }
    return parser->end;
}

static bool check_width(dvmhcc_parser_t *parser, const dvmhcc_expression_t *width) {
    if (!width->constant.known || width->constant.value >= 0)
        return true;
    dvmhcc_fault(parser, width->span, "a width must not be negative, got %" PRId64, width->constant.value);
    return false;
}

void dvmhcc_read_widths(dvmhcc_parser_t *parser, dvmhcc_range_t *range_p) {
    const int middle = colon(parser);
    range_p->single = middle == parser->end;
    if (!dvmhcc_read_expression(parser, middle, "a width", &range_p->low) ||
        !check_width(parser, &range_p->low))
        return;
    range_p->high = range_p->low;
    if (range_p->single)
        return;
    parser->at = middle + 1;
    if (dvmhcc_read_expression(parser, parser->end, "a width", &range_p->high))
        check_width(parser, &range_p->high);
}

void dvmhcc_read_bounds(dvmhcc_parser_t *parser, dvmhcc_range_t *range_p) {
    const int middle = colon(parser), first = parser->at;
    range_p->single = middle == parser->end && first < middle;
    if (first < middle && !dvmhcc_read_expression(parser, middle, "a bound", &range_p->low))
        return;
    if (range_p->single)
        range_p->high = range_p->low;
    parser->at = middle < parser->end ? middle + 1 : middle;
    if (parser->at == parser->end || !dvmhcc_read_expression(parser, parser->end, "a bound", &range_p->high))
        return;
    const dvmhcc_constant_t *low = &range_p->low.constant, *high = &range_p->high.constant;
    /* One above is how an empty range is written. */
    if (low->known && high->known && low->value > high->value && low->value - 1 > high->value)
        dvmhcc_fault(parser, dvmhcc_span_of(parser, first, parser->end),
                     "the low bound %" PRId64 " lies above the high bound %" PRId64, low->value, high->value);
}
