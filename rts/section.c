/* Copies between sections; see the header. */
#include <config.h>

#include "rts/section.h"

#include <stdio.h>
#include <string.h>

#include "rts/coherence.h"
#include "rts/memory.h"

rts_section_t rts_section_whole(const rts_array_t *array) {
    rts_section_t section = {.rank = array->space.rank};
    for (int axis = 0; axis < section.rank; axis++) {
        section.start[axis] = array->space.lo[axis];
        section.count[axis] = array->space.hi[axis] - array->space.lo[axis];
        section.step[axis] = 1;
    }
    return section;
}

rts_box_t rts_section_box(const rts_section_t *section) {
    rts_box_t box = {.rank = section->rank};
    for (int axis = 0; axis < box.rank; axis++) {
        const rts_index_t first = section->start[axis],
                          last = first + (section->count[axis] - 1) * section->step[axis];
        box.lo[axis] = rts_min(first, last);
        box.hi[axis] = rts_max(first, last) + 1;
    }
    return box;
}

/* Text such as "[3][1][10]". */
static const char *print_extents(const rts_section_t *section, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int axis = 0; axis < section->rank && used < size; axis++)
        used += (size_t)snprintf(text + used, size - used, "[%lld]", (long long)section->count[axis]);
    return text;
}

static rts_status_t check_section(const rts_array_t *array, const rts_section_t *section, const char *what) {
    if (!array->is_distributed)
        return rts_fail(RTS_ERR_INVALID, "the %s has no storage yet; allowed: a distributed or aligned array",
                        what);
    const rts_box_t box = rts_section_box(section);
    for (int axis = 0; axis < box.rank; axis++)
        if (box.lo[axis] < array->space.lo[axis] || box.hi[axis] > array->space.hi[axis])
            return rts_fail(RTS_ERR_INVALID, "axis %d of the %s: indices %lld..%lld; allowed: %lld..%lld",
                            axis + 1, what, (long long)box.lo[axis], (long long)box.hi[axis] - 1,
                            (long long)array->space.lo[axis], (long long)array->space.hi[axis] - 1);
    if (!rts_box_contains(&array->held, &box))
        return rts_fail(RTS_ERR_UNSUPPORTED, "the %s is spread over several processes", what);
    return RTS_OK;
}

/* One axis of a copy; the strides are in bytes. */
typedef struct copy_axis {
    rts_index_t count, from, to;
} copy_axis_t;

typedef struct copy {
    int rank;
    size_t bytes; /* of what is copied in one piece */
    const char *from;
    char *to;
    copy_axis_t axis[RTS_MAX_RANK];
} copy_t;

/* The next axis of more than one index. */
static int next_axis(const rts_section_t *section, int axis) {
    while (axis < section->rank && section->count[axis] == 1)
        axis++;
    return axis;
}

static rts_status_t match(const rts_array_t *source, const rts_section_t *from, const rts_array_t *target,
                          const rts_section_t *to, copy_t *copy) {
    const rts_index_t element = (rts_index_t)source->element.bytes;
    copy->rank = 0;
    copy->bytes = source->element.bytes;
    copy->from = rts_array_element(source, from->start);
    copy->to = rts_array_element(target, to->start);
    int a = next_axis(from, 0), b = next_axis(to, 0);
    for (; a < from->rank && b < to->rank; a = next_axis(from, a + 1), b = next_axis(to, b + 1)) {
        if (from->count[a] != to->count[b])
            break;
        copy->axis[copy->rank++] =
            (copy_axis_t){.count = from->count[a],
                          .from = from->step[a] * source->home.layout.stride[a] * element,
                          .to = to->step[b] * target->home.layout.stride[b] * element};
    }
    if (a == from->rank && b == to->rank)
        return RTS_OK;
    char text[2][128];
    return rts_fail(
        RTS_ERR_INVALID,
        "%s elements are to be copied to %s; allowed: the same extents in the same order, but for "
        "extents of 1",
        print_extents(from, text[0], sizeof text[0]), print_extents(to, text[1], sizeof text[1]));
}

