/* Neighbours, and the exchange of old values before the first tile. */
#include <config.h>

#include <string.h>

#include "rts/memory.h"
#include "rts/pipeline_inside.h"
#include "rts/runtime.h"
#include "rts/transfer.h"

/* ---- packets ---- */

rts_status_t rts_packet_reserve(rts_packet_t *packet, size_t bytes) {
    RTS_TRY(rts_comm_wait(&packet->flight));
    if (bytes <= packet->capacity)
        return RTS_OK;
    char *buffer = rts_alloc(bytes);
    if (buffer == NULL)
        return rts_fail_memory("a message of an across loop", bytes);
    rts_free(packet->buffer);
    packet->buffer = buffer;
    packet->capacity = bytes;
    return RTS_OK;
}

void rts_packet_free(rts_packet_t *packet) {
    rts_flight_free(&packet->flight);
    rts_free(packet->buffer);
    *packet = (rts_packet_t){.buffer = NULL};
}

/* ---- neighbours ---- */

/* A walk over the owners of a box. */
typedef struct visit {
    rts_neighbourhood_t *around;
    int across;
    bool ours; /* the box is what others read around the part here: then an owner's edges reach here */
} visit_t;

static rts_status_t grow(rts_neighbourhood_t *around) {
    const int capacity = around->capacity > 0 ? 2 * around->capacity : 8;
    rts_neighbour_t *neighbour = rts_alloc_zeroed((size_t)capacity, sizeof *neighbour);
    if (neighbour == NULL)
        return rts_fail_memory("the neighbours of an across loop", (size_t)capacity * sizeof *neighbour);
    if (around->capacity > 0)
        memcpy(neighbour, around->neighbour, (size_t)around->capacity * sizeof *neighbour);
    rts_free(around->neighbour);
    around->neighbour = neighbour;
    around->capacity = capacity;
    return RTS_OK;
}

static rts_status_t grow_parts(rts_neighbourhood_t *around) {
    const size_t bytes = (size_t)(2 * around->capacity * around->across_count) * sizeof *around->part;
    if (bytes <= around->part_bytes)
        return RTS_OK;
    rts_box_t *part = rts_alloc(bytes);
    if (part == NULL)
        return rts_fail_memory("the edges of an across loop", bytes);
    if (around->part_bytes > 0)
        memcpy(part, around->part, around->part_bytes);
    rts_free(around->part);
    around->part = part;
    around->part_bytes = bytes;
    return RTS_OK;
}

static rts_status_t add_neighbour(rts_neighbourhood_t *around, int process) {
    if (around->count == around->capacity)
        RTS_TRY(grow(around));
    RTS_TRY(grow_parts(around));
    const rts_cut_t *cut = &around->cut;
    const rts_box_t *here = &around->loop->local;
    rts_neighbour_t *neighbour = &around->neighbour[around->count];
    neighbour->process = process;
    neighbour->next = 0;
    neighbour->is_posted = false;
    neighbour->tile_count = 0;
    neighbour->is_before = neighbour->is_after = false;
    if (rts_loop_iterations(around->loop, &rts_runtime()->grid, process, &neighbour->local) &&
        !around->loop->is_empty) {
        neighbour->tile_count = rts_cut_tile_count(cut, &neighbour->local);
        neighbour->is_before = rts_cut_may_need(cut, &neighbour->local, here);
        neighbour->is_after = rts_cut_may_need(cut, here, &neighbour->local);
    }
    for (int i = 0; i < around->across_count; i++)
        for (int ours = 0; ours < 2; ours++)
            *rts_neighbour_part(around, around->count, i, ours != 0) =
                rts_box_empty(around->across[i].array->space.rank);
    around->count++;
    return RTS_OK;
}

