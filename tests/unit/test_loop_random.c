/* Random loops against the sequential loop, bit for bit: shapes, directions, steps, dependences, ways to tell the runtime
 * of them, kinds of handlers. Each configuration of the environment is a process of its own and runs the same cases.
 * A case that fails prints how to run it alone: CHECK_SEED, LOOP_CONFIG (number), LOOP_CASE (number). */
#include <config.h>

#include <dvmhx_run.h>

#include "tests/abi/child.h"
#include "tests/unit/loop_example.h"

enum { CASES = 200 };

/* By way of a type that compilers do not warn about. */
#define HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

/* ---- the body and the ways to run it ---- */

/* Element of an array = base + sum over dims of walk * variable. */
typedef struct context {
    const example_t *example;
    element_t *target;
    const element_t *source; /* the target itself, or another array for independent loops */
    DvmType walk[RANKS], source_walk[RANKS];
    DvmType distance[MAX_OFFSETS];
    const dvmhx_array_t *target_array, *source_array;
    element_t *row; /* by rows: elements of a front, at multiplier * variable + addend */
    const element_t *source_row[MAX_OFFSETS];
    DvmType row_mult, row_add;
} context_t;

static inline void update(const context_t *c, DvmType at, DvmType source_at) {
    element_t *x = c->target + at;
    const element_t *y = c->source + source_at, *w = c->example->weight;
    const int count = c->example->offset_count;
    if (c->example->is_integer) {
        uint64_t sum = w[0].integer * x->integer;
        for (int k = 0; k < count; k++)
            sum += w[k + 1].integer * y[c->distance[k]].integer;
        x->integer = sum;
    } else {
        double sum = w[0].real * x->real;
        for (int k = 0; k < count; k++)
            sum += w[k + 1].real * y[c->distance[k]].real;
        x->real = sum;
    }
}

/* By rows. Target and source have the same ties, so that index[q] is the same in both. */
static inline void find_rows(context_t *c, const DvmType variable[]) {
    const example_t *e = c->example;
    const dvmhx_array_t *source = c->source_array;
    DvmType index[RANKS];
    for (int axis = 0; axis < e->array_rank; axis++) {
        const int dim = e->dim_of_axis[axis];
        index[axis] = e->add[axis] + (dim < 0 ? 0 : e->mult[dim] * variable[dim]);
    }
    const dvmhx_rows_t rows = dvmhx_rows_at(c->target_array, index);
    const dvmhx_rows_t source_rows = dvmhx_rows_at(source, index);
    c->row = dvmhx_row(&rows, 0, 0);
    for (int k = 0; k < e->offset_count; k++) {
        const element_t *row = dvmhx_row(&source_rows, e->offset[k][source->p], e->offset[k][source->q]);
        for (int axis = 0; axis < e->array_rank; axis++)
            if (axis != source->p && axis != source->q)
                row += e->offset[k][axis] * source->stride[axis];
        c->source_row[k] = row;
    }
    c->row_mult = e->mult[e->rank - 2];
    c->row_add = e->add[source->q];
}

static inline void update_in_row(const context_t *c, DvmType variable) {
    const DvmType at = c->row_mult * variable + c->row_add;
    element_t *x = c->row + at;
    const element_t *w = c->example->weight;
    const int count = c->example->offset_count;
    if (c->example->is_integer) {
        uint64_t sum = w[0].integer * x->integer;
        for (int k = 0; k < count; k++)
            sum += w[k + 1].integer * c->source_row[k][at].integer;
        x->integer = sum;
    } else {
        double sum = w[0].real * x->real;
        for (int k = 0; k < count; k++)
            sum += w[k + 1].real * c->source_row[k][at].real;
        x->real = sum;
    }
}

