/* One loop from clauses to results: facts to the planner, its plan to the backend, portions to the handler. */
#include <config.h>

#include "rts/exec.h"

#include <dvmhlib_const.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "rts/call.h"
#include "rts/comm.h"
#include "rts/compare.h"
#include "rts/consistent.h"
#include "rts/exchange.h"
#include "rts/exec_data.h"
#include "rts/exec_launch.h"
#include "rts/exec_launch_memory.h"
#include "rts/exec_query.h"
#include "rts/exec_reduction.h"
#include "rts/exec_times.h"
#include "rts/halo.h"
#include "rts/interval.h"
#include "rts/memory.h"
#include "rts/overlap.h"
#include "rts/pipeline.h"
#include "rts/pipeline_stages.h"
#include "rts/region.h"
#include "rts/remote.h"
#include "rts/runtime.h"
#include "rts/stats.h"
#include "rts/variable.h"

/* What a thread needs to call the handler; nobody else writes to it while the loop runs. */
typedef struct thread_state {
    rts_exec_portion_t portion;
    dvmhx_record_t record;
    DvmType start[RTS_MAX_RANK], count[RTS_MAX_RANK];
    void *reductions[RTS_MAX_LOOP_ITEMS], *locations[RTS_MAX_LOOP_ITEMS];
} __attribute__((aligned(RTS_MEMORY_ALIGNMENT))) thread_state_t;

/* The running loop; read-only for workers. */
static struct {
    rts_loop_t *loop;
    rts_exec_data_t data;
    atomic_bool is_running;
    DvmType step[RTS_MAX_RANK], time[RTS_MAX_RANK];
    rts_index_t origin[RTS_MAX_RANK]; /* ordinals at which the box that is being launched begins */
    bool is_pipelined;                /* pieces of the loop wait for those of other processes */
    int64_t elapsed_ns;               /* of all launches of the loop */
    bool has_others;                  /* processes, whose messages want progress while portions run */
    int64_t progress_ns;              /* when they were looked after last */
    thread_state_t *thread;
    int thread_capacity;
} run;

/* Messages under way are looked after between portions, but not more often than this. */
#define PROGRESS_INTERVAL_NS 50000

/* Kept for reports; names are made only when somebody asks. */
static struct {
    int rank, array_count; /* rank -1: no loop yet */
    int device;
    rts_plan_t plan;
    rts_layout_t layout[RTS_MAX_LOOP_ITEMS];
} last = {.rank = -1};

bool rts_exec_is_running(void) {
    return run.is_running;
}

const char *rts_exec_last_backend(void) {
    return rts_backend_of_device(last.device)->name;
}

const char *rts_exec_last_plan(char *text, size_t text_size) {
    if (last.rank >= 0)
        return rts_plan_name(&last.plan, last.rank, text, text_size);
    text[0] = '\0';
    return text;
}

const char *rts_exec_last_layouts(char *text, size_t text_size) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < last.array_count && used + 1 < text_size; i++) {
        char name[64];
        const int more = snprintf(text + used, text_size - used, "%s%s", i > 0 ? "," : "",
                                  rts_layout_name(&last.layout[i], name, sizeof name));
        used += more > 0 ? (size_t)more : 0;
    }
    return text;
}

static void free_threads(void) {
    for (int i = 0; i < run.thread_capacity; i++)
        rts_handle_destroy(run.thread[i].portion.reference);
    rts_free(run.thread);
    run.thread = NULL;
    run.thread_capacity = 0;
}

void rts_exec_reset(void) {
    free_threads();
    rts_partials_reset();
    rts_pipeline_reset();
    rts_launch_memory_reset();
    rts_times_reset();
    memset(&run, 0, sizeof run);
    last.rank = -1;
    last.array_count = 0;
    last.device = 0;
}

static rts_status_t need_threads(int count) {
    if (count <= run.thread_capacity)
        return RTS_OK;
    free_threads();
    run.thread = rts_alloc_zeroed((size_t)count, sizeof *run.thread);
    if (run.thread == NULL)
        return rts_fail_memory("the state of worker threads", (size_t)count * sizeof *run.thread);
    for (; run.thread_capacity < count; run.thread_capacity++) {
        rts_handle_t handle;
        const rts_status_t status =
            rts_handle_create(RTS_HANDLE_PORTION, &run.thread[run.thread_capacity].portion, &handle);
        if (status != RTS_OK) {
            free_threads();
            return status;
        }
        run.thread[run.thread_capacity].portion.reference = handle;
    }
    return RTS_OK;
}

const rts_exec_portion_t *rts_exec_portion(rts_handle_t handle) {
    const rts_exec_portion_t *portion = rts_handle_object(handle, RTS_HANDLE_PORTION);
    return portion != NULL && portion->loop != NULL ? portion : NULL;
}

