/* Chooses how a loop runs: schedule, order inside portions, tile extents, threads. Reads facts and the cost store; does no
 * I/O, no MPI, no OpenMP, and changes nothing but its own store. */
#ifndef RTS_PLANNER_H
#define RTS_PLANNER_H

#include "rts/backend.h"
#include "rts/dependence.h"
#include "rts/environment.h"
#include "rts/handle.h"

/** What kind of code runs the portions. */
typedef enum rts_body_kind {
    RTS_BODY_RECORD = 0, /* any way; any schedule */
    RTS_BODY_QUERY,      /* boxes in lexicographic order; any schedule made of boxes */
    RTS_BODY_OWN_TEAM    /* opens its own threads, or must stay on the main thread: one portion */
} rts_body_kind_t;

/** How the iterations of a loop are spread over the threads of a GPU; values of DVMHX_LAUNCH_. */
typedef enum rts_launch_kind {
    RTS_LAUNCH_GRID = 0, /* a thread an iteration */
    RTS_LAUNCH_LINES =
        1, /* a thread for each point of the dims that are not `inside`, which runs the others in order */
    RTS_LAUNCH_FRONTS = 2, /* a launch a front of the plan's time vector */
    RTS_LAUNCH_TILES =
        3 /* one launch: blocks take columns of tiles, which wait for their predecessors piece by piece */
} rts_launch_kind_t;

/** What a plan for a GPU says beside time vector, tiles (extents of columns; of march_dim the whole loop), predecessors (offsets of columns)
 * and chunk (fronts of a piece). Members that a kind does not use are as if there were none. */
typedef struct rts_launch {
    rts_launch_kind_t kind;
    int dim[3];           /* loop dims that the x, y and z of threads and blocks walk; -1: none */
    rts_index_t block[3]; /* threads of a block; TILES: plan.tile of the dims */
    unsigned inside; /* bit rank-1-dim: with a component in some dependence, or LINES: run inside a thread */
    int march_dim;   /* FRONTS, TILES: its entry in the time vector is 1; -1 */
    int resident;    /* TILES: blocks at once; 0: as many as fit */
    bool is_served;  /* TILES: a warp more in each block waits for predecessors and tells of progress */
} rts_launch_t;

/** One array of a loop with a record handler, as the planner sees it. */
typedef struct rts_array_facts {
    rts_handle_t array; /* identity */
    int rank;
    rts_index_t extent[RTS_MAX_RANK]; /* of the held part, >= 1 */
    size_t element_bytes;
    int intent;             /* IN 1, OUT 2 */
    int dim[RTS_MAX_RANK];  /* loop dim that walks each axis; -1 none or unknown */
    int sign[RTS_MAX_RANK]; /* +1: the index grows with the dim's ordinal, -1: it falls */
    bool by_rows;           /* the body can follow it along fronts, row by row: see RTS_WAY_DIAGONAL below */
    unsigned
        forbidden; /* bit of rts_layout_kind_t: never this kind; bit PLAIN: no other order of axes than home's */
    bool is_pinned; /* the program or the loop wants `pinned`, where it is legal */
    rts_layout_form_t pinned;
    int present_count;            /* forms in which the newest values are at hand on the device */
    rts_layout_form_t present[2]; /* device 0: home's form means home itself */
} rts_array_facts_t;

/**
 * Facts about a loop; all that the planner knows.
 *
 * Layouts. A record handler in a region gets each of its arrays in a form that the planner chooses; on device 0 home's form
 * means home, any other a work replica. `arrays` is NULL for all other loops: those run on home's form. What is legal:
 *  - PLAIN and SKEW are affine: any body runs on them in any way, since it knows strides;
 *  - WRAP needs a body that follows rows: way DIAGONAL, the array is by_rows, and the form *matches* the loop;
 *  - PACKED never.
 * A form matches lag >= 0 where its fastest axis q is walked by dim rank-2 (rows), the next, p, by dim rank-1 (columns), both
 * with steps of 1 or -1, and walking (row + 1, column - lag) advances by one element along q: a = 1, b = lag * sign[p] *
 * sign[q], kind SKEW or WRAP for lag >= 1, PLAIN for lag = 0. A body runs along rows (rts_plan.by_rows) when every by_rows array
 * whose axes include both dims matches plan.lag and way is DIAGONAL; otherwise the ordinary body runs, and nothing may be WRAP.
 */