static inline void rows2(context_t *c, DvmType i, DvmType j) {
    find_rows(c, (const DvmType[]){i, j});
}
static inline void rows3(context_t *c, DvmType i, DvmType j, DvmType k) {
    find_rows(c, (const DvmType[]){i, j, k});
}
static inline void rows4(context_t *c, DvmType i, DvmType j, DvmType k, DvmType l) {
    find_rows(c, (const DvmType[]){i, j, k, l});
}
static inline void row_body2(context_t *c, DvmType i, DvmType j) {
    (void)j;
    update_in_row(c, i);
}
static inline void row_body3(context_t *c, DvmType i, DvmType j, DvmType k) {
    (void)i;
    (void)k;
    update_in_row(c, j);
}
static inline void row_body4(context_t *c, DvmType i, DvmType j, DvmType k, DvmType l) {
    (void)i;
    (void)j;
    (void)l;
    update_in_row(c, k);
}

static inline void body1(context_t *c, DvmType i) {
    update(c, i * c->walk[0], i * c->source_walk[0]);
}
static inline void body2(context_t *c, DvmType i, DvmType j) {
    update(c, i * c->walk[0] + j * c->walk[1], i * c->source_walk[0] + j * c->source_walk[1]);
}
static inline void body3(context_t *c, DvmType i, DvmType j, DvmType k) {
    update(c, i * c->walk[0] + j * c->walk[1] + k * c->walk[2],
           i * c->source_walk[0] + j * c->source_walk[1] + k * c->source_walk[2]);
}
static inline void body4(context_t *c, DvmType i, DvmType j, DvmType k, DvmType l) {
    update(c, i * c->walk[0] + j * c->walk[1] + k * c->walk[2] + l * c->walk[3],
           i * c->source_walk[0] + j * c->source_walk[1] + k * c->source_walk[2] + l * c->source_walk[3]);
}
static inline void body5(context_t *c, DvmType i, DvmType j, DvmType k, DvmType l, DvmType m) {
    update(c, i * c->walk[0] + j * c->walk[1] + k * c->walk[2] + l * c->walk[3] + m * c->walk[4],
           i * c->source_walk[0] + j * c->source_walk[1] + k * c->source_walk[2] + l * c->source_walk[3] +
               m * c->source_walk[4]);
}

#define DVMHX_NAME    run1
#define DVMHX_RANK    1
#define DVMHX_CONTEXT context_t
#define DVMHX_BODY    body1
#include <dvmhx_run.h>
#define DVMHX_NAME      run2
#define DVMHX_RANK      2
#define DVMHX_CONTEXT   context_t
#define DVMHX_BODY      body2
#define DVMHX_ROW_BEGIN rows2
#define DVMHX_ROW_BODY  row_body2
#include <dvmhx_run.h>
#define DVMHX_NAME      run2_free
#define DVMHX_RANK      2
#define DVMHX_CONTEXT   context_t
#define DVMHX_BODY      body2
#define DVMHX_ROW_BEGIN rows2
#define DVMHX_ROW_BODY  row_body2
#define DVMHX_INDEPENDENT
#include <dvmhx_run.h>
#define DVMHX_NAME      run3
#define DVMHX_RANK      3
#define DVMHX_CONTEXT   context_t
#define DVMHX_BODY      body3
#define DVMHX_ROW_BEGIN rows3
#define DVMHX_ROW_BODY  row_body3
#define DVMHX_JAM_ROWS  4
#include <dvmhx_run.h>
#define DVMHX_NAME      run4
#define DVMHX_RANK      4
#define DVMHX_CONTEXT   context_t
#define DVMHX_BODY      body4
#define DVMHX_ROW_BEGIN rows4
#define DVMHX_ROW_BODY  row_body4
#define DVMHX_JAM_ROWS  3
#include <dvmhx_run.h>
#define DVMHX_NAME     run5
#define DVMHX_RANK     5
#define DVMHX_CONTEXT  context_t
#define DVMHX_BODY     body5
#define DVMHX_JAM_ROWS 1
#include <dvmhx_run.h>

/* ---- handlers ---- */

