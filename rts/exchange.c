/* Slots: pieces of memory on this process's first GPU, each with an event, that hold a message from when it is packed until it is taken. They
 * are made as they are needed, kept, and never freed before the end, because other processes have them open. A flag in memory that
 * the processes of the node share says whether a slot is in use: the receiver clears it when its copy is queued and marked, so that
 * whoever finds it clear queues behind that copy.
 *
 * Nobody waits for a free slot: who finds none, and can make none, sends through the host. */
#include <config.h>

#include "rts/exchange.h"

#include <dvmhlib_const.h>
#include <stdatomic.h>
#include <string.h>

#include "rts/backend.h"
#include "rts/coherence_values.h"
#include "rts/comm.h"
#include "rts/log.h"
#include "rts/memory.h"
#include "rts/runtime.h"

/* Of a process; the number of flags of a process is that of a cache line's bytes. */
#define MAX_SLOTS 64
/* Of all slots of a process together. */
#define MAX_BYTES   ((uint64_t)4 << 30)
#define FIRST_BYTES ((size_t)1 << 20)

typedef struct flags {
    atomic_uchar is_full[MAX_SLOTS];
} flags_t;

/* What each process of the node says of itself. */
typedef struct hello {
    int process;
    bool is_able;                 /* to send; to receive */
    rts_exchange_handle_t handle; /* of slot 0 */
} hello_t;

typedef struct slot {
    rts_exchange_place_t place;
    rts_exchange_handle_t handle;
} slot_t;

static struct {
    bool is_prepared, is_able;
    bool is_forked; /* messages are unpacked beside a loop */
    int device, local_size;
    const rts_exchange_ops_t *ops;
    flags_t *flags;               /* of each process of the node; NULL: nothing is shared */
    int *local_of;                /* place among the node's processes of every process; -1: on another node */
    bool *reaches;                /* whether slots here can be opened by each process of the node */
    rts_exchange_place_t *opened; /* MAX_SLOTS of each process of the node; zeroed: not yet */
    slot_t slot[MAX_SLOTS];
    int slot_count;
    uint64_t bytes;
    bool is_full; /* has been told */
    int64_t sent;
} exchange;

/* What is not possible is no error; its message is for who has asked for it, and for developers. */
static void note(const char *what) {
    rts_log(rts_runtime()->common_exchange == RTS_EXCHANGE_IPC ? RTS_LOG_WARNING : RTS_LOG_DEBUG, "%s: %s",
            what, rts_error_text());
}

/* ---- finding out ---- */

static int first_gpu(void) {
    for (int device = 1; device < rts_device_count(); device++)
        if (rts_exchange_ops_of_device(device) != NULL)
            return device;
    return 0;
}

static rts_status_t allocate(void) {
    const size_t local_size = (size_t)rts_comm_local_size(), size = (size_t)rts_comm_size();
    exchange.local_size = rts_comm_local_size();
    exchange.local_of = rts_alloc(size * sizeof *exchange.local_of);
    exchange.reaches = rts_alloc_zeroed(local_size, sizeof *exchange.reaches);
    exchange.opened = rts_alloc_zeroed(local_size * MAX_SLOTS, sizeof *exchange.opened);
    if (exchange.local_of == NULL || exchange.reaches == NULL || exchange.opened == NULL)
        return rts_fail_memory("what is known of the node's processes", local_size * MAX_SLOTS);
    for (size_t process = 0; process < size; process++)
        exchange.local_of[process] = -1;
    return RTS_OK;
}

static rts_status_t make_slot(size_t bytes) {
    slot_t *const slot = &exchange.slot[exchange.slot_count];
    RTS_TRY(exchange.ops->make(exchange.device, bytes, &slot->place, &slot->handle));
    exchange.bytes += slot->handle.bytes;
    exchange.slot_count++;
    return RTS_OK;
}

/* This process's part, without which it neither sends nor receives. */
static hello_t introduce(void) {
    hello_t hello;
    memset(&hello, 0, sizeof hello);
    hello.process = rts_comm_rank();
    exchange.device = first_gpu();
    exchange.ops = rts_exchange_ops_of_device(exchange.device);
    if (exchange.flags == NULL || exchange.ops == NULL)
        return hello;
    exchange.is_able = hello.is_able = make_slot(FIRST_BYTES) == RTS_OK;
    if (hello.is_able)
        hello.handle = exchange.slot[0].handle;
    else
        note("messages between processes go through the host");
    return hello;
}

