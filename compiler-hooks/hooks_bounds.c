/* Bounds of loops with dependences in the order that handlers want: dims that carry dependences apart from the others. Three variants
 * that differ in which come first, in which direction dims are counted, and from which number. */
#include <config.h>

#include <dvmhlib.h>
#include <string.h>

#include "compiler-hooks/hooks.h"
#include "rts/types.h"

/* ABI bit of a dim. */
static bool is_dependent(DvmType mask, int rank, int dim) {
    return (mask >> (rank - 1 - dim) & 1) != 0;
}

static void need(const char *entry_point, const void *address, const char *what) {
    if (address == NULL)
        hooks_error(entry_point, "the address of the %s is 0", what);
}

/* @return the rank, checked like all else */
static int check(const char *entry_point, DvmType *const bounds[3], DvmType rank, DvmType mask,
                 const DvmType places[]) {
    static const char *const name[3] = {"low bounds", "high bounds", "steps"};
    if (rank < 1 || rank > RTS_MAX_RANK)
        hooks_error(entry_point, "rank %ld; allowed: 1..%d", (long)rank, RTS_MAX_RANK);
    for (int i = 0; i < 3; i++)
        need(entry_point, bounds[i], name[i]);
    need(entry_point, places, "places");
    if (mask < 0 || mask >> rank != 0)
        hooks_error(entry_point, "dependency mask %ld; allowed: 0..%d", (long)mask, (1 << (int)rank) - 1);
    return (int)rank;
}

/* Dims in their new order, outermost first in both groups. @return how many carry dependences */
static int order_dims(int rank, DvmType mask, bool dependent_first, int dims[RTS_MAX_RANK]) {
    int place = 0, count = 0;
    for (int group = 0; group < 2; group++)
        for (int dim = 0; dim < rank; dim++)
            if (is_dependent(mask, rank, dim) == (dependent_first == (group == 0)))
                dims[place++] = dim;
    for (int dim = 0; dim < rank; dim++)
        count += is_dependent(mask, rank, dim);
    return count;
}

/* Nothing moves where all dims are of one kind. */
static void reorder(DvmType *const bounds[3], int rank, int dependent_count, const int dims[]) {
    DvmType old[RTS_MAX_RANK];
    if (dependent_count == 0 || dependent_count == rank)
        return;
    for (int i = 0; i < 3; i++) {
        memcpy(old, bounds[i], (size_t)rank * sizeof old[0]);
        for (int place = 0; place < rank; place++)
            bounds[i][place] = old[dims[place]];
    }
}

HOOKS_API void dvmh_change_filled_bounds2_C(DvmType low[], DvmType high[], DvmType step[], DvmType rank,
                                            DvmType dependency_mask, DvmType places[]) {
    DvmType *const bounds[3] = {low, high, step};
    int dims[RTS_MAX_RANK];
    const int checked_rank = check(__func__, bounds, rank, dependency_mask, places);
    reorder(bounds, checked_rank, order_dims(checked_rank, dependency_mask, true, dims), dims);
    for (int place = 0; place < checked_rank; place++)
        places[place] = dims[place];
}

HOOKS_API void dvmh_change_filled_bounds_C(DvmType low[], DvmType high[], DvmType step[], DvmType rank,
                                           DvmType dependency_mask, DvmType places[]) {
    DvmType *const bounds[3] = {low, high, step};
    int dims[RTS_MAX_RANK];
    const int checked_rank = check(__func__, bounds, rank, dependency_mask, places);
    reorder(bounds, checked_rank, order_dims(checked_rank, dependency_mask, false, dims), dims);
    for (int place = 0; place < checked_rank; place++)
        places[place] = dims[place] + 1;
}

/* Fortran counts dims from the innermost, so that its order, dependent ones first, is that of C with independent ones first, read
 * backwards. */
HOOKS_API void dvmh_change_filled_bounds(DvmType *low, DvmType *high, DvmType *step, DvmType rank,
                                         DvmType dependent_count, DvmType dependency_mask, DvmType *places) {
    DvmType *const bounds[3] = {low, high, step};
    int dims[RTS_MAX_RANK];
    const int checked_rank = check(__func__, bounds, rank, dependency_mask, places);
    const int found = order_dims(checked_rank, dependency_mask, false, dims);
    if (found != dependent_count)
        hooks_error(__func__, "%ld dependent dims; the dependency mask %ld has %d", (long)dependent_count,
                    (long)dependency_mask, found);
    reorder(bounds, checked_rank, found, dims);
    for (int place = 0; place < checked_rank; place++)
        places[place] = checked_rank - 1 - dims[checked_rank - 1 - place];
}
