/* How many threads a block of a query handler's kernel has. Pure arithmetic: the program's wish first, then what the compiler proposes,
 * then a default, and all of that inside of what the device allows and the reductions need. */
#ifndef RTS_BLOCK_H
#define RTS_BLOCK_H

#include "rts/handler_ops.h"

typedef struct rts_block_request {
    int rank;             /* of the loop */
    bool has_dependences; /* its dependency mask is not 0 */
    bool has_reductions;
    int64_t wish[3];           /* the program's, x first; 0: none */
    int64_t proposal[3];       /* the compiler's; any 0: none */
    int64_t shared_per_thread; /* bytes */
    int64_t registers;         /* of a thread; <= 0: not known */
} rts_block_request_t;

/**
 * Choose a block.
 *
 * One thread where nothing is independent, and of a loop of rank 0. No more extents other than 1 than dims are independent, all dependent
 * ones together counting as one that is not. With reductions the number of threads is a multiple of 32, since warps are what handlers of
 * Fortran reduce over, or 1; where there are dependences, too, all extents are powers of two, as the halving in handlers of C wants it.
 * @return RTS_ERR_INVALID  the program's wish cannot be had; the message names the limit
 */
rts_status_t rts_block_choose(const rts_block_request_t *request, const rts_device_limits_t *limits,
                              int64_t block_p[3]);

#endif
