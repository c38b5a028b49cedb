/* Additions of this runtime to the DVMH interface: record handlers and what the compiler tells about a loop.
 * Provisional until loops run on GPUs: every struct carries its size, and a caller built with a shorter one is understood.
 *
 * A record handler is registered like any other, with DVMHX_HANDLER_RECORD in its type:
 *     dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
 *                                  dvmh_handler_func_C((DvmHandlerFunc)body, n, p1, ..., pn));
 * and called as body(const dvmhx_record_t *record, p1, ..., pn), once a portion, from any thread of the device. The record
 * holds all that the body may ask: a handler of this kind never calls the runtime. Portions that run at the same time are
 * independent. dvmhx_run.h has the ways to run a portion, written once. */
#ifndef DVMHX_H
#define DVMHX_H

#include <stddef.h>

#include <dvmhlib_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Handler-type bit: a record handler. Combines with none of the others. */
#define DVMHX_HANDLER_RECORD 256

/** How the iterations of a portion may be ordered. Each way is legal for the loop's dependences when it is asked for. */
enum {
    DVMHX_WAY_PLAIN = 0, /* lexicographic */
    DVMHX_WAY_JAM =
        1, /* rows of the two innermost dims interleaved: row r runs `lag` iterations behind row r-1 */
    DVMHX_WAY_FRONT =
        2, /* fronts front_lo <= sum time[k] * n[k] < front_hi in ascending order; within one, any order */
    DVMHX_WAY_DIAGONAL =
        3 /* the dims outside the two innermost lexicographic; in their plane the fronts of equal lag * row + column
             ascending; within one, any order */
};

/** Layout kinds of a replica. */
enum {
    DVMHX_LAYOUT_PLAIN = 0, /* affine: base + sum stride[axis] * index[axis] */
    DVMHX_LAYOUT_SKEW = 1,  /* affine too; by rows as WRAP */
    DVMHX_LAYOUT_WRAP =
        2, /* in rows only: see dvmhx_array_t. Only for arrays declared DVMHX_BY_ROWS, in records with by_rows */
    DVMHX_LAYOUT_PACKED = 3 /* not for record handlers */
};

/** One array as the loop sees it on the executing device. */
typedef struct dvmhx_array {
    void *base;            /* address of the element with all user indices 0; may lie outside the storage */
    const DvmType *stride; /* elements between neighbours, by array axis; rank entries */
    DvmType rank;
    DvmType element_bytes;
    DvmType layout; /* DVMHX_LAYOUT_ */
    /* By rows. With d = a * index[p] + b * index[q] + c, which is >= 0, an element lies at place index[q] of row d modulo
     * row_count of the plane that the other axes select:
     *     row_base + (sum over the other axes stride * index + (d mod row_count) * pitch + index[q]) * element_bytes
     * Axes count from 0. Meaningful for SKEW and WRAP; and for PLAIN with a = 1, b = 0. stride[p] and stride[q] are 0 for
     * WRAP. Rank 1: p is -1 and not to be used. */
    void *row_base;
    DvmType p, q, a, b, c, row_count, pitch;
} dvmhx_array_t;

/** How the iterations of a record are spread over a GPU's threads. Each is legal for the loop's dependences when it is asked for. */
enum {
    DVMHX_LAUNCH_GRID = 0, /* independent iterations: a grid over the whole box */
    DVMHX_LAUNCH_LINES =
        1, /* a thread for each point of the dims that carry no dependence (`dependent`), which runs all iterations of
                                the other dims, in lexicographic order; a single thread where no dim is left */
    DVMHX_LAUNCH_FRONTS = 2, /* a launch for each front sum time[k] * n[k], ascending */
    DVMHX_LAUNCH_TILES =
        3 /* one launch: blocks take columns of tiles from a ticket and wait for each other, see dvmhx_launch_t */
};

/** A reduction of a record on a GPU. Whoever runs iterations combines what it found into a slot of its own in the GPU's memory; the
 * runtime combines the slots. Slot s begins at values + s * value_bytes and locations + s * location_bytes. */
