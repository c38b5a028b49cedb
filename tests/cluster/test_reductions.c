/* Reductions of loops over many processes: all operations, types and locations, several in one loop, with copies of iterations, processes
 * without any, and loops that every process runs whole; compared with arithmetic of its own. Values are such that the order of combining
 * does not matter. */
#include <config.h>

#include <complex.h>
#include <dvmhlib_const.h>
#include <dvmhx.h>

#include "rts/coherence.h"
#include "rts/exec.h"
#include "tests/cluster/cluster_check.h"
#include "tests/cluster/place_example.h"

enum { CASES = 200, MOST = 6, ELEMENTS = 3, BYTES = 16 * ELEMENTS };

typedef struct subject {
    int operation, type;
    rts_index_t count;
    rts_reduction_t reduction;
    rts_index_t location_words; /* of an element; the first is the number of the iteration, from 1 */
    _Alignas(16) char values[BYTES];
    _Alignas(16) char expected[BYTES];
    int64_t locations[2 * ELEMENTS], expected_locations[2 * ELEMENTS];
} subject_t;

static struct {
    int rank, subject_count;
    rts_index_t start[2], step[2], count[2];
    rts_index_t salt;
    subject_t subject[MOST];
} example;

/* ---- arithmetic ---- */

static const int types[] = {rt_CHAR,           rt_INT,   rt_LONG,  rt_FLOAT, rt_DOUBLE, rt_FLOAT_COMPLEX,
                            rt_DOUBLE_COMPLEX, rt_LLONG, rt_UCHAR, rt_UINT,  rt_ULONG,  rt_ULLONG,
                            rt_SHORT,          rt_USHORT};

static bool is_complex(int type) {
    return type == rt_FLOAT_COMPLEX || type == rt_DOUBLE_COMPLEX;
}

static bool is_real(int type) {
    return type == rt_FLOAT || type == rt_DOUBLE;
}

static bool is_loc(int operation) {
    return operation == rf_MAXLOC || operation == rf_MINLOC;
}

static int64_t combine_whole(int operation, int64_t a, int64_t b) {
    switch (operation) {
    case rf_SUM:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    case rf_PROD:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case rf_MAX:
    case rf_MAXLOC:
        return b > a ? b : a;
    case rf_MIN:
    case rf_MINLOC:
        return b < a ? b : a;
    case rf_AND:
        return a & b;
    case rf_OR:
        return a | b;
    case rf_XOR:
        return a ^ b;
    case rf_NE:
        return a != b;
    default:
        return a == b;
    }
}

/* Values stay small enough for every type to hold what is kept of them exactly; whole numbers wrap as those of C do. */
#define APPLY(type_code, c_type)                                                                             \
    case type_code:                                                                                          \
        ((c_type *)values)[element] =                                                                        \
            (c_type)combine_whole(operation, (int64_t)((c_type *)values)[element], value);                   \
        break;

static void apply(int operation, int type, void *values, rts_index_t element, int64_t value) {
    switch (type) {
        APPLY(rt_CHAR, char)
        APPLY(rt_INT, int)
        APPLY(rt_LONG, long)
        APPLY(rt_FLOAT, float)
        APPLY(rt_DOUBLE, double)
        APPLY(rt_LLONG, long long)
        APPLY(rt_UCHAR, unsigned char)
        APPLY(rt_UINT, unsigned)
        APPLY(rt_ULONG, unsigned long)
        APPLY(rt_ULLONG, unsigned long long)
        APPLY(rt_SHORT, short)
        APPLY(rt_USHORT, unsigned short)
    case rt_FLOAT_COMPLEX: {
        float complex *z = (float complex *)values + element;
        const float complex with = (float)value + (operation == rf_SUM ? 2.0f * (float)value * I : 0);
        *z = operation == rf_SUM ? *z + with : *z * with;
        break;
    }
    default: {
        double complex *z = (double complex *)values + element;
        const double complex with = (double)value + (operation == rf_SUM ? 2.0 * (double)value * I : 0);
        *z = operation == rf_SUM ? *z + with : *z * with;
        break;
    }
    }
}

static bool is_unsigned(int type) {
    return type == rt_UCHAR || type == rt_UINT || type == rt_ULONG || type == rt_ULLONG || type == rt_USHORT;
}

/* What iteration `number` (from 1; 0: the variable before the loop) brings to an element. */
static int64_t value_of(const subject_t *subject, rts_index_t number, rts_index_t element) {
    const rts_index_t mixed = (number * 7919 + element * 104729 + example.salt * 31) % 1009;
    switch (subject->operation) {
    case rf_SUM:
        return is_unsigned(subject->type) || subject->type == rt_CHAR ? mixed % 3 : mixed % 7 - 3;
    case rf_PROD:
        return mixed % 50 == 0 ? 2 : mixed % 3 == 0 && !is_unsigned(subject->type) ? -1 : 1;
    case rf_AND:
        return 127 - (mixed % 40 == 0 ? 1 << mixed % 7 : 0);
    case rf_OR:
        return mixed % 40 == 0 ? 1 << mixed % 7 : 0;
    case rf_XOR:
        return mixed % 128;
    case rf_EQU:
    case rf_NE:
    case rf_EQ:
        return mixed % 2;
    default:
        return mixed % 60 + (is_unsigned(subject->type) ? 0 : -30);
    }
}

