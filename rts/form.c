/* Forms of arrays under a loop: see the header. Distances in memory come from the strides that rts_layout_make gives, so that this
 * file has no formula of a layout but the one condition that makes a form match. */
#include <config.h>

#include "rts/form.h"

#include <string.h>

#define LINE_BYTES   64
#define SECTOR_BYTES 32  /* what a GPU's memory moves at least */
#define VECTOR_BYTES 64  /* of short vectors; see is_vector */
#define VECTOR_WASTE 1.5 /* of reading them component by component */

enum { INTENT_READ = 1, INTENT_WRITE = 2 };

rts_layout_form_t rts_form_of(const rts_loop_facts_t *facts, const rts_layout_form_t form[], int i) {
    return form != NULL ? form[i] : rts_layout_form_home(facts->arrays[i].rank);
}

bool rts_form_is_allowed(const rts_array_facts_t *array, const rts_layout_form_t *form) {
    if (form->rank != array->rank || form->kind == RTS_LAYOUT_PACKED)
        return false;
    if (form->kind != RTS_LAYOUT_PLAIN && (array->forbidden >> form->kind & 1) != 0)
        return false;
    for (int i = 0; i < array->rank && (array->forbidden >> RTS_LAYOUT_PLAIN & 1) != 0; i++)
        if (form->perm[i] != i)
            return false;
    return true;
}

bool rts_form_has_plane(const rts_loop_facts_t *facts, const rts_array_facts_t *array) {
    bool has_row = false, has_column = false;
    for (int axis = 0; axis < array->rank && facts->rank >= 2; axis++) {
        has_row = has_row || array->dim[axis] == facts->rank - 2;
        has_column = has_column || array->dim[axis] == facts->rank - 1;
    }
    return has_row && has_column;
}

bool rts_form_matches(const rts_loop_facts_t *facts, const rts_array_facts_t *array,
                      const rts_layout_form_t *form, rts_index_t lag) {
    const int row = facts->rank - 2, column = facts->rank - 1;
    if (facts->rank < 2 || array->rank < 2 || form->rank != array->rank)
        return false;
    if ((facts->unit_steps >> row & 3) != 3) /* column = row + 1 */
        return false;
    const int p = form->perm[array->rank - 2], q = form->perm[array->rank - 1];
    for (int axis = 0; axis < array->rank; axis++)
        if ((array->dim[axis] == row) != (axis == q) || (array->dim[axis] == column) != (axis == p))
            return false;
    if (lag == 0)
        return form->kind == RTS_LAYOUT_PLAIN;
    return (form->kind == RTS_LAYOUT_SKEW || form->kind == RTS_LAYOUT_WRAP) && form->a == 1 &&
           form->b == lag * array->sign[p] * array->sign[q];
}

bool rts_form_front_lag(const rts_loop_facts_t *facts, rts_index_t *lag_p) {
    return facts->body == RTS_BODY_RECORD && facts->rank >= 2 && !facts->no_tiles &&
           rts_dependences_lag(&facts->dependences, lag_p);
}

/* Nothing is known of how the loop walks the array: where the body expects its rows cannot be told. */
static bool is_unknown(const rts_array_facts_t *array) {
    for (int axis = 0; axis < array->rank; axis++)
        if (array->dim[axis] >= 0)
            return false;
    return true;
}

bool rts_forms_are_by_rows(const rts_loop_facts_t *facts, const rts_layout_form_t form[], rts_index_t lag) {
    rts_index_t least;
    bool any = false;
    if (facts->arrays == NULL || !rts_form_front_lag(facts, &least) || lag < least)
        return false;
    for (int i = 0; i < facts->array_count; i++) {
        const rts_array_facts_t *array = &facts->arrays[i];
        if (array->by_rows && is_unknown(array))
            return false;
        if (!array->by_rows || !rts_form_has_plane(facts, array))
            continue;
        const rts_layout_form_t its = rts_form_of(facts, form, i);
        if (!rts_form_matches(facts, array, &its, lag))
            return false;
        any = true;
    }
    return any;
}

bool rts_forms_rows_lag(const rts_loop_facts_t *facts, const rts_layout_form_t form[], rts_index_t *lag_p) {
    for (rts_index_t lag = 0; lag <= RTS_FORM_MAX_LAG; lag++)
        if (rts_forms_are_by_rows(facts, form, lag)) {
            *lag_p = lag;
            return true;
        }
    return false;
}

bool rts_forms_are_legal(const rts_loop_facts_t *facts, const rts_layout_form_t form[]) {
    rts_index_t lag = 0;
    const bool by_rows = rts_forms_rows_lag(facts, form, &lag);
    for (int i = 0; i < facts->array_count && form != NULL; i++) {
        const rts_array_facts_t *array = &facts->arrays[i];
        if (!rts_form_is_allowed(array, &form[i]))
            return false;
        if (form[i].kind == RTS_LAYOUT_WRAP &&
            (!by_rows || (facts->front_lag > 0 && lag != facts->front_lag) || !array->by_rows ||
             !rts_form_matches(facts, array, &form[i], lag)))
            return false;
    }
    return true;
}