typedef struct rts_loop_facts {
    uint64_t site;                   /* same for every execution of the same loop in the program */
    rts_position_t position;         /* for reports, and to know the loop again in another run */
    const rts_array_facts_t *arrays; /* array_count entries; NULL: no choice of layouts */
    bool is_pinned_natural;          /* the program forbids other layouts than home's in this loop */
    unsigned unit_steps;             /* bit dim: the loop's step along it is 1 or -1 */
    int device;
    rts_body_kind_t body;
    int rank;                        /* 0: one iteration */
    rts_index_t count[RTS_MAX_RANK]; /* >= 1 */
    rts_dependences_t dependences;   /* clipped to the counts */
    int contiguous_dim;              /* loop dim along which arrays are contiguous; -1 unknown */
    size_t element_bytes;            /* of the arrays, the largest; 8 when unknown */
    int array_count;                 /* arrays walked; 1 when unknown */
    int thread_count;                /* at most */
    rts_index_t
        front_lag; /* > 0: it is launched in ranges of lag * row + column, so that tiles have to be cut along these */
    bool no_tiles; /* the dependences are not all known: only dims without any may be divided */
    bool
        is_gpu; /* its plans are launches on a GPU: no array is by_rows then, and there are no ranges of fronts */
    bool
        reduces_arrays; /* on a GPU every thread then has partial results of its own, so who runs what must not depend on luck */
    rts_index_t cuda_block[3]; /* threads of a block that the program wants on a GPU, x first; 0: not said */
    bool
        may_stream; /* it writes arrays that it does not read, and all its arrays together exceed the caches */
} rts_loop_facts_t;

/** A way to run the loop, with what it is expected to cost. */
typedef struct rts_plan {
    rts_strategy_choice_t strategy; /* never AUTO */
    bool is_launch;                 /* for a GPU: `launch` counts instead of schedule, way and threads */
    rts_launch_t launch;
    rts_schedule_t schedule;
    rts_way_t way;
    int thread_count;
    int split_dim;
    rts_index_t chunk;
    rts_index_t tile[RTS_MAX_RANK];
    int predecessor_count;
    int8_t predecessor[RTS_MAX_PREDECESSORS][RTS_MAX_RANK];
    rts_index_t time[RTS_MAX_RANK];
    bool bypass_cache;             /* PLAIN: stream what is only written */
    rts_index_t lag;               /* JAM, DIAGONAL */
    rts_index_t skew;              /* TILES with JAM or DIAGONAL: tiles are cut along skew * row + column */
    bool by_rows;                  /* DIAGONAL: arrays match, see rts_loop_facts */
    const rts_layout_form_t *form; /* of each array of facts->arrays; NULL: home's forms everywhere */
    double work_s, overhead_s;     /* estimate: what grows with the cost of an iteration, and what does not */
    double measured_s;             /* fastest execution; < 0 before the first */
    int executions;                /* whose times were heard */
    int64_t begun;                 /* executions, with those that nobody measures */
    int64_t unmeasured;            /* of these, those that no time stands for yet */
    double seconds;                /* of those that times were heard for or stand for, in all */
} rts_plan_t;

/** Plans considered for a loop on given layouts, at most. */
#define RTS_MAX_CANDIDATES 12

/** Assignments of forms to the arrays of a loop that are considered, at most. */
#define RTS_MAX_OPTIONS 6

/** What kind of assignment an option is. */
typedef enum rts_option_kind {
    RTS_OPTION_NATURAL = 0, /* home's forms */
    RTS_OPTION_PERMUTED, /* the innermost dim's axis fastest in every array, the others in the order of the dims; on a GPU that of a
                            dim without dependences, and components of vectors slowest */
    RTS_OPTION_DIAGONAL, /* arrays that two dependent dims walk stored by fronts */
    RTS_OPTION_PRESENT,  /* as the arrays lie, when other loops left them so */
    RTS_OPTION_PINNED    /* as the program wants; then the only option */
} rts_option_kind_t;

/** Forms for the arrays of a loop. */
typedef struct rts_option {
    rts_option_kind_t kind;
    rts_layout_form_t form[]; /* facts->array_count entries */
} rts_option_t;

/* --- options and candidates (rts/options.c, rts/candidates.c): pure functions of their arguments --- */

