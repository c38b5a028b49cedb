/* Sections of arrays, and copies of values between them. Works on home: brings the newest values there and makes it the only owner of
 * what it writes. This process must hold what a section names. Main thread only. */
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

/**
 * Copy one section's values to another's, in the order of their indices. Extents of 1 do not count; the others must be the same in the
 * same order. The two may overlap: the result is as if all values were read first.
 * @return RTS_ERR_INVALID      not distributed, outside of the array, elements of different size, other extents
 * @return RTS_ERR_UNSUPPORTED  this process does not hold a whole section
 * @return RTS_ERR_NO_MEMORY    no room for values of sections of one array; no value was written
 */
rts_status_t rts_section_copy(rts_array_t *source, const rts_section_t *from, rts_array_t *target,
                              const rts_section_t *to);

/** Give every element that this process holds the value at an address. @return RTS_ERR_INVALID  not distributed */
rts_status_t rts_section_fill(rts_array_t *array, const void *value);

#endif
