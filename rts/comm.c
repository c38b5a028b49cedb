/* Processes and their communication: the one file that knows MPI. Without MPI, or when told to stay away
 * from it, there is one process and every collective operation is done as soon as it is called. */
#include <config.h>

#include "rts/comm.h"

#include <stdlib.h>
#include <string.h>

#include "rts/memory.h"

#ifdef HAVE_MPI
#include <mpi.h>

#include "rts/stats.h"
#include "rts/types.h"

/* Of one broadcast, too: MPI counts with int. */
#define PIECE_BYTES RTS_COMM_PIECE_BYTES
/* A wait asks for the time once in so many rounds, and after so long whether what it waits for can come at all. */
#define LOOK_ROUNDS 256
#define LOOK_NS     INT64_C(1000000000)

static struct {
    bool is_open;   /* and MPI is used */
    bool is_ours;   /* MPI was started here */
    MPI_Comm world; /* all processes; a duplicate, so that the program's messages never meet ours */
    MPI_Comm node;  /* those that share memory with this one */
    int rank, size;
    int local_rank, local_size;
    MPI_Win window;             /* memory of the node's processes together */
    rts_status_t (*look)(void); /* while waiting long; NULL: no */
} comm = {.size = 1, .local_size = 1, .world = MPI_COMM_NULL, .node = MPI_COMM_NULL, .window = MPI_WIN_NULL};

/* Record what MPI says about an error code. */
static rts_status_t fail(const char *operation, int code) {
    char text[MPI_MAX_ERROR_STRING] = "unknown error";
    int length;
    MPI_Error_string(code, text, &length);
    return rts_fail(RTS_ERR_COMM, "%s: %s", operation, text);
}

/* Pass a failure of MPI on. */
#define TRY_MPI(operation, call)                                                                             \
    do {                                                                                                     \
        const int code = (call);                                                                             \
        if (code != MPI_SUCCESS)                                                                             \
            return fail(operation, code);                                                                    \
    } while (0)

/* MPI running with enough thread support, started here unless the program has. */
static rts_status_t start(int *argc, char ***argv) {
    int is_running, is_over, provided;
    TRY_MPI("MPI_Finalized", MPI_Finalized(&is_over));
    if (is_over)
        return rts_fail(RTS_ERR_COMM, "MPI was finalized before the start of the runtime");
    TRY_MPI("MPI_Initialized", MPI_Initialized(&is_running));
    if (is_running) {
        TRY_MPI("MPI_Query_thread", MPI_Query_thread(&provided));
    } else {
        TRY_MPI("MPI_Init_thread", MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided));
        comm.is_ours = true;
    }
    if (provided < MPI_THREAD_FUNNELED)
        return rts_fail(RTS_ERR_COMM,
                        "MPI provides no thread support: MPI_THREAD_FUNNELED is the least that is needed");
    return RTS_OK;
}

