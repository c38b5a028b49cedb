/* Arrays and templates: their lives, index spaces and headers. Where their elements lie is array_place.c's part.
 *
 * Everything that can fail is done before the object changes: a call that fails leaves it as it was. */
#include <config.h>

#include "rts/array.h"

#include <stdint.h>
#include <stddef.h>
#include <string.h>

#include "rts/array_inside.h"
#include "rts/memory.h"

/* Bounds beyond this are refused, so that extents and differences of indices fit 63 bits. */
#define INDEX_LIMIT ((rts_index_t)1 << 61)

static rts_array_t *first_array;
static rts_template_t *first_template;

/* Index spaces */

static rts_status_t check_rank(const char *what, int rank, int least) {
    if (rank >= least && rank <= RTS_MAX_RANK)
        return RTS_OK;
    return rts_fail(RTS_ERR_INVALID, "%s of rank %d, allowed are %d..%d", what, rank, least, RTS_MAX_RANK);
}

static rts_status_t check_axis(const char *what, const rts_box_t *space, int axis) {
    const rts_index_t lo = space->lo[axis], hi = space->hi[axis];
    if (lo >= hi)
        return rts_fail(RTS_ERR_INVALID, "axis %d of %s is [%lld..%lld], but must have one element or more",
                        axis + 1, what, (long long)lo, (long long)hi - 1);
    if (lo < -INDEX_LIMIT || hi > INDEX_LIMIT)
        return rts_fail(RTS_ERR_INVALID, "axis %d of %s is [%lld..%lld], allowed are indices up to %lld",
                        axis + 1, what, (long long)lo, (long long)hi - 1, (long long)INDEX_LIMIT);
    return RTS_OK;
}

/* Every axis from `first_axis` on, and the sum by which elements are addressed: no part of it may overflow,
 * wherever the held part lies. bytes_p receives the bytes of one step along the axis before. */
static rts_status_t check_space(const rts_box_t *space, size_t element_bytes, int first_axis,
                                rts_index_t *bytes_p) {
    rts_index_t stride_bytes = (rts_index_t)element_bytes, reach = 0;
    for (int axis = space->rank - 1; axis >= first_axis; axis--) {
        RTS_TRY(check_axis("an array", space, axis));
        rts_index_t term;
        if (__builtin_mul_overflow(stride_bytes, rts_max(-space->lo[axis], space->hi[axis]), &term) ||
            __builtin_add_overflow(reach, term, &reach) ||
            __builtin_mul_overflow(stride_bytes, space->hi[axis] - space->lo[axis], &stride_bytes))
            return rts_fail(
                RTS_ERR_INVALID,
                "array too large: %zu-byte elements, axis %d [%lld..%lld] and the axes after it go beyond "
                "63 bits",
                element_bytes, axis + 1, (long long)space->lo[axis], (long long)space->hi[axis] - 1);
    }
    *bytes_p = stride_bytes;
    return RTS_OK;
}

/* Templates */

rts_template_t *rts_template_new(const rts_box_t *space) {
    rts_template_t *template = rts_alloc_zeroed(1, sizeof *template);
    if (template == NULL) {
        (void)rts_fail_memory("a template", sizeof *template);
        return NULL;
    }
    template->references = 1;
    template->distribution.space = *space;
    template->local = rts_box_empty(space->rank);
    template->next = first_template;
    if (first_template != NULL)
        first_template->previous = template;
    first_template = template;
    return template;
}

static void free_template(rts_template_t *template) {
    if (template->previous != NULL)
        template->previous->next = template->next;
    else
        first_template = template->next;
    if (template->next != NULL)
        template->next->previous = template->previous;
    rts_free(template->bounds);
    rts_free(template);
}

rts_template_t *rts_template_first(void) {
    return first_template;
}

rts_status_t rts_template_create(const rts_box_t *space, rts_template_t **template_p) {
    RTS_TRY(check_rank("a template", space->rank, 1));
    for (int axis = 0; axis < space->rank; axis++)
        RTS_TRY(check_axis("a template", space, axis));
    rts_template_t *template = rts_template_new(space);
    if (template == NULL)
        return RTS_ERR_NO_MEMORY;
    const rts_status_t status = rts_handle_create(RTS_HANDLE_TEMPLATE, template, &template->handle);
    if (status != RTS_OK) {
        free_template(template);
        return status;
    }
    *template_p = template;
    return RTS_OK;
}

