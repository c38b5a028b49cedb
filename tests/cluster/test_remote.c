/* Remote access and consistent arrays on random grids: buffers made by a call of their own, and those of random loops as query handlers and
 * record handlers see them, compared with a model of the source that every process has whole. Loops may write their own source. Newest
 * values lie anywhere, and the planner chooses at random, differently in every process. */
#include <config.h>

#include "rts/remote.h"

#include <dvmhlib2.h>
#include <dvmhx.h>

#include "rts/consistent.h"
#include "rts/exec.h"
#include "rts/planner.h"
#include "rts/region.h"

#include "tests/cluster/array_example.h"

enum { ROUNDS = 150, CLAUSES = 3 };

#define HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

/* The source, the array that the loop is mapped on, and a consistent one. */
static array_example_t source, target, shared;
static place_example_t source_place, target_place;

/* The loop: its dims are those of the record; a dim's values are start + n * step. */
static struct {
    rts_loop_t *loop;
    rts_region_t *region;
    int rank;
    rts_index_t start[2], step[2], count[2];
    rts_alignment_t map;
    array_example_t *remote; /* source or target */
    int clause_count;
    rts_align_rule_t clause[CLAUSES][RTS_MAX_RANK];
    bool writes, shares,
        shows_source; /* writes target; writes shared; a record shows the source itself too */
    rts_align_rule_t of_shared[RTS_MAX_RANK];
    int checked; /* remote elements that handlers looked at */
} scene;

static int all_checked, own_sources, empty_parts, shown_copies;

static void open_arrays(uint64_t *salt) {
    rts_index_t low[RTS_MAX_RANK] = {0}, high[RTS_MAX_RANK] = {0};
    do
        place_random(&source_place, &rts_runtime()->grid, 8);
    while (rts_box_size(&source_place.space) > EXAMPLE_LARGEST);
    do
        place_random(&target_place, &rts_runtime()->grid, 8);
    while (rts_box_size(&target_place.space) > EXAMPLE_LARGEST);
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = check_random_range(0, 1);
        high[axis] = check_random_range(0, 1);
    }
    example_open_sized(&source, 1, &source_place, low, high, sized_random());
    example_open(&target, 2, &target_place, low, high);
    example_fill(&source, 3);
    example_set(&source, &source.array->space, 3);
    example_fill(&target, 4);
    example_set(&target, &target.array->space, 4);
    example_scatter(&source, salt);
    example_scatter(&target, salt);
}

/* ---- buffers of their own ---- */

static void test_stand_alone(void) {
    const rts_box_t *space = &source.array->space;
    rts_align_rule_t rule[RTS_MAX_RANK];
    rts_index_t index[RTS_MAX_RANK];
    rts_array_t *buffer;
    for (int axis = 0; axis < space->rank; axis++)
        rule[axis] =
            check_random_once_in(2)
                ? (rts_align_rule_t){.axis = RTS_ALIGN_ANY}
                : (rts_align_rule_t){.axis = RTS_ALIGN_CONSTANT,
                                     .add = check_random_range(space->lo[axis], space->hi[axis] - 1)};
    CLUSTER_TRY(rts_remote_create(source.array, rule, &buffer));
    CHECK(rts_box_equal(&buffer->local, &buffer->space));
    example_first(space, index);
    do {
        rts_index_t at[RTS_MAX_RANK] = {0};
        bool is_named = true;
        for (int axis = 0, next = 0; axis < space->rank; axis++) {
            if (rule[axis].axis == RTS_ALIGN_ANY)
                at[next++] = index[axis];
            else
                is_named = is_named && index[axis] == rule[axis].add;
        }
        if (is_named) {
            const void *place = rts_array_element(buffer, at);
            if (CHECK(place != NULL))
                (void)example_holds(place, buffer->element.bytes, example_expected(&source, index));
        }
    } while (place_next(space, index));
    rts_array_destroy(buffer);
}

/* ---- random loops ---- */

/* An array axis that follows a dim whose values are first..last: a rule that stays inside, or none. */
static bool follow(const rts_box_t *space, int axis, int dim, rts_align_rule_t *rule) {
    static const rts_index_t mults[] = {1, -1, 2, -2};
    const rts_index_t mult = mults[check_random_range(0, 3)], one = scene.start[dim],
                      other = one + (scene.count[dim] - 1) * scene.step[dim],
                      low = rts_min(mult * one, mult * other), high = rts_max(mult * one, mult * other);
    if (high - low >= space->hi[axis] - space->lo[axis])
        return false;
    *rule = (rts_align_rule_t){.axis = dim,
                               .mult = mult,
                               .add = check_random_range(space->lo[axis] - low, space->hi[axis] - 1 - high)};
    return true;
}

