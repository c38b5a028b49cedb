/* Who owns what: the parts of an object that the other processes have, and from whom a process gets values. Pure arithmetic on plain
 * structs, the same in every process, so it is tested without MPI.
 *
 * Where the grid has axes that say nothing about an object ("free" axes: the template is not cut along them, or the object is replicated
 * along the template's axis), all processes that differ only in those coordinates own the same part: copies. A process gets values
 * from the copy that has its own coordinates along the free axes. */
#ifndef RTS_PLACEMENT_H
#define RTS_PLACEMENT_H

#include "rts/distribution.h"
#include "rts/status.h"

/** Where an object lies. Pointers are not owned. */
typedef struct rts_placement {
    const rts_box_t *space; /* of the object */
    const rts_alignment_t *alignment;
    const rts_distribution_t *distribution; /* of the template */
    const rts_grid_t *grid;                 /* coordinates are not looked at */
} rts_placement_t;

/** Processes of a grid. */
int rts_grid_processes(const rts_grid_t *grid);

/** The grid with the coordinates of a process (row-major, the last axis fastest). */
rts_grid_t rts_grid_at(const rts_grid_t *grid, int process);

/** The process with the coordinates of a grid. */
int rts_grid_process(const rts_grid_t *grid);

/** The part that a process owns; may be empty. */
rts_box_t rts_placement_local(const rts_placement_t *placement, int process);

/** Free axes of the grid: bit k is axis k (from 0). */
unsigned rts_placement_free_axes(const rts_placement_t *placement);

/** Whether a process has coordinate 0 along all free axes, so that of all copies its part counts. */
bool rts_placement_is_first(const rts_placement_t *placement, int process);

/** Whether `viewer` gets values from `process`, if that owns them: the two have the same coordinates along the free axes. */
bool rts_placement_serves(const rts_placement_t *placement, int process, int viewer);

/** What is done with a part of a box: `part` is not empty. Another status than RTS_OK ends the walk. */
typedef rts_status_t (*rts_owner_fn_t)(void *context, int process, const rts_box_t *part);

/**
 * Walk over the owners of a box, in ascending order of processes: those that have the coordinates of process `viewer` along the free
 * axes. Their parts are disjoint and together all of the box that lies in the object's space and that anybody owns.
 */
rts_status_t rts_placement_owners(const rts_placement_t *placement, const rts_box_t *box, int viewer,
                                  rts_owner_fn_t visit, void *context);

#endif
