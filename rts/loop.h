/* A parallel loop as the program described it, and the facts that follow: the iterations of this process, the dependence
 * mask, the dependences. Decides nothing about how it runs. */
#ifndef RTS_LOOP_H
#define RTS_LOOP_H

#include "rts/array.h"
#include "rts/call.h"
#include "rts/dependence.h"
#include "rts/reduction.h"

#define RTS_MAX_LOOP_ITEMS                                                                                   \
    64 /* reductions, across arrays, ties, handlers, arrays, remote ones: each at most this many */

/** Handler-type bits of the ABI. */
enum { RTS_HANDLER_PARALLEL = 1, RTS_HANDLER_MASTER = 2, RTS_HANDLER_RECORD = 256 };

typedef struct rts_handler {
    int device_type; /* DEVICE_TYPE_ bit */
    int type;        /* RTS_HANDLER_ bits */
    DvmHandlerFunc function;
    int parameter_count;
    void *parameter[RTS_MAX_HANDLER_PARAMETERS];
} rts_handler_t;

typedef struct rts_loop_across {
    rts_array_t *array;
    bool is_out;
    rts_index_t low[RTS_MAX_RANK], high[RTS_MAX_RANK];
} rts_loop_across_t;

/** Which loop dim walks each axis of an array: dim[axis] from 0, -1 when none; sign[axis] -1 when it runs backwards. */
typedef struct rts_loop_tie {
    rts_array_t *array;
    int dim[RTS_MAX_RANK];
    int sign[RTS_MAX_RANK];
} rts_loop_tie_t;

/** A reduction variable of a loop. */
typedef struct rts_loop_reduction {
    rts_reduction_t reduction;
    void *values, *locations; /* the program's variable; locations NULL without */
} rts_loop_reduction_t;

/** Indices of all references along one axis: mult * (variable of the axis's dim) + low..high; with mult 0 these alone. */
typedef struct rts_loop_reach {
    bool is_known; /* false: references differ in more than what they add, or do not say it */
    rts_index_t mult, low, high;
} rts_loop_reach_t;

/** An array of a loop with record handlers. */
typedef struct rts_loop_array {
    rts_array_t *array;
    int intent;             /* IN 1, OUT 2 */
    int dim[RTS_MAX_RANK];  /* loop dim of each axis, from the references; -1 none or unknown */
    int sign[RTS_MAX_RANK]; /* -1 where it runs backwards */
    bool has_references;    /* all were told; reach says where they go */
    rts_loop_reach_t reach[RTS_MAX_RANK];
    bool by_rows;    /* the body can follow it along fronts (DVMHX_BY_ROWS) */
    bool is_unknown; /* written, by references that were not told */
    bool is_remote;  /* reads the section of a remote access and nothing else (DVMHX_REMOTE) */
    int remote;      /* number of that in loop->remote, from 0; set by rts_loop_add_array */
} rts_loop_array_t;

/** An ordinary array of the program that handlers for accelerators find there (dvmhx_loop_variable_C). */
typedef struct rts_loop_variable {
    void *address;
    size_t bytes;
    int intent; /* IN 1, OUT 2 */
} rts_loop_variable_t;

/** A section of an array that other processes may own, read by the loop (the clause remote_access). */
typedef struct rts_loop_remote {
    rts_array_t *array;
    rts_align_rule_t
        rule[RTS_MAX_RANK]; /* of each axis: the loop dim that gives its index, a constant, or any index */
    rts_array_t *buffer; /* copy of the section while the loop runs, where one is needed; owned by remote.c */
} rts_loop_remote_t;

/** An array that every process has whole and of which each writes a section (the clause consistent). */
typedef struct rts_loop_consistent {
    rts_array_t *array;
    rts_align_rule_t rule[RTS_MAX_RANK]; /* as those of a remote access */
} rts_loop_consistent_t;

/** The clause shadow_compute; see rts/shadow_compute.h. */
typedef struct rts_loop_shadow {
    bool is_given, has_widths;
    rts_template_t *template; /* one of the two when is_given */
    rts_array_t *array;
    rts_index_t low[RTS_MAX_RANK], high[RTS_MAX_RANK];
    int count;
    rts_array_t *written[RTS_MAX_LOOP_ITEMS];
    rts_box_t part; /* of the root template, extended; set by rts_loop_prepare */
} rts_loop_shadow_t;

