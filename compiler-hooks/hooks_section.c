/* Sections of arrays: copies, fills, and remote access outside of loops. */
#include <config.h>

#include <stdarg.h>

#include "compiler-hooks/hooks_object.h"
#include "rts/remote.h"
#include "rts/section.h"

HOOKS_API DvmType dvmh_array_slice_C(DvmType rank, ...) {
    hooks_slice_t slice = {.rank = hooks_new_rank(__func__, rank, 0)};
    va_list list;
    va_start(list, rank);
    for (int axis = 0; axis < slice.rank; axis++) {
        const DvmType start = va_arg(list, DvmType), end = va_arg(list, DvmType),
                      step = va_arg(list, DvmType);
        if (step < 1)
            hooks_error(__func__, "axis %d: step %ld; allowed: 1 and more", axis + 1, (long)step);
        DvmType extent;
        if (end < start || __builtin_sub_overflow(end, start, &extent) || extent == INT64_MAX ||
            (extent + 1) % step != 0)
            hooks_error(
                __func__,
                "axis %d: indices %ld..%ld by %ld; allowed: 1 index and more, a whole number of steps",
                axis + 1, (long)start, (long)end, (long)step);
        slice.start[axis] = start;
        slice.end[axis] = end;
        slice.step[axis] = step;
    }
    va_end(list);
    return hooks_keep_slice(&slice);
}

/* The section of an array that a helper says; 0: the whole array. */
static rts_section_t read_section(const char *entry_point, const rts_array_t *array, DvmType word) {
    if (word == 0)
        return rts_section_whole(array);
    const hooks_slice_t *slice = hooks_slice(entry_point, word);
    hooks_check_rank(entry_point, slice->rank, array->space.rank);
    rts_section_t section = {.rank = slice->rank};
    for (int axis = 0; axis < section.rank; axis++) {
        section.start[axis] = slice->start[axis];
        section.count[axis] = (slice->end[axis] - slice->start[axis] + 1) / slice->step[axis];
        section.step[axis] = slice->step[axis];
    }
    return section;
}

static void copy(const char *entry_point, const DvmType source_header[], DvmType source_slice,
                 DvmType target_header[], DvmType target_slice) {
    hooks_need_collective(entry_point);
    rts_array_t *source = hooks_array(entry_point, source_header),
                *target = hooks_array(entry_point, target_header);
    const rts_section_t from = read_section(entry_point, source, source_slice),
                        to = read_section(entry_point, target, target_slice);
    if (rts_section_copy(source, &from, target, &to) != RTS_OK)
        hooks_end(entry_point);
}

/* It may stand in an argument list, so that helpers live on. */
HOOKS_API void dvmh_array_copy_whole_(const DvmType source[], DvmType target[]) {
    copy(__func__, source, 0, target, 0);
}

HOOKS_API void dvmh_array_copy_C(const DvmType source[], DvmType source_slice, DvmType target[],
                                 DvmType target_slice) {
    copy(__func__, source, source_slice, target, target_slice);
    hooks_drop_helpers();
}

/* As dvmh_array_copy_whole_. */
HOOKS_API void dvmh_array_set_value_(DvmType target[], const void *value) {
    hooks_need_collective(__func__);
    rts_array_t *array = hooks_array(__func__, target);
    if (value == NULL)
        hooks_error(__func__, "the address of the value is 0");
    HOOKS_TRY(rts_section_fill(array, value));
}

HOOKS_API void dvmh_remote_access_C(DvmType buffer[], const DvmType header[], DvmType rank, ...) {
    rts_align_rule_t rule[RTS_MAX_RANK];
    rts_array_t *copy_of_section = NULL;
    va_list list;
    hooks_need_collective(__func__);
    if (buffer == NULL)
        hooks_error(__func__, "the buffer's address is 0");
    rts_array_t *array = hooks_array(__func__, header);
    hooks_check_rank(__func__, rank, array->space.rank);
    va_start(list, rank);
    for (int axis = 0; axis < array->space.rank; axis++)
        rule[axis] = hooks_alignment(__func__, va_arg(list, DvmType));
    va_end(list);
    HOOKS_TRY(rts_remote_create(array, rule, &copy_of_section));
    HOOKS_TRY(rts_array_attach_header(copy_of_section, buffer));
    hooks_drop_helpers();
}
