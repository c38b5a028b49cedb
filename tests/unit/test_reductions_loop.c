/* Reductions through loops: every operation on every type that it has a meaning for, arrays and locations, with record
 * handlers and with query handlers of all kinds. Values are such that every order gives the same result. */
#include <config.h>

#include <complex.h>
#include <dvmhx.h>
#include <omp.h>

#include "tests/abi/child.h"

enum { VARIABLES = 3, MAX_COUNT = 6, LOCATION = 16, NOWHERE = 0xffffff, ROUNDS = 6 };

/* By way of a type that compilers do not warn about. */
#define HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

/* ---- operations, written a second time ---- */

typedef void (*combine_fn_t)(DvmType operation, void *into, const void *from);
typedef void (*value_fn_t)(DvmType operation, uint64_t dice, void *value);

#define COMPARED_CASES(type)                                                                                 \
    case rf_MAX:                                                                                             \
    case rf_MAXLOC:                                                                                          \
        *a = *b > *a ? *b : *a;                                                                              \
        break;                                                                                               \
    case rf_MIN:                                                                                             \
    case rf_MINLOC:                                                                                          \
        *a = *b < *a ? *b : *a;                                                                              \
        break;                                                                                               \
    case rf_EQU:                                                                                             \
    case rf_EQ:                                                                                              \
        *a = (type)(*a == *b);                                                                               \
        break;                                                                                               \
    case rf_NE:                                                                                              \
        *a = (type)(*a != *b);                                                                               \
        break;

/* Integers wrap, so that any order gives the same. Small ones for MAX and MIN, so that there are ties. */
#define DEFINE_INTEGER(name, type)                                                                           \
    static void combine_##name(DvmType operation, void *into, const void *from) {                            \
        type *a = into;                                                                                      \
        const type *b = from;                                                                                \
        switch (operation) {                                                                                 \
            COMPARED_CASES(type)                                                                             \
        case rf_SUM:                                                                                         \
            *a = (type)((uint64_t)*a + (uint64_t)*b);                                                        \
            break;                                                                                           \
        case rf_PROD:                                                                                        \
            *a = (type)((uint64_t)*a * (uint64_t)*b);                                                        \
            break;                                                                                           \
        case rf_AND:                                                                                         \
            *a = (type)(*a & *b);                                                                            \
            break;                                                                                           \
        case rf_OR:                                                                                          \
            *a = (type)(*a | *b);                                                                            \
            break;                                                                                           \
        case rf_XOR:                                                                                         \
            *a = (type)(*a ^ *b);                                                                            \
            break;                                                                                           \
        }                                                                                                    \
    }                                                                                                        \
    static void value_##name(DvmType operation, uint64_t dice, void *value) {                                \
        const bool is_logical = operation == rf_EQ || operation == rf_EQU || operation == rf_NE;             \
        const bool is_compared = operation == rf_MAX || operation == rf_MIN || operation >= rf_MAXLOC;       \
        const uint64_t sparse = operation == rf_AND ? dice | dice >> 13 | dice >> 29 : dice | 1;             \
        *(type *)value = (type)(is_logical ? dice & 1 : is_compared ? dice % 23 : sparse);                   \
    }

/* Small whole numbers for sums, mostly units for products: exact in every order. */
#define DEFINE_REAL(name, type)                                                                              \
    static void combine_##name(DvmType operation, void *into, const void *from) {                            \
        type *a = into;                                                                                      \
        const type *b = from;                                                                                \
        switch (operation) {                                                                                 \
            COMPARED_CASES(type)                                                                             \
        case rf_SUM:                                                                                         \
            *a += *b;                                                                                        \
            break;                                                                                           \
        case rf_PROD:                                                                                        \
            *a *= *b;                                                                                        \
            break;                                                                                           \
        }                                                                                                    \
    }                                                                                                        \
    static void value_##name(DvmType operation, uint64_t dice, void *value) {                                \
        static const double factor[] = {2, .5, 1, -1, 1, -1, 1, -1};                                         \
        const bool is_logical = operation == rf_EQ || operation == rf_EQU || operation == rf_NE;             \
        *(type *)value = (type)(is_logical             ? (double)(dice & 1)                                  \
                                : operation == rf_PROD ? factor[dice % 64 < 8 ? dice % 8 : 2 + dice % 6]     \
                                                       : (double)(dice % 23) - 11);                          \
    }

