/* Moves of arrays in two steps: new places are prepared beside what is there, then put in force. Between the two the caller may bring values that
 * other processes own: a place has its storage already, and the old one is whole still. Local; nothing here communicates. */
#ifndef RTS_ARRAY_MOVE_H
#define RTS_ARRAY_MOVE_H

#include "rts/array.h"

/** A new place of an array, ready but not in force. */
typedef struct rts_place {
    rts_array_t *array;
    rts_alignment_t alignment; /* with the template of the move */
    bool keeps_home;           /* the held part is the same: so is its storage */
    rts_box_t local, held;
    rts_layout_t layout; /* unless keeps_home */
    void *buffer;        /* unless keeps_home: the new home; NULL when nothing is held */
    rts_boxset_t current;
} rts_place_t;

/** New places of one array, or of all arrays of a template. */
typedef struct rts_move {
    rts_template_t *template;        /* of the new places */
    bool is_redistribution;          /* false: one array changes its alignment */
    rts_distribution_t distribution; /* of the template once the move is in force */
    rts_index_t *bounds;             /* of a redistribution: what its rules point to; owned */
    rts_box_t local;                 /* part of the template */
    size_t count;
    rts_place_t *place;
} rts_move_t;

/**
 * Prepare new places. Conditions, and what is refused: as for rts_template_redistribute and rts_array_realign. What this process owned and
 * still owns is in the new storage already (rts_move_realignment: when keep_values says so). On failure there is nothing to cancel.
 */
rts_status_t rts_move_redistribution(rts_template_t *template, const rts_axis_rule_t rule[],
                                     const rts_grid_t *grid, rts_move_t *move_p);
rts_status_t rts_move_realignment(rts_array_t *array, rts_template_t *target_template,
                                  const rts_array_t *target_array, const rts_alignment_t *alignment,
                                  bool keep_values, rts_move_t *move_p);

/** The template of an array that may be redistributed with all that is aligned with it.
 * @return RTS_ERR_INVALID  a variable, an array without extents, or one that is aligned with something else */
rts_status_t rts_move_template_of(const rts_array_t *array, rts_template_t **template_p);

/** Where the values of a place are to be: its storage and the layout of that. */
void *rts_place_memory(const rts_place_t *place, const rts_layout_t **layout_p);

/** Put all places in force: homes, headers, template. Cannot fail. */
void rts_move_commit(rts_move_t *move);

/** Drop what was prepared. */
void rts_move_cancel(rts_move_t *move);

#endif
