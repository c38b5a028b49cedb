/* How an expression uses the variable that a name stands for: read, written, its address taken. Looks at C only. */
#ifndef DVMHCC_NAME_USE_H
#define DVMHCC_NAME_USE_H

#include "compiler-hooks/dvmhcc/ast.h"

typedef struct dvmhcc_name_use {
    bool is_read, is_written; /* the variable, its elements, or what it points to */
    bool takes_address;       /* may be read and written later, who knows where; both are set */
    bool is_unevaluated;      /* inside of sizeof: neither */
    bool is_indirect;         /* through a pointer: the variable itself is only read */
    bool is_partial;          /* a field of a struct */
    dvmhcc_node_t *reference; /* the name with its subscripts, fields and dereferences */
    int subscripts;           /* pairs of brackets of the reference */
} dvmhcc_name_use_t;

/** @param name  a NAME of a variable or parameter */
dvmhcc_name_use_t dvmhcc_name_use(dvmhcc_node_t *name);

/** Whether two expressions have the same words. */
bool dvmhcc_same_text(const dvmhcc_unit_t *unit, const dvmhcc_node_t *a, const dvmhcc_node_t *b);

/** How often an entity is named in an expression or statement. */
int dvmhcc_count_names(dvmhcc_node_t *node, const dvmhcc_entity_t *entity);

/** The function that a call calls by name; NULL: by pointer. */
dvmhcc_entity_t *dvmhcc_called(const dvmhcc_node_t *call);

#endif
