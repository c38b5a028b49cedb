/* How processes that still run learn that another one has ended its program, when they wait for what that one will never do. Decides who is
 * right by counting collective calls; decides neither how a job ends nor with which code (agreement). With one process nothing happens. */
#ifndef RTS_FAREWELL_H
#define RTS_FAREWELL_H

#include "rts/status.h"

/** This process makes one more collective call of those that all make in the same order. Costs an addition. */
void rts_farewell_count(void);

/** Watch for processes that end, from now on, whenever this one waits long. Main thread, once, after rts_comm_open. */
void rts_farewell_open(void);

/**
 * This process has made its last call: tell its neighbours in the tree of processes, and stop watching.
 *
 * Why: a process that is in a later call then than this one's last waits forever. However long a legal program's processes differ at their
 * end, all have made as many calls.
 * @param code  that it wants to end with; others leave one that is not 0 to this process, which ends them all itself
 * Synchronous: the messages are small and nobody has to wait for them.
 * @return RTS_OK
 * @return RTS_ERR_COMM, RTS_ERR_NO_MEMORY
 */
rts_status_t rts_farewell_say(int code);

/** Between rts_farewell_say and rts_farewell_finish, now and then: pass on what neighbours say of a process that has made fewer calls. */
rts_status_t rts_farewell_pass_on(void);

/** All processes have ended: take the messages that are still under way, so that none is left to MPI. Collective. */
rts_status_t rts_farewell_finish(void);

#endif
