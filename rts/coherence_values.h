/* Values of a box between replicas and a buffer of the caller in canonical order: for messages and files. Part of coherence, on its side of
 * backends: whatever layout and device the newest values are in. Main thread only. */
#ifndef RTS_COHERENCE_VALUES_H
#define RTS_COHERENCE_VALUES_H

#include "rts/array.h"
#include "rts/front_box.h"

/**
 * Newest values of a box, in C order of indices, into host memory. Which replicas are current does not change. Elements that are current
 * nowhere were never defined: home's bytes are taken.
 * @param box     inside the held part; may be empty
 * @param values  rts_box_size(box) elements
 */
rts_status_t rts_coherence_read(rts_array_t *array, const rts_box_t *box, void *values);

/**
 * New values of a box from host memory, in C order of indices. They go where the newest values of the part owned here are (home
 * where several replicas are current), and are current there alone.
 */
rts_status_t rts_coherence_write(rts_array_t *array, const rts_box_t *box, const void *values);

/** The same with a buffer in memory that a device reaches, of this process or of another one; 0: the host. What is there is so in the order
 * of what is asked of the device. rts_coherence_write_from: the newest values must be at home or on that device. */
rts_status_t rts_coherence_read_to(rts_array_t *array, const rts_box_t *box, int device, void *values);
rts_status_t rts_coherence_write_from(rts_array_t *array, const rts_box_t *box, int device,
                                      const void *values);

/** The device from which rts_coherence_read takes the first values of a box, and to which rts_coherence_write brings them. */
int rts_coherence_reads(const rts_array_t *array, const rts_box_t *box);
int rts_coherence_writes(rts_array_t *array);

/** The same for elements on fronts, in the order of rts/front_box.h. Those of the box that are not written stay as they are, and the box
 * is current where the newest values of the part owned here are. */
rts_status_t rts_coherence_read_fronts(rts_array_t *array, const rts_front_box_t *fronts, void *values);
rts_status_t rts_coherence_write_fronts(rts_array_t *array, const rts_front_box_t *fronts,
                                        const void *values);

#endif
