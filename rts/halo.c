/* Both sides of a message follow from the local part of the process that gets it: it looks for the owners of its edges, and every other
 * process looks for what it owns of them, box by box in the same order.
 *
 * The boxes of a group of requests are computed once and kept, ready to be sent again, until other groups need the room. A group is
 * known by its arrays' places, whose numbers are never used twice, so that groups of arrays that have moved or died are never found. */
#include <config.h>

#include "rts/halo.h"

#include <string.h>

#include "rts/memory.h"
#include "rts/placement.h"
#include "rts/runtime.h"
#include "rts/stats.h"

/* Groups that are kept. */
#define MAX_GROUPS 32

/* What is exchanged; comparable as bytes, since it has no padding. */
typedef struct request {
    uint64_t place;
    rts_index_t corners; /* 0 or 1 */
    rts_index_t low[RTS_MAX_RANK], high[RTS_MAX_RANK];
} request_t;

/* Requests in the order in which they were made. */
typedef struct list {
    int count, capacity;
    request_t *request;
    rts_array_t **array; /* of each request; good as long as the list waits */
} list_t;

/* Requests that are exchanged together, and the transfer that does it. */
typedef struct group {
    list_t list;
    rts_transfer_t transfer;
    uint64_t last_use;
} group_t;

static struct {
    list_t pending;
    group_t group[MAX_GROUPS];
    int group_count;
    uint64_t uses;
    group_t *under_way; /* started and not finished; NULL: none */
} halo;

int rts_halo_pending;

/* ---- lists of requests ---- */

static void free_list(list_t *list) {
    rts_free(list->request);
    rts_free(list->array);
    *list = (list_t){.count = 0};
}

static rts_status_t grow(list_t *list) {
    const int capacity = list->capacity > 0 ? 2 * list->capacity : 8;
    const size_t old = (size_t)list->capacity, new = (size_t)capacity;
    request_t *request = rts_realloc(list->request, old * sizeof *list->request, new * sizeof *list->request);
    if (request == NULL)
        return rts_fail_memory("the shadow edges to be renewed", new * sizeof *request);
    list->request = request;
    rts_array_t **array = rts_realloc(list->array, old * sizeof(rts_array_t *), new * sizeof(rts_array_t *));
    if (array == NULL)
        return rts_fail_memory("the shadow edges to be renewed", new * sizeof(rts_array_t *));
    list->array = array;
    list->capacity = capacity;
    return RTS_OK;
}

static request_t make_request(const rts_array_t *array, bool corners, const rts_index_t low[],
                              const rts_index_t high[]) {
    request_t request;
    const size_t bytes = (size_t)array->space.rank * sizeof low[0];
    memset(&request, 0, sizeof request);
    request.place = array->place_number;
    request.corners = corners;
    memcpy(request.low, low != NULL ? low : array->shadow_lo, bytes);
    memcpy(request.high, high != NULL ? high : array->shadow_hi, bytes);
    return request;
}

static bool has_request(const list_t *list, const request_t *request) {
    for (int i = 0; i < list->count; i++)
        if (memcmp(&list->request[i], request, sizeof *request) == 0)
            return true;
    return false;
}

rts_status_t rts_halo_request(rts_array_t *array, bool corners, const rts_index_t low[],
                              const rts_index_t high[]) {
    RTS_ASSERT(array->is_distributed && !array->is_variable);
    if (rts_comm_size() == 1)
        return RTS_OK;
    const request_t request = make_request(array, corners, low, high);
    if (has_request(&halo.pending, &request))
        return RTS_OK;
    if (halo.pending.count == halo.pending.capacity)
        RTS_TRY(grow(&halo.pending));
    halo.pending.array[halo.pending.count] = array;
    halo.pending.request[halo.pending.count++] = request;
    rts_halo_pending = halo.pending.count;
    return RTS_OK;
}

/* ---- boxes ---- */

/* Where the parts of a box that others own are added. */
typedef struct target {
    rts_transfer_t *transfer;
    rts_array_t *array;
} target_t;

static rts_status_t add_receive(void *context, int process, const rts_box_t *part) {
    const target_t *target = context;
    if (process == rts_comm_rank())
        return RTS_OK;
    return rts_transfer_receive(target->transfer, target->array, part, process);
}

rts_status_t rts_halo_add_wanted(rts_transfer_t *transfer, rts_array_t *array, rts_halo_wanted_fn_t wanted,
                                 const void *context) {
    const rts_placement_t placement = rts_array_placement(array, &rts_runtime()->grid);
    const int me = rts_comm_rank();
    target_t target = {transfer, array};
    rts_box_t box;
    if (rts_box_is_empty(&array->local)) /* holds nothing, owns nothing */
        return RTS_OK;
    for (int number = 0; wanted(context, array, &array->local, number, &box); number++)
        RTS_TRY(rts_placement_owners(&placement, &box, me, add_receive, &target));
    for (int process = 0; process < rts_comm_size(); process++) {
        if (process == me || !rts_placement_serves(&placement, me, process))
            continue;
        const rts_box_t local = rts_placement_local(&placement, process);
        if (rts_box_is_empty(&local))
            continue;
        for (int number = 0; wanted(context, array, &local, number, &box); number++) {
            const rts_box_t part = rts_box_intersect(&box, &array->local);
            RTS_TRY(rts_transfer_send(transfer, array, &part, process));
        }
    }
    return RTS_OK;
}

/* Edge 2 * axis + side of a local part. Corners belong to the first of their axes, so that boxes are disjoint, and long where memory is
 * contiguous. */