static void random_clause(const rts_box_t *space, rts_align_rule_t rule[]) {
    for (int axis = 0; axis < space->rank; axis++) {
        rule[axis] =
            check_random_once_in(2)
                ? (rts_align_rule_t){.axis = RTS_ALIGN_ANY}
                : (rts_align_rule_t){.axis = RTS_ALIGN_CONSTANT,
                                     .add = check_random_range(space->lo[axis], space->hi[axis] - 1)};
        if (check_random_once_in(4))
            continue;
        const int dim = (int)check_random_range(0, scene.rank - 1);
        (void)follow(space, axis, dim, &rule[axis]);
    }
}

/* Dims walk axes of the target; images may leave it, then nobody has these iterations. */
static void random_loop(void) {
    const rts_box_t *space = &target_place.space;
    scene.rank = (int)check_random_range(1, rts_min(2, space->rank));
    scene.map = (rts_alignment_t){.rank = space->rank};
    for (int axis = 0; axis < space->rank; axis++)
        scene.map.rule[axis] =
            scene.writes || check_random_once_in(2)
                ? (rts_align_rule_t){.axis = RTS_ALIGN_CONSTANT,
                                     .add = check_random_range(space->lo[axis], space->hi[axis] - 1)}
                : (rts_align_rule_t){.axis = RTS_ALIGN_ANY};
    for (int dim = 0; dim < scene.rank; dim++) {
        int axis;
        do
            axis = (int)check_random_range(0, space->rank - 1);
        while (scene.map.rule[axis].axis >= 0);
        const rts_index_t mult = check_random_once_in(3) ? -1 : check_random_once_in(4) ? 2 : 1;
        const rts_index_t first = check_random_range(space->lo[axis] - 1, space->hi[axis] - 1),
                          add = check_random_range(-2, 2);
        scene.map.rule[axis] = (rts_align_rule_t){.axis = dim, .mult = mult, .add = first - add * mult};
        scene.start[dim] = add;
        scene.step[dim] = (check_random_once_in(3) ? 2 : 1) * (check_random_once_in(3) ? -mult : mult);
        scene.count[dim] = check_random_range(1, space->hi[axis] - space->lo[axis] + 1);
    }
}

/* Each iteration writes an element of its own: every dim is followed by an axis. */
static void open_shared(uint64_t *salt) {
    static place_example_t place;
    const rts_index_t no_edge[RTS_MAX_RANK] = {0};
    place.grid = rts_runtime()->grid;
    place.space = (rts_box_t){.rank = scene.rank + 1};
    place.distribution.space = (rts_box_t){.rank = 1, .hi = {1}};
    place.distribution.rule[0] = (rts_axis_rule_t){.kind = RTS_AXIS_REPLICATED};
    place.alignment = (rts_alignment_t){.rank = 1, .rule = {{.axis = RTS_ALIGN_ANY}}};
    for (int axis = 0; axis < place.space.rank; axis++) {
        place.space.lo[axis] = check_random_range(-2, 2);
        const rts_index_t step = axis < scene.rank ? scene.step[axis] : 1,
                          span = axis < scene.rank ? (scene.count[axis] - 1) * (step < 0 ? -step : step) : 1;
        place.space.hi[axis] = place.space.lo[axis] + span + 2;
    }
    example_open(&shared, 3, &place, no_edge, no_edge);
    example_fill(&shared, 5);
    example_scatter(&shared, salt);
    for (int dim = 0; dim < scene.rank; dim++)
        while (!follow(&place.space, dim, dim, &scene.of_shared[dim]))
            continue; /* some multiplier fits */
    scene.of_shared[scene.rank] =
        check_random_once_in(2)
            ? (rts_align_rule_t){.axis = RTS_ALIGN_ANY}
            : (rts_align_rule_t){.axis = RTS_ALIGN_CONSTANT, .add = place.space.lo[scene.rank] + 1};
}

static void image(const rts_align_rule_t rule[], int rank, const rts_index_t i[], rts_index_t index[]) {
    memset(index, 0, RTS_MAX_RANK * sizeof index[0]);
    for (int axis = 0; axis < rank; axis++)
        index[axis] =
            rule[axis].axis >= 0 ? rule[axis].mult * i[rule[axis].axis] + rule[axis].add : rule[axis].add;
}

static int64_t shared_value(const rts_index_t i[]) {
    return 1000 + i[0] * 100 + (scene.rank > 1 ? i[1] : 0);
}

