/* Dependences between iterations of a parallel loop, from pairs of references to the same array of which one writes. Decides what is
 * known for sure: pairs that cannot meet are left out, pairs that always meet at one distance give a vector, all others are unknown.
 *
 * Reference x in iteration n and y in iteration n' meet where all their subscripts are equal. Each axis says something about n' - n,
 * in iterations: a distance along one dim, nothing, or that they never meet. */
#include <config.h>

#include "compiler-hooks/dvmhcc/name_use.h"
#include "compiler-hooks/dvmhcc/program_inside.h"

#include <string.h>

typedef enum meeting {
    NEVER,
    ANYWHERE, /* no distance is known */
    AT_ONE    /* at the distances that are set */
} meeting_t;

typedef struct pair {
    const dvmhcc_loop_t *loop;
    const dvmhcc_access_t *x, *y;
    bool is_set[DVMHCC_RANK_MAX]; /* dims with a distance */
    int64_t distance[DVMHCC_RANK_MAX];
    bool is_vague; /* an axis ties dims in a way that gives no distance */
    bool is_free;  /* a dim has every distance */
} pair_t;

/* ---- one axis */

/* Whether a known index value is outside of what a loop runs through; sums with variables are compared where these cancel. */
static bool is_outside(const dvmhcc_dim_t *dim, const dvmhcc_linear_t *point) {
    const dvmhcc_linear_t first = dvmhcc_linear_of(dim->first), last = dvmhcc_linear_of(dim->last);
    const dvmhcc_linear_t from_first = dvmhcc_linear_add(point, &first, -1);
    const dvmhcc_linear_t from_last = dvmhcc_linear_add(point, &last, -1);
    const int64_t sign = dim->is_downward ? -1 : 1;
    int64_t value;
    if (dvmhcc_linear_value(&from_first, &value) &&
        ((sign > 0 ? value < 0 : value > 0) || (dim->step_known && value % dim->step_value != 0)))
        return true;
    const bool inclusive =
        dim->relation == DVMHCC_OPERATOR_LESS_EQUAL || dim->relation == DVMHCC_OPERATOR_GREATER_EQUAL;
    if (!dvmhcc_linear_value(&from_last, &value))
        return false;
    return inclusive ? (sign > 0 ? value > 0 : value < 0) : (sign > 0 ? value >= 0 : value <= 0);
}

/* mult * index + add == constant */
static meeting_t meet_constant(pair_t *pair, const dvmhcc_axis_access_t *index,
                               const dvmhcc_axis_access_t *constant) {
    dvmhcc_linear_t point = dvmhcc_linear_add(&constant->add, &index->add, -1);
    int64_t value;
    if (dvmhcc_linear_value(&point, &value)) {
        if (value % index->mult != 0)
            return NEVER;
        point = dvmhcc_linear_constant(value / index->mult);
    } else if (index->mult == -1) {
        const dvmhcc_linear_t zero = dvmhcc_linear_constant(0);
        point = dvmhcc_linear_add(&zero, &point, -1);
    } else if (index->mult != 1) {
        point.is_known = false;
    }
    if (point.is_known && is_outside(&pair->loop->dims[index->dim], &point))
        return NEVER;
    pair->is_vague = true;
    return AT_ONE;
}

static meeting_t set_distance(pair_t *pair, int dim, int64_t distance) {
    if (pair->is_set[dim])
        return pair->distance[dim] == distance ? AT_ONE : NEVER;
    pair->is_set[dim] = true;
    pair->distance[dim] = distance;
    return AT_ONE;
}

