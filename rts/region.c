/* The one region object; see the header. Data move at the loops, not at execute_on_targets, because only then it is known
 * that the device has a handler for them. */
#include <config.h>

#include "rts/region.h"

#include <dvmhlib_const.h>
#include <stdio.h>
#include <string.h>

#include "rts/backend.h"
#include "rts/coherence.h"
#include "rts/loop.h"
#include "rts/memory.h"
#include "rts/planner.h"
#include "rts/stats.h"

static rts_region_t the_region;

rts_status_t rts_region_open(DvmType flags, rts_region_t **region_p) {
    rts_region_t *region = &the_region;
    if (region->handle != 0)
        return rts_fail(RTS_ERR_INVALID, "the region of line %d is still open: regions do not nest",
                        region->position.line);
    if ((flags & ~(REGION_ASYNC | REGION_COMPARE_DEBUG)) != 0)
        return rts_fail(RTS_ERR_INVALID, "region flags %ld; allowed: a sum of %d (async) and %d (compare)",
                        (long)flags, REGION_ASYNC, REGION_COMPARE_DEBUG);
    RTS_TRY(rts_handle_create(RTS_HANDLE_REGION, region, &region->handle));
    region->flags = (int)flags;
    region->is_executing = false;
    region->device = 0;
    region->part_count = 0;
    rts_stats_add(RTS_STAT_REGIONS, 1);
    *region_p = region;
    return RTS_OK;
}

rts_region_t *rts_region_current(void) {
    return the_region.handle != 0 ? &the_region : NULL;
}

static rts_status_t check_overlap(const rts_region_t *region, const rts_region_part_t *added) {
    const int out = RTS_INTENT_OUT, local = RTS_INTENT_LOCAL;
    for (int i = 0; i < region->part_count; i++) {
        const rts_region_part_t *part = &region->part[i];
        const int both = part->intent | added->intent;
        const bool clash = (both & out) != 0 && (both & local) != 0 && part->array == added->array;
        if (!clash)
            continue;
        const rts_box_t common = rts_box_intersect(&part->box, &added->box);
        if (!rts_box_is_empty(&common))
            return rts_fail(RTS_ERR_INVALID, "a part of the array is registered both OUT and LOCAL");
    }
    return RTS_OK;
}

rts_status_t rts_region_register(rts_region_t *region, rts_array_t *array, DvmType intent,
                                 const rts_box_t *box) {
    const DvmType all = RTS_INTENT_IN | RTS_INTENT_OUT | RTS_INTENT_LOCAL | RTS_INTENT_USE;
    if (region->is_executing)
        return rts_fail(RTS_ERR_INVALID, "registered after dvmh_region_execute_on_targets; allowed: before");
    if (intent <= 0 || (intent & ~all) != 0)
        return rts_fail(RTS_ERR_INVALID, "intent %ld; allowed: a sum of 1 (in), 2 (out), 4 (local), 8 (use)",
                        (long)intent);
    if ((intent & RTS_INTENT_OUT) != 0 && (intent & RTS_INTENT_LOCAL) != 0)
        return rts_fail(RTS_ERR_INVALID, "intent %ld is both OUT and LOCAL; allowed: one of them",
                        (long)intent);
    if (!array->is_distributed)
        return rts_fail(RTS_ERR_INVALID,
                        "the array has no storage yet; allowed: a distributed or aligned array");
    if (region->part_count == region->part_capacity) {
        const int capacity = region->part_capacity == 0 ? 16 : 2 * region->part_capacity;
        const size_t one = sizeof *region->part;
        rts_region_part_t *part =
            rts_realloc(region->part, (size_t)region->part_capacity * one, (size_t)capacity * one);
        if (part == NULL)
            return rts_fail_memory("the region's list of arrays", (size_t)capacity * one);
        region->part = part;
        region->part_capacity = capacity;
    }
    rts_region_part_t *part = &region->part[region->part_count];
    part->array = array->handle;
    part->intent = (int)intent;
    part->has_run_loop = false;
    part->name[0] = '\0';
    part->box = box != NULL ? rts_box_intersect(box, &array->held) : array->held;
    RTS_TRY(check_overlap(region, part));
    region->part_count++;
    return RTS_OK;
}