/* ---- distances ---- */

/* One array in one form. */
typedef struct placed {
    const rts_array_facts_t *array;
    rts_layout_form_t form;
    bool has_strides;
    rts_layout_t layout;
    double bytes; /* touched by the loop */
} placed_t;

static placed_t place(const rts_loop_facts_t *facts, const rts_layout_form_t form[], int i) {
    placed_t placed = {.array = &facts->arrays[i], .form = rts_form_of(facts, form, i)};
    rts_box_t box = {.rank = placed.array->rank};
    double elements = 1, iterations = 1;
    for (int axis = 0; axis < box.rank; axis++) {
        box.hi[axis] = placed.array->extent[axis];
        elements *= (double)box.hi[axis];
    }
    for (int dim = 0; dim < facts->rank; dim++)
        iterations *= (double)facts->count[dim];
    placed.bytes = (elements < iterations ? elements : iterations) * (double)placed.array->element_bytes;
    /* Too large for any buffer: then nothing is near, and nothing will be placed so either. */
    placed.has_strides =
        placed.form.kind != RTS_LAYOUT_WRAP && rts_layout_make(&box, &placed.form, &placed.layout) == RTS_OK;
    return placed;
}

/* Elements from an iteration to the one `step` further, step by dim. @return false when that is not the same everywhere */
static bool distance(const rts_loop_facts_t *facts, const placed_t *placed, const rts_index_t step[],
                     rts_index_t *distance_p) {
    rts_index_t sum = 0;
    if (!placed->has_strides)
        return false;
    for (int axis = 0; axis < placed->array->rank; axis++) {
        const int dim = placed->array->dim[axis];
        rts_index_t part;
        if (dim < 0 || dim >= facts->rank || step[dim] == 0 || placed->array->extent[axis] == 1)
            continue;
        if (__builtin_mul_overflow(placed->layout.stride[axis], placed->array->sign[axis] * step[dim],
                                   &part) ||
            __builtin_add_overflow(sum, part, &sum))
            return false;
    }
    *distance_p = sum;
    return true;
}

static bool is_near(const placed_t *placed, rts_index_t elements) {
    const rts_index_t limit = rts_max(1, LINE_BYTES / (rts_index_t)placed->array->element_bytes);
    return elements >= -limit && elements <= limit;
}

static bool is_near_along(const rts_loop_facts_t *facts, const placed_t *placed, const rts_index_t step[]) {
    rts_index_t elements;
    return distance(facts, placed, step, &elements) && is_near(placed, elements);
}

/* Whether fronts of a lag, which the order of the loop allows, are contiguous enough for the ordinary body. */
static bool follows_fronts(const rts_loop_facts_t *facts, const rts_layout_form_t form[], rts_index_t lag) {
    rts_index_t step[RTS_MAX_RANK] = {0};
    bool any = false;
    step[facts->rank - 2] = 1;
    step[facts->rank - 1] = -lag;
    for (int i = 0; i < facts->array_count; i++) {
        const placed_t placed = place(facts, form, i);
        if (!rts_form_has_plane(facts, placed.array))
            continue;
        if (!is_near_along(facts, &placed, step))
            return false;
        any = true;
    }
    return any;
}

/* The array's fastest axis, and no other, is walked by the innermost dim, upwards and element by element. */
static bool can_stream_array(const rts_loop_facts_t *facts, const placed_t *placed) {
    const rts_array_facts_t *array = placed->array;
    const int last = facts->rank - 1, rank = array->rank;
    if (rank == 0 || last < 0 || placed->form.kind != RTS_LAYOUT_PLAIN ||
        (facts->unit_steps >> last & 1) == 0)
        return false;
    for (int i = 0; i < rank - 1; i++)
        if (array->dim[placed->form.perm[i]] == last)
            return false;
    const int q = placed->form.perm[rank - 1];
    return array->dim[q] == last && array->sign[q] > 0;
}

static void add_votes(const rts_loop_facts_t *facts, const placed_t *placed, double votes[]) {
    for (int dim = 0; dim < facts->rank; dim++) {
        rts_index_t step[RTS_MAX_RANK] = {0}, elements = 0;
        step[dim] = 1;
        if (distance(facts, placed, step, &elements) && elements != 0 && is_near(placed, elements))
            votes[dim] += placed->bytes;
    }
}

