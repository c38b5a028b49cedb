/* Start and stop; see the header. Order matters: processes first, so that every later message knows its rank. */
#include <config.h>

#include "rts/runtime.h"

#include <stdio.h>
#include <string.h>

#include "rts/agreement.h"
#include "rts/backend.h"
#include "rts/coherence.h"
#include "rts/comm.h"
#include "rts/environment_share.h"
#include "rts/exchange.h"
#include "rts/exec.h"
#include "rts/exec_times.h"
#include "rts/halo.h"
#include "rts/handle.h"
#include "rts/handler_ops.h"
#include "rts/interval.h"
#include "rts/memory.h"
#include "rts/plan_file.h"
#include "rts/region.h"
#include "rts/report.h"
#include "rts/variable.h"

extern char **environ;

static rts_runtime_t runtime;

const rts_runtime_t *rts_runtime(void) {
    return &runtime;
}

/* Shape of the process grid: as asked for, else one axis of all. */
static rts_status_t set_grid(const rts_int_list_t *asked, int size, int rank, rts_grid_t *grid) {
    int64_t product = 1;
    memset(grid, 0, sizeof *grid);
    grid->rank = asked->count > 0 ? asked->count : 1;
    grid->size[0] = size;
    if (asked->count > RTS_MAX_RANK)
        return rts_fail(RTS_ERR_INVALID, "DVMH_PROC_GRID has %d axes; allowed: at most %d", asked->count,
                        RTS_MAX_RANK);
    for (int axis = 0; axis < asked->count; axis++) {
        grid->size[axis] = asked->value[axis];
        if (__builtin_mul_overflow(product, asked->value[axis], &product))
            product = INT64_MAX;
    }
    if (asked->count > 0 && product != size)
        return rts_fail(
            RTS_ERR_INVALID,
            "DVMH_PROC_GRID asks for %lld processes, but %d run; their product must be the number "
            "of processes",
            (long long)product, size);
    for (int axis = grid->rank - 1, rest = rank; axis >= 0; axis--) { /* row-major */
        grid->coordinate[axis] = rest % (int)grid->size[axis];
        rest /= (int)grid->size[axis];
    }
    while (grid->rank > 0 && grid->size[grid->rank - 1] == 1)
        grid->rank--;
    return RTS_OK;
}

/* Processes of the node that may run on the same processors as this one, and its place among them: a launcher may have bound all, some or
 * none. Collective. */
static rts_status_t find_sharers(int *sharer_p, int *count_p) {
    const int local_count = rts_comm_local_size();
    const uint64_t mine = rts_processors_key();
    uint64_t *const all = rts_alloc_zeroed((size_t)local_count, sizeof *all);
    if (all == NULL)
        return rts_fail_memory("the processors of a node's processes", (size_t)local_count * sizeof *all);
    const rts_status_t status = rts_comm_gather_node(&mine, all, sizeof mine);
    *sharer_p = *count_p = 0;
    for (int process = 0; process < local_count; process++) {
        *sharer_p += process < rts_comm_local_rank() && all[process] == mine;
        *count_p += all[process] == mine;
    }
    rts_free(all);
    return status;
}

/* GPUs that this process is to use; -1: not said. */
static int choose_cudas(const rts_environment_t *environment, bool sequential) {
    const rts_int_list_t *asked = &environment->num_cudas;
    if (asked->count > 0)
        return (int)asked->value[rts_comm_rank() % asked->count];
    return sequential ? 0 : -1;
}

/* Open the backends, after what the processes of the node say about sharing accelerators has gone round. Collective. */
static rts_status_t open_backends(const rts_environment_t *environment, rts_backend_options_t *options) {
    const size_t count = (size_t)rts_comm_local_size();
    const rts_device_wish_t mine = rts_device_wish(choose_cudas(environment, runtime.sequential));
    rts_device_wish_t *const all = rts_alloc_zeroed(count, sizeof *all);
    if (all == NULL)
        return rts_fail_memory("the devices of a node's processes", count * sizeof *all);
    options->wish = all;
    rts_status_t status = rts_comm_gather_node(&mine, all, sizeof mine);
    if (status == RTS_OK)
        status = rts_backends_open(options);
    rts_free(all);
    return status;
}

static int choose_threads(const rts_environment_t *environment, bool sequential, int sharer_count) {
    const rts_int_list_t *asked = &environment->num_threads;
    if (asked->count > 0)
        return (int)rts_max(1, asked->value[rts_comm_rank() % asked->count]);
    return sequential ? 1 : rts_default_thread_count(rts_comm_local_size(), sharer_count);
}

/* The planner with what an earlier run saved, if that is asked for. */
static rts_status_t open_planner(const rts_environment_t *environment) {
    rts_plan_file_t file = {0};
    const bool is_replay = environment->planner_mode == RTS_PLANNER_REPLAY;
    if (environment->planner_save[0] != '\0' && rts_comm_rank() == 0)
        RTS_TRY(rts_plan_file_check(environment->planner_save));
    if (is_replay)
        RTS_TRY(rts_plan_file_read(environment->planner_file, &file));
    rts_planner_open(environment->planner_mode, environment->planner_seed, environment->strategy,
                     environment->schedule_dynamic);
    const rts_status_t status =
        is_replay ? rts_planner_import(file.cost, file.count, file.reorganise_rate) : RTS_OK;
    rts_free(file.cost);
    return status;
}

