/* Measurements under way, in the order in which they were begun; see the header. */
#include <config.h>

#include "rts/exec_times.h"

#include <string.h>

#include "rts/interval.h"
#include "rts/stats.h"

#define NO_TIME             (-1)                  /* in place of a ticket: parts are missing */
#define MOST_WAITING        (RTS_MOST_TIMERS - 1) /* the last one is being begun */
#define REORGANISED_AT_ONCE 32                    /* reorganisations that are all measured .. */
#define REORGANISED_EVERY                                                                                    \
    13 /* .. then every such one: a prime, so that it is not always the same array's turn */

typedef enum time_kind { TIME_LAUNCH, TIME_REORGANISED } time_kind_t;

typedef struct measurement {
    time_kind_t kind;
    int device;
    int64_t timer;
    size_t bytes;   /* of a reorganisation */
    bool is_last;   /* part of its loop */
    int64_t ticket; /* of the loop */
    int interval;   /* that it was begun in */
} measurement_t;

static struct {
    measurement_t waiting[MOST_WAITING];
    int first, count;
    uint64_t busy;      /* bit of each device that loops were queued on since the last settling */
    bool is_unmeasured; /* the loop that runs now */
    bool is_started;    /* a measurement has been begun and not ended */
    bool has_parts;     /* of the loop that runs now */
    bool is_incomplete; /* some part of it is not measured */
    int last_part;      /* place of the last one */
    double sum_s;       /* of the parts heard so far of the loop that is first */
    bool is_lost;       /* one of them was not heard */
    int64_t loose,
        loose_heard; /* executions that no loop of the planner counts: not measured, and measured */
    double loose_s;  /* of the measured ones */
    int64_t reorganisations;
    double bytes, bytes_s;   /* of measured reorganisations, and what they took */
    double unmeasured_bytes; /* of the others since the last settling */
} times;

/* ---- measuring ---- */

static void start(int device) {
    if (times.count == MOST_WAITING)
        rts_times_hear();
    times.is_started = times.count < MOST_WAITING;
    if (times.is_started)
        rts_handler_ops_of_device(device)->start_timer(device);
}

/* @return number of the timer; 0: it was not measured */
static int64_t stop(int device) {
    const int64_t timer = times.is_started ? rts_handler_ops_of_device(device)->stop_timer(device) : 0;
    times.is_started = false;
    return timer;
}

/* @return place of the measurement */
static int add(measurement_t measurement) {
    const int place = (times.first + times.count++) % MOST_WAITING;
    times.waiting[place] = measurement;
    return place;
}

void rts_times_open_loop(const rts_plan_t *plan, int device) {
    RTS_ASSERT(device < 64);
    times.busy |= UINT64_C(1) << device;
    times.is_unmeasured = !rts_planner_wants_time(plan);
}

bool rts_times_measures(void) {
    return !times.is_unmeasured;
}

void rts_times_forgo(void) {
    times.is_unmeasured = true;
}

void rts_times_start(int device) {
    if (!times.is_unmeasured)
        start(device);
}

void rts_times_stop_launch(int device) {
    const int64_t timer = times.is_unmeasured ? 0 : stop(device);
    times.is_incomplete = times.is_incomplete || timer == 0;
    if (timer == 0)
        return;
    times.has_parts = true;
    times.last_part = add((measurement_t){.kind = TIME_LAUNCH, .device = device, .timer = timer});
}

void rts_times_close_loop(const rts_plan_t *plan) {
    if (times.has_parts) {
        measurement_t *last = &times.waiting[times.last_part];
        last->is_last = true;
        last->interval = rts_interval_current();
        last->ticket = times.is_incomplete ? NO_TIME : rts_planner_ticket(plan);
    }
    if (!times.has_parts || times.is_incomplete)
        times.loose += rts_planner_skip(plan) ? 0 : 1; /* the planner estimates its own */
    times.has_parts = times.is_incomplete = times.is_unmeasured = false;
}

static bool measures_reorganisation(void) {
    const int64_t number = times.reorganisations++;
    return number < REORGANISED_AT_ONCE || number % REORGANISED_EVERY == 0;
}

