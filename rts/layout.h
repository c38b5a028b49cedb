/* How a box of an array lies in one buffer. All index arithmetic on elements stands here, once. */
#ifndef RTS_LAYOUT_H
#define RTS_LAYOUT_H

#include "rts/box.h"

typedef enum rts_layout_kind { RTS_LAYOUT_PLAIN = 0 } rts_layout_kind_t;

/** Layout of `box` (user indices). Offsets count elements from the buffer's start. */
typedef struct rts_layout {
    rts_layout_kind_t kind;
    rts_box_t box;
    int perm[RTS_MAX_RANK];           /* axes, slowest first */
    rts_index_t stride[RTS_MAX_RANK]; /* elements between neighbours along an axis */
    rts_index_t pitch;  /* elements from row to row of the fastest axis; its extent when rank < 2 */
    rts_index_t origin; /* offset of the (maybe fictitious) element with all indices 0 */
    rts_index_t size;   /* elements of the buffer, padding included; 0 for an empty box */
} rts_layout_t;

/**
 * Plain layout of a box.
 *
 * @param perm         axes, slowest first; NULL: 0,1,..,rank-1 (C order)
 * @param pitch_align  the pitch is rounded up to a multiple of this many elements; 1: no padding
 * An empty box gets strides as if every empty extent were 1, so that extents computed from strides stay positive.
 * @return RTS_OK
 * @return RTS_ERR_INVALID  perm is no permutation, pitch_align < 1, or the size does not fit 63 bits
 */
rts_status_t rts_layout_plain(const rts_box_t *box, const int perm[], rts_index_t pitch_align,
                              rts_layout_t *layout_p);

/** Offset of an element of the box. */
static inline rts_index_t rts_layout_offset(const rts_layout_t *layout, const rts_index_t index[]) {
    rts_index_t offset = layout->origin;
    for (int axis = 0; axis < layout->box.rank; axis++)
        offset += layout->stride[axis] * index[axis];
    return offset;
}

/** Element at an offset. @return false when the offset is padding or outside the buffer */
bool rts_layout_inverse(const rts_layout_t *layout, rts_index_t offset, rts_index_t index_p[]);

/** Same place for every element, in buffers of the same size. */
bool rts_layout_equal(const rts_layout_t *a, const rts_layout_t *b);

/** Name such as "plain", "perm(2,0,1)" or "perm(2,0,1)+pitch(16)". @return text, always terminated */
const char *rts_layout_name(const rts_layout_t *layout, char *text, size_t text_size);

#endif