/* One iteration. */
static void iterate(rts_index_t number, void *const values[], void *const locations[]) {
    for (int s = 0; s < example.subject_count; s++) {
        const subject_t *subject = &example.subject[s];
        for (rts_index_t element = 0; element < subject->count; element++) {
            char before[BYTES];
            memcpy(before, values[s], sizeof before);
            apply(subject->operation, subject->type, values[s], element, value_of(subject, number, element));
            if (subject->location_words > 0 && memcmp(before, values[s], sizeof before) != 0)
                for (rts_index_t word = 0; word < subject->location_words; word++)
                    ((int64_t *)locations[s])[element * subject->location_words + word] = number + word;
        }
    }
}

/* ---- handlers ---- */

static void run_box(const rts_index_t lo[], const rts_index_t hi[], void *const values[],
                    void *const locations[]) {
    for (rts_index_t i = lo[0]; i < hi[0]; i++)
        for (rts_index_t j = example.rank > 1 ? lo[1] : 0; j < (example.rank > 1 ? hi[1] : 1); j++)
            iterate(1 + i * (example.rank > 1 ? example.count[1] : 1) + j, values, locations);
}

static void record_handler(const dvmhx_record_t *record) {
    rts_index_t lo[2] = {0, 0}, hi[2] = {1, 1};
    for (DvmType dim = 0; dim < record->rank; dim++) {
        lo[dim] = (record->start[dim] - example.start[dim]) / example.step[dim];
        hi[dim] = lo[dim] + record->count[dim];
    }
    run_box(lo, hi, record->reductions, record->locations);
}

static void query_handler(const DvmType *reference) {
    const rts_exec_portion_t *portion = rts_exec_portion(*reference);
    _Alignas(16) char values[MOST][BYTES] = {{0}};
    int64_t locations[MOST][2 * ELEMENTS];
    void *value_place[MOST], *location_place[MOST];
    for (int s = 0; s < example.subject_count; s++) {
        value_place[s] = values[s];
        location_place[s] = locations[s];
        CLUSTER_TRY(rts_exec_reduction_start(portion, s, values[s], locations[s]));
    }
    run_box(portion->lo, portion->hi, value_place, location_place);
    for (int s = 0; s < example.subject_count; s++)
        CLUSTER_TRY(rts_exec_reduction_post(portion, s, values[s], locations[s]));
}

/* ---- cases ---- */

static void draw_subject(subject_t *subject) {
    memset(subject, 0, sizeof *subject);
    do {
        subject->operation = (int)check_random_range(rf_SUM, rf_MINLOC);
        subject->type = types[check_random_range(0, (int64_t)(sizeof types / sizeof types[0]) - 1)];
        subject->count = check_random_range(1, ELEMENTS);
        subject->location_words = is_loc(subject->operation) ? check_random_range(0, 2) : 0;
        if (is_complex(subject->type) && subject->operation > rf_PROD)
            continue;
        if (is_real(subject->type) &&
            (subject->operation == rf_AND || subject->operation == rf_OR || subject->operation == rf_XOR))
            continue;
        break;
    } while (true);
    CLUSTER_TRY(rts_reduction_init(subject->operation, subject->type, subject->count,
                                   subject->location_words * (DvmType)sizeof(int64_t), &subject->reduction));
    rts_reduction_start(&(rts_reduction_t){.operation = rf_SUM,
                                           .type = subject->type,
                                           .count = subject->count,
                                           .element_bytes = subject->reduction.element_bytes},
                        subject->values, NULL, NULL, NULL); /* zeros */
    for (rts_index_t element = 0; element < subject->count; element++)
        apply(rf_SUM, subject->type, subject->values, element, value_of(subject, 0, element));
    for (int word = 0; word < 2 * ELEMENTS; word++)
        subject->locations[word] = -word;
    memcpy(subject->expected, subject->values, sizeof subject->values);
    memcpy(subject->expected_locations, subject->locations, sizeof subject->locations);
}

static void expect(void) {
    void *values[MOST], *locations[MOST];
    const rts_index_t total = example.count[0] * (example.rank > 1 ? example.count[1] : 1);
    for (int s = 0; s < example.subject_count; s++) {
        values[s] = example.subject[s].expected;
        locations[s] = example.subject[s].expected_locations;
    }
    for (rts_index_t number = 1; number <= total; number++)
        iterate(number, values, locations);
}

