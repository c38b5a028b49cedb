/* A range is walked over in boxes that lie in the buffer one behind the other (rts_box_run). Both sides of a message find its boxes in the
 * order of the walk. */
#include <config.h>

#include "rts/collect.h"

#include "rts/comm.h"
#include "rts/placement.h"
#include "rts/runtime.h"
#include "rts/transfer.h"

/* A collection under way. */
typedef struct work {
    const rts_collect_t *collect;
    rts_placement_t placement;
    rts_transfer_t transfer;
    char *buffer;
    bool is_gather;
    rts_box_t box;       /* one of the walk, in the buffer of `collector` */
    rts_layout_t layout; /* of the box there */
    char *place;         /* of the box there; valid in the collector */
} work_t;

bool rts_collect_is_everywhere(const rts_array_t *array) {
    if (array->template == NULL)
        return true;
    const rts_placement_t placement = rts_array_placement(array, &rts_runtime()->grid);
    const unsigned free_axes = rts_placement_free_axes(&placement);
    for (int axis = 0; axis < placement.grid->rank; axis++)
        if (placement.grid->size[axis] > 1 && (free_axes >> axis & 1) == 0)
            return false;
    return true;
}

rts_index_t rts_collect_range(const rts_collect_t *collect, int process, rts_index_t *first_p) {
    *first_p = collect->first;
    if (process >= collect->collectors || collect->piece <= 0 ||
        (collect->end - collect->first - 1) / collect->piece < process || collect->first >= collect->end)
        return 0;
    *first_p += process * collect->piece;
    return rts_min(collect->piece, collect->end - *first_p);
}

/* The collector's side: what it gets from an owner of the box, or gives to one. */
static rts_status_t meet_owner(void *context, int process, const rts_box_t *part) {
    work_t *work = context;
    const size_t bytes = work->collect->array->element.bytes;
    return work->is_gather
               ? rts_transfer_receive_into(&work->transfer, work->place, &work->layout, bytes, part, process)
               : rts_transfer_send_from(&work->transfer, work->place, &work->layout, bytes, part, process);
}

/* All processes that own some of the box, copies too. */
static rts_status_t meet_all(work_t *work) {
    const int processes = rts_comm_size();
    for (int process = 0; process < processes; process++) {
        const rts_box_t local = rts_placement_local(&work->placement, process),
                        part = rts_box_intersect(&local, &work->box);
        if (!rts_box_is_empty(&part))
            RTS_TRY(meet_owner(work, process, &part));
    }
    return RTS_OK;
}

/* One box: the part of this process as an owner, and all parts where it is the collector. */
static rts_status_t add_box(work_t *work, int collector, bool is_owner) {
    rts_array_t *array = work->collect->array;
    const rts_box_t part = rts_box_intersect(&array->local, &work->box);
    if (is_owner && !rts_box_is_empty(&part))
        RTS_TRY(work->is_gather ? rts_transfer_send(&work->transfer, array, &part, collector)
                                : rts_transfer_receive(&work->transfer, array, &part, collector));
    if (collector != rts_comm_rank())
        return RTS_OK;
    RTS_TRY(rts_layout_plain(&work->box, NULL, 1, &work->layout));
    return work->is_gather ? rts_placement_owners(&work->placement, &work->box, collector, meet_owner, work)
                           : meet_all(work);
}

static rts_status_t add_collector(work_t *work, int collector) {
    const rts_collect_t *collect = work->collect;
    const bool is_owner =
        !work->is_gather || rts_placement_serves(&work->placement, rts_comm_rank(), collector);
    rts_index_t first;
    const rts_index_t count = rts_collect_range(collect, collector, &first), end = first + count;
    if (!is_owner && collector != rts_comm_rank())
        return RTS_OK;
    for (rts_index_t at = first; at < end; at += rts_box_size(&work->box)) {
        work->box = rts_box_run(&collect->array->space, at, end);
        if (collector == rts_comm_rank())
            work->place = work->buffer + (size_t)(at - first) * collect->array->element.bytes;
        RTS_TRY(add_box(work, collector, is_owner));
    }
    return RTS_OK;
}

/* After a failure messages may be under way, whose memory must stay: it is left to the end of the job. */
static rts_status_t run(const rts_collect_t *collect, void *buffer, bool is_gather) {
    work_t work = {.collect = collect, .buffer = buffer, .is_gather = is_gather};
    work.placement = rts_array_placement(collect->array, &rts_runtime()->grid);
    rts_transfer_init(&work.transfer, RTS_TAG_FILE);
    for (int collector = 0; collector < collect->collectors; collector++)
        RTS_TRY(add_collector(&work, collector));
    RTS_TRY(rts_transfer_run(&work.transfer));
    rts_transfer_free(&work.transfer);
    return RTS_OK;
}

rts_status_t rts_collect_gather(const rts_collect_t *collect, void *buffer) {
    return run(collect, buffer, true);
}

rts_status_t rts_collect_scatter(const rts_collect_t *collect, const void *buffer) {
    return run(collect, (void *)(uintptr_t)buffer, false);
}
