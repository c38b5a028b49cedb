/* A message arrives while a loop computes: process 0 sends one so long that both sides have to work on it, process 1 has begun to receive it
 * and runs a loop of many portions. No time is measured: portions wait a little while the message is not there, and there are many
 * more than it takes. Without progress between portions the loop would end first. */
#include <config.h>

#include <dvmhlib_const.h>
#include <dvmhx.h>
#include <stdlib.h>
#include <unistd.h>

#include "rts/exec.h"
#include "rts/memory.h"
#include "rts/planner.h"
#include "tests/cluster/cluster_check.h"

enum { EXTENT = 4000, BYTES = 1 << 20, WAIT_US = 200, MARK = 77 };

static char *message;
static bool has_arrived;
static int64_t portions_before, portions_after;

/* On the main thread, which alone makes progress; others have nothing to do. */
static void handler(const dvmhx_record_t *record) {
    if (record->thread != 0)
        return;
    has_arrived = has_arrived || *(volatile char *)&message[BYTES - 1] == MARK;
    portions_before += !has_arrived;
    portions_after += has_arrived;
    if (!has_arrived)
        usleep(WAIT_US);
}

/* Front after front, each a portion of every thread. Not mapped, so that this process alone runs it. */
static void run_loop(void) {
    const rts_index_t start[] = {0, 0}, end[] = {EXTENT - 1, EXTENT - 1}, step[] = {1, 1};
    const rts_index_t vector[2][RTS_MAX_RANK] = {{1, 0}, {0, 1}};
    rts_loop_t *loop;
    rts_handler_t record = {.device_type = DEVICE_TYPE_HOST,
                            .type = RTS_HANDLER_RECORD,
                            .function = (DvmHandlerFunc)(void (*)(void))handler};
    rts_planner_close();
    rts_planner_open(RTS_PLANNER_OFF, 0, RTS_CHOICE_FRONT, false);
    CLUSTER_TRY(rts_loop_open(2, start, end, step, &loop));
    loop->has_vectors = true;
    rts_dependences_init(&loop->vectors, 2);
    for (int i = 0; i < 2; i++)
        CLUSTER_TRY(rts_dependences_add(&loop->vectors, vector[i]));
    CLUSTER_TRY(rts_loop_add_handler(loop, &record));
    CLUSTER_TRY(rts_exec_loop(loop));
}

static void test_progress(void) {
    rts_flight_t flight = {0};
    bool is_done = false;
    message = rts_alloc_zeroed(BYTES, 1);
    if (message == NULL)
        rts_comm_abort(1);
    if (rts_comm_rank() == 1)
        CLUSTER_TRY(rts_comm_receive(&flight, 0, RTS_TAG_PIPELINE, message, BYTES));
    CLUSTER_TRY(rts_comm_barrier());
    if (rts_comm_rank() == 0) {
        memset(message, MARK, BYTES);
        CLUSTER_TRY(rts_comm_send(&flight, 1, RTS_TAG_PIPELINE, message, BYTES));
        while (!is_done)
            CLUSTER_TRY(rts_comm_test(&flight, &is_done));
    } else if (rts_comm_rank() == 1) {
        run_loop();
        CHECK(portions_before + portions_after > EXTENT);
        CHECK(portions_after > 0);
    }
    CLUSTER_TRY(rts_comm_wait(&flight));
    rts_flight_free(&flight);
    rts_free(message);
}

int main(int argc, char **argv) {
    setenv("DVMH_NUM_THREADS", "2", 1);
    cluster_start(&argc, &argv);
    if (rts_comm_size() > 1)
        test_progress();
    return cluster_finish();
}