/* Open the first slot of every other process. */
static void try_others(const hello_t all[], bool can_open[]) {
    for (int local = 0; local < exchange.local_size; local++) {
        exchange.local_of[all[local].process] = local;
        can_open[local] = false;
        if (!exchange.is_able || !all[local].is_able || local == rts_comm_local_rank())
            continue;
        can_open[local] = exchange.ops->open(exchange.device, &all[local].handle,
                                             &exchange.opened[local * MAX_SLOTS]) == RTS_OK;
        if (!can_open[local])
            note("messages from a process of this node come through the host");
    }
}

/* `all`: room for the answers of all to all, and for what they say of themselves. */
static rts_status_t ask_others(hello_t all[], bool answer[], bool all_answers[]) {
    const hello_t mine = introduce();
    RTS_TRY(rts_comm_gather_node(&mine, all, sizeof mine));
    try_others(all, answer);
    RTS_TRY(rts_comm_gather_node(answer, all_answers, (size_t)exchange.local_size * sizeof *answer));
    for (int local = 0; local < exchange.local_size; local++)
        exchange.reaches[local] = all_answers[local * exchange.local_size + rts_comm_local_rank()];
    return RTS_OK;
}

static rts_status_t find_out(void) {
    const size_t count = (size_t)rts_comm_local_size();
    void *flags = NULL;
    RTS_TRY(allocate());
    if (rts_comm_share_node(count * sizeof(flags_t), &flags) == RTS_OK)
        exchange.flags = flags;
    else
        note("messages between processes go through the host");
    hello_t *const all = rts_alloc_zeroed(count, sizeof *all);
    bool *const answers = rts_alloc_zeroed(count * (count + 1), sizeof *answers);
    const rts_status_t status = all != NULL && answers != NULL
                                    ? ask_others(all, answers + count * count, answers)
                                    : rts_fail_memory("what is known of the node's processes", count * count);
    rts_free(all);
    rts_free(answers);
    return status;
}

rts_status_t rts_exchange_prepare(const rts_loop_t *loop) {
    if (exchange.is_prepared || rts_comm_size() == 1 || !rts_runtime()->common_gpus || loop->region == NULL ||
        rts_loop_handler(loop, DEVICE_TYPE_CUDA) == NULL)
        return RTS_OK;
    exchange.is_prepared = true;
    return rts_runtime()->common_exchange == RTS_EXCHANGE_STAGING ? RTS_OK : find_out();
}

/* Memory that others have open is theirs to give up first. */
static void give_back(void) {
    char ready = 0;
    char *const all = rts_alloc((size_t)exchange.local_size);
    if (exchange.is_able && exchange.ops->settle(exchange.device) != RTS_OK)
        note("the end of messages between GPUs");
    for (int i = 0; i < exchange.local_size * MAX_SLOTS && exchange.is_able; i++)
        if (exchange.opened[i].memory != NULL)
            exchange.ops->drop(&exchange.opened[i], false);
    if (all != NULL && rts_comm_is_usable() && rts_comm_gather_node(&ready, all, sizeof ready) == RTS_OK)
        for (int i = 0; i < exchange.slot_count; i++)
            exchange.ops->drop(&exchange.slot[i].place, true);
    rts_free(all);
}

void rts_exchange_close(void) {
    if (exchange.is_able)
        rts_log(RTS_LOG_DEBUG,
                "%lld messages to other processes went from GPU to GPU, through %d pieces of memory",
                (long long)exchange.sent, exchange.slot_count);
    if (exchange.local_of != NULL && exchange.reaches != NULL && exchange.opened != NULL)
        give_back();
    rts_free(exchange.local_of);
    rts_free(exchange.reaches);
    rts_free(exchange.opened);
    memset(&exchange, 0, sizeof exchange);
}

/* ---- sending ---- */

/* The smallest that is free and large enough; -1: none. */
static int find_slot(size_t bytes) {
    flags_t *const flags = &exchange.flags[rts_comm_local_rank()];
    int best = -1;
    for (int i = 0; i < exchange.slot_count; i++)
        if (exchange.slot[i].handle.bytes >= bytes &&
            (best < 0 || exchange.slot[i].handle.bytes < exchange.slot[best].handle.bytes) &&
            atomic_load_explicit(&flags->is_full[i], memory_order_acquire) == 0)
            best = i;
    return best;
}