struct rts_region;

typedef struct rts_loop {
    rts_handle_t handle;
    rts_position_t position;
    struct rts_region *region; /* NULL outside regions */
    int rank;
    rts_index_t start[RTS_MAX_RANK], step[RTS_MAX_RANK];
    rts_index_t count[RTS_MAX_RANK]; /* iterations of the whole loop; 0: empty */
    bool has_map;
    rts_template_t *map_template; /* one of the two when has_map */
    rts_array_t *map_array;
    rts_alignment_t map;
    bool has_vectors;        /* the program gave exact dependences */
    rts_dependences_t found; /* between references; counts in loops with across clauses */
    rts_dependences_t vectors;
    rts_layout_rule_t layout_rule; /* for all its arrays; pinned counts for those of its rank */
    rts_index_t stage;             /* parts that an across loop is cut into between processes; 0: not said */
    rts_index_t cuda_block[3];     /* threads of a block on a GPU, x first; 0: not said */
    int handler_count, across_count, tie_count, reduction_count, array_count, remote_count, consistent_count,
        variable_count;
    rts_handler_t handler[RTS_MAX_LOOP_ITEMS];
    rts_loop_across_t across[RTS_MAX_LOOP_ITEMS];
    rts_loop_tie_t tie[RTS_MAX_LOOP_ITEMS];
    rts_loop_reduction_t reduction[RTS_MAX_LOOP_ITEMS];
    rts_loop_array_t array[RTS_MAX_LOOP_ITEMS];
    rts_loop_remote_t remote[RTS_MAX_LOOP_ITEMS];
    rts_loop_consistent_t consistent[RTS_MAX_LOOP_ITEMS];
    rts_loop_variable_t variable[RTS_MAX_LOOP_ITEMS];
    rts_loop_shadow_t shadow;
    /* Set by rts_loop_prepare. */
    bool is_uncertain; /* what it depends on beyond the widths is not known: see rts_loop_add_corners */
    bool is_empty;     /* this process has no iterations; also said of rank 0 */
    rts_box_t local;   /* iteration ordinals of this process */
    unsigned mask;     /* dependency mask of the ABI: bit rank-1-dim */
    rts_dependences_t dependences;   /* of the local iterations, in ordinals */
    rts_index_t width[RTS_MAX_RANK]; /* largest across width along the axes that each dim walks; 0: none */
    bool is_cut;                     /* the local iterations are launched in pieces; exec says so */
    rts_index_t piece[RTS_MAX_RANK]; /* largest extents that are launched at once */
    rts_index_t front_lag;           /* > 0: in ranges of fronts of this lag; exec says so */
} rts_loop_t;

/**
 * Open a loop. There is one loop at a time, whose memory is reused.
 * @param start, end, step  rank entries, inclusive bounds, step != 0 of either sign; an empty range is legal
 * @return RTS_ERR_INVALID  rank outside 0..RTS_MAX_RANK, a step of 0, a range that does not fit 62 bits, or a loop still open
 */
rts_status_t rts_loop_open(int rank, const rts_index_t start[], const rts_index_t end[],
                           const rts_index_t step[], rts_loop_t **loop_p);

/** Close it: the handle becomes unknown. */
void rts_loop_close(rts_loop_t *loop);

/** The open loop, or NULL. */
rts_loop_t *rts_loop_current(void);

/* Clauses; each checks its own values. RTS_ERR_INVALID names what was given and what is allowed. */
rts_status_t rts_loop_set_map(rts_loop_t *loop, rts_template_t *template, rts_array_t *array,
                              const rts_alignment_t *map);
rts_status_t rts_loop_add_across(rts_loop_t *loop, bool is_out, rts_array_t *array, const rts_index_t low[],
                                 const rts_index_t high[]);
/** axis_dim[axis]: loop axis from 1, negative when it runs backwards, 0 when not tied. */
rts_status_t rts_loop_add_tie(rts_loop_t *loop, rts_array_t *array, const rts_index_t axis_dim[]);
rts_status_t rts_loop_add_reduction(rts_loop_t *loop, const rts_reduction_t *reduction, void *values,
                                    void *locations);
