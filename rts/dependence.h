/* Dependences of a loop as vectors, and what follows from them: which dims may be split or vectorised, legal time vectors, the
 * lag of interleaved rows, and the tiles that a tile must wait for. Pure arithmetic: decides what is legal, not what is good. */
#ifndef RTS_DEPENDENCE_H
#define RTS_DEPENDENCE_H

#include "rts/status.h"

#define RTS_MAX_DEPENDENCES 64

/** Iteration n needs n - vector to have run before, for every vector; in iterations, in the order of execution. Distinct and
 * lexicographically positive. */
typedef struct rts_dependences {
    int rank;
    int count;
    rts_index_t vector[RTS_MAX_DEPENDENCES][RTS_MAX_RANK];
} rts_dependences_t;

void rts_dependences_init(rts_dependences_t *dependences, int rank);

/** Add a vector, unless it is there already.
 * @return RTS_ERR_INVALID  not lexicographically positive, an entry beyond +-2^31, or one vector too many */
rts_status_t rts_dependences_add(rts_dependences_t *dependences, const rts_index_t vector[]);

/** Drop vectors that reach outside a loop of these counts: no iteration has that predecessor. */
void rts_dependences_clip(rts_dependences_t *dependences, const rts_index_t count[]);

/** True when no vector has a component along dim: its iterations may be split between threads without any order. */
bool rts_dependences_is_free(const rts_dependences_t *dependences, int dim);

/** Bit rank-1-dim set: dim is the first nonzero component of a vector, so it must run in order while outer dims stand still. */
unsigned rts_dependences_carried(const rts_dependences_t *dependences);

/**
 * Smallest time vector with time * vector >= 1 for every vector and no negative entry; its innermost nonzero entry is 1.
 * Always exists for lexicographically positive vectors.
 * @return false when an entry would not fit 31 bits
 */
bool rts_dependences_time_vector(const rts_dependences_t *dependences, rts_index_t time[]);

/** The same with 1 in a dim of choice, whose ordinal then follows from a front and the other ordinals.
 * @return false  there is none with no larger entry there, or an entry would not fit 31 bits */
bool rts_dependences_time_vector_at(const rts_dependences_t *dependences, int unit_dim, rts_index_t time[]);

/**
 * Smallest lag >= 0 so that rows of the two innermost dims, each lag iterations behind the row before, may be interleaved.
 * @return false when rank < 2, or when no lag up to 64 does
 */
bool rts_dependences_lag(const rts_dependences_t *dependences, rts_index_t *lag_p);

/** Shrink tile extents until rectangular tiles cannot wait for each other in a circle: where a vector that starts in a dim
 * has a negative component along another dim that is cut, the first dim's tile must not exceed the vector. */
void rts_dependences_limit_tile(const rts_dependences_t *dependences, const rts_index_t count[],
                                rts_index_t tile[]);

/**
 * Offsets in tile numbers of the tiles that a tile waits for, without those that others imply.
 * @param limit  room in predecessor, also for those that are left out in the end
 * @return how many; -1 when tiles would wait in a circle, or when there are more than limit or farther than 127 tiles
 */
int rts_dependences_predecessors(const rts_dependences_t *dependences, const rts_index_t count[],
                                 const rts_index_t tile[], int limit, int8_t predecessor[][RTS_MAX_RANK]);

#endif
