/* Copying a box word by word, in the order of the target: any pair of layouts. Plain C and CUDA. */
#ifndef RTS_CUDA_REORGANISE_WORD_H
#define RTS_CUDA_REORGANISE_WORD_H

#include "rts/layout_index.h"

#define RTS_WORD_MAX_AXES 10

/** One side: what the axes add in words, and for diagonal kinds the plane. */
typedef struct rts_word_side {
    int64_t start;
    int64_t step[RTS_WORD_MAX_AXES]; /* of the axes of the plan; 0 for p and q of a plane */
    bool has_plane;
    int p, q;                 /* axes of the plan; -1: the box has one index along it */
    int64_t p_first, q_first; /* of the box, in the plane */
    int64_t scale;            /* words of an element */
    rts_plane64_t plane;
} rts_word_side_t;

typedef struct rts_word_plan {
    int word_bytes;
    int axis_count;
    int64_t extent[RTS_WORD_MAX_AXES]; /* the last varies fastest */
    int64_t count;                     /* words */
    rts_word_side_t source, target;
} rts_word_plan_t;

/** Where the word of given indices lies. */
RTS_PLANE_INLINE int64_t rts_word_place(const rts_word_side_t *side, const int64_t index[], int axis_count) {
    int64_t place = side->start;
    for (int i = 0; i < axis_count; i++)
        place += index[i] * side->step[i];
    if (side->has_plane)
        place += side->scale * rts_plane64_offset(&side->plane,
                                                  side->p_first + (side->p >= 0 ? index[side->p] : 0),
                                                  side->q_first + (side->q >= 0 ? index[side->q] : 0));
    return place;
}

/** Places of word `number` in [0, count) on both sides. Numbers below 2^32 are divided as such: that is several times faster. */
RTS_PLANE_INLINE void rts_word_places(const rts_word_plan_t *plan, int64_t number, int64_t *source_p,
                                      int64_t *target_p) {
    int64_t index[RTS_WORD_MAX_AXES];
    for (int i = plan->axis_count - 1; i > 0; i--) {
        const int64_t extent = plan->extent[i];
        const int64_t slower = ((uint64_t)number | (uint64_t)extent) >> 32 == 0
                                   ? (int64_t)((uint32_t)number / (uint32_t)extent)
                                   : number / extent;
        index[i] = number - slower * extent;
        number = slower;
    }
    index[0] = number;
    *source_p = rts_word_place(&plan->source, index, plan->axis_count);
    *target_p = rts_word_place(&plan->target, index, plan->axis_count);
}

#endif
