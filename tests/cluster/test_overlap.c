/* Loops that run while their shadow edges are on the way give what sequential loops give, element for element: random stencils over arrays
 * that lie to each other in random ways, told in every way that there is, in regions and outside, with reductions. Edges hold rubbish or
 * old values before, so that an iteration which runs too early shows. Processes overlap or not, and plan, each as it likes. Where
 * references are told, those loops overlap in which some iteration reads no edge, by going through all of them. */
#include <config.h>

#include "rts/coherence.h"
#include "rts/coherence_values.h"
#include "rts/exec.h"
#include "rts/halo.h"
#include "rts/planner.h"
#include "rts/stats.h"
#include "tests/cluster/overlap_example.h"

static uint64_t own_salt;
static int64_t overlapped[TELLINGS], not_overlapped;

/* ---- arrays ---- */

static void draw_side(side_t *side) {
    const rts_box_t *space = &scene.place.distribution.space;
    for (int k = 0; k < scene.rank; k++)
        side->order[k] = k;
    for (int k = scene.rank - 1; k > 0; k--) {
        const int other = (int)pick(check_random_once_in(2) ? k : 0, k), kept = side->order[k];
        side->order[k] = side->order[other];
        side->order[other] = kept;
    }
    side->space.rank = scene.rank;
    for (int k = 0; k < scene.rank; k++) {
        const int of = side->order[k];
        side->sign[k] = check_random_once_in(4) ? -1 : 1;
        side->shift[k] = pick(-4, 4);
        side->space.lo[k] = (side->sign[k] > 0 ? space->lo[of] : 1 - space->hi[of]) + side->shift[k];
        side->space.hi[k] = side->space.lo[k] + space->hi[of] - space->lo[of];
    }
}

/* Random values, the same everywhere; what is held beyond the own part is spoilt. */
static void fill_side(side_t *side) {
    static char values[SIZE * SIZED_LARGEST];
    const rts_box_t *held = &side->array->held, *local = &side->array->local;
    rts_index_t at[RTS_MAX_RANK], index[RTS_MAX_RANK];
    char *value = values;
    for (rts_index_t i = 0; i < rts_box_size(&side->space); i++)
        side->model[i] = sized_value(side->bytes, pick(0, MODULUS - 1));
    for (rts_index_t i = 0; i < rts_box_size(held); i++)
        sized_store(values + (size_t)i * side->bytes, side->bytes, -1000000 - i);
    if (rts_box_is_empty(local))
        return;
    CLUSTER_TRY(rts_coherence_write(side->array, held, values));
    memcpy(at, local->lo, sizeof at);
    do {
        index_back(side, at, index);
        sized_store(value, side->bytes, side->model[place_of(index)]);
        value += side->bytes;
    } while (place_next(local, at));
    CLUSTER_TRY(rts_coherence_write(side->array, local, values));
}

static void open_side(side_t *side) {
    rts_alignment_t alignment = {.rank = scene.rank};
    rts_index_t low[RTS_MAX_RANK], high[RTS_MAX_RANK];
    draw_side(side);
    for (int k = 0; k < scene.rank; k++) {
        alignment.rule[side->order[k]] =
            (rts_align_rule_t){.axis = k, .mult = side->sign[k], .add = -side->sign[k] * side->shift[k]};
        low[k] = pick(0, WIDEST);
        high[k] = pick(0, WIDEST);
    }
    side->bytes = sized_random();
    CLUSTER_TRY(rts_array_create(&side->space, sized_type(side->bytes), low, high, true, &side->array));
    CLUSTER_TRY(rts_array_align(side->array, scene.template, NULL, &alignment, &rts_runtime()->grid));
    CLUSTER_TRY(rts_array_attach_header(side->array, side->header));
    fill_side(side);
}

static void open_arrays(void) {
    static const rts_index_t most[RANKS] = {70, 26, 11};
    rts_box_t *space = &scene.place.distribution.space;
    scene.rank = space->rank = (int)pick(1, RANKS);
    for (int axis = 0; axis < scene.rank; axis++) {
        space->lo[axis] = pick(-3, 3);
        space->hi[axis] = space->lo[axis] + pick(6, most[scene.rank - 1]);
    }
    scene.place.grid = rts_runtime()->grid;
    place_random_rules(&scene.place);
    CLUSTER_TRY(rts_template_create(space, &scene.template));
    CLUSTER_TRY(rts_template_distribute(scene.template, scene.place.distribution.rule, &rts_runtime()->grid));
    for (int s = 0; s < ARRAYS; s++)
        open_side(&scene.side[s]);
}