void rts_template_release(rts_template_t *template) {
    if (template == NULL)
        return;
    RTS_ASSERT(template->references > 0);
    if (--template->references > 0)
        return;
    rts_handle_destroy(template->handle);
    free_template(template);
}

/* Creation */

/* An array of no storage, known by its handle and in the list. */
static rts_status_t new_array(const rts_box_t *space, rts_element_t element, rts_array_t **array_p) {
    RTS_ASSERT(element.bytes > 0);
    rts_array_t *array = rts_alloc_zeroed(1, sizeof *array);
    if (array == NULL)
        return rts_fail_memory("an array", sizeof *array);
    const rts_status_t status = rts_handle_create(RTS_HANDLE_ARRAY, array, &array->handle);
    if (status != RTS_OK) {
        rts_free(array);
        return status;
    }
    array->element = element;
    array->space = *space;
    array->local = rts_box_empty(space->rank);
    array->held = rts_box_empty(space->rank);
    array->home.is_home = true;
    rts_boxset_init(&array->home.current, space->rank);
    array->next = first_array;
    if (first_array != NULL)
        first_array->previous = array;
    first_array = array;
    *array_p = array;
    return RTS_OK;
}

rts_status_t rts_array_create(const rts_box_t *space, rts_element_t element, const rts_index_t shadow_lo[],
                              const rts_index_t shadow_hi[], bool is_complete, rts_array_t **array_p) {
    RTS_TRY(check_rank("an array", space->rank, 1));
    for (int axis = 0; axis < space->rank; axis++)
        if (shadow_lo[axis] < 0 || shadow_hi[axis] < 0 || shadow_lo[axis] > INDEX_LIMIT ||
            shadow_hi[axis] > INDEX_LIMIT)
            return rts_fail(RTS_ERR_INVALID,
                            "shadow edges of axis %d are %lld and %lld wide, allowed are 0..%lld", axis + 1,
                            (long long)shadow_lo[axis], (long long)shadow_hi[axis], (long long)INDEX_LIMIT);
    rts_box_t known = *space;
    rts_index_t bytes;
    RTS_TRY(check_space(&known, element.bytes, is_complete ? 0 : 1, &bytes));
    if (!is_complete)
        known.hi[0] = known.lo[0];
    rts_array_t *array;
    RTS_TRY(new_array(&known, element, &array));
    array->is_complete = is_complete;
    array->is_declared = !is_complete;
    memcpy(array->shadow_lo, shadow_lo, (size_t)space->rank * sizeof shadow_lo[0]);
    memcpy(array->shadow_hi, shadow_hi, (size_t)space->rank * sizeof shadow_hi[0]);
    *array_p = array;
    return RTS_OK;
}

rts_status_t rts_array_create_variable(int rank, const rts_index_t extent[], rts_element_t element,
                                       void *memory, rts_array_t **array_p) {
    RTS_TRY(check_rank("a variable", rank, 0));
    if (memory == NULL)
        return rts_fail(RTS_ERR_INVALID, "a variable at address 0");
    rts_box_t space = {.rank = rank};
    for (int axis = 0; axis < rank; axis++)
        space.hi[axis] = extent[axis];
    rts_index_t bytes;
    RTS_TRY(check_space(&space, element.bytes, 0, &bytes));
    rts_layout_t layout;
    RTS_TRY(rts_layout_plain(&space, NULL, 1, &layout));
    rts_array_t *array;
    RTS_TRY(new_array(&space, element, &array));
    const rts_status_t status = rts_boxset_add(&array->home.current, &space);
    if (status != RTS_OK) {
        rts_array_destroy(array);
        return status;
    }
    array->is_variable = array->is_complete = array->is_distributed = true;
    array->local = array->held = space;
    array->home.layout = layout;
    array->home.form = rts_layout_form_home(layout.box.rank);
    array->home.buffer = memory;
    *array_p = array;
    return RTS_OK;
}

