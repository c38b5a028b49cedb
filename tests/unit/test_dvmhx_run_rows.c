/* Bodies by rows (dvmhx_run.h) against the sequential loop: random loops of rank 2 to 4 on arrays stored by fronts, with ties and
 * steps of either sign, in one portion or cut into tiles along rows and fronts. Values are compared bit for bit; each iteration
 * must run once. Where a layout is affine, the body by strides in the same order, too. Layouts come from rts/layout.h, whose
 * offsets say what is right. */
#include <config.h>

/* Vector code, so that a row told to be independent when it is not gives wrong values. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("O3")
#endif

#include <dvmhx_run.h>
#include <math.h>

#include "tests/unit/rows_array.h"

#define RANKS      4 /* of loops; arrays have an axis more at most */
#define REFERENCES 4
#define CELLS      65536

/* What a loop's handler knows. x is updated, y and z are read, `runs` counts iterations. */
struct sweep {
    double *a;                /* by strides: x at index 0 */
    DvmType stride[RANKS];    /* of x, by dim, times the multiplier of its variable */
    DvmType away[REFERENCES]; /* from x to what it reads */
    const dvmhx_array_t *x_array, *y_array;
    const DvmType *x_index,
        *y_index; /* multiplier and addend of every axis, the dim it depends on; see make_index */
    DvmType x_add, y_mult, y_add; /* of the axis q */
    DvmType p_offset[REFERENCES], q_offset[REFERENCES], plane_offset[REFERENCES];
    const double *y, *z;
    DvmType z_stride[RANKS], run_stride[RANKS]; /* by dim */
    int *runs;
    double *x_row, *row[REFERENCES];
    const double *y_row, *z_row;
    int *run_row;
};

static inline double mixed(double x, double r0, double r1, double r2, double r3, double y, double z) {
    return 0.25 * x + (0.125 * r0 - 0.375 * r1 + 0.0625 * r2 + 0.25 * r3) + 0.03125 * y + 0.015625 * z;
}

/* Index along each axis for loop variables v: three entries an axis, dim (-1: none), multiplier, addend. */
static inline void make_index(const DvmType rule[], DvmType axes, const DvmType v[], DvmType index[]) {
    for (DvmType axis = 0; axis < axes; axis++)
        index[axis] = (rule[3 * axis] < 0 ? 0 : v[rule[3 * axis]] * rule[3 * axis + 1]) + rule[3 * axis + 2];
}

static inline void begin(struct sweep *c, int rank, const DvmType v[]) {
    DvmType index[RANKS + 1] = {0};

    make_index(c->x_index, c->x_array->rank, v, index);
    const dvmhx_rows_t x = dvmhx_rows_at(c->x_array, index);
    c->x_row = (double *)dvmhx_row(&x, 0, 0);
    for (int k = 0; k < REFERENCES; k++)
        c->row[k] = (double *)dvmhx_row(&x, c->p_offset[k], c->q_offset[k]) + c->plane_offset[k];
    make_index(c->y_index, c->y_array->rank, v, index);
    const dvmhx_rows_t y = dvmhx_rows_at(c->y_array, index);
    c->y_row = (const double *)dvmhx_row(&y, 0, 0);
    c->z_row = c->z;
    c->run_row = c->runs;
    for (int k = 0; k < rank - 2; k++) {
        c->z_row += c->z_stride[k] * v[k];
        c->run_row += c->run_stride[k] * v[k];
    }
}

static inline void row_body(struct sweep *c, int rank, DvmType sign, DvmType p, DvmType q) {
    const DvmType at = sign * p + c->x_add;

    c->x_row[at] = mixed(c->x_row[at], c->row[0][at], c->row[1][at], c->row[2][at], c->row[3][at],
                         c->y_row[c->y_mult * p + c->y_add],
                         c->z_row[c->z_stride[rank - 2] * p + c->z_stride[rank - 1] * q]);
    c->run_row[c->run_stride[rank - 2] * p + c->run_stride[rank - 1] * q]++;
}

