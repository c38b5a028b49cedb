/* The period of loops that is in force: the cheapest schedule of layouts for it, and when a better one is worth going to. Learns by the
 * way which arrays somebody else uses at home between two loops. Decides nothing for loops outside the period. */
#ifndef RTS_PERIOD_H
#define RTS_PERIOD_H

#include "rts/schedule.h"
#include "rts/sequence.h"
#include "rts/site.h"

/** Arrays of all steps together, at most; a period with more is not taken. */
#define RTS_PERIOD_MAX_USES 1024

/** An array of a step. */
typedef struct rts_period_use {
    rts_handle_t handle;
    int number; /* among the arrays of the site */
    int left; /* the use before it of the same array in the circle, which leaves the array as it is found here */
    int left_step; /* the step of that */
    int chances;   /* times that a visit at home would have been seen */
    int visits;    /* copies that those seen cost: 1 when it was read there, 2 when it was written */
} rts_period_use_t;

typedef struct rts_period_step {
    rts_site_t *site;
    int first_use, use_count;
} rts_period_step_t;

/** A change of layouts in one group of steps, for reasons. */
typedef struct rts_period_change {
    double saving_s, period_s, once_s;
    bool is_trial; /* part of it has not been measured yet */
} rts_period_change_t;

typedef struct rts_period {
    int length;          /* 0: none in force */
    int at;              /* step that is expected next */
    int64_t matched;     /* steps executed since it is in force */
    int64_t in_order;    /* the last of them, each following the one before, with the options held now */
    int64_t revision;    /* of the sites, when the schedule was made; -1: not yet */
    int64_t hope_at;     /* value of matched from which estimates are hoped to be wrong */
    int64_t next_change; /* value of matched from which a wanted change pays; INT64_MAX: none is wanted */
    int held[RTS_SEQUENCE_MAX_PERIOD], wanted[RTS_SEQUENCE_MAX_PERIOD]; /* options in force, and best known */
    int group[RTS_SEQUENCE_MAX_PERIOD], group_count;
    int64_t pays_at[RTS_SEQUENCE_MAX_PERIOD]; /* by group: value of matched from which its change pays */
    rts_period_change_t change[RTS_SEQUENCE_MAX_PERIOD]; /* by group: the wanted one, or the last one */
    int64_t changed_at
        [RTS_SEQUENCE_MAX_PERIOD]; /* value of matched when the step's option changed last; -1: never */
    int use_count;
    rts_period_step_t step[RTS_SEQUENCE_MAX_PERIOD];
    rts_period_use_t use[RTS_PERIOD_MAX_USES];
    rts_schedule_problem_t problem;
    rts_schedule_use_t problem_use[RTS_PERIOD_MAX_USES];
} rts_period_t;

/** Settings of a schedule. */
typedef struct rts_period_terms {
    double rate;    /* of reorganisations, bytes a second */
    bool is_replay; /* costs are final: every saving pays */
} rts_period_terms_t;

/** No period. */
void rts_period_reset(rts_period_t *period);

/** Take the last `length` executions of the sequence as the period in force; the last one is the step at hand.
 * @return false  too many arrays, or no memory: no period is in force */
bool rts_period_start(rts_period_t *period, rts_sequence_t *sequence, int length);

/** Whether an execution is one of the period: the expected one or, when others came between, any other of it.
 * @param step_p  its number */
bool rts_period_find(const rts_period_t *period, const rts_site_t *site, const rts_loop_facts_t *facts,
                     int *step_p);

/**
 * Option for the step at hand; moves on to the next. Makes the schedule anew when something has changed, and goes over to it when the
 * repetitions seen times its saving exceed what that costs once.
 * @param facts  of the execution: how its arrays lie
 */
int rts_period_choose(rts_period_t *period, int step, const rts_loop_facts_t *facts,
                      const rts_period_terms_t *terms);

#endif