/* Inner axes that are contiguous on both sides become part of the piece. */
static void join_axes(copy_t *copy) {
    while (copy->rank > 0) {
        const copy_axis_t *last = &copy->axis[copy->rank - 1];
        if (last->from != (rts_index_t)copy->bytes || last->to != (rts_index_t)copy->bytes)
            return;
        copy->bytes *= (size_t)last->count;
        copy->rank--;
    }
}

static void run_copy(const copy_t *copy) {
    rts_index_t done[RTS_MAX_RANK] = {0};
    const char *from = copy->from;
    char *to = copy->to;
    for (int axis = copy->rank; axis >= 0;) {
        memcpy(to, from, copy->bytes);
        for (axis = copy->rank - 1; axis >= 0; axis--) {
            from += copy->axis[axis].from;
            to += copy->axis[axis].to;
            if (++done[axis] < copy->axis[axis].count)
                break;
            from -= copy->axis[axis].from * copy->axis[axis].count;
            to -= copy->axis[axis].to * copy->axis[axis].count;
            done[axis] = 0;
        }
    }
}

/* Home becomes the only owner of the written elements: those between them must be there too, as boxes say who owns what. */
static rts_status_t own(rts_array_t *target, const rts_section_t *to) {
    const rts_box_t box = rts_section_box(to);
    bool has_gaps = false;
    for (int axis = 0; axis < to->rank; axis++)
        has_gaps = has_gaps || (to->step[axis] != 1 && to->step[axis] != -1 && to->count[axis] > 1);
    if (has_gaps)
        RTS_TRY(rts_coherence_fetch(target, 0, &box));
    return rts_coherence_written(target, 0, &box);
}

/* By way of a buffer, for sections of one array, which may overlap. */
static rts_status_t copy_apart(const copy_t *copy, rts_array_t *target, const rts_section_t *to,
                               size_t bytes) {
    char *const buffer = rts_alloc(bytes);
    if (buffer == NULL)
        return rts_fail_memory("the values of a section", bytes);
    copy_t out = *copy, in = *copy;
    out.to = buffer;
    in.from = buffer;
    rts_index_t stride = (rts_index_t)copy->bytes; /* the buffer has the pieces one after another */
    for (int axis = copy->rank - 1; axis >= 0; axis--) {
        out.axis[axis].to = in.axis[axis].from = stride;
        stride *= copy->axis[axis].count;
    }
    run_copy(&out);
    const rts_status_t status = own(target, to);
    if (status == RTS_OK)
        run_copy(&in);
    rts_free(buffer);
    return status;
}

rts_status_t rts_section_copy(rts_array_t *source, const rts_section_t *from, rts_array_t *target,
                              const rts_section_t *to) {
    copy_t copy;
    if (source->element.bytes != target->element.bytes)
        return rts_fail(RTS_ERR_INVALID,
                        "elements of %zu bytes are to be copied to elements of %zu; allowed: the same size",
                        source->element.bytes, target->element.bytes);
    RTS_TRY(check_section(source, from, "source"));
    RTS_TRY(check_section(target, to, "target"));
    RTS_TRY(match(source, from, target, to, &copy));
    const rts_box_t box = rts_section_box(from);
    RTS_TRY(rts_coherence_fetch(source, 0, &box));
    size_t bytes = copy.bytes;
    for (int axis = 0; axis < copy.rank; axis++)
        bytes *= (size_t)copy.axis[axis].count;
    join_axes(&copy);
    if (source == target)
        return copy_apart(&copy, target, to, bytes);
    RTS_TRY(own(target, to));
    run_copy(&copy);
    return RTS_OK;
}

rts_status_t rts_section_fill(rts_array_t *array, const void *value) {
    if (!array->is_distributed)
        return rts_fail(RTS_ERR_INVALID,
                        "the array has no storage yet; allowed: a distributed or aligned array");
    RTS_TRY(rts_coherence_written(array, 0, NULL));
    const size_t element = array->element.bytes, bytes = (size_t)rts_box_size(&array->held) * element;
    char *const home = array->home.buffer;
    if (bytes == 0)
        return RTS_OK;
    memmove(home, value, element); /* it may be an element of the array itself */
    for (size_t done = element; done < bytes;) {
        const size_t more = done < bytes - done ? done : bytes - done;
        memcpy(home + done, home, more);
        done += more;
    }
    return RTS_OK;
}
