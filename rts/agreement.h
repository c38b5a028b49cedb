/* What processes agree on beside data: that all have come to the same collective operation, with which code the job ends, and which
 * process tells why it fails. Decides none of what the operations do. With one process everything is agreed at once. */
#ifndef RTS_AGREEMENT_H
#define RTS_AGREEMENT_H

#include "rts/status.h"

/** Seconds that a process which ends with a code other than 0 waits for the others. */
#define RTS_END_SECONDS 5

/**
 * Let the processes of a node share what they need when one fails. Collective, once, after rts_comm_open; main thread. Where there is no
 * shared memory, each process that fails tells.
 * @return RTS_OK
 * @return RTS_ERR_COMM  MPI failed
 */
rts_status_t rts_agreement_open(void);

/**
 * Check that all processes make the same collective call.
 *
 * Why: processes that do different things exchange what does not belong together, or wait forever. Called before every collective
 * operation, so that the first difference is found. Costs an exchange of a few bytes in builds with assertions; others only count calls, by
 * which a process that waits finds that another one has ended (rts/farewell.h).
 * @param what  the entry point; its place is that of rts_position_get, which must be the same too
 * Synchronous, collective, main thread. Leaves errno alone.
 * @return RTS_OK
 * @return RTS_ERR_INVALID  in every process: who is where
 * @return RTS_ERR_NO_MEMORY, RTS_ERR_COMM
 */
rts_status_t rts_comm_expect(const char *what);

/** The same for operations that may be called from several places, since they have no operands: a barrier. */
rts_status_t rts_comm_expect_anywhere(const char *what);

/** The same for the end of the program, which is not counted as a call. Once, before rts_agreement_end. */
rts_status_t rts_comm_expect_end(const char *what);

/**
 * All processes end the program.
 *
 * Why: the code that a launcher passes on is any of those of the processes, and a process that ends alone would wait forever for the
 * others to take MPI down. So all end with the same code, and one that has a reason to end waits for a while only. With code 0 a process
 * waits as long as others need; those that wait in turn for a call that this one has not made are the ones that fail.
 * @param code      of this process
 * @param agreed_p  that of the lowest process whose code is not 0; else 0. Set on failure too: the code known here
 * Synchronous, collective, main thread.
 * @return RTS_OK
 * @return RTS_ERR_COMM  MPI failed, or some processes have not come within RTS_END_SECONDS, and a code other than 0 is known here
 */
rts_status_t rts_agreement_end(int code, int *agreed_p);

/**
 * Whether this process is the one that tells why the job fails.
 *
 * Of the processes of one node that ask, exactly one gets true, the first, whatever they have to tell. Where there are several nodes, all
 * but process 0 wait for two to four seconds before, in which the end of the job reaches them. Uses no MPI. Threads: one, once.
 */
bool rts_agreement_tells(void);

#endif
