/* What the files of the pipeline share: the neighbours of this process in the running loop, and messages with them. */
#ifndef RTS_PIPELINE_INSIDE_H
#define RTS_PIPELINE_INSIDE_H

#include "rts/across_array.h"
#include "rts/comm.h"
#include "rts/exec_data.h"
#include "rts/pipeline.h"
#include "rts/transfer.h"

/** A message in a buffer that is kept from one to the next. */
typedef struct rts_packet {
    rts_flight_t flight;
    char *buffer;
    size_t capacity;
} rts_packet_t;

/** No iteration here reads what a neighbour has. */
#define RTS_NOT_READ RTS_MAX_RANK

/** A process that owns edges of this one, or the other way round. Parts: one of every across array, maybe empty. */
typedef struct rts_neighbour {
    int process;
    rts_box_t local; /* its iterations */
    bool
        is_before; /* some tile of it may come before one here that needs it; is_after: the other way round */
    bool is_after;
    rts_index_t tile_count, next; /* its tiles; the first of which nothing was received yet */
    rts_packet_t packet;          /* what is being received: of tile `next` */
    bool is_posted;
    rts_transfer_t old; /* what comes from it before it runs */
    bool is_old_under_way;
    int above; /* a dim along which its iterations come after all those here; -1: none that is known; RTS_NOT_READ */
} rts_neighbour_t;

typedef struct rts_neighbourhood {
    const rts_loop_t *loop;
    int across_count;
    rts_across_array_t across[RTS_MAX_LOOP_ITEMS];
    rts_cut_t cut;
    rts_index_t reach
        [RTS_MAX_RANK]; /* iterations from which values of the next process along a dim may be read; 0: unknown */
    rts_transfer_t old_sent;
    int count, capacity;
    rts_neighbour_t *neighbour;
    rts_box_t *part; /* 2 * across_count of every neighbour: what it owns of our edges, what we own of its */
    size_t part_bytes;
} rts_neighbourhood_t;

/** What neighbour `number` owns of the edges here, or (`ours`) what is owned here of its edges. */
static inline rts_box_t *rts_neighbour_part(const rts_neighbourhood_t *around, int number, int across,
                                            bool ours) {
    return &around->part[(2 * number + (ours ? 1 : 0)) * around->across_count + across];
}

/** Find all neighbours; across arrays and the cut are known. @return RTS_ERR_NO_MEMORY */
rts_status_t rts_neighbours_find(rts_neighbourhood_t *around);
void rts_neighbours_free(rts_neighbourhood_t *around);

/** Room for a message, once the one before has left or arrived. @return RTS_ERR_NO_MEMORY */
rts_status_t rts_packet_reserve(rts_packet_t *packet, size_t bytes);
void rts_packet_free(rts_packet_t *packet);

/** Start the exchange of values as they are before the loop, in all edges but those that tiles will bring anyway; and wait for those that
 * the first iteration might read. */
rts_status_t rts_old_start(rts_neighbourhood_t *around, const rts_exec_data_t *data);

/** Run a tile; of its iterations those that may read values still under way come last, and wait for them. */
rts_status_t rts_old_run(rts_neighbourhood_t *around, const rts_exec_data_t *data, const rts_cut_tile_t *tile,
                         rts_launch_fn_t launch);

/** Wait for what is left. */
rts_status_t rts_old_finish(rts_neighbourhood_t *around, const rts_exec_data_t *data);

#endif