typedef struct dvmhx_slots {
    void *values, *locations; /* in the GPU's memory, filled with start values; locations NULL without */
    const void *start,
        *start_location; /* on the host: what a thread begins with, before it is combined into a slot */
    DvmType value_bytes, location_bytes; /* of a slot: of the whole reduction variable */
    DvmType
        per_thread; /* 0: a slot for each block of a launch, by its linear number, and for TILES for each column. 1, for reductions
                           of arrays, which fit no registers: one for each thread, block number * threads of a block + thread number */
} dvmhx_slots_t;

/**
 * A launch that is kept instead of started: all that its kernel is given, as bytes that are the same when the kernel and what it is given are
 * the same. A handler that keeps a launch keeps every one that it may keep.
 */
typedef struct dvmhx_kept {
    void *bytes;  /* room for them, aligned for any type */
    DvmType room; /* bytes that there is room for */
    DvmType used; /* set by who keeps the launch; 0 before: it has been started instead */
    /* Queue the kernel for so many sweeps; counters are zero then. Main thread, with the GPU current. */
    void (*start)(const void *bytes, DvmType sweeps, void *stream);
} dvmhx_kept_t;

/**
 * What a record handler for GPUs needs beside the record. It is called once, on the main thread, with the GPU current; it queues its
 * kernels on record->stream and returns. It may be called while that stream is captured into a graph, so it does nothing else. All bases
 * and variables are addresses of the GPU.
 *
 * DVMHX_LAUNCH_TILES. In the dims other than march_dim the box is cut into columns of tile[k] iterations each, numbered lexicographically
 * by their coordinates. A column's iterations run front by front of sum time[k] * n[k] (n counted from the record's start; time[march_dim] is 1),
 * chunk fronts a piece; piece number f covers fronts f * chunk .. Before a column begins piece f, its predecessors, which lie at its coordinates minus
 * each of predecessor[] as far as these exist, must have finished piece f too: then all that it depends on has run. Progress of column i
 * is counters[1 + i]: pieces that it has finished; counters[0] is the ticket. Both are zero at the start. Blocks take columns by
 * ticket t in the order order[t], where predecessors come first: so the block that holds the smallest unfinished ticket never waits for a
 * column that nobody has taken, and there is no deadlock, however few blocks are resident.
 *
 * Several sweeps. Where `kept` is not NULL the loop may be run again at once with all that it is given the same, and the launch may be kept
 * instead of started: so many sweeps then follow each other in one kernel, and a sweep begins long before the last one ends. Column i of
 * sweep s has counters[1 + s * column_count + i] and the ticket s * column_count + t. Before it begins piece f, the columns of sweep s - 1
 * that lie at its coordinates minus each of predecessor[predecessor_count + 0 .. follow_count - 1] must have run all their fronts up to the last one of piece f
 * plus follow_fronts: then sweep s - 1 no longer needs what the piece writes, and has written what it reads.
 */
typedef struct dvmhx_launch {
    size_t size;    /* sizeof(dvmhx_launch_t) of the runtime */
    DvmType kind;   /* DVMHX_LAUNCH_ */
    DvmType narrow; /* 1: loop variables and offsets of all elements, from the bases on, fit 32 bits */
    DvmType dim[3]; /* loop dims that the x, y and z of thread and block numbers walk; -1: none. x first */
    DvmType block
        [3]; /* threads of a block; 1 where dim is -1. TILES: tile[dim[i]], unless tiles are larger than blocks may be */
    DvmType
        block_limit; /* blocks of a launch at most: slots of reductions; 0: no limit. Kernels then loop over the rest */
    const dvmhx_slots_t *slots; /* record->reduction_count entries */
    DvmType variable_count;
    void *const *variables; /* ordinary arrays, in the order of dvmhx_loop_variable_C */
    /* FRONTS, TILES; time as in the record */
    DvmType front_count; /* fronts from 0 */
    DvmType
        march_dim; /* the dim whose ordinal follows from the front and the other ordinals: time[march_dim] is 1. GRID: -1, or
                      dim[1], which then walks fronts: time is not 0 for dim[0] and dim[1] alone */
    /* TILES */
    const DvmType *tile; /* extents of columns, by dim; of march_dim: 1 */
    DvmType chunk, piece_count, column_count;
    const DvmType *columns; /* number of columns along each dim, of march_dim: 1 */
    DvmType predecessor_count;
    const DvmType *predecessor; /* predecessor_count x rank offsets in column coordinates; of march_dim: 0 */
    int *counters;              /* in the GPU's memory: 1 + column_count */
    const int *order;           /* in the GPU's memory: column_count numbers of columns */
    DvmType resident;           /* blocks to launch; 0: as many as fit at once. Tests force 1 and 2 */
    DvmType served;     /* 1: a warp more in each block waits for predecessors and tells of progress */
    dvmhx_kept_t *kept; /* where the launch may be kept; NULL: it is to be started */
    DvmType follow_count,
        follow_fronts; /* of several sweeps; the offsets stand behind those of predecessors */
} dvmhx_launch_t;

