/* The declarations and statements of one preprocessed source as plain structs: what everything behind the parser works on. Holds
 * facts of C only; knows no directive. Made by dvmhcc_unit_parse (ast_clang.c), the only part that needs libclang.
 *
 * Offsets are bytes of the preprocessed text, ranges are half-open. Everything lies in the unit's arena and is alive until
 * dvmhcc_unit_free. Single-threaded. */
#ifndef DVMHCC_AST_H
#define DVMHCC_AST_H

#include "compiler-hooks/dvmhcc/command.h"
#include "compiler-hooks/dvmhcc/diagnostic.h"
#include "compiler-hooks/dvmhcc/directive_arena.h"
#include "compiler-hooks/dvmhcc/source.h"

#include <stdbool.h>
#include <stdint.h>

/** Deepest nesting of statements and expressions; deeper ones are refused with a message, so that recursion is bounded. */
#define DVMHCC_AST_DEPTH_MAX 2000

typedef struct dvmhcc_node dvmhcc_node_t;
typedef struct dvmhcc_entity dvmhcc_entity_t;
typedef struct dvmhcc_unit dvmhcc_unit_t;

/* ---- types */

typedef enum dvmhcc_type_kind {
    DVMHCC_TYPE_BASIC,
    DVMHCC_TYPE_ENUM,
    DVMHCC_TYPE_POINTER,
    DVMHCC_TYPE_ARRAY,
    DVMHCC_TYPE_FUNCTION,
    DVMHCC_TYPE_RECORD, /* struct or union */
    DVMHCC_TYPE_OTHER   /* vectors of gcc and the like */
} dvmhcc_type_kind_t;

typedef enum dvmhcc_basic {
    DVMHCC_BASIC_NONE,
    DVMHCC_BASIC_VOID,
    DVMHCC_BASIC_BOOL,
    DVMHCC_BASIC_CHAR,
    DVMHCC_BASIC_SCHAR,
    DVMHCC_BASIC_UCHAR,
    DVMHCC_BASIC_SHORT,
    DVMHCC_BASIC_USHORT,
    DVMHCC_BASIC_INT,
    DVMHCC_BASIC_UINT,
    DVMHCC_BASIC_LONG,
    DVMHCC_BASIC_ULONG,
    DVMHCC_BASIC_LLONG,
    DVMHCC_BASIC_ULLONG,
    DVMHCC_BASIC_WIDE_INTEGER, /* __int128 */
    DVMHCC_BASIC_FLOAT,
    DVMHCC_BASIC_DOUBLE,
    DVMHCC_BASIC_WIDE_FLOAT, /* long double, __float128, _Float16 */
    DVMHCC_BASIC_FLOAT_COMPLEX,
    DVMHCC_BASIC_DOUBLE_COMPLEX,
    DVMHCC_BASIC_WIDE_COMPLEX
} dvmhcc_basic_t;

typedef struct dvmhcc_type {
    dvmhcc_type_kind_t kind; /* typedefs are looked through */
    dvmhcc_basic_t basic;
    int runtime_code; /* rt_ of dvmhlib_const.h; rt_UNKNOWN where there is none */
    int64_t bytes;    /* -1: incomplete, a function, or known at run time only */
    bool is_const, is_volatile;
    const char *text; /* as the source names it, with typedefs */
    const struct dvmhcc_type
        *target;    /* what a pointer points to, an array consists of, a function returns; else NULL */
    int64_t extent; /* of an array: elements; -1: left out, or no constant */
} dvmhcc_type_t;

/* ---- declarations */

typedef enum dvmhcc_entity_kind {
    DVMHCC_ENTITY_VARIABLE,
    DVMHCC_ENTITY_PARAMETER,
    DVMHCC_ENTITY_FUNCTION,
    DVMHCC_ENTITY_FIELD,
    DVMHCC_ENTITY_ENUMERATOR,
    DVMHCC_ENTITY_TYPE, /* typedef, struct, union or enum */
    DVMHCC_ENTITY_OTHER /* labels and the like */
} dvmhcc_entity_kind_t;