/* mult * (index' - index) == x.add - y.add */
static meeting_t meet_same_dim(pair_t *pair, const dvmhcc_axis_access_t *x, const dvmhcc_axis_access_t *y) {
    const dvmhcc_dim_t *dim = &pair->loop->dims[x->dim];
    const dvmhcc_linear_t difference = dvmhcc_linear_add(&x->add, &y->add, -1);
    int64_t value;
    if (!dvmhcc_linear_value(&difference, &value)) {
        pair->is_vague = true;
        return AT_ONE;
    }
    if (value % x->mult != 0)
        return NEVER;
    value /= x->mult;
    if (value == 0)
        return set_distance(pair, x->dim, 0);
    if (!dim->step_known) {
        pair->is_vague = true;
        return AT_ONE;
    }
    if (value % dim->step_value != 0)
        return NEVER;
    value /= dim->step_value;
    if (dim->count_known && (value >= dim->count || value <= -dim->count))
        return NEVER;
    return set_distance(pair, x->dim, value);
}

/* The smallest and the largest value of a subscript. @return false: not known */
static bool range_of(const dvmhcc_loop_t *loop, const dvmhcc_axis_access_t *axis, int64_t *low_p,
                     int64_t *high_p) {
    const dvmhcc_dim_t *dim = &loop->dims[axis->dim];
    const dvmhcc_linear_t first = dvmhcc_linear_of(dim->first);
    int64_t begin, add, length, end;
    if (!dim->count_known || dim->count == 0 || !dvmhcc_linear_value(&first, &begin) ||
        !dvmhcc_linear_value(&axis->add, &add) ||
        __builtin_mul_overflow(dim->count - 1, dim->step_value, &length) ||
        __builtin_add_overflow(begin, length, &end) || __builtin_mul_overflow(begin, axis->mult, &begin) ||
        __builtin_mul_overflow(end, axis->mult, &end) || __builtin_add_overflow(begin, add, &begin) ||
        __builtin_add_overflow(end, add, &end))
        return false;
    *low_p = begin < end ? begin : end;
    *high_p = begin < end ? end : begin;
    return true;
}

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* Different dims, or different multiples of one: where they meet is not at one distance, but perhaps nowhere. */
static meeting_t meet_other_dim(pair_t *pair, const dvmhcc_axis_access_t *x, const dvmhcc_axis_access_t *y) {
    const dvmhcc_linear_t difference = dvmhcc_linear_add(&x->add, &y->add, -1);
    int64_t value, x_low, x_high, y_low, y_high;
    if (dvmhcc_linear_value(&difference, &value) && value % common_divisor(x->mult, y->mult) != 0)
        return NEVER;
    if (range_of(pair->loop, x, &x_low, &x_high) && range_of(pair->loop, y, &y_low, &y_high) &&
        (x_high < y_low || y_high < x_low))
        return NEVER;
    pair->is_vague = true;
    return AT_ONE;
}

static meeting_t meet_axis(pair_t *pair, const dvmhcc_axis_access_t *x, const dvmhcc_axis_access_t *y) {
    if (x->kind == DVMHCC_AXIS_OTHER || y->kind == DVMHCC_AXIS_OTHER)
        return AT_ONE;
    if (x->kind == DVMHCC_AXIS_CONSTANT && y->kind == DVMHCC_AXIS_CONSTANT) {
        const dvmhcc_linear_t difference = dvmhcc_linear_add(&x->add, &y->add, -1);
        int64_t value;
        return dvmhcc_linear_value(&difference, &value) && value != 0 ? NEVER : AT_ONE;
    }
    if (x->kind == DVMHCC_AXIS_CONSTANT)
        return meet_constant(pair, y, x);
    if (y->kind == DVMHCC_AXIS_CONSTANT)
        return meet_constant(pair, x, y);
    return x->dim == y->dim && x->mult == y->mult ? meet_same_dim(pair, x, y) : meet_other_dim(pair, x, y);
}

/* ---- all axes together */

