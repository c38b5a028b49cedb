/* Which executions are of one loop: packed facts for the run, and a hash that is the same in every run of the program. */
#ifndef RTS_SITE_KEY_H
#define RTS_SITE_KEY_H

#include "rts/planner.h"

#define RTS_SITE_KEY_WORDS 1536 /* of the largest loop: dependences and arrays at their limits, all pinned */

typedef struct rts_site_key {
    int count;
    uint64_t word[RTS_SITE_KEY_WORDS];
} rts_site_key_t;

/** Pack the facts that decide which plans are legal and what they cost, counts and extents up to their powers of two; not which arrays
 * they are and how they lie. At most 64 arrays. */
void rts_site_key_make(const rts_loop_facts_t *facts, rts_site_key_t *key_p);

/** Hash of a packed key. */
uint64_t rts_site_key_hash(const rts_site_key_t *key);

/** Hash of what the loop is in every run: position, rank, counts, dependences, and shapes, ties and element sizes of its arrays. */
uint64_t rts_site_file_hash(const rts_loop_facts_t *facts);

/** The same with the ordinal among loops of equal hash. */
uint64_t rts_site_file_key(uint64_t file_hash, int ordinal);

#endif
