/* Random programs for query handlers; see the header. References are kept for all elements by every process. */
#include <config.h>

#include "tests/device/query_loops.h"

#include <dvmhlib2.h>

#include "tests/check.h"

unsigned query_seen_states;

void query_fail(const char *text) {
    CHECK_EQ_STR(text, "");
}

/* Two arrays, and what they should hold. */
static struct {
    int rank;
    DvmType extent[3], total;
    DvmType a[64], b[64];
    double *of_a, *of_b;
} arrays;

static DvmType place_of(const DvmType index[]) {
    DvmType place = 0;
    for (int axis = 0; axis < arrays.rank; axis++)
        place = place * arrays.extent[axis] + index[axis];
    return place;
}

/* An element that this process has; NULL when another one owns it. */
static double *element(const DvmType header[], DvmType place) {
    DvmType index[3] = {0, 0, 0};
    for (int axis = arrays.rank - 1; axis >= 0; axis--) {
        index[axis] = place % arrays.extent[axis];
        place /= arrays.extent[axis];
    }
    return dvmh_get_own_element_addr_C(header, arrays.rank, index[0], index[1], index[2]);
}

static void create(DvmType header[]) {
    const DvmType *n = arrays.extent, w = 1, type = -rt_DOUBLE;
    switch (arrays.rank) {
    case 1:
        dvmh_array_create_C(header, 1, type, n[0], w, w);
        dvmh_distribute_C(header, 1, dvmh_distribution_block_C(1));
        break;
    case 2:
        dvmh_array_create_C(header, 2, type, n[0], w, w, n[1], w, w);
        dvmh_distribute_C(header, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
        break;
    default:
        dvmh_array_create_C(header, 3, type, n[0], w, w, n[1], w, w, n[2], w, w);
        dvmh_distribute_C(header, 3, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2),
                          dvmh_distribution_replicated_());
        break;
    }
}

static void fill(const DvmType header[], double values[]) {
    for (DvmType i = 0; i < arrays.total; i++) {
        values[i] = (double)check_random_range(-1000, 1000) / 512;
        double *const own = element(header, i);
        if (own != NULL)
            *own = values[i];
    }
}

static bool compare(const DvmType header[], const double values[], const char *name) {
    DvmType wrong = 0;
    dvmh_get_actual_array2_(header);
    for (DvmType i = 0; i < arrays.total; i++) {
        const double *const own = element(header, i);
        wrong += own != NULL && memcmp(own, &values[i], sizeof *own) != 0;
    }
    if (!CHECK_EQ_INT(wrong, 0))
        fprintf(stderr, "  in %s of %ld x %ld x %ld\n", name, (long)arrays.extent[0], (long)arrays.extent[1],
                (long)arrays.extent[2]);
    return wrong == 0;
}

/* ---- the loops in plain C ---- */

typedef struct results {
    double sum, greatest, across_greatest;
    long long bits;
    query_location_t at;
} results_t;

static double near(const double values[], const DvmType index[], int axis, int distance) {
    DvmType moved[3] = {index[0], index[1], index[2]};
    if (axis >= 0)
        moved[axis] += distance;
    return values[place_of(moved)];
}

static void plain_body(const query_case_t *c, const DvmType index[], double weight) {
    double sum = weight * near(arrays.of_a, index, -1, 0);
    for (int axis = 0; axis < c->rank; axis++)
        sum = sum + 0.125 * near(arrays.of_a, index, axis, -1) + 0.0625 * near(arrays.of_a, index, axis, 1);
    arrays.of_b[place_of(index)] = sum;
}

static void across_body(const query_case_t *c, const DvmType index[], results_t *results) {
    double sum = 0.25 * near(arrays.of_a, index, -1, 0);
    for (int axis = 0; axis < c->rank; axis++)
        if (c->depends[axis])
            sum = sum + 0.25 * near(arrays.of_a, index, axis, -1) + 0.125 * near(arrays.of_a, index, axis, 1);
    arrays.of_a[place_of(index)] = sum;
    if (sum > results->across_greatest)
        results->across_greatest = sum;
}

