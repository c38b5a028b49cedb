/* Keeps track of who holds newest values and copies them where they are needed. Decides from where to copy:
 * home first, then the other replicas, each element once. What a step needs or writes is decided by its
 * callers.
 *
 * The boxes that are current change only when everything that can fail has gone well: a call that runs out
 * of memory leaves the bookkeeping as it was, except that copies which were made stay known. */
#include <config.h>

#include "rts/coherence.h"

#include "rts/backend.h"
#include "rts/memory.h"
#include "rts/stats.h"

/* Home, then the others: the order in which sources are tried. */
static rts_replica_t *next_replica(rts_array_t *array, rts_replica_t *replica) {
    return replica == &array->home ? array->replicas : replica->next;
}

static rts_replica_t *find_replica(rts_array_t *array, int device) {
    if (device == 0)
        return &array->home;
    rts_replica_t *replica = array->replicas;
    while (replica != NULL && replica->device != device)
        replica = replica->next;
    return replica;
}

static rts_box_t clip(const rts_array_t *array, const rts_box_t *box) {
    return box != NULL ? rts_box_intersect(box, &array->held) : array->held;
}

static rts_status_t check_distributed(const rts_array_t *array) {
    if (!array->is_distributed)
        return rts_fail(RTS_ERR_INVALID,
                        "the array has no storage yet; allowed: a distributed or aligned array");
    return RTS_OK;
}

static size_t replica_bytes(const rts_array_t *array, const rts_replica_t *replica) {
    return (size_t)replica->layout.size * array->element.bytes;
}

/* Replicas */

static rts_status_t open_replica(const rts_array_t *array, rts_replica_t *replica) {
    RTS_TRY(rts_layout_plain(&array->held, NULL, 1, &replica->layout));
    if (rts_box_is_empty(&array->held))
        return RTS_OK;
    const size_t bytes = replica_bytes(array, replica);
    RTS_TRY(rts_backend_of_device(replica->device)->allocate(replica->device, bytes, &replica->buffer));
    rts_stats_add(RTS_STAT_REPLICA_BYTES, (int64_t)bytes);
    return RTS_OK;
}

rts_status_t rts_coherence_replica(rts_array_t *array, int device, rts_replica_t **replica_p) {
    RTS_ASSERT(device >= 0 && device < rts_device_count());
    RTS_TRY(check_distributed(array));
    rts_replica_t *replica = find_replica(array, device);
    if (replica == NULL) {
        replica = rts_alloc_zeroed(1, sizeof *replica);
        if (replica == NULL)
            return rts_fail_memory("a replica", sizeof *replica);
        replica->device = device;
        rts_boxset_init(&replica->current, array->held.rank);
        const rts_status_t status = open_replica(array, replica);
        if (status != RTS_OK) {
            rts_free(replica);
            return status;
        }
        replica->next = array->replicas;
        array->replicas = replica;
    }
    *replica_p = replica;
    return RTS_OK;
}

void rts_coherence_release(rts_array_t *array) {
    while (array->replicas != NULL) {
        rts_replica_t *replica = array->replicas;
        array->replicas = replica->next;
        if (replica->buffer != NULL) {
            rts_backend_of_device(replica->device)->release(replica->device, replica->buffer);
            rts_stats_add(RTS_STAT_REPLICA_BYTES, -(int64_t)replica_bytes(array, replica));
        }
        rts_boxset_free(&replica->current);
        rts_free(replica);
    }
}

/* Copies */

static rts_status_t copy_box(const rts_array_t *array, const rts_replica_t *source, rts_replica_t *target,
                             const rts_box_t *box) {
    const rts_copy_job_t job = {.element_bytes = array->element.bytes,
                                .box = *box,
                                .source_device = source->device,
                                .target_device = target->device,
                                .source = source->buffer,
                                .target = target->buffer,
                                .source_layout = &source->layout,
                                .target_layout = &target->layout};
    /* Every backend can reach the host's memory, but the host's cannot reach a device's. */
    const int device = target->device != 0 ? target->device : source->device;
    RTS_TRY(rts_backend_of_device(device)->copy(&job));
    return rts_boxset_add(&target->current, box);
}

