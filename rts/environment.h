/* The environment variables: one table {name, type, default, allowed, help} drives parsing, `dvmh-info --env` and
 * docs/environment.md. Reads and checks; decides nothing that the values are used for. */
#ifndef RTS_ENVIRONMENT_H
#define RTS_ENVIRONMENT_H

#include <stdio.h>

#include "rts/log.h"

/** Longest list value (DVMH_PROC_GRID, DVMH_NUM_THREADS, ...). */
#define RTS_ENVIRONMENT_LIST_MAX 64

typedef enum rts_planner_mode {
    RTS_PLANNER_OFF = 0, /* no reorganisation; strategies by measured time */
    RTS_PLANNER_RANDOM,  /* any legal plan and layout at every loop; for tests */
    RTS_PLANNER_GREEDY,  /* the classic rule: always reorganise for the loop at hand */
    RTS_PLANNER_COST,    /* by cost, measured or estimated */
    RTS_PLANNER_REPLAY,  /* by costs that an earlier run saved; nothing is measured or tried */
    RTS_PLANNER_PROGRAM  /* COST when the program asks for reorganisation (-autoTfm), else OFF */
} rts_planner_mode_t;

/** Strategy of a loop. Forced by the environment where it is legal; AUTO leaves it to the planner. */
typedef enum rts_strategy_choice {
    RTS_CHOICE_AUTO = 0,
    RTS_CHOICE_LEXICOGRAPHIC,
    RTS_CHOICE_JAM,
    RTS_CHOICE_FRONT,
    RTS_CHOICE_TILE
} rts_strategy_choice_t;

typedef struct rts_int_list {
    int count; /* 0: not given */
    int64_t value[RTS_ENVIRONMENT_LIST_MAX];
} rts_int_list_t;

/** Values of the variables that this version acts on. Strings are copied. */
/** Values of DVMH_EXCHANGE. */
typedef enum rts_exchange_choice {
    RTS_EXCHANGE_AUTO,
    RTS_EXCHANGE_IPC,
    RTS_EXCHANGE_STAGING
} rts_exchange_choice_t;

typedef struct rts_environment {
    rts_log_level_t log_level;       /* DVMH_LOGLEVEL, default warning; number 0..5 or name */
    rts_log_level_t flush_log_level; /* DVMH_FLUSHLOGLEVEL, default fatal */
    char log_file[256];              /* DVMH_LOGFILE, default "": standard error */
    bool fatal_to_stderr;            /* DVMH_FATAL_TO_STDERR, default on */
    rts_int_list_t
        num_threads; /* DVMH_NUM_THREADS, each 0..4096, indexed by process number modulo its length */
    rts_int_list_t proc_grid; /* DVMH_PROC_GRID, each >= 1 */
    int set_affinity;         /* DVMH_SET_AFFINITY: 1 on, 0 off, -1 auto (default) */
    bool reduce_deps;         /* DVMH_REDUCE_DEPS, default off */
    rts_planner_mode_t
        planner_mode; /* DVMH_PLANNER: off | greedy | cost | random:SEED | replay:FILE; default PROGRAM */
    uint64_t planner_seed;
    char planner_file[256]; /* of replay */
    char planner_save[256]; /* DVMH_PLANNER_SAVE: file for the costs at the end; "" (default): none */
    bool report;            /* DVMH_REPORT: print a report at the end, default off */
    bool
        compare_debug; /* DVMH_COMPARE_DEBUG: run loops of regions on host and device and compare, default off */
    double compare_floats,
        compare_doubles; /* DVMH_COMPARE_FLOATS_EPS, _DOUBLES_EPS: multiples of the type's epsilon */
    rts_strategy_choice_t strategy; /* DVMH_STRATEGY: auto (default) | lexicographic | jam | front | tile */
    bool schedule_dynamic;          /* DVMH_SCHEDULE: static (default) | dynamic ; independent loops */
    int overlap;                    /* DVMH_OVERLAP: 1 on, 0 off, -1 auto (default) */
    rts_exchange_choice_t
        exchange;     /* DVMH_EXCHANGE: auto (default) | ipc | staging; messages whose values lie on GPUs */
    int fake_devices; /* DVMH_FAKE_DEVICES: 0..8 host devices with separate memory, default 0 */
    int64_t device_memory; /* DVMH_DEVICE_MEMORY: bytes of arrays on a device; 0 (default): what there is */
    rts_int_list_t num_cudas; /* DVMH_NUM_CUDAS, indexed as num_threads */
    bool require_cuda;        /* DVMH_REQUIRE_CUDA, default off */
    bool cache_cuda_alloc;    /* DVMH_CACHE_CUDA_ALLOC, default on */
    int64_t io_buffer_bytes; /* DVMH_IO_BUF_SIZE: of an array collected for a file at once, default 100 MiB */
    int64_t
        parallel_io_bytes; /* DVMH_PARALLEL_IO_THRES: least of an array that parallel files access in parallel */
} rts_environment_t;

/**
 * Read every DVMH_* variable from an environment block.
 *
 * Unknown names are warned about (one line each, on the log). Names that the DVM-system knows and this version does not
 * act on are checked for form and accepted.
 * @param block  "NAME=value" strings, NULL-terminated (environ)
 * @param environment_p  filled only on success
 * @return RTS_OK
 * @return RTS_ERR_INVALID  a bad value: the message names variable, value and allowed values
 */
rts_status_t rts_environment_read(char *const block[], rts_environment_t *environment_p);

/** The same without warnings: where those go is among the values. */
rts_status_t rts_environment_values(char *const block[], rts_environment_t *environment_p);

/** The warnings alone. */
void rts_environment_warn(char *const block[]);

/** Defaults, as with an empty environment. */
void rts_environment_defaults(rts_environment_t *environment_p);

/** Print the table: markdown for docs/environment.md, or one line a variable with the value in force. */
void rts_environment_print_markdown(FILE *file);
void rts_environment_print_values(FILE *file, char *const block[]);

#endif