static inline void body(struct sweep *c, int rank, const DvmType v[]) {
    double *x = c->a;
    const double *z = c->z;
    int *run = c->runs;
    DvmType index[RANKS + 1] = {0};

    for (int k = 0; k < rank; k++) {
        x += c->stride[k] * v[k];
        z += c->z_stride[k] * v[k];
        run += c->run_stride[k] * v[k];
    }
    make_index(c->y_index, c->y_array->rank, v, index);
    const dvmhx_rows_t y = dvmhx_rows_at(c->y_array, index);
    *x = mixed(*x, x[c->away[0]], x[c->away[1]], x[c->away[2]], x[c->away[3]],
               ((const double *)dvmhx_row(&y, 0, 0))[index[c->y_array->q]], *z);
    (*run)++;
}

#define ARGUMENTS2 DvmType p, DvmType q
#define VALUES2    p, q
#define ARGUMENTS3 DvmType o, DvmType p, DvmType q
#define VALUES3    o, p, q
#define ARGUMENTS4 DvmType m, DvmType o, DvmType p, DvmType q
#define VALUES4    m, o, p, q
#define MAKE_BODIES(rank)                                                                                    \
    static inline void body##rank(struct sweep *c, ARGUMENTS##rank) {                                        \
        const DvmType v[] = {VALUES##rank};                                                                  \
        body(c, rank, v);                                                                                    \
    }                                                                                                        \
    static inline void begin##rank(struct sweep *c, ARGUMENTS##rank) {                                       \
        const DvmType v[] = {VALUES##rank};                                                                  \
        begin(c, rank, v);                                                                                   \
    }                                                                                                        \
    static inline void up##rank(struct sweep *c, ARGUMENTS##rank) {                                          \
        const DvmType v[] = {VALUES##rank};                                                                  \
        row_body(c, rank, 1, v[rank - 2], v[rank - 1]);                                                      \
    }                                                                                                        \
    static inline void down##rank(struct sweep *c, ARGUMENTS##rank) {                                        \
        const DvmType v[] = {VALUES##rank};                                                                  \
        row_body(c, rank, -1, v[rank - 2], v[rank - 1]);                                                     \
    }
MAKE_BODIES(2)
MAKE_BODIES(3)
MAKE_BODIES(4)

#define DVMHX_NAME      rising2
#define DVMHX_RANK      2
#define DVMHX_CONTEXT   struct sweep
#define DVMHX_BODY      body2
#define DVMHX_ROW_BEGIN begin2
#define DVMHX_ROW_BODY  up2
#include <dvmhx_run.h>

#define DVMHX_NAME      falling2
#define DVMHX_RANK      2
#define DVMHX_CONTEXT   struct sweep
#define DVMHX_BODY      body2
#define DVMHX_ROW_BEGIN begin2
#define DVMHX_ROW_BODY  down2
#define DVMHX_ROW_SIGN  (-1)
#include <dvmhx_run.h>

#define DVMHX_NAME      rising3
#define DVMHX_RANK      3
#define DVMHX_CONTEXT   struct sweep
#define DVMHX_BODY      body3
#define DVMHX_ROW_BEGIN begin3
#define DVMHX_ROW_BODY  up3
#include <dvmhx_run.h>

#define DVMHX_NAME      falling3
#define DVMHX_RANK      3
#define DVMHX_CONTEXT   struct sweep
#define DVMHX_BODY      body3
#define DVMHX_ROW_BEGIN begin3
#define DVMHX_ROW_BODY  down3
#define DVMHX_ROW_SIGN  (-1)
#include <dvmhx_run.h>

#define DVMHX_NAME      rising4
#define DVMHX_RANK      4
#define DVMHX_CONTEXT   struct sweep
#define DVMHX_BODY      body4
#define DVMHX_ROW_BEGIN begin4
#define DVMHX_ROW_BODY  up4
#include <dvmhx_run.h>

#define DVMHX_NAME      falling4
#define DVMHX_RANK      4
#define DVMHX_CONTEXT   struct sweep
#define DVMHX_BODY      body4
#define DVMHX_ROW_BEGIN begin4
#define DVMHX_ROW_BODY  down4
#define DVMHX_ROW_SIGN  (-1)
#include <dvmhx_run.h>

#define DVMHX_NAME      free3
#define DVMHX_RANK      3
#define DVMHX_CONTEXT   struct sweep
#define DVMHX_BODY      body3
#define DVMHX_ROW_BEGIN begin3
#define DVMHX_ROW_BODY  up3
#define DVMHX_INDEPENDENT
#include <dvmhx_run.h>

