/* Watches the sequence of executed loops and finds its period. Knows loops by an address and the arrays by their handles; what is
 * done with a period is period.c's decision. Fixed memory, no allocation. */
#ifndef RTS_SEQUENCE_H
#define RTS_SEQUENCE_H

#include "rts/handle.h"

/** Longest period that is noticed, in executions. */
#define RTS_SEQUENCE_MAX_PERIOD 128
#define RTS_SEQUENCE_ENTRIES    512  /* a power of two, more than two periods */
#define RTS_SEQUENCE_HANDLES    4096 /* a power of two; a period that uses more is not noticed */
#define RTS_SEQUENCE_BUCKETS    1024

/** One execution. */
typedef struct rts_sequence_entry {
    void *loop;
    int64_t first_handle; /* number of the first of its handles, counted from the start of the sequence */
    int64_t previous;     /* number of the entry before it in the same bucket; -1: none */
    int array_count;
    int option; /* what was chosen for it; set by the caller */
} rts_sequence_entry_t;

typedef struct rts_sequence {
    int64_t count, handle_count; /* so far */
    int64_t period;              /* hypothesis: each entry equals the one `period` before; 0: none */
    int64_t
        right; /* entries at the end for which that holds; more than 256 only since the hypothesis was made */
    rts_sequence_entry_t entry[RTS_SEQUENCE_ENTRIES];
    rts_handle_t handle[RTS_SEQUENCE_HANDLES];
    int64_t bucket[RTS_SEQUENCE_BUCKETS]; /* number of the newest entry + 1; 0: none */
} rts_sequence_t;

void rts_sequence_reset(rts_sequence_t *sequence);

/**
 * One execution more. Where it is not what the hypothesis predicts, the new hypothesis is the shortest distance for which a whole round
 * was right, or the one that comes nearest to that. A constant number of steps while predictions are right.
 * @param array  handles of the loop's arrays; at most RTS_SEQUENCE_HANDLES
 */
void rts_sequence_add(rts_sequence_t *sequence, void *loop, const rts_handle_t array[], int array_count);

/** Entry `back` executions before the last one; NULL when it or its handles are not kept any more. */
rts_sequence_entry_t *rts_sequence_back(rts_sequence_t *sequence, int64_t back);

/** Handle of one array of an entry that rts_sequence_back gave. */
static inline rts_handle_t rts_sequence_handle(const rts_sequence_t *sequence,
                                               const rts_sequence_entry_t *entry, int array) {
    return sequence->handle[(entry->first_handle + array) & (RTS_SEQUENCE_HANDLES - 1)];
}

#endif