/** Bytes of one option of a loop with that many arrays. */
size_t rts_option_bytes(int array_count);

/**
 * The legal option of a kind for a loop, in *option_p (rts_option_bytes of room). Forbidden kinds and pinned arrays are honoured: an
 * array that may not have the form keeps home's, a pinned one its own where that is legal.
 * @return false  there is none, or it is the same as NATURAL (kind NATURAL itself, or PINNED when something is pinned or the
 *                loop is, always exists)
 */
bool rts_options_make(const rts_loop_facts_t *facts, rts_option_kind_t kind, rts_option_t *option_p);

/** The form that the classic rule wants (DVMH_PLANNER=greedy): one dependent dim or none: PERMUTED; two or more: DIAGONAL; NATURAL
 * where that does not exist. */
rts_option_kind_t rts_options_classic(const rts_loop_facts_t *facts);

/** A random legal assignment, drawn from *state: every array any affine form with any order of axes, any padding and sign; or all
 * matching one another, SKEW and WRAP mixed. */
void rts_options_random(const rts_loop_facts_t *facts, uint64_t *state, rts_option_t *option_p);

/**
 * All legal plans for a loop on the forms of an option, best estimate first; at least one.
 * @param option   NULL: home's forms. Plans refer to its forms, which must live as long as they.
 * @param dynamic  independent loops: dynamic schedule instead of static
 * @return how many
 */
int rts_candidates_make_on(const rts_loop_facts_t *facts, const rts_option_t *option, bool dynamic,
                           rts_plan_t candidate[RTS_MAX_CANDIDATES]);

/** A random legal plan on the forms of an option (NULL: home's): strategy, tile extents and threads drawn from *state. */
void rts_candidates_random_on(const rts_loop_facts_t *facts, const rts_option_t *option, uint64_t *state,
                              rts_plan_t *plan_p);

/** The next number of a random sequence. */
uint64_t rts_candidates_draw(uint64_t *state);

/** The same as a number 0..bound - 1. */
rts_index_t rts_candidates_draw_below(uint64_t *state, rts_index_t bound);

/** The same without a choice of layouts. */
int rts_candidates_make(const rts_loop_facts_t *facts, bool dynamic,
                        rts_plan_t candidate[RTS_MAX_CANDIDATES]);
void rts_candidates_random(const rts_loop_facts_t *facts, uint64_t *state, rts_plan_t *plan_p);

/* --- the planner --- */

/** One of `count` devices that would do: the first, or any in random mode. @return 0..count-1 */
int rts_planner_choose_device(int count);

/** Settings, from the environment. PROGRAM: OFF until rts_planner_reorganise. */
void rts_planner_open(rts_planner_mode_t mode, uint64_t seed, rts_strategy_choice_t forced, bool dynamic);
void rts_planner_close(void);

/** The program asks for automatic reorganisation: mode PROGRAM becomes COST, others stay. */
void rts_planner_reorganise(void);

/** The mode in force; never PROGRAM. */
rts_planner_mode_t rts_planner_mode(void);

/**
 * Choose. When nothing has changed since the last execution of the loop this costs a few table look-ups.
 * @return the plan, valid until the next call; never NULL. When there is no memory to remember the loop, a plan all the same.
 */
const rts_plan_t *rts_planner_choose(const rts_loop_facts_t *facts);

/**
 * The chosen plan cannot be had: there is no memory for its layouts. Its option is not proposed again for this loop. Call
 * rts_planner_choose again then; in the end it proposes what is present, or home's forms.
 */
void rts_planner_refuse(const rts_plan_t *plan);

/** What the chosen plan cost; exec posts it after every execution. Seconds of the loop alone, without reorganisations. */
void rts_planner_post(const rts_plan_t *plan, double seconds);

/* Times that come late. Of a plan that runs on a GPU exec asks rts_planner_wants_time before, queues it, and says rts_planner_ticket or
 * rts_planner_skip, instead of rts_planner_post. */

/** The time of an execution of this loop that is under way and has to be heard before rts_planner_choose, since the planner tries things
 * with this loop: a few times a loop, and never again.
 * @return its ticket; 0: none */
int64_t rts_planner_awaited(const rts_loop_facts_t *facts);

/** Whether this execution of the chosen plan ought to be measured. As long as the planner tries things all are, later only some. */
bool rts_planner_wants_time(const rts_plan_t *plan);

