/* Arrays, templates, their distribution and alignment, and their deletion. */
#include <config.h>

#include <stdarg.h>
#include <string.h>

#include "compiler-hooks/hooks_object.h"
#include "compiler-hooks/hooks_stdio.h"
#include "rts/coherence.h"
#include "rts/runtime.h"

/* The list {size, shadow low, shadow high} of each axis. */
static void create_array(const char *entry_point, DvmType header[], DvmType given_rank, DvmType type_size,
                         bool is_complete, va_list list) {
    rts_index_t shadow_lo[RTS_MAX_RANK], shadow_hi[RTS_MAX_RANK];
    rts_element_t element;
    rts_array_t *array = NULL;
    hooks_need_serial(entry_point);
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
    hooks_need_serial(__func__);
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
    hooks_need_serial(__func__);
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

HOOKS_API DvmType dvmh_distribution_replicated_(void) {
    return hooks_keep_rule((rts_axis_rule_t){.kind = RTS_AXIS_REPLICATED, .grid_axis = -1});
}

HOOKS_API DvmType dvmh_distribution_block_C(DvmType grid_axis) {
    if (grid_axis < 1 || grid_axis > INT16_MAX)
        hooks_error(__func__, "axis %ld of the process grid; allowed: 1..%d", (long)grid_axis, INT16_MAX);
    return hooks_keep_rule((rts_axis_rule_t){.kind = RTS_AXIS_BLOCK, .grid_axis = (int)grid_axis - 1});
}

HOOKS_API void dvmh_distribute_C(DvmType header[], DvmType rank, ...) {
    rts_axis_rule_t rule[RTS_MAX_RANK];
    rts_template_t *template;
    rts_array_t *array;
    va_list list;
    hooks_need_serial(__func__);
    hooks_target(__func__, header, &template, &array);
    const int object_rank = array != NULL ? array->space.rank : template->distribution.space.rank;
    hooks_check_rank(__func__, rank, object_rank);
    va_start(list, rank);
    for (int axis = 0; axis < object_rank; axis++)
        rule[axis] = hooks_rule(__func__, va_arg(list, DvmType));
    va_end(list);
    HOOKS_TRY(array != NULL ? rts_array_distribute(array, rule, &rts_runtime()->grid)
                            : rts_template_distribute(template, rule, &rts_runtime()->grid));
    hooks_drop_helpers();
}

HOOKS_API DvmType dvmh_alignment_linear_C(DvmType axis, DvmType multiplier, DvmType summand) {
    if (axis < -1 || axis > RTS_MAX_RANK)
        hooks_error(__func__, "axis %ld; allowed: 1..%d, 0 (a constant) or -1 (any index)", (long)axis,
                    RTS_MAX_RANK);
    const int inside = axis > 0 ? (int)axis - 1 : axis == 0 ? RTS_ALIGN_CONSTANT : RTS_ALIGN_ANY;
    return hooks_keep_alignment((rts_align_rule_t){.axis = inside, .mult = multiplier, .add = summand});
}

HOOKS_API void dvmh_align_C(DvmType header[], const DvmType target[], DvmType target_rank, ...) {
    rts_template_t *template;
    rts_array_t *target_array;
    va_list list;
    hooks_need_serial(__func__);
    rts_array_t *array = hooks_array(__func__, header);
    hooks_target(__func__, target, &template, &target_array);
    rts_alignment_t alignment = {.rank = template != NULL ? template->distribution.space.rank
                                                          : target_array->space.rank};
    hooks_check_rank(__func__, target_rank, alignment.rank);
    va_start(list, target_rank);
    for (int axis = 0; axis < alignment.rank; axis++)
        alignment.rule[axis] = hooks_alignment(__func__, va_arg(list, DvmType));
    va_end(list);
    HOOKS_TRY(rts_array_align(array, template, target_array, &alignment, &rts_runtime()->grid));
    hooks_drop_helpers();
}
