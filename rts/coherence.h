/* Which replica holds the newest value of which elements, and the copies that follow. For every array and device it keeps the
 * boxes that are current; copies are made lazily, box by box, only when somebody needs the data there. Does not decide what
 * a loop needs: regions and exec say that. Main thread only. */
#ifndef RTS_COHERENCE_H
#define RTS_COHERENCE_H

#include "rts/array.h"

/**
 * The array's replica on a device, created (plain layout, nothing current) when there is none. Device 0: home.
 * @return RTS_ERR_NO_MEMORY  no room on the device; nothing changed: run on the host instead
 */
rts_status_t rts_coherence_replica(rts_array_t *array, int device, rts_replica_t **replica_p);

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

/** Free every replica but home. Newest values elsewhere are lost; fetch to device 0 first to keep them. */
void rts_coherence_release(rts_array_t *array);

#endif
