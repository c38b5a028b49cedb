/* What the files that read libclang's tree share. Private to them: the only ones that include <clang-c/Index.h>.
 *
 * An allocation that fails is told once and sets `failed`; then functions return NULL or false, and the unit is thrown away. */
#ifndef DVMHCC_AST_CLANG_H
#define DVMHCC_AST_CLANG_H

#include "compiler-hooks/dvmhcc/ast.h"

#include <clang-c/Index.h>

#define DVMHCC_CLANG_BUCKETS 4096

typedef struct dvmhcc_clang_type {
    CXType key;
    dvmhcc_type_t type;
    struct dvmhcc_clang_type *next;
} dvmhcc_clang_type_t;

typedef struct dvmhcc_clang_entity {
    CXCursor key; /* canonical */
    dvmhcc_entity_t *entity;
    struct dvmhcc_clang_entity *next;
} dvmhcc_clang_entity_t;

typedef struct dvmhcc_clang {
    dvmhcc_unit_t *unit;
    size_t prelude; /* bytes of ours in front of the user's text */
    bool failed;
    int depth;
    dvmhcc_entity_t *function; /* whose body is being read */
    size_t scope_end;          /* of what is declared now */
    CXCursor *cursors;         /* a stack of children that wait to be read */
    size_t cursor_count, cursor_capacity;
    size_t group_begin, group_end; /* the declaration read last: `int a, b;` is found once */
    dvmhcc_clang_type_t *types[DVMHCC_CLANG_BUCKETS];
    dvmhcc_clang_entity_t *entities[DVMHCC_CLANG_BUCKETS];
} dvmhcc_clang_t;

/** Zeroed memory of the unit's arena. @return NULL: failed */
void *dvmhcc_clang_take(dvmhcc_clang_t *clang, size_t bytes);

/** Copy and dispose of a string of libclang. @return NULL: failed */
const char *dvmhcc_clang_string(dvmhcc_clang_t *clang, CXString string);

/** The range of a cursor in the unit's text, empty at 0 when it has none there. */
void dvmhcc_clang_range(const dvmhcc_clang_t *clang, CXCursor cursor, size_t *begin_p, size_t *end_p);

/** The offset where a cursor's name stands. @return false: not in the unit's text */
bool dvmhcc_clang_name(const dvmhcc_clang_t *clang, CXCursor cursor, size_t *offset_p);

/** Push the children of a cursor on the stack: statements, expressions and declarations only. @return index of the first */
size_t dvmhcc_clang_push(dvmhcc_clang_t *clang, CXCursor cursor);

/** The types of ast.h for one of libclang. @return NULL: failed */
const dvmhcc_type_t *dvmhcc_clang_type(dvmhcc_clang_t *clang, CXType type);

/** The pointer that an array becomes as a parameter or a value; other types are theirs. libclang gives the array. */
const dvmhcc_type_t *dvmhcc_clang_decay(dvmhcc_clang_t *clang, const dvmhcc_type_t *type);

/** What a declaration declares; made when it is new. @return NULL: failed */
dvmhcc_entity_t *dvmhcc_clang_entity(dvmhcc_clang_t *clang, CXCursor cursor);

/**
 * Read a declaration.
 *
 * @param statement  that it stands in; NULL: file scope
 * @return NULL: failed, or it declares nothing that has a declarator
 */
dvmhcc_declarator_t *dvmhcc_clang_declare(dvmhcc_clang_t *clang, CXCursor cursor, dvmhcc_node_t *statement);

/** Read an expression or a statement. An expression stays one. @return NULL: failed */
dvmhcc_node_t *dvmhcc_clang_node(dvmhcc_clang_t *clang, CXCursor cursor, dvmhcc_node_t *parent);

#endif