/** A portion of a loop. n[k] counts iterations of dim k from 0 inside the portion; the loop variable of dim k is
 * start[k] + n[k] * step[k]. All arrays have `rank` entries, outermost dim first. Valid during the call only. */
typedef struct dvmhx_record {
    size_t size;    /* sizeof(dvmhx_record_t) of the runtime */
    DvmType device; /* 0: the host itself */
    DvmType thread; /* 0 .. thread_count - 1, one handler at a time each */
    DvmType thread_count;
    DvmType rank;
    DvmType way; /* DVMHX_WAY_ */
    DvmType
        dependent; /* bit rank-1-k set: dim k carries a dependence. Bit 0 clear: the innermost dim may be vectorised. On a GPU:
                      some dependence reaches along dim k, or DVMHX_LAUNCH_LINES runs it inside a thread */
    const DvmType *start, *step; /* loop variable at n = 0, and its step */
    const DvmType *count;        /* iterations; every one >= 1 */
    DvmType lag;                 /* DVMHX_WAY_JAM, DVMHX_WAY_DIAGONAL: >= 0 */
    const DvmType *time;         /* DVMHX_WAY_FRONT: every entry >= 0; the innermost one that is not 0 is 1 */
    DvmType front_lo,
        front_hi; /* DVMHX_WAY_FRONT: fronts to run. DVMHX_WAY_JAM, _DIAGONAL: when front_lo < front_hi, only iterations
                                    with front_lo <= lag * row + column < front_hi of the two innermost dims */
    DvmType array_count;
    const dvmhx_array_t *arrays; /* in the order of dvmhx_loop_array_C */
    DvmType reduction_count;
    void *const
        *reductions; /* this thread's partial results, in the order of dvmh_loop_reduction_C: holds the start
                                    value or what earlier portions left; the handler combines its iterations into it */
    void *const *locations; /* locations beside them; NULL entries for reductions without */
    void *stream;           /* device stream; NULL on the host */
    DvmType
        bypass_cache; /* DVMHX_WAY_PLAIN: 1 when arrays that the loop only writes are better streamed to memory */
    DvmType
        by_rows; /* DVMHX_WAY_DIAGONAL: 1 when every array of DVMHX_BY_ROWS whose axes include the two innermost dims
                         lies in rows along the fronts: going from (row, column) to (row + 1, column - lag) is going from index[q] to
                         its neighbour in memory, up where the row dim walks q upwards, in the same row */
    const dvmhx_launch_t
        *launch; /* on a GPU: how to launch; way is then DVMHX_WAY_PLAIN and says nothing. NULL on the host */
} dvmhx_record_t;

/** One reference to an array in a loop body: for each array axis, index = mult * (variable of loop axis dim) + add;
 * dim counts from 1, 0 means that no loop variable occurs. Each array has rank entries, axis 1 first. */
typedef struct dvmhx_reference {
    DvmType is_write;
    const DvmType *dim, *mult, *add;
} dvmhx_reference_t;