static rts_status_t check_number(const rts_exec_portion_t *portion, DvmType number) {
    if (number >= 0 && number < portion->loop->reduction_count)
        return RTS_OK;
    return rts_fail(RTS_ERR_INVALID, "reduction number %ld; the loop has %d, counted from 1",
                    (long)number + 1, portion->loop->reduction_count);
}

rts_status_t rts_exec_reduction_start(const rts_exec_portion_t *portion, DvmType number, void *values,
                                      void *locations) {
    RTS_TRY(check_number(portion, number));
    rts_partials_fill(portion->loop, (int)number, values, locations);
    return RTS_OK;
}

rts_status_t rts_exec_reduction_post(const rts_exec_portion_t *portion, DvmType number, const void *values,
                                     const void *locations) {
    RTS_TRY(check_number(portion, number));
    const int slot = portion->thread >= 0 ? portion->thread : omp_get_thread_num() % portion->slot_count;
    rts_partials_post(portion->loop, (int)number, slot, values, locations);
    return RTS_OK;
}

/* ---- portions: called by worker threads ---- */

/* Thread 0 is the main thread, the one that may call MPI. */
static void make_progress(const rts_portion_t *portion) {
    if (!run.has_others || portion->thread != 0)
        return;
    const int64_t now = rts_clock_ns();
    if (now - run.progress_ns < PROGRESS_INTERVAL_NS)
        return;
    run.progress_ns = now;
    rts_comm_progress();
}

/* What the handler will see. */
static rts_exec_portion_t *set_portion(const rts_portion_t *portion) {
    rts_exec_portion_t *view = &run.thread[portion->thread].portion;
    memcpy(view->lo, portion->lo, sizeof view->lo);
    memcpy(view->hi, portion->hi, sizeof view->hi);
    for (int dim = 0; dim < run.loop->rank; dim++) {
        view->lo[dim] += run.origin[dim];
        view->hi[dim] += run.origin[dim];
    }
    view->loop = run.loop;
    return view;
}

static void run_query_portion(void *context, const rts_portion_t *portion) {
    const rts_handler_t *handler = run.data.handler;
    (void)context;
    make_progress(portion);
    rts_exec_portion_t *view = set_portion(portion);
    DvmType reference = view->reference; /* a copy: the handler may write to its parameter */
    rts_call_handler(handler->function, &reference, handler->parameter_count, handler->parameter);
    view->loop = NULL;
}

static void run_record_portion(void *context, const rts_portion_t *portion) {
    const rts_handler_t *handler = run.data.handler;
    (void)context;
    make_progress(portion);
    thread_state_t *thread = &run.thread[portion->thread];
    rts_index_t front_at_lo = 0;
    for (int dim = 0; dim < run.loop->rank; dim++) {
        thread->start[dim] =
            run.loop->start[dim] + (run.origin[dim] + portion->lo[dim]) * run.loop->step[dim];
        thread->count[dim] = portion->hi[dim] - portion->lo[dim];
        front_at_lo += run.time[dim] * portion->lo[dim];
    }
    /* Such a portion begins at column 0 when its front range says anything. */
    if (portion->way == RTS_WAY_JAM || portion->way == RTS_WAY_DIAGONAL)
        front_at_lo = run.data.plan->skew * portion->lo[run.loop->rank - 2];
    thread->record.way = (DvmType)portion->way;
    thread->record.front_lo = portion->front_lo - front_at_lo;
    thread->record.front_hi = portion->front_hi - front_at_lo;
    rts_call_handler(handler->function, &thread->record, handler->parameter_count, handler->parameter);
}

/* ---- set-up: main thread ---- */

/* All that is the same for every portion of a thread. */
static void set_record(thread_state_t *thread, int number, int thread_count) {
    const rts_loop_t *loop = run.loop;
    const rts_plan_t *plan = run.data.plan;
    for (int i = 0; i < loop->reduction_count; i++) {
        thread->reductions[i] = rts_partials_values(i, number);
        thread->locations[i] = rts_partials_locations(i, number);
    }
    thread->record = (dvmhx_record_t){.size = sizeof(dvmhx_record_t),
                                      .device = run.data.device,
                                      .thread = number,
                                      .thread_count = thread_count,
                                      .rank = loop->rank,
                                      .dependent = (DvmType)rts_dependences_carried(&loop->dependences),
                                      .start = thread->start,
                                      .step = run.step,
                                      .count = thread->count,
                                      .lag = (DvmType)plan->lag,
                                      .time = run.time,
                                      .array_count = loop->array_count,
                                      .arrays = run.data.array,
                                      .reduction_count = loop->reduction_count,
                                      .reductions = thread->reductions,
                                      .locations = thread->locations,
                                      .stream = NULL,
                                      .bypass_cache = plan->bypass_cache,
                                      .by_rows = plan->by_rows};
}