#define DEFINE_COMPLEX(name, type)                                                                           \
    static void combine_##name(DvmType operation, void *into, const void *from) {                            \
        type *a = into;                                                                                      \
        const type *b = from;                                                                                \
        *a = operation == rf_SUM ? *a + *b : *a * *b;                                                        \
    }                                                                                                        \
    static void value_##name(DvmType operation, uint64_t dice, void *value) {                                \
        static const double real[] = {1, 0, -1, 0};                                                          \
        const double x = operation == rf_SUM ? (double)(dice % 23) - 11 : real[dice % 4];                    \
        const double y = operation == rf_SUM ? (double)(dice / 23 % 23) - 11 : real[(dice + 1) % 4];         \
        *(type *)value = (type)(x + y * I);                                                                  \
    }

DEFINE_INTEGER(char, char)
DEFINE_INTEGER(int, int)
DEFINE_INTEGER(long, long)
DEFINE_REAL(float, float)
DEFINE_REAL(double, double)
DEFINE_COMPLEX(float_complex, float complex)
DEFINE_COMPLEX(double_complex, double complex)
DEFINE_INTEGER(llong, long long)
DEFINE_INTEGER(uchar, unsigned char)
DEFINE_INTEGER(uint, unsigned)
DEFINE_INTEGER(ulong, unsigned long)
DEFINE_INTEGER(ullong, unsigned long long)
DEFINE_INTEGER(short, short)
DEFINE_INTEGER(ushort, unsigned short)

enum { INTEGER, REAL, COMPLEX };