/* The communicators, with errors returned instead of fatal. */
static rts_status_t connect(void) {
    MPI_Errhandler programs;
    TRY_MPI("MPI_Comm_get_errhandler", MPI_Comm_get_errhandler(MPI_COMM_WORLD, &programs));
    TRY_MPI("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    const int duplicated = MPI_Comm_dup(MPI_COMM_WORLD, &comm.world); /* takes the handler over */
    TRY_MPI("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(MPI_COMM_WORLD, programs));
    TRY_MPI("MPI_Errhandler_free", MPI_Errhandler_free(&programs));
    TRY_MPI("MPI_Comm_dup", duplicated);
    TRY_MPI("MPI_Comm_rank", MPI_Comm_rank(comm.world, &comm.rank));
    TRY_MPI("MPI_Comm_size", MPI_Comm_size(comm.world, &comm.size));
    TRY_MPI("MPI_Comm_split_type",
            MPI_Comm_split_type(comm.world, MPI_COMM_TYPE_SHARED, comm.rank, MPI_INFO_NULL, &comm.node));
    TRY_MPI("MPI_Comm_rank", MPI_Comm_rank(comm.node, &comm.local_rank));
    TRY_MPI("MPI_Comm_size", MPI_Comm_size(comm.node, &comm.local_size));
    return RTS_OK;
}

/* Give up what open took, in reverse; MPI itself only when it was started here. */
static void stop(void) {
    int is_over;
    if (MPI_Finalized(&is_over) == MPI_SUCCESS && !is_over) {
        if (comm.window != MPI_WIN_NULL)
            MPI_Win_free(&comm.window);
        if (comm.node != MPI_COMM_NULL)
            MPI_Comm_free(&comm.node);
        if (comm.world != MPI_COMM_NULL)
            MPI_Comm_free(&comm.world);
        if (comm.is_ours)
            MPI_Finalize();
    }
    comm.is_open = comm.is_ours = false;
    comm.node = comm.world = MPI_COMM_NULL;
    comm.window = MPI_WIN_NULL;
    comm.rank = comm.local_rank = 0;
    comm.size = comm.local_size = 1;
    comm.look = NULL;
}

rts_status_t rts_comm_open(bool sequential, int *argc, char ***argv) {
    if (sequential || comm.is_open)
        return RTS_OK;
    RTS_TRY(start(argc, argv));
    comm.is_open = true;
    return connect();
}

void rts_comm_close(void) {
    if (comm.is_open)
        stop();
}

void rts_comm_abort(int code) {
    if (comm.size > 1) {
        int is_over;
        if (MPI_Finalized(&is_over) == MPI_SUCCESS && !is_over)
            MPI_Abort(comm.world, code);
    }
    exit(code);
}

int rts_comm_rank(void) {
    return comm.rank;
}

int rts_comm_size(void) {
    return comm.size;
}

int rts_comm_local_rank(void) {
    return comm.local_rank;
}

int rts_comm_local_size(void) {
    return comm.local_size;
}

bool rts_comm_is_usable(void) {
    int is_over;
    return comm.is_open && MPI_Finalized(&is_over) == MPI_SUCCESS && !is_over;
}

void rts_comm_watch(rts_status_t (*look)(void)) {
    comm.look = look;
}

/* Wait for all of some operations, in a loop of our own: within MPI's nothing would tell that they cannot be done. */
static rts_status_t wait_for(const char *operation, int count, MPI_Request requests[],
                             MPI_Status statuses[]) {
    int64_t next = 0;
    for (unsigned round = 1;; round++) {
        int done;
        TRY_MPI(operation, MPI_Testall(count, requests, &done, statuses));
        if (done)
            return RTS_OK;
        if (round % LOOK_ROUNDS != 0 || comm.look == NULL)
            continue;
        const int64_t now = rts_clock_ns();
        if (next != 0 && now >= next)
            RTS_TRY(comm.look());
        if (next == 0 || now >= next)
            next = now + LOOK_NS;
    }
}

rts_status_t rts_comm_barrier(void) {
    if (comm.size == 1)
        return RTS_OK;
    MPI_Request request;
    TRY_MPI("MPI_Ibarrier", MPI_Ibarrier(comm.world, &request));
    return wait_for("MPI_Ibarrier", 1, &request, MPI_STATUSES_IGNORE);
}

rts_status_t rts_comm_broadcast(void *data, size_t bytes, int root) {
    if (root < 0 || root >= comm.size)
        return rts_fail(RTS_ERR_INVALID, "broadcast from process %d: processes are 0..%d", root,
                        comm.size - 1);
    if (comm.size == 1)
        return RTS_OK;
    for (char *piece = data; bytes > 0;) {
        const size_t count = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
        MPI_Request request;
        TRY_MPI("MPI_Ibcast", MPI_Ibcast(piece, (int)count, MPI_BYTE, root, comm.world, &request));
        RTS_TRY(wait_for("MPI_Ibcast", 1, &request, MPI_STATUSES_IGNORE));
        piece += count;
        bytes -= count;
    }
    return RTS_OK;
}

rts_status_t rts_comm_gather_all(const void *mine, void *all, size_t bytes) {
    if (bytes > PIECE_BYTES)
        return rts_fail(RTS_ERR_INVALID, "%zu bytes of every process to all; allowed: at most %zu", bytes,
                        PIECE_BYTES);
    if (comm.size == 1) {
        memcpy(all, mine, bytes);
        return RTS_OK;
    }
    MPI_Request request;
    TRY_MPI("MPI_Iallgather",
            MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, comm.world, &request));
    return wait_for("MPI_Iallgather", 1, &request, MPI_STATUSES_IGNORE);
}

rts_status_t rts_comm_gather_node(const void *mine, void *all, size_t bytes) {
    if (bytes > PIECE_BYTES)
        return rts_fail(RTS_ERR_INVALID, "%zu bytes of every process of a node; allowed: at most %zu", bytes,
                        PIECE_BYTES);
    if (comm.local_size == 1)
        memcpy(all, mine, bytes);
    else
        TRY_MPI("MPI_Allgather",
                MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, comm.node));
    return RTS_OK;
}

