/* Values of a section, from the processes that have them to those that want them. Who has and who wants what is told by functions that give
 * the same answers in every process, so that nobody asks anybody. Collective; main thread only. */
#ifndef RTS_GATHER_H
#define RTS_GATHER_H

#include "rts/section.h"

/** Ordinals of a section's elements along each axis; may be empty. */
typedef rts_box_t (*rts_gather_part_fn_t)(const void *context, int process);

/** Whether `viewer` takes what `process` has; always when they are the same. */
typedef bool (*rts_gather_serves_fn_t)(const void *context, int process, int viewer);

/** Who has what. Where a process wants what several serve it, the last one's value counts, whatever they are: a mistake of the caller. */
typedef struct rts_gather_source {
    rts_gather_part_fn_t has; /* in this process: inside what it holds of the array */
    rts_gather_serves_fn_t serves;
    const void *context;
} rts_gather_source_t;

/**
 * Bring newest values where they are wanted. Sync.
 * @param wants   what each process wants
 * @param values  receives what this process wants and anybody has, in C order of the box that `wants` gives for it; not touched
 *                elsewhere
 * @return RTS_ERR_NO_MEMORY  in the process that lacks memory; others may wait: the caller ends the job
 * @return RTS_ERR_COMM       messages failed
 */
rts_status_t rts_gather(rts_array_t *array, const rts_section_t *section, const rts_gather_source_t *source,
                        rts_gather_part_fn_t wants, const void *context, void *values);

/** The same from the owners of the array; each process has all of a variable itself. */
rts_status_t rts_gather_owned(rts_array_t *array, const rts_section_t *section, rts_gather_part_fn_t wants,
                              const void *context, void *values);

/** Whether every process has all values of an array itself. */
bool rts_gather_is_everywhere(const rts_array_t *array);

#endif
