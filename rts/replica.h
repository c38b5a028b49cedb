/* Replicas beside home: their buffers and forms, and copies between replicas, with the statistics of both. Part of coherence, which
 * decides what a copy or a form is for and keeps the boxes that are current. Main thread only. */
#ifndef RTS_REPLICA_H
#define RTS_REPLICA_H

#include "rts/array.h"

/** The array's replica on a device beside home; device 0: the work replica. @return NULL when there is none */
rts_replica_t *rts_replica_find(const rts_array_t *array, int device);

/**
 * New replica in a form, nothing current; the first of array->replicas then.
 * @return RTS_ERR_NO_MEMORY  nothing changed
 * @return RTS_ERR_INVALID    the held part has no layout of this form; nothing changed
 */
rts_status_t rts_replica_create(rts_array_t *array, int device, const rts_layout_form_t *form,
                                rts_replica_t **replica_p);

/** Free a replica beside home, whatever is current there. */
void rts_replica_destroy(rts_array_t *array, rts_replica_t *replica);

/** Free all replicas of an array but home. */
void rts_replica_destroy_all(rts_array_t *array);

/** Whether the buffer of a replica is large enough for a form; false also for forms that the held part cannot have. */
bool rts_replica_has_room(const rts_array_t *array, const rts_replica_t *replica,
                          const rts_layout_form_t *form);

/**
 * Give a replica another form without its values, in the buffer that it has where the size is right.
 * @return RTS_ERR_NO_MEMORY  only where rts_replica_has_room is false; nothing changed
 * @return RTS_ERR_INVALID    no such layout; nothing changed
 */
rts_status_t rts_replica_refit(const rts_array_t *array, rts_replica_t *replica,
                               const rts_layout_form_t *form);

/**
 * Give a replica another form with the values of its current boxes: in one pass into another buffer, or without memory for that in
 * place, where the backend can.
 * @return RTS_ERR_NO_MEMORY  neither is possible; nothing changed
 * @return other statuses     from the layout or the backend; nothing changed
 */
rts_status_t rts_replica_reorganise(const rts_array_t *array, rts_replica_t *replica,
                                    const rts_layout_form_t *form);

/** Copy a box of values; counted as reorganisation where the layouts differ or the device is the same, else as copy. */
rts_status_t rts_replica_copy(const rts_array_t *array, const rts_replica_t *source, rts_replica_t *target,
                              const rts_box_t *box);

/** Free the spare buffers. */
void rts_replica_reset(void);

#endif