rts_status_t rts_comm_share_node(size_t bytes, void **memory_p) {
    void *memory = NULL;
    MPI_Aint size;
    int unit;
    TRY_MPI("MPI_Win_allocate_shared",
            MPI_Win_allocate_shared(comm.local_rank == 0 ? (MPI_Aint)bytes : 0, 1, MPI_INFO_NULL, comm.node,
                                    &memory, &comm.window));
    TRY_MPI("MPI_Win_shared_query", MPI_Win_shared_query(comm.window, 0, &size, &unit, &memory));
    if (comm.local_rank == 0)
        memset(memory, 0, bytes);
    TRY_MPI("MPI_Barrier", MPI_Barrier(comm.node));
    *memory_p = memory;
    return RTS_OK;
}

static rts_status_t grow(rts_flight_t *flight, int capacity) {
    MPI_Request *requests = rts_alloc((size_t)capacity * sizeof *requests);
    if (requests == NULL)
        return rts_fail_memory("messages under way", (size_t)capacity * sizeof *requests);
    MPI_Status *statuses = rts_alloc((size_t)capacity * sizeof *statuses);
    if (statuses == NULL) {
        rts_free(requests);
        return rts_fail_memory("messages under way", (size_t)capacity * sizeof *statuses);
    }
    if (flight->count > 0)
        memcpy(requests, flight->requests, (size_t)flight->count * sizeof *requests);
    rts_free(flight->requests);
    rts_free(flight->statuses);
    flight->requests = requests;
    flight->statuses = statuses;
    flight->capacity = capacity;
    return RTS_OK;
}

rts_status_t rts_flight_reserve(rts_flight_t *flight, int messages, size_t bytes) {
    const int needed = flight->count + messages + (int)(bytes / PIECE_BYTES); /* long ones are cut */
    return needed > flight->capacity ? grow(flight, needed) : RTS_OK;
}

/* Both sides cut long messages at the same places. */
static rts_status_t start_message(rts_flight_t *flight, int process, rts_tag_t tag, char *data, size_t bytes,
                                  bool is_send) {
    RTS_ASSERT(process >= 0 && process < comm.size && process != comm.rank);
    while (bytes > 0) {
        const size_t piece = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
        if (flight->count == flight->capacity)
            RTS_TRY(grow(flight, flight->capacity > 0 ? 2 * flight->capacity : 16));
        MPI_Request *request = (MPI_Request *)flight->requests + flight->count;
        if (is_send)
            TRY_MPI("MPI_Isend",
                    MPI_Isend(data, (int)piece, MPI_BYTE, process, (int)tag, comm.world, request));
        else
            TRY_MPI("MPI_Irecv",
                    MPI_Irecv(data, (int)piece, MPI_BYTE, process, (int)tag, comm.world, request));
        flight->count++;
        if (is_send) {
            rts_stats_add(RTS_STAT_MESSAGES, 1);
            rts_stats_add(RTS_STAT_MESSAGE_BYTES, (int64_t)piece);
        }
        data += piece;
        bytes -= piece;
    }
    return RTS_OK;
}

