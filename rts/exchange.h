/* Messages between processes whose values lie on GPUs and stay there: which pairs of processes can do that, and pieces of device memory
 * that messages lie in until they are taken. What a message holds, and when it is sent, is its owner's decision.
 *
 * A message through device memory is a notice in its place: the receiver of a message of `bytes` bytes has room for a notice, and what comes
 * is the notice when its length is not `bytes`. So the sender alone decides, each time. No host waits for a GPU: the sender's notice
 * leaves when packing is queued, and the receiver's GPU waits for the sender's. Main thread only. */
#ifndef RTS_EXCHANGE_H
#define RTS_EXCHANGE_H

#include "rts/array.h"
#include "rts/exchange_ops.h"
#include "rts/loop.h"

/** What a receiver gets in the place of values. */
typedef struct rts_notice {
    rts_exchange_handle_t handle;
    int64_t slot;
} rts_notice_t;

/** A message in device memory; `place` NULL: it is none. */
typedef struct rts_device_mail {
    const rts_exchange_place_t *place;
    int owner; /* place of the sender among the processes of the node */
    int slot;
} rts_device_mail_t;

/** Bytes that a receiver must have room for. */
static inline size_t rts_exchange_room(size_t bytes) {
    return bytes > sizeof(rts_notice_t) ? bytes : sizeof(rts_notice_t);
}

/**
 * Find out which processes reach each other's devices, before the first loop that may run on one. Collective; the loop is everybody's.
 * What is not possible is told on the log, level debug, and is no error. DVMH_EXCHANGE.
 */
rts_status_t rts_exchange_prepare(const rts_loop_t *loop);

/** Give all back. Collective. Nothing may be under way. */
void rts_exchange_close(void);

/**
 * From here on what comes may be unpacked beside what is queued on the device after this, until rts_exchange_join: of a loop that runs, the
 * iterations that neither read nor write where it goes. What is asked for after a message has been taken begins after that.
 */
rts_status_t rts_exchange_fork(void);
void rts_exchange_join(void);

/**
 * Memory for a message, where the receiver reaches it.
 * @param bytes  of the message
 * @param mail_p  place NULL: none; the message goes through the host
 */
rts_status_t rts_exchange_begin(int process, size_t bytes, rts_device_mail_t *mail_p);

/** Queue the copy of a box's newest values into the message. @param at  bytes from its begin */
rts_status_t rts_exchange_pack(const rts_device_mail_t *mail, rts_array_t *array, const rts_box_t *box,
                               size_t at);

/** All is packed; the notice is to be sent now. */
rts_status_t rts_exchange_end(const rts_device_mail_t *mail, rts_notice_t *notice_p);

/** The message that a notice is about. @return RTS_ERR_UNSUPPORTED  its memory cannot be reached, though other memory of the process could */
rts_status_t rts_exchange_come(int process, const rts_notice_t *notice, rts_device_mail_t *mail_p);

/** Copy a box of the message, which begins `at` bytes behind its start, to host memory. @param room  its elements get there in order; filled on return */
rts_status_t rts_exchange_fetch(const rts_device_mail_t *mail, size_t element_bytes, const rts_box_t *box,
                                size_t at, void *room);

/** Queue the copy of a box of the message to where the array's newest values are; current there alone.
 * @param room  host memory for the box's values */
rts_status_t rts_exchange_unpack(const rts_device_mail_t *mail, rts_array_t *array, const rts_box_t *box,
                                 size_t at, void *room);

/** All is unpacked: its memory may be used again. */
rts_status_t rts_exchange_taken(const rts_device_mail_t *mail);

#endif