void rts_walk_make(const rts_loop_facts_t *facts, const rts_layout_form_t form[], rts_walk_t *walk_p) {
    const int last = facts->rank - 1;
    rts_walk_t walk = {.form = form, .contiguous_dim = facts->contiguous_dim, .can_stream = true};
    double votes[RTS_MAX_RANK] = {0}, bytes = 0, far = 0, far_on_fronts = 0;
    walk.is_by_rows = rts_forms_rows_lag(facts, form, &walk.lag);
    rts_index_t lag;
    if (facts->arrays != NULL && !walk.is_by_rows && rts_form_front_lag(facts, &lag))
        for (; lag <= RTS_FORM_MAX_LAG && !walk.is_along_fronts; lag++)
            if (follows_fronts(facts, form, lag)) {
                walk.is_along_fronts = true;
                walk.lag = lag;
            }
    rts_index_t inner[RTS_MAX_RANK] = {0}, front[RTS_MAX_RANK] = {0};
    if (last >= 0)
        inner[last] = 1;
    if (last >= 1) {
        front[last - 1] = 1;
        front[last] = -walk.lag;
    }
    for (int i = 0; i < facts->array_count && facts->arrays != NULL; i++) {
        const placed_t placed = place(facts, form, i);
        const int intent = placed.array->intent;
        const bool is_row = walk.is_by_rows && rts_form_matches(facts, placed.array, &placed.form, walk.lag);
        bytes += placed.bytes;
        walk.moved_bytes += placed.bytes * (((intent & INTENT_READ) != 0) + ((intent & INTENT_WRITE) != 0));
        far += is_near_along(facts, &placed, inner) ? 0 : placed.bytes;
        far_on_fronts += is_row || is_near_along(facts, &placed, front) ? 0 : placed.bytes;
        walk.needs_rows = walk.needs_rows || placed.form.kind == RTS_LAYOUT_WRAP;
        walk.can_stream = walk.can_stream && (intent != INTENT_WRITE || can_stream_array(facts, &placed));
        add_votes(facts, &placed, votes);
    }
    if (bytes > 0) {
        walk.far = far / bytes;
        walk.far_on_fronts = far_on_fronts / bytes;
    }
    if (form == NULL) {
        walk.far = facts->contiguous_dim >= 0 && facts->contiguous_dim != last ? 1 : 0;
    } else {
        walk.contiguous_dim = -1;
        for (int dim = last; dim >= 0; dim--)
            if (votes[dim] > (walk.contiguous_dim < 0 ? 0 : votes[walk.contiguous_dim]))
                walk.contiguous_dim = dim;
    }
    *walk_p = walk;
}

/* What lies between neighbours along the fastest axis that is walked: components of vectors, all used by the same iteration, which caches
 * keep until the last one is, where there are few. */
static bool is_vector(const placed_t *placed, double apart) {
    double components = 1;
    for (int i = placed->array->rank - 1; i >= 0 && placed->array->dim[placed->form.perm[i]] < 0; i--)
        components *= (double)placed->array->extent[placed->form.perm[i]];
    return components > 1 && apart == components &&
           components * (double)placed->array->element_bytes <= VECTOR_BYTES;
}

/* Sectors that a warp touches, in bytes a byte used; neighbours that are not the same distance apart everywhere share none. */
static double sector_waste(const rts_loop_facts_t *facts, const placed_t *placed, const rts_index_t step[]) {
    const double bytes = (double)placed->array->element_bytes;
    const double worst = bytes < SECTOR_BYTES ? SECTOR_BYTES / bytes : 1;
    rts_index_t elements;
    if (!distance(facts, placed, step, &elements))
        return worst;
    const double apart = (double)(elements < 0 ? -elements : elements);
    if (is_vector(placed, apart))
        return apart < VECTOR_WASTE ? apart : VECTOR_WASTE;
    return apart <= 1 ? 1 : apart < worst ? apart : worst;
}

double rts_form_sector_bytes(const rts_loop_facts_t *facts, const rts_layout_form_t form[],
                             const rts_index_t step[]) {
    double sum = 0;
    for (int i = 0; i < facts->array_count && facts->arrays != NULL; i++) {
        const placed_t placed = place(facts, form, i);
        const int intent = placed.array->intent;
        sum += placed.bytes * (((intent & INTENT_READ) != 0) + ((intent & INTENT_WRITE) != 0)) *
               sector_waste(facts, &placed, step);
    }
    if (facts->arrays == NULL) { /* all that is known is which dim is contiguous, if that */
        double iterations = 1;
        bool is_near = true;
        for (int dim = 0; dim < facts->rank; dim++) {
            iterations *= (double)facts->count[dim];
            is_near = is_near && (step[dim] == 0) == (dim != facts->contiguous_dim);
        }
        const double bytes = (double)facts->element_bytes;
        sum = iterations * bytes * facts->array_count *
              (is_near || bytes >= SECTOR_BYTES ? 1 : SECTOR_BYTES / bytes);
    }
    return sum;
}
