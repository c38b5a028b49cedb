/* Plays programs to the planner: a sequence of loops on arrays, with made-up times of loops by layout and plan, and of
 * reorganisations. Keeps account of where the values of each array are, as exec would. */
#ifndef PLANNER_PROGRAM_H
#define PLANNER_PROGRAM_H

#include <math.h>

#include "rts/planner.h"

#include "tests/check.h"

enum { PLAY_ARRAYS = 8, PLAY_LOOPS = 24, PLAY_USES = 2, PLAY_QUEUED = 4096, EXTENT = 512 };

/** How a form lies, as far as times go. */
enum { LIES_HOME, LIES_PERMUTED, LIES_DIAGONAL, LIES_COUNT };

/** What a loop is. */
enum { SWEEP, SWEEP_STRIDED, REVERSED, STRAIGHT, UNKNOWN };

typedef struct play_loop {
    int what;
    int array[PLAY_USES], array_count; /* numbers of arrays */
    bool writes[PLAY_USES];
    double seconds[LIES_COUNT]; /* of its fastest plan; mean over its arrays */
    unsigned forbidden;
    bool is_pinned;
    rts_layout_form_t pinned;
    /* What happened. */
    int executions;
    int slow; /* executions more than half as long again as the fastest, of what was run for the first time */
    int trials; /* forms that it came to for the first time, by reorganisations that took no less than going home */
    double fastest;
    uint64_t last_forms;
    struct {
        uint64_t forms, plan;
        int executions;
    } way[64];
    int way_count;
} play_loop_t;

typedef struct play_array {
    bool home, other;       /* at hand */
    rts_layout_form_t form; /* of other */
} play_array_t;

typedef struct play {
    play_loop_t loop[PLAY_LOOPS];
    int loop_count;
    play_array_t array[PLAY_ARRAYS];
    bool is_gpu;
    double reorganise_s, noise;
    int lucky_every, lucky_count; /* every so many executions on fronts take half the time; 0: none do */
    double total_s;               /* loops and reorganisations */
    int reorganisations;
    int refuse_once_in; /* 0: there is always memory */
    int refused;
    /* A program that only queues its loops: times are known when it waits, which it does for what the planner awaits alone. */
    bool queues;
    int64_t queued[PLAY_QUEUED]; /* tickets, oldest first */
    double queued_s[PLAY_QUEUED];
    int queued_count;
    int waits, measured;
} play_t;

static play_t play;

static inline int lies(const rts_layout_form_t *form) {
    if (form->kind != RTS_LAYOUT_PLAIN)
        return LIES_DIAGONAL;
    for (int axis = 0; axis < form->rank; axis++)
        if (form->perm[axis] != axis)
            return LIES_PERMUTED;
    return LIES_HOME;
}

static inline bool is_home(const rts_layout_form_t *form) {
    return lies(form) == LIES_HOME && form->pitch_align == 1;
}

/** New program without loops. @param reorganise_s  of one array */
static inline void play_start(double reorganise_s) {
    memset(&play, 0, sizeof play);
    play.reorganise_s = reorganise_s;
    for (int i = 0; i < PLAY_ARRAYS; i++)
        play.array[i].home = true;
}

/** A loop that writes its first array and reads the others; times by how the arrays lie. @return its number */
static inline int play_loop(int what, int array_count, const int array[], double home_s, double permuted_s,
                            double diagonal_s) {
    play_loop_t *loop = &play.loop[play.loop_count];
    loop->what = what;
    loop->array_count = array_count;
    for (int i = 0; i < array_count; i++) {
        loop->array[i] = array[i];
        loop->writes[i] = i == 0;
    }
    loop->seconds[LIES_HOME] = home_s;
    loop->seconds[LIES_PERMUTED] = permuted_s;
    loop->seconds[LIES_DIAGONAL] = diagonal_s;
    return play.loop_count++;
}

