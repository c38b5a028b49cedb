/* Loops with across clauses on many processes give what the sequential loop gives, element for element: random directions, widths,
 * offsets, alignments, distributions, stages, ways to tell dependences, and planners; these differ from process to process. */
#include <config.h>

#include <stdlib.h>

#include "rts/coherence.h"
#include "rts/coherence_values.h"
#include "rts/planner.h"
#include "rts/region.h"
#include "tests/cluster/across_example.h"
#include "tests/cluster/place_example.h"

enum { CASES = 200 };

static uint64_t own_salt;

/* ---- arrays ---- */

static void open_arrays(void) {
    static place_example_t place; /* keeps bounds */
    rts_index_t low[RTS_MAX_RANK], high[RTS_MAX_RANK];
    place.grid = rts_runtime()->grid;
    place.distribution.space = across.side[0].space;
    place_random_rules(&place);
    const bool is_block = check_random_once_in(2);
    int blocks = 0;
    for (int axis = 0; axis < across.rank && across.is_sweep; axis++)
        if (across.dim[axis] >= across.loop_rank - 2)
            place.distribution.rule[axis] = (rts_axis_rule_t){.kind = RTS_AXIS_REPLICATED};
        else if (is_block)
            place.distribution.rule[axis] = (rts_axis_rule_t){.kind = RTS_AXIS_BLOCK, .grid_axis = blocks++};
    for (int s = 0; s < ACROSS_ARRAYS; s++) {
        across_side_t *side = &across.side[s];
        rts_alignment_t alignment = {.rank = across.rank};
        rts_axis_rule_t rule[RTS_MAX_RANK];
        for (int axis = 0; axis < across.rank; axis++) {
            const int of = side->axis[axis];
            const rts_box_t *space = &across.side[0].space;
            const bool back = side->sign[axis] < 0;
            rule[axis] = place.distribution.rule[of];
            const rts_index_t lo = back ? 1 - space->hi[of] : space->lo[of];
            side->space.lo[axis] = lo + side->shift[axis];
            side->space.hi[axis] = side->space.lo[axis] + space->hi[of] - space->lo[of];
            low[axis] = back ? side->high[of] : side->low[of];
            high[axis] = back ? side->low[of] : side->high[of];
            alignment.rule[of] = (rts_align_rule_t){.axis = axis,
                                                    .mult = side->sign[axis],
                                                    .add = -side->sign[axis] * side->shift[axis]};
        }
        CLUSTER_TRY(rts_array_create(&side->space,
                                     (rts_element_t){.code = rt_LLONG, .bytes = sizeof(int64_t)}, low, high,
                                     true, &side->array));
        CLUSTER_TRY(s == 0 || across.is_apart ? rts_array_distribute(side->array, rule, &rts_runtime()->grid)
                                              : rts_array_align(side->array, NULL, across.side[0].array,
                                                                &alignment, &rts_runtime()->grid));
    }
}

/* Index in the first array of an index of a side. */
static void index_back(const across_side_t *side, const rts_index_t of_side[], rts_index_t index[]) {
    for (int axis = 0; axis < across.rank; axis++)
        index[side->axis[axis]] = side->sign[axis] * (of_side[axis] - side->shift[axis]);
}

/* Random values, the same everywhere; what is held beyond the own part is spoilt. */
static void fill_arrays(void) {
    static int64_t values[ACROSS_SIZE];
    for (int s = 0; s < ACROSS_ARRAYS; s++) {
        across_side_t *side = &across.side[s];
        const rts_box_t *held = &side->array->held, *local = &side->array->local;
        rts_index_t at[RTS_MAX_RANK], index[RTS_MAX_RANK];
        int64_t *next = values;
        for (rts_index_t i = 0; i < rts_box_size(&side->space); i++)
            side->model[i] = check_random_range(0, ACROSS_MODULUS - 1);
        for (rts_index_t i = 0; i < rts_box_size(held); i++)
            values[i] = -1000000 - i;
        if (rts_box_is_empty(local))
            continue;
        CLUSTER_TRY(rts_coherence_write(side->array, held, values));
        memcpy(at, local->lo, sizeof at);
        do {
            index_back(side, at, index);
            *next++ = side->model[across_place(index)];
        } while (place_next(local, at));
        CLUSTER_TRY(rts_coherence_write(side->array, local, values));
    }
}