/* An array of a case: where loop variables lead, its layout, its buffer. */
typedef struct lattice {
    DvmType rule[3 * (RANKS + 1)]; /* see make_index */
    rts_layout_t layout;
    double *buffer; /* of exactly the layout's size */
    DvmType stride[RANKS + 1];
    dvmhx_array_t array;
} lattice_t;

typedef struct example {
    int rank;
    bool is_free, is_cut;
    DvmType start[RANKS], step[RANKS], count[RANKS], lag;
    DvmType vector[REFERENCES][RANKS];         /* an iteration reads what lies where n - vector is */
    rts_index_t offset[REFERENCES][RANKS + 1]; /* the same along the axes of x */
    lattice_t x, y;
    double expected[CELLS]; /* x in C order */
    double z[CELLS];
    int runs[CELLS];
    struct sweep sweep;
} example_t;

static example_t example;

/* ---- cases ---- */

static void pick_loop(example_t *e) {
    static const DvmType counts[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 64, 100};
    e->rank = (int)check_random_range(2, RANKS);
    e->is_free = e->rank == 3 && check_random_once_in(4);
    e->is_cut = check_random_once_in(2);
    e->lag = check_random_range(0, 2);
    for (int dim = 0; dim < e->rank; dim++) {
        const bool is_inner = dim >= e->rank - 2;
        e->start[dim] = check_random_range(-9, 9);
        e->step[dim] = (check_random_once_in(2) ? 1 : -1) * (is_inner ? 1 : check_random_range(1, 2));
        e->count[dim] =
            is_inner ? counts[check_random_range(0, e->rank == 2 ? 12 : 9)] : check_random_range(1, 3);
    }
}

/* What the loop's dependences allow to be read: something that ran before, or will after. Tiles run in ascending order of rows,
 * then of fronts: where there are any, no vector may go down in either. */
static void pick_vectors(example_t *e) {
    const int p = e->rank - 2, q = e->rank - 1;
    for (int k = 0; k < REFERENCES; k++) {
        DvmType *const v = e->vector[k], lead = 0;
        DvmType least;
        memset(v, 0, sizeof e->vector[k]);
        if (e->is_free)
            continue;
        for (int dim = 0; dim < p && lead == 0; dim++)
            lead = v[dim] = check_random_range(0, 1);
        for (int dim = 0; dim < p && lead != 0; dim++)
            v[dim] = v[dim] != 0 ? v[dim] : check_random_range(0, 1);
        v[p] = check_random_range(lead != 0 && !e->is_cut ? -2 : 0, 2);
        least = lead == 0 ? 1 - e->lag * v[p] : e->is_cut ? -e->lag * v[p] : -2;
        v[q] = least > 2 ? least : check_random_range(least, least + 2);
        for (int dim = 0, side = check_random_once_in(2) ? 1 : -1; dim < e->rank; dim++)
            v[dim] *= side;
    }
}

/* Which dim walks each axis, and how. The dims' order along axes is `axis_of`. */
static void pick_rule(const example_t *e, lattice_t *l, int axes, int axis_of[]) {
    for (int axis = 0; axis < axes; axis++) {
        l->rule[3 * axis] = axis < e->rank ? axis : -1;
        l->rule[3 * axis + 1] = check_random_once_in(2) ? 1 : -1;
        l->rule[3 * axis + 2] = check_random_range(-9, 9);
    }
    for (int axis = axes - 1; axis > 0; axis--) {
        const int other = (int)check_random_range(0, axis);
        const DvmType kept = l->rule[3 * axis];
        l->rule[3 * axis] = l->rule[3 * other];
        l->rule[3 * other] = kept;
    }
    for (int axis = 0; axis < axes; axis++)
        if (l->rule[3 * axis] >= 0)
            axis_of[l->rule[3 * axis]] = axis;
}

