/* Forms of arrays under a loop: which are legal, which follow the loop's fronts, and how far memory moves from one iteration to the
 * next. Pure arithmetic on facts; decides what is legal and how it lies, not what is good. Functions that take `form` take one
 * form for each array of facts->arrays, or NULL for home's forms everywhere; without facts->arrays only NULL. */
#ifndef RTS_FORM_H
#define RTS_FORM_H

#include "rts/planner.h"

/** Greatest lag whose fronts a form can follow: |b| of the diagonal kinds. */
#define RTS_FORM_MAX_LAG 2

/** Form of array number i. */
rts_layout_form_t rts_form_of(const rts_loop_facts_t *facts, const rts_layout_form_t form[], int i);

/** Whether the array's own rules allow a form, whatever the loop's way: right rank, no kind that is forbidden, home's order of axes
 * where others are forbidden. PACKED never. */
bool rts_form_is_allowed(const rts_array_facts_t *array, const rts_layout_form_t *form);

/** Whether axes of the array are walked by both of the two innermost dims. */
bool rts_form_has_plane(const rts_loop_facts_t *facts, const rts_array_facts_t *array);

/** Whether a form matches a lag, as the comment of rts_loop_facts_t defines it. No other axis may move along a front, so an array
 * of which one of the two dims walks two axes matches nothing. */
bool rts_form_matches(const rts_loop_facts_t *facts, const rts_array_facts_t *array,
                      const rts_layout_form_t *form, rts_index_t lag);

/** Smallest lag for which way DIAGONAL keeps the loop's order. Every greater one does, too.
 * @return false  there is none: no record handler, fewer than two dims, dependences that are not known or need more */
bool rts_form_front_lag(const rts_loop_facts_t *facts, rts_index_t *lag_p);

/** Whether the body may run by rows with way DIAGONAL and this lag: the order is legal, and every array that is by_rows and has
 * the plane, at least one, matches. */
bool rts_forms_are_by_rows(const rts_loop_facts_t *facts, const rts_layout_form_t form[], rts_index_t lag);

/** Smallest lag for which rts_forms_are_by_rows. @return false when there is none */
bool rts_forms_rows_lag(const rts_loop_facts_t *facts, const rts_layout_form_t form[], rts_index_t *lag_p);

/** Whether the loop may run on the forms: each is allowed, and WRAP is only where the body runs by rows, with the lag of the ranges of
 * fronts that the loop may be launched in, and that array with it. */
bool rts_forms_are_legal(const rts_loop_facts_t *facts, const rts_layout_form_t form[]);

/** How the forms lie under the loop. Shares are of the bytes touched, 0 to 1. */
typedef struct rts_walk {
    const rts_layout_form_t *form;
    int contiguous_dim; /* loop dim along which most bytes are contiguous; -1 none or unknown */
    double far;         /* share that moves on by more than a cache line along the innermost dim */
    bool needs_rows;    /* an array is WRAP: only DIAGONAL by rows will do */
    bool is_by_rows;    /* rts_forms_are_by_rows with `lag` */
    /* Not by rows, but the order is legal, and fronts of `lag` are contiguous in every array that has the plane; at least one. */
    bool is_along_fronts;
    rts_index_t lag;
    double far_on_fronts; /* as `far`, from (row, column) to (row + 1, column - lag) */
    double moved_bytes;   /* of all arrays, what is read and what is written, each once; 0: unknown */
    bool can_stream;      /* what the loop only writes can be streamed in these forms */
} rts_walk_t;

/**
 * Bytes that a GPU's memory moves for the loop: each element that is read or written once, times the share of 32-byte sectors that is not
 * used when 32 iterations that follow each other by `step` are accessed together.
 * @param step  iterations from one thread to the next, by dim
 */
double rts_form_sector_bytes(const rts_loop_facts_t *facts, const rts_layout_form_t form[],
                             const rts_index_t step[]);

/** Look at forms. With NULL what facts->contiguous_dim says counts for the ways without rows. */
void rts_walk_make(const rts_loop_facts_t *facts, const rts_layout_form_t form[], rts_walk_t *walk_p);

#endif
