/* Messages, and the neighbours that they go to. */
#include <config.h>

#include <string.h>

#include "rts/memory.h"
#include "rts/pipeline_inside.h"
#include "rts/runtime.h"

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
    neighbour->is_before = neighbour->is_after = neighbour->is_old_under_way = false;
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
    for (int i = 0; i < around->capacity; i++) {
        rts_packet_free(&around->neighbour[i].packet);
        rts_transfer_free(&around->neighbour[i].old);
    }
    rts_transfer_free(&around->old_sent);
    rts_free(around->neighbour);
    rts_free(around->part);
    around->neighbour = NULL;
    around->part = NULL;
    around->capacity = around->count = 0;
    around->part_bytes = 0;
}