/* The form that matches the loop's fronts: see rts_loop_facts_t in rts/planner.h. */
static rts_status_t pick_layout(const example_t *e, lattice_t *l, const rts_box_t *box, const int axis_of[]) {
    const int axes = box->rank, p = axis_of[e->rank - 1], q = axis_of[e->rank - 2];
    const DvmType sign_p = l->rule[3 * p + 1] * e->step[e->rank - 1];
    const DvmType sign_q = l->rule[3 * q + 1] * e->step[e->rank - 2];
    const rts_index_t align = check_random_once_in(2) ? 1 : check_random_range(2, 16);
    int perm[RANKS + 1], used = 0;
    for (int axis = 0; axis < axes; axis++)
        if (axis != p && axis != q)
            perm[used++] = axis;
    check_random_shuffle(used, perm);
    perm[used++] = p;
    perm[used] = q;
    if (e->lag == 0)
        return rts_layout_plain(box, perm, align, &l->layout);
    return rts_layout_diagonal(box, perm, align, check_random_once_in(2) ? RTS_LAYOUT_SKEW : RTS_LAYOUT_WRAP,
                               1, (int)(e->lag * sign_p * sign_q), &l->layout);
}

/* An array that holds what the loop's iterations touch, and what lies `reach` further. @return false: too large */
static bool make_lattice(const example_t *e, lattice_t *l, int axes, const int axis_of[],
                         const rts_index_t reach[]) {
    rts_box_t box = {.rank = axes};
    for (int axis = 0; axis < axes; axis++) {
        const int dim = (int)l->rule[3 * axis];
        const DvmType from = dim < 0 ? 0 : e->start[dim] * l->rule[3 * axis + 1];
        const DvmType to = dim < 0 ? 0 : from + (e->count[dim] - 1) * e->step[dim] * l->rule[3 * axis + 1];
        const rts_index_t border = reach[axis] + check_random_range(0, 1);
        box.lo[axis] = l->rule[3 * axis + 2] + rts_min(from, to) - border;
        box.hi[axis] = l->rule[3 * axis + 2] + rts_max(from, to) + reach[axis] + check_random_range(1, 2);
    }
    if (!CHECK_EQ_INT(pick_layout(e, l, &box, axis_of), RTS_OK) || l->layout.size > CELLS)
        return false;
    l->buffer = malloc((size_t)l->layout.size * sizeof(double));
    if (l->buffer == NULL)
        return false;
    for (rts_index_t i = 0; i < l->layout.size; i++)
        l->buffer[i] = (double)NAN;
    rows_array_of(&l->layout, l->buffer, l->stride, &l->array);
    return true;
}

/* ---- elements ---- */

static rts_index_t dense_at(const rts_box_t *box, const rts_index_t index[]) {
    rts_index_t at = 0;
    for (int axis = 0; axis < box->rank; axis++)
        at = at * (box->hi[axis] - box->lo[axis]) + index[axis] - box->lo[axis];
    return at;
}

/* Start values, x also where the sequential loop will find them. */
static void fill(lattice_t *l, double *expected) {
    rts_index_t index[RTS_MAX_RANK] = {0};
    memcpy(index, l->layout.box.lo, sizeof index);
    do {
        const double value = (double)check_random_range(-1000, 1000) / 64;
        l->buffer[rts_layout_offset(&l->layout, index)] = value;
        if (expected != NULL)
            expected[dense_at(&l->layout.box, index)] = value;
    } while (next_index(&l->layout.box, index));
}

static void index_of(const lattice_t *l, const DvmType v[], rts_index_t index[]) {
    for (int axis = 0; axis < l->layout.box.rank; axis++) {
        const DvmType dim = l->rule[3 * axis];
        index[axis] = l->rule[3 * axis + 2] + (dim < 0 ? 0 : l->rule[3 * axis + 1] * v[dim]);
    }
}

static void run_sequential(example_t *e) {
    const rts_box_t *const box = &e->x.layout.box;
    rts_box_t loop = {.rank = e->rank};
    rts_index_t n[RTS_MAX_RANK] = {0}, index[RTS_MAX_RANK] = {0};
    for (int dim = 0; dim < e->rank; dim++)
        loop.hi[dim] = e->count[dim];
    do {
        double read[REFERENCES];
        DvmType v[RANKS];
        rts_index_t z_at = 0;
        for (int dim = 0; dim < e->rank; dim++) {
            v[dim] = e->start[dim] + n[dim] * e->step[dim];
            z_at += e->sweep.z_stride[dim] * v[dim];
        }
        index_of(&e->y, v, index);
        const double y = e->y.buffer[rts_layout_offset(&e->y.layout, index)];
        index_of(&e->x, v, index);
        double *const x = e->expected + dense_at(box, index);
        for (int k = 0; k < REFERENCES; k++) {
            rts_index_t other[RTS_MAX_RANK] = {0};
            for (int axis = 0; axis < box->rank; axis++)
                other[axis] = index[axis] + e->offset[k][axis];
            read[k] = e->expected[dense_at(box, other)];
        }
        *x = mixed(*x, read[0], read[1], read[2], read[3], y, e->sweep.z[z_at]);
    } while (next_index(&loop, n));
}

