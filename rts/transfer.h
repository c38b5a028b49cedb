/* Boxes of values between processes: any number of boxes of any arrays, all that goes from one process to another in one message. What goes
 * where is the caller's decision; values travel in canonical order, so that processes need not agree on layouts. Values on a GPU stay in the
 * memory of GPUs where both processes reach it (rts/exchange.h).
 *
 * Both sides of a message must add the same boxes in the same order; sizes follow from the boxes. Main thread only. */
#ifndef RTS_TRANSFER_H
#define RTS_TRANSFER_H

#include "rts/array.h"
#include "rts/comm.h"

/** One box of one message. */
typedef struct rts_transfer_part {
    rts_array_t *array; /* NULL: the memory below */
    size_t element_bytes;
    void *memory;
    rts_layout_t layout; /* of the memory; on device 0 */
    rts_box_t box;
    int process;
    bool is_send;
    size_t at;  /* in the buffer of its side */
    int number; /* first of a message: that of the message in the flight */
} rts_transfer_part_t;

/** Zeroed: empty. */
typedef struct rts_transfer {
    rts_tag_t tag;
    int count, capacity;
    rts_transfer_part_t *part;
    bool is_sorted; /* by side and process; in the order of addition among equals */
    size_t send_bytes, receive_bytes;
    char *buffer; /* what is sent, then what is received */
    size_t buffer_bytes;
    rts_flight_t flight;
} rts_transfer_t;

/** Ready for boxes; messages of different tags are not mixed up. */
void rts_transfer_init(rts_transfer_t *transfer, rts_tag_t tag);

/** Forget all boxes; memory is kept. Nothing may be under way. */
void rts_transfer_clear(rts_transfer_t *transfer);

/** Free everything; nothing may be under way. */
void rts_transfer_free(rts_transfer_t *transfer);

/**
 * Add a box of newest values to what goes to a process, or a box that comes from one and will be current where the array is
 * (rts_coherence_write). A box from this process to itself is added on both sides too. Empty boxes are nothing.
 * @param box  inside the held part
 */
rts_status_t rts_transfer_send(rts_transfer_t *transfer, rts_array_t *array, const rts_box_t *box,
                               int process);
rts_status_t rts_transfer_receive(rts_transfer_t *transfer, rts_array_t *array, const rts_box_t *box,
                                  int process);

/** The same for elements in host memory, in a layout that contains the box. The memory must stay until the transfer has finished. */
rts_status_t rts_transfer_send_from(rts_transfer_t *transfer, const void *memory, const rts_layout_t *layout,
                                    size_t element_bytes, const rts_box_t *box, int process);
rts_status_t rts_transfer_receive_into(rts_transfer_t *transfer, void *memory, const rts_layout_t *layout,
                                       size_t element_bytes, const rts_box_t *box, int process);

/** Allocate what the messages need, so that rts_transfer_start does not lack it later. Not necessary before. */
rts_status_t rts_transfer_prepare(rts_transfer_t *transfer);

/** Pack and start all messages. Values may change afterwards. The same transfer may be started again once it has finished. */
rts_status_t rts_transfer_start(rts_transfer_t *transfer);

/** Wait for all messages and unpack them. */
rts_status_t rts_transfer_finish(rts_transfer_t *transfer);

/** Start and finish. */
rts_status_t rts_transfer_run(rts_transfer_t *transfer);

#endif
