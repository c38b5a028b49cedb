/* Arrays and templates: creation and deletion. */
#include <config.h>

#include <stdarg.h>
#include <string.h>

#include "compiler-hooks/hooks_object.h"
#include "compiler-hooks/hooks_stdio.h"
#include "rts/coherence.h"

/* The list {size, shadow low, shadow high} of each axis. */
static void create_array(const char *entry_point, DvmType header[], DvmType given_rank, DvmType type_size,
                         bool is_complete, va_list list) {
    rts_index_t shadow_lo[RTS_MAX_RANK], shadow_hi[RTS_MAX_RANK];
    rts_element_t element;
    rts_array_t *array = NULL;
    hooks_need_collective(entry_point);
    if (header == NULL)
        hooks_error(entry_point, "the header's address is 0");
    rts_box_t space = {.rank = hooks_new_rank(entry_point, given_rank, 1)};
    for (int axis = 0; axis < space.rank; axis++) {
        space.hi[axis] = va_arg(list, DvmType);
        shadow_lo[axis] = va_arg(list, DvmType);
        shadow_hi[axis] = va_arg(list, DvmType);
    }
    if (rts_element_decode(type_size, &element) != RTS_OK ||
        rts_array_create(&space, element, shadow_lo, shadow_hi, is_complete, &array) != RTS_OK)
        hooks_end(entry_point);
    if (rts_array_attach_header(array, header) != RTS_OK)
        hooks_end(entry_point);
    hooks_drop_helpers();
}

HOOKS_API void dvmh_array_create_C(DvmType header[], DvmType rank, DvmType type_size, ...) {
    va_list list;
    va_start(list, type_size);
    create_array(__func__, header, rank, type_size, true, list);
    va_end(list);
}

HOOKS_API void dvmh_array_declare_C(DvmType header[], DvmType rank, DvmType type_size, ...) {
    va_list list;
    va_start(list, type_size);
    create_array(__func__, header, rank, type_size, false, list);
    va_end(list);
}

HOOKS_API void dvmh_array_alloc_C(DvmType header[], DvmType bytes) {
    hooks_need_collective(__func__);
    HOOKS_TRY(rts_array_set_bytes(hooks_array(__func__, header), bytes));
    hooks_drop_helpers();
}

static void need_unused(const char *entry_point, const rts_array_t *array) {
    if (array->is_variable)
        hooks_error(entry_point,
                    "the header belongs to an ordinary variable, which dvmh_data_exit_C forgets");
    if (rts_region_check_unused(array) != RTS_OK)
        hooks_end(entry_point);
}

static void need_unused_template(const char *entry_point, const rts_template_t *template) {
    const rts_loop_t *loop = rts_loop_current();
    if (loop != NULL && loop->map_template == template)
        hooks_error(entry_point, "the template is in use by the loop of line %d; allowed: after it",
                    loop->position.line);
}

HOOKS_API void dvmh_array_free_C(DvmType header[]) {
    hooks_need_serial(__func__);
    rts_array_t *array = hooks_array(__func__, header);
    need_unused(__func__, array);
    if (!array->is_declared)
        hooks_error(
            __func__,
            "the array was made by dvmh_array_create_C; allowed: arrays made by dvmh_array_declare_C");
    rts_coherence_release(array);
    rts_array_clear(array);
    hooks_drop_helpers();
}

HOOKS_API void dvmh_template_create_C(DvmType header[], DvmType rank, ...) {
    rts_template_t *template = NULL;
    va_list list;
    hooks_need_collective(__func__);
    if (header == NULL)
        hooks_error(__func__, "the header's address is 0");
    rts_box_t space = {.rank = hooks_new_rank(__func__, rank, 1)};
    va_start(list, rank);
    for (int axis = 0; axis < space.rank; axis++)
        space.hi[axis] = va_arg(list, DvmType);
    va_end(list);
    HOOKS_TRY(rts_template_create(&space, &template));
    header[0] = (DvmType) template->handle;
    hooks_drop_helpers();
}

static void destroy_array(rts_array_t *array) {
    rts_coherence_release(array);
    rts_array_destroy(array);
}

HOOKS_API void dvmh_delete_object_(DvmType header[]) {
    rts_template_t *template;
    rts_array_t *array;
    hooks_need_serial(__func__);
    if (header != NULL && header[0] == 0)
        return; /* never created: programs delete in the reverse order of declaration, not of creation */
    hooks_target(__func__, header, &template, &array);
    if (array != NULL) {
        need_unused(__func__, array);
        destroy_array(array);
    } else { /* arrays aligned with it live on */
        need_unused_template(__func__, template);
        rts_handle_destroy(template->handle);
        template->handle = 0;
        rts_template_release(template);
    }
    header[0] = 0;
    hooks_drop_helpers();
}

HOOKS_API void dvmh_forget_header_(DvmType header[]) {
    hooks_need_serial(__func__);
    if (header != NULL && header[0] == 0)
        return;
    rts_array_t *array = hooks_array(__func__, header);
    const bool is_last = array->header_count <= 1;
    if (is_last && !array->is_variable)
        need_unused(__func__, array);
    if (!rts_array_detach_header(array, header))
        hooks_error(__func__, "the array does not know this header");
    if (is_last && !array->is_variable)
        destroy_array(array);
    hooks_drop_helpers();
}