/* ---- the loop through the header ---- */

static void make_sweep(example_t *e) {
    struct sweep *const c = &e->sweep;
    const dvmhx_array_t *const x = &e->x.array;
    DvmType points = 1;
    *c = (struct sweep){.a = (double *)x->base,
                        .x_array = x,
                        .y_array = &e->y.array,
                        .x_index = e->x.rule,
                        .y_index = e->y.rule};
    for (int axis = 0; axis < x->rank; axis++) {
        const DvmType dim = e->x.rule[3 * axis];
        if (dim >= 0)
            c->stride[dim] = x->stride[axis] * e->x.rule[3 * axis + 1];
        if (c->a != NULL)
            c->a += x->stride[axis] * e->x.rule[3 * axis + 2];
        for (int k = 0; k < REFERENCES; k++) {
            c->away[k] += x->stride[axis] * e->offset[k][axis];
            if (axis != x->p && axis != x->q)
                c->plane_offset[k] += x->stride[axis] * e->offset[k][axis];
        }
    }
    for (int k = 0; k < REFERENCES; k++) {
        c->p_offset[k] = e->offset[k][x->p];
        c->q_offset[k] = e->offset[k][x->q];
    }
    c->x_add = e->x.rule[3 * x->q + 2];
    c->y_mult = e->y.rule[3 * e->y.array.q + 1];
    c->y_add = e->y.rule[3 * e->y.array.q + 2];
    /* Iterations and z in C order, upwards in the order of execution; z without one of the two innermost dims, sometimes. */
    const int missing = e->rank - (int)check_random_range(0, 2);
    c->runs = e->runs;
    c->z = e->z;
    for (int dim = e->rank - 1; dim >= 0; dim--) {
        const DvmType direction = e->step[dim] > 0 ? 1 : -1;
        c->run_stride[dim] = points * direction;
        points *= e->count[dim] * e->step[dim] * direction;
        c->z_stride[dim] = dim == missing ? 0 : c->run_stride[dim];
        c->runs -= c->run_stride[dim] * e->start[dim];
        c->z -= c->z_stride[dim] * e->start[dim];
    }
}

static void call(const dvmhx_record_t *record, const example_t *e) {
    const bool falls = e->x.rule[3 * e->x.array.q + 1] < 0;
    struct sweep c = e->sweep;
    if (e->is_free && !falls)
        free3_run(record, &c);
    else if (e->rank == 2)
        falls ? falling2_run(record, &c) : rising2_run(record, &c);
    else if (e->rank == 3)
        falls ? falling3_run(record, &c) : rising3_run(record, &c);
    else
        falls ? falling4_run(record, &c) : rising4_run(record, &c);
}

/* All fronts of rows row_lo .. row_hi - 1 at once, or window by window; the outermost of other dims one by one, or not. */
static void run_rows(const example_t *e, const dvmhx_record_t *record, DvmType row_lo, DvmType row_hi,
                     DvmType window) {
    const int p = e->rank - 2, q = e->rank - 1;
    const DvmType fronts = e->lag * (e->count[p] - 1) + e->count[q];
    dvmhx_record_t portion = *record;
    DvmType start[RANKS], count[RANKS];
    memcpy(start, e->start, sizeof start);
    memcpy(count, e->count, sizeof count);
    start[p] += row_lo * e->step[p];
    count[p] = row_hi - row_lo;
    portion.start = start;
    portion.count = count;
    if (window == 0) {
        call(&portion, e);
        return;
    }
    for (DvmType front = 0; front < fronts; front += window) {
        portion.front_lo = front - e->lag * row_lo;
        portion.front_hi = rts_min(front + window, fronts) - e->lag * row_lo;
        call(&portion, e);
    }
}

