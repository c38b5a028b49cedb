/* One message from each process with iterations to each that sees elements which it sees; see the header. */
#include <config.h>

#include "rts/pipeline_out.h"

#include <string.h>

#include "rts/memory.h"
#include "rts/runtime.h"
#include "rts/transfer.h"

/* A process that sees elements which this one sees. */
typedef struct peer {
    int process;
    rts_box_t iterations;
    bool writes;    /* it has iterations */
    bool is_before; /* and they come before those here */
} peer_t;

static struct {
    peer_t *peer; /* in the order of their iterations */
    int count, capacity;
} out;

bool rts_out_is_needed(const rts_neighbourhood_t *around) {
    for (int i = 0; i < around->across_count; i++)
        if (around->across[i].is_out)
            return true;
    return false;
}

/* ---- peers ---- */

static rts_status_t add_peer(void *context, int process, const rts_box_t *part) {
    const rts_neighbourhood_t *around = context;
    (void)part;
    if (process == rts_comm_rank())
        return RTS_OK;
    for (int i = 0; i < out.count; i++)
        if (out.peer[i].process == process)
            return RTS_OK;
    if (out.count == out.capacity) {
        const int capacity = 2 * out.capacity + 4;
        peer_t *peer = rts_alloc_zeroed((size_t)capacity, sizeof *peer);
        if (peer == NULL)
            return rts_fail_memory("the neighbours of an across loop", (size_t)capacity * sizeof *peer);
        if (out.count > 0)
            memcpy(peer, out.peer, (size_t)out.count * sizeof *peer);
        rts_free(out.peer);
        out.peer = peer;
        out.capacity = capacity;
    }
    peer_t added = {.process = process};
    added.writes = rts_loop_iterations(around->loop, &rts_runtime()->grid, process, &added.iterations);
    added.is_before = added.writes && !around->loop->is_empty &&
                      rts_cut_before(&around->cut, &added.iterations, &around->loop->local);
    int at = out.count++;
    for (; at > 0 && added.writes && out.peer[at - 1].writes &&
           rts_cut_before(&around->cut, &added.iterations, &out.peer[at - 1].iterations);
         at--)
        out.peer[at] = out.peer[at - 1];
    out.peer[at] = added;
    return RTS_OK;
}

static rts_status_t find_peers(const rts_neighbourhood_t *around) {
    for (int i = 0; i < around->across_count; i++) {
        const rts_across_array_t *across = &around->across[i];
        if (!across->is_out || rts_box_is_empty(&across->array->local))
            continue;
        const rts_box_t seen = rts_across_wide(across, &across->array->local, false),
                        owned = rts_across_wide(across, &seen, true);
        RTS_TRY(rts_placement_owners(&across->placement, &owned, rts_comm_rank(), add_peer,
                                     (void *)(uintptr_t)around));
    }
    return RTS_OK;
}

/* What both see of an array; nothing of one that is not written beyond the own elements. */
static rts_box_t common(const rts_across_array_t *across, const peer_t *peer) {
    const rts_box_t theirs = rts_placement_local(&across->placement, peer->process),
                    seen = rts_across_wide(across, &across->array->local, false),
                    seen_there = rts_across_wide(across, &theirs, false);
    if (!across->is_out || rts_box_is_empty(&seen) || rts_box_is_empty(&seen_there))
        return rts_box_empty(theirs.rank);
    return rts_box_intersect(&seen, &seen_there);
}

/* ---- values ---- */

static rts_status_t take_from(const rts_neighbourhood_t *around, const rts_exec_data_t *data,
                              const peer_t *peer, rts_transfer_t *transfer) {
    for (int i = 0; i < around->across_count; i++) {
        const rts_box_t box = common(&around->across[i], peer);
        RTS_TRY(rts_transfer_receive(transfer, around->across[i].array, &box, peer->process));
    }
    RTS_TRY(rts_transfer_run(transfer));
    for (int i = 0; i < around->across_count && !around->loop->is_empty; i++) {
        const rts_box_t box = common(&around->across[i], peer);
        if (!rts_box_is_empty(&box))
            RTS_TRY(rts_exec_data_bring(data, around->across[i].array, &box));
    }
    return RTS_OK;
}

/* One process after the other, in their order: a later one has newer values. */
static rts_status_t take(const rts_neighbourhood_t *around, const rts_exec_data_t *data, bool before) {
    for (int i = 0; i < out.count; i++) {
        rts_transfer_t transfer;
        if (!out.peer[i].writes || out.peer[i].is_before != before)
            continue;
        rts_transfer_init(&transfer, RTS_TAG_PIPELINE);
        RTS_TRY(take_from(around, data, &out.peer[i], &transfer));
        rts_transfer_free(&transfer);
    }
    return RTS_OK;
}

static rts_status_t give(const rts_neighbourhood_t *around, rts_transfer_t *transfer) {
    for (int n = 0; n < out.count && !around->loop->is_empty; n++)
        for (int i = 0; i < around->across_count; i++) {
            const rts_box_t box = common(&around->across[i], &out.peer[n]);
            RTS_TRY(rts_transfer_send(transfer, around->across[i].array, &box, out.peer[n].process));
        }
    return rts_transfer_start(transfer);
}

/* ---- the two calls ---- */

rts_status_t rts_out_begin(const rts_neighbourhood_t *around, const rts_exec_data_t *data) {
    RTS_TRY(find_peers(around));
    return take(around, data, true);
}

rts_status_t rts_out_end(const rts_neighbourhood_t *around, const rts_exec_data_t *data) {
    rts_transfer_t transfer;
    if (around->loop->is_empty)
        RTS_TRY(find_peers(around));
    rts_transfer_init(&transfer, RTS_TAG_PIPELINE);
    RTS_TRY(give(around, &transfer));
    RTS_TRY(take(around, data, false));
    RTS_TRY(rts_transfer_finish(&transfer));
    rts_transfer_free(&transfer);
    rts_free(out.peer);
    out.peer = NULL;
    out.count = out.capacity = 0;
    return RTS_OK;
}