/* Copy what `source` has of the wanted boxes, and take it off them. */
static rts_status_t copy_from(const rts_array_t *array, const rts_replica_t *source, rts_replica_t *target,
                              rts_boxset_t *wanted) {
    for (int s = 0; s < source->current.count; s++) {
        const rts_box_t *have = &source->current.boxes[s];
        for (int w = 0; w < wanted->count; w++) {
            const rts_box_t box = rts_box_intersect(have, &wanted->boxes[w]);
            if (!rts_box_is_empty(&box))
                RTS_TRY(copy_box(array, source, target, &box));
        }
    }
    for (int s = 0; s < source->current.count && wanted->count > 0; s++)
        RTS_TRY(rts_boxset_subtract(wanted, &source->current.boxes[s]));
    return RTS_OK;
}

rts_status_t rts_coherence_fetch(rts_array_t *array, int device, const rts_box_t *box) {
    rts_replica_t *target;
    RTS_TRY(rts_coherence_replica(array, device, &target));
    const rts_box_t part = clip(array, box);
    if (rts_box_is_empty(&part))
        return RTS_OK;
    rts_boxset_t wanted; /* allocates nothing when all is there */
    rts_boxset_init(&wanted, part.rank);
    rts_status_t status = rts_boxset_missing(&target->current, &part, &wanted);
    for (rts_replica_t *source = &array->home; source != NULL && status == RTS_OK && wanted.count > 0;
         source = next_replica(array, source))
        if (source != target)
            status = copy_from(array, source, target, &wanted);
    rts_boxset_free(&wanted);
    return status;
}

/* Ownership */

static bool meets(const rts_boxset_t *set, const rts_box_t *box) {
    for (int i = 0; i < set->count; i++) {
        const rts_box_t common = rts_box_intersect(&set->boxes[i], box);
        if (!rts_box_is_empty(&common))
            return true;
    }
    return false;
}

static bool changes(const rts_replica_t *replica, const rts_replica_t *owner, const rts_box_t *box) {
    return replica == owner ? !rts_boxset_contains(&replica->current, box) : meets(&replica->current, box);
}

/* One set that changes: the new boxes are made ready beside the old ones. */
typedef struct change {
    rts_replica_t *replica;
    rts_boxset_t current;
} change_t;

static rts_status_t prepare_change(change_t *change, const rts_replica_t *owner, const rts_box_t *box) {
    RTS_TRY(rts_boxset_copy(&change->current, &change->replica->current));
    if (change->replica == owner)
        return rts_boxset_add(&change->current, box);
    return rts_boxset_subtract(&change->current, box);
}

/* From now on `owner` alone has the box; nobody has when it is NULL. All sets change or none. */
static rts_status_t set_owner(rts_array_t *array, rts_replica_t *owner, const rts_box_t *box) {
    size_t count = 0;
    for (rts_replica_t *replica = &array->home; replica != NULL; replica = next_replica(array, replica))
        count += changes(replica, owner, box);
    if (count == 0)
        return RTS_OK;
    change_t *change = rts_alloc(count * sizeof *change);
    if (change == NULL)
        return rts_fail_memory("the bookkeeping of replicas", count * sizeof *change);
    size_t ready = 0;
    rts_status_t status = RTS_OK;
    for (rts_replica_t *replica = &array->home; replica != NULL; replica = next_replica(array, replica)) {
        if (status != RTS_OK || !changes(replica, owner, box))
            continue;
        change[ready].replica = replica;
        rts_boxset_init(&change[ready].current, box->rank);
        status = prepare_change(&change[ready++], owner, box);
    }
    for (size_t i = 0; i < ready; i++) {
        rts_boxset_t *old = &change[i].replica->current;
        if (status == RTS_OK) {
            const rts_boxset_t replaced = *old;
            *old = change[i].current;
            change[i].current = replaced;
        }
        rts_boxset_free(&change[i].current);
    }
    rts_free(change);
    return status;
}

rts_status_t rts_coherence_written(rts_array_t *array, int device, const rts_box_t *box) {
    RTS_TRY(check_distributed(array));
    rts_replica_t *owner = find_replica(array, device);
    if (owner == NULL)
        return rts_fail(RTS_ERR_INTERNAL, "device %d wrote to an array that it has no replica of", device);
    const rts_box_t part = clip(array, box);
    return rts_box_is_empty(&part) ? RTS_OK : set_owner(array, owner, &part);
}

rts_status_t rts_coherence_discard(rts_array_t *array, const rts_box_t *box) {
    RTS_TRY(check_distributed(array));
    const rts_box_t part = clip(array, box);
    return rts_box_is_empty(&part) ? RTS_OK : set_owner(array, NULL, &part);
}
