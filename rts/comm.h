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

/**
 * Memory that all processes of this node see, zeroed, until rts_comm_close. Collective of the node's processes; once.
 * @return RTS_ERR_COMM  MPI cannot; then in all of them
 */
rts_status_t rts_comm_share_node(size_t bytes, void **memory_p);

/** Wait for all. Collective. */
rts_status_t rts_comm_barrier(void);

/** Give `bytes` bytes of process `root` to all. Collective. Sizes beyond 2^31 are sent in pieces. */
rts_status_t rts_comm_broadcast(void *data, size_t bytes, int root);

/** `bytes` bytes of every process, in the order of processes, in `all` of every process. Collective. */
rts_status_t rts_comm_gather_all(const void *mine, void *all, size_t bytes);

/** The same among the processes of this node: rts_comm_local_size() times `bytes`. Collective of the node's processes. */
rts_status_t rts_comm_gather_node(const void *mine, void *all, size_t bytes);

/** into := into op from, for `bytes` bytes of data; associative. */
typedef void (*rts_combine_fn_t)(void *context, void *into, const void *from);

/**
 * Combine `bytes` bytes of all processes; every process gets the result in `data`. Collective; order and brackets depend on the number of
 * processes alone, so that the same processes give the same bits: process 0 op process 1 op ..
 * @return RTS_ERR_NO_MEMORY  in the process that lacks memory; the others would wait: the caller ends the job
 */
rts_status_t rts_comm_reduce(void *data, size_t bytes, rts_combine_fn_t combine, void *context);

/**
 * Whether all processes come with RTS_OK. Collective.
 * @param status  of this process
 * @return its own when that is not RTS_OK; else RTS_ERR_COMM with the number of the first process that failed
 */
rts_status_t rts_comm_agree(rts_status_t status);

/* --- messages from process to process --- */

/** Messages between two processes arrive in the order in which they were started, within each of these. */
typedef enum rts_tag {
    RTS_TAG_TRANSFER = 1,
    RTS_TAG_PIPELINE,
    RTS_TAG_FILE,
    RTS_TAG_REDUCE,
    RTS_TAG_END,
    RTS_TAG_FAREWELL
} rts_tag_t;

/** Longer messages are sent in pieces of so many bytes. */
#define RTS_COMM_PIECE_BYTES ((size_t)1 << 30)

/** Messages under way; zeroed: none. Contents are private, but `count`: the number that the next message gets. */
typedef struct rts_flight {
    void *requests, *statuses;
    int count, capacity;
} rts_flight_t;

/**
 * Start to send or receive `bytes` bytes and add the message to a flight. Asynchronous: data must stay as it is (send), or untouched
 * (receive), until the flight has been waited for. Both sides give the same number of bytes, or the receiver more, where neither is above a
 * piece; 0 bytes are no message. Never to itself.
 * Main thread only.
 */
rts_status_t rts_comm_send(rts_flight_t *flight, int process, rts_tag_t tag, const void *data, size_t bytes);
rts_status_t rts_comm_receive(rts_flight_t *flight, int process, rts_tag_t tag, void *data, size_t bytes);

/** Bytes of a message of a flight that has been waited for, and to which nothing was added since. @param number  as in rts_flight_t */
size_t rts_comm_arrived(const rts_flight_t *flight, int number);

/** Room for the messages of a transfer, `messages` of them with `bytes` bytes in all, so that starting them allocates nothing. */
rts_status_t rts_flight_reserve(rts_flight_t *flight, int messages, size_t bytes);

/** Wait for all messages of a flight; it is empty afterwards and keeps its memory. */
rts_status_t rts_comm_wait(rts_flight_t *flight);

/** Whether all messages of a flight have arrived; lets MPI make progress. When they have, the flight is empty. */
rts_status_t rts_comm_test(rts_flight_t *flight, bool *done_p);

/** Receive a message of `bytes` bytes that has come from any process; when there is none, nothing happens. Not with tags that others wait for. */
rts_status_t rts_comm_take(rts_tag_t tag, void *data, size_t bytes, bool *found_p);

/**
 * Have a function called now and then while this process waits for others, here and in collective calls, for longer than a second.
 *
 * Why: what it waits for may never come. When the function fails, so does the wait, and messages stay under way: the job is at its end.
 * @param look  uses no function here that waits; NULL: none
 */
void rts_comm_watch(rts_status_t (*look)(void));

/** Whether messages can still be sent: false before rts_comm_open and when the program has finalised MPI itself. */
bool rts_comm_is_usable(void);

/** Free a flight's memory; no message may be under way. */
void rts_flight_free(rts_flight_t *flight);

/** Let MPI work on messages under way. Main thread; cheap; harmless without. */
void rts_comm_progress(void);

#endif
