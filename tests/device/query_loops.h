/* Loops of random shapes that the tests of query handlers for CUDA run, with the same loops in plain C to compare with: see query_loops.c.
 * Arrays of rank 1 to 3 are walked by dims in any order and direction. */
#ifndef QUERY_LOOPS_H
#define QUERY_LOOPS_H

#include <dvmhlib_types.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __CUDACC__
#define QUERY_BOTH static inline __host__ __device__
#else
#define QUERY_BOTH static inline
#endif

/** A loop. Handlers get its address. */
typedef struct query_case {
    int rank;
    int dim[3]; /* of the loop, that walks each axis */
    DvmType start[3], end[3], step[3];
    bool depends[3]; /* along each axis */
    int dependent_count;
    bool transforms, reduces;
} query_case_t;

typedef struct query_location {
    int index[3];
} query_location_t;

/** A value that sums exactly, and is often equal to another one. */
QUERY_BOTH double query_whole(double value) {
    return floor(value * 16);
}

/** What the loops are run by, the first parameters after the loop: plain (a, b, weight, case), reduce and across (a, case), sequence
 * (scalar, factor), all pointers. */
typedef struct query_handlers {
    DvmHandlerFunc plain, reduce, across, sequence; /* reduce NULL: no loops with reductions */
    const struct query_handlers *host;              /* for loops that have to run on the host; NULL: none */
} query_handlers_t;

/** Ways in which arrays lay in handlers: bit 0 plain, 1 permuted, 2 diagonal. Set by handlers. */
extern unsigned query_seen_states;

/** A handler has found something wrong. */
void query_fail(const char *text);

/** Run loops on arrays of random shapes, some in a row on each, and compare everything bit for bit. Prints the seed.
 * @return exit status: 0, or 1 when something was wrong */
int query_run(const query_handlers_t *handlers, int trials, DvmType extent_most);

#ifdef __cplusplus
}
#endif

#endif
