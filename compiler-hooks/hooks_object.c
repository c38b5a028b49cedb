/* Words to objects; see the header. */
#include <config.h>

#include "compiler-hooks/hooks_object.h"

#include <dvmhx.h>

#include "rts/backend.h"
#include "rts/halo.h"

static rts_handle_t word0(const char *entry_point, const DvmType header[]) {
    if (header == NULL)
        hooks_error(entry_point, "the header's address is 0");
    return header[0];
}

static _Noreturn void wrong_kind(const char *entry_point, rts_handle_t handle, const char *wanted) {
    const rts_handle_kind_t kind = rts_handle_kind(handle);
    if (handle == 0)
        hooks_error(entry_point, "no %s: it was not created, or deleted already", wanted);
    if (kind == RTS_HANDLE_NONE)
        hooks_error(entry_point, "no %s: %ld is no handle of a live object", wanted, (long)handle);
    hooks_error(entry_point, "no %s: the handle is that of %s %s", wanted,
                kind == RTS_HANDLE_ARRAY ? "an" : "a", rts_handle_kind_name(kind));
}

void hooks_settle(const char *entry_point) {
    if (rts_halo_pending == 0)
        return;
    hooks_need_serial(entry_point);
    if (rts_halo_settle() != RTS_OK)
        hooks_end(entry_point);
}

rts_array_t *hooks_array(const char *entry_point, const DvmType header[]) {
    hooks_settle(entry_point);
    return hooks_array_described(entry_point, header);
}

void hooks_target(const char *entry_point, const DvmType header[], rts_template_t **template_p,
                  rts_array_t **array_p) {
    hooks_settle(entry_point);
    hooks_target_described(entry_point, header, template_p, array_p);
}

rts_array_t *hooks_array_described(const char *entry_point, const DvmType header[]) {
    const rts_handle_t handle = word0(entry_point, header);
    rts_array_t *array = rts_handle_object(handle, RTS_HANDLE_ARRAY);
    if (array == NULL)
        wrong_kind(entry_point, handle, "array");
    return array;
}

void hooks_target_described(const char *entry_point, const DvmType header[], rts_template_t **template_p,
                            rts_array_t **array_p) {
    const rts_handle_t handle = word0(entry_point, header);
    *template_p = rts_handle_object(handle, RTS_HANDLE_TEMPLATE);
    *array_p = rts_handle_object(handle, RTS_HANDLE_ARRAY);
    if (*template_p == NULL && *array_p == NULL)
        wrong_kind(entry_point, handle, "array or template");
}

rts_region_t *hooks_region(const char *entry_point, DvmType region) {
    rts_region_t *object = rts_handle_object(region, RTS_HANDLE_REGION);
    if (object == NULL)
        wrong_kind(entry_point, region, "region");
    return object;
}

rts_loop_t *hooks_loop(const char *entry_point, DvmType loop) {
    rts_loop_t *object = rts_handle_object(loop, RTS_HANDLE_LOOP);
    if (object == NULL)
        wrong_kind(entry_point, loop, "loop");
    return object;
}

const rts_exec_portion_t *hooks_portion(const char *entry_point, DvmType portion) {
    const rts_exec_portion_t *object = rts_exec_portion(portion);
    if (object == NULL && rts_handle_kind(portion) == RTS_HANDLE_PORTION)
        hooks_error(entry_point, "the handler of this handle has returned; allowed: only while it runs");
    if (object == NULL)
        wrong_kind(entry_point, portion, "running loop of a handler");
    return object;
}

void hooks_check_rank(const char *entry_point, DvmType given, int rank) {
    if (given != rank)
        hooks_error(entry_point, "rank %ld given; the object has rank %d", (long)given, rank);
}

int hooks_new_rank(const char *entry_point, DvmType given, int least) {
    if (given < least || given > RTS_MAX_RANK)
        hooks_error(entry_point, "rank %ld; allowed: %d..%d", (long)given, least, RTS_MAX_RANK);
    return (int)given;
}

const rts_replica_t *hooks_replica(const char *entry_point, DvmType device, const rts_array_t *array) {
    if (device < 0 || device >= rts_device_count())
        hooks_error(entry_point, "device %ld; allowed: 0..%d", (long)device, rts_device_count() - 1);
    if (device == 0)
        return &array->home;
    for (const rts_replica_t *replica = array->replicas; replica != NULL; replica = replica->next)
        if (replica->device == device)
            return replica;
    return NULL;
}

rts_box_t hooks_box(const char *entry_point, const rts_box_t *limit, const DvmType bounds[]) {
    rts_box_t box = {.rank = limit->rank};
    for (int axis = 0; axis < limit->rank; axis++) {
        const DvmType low = bounds[2 * axis], high = bounds[2 * axis + 1];
        const rts_index_t first = low == UNDEF_BOUND ? limit->lo[axis] : low;
        const rts_index_t last = high == UNDEF_BOUND ? limit->hi[axis] - 1 : high;
        if (first < limit->lo[axis] || last >= limit->hi[axis] || last < first - 1)
            hooks_error(entry_point, "bounds %ld..%ld of axis %d; allowed: %lld..%lld", (long)low, (long)high,
                        axis + 1, (long long)limit->lo[axis], (long long)limit->hi[axis] - 1);
        box.lo[axis] = first;
        box.hi[axis] = last + 1;
    }
    return box;
}

void hooks_need_no_region(const char *entry_point) {
    if (rts_loop_current() != NULL)
        hooks_error(entry_point, "the loop of line %d is open; allowed: outside of loops and regions",
                    rts_loop_current()->position.line);
    if (rts_region_current() != NULL)
        hooks_error(entry_point, "the region of line %d is open; allowed: outside of loops and regions",
                    rts_region_current()->position.line);
}
