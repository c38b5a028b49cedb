/* Shadow edges: what neighbours own and this process holds copies of. Decides which boxes of an array go from which process to which
 * when its edges are renewed, and when that happens: requests are collected, and exchanged together before anybody could read the edges.
 * Which replicas have the values is coherence's business.
 *
 * All processes make the same requests in the same order. Main thread only. With one process nothing is done and nothing is kept.
 * Whether a process does something between rts_halo_start and rts_halo_finish is its own affair: messages are the same. */
#ifndef RTS_HALO_H
#define RTS_HALO_H

#include "rts/transfer.h"

/**
 * Ask for the shadow edges of an array to be renewed: by its owners' newest values as they are at rts_halo_settle. Nobody may change
 * values or look at the edges before. Collective; nothing is sent yet.
 * @param corners    also what lies in the edges of two or more axes; without, the edges of each axis beside the local part alone
 * @param low, high  widths of each axis, not above the declared ones; NULL: the declared ones
 * @return RTS_ERR_NO_MEMORY  nothing changed here, but other processes have the request: the caller ends the job
 */
rts_status_t rts_halo_request(rts_array_t *array, bool corners, const rts_index_t low[],
                              const rts_index_t high[]);

/** Requests that wait for rts_halo_settle or rts_halo_start. Read-only; other threads may look while no request is made. */
extern int rts_halo_pending;

/** A request that waits. */
typedef struct rts_halo_waiting {
    rts_array_t *array;
    const rts_index_t *low, *high; /* widths; good until the next request or start */
} rts_halo_waiting_t;

/** Request number 0..rts_halo_pending - 1. */
rts_halo_waiting_t rts_halo_waiting(int number);

/**
 * Start to renew all edges that were asked for: owned values are taken, messages are under way, and no request waits any more.
 * Collective. Owned values may change then, arrays must stay where they are, and nobody may look at the edges before rts_halo_finish.
 * @return as rts_halo_settle
 */
rts_status_t rts_halo_start(void);

/** A box of edges has arrived; it is current where the local part is, and nowhere else. */
typedef rts_status_t (*rts_halo_arrived_fn_t)(void *context, rts_array_t *array, const rts_box_t *box);

/**
 * Wait for what rts_halo_start started, if anything. Synchronous.
 * @param arrived  called for each box; NULL: nobody wants to know
 * @return as rts_halo_settle, or what `arrived` returns
 */
rts_status_t rts_halo_finish(rts_halo_arrived_fn_t arrived, void *context);

/**
 * Renew all edges that were asked for: one message to every neighbour. Collective, synchronous: edges are current where the local part
 * is when it returns. Statistics: HALO_TIME.
 * @return RTS_ERR_NO_MEMORY, RTS_ERR_COMM, or from a backend; the caller ends the job, since other processes may wait
 */
rts_status_t rts_halo_settle(void);

/** Renew the edges of one array, and all that were asked for before. */
rts_status_t rts_halo_renew(rts_array_t *array, bool corners, const rts_index_t low[],
                            const rts_index_t high[]);

/** Forget requests: at the end of a program, when nobody will look. */
void rts_halo_drop(void);

/** Forget everything at the end of the run. */
void rts_halo_reset(void);

/* --- building blocks --- */

/**
 * Box number 0, 1, .. that a process wants to have of an array.
 * @param local  what the process owns; not empty
 * @param box_p  inside what the process holds; may be empty
 * @return false  there is none of this number nor of greater ones. Must depend on nothing that differs between processes
 */
typedef bool (*rts_halo_wanted_fn_t)(const void *context, const rts_array_t *array, const rts_box_t *local,
                                     int number, rts_box_t *box_p);

/**
 * Add to a transfer that every process gets the boxes that it wants, from their owners with its own coordinates along free axes of the
 * grid. What it owns itself is left out. Nothing is sent yet.
 */
rts_status_t rts_halo_add_wanted(rts_transfer_t *transfer, rts_array_t *array, rts_halo_wanted_fn_t wanted,
                                 const void *context);

/** Add the renewal of an array's edges to a transfer. Parameters: rts_halo_request. */
rts_status_t rts_halo_add(rts_transfer_t *transfer, rts_array_t *array, bool corners, const rts_index_t low[],
                          const rts_index_t high[]);

/** Add one edge: `width` elements beside the local part along an axis, before it (side 0) or behind it (side 1), no corners. */
rts_status_t rts_halo_add_side(rts_transfer_t *transfer, rts_array_t *array, int axis, int side,
                               rts_index_t width);

#endif
