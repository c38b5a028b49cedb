/* Boxes and sets of boxes. Decides how a set is cut and merged; not what its points mean.
 *
 * A set is a list of disjoint boxes. Operations that need room build their result behind the end of the list,
 * in the spare capacity, and commit by changing the count: running out of memory half-way leaves the set as
 * it was. Sizes saturate at the largest rts_index_t. */
#include <config.h>

#include "rts/box.h"

#include "rts/memory.h"

#include <string.h>

#define FIRST_CAPACITY 4

/* Boxes */

bool rts_box_is_empty(const rts_box_t *box) {
    for (int i = 0; i < box->rank; i++)
        if (box->lo[i] >= box->hi[i])
            return true;
    return false;
}

rts_index_t rts_box_size(const rts_box_t *box) {
    rts_index_t size = 1;
    if (rts_box_is_empty(box))
        return 0;
    for (int i = 0; i < box->rank; i++) {
        rts_index_t extent;
        if (__builtin_sub_overflow(box->hi[i], box->lo[i], &extent) ||
            __builtin_mul_overflow(size, extent, &size))
            return INT64_MAX;
    }
    return size;
}

bool rts_box_equal(const rts_box_t *a, const rts_box_t *b) {
    if (a->rank != b->rank)
        return false;
    const bool empty = rts_box_is_empty(a);
    if (empty || rts_box_is_empty(b))
        return empty && rts_box_is_empty(b);
    for (int i = 0; i < a->rank; i++)
        if (a->lo[i] != b->lo[i] || a->hi[i] != b->hi[i])
            return false;
    return true;
}

bool rts_box_contains(const rts_box_t *outer, const rts_box_t *inner) {
    RTS_ASSERT(outer->rank == inner->rank);
    if (rts_box_is_empty(inner))
        return true;
    for (int i = 0; i < inner->rank; i++)
        if (inner->lo[i] < outer->lo[i] || inner->hi[i] > outer->hi[i])
            return false;
    return true;
}

bool rts_box_has_point(const rts_box_t *box, const rts_index_t index[]) {
    for (int i = 0; i < box->rank; i++)
        if (index[i] < box->lo[i] || index[i] >= box->hi[i])
            return false;
    return true;
}

rts_box_t rts_box_intersect(const rts_box_t *a, const rts_box_t *b) {
    RTS_ASSERT(a->rank == b->rank);
    rts_box_t both = {.rank = a->rank};
    for (int i = 0; i < a->rank; i++) {
        both.lo[i] = rts_max(a->lo[i], b->lo[i]);
        both.hi[i] = rts_min(a->hi[i], b->hi[i]);
    }
    return both;
}

rts_box_t rts_box_empty(int rank) {
    /* Rank 0 has no axis to be empty in: its only box is one point. */
    return (rts_box_t){.rank = rank};
}

rts_box_t rts_box_run(const rts_box_t *box, rts_index_t first, rts_index_t end) {
    rts_box_t run = *box;
    rts_index_t rows = rts_box_size(box); /* points behind one index of the axis */
    RTS_ASSERT(first >= 0 && first < end && end <= rows);
    for (int axis = 0; axis < box->rank; axis++) {
        const rts_index_t extent = box->hi[axis] - box->lo[axis];
        rows /= extent;
        const rts_index_t index = first / rows % extent, left = (end - first) / rows;
        run.lo[axis] = box->lo[axis] + index;
        run.hi[axis] = run.lo[axis] + 1;
        if (first % rows == 0 && left > 0) { /* whole rows, as many as there are; axes inside stay whole */
            run.hi[axis] = run.lo[axis] + rts_min(extent - index, left);
            break;
        }
    }
    return run;
}

static bool boxes_meet(const rts_box_t *a, const rts_box_t *b) {
    for (int i = 0; i < a->rank; i++)
        if (rts_max(a->lo[i], b->lo[i]) >= rts_min(a->hi[i], b->hi[i]))
            return false;
    return true;
}

/* a minus b, for boxes that meet, as at most 2 * rank disjoint boxes. @return their number
 * Cut along axis 0 first: the largest pieces are then whole rows of a plain array. */
static int cut(const rts_box_t *a, const rts_box_t *b, rts_box_t pieces_p[2 * RTS_MAX_RANK]) {
    rts_box_t rest = *a;
    int count = 0;
    for (int i = 0; i < a->rank; i++) {
        if (rest.lo[i] < b->lo[i]) {
            pieces_p[count] = rest;
            pieces_p[count++].hi[i] = b->lo[i];
            rest.lo[i] = b->lo[i];
        }
        if (rest.hi[i] > b->hi[i]) {
            pieces_p[count] = rest;
            pieces_p[count++].lo[i] = b->hi[i];
            rest.hi[i] = b->hi[i];
        }
    }
    return count;
}

