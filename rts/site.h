/* The store of loops: what is known of every loop of the program, by option and plan, and which plan of an option is tried next. Does
 * not choose between options: that is for planner.c. Loops whose counts and extents agree in their powers of two are one site. */
#ifndef RTS_SITE_H
#define RTS_SITE_H

#include "rts/planner.h"

/** Slow executions that trying may cost a site, over all its options. */
#define RTS_SITE_MAX_SLOW 2

/** Arrays of a loop with a choice of layouts, at most. */
#define RTS_SITE_MAX_ARRAYS 64

/** Executions whose median is the time of an option. */
#define RTS_SITE_WINDOW 5

/** Forms for the arrays of a site, with the plans on them. */
typedef struct rts_site_option {
    rts_option_t *option;           /* of this block; without forms when the loop has no choice of layouts */
    bool is_refused;                /* there was no memory for it */
    bool is_settled;                /* no other plan of it is going to be tried */
    bool is_kept;                   /* REPLAY: the run that saved costs ended with it */
    int tried;                      /* plans beside the first */
    int current;                    /* plan to run */
    int64_t executions, heard;      /* that have begun; and those of them whose times have come */
    int wanted;                     /* executions that were to be measured for the window */
    double window[RTS_SITE_WINDOW]; /* latest times of the plan it settled on, up to when the site left it */
    int64_t window_count;           /* times that went in so far */
    double typical_s;               /* median of the full window; < 0 before */
    int plan_count;
    rts_plan_t plan[]; /* best estimate first */
} rts_site_option_t;

typedef struct rts_site {
    struct rts_site *next;     /* in the order of first execution */
    struct rts_site *follower; /* the site that came after it last time */
    rts_loop_facts_t
        facts; /* of the first execution; arrays are the site's own, NULL without a choice of layouts */
    uint64_t hash;
    const uint64_t *key; /* packed facts that make the site */
    int key_words;
    uint64_t file_hash; /* of what a file can hold; with the ordinal it is the key of rts_planner_loop_key */
    int ordinal;
    int start;                   /* option that ran first */
    int last;                    /* option that ran last */
    const rts_plan_t *last_plan; /* chosen last, for reasons; NULL: none */
    int layouts_tried; /* reorganisations to options beside the first to see what they cost: at most one */
    int slow;
    bool has_left_start;  /* another option has run */
    bool has_all_options; /* PERMUTED and DIAGONAL have been looked for */
    int64_t executions;
    double seconds; /* of those that times were heard for or stand for */
    int interval;   /* of the latest execution */
    int64_t ticket; /* of the latest execution whose time is awaited; see planner.c */
    int option_count;
    rts_site_option_t *option[RTS_MAX_OPTIONS];
} rts_site_t;

/** Settings, and an empty store. */
void rts_sites_open(rts_strategy_choice_t forced, bool dynamic, bool is_replay);

/** Forget all sites. */
void rts_sites_forget(void);

/** First site; `next` leads on. NULL when there is none. */
rts_site_t *rts_sites_first(void);

/** Times that all sites have been forgotten, because there were too many; pointers kept from before are stale. */
int64_t rts_sites_generation(void);

/** Something that decisions rest on has changed: an option of any site was added, measured, settled or refused. */
int64_t rts_sites_revision(void);
void rts_sites_touch(void);

/**
 * The site of a loop, or NULL.
 * @param guess  the site that it probably is, NULL: no idea; compared first
 * The packed facts are kept for rts_sites_add.
 */
rts_site_t *rts_sites_find(const rts_loop_facts_t *facts, rts_site_t *guess);

/**
 * New site for the loop that rts_sites_find did not find, with one option.
 * @param option  NULL: home's forms, the loop has no choice of layouts
 * @return NULL  no memory: not remembered
 */
rts_site_t *rts_sites_add(const rts_loop_facts_t *facts, const rts_option_t *option);

/** Candidates of a loop on an option (NULL: home's forms): the forced strategy's where there are any. @return how many */
int rts_sites_candidates(const rts_loop_facts_t *facts, const rts_option_t *option,
                         rts_plan_t candidate[RTS_MAX_CANDIDATES]);

/** Number of the option with these forms. @return -1 when there is none */
int rts_site_find_option(const rts_site_t *site, const rts_option_t *option);

/** Add an option, unless it is there. @return its number; -1: no room or no memory */
int rts_site_add_option(rts_site_t *site, const rts_option_t *option);

/** Add the kinds PERMUTED and DIAGONAL, where they exist; once. */
void rts_site_add_kinds(rts_site_t *site);

/** Seconds of an execution on an option: the median of a few once there are so many, before that the fastest measured (REPLAY: saved),
 * else the best estimate, corrected by how wrong the site's measured estimates were. */
double rts_site_seconds(const rts_site_t *site, int option);

/** Fastest time of an option; < 0: never run and, in REPLAY, not saved. */
double rts_site_measured(const rts_site_t *site, int option);

/** Whether an option may be run: known; or not known, and the site may still try a layout and knows well what it runs on
 * now. Never when it is refused. */
bool rts_site_may_run(const rts_site_t *site, int option);

/** Whether an option that is not known may be run because the arrays lie so already: that takes no reorganisation. */
bool rts_site_may_visit(const rts_site_t *site, int option);

/** An execution of the current plan of an option begins: it counts, whether its time will be heard or not.
 * @param is_free  no array had to be reorganised for it
 * @return number of the plan */
int rts_site_begin(rts_site_t *site, int option, bool is_free);

/** An execution of a plan that had begun took so long, in seconds of the site's counts. Decides what is tried next when it is the plan that
 * runs now; a time that comes later than that is known, and no more.
 * @param stands_for  executions with the same plan, this one and others that were not measured */
void rts_site_time(rts_site_t *site, int option, int plan, double seconds, int64_t stands_for);

/** Whether plans of an option are being tried, so that what is run next depends on times under way. */
bool rts_site_tries(const rts_site_t *site, int option);

/** Whether the next execution of an option ought to be measured: as long as there is something to learn, and every so many times later, to
 * see whether what is known still holds, and for statistics. */
bool rts_site_wants_time(rts_site_t *site, int option);

/** An execution that had begun is not measured. */
void rts_site_skip(rts_site_t *site, int option, int plan);

/** One is: executions that it stands for, with those skipped before. */
int64_t rts_site_take_unmeasured(rts_site_t *site, int option, int plan);

/** Executions skipped since the last measurement are taken to last as long as the others of their plans. @return their seconds */
double rts_site_estimate_unmeasured(rts_site_t *site);

/** Iterations of a loop. */
double rts_facts_iterations(const rts_loop_facts_t *facts);

/** Bytes of one array of a loop. */
double rts_facts_bytes(const rts_array_facts_t *array);

/** Whether the newest values of an array are at hand in a form, so that it costs nothing to use it. */
bool rts_facts_is_present(const rts_array_facts_t *array, const rts_layout_form_t *form);

#endif
