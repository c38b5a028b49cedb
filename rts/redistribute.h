/* Arrays distributed and aligned anew with their values, which go from old owners to new ones. All or nothing: every process prepares its
 * part, then all agree, then values are exchanged and the new places are put in force. Collective; main thread only.
 *
 * No region or loop may use the arrays. Newest values are brought home first and other replicas are dropped; shadow edges become
 * undefined. */
#ifndef RTS_REDISTRIBUTE_H
#define RTS_REDISTRIBUTE_H

#include "rts/array.h"

/**
 * Distribute a template anew, or for the first time. All arrays of it move along. Sync.
 * @param rule  of each axis; bounds are copied
 * @return RTS_ERR_INVALID    rules that rts_distribution_check refuses
 * @return RTS_ERR_NO_MEMORY  no room for the new parts beside the old ones; nothing has changed
 * @return RTS_ERR_COMM       another process failed; nothing has changed. Or messages failed: the job cannot go on
 */
rts_status_t rts_redistribute_template(rts_template_t *template, const rts_axis_rule_t rule[]);

/**
 * The same with all arrays that are aligned with this one.
 * @return RTS_ERR_INVALID  also: a variable, or an array that is aligned with something else
 */
rts_status_t rts_redistribute_array(rts_array_t *array, const rts_axis_rule_t rule[]);

/**
 * Align an array anew, or for the first time, with a template or an array: exactly one of them is not NULL. Arrays that were aligned with
 * this one stay where they are. Sync.
 * @param keep_values  false: values need not move and are undefined afterwards
 * @return RTS_ERR_INVALID  also: the target is not distributed, or rts_alignment_check refuses
 */
rts_status_t rts_realign(rts_array_t *array, rts_template_t *target_template, const rts_array_t *target_array,
                         const rts_alignment_t *alignment, bool keep_values);

#endif
