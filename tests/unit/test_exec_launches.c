/* Loops on a GPU that the host plays, from clauses to results: programs of random loops under every mode of the planner, launches of every
 * kind in random orders (fake_launch.h), with little memory, and reductions of all kinds with ordinary arrays. References are sequential
 * loops. Would catch values that did not come or were not marked, layouts that threads cannot follow, slots that were not filled or not
 * combined, and order that a launch does not keep. */
#include "tests/unit/fake_cuda.h"

#include "tests/unit/exec_program.h"
#include "tests/unit/fake_launch.h"

#include "rts/exec_launch.h"
#include "rts/exec_times.h"
#include "rts/variable.h"

static int64_t narrow_seen, pieces_seen;

static void example_launch(void *context, const dvmhx_record_t *record, const DvmType n[],
                           const fake_thread_t *who) {
    (void)context;
    (void)who;
    example_iteration(example_running, record, n);
}

static void example_gpu_handler(const dvmhx_record_t *record) {
    CHECK(record->device > 0 && record->stream == (void *)&fake && record->way == DVMHX_WAY_PLAIN);
    CHECK_EQ_INT(record->by_rows, 0);
    for (int u = 0; u < record->array_count; u++) {
        CHECK(record->arrays[u].layout == DVMHX_LAYOUT_PLAIN ||
              record->arrays[u].layout == DVMHX_LAYOUT_SKEW);
        if (record->arrays[u].layout == DVMHX_LAYOUT_SKEW)
            example_skews_seen++;
    }
    narrow_seen += record->launch->narrow;
    fake_launch_run(record, (int)check_random_range(1, 3), example_launch, NULL);
}

/* As a pipeline does it: some boxes along the outermost dim, one after the other, by one plan. */
static rts_status_t execute_in_pieces(rts_loop_t *loop) {
    static rts_exec_data_t data;
    if (loop->region == NULL || loop->region->device == 0 || !rts_exec_runs_on(loop, loop->region->device))
        return rts_exec_loop(loop);
    RTS_TRY(rts_loop_prepare(loop, false));
    rts_box_t box = loop->local;
    const rts_index_t length = box.hi[0] - box.lo[0];
    loop->piece[0] = rts_div_up(length, pick(1, 4));
    loop->is_cut = loop->piece[0] < length;
    pieces_seen += loop->is_cut;
    RTS_TRY(rts_exec_data_prepare(loop, loop->region->device, &data));
    CHECK(data.facts.is_gpu);
    RTS_TRY(rts_exec_launch_open(loop, &data));
    for (; box.lo[0] < loop->local.hi[0]; box.lo[0] = box.hi[0]) {
        box.hi[0] = rts_min(box.lo[0] + loop->piece[0], loop->local.hi[0]);
        RTS_TRY(rts_exec_launch_run(&box));
    }
    RTS_TRY(rts_exec_launch_close());
    rts_loop_close(loop);
    return RTS_OK;
}

static int64_t heard_seen, rates_seen;

static void check_heard(void *context, const rts_site_summary_t *site) {
    int64_t heard = 0, begun = 0;
    (void)context;
    for (int option = 0; option < site->option_count; option++)
        for (int i = 0; i < site->plan_count[option]; i++) {
            const rts_plan_t *plan = &site->plan[option][i];
            heard += plan->executions;
            begun += plan->begun;
            CHECK_EQ_INT(plan->unmeasured, 0);
            CHECK(plan->executions <= plan->begun && (plan->executions > 0) == (plan->begun > 0));
        }
    CHECK_EQ_INT(begun, site->executions);
    CHECK(site->seconds > 0);
    heard_seen += heard;
}

/* Now and then all times are waited for: then the planner must know what every execution took, if only by others. */
static rts_status_t execute_and_settle(rts_loop_t *loop) {
    const rts_status_t status = check_random_once_in(2) ? execute_in_pieces(loop) : rts_exec_loop(loop);
    if (check_random_once_in(6)) {
        CHECK_EQ_INT(rts_times_settle(), RTS_OK);
        rts_planner_visit(check_heard, NULL);
        rates_seen +=
            strcmp(rts_exec_last_backend(), "fake-cuda") == 0 && rts_planner_reorganise_rate() < 5e11;
    }
    return status;
}

/* ---- reductions and ordinary arrays ---- */

enum { SIDE = 40, BINS = 5, TABLE = 30 };

typedef struct found {
    long long sum, total[BINS];
    int most, least;
    long long most_at[2], least_at; /* of any of equal values: launches run these in any order */
    unsigned bits;
} found_t;

static long long plane[SIDE][SIDE], lookup[TABLE], counts[TABLE];