/* The values that all processes should have after the loop: iteration by iteration. */
static void expect(void) {
    const rts_box_t *space = &target_place.space;
    rts_index_t n[2], i[2], index[RTS_MAX_RANK];
    for (n[0] = 0; n[0] < scene.count[0]; n[0]++)
        for (n[1] = 0; n[1] < (scene.rank > 1 ? scene.count[1] : 1); n[1]++) {
            for (int dim = 0; dim < scene.rank; dim++)
                i[dim] = scene.start[dim] + n[dim] * scene.step[dim];
            bool runs = true;
            image(scene.map.rule, space->rank, i, index);
            for (int axis = 0; axis < space->rank; axis++)
                runs = runs && (scene.map.rule[axis].axis == RTS_ALIGN_ANY ||
                                (index[axis] >= space->lo[axis] && index[axis] < space->hi[axis]));
            if (!runs)
                continue;
            if (scene.writes)
                target.model[example_place(&target, index)]++;
            for (rts_index_t k = 0; k < 3 && scene.shares; k++) {
                image(scene.of_shared, scene.rank + 1, i, index);
                if (scene.of_shared[scene.rank].axis == RTS_ALIGN_ANY)
                    index[scene.rank] = shared.array->space.lo[scene.rank] + k;
                shared.model[example_place(&shared, index)] = shared_value(i);
            }
        }
}

/* ---- bodies ---- */

/* What a body reads and writes: element by element, through strides. */
typedef struct view {
    char *base; /* of the element with all indices 0 */
    const DvmType *stride;
    size_t bytes; /* of an element; what is written is an int64_t */
} view_t;

static void *element(const view_t *view, int rank, const rts_index_t index[]) {
    rts_index_t offset = 0;
    for (int axis = 0; axis < rank; axis++)
        offset += view->stride[axis] * index[axis];
    return (void *)((uintptr_t)view->base + (uintptr_t)(offset * (rts_index_t)view->bytes));
}

/* All elements that a clause names for one iteration; buffers of query handlers are indexed in their own way. */
static void read_clause(const view_t *view, int number, bool is_buffer, const rts_index_t i[]) {
    const rts_align_rule_t *rule = scene.clause[number];
    const rts_box_t *space = &scene.remote->array->space;
    rts_box_t named = {.rank = space->rank};
    rts_index_t index[RTS_MAX_RANK];
    for (int axis = 0; axis < space->rank; axis++) {
        named.lo[axis] = rule[axis].axis == RTS_ALIGN_ANY ? space->lo[axis]
                         : rule[axis].axis >= 0 ? rule[axis].mult * i[rule[axis].axis] + rule[axis].add
                                                : rule[axis].add;
        named.hi[axis] = rule[axis].axis == RTS_ALIGN_ANY ? space->hi[axis] : named.lo[axis] + 1;
    }
    example_first(&named, index);
    do {
        rts_index_t at[RTS_MAX_RANK] = {0};
        int rank = 0;
        for (int axis = 0; axis < space->rank; axis++)
            if (!is_buffer || rule[axis].axis != RTS_ALIGN_CONSTANT)
                at[rank++] = is_buffer && rule[axis].axis >= 0 ? i[rule[axis].axis] : index[axis];
        (void)example_holds(element(view, rank == 0 ? 1 : rank, at), view->bytes,
                            example_value(scene.remote->number, index, scene.remote == &source ? 3 : 4));
        scene.checked++;
    } while (place_next(&named, index));
}

static void write_shared(const view_t *view, const rts_index_t i[]) {
    rts_index_t index[RTS_MAX_RANK];
    for (rts_index_t k = 0; k < 3; k++) {
        image(scene.of_shared, scene.rank + 1, i, index);
        if (scene.of_shared[scene.rank].axis == RTS_ALIGN_ANY)
            index[scene.rank] = shared.array->space.lo[scene.rank] + k;
        *(int64_t *)element(view, scene.rank + 1, index) = shared_value(i);
    }
}

static void one_iteration(const view_t clauses[], bool are_buffers, const view_t *to_target,
                          const view_t *to_shared, const rts_index_t i[]) {
    rts_index_t index[RTS_MAX_RANK];
    for (int k = 0; k < scene.clause_count; k++)
        read_clause(&clauses[k], k, are_buffers, i);
    image(scene.map.rule, target_place.space.rank, i, index);
    if (scene.writes)
        ++*(int64_t *)element(to_target, target_place.space.rank, index);
    if (scene.shares)
        write_shared(to_shared, i);
}

static view_t view_of_header(const DvmType header[], int rank, size_t bytes) {
    char *const base = (char *)(intptr_t)header[rank + 2];
    return (view_t){base + (DvmType)bytes * header[rank + 1], header + 1, bytes};
}

