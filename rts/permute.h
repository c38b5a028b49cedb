/* Permutations of an array with one axis: elements change their places by an order that the program gives. The one reorganisation that the planner
 * cannot think of: what lies well together in irregular programs, edges or cells, only the program knows. */
#ifndef RTS_PERMUTE_H
#define RTS_PERMUTE_H

#include "rts/array.h"

/**
 * Give every element of an array the value that the element with the index order[i] had. Every process writes all that it holds, so that shadow
 * edges are right too. Sync. Collective; of a variable each process permutes its own. Main thread only.
 *
 * Memory: a second copy of the held part, its order, and what is sent; given back at the end.
 * @param order  an array with one axis of as many elements, whole numbers of 4 or 8 bytes with sign: the k-th one belongs to the array's k-th
 *               element, and is an index of the array. Lies anywhere; not the array itself
 * @return RTS_ERR_INVALID    no storage, more than one axis, elements of another size, other extents; an index that is not one, or comes
 *                            twice: nothing is changed
 * @return RTS_ERR_NO_MEMORY  nothing is changed
 * @return RTS_ERR_COMM       messages failed, or another process has one of the above
 */
rts_status_t rts_permute(rts_array_t *array, rts_array_t *order);

#endif
