/* Whoever holds an element asks the owner of the value that it gets. The owner sees by what it is asked for whether the order is a permutation: each of
 * its elements must be wanted once by those that will own them; shadow edges want copies, which do not count. So no process
 * needs to know the whole order. */
#include <config.h>

#include "rts/permute.h"

#include <string.h>

#include "rts/comm.h"
#include "rts/gather.h"
#include "rts/memory.h"
#include "rts/runtime.h"
#include "rts/section.h"

/* An index that is wanted by a shadow edge is sent as its complement. */
static int64_t index_of(int64_t wish) {
    return wish < 0 ? ~wish : wish;
}

/* Wishes, values and how they get from one process to another; those of process p begin at offset[p]. */
typedef struct mail {
    int64_t *offset; /* comm_size + 1 */
    int64_t *wish;   /* elements, counted from the array's first one */
    char *value;
} mail_t;

typedef struct permutation {
    rts_array_t *array;
    rts_array_t *order;
    rts_section_t whole; /* of the array */
    rts_index_t held;    /* elements that get a value here */
    rts_index_t first;   /* of them, counted from the array's first one */
    int64_t *wish;       /* for each of them */
    char *old, *new;     /* old: of the own part */
    rts_index_t own_first, own_count;
    uint64_t *seen; /* bits of the own part */
    /* several processes */
    rts_index_t *end;      /* behind the last element owned by each run of elements, and .. */
    int *owner, run_count; /* .. by which process */
    int64_t *place;        /* for each wish in `asked` the held element */
    mail_t asked, answered;
    bool is_under_way; /* messages are, whose memory must stay: the job ends */
} permutation_t;

static rts_status_t allocate(size_t count, size_t bytes, void *memory_p) {
    void *const memory = rts_alloc(count * bytes + 1);
    if (memory == NULL)
        return rts_fail_memory("the permutation of an array", count * bytes);
    memcpy(memory_p, &memory, sizeof memory);
    return RTS_OK;
}

static rts_index_t extent_of(const rts_array_t *array) {
    return array->space.hi[0] - array->space.lo[0];
}

static rts_status_t check_arrays(const rts_array_t *array, const rts_array_t *order) {
    if (array == order)
        return rts_fail(RTS_ERR_INVALID, "the array is its own order; allowed: two arrays");
    if (!array->is_distributed || !order->is_distributed)
        return rts_fail(RTS_ERR_INVALID, "the %s has no storage yet; allowed: a distributed or aligned array",
                        array->is_distributed ? "order" : "array");
    if (array->space.rank != 1 || order->space.rank != 1)
        return rts_fail(RTS_ERR_INVALID, "an array of rank %d and an order of rank %d; allowed: 1 and 1",
                        array->space.rank, order->space.rank);
    if (extent_of(array) != extent_of(order))
        return rts_fail(RTS_ERR_INVALID, "an order of %lld elements; allowed: %lld, as many as the array has",
                        (long long)extent_of(order), (long long)extent_of(array));
    if (order->element.bytes != sizeof(int64_t) && order->element.bytes != sizeof(int32_t))
        return rts_fail(
            RTS_ERR_INVALID,
            "an order with elements of %zu bytes; allowed: whole numbers with sign, of 4 or 8 bytes",
            order->element.bytes);
    return RTS_OK;
}

/* ---- the order ---- */

static rts_box_t held_by(const void *context, int process) {
    const permutation_t *permutation = context;
    const rts_array_t *array = permutation->array;
    rts_box_t held = array->space;
    if (!array->is_variable) {
        const rts_placement_t placement = rts_array_placement(array, &rts_runtime()->grid);
        const rts_box_t local = rts_placement_local(&placement, process);
        held = rts_array_held(array, &local);
    }
    if (rts_box_is_empty(&held))
        return rts_box_empty(1);
    held.lo[0] -= array->space.lo[0];
    held.hi[0] -= array->space.lo[0];
    return held;
}