static void set_source(context_t *c, const element_t *base, const DvmType stride[]) {
    c->source = base;
    for (int axis = 0; axis < c->example->array_rank; axis++) {
        const int dim = c->example->dim_of_axis[axis];
        c->source += c->example->add[axis] * stride[axis];
        if (dim >= 0)
            c->source_walk[dim] = c->example->mult[dim] * stride[axis];
    }
    for (int k = 0; k < c->example->offset_count; k++) {
        c->distance[k] = 0;
        for (int axis = 0; axis < c->example->array_rank; axis++)
            c->distance[k] += c->example->offset[k][axis] * stride[axis];
    }
}

static void set_target(context_t *c, element_t *base, const DvmType stride[]) {
    c->target = base;
    for (int axis = 0; axis < c->example->array_rank; axis++) {
        const int dim = c->example->dim_of_axis[axis];
        c->target += c->example->add[axis] * stride[axis];
        if (dim >= 0)
            c->walk[dim] = c->example->mult[dim] * stride[axis];
    }
}

/* Bits of the dims that carry a dependence between iterations that exist. */
static DvmType expected_carried(const example_t *example) {
    DvmType mask = 0;
    for (int dim = 0; dim < example->rank && !example->has_vectors; dim++) {
        const int axis = example->axis_of_dim[dim];
        if (example->low[axis] + example->high[axis] > 0 && example->count[dim] > 1)
            mask |= (DvmType)1 << (example->rank - 1 - dim);
    }
    for (int i = 0; i < example->vector_count; i++) {
        int lead = example->rank;
        bool reaches = true;
        for (int dim = example->rank - 1; dim >= 0; dim--) {
            const DvmType v = example->vector[i][dim];
            lead = v != 0 ? dim : lead;
            reaches = reaches && v < example->count[dim] && -v < example->count[dim];
        }
        mask |= reaches ? (DvmType)1 << (example->rank - 1 - lead) : 0;
    }
    return mask;
}

static void record_handler(const dvmhx_record_t *record, const example_t *example) {
    context_t c = {.example = example};
    const dvmhx_array_t *source = &record->arrays[record->array_count - 1];
    CHECK(record->rank == example->rank && record->thread >= 0 && record->thread < record->thread_count);
    CHECK_EQ_INT(record->dependent, expected_carried(example));
    c.target_array = &record->arrays[0];
    c.source_array = source;
    if (!record->by_rows) { /* arrays in rows only have neither base nor strides */
        set_target(&c, record->arrays[0].base, record->arrays[0].stride);
        set_source(&c, source->base, source->stride);
    }
    switch (example->rank) {
    case 1:
        DVMHX_SPECIALISE(c.walk[0], run1_run(record, &c));
        break;
    case 2:
        if (example->is_independent)
            run2_free_run(record, &c);
        else
            run2_run(record, &c);
        break;
    case 3:
        run3_run(record, &c);
        break;
    case 4:
        run4_run(record, &c);
        break;
    default:
        run5_run(record, &c);
    }
}

/* The mask that a query handler must see: dims along which the program gave widths or vectors. */
static DvmType expected_mask(const example_t *example) {
    DvmType mask = 0;
    for (int dim = 0; dim < example->rank; dim++) {
        const int axis = example->axis_of_dim[dim];
        bool dependent = example->low[axis] > 0 || example->high[axis] > 0;
        for (int i = 0; i < example->vector_count; i++)
            dependent = dependent || example->vector[i][dim] != 0;
        mask |= dependent ? (DvmType)1 << (example->rank - 1 - dim) : 0;
    }
    return mask;
}