static inline void play_facts(const play_loop_t *loop, rts_array_facts_t arrays[], rts_loop_facts_t *facts) {
    memset(facts, 0, sizeof *facts);
    memset(arrays, 0, PLAY_USES * sizeof arrays[0]);
    facts->site = 1000 + (uint64_t)(loop - play.loop);
    facts->position = (rts_position_t){.file = "program.c", .line = (int)(loop - play.loop)};
    facts->rank = 2;
    facts->count[0] = facts->count[1] = EXTENT - 2;
    facts->contiguous_dim = 1;
    facts->element_bytes = 8;
    facts->array_count = loop->array_count;
    facts->thread_count = 2;
    facts->unit_steps = 3;
    facts->arrays = arrays;
    facts->is_gpu = play.is_gpu;
    facts->device = play.is_gpu;
    rts_dependences_init(&facts->dependences, 2);
    if (loop->what == SWEEP || loop->what == SWEEP_STRIDED) {
        rts_dependences_add(&facts->dependences, (rts_index_t[]){1, 0});
        rts_dependences_add(&facts->dependences, (rts_index_t[]){0, 1});
    }
    for (int i = 0; i < loop->array_count; i++) {
        const play_array_t *array = &play.array[loop->array[i]];
        rts_array_facts_t *at = &arrays[i];
        at->array = 100 + loop->array[i];
        at->rank = 2;
        at->extent[0] = at->extent[1] = EXTENT;
        at->element_bytes = 8;
        at->intent = loop->writes[i] ? 3 : 1;
        for (int axis = 0; axis < 2; axis++) {
            at->dim[axis] = loop->what == UNKNOWN ? -1 : loop->what == REVERSED ? 1 - axis : axis;
            at->sign[axis] = 1;
        }
        at->by_rows = loop->what == SWEEP && !play.is_gpu;
        at->forbidden = loop->forbidden;
        at->is_pinned = loop->is_pinned;
        at->pinned = loop->pinned;
        if (array->other)
            at->present[at->present_count++] = array->form;
        if (array->home)
            at->present[at->present_count++] = rts_layout_form_home(2);
    }
}

static inline uint64_t hash_forms(const play_loop_t *loop, const rts_layout_form_t form[]) {
    uint64_t hash = 1;
    for (int i = 0; i < loop->array_count; i++) {
        hash = hash * 31 + (uint64_t)form[i].kind;
        for (int axis = 0; axis < 2; axis++)
            hash = hash * 31 + (uint64_t)form[i].perm[axis];
        hash = hash * 31 + (uint64_t)(form[i].a * 7 + form[i].b + 50);
        hash = hash * 31 + (uint64_t)form[i].pitch_align;
    }
    return hash;
}

/* What it would take to bring them home. */
static inline double play_home_seconds(const play_loop_t *loop) {
    double seconds = 0;
    for (int i = 0; i < loop->array_count; i++)
        seconds += play.array[loop->array[i]].home ? 0 : play.reorganise_s;
    return seconds;
}

/* Bring the arrays into the forms. @return seconds */
static inline double play_copies(const play_loop_t *loop, const rts_layout_form_t form[]) {
    double seconds = 0;
    for (int i = 0; i < loop->array_count; i++) {
        play_array_t *array = &play.array[loop->array[i]];
        const bool wants_home = is_home(&form[i]);
        const bool is_there =
            wants_home ? array->home : array->other && rts_layout_form_equal(&array->form, &form[i]);
        if (!is_there) {
            seconds += play.reorganise_s;
            play.reorganisations++;
            rts_planner_post_reorganised(play.is_gpu, (size_t)EXTENT * EXTENT * 8, play.reorganise_s);
        }
        if (wants_home)
            array->home = true;
        else {
            array->form = form[i];
            array->other = true;
        }
        if (loop->writes[i]) {
            array->home = wants_home;
            array->other = !wants_home;
        }
    }
    return seconds;
}

static inline uint64_t hash_text(const char *text) {
    uint64_t hash = 7;
    for (; *text != '\0'; text++)
        hash = hash * 31 + (uint64_t)*text;
    return hash;
}

/* Other plans than the first of a loop on forms take longer, each its own time; on a GPU all are alike. */
static inline double play_loop_seconds(const play_loop_t *loop, const rts_plan_t *plan,
                                       const rts_layout_form_t form[]) {
    double seconds = 0;
    char name[64];
    for (int i = 0; i < loop->array_count; i++)
        seconds += loop->seconds[lies(&form[i])] / loop->array_count;
    rts_plan_name(plan, 2, name, sizeof name);
    seconds *= plan->way == RTS_WAY_JAM || plan->by_rows || play.is_gpu
                   ? 1
                   : 1.1 + .1 * (double)(hash_text(name) % 8);
    if (play.lucky_every > 0 && loop->array_count > 0 && lies(&form[0]) == LIES_DIAGONAL &&
        ++play.lucky_count % play.lucky_every == 0)
        seconds /= 2;
    return seconds * (1 + play.noise * (double)check_random_range(0, 1000) / 1000);
}

