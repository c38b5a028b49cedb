/* Partial results of a reduction that kernels have left on a device. Read by C and by CUDA. */
#ifndef RTS_ITEMS_H
#define RTS_ITEMS_H

#include <stddef.h>
#include <stdint.h>

/** Partial results that rts_handler_ops_t.collect leaves, at most. */
#define RTS_ITEM_PARTS 256

/** Partial results on a device: of element e of the reduction the item t lies at items[e * item_count + t], its location at
 * locations + t * location_bytes. */
typedef struct rts_items_job {
    int operation, type; /* rf_, rt_ of the ABI: a pair that has a meaning */
    size_t element_bytes, location_bytes;
    int64_t element_count, item_count; /* both >= 1; element_count 1 where there are locations */
    const void *items, *locations;     /* locations NULL without */
} rts_items_job_t;

#endif