static int value_at(DvmType i, DvmType j) {
    return (int)((plane[i][j] + lookup[(i + j) % TABLE]) % 1000);
}

static void reduce_one(found_t *found, long long value, DvmType i, DvmType j) {
    found->sum += value;
    found->total[value % BINS] += value;
    if (value > found->most) {
        found->most = (int)value;
        found->most_at[0] = i;
        found->most_at[1] = j;
    }
    if (value < found->least) {
        found->least = (int)value;
        found->least_at = i * SIDE + j;
    }
    found->bits |= (unsigned)value;
}

/* As a kernel does it: into slots, from device memory. */
static void reduce_iteration(void *context, const dvmhx_record_t *record, const DvmType n[],
                             const fake_thread_t *who) {
    const dvmhx_slots_t *slots = record->launch->slots;
    const dvmhx_array_t *array = &record->arrays[0];
    const DvmType i = record->start[0] + n[0] * record->step[0],
                  j = record->start[1] + n[1] * record->step[1];
    const long long element = ((const long long *)array->base)[i * array->stride[0] + j * array->stride[1]];
    const long long *const its_table = record->launch->variables[0];
    long long *const its_counts = record->launch->variables[1];
    const long long value = (element + its_table[(i + j) % TABLE]) % 1000;
    char *slot[5];
    (void)context;
    for (int r = 0; r < 5; r++)
        slot[r] = (char *)slots[r].values + fake_slot(record, r, who) * slots[r].value_bytes;
    *(long long *)slot[0] += value;
    ((long long *)slot[1])[value % BINS] += value;
    if (value > *(int *)slot[2]) {
        long long *at =
            (long long *)((char *)slots[2].locations + fake_slot(record, 2, who) * slots[2].location_bytes);
        *(int *)slot[2] = (int)value;
        at[0] = i;
        at[1] = j;
    }
    if (value < *(int *)slot[3]) {
        *(int *)slot[3] = (int)value;
        *(long long *)((char *)slots[3].locations + fake_slot(record, 3, who) * slots[3].location_bytes) =
            i * SIDE + j;
    }
    *(unsigned *)slot[4] |= (unsigned)value;
    its_counts[value % TABLE]++;
}

static int gpu_runs, host_runs;

static void reduce_on_gpu(const dvmhx_record_t *record) {
    gpu_runs++;
    CHECK(record->launch->block_limit > 0 && record->launch->variable_count == 2);
    CHECK_EQ_INT(record->launch->slots[1].per_thread, 1);
    CHECK_EQ_INT(record->launch->slots[1].value_bytes, BINS * sizeof(long long));
    CHECK_EQ_INT(*(const int *)record->launch->slots[2].start, *(const int *)record->reductions[2]);
    fake_launch_run(record, 2, reduce_iteration, NULL);
}

static void reduce_on_host(const dvmhx_record_t *record) {
    found_t found = {.sum = *(long long *)record->reductions[0],
                     .most = *(int *)record->reductions[2],
                     .least = *(int *)record->reductions[3],
                     .bits = *(unsigned *)record->reductions[4]};
    const dvmhx_array_t *array = &record->arrays[0];
    __atomic_fetch_add(&host_runs, 1, __ATOMIC_RELAXED);
    memcpy(found.most_at, record->locations[2], sizeof found.most_at);
    found.least_at = *(long long *)record->locations[3];
    for (DvmType a = 0; a < record->count[0]; a++)
        for (DvmType b = 0; b < record->count[1]; b++) {
            const DvmType i = record->start[0] + a * record->step[0],
                          j = record->start[1] + b * record->step[1];
            const long long value =
                (((const long long *)array->base)[i * array->stride[0] + j * array->stride[1]] +
                 lookup[(i + j) % TABLE]) %
                1000;
            reduce_one(&found, value, i, j);
            __atomic_fetch_add(&counts[value % TABLE], 1, __ATOMIC_RELAXED);
        }
    *(long long *)record->reductions[0] = found.sum;
    for (int bin = 0; bin < BINS; bin++)
        ((long long *)record->reductions[1])[bin] += found.total[bin];
    *(int *)record->reductions[2] = found.most;
    memcpy(record->locations[2], found.most_at, sizeof found.most_at);
    *(int *)record->reductions[3] = found.least;
    *(long long *)record->locations[3] = found.least_at;
    *(unsigned *)record->reductions[4] = found.bits;
}