static inline void play_account(play_loop_t *loop, uint64_t forms, uint64_t plan, double home_s,
                                double copies_s, double seconds) {
    int way = loop->way_count, is_known = 0;
    for (int i = 0; i < loop->way_count; i++) {
        is_known += loop->way[i].forms == forms;
        if (loop->way[i].forms == forms && loop->way[i].plan == plan)
            way = i;
    }
    loop->trials += loop->executions > 0 && is_known == 0 && copies_s > 0 && copies_s >= home_s;
    if (way == loop->way_count && way < 64) { /* more come in random mode only, where nobody counts */
        loop->way[way].forms = forms;
        loop->way[way].plan = plan;
        loop->way[loop->way_count++].executions = 0;
    }
    if (way < 64)
        loop->slow += loop->way[way].executions++ == 0 && way > 0 && seconds > 1.5 * loop->fastest;
    loop->last_forms = forms;
    if (loop->executions++ == 0 || seconds < loop->fastest)
        loop->fastest = seconds;
}

/** All that is queued has been done. */
static inline void play_wait(void) {
    for (int i = 0; i < play.queued_count; i++)
        rts_planner_post_late(play.queued[i], play.queued_s[i]);
    play.queued_count = 0;
}

static inline void play_await(const rts_loop_facts_t *facts) {
    const int64_t ticket = play.queues ? rts_planner_awaited(facts) : 0;
    bool is_queued = false;
    if (ticket == 0)
        return;
    for (int i = 0; i < play.queued_count; i++)
        is_queued = is_queued || play.queued[i] == ticket;
    CHECK(is_queued); /* or it would be awaited for ever */
    play.waits++;
    play_wait();
}

static inline void play_post(const rts_plan_t *plan, double seconds) {
    if (!play.queues) {
        rts_planner_post(plan, seconds);
        return;
    }
    if (!rts_planner_wants_time(plan)) {
        CHECK(rts_planner_skip(plan));
        return;
    }
    play.measured++;
    if (!CHECK(play.queued_count < PLAY_QUEUED))
        play_wait();
    play.queued_s[play.queued_count] = seconds;
    play.queued[play.queued_count++] = rts_planner_ticket(plan);
}

/** Execute a loop once. */
static inline void play_run(int number) {
    play_loop_t *loop = &play.loop[number];
    rts_array_facts_t arrays[PLAY_USES];
    rts_loop_facts_t facts;
    rts_layout_form_t form[PLAY_USES];
    play_facts(loop, arrays, &facts);
    for (int tries = 0;; tries++) {
        play_await(&facts);
        const rts_plan_t *plan = rts_planner_choose(&facts);
        if (!CHECK(plan != NULL) || !CHECK(tries < 20))
            return;
        bool needs_memory = false;
        for (int i = 0; i < loop->array_count; i++) {
            form[i] = plan->form != NULL ? plan->form[i] : rts_layout_form_home(2);
            needs_memory = needs_memory || !is_home(&form[i]);
        }
        if (needs_memory && play.refuse_once_in > 0 && check_random_once_in(play.refuse_once_in)) {
            play.refused++;
            rts_planner_refuse(plan);
            continue;
        }
        const double seconds = play_loop_seconds(loop, plan, form);
        const double home_s = play_home_seconds(loop), copies_s = play_copies(loop, form);
        char name[64];
        play.total_s += copies_s + seconds;
        play_post(plan, seconds);
        play_account(loop, hash_forms(loop, form), hash_text(rts_plan_name(plan, 2, name, sizeof name)),
                     home_s, copies_s, seconds);
        return;
    }
}

/** Execute a round of loops, letters from 'A'. @return seconds */
static inline double play_round(const char *pattern) {
    const double before = play.total_s;
    for (const char *c = pattern; *c != '\0'; c++)
        play_run(*c - 'A');
    return play.total_s - before;
}

/** Somebody uses an array at home. */
static inline void play_visit_home(int number, bool writes) {
    play_array_t *array = &play.array[number];
    if (!array->home) {
        play.total_s += play.reorganise_s;
        play.reorganisations++;
    }
    array->home = true;
    array->other = array->other && !writes;
}

#endif