/* The plan is for the largest box, and right for smaller ones. */
static void make_job(const rts_loop_facts_t *facts, const rts_plan_t *plan, const rts_cut_tile_t *tile,
                     rts_loop_job_t *job) {
    const rts_box_t *box = &tile->box;
    job->rank = facts->rank;
    for (int dim = 0; dim < facts->rank; dim++)
        job->count[dim] = box->hi[dim] - box->lo[dim];
    job->schedule = plan->schedule;
    job->way = plan->way;
    job->thread_count = plan->thread_count;
    job->split_dim = plan->split_dim;
    job->chunk = plan->chunk;
    memcpy(job->tile, plan->tile, sizeof job->tile);
    job->skew = plan->skew;
    job->front_lo = job->front_hi = 0;
    if (tile->front_lo < tile->front_hi) { /* counted from the first iteration of all */
        const rts_index_t at_lo = plan->skew * box->lo[facts->rank - 2] + box->lo[facts->rank - 1];
        RTS_ASSERT(plan->skew == facts->front_lag);
        job->front_lo = tile->front_lo - at_lo;
        job->front_hi = tile->front_hi - at_lo;
    }
    job->predecessor_count = plan->predecessor_count;
    memcpy(job->predecessor, plan->predecessor, (size_t)plan->predecessor_count * sizeof job->predecessor[0]);
    memcpy(job->time, plan->time, sizeof job->time);
    job->run = facts->body == RTS_BODY_RECORD ? run_record_portion : run_query_portion;
    job->context = NULL;
}

/* Threads that a handler with its own team may use. One when no dim is left to divide: such handlers repeat the whole loop
 * in every thread. */
static int slots_of_handler(const rts_loop_t *loop) {
    const bool divides = loop->rank - (loop->mask != 0 ? 1 : 0) > 0;
    return (run.data.handler->type & RTS_HANDLER_PARALLEL) != 0 && divides ? rts_runtime()->thread_count : 1;
}

/* For reports. */
static void remember(void) {
    last.plan = *run.data.plan;
    last.rank = run.loop->rank;
    last.device = run.data.device;
    last.array_count = run.loop->array_count;
    for (int i = 0; i < last.array_count; i++)
        last.layout[i] = *run.data.layout[i];
}

/* Before the first launch: threads, and where each puts partial results. */
static rts_status_t open_launches(void) {
    const rts_loop_facts_t *facts = &run.data.facts;
    const rts_plan_t *plan = run.data.plan;
    const bool own_team = facts->body == RTS_BODY_OWN_TEAM;
    run.elapsed_ns = 0;
    if (facts->is_gpu) {
        if (run.loop->reduction_count > 0)
            RTS_TRY(rts_partials_start(run.loop, 1));
        return rts_exec_launch_open(run.loop, &run.data);
    }
    const int slots = own_team ? slots_of_handler(run.loop) : plan->thread_count;
    RTS_TRY(need_threads(slots));
    if (run.loop->reduction_count > 0)
        RTS_TRY(rts_partials_start(run.loop, slots));
    for (int dim = 0; dim < run.loop->rank; dim++) {
        run.step[dim] = run.loop->step[dim];
        run.time[dim] = plan->time[dim];
    }
    for (int i = 0; i < slots; i++) {
        run.thread[i].portion.device = run.data.device;
        run.thread[i].portion.thread = own_team ? -1 : i;
        run.thread[i].portion.slot_count = own_team ? slots : 1;
        if (facts->body == RTS_BODY_RECORD)
            set_record(&run.thread[i], i, plan->thread_count);
    }
    return RTS_OK;
}

/* On an accelerator a query handler is called once, here, and launches kernels; other handlers are the backend's to run. */
static rts_status_t run_job(const rts_cut_tile_t *tile) {
    const int device = run.data.device;
    rts_loop_job_t of_tile, *const job = &of_tile;
    rts_portion_t whole = {.thread = 0, .way = RTS_WAY_PLAIN};
    if (run.data.facts.is_gpu) {
        RTS_TRY(rts_exec_launch_run(&tile->box));
        /* Only where the number of stages follows from the time that it takes; messages are queued behind it. */
        return run.is_pipelined && rts_stages_are_timed() ? rts_handler_ops_of_device(device)->end(device)
                                                          : RTS_OK;
    }
    make_job(&run.data.facts, run.data.plan, tile, job);
    if (device == 0 || run.data.facts.body == RTS_BODY_RECORD)
        return rts_backend_of_device(device)->run(device, job);
    memcpy(whole.hi, job->count, sizeof whole.hi);
    set_portion(&whole);
    RTS_TRY(rts_exec_query_begin(&run.thread[0].portion));
    run_query_portion(NULL, &whole);
    return rts_exec_query_end();
}

