/* The record of a launch; see the header. What is legal was decided by rts/launches.c; here numbers are filled in for the box at hand, which
 * is smaller than the plan's where a pipeline or shadow edges cut the loop into pieces. */
#include <config.h>

#include "rts/exec_launch.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "rts/call.h"
#include "rts/exec_follow.h"
#include "rts/exec_launch_memory.h"
#include "rts/exec_reduction.h"
#include "rts/exec_times.h"
#include "rts/handler_ops.h"

_Static_assert((int)RTS_LAUNCH_GRID == DVMHX_LAUNCH_GRID && (int)RTS_LAUNCH_LINES == DVMHX_LAUNCH_LINES &&
                   (int)RTS_LAUNCH_FRONTS == DVMHX_LAUNCH_FRONTS &&
                   (int)RTS_LAUNCH_TILES == DVMHX_LAUNCH_TILES,
               "kinds have the values of the interface");

/* Room for what the kernel of a sweep is given: that of all kernels, and what starting it takes. */
#define KEPT_BYTES 5120

/* What numbers of 32 bits hold. */
#define NARROW_LIMIT 2147483647.

static struct {
    const rts_loop_t *loop;
    const rts_exec_data_t *data;
    dvmhx_record_t record;
    dvmhx_launch_t launch;
    DvmType start[RTS_MAX_RANK], step[RTS_MAX_RANK], count[RTS_MAX_RANK], time[RTS_MAX_RANK],
        tile[RTS_MAX_RANK], columns[RTS_MAX_RANK];
    DvmType predecessor[RTS_MAX_PREDECESSORS * RTS_MAX_RANK];
    rts_launch_columns_t in_memory; /* TILES */
    dvmhx_kept_t kept;
    rts_launch_sweeps_t sweeps;
    _Alignas(max_align_t) char kept_bytes[KEPT_BYTES];
    void *reductions[RTS_MAX_LOOP_ITEMS], *locations[RTS_MAX_LOOP_ITEMS];
} run;

/* Whether 32 bits hold every offset of an array on the way from its base: strides and indices may cancel each other in the end, but need
 * not before. */
static bool is_narrow(const rts_layout_t *layout) {
    double sum = 0;
    for (int axis = 0; axis < layout->box.rank; axis++) {
        const double low = fabs((double)layout->box.lo[axis]), high = fabs((double)layout->box.hi[axis]);
        sum += fabs((double)layout->stride[axis]) * (low > high ? low : high);
    }
    return sum < NARROW_LIMIT;
}

static bool is_all_narrow(void) {
    const rts_loop_t *loop = run.loop;
    double fronts = 1;
    for (int i = 0; i < loop->array_count; i++)
        if (!is_narrow(run.data->layout[i]))
            return false;
    for (int i = 0; i < loop->variable_count; i++)
        if ((double)loop->variable[i].bytes >= NARROW_LIMIT)
            return false;
    for (int dim = 0; dim < loop->rank; dim++) {
        const double start = (double)loop->start[dim], step = (double)loop->step[dim],
                     count = (double)loop->local.hi[dim];
        fronts += (double)run.time[dim] * (count - (double)loop->local.lo[dim]);
        if (fabs(start) + (count + 1) * fabs(step) >= NARROW_LIMIT)
            return false;
    }
    return fronts < NARROW_LIMIT;
}

/* What is the same for every box. */
static void set_record(void) {
    const rts_loop_t *loop = run.loop;
    const rts_launch_memory_t *memory = rts_launch_memory();
    for (int i = 0; i < loop->reduction_count; i++) {
        run.reductions[i] = rts_partials_values(i, 0);
        run.locations[i] = rts_partials_locations(i, 0);
    }
    run.record = (dvmhx_record_t){.size = sizeof(dvmhx_record_t),
                                  .device = run.data->device,
                                  .thread = 0,
                                  .thread_count = 1,
                                  .rank = loop->rank,
                                  .way = DVMHX_WAY_PLAIN,
                                  .dependent = (DvmType)run.data->plan->launch.inside,
                                  .start = run.start,
                                  .step = run.step,
                                  .count = run.count,
                                  .time = run.time,
                                  .array_count = loop->array_count,
                                  .arrays = run.data->array,
                                  .reduction_count = loop->reduction_count,
                                  .reductions = run.reductions,
                                  .locations = run.locations,
                                  .launch = &run.launch};
    run.launch = (dvmhx_launch_t){.size = sizeof(dvmhx_launch_t),
                                  .kind = (DvmType)run.data->plan->launch.kind,
                                  .narrow = is_all_narrow(),
                                  .block_limit = (DvmType)memory->block_limit,
                                  .slots = memory->slots,
                                  .variable_count = loop->variable_count,
                                  .variables = memory->variable,
                                  .march_dim = run.data->plan->launch.march_dim,
                                  .resident = run.data->plan->launch.resident,
                                  .served = run.data->plan->launch.is_served,
                                  .tile = run.tile,
                                  .columns = run.columns,
                                  .predecessor = run.predecessor};
    for (int i = 0; i < 3; i++) {
        run.launch.dim[i] = run.data->plan->launch.dim[i];
        run.launch.block[i] = (DvmType)memory->block[i];
    }
}