static void reduce_body(const query_case_t *c, const DvmType index[], const DvmType value[],
                        results_t *results) {
    const double found = near(arrays.of_a, index, -1, 0);
    results->sum += query_whole(found);
    results->bits ^= (long long)query_whole(found * 1000);
    if (query_whole(found) > results->greatest) {
        results->greatest = query_whole(found);
        for (int dim = 0; dim < c->rank; dim++)
            results->at.index[dim] = (int)value[dim];
    }
}

typedef enum kind { PLAIN, REDUCE, ACROSS, KINDS } kind_t;

static DvmType count_of(const query_case_t *c, int dim) {
    const DvmType count = (c->end[dim] - c->start[dim] + c->step[dim]) / c->step[dim];
    return count > 0 ? count : 0;
}

static void run_here(const query_case_t *c, kind_t kind, double weight, results_t *results) {
    DvmType total = 1;
    for (int dim = 0; dim < c->rank; dim++)
        total *= count_of(c, dim);
    for (DvmType number = 0; number < total; number++) {
        DvmType value[3] = {0, 0, 0}, index[3] = {0, 0, 0}, rest = number;
        for (int dim = c->rank - 1; dim >= 0; dim--) {
            value[dim] = c->start[dim] + rest % count_of(c, dim) * c->step[dim];
            rest /= count_of(c, dim);
        }
        for (int axis = 0; axis < c->rank; axis++)
            index[axis] = value[c->dim[axis]];
        if (kind == PLAIN)
            plain_body(c, index, weight);
        else if (kind == ACROSS)
            across_body(c, index, results);
        else
            reduce_body(c, index, value, results);
    }
}

/* ---- the same through the runtime ---- */

static DvmType open_loop(DvmType region, const query_case_t *c) {
    const DvmType *s = c->start, *e = c->end, *t = c->step;
    const DvmType d0 = c->dim[0] + 1, d1 = c->dim[1] + 1, d2 = c->dim[2] + 1;
    DvmType loop;
    switch (c->rank) {
    case 1:
        loop = dvmh_loop_create_C(region, 1, s[0], e[0], t[0]);
        dvmh_loop_map_C(loop, arrays.a, 1, dvmh_alignment_linear_C(d0, 1, 0));
        break;
    case 2:
        loop = dvmh_loop_create_C(region, 2, s[0], e[0], t[0], s[1], e[1], t[1]);
        dvmh_loop_map_C(loop, arrays.a, 2, dvmh_alignment_linear_C(d0, 1, 0),
                        dvmh_alignment_linear_C(d1, 1, 0));
        break;
    default:
        loop = dvmh_loop_create_C(region, 3, s[0], e[0], t[0], s[1], e[1], t[1], s[2], e[2], t[2]);
        dvmh_loop_map_C(loop, arrays.a, 3, dvmh_alignment_linear_C(d0, 1, 0),
                        dvmh_alignment_linear_C(d1, 1, 0), dvmh_alignment_linear_C(d2, 1, 0));
        break;
    }
    return loop;
}

static void add_across(DvmType loop, const query_case_t *c) {
    const DvmType w0 = c->depends[0], w1 = c->depends[1], w2 = c->depends[2];
    if (c->rank == 1)
        dvmh_loop_across_C(loop, 0, arrays.a, 1, w0, w0);
    else if (c->rank == 2)
        dvmh_loop_across_C(loop, 0, arrays.a, 2, w0, w0, w1, w1);
    else
        dvmh_loop_across_C(loop, 0, arrays.a, 3, w0, w0, w1, w1, w2, w2);
}

/* Of the line that errors should name. */
static void perform(DvmType loop) {
    dvmh_line_C(77, "query_loops.dvm");
    dvmh_loop_perform_C(loop);
}

static void run_plain(const query_handlers_t *h, DvmType region, query_case_t *c, double *weight) {
    dvmh_shadow_renew_C(arrays.a, 0, 0);
    const DvmType loop = open_loop(region, c);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_CUDA, 0,
                                 dvmh_handler_func_C(h->plain, 4, arrays.a, arrays.b, weight, c));
    if (h->host != NULL)
        dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, HANDLER_TYPE_MASTER,
                                     dvmh_handler_func_C(h->host->plain, 4, arrays.a, arrays.b, weight, c));
    perform(loop);
}

