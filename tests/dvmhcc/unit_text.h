/* Help for tests of the tree: parse a small source, and print nodes and types in a short form of our own. Single-threaded. */
#ifndef DVMHCC_TEST_UNIT_TEXT_H
#define DVMHCC_TEST_UNIT_TEXT_H

#include "compiler-hooks/dvmhcc/ast.h"
#include "compiler-hooks/dvmhcc/text.h"

#include "tests/dvmhcc/files.h"

/** A source that was read; all zero when it could not be. */
typedef struct parsed {
    dvmhcc_source_t *source;
    dvmhcc_unit_t *unit;
} parsed_t;

static dvmhcc_command_t parse_command;

/** Write a source and parse it. @return whether it could be parsed; what was reported is for files_report_begin */
static inline bool parse_source(const char *name, const char *text, parsed_t *parsed) {
    *parsed = (parsed_t){0};
    files_write(name, text);
    return dvmhcc_source_read(&parse_command, name, &parsed->source) &&
           dvmhcc_unit_parse(&parse_command, parsed->source, &parsed->unit);
}

static inline void parse_free(parsed_t *parsed) {
    dvmhcc_unit_free(parsed->unit);
    dvmhcc_source_free(parsed->source);
    *parsed = (parsed_t){0};
}

static const char *const unit_text_operators[] = {"=",   "+",   "-",   "~",   "!",  "*",  "&",  "++x",
                                                  "--x", "x++", "x--", "?op", "*",  "/",  "%",  "+",
                                                  "-",   "<<",  ">>",  "<",   ">",  "<=", ">=", "==",
                                                  "!=",  "&",   "^",   "|",   "&&", "||", ","};

static const char *const unit_text_kinds[] = {"block",   "decl",           "do",      "empty",  "if",
                                              "for",     "while",          "dowhile", "switch", "case",
                                              "default", "label",          "goto",    "break",  "continue",
                                              "return",  "other-statement"};

static inline void unit_text_node(dvmhcc_text_t *text, const dvmhcc_unit_t *unit, const dvmhcc_node_t *node);

static inline void unit_text_children(dvmhcc_text_t *text, const dvmhcc_unit_t *unit,
                                      const dvmhcc_node_t *node) {
    for (int i = 0; i < node->count; i++) {
        dvmhcc_text_add_string(text, " ");
        unit_text_node(text, unit, node->children[i]);
    }
    for (int i = 0; i < node->declarator_count; i++) {
        const dvmhcc_declarator_t *declarator = node->declarators[i];
        dvmhcc_text_printf(text, " %s", declarator->entity->name);
        for (int k = 0; k < declarator->extent_count; k++) {
            dvmhcc_text_add_string(text, "[");
            if (declarator->extents[k].expression != NULL)
                unit_text_node(text, unit, declarator->extents[k].expression);
            dvmhcc_text_add_string(text, "]");
        }
        if (declarator->initialiser != NULL) {
            dvmhcc_text_add_string(text, "=");
            unit_text_node(text, unit, declarator->initialiser);
        }
    }
}

static inline void unit_text_expression(dvmhcc_text_t *text, const dvmhcc_unit_t *unit,
                                        const dvmhcc_node_t *node) {
    char word[64];
    switch (node->kind) {
    case DVMHCC_NODE_NAME:
        dvmhcc_text_add_string(text, node->entity != NULL ? node->entity->name : "?");
        return;
    case DVMHCC_NODE_INTEGER:
    case DVMHCC_NODE_FLOATING:
    case DVMHCC_NODE_CHARACTER:
    case DVMHCC_NODE_STRING:
        dvmhcc_text_add_string(text, dvmhcc_node_text(unit, node, word, sizeof word));
        return;
    case DVMHCC_NODE_MEMBER:
        dvmhcc_text_printf(text, "(%s%s", node->is_arrow ? "->" : ".", node->entity->name);
        break;
    case DVMHCC_NODE_UNARY:
    case DVMHCC_NODE_BINARY:
        dvmhcc_text_printf(text, "(%s", unit_text_operators[node->operation]);
        break;
    case DVMHCC_NODE_ASSIGN:
        dvmhcc_text_printf(text, "(%s%s", unit_text_operators[node->operation],
                           node->operation != DVMHCC_OPERATOR_NONE ? "=" : "");
        break;
    default: {
        static const char *const names[] = {"paren", "[]",   "",       "call", "",        "",     "",
                                            "?:",    "cast", "sizeof", "list", "literal", "({})", "other"};
        dvmhcc_text_printf(text, "(%s", names[node->kind - DVMHCC_NODE_PAREN]);
    }
    }
    unit_text_children(text, unit, node);
    dvmhcc_text_add_string(text, ")");
}

/** Print a node as (kind children). */
static inline void unit_text_node(dvmhcc_text_t *text, const dvmhcc_unit_t *unit, const dvmhcc_node_t *node) {
    if (node == NULL) {
        dvmhcc_text_add_string(text, "-");
    } else if (!dvmhcc_is_statement(node)) {
        unit_text_expression(text, unit, node);
    } else {
        dvmhcc_text_printf(text, "(%s", unit_text_kinds[node->kind]);
        if (node->text != NULL)
            dvmhcc_text_printf(text, " %s", node->text);
        unit_text_children(text, unit, node);
        dvmhcc_text_add_string(text, ")");
    }
}

#endif