static void add_reduction(rts_loop_t *loop, DvmType operation, DvmType type, DvmType count, void *values,
                          void *locations, DvmType location_bytes) {
    rts_reduction_t reduction;
    CHECK_EQ_INT(rts_reduction_init(operation, type, count, location_bytes, &reduction), RTS_OK);
    CHECK_EQ_INT(rts_loop_add_reduction(loop, &reduction, values, locations), RTS_OK);
    CHECK_EQ_INT(rts_variable_bring_home(values), RTS_OK);
}

static void describe_loop(rts_loop_t *loop, rts_array_t *array, found_t *found, bool is_dependent) {
    const rts_handler_t host = {.device_type = DEVICE_TYPE_HOST,
                                .type = RTS_HANDLER_RECORD,
                                .function = (DvmHandlerFunc)(void (*)(void))reduce_on_host},
                        gpu = {.device_type = DEVICE_TYPE_CUDA,
                               .type = RTS_HANDLER_RECORD,
                               .function = (DvmHandlerFunc)(void (*)(void))reduce_on_gpu};
    rts_loop_array_t use = {.array = array, .intent = RTS_INTENT_IN, .dim = {0, 1}, .sign = {1, 1}};
    for (int axis = 2; axis < RTS_MAX_RANK; axis++)
        use.dim[axis] = -1;
    CHECK_EQ_INT(rts_loop_add_array(loop, &use), RTS_OK);
    if (is_dependent) { /* not that anything depends: then the order is of one kind or another */
        rts_dependences_init(&loop->vectors, 2);
        loop->has_vectors = true;
        CHECK_EQ_INT(rts_dependences_add(&loop->vectors, (rts_index_t[RTS_MAX_RANK]){1, 0}), RTS_OK);
        CHECK_EQ_INT(rts_dependences_add(&loop->vectors, (rts_index_t[RTS_MAX_RANK]){0, 1}), RTS_OK);
    }
    add_reduction(loop, rf_SUM, rt_LLONG, 1, &found->sum, NULL, 0);
    add_reduction(loop, rf_SUM, rt_LLONG, BINS, found->total, NULL, 0);
    add_reduction(loop, rf_MAXLOC, rt_INT, 1, &found->most, found->most_at, sizeof found->most_at);
    add_reduction(loop, rf_MINLOC, rt_INT, 1, &found->least, &found->least_at, sizeof found->least_at);
    add_reduction(loop, rf_OR, rt_UINT, 1, &found->bits, NULL, 0);
    const rts_loop_variable_t in = {lookup, sizeof lookup, RTS_INTENT_IN}, out = {counts, sizeof counts, 3};
    CHECK_EQ_INT(rts_loop_add_variable(loop, &in), RTS_OK);
    CHECK_EQ_INT(rts_loop_add_variable(loop, &out), RTS_OK);
    CHECK_EQ_INT(rts_loop_add_handler(loop, &host), RTS_OK);
    CHECK_EQ_INT(rts_loop_add_handler(loop, &gpu), RTS_OK);
}

static void check_found(const found_t *found, const found_t *expected, const found_t *before) {
    CHECK_EQ_INT(found->sum, expected->sum);
    for (int bin = 0; bin < BINS; bin++)
        CHECK_EQ_INT(found->total[bin], expected->total[bin]);
    CHECK_EQ_INT(found->most, expected->most);
    CHECK_EQ_INT(found->least, expected->least);
    CHECK_EQ_INT(found->bits, expected->bits);
    if (expected->most != before->most)
        CHECK_EQ_INT(value_at((DvmType)found->most_at[0], (DvmType)found->most_at[1]), expected->most);
    else
        CHECK(found->most_at[0] == before->most_at[0] && found->most_at[1] == before->most_at[1]);
    if (expected->least != before->least)
        CHECK_EQ_INT(value_at((DvmType)(found->least_at / SIDE), (DvmType)(found->least_at % SIDE)),
                     expected->least);
}

