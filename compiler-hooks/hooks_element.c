/* Single elements and whole arrays in serial code: addresses, shadow edges, and which copy is the newest. The two address
 * functions are hot in programs' serial code: a handle look-up, a comparison an axis and a sum. */
#include <config.h>

#include <stdarg.h>
#include <string.h>

#include "compiler-hooks/hooks_object.h"
#include "rts/coherence.h"
#include "rts/halo.h"
#include "rts/variable.h"

static void *element_address(const char *entry_point, const DvmType header[], DvmType rank, bool own,
                             va_list list) {
    const rts_array_t *array = hooks_array(entry_point, header);
    rts_index_t index[RTS_MAX_RANK];
    hooks_check_rank(entry_point, rank, array->space.rank);
    for (int axis = 0; axis < array->space.rank; axis++)
        index[axis] = va_arg(list, DvmType);
    if (own && !rts_box_has_point(&array->local, index))
        return NULL;
    return rts_array_element(array, index);
}

HOOKS_API void *dvmh_get_element_addr_C(const DvmType header[], DvmType rank, ...) {
    va_list list;
    va_start(list, rank);
    void *const address = element_address(__func__, header, rank, false, list);
    va_end(list);
    return address;
}

HOOKS_API void *dvmh_get_own_element_addr_C(const DvmType header[], DvmType rank, ...) {
    va_list list;
    va_start(list, rank);
    void *const address = element_address(__func__, header, rank, true, list);
    va_end(list);
    return address;
}

HOOKS_API DvmType dvmh_has_element_C(const DvmType header[], DvmType rank, ...) {
    va_list list;
    va_start(list, rank);
    const void *const address = element_address(__func__, header, rank, true, list);
    va_end(list);
    return address != NULL ? 1 : 0;
}

/* As the program would compute it from the header's words: bounds are not checked, and the sum may wrap. */
HOOKS_API DvmType dvmh_calc_linear_C(const DvmType header[], DvmType rank, ...) {
    const rts_array_t *array = hooks_array(__func__, header);
    hooks_check_rank(__func__, rank, array->space.rank);
    if (!array->is_distributed)
        hooks_error(__func__, "the array has no storage yet; allowed: a distributed or aligned array");
    uint64_t place = (uint64_t)header[array->space.rank + 1];
    va_list list;
    va_start(list, rank);
    for (int axis = 0; axis < array->space.rank; axis++)
        place += (uint64_t)header[axis + 1] * (uint64_t)va_arg(list, DvmType);
    va_end(list);
    return (DvmType)place;
}

/* Renewals that follow each other are made together, when something comes that may read: see hooks_array. */
HOOKS_API void dvmh_shadow_renew_C(const DvmType header[], DvmType corners, DvmType rank, ...) {
    rts_index_t lows[RTS_MAX_RANK], highs[RTS_MAX_RANK];
    va_list list;
    hooks_need_collective(__func__);
    rts_array_t *array = hooks_array_described(__func__, header);
    if (!array->is_distributed || array->is_variable)
        hooks_error(__func__, "the array is not distributed");
    if (rank != 0)
        hooks_check_rank(__func__, rank, array->space.rank);
    va_start(list, rank);
    for (int axis = 0; axis < rank; axis++) {
        const DvmType low = va_arg(list, DvmType), high = va_arg(list, DvmType);
        if (low < 0 || low > array->shadow_lo[axis] || high < 0 || high > array->shadow_hi[axis])
            hooks_error(__func__, "widths %ld:%ld of axis %d; allowed: 0..%lld : 0..%lld", (long)low,
                        (long)high, axis + 1, (long long)array->shadow_lo[axis],
                        (long long)array->shadow_hi[axis]);
        lows[axis] = low;
        highs[axis] = high;
    }
    va_end(list);
    HOOKS_TRY(rts_halo_request(array, corners != 0, rank != 0 ? lows : NULL, rank != 0 ? highs : NULL));
    hooks_drop_helpers();
}

/* ---- parts of arrays and variables ---- */