void rts_times_start_reorganising(int device) {
    if (measures_reorganisation())
        start(device);
}

void rts_times_stop_reorganised(int device, size_t bytes, bool is_pure) {
    const int64_t timer = stop(device);
    if (timer != 0 && is_pure && bytes > 0)
        (void)add(
            (measurement_t){.kind = TIME_REORGANISED, .device = device, .timer = timer, .bytes = bytes});
    else
        times.unmeasured_bytes += (double)bytes;
}

/* ---- hearing ---- */

static void note_reorganised(size_t bytes, double seconds) {
    times.bytes += (double)bytes;
    times.bytes_s += seconds;
    rts_stats_add(RTS_STAT_REORGANISE_TIME, (int64_t)(seconds * 1e9));
    rts_planner_post_reorganised(true, bytes, seconds);
}

static void count_loops(int interval, double seconds) {
    rts_stats_add(RTS_STAT_LOOP_TIME, (int64_t)(seconds * 1e9));
    rts_interval_add_loops(interval, seconds);
}

/* A loop whose parts are not all known says nothing; others stand for as many executions as the planner says. */
static void note_loop(const measurement_t *last, double seconds) {
    int64_t stands_for = 1;
    if (last->ticket > 0) {
        stands_for = rts_planner_post_late(last->ticket, seconds);
    } else {
        times.loose_heard++;
        times.loose_s += seconds;
    }
    count_loops(last->interval, seconds * (double)stands_for);
}

static void note(const measurement_t *measured, double seconds) {
    const bool is_lost = seconds < 0;
    if (measured->kind == TIME_REORGANISED) {
        if (is_lost)
            times.unmeasured_bytes += (double)measured->bytes;
        else
            note_reorganised(measured->bytes, seconds);
        return;
    }
    times.is_lost = times.is_lost || is_lost;
    times.sum_s += is_lost ? 0 : seconds;
    if (!measured->is_last)
        return;
    if (times.is_lost && measured->ticket != NO_TIME)
        times.loose++;
    else if (measured->ticket != NO_TIME)
        note_loop(measured, times.sum_s);
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

static bool is_waiting(int64_t ticket) {
    for (int i = 0; i < times.count; i++)
        if (times.waiting[(times.first + i) % MOST_WAITING].ticket == ticket)
            return true;
    return false;
}

rts_status_t rts_times_wait(int64_t ticket) {
    for (rts_times_hear(); ticket != 0 && is_waiting(ticket); rts_times_hear()) {
        const int device = times.waiting[times.first].device;
        RTS_TRY(rts_handler_ops_of_device(device)->end(device));
        rts_stats_add(RTS_STAT_WAITS, 1);
    }
    return RTS_OK;
}

/* What was not measured took as long as what was, loop by loop and byte by byte. */
static void estimate_unmeasured(void) {
    const double rate = times.bytes_s > 0 ? times.bytes / times.bytes_s : rts_planner_reorganise_rate();
    rts_stats_add(RTS_STAT_REORGANISE_TIME, (int64_t)(times.unmeasured_bytes / rate * 1e9));
    times.unmeasured_bytes = 0;
    rts_planner_estimate_unmeasured(count_loops);
    if (times.loose_heard > 0) {
        count_loops(-1, times.loose_s / (double)times.loose_heard * (double)times.loose);
        times.loose = 0;
    }
}

rts_status_t rts_times_settle(void) {
    for (int device = 0; device < 64 && times.busy != 0; device++)
        if ((times.busy >> device & 1) != 0) {
            RTS_TRY(rts_handler_ops_of_device(device)->end(device));
            times.busy &= ~(UINT64_C(1) << device);
        }
    for (rts_times_hear(); times.count > 0 && !is_open(times.first); rts_times_hear()) {
        const int device = times.waiting[times.first].device;
        RTS_TRY(rts_handler_ops_of_device(device)->end(device));
    }
    estimate_unmeasured();
    return RTS_OK;
}

void rts_times_reset(void) {
    memset(&times, 0, sizeof times);
}