/* Some loops in a row in one region, each adding to the same variables. */
static void run_reductions(rts_array_t *array) {
    found_t found = {.sum = check_random_range(-9, 9),
                     .least = 5000,
                     .most = (int)check_random_range(-1, 1100)},
            expected;
    long long expected_counts[TABLE];
    rts_region_t *region = NULL;
    found.most_at[0] = -7;
    for (int i = 0; i < TABLE; i++) {
        lookup[i] = check_random_range(0, 500);
        expected_counts[i] = counts[i] = check_random_range(0, 3);
    }
    CHECK_EQ_INT(rts_region_open(0, &region), RTS_OK);
    CHECK_EQ_INT(rts_region_register(region, array, RTS_INTENT_IN, NULL), RTS_OK);
    CHECK_EQ_INT(rts_region_execute(region, DEVICE_TYPE_HOST | DEVICE_TYPE_CUDA), RTS_OK);
    for (int64_t loops = check_random_range(1, 3); loops > 0; loops--) {
        const found_t before = found;
        rts_index_t start[2], end[2], step[2];
        rts_loop_t *loop = NULL;
        expected = found;
        for (int dim = 0; dim < 2; dim++) {
            step[dim] = check_random_once_in(3) ? -1 : 1;
            const rts_index_t low = check_random_range(0, SIDE - 1), high = check_random_range(low, SIDE - 1);
            start[dim] = step[dim] > 0 ? low : high;
            end[dim] = step[dim] > 0 ? high : low;
        }
        for (rts_index_t i = rts_min(start[0], end[0]); i <= rts_max(start[0], end[0]); i++)
            for (rts_index_t j = rts_min(start[1], end[1]); j <= rts_max(start[1], end[1]); j++) {
                reduce_one(&expected, value_at(i, j), i, j);
                expected_counts[value_at(i, j) % TABLE]++;
            }
        CHECK_EQ_INT(rts_loop_open(2, start, end, step, &loop), RTS_OK);
        loop->region = region;
        describe_loop(loop, array, &found, check_random_once_in(2));
        CHECK_EQ_INT(rts_exec_loop(loop), RTS_OK);
        check_found(&found, &expected, &before);
    }
    CHECK_EQ_INT(rts_region_close(region), RTS_OK);
    CHECK_EQ_INT(rts_variable_exit_automatic(), RTS_OK);
    for (int i = 0; i < TABLE; i++)
        CHECK_EQ_INT(counts[i], expected_counts[i]);
}

static rts_array_t *open_plane(void) {
    const rts_box_t space = {.rank = 2, .hi = {SIDE, SIDE}};
    const rts_index_t edges[RTS_MAX_RANK] = {0};
    rts_axis_rule_t rule[RTS_MAX_RANK];
    rts_array_t *array = NULL;
    for (int axis = 0; axis < 2; axis++)
        rule[axis] = (rts_axis_rule_t){.kind = RTS_AXIS_BLOCK, .grid_axis = axis};
    CHECK_EQ_INT(rts_array_create(&space, (rts_element_t){.code = rt_LLONG, .bytes = sizeof(int64_t)}, edges,
                                  edges, true, &array),
                 RTS_OK);
    CHECK_EQ_INT(rts_array_distribute(array, rule, &rts_runtime()->grid), RTS_OK);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            ((int64_t *)array->home.buffer)[i * SIDE + j] = plane[i][j] = check_random_range(0, 5000);
    return array;
}

static void test_reductions(const char *planner, const char *memory, int programs) {
    for (int i = 0; i < programs; i++) {
        char seeded[64];
        snprintf(seeded, sizeof seeded, "%s%d", planner, i);
        setenv("DVMH_DEVICE_MEMORY", memory, 1);
        open_program(planner[strlen(planner) - 1] == ':' ? seeded : planner, 1);
        rts_array_t *array = open_plane();
        for (int regions = 0; regions < 4; regions++)
            run_reductions(array);
        rts_coherence_release(array);
        rts_array_destroy(array);
        close_program();
    }
    unsetenv("DVMH_DEVICE_MEMORY");
}

/* ---- narrow indices ---- */

static int narrow_loops, wide_loops;

static void far_iteration(void *context, const dvmhx_record_t *record, const DvmType n[],
                          const fake_thread_t *who) {
    const dvmhx_array_t *array = &record->arrays[0];
    double *most = context, sum = 0;
    uintptr_t at = (uintptr_t)array->base;
    long long value = 0;
    (void)who;
    for (int axis = 0; axis < 2; axis++) {
        const DvmType variable = record->start[axis] + n[axis] * record->step[axis];
        const double part = (double)array->stride[axis] * (double)variable;
        sum += part < 0 ? -part : part;
        *most = (double)variable > *most    ? (double)variable
                : -(double)variable > *most ? -(double)variable
                                            : *most;
        at += (uintptr_t)(array->stride[axis] * variable * (DvmType)sizeof value);
        value = value * 1000 + variable;
    }
    *most = sum > *most ? sum : *most;
    memcpy((void *)at, &value, sizeof value);
}

static void far_handler(const dvmhx_record_t *record) {
    double most = 0;
    fake_launch_run(record, 1, far_iteration, &most);
    if (record->launch->narrow) {
        narrow_loops++;
        CHECK(most < 2147483648.);
    } else {
        wide_loops++;
        CHECK(most >
              2000000000.); /* the array has few elements, so its corners are not far from each other */
    }
}

