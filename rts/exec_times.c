/* Measurements under way, in the order in which they were begun; see the header. */
#include <config.h>

#include "rts/exec_times.h"

#include <string.h>

#include "rts/planner.h"
#include "rts/stats.h"

#define MOST_WAITING 256 /* then nothing more is measured until some are heard */

typedef enum time_kind { TIME_LAUNCH, TIME_REORGANISED } time_kind_t;

typedef struct measurement {
    time_kind_t kind;
    int device;
    int64_t timer;
    size_t bytes;   /* of a reorganisation */
    bool is_last;   /* part of its loop */
    int64_t ticket; /* of the loop */
} measurement_t;

static struct {
    measurement_t waiting[MOST_WAITING];
    int first, count;
    bool has_parts;     /* of the loop that runs now */
    bool is_incomplete; /* some part of it is not measured */
    int last_part;      /* place of the last one */
    double sum_s;       /* of the parts heard so far of the loop that is first */
    bool is_lost;       /* one of them was not heard */
} times;

void rts_times_start(int device) {
    const rts_handler_ops_t *ops = rts_handler_ops_of_device(device);
    if (times.count < MOST_WAITING)
        ops->start_timer(device);
}

/* @return place of the measurement; -1: none */
static int add(time_kind_t kind, int device, size_t bytes) {
    const int64_t timer =
        times.count < MOST_WAITING ? rts_handler_ops_of_device(device)->stop_timer(device) : 0;
    if (timer == 0 || (kind == TIME_REORGANISED && bytes == 0))
        return -1;
    const int place = (times.first + times.count++) % MOST_WAITING;
    times.waiting[place] = (measurement_t){.kind = kind, .device = device, .timer = timer, .bytes = bytes};
    return place;
}

void rts_times_stop_launch(int device) {
    const int place = add(TIME_LAUNCH, device, 0);
    times.is_incomplete = times.is_incomplete || place < 0;
    if (place < 0)
        return;
    times.has_parts = true;
    times.last_part = place;
}

void rts_times_stop_reorganised(int device, size_t bytes) {
    (void)add(TIME_REORGANISED, device, bytes);
}

void rts_times_close_loop(int64_t ticket) {
    if (times.has_parts) {
        times.waiting[times.last_part].is_last = true;
        times.waiting[times.last_part].ticket = times.is_incomplete ? 0 : ticket;
    }
    times.has_parts = times.is_incomplete = false;
}

static void note(const measurement_t *measured, double seconds) {
    const bool is_lost = seconds < 0;
    if (measured->kind == TIME_REORGANISED) {
        if (!is_lost)
            rts_planner_post_reorganised(true, measured->bytes, seconds);
        return;
    }
    times.is_lost = times.is_lost || is_lost;
    times.sum_s += is_lost ? 0 : seconds;
    if (!measured->is_last)
        return;
    rts_stats_add(RTS_STAT_LOOP_TIME, (int64_t)(times.sum_s * 1e9));
    if (!times.is_lost && measured->ticket != 0)
        rts_planner_post_late(measured->ticket, times.sum_s);
    times.sum_s = 0;
    times.is_lost = false;
}

/* A loop that runs now keeps its parts: its last one is not known yet. */
static bool is_open(int place) {
    return times.has_parts && place == times.last_part;
}

void rts_times_hear(void) {
    while (times.count > 0 && !is_open(times.first)) {
        const measurement_t measured = times.waiting[times.first];
        double seconds = -1;
        if (!rts_handler_ops_of_device(measured.device)->elapsed(measured.device, measured.timer, &seconds))
            return;
        times.first = (times.first + 1) % MOST_WAITING;
        times.count--;
        note(&measured, seconds);
    }
}

rts_status_t rts_times_settle(void) {
    for (rts_times_hear(); times.count > 0 && !is_open(times.first); rts_times_hear()) {
        const int device = times.waiting[times.first].device;
        RTS_TRY(rts_handler_ops_of_device(device)->end(device));
    }
    return RTS_OK;
}

void rts_times_reset(void) {
    memset(&times, 0, sizeof times);
}
