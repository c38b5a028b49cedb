/* Making, inverting, comparing and naming layouts and forms. Decides strides and padding from what the caller
 * wants; not which layout is a good one. Affine offsets stand in the header, so that they inline; all arithmetic
 * inside a plane stands in rts/layout_index.h. */
#include <config.h>

#include "rts/layout.h"

#include <stdarg.h>
#include <stdio.h>

static rts_status_t check_perm(int rank, const int perm[]) {
    unsigned seen = 0;
    for (int i = 0; i < rank; i++) {
        if (perm[i] < 0 || perm[i] >= rank || (seen >> perm[i] & 1) != 0)
            return rts_fail(RTS_ERR_INVALID,
                            "the order of axes has %d at place %d; allowed: each of 0..%d exactly once",
                            perm[i], i, rank - 1);
        seen |= 1u << perm[i];
    }
    return RTS_OK;
}

/* Rows of the plane, of extents n_p and n_q that are at least 1; how many values d has must fit, too.
 *
 * WRAP takes the fewest rows R with which no two elements meet. Elements of different columns never meet. In
 * one column the row is a * i_p plus a constant (which b decides), modulo R, so that a * i_p must differ
 * modulo R for all i_p in [0, n_p). R >= n_p is necessary: n_p elements in R rows. a = 1: R = n_p suffices.
 * a = 2: 2 * i and 2 * k meet where R / gcd(2, R) divides i - k. So an odd R >= n_p suffices, and an even R
 * needs R / 2 >= n_p. The smallest R is therefore n_p where n_p is odd; where n_p is even, n_p itself fails
 * and n_p + 1, odd, suffices. In both cases a and R have no common factor, which the inverse relies on.
 * @return false on overflow */
static bool set_rows(rts_layout_t *layout, rts_index_t n_p, rts_index_t n_q) {
    const int m = layout->b < 0 ? -layout->b : layout->b;
    rts_index_t along_p, along_q, fronts;
    if (__builtin_mul_overflow(n_p - 1, layout->a, &along_p) ||
        __builtin_mul_overflow(n_q - 1, m, &along_q) || __builtin_add_overflow(along_p, along_q, &fronts) ||
        __builtin_add_overflow(fronts, 1, &fronts))
        return false;
    layout->c = layout->b < 0 ? along_q : 0;
    layout->rows = n_p;
    if (layout->kind == RTS_LAYOUT_SKEW)
        layout->rows = fronts;
    if (layout->kind == RTS_LAYOUT_WRAP && layout->a == 2 && n_p % 2 == 0)
        layout->rows = n_p + 1; /* fits: n_p is even */
    return true;
}

/* Strides from the fastest axis up, rows, pitch and size, of extents that are at least 1. @return false on
 * overflow */
static bool set_strides(rts_layout_t *layout, const rts_index_t extent[], rts_index_t pitch_align) {
    const int rank = layout->box.rank;
    const int p = rank >= 2 ? layout->perm[rank - 2] : -1, q = rank >= 1 ? layout->perm[rank - 1] : -1;
    layout->pitch = rank >= 1 ? extent[q] : 1;
    if (!set_rows(layout, rank >= 2 ? extent[p] : 1, layout->pitch))
        return false;
    if (rank >= 2) {
        if (__builtin_add_overflow(layout->pitch, pitch_align - 1, &layout->pitch))
            return false;
        layout->pitch -= layout->pitch % pitch_align;
    }
    if (__builtin_mul_overflow(layout->rows, layout->pitch, &layout->size))
        return false;
    /* In SKEW a step along p is `a` rows, one along q is b rows and one element; that fits, because a plane
     * with such a step has more. Along an extent of 1 there is no step, and the stride is PLAIN's. */
    if (rank >= 2 && rts_layout_is_affine(layout))
        layout->stride[p] = extent[p] > 1 ? layout->a * layout->pitch : layout->pitch;
    if (rank >= 1 && rts_layout_is_affine(layout))
        layout->stride[q] = extent[q] > 1 ? 1 + layout->b * layout->pitch : 1;
    for (int i = rank - 3; i >= 0; i--) {
        layout->stride[layout->perm[i]] = layout->size;
        if (__builtin_mul_overflow(layout->size, extent[layout->perm[i]], &layout->size))
            return false;
    }
    return true;
}

/* The origin, such that no partial sum in rts_layout_offset overflows, in whatever order the axes are added:
 * the magnitudes of an element's terms stride * (index - lo) sum up to less than size, in SKEW, too.
 * @return false when that cannot be */