static void close_arrays(void) {
    for (int s = ARRAYS - 1; s >= 0; s--) {
        rts_coherence_release(scene.side[s].array);
        rts_array_destroy(scene.side[s].array);
    }
    rts_handle_destroy(scene.template->handle);
    scene.template->handle = 0;
    rts_template_release(scene.template);
}

static bool check_arrays(void) {
    static char values[SIZE * SIZED_LARGEST];
    bool good = true;
    for (int s = 0; s < ARRAYS; s++) {
        const side_t *side = &scene.side[s];
        const rts_box_t *local = &side->array->local;
        rts_index_t at[RTS_MAX_RANK], index[RTS_MAX_RANK];
        const char *value = values;
        if (rts_box_is_empty(local))
            continue;
        CLUSTER_TRY(rts_coherence_read(side->array, local, values));
        memcpy(at, local->lo, sizeof at);
        do {
            index_back(side, at, index);
            good = CHECK_EQ_INT(sized_load(value, side->bytes), side->model[place_of(index)]) && good;
            value += side->bytes;
        } while (good && place_next(local, at));
    }
    return good;
}

/* ---- drawing a loop ---- */

static void draw_requests(void) {
    for (int s = 0; s < ARRAYS; s++) {
        side_t *side = &scene.side[s];
        side->is_requested = !check_random_once_in(4);
        side->corners = check_random_once_in(2);
        for (int k = 0; k < scene.rank; k++) {
            side->low[k] = side->is_requested ? pick(0, side->array->shadow_lo[k]) : 0;
            side->high[k] = side->is_requested ? pick(0, side->array->shadow_hi[k]) : 0;
        }
    }
}

static void draw_walk(void) {
    static const rts_index_t mults[] = {1, 1, 1, 1, -1, 2, -2}, steps[] = {1, 1, 1, -1, 2, -2};
    for (int axis = 0; axis < scene.rank; axis++)
        scene.dim[axis] = axis;
    for (int axis = scene.rank - 1; axis > 0; axis--) {
        const int other = (int)pick(0, axis), kept = scene.dim[axis];
        scene.dim[axis] = scene.dim[other];
        scene.dim[other] = kept;
    }
    for (int axis = 0; axis < scene.rank; axis++) {
        scene.mult[axis] = mults[pick(0, 6)];
        scene.step[scene.dim[axis]] = steps[pick(0, 5)];
    }
}

/* What is written may be read only where no iteration writes. */
static bool may_read(const read_t *read) {
    bool is_zero = true;
    for (int axis = 0; axis < scene.rank; axis++) {
        is_zero = is_zero && read->offset[axis] == 0;
        if (read->side == scene.target &&
            read->offset[axis] % (scene.mult[axis] * scene.step[scene.dim[axis]]) != 0)
            return true;
    }
    return read->side != scene.target || is_zero;
}

static void draw_reads(void) {
    scene.read_count = 0;
    for (int64_t tries = pick(1, READS); tries > 0; tries--) {
        read_t *read = &scene.read[scene.read_count];
        read->side = (int)pick(0, ARRAYS - 1);
        const side_t *side = &scene.side[read->side];
        const int only = (int)pick(0, scene.rank - 1);
        for (int k = 0; k < scene.rank; k++)
            read->offset[side->order[k]] =
                side->corners || k == only ? side->sign[k] * pick(-side->low[k], side->high[k]) : 0;
        scene.read_count += may_read(read);
    }
}

/* @return false when there are no iterations that read inside of the arrays alone */
static bool draw_range(void) {
    const rts_box_t *space = &scene.place.distribution.space;
    for (int axis = 0; axis < scene.rank; axis++) {
        const int dim = scene.dim[axis];
        rts_index_t low = 0, high = 0;
        for (int i = 0; i < scene.read_count; i++) {
            low = rts_min(low, scene.read[i].offset[axis]);
            high = rts_max(high, scene.read[i].offset[axis]);
        }
        low = space->lo[axis] - low + (check_random_once_in(3) ? pick(0, 4) : 0);
        high = space->hi[axis] - 1 - high - (check_random_once_in(3) ? pick(0, 4) : 0);
        if (low > high)
            return false;
        const rts_index_t step = scene.mult[axis] * scene.step[dim], length = step < 0 ? -step : step;
        scene.count[dim] = (high - low) / length + 1;
        scene.start[dim] = pick(-5, 5);
        scene.add[axis] = (step > 0 ? low : high) - scene.mult[axis] * scene.start[dim];
    }
    return true;
}

