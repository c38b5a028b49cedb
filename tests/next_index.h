/* Walks over the elements of a box, as brute-force references go. */
#ifndef TESTS_NEXT_INDEX_H
#define TESTS_NEXT_INDEX_H

#include "rts/box.h"

/** Step to the next index of a box, the last axis fastest; first is the box's lower corner. @return false after the last one, which the first
 * follows */
static inline bool next_index(const rts_box_t *box, rts_index_t index[]) {
    for (int axis = box->rank - 1; axis >= 0; axis--) {
        if (++index[axis] < box->hi[axis])
            return true;
        index[axis] = box->lo[axis];
    }
    return false;
}

#endif
