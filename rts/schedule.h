/* The cheapest choice of layouts for loops that follow each other in a circle. Pure: from costs to a choice; knows neither where the
 * costs come from nor when a better choice is worth going to. */
#ifndef RTS_SCHEDULE_H
#define RTS_SCHEDULE_H

#include "rts/status.h"

#define RTS_SCHEDULE_MAX_STEPS  128
#define RTS_SCHEDULE_MAX_ARRAYS 64
#define RTS_SCHEDULE_MAX_FORMS  127 /* of one array, home's included */
#define RTS_SCHEDULE_OPTIONS    6   /* of a step, at most */

/** One array of a step. A step names an array once. */
typedef struct rts_schedule_use {
    int array;
    bool writes;
    double reorganise_s; /* what it takes to bring the array into another form before this step */
    double
        visit_s; /* extra where the array stays in another form than home's, because somebody else uses it at home
                                        between the step before and this one */
    int form[RTS_SCHEDULE_OPTIONS]; /* by option; 0: home's */
} rts_schedule_use_t;

/** One loop of the circle. */
typedef struct rts_schedule_step {
    int option_count;                     /* >= 1 */
    double seconds[RTS_SCHEDULE_OPTIONS]; /* INFINITY: not to be chosen */
    int use_count;
    const rts_schedule_use_t *use;
} rts_schedule_step_t;

/**
 * Arrays with a home have at most two forms at hand, home's and one other: reading in a new form keeps home's values, writing makes
 * the written form the only one. Arrays without (bit of `homeless`: on devices beside the host) have one form at a time.
 */
typedef struct rts_schedule_problem {
    int step_count, array_count;
    uint64_t homeless; /* bit array */
    rts_schedule_step_t step[RTS_SCHEDULE_MAX_STEPS];
} rts_schedule_problem_t;

/** Seconds of one round of a choice, when it has been repeated: loops and reorganisations. */
double rts_schedule_cost(const rts_schedule_problem_t *problem, const int choice[]);

/** Seconds of reorganisations, once, of going over from one repeated choice to another, beyond those of each round. */
double rts_schedule_once(const rts_schedule_problem_t *problem, const int from[], const int to[]);

/** Number the groups of steps that share arrays, directly or by way of others: they do not influence each other.
 * @param group  step_count entries @return how many groups */
int rts_schedule_groups(const rts_schedule_problem_t *problem, int group[]);

/**
 * Find the choice with the least rts_schedule_cost.
 *
 * Exact as long as a group has few states (a state: which forms of its arrays are at hand); beyond that a beam of the best states over
 * a few rounds, then improved step by step and array by array until nothing gets better.
 * @param choice_p  in: a choice to start from, used where nothing better is found; out: the best choice; step_count options, each
 *                  with finite seconds
 * Memory: scratch of less than a megabyte, freed.
 * @return RTS_OK
 * @return RTS_ERR_NO_MEMORY  choice_p unchanged
 */
rts_status_t rts_schedule_solve(const rts_schedule_problem_t *problem, int choice_p[]);

#endif