static void run_across(const query_handlers_t *h, DvmType region, query_case_t *c, results_t *results) {
    const DvmType loop = open_loop(region, c);
    add_across(loop, c);
    if (c->reduces)
        dvmh_loop_reduction_C(loop, rf_MAX, &results->across_greatest, rt_DOUBLE, 1, NULL, 0);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_CUDA, 0, dvmh_handler_func_C(h->across, 2, arrays.a, c));
    if (h->host != NULL)
        dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, HANDLER_TYPE_MASTER,
                                     dvmh_handler_func_C(h->host->across, 2, arrays.a, c));
    perform(loop);
}

static void run_reduce(const query_handlers_t *h, DvmType region, query_case_t *c, results_t *results) {
    const DvmType loop = open_loop(region, c);
    dvmh_loop_reduction_C(loop, rf_SUM, &results->sum, rt_DOUBLE, 1, NULL, 0);
    dvmh_loop_reduction_C(loop, rf_XOR, &results->bits, rt_LLONG, 1, NULL, 0);
    dvmh_loop_reduction_C(loop, rf_MAXLOC, &results->greatest, rt_DOUBLE, 1, &results->at,
                          sizeof results->at);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_CUDA, 0, dvmh_handler_func_C(h->reduce, 2, arrays.a, c));
    if (h->host != NULL)
        dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, HANDLER_TYPE_MASTER,
                                     dvmh_handler_func_C(h->host->reduce, 2, arrays.a, c));
    perform(loop);
}

static void run_sequence(const query_handlers_t *h, DvmType region, double *scalar, double *factor) {
    const DvmType loop = dvmh_loop_create_C(region, 0);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_CUDA, 0,
                                 dvmh_handler_func_C(h->sequence, 2, scalar, factor));
    if (h->host != NULL)
        dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, HANDLER_TYPE_MASTER,
                                     dvmh_handler_func_C(h->host->sequence, 2, scalar, factor));
    perform(loop);
}

/* ---- random cases ---- */

static void draw_case(query_case_t *c, kind_t kind) {
    memset(c, 0, sizeof *c);
    c->rank = arrays.rank;
    for (int axis = 0; axis < 3; axis++)
        c->dim[axis] = axis;
    for (int axis = c->rank - 1; axis > 0; axis--) {
        const int64_t other = check_random_range(0, axis);
        const int dim = c->dim[axis];
        c->dim[axis] = c->dim[other];
        c->dim[other] = dim;
    }
    for (int axis = 0; axis < c->rank; axis++) {
        const int dim = c->dim[axis];
        const DvmType low = check_random_range(1, 2), high = arrays.extent[axis] - 2;
        c->step[dim] = kind != ACROSS ? check_random_range(1, 2) : 1;
        c->start[dim] = low;
        c->end[dim] = high;
        if (check_random_once_in(2)) {
            c->step[dim] = -c->step[dim];
            c->start[dim] = high;
            c->end[dim] = low;
        }
        c->depends[axis] = kind == ACROSS && !check_random_once_in(3);
    }
    if (kind == ACROSS && !c->depends[0] && !c->depends[1] && !c->depends[2])
        c->depends[c->rank - 1] = true;
    for (int axis = 0; axis < 3; axis++)
        c->dependent_count += c->depends[axis];
    c->transforms = check_random_once_in(2);
    c->reduces = check_random_once_in(2);
}

static void check_results(const results_t *found, const results_t *wanted) {
    CHECK(found->sum == wanted->sum && found->greatest == wanted->greatest);
    CHECK(found->across_greatest == wanted->across_greatest);
    CHECK_EQ_INT(found->bits, wanted->bits);
}

/* The location of a greatest value: of the first one in the order of iterations; of several processes each finds its own first. */
static void check_location(const query_case_t *c, results_t *found, const results_t *wanted) {
    DvmType index[3] = {0, 0, 0};
    if (dvmh_get_total_num_procs() == 1 || found->at.index[0] < 0) {
        CHECK(memcmp(&found->at, &wanted->at, sizeof found->at) == 0);
        return;
    }
    for (int axis = 0; axis < c->rank; axis++)
        index[axis] = found->at.index[c->dim[axis]];
    CHECK(query_whole(near(arrays.of_a, index, -1, 0)) == found->greatest);
    found->at = wanted->at;
}