#define ROW(name, type, class)                                                                               \
    { sizeof(type), class, combine_##name, value_##name }

static const struct {
    size_t bytes;
    int class;
    combine_fn_t combine;
    value_fn_t value;
} types[] = {
    [rt_CHAR] = ROW(char, char, INTEGER),
    [rt_INT] = ROW(int, int, INTEGER),
    [rt_LONG] = ROW(long, long, INTEGER),
    [rt_FLOAT] = ROW(float, float, REAL),
    [rt_DOUBLE] = ROW(double, double, REAL),
    [rt_FLOAT_COMPLEX] = ROW(float_complex, float complex, COMPLEX),
    [rt_DOUBLE_COMPLEX] = ROW(double_complex, double complex, COMPLEX),
    [rt_LOGICAL] = ROW(int, int, INTEGER),
    [rt_LLONG] = ROW(llong, long long, INTEGER),
    [rt_UCHAR] = ROW(uchar, unsigned char, INTEGER),
    [rt_UINT] = ROW(uint, unsigned, INTEGER),
    [rt_ULONG] = ROW(ulong, unsigned long, INTEGER),
    [rt_ULLONG] = ROW(ullong, unsigned long long, INTEGER),
    [rt_SHORT] = ROW(short, short, INTEGER),
    [rt_USHORT] = ROW(ushort, unsigned short, INTEGER),
};

static bool is_legal(DvmType operation, DvmType type) {
    if (operation == rf_AND || operation == rf_OR || operation == rf_XOR)
        return types[type].class == INTEGER;
    return operation == rf_SUM || operation == rf_PROD || types[type].class != COMPLEX;
}

/* ---- a loop with reductions ---- */

typedef struct memory {
    _Alignas(16) char values[MAX_COUNT * 16];
    char locations[MAX_COUNT * LOCATION];
} memory_t;

typedef struct variable {
    DvmType operation, type, count, location_bytes;
    memory_t before, now;
} variable_t;

typedef struct example {
    uint64_t seed;
    DvmType start[2], end[2], step[2];
    int handler_type;
    bool is_ordered, is_empty; /* ordered: ties go to the first iteration, as in the sequential loop */
    variable_t variable[VARIABLES];
} example_t;

#define IS_LOC(v) ((v)->operation >= rf_MAXLOC)

static uint64_t dice_of(const example_t *e, int number, DvmType i, DvmType j) {
    uint64_t z =
        e->seed + (uint64_t)number * 77 + (uint64_t)i * 1009 + (uint64_t)j * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return z ^ z >> 29;
}

static void set_location(char *location, DvmType bytes, unsigned code) {
    for (DvmType b = 0; b < bytes; b++)
        location[b] = (char)(b < 3 ? code >> 8 * b : code * 7 + (unsigned)b);
}

static unsigned code_of(DvmType i, DvmType j) {
    return (unsigned)((i + 100) * 1000 + j + 100);
}

/* What an iteration adds to a variable: to one element of it. */
static void contribute(const example_t *e, int number, void *values, void *locations, DvmType i, DvmType j) {
    const variable_t *v = &e->variable[number];
    const DvmType at = (i + j + 200) % v->count;
    const size_t bytes = types[v->type].bytes;
    _Alignas(16) char value[16], old[16];
    char *element = (char *)values + (size_t)at * bytes;
    types[v->type].value(v->operation, dice_of(e, number, i, j), value);
    memcpy(old, element, bytes);
    types[v->type].combine(v->operation, element, value);
    if (IS_LOC(v) && locations != NULL && memcmp(old, element, bytes) != 0)
        set_location((char *)locations + at * v->location_bytes, v->location_bytes, code_of(i, j));
}

typedef struct context {
    const example_t *example;
    void *const *values, *const *locations;
} context_t;

static inline void body(context_t *c, DvmType i, DvmType j) {
    for (int number = 0; number < VARIABLES; number++)
        contribute(c->example, number, c->values[number], c->locations[number], i, j);
}

#define DVMHX_NAME    reduce
#define DVMHX_RANK    2
#define DVMHX_CONTEXT context_t
#define DVMHX_BODY    body
#define DVMHX_CONFLICTS
#include <dvmhx_run.h>

static void record_handler(const dvmhx_record_t *record, const example_t *example) {
    context_t c = {example, record->reductions, record->locations};
    CHECK_EQ_INT(record->reduction_count, VARIABLES);
    for (int number = 0; number < VARIABLES; number++)
        CHECK((record->locations[number] != NULL) ==
              (IS_LOC(&example->variable[number]) && example->variable[number].location_bytes > 0));
    reduce_run(record, &c);
}

/* Start values in copies of this thread's own. */
static void start_copies(DvmType loop, memory_t copy[], void *values[], void *locations[]) {
    for (int number = 0; number < VARIABLES; number++) {
        values[number] = copy[number].values;
        locations[number] = copy[number].locations;
        dvmh_loop_red_init_C(loop, number + 1, copy[number].values, copy[number].locations);
    }
}

static void post_copies(DvmType loop, memory_t copy[]) {
    for (int number = VARIABLES - 1; number >= 0; number--)
        dvmh_loop_red_post_C(loop, number + 1, copy[number].values, copy[number].locations);
}

static void query_handler(const DvmType *reference, const example_t *example) {
    const DvmType loop = *reference, slots = dvmh_loop_get_slot_count_C(loop);
    DvmType low[2], high[2], step[2];
    dvmh_loop_fill_bounds_C(loop, low, high, step);
    const DvmType rows = (high[0] - low[0]) / step[0] + 1;
    CHECK((example->handler_type & HANDLER_TYPE_PARALLEL) != 0 || slots == 1);
    /* A team larger than it should be shares slots, in whatever order. */
    const int team = (int)slots + (slots > 1 && !example->is_ordered ? (int)(example->seed % 3) : 0);
#pragma omp parallel num_threads(team) if (team > 1)
    {
        memory_t copy[VARIABLES];
        void *values[VARIABLES], *locations[VARIABLES];
        context_t c = {example, values, locations};
        start_copies(loop, copy, values, locations);
#pragma omp for schedule(static) nowait
        for (DvmType n = 0; n < rows; n++)
            for (DvmType j = low[1]; step[1] > 0 ? j <= high[1] : j >= high[1]; j += step[1])
                body(&c, low[0] + n * step[0], j);
        post_copies(loop, copy);
    }
}

/* Loops over a variable itself, on whatever device the region runs: new values before the reductions, a look behind them. */
static void write_handler(const dvmhx_record_t *record, const example_t *e, const int *number) {
    const variable_t *v = &e->variable[*number];
    const DvmType stride = record->arrays[0].stride[0], bytes = record->arrays[0].element_bytes;
    for (DvmType n = 0, i = record->start[0]; n < record->count[0]; n++, i += record->step[0])
        types[v->type].value(v->operation, dice_of(e, *number, -60, i),
                             (char *)record->arrays[0].base + i * stride * bytes);
}

static void look_handler(const dvmhx_record_t *record, const example_t *e, const int *number) {
    const DvmType stride = record->arrays[0].stride[0], bytes = record->arrays[0].element_bytes;
    for (DvmType n = 0, i = record->start[0]; n < record->count[0]; n++, i += record->step[0])
        CHECK(memcmp((char *)record->arrays[0].base + i * stride * bytes,
                     e->variable[*number].now.values + i * bytes, (size_t)bytes) == 0);
}

static void run_over_variable(const example_t *e, DvmType region, int number, DvmHandlerFunc function,
                              DvmType intent) {
    const variable_t *v = &e->variable[number];
    const dvmhx_array_use_t use = {.size = sizeof use,
                                   .header = dvmh_variable_get_header_C(v->now.values),
                                   .rank = 1,
                                   .intent = intent};
    const DvmType loop = dvmh_loop_create_C(region, 1, (DvmType)0, v->count - 1, (DvmType)1);
    dvmhx_loop_array_C(loop, &use);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(function, 2, (const void *)e, (void *)&number));
    dvmh_loop_perform_C(loop);
}