void rts_region_set_name(rts_region_t *region, const char *name) {
    rts_region_part_t *part = &region->part[region->part_count - 1];
    RTS_ASSERT(region->part_count > 0);
    snprintf(part->name, sizeof part->name, "%s", name);
}

rts_status_t rts_region_execute(rts_region_t *region, DvmType device_mask) {
    if (region->is_executing)
        return rts_fail(RTS_ERR_INVALID, "dvmh_region_execute_on_targets was called for this region already");
    if (device_mask < 0 || (device_mask & ~(DvmType)(DEVICE_TYPE_HOST | DEVICE_TYPE_CUDA)) != 0)
        return rts_fail(RTS_ERR_INVALID,
                        "device mask %ld; allowed: %d (host), %d (CUDA), both, or 0 (the host)",
                        (long)device_mask, DEVICE_TYPE_HOST, DEVICE_TYPE_CUDA);
    int candidates = 0;
    for (int device = 1; device < rts_device_count(); device++)
        candidates += (rts_backend_of_device(device)->device_type & device_mask) != 0;
    region->is_executing = true;
    region->device = 0;
    int chosen = candidates > 0 ? rts_planner_choose_device(candidates) : -1;
    for (int device = 1; device < rts_device_count() && chosen >= 0; device++)
        if ((rts_backend_of_device(device)->device_type & device_mask) != 0 && chosen-- == 0)
            region->device = device;
    return RTS_OK;
}

static rts_status_t array_of(const rts_region_part_t *part, rts_array_t **array_p) {
    *array_p = rts_handle_object(part->array, RTS_HANDLE_ARRAY);
    if (*array_p == NULL)
        return rts_fail(RTS_ERR_INVALID, "an array registered in the region was deleted before its end");
    return RTS_OK;
}

/* Later loops also need what earlier ones wrote, wherever that ran, and what the program declared actual in between. */
static bool is_needed(const rts_region_part_t *part) {
    return (part->intent & RTS_INTENT_IN) != 0 || part->has_run_loop;
}

static bool is_written(const rts_region_part_t *part) {
    return (part->intent & (RTS_INTENT_OUT | RTS_INTENT_LOCAL)) != 0;
}

/* What is there stays. */
static rts_status_t hold_all(const rts_region_t *region, int device) {
    rts_array_t *array;
    for (int i = 0; i < region->part_count; i++) {
        RTS_TRY(array_of(&region->part[i], &array));
        rts_coherence_hold(array, device);
    }
    return RTS_OK;
}

rts_status_t rts_region_reserve(rts_region_t *region, int device) {
    rts_array_t *array;
    rts_replica_t *replica = NULL;
    RTS_TRY(hold_all(region, device));
    for (int i = 0; i < region->part_count; i++) {
        RTS_TRY(array_of(&region->part[i], &array));
        RTS_TRY(rts_coherence_replica(array, device, &replica));
    }
    return RTS_OK;
}

rts_status_t rts_region_prepare_loop(rts_region_t *region, int device) {
    rts_array_t *array;
    RTS_TRY(hold_all(region, device));
    for (int i = 0; i < region->part_count; i++) {
        const rts_region_part_t *part = &region->part[i];
        rts_replica_t *replica;
        RTS_TRY(array_of(part, &array));
        RTS_TRY(rts_coherence_replica(array, device, &replica));
        if (is_needed(part))
            RTS_TRY(rts_coherence_fetch(array, device, &part->box));
    }
    for (int i = 0; i < region->part_count; i++) {
        rts_region_part_t *part = &region->part[i];
        part->has_run_loop = true;
        if (!is_written(part))
            continue;
        RTS_TRY(array_of(part, &array));
        const rts_box_t owned = rts_box_intersect(&part->box, &array->local);
        RTS_TRY(rts_coherence_written(array, device, &owned));
    }
    return RTS_OK;
}

rts_status_t rts_region_prepare_array(rts_region_t *region, rts_array_t *array, int intent,
                                      rts_replica_t *replica) {
    for (int i = 0; i < region->part_count; i++)
        if (region->part[i].array == array->handle && is_needed(&region->part[i]))
            RTS_TRY(rts_coherence_fetch_to(array, replica, &region->part[i].box));
    for (int i = 0; i < region->part_count; i++) {
        rts_region_part_t *part = &region->part[i];
        if (part->array != array->handle)
            continue;
        part->has_run_loop = true;
        if (!is_written(part) || (intent & RTS_INTENT_OUT) == 0)
            continue;
        const rts_box_t owned = rts_box_intersect(&part->box, &array->local);
        RTS_TRY(rts_coherence_written_at(array, replica, &owned));
    }
    return RTS_OK;
}

