/* Ordinary variables known to the runtime, by address: data regions (enter, exit) and the arrays made of them. Threads: any, also
 * while a loop runs; but only the main thread describes, and an array of a variable that a handler frees lives until the loop
 * has ended. */
#ifndef RTS_VARIABLE_H
#define RTS_VARIABLE_H

#include "rts/array.h"

/**
 * Enter a data region for the variable at an address: its depth grows by one.
 * @param bytes  its size, 0 when unknown; the known size becomes the larger of the old and the new one
 * @return RTS_ERR_INVALID  address NULL, or the variable would overlap another one
 */
rts_status_t rts_variable_enter(const void *address, size_t bytes);

/**
 * Leave a data region; at depth 0 the variable becomes unknown and its device copies are dropped.
 * @param save  bring its newest values home first
 * @return RTS_ERR_INVALID  unknown address
 */
rts_status_t rts_variable_exit(const void *address, bool save);

/** Whether the variable is in a data region. */
bool rts_variable_is_known(const void *address);

/** Make home hold the newest values of a variable; nothing when it is unknown or has no array. */
rts_status_t rts_variable_bring_home(const void *address);

/** Home alone holds the newest values from now on; nothing when the variable is unknown or has no array. */
rts_status_t rts_variable_written_home(const void *address);

/** Its array, or NULL when the address is unknown or no header was made yet. */
rts_array_t *rts_variable_array(const void *address);

/**
 * Array and header of a variable. Made once; again with the same type, rank and extents, except that the first extent may
 * grow: then values are brought home and the array is rebuilt. An unknown variable is entered automatically until
 * rts_variable_exit_automatic.
 * @param extent  zero-based extents; the first may be 0: derived from the known size
 * @param header_p  rank + 3 words, stable until the variable becomes unknown; may be NULL
 * @return RTS_ERR_INVALID  another type, rank or extents than before, or an unknown first extent
 */
rts_status_t rts_variable_describe(const void *address, int rank, const rts_index_t extent[],
                                   rts_element_t element, rts_array_t **array_p, DvmType **header_p);

/** Its header; NULL when it has none. */
DvmType *rts_variable_header(const void *address);

/** Leave, with save, the data regions that rts_variable_describe entered by itself: at the end of a region or loop. */
rts_status_t rts_variable_exit_automatic(void);

/** Forget all at the end of the run, without saving. */
void rts_variable_reset(void);

#endif