/* Make `a` the union of itself and a disjoint box where that is a box: they touch in one axis and agree in
 * the others. */
static bool join(rts_box_t *a, const rts_box_t *b) {
    int axis = -1;
    for (int i = 0; i < a->rank; i++) {
        if (a->lo[i] == b->lo[i] && a->hi[i] == b->hi[i])
            continue;
        if (axis >= 0 || (a->hi[i] != b->lo[i] && b->hi[i] != a->lo[i]))
            return false;
        axis = i;
    }
    if (axis < 0)
        return false;
    a->lo[axis] = rts_min(a->lo[axis], b->lo[axis]);
    a->hi[axis] = rts_max(a->hi[axis], b->hi[axis]);
    return true;
}

/* Sets */

void rts_boxset_init(rts_boxset_t *set, int rank) {
    *set = (rts_boxset_t){.rank = rank};
}

void rts_boxset_free(rts_boxset_t *set) {
    rts_free(set->boxes);
    rts_boxset_init(set, set->rank);
}

void rts_boxset_clear(rts_boxset_t *set) {
    set->count = 0;
}

/* Room for `used` boxes in the list, of which the first `keep` are kept. */
static rts_status_t reserve(rts_boxset_t *set, int keep, int used) {
    if (used <= set->capacity)
        return RTS_OK;
    if (used > INT32_MAX / 2)
        return rts_fail(RTS_ERR_NO_MEMORY, "a set of more than %d boxes", INT32_MAX / 2);
    int capacity = set->capacity > 0 ? 2 * set->capacity : FIRST_CAPACITY;
    if (capacity < used)
        capacity = used;
    const size_t bytes = (size_t)capacity * sizeof *set->boxes;
    rts_box_t *boxes = rts_realloc(set->boxes, (size_t)keep * sizeof *boxes, bytes);
    if (boxes == NULL)
        return rts_fail_memory("a set of boxes", bytes);
    set->boxes = boxes;
    set->capacity = capacity;
    return RTS_OK;
}

/* Cut `hole` out of the boxes at places first .. end-1 of the list; the pieces stay there, and *end_p becomes
 * the new end. */
static rts_status_t cut_range(rts_boxset_t *set, int first, int *end_p, const rts_box_t *hole) {
    int end = *end_p;
    int place = first;
    int last = end; /* pieces appended from here on do not meet the hole */
    while (place < last) {
        if (!boxes_meet(&set->boxes[place], hole)) {
            place++;
            continue;
        }
        rts_box_t pieces[2 * RTS_MAX_RANK];
        const int count = cut(&set->boxes[place], hole, pieces);
        RTS_TRY(reserve(set, end, end + count));
        memcpy(&set->boxes[end], pieces, (size_t)count * sizeof *pieces);
        end += count;
        /* Close the gap: the last box not looked at yet comes here, the last piece to its place. */
        set->boxes[place] = set->boxes[--last];
        set->boxes[last] = set->boxes[--end];
    }
    *end_p = end;
    return RTS_OK;
}

/* Where the boxes together fill the box around them, they are that box. This finds what pairwise joining
 * misses, such as tiles that turn around a middle one. */
static void fill_hull(rts_boxset_t *set) {
    if (set->count < 2)
        return;
    rts_box_t hull = set->boxes[0];
    for (int k = 1; k < set->count; k++)
        for (int i = 0; i < set->rank; i++) {
            hull.lo[i] = rts_min(hull.lo[i], set->boxes[k].lo[i]);
            hull.hi[i] = rts_max(hull.hi[i], set->boxes[k].hi[i]);
        }
    const rts_index_t size = rts_box_size(&hull);
    if (size < INT64_MAX && rts_boxset_size(set) == size) {
        set->boxes[0] = hull;
        set->count = 1;
    }
}

/* Join the boxes from place `first` on, which are new, with whatever fits. */
static void compact(rts_boxset_t *set, int first) {
    rts_box_t *const boxes = set->boxes;
    while (first < set->count) {
        int k = 0;
        while (k < first && !join(&boxes[first], &boxes[k]))
            k++;
        if (k == first) {
            first++;
            continue;
        }
        /* boxes[first] grew and is tried again; the box it swallowed is replaced by the last of the settled
         * ones. */
        first--;
        boxes[k] = boxes[first];
        boxes[first] = boxes[first + 1];
        boxes[first + 1] = boxes[--set->count];
    }
    fill_hull(set);
}

/* For assertions: quadratic. */
static bool is_disjoint(const rts_boxset_t *set) {
    for (int a = 0; a < set->count; a++)
        for (int b = 0; b < a; b++)
            if (boxes_meet(&set->boxes[a], &set->boxes[b]))
                return false;
    return true;
}

