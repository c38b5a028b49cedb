/* Making, inverting and naming layouts. Decides strides and padding from what the caller wants; not which
 * layout is a good one. The offset of an element stands in the header, so that it inlines. */
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

/* Strides from the fastest axis up, pitch and size, of extents that are at least 1. @return false on overflow
 */
static bool set_strides(rts_layout_t *layout, const rts_index_t extent[], rts_index_t pitch_align) {
    const int rank = layout->box.rank;
    rts_index_t step = 1;
    layout->pitch = rank > 0 ? extent[layout->perm[rank - 1]] : 1;
    if (rank >= 2) {
        if (__builtin_add_overflow(layout->pitch, pitch_align - 1, &layout->pitch))
            return false;
        layout->pitch -= layout->pitch % pitch_align;
    }
    for (int i = rank - 1; i >= 0; i--) {
        const int axis = layout->perm[i];
        layout->stride[axis] = step;
        if (__builtin_mul_overflow(step, i == rank - 1 ? layout->pitch : extent[axis], &step))
            return false;
    }
    layout->size = step;
    return true;
}

/* The origin, such that no partial sum in rts_layout_offset overflows, in whatever order the axes are added.
 * @return false when that cannot be */
static bool set_origin(rts_layout_t *layout) {
    rts_index_t reach = layout->size; /* bounds the magnitude of every partial sum */
    rts_index_t first = 0;
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

rts_status_t rts_layout_plain(const rts_box_t *box, const int perm[], rts_index_t pitch_align,
                              rts_layout_t *layout_p) {
    rts_layout_t layout = {.kind = RTS_LAYOUT_PLAIN};
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

bool rts_layout_inverse(const rts_layout_t *layout, rts_index_t offset, rts_index_t index_p[]) {
    if (offset < 0 || offset >= layout->size)
        return false;
    rts_index_t index[RTS_MAX_RANK];
    for (int i = 0; i < layout->box.rank; i++) {
        const int axis = layout->perm[i];
        const rts_index_t place = offset / layout->stride[axis];
        offset -= place * layout->stride[axis];
        /* Only on the fastest axis can the place be beyond the extent: that is padding. */
        if (place >= layout->box.hi[axis] - layout->box.lo[axis])
            return false;
        index[axis] = layout->box.lo[axis] + place;
    }
    for (int axis = 0; axis < layout->box.rank; axis++)
        index_p[axis] = index[axis];
    return true;
}

bool rts_layout_equal(const rts_layout_t *a, const rts_layout_t *b) {
    if (a->kind != b->kind || a->size != b->size || !rts_box_equal(&a->box, &b->box))
        return false;
    if (a->size == 0)
        return true;
    /* Strides along an extent of 1 move nothing. */
    for (int axis = 0; axis < a->box.rank; axis++)
        if (a->stride[axis] != b->stride[axis] && a->box.hi[axis] - a->box.lo[axis] > 1)
            return false;
    return rts_layout_offset(a, a->box.lo) == rts_layout_offset(b, b->box.lo);
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

const char *rts_layout_name(const rts_layout_t *layout, char *text, size_t text_size) {
    const int rank = layout->box.rank;
    text_t name = {text, text_size, 0};
    if (text_size == 0)
        return "";
    bool identity = true;
    for (int i = 0; i < rank; i++)
        identity = identity && layout->perm[i] == i;
    append(&name, "%s", identity ? "plain" : "perm(");
    for (int i = 0; i < rank && !identity; i++)
        append(&name, "%d%s", layout->perm[i], i < rank - 1 ? "," : ")");
    if (rank >= 2) {
        const int fastest = layout->perm[rank - 1];
        const rts_index_t extent = rts_max(1, layout->box.hi[fastest] - layout->box.lo[fastest]);
        if (layout->pitch != extent)
            append(&name, "+pitch(%lld)", (long long)layout->pitch);
    }
    return text;
}