/* Run part of the local iterations, in ordinals; its box is not empty and not larger than the loop's piece. Partial results add up. */
static rts_status_t launch(const rts_cut_tile_t *tile) {
    memcpy(run.origin, tile->box.lo, sizeof run.origin);
    const int64_t begin = rts_clock_ns();
    run.is_running = true;
    const rts_status_t status = run_job(tile);
    run.is_running = false;
    run.elapsed_ns += rts_clock_ns() - begin;
    return status;
}

/* What took place on a GPU is not over yet: its time will be heard, and its results are waited for. */
static rts_status_t close_launches(void) {
    remember();
    if (run.data.facts.is_gpu)
        return rts_exec_launch_close();
    rts_stats_add(RTS_STAT_LOOP_TIME, run.elapsed_ns);
    rts_interval_add_loops(rts_interval_current(), (double)run.elapsed_ns * 1e-9);
    rts_planner_post(run.data.plan, (double)run.elapsed_ns * 1e-9);
    return RTS_OK;
}

/* ---- the loop as a whole ---- */

/* What a loop is mapped on only says where its iterations run. */
static rts_status_t check_registered(const rts_loop_t *loop) {
    const rts_array_t *missing = NULL;
    if (loop->region == NULL)
        return RTS_OK;
    for (int i = 0; i < loop->array_count && missing == NULL; i++)
        if (!loop->array[i].is_remote && !rts_region_has(loop->region, loop->array[i].array))
            missing = loop->array[i].array;
    if (missing == NULL)
        return RTS_OK;
    return rts_fail(RTS_ERR_INVALID, "the loop uses an array of rank %d that its region has not registered",
                    missing->space.rank);
}

/* Of an empty loop handlers are not called; other processes may want values all the same.
 * `interior`: what runs while shadow edges are under way; NULL: they have come. */
static rts_status_t run_iterations(const rts_loop_t *loop, bool is_pipelined, const rts_box_t *interior) {
    const rts_cut_tile_t all = {.box = loop->local};
    run.is_pipelined = is_pipelined;
    if (!loop->is_empty)
        RTS_TRY(open_launches());
    if (is_pipelined)
        RTS_TRY(rts_pipeline_run(loop, &run.data, launch, &run.elapsed_ns));
    else if (interior != NULL)
        RTS_TRY(rts_overlap_run(loop, interior, &run.data, launch));
    else if (!loop->is_empty)
        RTS_TRY(launch(&all));
    return !loop->is_empty ? close_launches() : RTS_OK;
}

static rts_status_t perform(rts_loop_t *loop, bool on_host) {
    bool is_pipelined;
    rts_box_t interior;
    RTS_TRY(rts_loop_prepare(loop, rts_runtime()->environment.reduce_deps));
    if (loop->region != NULL && !loop->region->is_executing)
        RTS_TRY(rts_region_execute(loop->region, DEVICE_TYPE_HOST | DEVICE_TYPE_CUDA));
    RTS_TRY(check_registered(loop));
    run.loop = loop;
    run.has_others = rts_comm_size() > 1;
    int device = loop->region != NULL && !on_host ? loop->region->device : 0;
    if (!rts_exec_runs_on(loop, device))
        device = 0; /* devices beside the host run record handlers only */
    if (!rts_exec_runs_on(loop, device))
        return rts_fail(RTS_ERR_INVALID, "the loop has no handler for the host");
    RTS_TRY(rts_exchange_prepare(loop));
    const bool overlaps = rts_overlap_find(loop, &interior);
    RTS_TRY(overlaps ? rts_halo_start() : rts_halo_settle());
    RTS_TRY(rts_remote_fill(loop)); /* before the loop becomes the owner of what it writes */
    RTS_TRY(rts_pipeline_prepare(loop, &is_pipelined));
    rts_times_hear();
    RTS_TRY(rts_exec_data_prepare(loop, device, &run.data));
    rts_stats_add(RTS_STAT_LOOPS, 1);
    RTS_TRY(run_iterations(loop, is_pipelined, overlaps ? &interior : NULL));
    RTS_TRY(rts_consistent_share(loop));
    return loop->reduction_count > 0 ? rts_partials_finish(loop) : RTS_OK;
}

rts_status_t rts_exec_loop(rts_loop_t *loop) {
    const bool in_region = loop->region != NULL;
    const rts_status_t status =
        rts_compare_wants(loop) ? rts_compare_loop(loop, perform) : perform(loop, false);
    rts_remote_drop(loop);
    rts_loop_close(loop);
    RTS_TRY(status);
    return in_region ? RTS_OK : rts_variable_exit_automatic();
}