/* @return -1: there is no room for one more */
static int add_slot(size_t bytes) {
    size_t rounded = FIRST_BYTES;
    while (rounded < bytes)
        rounded *= 2;
    if (exchange.slot_count < MAX_SLOTS && exchange.bytes + rounded <= MAX_BYTES &&
        make_slot(rounded) == RTS_OK)
        return exchange.slot_count - 1;
    if (!exchange.is_full)
        rts_log(RTS_LOG_DEBUG,
                "no more memory for messages between GPUs than %llu bytes: some go through the host",
                (unsigned long long)exchange.bytes);
    exchange.is_full = true;
    return -1;
}

rts_status_t rts_exchange_begin(int process, size_t bytes, rts_device_mail_t *mail_p) {
    *mail_p = (rts_device_mail_t){.place = NULL};
    if (!exchange.is_able || bytes > RTS_COMM_PIECE_BYTES || bytes == sizeof(rts_notice_t))
        return RTS_OK;
    const int local = exchange.local_of[process];
    if (local < 0 || !exchange.reaches[local])
        return RTS_OK;
    int number = find_slot(bytes);
    if (number < 0)
        number = add_slot(bytes);
    if (number < 0)
        return RTS_OK;
    mail_p->place = &exchange.slot[number].place;
    mail_p->owner = rts_comm_local_rank();
    mail_p->slot = number;
    return exchange.ops->after(mail_p->place);
}

rts_status_t rts_exchange_pack(const rts_device_mail_t *mail, rts_array_t *array, const rts_box_t *box,
                               size_t at) {
    return rts_coherence_read_to(array, box, mail->place->device, (char *)mail->place->memory + at);
}

rts_status_t rts_exchange_end(const rts_device_mail_t *mail, rts_notice_t *notice_p) {
    RTS_TRY(exchange.ops->mark(mail->place));
    atomic_store_explicit(&exchange.flags[mail->owner].is_full[mail->slot], 1, memory_order_release);
    notice_p->handle = exchange.slot[mail->slot].handle;
    notice_p->slot = mail->slot;
    exchange.sent++;
    return RTS_OK;
}

/* ---- receiving ---- */

rts_status_t rts_exchange_fork(void) {
    if (!exchange.is_able)
        return RTS_OK;
    return exchange.ops->fork(exchange.device, &exchange.is_forked);
}

void rts_exchange_join(void) {
    exchange.is_forked = false;
}

rts_status_t rts_exchange_come(int process, const rts_notice_t *notice, rts_device_mail_t *mail_p) {
    const int owner = exchange.local_of[process];
    RTS_ASSERT(exchange.is_able && owner >= 0 && notice->slot >= 0 && notice->slot < MAX_SLOTS);
    rts_exchange_place_t *const place = &exchange.opened[owner * MAX_SLOTS + (int)notice->slot];
    if (place->memory == NULL)
        RTS_TRY(exchange.ops->open(exchange.device, &notice->handle, place));
    *mail_p = (rts_device_mail_t){.place = place, .owner = owner, .slot = (int)notice->slot};
    if (exchange.is_forked)
        RTS_TRY(exchange.ops->aside(exchange.device, true));
    return exchange.ops->after(place);
}

rts_status_t rts_exchange_fetch(const rts_device_mail_t *mail, size_t element_bytes, const rts_box_t *box,
                                size_t at, void *room) {
    rts_layout_t packed;
    RTS_TRY(rts_layout_plain(box, NULL, 1, &packed));
    const rts_copy_job_t job = {.element_bytes = element_bytes,
                                .box = *box,
                                .source_device = mail->place->device,
                                .source = (char *)mail->place->memory + at,
                                .target = room,
                                .source_layout = &packed,
                                .target_layout = &packed};
    return rts_backend_of_device(mail->place->device)->copy(&job);
}

/* Through the host where the values go to another GPU, which may not reach what this one has opened. */
rts_status_t rts_exchange_unpack(const rts_device_mail_t *mail, rts_array_t *array, const rts_box_t *box,
                                 size_t at, void *room) {
    const int target = rts_coherence_writes(array), device = mail->place->device;
    if (target == 0 || target == device)
        return rts_coherence_write_from(array, box, device, (char *)mail->place->memory + at);
    RTS_TRY(rts_exchange_fetch(mail, array->element.bytes, box, at, room));
    return rts_coherence_write(array, box, room);
}

rts_status_t rts_exchange_taken(const rts_device_mail_t *mail) {
    RTS_TRY(exchange.ops->mark(mail->place));
    atomic_store_explicit(&exchange.flags[mail->owner].is_full[mail->slot], 0, memory_order_release);
    return exchange.is_forked ? exchange.ops->aside(exchange.device, false) : RTS_OK;
}