static bool check_arrays(void) {
    static int64_t values[ACROSS_SIZE];
    bool good = true;
    for (int s = 0; s < ACROSS_ARRAYS; s++) {
        const across_side_t *side = &across.side[s];
        const rts_box_t *local = &side->array->local;
        rts_index_t at[RTS_MAX_RANK], index[RTS_MAX_RANK];
        const int64_t *next = values;
        if (rts_box_is_empty(local))
            continue;
        CLUSTER_TRY(rts_coherence_read(side->array, local, values));
        memcpy(at, local->lo, sizeof at);
        do {
            index_back(side, at, index);
            good = CHECK_EQ_INT(*next++, side->model[across_place(index)]) && good;
        } while (good && place_next(local, at));
    }
    return good;
}

/* ---- the loop ---- */

/* What an offset means in iterations. Elements between those that iterations write are written by none. */
static void tell_vector(rts_loop_t *loop, const rts_index_t offset[]) {
    rts_index_t vector[RTS_MAX_RANK] = {0};
    for (int axis = 0; axis < across.rank; axis++) {
        const int dim = across.dim[axis];
        if (dim < 0)
            continue;
        const rts_index_t step = across.mult[axis] * across.step[dim];
        if (offset[axis] % step != 0)
            return;
        vector[dim] = offset[axis] / step;
    }
    for (int dim = 0; dim < across.loop_rank; dim++) {
        if (vector[dim] == 0)
            continue;
        for (int other = 0; vector[dim] < 0 && other < across.loop_rank; other++)
            vector[other] = other == dim ? vector[other] : -vector[other];
        vector[dim] = vector[dim] < 0 ? -vector[dim] : vector[dim];
        CLUSTER_TRY(rts_dependences_add(&loop->vectors, vector));
        return;
    }
}

/* Elements that are written twice, and those that are read where they are written as another iteration's own. */
static void tell_beyond(rts_loop_t *loop) {
    const across_side_t *side = &across.side[0];
    rts_index_t difference[RTS_MAX_RANK];
    tell_vector(loop, across.beyond);
    for (int k = 0; k < side->offset_count; k++) {
        for (int axis = 0; axis < across.rank; axis++)
            difference[axis] = side->offset[k][axis] - across.beyond[axis];
        tell_vector(loop, difference);
    }
}

static void add_arrays(rts_loop_t *loop) {
    for (int s = 0; s < ACROSS_ARRAYS; s++) {
        const across_side_t *side = &across.side[s];
        rts_loop_array_t use = {.array = side->array,
                                .intent = RTS_INTENT_IN | RTS_INTENT_OUT,
                                .by_rows = true,
                                .is_unknown = across.telling == ACROSS_UNKNOWN};
        rts_index_t low[RTS_MAX_RANK], high[RTS_MAX_RANK];
        for (int axis = 0; axis < across.rank; axis++) {
            const int of = side->axis[axis];
            low[axis] = side->sign[axis] < 0 ? side->high[of] : side->low[of];
            high[axis] = side->sign[axis] < 0 ? side->low[of] : side->high[of];
            use.dim[axis] = across.dim[of];
            use.sign[axis] = side->sign[axis] * (int)across.mult[of];
        }
        CLUSTER_TRY(rts_loop_add_across(loop, s == 0 && across.is_out, side->array, low, high));
        if (across.telling != ACROSS_QUERY)
            CLUSTER_TRY(rts_loop_add_array(loop, &use));
        for (int k = 0; k < side->offset_count; k++)
            tell_vector(loop, side->offset[k]);
        if (s == 0 && across.is_out)
            tell_beyond(loop);
    }
}

