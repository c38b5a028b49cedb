/* Copies between sections of arrays in random places on random grids, against a model of both arrays that every process has whole: sections
 * with steps of both signs, extents of 1, sections of one array that overlap, variables on either side; edges too; fills. Newest values lie
 * anywhere, differently in every process. */
#include <config.h>

#include "rts/section.h"

#include "tests/cluster/array_example.h"

enum { ROUNDS = 400, WIDEST = 2 };

/* An array or a variable, with the values that all processes together have: copies along free axes are equal here. */
typedef struct side {
    array_example_t example;
    place_example_t place;
    _Alignas(16) char memory[EXAMPLE_LARGEST * SIZED_LARGEST]; /* of a variable */
} side_t;

static side_t sides[2];
static int between, with_steps;

static int64_t random_value(void) {
    return check_random_range(1, 1000000000);
}

/* Whether all of a section with these counts fits into extents up to 12. */
static void random_counts(rts_index_t count[3], int *axes) {
    *axes = (int)check_random_range(0, 3);
    for (int axis = 0; axis < *axes; axis++)
        count[axis] = check_random_range(1, 6);
}

/* A section with these counts, with extents of 1 thrown in, and the space around it. */
static void random_section(const rts_index_t count[], int axes, rts_section_t *section, rts_box_t *space) {
    int next = 0;
    *section = (rts_section_t){.rank = 0};
    while (next < axes || section->rank == 0 || (section->rank < 3 && check_random_once_in(3))) {
        const int axis = section->rank++;
        const bool is_one = next == axes || (3 - section->rank >= axes - next && check_random_once_in(4));
        section->count[axis] = is_one ? 1 : count[next++];
        section->step[axis] = check_random_range(1, 2) * (check_random_once_in(3) ? -1 : 1);
        const rts_index_t span = (section->count[axis] - 1) * section->step[axis];
        space->lo[axis] = check_random_range(-3, 3);
        section->start[axis] = space->lo[axis] + check_random_range(0, 2) - rts_min(span, 0);
        space->hi[axis] =
            rts_max(section->start[axis], section->start[axis] + span) + 1 + check_random_range(0, 2);
    }
    space->rank = section->rank;
}

static void open_distributed(side_t *side, int number, const rts_box_t *space, size_t bytes) {
    rts_index_t low[RTS_MAX_RANK] = {0}, high[RTS_MAX_RANK] = {0};
    side->place.grid = rts_runtime()->grid;
    side->place.space = *space;
    place_random_target(&side->place);
    for (int axis = 0; axis < space->rank; axis++) {
        low[axis] = check_random_range(0, WIDEST);
        high[axis] = check_random_range(0, WIDEST);
    }
    example_open_sized(&side->example, number, &side->place, low, high, bytes);
}

/* Extents of variables begin at 0. */
static void open_variable(side_t *side, int number, rts_box_t *space, rts_section_t *section, size_t bytes) {
    rts_index_t extent[RTS_MAX_RANK];
    for (int axis = 0; axis < space->rank; axis++) {
        section->start[axis] -= space->lo[axis];
        extent[axis] = space->hi[axis] -= space->lo[axis];
        space->lo[axis] = 0;
    }
    side->example.number = number;
    side->place.space = *space;
    CLUSTER_TRY(rts_array_create_variable(space->rank, extent, sized_type(bytes), side->memory,
                                          &side->example.array));
}

/* Random values in the model and in all that is held. */
static void fill(side_t *side, uint64_t *salt) {
    rts_array_t *array = side->example.array;
    const rts_index_t size = rts_box_size(&array->space);
    rts_index_t index[RTS_MAX_RANK];
    for (rts_index_t i = 0; i < size; i++)
        side->example.model[i] = random_value();
    if (rts_box_is_empty(&array->held))
        return;
    example_first(&array->held, index);
    do
        example_store(rts_array_element(array, index), array->element.bytes,
                      example_expected(&side->example, index));
    while (place_next(&array->held, index));
    CLUSTER_TRY(rts_coherence_written(array, 0, NULL));
    example_scatter(&side->example, salt);
}

static size_t size_of(const rts_section_t *section) {
    size_t size = 1;
    for (int axis = 0; axis < section->rank; axis++)
        size *= (size_t)section->count[axis];
    return size;
}

/* Element n of a section. */
static int64_t *nth(array_example_t *example, const rts_section_t *section, size_t n) {
    rts_index_t index[RTS_MAX_RANK] = {0};
    for (int axis = section->rank - 1; axis >= 0; axis--) {
        const size_t extent = (size_t)section->count[axis];
        index[axis] = section->start[axis] + (rts_index_t)(n % extent) * section->step[axis];
        n /= extent;
    }
    return &example->model[example_place(example, index)];
}

static void expect(array_example_t *source, const rts_section_t *from, array_example_t *target,
                   const rts_section_t *to) {
    static int64_t values[EXAMPLE_LARGEST];
    for (size_t n = 0; n < size_of(from); n++)
        values[n] = *nth(source, from, n);
    for (size_t n = 0; n < size_of(from); n++)
        *nth(target, to, n) = values[n];
}