/* A distance that no two iterations under the same guard have. */
static bool is_guarded(const dvmhcc_program_t *program, const pair_t *pair) {
    dvmhcc_linear_t sum;
    int64_t modulus, step = 0;
    if (pair->x->guard == NULL || pair->y->guard == NULL ||
        (pair->x->guard != pair->y->guard &&
         !dvmhcc_same_text(program->unit, pair->x->guard, pair->y->guard)) ||
        !dvmhcc_guard_of(pair->x->guard, &sum, &modulus))
        return false;
    for (int dim = 0; dim < pair->loop->rank; dim++) {
        int64_t product = dvmhcc_linear_take(&sum, pair->loop->dims[dim].index);
        if (__builtin_mul_overflow(product, pair->loop->dims[dim].step_value, &product) ||
            __builtin_mul_overflow(product, pair->distance[dim], &product) ||
            __builtin_add_overflow(step, product, &step) ||
            (pair->distance[dim] != 0 && !pair->loop->dims[dim].step_known))
            return false;
    }
    for (int i = 0; i < sum.count; i++) {
        const dvmhcc_loop_variable_t *variable = dvmhcc_loop_variable(pair->loop, sum.terms[i].entity);
        if (variable != NULL && variable->role != DVMHCC_ROLE_READ)
            return false;
    }
    return step % modulus != 0;
}

/* Where nothing ties one dim and all others are at distance 0, iterations meet at every distance along it: those of 1 imply the rest.
 * With more free dims, no single vector does. */
static meeting_t fill_free_dims(pair_t *pair) {
    int free_dim = -1;
    bool others_zero = true;
    for (int dim = 0; dim < pair->loop->rank; dim++) {
        if (pair->is_set[dim]) {
            others_zero = others_zero && pair->distance[dim] == 0;
            continue;
        }
        if (pair->loop->dims[dim].count_known && pair->loop->dims[dim].count <= 1) {
            pair->distance[dim] = 0;
            continue;
        }
        if (free_dim >= 0)
            return ANYWHERE;
        free_dim = dim;
    }
    if (free_dim < 0)
        return AT_ONE;
    pair->is_free = true;
    pair->distance[free_dim] = 1;
    return others_zero ? AT_ONE : ANYWHERE;
}

static meeting_t meet(const dvmhcc_program_t *program, pair_t *pair, int rank) {
    for (int axis = 0; axis < rank; axis++) {
        if (meet_axis(pair, &pair->x->axes[axis], &pair->y->axes[axis]) == NEVER)
            return NEVER;
    }
    for (int dim = 0; dim < pair->loop->rank; dim++) {
        if (pair->loop->dims[dim].count_known && pair->loop->dims[dim].count == 0)
            return NEVER;
    }
    /* An axis that is vague may still leave just one distance: where all dims have theirs, it can only exclude. */
    bool all_set = true;
    for (int dim = 0; dim < pair->loop->rank; dim++)
        all_set = all_set && pair->is_set[dim];
    if (pair->is_vague && !all_set)
        return ANYWHERE;
    const meeting_t where = all_set ? AT_ONE : fill_free_dims(pair);
    if (where == AT_ONE && all_set && is_guarded(program, pair))
        return NEVER;
    return where;
}

/* ---- vectors */

/* @return -1, 0 or 1: the sign of the first entry that is not 0 */
static int sign_of(const int64_t vector[], int rank) {
    for (int dim = 0; dim < rank; dim++) {
        if (vector[dim] != 0)
            return vector[dim] < 0 ? -1 : 1;
    }
    return 0;
}

/* Add a dependence unless one like it is known: of many pairs at the same distance, the first is enough. */
static void add(dvmhcc_program_t *program, dvmhcc_loop_t *loop, const dvmhcc_dependence_t *found) {
    dvmhcc_dependence_t **tail = &loop->dependences;
    int count = 0;
    for (; *tail != NULL; tail = &(*tail)->next) {
        const dvmhcc_dependence_t *other = *tail;
        if (other->array == found->array && other->kind == found->kind &&
            other->is_known == found->is_known &&
            memcmp(other->vector, found->vector, sizeof found->vector) == 0)
            return;
        count++;
    }
    loop->has_unknown_dependence = loop->has_unknown_dependence || !found->is_known;
    if (count >= DVMHCC_DEPENDENCES_MAX) {
        loop->has_unknown_dependence = loop->has_too_many_dependences = true;
        return;
    }
    dvmhcc_dependence_t *dependence = dvmhcc_program_take(program, sizeof *dependence);
    if (dependence == NULL)
        return;
    *dependence = *found;
    int entries = 0;
    for (int dim = 0; dim < loop->rank; dim++)
        entries += found->vector[dim] != 0 ? 1 : 0;
    dependence->is_corner = found->is_known && entries > 1;
    *tail = dependence;
}