static rts_status_t add_owner(void *context, int process, const rts_box_t *part) {
    const visit_t *visit = context;
    rts_neighbourhood_t *around = visit->around;
    const rts_across_array_t *across = &around->across[visit->across];
    int number = 0;
    if (process == rts_comm_rank())
        return RTS_OK;
    while (number < around->count && around->neighbour[number].process != process)
        number++;
    if (number == around->count)
        RTS_TRY(add_neighbour(around, process));
    rts_box_t *kept = rts_neighbour_part(around, number, visit->across, visit->ours);
    if (!visit->ours) {
        *kept = *part;
        return RTS_OK;
    }
    const rts_box_t local = rts_placement_local(&across->placement, process),
                    wide = rts_across_wide(across, &local, false);
    *kept = rts_box_intersect(&wide, &across->array->local);
    return RTS_OK;
}

rts_status_t rts_neighbours_find(rts_neighbourhood_t *around) {
    around->count = 0;
    for (int i = 0; i < around->across_count; i++) {
        const rts_across_array_t *across = &around->across[i];
        const rts_box_t *local = &across->array->local;
        for (int ours = 0; ours < 2 && !rts_box_is_empty(local); ours++) {
            visit_t visit = {around, i, ours != 0};
            const rts_box_t wide = rts_across_wide(across, local, ours != 0);
            RTS_TRY(rts_placement_owners(&across->placement, &wide, rts_comm_rank(), add_owner, &visit));
        }
    }
    return RTS_OK;
}

void rts_neighbours_free(rts_neighbourhood_t *around) {
    for (int i = 0; i < around->capacity; i++)
        rts_packet_free(&around->neighbour[i].packet);
    rts_free(around->neighbour);
    rts_free(around->part);
    around->neighbour = NULL;
    around->part = NULL;
    around->capacity = around->count = 0;
    around->part_bytes = 0;
}

/* ---- old values ---- */

/* Whether the tiles of `from` bring all of a part to every tile of `to` that reads it. */
static bool comes_later(const rts_neighbourhood_t *around, const rts_across_array_t *across,
                        const rts_box_t *from, const rts_box_t *to, const rts_box_t *part) {
    const rts_cut_t *cut = &around->cut;
    if (cut->is_mixed || rts_box_is_empty(from) || !rts_across_is_dense(across) ||
        !rts_cut_may_need(cut, from, to) || !rts_cut_before(cut, from, to))
        return false;
    const rts_box_t image = rts_across_image(across, from);
    return rts_box_contains(&image, part);
}

static rts_status_t add_old(const rts_neighbourhood_t *around, rts_transfer_t *transfer) {
    const rts_box_t *here = &around->loop->local;
    for (int n = 0; n < around->count; n++) {
        const rts_neighbour_t *neighbour = &around->neighbour[n];
        for (int i = 0; i < around->across_count; i++) {
            const rts_across_array_t *across = &around->across[i];
            const rts_box_t *theirs = rts_neighbour_part(around, n, i, false),
                            *ours = rts_neighbour_part(around, n, i, true);
            if (!rts_box_is_empty(here) && !comes_later(around, across, &neighbour->local, here, theirs))
                RTS_TRY(rts_transfer_receive(transfer, across->array, theirs, neighbour->process));
            if (!rts_box_is_empty(&neighbour->local) &&
                !comes_later(around, across, here, &neighbour->local, ours))
                RTS_TRY(rts_transfer_send(transfer, across->array, ours, neighbour->process));
        }
    }
    return RTS_OK;
}

/* Received values go where the loop finds them. */
static rts_status_t bring_old(const rts_neighbourhood_t *around, const rts_exec_data_t *data) {
    for (int n = 0; n < around->count; n++)
        for (int i = 0; i < around->across_count; i++) {
            const rts_box_t *part = rts_neighbour_part(around, n, i, false);
            if (!rts_box_is_empty(part))
                RTS_TRY(rts_exec_data_bring(data, around->across[i].array, part));
        }
    return RTS_OK;
}

rts_status_t rts_pipeline_exchange_old(const rts_neighbourhood_t *around, const rts_exec_data_t *data) {
    rts_transfer_t transfer;
    rts_transfer_init(&transfer, RTS_TAG_TRANSFER);
    rts_status_t status = add_old(around, &transfer);
    if (status == RTS_OK)
        status = rts_transfer_run(&transfer);
    if (status == RTS_OK)
        rts_transfer_free(&transfer);
    return status == RTS_OK && !around->loop->is_empty ? bring_old(around, data) : status;
}
