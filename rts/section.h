/* Sections of arrays, and copies of values between them, whoever owns what. Works on home: brings the newest values there and makes it the only
 * owner of what it writes. Main thread only. */
#ifndef RTS_SECTION_H
#define RTS_SECTION_H

#include "rts/array.h"

/** Indices start, start + step, .. along each axis, count of them; step of either sign, not 0; count >= 1. User indices. */
typedef struct rts_section {
    int rank;
    rts_index_t start[RTS_MAX_RANK], count[RTS_MAX_RANK], step[RTS_MAX_RANK];
} rts_section_t;

/** All elements of an array. */
rts_section_t rts_section_whole(const rts_array_t *array);

/** Smallest box that a section lies in. */
rts_box_t rts_section_box(const rts_section_t *section);

/** Ordinals of the elements of a section that lie in a box: along each axis those first <= n < end, counted from 0; may be empty. */
rts_box_t rts_section_within(const rts_section_t *section, const rts_box_t *box);

/** The section of the elements with the ordinals of a box that is not empty. */
rts_section_t rts_section_part(const rts_section_t *section, const rts_box_t *ordinals);

/** Elements of a section. */
size_t rts_section_size(const rts_section_t *section);

/**
 * Newest values of a section that this process holds to memory, or from memory, in C order of ordinals. Local. What is written is current at
 * home alone afterwards.
 * @param values  rts_section_size(section) elements
 */
rts_status_t rts_section_read(rts_array_t *array, const rts_section_t *section, void *values);
rts_status_t rts_section_write(rts_array_t *array, const rts_section_t *section, const void *values);

/**
 * Copy one section's values to another's, in the order of their indices. Extents of 1 do not count; the others must be the same in the
 * same order. The two may overlap: the result is as if all values were read first. Every process writes all that it holds of the target, so that
 * shadow edges are right too. Of a variable each process reads its own. Collective.
 * @return RTS_ERR_INVALID      not distributed, outside of the array, elements of different size, other extents
 * @return RTS_ERR_NO_MEMORY    no room for the values; this process has written nothing, but others may wait: the caller ends the job
 * @return RTS_ERR_COMM         messages failed
 */
rts_status_t rts_section_copy(rts_array_t *source, const rts_section_t *from, rts_array_t *target,
                              const rts_section_t *to);

/** Give every element that this process holds the value at an address. Local. @return RTS_ERR_INVALID  not distributed */
rts_status_t rts_section_fill(rts_array_t *array, const void *value);

#endif