rts_status_t rts_array_set_bytes(rts_array_t *array, rts_index_t bytes) {
    if (array->is_complete)
        return rts_fail(RTS_ERR_INVALID, "the array has its %lld rows already",
                        (long long)(array->space.hi[0] - array->space.lo[0]));
    rts_index_t row_bytes, all_bytes;
    RTS_TRY(check_space(&array->space, array->element.bytes, 1, &row_bytes));
    if (bytes <= 0 || bytes % row_bytes != 0)
        return rts_fail(RTS_ERR_INVALID, "%lld bytes are no whole number of rows of %lld bytes",
                        (long long)bytes, (long long)row_bytes);
    rts_box_t space = array->space;
    if (__builtin_add_overflow(space.lo[0], bytes / row_bytes, &space.hi[0]))
        space.hi[0] = INT64_MAX; /* refused below */
    RTS_TRY(check_space(&space, array->element.bytes, 0, &all_bytes));
    array->space = space;
    array->is_complete = true;
    return RTS_OK;
}

/* Headers */

void rts_array_fill_header(const rts_array_t *array, const rts_replica_t *replica, const void *base,
                           DvmType *header) {
    const int rank = array->space.rank;
    header[0] = (DvmType)array->handle;
    for (int axis = 0; axis < rank; axis++)
        header[axis + 1] = replica->buffer != NULL ? (DvmType)replica->layout.stride[axis] : 1;
    header[rank + 1] = 0;
    if (replica->buffer != NULL) {
        const intptr_t distance = (intptr_t)replica->buffer - (intptr_t)base;
        const intptr_t element_bytes = (intptr_t)array->element.bytes;
        RTS_ASSERT(distance % element_bytes == 0);
        header[rank + 1] = (DvmType)(distance / element_bytes + replica->layout.origin);
    }
    header[rank + 2] = (DvmType)(intptr_t)base;
}

/* What headers show as the beginning of home. Where this process has no part of an array it is not NULL all the same: that would say to the
 * program that the array has no storage anywhere. */
static const void *shown_home(const rts_array_t *array) {
    static const max_align_t nothing;
    return array->home.buffer == NULL && array->is_distributed ? &nothing : array->home.buffer;
}

/* A header whose handle is another has been given to another object without telling this one: it is not
 * touched. */
void rts_array_fill_headers(const rts_array_t *array) {
    for (int i = 0; i < array->header_count; i++)
        if (array->headers[i][0] == (DvmType)array->handle)
            rts_array_fill_header(array, &array->home, shown_home(array), array->headers[i]);
}

rts_status_t rts_array_attach_header(rts_array_t *array, DvmType *header) {
    const int count = array->header_count;
    int place = 0;
    while (place < count && array->headers[place] != header)
        place++;
    if (place == count) {
        if ((count & (count - 1)) == 0) { /* room is kept for a power of two */
            const size_t slot = sizeof(DvmType *), room = (size_t)(count > 0 ? 2 * count : 1);
            DvmType **headers = rts_realloc(array->headers, (size_t)count * slot, room * slot);
            if (headers == NULL)
                return rts_fail_memory("the headers of an array", room * slot);
            array->headers = headers;
        }
        array->headers[array->header_count++] = header;
    }
    rts_array_fill_header(array, &array->home, shown_home(array), header);
    return RTS_OK;
}

bool rts_array_detach_header(rts_array_t *array, DvmType *header) {
    for (int i = 0; i < array->header_count; i++)
        if (array->headers[i] == header) {
            array->headers[i] = array->headers[--array->header_count];
            header[0] = 0;
            return true;
        }
    return false;
}

void *rts_replica_natural_base(const rts_array_t *array, const rts_replica_t *replica) {
    if (replica->buffer == NULL)
        return NULL;
    /* In integers, because the element may lie outside the buffer. */
    const rts_index_t distance = replica->layout.origin * (rts_index_t)array->element.bytes;
    return (void *)((uintptr_t)replica->buffer + (uintptr_t)distance);
}

/* The end */

void rts_array_clear(rts_array_t *array) {
    RTS_ASSERT(!array->is_variable);
    rts_array_close_storage(array);
    array->is_complete = false;
    array->space.hi[0] = array->space.lo[0];
    rts_array_fill_headers(array);
}

void rts_array_destroy(rts_array_t *array) {
    if (array == NULL)
        return;
    rts_array_close_storage(array);
    for (int i = 0; i < array->header_count; i++)
        if (array->headers[i][0] == (DvmType)array->handle)
            array->headers[i][0] = 0;
    rts_free(array->headers);
    *(array->previous != NULL ? &array->previous->next : &first_array) = array->next;
    if (array->next != NULL)
        array->next->previous = array->previous;
    rts_handle_destroy(array->handle);
    rts_free(array);
}

rts_array_t *rts_array_first(void) {
    return first_array;
}
