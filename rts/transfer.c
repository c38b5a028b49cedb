/* Parts are sorted by process, so that each message is one piece of the buffer, with room for a notice. The buffer is kept from one start to
 * the next. */
#include <config.h>

#include "rts/transfer.h"

#include <string.h>

#include "rts/backend.h"
#include "rts/coherence_values.h"
#include "rts/exchange.h"
#include "rts/memory.h"

void rts_transfer_init(rts_transfer_t *transfer, rts_tag_t tag) {
    *transfer = (rts_transfer_t){.tag = tag};
}

void rts_transfer_clear(rts_transfer_t *transfer) {
    RTS_ASSERT(transfer->flight.count == 0);
    transfer->count = 0;
    transfer->is_sorted = false;
}

void rts_transfer_free(rts_transfer_t *transfer) {
    RTS_ASSERT(transfer->flight.count == 0);
    rts_flight_free(&transfer->flight);
    rts_free(transfer->part);
    rts_free(transfer->buffer);
    *transfer = (rts_transfer_t){.tag = transfer->tag};
}

static rts_status_t add(rts_transfer_t *transfer, const rts_transfer_part_t *part) {
    if (rts_box_is_empty(&part->box))
        return RTS_OK;
    if (transfer->count == transfer->capacity) {
        const int capacity = transfer->capacity > 0 ? 2 * transfer->capacity : 8;
        rts_transfer_part_t *parts = rts_alloc((size_t)capacity * sizeof *parts);
        if (parts == NULL)
            return rts_fail_memory("the parts of a transfer", (size_t)capacity * sizeof *parts);
        if (transfer->count > 0)
            memcpy(parts, transfer->part, (size_t)transfer->count * sizeof *parts);
        rts_free(transfer->part);
        transfer->part = parts;
        transfer->capacity = capacity;
    }
    transfer->part[transfer->count++] = *part;
    transfer->is_sorted = false;
    return RTS_OK;
}

static rts_status_t add_of_array(rts_transfer_t *transfer, rts_array_t *array, const rts_box_t *box,
                                 int process, bool is_send) {
    RTS_ASSERT(rts_box_contains(&array->held, box));
    const rts_transfer_part_t part = {.array = array,
                                      .element_bytes = array->element.bytes,
                                      .box = *box,
                                      .process = process,
                                      .is_send = is_send};
    return add(transfer, &part);
}

rts_status_t rts_transfer_send(rts_transfer_t *transfer, rts_array_t *array, const rts_box_t *box,
                               int process) {
    return add_of_array(transfer, array, box, process, true);
}

rts_status_t rts_transfer_receive(rts_transfer_t *transfer, rts_array_t *array, const rts_box_t *box,
                                  int process) {
    return add_of_array(transfer, array, box, process, false);
}

rts_status_t rts_transfer_send_from(rts_transfer_t *transfer, const void *memory, const rts_layout_t *layout,
                                    size_t element_bytes, const rts_box_t *box, int process) {
    const rts_transfer_part_t part = {.memory = (void *)(uintptr_t)memory,
                                      .layout = *layout,
                                      .element_bytes = element_bytes,
                                      .box = *box,
                                      .process = process,
                                      .is_send = true};
    return add(transfer, &part);
}

rts_status_t rts_transfer_receive_into(rts_transfer_t *transfer, void *memory, const rts_layout_t *layout,
                                       size_t element_bytes, const rts_box_t *box, int process) {
    const rts_transfer_part_t part = {.memory = memory,
                                      .layout = *layout,
                                      .element_bytes = element_bytes,
                                      .box = *box,
                                      .process = process};
    return add(transfer, &part);
}

static bool goes_before(const rts_transfer_part_t *a, const rts_transfer_part_t *b) {
    return a->is_send != b->is_send ? a->is_send : a->process < b->process;
}

static size_t bytes_of(const rts_transfer_part_t *part) {
    return (size_t)rts_box_size(&part->box) * part->element_bytes;
}

/* Stable merge of two sorted halves. */
static void merge(const rts_transfer_part_t *from, int middle, int count, rts_transfer_part_t *to) {
    for (int i = 0, left = 0, right = middle; i < count; i++)
        to[i] = left < middle && (right == count || !goes_before(&from[right], &from[left])) ? from[left++]
                                                                                             : from[right++];
}

/* Sort by merging runs of twice the length each time. */
static rts_status_t sort(rts_transfer_t *transfer) {
    const int count = transfer->count;
    rts_transfer_part_t *other = rts_alloc((size_t)transfer->capacity * sizeof *other);
    if (other == NULL)
        return rts_fail_memory("the parts of a transfer", (size_t)transfer->capacity * sizeof *other);
    for (int run = 1; run < count; run *= 2) {
        for (int at = 0; at < count; at += 2 * run) {
            const int rest = count - at;
            merge(transfer->part + at, rest < run ? rest : run, rest < 2 * run ? rest : 2 * run, other + at);
        }
        rts_transfer_part_t *const sorted = other;
        other = transfer->part;
        transfer->part = sorted;
    }
    rts_free(other);
    return RTS_OK;
}

