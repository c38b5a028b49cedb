/* Copies between sections; see the header. */
#include <config.h>

#include "rts/section.h"

#include <stdio.h>
#include <string.h>

#include "rts/coherence.h"
#include "rts/comm.h"
#include "rts/gather.h"
#include "rts/memory.h"
#include "rts/placement.h"
#include "rts/runtime.h"

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

rts_box_t rts_section_within(const rts_section_t *section, const rts_box_t *box) {
    rts_box_t ordinals = {.rank = section->rank};
    for (int axis = 0; axis < section->rank; axis++)
        rts_iterations_within(section->start[axis], section->step[axis], section->count[axis], 1, 0,
                              box->lo[axis], box->hi[axis], &ordinals.lo[axis], &ordinals.hi[axis]);
    return ordinals;
}

rts_section_t rts_section_part(const rts_section_t *section, const rts_box_t *ordinals) {
    rts_section_t part = {.rank = section->rank};
    for (int axis = 0; axis < part.rank; axis++) {
        part.start[axis] = section->start[axis] + ordinals->lo[axis] * section->step[axis];
        part.count[axis] = ordinals->hi[axis] - ordinals->lo[axis];
        part.step[axis] = section->step[axis];
    }
    return part;
}

size_t rts_section_size(const rts_section_t *section) {
    size_t size = 1;
    for (int axis = 0; axis < section->rank; axis++)
        size *= (size_t)section->count[axis];
    return size;
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

/* Axes of more than one index, in order, of two sections of the same extents. */
typedef struct pairs {
    int count, from[RTS_MAX_RANK], to[RTS_MAX_RANK];
} pairs_t;

static rts_status_t match(const rts_section_t *from, const rts_section_t *to, pairs_t *pairs) {
    int a = next_axis(from, 0), b = next_axis(to, 0);
    pairs->count = 0;
    for (; a < from->rank && b < to->rank; a = next_axis(from, a + 1), b = next_axis(to, b + 1)) {
        if (from->count[a] != to->count[b])
            break;
        pairs->from[pairs->count] = a;
        pairs->to[pairs->count++] = b;
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

/* Bytes from one element of a section to the next along an axis. */
static rts_index_t step_bytes(const rts_array_t *array, const rts_section_t *section, int axis) {
    return section->step[axis] * array->home.layout.stride[axis] * (rts_index_t)array->element.bytes;
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

/* Between an array and memory that has a section's elements one after another. */
static copy_t plan_values(rts_array_t *array, const rts_section_t *section, void *values, bool is_read) {
    char *const element = rts_array_element(array, section->start);
    rts_index_t stride = (rts_index_t)array->element.bytes;
    copy_t copy = {.rank = section->rank,
                   .bytes = array->element.bytes,
                   .from = is_read ? element : values,
                   .to = is_read ? values : element};
    for (int axis = section->rank - 1; axis >= 0; axis--) {
        const rts_index_t of_array = step_bytes(array, section, axis);
        copy.axis[axis] = (copy_axis_t){.count = section->count[axis],
                                        .from = is_read ? of_array : stride,
                                        .to = is_read ? stride : of_array};
        stride *= section->count[axis];
    }
    join_axes(&copy);
    return copy;
}

rts_status_t rts_section_read(rts_array_t *array, const rts_section_t *section, void *values) {
    const rts_box_t box = rts_section_box(section);
    RTS_ASSERT(rts_box_contains(&array->held, &box));
    RTS_TRY(rts_coherence_fetch(array, 0, &box));
    const copy_t copy = plan_values(array, section, values, true);
    run_copy(&copy);
    return RTS_OK;
}

rts_status_t rts_section_write(rts_array_t *array, const rts_section_t *section, const void *values) {
    RTS_TRY(own(array, section));
    const copy_t copy = plan_values(array, section, (void *)(uintptr_t)values, false);
    run_copy(&copy);
    return RTS_OK;
}

/* By way of a buffer, for sections of one array, which may overlap. */
static rts_status_t copy_apart(rts_array_t *source, const rts_section_t *from, rts_array_t *target,
                               const rts_section_t *to) {
    const size_t bytes = rts_section_size(from) * source->element.bytes;
    char *const values = rts_alloc(bytes);
    if (values == NULL)
        return rts_fail_memory("the values of a section", bytes);
    rts_status_t status = rts_section_read(source, from, values);
    if (status == RTS_OK)
        status = rts_section_write(target, to, values);
    rts_free(values);
    return status;
}

/* Both sections are here, in two arrays. */
static rts_status_t copy_straight(rts_array_t *source, const rts_section_t *from, rts_array_t *target,
                                  const rts_section_t *to, const pairs_t *pairs) {
    const rts_box_t box = rts_section_box(from);
    RTS_ASSERT(rts_box_contains(&source->held, &box) && rts_box_equal(&target->held, &target->space));
    RTS_TRY(rts_coherence_fetch(source, 0, &box));
    RTS_TRY(own(target, to));
    copy_t copy = {.rank = pairs->count,
                   .bytes = source->element.bytes,
                   .from = rts_array_element(source, from->start),
                   .to = rts_array_element(target, to->start)};
    for (int i = 0; i < pairs->count; i++)
        copy.axis[i] = (copy_axis_t){.count = from->count[pairs->from[i]],
                                     .from = step_bytes(source, from, pairs->from[i]),
                                     .to = step_bytes(target, to, pairs->to[i])};
    join_axes(&copy);
    run_copy(&copy);
    return RTS_OK;
}

/* ---- on several processes ---- */

/* Who wants what of a source: what he holds of a target. */
typedef struct copy_wishes {
    const rts_section_t *from, *to;
    const rts_array_t *target;
    const pairs_t *pairs;
} copy_wishes_t;

static rts_box_t held_by(const rts_array_t *array, int process) {
    if (array->is_variable)
        return array->space;
    const rts_placement_t placement = rts_array_placement(array, &rts_runtime()->grid);
    const rts_box_t local = rts_placement_local(&placement, process);
    return rts_array_held(array, &local);
}

/* Ordinals of the source's section. */
static rts_box_t wanted(const void *context, int process) {
    const copy_wishes_t *wishes = context;
    const rts_box_t held = held_by(wishes->target, process), ordinals = rts_section_within(wishes->to, &held);
    rts_box_t wanted = {.rank = wishes->from->rank};
    if (rts_box_is_empty(&held) || rts_box_is_empty(&ordinals))
        return rts_box_empty(wanted.rank);
    for (int axis = 0; axis < wanted.rank; axis++)
        wanted.hi[axis] = 1;
    for (int i = 0; i < wishes->pairs->count; i++) {
        wanted.lo[wishes->pairs->from[i]] = ordinals.lo[wishes->pairs->to[i]];
        wanted.hi[wishes->pairs->from[i]] = ordinals.hi[wishes->pairs->to[i]];
    }
    return wanted;
}

static rts_status_t copy_between(rts_array_t *source, const rts_section_t *from, rts_array_t *target,
                                 const rts_section_t *to, const pairs_t *pairs) {
    const copy_wishes_t wishes = {from, to, target, pairs};
    const rts_box_t ordinals = rts_section_within(to, &target->held), mine = wanted(&wishes, rts_comm_rank());
    const size_t bytes = (size_t)rts_box_size(&mine) * source->element.bytes;
    char *const values = bytes > 0 ? rts_alloc(bytes) : NULL;
    if (bytes > 0 && values == NULL)
        return rts_fail_memory("the values of a section", bytes);
    rts_status_t status = rts_gather_owned(source, from, wanted, &wishes, values);
    if (status == RTS_OK && !rts_box_is_empty(&ordinals)) {
        const rts_section_t part = rts_section_part(to, &ordinals);
        status = rts_section_write(target, &part, values);
    }
    rts_free(values);
    return status;
}

rts_status_t rts_section_copy(rts_array_t *source, const rts_section_t *from, rts_array_t *target,
                              const rts_section_t *to) {
    pairs_t pairs;
    if (source->element.bytes != target->element.bytes)
        return rts_fail(RTS_ERR_INVALID,
                        "elements of %zu bytes are to be copied to elements of %zu; allowed: the same size",
                        source->element.bytes, target->element.bytes);
    RTS_TRY(check_section(source, from, "source"));
    RTS_TRY(check_section(target, to, "target"));
    RTS_TRY(match(from, to, &pairs));
    if (rts_comm_size() > 1)
        return copy_between(source, from, target, to, &pairs);
    return source == target ? copy_apart(source, from, target, to)
                            : copy_straight(source, from, target, to, &pairs);
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