/** What stands in one pair of brackets behind a name in its declaration. */
typedef struct dvmhcc_extent {
    size_t begin, end; /* between the brackets; equal when nothing stands there */
    dvmhcc_node_t
        *expression; /* NULL: nothing stands there, or (for constants of parameters) the parser kept none */
} dvmhcc_extent_t;

/** One place where an entity is declared. */
typedef struct dvmhcc_declarator {
    dvmhcc_entity_t *entity;
    size_t begin,
        end; /* the whole declaration that it stands in, with ';' or body; a parameter: only itself */
    size_t own_begin, own_end; /* `(*a)[3]` of `double (*a)[3] = NULL, *b;` */
    size_t name_begin, name_end;
    dvmhcc_node_t *initialiser; /* NULL: none */
    dvmhcc_extent_t *extents;   /* extent_count of them, in the order of the text */
    int extent_count; /* brackets that the declarator itself writes; those of a typedef are not there */
    dvmhcc_node_t *statement;      /* the DECLARATION statement; NULL: file scope or a parameter */
    bool is_extern, is_definition; /* a tentative definition is one */
    dvmhcc_entity_t **parameters;  /* of a function, parameter_count of them */
    int parameter_count;
    struct dvmhcc_declarator *next; /* of the same entity, later in the text */
} dvmhcc_declarator_t;

/** What a name stands for. All declarations of one thing make one entity. */
struct dvmhcc_entity {
    dvmhcc_entity_kind_t kind;
    const char *name;          /* "" where there is none */
    const dvmhcc_type_t *type; /* the completest one that was declared */
    int number;                /* entities count from 0 in the order of the text */
    bool is_file_scope;
    bool has_static_storage;          /* alive for the whole run */
    bool is_internal;                 /* `static` at file scope: known in this source alone */
    bool is_system;                   /* declared by a header of the system */
    int64_t value;                    /* of an enumerator */
    dvmhcc_entity_t *function;        /* that it is declared in; NULL: none */
    size_t scope_begin, scope_end;    /* where the name is known */
    dvmhcc_declarator_t *declarators; /* in the order of the text; none for entities of the system */
    /* Functions: those of the definition, else of the first declaration; none for functions of the system. */
    dvmhcc_entity_t **parameters;
    int parameter_count;
    dvmhcc_node_t *body;             /* COMPOUND; NULL: none in this source, or in a header of the system */
    struct dvmhcc_entity *same_name; /* next in the table of names */
    /* Facts that later passes add; NULL and false until then. */
    struct dvmhcc_distributed *distributed; /* program.h */
    bool is_inherited;                      /* a parameter that `inherit` names */
    bool is_routine;                        /* a function that `routine` stands before */
    bool uses_distributed; /* a function whose body names a distributed array of the file scope, or its own */
};

/* ---- statements and expressions */