static void query_handler(const DvmType *loop, DvmType a[], DvmType b[], const example_t *example) {
    context_t c = {.example = example};
    DvmType low[RANKS], high[RANKS], step[RANKS], i[RANKS];
    const DvmType device = dvmh_loop_get_device_num_C(*loop);
    CHECK(device == 0 && dvmh_loop_get_slot_count_C(*loop) == 1);
    CHECK_EQ_INT(dvmh_loop_get_dependency_mask_C(*loop), expected_mask(example));
    set_target(&c, dvmh_get_natural_base_C(device, a), a + 1);
    set_source(&c, dvmh_get_natural_base_C(device, b), b + 1);
    dvmh_loop_fill_bounds_C(*loop, low, high, step);
    memcpy(i, low, sizeof i);
    for (int dim = 0; dim >= 0;) {
        DvmType at = 0, source_at = 0;
        for (dim = 0; dim < example->rank; dim++) {
            at += i[dim] * c.walk[dim];
            source_at += i[dim] * c.source_walk[dim];
        }
        update(&c, at, source_at);
        for (dim = example->rank - 1; dim >= 0; dim--) {
            i[dim] += step[dim];
            if (step[dim] > 0 ? i[dim] <= high[dim] : i[dim] >= high[dim])
                break;
            i[dim] = low[dim];
        }
    }
}

/* ---- one case through the runtime ---- */

#define FIVE(list) (list)[0], (list)[1], (list)[2], (list)[3], (list)[4]
#define TEN(one, two)                                                                                        \
    (one)[0], (two)[0], (one)[1], (two)[1], (one)[2], (two)[2], (one)[3], (two)[3], (one)[4], (two)[4]

static DvmType A[64], B[64];
static element_t expected[MAX_SIZE], other[MAX_SIZE];

static void make_arrays(const example_t *e, DvmType elements) {
    const DvmType type = e->is_integer ? -rt_ULLONG : -rt_DOUBLE, shadow[RANKS] = {0, 1, 0, 2, 1};
    dvmh_array_create_C(A, e->array_rank, type, e->size[0], shadow[0], shadow[1], e->size[1], shadow[1],
                        shadow[2], e->size[2], shadow[2], shadow[3], e->size[3], shadow[3], shadow[4],
                        e->size[4], shadow[4], shadow[0]);
    dvmh_distribute_C(A, e->array_rank, dvmh_distribution_block_C(1), dvmh_distribution_replicated_(),
                      dvmh_distribution_block_C(2), dvmh_distribution_replicated_(),
                      dvmh_distribution_block_C(3));
    dvmh_array_create_C(B, e->array_rank, type, e->size[0], shadow[1], shadow[0], e->size[1], shadow[0],
                        shadow[1], e->size[2], shadow[0], shadow[1], e->size[3], shadow[0], shadow[1],
                        e->size[4], shadow[0], shadow[1]);
    dvmh_align_C(B, A, e->array_rank, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0),
                 dvmh_alignment_linear_C(3, 1, 0), dvmh_alignment_linear_C(4, 1, 0),
                 dvmh_alignment_linear_C(5, 1, 0));
    for (DvmType i = 0; i < elements; i++)
        if (e->is_integer) {
            expected[i].integer = check_random_u64();
            other[i].integer = check_random_u64();
        } else {
            expected[i].real = (double)check_random_range(-1000, 1000) / 7;
            other[i].real = (double)check_random_range(-1000, 1000) / 7;
        }
    memcpy(dvmh_get_natural_base_C(0, A), expected, (size_t)elements * sizeof(element_t));
    memcpy(dvmh_get_natural_base_C(0, B), other, (size_t)elements * sizeof(element_t));
}

static void tell_array(const example_t *e, DvmType loop, const DvmType header[], DvmType intent) {
    DvmType dim[RANKS], mult[RANKS];
    for (int axis = 0; axis < e->array_rank; axis++) {
        dim[axis] = e->dim_of_axis[axis] + 1;
        mult[axis] = e->dim_of_axis[axis] >= 0 ? e->mult[e->dim_of_axis[axis]] : 0;
    }
    const dvmhx_reference_t reference = {.is_write = (intent & INTENT_OUT) != 0,
                                         .dim = dim,
                                         .mult = mult,
                                         .add = e->add};
    const dvmhx_array_use_t use = {.size = sizeof use,
                                   .header = header,
                                   .rank = e->array_rank,
                                   .intent = intent,
                                   .reference_count = e->has_reference,
                                   .references = e->has_reference ? &reference : NULL,
                                   .flags = e->by_rows ? DVMHX_BY_ROWS : 0};
    dvmhx_loop_array_C(loop, &use);
}

