/* The parts of the code generator that change serial code, and what they need from each other. Each returns false after telling
 * what is wrong. */
#ifndef DVMHCC_GENERATE_SERIAL_H
#define DVMHCC_GENERATE_SERIAL_H

#include "compiler-hooks/dvmhcc/generate.h"
#include "compiler-hooks/dvmhcc/generate_pieces.h"

/** Declarations of distributed arrays and templates become headers, created where C would begin their life
 * (generate_arrays.c). */
bool dvmhcc_generate_arrays(dvmhcc_generator_t *generator);

/** Append the calls that distribute or align an array by its declaration, one a line behind `margin`; nothing when it has
 * neither. */
bool dvmhcc_generate_placing(dvmhcc_generator_t *generator, const dvmhcc_distributed_t *array,
                             const char *margin, dvmhcc_text_t *text);

/** Append the list of helpers of a distribution or an alignment, each behind ", ". offset: for names in it. */
bool dvmhcc_generate_distribution(dvmhcc_generator_t *generator, const dvmhcc_distribution_t *distribution,
                                  size_t offset, dvmhcc_text_t *text);
void dvmhcc_generate_mapping(const dvmhcc_mapping_t *mapping, dvmhcc_text_t *text);
void dvmhcc_generate_subscripts(const dvmhcc_subscript_t subscripts[], int rank, dvmhcc_text_t *text);

/** Append a call of dvmh_line_C for a place of the text. */
void dvmhcc_generate_line(dvmhcc_generator_t *generator, size_t offset, const char *margin,
                          dvmhcc_text_t *text);

/** Append an operand of C as a DvmType. */
void dvmhcc_generate_word(const char *expression, dvmhcc_text_t *text);

/** Elements, calls of the C library, returns of main (generate_statements.c). */
bool dvmhcc_generate_statements(dvmhcc_generator_t *generator);

/** Directives that stand for themselves (generate_directives.c). */
bool dvmhcc_generate_directives(dvmhcc_generator_t *generator);

/** The ends of the braces that they opened: called before regions are generated, with false, and after that, with true. */
bool dvmhcc_generate_closing(dvmhcc_generator_t *generator, bool behind_regions);

/** Regions and the statements between their loops (generate_regions.c). */
bool dvmhcc_generate_regions(dvmhcc_generator_t *generator);

/** Parallel loops (generate_loops.c). */
bool dvmhcc_generate_loops(dvmhcc_generator_t *generator);

/** The parallel loop that a statement is; NULL: none. */
struct dvmhcc_loop *dvmhcc_parallel_of(const dvmhcc_generator_t *generator, const dvmhcc_node_t *node);

/** Whether a statement is a parallel loop. */
bool dvmhcc_is_parallel(const dvmhcc_generator_t *generator, const dvmhcc_node_t *node);

/** Append calls that renew shadow edges. */
bool dvmhcc_generate_shadow_renew(dvmhcc_generator_t *generator, const dvmhcc_widths_t *widths,
                                  const char *margin, dvmhcc_text_t *text);

/** Replace the line of a directive by text, and leave the directive as a comment. The text ends with a newline, or is empty. */
bool dvmhcc_generate_instead(dvmhcc_generator_t *generator, const dvmhcc_attached_t *attached,
                             const char *text);

#endif