/* As they are in the order's array, to counts from the array's first element. */
static rts_status_t check_order(permutation_t *permutation, const char *values) {
    const rts_box_t *space = &permutation->array->space;
    const size_t bytes = permutation->order->element.bytes;
    for (rts_index_t i = 0; i < permutation->held; i++) {
        const rts_index_t element = permutation->first + i;
        int32_t small;
        int64_t index;
        if (bytes == sizeof small) {
            memcpy(&small, values + (size_t)i * bytes, sizeof small);
            index = small;
        } else {
            memcpy(&index, values + (size_t)i * bytes, sizeof index);
        }
        if (index < space->lo[0] || index >= space->hi[0])
            return rts_fail(RTS_ERR_INVALID, "element %lld of the order is %lld; allowed: %lld..%lld",
                            (long long)(permutation->order->space.lo[0] + element), (long long)index,
                            (long long)space->lo[0], (long long)space->hi[0] - 1);
        permutation->wish[i] = index - space->lo[0];
        if (element < permutation->own_first || element >= permutation->own_first + permutation->own_count)
            permutation->wish[i] = ~permutation->wish[i];
    }
    return RTS_OK;
}

static rts_status_t read_order(permutation_t *permutation) {
    const rts_section_t whole = rts_section_whole(permutation->order);
    char *values = NULL;
    rts_status_t status = allocate((size_t)permutation->held, permutation->order->element.bytes, &values);
    if (status == RTS_OK)
        status = allocate((size_t)permutation->held, sizeof permutation->wish[0], &permutation->wish);
    status = rts_comm_agree(status);
    if (status == RTS_OK)
        status = rts_gather_owned(permutation->order, &whole, held_by, permutation, values);
    if (status == RTS_OK)
        status = check_order(permutation, values);
    rts_free(values);
    return rts_comm_agree(status);
}

/* ---- values ---- */

static rts_section_t part_of(const permutation_t *permutation, rts_index_t first, rts_index_t count) {
    const rts_box_t ordinals = {.rank = 1, .lo = {first}, .hi = {first + count}};
    return rts_section_part(&permutation->whole, &ordinals);
}

static rts_status_t read_own(permutation_t *permutation) {
    const size_t own = (size_t)permutation->own_count;
    RTS_TRY(allocate(own, permutation->array->element.bytes, &permutation->old));
    RTS_TRY(allocate((size_t)permutation->held, permutation->array->element.bytes, &permutation->new));
    RTS_TRY(allocate(own / 64 + 1, sizeof permutation->seen[0], &permutation->seen));
    memset(permutation->seen, 0, (own / 64 + 1) * sizeof permutation->seen[0]);
    if (own == 0)
        return RTS_OK;
    const rts_section_t part = part_of(permutation, permutation->own_first, permutation->own_count);
    return rts_section_read(permutation->array, &part, permutation->old);
}

/* Every own element is wanted once when none is wanted twice, since as many are wanted as there are. */
static rts_status_t check_wishes(permutation_t *permutation, const int64_t wish[], int64_t count) {
    const rts_box_t *space = &permutation->array->space;
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = wish[i] - permutation->own_first;
        if (wish[i] < 0)
            continue;
        const uint64_t bit = UINT64_C(1) << at % 64;
        if ((permutation->seen[at / 64] & bit) != 0)
            return rts_fail(RTS_ERR_INVALID,
                            "the order has the index %lld twice; allowed: each of %lld..%lld once",
                            (long long)(space->lo[0] + wish[i]), (long long)space->lo[0],
                            (long long)space->hi[0] - 1);
        permutation->seen[at / 64] |= bit;
    }
    return RTS_OK;
}

/* Own values one after another, as wished. Short elements have loops of their own, since this is where the time goes. */
static void pick(const permutation_t *permutation, const int64_t wish[], int64_t count, void *values) {
    const size_t bytes = permutation->array->element.bytes;
    const char *const old = permutation->old;
    char *const value = values;
    for (int64_t i = 0; i < count; i++) {
        const size_t at = (size_t)(index_of(wish[i]) - permutation->own_first);
        if (bytes == 4)
            memcpy(value + 4 * i, old + 4 * at, 4);
        else if (bytes == 8)
            memcpy(value + 8 * i, old + 8 * at, 8);
        else
            memcpy(value + (size_t)i * bytes, old + at * bytes, bytes);
    }
}

static rts_status_t write_new(permutation_t *permutation) {
    if (permutation->held == 0)
        return RTS_OK;
    const rts_section_t part = part_of(permutation, permutation->first, permutation->held);
    return rts_section_write(permutation->array, &part, permutation->new);
}