static void draw_loop(void) {
    do {
        scene.telling = (telling_t)pick(0, TELLINGS - 1);
        scene.target = (int)pick(0, ARRAYS - 1);
        draw_requests();
        draw_walk();
        draw_reads();
    } while (!draw_range());
}

/* ---- running it ---- */

static void tell_array(const rts_loop_t *loop, int s) {
    static DvmType numbers[READS + 1][3][RANKS];
    dvmhx_reference_t references[READS + 1];
    const side_t *side = &scene.side[s];
    dvmhx_array_use_t use = {.size = sizeof use, .header = side->header, .rank = scene.rank, .intent = 1};
    const read_t own = {.side = scene.target};
    if (s == scene.target)
        use.intent = 3;
    for (int i = -1; i < scene.read_count && scene.telling == TELL_REFERENCES; i++) {
        const read_t *read = i < 0 ? &own : &scene.read[i];
        DvmType(*const number)[RANKS] = numbers[use.reference_count];
        if (read->side != s)
            continue;
        for (int k = 0; k < scene.rank; k++) {
            const int axis = side->order[k];
            number[0][k] = scene.dim[axis] + 1;
            number[1][k] = side->sign[k] * scene.mult[axis];
            number[2][k] = side->sign[k] * (scene.add[axis] + read->offset[axis]) + side->shift[k];
        }
        references[use.reference_count++] = (dvmhx_reference_t){i < 0, number[0], number[1], number[2]};
    }
    use.references = references;
    dvmhx_loop_array_C((DvmType)loop->handle, &use);
}

static void set_map(rts_loop_t *loop) {
    const side_t *side = &scene.side[scene.target];
    rts_alignment_t map = {.rank = scene.rank};
    const bool on_array = scene.region != NULL || check_random_once_in(2);
    for (int k = 0; k < scene.rank; k++) {
        const int axis = on_array ? side->order[k] : k;
        const rts_index_t sign = on_array ? side->sign[k] : 1, shift = on_array ? side->shift[k] : 0;
        map.rule[k] =
            (rts_align_rule_t){scene.dim[axis], sign * scene.mult[axis], sign * scene.add[axis] + shift};
    }
    CLUSTER_TRY(
        rts_loop_set_map(loop, on_array ? NULL : scene.template, on_array ? side->array : NULL, &map));
}

static rts_loop_t *make_loop(int64_t *sum, int64_t *largest) {
    static const rts_index_t reduction_of[] = {rf_SUM, rf_MAX};
    const bool is_record = scene.telling <= TELL_ARRAYS;
    rts_handler_t handler = {.device_type = DEVICE_TYPE_HOST};
    rts_index_t end[RTS_MAX_RANK];
    rts_loop_t *loop;
    for (int dim = 0; dim < scene.rank; dim++)
        end[dim] = scene.start[dim] + (scene.count[dim] - 1) * scene.step[dim];
    CLUSTER_TRY(rts_loop_open(scene.rank, scene.start, end, scene.step, &loop));
    loop->region = scene.region;
    set_map(loop);
    for (int s = 0; s < ARRAYS && is_record; s++)
        tell_array(loop, s);
    for (int i = 0; i < 2; i++) {
        rts_reduction_t reduction;
        CLUSTER_TRY(rts_reduction_init(reduction_of[i], rt_LLONG, 1, 0, &reduction));
        CLUSTER_TRY(rts_loop_add_reduction(loop, &reduction, i == 0 ? sum : largest, NULL));
    }
    handler.type = is_record                    ? RTS_HANDLER_RECORD
                   : scene.telling == TELL_TEAM ? RTS_HANDLER_PARALLEL | RTS_HANDLER_MASTER
                                                : 0;
    handler.function = is_record ? HANDLER(record_handler) : HANDLER(query_handler);
    CLUSTER_TRY(rts_loop_add_handler(loop, &handler));
    return loop;
}