rts_status_t rts_loop_add_handler(rts_loop_t *loop, const rts_handler_t *handler);
rts_status_t rts_loop_add_array(rts_loop_t *loop, const rts_loop_array_t *array);
/**
 * Tell a section of an array that other processes may own.
 * @param rule  of each axis of the array; axis: dim of the loop, or RTS_ALIGN_CONSTANT, RTS_ALIGN_ANY
 * @return RTS_ERR_INVALID  the array is not distributed, a dim that the loop does not have, mult 0, or an index outside the array
 *                          for some iteration
 */
rts_status_t rts_loop_add_remote(rts_loop_t *loop, rts_array_t *array, const rts_align_rule_t rule[]);
/** Tell what each iteration writes of an array that every process has whole. Rules and errors as for rts_loop_add_remote. */
rts_status_t rts_loop_add_consistent(rts_loop_t *loop, rts_array_t *array, const rts_align_rule_t rule[]);
/** Tell an ordinary array. @return RTS_ERR_INVALID  address NULL, no bytes, an intent that is none, a loop outside regions */
rts_status_t rts_loop_add_variable(rts_loop_t *loop, const rts_loop_variable_t *variable);
/** @return RTS_ERR_INVALID  a number below 0 */
rts_status_t rts_loop_set_stage(rts_loop_t *loop, rts_index_t stage);
/** @return RTS_ERR_INVALID  a number below 1, or more sizes other than 1 than the loop has dims; trailing ones do not count */
rts_status_t rts_loop_set_cuda_block(rts_loop_t *loop, const rts_index_t size[3]);
/** Two references meet in one element `distance` iterations apart, of either sign along each dim; all 0: nothing to add. */
rts_status_t rts_loop_add_distance(rts_loop_t *loop, const rts_index_t distance[]);

/** Ordinals of the iterations of any process of the grid. @return whether it has any; the box says nothing else of rank 0 */
bool rts_loop_iterations(const rts_loop_t *loop, const rts_grid_t *grid, int process,
                         rts_box_t *iterations_p);

/** Whether of the same iterations `viewer` takes the results of `process`: all other processes that have them are copies. */
bool rts_loop_serves(const rts_loop_t *loop, const rts_grid_t *grid, int process, int viewer);

/** The same of copies of the mapping's target alone: what the mapping leaves open makes none. */
bool rts_loop_target_serves(const rts_loop_t *loop, const rts_grid_t *grid, int process, int viewer);

/**
 * Derive local iterations, dependency mask and dependences; clauses may have come in any order.
 * @param reduce_dependences  clear mask bits of dims with one local iteration, keeping at least the outermost set one
 * @return RTS_ERR_INVALID  an across width on an array axis that no loop dim walks
 */
rts_status_t rts_loop_prepare(rts_loop_t *loop, bool reduce_dependences);

/**
 * Add the dependences of corner references to those of across widths; where is_uncertain, and for query handlers. Widths say nothing of corners, but a body may have them,
 * as the 9-point Gauss-Seidel does; the order of execution must then be right for the worst. Nothing when the program gave
 * exact vectors.
 * @return false when there are too many: then only dims without dependences may be divided
 */
bool rts_loop_add_corners(rts_loop_t *loop);

/** Whether some handler, for whatever device, is no record handler: it may ask for what the loop was not told of. */
bool rts_loop_has_query_handler(const rts_loop_t *loop);

/**
 * Dependences of the iterations of all processes together, clipped to the whole loop: with those of corner references where references
 * are not known, as they never are to query handlers, whatever handler this process will use. Only where the program itself asks for
 * stages of a loop with such a handler none are assumed: stages of the DVM-system have none. For a prepared loop.
 * @return false when there are too many
 */
bool rts_loop_whole_dependences(const rts_loop_t *loop, rts_dependences_t *whole_p);

/** First handler for a device type, or NULL. */
const rts_handler_t *rts_loop_handler(const rts_loop_t *loop, int device_type);

/** Dim of the loop that walks an array axis and its direction (+1, -1), from the ties, the references or the alignment.
 * @return -1 when none does */
int rts_loop_dim_of_axis(const rts_loop_t *loop, const rts_array_t *array, int axis, int *sign_p);

#endif