typedef enum dvmhcc_node_kind {
    /* Statements. Their range includes the final ';'. Children that are left out are NULL. */
    DVMHCC_NODE_COMPOUND,
    DVMHCC_NODE_DECLARATION, /* declarators; no children: their initialisers hang on them */
    DVMHCC_NODE_EXPRESSION,  /* expression */
    DVMHCC_NODE_EMPTY,
    DVMHCC_NODE_IF,      /* condition, then, else */
    DVMHCC_NODE_FOR,     /* beginning (EXPRESSION or DECLARATION), condition, step, body */
    DVMHCC_NODE_WHILE,   /* condition, body */
    DVMHCC_NODE_DO,      /* body, condition */
    DVMHCC_NODE_SWITCH,  /* value, body */
    DVMHCC_NODE_CASE,    /* value, second value of a range, statement */
    DVMHCC_NODE_DEFAULT, /* statement */
    DVMHCC_NODE_LABEL,   /* statement; text is the label */
    DVMHCC_NODE_GOTO,    /* text is the label; NULL: computed */
    DVMHCC_NODE_BREAK,
    DVMHCC_NODE_CONTINUE,
    DVMHCC_NODE_RETURN,          /* value */
    DVMHCC_NODE_OTHER_STATEMENT, /* asm and the like; children as they come */
    /* Expressions. */
    DVMHCC_NODE_NAME, /* entity */
    DVMHCC_NODE_INTEGER,
    DVMHCC_NODE_FLOATING,
    DVMHCC_NODE_CHARACTER,
    DVMHCC_NODE_STRING,
    DVMHCC_NODE_PAREN,                /* inner expression */
    DVMHCC_NODE_SUBSCRIPT,            /* array or pointer, index */
    DVMHCC_NODE_MEMBER,               /* object or pointer; entity is the field */
    DVMHCC_NODE_CALL,                 /* function, arguments */
    DVMHCC_NODE_UNARY,                /* operand */
    DVMHCC_NODE_BINARY,               /* left, right; comma too */
    DVMHCC_NODE_ASSIGN,               /* left, right; operator of `op=`, NONE for = */
    DVMHCC_NODE_CONDITIONAL,          /* condition, value, other value */
    DVMHCC_NODE_CAST,                 /* operand */
    DVMHCC_NODE_SIZEOF,               /* operand; no child for a type. Also alignof */
    DVMHCC_NODE_LIST,                 /* initialisers in braces */
    DVMHCC_NODE_COMPOUND_LITERAL,     /* list */
    DVMHCC_NODE_STATEMENT_EXPRESSION, /* compound statement */
    DVMHCC_NODE_OTHER                 /* children as they come */
} dvmhcc_node_kind_t;

typedef enum dvmhcc_operator {
    DVMHCC_OPERATOR_NONE,
    DVMHCC_OPERATOR_PLUS,
    DVMHCC_OPERATOR_MINUS,
    DVMHCC_OPERATOR_COMPLEMENT,
    DVMHCC_OPERATOR_NOT,
    DVMHCC_OPERATOR_DEREFERENCE,
    DVMHCC_OPERATOR_ADDRESS,
    DVMHCC_OPERATOR_PRE_INCREMENT,
    DVMHCC_OPERATOR_PRE_DECREMENT,
    DVMHCC_OPERATOR_POST_INCREMENT,
    DVMHCC_OPERATOR_POST_DECREMENT,
    DVMHCC_OPERATOR_OTHER, /* __real, __extension__ ... */
    DVMHCC_OPERATOR_MULTIPLY,
    DVMHCC_OPERATOR_DIVIDE,
    DVMHCC_OPERATOR_REMAINDER,
    DVMHCC_OPERATOR_ADD,
    DVMHCC_OPERATOR_SUBTRACT,
    DVMHCC_OPERATOR_SHIFT_LEFT,
    DVMHCC_OPERATOR_SHIFT_RIGHT,
    DVMHCC_OPERATOR_LESS,
    DVMHCC_OPERATOR_GREATER,
    DVMHCC_OPERATOR_LESS_EQUAL,
    DVMHCC_OPERATOR_GREATER_EQUAL,
    DVMHCC_OPERATOR_EQUAL,
    DVMHCC_OPERATOR_UNEQUAL,
    DVMHCC_OPERATOR_AND,
    DVMHCC_OPERATOR_XOR,
    DVMHCC_OPERATOR_OR,
    DVMHCC_OPERATOR_BOTH,   /* && */
    DVMHCC_OPERATOR_EITHER, /* || */
    DVMHCC_OPERATOR_COMMA
} dvmhcc_operator_t;

struct dvmhcc_node {
    dvmhcc_node_kind_t kind;
    dvmhcc_operator_t operation; /* of UNARY, BINARY, ASSIGN */
    size_t begin, end;
    const dvmhcc_type_t
        *type; /* of expressions, before the conversions that C makes silently; NULL for statements */
    dvmhcc_entity_t *entity;
    const char *text;
    bool is_arrow;    /* MEMBER: -> */
    bool is_constant; /* an integer expression with a value that is known and correct for its type */
    int64_t value;
    dvmhcc_node_t *parent; /* NULL: body of a function, initialiser at file scope, extent */
    dvmhcc_node_t **children;
    int count;
    dvmhcc_declarator_t **declarators; /* of DECLARATION */
    int declarator_count;
};