/* The part of an array that {low, high} of each axis say. */
static rts_box_t read_part(const char *entry_point, const rts_array_t *array, DvmType rank, va_list list) {
    DvmType bounds[2 * RTS_MAX_RANK];
    hooks_check_rank(entry_point, rank, array->space.rank);
    for (int i = 0; i < 2 * array->space.rank; i++)
        bounds[i] = va_arg(list, DvmType);
    return hooks_box(entry_point, &array->space, bounds);
}

/* Do to a part at home what fetches or marks it. A variable of which the runtime knows nothing (NULL) has no copies. */
static void settle_part(const char *entry_point, rts_array_t *array, DvmType rank, va_list list,
                        rts_status_t (*settle)(rts_array_t *array, int device, const rts_box_t *box)) {
    if (array != NULL) {
        const rts_box_t part = read_part(entry_point, array, rank, list);
        if (settle(array, 0, &part) != RTS_OK)
            hooks_end(entry_point);
    }
    hooks_drop_helpers();
}

HOOKS_API void dvmh_get_actual_subarray_C(const DvmType header[], DvmType rank, ...) {
    va_list list;
    hooks_need_serial(__func__);
    va_start(list, rank);
    settle_part(__func__, hooks_array(__func__, header), rank, list, rts_coherence_fetch);
    va_end(list);
}

HOOKS_API void dvmh_actual_subarray_C(const DvmType header[], DvmType rank, ...) {
    va_list list;
    hooks_need_serial(__func__);
    va_start(list, rank);
    settle_part(__func__, hooks_array(__func__, header), rank, list, rts_coherence_written);
    va_end(list);
}

HOOKS_API void dvmh_get_actual_subvariable_C(void *address, DvmType rank, ...) {
    va_list list;
    hooks_need_serial(__func__);
    va_start(list, rank);
    settle_part(__func__, rts_variable_array(address), rank, list, rts_coherence_fetch);
    va_end(list);
}

HOOKS_API void dvmh_actual_subvariable_C(const void *address, DvmType rank, ...) {
    va_list list;
    hooks_need_serial(__func__);
    va_start(list, rank);
    settle_part(__func__, rts_variable_array(address), rank, list, rts_coherence_written);
    va_end(list);
}

/* ---- newest values to the host ---- */

HOOKS_API void dvmh_get_actual_variable2_(void *address) {
    hooks_need_serial(__func__);
    HOOKS_TRY(rts_variable_bring_home(address));
    hooks_drop_helpers();
}

HOOKS_API void dvmh_get_actual_array2_(const DvmType header[]) {
    hooks_need_serial(__func__);
    HOOKS_TRY(rts_coherence_fetch(hooks_array(__func__, header), 0, NULL));
    hooks_drop_helpers();
}

HOOKS_API void dvmh_get_actual_all2_(void) {
    hooks_need_serial(__func__);
    hooks_settle(__func__);
    for (rts_array_t *array = rts_array_first(); array != NULL; array = array->next)
        if (array->is_distributed)
            HOOKS_TRY(rts_coherence_fetch(array, 0, NULL));
    hooks_drop_helpers();
}

/* ---- the host's values are the newest ---- */

HOOKS_API void dvmh_actual_variable2_(const void *address) {
    hooks_need_serial(__func__);
    HOOKS_TRY(rts_variable_written_home(address));
    hooks_drop_helpers();
}

HOOKS_API void dvmh_actual_array2_(const DvmType header[]) {
    hooks_need_serial(__func__);
    HOOKS_TRY(rts_coherence_written(hooks_array(__func__, header), 0, NULL));
    hooks_drop_helpers();
}

HOOKS_API void dvmh_actual_all2_(void) {
    hooks_need_serial(__func__);
    hooks_settle(__func__);
    for (rts_array_t *array = rts_array_first(); array != NULL; array = array->next)
        if (array->is_distributed)
            HOOKS_TRY(rts_coherence_written(array, 0, NULL));
    hooks_drop_helpers();
}
