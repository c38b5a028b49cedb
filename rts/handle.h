/* Handles that the program keeps in DvmType words: an index with a generation, never an address, so that a wrong or stale
 * word is recognised instead of followed. Looking one up is a few instructions and needs no lock. */
#ifndef RTS_HANDLE_H
#define RTS_HANDLE_H

#include "rts/status.h"

typedef int64_t rts_handle_t;

typedef enum rts_handle_kind {
    RTS_HANDLE_NONE = 0,
    RTS_HANDLE_ARRAY,
    RTS_HANDLE_TEMPLATE,
    RTS_HANDLE_REGION,
    RTS_HANDLE_LOOP,
    RTS_HANDLE_PORTION
} rts_handle_kind_t;

/**
 * Register an object.
 * @param handle_p  receives a positive number that no live object has and that dead ones had at least 2^30 reuses ago
 * Threads: any.
 * @return RTS_ERR_NO_MEMORY  the table cannot grow; *handle_p unchanged
 */
rts_status_t rts_handle_create(rts_handle_kind_t kind, void *object, rts_handle_t *handle_p);

/** The object behind a handle, or NULL when the handle is 0, unknown, stale or of another kind. Threads: any. */
void *rts_handle_object(rts_handle_t handle, rts_handle_kind_t kind);

/** Kind of a live handle; RTS_HANDLE_NONE for anything else. */
rts_handle_kind_t rts_handle_kind(rts_handle_t handle);

/** Forget a live handle; anything else is ignored. */
void rts_handle_destroy(rts_handle_t handle);

/** Printable kind, such as "array". */
const char *rts_handle_kind_name(rts_handle_kind_t kind);

/** Free the table itself at the end of the run: every handle becomes unknown. */
void rts_handle_reset(void);

#endif