static void query(const DvmType *loop) {
    DvmType lo[2] = {0, 0}, hi[2] = {0, 0}, step[2] = {1, 1}, header[CLAUSES + 2][64];
    view_t view[CLAUSES + 2];
    dvmh_loop_fill_bounds_C(*loop, lo, hi, step);
    for (int k = 0; k < scene.clause_count; k++) {
        dvmh_loop_get_remote_buf_C(*loop, k + 1, header[k]);
        view[k] = view_of_header(header[k], scene.loop->remote[k].buffer->space.rank,
                                 scene.remote->array->element.bytes);
    }
    rts_array_t *const written[] = {target.array, scene.shares ? shared.array : target.array};
    for (int k = 0; k < 2; k++) {
        rts_array_fill_header(written[k], &written[k]->home, written[k]->home.buffer, header[CLAUSES + k]);
        view[CLAUSES + k] = view_of_header(header[CLAUSES + k], written[k]->space.rank, sizeof(int64_t));
    }
    rts_index_t i[2];
    for (i[0] = lo[0]; step[0] > 0 ? i[0] <= hi[0] : i[0] >= hi[0]; i[0] += step[0])
        for (i[1] = lo[1]; step[1] > 0 ? i[1] <= hi[1] : i[1] >= hi[1]; i[1] += step[1])
            one_iteration(view, true, &view[CLAUSES], &view[CLAUSES + 1], i);
}

/* Uses: the clauses in order, among them the target, the consistent array and the source itself. */
static int use_of_target, use_of_shared, use_of_clause[CLAUSES];

static void record(const dvmhx_record_t *record) {
    view_t view[CLAUSES], to_target = {0}, to_shared = {0};
    rts_index_t n[2], i[2] = {0, 0};
    for (int k = 0; k < scene.clause_count; k++) {
        const dvmhx_array_t *array = &record->arrays[use_of_clause[k]];
        view[k] = (view_t){array->base, array->stride, scene.remote->array->element.bytes};
        CHECK_EQ_INT(array->rank, scene.remote->array->space.rank);
    }
    if (scene.writes)
        to_target = (view_t){record->arrays[use_of_target].base, record->arrays[use_of_target].stride,
                             sizeof(int64_t)};
    if (scene.shares)
        to_shared = (view_t){record->arrays[use_of_shared].base, record->arrays[use_of_shared].stride,
                             sizeof(int64_t)};
    for (n[0] = 0; n[0] < record->count[0]; n[0]++)
        for (n[1] = 0; n[1] < (scene.rank > 1 ? record->count[1] : 1); n[1]++) {
            for (int dim = 0; dim < scene.rank; dim++)
                i[dim] = record->start[dim] + n[dim] * record->step[dim];
            one_iteration(view, false, &to_target, &to_shared, i);
        }
}

static int add_use(rts_array_t *array, int intent, bool is_remote) {
    rts_loop_array_t use = {.array = array, .intent = intent, .is_remote = is_remote};
    for (int axis = 0; axis < RTS_MAX_RANK; axis++) {
        use.dim[axis] = -1;
        use.sign[axis] = 1;
    }
    CLUSTER_TRY(rts_loop_add_array(scene.loop, &use));
    return scene.loop->array_count - 1;
}

static void add_uses(void) {
    if (scene.writes && check_random_once_in(2))
        use_of_target = add_use(target.array, 3, false);
    else
        use_of_target = -1;
    for (int k = 0; k < scene.clause_count; k++) {
        if (k == 1 && scene.shows_source)
            (void)add_use(scene.remote->array, 1, false);
        use_of_clause[k] = add_use(scene.remote->array, 1, true);
    }
    if (scene.writes && use_of_target < 0)
        use_of_target = add_use(target.array, 3, false);
    if (scene.shares)
        use_of_shared = add_use(shared.array, 3, false);
}

static void open_region(bool is_record) {
    CLUSTER_TRY(rts_region_open(0, &scene.region));
    CLUSTER_TRY(rts_region_register(scene.region, target.array, 3, NULL));
    if (scene.shares)
        CLUSTER_TRY(rts_region_register(scene.region, shared.array, 3, NULL));
    if (scene.shows_source && is_record)
        CLUSTER_TRY(rts_region_register(scene.region, source.array, 1, NULL));
    CLUSTER_TRY(rts_region_execute(scene.region, DEVICE_TYPE_HOST | DEVICE_TYPE_CUDA));
}