/* Whether an iteration reads, along an axis along which some edge comes from others, nothing beyond the own part. */
static bool is_inside(const rts_index_t variable[]) {
    rts_index_t index[RTS_MAX_RANK], at[RTS_MAX_RANK], of_side[RTS_MAX_RANK];
    index_of_iteration(variable, index);
    for (int i = -1; i < scene.read_count; i++) {
        const side_t *side = &scene.side[i < 0 ? scene.target : scene.read[i].side];
        const rts_box_t *local = &side->array->local;
        for (int axis = 0; axis < scene.rank; axis++)
            at[axis] = index[axis] + (i < 0 ? 0 : scene.read[i].offset[axis]);
        index_of_side(side, at, of_side);
        for (int k = 0; k < scene.rank; k++) {
            const bool has_edge = (side->low[k] > 0 && local->lo[k] > side->space.lo[k]) ||
                                  (side->high[k] > 0 && local->hi[k] < side->space.hi[k]);
            if (has_edge && (of_side[k] < local->lo[k] || of_side[k] >= local->hi[k]))
                return false;
        }
    }
    return true;
}

/* By going through the iterations of this process. */
static bool has_interior(void) {
    rts_index_t n[RTS_MAX_RANK] = {0}, variable[RTS_MAX_RANK], index[RTS_MAX_RANK];
    do {
        for (int dim = 0; dim < scene.rank; dim++)
            variable[dim] = scene.start[dim] + n[dim] * scene.step[dim];
        index_of_iteration(variable, index);
        if (rts_box_has_point(&scene.template->local, index) && is_inside(variable))
            return true;
    } while (next(scene.count, n));
    return false;
}

static bool is_used(int s) {
    bool found = s == scene.target;
    for (int i = 0; i < scene.read_count; i++)
        found = found || scene.read[i].side == s;
    return found;
}

/* An array without a reference is one of which nobody says where it is read. */
static bool tells_all(void) {
    bool all = scene.telling == TELL_REFERENCES;
    for (int s = 0; s < ARRAYS; s++)
        all = all && is_used(s);
    return all;
}

static void set_overlap(int overlap) {
    ((rts_runtime_t *)(uintptr_t)rts_runtime())->environment.overlap = overlap;
}

static void run_loop(int64_t *sum, int64_t *largest) {
    const bool wants = cluster_own_random(&own_salt, 0, 3) > 0;
    set_overlap(wants);
    for (int s = 0; s < ARRAYS; s++)
        if (scene.side[s].is_requested)
            CLUSTER_TRY(rts_halo_request(scene.side[s].array, scene.side[s].corners, scene.side[s].low,
                                         scene.side[s].high));
    const bool waits = rts_halo_pending > 0;
    const int64_t before = rts_stats_get(RTS_STAT_OVERLAPS);
    rts_loop_t *const loop = make_loop(sum, largest);
    CLUSTER_TRY(rts_exec_loop(loop));
    CHECK_EQ_INT(rts_halo_pending, 0);
    const int64_t times = rts_stats_get(RTS_STAT_OVERLAPS) - before;
    overlapped[scene.telling] += times;
    not_overlapped += waits && times == 0;
    if (!wants || !waits)
        CHECK_EQ_INT(times, 0);
    else if (tells_all())
        CHECK_EQ_INT(times, has_interior());
}

/* What query handlers use is what the region has; record handlers are told of all arrays. */
static void open_region(void) {
    CLUSTER_TRY(rts_region_open(0, &scene.region));
    for (int s = 0; s < ARRAYS; s++)
        if (scene.telling <= TELL_ARRAYS || is_used(s))
            CLUSTER_TRY(
                rts_region_register(scene.region, scene.side[s].array,
                                    s == scene.target ? RTS_INTENT_IN | RTS_INTENT_OUT : RTS_INTENT_IN,
                                    NULL));
}

/* Outside of regions the program itself sees to what is at home. */
static void bring_home(void) {
    rts_array_t *const target = scene.side[scene.target].array;
    for (int s = 0; s < ARRAYS; s++)
        CLUSTER_TRY(rts_coherence_fetch(scene.side[s].array, 0, NULL));
    CLUSTER_TRY(rts_coherence_written(target, 0, &target->local));
}