rts_status_t rts_exec_launch_open(const rts_loop_t *loop, const rts_exec_data_t *data) {
    run.loop = loop;
    run.data = data;
    rts_times_open_loop(data->plan, data->device);
    for (int dim = 0; dim < loop->rank; dim++) {
        run.step[dim] = loop->step[dim];
        run.time[dim] = data->plan->time[dim];
    }
    set_record();
    return rts_launch_memory_open(loop);
}

static void set_box(const rts_box_t *box) {
    const rts_loop_t *loop = run.loop;
    const rts_plan_t *plan = run.data->plan;
    run.launch.front_count = 1;
    for (int dim = 0; dim < loop->rank; dim++) {
        run.start[dim] = loop->start[dim] + box->lo[dim] * loop->step[dim];
        run.count[dim] = box->hi[dim] - box->lo[dim];
        run.launch.front_count += run.time[dim] * (run.count[dim] - 1);
        run.tile[dim] = dim == plan->launch.march_dim ? 1 : (DvmType)plan->tile[dim];
    }
}

static rts_status_t set_columns(void) {
    const rts_plan_t *plan = run.data->plan;
    const int rank = run.loop->rank;
    rts_index_t count[RTS_MAX_RANK];
    rts_columns_t columns;
    for (int dim = 0; dim < rank; dim++)
        count[dim] = run.count[dim];
    run.launch.column_count = rts_columns_of(plan, rank, count, &columns);
    run.launch.chunk = (DvmType)plan->chunk;
    run.launch.piece_count = (DvmType)rts_div_up(run.launch.front_count, plan->chunk);
    run.launch.predecessor_count = plan->predecessor_count;
    for (int dim = 0; dim < rank; dim++) {
        run.columns[dim] = (DvmType)columns.count[dim];
        for (int i = 0; i < plan->predecessor_count; i++)
            run.predecessor[i * rank + dim] = plan->predecessor[i][dim];
    }
    RTS_TRY(rts_launch_columns(run.data->device, &columns, &run.in_memory));
    run.launch.counters = run.in_memory.counters;
    run.launch.order = run.in_memory.order;
    return RTS_OK;
}

/* Whether sweeps of the loop may follow each other: those whose times nobody waits for, and that run at once. The columns that the one before
 * must have done stand behind predecessors then. */
static bool set_sweeps(const rts_box_t *box) {
    const rts_loop_t *loop = run.loop;
    const rts_plan_t *plan = run.data->plan;
    rts_follow_t follow;
    if (plan->launch.kind != RTS_LAUNCH_TILES || run.in_memory.sweeps < 2 ||
        !rts_box_equal(box, &loop->local) || !rts_planner_is_settled(plan) ||
        !rts_follow_find(loop, plan, &follow))
        return false;
    for (int i = 0; i < follow.count; i++)
        for (int dim = 0; dim < loop->rank; dim++)
            run.predecessor[(plan->predecessor_count + i) * loop->rank + dim] = follow.offset[i][dim];
    run.launch.follow_count = follow.count;
    run.launch.follow_fronts = (DvmType)follow.fronts;
    run.launch.kept = &run.kept;
    run.kept = (dvmhx_kept_t){.bytes = run.kept_bytes, .room = sizeof run.kept_bytes};
    run.sweeps = (rts_launch_sweeps_t){.kept = &run.kept,
                                       .counters = run.in_memory.counters,
                                       .counter_bytes = sizeof(int),
                                       .bytes_of_sweep = (size_t)run.in_memory.count * sizeof(int),
                                       .most = run.in_memory.sweeps};
    return true;
}

static void call_handler(void *context, void *stream) {
    const rts_handler_t *handler = run.data->handler;
    (void)context;
    run.record.stream = stream;
    rts_call_handler(handler->function, &run.record, handler->parameter_count, handler->parameter);
}

/* At once, and measured. */
static rts_status_t launch_now(const rts_handler_ops_t *ops, const rts_launch_job_t *job) {
    const int device = run.data->device;
    rts_times_start(device);
    if (run.data->plan->launch.kind == RTS_LAUNCH_TILES)
        RTS_TRY(ops->zero(device, run.in_memory.counters, (size_t)(1 + run.in_memory.count) * sizeof(int)));
    RTS_TRY(ops->launch(device, job));
    rts_times_stop_launch(device);
    /* With assertions on a fault is heard where it belongs. */
    return RTS_ASSERT_LEVEL >= 2 ? ops->end(device) : RTS_OK;
}

rts_status_t rts_exec_launch_run(const rts_box_t *box) {
    const int device = run.data->device;
    const rts_launch_kind_t kind = run.data->plan->launch.kind;
    const rts_handler_ops_t *ops = rts_handler_ops_of_device(device);
    rts_launch_job_t job = {.call = call_handler,
                            .kernel_of = (const void *)(uintptr_t)run.data->handler->function,
                            .kernel_count = 1,
                            .position = run.loop->position};
    set_box(box);
    if (kind == RTS_LAUNCH_TILES)
        RTS_TRY(set_columns());
    if (kind == RTS_LAUNCH_FRONTS)
        job.kernel_count = run.launch.front_count;
    if (!set_sweeps(box))
        return launch_now(ops, &job);
    rts_times_forgo();
    job.sweeps = &run.sweeps;
    return ops->launch(device, &job);
}

rts_status_t rts_exec_launch_close(void) {
    rts_times_close_loop(run.data->plan);
    return rts_launch_memory_close(run.loop);
}