struct dvmhcc_unit {
    dvmhcc_arena_t arena;
    dvmhcc_source_t *source; /* the caller's */
    const char *text;
    size_t length;
    dvmhcc_declarator_t **declarations; /* of the file scope, not of the system, in the order of the text */
    size_t declaration_count, declaration_capacity;
    dvmhcc_entity_t **entities; /* all, in the order of their numbers */
    size_t entity_count, entity_capacity;
    dvmhcc_entity_t **names; /* table by name; inside */
    size_t name_buckets;
};

/**
 * Parse a preprocessed source.
 *
 * @param command  its flags choose the version of C and the kind of char
 * @param source   must live as long as the unit
 * @param unit_p   set on success; give it back with dvmhcc_unit_free
 * @return false   the source has errors of C, is nested too deep, or memory ran out; all told with dvmhcc_report
 */
bool dvmhcc_unit_parse(const dvmhcc_command_t *command, dvmhcc_source_t *source, dvmhcc_unit_t **unit_p);

void dvmhcc_unit_free(dvmhcc_unit_t *unit);

/** What a name means at an offset; NULL: nothing that is declared there. Names of labels, tags and fields are not found. */
dvmhcc_entity_t *dvmhcc_unit_find(const dvmhcc_unit_t *unit, const char *name, size_t offset);

/** Enter an entity into the table of names. For the parser. @return false  no memory; told */
bool dvmhcc_unit_enter(dvmhcc_unit_t *unit, dvmhcc_entity_t *entity);

/** The place of a range of the text, in the user's file; it underlines as much as stands on its first line. */
dvmhcc_place_t dvmhcc_unit_place(const dvmhcc_unit_t *unit, size_t begin, size_t end);

/** Tell something about a node. */
void dvmhcc_node_report(const dvmhcc_unit_t *unit, dvmhcc_severity_t severity, const dvmhcc_node_t *node,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));

/** The text of a node, for messages: white space as one blank, shortened to fit. @return buffer */
const char *dvmhcc_node_text(const dvmhcc_unit_t *unit, const dvmhcc_node_t *node, char *buffer, size_t size);

/** The expression inside of parentheses; the node itself when there are none. NULL gives NULL. */
dvmhcc_node_t *dvmhcc_inner(dvmhcc_node_t *node);

/** The entity that a name, perhaps in parentheses, stands for; NULL for other expressions. */
dvmhcc_entity_t *dvmhcc_named(dvmhcc_node_t *node);

/** Whether the node is a statement. */
bool dvmhcc_is_statement(const dvmhcc_node_t *node);

/** Whether a node lies in another or is it. */
bool dvmhcc_node_inside(const dvmhcc_node_t *node, const dvmhcc_node_t *outer);

/** Work out is_constant and value of an expression whose children have theirs. For the parser. */
void dvmhcc_node_fold(dvmhcc_node_t *node);

/** Whether a type is an integer type or enum; a number of any kind; something that one variable of a loop can be: a number or a
 * pointer. */
bool dvmhcc_type_is_integer(const dvmhcc_type_t *type);
bool dvmhcc_type_is_number(const dvmhcc_type_t *type);
bool dvmhcc_type_is_scalar(const dvmhcc_type_t *type);
bool dvmhcc_type_is_unsigned(const dvmhcc_type_t *type);

/** Elements of arrays of arrays: the type that is no array any more, and how many array types were passed. */
const dvmhcc_type_t *dvmhcc_type_element(const dvmhcc_type_t *type, int *rank_p);

/**
 * Go through a node and all below it, initialisers and extents of declarations included, parents first, in the order of the children.
 *
 * @param visit  returns false to leave out what is below
 */
void dvmhcc_walk(dvmhcc_node_t *node, bool (*visit)(dvmhcc_node_t *node, void *context), void *context);

/** Whether the loop or switch that a break or continue belongs to is a statement or lies in it. */
bool dvmhcc_stays_inside(const dvmhcc_node_t *node, const dvmhcc_node_t *statement);

/** Whether a label stands in a statement. @param label  NULL: no label, never there */
bool dvmhcc_has_label(const dvmhcc_node_t *statement, const char *label);

#endif