/* The place of the best value: the first one where iterations are in the order of processes, else any. */
static void check_locations(const subject_t *subject, bool in_order) {
    const rts_index_t words = subject->location_words,
                      total = example.count[0] * (example.rank > 1 ? example.count[1] : 1);
    for (rts_index_t element = 0; element < subject->count && words > 0; element++) {
        const int64_t *found = &subject->locations[element * words],
                      *expected = &subject->expected_locations[element * words];
        if (in_order || expected[0] <= 0) {
            CHECK_EQ_INT(found[0], expected[0]);
        } else if (CHECK(found[0] >= 1 && found[0] <= total)) {
            CHECK_EQ_INT(value_of(subject, found[0], element), value_of(subject, expected[0], element));
        }
        if (words > 1)
            CHECK_EQ_INT(found[1] - found[0], expected[1] - expected[0]);
    }
}

/* Where the loop runs: a random place, on whose first axis, or first two, it is mapped. */
static rts_array_t *open_array(place_example_t *place) {
    const rts_index_t edges[RTS_MAX_RANK] = {0};
    rts_array_t *array;
    place->grid = rts_runtime()->grid;
    place->distribution.space = (rts_box_t){.rank = (int)check_random_range(1, 3)};
    for (int axis = 0; axis < place->distribution.space.rank; axis++)
        place->distribution.space.hi[axis] = check_random_range(1, axis == 0 ? 25 : 9);
    place_random_rules(place);
    CLUSTER_TRY(rts_array_create(&place->distribution.space,
                                 (rts_element_t){.code = rt_INT, .bytes = sizeof(int)}, edges, edges, true,
                                 &array));
    CLUSTER_TRY(rts_array_distribute(array, place->distribution.rule, &rts_runtime()->grid));
    return array;
}

static rts_alignment_t draw_loop(const rts_array_t *array) {
    rts_alignment_t map = {.rank = array->space.rank};
    example.rank = (int)check_random_range(1, rts_min(2, map.rank));
    for (int axis = 0; axis < map.rank; axis++) {
        const rts_index_t extent = array->space.hi[axis];
        map.rule[axis] =
            check_random_once_in(2)
                ? (rts_align_rule_t){.axis = RTS_ALIGN_ANY}
                : (rts_align_rule_t){.axis = RTS_ALIGN_CONSTANT, .add = check_random_range(0, extent - 1)};
        if (axis >= example.rank)
            continue;
        const bool back = check_random_once_in(3);
        map.rule[axis] =
            (rts_align_rule_t){.axis = axis, .mult = back ? -1 : 1, .add = back ? extent + 1 : -2};
        example.step[axis] = check_random_once_in(4) ? 2 : 1;
        example.start[axis] = 2;
        example.count[axis] = check_random_once_in(12) ? 0 : (extent - 1) / example.step[axis] + 1;
    }
    return map;
}

static void run_case(void) {
    static place_example_t place;
    rts_index_t end[2];
    rts_loop_t *loop;
    memset(&example, 0, sizeof example);
    rts_array_t *array = open_array(&place);
    const rts_alignment_t map = draw_loop(array);
    example.salt = check_random_range(1, 1000);
    example.subject_count = (int)check_random_range(1, MOST);
    for (int s = 0; s < example.subject_count; s++)
        draw_subject(&example.subject[s]);
    expect();
    for (int dim = 0; dim < example.rank; dim++)
        end[dim] = example.start[dim] + (example.count[dim] - 1) * example.step[dim];
    CLUSTER_TRY(rts_loop_open(example.rank, example.start, end, example.step, &loop));
    const bool is_mapped = !check_random_once_in(8);
    if (is_mapped)
        CLUSTER_TRY(rts_loop_set_map(loop, NULL, array, &map));
    for (int s = 0; s < example.subject_count; s++) {
        subject_t *subject = &example.subject[s];
        CLUSTER_TRY(rts_loop_add_reduction(loop, &subject->reduction, subject->values, subject->locations));
    }
    const bool is_query = check_random_once_in(2);
    rts_handler_t handler = {.device_type = DEVICE_TYPE_HOST, .type = is_query ? 0 : RTS_HANDLER_RECORD};
    handler.function = is_query ? (DvmHandlerFunc)(void (*)(void))query_handler
                                : (DvmHandlerFunc)(void (*)(void))record_handler;
    CLUSTER_TRY(rts_loop_add_handler(loop, &handler));
    CLUSTER_TRY(rts_exec_loop(loop));
    const bool in_order =
        !is_mapped || (rts_runtime()->grid.rank <= 1 && example.rank == 1 && map.rule[0].mult > 0);
    for (int s = 0; s < example.subject_count; s++) {
        subject_t *subject = &example.subject[s];
        if (!CHECK(memcmp(subject->values, subject->expected,
                          (size_t)subject->count * subject->reduction.element_bytes) == 0))
            fprintf(stderr, "operation %d of type %d, %lld elements\n", subject->operation, subject->type,
                    (long long)subject->count);
        check_locations(subject, in_order);
    }
    rts_array_destroy(array);
}

int main(int argc, char **argv) {
    cluster_start(&argc, &argv);
    for (int number = 0; number < CASES; number++)
        run_case();
    return cluster_finish();
}
