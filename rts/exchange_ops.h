/* What an accelerator does for messages between processes of one machine: memory on it that others reach, and an order between the work of
 * one process and that of another that no host waits for. Plain structs; a third table next to rts/backend.h and rts/handler_ops.h. */
#ifndef RTS_EXCHANGE_OPS_H
#define RTS_EXCHANGE_OPS_H

#include "rts/status.h"

/** A piece of a device's memory and an event, as other processes of the machine get to know of them. Travels in messages. */
typedef struct rts_exchange_handle {
    unsigned char memory[64], event[64];
    uint64_t bytes;
} rts_exchange_handle_t;

/** The two of them, in the process that has made them or in one that has opened them. */
typedef struct rts_exchange_place {
    int device; /* of this process */
    void *memory;
    void *event; /* NULL: not there */
} rts_exchange_place_t;

/** Main thread, all of them. Device numbers are those of rts/backend.h. */
typedef struct rts_exchange_ops {
    /** Memory with an event. Sync, slow: waits for the device. @param handle_p  for other processes; NULL: it is for this one alone
     * @return RTS_ERR_UNSUPPORTED, RTS_ERR_NO_MEMORY  with a message for logs; nothing changed */
    rts_status_t (*make)(int device, size_t bytes, rts_exchange_place_t *place_p,
                         rts_exchange_handle_t *handle_p);
    /** What another process has made, for a device here. The process that has made it must still run. Sync, slow.
     * @return RTS_ERR_UNSUPPORTED  processes cannot do that here, or devices do not reach each other; nothing changed */
    rts_status_t (*open)(int device, const rts_exchange_handle_t *handle, rts_exchange_place_t *place_p);
    /** Give up what was made or opened; who has opened it does so first. Waits for the device. Harmless on zeroed places. */
    void (*drop)(rts_exchange_place_t *place, bool is_made);
    /** What is queued on the place's device from now on begins after the newest mark, whichever process has made it. Does not wait. */
    rts_status_t (*after)(const rts_exchange_place_t *place);
    /** Mark what is queued on the place's device now. Does not wait. */
    rts_status_t (*mark)(const rts_exchange_place_t *place);
    /** From here on copies may run beside what is queued on the device; and whether what is asked of it now does so: behind the fork
     * while `goes`, and before all else that is asked for afterwards. Does not wait.
     * @param forks_p  false: better not, and `aside` must not be called; a GPU that processes share changes between them for each wait */
    rts_status_t (*fork)(int device, bool *forks_p);
    rts_status_t (*aside)(int device, bool goes);
    /** Until all is done that is queued on the device. */
    rts_status_t (*settle)(int device);
} rts_exchange_ops_t;

/** The table of a device; NULL: there is none, as for the host. */
const rts_exchange_ops_t *rts_exchange_ops_of_device(int device);

#endif
