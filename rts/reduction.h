/* Reduction arithmetic: start values and combining, for every operation and type of the ABI. Knows no loops, no threads. */
#ifndef RTS_REDUCTION_H
#define RTS_REDUCTION_H

#include "rts/element.h"

/** One reduction: operation rf_*, element type rt_*, and sizes. */
typedef struct rts_reduction {
    int operation;     /* rf_* of dvmhlib_const.h */
    int type;          /* rt_* */
    rts_index_t count; /* elements, >= 1 */
    size_t element_bytes;
    size_t location_bytes; /* bytes of location data an element; 0 unless MAXLOC or MINLOC */
} rts_reduction_t;

/**
 * Check and complete a reduction.
 * @return RTS_ERR_INVALID  unknown operation or type, a pair without meaning (bitwise on floating point, order on complex),
 *                          count < 1, or location_bytes negative (0 is allowed for MAXLOC/MINLOC: the value alone)
 */
rts_status_t rts_reduction_init(DvmType operation, DvmType type, DvmType count, DvmType location_bytes,
                                rts_reduction_t *reduction_p);

bool rts_reduction_has_location(const rts_reduction_t *reduction);

/** True when the loop starts from the neutral element and the variable's value is combined in at the end (SUM, PROD, XOR, NE,
 * EQ, EQU); false when it starts from the value the variable had (MAX, MIN, AND, OR, MAXLOC, MINLOC). */
bool rts_reduction_starts_neutral(const rts_reduction_t *reduction);

/**
 * Store start values: the neutral element, or a copy of `before` and its locations.
 * @param values, locations  written; locations is not touched when it is NULL or the operation has none
 * @param before, before_locations  the variable before the loop
 */
void rts_reduction_start(const rts_reduction_t *reduction, void *values, void *locations, const void *before,
                         const void *before_locations);

/** into := into op from, element by element; for locations a strictly better value of `from` wins, so `into` wins ties. */
void rts_reduction_combine(const rts_reduction_t *reduction, void *into, void *into_locations,
                           const void *from, const void *from_locations);

#endif