static void close_side(side_t *side) {
    example_close(&side->example);
}

static void test_two(uint64_t *salt) {
    rts_index_t count[3];
    int axes;
    rts_section_t section[2];
    rts_box_t space[2];
    const size_t bytes = sized_random();
    random_counts(count, &axes);
    for (int i = 0; i < 2; i++) {
        random_section(count, axes, &section[i], &space[i]);
        if (check_random_once_in(5))
            open_variable(&sides[i], i, &space[i], &section[i], bytes);
        else
            open_distributed(&sides[i], i, &space[i], bytes);
        fill(&sides[i], salt);
        for (int axis = 0; axis < section[i].rank; axis++)
            with_steps += section[i].count[axis] > 1 && section[i].step[axis] != 1;
    }
    expect(&sides[0].example, &section[0], &sides[1].example, &section[1]);
    CLUSTER_TRY(rts_section_copy(sides[0].example.array, &section[0], sides[1].example.array, &section[1]));
    example_check(&sides[0].example);
    example_check(&sides[1].example);
    between += !rts_box_is_empty(&sides[1].example.array->local) &&
               !rts_box_contains(&sides[0].example.array->held, &sides[0].example.array->space);
    close_side(&sides[0]);
    close_side(&sides[1]);
}

/* Two sections of one array. */
static void test_one(uint64_t *salt) {
    rts_index_t count[3];
    int axes;
    rts_section_t from, to;
    rts_box_t space;
    random_counts(count, &axes);
    random_section(count, axes, &from, &space);
    to = from;
    for (int axis = 0; axis < to.rank; axis++) {
        const rts_index_t span = to.count[axis] - 1, extent = space.hi[axis] - space.lo[axis];
        to.step[axis] = span > 0 && extent > 2 * span && check_random_once_in(2) ? 2 : 1;
        const rts_index_t room = extent - span * to.step[axis];
        to.start[axis] = space.lo[axis] + check_random_range(0, room - 1);
        if (check_random_once_in(3)) {
            to.start[axis] += span * to.step[axis];
            to.step[axis] = -to.step[axis];
        }
    }
    open_distributed(&sides[0], 0, &space, sized_random());
    fill(&sides[0], salt);
    expect(&sides[0].example, &from, &sides[0].example, &to);
    CLUSTER_TRY(rts_section_copy(sides[0].example.array, &from, sides[0].example.array, &to));
    example_check(&sides[0].example);
    close_side(&sides[0]);
}

/* Of a variable every process reads its own values. */
static void test_own_values(void) {
    static int64_t memory[7];
    const rts_box_t space = {.rank = 1, .lo = {-2}, .hi = {5}};
    const rts_index_t extent[] = {7};
    rts_element_t element;
    rts_array_t *variable;
    CLUSTER_TRY(rts_element_decode(-rt_LLONG, &element));
    CLUSTER_TRY(rts_array_create_variable(1, extent, element, memory, &variable));
    open_distributed(&sides[0], 0, &space, sizeof(int64_t));
    rts_array_t *array = sides[0].example.array;
    for (int i = 0; i < 7; i++)
        memory[i] = 100 * rts_comm_rank() + i;
    rts_section_t from = rts_section_whole(variable), to = rts_section_whole(array);
    CLUSTER_TRY(rts_section_copy(variable, &from, array, &to));
    for (rts_index_t i = array->held.lo[0]; i < array->held.hi[0]; i++)
        CHECK_EQ_INT(*(int64_t *)rts_array_element(array, &i), 100 * rts_comm_rank() + i + 2);
    rts_array_destroy(variable);
    close_side(&sides[0]);
}

static void test_fill(uint64_t *salt) {
    rts_index_t count[3];
    int axes;
    rts_section_t section;
    rts_box_t space;
    random_counts(count, &axes);
    random_section(count, axes, &section, &space);
    open_distributed(&sides[0], 0, &space, sized_random());
    fill(&sides[0], salt);
    const int64_t value = random_value();
    char element[SIZED_LARGEST];
    example_store(element, sides[0].example.array->element.bytes, value);
    CLUSTER_TRY(rts_section_fill(sides[0].example.array, element));
    for (rts_index_t i = 0; i < rts_box_size(&space); i++)
        sides[0].example.model[i] = value;
    example_check(&sides[0].example);
    close_side(&sides[0]);
}

int main(int argc, char **argv) {
    uint64_t salt = 11;
    cluster_start(&argc, &argv);
    for (int i = 0; i < ROUNDS; i++) {
        test_two(&salt);
        test_one(&salt);
        if (i % 10 == 0) {
            test_own_values();
            test_fill(&salt);
        }
    }
    CHECK(with_steps > ROUNDS / 4);
    CHECK(rts_comm_size() < 4 || between > ROUNDS / 8);
    return cluster_finish();
}