static bool run_round(void) {
    int64_t sum = scene.sum = 17, largest = scene.largest = 5;
    draw_loop();
    scene.region = NULL;
    if (!check_random_once_in(4))
        open_region();
    else
        bring_home();
    for (int64_t times = pick(1, 2); times > 0; times--) {
        run_model();
        run_loop(&sum, &largest);
    }
    if (scene.region != NULL)
        CLUSTER_TRY(rts_region_close(scene.region));
    return CHECK_EQ_INT(sum, scene.sum) && CHECK_EQ_INT(largest, scene.largest);
}

static void say_case(int number) {
    fprintf(stderr, "%scase %d: rank %d, telling %d, region %d, target %d, %d reads\n", check_who, number,
            scene.rank, (int)scene.telling, scene.region != NULL, scene.target, scene.read_count);
}

static bool run_case(void) {
    static const rts_planner_mode_t mode[] = {RTS_PLANNER_OFF, RTS_PLANNER_RANDOM, RTS_PLANNER_RANDOM,
                                              RTS_PLANNER_GREEDY, RTS_PLANNER_COST};
    bool good = true;
    rts_planner_close();
    rts_planner_open(mode[cluster_own_random(&own_salt, 0, 4)],
                     (uint64_t)cluster_own_random(&own_salt, 0, 1 << 30), RTS_CHOICE_AUTO, false);
    open_arrays();
    for (int round = 0; round < ROUNDS && good; round++)
        good = run_round();
    good = check_arrays() && good;
    close_arrays();
    return good;
}

static void idle_handler(const dvmhx_record_t *record) {
    (void)record;
}

/* Left to itself the runtime overlaps long loops alone. */
static void test_auto(rts_index_t extent_of_part, bool is_long) {
    const rts_axis_rule_t rule = {.kind = RTS_AXIS_BLOCK};
    const rts_box_t space = {.rank = 1, .hi = {extent_of_part * rts_grid_parts(&rts_runtime()->grid, 0)}};
    const rts_index_t width = 1, start = 1, end = space.hi[0] - 2, step = 1;
    const DvmType dim = 1, mult = 1, before = -1, behind = 1;
    const dvmhx_reference_t references[] = {{0, &dim, &mult, &before}, {0, &dim, &mult, &behind}};
    const rts_alignment_t map = rts_alignment_identity(1);
    const rts_handler_t handler = {.device_type = DEVICE_TYPE_HOST,
                                   .type = RTS_HANDLER_RECORD,
                                   .function = HANDLER(idle_handler)};
    DvmType header[64];
    rts_array_t *array;
    rts_loop_t *loop;
    CLUSTER_TRY(rts_array_create(&space, (rts_element_t){.code = rt_LLONG, .bytes = sizeof(int64_t)}, &width,
                                 &width, true, &array));
    CLUSTER_TRY(rts_array_distribute(array, &rule, &rts_runtime()->grid));
    CLUSTER_TRY(rts_array_attach_header(array, header));
    CLUSTER_TRY(rts_halo_request(array, false, NULL, NULL));
    CLUSTER_TRY(rts_loop_open(1, &start, &end, &step, &loop));
    CLUSTER_TRY(rts_loop_set_map(loop, NULL, array, &map));
    const dvmhx_array_use_t use = {.size = sizeof use,
                                   .header = header,
                                   .rank = 1,
                                   .intent = INTENT_IN,
                                   .reference_count = 2,
                                   .references = references};
    dvmhx_loop_array_C((DvmType)loop->handle, &use);
    CLUSTER_TRY(rts_loop_add_handler(loop, &handler));
    set_overlap(-1);
    const int64_t times = rts_stats_get(RTS_STAT_OVERLAPS);
    CLUSTER_TRY(rts_exec_loop(loop));
    CHECK_EQ_INT(rts_stats_get(RTS_STAT_OVERLAPS) - times, rts_comm_size() > 1 && is_long);
    rts_coherence_release(array);
    rts_array_destroy(array);
}

int main(int argc, char **argv) {
    static char who[32];
    check_random_start();
    dvmh_init_C(0, &argc, &argv);
    snprintf(who, sizeof who, "[process %d] ", rts_comm_rank());
    check_who = who;
    for (int i = 0; i < CASES; i++)
        if (!run_case())
            say_case(i);
    test_auto(100, false);
    test_auto(100000, true);
    for (int i = 0; i < TELLINGS; i++)
        CHECK(rts_comm_size() == 1 ? overlapped[i] == 0 : overlapped[i] > 5);
    CHECK(rts_comm_size() == 1 || not_overlapped > 5);
    return cluster_finish();
}