/* One loop in a region of its own, or in the open one. */
static void run_one(const query_handlers_t *h, DvmType region, double *weight, results_t *found,
                    results_t *wanted) {
    const kind_t kind = h->reduce != NULL         ? (kind_t)check_random_range(0, KINDS - 1)
                        : check_random_once_in(2) ? PLAIN
                                                  : ACROSS;
    query_case_t c;
    draw_case(&c, kind);
    c.reduces = c.reduces && h->reduce != NULL;
    const double before = wanted->greatest;
    found->across_greatest = wanted->across_greatest = -1;
    run_here(&c, kind, *weight, wanted);
    if (kind == PLAIN)
        run_plain(h, region, &c, weight);
    else if (kind == ACROSS)
        run_across(h, region, &c, found);
    else
        run_reduce(h, region, &c, found);
    if (kind == ACROSS && !c.reduces)
        wanted->across_greatest = -1;
    check_results(found, wanted);
    if (kind == REDUCE && wanted->greatest > before)
        check_location(&c, found, wanted);
}

static DvmType open_region(double *weight, double *scalar) {
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_INOUT, arrays.a, "A");
    dvmh_region_register_array_C(region, INTENT_INOUT, arrays.b, "B");
    dvmh_region_register_scalar_C(region, INTENT_IN, weight, -rt_DOUBLE, "weight");
    dvmh_region_register_scalar_C(region, INTENT_INOUT, scalar, -rt_DOUBLE, "scalar");
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_CUDA | DEVICE_TYPE_HOST);
    return region;
}

static void run_program(const query_handlers_t *h) {
    results_t found = {.sum = 3, .greatest = -4, .bits = 5, .at = {{-1, -1, -1}}}, wanted = found;
    double weight = 0.375, scalar = 2, scalar_here = 2, factor = 1.5;
    const int64_t regions = check_random_range(1, 3);
    for (int64_t i = 0; i < regions; i++) {
        dvmh_data_enter_C(&weight, sizeof weight);
        dvmh_data_enter_C(&scalar, sizeof scalar);
        const DvmType region = open_region(&weight, &scalar);
        for (int64_t loops = check_random_range(1, 4); loops > 0; loops--)
            run_one(h, region, &weight, &found, &wanted);
        run_sequence(h, region, &scalar, &factor);
        scalar_here = scalar_here * factor + 1;
        dvmh_region_end_C(region);
        dvmh_data_exit_C(&weight, 1);
        dvmh_data_exit_C(&scalar, 1);
        CHECK(scalar == scalar_here);
        if (check_random_once_in(3)) /* the program itself looks, and changes something */
            fill(arrays.b, arrays.of_b), dvmh_actual_array2_(arrays.b);
    }
    compare(arrays.a, arrays.of_a, "A");
    compare(arrays.b, arrays.of_b, "B");
}

int query_run(const query_handlers_t *handlers, int trials, DvmType extent_most) {
    check_random_start();
    for (int trial = 0; trial < trials; trial++) {
        memset(&arrays, 0, sizeof arrays);
        arrays.rank = (int)check_random_range(1, 3);
        arrays.total = 1;
        for (int axis = 0; axis < 3; axis++) {
            const DvmType most = arrays.rank == 1 ? 40 * extent_most : extent_most;
            arrays.extent[axis] = axis < arrays.rank ? check_random_range(5, most) : 1;
            arrays.total *= arrays.extent[axis];
        }
        arrays.of_a = malloc((size_t)arrays.total * sizeof *arrays.of_a);
        arrays.of_b = malloc((size_t)arrays.total * sizeof *arrays.of_b);
        if (!CHECK(arrays.of_a != NULL && arrays.of_b != NULL))
            exit(1);
        create(arrays.a);
        create(arrays.b);
        fill(arrays.a, arrays.of_a);
        fill(arrays.b, arrays.of_b);
        run_program(handlers);
        dvmh_delete_object_(arrays.a);
        dvmh_delete_object_(arrays.b);
        free(arrays.of_a);
        free(arrays.of_b);
    }
    return check_finish();
}