/* ---- what must come out ---- */

static void run_reference(const example_t *e, memory_t expected[]) {
    for (int number = 0; number < VARIABLES; number++)
        expected[number] = e->variable[number].before;
    for (DvmType i = e->start[0]; e->step[0] > 0 ? i <= e->end[0] : i >= e->end[0]; i += e->step[0])
        for (DvmType j = e->start[1]; e->step[1] > 0 ? j <= e->end[1] : j >= e->end[1]; j += e->step[1])
            for (int number = 0; number < VARIABLES; number++)
                contribute(e, number, expected[number].values, expected[number].locations, i, j);
}

/* A location is right when its iteration has the value; the one from before the loop stays unless something is better. */
static bool check_location(const example_t *e, int number, DvmType at, const memory_t *expected) {
    const variable_t *v = &e->variable[number];
    const size_t bytes = types[v->type].bytes;
    const char *found = v->now.locations + at * v->location_bytes,
               *wanted = expected->locations + at * v->location_bytes;
    char pattern[LOCATION];
    _Alignas(16) char value[16];
    const unsigned code = (unsigned)(unsigned char)found[0] | (unsigned)(unsigned char)found[1] << 8 |
                          (unsigned)(unsigned char)found[2] << 16;
    if (e->is_ordered ||
        memcmp(v->before.values + (size_t)at * bytes, expected->values + (size_t)at * bytes, bytes) == 0)
        return CHECK(memcmp(found, wanted, (size_t)v->location_bytes) == 0);
    const DvmType i = (DvmType)(code / 1000) - 100, j = (DvmType)(code % 1000) - 100;
    set_location(pattern, v->location_bytes, code);
    types[v->type].value(v->operation, dice_of(e, number, i, j), value);
    return CHECK(memcmp(found, pattern, (size_t)v->location_bytes) == 0) &&
           CHECK((i + j + 200) % v->count == at) &&
           CHECK(memcmp(value, expected->values + (size_t)at * bytes, bytes) == 0);
}

/* By value: the sign of a zero depends on the order of complex products. */
static bool has_values(const variable_t *v, const memory_t *expected) {
    const size_t bytes = (size_t)v->count * types[v->type].bytes;
    const bool is_float = v->type == rt_FLOAT_COMPLEX, is_double = v->type == rt_DOUBLE_COMPLEX;
    const float *f = (const float *)v->now.values, *expected_f = (const float *)expected->values;
    const double *d = (const double *)v->now.values, *expected_d = (const double *)expected->values;
    if (!is_float && !is_double)
        return memcmp(v->now.values, expected->values, bytes) == 0;
    for (DvmType i = 0; i < 2 * v->count; i++)
        if (is_float ? f[i] != expected_f[i] : d[i] != expected_d[i])
            return false;
    return true;
}

