/* Processes: start, stop, collective calls. The one place that knows MPI; without it there is one process. */
#ifndef RTS_COMM_H
#define RTS_COMM_H

#include "rts/status.h"

/**
 * Start communication. Collective; main thread; once.
 *
 * Initialises MPI (thread support multiple wanted, funneled accepted) unless `sequential`, or unless the caller has
 * already: then it is not finalised here either. Works on a duplicate of the world.
 * @param sequential  never touch MPI: one process
 * @return RTS_OK
 * @return RTS_ERR_COMM  MPI failed or gives less than funneled thread support
 */
rts_status_t rts_comm_open(bool sequential, int *argc, char ***argv);

/** Finalise what rts_comm_open started. Collective. Harmless when nothing is open. */
void rts_comm_close(void);

/** End every process with an exit code, without waiting for them. Before rts_comm_open: exit. */
_Noreturn void rts_comm_abort(int code);

/** This process and their number; 0 and 1 before rts_comm_open. */
int rts_comm_rank(void);
int rts_comm_size(void);

/** The same among the processes of this node (sharing memory). */
int rts_comm_local_rank(void);
int rts_comm_local_size(void);

/** Wait for all. Collective. */
rts_status_t rts_comm_barrier(void);

/** Give `bytes` bytes of process `root` to all. Collective. Sizes beyond 2^31 are sent in pieces. */
rts_status_t rts_comm_broadcast(void *data, size_t bytes, int root);

#endif