static DvmType map_rule(const example_t *e, int axis) {
    const int dim = axis < e->array_rank ? e->dim_of_axis[axis] : -1;
    return dvmh_alignment_linear_C(dim + 1, dim >= 0 ? e->mult[dim] : 0, e->add[axis]);
}

static void tell_clauses(const example_t *e, DvmType loop) {
    DvmType tie[RANKS] = {0};
    for (int dim = 0; dim < e->rank; dim++)
        tie[e->axis_of_dim[dim]] = e->mult[dim] * (dim + 1);
    if (e->has_map)
        dvmh_loop_map_C(loop, A, e->array_rank, map_rule(e, 0), map_rule(e, 1), map_rule(e, 2),
                        map_rule(e, 3), map_rule(e, 4));
    if (e->has_tie)
        dvmh_loop_array_correspondence_C(loop, A, e->array_rank, FIVE(tie));
    if (e->has_vectors) {
        DvmType packed[4 * RANKS];
        for (int i = 0; i < e->vector_count; i++)
            memcpy(packed + i * e->rank, e->vector[i], (size_t)e->rank * sizeof packed[0]);
        dvmhx_loop_dependences_C(loop, e->vector_count, packed);
    } else if (!e->is_independent) {
        dvmh_loop_across_C(loop, 0, A, e->array_rank, TEN(e->low, e->high));
    }
}

static void run_loop(const example_t *e) {
    DvmType end[RANKS], region = 0;
    for (int dim = 0; dim < RANKS; dim++)
        end[dim] = e->start[dim] + e->step[dim] * (e->count[dim] - 1);
    if (e->in_region) {
        region = dvmh_region_create_C(0);
        dvmh_region_register_array_C(region, INTENT_INOUT, A, "A");
        dvmh_region_register_array_C(region, INTENT_IN, B, "B");
        dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST);
    }
    const DvmType loop = dvmh_loop_create_C(region, e->rank, e->start[0], end[0], e->step[0], e->start[1],
                                            end[1], e->step[1], e->start[2], end[2], e->step[2], e->start[3],
                                            end[3], e->step[3], e->start[4], end[4], e->step[4]);
    if (!e->is_query) { /* in either order with the other clauses */
        tell_array(e, loop, A, INTENT_INOUT);
        if (e->is_independent)
            tell_array(e, loop, B, INTENT_IN);
    }
    tell_clauses(e, loop);
    if (e->is_query)
        dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, e->is_master ? HANDLER_TYPE_MASTER : 0,
                                     dvmh_handler_func_C(HANDLER(query_handler), 3, (void *)A,
                                                         e->is_independent ? (void *)B : (void *)A,
                                                         (const void *)e));
    else
        dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                     dvmh_handler_func_C(HANDLER(record_handler), 1, (const void *)e));
    dvmh_loop_perform_C(loop);
    if (e->in_region)
        dvmh_region_end_C(region);
}

/* Rest of the run goes on after a difference: it has been counted. */
static bool check_elements(const example_t *e, DvmType elements) {
    dvmh_get_actual_array2_(A);
    const element_t *found = dvmh_get_natural_base_C(0, A);
    for (DvmType i = 0; i < elements; i++)
        if (found[i].integer != expected[i].integer) {
            CHECK(found[i].integer == expected[i].integer);
            fprintf(stderr, "  element %ld is %.17g (%016" PRIx64 "), must be %.17g (%016" PRIx64 ")\n",
                    (long)i, found[i].real, found[i].integer, expected[i].real, expected[i].integer);
            return false;
        }
    (void)e;
    return true;
}

