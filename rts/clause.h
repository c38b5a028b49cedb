/* The section of an array that a clause of a loop names, axis by axis: remote_access and consistent. */
#ifndef RTS_CLAUSE_H
#define RTS_CLAUSE_H

#include "rts/loop.h"
#include "rts/section.h"

/**
 * The section for all iterations of a loop that has some.
 * @param loop  NULL outside of loops: no rule follows a dim then
 * @param rule  of each axis, checked: all indices lie in the array
 */
rts_section_t rts_clause_section(const rts_loop_t *loop, const rts_array_t *array,
                                 const rts_align_rule_t rule[]);

/** Ordinals of that section that the iterations of a process name; empty when it has none. */
rts_box_t rts_clause_part(const rts_loop_t *loop, const rts_array_t *array, const rts_align_rule_t rule[],
                          int process);

#endif