static void run_loop(bool is_record, bool in_region) {
    rts_index_t end[2];
    rts_handler_t handler = {.device_type = DEVICE_TYPE_HOST,
                             .type = is_record ? RTS_HANDLER_RECORD : 0,
                             .function = is_record ? HANDLER(record) : HANDLER(query)};
    for (int dim = 0; dim < scene.rank; dim++)
        end[dim] = scene.start[dim] + (scene.count[dim] - 1) * scene.step[dim];
    if (in_region)
        open_region(is_record);
    else if (!is_record) /* the program keeps home current then */
        CLUSTER_TRY(rts_coherence_fetch(target.array, 0, NULL));
    if (!in_region && !is_record && scene.shares)
        CLUSTER_TRY(rts_coherence_fetch(shared.array, 0, NULL));
    CLUSTER_TRY(rts_loop_open(scene.rank, scene.start, end, scene.step, &scene.loop));
    scene.loop->region = in_region ? scene.region : NULL;
    CLUSTER_TRY(rts_loop_set_map(scene.loop, NULL, target.array, &scene.map));
    for (int k = 0; k < scene.clause_count; k++)
        CLUSTER_TRY(rts_loop_add_remote(scene.loop, scene.remote->array, scene.clause[k]));
    if (scene.shares)
        CLUSTER_TRY(rts_loop_add_consistent(scene.loop, shared.array, scene.of_shared));
    if (is_record)
        add_uses();
    CLUSTER_TRY(rts_loop_add_handler(scene.loop, &handler));
    CLUSTER_TRY(rts_exec_loop(scene.loop));
    if (!in_region && !is_record && scene.writes)
        CLUSTER_TRY(rts_coherence_written(target.array, 0, &target.array->local));
    if (!in_region && !is_record && scene.shares)
        CLUSTER_TRY(rts_coherence_written(shared.array, 0, NULL));
    if (in_region)
        CLUSTER_TRY(rts_region_close(scene.region));
}

/* Edges of the target are what they were: only what a process owns is looked at. */
static void check_target(void) {
    const rts_box_t *local = &target.array->local;
    rts_index_t index[RTS_MAX_RANK];
    CLUSTER_TRY(rts_coherence_fetch(target.array, 0, NULL));
    if (rts_box_is_empty(local))
        return;
    example_first(local, index);
    do
        CHECK_EQ_INT(*(int64_t *)rts_array_element(target.array, index), example_expected(&target, index));
    while (place_next(local, index));
}

static void test_loop(uint64_t *salt) {
    const bool is_record = check_random_once_in(2), in_region = check_random_once_in(2);
    const int before = atomic_load(&check_failures);
    memset(&scene, 0, sizeof scene);
    scene.writes = check_random_once_in(2);
    scene.shares = check_random_once_in(3);
    scene.shows_source = is_record && check_random_once_in(2);
    random_loop();
    scene.remote = scene.writes && check_random_once_in(3) ? &target : &source;
    scene.shows_source = scene.shows_source && scene.remote == &source;
    scene.clause_count = (int)check_random_range(scene.writes || scene.shares ? 0 : 1, CLAUSES);
    for (int k = 0; k < scene.clause_count; k++)
        random_clause(&scene.remote->array->space, scene.clause[k]);
    if (scene.shares)
        open_shared(salt);
    run_loop(is_record, in_region);
    expect();
    check_target();
    example_check(&source);
    if (scene.shares) {
        example_check(&shared);
        example_close(&shared);
    }
    all_checked += scene.checked;
    own_sources += scene.remote == &target && scene.checked > 0;
    empty_parts += scene.checked == 0 && scene.clause_count > 0;
    shown_copies += is_record && scene.checked > 0;
    if (atomic_load(&check_failures) != before)
        fprintf(stderr, "%s  record %d, region %d, writes %d, shares %d, of target %d, source shown %d\n",
                check_who, is_record, in_region, scene.writes, scene.shares, scene.remote == &target,
                scene.shows_source);
}

int main(int argc, char **argv) {
    uint64_t salt = 13;
    cluster_start(&argc, &argv);
    rts_planner_close();
    rts_planner_open(RTS_PLANNER_RANDOM, (uint64_t)rts_comm_rank() + 5, RTS_CHOICE_AUTO, false);
    for (int i = 0; i < ROUNDS; i++) {
        open_arrays(&salt);
        test_stand_alone();
        test_loop(&salt);
        example_close(&source);
        example_close(&target);
    }
    CHECK(rts_comm_size() > 2 || (all_checked > ROUNDS && own_sources > 5 && shown_copies > 5));
    CHECK(rts_comm_size() < 6 || empty_parts > 5);
    return cluster_finish();
}
