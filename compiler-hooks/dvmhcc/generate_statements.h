/* What the parts of the generator that rewrite serial code need from each other: one function of the user under way. Each function
 * returns false after telling what is wrong. */
#ifndef DVMHCC_GENERATE_STATEMENTS_H
#define DVMHCC_GENERATE_STATEMENTS_H

#include "compiler-hooks/dvmhcc/generate_serial.h"

typedef struct dvmhcc_serial {
    dvmhcc_generator_t *generator;
    dvmhcc_entity_t *function;
} dvmhcc_serial_t;

/** Rewrite a statement or expression of serial code, and all below it; NULL: nothing (generate_statements.c). */
bool dvmhcc_serial_rewrite(dvmhcc_serial_t *serial, dvmhcc_node_t *node);

/** An element that is read, or that scanf is to fill (generate_elements.c). */
bool dvmhcc_serial_element(dvmhcc_serial_t *serial, dvmhcc_node_t *node, const dvmhcc_element_t *element);

/** The element that an assignment or an increment changes, all of it or a part. @return NULL: it changes none */
dvmhcc_node_t *dvmhcc_changed_element(dvmhcc_node_t *node, dvmhcc_element_t *element);

/**
 * An assignment or an increment that changes an element: its owners do it.
 *
 * @param end  behind the expression, or behind the statement that it alone is
 */
bool dvmhcc_serial_change(dvmhcc_serial_t *serial, dvmhcc_node_t *node, size_t end);

#endif