/** What a loop does with an array. */
typedef struct dvmhx_array_use {
    size_t size; /* sizeof(dvmhx_array_use_t) of the caller */
    const DvmType *header;
    DvmType rank;
    DvmType intent; /* IN 1, OUT 2 or both: the loop reads, writes the array */
    /* All references of the body; 0: unknown. Then ties come from the alignment or from dvmh_loop_array_correspondence_C, and shadow
     * edges are read no farther than the widths renewed last from the element that the mapping gives the iteration. */
    DvmType reference_count;
    const dvmhx_reference_t *references;
    DvmType flags; /* DVMHX_BY_ROWS, DVMHX_REMOTE or 0 */
} dvmhx_array_use_t;

/** The handler can follow this array along fronts by dvmhx_array_t's rows, so that layouts without strides are fine. Say it only
 * where the runtime knows which dims walk the array's axes, by references or a mapping of the loop: an array that seems not to
 * have both of the innermost dims as axes does not lie in rows, and is to be accessed by strides. */
#define DVMHX_BY_ROWS 1

/** This use reads a section of the array that other processes may own, and nothing else: the first use with this flag the section of
 * the loop's first dvmh_loop_remote_access_C, and so on. The record's entry then shows all elements of the section, in the array's own
 * indices, with a base and strides of its own; values are those from before the loop. Intent is IN. An array may have several such uses
 * beside one without the flag, which shows the array itself. Never together with DVMHX_BY_ROWS. */
#define DVMHX_REMOTE 2

/**
 * Tell an array of a loop with record handlers. Between dvmh_loop_create_C and dvmh_loop_perform_C.
 * @param loop  open loop
 * @param use   copied, references included; the header must stay until the loop is performed
 * Errors end the program with a message: unknown loop or header, rank other than the array's, dim beyond the loop's rank.
 */
void dvmhx_loop_array_C(DvmType loop, const dvmhx_array_use_t *use);

/**
 * Tell an ordinary array that the loop's handlers for GPUs use: it gets a copy on the GPU, as arrays of the region do, and its address
 * there is in dvmhx_launch_t, in the order of these calls. Between dvmh_loop_create_C and dvmh_loop_perform_C, in a region. On the host
 * handlers use the array itself.
 * @param address, bytes  of the array
 * @param intent          IN 1, OUT 2 or both: the loop reads, writes it
 * Errors end the program with a message: unknown loop, a loop outside regions, address NULL, bytes <= 0, an intent that is none.
 */
void dvmhx_loop_variable_C(DvmType loop, void *address, DvmType bytes, DvmType intent);

/**
 * Tell the exact dependences of a loop; they replace those derived from dvmh_loop_across_C, which knows distances along
 * single axes only, and from references. Needed when the loop has corner dependences and dvmhx_loop_array_C is given no references
 * that show them.
 * @param vectors  count vectors of the loop's rank each, in iterations (not indices) in the order of execution: iteration n
 *                 needs n - vector to have run before it. Each must be lexicographically positive; at most 64.
 */
void dvmhx_loop_dependences_C(DvmType loop, DvmType count, const DvmType vectors[]);

/** What the program says about layouts, where it knows better than the planner. */
typedef struct dvmhx_layout_rule {
    size_t size;          /* sizeof(dvmhx_layout_rule_t) of the caller */
    DvmType is_pinned;    /* 1: use this layout: kind, order, and a and b of the diagonal kinds */
    DvmType kind;         /* DVMHX_LAYOUT_PLAIN, _SKEW or _WRAP */
    const DvmType *order; /* axes from 1, slowest first; NULL: as declared */
    DvmType a, b; /* SKEW, WRAP: fronts are a * index[p] + b * index[q] = const; a 1..2, b -2..2 but not 0 */
    DvmType
        forbidden; /* sum of 1 << DVMHX_LAYOUT_: kinds never to be used; 1: no other order of axes than declared */
} dvmhx_layout_rule_t;

/**
 * Pin or forbid layouts of an array from now on; the planner then leaves it alone or keeps it so, wherever a loop's handler allows
 * the layout. Replaces an earlier rule; all zero takes it back.
 * Errors end the program with a message: unknown header, no permutation, kind, a, b or bits that are not allowed.
 */
void dvmhx_array_layout_C(const DvmType header[], const dvmhx_layout_rule_t *rule);