/* Both may read and write: each combination with a write is a dependence, and they differ in kind only. */
static void add_kinds(dvmhcc_program_t *program, dvmhcc_loop_t *loop, dvmhcc_dependence_t *dependence) {
    const dvmhcc_access_t *earlier = dependence->earlier, *later = dependence->later;
    if (!dependence->is_known) {
        add(program, loop, dependence);
        return;
    }
    if (earlier->is_written && later->is_read) {
        dependence->kind = DVMHCC_DEPENDENCE_FLOW;
        add(program, loop, dependence);
    }
    if (earlier->is_read && later->is_written) {
        dependence->kind = DVMHCC_DEPENDENCE_ANTI;
        add(program, loop, dependence);
    }
    if (earlier->is_written && later->is_written) {
        dependence->kind = DVMHCC_DEPENDENCE_OUTPUT;
        add(program, loop, dependence);
    }
}

static void depend(dvmhcc_program_t *program, dvmhcc_loop_t *loop, const dvmhcc_loop_array_t *array,
                   const dvmhcc_access_t *x, const dvmhcc_access_t *y) {
    pair_t pair = {.loop = loop, .x = x, .y = y};
    const meeting_t where = meet(program, &pair, array->array->rank);
    if (where == NEVER)
        return;
    const int sign = where == AT_ONE ? sign_of(pair.distance, loop->rank) : 1;
    if (sign == 0)
        return;
    dvmhcc_dependence_t dependence = {.array = array,
                                      .is_known = where == AT_ONE,
                                      .earlier = sign > 0 ? x : y,
                                      .later = sign > 0 ? y : x};
    for (int dim = 0; dim < loop->rank && where == AT_ONE; dim++)
        dependence.vector[dim] = sign * pair.distance[dim];
    add_kinds(program, loop, &dependence);
    if (!pair.is_free || x == y)
        return;
    /* At every distance along a dim they meet in both orders. */
    dependence.earlier = y;
    dependence.later = x;
    add_kinds(program, loop, &dependence);
}

static void depend_array(dvmhcc_program_t *program, dvmhcc_loop_t *loop, const dvmhcc_loop_array_t *array) {
    for (const dvmhcc_access_t *x = array->accesses; x != NULL; x = x->next) {
        for (const dvmhcc_access_t *y = x; y != NULL; y = y->next) {
            if (x->is_written || y->is_written)
                depend(program, loop, array, x, y);
            if (loop->has_too_many_dependences || program->no_memory)
                return;
        }
    }
}

void dvmhcc_loop_depend(dvmhcc_program_t *program, dvmhcc_loop_t *loop) {
    for (const dvmhcc_loop_array_t *array = loop->arrays; array != NULL; array = array->next) {
        if ((array->intent & DVMHCC_INTENT_OUT) != 0)
            depend_array(program, loop, array);
    }
    for (const dvmhcc_loop_array_t *array = loop->ordinary; array != NULL; array = array->next)
        depend_array(program, loop, array);
}

int dvmhcc_loop_vectors(const dvmhcc_loop_t *loop, int limit, int64_t vectors[][DVMHCC_RANK_MAX]) {
    int count = 0;
    for (const dvmhcc_dependence_t *d = loop->dependences; d != NULL; d = d->next) {
        bool known = !d->is_known;
        for (int i = 0; i < count && !known; i++)
            known = memcmp(vectors[i], d->vector, sizeof d->vector) == 0;
        if (known)
            continue;
        if (count == limit)
            return limit + 1;
        memcpy(vectors[count++], d->vector, sizeof d->vector);
    }
    return count;
}