static bool find_edge(const void *context, const rts_array_t *array, const rts_box_t *local, int number,
                      rts_box_t *box_p) {
    const request_t *request = context;
    const int axis = number / 2;
    if (axis >= local->rank)
        return false;
    *box_p = *local;
    for (int other = axis; other < local->rank; other++) {
        if (other != axis && request->corners == 0)
            break;
        box_p->lo[other] = rts_max(local->lo[other] - request->low[other], array->space.lo[other]);
        box_p->hi[other] = rts_min(local->hi[other] + request->high[other], array->space.hi[other]);
    }
    if (number % 2 == 0)
        box_p->hi[axis] = local->lo[axis];
    else
        box_p->lo[axis] = local->hi[axis];
    return true;
}

rts_status_t rts_halo_add(rts_transfer_t *transfer, rts_array_t *array, bool corners, const rts_index_t low[],
                          const rts_index_t high[]) {
    const request_t request = make_request(array, corners, low, high);
    return rts_halo_add_wanted(transfer, array, find_edge, &request);
}

rts_status_t rts_halo_add_side(rts_transfer_t *transfer, rts_array_t *array, int axis, int side,
                               rts_index_t width) {
    request_t request = {.place = array->place_number};
    (side == 0 ? request.low : request.high)[axis] = width;
    return rts_halo_add_wanted(transfer, array, find_edge, &request);
}

/* ---- groups ---- */

static void free_group(group_t *group) {
    free_list(&group->list);
    rts_transfer_free(&group->transfer);
}

static bool is_same(const list_t *a, const list_t *b) {
    return a->count == b->count && memcmp(a->request, b->request, (size_t)a->count * sizeof *a->request) == 0;
}

/* Room for a group: that of the one not used for longest when there is none. */
static group_t *make_room(void) {
    group_t *oldest = &halo.group[0];
    if (halo.group_count < MAX_GROUPS)
        return &halo.group[halo.group_count++];
    for (int i = 1; i < MAX_GROUPS; i++)
        if (halo.group[i].last_use < oldest->last_use)
            oldest = &halo.group[i];
    free_group(oldest);
    return oldest;
}

/* The group takes the pending list over. */
static rts_status_t build(group_t *group) {
    group->list = halo.pending;
    halo.pending = (list_t){.count = 0};
    rts_transfer_init(&group->transfer, RTS_TAG_TRANSFER);
    for (int i = 0; i < group->list.count; i++) {
        const request_t *request = &group->list.request[i];
        RTS_TRY(rts_halo_add_wanted(&group->transfer, group->list.array[i], find_edge, request));
    }
    return RTS_OK;
}

static rts_status_t find_group(group_t **group_p) {
    for (int i = 0; i < halo.group_count; i++)
        if (is_same(&halo.group[i].list, &halo.pending)) {
            *group_p = &halo.group[i];
            halo.pending.count = 0;
            return RTS_OK;
        }
    *group_p = make_room();
    const rts_status_t status = build(*group_p);
    if (status != RTS_OK)
        free_group(*group_p); /* an empty list is never found */
    return status;
}

rts_halo_waiting_t rts_halo_waiting(int number) {
    RTS_ASSERT(number >= 0 && number < halo.pending.count);
    const request_t *request = &halo.pending.request[number];
    return (rts_halo_waiting_t){halo.pending.array[number], request->low, request->high};
}

static void count_time(int64_t begin) {
    rts_stats_add(RTS_STAT_HALO_TIME, rts_clock_ns() - begin);
}

static rts_status_t start(void) {
    group_t *group;
    rts_halo_pending = 0; /* also when it fails: the job ends then */
    RTS_TRY(find_group(&group));
    group->last_use = ++halo.uses;
    RTS_TRY(rts_transfer_start(&group->transfer));
    halo.under_way = group;
    return RTS_OK;
}

static rts_status_t finish(rts_halo_arrived_fn_t arrived, void *context) {
    group_t *group = halo.under_way;
    halo.under_way = NULL;
    RTS_TRY(rts_transfer_finish(&group->transfer));
    for (int i = 0; i < group->transfer.count && arrived != NULL; i++) {
        const rts_transfer_part_t *part = &group->transfer.part[i];
        if (!part->is_send)
            RTS_TRY(arrived(context, part->array, &part->box));
    }
    return RTS_OK;
}

rts_status_t rts_halo_start(void) {
    RTS_ASSERT(halo.under_way == NULL);
    if (rts_halo_pending == 0)
        return RTS_OK;
    const int64_t begin = rts_clock_ns();
    RTS_TRY(start());
    count_time(begin);
    return RTS_OK;
}

rts_status_t rts_halo_finish(rts_halo_arrived_fn_t arrived, void *context) {
    if (halo.under_way == NULL)
        return RTS_OK;
    const int64_t begin = rts_clock_ns();
    RTS_TRY(finish(arrived, context));
    count_time(begin);
    return RTS_OK;
}

/* Not start and finish as others call them: small renewals would notice the clock's two more readings. */
rts_status_t rts_halo_settle(void) {
    RTS_ASSERT(halo.under_way == NULL);
    if (rts_halo_pending == 0)
        return RTS_OK;
    const int64_t begin = rts_clock_ns();
    RTS_TRY(start());
    RTS_TRY(finish(NULL, NULL));
    count_time(begin);
    return RTS_OK;
}

rts_status_t rts_halo_renew(rts_array_t *array, bool corners, const rts_index_t low[],
                            const rts_index_t high[]) {
    RTS_TRY(rts_halo_request(array, corners, low, high));
    return rts_halo_settle();
}

void rts_halo_drop(void) {
    halo.pending.count = rts_halo_pending = 0;
}

void rts_halo_reset(void) {
    rts_halo_drop();
    free_list(&halo.pending);
    for (int i = 0; i < halo.group_count; i++)
        free_group(&halo.group[i]);
    halo.group_count = 0;
    halo.under_way = NULL;
}