static bool check_variable(const example_t *e, int number, const memory_t *expected) {
    const variable_t *v = &e->variable[number];
    const size_t bytes = (size_t)v->count * types[v->type].bytes;
    bool good = CHECK(has_values(v, expected));
    good =
        CHECK(memcmp(v->now.values + bytes, v->before.values + bytes, sizeof v->now.values - bytes) == 0) &&
        good;
    for (DvmType at = 0; at < v->count && IS_LOC(v) && v->location_bytes > 0; at++)
        good = check_location(e, number, at, expected) && good;
    if (!good)
        fprintf(stderr, "  variable %d: operation %ld, type %ld, %ld elements, %ld bytes of location\n",
                number + 1, (long)v->operation, (long)v->type, (long)v->count, (long)v->location_bytes);
    return good;
}

static void make_variable(const example_t *e, int number, DvmType operation, DvmType type, variable_t *v) {
    static const DvmType location[] = {0, 3, 8, 16};
    memset(v, 0, sizeof *v);
    v->operation = operation;
    v->type = type;
    v->count = check_random_once_in(2) ? 1 : check_random_range(2, MAX_COUNT);
    v->location_bytes = location[check_random_range(0, 3)];
    for (DvmType at = 0; at < v->count; at++) {
        char *element = v->before.values + (size_t)at * types[type].bytes;
        types[type].value(operation, dice_of(e, number, -50, at), element);
        set_location(v->before.locations + at * v->location_bytes, v->location_bytes, NOWHERE);
    }
    v->now = v->before;
}

static void make_loop(example_t *e, bool may_order) {
    static const int handler[] = {DVMHX_HANDLER_RECORD, DVMHX_HANDLER_RECORD, 0, HANDLER_TYPE_MASTER,
                                  HANDLER_TYPE_PARALLEL | HANDLER_TYPE_MASTER};
    DvmType count[2];
    e->seed = check_random_u64();
    e->handler_type = handler[check_random_range(0, 4)];
    for (int dim = 0; dim < 2; dim++) {
        count[dim] = check_random_once_in(3) ? 1 : check_random_once_in(15) ? 0 : check_random_range(2, 25);
        e->start[dim] = check_random_range(-5, 20);
        e->step[dim] = check_random_range(1, 2) * (check_random_once_in(3) ? -1 : 1);
        e->end[dim] = e->start[dim] + e->step[dim] * (count[dim] - 1);
    }
    e->is_ordered = may_order && (count[0] <= 1 || count[1] <= 1);
    e->is_empty = count[0] == 0 || count[1] == 0;
}

static void run_loop(example_t *e) {
    const bool is_known = check_random_once_in(3), is_across = check_random_once_in(3) && !e->is_ordered;
    const DvmType vectors[] = {1, 0, 0, 1, 1, -1};
    DvmType region = 0;
    if (is_known) { /* variables of a region; whatever device has their newest value */
        region = dvmh_region_create_C(0);
        for (int number = 0; number < VARIABLES; number++) {
            variable_t *v = &e->variable[number];
            DvmType *header = dvmh_variable_gen_header_C(v->now.values, 1, -v->type, v->count);
            dvmh_region_register_array_C(region, INTENT_INOUT, header, "v");
        }
        dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST);
    }
    for (int number = 0; number < VARIABLES; number++)
        e->variable[number].before = e->variable[number].now;
    for (int number = 0; number < VARIABLES && is_known; number++) {
        variable_t *v = &e->variable[number];
        run_over_variable(e, region, number, HANDLER(write_handler), INTENT_OUT);
        for (DvmType i = 0; i < v->count; i++)
            types[v->type].value(v->operation, dice_of(e, number, -60, i),
                                 v->before.values + (size_t)i * types[v->type].bytes);
    }
    const DvmType loop =
        dvmh_loop_create_C(region, 2, e->start[0], e->end[0], e->step[0], e->start[1], e->end[1], e->step[1]);
    for (int number = 0; number < VARIABLES; number++) {
        variable_t *v = &e->variable[number];
        dvmh_loop_reduction_C(loop, v->operation, v->now.values, v->type, v->count, v->now.locations,
                              v->location_bytes);
    }
    /* Query handlers with a team of their own would have to keep the order themselves. */
    if (is_across && (e->handler_type & HANDLER_TYPE_PARALLEL) == 0)
        dvmhx_loop_dependences_C(loop, check_random_range(1, 3), vectors);
    const bool is_record = e->handler_type == DVMHX_HANDLER_RECORD;
    const DvmHandlerFunc function = is_record ? HANDLER(record_handler) : HANDLER(query_handler);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, e->handler_type,
                                 dvmh_handler_func_C(function, 1, (const void *)e));
    dvmh_loop_perform_C(loop);
    for (int number = 0; number < VARIABLES && is_known && !e->is_empty; number++)
        run_over_variable(e, region, number, HANDLER(look_handler), INTENT_IN);
    if (region != 0)
        dvmh_region_end_C(region);
}

