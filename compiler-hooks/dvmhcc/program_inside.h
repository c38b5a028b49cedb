/* What the passes of the analysis share: memory, messages about directives, and the passes themselves in their order. Private to
 * them. Passes go on after errors, so that all are told in one go; what a fault makes meaningless is marked `faulty` and left out. */
#ifndef DVMHCC_PROGRAM_INSIDE_H
#define DVMHCC_PROGRAM_INSIDE_H

#include "compiler-hooks/dvmhcc/access.h"
#include "compiler-hooks/dvmhcc/loop_nest.h"
#include "compiler-hooks/dvmhcc/program.h"

/** Zeroed memory of the arena. @return NULL: none, told; program->no_memory is set */
void *dvmhcc_program_take(dvmhcc_program_t *program, size_t bytes);

/** Tell an error about a part of a directive, and mark it as faulty. */
void dvmhcc_attached_fault(const dvmhcc_program_t *program, dvmhcc_attached_t *attached, dvmhcc_span_t span,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/** The same as a warning; the directive stays good. */
void dvmhcc_attached_warn(const dvmhcc_program_t *program, const dvmhcc_attached_t *attached,
                          dvmhcc_span_t span, const char *format, ...) __attribute__((format(printf, 4, 5)));

/** The part of a directive that is its name. */
dvmhcc_span_t dvmhcc_attached_span(const dvmhcc_attached_t *attached);

/** "array", "parallel" ...: a directive's name for messages. */
const char *dvmhcc_attached_name(const dvmhcc_attached_t *attached);

/** Tell where something stands that an error was about. */
void dvmhcc_note_declared(const dvmhcc_program_t *program, const dvmhcc_entity_t *entity);

/** The entity that a name in a directive means. @return NULL: none, told as an error */
dvmhcc_entity_t *dvmhcc_attached_find(const dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                                      const dvmhcc_name_t *name);

/** The same for a distributed array, or a template where one may stand. @return NULL: it is none, told */
dvmhcc_distributed_t *dvmhcc_attached_array(const dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                                            const dvmhcc_name_t *name, bool template_too);

/* ---- the passes */

/** Parse the directives and put each where it belongs (program_attach.c). */
void dvmhcc_pass_attach(dvmhcc_program_t *program);

/** Tables of distributed arrays, templates, parameters that inherit, routines (program_arrays.c). */
void dvmhcc_pass_arrays(dvmhcc_program_t *program);

/** Names and ranks in all directives (program_names.c, program_names_loop.c). */
void dvmhcc_pass_names(dvmhcc_program_t *program);
void dvmhcc_check_parallel_names(dvmhcc_program_t *program, dvmhcc_attached_t *attached);
void dvmhcc_check_widths(dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                         const dvmhcc_widths_t *widths);
void dvmhcc_check_ranges(dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                         const dvmhcc_widths_t *widths);
void dvmhcc_check_references(dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                             const dvmhcc_reference_t *references, const dvmhcc_mapping_t *mapping);
void dvmhcc_check_expression(dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                             const dvmhcc_expression_t *expression, const dvmhcc_mapping_t *mapping);
void dvmhcc_check_mapping(dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                          const dvmhcc_mapping_t *mapping);
void dvmhcc_check_rank(dvmhcc_program_t *program, dvmhcc_attached_t *attached, const dvmhcc_name_t *name,
                       const dvmhcc_distributed_t *array, int rank);

/** How the statements use distributed arrays (program_uses.c). */
void dvmhcc_pass_uses(dvmhcc_program_t *program);

/** Regions, and which directives may stand in which statements (program_regions.c). */
void dvmhcc_pass_regions(dvmhcc_program_t *program);

/** Loops: the nest, the variables of the body, accesses and dependences (loop_nest.c, loop_variables.c, access.c, dependences.c). */
void dvmhcc_pass_loops(dvmhcc_program_t *program);

/** Blocks of remote_access directives: what the subscripts depend on must not change in them, elements that are read as copies are not
 * to be written, and every section should be read (remote.c). */
void dvmhcc_pass_remote(dvmhcc_program_t *program);

/** What regions do with variables (region_intents.c). */
void dvmhcc_pass_intents(dvmhcc_program_t *program);

#endif
