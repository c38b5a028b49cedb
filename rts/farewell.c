/* Farewells; see the header.
 *
 * A tree of processes, the one that exit codes go along (rts/agreement.c), joins all. A process that ends says so to its neighbours there,
 * and those that have ended already pass on the fewest calls that they hear of. So when everybody waits, either at the end or for
 * something that cannot come, some process that waits has a neighbour at the end which knows of fewer calls than it has made itself. */
#include <config.h>

#include "rts/farewell.h"

#include <stdio.h>
#include <string.h>

#include "rts/comm.h"
#include "rts/log.h"

/* Characters of a file name in a message. */
#define FILE_SIZE 60
/* Enough for 2^31 processes: one neighbour above, the others below. */
#define NEIGHBOURS_MAX 32

typedef struct farewell {
    int64_t calls; /* that the process made */
    int process, code;
    int line;             /* of its last directive */
    char file[FILE_SIZE]; /* "": unknown */
    bool is_last;         /* nothing more comes from the sender of this */
} farewell_t;

static int64_t calls;
/* Static, because messages may be under way when the job is ended in a hurry. */
static farewell_t fewest, sent, last;
static rts_flight_t flight;
static bool is_news; /* fewest is to be sent */
static int last_count;

void rts_farewell_count(void) {
    calls++;
}

/* The neighbours of this process: process r hears r + 1, r + 2, r + 4 .. below the lowest bit of r. */
static int list_neighbours(int neighbour[NEIGHBOURS_MAX]) {
    const int rank = rts_comm_rank(), size = rts_comm_size();
    int64_t distance = 1;
    int count = 0;
    for (; rank % (2 * distance) == 0 && distance < size; distance *= 2)
        if (rank + distance < size)
            neighbour[count++] = (int)(rank + distance);
    if (rank > 0)
        neighbour[count++] = (int)(rank - distance);
    return count;
}

static rts_status_t send(const farewell_t *farewell) {
    int neighbour[NEIGHBOURS_MAX];
    const int count = list_neighbours(neighbour);
    for (int i = 0; i < count; i++)
        RTS_TRY(rts_comm_send(&flight, neighbour[i], RTS_TAG_FAREWELL, farewell, sizeof *farewell));
    return RTS_OK;
}

/* Take one message if there is one; keep what tells of fewer calls than known. */
static rts_status_t take(bool *found_p) {
    farewell_t farewell;
    RTS_TRY(rts_comm_take(RTS_TAG_FAREWELL, &farewell, sizeof farewell, found_p));
    if (!*found_p)
        return RTS_OK;
    last_count += farewell.is_last;
    if (farewell.code == 0 && farewell.calls < fewest.calls) {
        fewest = farewell;
        is_news = true;
    }
    return RTS_OK;
}

/* While a process waits that has not ended. */
static rts_status_t look(void) {
    bool found = true;
    while (found)
        RTS_TRY(take(&found));
    if (fewest.calls >= calls)
        return RTS_OK;
    char place[FILE_SIZE + 24] = "";
    if (fewest.line > 0)
        snprintf(place, sizeof place, " after %s:%d", fewest.file, fewest.line);
    return rts_fail(
        RTS_ERR_INVALID,
        "process %d has ended its program%s, and this one goes on; all processes must make the same "
        "calls in the same order",
        fewest.process, place);
}

void rts_farewell_open(void) {
    fewest = (farewell_t){.calls = INT64_MAX};
    if (rts_comm_size() > 1)
        rts_comm_watch(look);
}

rts_status_t rts_farewell_say(int code) {
    const rts_position_t position = rts_position_get();
    rts_comm_watch(NULL);
    memset(&sent, 0, sizeof sent);
    sent.calls = calls;
    sent.process = rts_comm_rank();
    sent.code = code;
    if (position.file != NULL) {
        const size_t length = strlen(position.file);
        snprintf(sent.file, sizeof sent.file, "%s",
                 length < FILE_SIZE ? position.file : position.file + length - (FILE_SIZE - 1));
        sent.line = position.line;
    }
    if (code == 0 && fewest.calls >= calls)
        fewest = sent;
    return send(&sent);
}

rts_status_t rts_farewell_pass_on(void) {
    bool found = true, is_free;
    while (found)
        RTS_TRY(take(&found));
    RTS_TRY(rts_comm_test(&flight, &is_free));
    if (!is_free || !is_news)
        return RTS_OK;
    is_news = false;
    sent = fewest;
    sent.is_last = false;
    return send(&sent);
}

rts_status_t rts_farewell_finish(void) {
    int neighbour[NEIGHBOURS_MAX];
    const int count = list_neighbours(neighbour);
    last = (farewell_t){.calls = INT64_MAX, .is_last = true};
    RTS_TRY(send(&last));
    while (last_count < count) {
        bool found;
        RTS_TRY(take(&found));
    }
    RTS_TRY(rts_comm_wait(&flight));
    rts_flight_free(&flight);
    return RTS_OK;
}
