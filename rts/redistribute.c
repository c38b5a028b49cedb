/* What goes from where to where follows from the old and the new placement of each array, which every process computes for itself. All
 * values of all arrays that move together are in one message for each pair of processes. */
#include <config.h>

#include "rts/redistribute.h"

#include "rts/array_move.h"
#include "rts/coherence.h"
#include "rts/placement.h"
#include "rts/runtime.h"
#include "rts/transfer.h"

/* Between this process and another one: what was there and will be here, and the other way round. */
static rts_status_t add_pair(rts_transfer_t *transfer, const rts_place_t *place,
                             const rts_placement_t *old_placement, const rts_placement_t *new_placement,
                             int process) {
    rts_array_t *array = place->array;
    const rts_layout_t *layout;
    void *const memory = rts_place_memory(place, &layout);
    const rts_box_t had = rts_placement_local(old_placement, process),
                    wants = rts_placement_local(new_placement, process),
                    gives = rts_box_intersect(&array->local, &wants),
                    takes = rts_box_intersect(&had, &place->local);
    RTS_TRY(rts_transfer_send_from(transfer, array->home.buffer, &array->home.layout, array->element.bytes,
                                   &gives, process));
    return rts_transfer_receive_into(transfer, memory, layout, array->element.bytes, &takes, process);
}

/* All values of a move. What a process owned itself it gets from itself, which is done already. */
static rts_status_t add_move(rts_transfer_t *transfer, const rts_move_t *move) {
    const rts_grid_t *const grid = &rts_runtime()->grid;
    for (size_t i = 0; i < move->count; i++) {
        const rts_place_t *place = &move->place[i];
        const rts_array_t *array = place->array;
        if (!array->is_distributed)
            continue;
        const rts_placement_t old_placement = rts_array_placement(array, grid),
                              new_placement = {&array->space, &place->alignment, &move->distribution, grid};
        for (int process = 0; process < rts_comm_size(); process++)
            if (process != rts_comm_rank() && rts_placement_serves(&old_placement, process, rts_comm_rank()))
                RTS_TRY(add_pair(transfer, place, &old_placement, &new_placement, process));
    }
    return rts_transfer_prepare(transfer);
}

/* Bring values and put the move in force, unless some process could not prepare it. */
static rts_status_t finish(rts_status_t prepared, rts_move_t *move, bool keep_values) {
    rts_transfer_t transfer;
    rts_status_t status = prepared;
    rts_transfer_init(&transfer, RTS_TAG_TRANSFER);
    if (rts_comm_size() > 1 && keep_values) {
        if (status == RTS_OK)
            status = add_move(&transfer, move);
        status = rts_comm_agree(status);
        if (status == RTS_OK)
            status = rts_transfer_run(&transfer);
    }
    if (prepared == RTS_OK && status == RTS_OK)
        rts_move_commit(move);
    else if (prepared == RTS_OK)
        rts_move_cancel(move);
    rts_transfer_free(&transfer);
    return status;
}

static rts_status_t settle_followers(const rts_template_t *template) {
    for (rts_array_t *array = rts_array_first(); array != NULL; array = array->next)
        if (array->template == template)
            RTS_TRY(rts_coherence_settle(array));
    return RTS_OK;
}

rts_status_t rts_redistribute_template(rts_template_t *template, const rts_axis_rule_t rule[]) {
    rts_move_t move;
    rts_status_t status = settle_followers(template);
    if (status == RTS_OK)
        status = rts_move_redistribution(template, rule, &rts_runtime()->grid, &move);
    return finish(status, &move, true);
}

rts_status_t rts_redistribute_array(rts_array_t *array, const rts_axis_rule_t rule[]) {
    rts_template_t *template = NULL;
    if (!array->is_distributed)
        return rts_array_distribute(array, rule, &rts_runtime()->grid);
    RTS_TRY(rts_move_template_of(array, &template));
    return rts_redistribute_template(template, rule);
}

rts_status_t rts_realign(rts_array_t *array, rts_template_t *target_template, const rts_array_t *target_array,
                         const rts_alignment_t *alignment, bool keep_values) {
    rts_move_t move;
    rts_status_t status = RTS_OK;
    if (!keep_values && array->is_distributed) /* what is there, wherever it is, is not needed */
        status = rts_coherence_written(array, 0, NULL);
    if (status == RTS_OK)
        status = rts_coherence_settle(array);
    if (status == RTS_OK)
        status = rts_move_realignment(array, target_template, target_array, alignment, keep_values, &move);
    return finish(status, &move, keep_values);
}