static int count_messages(const rts_transfer_t *transfer) {
    int count = 0;
    for (int i = 0; i < transfer->count; i++)
        count += i == 0 || transfer->part[i].process != transfer->part[i - 1].process ||
                 transfer->part[i].is_send != transfer->part[i - 1].is_send;
    return count;
}

/* The end of the message that begins at a part. */
static int end_of(const rts_transfer_t *transfer, int first) {
    int end = first + 1;
    while (end < transfer->count && transfer->part[end].process == transfer->part[first].process &&
           transfer->part[end].is_send == transfer->part[first].is_send)
        end++;
    return end;
}

/* Where parts lie in the buffers of their sides. */
static void place_parts(rts_transfer_t *transfer, size_t bytes[2]) {
    for (int first = 0, end; first < transfer->count; first = end) {
        size_t *const at = &bytes[transfer->part[first].is_send], begin = *at;
        end = end_of(transfer, first);
        for (int i = first; i < end; i++) {
            transfer->part[i].at = *at;
            *at += bytes_of(&transfer->part[i]);
        }
        *at = begin + rts_exchange_room(*at - begin);
    }
}

rts_status_t rts_transfer_prepare(rts_transfer_t *transfer) {
    size_t bytes[2] = {0, 0};
    if (transfer->is_sorted)
        return RTS_OK;
    if (transfer->count > 1)
        RTS_TRY(sort(transfer));
    place_parts(transfer, bytes);
    transfer->send_bytes = bytes[true];
    transfer->receive_bytes = bytes[false];
    if (bytes[0] + bytes[1] > transfer->buffer_bytes) {
        rts_free(transfer->buffer);
        transfer->buffer_bytes = 0;
        transfer->buffer = rts_alloc(bytes[0] + bytes[1]);
        if (transfer->buffer == NULL)
            return rts_fail_memory("messages between processes", bytes[0] + bytes[1]);
        transfer->buffer_bytes = bytes[0] + bytes[1];
    }
    RTS_TRY(rts_flight_reserve(&transfer->flight, count_messages(transfer), bytes[0] + bytes[1]));
    transfer->is_sorted = true;
    return RTS_OK;
}

static char *place_of(const rts_transfer_t *transfer, const rts_transfer_part_t *part) {
    return transfer->buffer + (part->is_send ? 0 : transfer->send_bytes) + part->at;
}

/* Between memory and the buffer. */
static rts_status_t copy_memory(const rts_transfer_part_t *part, char *place) {
    rts_layout_t packed;
    RTS_TRY(rts_layout_plain(&part->box, NULL, 1, &packed));
    const rts_copy_job_t job = {.element_bytes = part->element_bytes,
                                .box = part->box,
                                .source = part->is_send ? part->memory : place,
                                .target = part->is_send ? place : part->memory,
                                .source_layout = part->is_send ? &part->layout : &packed,
                                .target_layout = part->is_send ? &packed : &part->layout};
    return rts_backend_of_device(0)->copy(&job);
}

static rts_status_t pack(const rts_transfer_part_t *part, char *place) {
    return part->array != NULL ? rts_coherence_read(part->array, &part->box, place)
                               : copy_memory(part, place);
}

static rts_status_t unpack(const rts_transfer_part_t *part, char *place) {
    return part->array != NULL ? rts_coherence_write(part->array, &part->box, place)
                               : copy_memory(part, place);
}

/* A message: parts [first, end) of one side and one process. */
static size_t message_bytes(const rts_transfer_t *transfer, int first, int end) {
    const rts_transfer_part_t *const last = &transfer->part[end - 1];
    return last->at + bytes_of(last) - transfer->part[first].at;
}

static rts_status_t start_receiving(rts_transfer_t *transfer) {
    for (int first = 0, end; first < transfer->count; first = end) {
        rts_transfer_part_t *const part = &transfer->part[first];
        end = end_of(transfer, first);
        if (part->is_send || part->process == rts_comm_rank())
            continue;
        const size_t bytes = message_bytes(transfer, first, end);
        part->number = transfer->flight.count;
        RTS_TRY(rts_comm_receive(&transfer->flight, part->process, transfer->tag, place_of(transfer, part),
                                 rts_exchange_room(bytes)));
    }
    return RTS_OK;
}

/* Whether a GPU has something of it, and all of it may lie there. */
static bool is_on_device(const rts_transfer_t *transfer, int first, int end) {
    bool any = false;
    for (int i = first; i < end; i++) {
        const rts_transfer_part_t *const part = &transfer->part[i];
        if (part->array == NULL)
            return false;
        any = any || rts_coherence_reads(part->array, &part->box) > 0;
    }
    return any;
}