static rts_index_t far_bound(void) {
    static const rts_index_t bound[] = {0,         -5,         1000000,     70000000,
                                        100000000, 2147483600, -2147483700, 3000000000};
    return bound[check_random_range(0, 7)];
}

/* Bounds far from 0 on both axes, in any layout; every element says where it is. */
static void test_narrow(void) {
    rts_box_t space = {.rank = 2};
    const rts_index_t edges[RTS_MAX_RANK] = {0}, step[2] = {1, 1};
    rts_axis_rule_t rule[RTS_MAX_RANK];
    rts_array_t *array = NULL;
    rts_region_t *region = NULL;
    rts_loop_t *loop = NULL;
    const rts_handler_t gpu = {.device_type = DEVICE_TYPE_CUDA,
                               .type = RTS_HANDLER_RECORD,
                               .function = (DvmHandlerFunc)(void (*)(void))far_handler};
    for (int axis = 0; axis < 2; axis++) {
        space.lo[axis] = far_bound();
        space.hi[axis] = space.lo[axis] + check_random_range(2, 20);
        rule[axis] = (rts_axis_rule_t){.kind = RTS_AXIS_BLOCK, .grid_axis = axis};
    }
    CHECK_EQ_INT(rts_array_create(&space, (rts_element_t){.code = rt_LLONG, .bytes = sizeof(int64_t)}, edges,
                                  edges, true, &array),
                 RTS_OK);
    CHECK_EQ_INT(rts_array_distribute(array, rule, &rts_runtime()->grid), RTS_OK);
    CHECK_EQ_INT(rts_region_open(0, &region), RTS_OK);
    CHECK_EQ_INT(rts_region_register(region, array, RTS_INTENT_OUT, NULL), RTS_OK);
    CHECK_EQ_INT(rts_region_execute(region, DEVICE_TYPE_HOST | DEVICE_TYPE_CUDA), RTS_OK);
    const rts_index_t last[2] = {space.hi[0] - 1, space.hi[1] - 1};
    CHECK_EQ_INT(rts_loop_open(2, space.lo, last, step, &loop), RTS_OK);
    loop->region = region;
    rts_loop_array_t use = {.array = array, .intent = RTS_INTENT_OUT, .dim = {0, 1}, .sign = {1, 1}};
    for (int axis = 2; axis < RTS_MAX_RANK; axis++)
        use.dim[axis] = -1;
    CHECK_EQ_INT(rts_loop_add_array(loop, &use), RTS_OK);
    CHECK_EQ_INT(rts_loop_add_handler(loop, &gpu), RTS_OK);
    CHECK_EQ_INT(rts_exec_loop(loop), RTS_OK);
    CHECK_EQ_INT(rts_region_close(region), RTS_OK);
    CHECK_EQ_INT(rts_coherence_fetch(array, 0, NULL), RTS_OK);
    const int64_t *element = array->home.buffer;
    for (rts_index_t i = space.lo[0]; i <= last[0]; i++)
        for (rts_index_t j = space.lo[1]; j <= last[1]; j++)
            CHECK_EQ_INT(*element++, i * 1000 + j);
    rts_coherence_release(array);
    rts_array_destroy(array);
}

static void test_far_away(void) {
    open_program("random:5", 1);
    for (int i = 0; i < 300; i++)
        test_narrow();
    close_program();
    CHECK(narrow_loops > 30 && wide_loops > 100);
}

int main(void) {
    check_random_start();
    setenv("DVMH_SET_AFFINITY", "0", 1);
    setenv("DVMH_LOGLEVEL", "error", 1);
    example_cuda_handler = (DvmHandlerFunc)(void (*)(void))example_gpu_handler;
    program_devices = DEVICE_TYPE_HOST | DEVICE_TYPE_CUDA;
    fake.late = 2;
    test_mode("random:", 60);
    for (int kind = 0; kind < 4; kind++)
        CHECK(fake_kinds_seen[kind] > 50);
    CHECK(example_skews_seen > 100 && narrow_seen > 200);
    example_execute = execute_and_settle;
    test_mode("random:", 30);
    test_mode("cost", 15);
    CHECK(pieces_seen > 50 && heard_seen > 100 && rates_seen > 5);
    example_execute = rts_exec_loop;
    test_mode("greedy", 25);
    test_mode("cost", 25);
    test_mode("off", 10);
    test_reductions("random:", "64000000", 40);
    test_reductions("off", "64000000", 5);
    CHECK(gpu_runs > 100 && host_runs == 0);
    test_reductions("random:", "60000", 40); /* the plane alone takes a fifth */
    CHECK(host_runs > 0);
    test_far_away();
    return check_finish();
}
