/* Loops at the limits of a backend: extents that nobody can enumerate, and jobs that must be refused. */
#include <config.h>

#include "rts/host/host.h"
#include "rts/memory.h"
#include "tests/check.h"

#define THREAD_COUNT 4

typedef struct seen {
    int portions;
    rts_portion_t last;
} seen_t;

static void see_portion(void *context, const rts_portion_t *portion) {
    seen_t *const seen = context;
    seen->portions++;
    seen->last = *portion;
}

/** Extents far beyond what anybody enumerates. */
static void test_huge(void) {
    const rts_index_t huge = (rts_index_t)1 << 61;
    seen_t seen = {0};
    rts_loop_job_t job = {.rank = 1,
                          .count = {huge},
                          .thread_count = 1,
                          .run = see_portion,
                          .context = &seen};
    CHECK_EQ_INT(rts_host_ops.run(0, &job), RTS_OK);
    CHECK(seen.portions == 1 && seen.last.lo[0] == 0 && seen.last.hi[0] == huge);

    job.schedule = RTS_SCHEDULE_TILES;
    job.tile[0] = huge - 1;
    job.predecessor_count = 1;
    job.predecessor[0][0] = 1;
    CHECK_EQ_INT(rts_host_ops.run(0, &job), RTS_OK);
    CHECK(seen.portions == 3 && seen.last.lo[0] == huge - 1 && seen.last.hi[0] == huge);

    job.tile[0] = 1;
    CHECK_EQ_INT(rts_host_ops.run(0, &job), RTS_ERR_UNSUPPORTED);

    job.rank = 2;
    job.count[1] = job.tile[0] = job.tile[1] = huge;
    job.predecessor_count = 0;
    job.way = RTS_WAY_JAM;
    job.skew = 4;
    CHECK_EQ_INT(rts_host_ops.run(0, &job), RTS_ERR_UNSUPPORTED);
    job.skew = 2;
    job.count[0] = job.tile[0] = 100;
    job.tile[1] = huge - 1;
    CHECK_EQ_INT(rts_host_ops.run(0, &job), RTS_OK);
    CHECK(seen.portions == 5 && seen.last.front_lo == huge - 1 && seen.last.front_hi == huge + 198);

    job.rank = 1;
    job.count[0] = huge;
    job.schedule = RTS_SCHEDULE_SERIAL;
    job.way = RTS_WAY_FRONT;
    job.time[0] = 3;
    CHECK_EQ_INT(rts_host_ops.run(0, &job), RTS_OK);
    CHECK(seen.last.front_lo == 0 && seen.last.front_hi == 3 * (huge - 1) + 1);
    job.time[0] = 5;
    CHECK_EQ_INT(rts_host_ops.run(0, &job), RTS_ERR_UNSUPPORTED);
    CHECK_EQ_INT(seen.portions, 6);
}

/** What would hang, and what has no memory, is refused before anything runs. */
static void test_refused(void) {
    seen_t seen = {0};
    rts_loop_job_t job = {.rank = 2, .count = {8, 8}, .schedule = RTS_SCHEDULE_TILES, .thread_count = 2};
    job.tile[0] = job.tile[1] = 2;
    job.run = see_portion;
    job.context = &seen;
    job.predecessor_count = 1;
    CHECK_EQ_INT(rts_host_ops.run(0, &job), RTS_ERR_INTERNAL);
    job.predecessor[0][1] = -1;
    CHECK_EQ_INT(rts_host_ops.run(0, &job), RTS_ERR_INTERNAL);
    job.predecessor[0][1] = 1;
    job.predecessor[0][0] = 1;
    CHECK_EQ_INT(rts_host_ops.run(1, &job), RTS_ERR_INVALID);
    CHECK_EQ_INT(rts_host_ops.run(-1, &job), RTS_ERR_INVALID);
    job.thread_count = THREAD_COUNT + 1; /* more than the backend was opened for */
    rts_memory_fail_at(1);
    CHECK_EQ_INT(rts_host_ops.run(0, &job), RTS_ERR_NO_MEMORY);
    rts_memory_fail_at(0);
    CHECK_EQ_INT(seen.portions, 0);
}

int main(void) {
    const rts_backend_options_t options = {.thread_count = THREAD_COUNT, .local_count = 1};
    int device_count = -1;
    CHECK_EQ_INT(rts_host_ops.open(&options, &device_count), RTS_OK);
    CHECK_EQ_INT(device_count, 0);
    test_huge();
    test_refused();
    rts_host_ops.close();
    CHECK_EQ_INT(rts_memory_live(), 0);
    return check_finish();
}
