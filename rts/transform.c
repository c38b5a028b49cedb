/* Forms for query handlers; see the header. */
#include <config.h>

#include "rts/transform.h"

/* Rows of this many bytes are worth padding to whole sectors. */
#define PADDED_ROW_BYTES   1024
#define PADDING_UNIT_BYTES 128

static bool is_dependent(const rts_transform_facts_t *facts, int dim) {
    return (facts->mask >> (facts->loop_rank - 1 - dim) & 1) != 0;
}

static int dependent_count(const rts_transform_facts_t *facts) {
    int count = 0;
    for (int dim = 0; dim < facts->loop_rank; dim++)
        count += is_dependent(facts, dim);
    return count;
}

/* The innermost dim before `below` that is dependent, or is not; -1: none. */
static int innermost(const rts_transform_facts_t *facts, int below, bool dependent) {
    int dim = below - 1;
    while (dim >= 0 && is_dependent(facts, dim) != dependent)
        dim--;
    return dim;
}

static int axis_of(const rts_transform_facts_t *facts, int dim) {
    for (int axis = 0; axis < facts->rank && dim >= 0; axis++)
        if (facts->dim[axis] == dim)
            return axis;
    return -1;
}

static bool is_home_order(const rts_layout_form_t *form) {
    for (int axis = 0; axis < form->rank; axis++)
        if (form->perm[axis] != axis)
            return false;
    return true;
}

bool rts_transform_fits(const rts_transform_facts_t *facts, const rts_layout_form_t *form) {
    const int rank = form->rank;
    if (form->kind == RTS_LAYOUT_PLAIN)
        return is_home_order(form) || (facts != NULL && !facts->keeps_order);
    if (form->kind != RTS_LAYOUT_PACKED || facts == NULL || facts->keeps_straight)
        return false;
    for (int place = 0; place < rank && facts->keeps_order; place++)
        if (place < rank - 2 && form->perm[place] != place)
            return false;
    if (facts->is_fortran)
        return dependent_count(facts) >= 2 && form->perm[rank - 2] >= rank - 2 &&
               form->perm[rank - 1] >= rank - 2;
    return dependent_count(facts) >= 2 && form->b > 0;
}

/* Exchange with home's fastest axis. */
static void make_fastest(const rts_transform_facts_t *facts, int axis, rts_layout_form_t *form) {
    const int last = facts->rank - 1;
    const size_t row_bytes = (size_t)facts->extent[axis] * facts->element_bytes;
    form->perm[axis] = last;
    form->perm[last] = axis;
    if (row_bytes >= PADDED_ROW_BYTES && PADDING_UNIT_BYTES % facts->element_bytes == 0)
        form->pitch_align = (rts_index_t)(PADDING_UNIT_BYTES / facts->element_bytes);
}

/* The pair last, the axis that is the faster one at home first of the two: the DVM-system's x. */
static void make_diagonal(const rts_transform_facts_t *facts, int x, int y, rts_layout_form_t *form) {
    int place = 0;
    form->kind = RTS_LAYOUT_PACKED;
    form->a = 1;
    form->b = facts->sign[x] * facts->sign[y];
    for (int axis = 0; axis < facts->rank; axis++)
        if (axis != x && axis != y)
            form->perm[place++] = axis;
    form->perm[place++] = x;
    form->perm[place] = y;
}

/* The form that the loop's order of iterations wants. @return false when it wants none */
static bool find_wanted(const rts_transform_facts_t *facts, rts_layout_form_t *form) {
    *form = rts_layout_form_home(facts->rank);
    if (dependent_count(facts) <= 1) {
        const int axis = axis_of(facts, innermost(facts, facts->loop_rank, false));
        if (axis < 0)
            return false;
        if (axis != facts->rank - 1)
            make_fastest(facts, axis, form);
        return true;
    }
    const int inner = innermost(facts, facts->loop_rank, true), outer = innermost(facts, inner, true);
    const int one = axis_of(facts, inner), other = axis_of(facts, outer);
    if (one < 0 || other < 0 || facts->extent[one] == 1 || facts->extent[other] == 1)
        return false;
    make_diagonal(facts, one > other ? one : other, one > other ? other : one, form);
    return true;
}

/* Already as the loop wants it, if maybe not quite as it would be made. */
static bool serves(const rts_layout_form_t *present, const rts_layout_form_t *wanted) {
    const int rank = present->rank;
    if (present->kind != wanted->kind || present->b != wanted->b)
        return false;
    if (present->kind == RTS_LAYOUT_PLAIN)
        return present->perm[rank - 1] == wanted->perm[rank - 1];
    return (present->perm[rank - 1] == wanted->perm[rank - 1] &&
            present->perm[rank - 2] == wanted->perm[rank - 2]) ||
           (present->perm[rank - 1] == wanted->perm[rank - 2] &&
            present->perm[rank - 2] == wanted->perm[rank - 1]);
}

rts_layout_form_t rts_transform_choose(const rts_transform_facts_t *facts, const rts_layout_form_t *present) {
    const bool keeps = rts_transform_fits(facts, present);
    rts_layout_form_t wanted;
    if (facts->rank >= 2 && find_wanted(facts, &wanted) && rts_transform_fits(facts, &wanted) &&
        !(keeps && serves(present, &wanted)))
        return wanted;
    return keeps ? *present : rts_layout_form_home(facts->rank);
}

/* Indices are the user's, so that the sums of all terms must fit, not only the size. Axes of diagonals are counted from where they
 * begin. */
bool rts_transform_fits_int(const rts_layout_t *layout) {
    rts_index_t reach = layout->origin < 0 ? -layout->origin : layout->origin;
    if (!rts_layout_is_affine(layout))
        reach += layout->rows * layout->pitch;
    for (int axis = 0; axis < layout->box.rank; axis++) {
        const rts_index_t far = rts_max(layout->box.hi[axis], -layout->box.lo[axis]);
        const rts_index_t stride = layout->stride[axis];
        reach += (stride < 0 ? -stride : stride) * far; /* skewed layouts may run backwards */
    }
    return reach <= INT32_MAX;
}
