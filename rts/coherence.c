/* Keeps track of who holds newest values and copies them where they are needed. Decides from where to copy:
 * home first, then the other replicas, each element once. What a step needs or writes is decided by its
 * callers; buffers, forms and the copies themselves are replica.c's.
 *
 * Short of memory it decides which replica leaves a device, and brings its values home.
 *
 * The boxes that are current change only when everything that can fail has gone well: a call that runs out
 * of memory leaves the bookkeeping as it was, except that copies which were made stay known. */
#include <config.h>

#include "rts/coherence.h"

#include "rts/backend.h"
#include "rts/log.h"
#include "rts/memory.h"
#include "rts/replica.h"

/* Home, then the others: the order in which sources are tried. */
static rts_replica_t *next_replica(rts_array_t *array, rts_replica_t *replica) {
    return replica == &array->home ? array->replicas : replica->next;
}

static rts_replica_t *find_replica(rts_array_t *array, int device) {
    return device == 0 ? &array->home : rts_replica_find(array, device);
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

/* Uses, and room on devices */

static uint64_t present_use = 1;

void rts_coherence_begin_use(void) {
    present_use++;
}

void rts_coherence_hold(rts_array_t *array, int device) {
    rts_replica_t *replica = rts_replica_find(array, device);
    if (replica != NULL)
        replica->use = present_use;
}

/* The replica on a device that was not wanted for the longest time, and is not wanted now. @return its array, or NULL */
static rts_array_t *find_leaver(const rts_array_t *asking, int device, rts_replica_t **replica_p) {
    rts_array_t *leaver = NULL;
    for (rts_array_t *array = rts_array_first(); array != NULL; array = array->next) {
        rts_replica_t *replica = array != asking ? rts_replica_find(array, device) : NULL;
        if (replica == NULL || replica->buffer == NULL || replica->use >= present_use)
            continue;
        if (leaver == NULL || replica->use < (*replica_p)->use) {
            leaver = array;
            *replica_p = replica;
        }
    }
    return leaver;
}

/* After a failure for lack of memory: whether another replica has left the device, so that it is worth another try. */
static bool makes_room(const rts_array_t *asking, int device, rts_status_t *status_p) {
    rts_replica_t *replica = NULL;
    if (*status_p != RTS_ERR_NO_MEMORY || device == 0)
        return false;
    rts_array_t *array = find_leaver(asking, device, &replica);
    if (array == NULL)
        return false;
    for (int i = 0; i < replica->current.count; i++) {
        const rts_status_t status = rts_coherence_fetch_to(array, &array->home, &replica->current.boxes[i]);
        if (status != RTS_OK) {
            *status_p = status;
            return false;
        }
    }
    rts_log(RTS_LOG_DEBUG, "an array of rank %d, %zu bytes, leaves device %d for another one",
            array->space.rank, replica->buffer_bytes, device);
    rts_replica_destroy(array, replica);
    return true;
}

/* Replicas */

static rts_status_t create(rts_array_t *array, int device, const rts_layout_form_t *form,
                           rts_replica_t **replica_p) {
    rts_status_t status;
    do
        status = rts_replica_create(array, device, form, replica_p);
    while (makes_room(array, device, &status));
    if (status == RTS_OK)
        (*replica_p)->use = present_use;
    return status;
}

rts_status_t rts_coherence_replica(rts_array_t *array, int device, rts_replica_t **replica_p) {
    RTS_ASSERT(device >= 0 && device < rts_device_count());
    RTS_TRY(check_distributed(array));
    rts_replica_t *replica = find_replica(array, device);
    if (replica == NULL)
        RTS_TRY(create(array, device, &array->home.form, &replica));
    else
        replica->use = present_use;
    *replica_p = replica;
    return RTS_OK;
}

rts_status_t rts_coherence_allocate(int device, size_t bytes, void **memory_p) {
    const rts_backend_ops_t *const backend = rts_backend_of_device(device);
    rts_status_t status = backend->allocate(device, bytes, memory_p);
    if (status == RTS_ERR_NO_MEMORY) {
        rts_replica_reset(); /* buffers that lie idle */
        do
            status = backend->allocate(device, bytes, memory_p);
        while (makes_room(NULL, device, &status));
    }
    return status;
}

rts_status_t rts_coherence_settle(rts_array_t *array) {
    if (array->is_distributed)
        RTS_TRY(rts_coherence_fetch(array, 0, NULL));
    rts_coherence_release(array);
    return RTS_OK;
}

void rts_coherence_release(rts_array_t *array) {
    rts_replica_destroy_all(array);
}

void rts_coherence_reset(void) {
    rts_replica_reset();
}

/* Copies */

static rts_status_t copy_box(const rts_array_t *array, const rts_replica_t *source, rts_replica_t *target,
                             const rts_box_t *box) {
    RTS_TRY(rts_replica_copy(array, source, target, box));
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

rts_status_t rts_coherence_fetch_to(rts_array_t *array, rts_replica_t *target, const rts_box_t *box) {
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

rts_status_t rts_coherence_fetch(rts_array_t *array, int device, const rts_box_t *box) {
    rts_replica_t *target;
    RTS_TRY(rts_coherence_replica(array, device, &target));
    return rts_coherence_fetch_to(array, target, box);
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

rts_status_t rts_coherence_written_at(rts_array_t *array, rts_replica_t *replica, const rts_box_t *box) {
    const rts_box_t part = clip(array, box);
    return rts_box_is_empty(&part) ? RTS_OK : set_owner(array, replica, &part);
}

rts_status_t rts_coherence_written(rts_array_t *array, int device, const rts_box_t *box) {
    RTS_TRY(check_distributed(array));
    rts_replica_t *owner = find_replica(array, device);
    if (owner == NULL)
        return rts_fail(RTS_ERR_INTERNAL, "device %d wrote to an array that it has no replica of", device);
    return rts_coherence_written_at(array, owner, box);
}

rts_status_t rts_coherence_discard(rts_array_t *array, const rts_box_t *box) {
    RTS_TRY(check_distributed(array));
    const rts_box_t part = clip(array, box);
    return rts_box_is_empty(&part) ? RTS_OK : set_owner(array, NULL, &part);
}

/* Forms */

/* Whether some replica other than `replica` has the whole box; false also when several together have it. */
static bool is_elsewhere(rts_array_t *array, const rts_replica_t *replica, const rts_box_t *box) {
    for (rts_replica_t *other = &array->home; other != NULL; other = next_replica(array, other))
        if (other != replica && rts_boxset_contains(&other->current, box))
            return true;
    return false;
}

/* Without memory for a second buffer: all values home, the buffer made anew, and back. */
static rts_status_t change_by_way_of_home(rts_array_t *array, rts_replica_t *replica,
                                          const rts_layout_form_t *form) {
    for (int i = 0; i < replica->current.count; i++)
        RTS_TRY(rts_coherence_fetch_to(array, &array->home, &replica->current.boxes[i]));
    RTS_TRY(rts_replica_refit(array, replica, form));
    for (int i = 0; i < replica->current.count; i++) {
        const rts_status_t status =
            rts_replica_copy(array, &array->home, replica, &replica->current.boxes[i]);
        if (status != RTS_OK) {
            rts_boxset_clear(&replica->current);
            return status;
        }
    }
    return RTS_OK;
}

static rts_status_t change_form(rts_array_t *array, rts_replica_t *replica, const rts_layout_form_t *form) {
    rts_status_t status;
    bool has_own = false;
    for (int i = 0; i < replica->current.count && !has_own; i++)
        has_own = !is_elsewhere(array, replica, &replica->current.boxes[i]);
    if (!has_own) {
        /* One pass all the same: what is needed will be fetched, and nothing else. */
        do
            status = rts_replica_refit(array, replica, form);
        while (makes_room(array, replica->device, &status));
        RTS_TRY(status);
        rts_boxset_clear(&replica->current);
        return RTS_OK;
    }
    do
        status = rts_replica_reorganise(array, replica, form);
    while (makes_room(array, replica->device, &status));
    if (status == RTS_ERR_NO_MEMORY && replica->device == 0 && rts_replica_has_room(array, replica, form))
        return change_by_way_of_home(array, replica, form);
    return status;
}

rts_status_t rts_coherence_place(rts_array_t *array, int device, const rts_layout_form_t *form,
                                 rts_replica_t **replica_p) {
    RTS_ASSERT(device >= 0 && device < rts_device_count());
    RTS_TRY(check_distributed(array));
    if (device == 0 && rts_layout_form_equal(form, &array->home.form)) {
        *replica_p = &array->home;
        return RTS_OK;
    }
    rts_replica_t *replica = rts_replica_find(array, device);
    rts_coherence_hold(array, device);
    if (replica == NULL)
        RTS_TRY(create(array, device, form, &replica));
    else if (!rts_layout_form_equal(form, &replica->form))
        RTS_TRY(change_form(array, replica, form));
    *replica_p = replica;
    return RTS_OK;
}

/* Whatever is current anywhere in the box is current here. */
static bool has_newest(const rts_array_t *array, const rts_replica_t *replica, const rts_box_t *box) {
    if (rts_boxset_contains(&replica->current, box))
        return true;
    for (const rts_replica_t *other = &array->home; other != NULL;
         other = other == &array->home ? array->replicas : other->next)
        for (int i = 0; i < other->current.count && other != replica; i++) {
            const rts_box_t common = rts_box_intersect(&other->current.boxes[i], box);
            if (!rts_boxset_contains(&replica->current, &common))
                return false;
        }
    return true;
}

int rts_coherence_present(const rts_array_t *array, int device, const rts_box_t *box,
                          rts_layout_form_t form[2]) {
    const rts_box_t part = clip(array, box);
    const rts_replica_t *replica = rts_replica_find(array, device);
    int found = 0;
    if (device == 0 && has_newest(array, &array->home, &part))
        form[found++] = array->home.form;
    if (replica != NULL && has_newest(array, replica, &part))
        form[found++] = replica->form;
    return found;
}