static bool set_origin(rts_layout_t *layout) {
    rts_index_t reach = layout->size; /* bounds the magnitude of every partial sum */
    rts_index_t first = 0;
    if (layout->kind == RTS_LAYOUT_SKEW) {
        first = -layout->c * layout->pitch; /* fits: c < rows */
        if (__builtin_add_overflow(reach, -first, &reach))
            return false;
    }
    for (int axis = 0; axis < layout->box.rank; axis++) {
        rts_index_t part;
        if (__builtin_mul_overflow(layout->stride[axis], layout->box.lo[axis], &part) || part == INT64_MIN)
            return false;
        if (__builtin_add_overflow(reach, part < 0 ? -part : part, &reach))
            return false;
        first += part;
    }
    layout->origin = -first;
    return true;
}

/* All but the checks of kind, a and b. */
static rts_status_t make_layout(const rts_box_t *box, const int perm[], rts_index_t pitch_align,
                                rts_layout_kind_t kind, int a, int b, rts_layout_t *layout_p) {
    rts_layout_t layout = {.kind = kind, .a = a, .b = b};
    rts_index_t extent[RTS_MAX_RANK];
    const int rank = box->rank;
    if (rank < 0 || rank > RTS_MAX_RANK)
        return rts_fail(RTS_ERR_INVALID, "a box of rank %d; allowed: 0..%d", rank, RTS_MAX_RANK);
    if (pitch_align < 1)
        return rts_fail(RTS_ERR_INVALID, "rows aligned to %lld elements; allowed: 1 and more",
                        (long long)pitch_align);
    if (perm != NULL)
        RTS_TRY(check_perm(rank, perm));
    layout.box.rank = rank;
    bool fits = true;
    for (int axis = 0; axis < rank; axis++) {
        layout.box.lo[axis] = box->lo[axis];
        layout.box.hi[axis] = box->hi[axis];
        layout.perm[axis] = perm != NULL ? perm[axis] : axis;
        extent[axis] = 1;
        if (box->lo[axis] < box->hi[axis] &&
            __builtin_sub_overflow(box->hi[axis], box->lo[axis], &extent[axis]))
            fits = false;
    }
    if (!fits || !set_strides(&layout, extent, pitch_align) || !set_origin(&layout))
        return rts_fail(RTS_ERR_INVALID,
                        "an array part of more elements, or with larger indices, than 63 bits hold");
    if (rts_box_is_empty(box))
        layout.size = 0;
    *layout_p = layout;
    return RTS_OK;
}

rts_status_t rts_layout_plain(const rts_box_t *box, const int perm[], rts_index_t pitch_align,
                              rts_layout_t *layout_p) {
    return make_layout(box, perm, pitch_align, RTS_LAYOUT_PLAIN, 1, 0, layout_p);
}

rts_status_t rts_layout_diagonal(const rts_box_t *box, const int perm[], rts_index_t pitch_align,
                                 rts_layout_kind_t kind, int a, int b, rts_layout_t *layout_p) {
    if (kind != RTS_LAYOUT_SKEW && kind != RTS_LAYOUT_WRAP && kind != RTS_LAYOUT_PACKED)
        return rts_fail(RTS_ERR_INVALID, "a diagonal layout of kind %d; allowed: %d..%d", (int)kind,
                        RTS_LAYOUT_SKEW, RTS_LAYOUT_PACKED);
    if (box->rank < 2)
        return rts_fail(RTS_ERR_INVALID, "a diagonal layout of rank %d; allowed: 2..%d", box->rank,
                        RTS_MAX_RANK);
    const int most = kind == RTS_LAYOUT_PACKED ? 1 : 2;
    if (a < 1 || a > most || b < -most || b > most || b == 0)
        return rts_fail(RTS_ERR_INVALID,
                        "diagonals %d * i + %d * j; allowed: 1..%d times i, -%d..%d but not 0 times j", a, b,
                        most, most, most);
    if (kind == RTS_LAYOUT_PACKED && pitch_align != 1)
        return rts_fail(RTS_ERR_INVALID, "packed diagonals aligned to %lld elements; allowed: 1",
                        (long long)pitch_align);
    return make_layout(box, perm, pitch_align, kind, a, b, layout_p);
}

static rts_index_t extent_of(const rts_layout_t *layout, int axis) {
    return rts_max(1, layout->box.hi[axis] - layout->box.lo[axis]);
}

rts_plane64_t rts_layout_plane(const rts_layout_t *layout) {
    const int rank = layout->box.rank;
    return (rts_plane64_t){
        .kind = layout->kind,
        .a = layout->a,
        .b = layout->b,
        .n_p = rank >= 2 ? extent_of(layout, layout->perm[rank - 2]) : 1,
        .n_q = rank >= 1 ? extent_of(layout, layout->perm[rank - 1]) : 1,
        .pitch = layout->pitch,
        .rows = layout->rows,
        .c = layout->c,
    };
}

