/* How a box of an array lies in one buffer. All index arithmetic on elements stands here, once. */
#ifndef RTS_LAYOUT_H
#define RTS_LAYOUT_H

#include "rts/box.h"
#include "rts/layout_index.h"

/**
 * Layout of `box` (user indices). Offsets count elements from the buffer's start. The two fastest axes,
 * p = perm[rank-2] and q = perm[rank-1], form planes of rows * pitch elements; rts/layout_index.h says how a
 * plane lies, by kind, and docs/layouts.md draws it. Rank 1 is a plane of one row.
 */
typedef struct rts_layout {
    rts_layout_kind_t kind;
    rts_box_t box;
    int perm[RTS_MAX_RANK]; /* axes, slowest first */
    /* Elements between neighbours along an axis; may be negative along q of SKEW; 0 for p and q of WRAP and
     * PACKED, which have none. */
    rts_index_t stride[RTS_MAX_RANK];
    rts_index_t pitch; /* elements from row to row; the fastest axis's extent when rank < 2 */
    /* PLAIN, SKEW: offset of the (maybe fictitious) element with all indices 0. WRAP, PACKED: the same for
     * the other axes alone. */
    rts_index_t origin;
    rts_index_t size; /* elements of the buffer, padding and gaps included; 0 for an empty box */
    int a, b;         /* coefficients of d; PLAIN: 1 and 0, so that d = i_p */
    rts_index_t c;    /* makes the smallest d 0 */
    rts_index_t rows; /* rows of the plane in memory */
} rts_layout_t;

/**
 * Plain layout of a box.
 *
 * @param perm         axes, slowest first; NULL: 0,1,..,rank-1 (C order)
 * @param pitch_align  the pitch is rounded up to a multiple of this many elements; 1: no padding
 * An empty box gets strides as if every empty extent were 1, so that extents computed from strides stay
 * positive.
 * @return RTS_OK
 * @return RTS_ERR_INVALID  perm is no permutation, pitch_align < 1, or the size does not fit 63 bits
 */
rts_status_t rts_layout_plain(const rts_box_t *box, const int perm[], rts_index_t pitch_align,
                              rts_layout_t *layout_p);

/**
 * Diagonal layout: as rts_layout_plain, with the two fastest axes of perm as diagonal pair.
 *
 * Why: the iterations of one front (d constant) of a loop with dependences along both axes are independent;
 * in these kinds they are neighbours in memory. Fronts are contiguous but where a = 2 and b is odd: there
 * they lie at every second place of a row.
 *
 * @param box          rank 2 or more
 * @param perm         as rts_layout_plain
 * @param pitch_align  as rts_layout_plain; PACKED: 1, because it has no rows
 * @param kind         SKEW, WRAP or PACKED
 * @param a, b         d = a * i_p + b * i_q + c; a in 1..2, b in -2..2 but not 0; PACKED: a = 1, b = 1 or -1
 * An empty box: as rts_layout_plain.
 * @return RTS_OK
 * @return RTS_ERR_INVALID  as rts_layout_plain; rank below 2; a kind, a, b or pitch_align that is not
 *                          allowed; d does not fit 63 bits
 */
rts_status_t rts_layout_diagonal(const rts_box_t *box, const int perm[], rts_index_t pitch_align,
                                 rts_layout_kind_t kind, int a, int b, rts_layout_t *layout_p);

/** The plane of the two fastest axes; rank 1: one row; rank 0: one element. Extents of 0 count as 1. */
rts_plane64_t rts_layout_plane(const rts_layout_t *layout);

/** A layout without its box: what the planner chooses and the program may pin. Two forms are the same exactly when they are
 * equal member by member; members that a kind does not use are 0 (perm beyond the rank; a and b of PLAIN). */
typedef struct rts_layout_form {
    rts_layout_kind_t kind;
    int rank;
    int perm[RTS_MAX_RANK];  /* axes, slowest first */
    int a, b;                /* SKEW, WRAP, PACKED: as rts_layout_diagonal */
    rts_index_t pitch_align; /* >= 1; 1: no padding */
} rts_layout_form_t;

/** C order without padding: how home lies. */
rts_layout_form_t rts_layout_form_home(int rank);
/** Layout of a box in a form. @return as rts_layout_plain and rts_layout_diagonal */
rts_status_t rts_layout_make(const rts_box_t *box, const rts_layout_form_t *form, rts_layout_t *layout_p);
bool rts_layout_form_equal(const rts_layout_form_t *a, const rts_layout_form_t *b);
/** Name as rts_layout_name gives it, such as "plain" or "perm(1,0)+wrap(+)"; "+pad(16)" for pitch_align 16. */
const char *rts_layout_form_name(const rts_layout_form_t *form, char *text, size_t text_size);

/** Whether stride and origin say all: offset = origin + sum of stride * index. */
static inline bool rts_layout_is_affine(const rts_layout_t *layout) {
    return layout->kind == RTS_LAYOUT_PLAIN || layout->kind == RTS_LAYOUT_SKEW;
}

/** WRAP and PACKED: offset of an element from its plane's start. Called by rts_layout_offset. */
rts_index_t rts_layout_offset_in_plane(const rts_layout_t *layout, const rts_index_t index[]);

/** Offset of an element of the box, any kind. */
static inline rts_index_t rts_layout_offset(const rts_layout_t *layout, const rts_index_t index[]) {
    rts_index_t offset = layout->origin;
    for (int axis = 0; axis < layout->box.rank; axis++)
        offset += layout->stride[axis] * index[axis];
    return rts_layout_is_affine(layout) ? offset : offset + rts_layout_offset_in_plane(layout, index);
}

/**
 * Element at an offset.
 *
 * @return true
 * @return false  the offset is padding, a gap, or outside the buffer; index_p unchanged
 */
bool rts_layout_inverse(const rts_layout_t *layout, rts_index_t offset, rts_index_t index_p[]);

/** Same place for every element, in buffers of the same size; the kinds may differ. Small constant time, but
 * for the rare layouts of different parameters that agree on many elements. */
bool rts_layout_equal(const rts_layout_t *a, const rts_layout_t *b);

/** Whether two layouts of one box are plain, and one is the other with the places of two axes of one extent exchanged, the fastest among them:
 * *q_p in `a`, and *p_p. Then planes of these axes change in place, tile against tile. */
bool rts_layout_is_transposed(const rts_layout_t *a, const rts_layout_t *b, int *p_p, int *q_p);

/** Whether two layouts of one box are a plain one, and a wrap of the same rows: then columns rotate in place. */
bool rts_layout_is_wrap_of(const rts_layout_t *plain, const rts_layout_t *wrap);

/** Name such as "plain", "perm(2,0,1)+pitch(16)", "perm(2,0,1)+skew(+)", "wrap(-)", "packed(+)" or, with
 * (a,b) other than (1,1) and (1,-1), "skew(1,-2)". @return text, always terminated */
const char *rts_layout_name(const rts_layout_t *layout, char *text, size_t text_size);

#endif
