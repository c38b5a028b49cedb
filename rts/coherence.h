/* Which replica holds the newest value of which elements, and the copies that follow. For every array and device it keeps the
 * boxes that are current; copies are made lazily, box by box, only when somebody needs the data there. Does not decide what
 * a loop needs: regions and exec say that. Main thread only. */
#ifndef RTS_COHERENCE_H
#define RTS_COHERENCE_H

#include "rts/array.h"

/*
 * Where a device beside the host has no memory for a replica, those of other arrays leave it, the longest unused first: newest values go
 * home. Those of the use that is under way stay.
 */

/** A use of arrays begins, such as a loop: replicas on devices that are asked for from now on stay there until the next call. */
void rts_coherence_begin_use(void);
/** So does the one that the array has on a device, if it has one: before others are asked for. */
void rts_coherence_hold(rts_array_t *array, int device);

/**
 * The array's replica on a device, created (plain layout, nothing current) when there is none. Device 0: home.
 * @return RTS_ERR_NO_MEMORY  no room on the device; nothing changed: run on the host instead
 */
rts_status_t rts_coherence_replica(rts_array_t *array, int device, rts_replica_t **replica_p);

/** Memory on a device beside the host that is no replica's, such as for partial results: as much as replicas that are not in use leave.
 * @return RTS_ERR_NO_MEMORY  those that are in use fill it; nothing changed but that the others have left */
rts_status_t rts_coherence_allocate(int device, size_t bytes, void **memory_p);

/**
 * Make a box current on a device: copy what is not from the replicas that are. Elements that are current nowhere were never
 * defined and are left alone. The box is clipped to the held part.
 * @param box  user indices; NULL: everything held
 */
rts_status_t rts_coherence_fetch(rts_array_t *array, int device, const rts_box_t *box);

/** The device alone holds the newest values of a box from now on. The replica must exist. NULL: everything held. */
rts_status_t rts_coherence_written(rts_array_t *array, int device, const rts_box_t *box);

/** Nobody holds values of a box any more: they are undefined. */
rts_status_t rts_coherence_discard(rts_array_t *array, const rts_box_t *box);

/**
 * The array's replica on a device in a form, for a loop that will run there: on device 0 with home's form home itself, else the
 * device's replica (on device 0: the work replica), created or brought into the form. Newest values that only that replica holds
 * are kept: reorganised in one pass into a buffer of the new form; without memory for that in place; else, on device 0, by way
 * of home. Buffers that become free are kept, one a device, and used again. Nothing is fetched.
 *
 * Statistics: REORGANISATIONS, REORGANISE_BYTES (size of the box, once), REORGANISE_TIME here and in every copy between different
 * layouts; REPLICA_BYTES. What it cost, for the planner, is the difference of these counters.
 * @return RTS_ERR_NO_MEMORY  no room; values, form and replica are as they were
 */
rts_status_t rts_coherence_place(rts_array_t *array, int device, const rts_layout_form_t *form,
                                 rts_replica_t **replica_p);

/** As rts_coherence_fetch and rts_coherence_written, for a replica of rts_coherence_place. */
rts_status_t rts_coherence_fetch_to(rts_array_t *array, rts_replica_t *replica, const rts_box_t *box);
rts_status_t rts_coherence_written_at(rts_array_t *array, rts_replica_t *replica, const rts_box_t *box);

/** Forms in which the newest values of a box are wholly at hand on a device: at most 2, home first. @return how many */
int rts_coherence_present(const rts_array_t *array, int device, const rts_box_t *box,
                          rts_layout_form_t form[2]);

/** Bring all newest values home and free every other replica: before the array moves. Fails only before anything is freed. */
rts_status_t rts_coherence_settle(rts_array_t *array);

/** Free every replica but home. Newest values elsewhere are lost; fetch to device 0 first to keep them. */
void rts_coherence_release(rts_array_t *array);

/** Free the buffers kept for later use, at the end of the run, before the backends are closed. */
void rts_coherence_reset(void);

#endif