rts_index_t rts_layout_offset_in_plane(const rts_layout_t *layout, const rts_index_t index[]) {
    const int p = layout->perm[layout->box.rank - 2], q = layout->perm[layout->box.rank - 1];
    const rts_plane64_t plane = rts_layout_plane(layout);
    return rts_plane64_offset(&plane, index[p] - layout->box.lo[p], index[q] - layout->box.lo[q]);
}

bool rts_layout_inverse(const rts_layout_t *layout, rts_index_t offset, rts_index_t index_p[]) {
    if (offset < 0 || offset >= layout->size)
        return false;
    const int rank = layout->box.rank;
    const rts_plane64_t plane = rts_layout_plane(layout);
    rts_index_t place[RTS_MAX_RANK], i_p, i_q;
    rts_index_t step = plane.rows * plane.pitch;
    rts_index_t number = offset / step;
    if (!rts_plane64_inverse(&plane, offset - number * step, &i_p, &i_q))
        return false;
    for (int i = rank - 3; i >= 0; i--) {
        const rts_index_t extent = extent_of(layout, layout->perm[i]);
        place[i] = number % extent;
        number /= extent;
    }
    if (rank >= 2)
        place[rank - 2] = i_p;
    if (rank >= 1)
        place[rank - 1] = i_q;
    for (int i = 0; i < rank; i++)
        index_p[layout->perm[i]] = layout->box.lo[layout->perm[i]] + place[i];
    return true;
}

/* Whether two layouts of one box have the same planes, formula by formula. */
static bool same_plane(const rts_layout_t *a, const rts_layout_t *b) {
    const int rank = a->box.rank;
    return a->kind == b->kind && a->a == b->a && a->b == b->b && a->pitch == b->pitch && a->rows == b->rows &&
           a->perm[rank - 2] == b->perm[rank - 2] && a->perm[rank - 1] == b->perm[rank - 1];
}

/* Compares the places of all elements of the box that is `lo` but for the axes in walked[0..count-1]. */
static bool same_places(const rts_layout_t *a, const rts_layout_t *b, const int walked[], int count) {
    rts_index_t index[RTS_MAX_RANK];
    for (int axis = 0; axis < a->box.rank; axis++)
        index[axis] = a->box.lo[axis];
    for (;;) {
        if (rts_layout_offset(a, index) != rts_layout_offset(b, index))
            return false;
        int i = 0;
        while (i < count && ++index[walked[i]] == a->box.hi[walked[i]]) {
            index[walked[i]] = a->box.lo[walked[i]];
            i++;
        }
        if (i == count)
            return true;
    }
}

bool rts_layout_equal(const rts_layout_t *a, const rts_layout_t *b) {
    if (a->size != b->size || !rts_box_equal(&a->box, &b->box))
        return false;
    if (a->size == 0)
        return true;
    const int rank = a->box.rank;
    const bool is_affine = rts_layout_is_affine(a) && rts_layout_is_affine(b);
    const bool by_formula = is_affine || same_plane(a, b);
    int walked[RTS_MAX_RANK], count = 0;
    for (int axis = 0; axis < rank; axis++) {
        if (extent_of(a, axis) == 1)
            continue; /* strides along it move nothing */
        const bool is_plane_axis = !is_affine && (axis == a->perm[rank - 2] || axis == a->perm[rank - 1] ||
                                                  axis == b->perm[rank - 2] || axis == b->perm[rank - 1]);
        if (is_plane_axis && !by_formula)
            walked[count++] = axis;
        else if (a->stride[axis] != b->stride[axis])
            return false;
    }
    return same_places(a, b, walked, count);
}

bool rts_layout_is_transposed(const rts_layout_t *a, const rts_layout_t *b, int *p_p, int *q_p) {
    int moved[2], count = 0;
    if (a->kind != RTS_LAYOUT_PLAIN || b->kind != RTS_LAYOUT_PLAIN)
        return false;
    for (int axis = 0; axis < a->box.rank; axis++) {
        if (a->stride[axis] == b->stride[axis])
            continue;
        if (count == 2)
            return false;
        moved[count++] = axis;
    }
    if (count != 2 || a->stride[moved[0]] != b->stride[moved[1]] ||
        a->stride[moved[1]] != b->stride[moved[0]] || extent_of(a, moved[0]) != extent_of(a, moved[1]))
        return false;
    const int q = a->stride[moved[0]] == 1 ? moved[0] : moved[1];
    if (a->stride[q] != 1)
        return false;
    *q_p = q;
    *p_p = moved[0] + moved[1] - q;
    return true;
}

