/* The form that an array should have on an accelerator for a loop whose query handler asks for a reorganised one (-autoTfm). Pure
 * arithmetic. Which forms such handlers can follow is their compilers' business: plain ones in any order of the axes, and packed diagonals
 * where two or more dims carry dependences. */
#ifndef RTS_TRANSFORM_H
#define RTS_TRANSFORM_H

#include "rts/layout.h"

typedef struct rts_transform_facts {
    int rank;                         /* of the array */
    rts_index_t extent[RTS_MAX_RANK]; /* held, each >= 1 */
    size_t element_bytes;
    int dim[RTS_MAX_RANK];  /* dim of the loop that walks each axis; -1: none */
    int sign[RTS_MAX_RANK]; /* -1: backwards, in the order of execution */
    int loop_rank;
    unsigned mask; /* dependency mask of the ABI */
    bool
        is_fortran; /* diagonals of both signs, but of the last two axes alone; else of any two, i + j = const alone */
    bool keeps_order;    /* no other order of the axes than home's */
    bool keeps_straight; /* no diagonals */
} rts_transform_facts_t;

/** Whether the loop's handler can follow a form: after asking for a reorganised one, or without (`facts` NULL), when it takes home's order
 * for granted. */
bool rts_transform_fits(const rts_transform_facts_t *facts, const rts_layout_form_t *form);

/**
 * Choose.
 *
 * At most one dim carries dependences: the axis that the innermost independent dim walks becomes the fastest, in exchange with
 * home's fastest. Two or more do: the fronts of the two innermost of them become contiguous. Where neither can be, and where the
 * present form does it already, that stays, or home's when the handler cannot follow it.
 */
rts_layout_form_t rts_transform_choose(const rts_transform_facts_t *facts, const rts_layout_form_t *present);

/** Whether a handler may address the elements of a layout with 32-bit numbers, from the (maybe fictitious) element whose indices are all 0. */
bool rts_transform_fits_int(const rts_layout_t *layout);

#endif