static void perform(rts_region_t *region, int64_t *sum) {
    rts_index_t end[RTS_MAX_RANK];
    rts_alignment_t map = {.rank = across.rank};
    rts_reduction_t reduction;
    rts_loop_t *loop;
    for (int dim = 0; dim < across.loop_rank; dim++)
        end[dim] = across.start[dim] + (across.count[dim] - 1) * across.step[dim];
    for (int axis = 0; axis < across.rank; axis++)
        map.rule[axis] = across.dim[axis] < 0
                             ? (rts_align_rule_t){.axis = RTS_ALIGN_CONSTANT, .add = across.constant[axis]}
                             : (rts_align_rule_t){across.dim[axis], across.mult[axis], across.add[axis]};
    CLUSTER_TRY(rts_loop_open(across.loop_rank, across.start, end, across.step, &loop));
    loop->region = region;
    CLUSTER_TRY(rts_loop_set_map(loop, NULL, across.side[0].array, &map));
    loop->has_vectors = across.telling == ACROSS_VECTORS;
    rts_dependences_init(&loop->vectors, across.loop_rank);
    add_arrays(loop);
    CLUSTER_TRY(rts_loop_set_stage(loop, across.stage));
    CLUSTER_TRY(rts_reduction_init(rf_SUM, rt_LLONG, 1, 0, &reduction));
    CLUSTER_TRY(rts_loop_add_reduction(loop, &reduction, sum, NULL));
    const bool is_query = across.telling == ACROSS_QUERY;
    rts_handler_t handler = {.device_type = DEVICE_TYPE_HOST, .type = is_query ? 0 : RTS_HANDLER_RECORD};
    if (is_query && check_random_once_in(2))
        handler.type = RTS_HANDLER_PARALLEL | RTS_HANDLER_MASTER;
    handler.function = is_query ? (DvmHandlerFunc)(void (*)(void))across_query_handler
                                : (DvmHandlerFunc)(void (*)(void))across_record_handler;
    CLUSTER_TRY(rts_loop_add_handler(loop, &handler));
    CLUSTER_TRY(rts_exec_loop(loop));
}

static void choose_planner(void) {
    const rts_planner_mode_t mode[] = {RTS_PLANNER_OFF, RTS_PLANNER_RANDOM, RTS_PLANNER_COST,
                                       RTS_PLANNER_RANDOM, RTS_PLANNER_GREEDY};
    rts_planner_close();
    rts_planner_open(mode[check_random_range(0, 4)], (uint64_t)cluster_own_random(&own_salt, 0, 1 << 30),
                     RTS_CHOICE_AUTO, false);
}

static bool run_case(void) {
    rts_region_t *region = NULL;
    int64_t sum = 17;
    across_draw();
    choose_planner();
    open_arrays();
    fill_arrays();
    across.sum = sum;
    if (across.in_region) {
        CLUSTER_TRY(rts_region_open(0, &region));
        for (int s = 0; s < ACROSS_ARRAYS; s++)
            CLUSTER_TRY(
                rts_region_register(region, across.side[s].array, RTS_INTENT_IN | RTS_INTENT_OUT, NULL));
    }
    for (int64_t times = check_random_range(1, 4); times > 0; times--) {
        across_run_model();
        perform(region, &sum);
    }
    if (region != NULL)
        CLUSTER_TRY(rts_region_close(region));
    bool good = CHECK_EQ_INT(sum, across.sum);
    good = check_arrays() && good;
    for (int s = ACROSS_ARRAYS - 1; s >= 0; s--) {
        rts_coherence_release(across.side[s].array);
        rts_array_destroy(across.side[s].array);
    }
    return good;
}

static void say_case(int number) {
    if (rts_comm_rank() != 0)
        return;
    fprintf(stderr, "case %d: rank %d, loop of rank %d, telling %d, region %d\n", number, across.rank,
            across.loop_rank, (int)across.telling, across.in_region);
    for (int axis = 0; axis < across.rank; axis++)
        fprintf(stderr, " axis %d: %lld..%lld dim %d mult %lld\n", axis,
                (long long)across.side[0].space.lo[axis], (long long)across.side[0].space.hi[axis] - 1,
                across.dim[axis], (long long)across.mult[axis]);
    for (int dim = 0; dim < across.loop_rank; dim++)
        fprintf(stderr, " dim %d: start %lld step %lld count %lld\n", dim, (long long)across.start[dim],
                (long long)across.step[dim], (long long)across.count[dim]);
}

