/* Beginning and end of tests with several processes: messages carry the process's number, and all end with one verdict. Random numbers
 * are the same in all processes; what only one process decides comes from cluster_own_random. */
#ifndef CLUSTER_CHECK_H
#define CLUSTER_CHECK_H

#include "rts/comm.h"
#include "rts/runtime.h"
#include "tests/check.h"

/** Start the runtime and the random numbers. Collective. Ends the program when that fails. */
static inline void cluster_start(int *argc, char ***argv) {
    static char who[32];
    if (rts_runtime_open(false, argc, argv) != RTS_OK) {
        fprintf(stderr, "%s\n", rts_error_text());
        rts_comm_abort(1);
    }
    snprintf(who, sizeof who, "[process %d] ", rts_comm_rank());
    check_who = who;
    check_random_start();
}

/** Run an operation that must go well: others would wait for a process that goes on without it. */
static inline void cluster_try(rts_status_t status, const char *what, const char *file, int line) {
    if (status == RTS_OK)
        return;
    fprintf(stderr, "%s%s:%d: %s: %s\n", check_who, file, line, what, rts_error_text());
    rts_comm_abort(1);
}
#define CLUSTER_TRY(operation) cluster_try((operation), #operation, __FILE__, __LINE__)

/** A number lo..hi of this process alone; those that all share are not used up. `salt` makes two calls different. */
static inline int64_t cluster_own_random(uint64_t *salt, int64_t lo, int64_t hi) {
    const uint64_t shared = check_random_state;
    check_random_state ^=
        ((uint64_t)rts_comm_rank() + 1) * UINT64_C(0x9e3779b97f4a7c15) + ++*salt * 0x632be5ab;
    check_random_state |= 1;
    for (int i = 0; i < 8; i++)
        (void)check_random_u64();
    const int64_t value = check_random_range(lo, hi);
    check_random_state = shared;
    return value;
}

/** Stop the runtime. Collective. @return exit status of the test, the same in all processes */
static inline int cluster_finish(void) {
    const int own = check_finish();
    const rts_status_t status = rts_comm_agree(own == 0 ? RTS_OK : RTS_ERR_INTERNAL);
    rts_runtime_close();
    return status == RTS_OK ? 0 : 1;
}

#endif