/* The pair in question, two more at random, and the loop twice: the second starts from what the first one left. */
static void run_case(DvmType operation, DvmType type, bool may_order) {
    static example_t e;
    memory_t expected[VARIABLES];
    make_loop(&e, may_order);
    for (int number = 0; number < VARIABLES; number++) {
        make_variable(&e, number, operation, type, &e.variable[number]);
        do {
            operation = check_random_range(rf_SUM, rf_MINLOC);
            type = check_random_range(rt_CHAR, rt_USHORT);
        } while (type == rt_POINTER || !is_legal(operation, type));
    }
    for (int time = 0; time < 2; time++) {
        bool good = true;
        run_loop(&e);
        run_reference(&e, expected);
        for (int number = 0; number < VARIABLES; number++) {
            good = check_variable(&e, number, &expected[number]) && good;
        }
        if (!good)
            fprintf(stderr, "  time %d, handler type %d, %ld..%ld step %ld, %ld..%ld step %ld\n", time + 1,
                    e.handler_type, (long)e.start[0], (long)e.end[0], (long)e.step[0], (long)e.start[1],
                    (long)e.end[1], (long)e.step[1]);
    }
}

static const struct {
    const char *threads, *strategy, *planner, *devices, *schedule;
} configs[] = {
    {"1", "auto", "off", "0", "static"},       {"2", "auto", "off", "0", "static"},
    {"3", "auto", "off", "0", "dynamic"},      {"4", "auto", "off", "0", "static"},
    {"4", "tile", "off", "0", "static"},       {"3", "front", "off", "0", "static"},
    {"2", "jam", "off", "0", "static"},        {"3", "auto", "off", "1", "static"},
    {"4", "auto", "random:1", "0", "static"},  {"3", "auto", "random:2", "1", "static"},
    {"2", "auto", "random:3", "0", "dynamic"},
};
static int config;

static void run_child(void) {
    setenv("DVMH_NUM_THREADS", configs[config].threads, 1);
    setenv("DVMH_STRATEGY", configs[config].strategy, 1);
    setenv("DVMH_PLANNER", configs[config].planner, 1);
    setenv("DVMH_FAKE_DEVICES", configs[config].devices, 1);
    setenv("DVMH_SCHEDULE", configs[config].schedule, 1);
    alarm(600);
    child_init();
    const bool may_order =
        strcmp(configs[config].schedule, "static") == 0 && strcmp(configs[config].planner, "off") == 0;
    for (int round = 0; round < ROUNDS; round++)
        for (DvmType operation = rf_SUM; operation <= rf_MINLOC; operation++)
            for (DvmType type = rt_CHAR; type <= rt_USHORT; type++)
                if (type != rt_POINTER && is_legal(operation, type))
                    run_case(operation, type, may_order);
    child_exit();
}

int main(void) {
    check_random_start();
    for (config = 0; config < (int)(sizeof configs / sizeof configs[0]); config++) {
        check_random_u64(); /* other cases for the next child */
        if (!CHECK_EQ_INT(child_run(run_child, NULL, NULL, NULL), 0))
            fprintf(stderr, "  threads %s, strategy %s, planner %s, fake devices %s, schedule %s\n",
                    configs[config].threads, configs[config].strategy, configs[config].planner,
                    configs[config].devices, configs[config].schedule);
    }
    return check_finish();
}