/* ---- several processes ---- */

static rts_status_t note_owner(void *context, int process, const rts_box_t *part) {
    permutation_t *permutation = context;
    permutation->end[permutation->run_count] = part->hi[0] - permutation->array->space.lo[0];
    permutation->owner[permutation->run_count++] = process;
    return RTS_OK;
}

static rts_status_t find_owners(permutation_t *permutation) {
    const rts_array_t *array = permutation->array;
    const size_t processes = (size_t)rts_comm_size();
    RTS_TRY(allocate(processes, sizeof permutation->end[0], &permutation->end));
    RTS_TRY(allocate(processes, sizeof permutation->owner[0], &permutation->owner));
    const rts_placement_t placement = rts_array_placement(array, &rts_runtime()->grid);
    RTS_TRY(rts_placement_owners(&placement, &array->space, rts_comm_rank(), note_owner, permutation));
    for (int i = 1; i < permutation->run_count; i++) { /* by what they own */
        const rts_index_t end = permutation->end[i];
        const int owner = permutation->owner[i];
        int at = i;
        for (; at > 0 && permutation->end[at - 1] > end; at--) {
            permutation->end[at] = permutation->end[at - 1];
            permutation->owner[at] = permutation->owner[at - 1];
        }
        permutation->end[at] = end;
        permutation->owner[at] = owner;
    }
    return RTS_OK;
}

static int owner_of(const permutation_t *permutation, int64_t element) {
    int low = 0, high = permutation->run_count - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (permutation->end[middle] <= element)
            low = middle + 1;
        else
            high = middle;
    }
    return permutation->owner[low];
}

/* The own wishes, those to one process after another. */
static rts_status_t sort_wishes(permutation_t *permutation) {
    mail_t *const asked = &permutation->asked;
    const int processes = rts_comm_size();
    const size_t held = (size_t)permutation->held;
    RTS_TRY(find_owners(permutation));
    RTS_TRY(allocate((size_t)processes + 2, sizeof asked->offset[0], &asked->offset));
    RTS_TRY(allocate(held, sizeof asked->wish[0], &asked->wish));
    RTS_TRY(allocate(held, permutation->array->element.bytes, &asked->value));
    RTS_TRY(allocate(held, sizeof permutation->place[0], &permutation->place));
    memset(asked->offset, 0, ((size_t)processes + 2) * sizeof asked->offset[0]);
    for (rts_index_t i = 0; i < permutation->held; i++)
        asked->offset[owner_of(permutation, index_of(permutation->wish[i])) + 2]++;
    for (int process = 0; process < processes; process++)
        asked->offset[process + 2] += asked->offset[process + 1];
    /* Entry p + 1 runs through the wishes to p, and ends where p + 1 begins. */
    for (rts_index_t i = 0; i < permutation->held; i++) {
        const int64_t at = asked->offset[owner_of(permutation, index_of(permutation->wish[i])) + 1]++;
        asked->wish[at] = permutation->wish[i];
        permutation->place[at] = i;
    }
    return RTS_OK;
}

/* How much others want from here. */
static rts_status_t open_answers(permutation_t *permutation) {
    const int processes = rts_comm_size(), me = rts_comm_rank();
    mail_t *const answered = &permutation->answered;
    int64_t *mine = NULL, *all = NULL;
    rts_status_t status = allocate((size_t)processes, sizeof mine[0], &mine);
    if (status == RTS_OK)
        status = allocate((size_t)processes * (size_t)processes, sizeof all[0], &all);
    if (status == RTS_OK)
        status = allocate((size_t)processes + 1, sizeof answered->offset[0], &answered->offset);
    status = rts_comm_agree(status);
    for (int process = 0; status == RTS_OK && process < processes; process++)
        mine[process] = permutation->asked.offset[process + 1] - permutation->asked.offset[process];
    if (status == RTS_OK)
        status = rts_comm_gather_all(mine, all, (size_t)processes * sizeof mine[0]);
    if (status == RTS_OK) {
        answered->offset[0] = 0;
        for (int process = 0; process < processes; process++)
            answered->offset[process + 1] = answered->offset[process] + all[process * processes + me];
        const size_t count = (size_t)answered->offset[processes];
        status = allocate(count, sizeof answered->wish[0], &answered->wish);
        if (status == RTS_OK)
            status = allocate(count, permutation->array->element.bytes, &answered->value);
    }
    rts_free(mine);
    rts_free(all);
    return rts_comm_agree(status);
}