static void run_case(const example_t *e) {
    DvmType elements = 1;
    for (int axis = 0; axis < e->array_rank; axis++)
        elements *= e->size[axis];
    make_arrays(e, elements);
    const bool check_often = check_random_once_in(3);
    bool good = true;
    for (int i = 0; i < e->repeats && good; i++) {
        run_loop(e);
        run_reference(e, expected, other);
        if (check_often || i == e->repeats - 1)
            good = check_elements(e, elements);
    }
    if (!good)
        print_example(e);
    dvmh_delete_object_(B);
    dvmh_delete_object_(A);
}

/* ---- configurations ---- */

typedef struct config {
    char threads[8], planner[24];
    const char *strategy, *devices, *schedule;
} config_t;

static config_t config[64];
static int config_count, config_number;
static uint64_t seed;

static void add_config(int threads, const char *strategy, int random, const char *devices,
                       const char *schedule) {
    config_t *added = &config[config_count++];
    snprintf(added->threads, sizeof added->threads, "%d", threads);
    snprintf(added->planner, sizeof added->planner, random > 0 ? "random:%d" : "off", random);
    added->strategy = strategy;
    added->devices = devices;
    added->schedule = schedule;
}

static void add_all_configs(void) {
    static const char *const strategy[] = {"auto", "lexicographic", "jam", "front", "tile"};
    for (int threads = 1; threads <= 4; threads++)
        for (int i = 0; i < 5; i++)
            add_config(threads, strategy[i], 0, "0", "static");
    for (int random = 1; random <= 8; random++)
        add_config(1 + random % 4, "auto", random, "0", random % 3 == 0 ? "dynamic" : "static");
    add_config(3, "auto", 0, "0", "dynamic");
    add_config(2, "auto", 0, "1", "static");
    add_config(3, "tile", 0, "1", "static");
    add_config(4, "front", 0, "2", "dynamic");
    for (int random = 9; random <= 12; random++)
        add_config(random - 8, "auto", random, "1", random % 2 == 0 ? "dynamic" : "static");
}

static void run_child(void) {
    const config_t *c = &config[config_number];
    const char *only = getenv("LOOP_CASE");
    setenv("DVMH_NUM_THREADS", c->threads, 1);
    setenv("DVMH_STRATEGY", c->strategy, 1);
    setenv("DVMH_PLANNER", c->planner, 1);
    setenv("DVMH_FAKE_DEVICES", c->devices, 1);
    setenv("DVMH_SCHEDULE", c->schedule, 1);
    alarm(600); /* a loop that hangs is a failure too */
    child_init();
    for (int i = 0; i < CASES; i++) {
        example_t example;
        const int failures = atomic_load(&check_failures);
        if (only != NULL && atoi(only) != i)
            continue;
        check_random_state =
            seed + (uint64_t)(config_number * CASES + i + 1) * UINT64_C(0x9e3779b97f4a7c15) + 1;
        check_random_u64();
        make_example(&example);
        dvmh_line_C(i + 1, "case");
        run_case(&example);
        if (atomic_load(&check_failures) != failures)
            fprintf(stderr, "  run it alone with CHECK_SEED=%" PRIu64 " LOOP_CONFIG=%d LOOP_CASE=%d\n", seed,
                    config_number, i);
    }
    child_exit();
}

int main(void) {
    const char *only = getenv("LOOP_CONFIG"), *text = getenv("CHECK_SEED");
    seed = text != NULL && *text != '\0' ? strtoull(text, NULL, 0) : 20240229;
    printf("CHECK_SEED=%" PRIu64 "\n", seed);
    add_all_configs();
    for (config_number = 0; config_number < config_count; config_number++) {
        const config_t *c = &config[config_number];
        if (only != NULL && atoi(only) != config_number)
            continue;
        if (!CHECK_EQ_INT(child_run(run_child, NULL, NULL, NULL), 0))
            fprintf(stderr,
                    "  configuration %d: threads %s, strategy %s, planner %s, fake devices %s, schedule %s\n",
                    config_number, c->threads, c->strategy, c->planner, c->devices, c->schedule);
    }
    return check_finish();
}
