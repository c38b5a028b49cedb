/* The clause shadow_compute of a loop. Checks what can be checked before the other clauses are known. */
#include <config.h>

#include <stdarg.h>

#include "compiler-hooks/hooks_object.h"
#include "rts/shadow_compute.h"

HOOKS_API void dvmh_loop_shadow_compute_C(DvmType loop, const DvmType target[], DvmType rank, ...) {
    rts_index_t low[RTS_MAX_RANK], high[RTS_MAX_RANK];
    rts_template_t *template;
    rts_array_t *array;
    va_list list;
    hooks_need_serial(__func__);
    rts_loop_t *object = hooks_loop(__func__, loop);
    hooks_target_described(__func__, target, &template, &array);
    if (rank != 0)
        hooks_check_rank(__func__, rank,
                         template != NULL ? template->distribution.space.rank : array->space.rank);
    va_start(list, rank);
    for (int axis = 0; axis < rank; axis++) {
        low[axis] = va_arg(list, DvmType);
        high[axis] = va_arg(list, DvmType);
    }
    va_end(list);
    HOOKS_TRY(rts_loop_set_shadow_compute(object, template, array, rank != 0 ? low : NULL, high));
    hooks_drop_helpers();
}

HOOKS_API void dvmh_loop_shadow_compute_array_C(DvmType loop, const DvmType header[]) {
    hooks_need_serial(__func__);
    rts_loop_t *object = hooks_loop(__func__, loop);
    HOOKS_TRY(rts_loop_add_shadow_array(object, hooks_array_described(__func__, header)));
    hooks_drop_helpers();
}