bool rts_layout_is_wrap_of(const rts_layout_t *plain, const rts_layout_t *wrap) {
    const int rank = plain->box.rank;
    if (plain->kind != RTS_LAYOUT_PLAIN || wrap->kind != RTS_LAYOUT_WRAP || wrap->a != 1 ||
        plain->pitch != wrap->pitch)
        return false;
    const int p = wrap->perm[rank - 2], q = wrap->perm[rank - 1];
    for (int axis = 0; axis < rank; axis++)
        if (axis != p && axis != q && extent_of(plain, axis) > 1 && plain->stride[axis] != wrap->stride[axis])
            return false;
    return (plain->stride[q] == 1 || extent_of(plain, q) == 1) &&
           (plain->stride[p] == plain->pitch || extent_of(plain, p) == 1) &&
           wrap->rows == extent_of(plain, p);
}

/* Text that grows to the right and is cut at the end of its buffer. */
typedef struct text {
    char *start;
    size_t size, used;
} text_t;

static void append(text_t *text, const char *format, ...) RTS_PRINTF(2, 3);

static void append(text_t *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text->start + text->used, text->size - text->used, format, arguments);
    va_end(arguments);
    if (length > 0)
        text->used += (size_t)length < text->size - text->used ? (size_t)length : text->size - text->used - 1;
}

/* "plain", "skew(+)", "perm(1,0)", "perm(1,0)+wrap(1,-2)": PLAIN is named only where the order of axes does not say it all. */
static void append_order_and_kind(text_t *text, int rank, const int perm[], rts_layout_kind_t kind, int a,
                                  int b) {
    static const char *const names[] = {"plain", "skew", "wrap", "packed"};
    bool identity = true;
    for (int i = 0; i < rank; i++)
        identity = identity && perm[i] == i;
    if (!identity) {
        append(text, "perm(");
        for (int i = 0; i < rank; i++)
            append(text, "%d%s", perm[i], i < rank - 1 ? "," : ")");
    }
    if (kind == RTS_LAYOUT_PLAIN) {
        append(text, "%s", identity ? names[kind] : "");
        return;
    }
    append(text, "%s%s", identity ? "" : "+", names[kind]);
    if (a == 1 && (b == 1 || b == -1))
        append(text, "(%c)", b > 0 ? '+' : '-');
    else
        append(text, "(%d,%d)", a, b);
}

const char *rts_layout_name(const rts_layout_t *layout, char *text, size_t text_size) {
    const int rank = layout->box.rank;
    text_t name = {text, text_size, 0};
    if (text_size == 0)
        return "";
    append_order_and_kind(&name, rank, layout->perm, layout->kind, layout->a, layout->b);
    if (rank >= 2 && layout->pitch != extent_of(layout, layout->perm[rank - 1]))
        append(&name, "+pitch(%lld)", (long long)layout->pitch);
    return text;
}

rts_layout_form_t rts_layout_form_home(int rank) {
    rts_layout_form_t form = {.kind = RTS_LAYOUT_PLAIN, .rank = rank, .pitch_align = 1};
    for (int i = 0; i < rank; i++)
        form.perm[i] = i;
    return form;
}

rts_status_t rts_layout_make(const rts_box_t *box, const rts_layout_form_t *form, rts_layout_t *layout_p) {
    if (form->rank != box->rank)
        return rts_fail(RTS_ERR_INVALID, "the form of a layout for %d axes; allowed: %d, as the array has",
                        form->rank, box->rank);
    if (form->kind == RTS_LAYOUT_PLAIN)
        return rts_layout_plain(box, form->perm, form->pitch_align, layout_p);
    return rts_layout_diagonal(box, form->perm, form->pitch_align, form->kind, form->a, form->b, layout_p);
}

bool rts_layout_form_equal(const rts_layout_form_t *a, const rts_layout_form_t *b) {
    bool equal = a->kind == b->kind && a->rank == b->rank && a->a == b->a && a->b == b->b &&
                 a->pitch_align == b->pitch_align;
    for (int i = 0; i < RTS_MAX_RANK; i++)
        equal = equal && a->perm[i] == b->perm[i];
    return equal;
}

const char *rts_layout_form_name(const rts_layout_form_t *form, char *text, size_t text_size) {
    text_t name = {text, text_size, 0};
    if (text_size == 0)
        return "";
    append_order_and_kind(&name, form->rank, form->perm, form->kind, form->a, form->b);
    if (form->pitch_align != 1)
        append(&name, "+pad(%lld)", (long long)form->pitch_align);
    return text;
}
