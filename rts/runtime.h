/* The running system: what dvmh_init_C builds and dvmh_exit_C takes down, and what exec and the hooks ask of it. */
#ifndef RTS_RUNTIME_H
#define RTS_RUNTIME_H

#include "rts/distribution.h"
#include "rts/environment.h"

/** One per process. Read-only between open and close. */
typedef struct rts_runtime {
    bool is_open;
    rts_environment_t environment;
    int thread_count; /* host worker threads of this process; >= 1 */
    rts_grid_t grid;  /* trailing axes of size 1 dropped; this process's place */
    bool sequential;
    /* Of process 0, for what processes decide together; each has its own in the environment. */
    rts_planner_mode_t common_mode;
    uint64_t common_seed;
    rts_strategy_choice_t common_strategy;
    rts_exchange_choice_t common_exchange;
    bool common_gpus; /* some process uses GPUs */
} rts_runtime_t;

/** The process's runtime; is_open is false before rts_runtime_open and after rts_runtime_close. */
const rts_runtime_t *rts_runtime(void);

/**
 * Start: environment, log, processes, grid, backends. Collective; main thread.
 * @return RTS_OK
 * @return RTS_ERR_INVALID  a bad variable, a grid that does not fit the number of processes, a damaged file of costs; nothing stays
 *                           open but comm and the log
 * @return RTS_ERR_IO        a file of costs that cannot be read; the log's file cannot be created
 */
rts_status_t rts_runtime_open(bool sequential, int *argc, char ***argv);

/** Stop: report and costs for a later run, backends, handles, log, processes. Collective. Harmless when not open. */
void rts_runtime_close(void);

#endif