rts_status_t rts_comm_send(rts_flight_t *flight, int process, rts_tag_t tag, const void *data, size_t bytes) {
    return start_message(flight, process, tag, (char *)(uintptr_t)data, bytes, true);
}

rts_status_t rts_comm_receive(rts_flight_t *flight, int process, rts_tag_t tag, void *data, size_t bytes) {
    return start_message(flight, process, tag, data, bytes, false);
}

rts_status_t rts_comm_wait(rts_flight_t *flight) {
    const int count = flight->count;
    flight->count = 0;
    return count > 0 ? wait_for("messages", count, flight->requests, flight->statuses) : RTS_OK;
}

rts_status_t rts_comm_test(rts_flight_t *flight, bool *done_p) {
    int done = 1;
    if (flight->count > 0)
        TRY_MPI("MPI_Testall", MPI_Testall(flight->count, flight->requests, &done, flight->statuses));
    if (done)
        flight->count = 0;
    *done_p = done != 0;
    return RTS_OK;
}

size_t rts_comm_arrived(const rts_flight_t *flight, int number) {
    int bytes = 0;
    RTS_ASSERT(flight->count == 0 && number < flight->capacity);
    const MPI_Status *status = (const MPI_Status *)flight->statuses + number;
    return MPI_Get_count(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes > 0 ? (size_t)bytes : 0;
}

rts_status_t rts_comm_take(rts_tag_t tag, void *data, size_t bytes, bool *found_p) {
    int found = 0;
    MPI_Status status;
    if (comm.size > 1)
        TRY_MPI("MPI_Iprobe", MPI_Iprobe(MPI_ANY_SOURCE, (int)tag, comm.world, &found, &status));
    if (found)
        TRY_MPI("MPI_Recv", MPI_Recv(data, (int)bytes, MPI_BYTE, status.MPI_SOURCE, (int)tag, comm.world,
                                     MPI_STATUS_IGNORE));
    *found_p = found != 0;
    return RTS_OK;
}

void rts_comm_progress(void) {
    int found;
    if (comm.size > 1)
        (void)MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm.world, &found, MPI_STATUS_IGNORE);
}

/* Process `rank` has combined those up to the next power of two that divides it; lower ones stand left. */
static rts_status_t combine_up(void *data, void *other, size_t bytes, rts_combine_fn_t combine, void *context,
                               rts_flight_t *flight) {
    for (int distance = 1; distance < comm.size; distance *= 2) {
        if (comm.rank % (2 * distance) != 0) {
            RTS_TRY(rts_comm_send(flight, comm.rank - distance, RTS_TAG_REDUCE, data, bytes));
            return rts_comm_wait(flight);
        }
        if (comm.rank + distance < comm.size) {
            RTS_TRY(rts_comm_receive(flight, comm.rank + distance, RTS_TAG_REDUCE, other, bytes));
            RTS_TRY(rts_comm_wait(flight));
            combine(context, data, other);
        }
    }
    return RTS_OK;
}

rts_status_t rts_comm_reduce(void *data, size_t bytes, rts_combine_fn_t combine, void *context) {
    if (comm.size == 1 || bytes == 0)
        return RTS_OK;
    rts_flight_t flight = {0};
    void *other = rts_alloc(bytes);
    if (other == NULL)
        return rts_fail_memory("the combined values of processes", bytes);
    rts_status_t status = combine_up(data, other, bytes, combine, context, &flight);
    if (status == RTS_OK)
        status = rts_comm_broadcast(data, bytes, 0);
    rts_flight_free(&flight);
    rts_free(other);
    return status;
}