/* Pack a message and send it; `mail`: in device memory, and then a notice of it. */
static rts_status_t send_message(rts_transfer_t *transfer, int first, int end,
                                 const rts_device_mail_t *mail) {
    const rts_transfer_part_t *const part = &transfer->part[first];
    char *const place = place_of(transfer, part);
    size_t bytes = message_bytes(transfer, first, end);
    for (int i = first; i < end; i++)
        RTS_TRY(mail->place != NULL ? rts_exchange_pack(mail, part[i - first].array, &part[i - first].box,
                                                        part[i - first].at - part->at)
                                    : pack(&transfer->part[i], place_of(transfer, &transfer->part[i])));
    if (mail->place != NULL) {
        rts_notice_t notice;
        RTS_TRY(rts_exchange_end(mail, &notice));
        memcpy(place, &notice, sizeof notice);
        bytes = sizeof notice;
    }
    if (part->process == rts_comm_rank())
        return RTS_OK;
    return rts_comm_send(&transfer->flight, part->process, transfer->tag, place, bytes);
}

static rts_status_t start_sending(rts_transfer_t *transfer) {
    for (int first = 0, end; first < transfer->count; first = end) {
        const rts_transfer_part_t *const part = &transfer->part[first];
        rts_device_mail_t mail = {.place = NULL};
        end = end_of(transfer, first);
        if (!part->is_send)
            continue;
        if (part->process != rts_comm_rank() && is_on_device(transfer, first, end))
            RTS_TRY(rts_exchange_begin(part->process, message_bytes(transfer, first, end), &mail));
        RTS_TRY(send_message(transfer, first, end, &mail));
    }
    return RTS_OK;
}

/* What this process sends to itself: in both halves the parts stand in the same order. */
static void copy_own(rts_transfer_t *transfer) {
    const rts_transfer_part_t *first[2] = {NULL, NULL};
    size_t bytes = 0;
    for (int i = transfer->count - 1; i >= 0; i--) {
        const rts_transfer_part_t *part = &transfer->part[i];
        if (part->process != rts_comm_rank())
            continue;
        first[part->is_send] = part;
        bytes += part->is_send ? bytes_of(part) : 0;
    }
    if (bytes > 0)
        memcpy(place_of(transfer, first[false]), place_of(transfer, first[true]), bytes);
}

rts_status_t rts_transfer_start(rts_transfer_t *transfer) {
    RTS_TRY(rts_transfer_prepare(transfer));
    RTS_TRY(start_receiving(transfer));
    RTS_TRY(start_sending(transfer));
    copy_own(transfer);
    return RTS_OK;
}

/* Of a message that is a notice where its length is not that of the values. */
/* A part that came in device memory; what has no array goes where a message through the host would have brought it. */
static rts_status_t unpack_mail(const rts_device_mail_t *mail, const rts_transfer_part_t *part, size_t at,
                                char *place) {
    if (part->array != NULL)
        return rts_exchange_unpack(mail, part->array, &part->box, at, place);
    RTS_TRY(rts_exchange_fetch(mail, part->element_bytes, &part->box, at, place));
    return copy_memory(part, place);
}

static rts_status_t unpack_message(rts_transfer_t *transfer, int first, int end) {
    const rts_transfer_part_t *const part = &transfer->part[first];
    rts_device_mail_t mail = {.place = NULL};
    if (part->process != rts_comm_rank() &&
        rts_comm_arrived(&transfer->flight, part->number) != message_bytes(transfer, first, end)) {
        rts_notice_t notice;
        memcpy(&notice, place_of(transfer, part), sizeof notice);
        RTS_TRY(rts_exchange_come(part->process, &notice, &mail));
    }
    for (int i = first; i < end; i++) {
        char *const place = place_of(transfer, &transfer->part[i]);
        RTS_TRY(mail.place != NULL
                    ? unpack_mail(&mail, &transfer->part[i], transfer->part[i].at - part->at, place)
                    : unpack(&transfer->part[i], place));
    }
    return mail.place != NULL ? rts_exchange_taken(&mail) : RTS_OK;
}

rts_status_t rts_transfer_finish(rts_transfer_t *transfer) {
    RTS_TRY(rts_comm_wait(&transfer->flight));
    for (int first = 0, end; first < transfer->count; first = end) {
        end = end_of(transfer, first);
        if (!transfer->part[first].is_send)
            RTS_TRY(unpack_message(transfer, first, end));
    }
    return RTS_OK;
}

rts_status_t rts_transfer_run(rts_transfer_t *transfer) {
    RTS_TRY(rts_transfer_start(transfer));
    return rts_transfer_finish(transfer);
}