/* Values that decide what processes do together are those of process 0, even where another process has values of its own. */
static rts_status_t share_values(rts_environment_t *environment) {
    struct {
        rts_int_list_t proc_grid;
        int64_t io_buffer_bytes, parallel_io_bytes;
        bool report;
        rts_planner_mode_t mode;
        uint64_t seed;
        rts_strategy_choice_t strategy;
        rts_exchange_choice_t exchange;
    } common = {.proc_grid = environment->proc_grid,
                .io_buffer_bytes = environment->io_buffer_bytes,
                .parallel_io_bytes = environment->parallel_io_bytes,
                .report = environment->report,
                .mode = environment->planner_mode,
                .seed = environment->planner_seed,
                .strategy = environment->strategy,
                .exchange = environment->exchange};
    RTS_TRY(rts_comm_broadcast(&common, sizeof common, 0));
    environment->proc_grid = common.proc_grid;
    environment->io_buffer_bytes = common.io_buffer_bytes;
    environment->parallel_io_bytes = common.parallel_io_bytes;
    environment->report = common.report;
    runtime.common_mode = common.mode;
    runtime.common_seed = common.seed;
    runtime.common_strategy = common.strategy;
    runtime.common_exchange = common.exchange;
    return RTS_OK;
}

/* Whether loops may be cut in a way that GPUs do not know. Collective. */
static rts_status_t share_gpus(void) {
    const size_t count = (size_t)rts_comm_size();
    bool mine = false;
    for (int device = 1; device < rts_device_count(); device++)
        mine = mine || rts_handler_ops_of_device(device) != NULL;
    bool *const all = rts_alloc_zeroed(count, sizeof *all);
    if (all == NULL)
        return rts_fail_memory("what is known of the processes' devices", count);
    const rts_status_t status = rts_comm_gather_all(&mine, all, sizeof mine);
    runtime.common_gpus = false;
    for (size_t process = 0; process < count; process++)
        runtime.common_gpus = runtime.common_gpus || all[process];
    rts_free(all);
    return status;
}

/* The variables of this process and of process 0, and the log that warnings about them go to. */
static rts_status_t open_environment(rts_environment_t *environment) {
    rts_environment_block_t block;
    RTS_TRY(rts_environment_share(environ, &block));
    rts_status_t status = rts_environment_values(block.all, environment);
    if (status == RTS_OK)
        status = rts_log_open(environment->log_level, environment->flush_log_level, environment->log_file,
                              environment->fatal_to_stderr, rts_comm_rank(), rts_comm_size());
    if (status == RTS_OK)
        rts_environment_warn(block.own);
    rts_environment_block_free(&block);
    RTS_TRY(status);
    return share_values(environment);
}

static rts_status_t open_all(void) {
    rts_environment_t *environment = &runtime.environment;
    RTS_TRY(open_environment(environment));
    RTS_TRY(set_grid(&environment->proc_grid, rts_comm_size(), rts_comm_rank(), &runtime.grid));
    int sharer = 0, sharer_count = 1;
    RTS_TRY(find_sharers(&sharer, &sharer_count));
    runtime.thread_count = choose_threads(environment, runtime.sequential, sharer_count);
    rts_backend_options_t options = {.thread_count = runtime.thread_count,
                                     .set_affinity = environment->set_affinity,
                                     .fake_devices = environment->fake_devices,
                                     .memory_limit = environment->device_memory,
                                     .returns_memory = !environment->cache_cuda_alloc,
                                     .require_cuda = environment->require_cuda,
                                     .local_rank = rts_comm_local_rank(),
                                     .local_count = rts_comm_local_size(),
                                     .sharer = sharer,
                                     .sharer_count = sharer_count};
    RTS_TRY(open_planner(environment));
    RTS_TRY(open_backends(environment, &options));
    return share_gpus();
}

rts_status_t rts_runtime_open(bool sequential, int *argc, char ***argv) {
    RTS_TRY(rts_comm_open(sequential, argc, argv));
    RTS_TRY(rts_agreement_open());
    runtime.sequential = sequential;
    const rts_status_t status = open_all();
    runtime.is_open = status == RTS_OK;
    if (!runtime.is_open)
        rts_planner_close();
    return status;
}

static void destroy_objects(void) {
    for (rts_array_t *array = rts_array_first(); array != NULL; array = rts_array_first()) {
        array->header_count = 0; /* headers may be gone: those of functions that have returned */
        rts_coherence_release(array);
        rts_array_destroy(array);
    }
    while (rts_template_first() != NULL)
        rts_template_release(rts_template_first());
}

/* What the run leaves to read: the report, and costs for a later run. A file that cannot be written is no reason to fail a
 * program that has done its work. */
static void write_results(void) {
    const rts_environment_t *environment = &runtime.environment;
    if ((environment->report || environment->planner_save[0] != '\0') && rts_times_settle() != RTS_OK)
        rts_log(RTS_LOG_ERROR, "%s", rts_error_text());
    if (environment->report)
        rts_report_print(stderr);
    if (rts_comm_rank() != 0)
        return;
    if (environment->planner_save[0] != '\0' && rts_plan_file_write(environment->planner_save) != RTS_OK)
        rts_log(RTS_LOG_WARNING, "DVMH_PLANNER_SAVE: %s", rts_error_text());
}

/* Whatever the program left open goes too, so that a leak checker sees only real leaks. */
void rts_runtime_close(void) {
    if (!runtime.is_open)
        return;
    runtime.is_open = false;
    write_results();
    rts_exec_reset();
    rts_halo_reset();
    rts_exchange_close();
    rts_region_reset();
    rts_interval_reset();
    rts_variable_reset();
    destroy_objects();
    rts_coherence_reset();
    rts_planner_close();
    rts_backends_close();
    rts_handle_reset();
    rts_log_close();
    rts_comm_close();
}