/* From one side's mail to the other's: parts of `out` go to their processes, parts of `in` come from them. */
static rts_status_t exchange(permutation_t *permutation, const mail_t *out, const void *from,
                             const mail_t *in, void *to, size_t bytes) {
    const int me = rts_comm_rank();
    rts_flight_t flight = {0};
    permutation->is_under_way = true;
    for (int process = 0; process < rts_comm_size(); process++) {
        const size_t sent = (size_t)(out->offset[process + 1] - out->offset[process]) * bytes,
                     received = (size_t)(in->offset[process + 1] - in->offset[process]) * bytes;
        const char *const source = (const char *)from + (size_t)out->offset[process] * bytes;
        char *const target = (char *)to + (size_t)in->offset[process] * bytes;
        if (process == me) {
            memcpy(target, source, sent);
            continue;
        }
        RTS_TRY(rts_comm_receive(&flight, process, RTS_TAG_TRANSFER, target, received));
        RTS_TRY(rts_comm_send(&flight, process, RTS_TAG_TRANSFER, source, sent));
    }
    RTS_TRY(rts_comm_wait(&flight));
    rts_flight_free(&flight);
    permutation->is_under_way = false;
    return RTS_OK;
}

static rts_status_t permute_between(permutation_t *permutation) {
    mail_t *const asked = &permutation->asked, *const answered = &permutation->answered;
    const size_t bytes = permutation->array->element.bytes;
    RTS_TRY(rts_comm_agree(sort_wishes(permutation)));
    RTS_TRY(open_answers(permutation));
    const int64_t wanted = answered->offset[rts_comm_size()];
    RTS_TRY(exchange(permutation, asked, asked->wish, answered, answered->wish, sizeof asked->wish[0]));
    RTS_TRY(rts_comm_agree(check_wishes(permutation, answered->wish, wanted)));
    pick(permutation, answered->wish, wanted, answered->value);
    RTS_TRY(exchange(permutation, answered, answered->value, asked, asked->value, bytes));
    for (rts_index_t i = 0; i < permutation->held; i++)
        memcpy(permutation->new + (size_t)permutation->place[i] * bytes, asked->value + (size_t)i * bytes,
               bytes);
    return RTS_OK;
}

/* ---- all of it ---- */

static rts_status_t permute(permutation_t *permutation) {
    RTS_TRY(read_order(permutation));
    RTS_TRY(rts_comm_agree(read_own(permutation)));
    if (rts_gather_is_everywhere(permutation->array)) {
        RTS_TRY(rts_comm_agree(check_wishes(permutation, permutation->wish, permutation->held)));
        pick(permutation, permutation->wish, permutation->held, permutation->new);
    } else {
        RTS_TRY(permute_between(permutation));
    }
    return write_new(permutation);
}

static void free_mail(mail_t *mail) {
    rts_free(mail->offset);
    rts_free(mail->wish);
    rts_free(mail->value);
}

rts_status_t rts_permute(rts_array_t *array, rts_array_t *order) {
    permutation_t permutation = {.array = array, .order = order};
    RTS_TRY(check_arrays(array, order));
    const rts_box_t held = held_by(&permutation, rts_comm_rank()),
                    local = array->is_variable ? array->space : array->local;
    permutation.whole = rts_section_whole(array);
    permutation.held = rts_box_size(&held);
    permutation.first = held.lo[0];
    if (!rts_box_is_empty(&local)) {
        permutation.own_first = local.lo[0] - array->space.lo[0];
        permutation.own_count = rts_box_size(&local);
    }
    const rts_status_t status = permute(&permutation);
    if (permutation.is_under_way)
        return status;
    rts_free(permutation.wish);
    rts_free(permutation.old);
    rts_free(permutation.new);
    rts_free(permutation.seen);
    rts_free(permutation.end);
    rts_free(permutation.owner);
    rts_free(permutation.place);
    free_mail(&permutation.asked);
    free_mail(&permutation.answered);
    return status;
}