rts_status_t rts_comm_agree(rts_status_t status) {
    int first = status == RTS_OK ? comm.size : comm.rank;
    if (comm.size > 1) {
        MPI_Request request;
        TRY_MPI("MPI_Iallreduce",
                MPI_Iallreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm.world, &request));
        RTS_TRY(wait_for("MPI_Iallreduce", 1, &request, MPI_STATUSES_IGNORE));
    }
    if (status == RTS_OK && first < comm.size)
        return rts_fail(RTS_ERR_COMM, "process %d failed", first);
    return status;
}

#else

rts_status_t rts_comm_open(bool sequential, int *argc, char ***argv) {
    (void)sequential, (void)argc, (void)argv;
    return RTS_OK;
}

void rts_comm_close(void) {}

void rts_comm_abort(int code) {
    exit(code);
}

int rts_comm_rank(void) {
    return 0;
}

int rts_comm_size(void) {
    return 1;
}

int rts_comm_local_rank(void) {
    return 0;
}

int rts_comm_local_size(void) {
    return 1;
}

rts_status_t rts_comm_barrier(void) {
    return RTS_OK;
}

rts_status_t rts_comm_broadcast(void *data, size_t bytes, int root) {
    (void)data, (void)bytes;
    if (root != 0)
        return rts_fail(RTS_ERR_INVALID, "broadcast from process %d: processes are 0..0", root);
    return RTS_OK;
}

rts_status_t rts_comm_gather_all(const void *mine, void *all, size_t bytes) {
    memcpy(all, mine, bytes);
    return RTS_OK;
}

rts_status_t rts_comm_gather_node(const void *mine, void *all, size_t bytes) {
    memcpy(all, mine, bytes);
    return RTS_OK;
}

rts_status_t rts_comm_reduce(void *data, size_t bytes, rts_combine_fn_t combine, void *context) {
    (void)data, (void)bytes, (void)combine, (void)context;
    return RTS_OK;
}

rts_status_t rts_comm_agree(rts_status_t status) {
    return status;
}

static rts_status_t fail_message(int process) {
    return rts_fail(RTS_ERR_INVALID, "a message with process %d: there is one process", process);
}

rts_status_t rts_comm_send(rts_flight_t *flight, int process, rts_tag_t tag, const void *data, size_t bytes) {
    (void)flight, (void)tag, (void)data;
    return bytes > 0 ? fail_message(process) : RTS_OK;
}

rts_status_t rts_comm_receive(rts_flight_t *flight, int process, rts_tag_t tag, void *data, size_t bytes) {
    (void)flight, (void)tag, (void)data;
    return bytes > 0 ? fail_message(process) : RTS_OK;
}

rts_status_t rts_flight_reserve(rts_flight_t *flight, int messages, size_t bytes) {
    (void)flight, (void)messages, (void)bytes;
    return RTS_OK;
}

rts_status_t rts_comm_share_node(size_t bytes, void **memory_p) {
    (void)bytes, (void)memory_p;
    return rts_fail(RTS_ERR_COMM, "there is one process");
}

size_t rts_comm_arrived(const rts_flight_t *flight, int number) {
    (void)flight, (void)number;
    return 0;
}

rts_status_t rts_comm_wait(rts_flight_t *flight) {
    (void)flight;
    return RTS_OK;
}

rts_status_t rts_comm_test(rts_flight_t *flight, bool *done_p) {
    (void)flight;
    *done_p = true;
    return RTS_OK;
}

rts_status_t rts_comm_take(rts_tag_t tag, void *data, size_t bytes, bool *found_p) {
    (void)tag, (void)data, (void)bytes;
    *found_p = false;
    return RTS_OK;
}

void rts_comm_watch(rts_status_t (*look)(void)) {
    (void)look;
}

bool rts_comm_is_usable(void) {
    return false;
}

void rts_comm_progress(void) {}

#endif

void rts_flight_free(rts_flight_t *flight) {
    rts_free(flight->requests);
    rts_free(flight->statuses);
    *flight = (rts_flight_t){0};
}
