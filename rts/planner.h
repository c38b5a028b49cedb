/* Chooses how a loop runs: schedule, order inside portions, tile extents, threads. Reads facts and the cost store; does no
 * I/O, no MPI, no OpenMP, and changes nothing but its own store. */
#ifndef RTS_PLANNER_H
#define RTS_PLANNER_H

#include "rts/backend.h"
#include "rts/dependence.h"
#include "rts/environment.h"

/** What kind of code runs the portions. */
typedef enum rts_body_kind {
    RTS_BODY_RECORD = 0, /* any way; any schedule */
    RTS_BODY_QUERY,      /* boxes in lexicographic order; any schedule made of boxes */
    RTS_BODY_OWN_TEAM    /* opens its own threads, or must stay on the main thread: one portion */
} rts_body_kind_t;

/** Facts about a loop; all that the planner knows. */
typedef struct rts_loop_facts {
    uint64_t site; /* same for every execution of the same loop in the program */
    int device;
    rts_body_kind_t body;
    int rank;                        /* 0: one iteration */
    rts_index_t count[RTS_MAX_RANK]; /* >= 1 */
    rts_dependences_t dependences;   /* clipped to the counts */
    int contiguous_dim;              /* loop dim along which arrays are contiguous; -1 unknown */
    size_t element_bytes;            /* of the arrays, the largest; 8 when unknown */
    int array_count;                 /* arrays walked; 1 when unknown */
    int thread_count;                /* at most */
    bool no_tiles; /* the dependences are not all known: only dims without any may be divided */
    bool
        may_stream; /* it writes arrays that it does not read, and all its arrays together exceed the caches */
} rts_loop_facts_t;

/** A way to run the loop, with what it is expected to cost. */
typedef struct rts_plan {
    rts_strategy_choice_t strategy; /* never AUTO */
    rts_schedule_t schedule;
    rts_way_t way;
    int thread_count;
    int split_dim;
    rts_index_t chunk;
    rts_index_t tile[RTS_MAX_RANK];
    int predecessor_count;
    int8_t predecessor[RTS_MAX_PREDECESSORS][RTS_MAX_RANK];
    rts_index_t time[RTS_MAX_RANK];
    bool bypass_cache;         /* PLAIN: stream what is only written */
    rts_index_t lag;           /* JAM */
    rts_index_t skew;          /* TILES, JAM: tiles are cut along skew * row + column */
    double work_s, overhead_s; /* estimate: what grows with the cost of an iteration, and what does not */
    double measured_s;         /* fastest execution; < 0 before the first */
    int executions;
} rts_plan_t;

/** Plans considered for a loop, at most. */
#define RTS_MAX_CANDIDATES 12

/**
 * All legal plans for a loop, best estimate first; at least one (lexicographic on one thread).
 * @param dynamic  independent loops: dynamic schedule instead of static
 * @return how many
 */
int rts_candidates_make(const rts_loop_facts_t *facts, bool dynamic,
                        rts_plan_t candidate[RTS_MAX_CANDIDATES]);

/** The next number of a random sequence. */
uint64_t rts_candidates_draw(uint64_t *state);

/** A random legal plan: strategy, tile extents and threads drawn from *state (advanced). For tests: layouts and strategies
 * must never change results. */
void rts_candidates_random(const rts_loop_facts_t *facts, uint64_t *state, rts_plan_t *plan_p);

/** One of `count` devices that would do: the first, or any in random mode. @return 0..count-1 */
int rts_planner_choose_device(int count);

/** Settings, from the environment. */
void rts_planner_open(rts_planner_mode_t mode, uint64_t seed, rts_strategy_choice_t forced, bool dynamic);
void rts_planner_close(void);

/**
 * Choose. Known loops cost a table look-up.
 * @return the plan, valid until the next call; never NULL. When there is no memory to remember the loop, a plan all the same.
 */
const rts_plan_t *rts_planner_choose(const rts_loop_facts_t *facts);

/** What the chosen plan cost; exec posts it after every execution. */
void rts_planner_post(const rts_plan_t *plan, double seconds);

/** Printable, such as "tile(jam) 64x1024". @return text, always terminated */
const char *rts_plan_name(const rts_plan_t *plan, int rank, char *text, size_t text_size);

#endif
