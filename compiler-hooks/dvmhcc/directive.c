/* From the text of a directive to its tree: words, then the directive's name, then the function that reads the rest. */
#include <config.h>

#include "compiler-hooks/dvmhcc/directive_parser.h"

/* ---- which directives there are ---- */

typedef struct rule {
    const char *word;
    dvmhcc_directive_kind_t kind;
    void (*parse)(dvmhcc_parser_t *parser); /* NULL: nothing may follow */
} rule_t;

static const rule_t rules[] = {
    {"actual", DVMHCC_ACTUAL, dvmhcc_parse_actual},
    {"array", DVMHCC_ARRAY, dvmhcc_parse_array},
    {"endinterval", DVMHCC_ENDINTERVAL, NULL},
    {"exitinterval", DVMHCC_EXITINTERVAL, dvmhcc_parse_exitinterval},
    {"get_actual", DVMHCC_GET_ACTUAL, dvmhcc_parse_actual},
    {"host_section", DVMHCC_HOST_SECTION, NULL},
    {"inherit", DVMHCC_INHERIT, dvmhcc_parse_inherit},
    {"interval", DVMHCC_INTERVAL, dvmhcc_parse_interval},
    {"parallel", DVMHCC_PARALLEL, dvmhcc_parse_parallel},
    {"realign", DVMHCC_REALIGN, dvmhcc_parse_realign},
    {"redistribute", DVMHCC_REDISTRIBUTE, dvmhcc_parse_redistribute},
    {"region", DVMHCC_REGION, dvmhcc_parse_region},
    {"remote_access", DVMHCC_REMOTE_ACCESS, dvmhcc_parse_remote_access},
    {"routine", DVMHCC_ROUTINE, NULL},
    {"shadow_renew", DVMHCC_SHADOW_RENEW, dvmhcc_parse_shadow_renew},
    {"template", DVMHCC_TEMPLATE, dvmhcc_parse_template},
};
#define RULE_COUNT (sizeof rules / sizeof rules[0])

static const char *const unsupported[] = {"array_copy", "instantiations", "localize",
                                          "shadow_add", "unlocalize",     NULL};

/* ---- parsing ---- */

static void unknown_directive(dvmhcc_parser_t *parser) {
    const char *words[RULE_COUNT + 1] = {NULL};
    for (size_t i = 0; i < RULE_COUNT; i++)
        words[i] = rules[i].word;
    dvmhcc_unknown(parser, "directive", "", words);
}

static const rule_t *find_rule(const dvmhcc_token_t *token) {
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (token->kind == DVMHCC_TOKEN_NAME && dvmhcc_token_is(token, rules[i].word))
            return &rules[i];
    return NULL;
}

static void parse(dvmhcc_parser_t *parser, const dvmhcc_lexer_fault_t *lexer_fault) {
    static const char a_name[] = "the name of a directive";
    dvmhcc_directive_t *directive = parser->directive;
    const dvmhcc_token_t *first = &parser->tokens[parser->at];
    const rule_t *rule = find_rule(first);
    if (rule != NULL)
        directive->kind = rule->kind;
    else if (dvmhcc_word_in(first, unsupported) >= 0)
        directive->kind = DVMHCC_UNSUPPORTED;

    if (lexer_fault->message[0] != '\0') {
        const dvmhcc_span_t span = {lexer_fault->offset, lexer_fault->length};
        dvmhcc_fault(parser, span, "%s", lexer_fault->message);
    } else if (directive->kind == DVMHCC_UNKNOWN && first->kind == DVMHCC_TOKEN_NAME) {
        unknown_directive(parser);
    } else if (!dvmhcc_read_name(parser, a_name, &directive->name)) {
        return;
    } else if (rule == NULL) {
        dvmhcc_fault(parser, directive->name.span, "directive '%s' is not supported yet",
                     directive->name.text);
    } else if (rule->parse != NULL) {
        rule->parse(parser);
    } else if (parser->at < parser->end) {
        dvmhcc_expected(parser, "the end of the directive");
    }
}

rts_status_t dvmhcc_directive_parse(dvmhcc_arena_t *arena, const dvmhcc_directive_source_t *source,
                                    const dvmhcc_directive_t **directive_p) {
    dvmhcc_parser_t parser = {.arena = arena, .source = source};
    dvmhcc_lexer_fault_t fault;
    RTS_TRY(dvmhcc_lex(arena, source->text, source->length, &parser.tokens, &fault));
    parser.directive = dvmhcc_take(&parser, sizeof *parser.directive);
    if (parser.directive == NULL)
        return RTS_ERR_NO_MEMORY;
    while (parser.tokens[parser.end].kind != DVMHCC_TOKEN_END)
        parser.end++;
    parse(&parser, &fault);
    if (parser.no_memory)
        return RTS_ERR_NO_MEMORY;
    *directive_p = parser.directive;
    return RTS_OK;
}