rts_status_t rts_boxset_add(rts_boxset_t *set, const rts_box_t *box) {
    RTS_ASSERT(box->rank == set->rank);
    if (rts_boxset_contains(set, box))
        return RTS_OK; /* the usual case; allocates nothing */

    /* Behind the list: what of the box is new, not counting boxes that it swallows whole. */
    const rts_box_t added = *box; /* it may stand in the list itself */
    int end = set->count + 1;
    RTS_TRY(reserve(set, set->count, end));
    set->boxes[set->count] = added;
    for (int k = 0; k < set->count; k++) {
        const rts_box_t old = set->boxes[k]; /* the list may move */
        if (!rts_box_contains(&added, &old))
            RTS_TRY(cut_range(set, set->count, &end, &old));
    }

    int kept = 0;
    for (int k = 0; k < set->count; k++)
        if (!rts_box_contains(&added, &set->boxes[k]))
            set->boxes[kept++] = set->boxes[k];
    memmove(&set->boxes[kept], &set->boxes[set->count], (size_t)(end - set->count) * sizeof added);
    set->count = kept + end - set->count;
    compact(set, kept);
    RTS_ASSERT_SLOW(is_disjoint(set));
    return RTS_OK;
}

rts_status_t rts_boxset_subtract(rts_boxset_t *set, const rts_box_t *box) {
    RTS_ASSERT(box->rank == set->rank);
    if (rts_box_is_empty(box))
        return RTS_OK;
    /* First only count, so that nothing is changed before there is room for everything. */
    const rts_box_t hole = *box;
    rts_box_t pieces[2 * RTS_MAX_RANK];
    int most = set->count;
    int untouched = 0;
    for (int k = 0; k < set->count; k++) {
        if (boxes_meet(&set->boxes[k], &hole))
            most += cut(&set->boxes[k], &hole, pieces);
        else
            untouched++;
    }
    if (untouched == set->count)
        return RTS_OK;
    RTS_TRY(reserve(set, set->count, most));
    int end = set->count;
    RTS_TRY(cut_range(set, 0, &end, &hole)); /* cannot fail: there is room */
    set->count = end;
    compact(set, untouched);
    return RTS_OK;
}

rts_status_t rts_boxset_copy(rts_boxset_t *to, const rts_boxset_t *from) {
    if (to == from)
        return RTS_OK;
    RTS_TRY(reserve(to, to->count, from->count));
    if (from->count > 0)
        memcpy(to->boxes, from->boxes, (size_t)from->count * sizeof *from->boxes);
    to->count = from->count;
    to->rank = from->rank;
    return RTS_OK;
}

bool rts_boxset_contains(const rts_boxset_t *set, const rts_box_t *box) {
    RTS_ASSERT(box->rank == set->rank);
    if (rts_box_is_empty(box))
        return true;
    /* The set's boxes are disjoint, so the box is covered when the parts that they cover add up to it. */
    rts_index_t covered = 0;
    for (int k = 0; k < set->count; k++) {
        if (rts_box_contains(&set->boxes[k], box))
            return true;
        const rts_box_t both = rts_box_intersect(&set->boxes[k], box);
        if (__builtin_add_overflow(covered, rts_box_size(&both), &covered))
            return false;
    }
    /* Where counts saturate nothing is known, and "no" is the safe answer. */
    const rts_index_t size = rts_box_size(box);
    return size < INT64_MAX && covered == size;
}

bool rts_boxset_has_point(const rts_boxset_t *set, const rts_index_t index[]) {
    for (int k = 0; k < set->count; k++)
        if (rts_box_has_point(&set->boxes[k], index))
            return true;
    return false;
}

rts_index_t rts_boxset_size(const rts_boxset_t *set) {
    rts_index_t size = 0;
    for (int k = 0; k < set->count; k++)
        if (__builtin_add_overflow(size, rts_box_size(&set->boxes[k]), &size))
            return INT64_MAX;
    return size;
}

rts_status_t rts_boxset_missing(const rts_boxset_t *set, const rts_box_t *box, rts_boxset_t *out) {
    RTS_ASSERT(box->rank == set->rank && out != set);
    if (rts_boxset_contains(set, box)) {
        out->rank = set->rank;
        out->count = 0;
        return RTS_OK;
    }
    const rts_box_t whole = *box;
    int end = out->count + 1;
    RTS_TRY(reserve(out, out->count, end));
    out->boxes[out->count] = whole;
    for (int k = 0; k < set->count; k++)
        RTS_TRY(cut_range(out, out->count, &end, &set->boxes[k]));
    memmove(out->boxes, &out->boxes[out->count], (size_t)(end - out->count) * sizeof whole);
    out->count = end - out->count;
    out->rank = set->rank;
    compact(out, 0);
    return RTS_OK;
}