/** Whether the time of the execution that a plan was chosen for changes nothing: everything has been tried, and is well known. Before the ticket is
 * drawn. */
bool rts_planner_is_settled(const rts_plan_t *plan);

/**
 * The chosen plan has been queued, and what it costs will be known later. The execution counts from now on.
 * @return a ticket for rts_planner_post_late; 0: nothing is to be learnt
 */
int64_t rts_planner_ticket(const rts_plan_t *plan);

/** The chosen plan has been queued and is not measured; it counts. @return false  the planner does not know the loop */
bool rts_planner_skip(const rts_plan_t *plan);

/** What an execution cost. Once a ticket; nothing is learnt when the loop or the plan has been forgotten meanwhile, or so many were given
 * since that nobody waits for it any more.
 * @return executions that this one stands for: itself, and those of the same plan that were not measured before it */
int64_t rts_planner_post_late(int64_t ticket, double seconds);

/** Before costs are told: executions that no time stands for are taken to have lasted as long as the others of their plans.
 * @param add  called with the seconds of a loop's, and the interval (rts/interval.h) that its latest one began in */
void rts_planner_estimate_unmeasured(void (*add)(int interval, double seconds));

/** What a reorganisation of `bytes` (of one array) cost, on the host or on a GPU, whose rates are kept apart. */
void rts_planner_post_reorganised(bool on_gpu, size_t bytes, double seconds);

/** Why the last choice was made, in words with figures, such as "skew saves 12.1 ms of 30.2 a period, costs 20.0 once".
 * @return text, always terminated; "" when the choice is the same as at the loop's last execution */
const char *rts_planner_reason(char *text, size_t text_size);

/** What the planner knows of a loop, for reports and for files of costs. */
typedef struct rts_site_summary {
    rts_position_t position;
    int ordinal; /* among loops that are the same in all that a file can hold, in the order of their first execution */
    const rts_loop_facts_t *facts; /* of the first execution; facts->arrays lives as long as the site */
    int64_t executions;
    double seconds;           /* of all executions */
    double natural_s;         /* of one execution on home's forms, the fastest measured; < 0: never run */
    int option_count, chosen; /* options with what is known of them; the one used last */
    int chosen_plan;          /* of that one */
    const rts_option_t *option[RTS_MAX_OPTIONS]; /* without forms where facts->arrays is NULL */
    int plan_count[RTS_MAX_OPTIONS];
    const rts_plan_t *plan[RTS_MAX_OPTIONS]; /* measured_s < 0: never run */
} rts_site_summary_t;

/** Call `visit` for every loop, in the order of their first execution. */
void rts_planner_visit(void (*visit)(void *context, const rts_site_summary_t *site), void *context);

/** Fastest reorganisation seen, bytes of arrays a second; of arrays at least half as large as the largest, since small ones stay in
 * the caches. A default before the first. On the kind of device, host or GPU, of the loop chosen last. */
double rts_planner_reorganise_rate(void);

/** A cost that an earlier run saved: a loop's fastest time on an option with a plan, both by their names. */
typedef struct rts_saved_cost {
    uint64_t loop;   /* rts_planner_loop_key of the loop */
    char forms[512]; /* rts_option_name */
    char plan[64];   /* rts_plan_name */
    double seconds;
    bool is_kept; /* the run ended with this loop on these forms */
} rts_saved_cost_t;

/** Key of a loop that is the same in every run of the program: hash of position, ordinal, rank, counts, dependences, and the
 * shapes, ties and element sizes of its arrays; not of addresses and handles. */
uint64_t rts_planner_loop_key(const rts_site_summary_t *site);

/** Mode REPLAY: what to know. Copied. Before the first loop.
 * @return RTS_ERR_NO_MEMORY */
rts_status_t rts_planner_import(const rts_saved_cost_t cost[], size_t count, double reorganise_rate);

/** Forms of an option, separated by commas. @return text, always terminated */
const char *rts_option_name(const rts_option_t *option, int array_count, char *text, size_t text_size);

/** Printable, such as "tile(jam) 64x1024" or, on a GPU, "gpu tile 2:32,1:8 march 3 chunk 8" (dims from 1). @return text, always terminated */
const char *rts_plan_name(const rts_plan_t *plan, int rank, char *text, size_t text_size);

#endif