/* ---- what is refused ---- */

/* A loop over a square array that is cut along one axis only, and, when there is a second one, that by itself. */
static void refuse(int cut_axis, bool has_across, bool has_second, const rts_index_t vector[],
                   rts_index_t low, rts_status_t expected, const char *text) {
    const rts_box_t space = {.rank = 2, .hi = {12, 12}};
    const rts_index_t edges[] = {1, 1}, start[] = {2, 2}, end[] = {9, 9}, step[] = {1, 1};
    const rts_index_t lows[] = {low, low}, highs[] = {1, 1};
    const rts_alignment_t map = rts_alignment_identity(2);
    const rts_axis_rule_t rule[] = {{.kind = cut_axis == 0 ? RTS_AXIS_BLOCK : RTS_AXIS_REPLICATED},
                                    {.kind = cut_axis == 1 ? RTS_AXIS_BLOCK : RTS_AXIS_REPLICATED}};
    const rts_handler_t handler = {.device_type = DEVICE_TYPE_HOST,
                                   .type = RTS_HANDLER_RECORD,
                                   .function = (DvmHandlerFunc)(void (*)(void))across_record_handler};
    rts_array_t *array[2];
    rts_loop_t *loop;
    for (int i = 0; i < 2; i++) {
        CLUSTER_TRY(rts_array_create(&space, (rts_element_t){.code = rt_LLONG, .bytes = sizeof(int64_t)},
                                     edges, edges, true, &array[i]));
        CLUSTER_TRY(rts_array_distribute(array[i], rule, &rts_runtime()->grid));
    }
    CLUSTER_TRY(rts_loop_open(2, start, end, step, &loop));
    CLUSTER_TRY(rts_loop_set_map(loop, NULL, array[0], &map));
    loop->has_vectors = true;
    rts_dependences_init(&loop->vectors, 2);
    CLUSTER_TRY(rts_dependences_add(&loop->vectors, vector));
    for (int i = 0; i < 2 && has_across; i++) {
        const rts_loop_array_t use = {.array = array[i],
                                      .intent = RTS_INTENT_IN,
                                      .dim = {0, 1},
                                      .sign = {1, 1}};
        if (i == 0 || has_second) {
            CLUSTER_TRY(rts_loop_add_across(loop, false, array[i], lows, highs));
            CLUSTER_TRY(rts_loop_add_array(loop, &use));
        }
    }
    CLUSTER_TRY(rts_loop_add_handler(loop, &handler));
    if (CHECK_EQ_INT(rts_exec_loop(loop), expected))
        CHECK_CONTAINS(rts_error_text(), text);
    for (int i = 1; i >= 0; i--)
        rts_array_destroy(array[i]);
}

static void test_refusals(void) {
    const rts_index_t down[RTS_MAX_RANK] = {1, 0}, corner[RTS_MAX_RANK] = {1, -1};
    if (rts_grid_parts(&rts_runtime()->grid, 0) == 1)
        return;
    refuse(0, true, false, down, 2, RTS_ERR_INVALID, "across widths 2:1 of array axis 1");
    refuse(0, false, false, down, 0, RTS_ERR_INVALID, "loop axis 1, which is spread over");
    refuse(1, true, true, corner, 1, RTS_ERR_UNSUPPORTED, "iteration by iteration of loop axis 1");
}

int main(int argc, char **argv) {
    setenv("DVMH_NUM_THREADS", "3", 1); /* so that what is wrong inside a process shows, too */
    cluster_start(&argc, &argv);
    for (int number = 0; number < CASES; number++)
        if (rts_comm_agree(run_case() ? RTS_OK : RTS_ERR_INTERNAL) != RTS_OK) {
            say_case(number);
            break;
        }
    test_refusals();
    return cluster_finish();
}
