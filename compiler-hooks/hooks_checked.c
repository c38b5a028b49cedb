/* Single elements in serial code of programs made by dvmhcc: as in hooks_element.c, but whoever names an element that is not there is
 * told which one, where, and what would be allowed. Reading is of what this process holds, writing of what it owns. */
#include <config.h>

#include <dvmhx.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler-hooks/hooks_object.h"
#include "rts/log.h"

#define TEXT_SIZE 256

/* What "FILE:LINE:NAME" says; FILE may have colons itself. */
typedef struct place {
    const char *name; /* of the array */
    char file[TEXT_SIZE];
    int line;
} place_t;

/* Make the place the program's position. Only on the way to an error, so that it costs nothing. */
static const char *take_place(const char *where) {
    static place_t place;
    const char *name = where != NULL ? strrchr(where, ':') : NULL;
    const char *line = name;
    while (line != NULL && line > where && line[-1] != ':')
        line--;
    if (line == NULL || line <= where || line == name)
        return "the array";
    snprintf(place.file, sizeof place.file, "%.*s", (int)(line - 1 - where), where);
    place.line = atoi(line);
    rts_position_set((rts_position_t){.file = place.file, .line = place.line});
    return name + 1;
}

static void add_box(char text[TEXT_SIZE], const rts_box_t *box) {
    size_t used = 0;
    for (int axis = 0; axis < box->rank && used < TEXT_SIZE; axis++)
        used += (size_t)snprintf(text + used, TEXT_SIZE - used, "[%lld..%lld]", (long long)box->lo[axis],
                                 (long long)box->hi[axis] - 1);
}

static void add_element(char text[TEXT_SIZE], int rank, const rts_index_t index[]) {
    size_t used = 0;
    for (int axis = 0; axis < rank && used < TEXT_SIZE; axis++)
        used += (size_t)snprintf(text + used, TEXT_SIZE - used, "[%lld]", (long long)index[axis]);
}

/* The element is in no process's part, or there is no part yet. */
static void check_index(const char *entry_point, const char *where, const rts_array_t *array,
                        const rts_index_t index[]) {
    char element[TEXT_SIZE], allowed[TEXT_SIZE];
    if (array->is_distributed && rts_box_has_point(&array->space, index))
        return;
    const char *name = take_place(where);
    add_element(element, array->space.rank, index);
    if (!array->is_distributed)
        hooks_error(entry_point,
                    "element %s%s: the array has no storage yet; allowed: a distributed or aligned array",
                    name, element);
    add_box(allowed, &array->space);
    hooks_error(entry_point, "element %s%s is outside of the array; allowed: %s", name, element, allowed);
}

static _Noreturn void tell_not_held(const char *entry_point, const char *where, const rts_array_t *array,
                                    const rts_index_t index[]) {
    char element[TEXT_SIZE], held[TEXT_SIZE] = "nothing";
    check_index(entry_point, where, array, index);
    const char *name = take_place(where);
    add_element(element, array->space.rank, index);
    if (!rts_box_is_empty(&array->held))
        add_box(held, &array->held);
    hooks_error(entry_point,
                "element %s%s is read, which another process has; allowed: %s, which this one holds, or any "
                "element that a remote_access directive before the block names",
                name, element, held);
}

static const rts_array_t *find(const char *entry_point, const DvmType header[], DvmType rank, va_list list,
                               rts_index_t index[RTS_MAX_RANK]) {
    const rts_array_t *array = hooks_array(entry_point, header);
    hooks_check_rank(entry_point, rank, array->space.rank);
    for (int axis = 0; axis < array->space.rank; axis++)
        index[axis] = va_arg(list, DvmType);
    return array;
}

HOOKS_API void *dvmhx_held_element_C(const char where[], const DvmType header[], DvmType rank, ...) {
    rts_index_t index[RTS_MAX_RANK];
    va_list list;
    va_start(list, rank);
    const rts_array_t *array = find(__func__, header, rank, list, index);
    va_end(list);
    void *const address = rts_array_element(array, index);
    if (address == NULL)
        tell_not_held(__func__, where, array, index);
    return address;
}

HOOKS_API void *dvmhx_own_element_C(const char where[], const DvmType header[], DvmType rank, ...) {
    rts_index_t index[RTS_MAX_RANK];
    va_list list;
    va_start(list, rank);
    const rts_array_t *array = find(__func__, header, rank, list, index);
    va_end(list);
    if (rts_box_has_point(&array->local, index))
        return rts_array_element(array, index);
    check_index(__func__, where, array, index);
    return NULL;
}

HOOKS_API void *dvmhx_changed_element_C(const char where[], void *other, const DvmType header[], DvmType rank,
                                        ...) {
    rts_index_t index[RTS_MAX_RANK];
    va_list list;
    va_start(list, rank);
    const rts_array_t *array = find(__func__, header, rank, list, index);
    va_end(list);
    void *const address = rts_array_element(array, index);
    if (address == NULL)
        tell_not_held(__func__, where, array, index);
    if (rts_box_has_point(&array->local, index))
        return address;
    return memcpy(other, address, array->element.bytes);
}