static void run_portions(const example_t *e, bool by_rows) {
    const int p = e->rank - 2;
    const DvmType fronts = e->lag * (e->count[p] - 1) + e->count[p + 1];
    const DvmType rows = e->is_cut ? check_random_range(1, e->count[p]) : e->count[p];
    const DvmType window = e->is_cut && check_random_once_in(4) == 0 ? check_random_range(1, fronts) : 0;
    dvmhx_record_t record = {.size = sizeof record,
                             .thread_count = 1,
                             .rank = e->rank,
                             .way = DVMHX_WAY_DIAGONAL,
                             .dependent = e->is_free ? 0 : (1 << e->rank) - 1,
                             .step = e->step,
                             .lag = e->lag,
                             .by_rows = by_rows};
    for (DvmType row = 0; row < e->count[p]; row += rows)
        run_rows(e, &record, row, rts_min(row + rows, e->count[p]), window);
}

static void check_result(const example_t *e) {
    const rts_box_t *const box = &e->x.layout.box;
    rts_index_t n[RTS_MAX_RANK] = {0}, index[RTS_MAX_RANK] = {0}, different = 0, not_once = 0;
    rts_box_t loop = {.rank = e->rank};
    memcpy(index, box->lo, sizeof index);
    do
        different += memcmp(&e->x.buffer[rts_layout_offset(&e->x.layout, index)],
                            &e->expected[dense_at(box, index)], sizeof(double)) != 0;
    while (next_index(box, index));
    for (int dim = 0; dim < e->rank; dim++)
        loop.hi[dim] = e->count[dim];
    do {
        const int *run = e->sweep.runs;
        for (int dim = 0; dim < e->rank; dim++)
            run += e->sweep.run_stride[dim] * (e->start[dim] + n[dim] * e->step[dim]);
        not_once += *run != 1;
    } while (next_index(&loop, n));
    CHECK_EQ_INT(different, 0);
    CHECK_EQ_INT(not_once, 0);
    if (different + not_once > 0) {
        char name[80];
        fprintf(stderr, "  rank %d, lag %ld,%s%s %s, count/step", e->rank, (long)e->lag,
                e->is_free ? " free," : "", e->is_cut ? " tiles," : "",
                rts_layout_name(&e->x.layout, name, sizeof name));
        for (int dim = 0; dim < e->rank; dim++)
            fprintf(stderr, " %ld/%ld", (long)e->count[dim], (long)e->step[dim]);
        fprintf(stderr, "\n");
    }
}

/* Random loops; then a fresh start for the same by strides, where the layout has them. @return false: drawn again */
static bool test_example(example_t *e) {
    int axis_of[RANKS], axes[2];
    rts_index_t reach[2][RANKS + 1] = {{0}};
    pick_loop(e);
    pick_vectors(e);
    memset(e->offset, 0, sizeof e->offset);
    axes[0] = e->rank + check_random_once_in(4);
    axes[1] = e->rank + check_random_once_in(4);
    pick_rule(e, &e->x, axes[0], axis_of);
    for (int k = 0; k < REFERENCES; k++) {
        for (int dim = 0; dim < e->rank; dim++) {
            const int axis = axis_of[dim];
            const rts_index_t offset = -e->vector[k][dim] * e->step[dim] * e->x.rule[3 * axis + 1];
            e->offset[k][axis] = offset;
            reach[0][axis] = rts_max(reach[0][axis], offset < 0 ? -offset : offset);
        }
    }
    if (!make_lattice(e, &e->x, axes[0], axis_of, reach[0]))
        return false;
    pick_rule(e, &e->y, axes[1], axis_of);
    if (!make_lattice(e, &e->y, axes[1], axis_of, reach[1])) {
        free(e->x.buffer);
        return false;
    }
    for (int i = 0; i < CELLS; i++)
        e->z[i] = (double)(i % 127) / 32;
    fill(&e->y, NULL);
    for (int by_rows = 1; by_rows >= !rts_layout_is_affine(&e->x.layout); by_rows--) {
        memset(e->runs, 0, sizeof e->runs);
        fill(&e->x, e->expected);
        make_sweep(e);
        run_portions(e, by_rows);
        run_sequential(e);
        check_result(e);
    }
    free(e->x.buffer);
    free(e->y.buffer);
    return true;
}

int main(void) {
    check_random_start();
    for (int done = 0; done < 1500;)
        done += test_example(&example);
    return check_finish();
}
