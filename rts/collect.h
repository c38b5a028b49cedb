/* Ranges of an array's elements, in C order of their indices, between the processes that own them and buffers in a few processes: how whole
 * arrays get into files and out of them, whatever the grid. Decides which boxes go where; not what is done with the buffers. */
#ifndef RTS_COLLECT_H
#define RTS_COLLECT_H

#include "rts/array.h"

/** Which elements are in which buffer. The same in all processes. */
typedef struct rts_collect {
    rts_array_t *array;     /* distributed or aligned */
    int collectors;         /* processes 0..collectors - 1 have a buffer each; >= 1 */
    rts_index_t first, end; /* of all buffers together: places in C order, counted from 0 */
    rts_index_t
        piece; /* elements of a buffer: process k has [first + k * piece, first + (k + 1) * piece) up to `end` */
} rts_collect_t;

/** Whether every process owns the whole array, so that there is nothing to collect. The same in all processes. */
bool rts_collect_is_everywhere(const rts_array_t *array);

/** Elements in the buffer of a process; 0 when it has none. Their first one goes to *first_p. */
rts_index_t rts_collect_range(const rts_collect_t *collect, int process, rts_index_t *first_p);

/**
 * Newest values from their owners into the buffers; of several copies that count which have the coordinates of the collector along the
 * free axes of the grid. Synchronous, collective, main thread.
 * @param buffer  of a collector; others: NULL
 * @return RTS_ERR_NO_MEMORY, RTS_ERR_COMM  in this process; others may wait for it: the caller ends the job
 */
rts_status_t rts_collect_gather(const rts_collect_t *collect, void *buffer);

/** From the buffers to all owners, into all copies; as rts_coherence_write. Shadow edges stay. Else as rts_collect_gather. */
rts_status_t rts_collect_scatter(const rts_collect_t *collect, const void *buffer);

#endif
