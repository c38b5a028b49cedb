/* What evaluating an expression does besides giving a value, as far as one source tells. Looks at C only. */
#ifndef DVMHCC_EFFECTS_H
#define DVMHCC_EFFECTS_H

#include "compiler-hooks/dvmhcc/ast.h"

/** Whether evaluating an expression may change anything: assignments, and calls of functions that may. Functions of this source are
 * looked into, those of the C library are known by name, all others may. */
bool dvmhcc_has_effects(dvmhcc_node_t *node);

/** Whether a function of the C library only computes. */
bool dvmhcc_computes_only(const char *name);

/** A variable or distributed array that functions called in an expression read and that a statement writes.
 * @return NULL  none, as far as this source tells */
const dvmhcc_entity_t *dvmhcc_read_by_calls(dvmhcc_node_t *node, dvmhcc_node_t *statement);

#endif
