/* Ordinary variables and regions. */
#include <config.h>

#include <stdarg.h>
#include <stdio.h>

#include "compiler-hooks/hooks_object.h"
#include "rts/log.h"
#include "rts/variable.h"

/* ---- data regions and variables' headers ---- */

HOOKS_API void dvmh_data_enter_C(const void *address, DvmType bytes) {
    hooks_need_serial(__func__);
    if (bytes < 0)
        hooks_error(__func__, "%ld bytes; allowed: 0 (unknown) and more", (long)bytes);
    HOOKS_TRY(rts_variable_enter(address, (size_t)bytes));
}

HOOKS_API void dvmh_data_exit_C(const void *address, DvmType save) {
    hooks_need_serial(__func__);
    HOOKS_TRY(rts_variable_exit(address, save != 0));
}

HOOKS_API DvmType *dvmh_variable_gen_header_C(const void *address, DvmType rank, DvmType type_size, ...) {
    rts_index_t extent[RTS_MAX_RANK];
    rts_element_t element;
    rts_array_t *array;
    DvmType *header = NULL;
    va_list list;
    hooks_need_serial(__func__);
    const int checked_rank = hooks_new_rank(__func__, rank, 0);
    va_start(list, type_size);
    for (int axis = 0; axis < checked_rank; axis++)
        extent[axis] = va_arg(list, DvmType);
    va_end(list);
    HOOKS_TRY(rts_element_decode(type_size, &element));
    HOOKS_TRY(rts_variable_describe(address, checked_rank, extent, element, &array, &header));
    return header;
}

HOOKS_API DvmType *dvmh_variable_get_header_C(const void *address) {
    hooks_need_serial(__func__);
    DvmType *const header = rts_variable_header(address);
    if (header == NULL)
        hooks_error(__func__, "the variable at %p has no header yet; dvmh_variable_gen_header_C makes it",
                    address);
    return header;
}

/* ---- regions ---- */

HOOKS_API DvmType dvmh_region_create_C(DvmType flags) {
    rts_region_t *region = NULL;
    hooks_need_serial(__func__);
    if (rts_loop_current() != NULL)
        hooks_error(__func__, "the loop of line %d is still open", rts_loop_current()->position.line);
    HOOKS_TRY(rts_region_open(flags, &region));
    region->position = rts_position_get();
    hooks_drop_helpers();
    return (DvmType)region->handle;
}

/* The name is what the program calls the array. */
static void register_use(const char *entry_point, rts_region_t *region, rts_array_t *array, DvmType intent,
                         const rts_box_t *box, const char name[]) {
    char text[512];
    if (rts_region_register(region, array, intent, box) == RTS_OK) {
        rts_region_set_name(region, name != NULL ? name : "");
        return;
    }
    snprintf(text, sizeof text, "%s", rts_error_text()); /* the message to come takes its place */
    hooks_error(entry_point, "'%s': %s", name != NULL ? name : "", text);
}

HOOKS_API void dvmh_region_register_array_C(DvmType region, DvmType intent, const DvmType header[],
                                            const char name[]) {
    rts_template_t *template;
    rts_array_t *array;
    hooks_need_serial(__func__);
    rts_region_t *object = hooks_region(__func__, region);
    hooks_target_described(__func__, header, &template, &array);
    if (array != NULL) /* a template has no data: loops may be mapped on it all the same */
        register_use(__func__, object, array, intent, NULL, name);
    hooks_drop_helpers();
}

HOOKS_API void dvmh_region_register_subarray_C(DvmType region, DvmType intent, const DvmType header[],
                                               const char name[], DvmType rank, ...) {
    DvmType bounds[2 * RTS_MAX_RANK];
    va_list list;
    hooks_need_serial(__func__);
    rts_region_t *object = hooks_region(__func__, region);
    rts_array_t *array = hooks_array_described(__func__, header);
    hooks_check_rank(__func__, rank, array->space.rank);
    va_start(list, rank);
    for (int i = 0; i < 2 * array->space.rank; i++)
        bounds[i] = va_arg(list, DvmType);
    va_end(list);
    const rts_box_t box = hooks_box(__func__, &array->space, bounds);
    register_use(__func__, object, array, intent, &box, name);
    hooks_drop_helpers();
}

HOOKS_API void dvmh_region_register_scalar_C(DvmType region, DvmType intent, const void *address,
                                             DvmType type_size, const char name[]) {
    rts_element_t element;
    rts_array_t *array;
    hooks_need_serial(__func__);
    rts_region_t *object = hooks_region(__func__, region);
    HOOKS_TRY(rts_element_decode(type_size, &element));
    HOOKS_TRY(rts_variable_describe(address, 0, NULL, element, &array, NULL));
    register_use(__func__, object, array, intent, NULL, name);
    hooks_drop_helpers();
}

HOOKS_API void dvmh_region_execute_on_targets_C(DvmType region, DvmType device_types) {
    hooks_need_serial(__func__);
    HOOKS_TRY(rts_region_execute(hooks_region(__func__, region), device_types));
    hooks_drop_helpers();
}

HOOKS_API void dvmh_region_end_C(DvmType region) {
    hooks_need_collective(__func__);
    rts_region_t *object = hooks_region(__func__, region);
    hooks_settle(__func__);
    if (rts_loop_current() != NULL)
        hooks_error(__func__, "the loop of line %d is still open", rts_loop_current()->position.line);
    HOOKS_TRY(rts_region_close(object));
    HOOKS_TRY(rts_variable_exit_automatic());
    hooks_drop_helpers();
}