/** The same for one loop and all its arrays; pinning counts for the arrays of as many axes as `order` has, i.e. as the loop has
 * dims. Between dvmh_loop_create_C and dvmh_loop_perform_C. */
void dvmhx_loop_layout_C(DvmType loop, const dvmhx_layout_rule_t *rule);

/** Ask for automatic reorganisation, as the compilers' option -autoTfm does: without DVMH_PLANNER in the environment the planner's
 * mode is then `cost`, else `off`. After dvmh_init_C, before the first loop. */
void dvmhx_reorganise_C(void);

/**
 * Put the elements of an array with one axis into an order that the program gives: element i gets the value that element order[i] had.
 *
 * Why: irregular programs run fast when what a loop visits together lies together: edges sorted by blocks of vertices, particles by cells. Which
 * order is good only the program knows; the runtime moves the values, those of other processes too. For other arrays that belong to the same
 * elements call it again with the same order. After it the values are current at home, shadow edges included.
 * @param array  header of an array or of a variable
 * @param order  header of another one, with one axis of as many elements, whole numbers with sign of 4 or 8 bytes; its k-th element is an
 *               index of the array and belongs to the array's k-th element. It may lie anywhere. Each index must be there once
 * Collective, outside of regions and loops. Of a variable each process permutes its own, by its own order.
 * Memory: about the array's part and its order once more, until it returns.
 * Errors end the program with a message that has what was given and what is allowed; they are found before anything is changed.
 */
void dvmhx_permute_C(const DvmType array[], const DvmType order[]);

/* Elements in serial code, as dvmhcc writes it. All are local: each process calls for itself. `where` is "FILE:LINE:NAME" with the name of
 * the array, for messages. Errors end the program with a message that has the element and what is allowed: unknown header, another
 * rank, an element outside of the array, an array without storage, and as said below. */

/** Address of an element that is read; of a buffer of dvmh_remote_access_C too. One that this process does not hold is an error. */
void *dvmhx_held_element_C(const char where[], const DvmType header[], DvmType rank,
                           /* index of each axis */...);

/** Address of an element that is written. @return NULL: another process owns it */
void *dvmhx_own_element_C(const char where[], const DvmType header[], DvmType rank,
                          /* index of each axis */...);

/**
 * Address of an element that is changed by what it is, where all processes need the new value: the owner's is the element itself, that of
 * others is `other`, into which the element is copied. One that this process does not hold is an error.
 * @param other  room for an element
 */
void *dvmhx_changed_element_C(const char where[], void *other, const DvmType header[], DvmType rank,
                              /* index of each axis */...);

/** What the runtime did so far, for benchmarks. Times in seconds. */
typedef struct dvmhx_report {
    size_t size; /* set by the caller to sizeof(dvmhx_report_t) */
    DvmType threads, processes;
    DvmType loops; /* performed */
    double loop_s;
    double reorganise_s;
    DvmType reorganise_bytes;
    char backend[32];
    char planner[64];
    char strategy[64]; /* of the loop performed last */
    char layouts[128]; /* of its arrays, separated by commas */
    DvmType reorganisations;
    DvmType replica_bytes; /* of replicas beside home, now */
    DvmType explorations;  /* executions that tried something new */
    DvmType message_bytes; /* sent to other processes */
    double exchange_s;     /* for renewing shadow edges; dependences between processes are part of loop_s */
} dvmhx_report_t;

/** Fill a report. After dvmh_init_C. Local, not collective. Waits for devices: times come from them. */
void dvmhx_get_report_C(dvmhx_report_t *report);

/**
 * Seconds that loops, and the reorganisations for them, took of those that the program began in its intervals of a number
 * (dvmh_usr_interval_start_C), so far, in this process. Unlike the host's clock it tells what a GPU took for a part of the program
 * without a wait at the part's ends. On GPUs not all executions are measured; others are taken to last as long. Of intervals inside
 * of each other the innermost counts. Waits for devices. After dvmh_init_C; local, not collective.
 * @return 0  nothing was begun in such an interval
 */
double dvmhx_interval_seconds_C(DvmType number);

#ifdef __cplusplus
}
#endif

#endif