void rts_region_need_all(rts_region_t *region) {
    for (int i = 0; i < region->part_count; i++)
        region->part[i].has_run_loop = true;
}

int rts_region_present(const rts_region_t *region, const rts_array_t *array, int device,
                       rts_layout_form_t form[2]) {
    const rts_box_t nothing = rts_box_empty(array->space.rank);
    int count = -1; /* no part seen */
    for (int i = 0; i < region->part_count; i++) {
        const rts_region_part_t *part = &region->part[i];
        rts_layout_form_t one[2];
        if (part->array != array->handle || !is_needed(part))
            continue;
        const int of_part = rts_coherence_present(array, device, &part->box, one);
        if (count < 0)
            memcpy(form, one, (size_t)(count = of_part) * sizeof one[0]);
        for (int kept = 0; kept < count;) { /* those that all parts have */
            bool found = false;
            for (int j = 0; j < of_part; j++)
                found = found || rts_layout_form_equal(&form[kept], &one[j]);
            if (found)
                kept++;
            else
                form[kept] = form[--count];
        }
    }
    return count >= 0 ? count : rts_coherence_present(array, device, &nothing, form);
}

rts_status_t rts_region_forget_array(const rts_region_t *region, rts_array_t *array, int intent) {
    for (int i = 0; i < region->part_count; i++) /* parts may overlap */
        if (region->part[i].array == array->handle && is_needed(&region->part[i]))
            return RTS_OK;
    for (int i = 0; i < region->part_count && (intent & RTS_INTENT_OUT) != 0; i++) {
        const rts_region_part_t *part = &region->part[i];
        if (part->array != array->handle || !is_written(part))
            continue;
        const rts_box_t owned = rts_box_intersect(&part->box, &array->local);
        RTS_TRY(rts_coherence_discard(array, &owned));
    }
    return RTS_OK;
}

rts_status_t rts_region_close(rts_region_t *region) {
    rts_status_t status = RTS_OK;
    for (int i = 0; i < region->part_count && status == RTS_OK; i++) {
        const rts_region_part_t *part = &region->part[i];
        rts_array_t *array = rts_handle_object(part->array, RTS_HANDLE_ARRAY);
        if (array != NULL && (part->intent & RTS_INTENT_LOCAL) != 0)
            status = rts_coherence_discard(array, &part->box);
    }
    rts_handle_destroy(region->handle);
    region->handle = 0;
    return status;
}

bool rts_region_has(const rts_region_t *region, const rts_array_t *array) {
    for (int i = 0; i < region->part_count; i++)
        if (region->part[i].array == array->handle)
            return true;
    return false;
}

static bool loop_has(const rts_loop_t *loop, const rts_array_t *array) {
    bool found = loop->has_map && loop->map_array == array;
    for (int i = 0; i < loop->across_count; i++)
        found = found || loop->across[i].array == array;
    for (int i = 0; i < loop->tie_count; i++)
        found = found || loop->tie[i].array == array;
    for (int i = 0; i < loop->array_count; i++)
        found = found || loop->array[i].array == array;
    for (int i = 0; i < loop->remote_count; i++)
        found = found || loop->remote[i].array == array;
    for (int i = 0; i < loop->consistent_count; i++)
        found = found || loop->consistent[i].array == array;
    return found;
}

rts_status_t rts_region_check_unused(const rts_array_t *array) {
    const rts_region_t *region = rts_region_current();
    const rts_loop_t *loop = rts_loop_current();
    if (loop != NULL && loop_has(loop, array))
        return rts_fail(RTS_ERR_INVALID, "the array is in use by the loop of line %d; allowed: after it",
                        loop->position.line);
    if (region != NULL && rts_region_has(region, array))
        return rts_fail(RTS_ERR_INVALID,
                        "the array is in use by the region of line %d; allowed: after its end",
                        region->position.line);
    return RTS_OK;
}

void rts_region_reset(void) {
    rts_free(the_region.part);
    memset(&the_region, 0, sizeof the_region);
}
