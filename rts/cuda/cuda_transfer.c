/* Copies across the bus; see the header. Layouts change on the GPU, which does that at the speed of its memory; the host only gathers
 * or scatters contiguous lines between its layout and pinned memory, in pieces, so that it works on one while others are under way. The
 * GPU reads and writes pinned memory itself where a copy engine cannot: then no second buffer is needed there.
 *
 * Where the host's layout is no plain one it has no lines that are elements in order: there the whole buffer goes into pinned memory. */
#include <config.h>

#include "rts/cuda/cuda_transfer.h"

#include "rts/cuda/cuda_copy.h"
#include "rts/cuda/cuda_error.h"
#include "rts/cuda/cuda_lines.h"
#include "rts/cuda/cuda_stream.h"

#include <string.h>

/* A copy smaller than two of these is one piece: starting a piece would take as long as is gained by it. */
#define LEAST_PIECE_BYTES ((size_t)512 << 10)
/* Smaller pieces for smaller copies, so that the host and the bus are soon at work both. */
#define PIECES_OF_COPY 8
/* Shorter lines are faster copied by threads of the GPU than by its copy engines. */
#define ENGINE_LINE_BYTES 512

/* The two ends of a copy between host and device. */
typedef struct transfer {
    rts_cuda_device_t *device;
    bool to_device;
    size_t element_bytes;
    char *host, *memory; /* memory is the device's */
    const rts_layout_t *host_layout, *layout;
    /* From the device: pieces that are in slots or on their way, oldest first. */
    int pending;
    rts_box_t piece[RTS_CUDA_SLOTS];
    rts_cuda_slot_t *slot[RTS_CUDA_SLOTS];
} transfer_t;

typedef rts_status_t (*visit_t)(void *context, const rts_box_t *piece);

/* Elements of a piece, at most; one at least, which fits a slot. */
static rts_index_t piece_size(const rts_box_t *box, size_t element_bytes) {
    size_t bytes = (size_t)rts_box_size(box) * element_bytes / PIECES_OF_COPY;
    if (bytes < LEAST_PIECE_BYTES)
        bytes = LEAST_PIECE_BYTES;
    if (bytes > RTS_CUDA_SLOT_BYTES)
        bytes = RTS_CUDA_SLOT_BYTES;
    return rts_max(1, (rts_index_t)(bytes / element_bytes));
}

/* Cut a box, along the slowest axes of an order, into pieces of at most so many elements. */
static rts_status_t for_pieces(const rts_box_t *box, const int perm[], rts_index_t most, visit_t visit,
                               void *context) {
    const rts_index_t size = rts_box_size(box);
    int place = 0;
    if (size <= most)
        return visit(context, box);
    while (box->hi[perm[place]] - box->lo[perm[place]] == 1)
        place++;
    const int axis = perm[place];
    const rts_index_t of_one = size / (box->hi[axis] - box->lo[axis]), step = rts_max(1, most / of_one);
    for (rts_index_t at = box->lo[axis]; at < box->hi[axis]; at += step) {
        rts_box_t part = *box;
        part.lo[axis] = at;
        part.hi[axis] = rts_min(at + step, box->hi[axis]);
        RTS_TRY(for_pieces(&part, perm, most, visit, context));
    }
    return RTS_OK;
}

/* Whether the copy engines can do it: at most two levels, and lines that are worth it. */
static bool suits_engine(const rts_cuda_lines_t *lines) {
    return lines->levels == 0 ||
           (lines->levels == 1 && lines->line_bytes >= ENGINE_LINE_BYTES &&
            lines->stride_bytes[0] >= (rts_index_t)lines->line_bytes && lines->stride_bytes[0] <= INT32_MAX);
}

/* Between packed memory that the device reaches, in the host's order of axes, and the device's layout. Queued. */
static rts_status_t queue_piece(const transfer_t *transfer, const rts_box_t *piece, char *packed) {
    const rts_cuda_device_t *const device = transfer->device;
    rts_layout_t packed_layout;
    RTS_TRY(rts_layout_plain(piece, transfer->host_layout->perm, 1, &packed_layout));
    if (transfer->layout->kind == RTS_LAYOUT_PLAIN) {
        rts_cuda_lines_t lines;
        rts_cuda_lines_make(transfer->layout, piece, transfer->host_layout->perm, transfer->element_bytes,
                            &lines);
        if (suits_engine(&lines)) {
            char *const place = transfer->memory + lines.start_bytes;
            const size_t pitch = lines.levels == 0 ? lines.line_bytes : (size_t)lines.stride_bytes[0];
            const cudaError_t error =
                cudaMemcpy2DAsync(transfer->to_device ? place : packed,
                                  transfer->to_device ? pitch : lines.line_bytes,
                                  transfer->to_device ? packed : place,
                                  transfer->to_device ? lines.line_bytes : pitch, lines.line_bytes,
                                  lines.line_count, cudaMemcpyDefault, device->stream);
            RTS_CUDA_TRY(error, device->gpu, "a copy between host and device");
            return RTS_OK;
        }
    }
    const rts_copy_job_t job = {.element_bytes = transfer->element_bytes,
                                .box = *piece,
                                .source = transfer->to_device ? packed : transfer->memory,
                                .target = transfer->to_device ? transfer->memory : packed,
                                .source_layout = transfer->to_device ? &packed_layout : transfer->layout,
                                .target_layout = transfer->to_device ? transfer->layout : &packed_layout};
    return rts_cuda_copy_box(device->gpu, device->stream, &job);
}

/* ---- through slots ---- */

static void copy_on_host(const transfer_t *transfer, const rts_box_t *piece, char *packed) {
    rts_cuda_lines_t lines;
    rts_cuda_lines_make(transfer->host_layout, piece, transfer->host_layout->perm, transfer->element_bytes,
                        &lines);
    rts_cuda_lines_copy(&lines, transfer->host, packed, transfer->to_device, rts_cuda_thread_count());
}

static rts_status_t send_piece(void *context, const rts_box_t *piece) {
    transfer_t *const transfer = context;
    rts_cuda_slot_t *slot = NULL;
    RTS_TRY(rts_cuda_slot_take(transfer->device, &slot));
    copy_on_host(transfer, piece, slot->memory);
    RTS_TRY(queue_piece(transfer, piece, slot->memory));
    return rts_cuda_slot_queued(transfer->device, slot);
}

static rts_status_t finish_oldest(transfer_t *transfer) {
    RTS_TRY(rts_cuda_slot_wait(transfer->device, transfer->slot[0]));
    copy_on_host(transfer, &transfer->piece[0], transfer->slot[0]->memory);
    transfer->pending--;
    memmove(transfer->piece, transfer->piece + 1, (size_t)transfer->pending * sizeof transfer->piece[0]);
    memmove(transfer->slot, transfer->slot + 1, (size_t)transfer->pending * sizeof transfer->slot[0]);
    return RTS_OK;
}

static rts_status_t receive_piece(void *context, const rts_box_t *piece) {
    transfer_t *const transfer = context;
    rts_cuda_slot_t *slot = NULL;
    if (transfer->pending == RTS_CUDA_SLOTS) /* the next slot is that of the oldest piece */
        RTS_TRY(finish_oldest(transfer));
    RTS_TRY(rts_cuda_slot_take(transfer->device, &slot));
    RTS_TRY(queue_piece(transfer, piece, slot->memory));
    RTS_TRY(rts_cuda_slot_queued(transfer->device, slot));
    transfer->piece[transfer->pending] = *piece;
    transfer->slot[transfer->pending++] = slot;
    return RTS_OK;
}

static rts_status_t go_through_slots(transfer_t *transfer, const rts_box_t *box) {
    RTS_TRY(for_pieces(box, transfer->host_layout->perm, piece_size(box, transfer->element_bytes),
                       transfer->to_device ? send_piece : receive_piece, transfer));
    while (transfer->pending > 0)
        RTS_TRY(finish_oldest(transfer));
    return RTS_OK;
}

/* ---- without slots ---- */

/* Memory that copy engines reach: the program's own pinned memory. What is pageable the driver would stage, with one thread. */
static bool is_pinned(const void *memory) {
    struct cudaPointerAttributes attributes;
    const cudaError_t error = cudaPointerGetAttributes(&attributes, memory);
    (void)cudaGetLastError();
    return error == cudaSuccess && attributes.type == cudaMemoryTypeHost;
}

/* One line on either side, no staging. Waits, because the program's memory would be read after the call. */
static rts_status_t go_directly(const transfer_t *transfer, const rts_cuda_lines_t *host,
                                const rts_cuda_lines_t *lines) {
    const rts_cuda_device_t *const device = transfer->device;
    char *const here = transfer->host + host->start_bytes, *const there =
                                                               transfer->memory + lines->start_bytes;
    RTS_CUDA_TRY(cudaMemcpyAsync(transfer->to_device ? there : here, transfer->to_device ? here : there,
                                 lines->line_bytes, cudaMemcpyDefault, device->stream),
                 device->gpu, "a copy between host and device");
    return rts_cuda_stream_wait(transfer->device);
}

/* Through pinned memory for the host's whole buffer, which the GPU reads or writes in the host's layout. */
static rts_status_t go_through_image(const transfer_t *transfer, const rts_copy_job_t *job) {
    const rts_cuda_device_t *const device = transfer->device;
    const size_t bytes = (size_t)transfer->host_layout->size * transfer->element_bytes;
    const rts_cuda_lines_t whole = {.line_bytes = bytes, .line_count = 1};
    rts_copy_job_t imaged = *job;
    void *image = NULL;
    RTS_CUDA_TRY(cudaHostAlloc(&image, bytes, cudaHostAllocDefault), device->gpu,
                 "allocating pinned host memory");
    rts_cuda_lines_copy(&whole, transfer->host, image, true, rts_cuda_thread_count());
    imaged.source = transfer->to_device ? image : job->source;
    imaged.target = transfer->to_device ? job->target : image;
    rts_status_t status = rts_cuda_copy_box(device->gpu, device->stream, &imaged);
    if (status == RTS_OK)
        status = rts_cuda_stream_wait(transfer->device);
    if (status == RTS_OK && !transfer->to_device)
        rts_cuda_lines_copy(&whole, transfer->host, image, false, rts_cuda_thread_count());
    if (!rts_cuda_is_broken())
        (void)cudaFreeHost(image);
    return status;
}

static rts_status_t go(transfer_t *transfer, const rts_copy_job_t *job) {
    if (transfer->host_layout->kind != RTS_LAYOUT_PLAIN || job->element_bytes > RTS_CUDA_SLOT_BYTES)
        return go_through_image(transfer, job);
    if (transfer->layout->kind == RTS_LAYOUT_PLAIN) {
        rts_cuda_lines_t host, lines;
        const int *const perm = transfer->host_layout->perm;
        rts_cuda_lines_make(transfer->host_layout, &job->box, perm, job->element_bytes, &host);
        rts_cuda_lines_make(transfer->layout, &job->box, perm, job->element_bytes, &lines);
        if (host.levels == 0 && lines.levels == 0 && is_pinned(transfer->host + host.start_bytes))
            return go_directly(transfer, &host, &lines);
    }
    return go_through_slots(transfer, &job->box);
}

rts_status_t rts_cuda_to_device(rts_cuda_device_t *device, const rts_copy_job_t *job) {
    transfer_t transfer = {.device = device,
                           .to_device = true,
                           .element_bytes = job->element_bytes,
                           .host = (char *)(uintptr_t)job->source,
                           .memory = job->target,
                           .host_layout = job->source_layout,
                           .layout = job->target_layout};
    return go(&transfer, job);
}

rts_status_t rts_cuda_to_host(rts_cuda_device_t *device, const rts_copy_job_t *job) {
    transfer_t transfer = {.device = device,
                           .to_device = false,
                           .element_bytes = job->element_bytes,
                           .host = job->target,
                           .memory = (char *)(uintptr_t)job->source,
                           .host_layout = job->target_layout,
                           .layout = job->source_layout};
    return go(&transfer, job);
}

/* ---- between GPUs ---- */

typedef struct passage {
    rts_cuda_device_t *source, *target;
    const rts_copy_job_t *job;
} passage_t;

/* Out of one GPU into a slot and out of it into the other. */
static rts_status_t pass_piece(void *context, const rts_box_t *piece) {
    const passage_t *const passage = context;
    rts_copy_job_t out = *passage->job, in = *passage->job;
    rts_layout_t packed;
    rts_cuda_slot_t *slot = NULL;
    RTS_TRY(rts_layout_plain(piece, out.source_layout->perm, 1, &packed));
    RTS_TRY(rts_cuda_slot_take(passage->target, &slot));
    out.box = in.box = *piece;
    out.target = slot->memory;
    out.target_layout = in.source_layout = &packed;
    in.source = slot->memory;
    RTS_TRY(rts_cuda_copy_box(passage->source->gpu, passage->source->stream, &out));
    RTS_TRY(rts_cuda_stream_order(passage->source, passage->target));
    RTS_TRY(rts_cuda_copy_box(passage->target->gpu, passage->target->stream, &in));
    return rts_cuda_slot_queued(passage->target, slot);
}

rts_status_t rts_cuda_between(rts_cuda_device_t *source, rts_cuda_device_t *target,
                              const rts_copy_job_t *job) {
    passage_t passage = {source, target, job};
    if (rts_cuda_reaches(target, source)) {
        RTS_TRY(rts_cuda_stream_order(source, target));
        RTS_TRY(rts_cuda_copy_box(target->gpu, target->stream, job));
        return rts_cuda_stream_order(target, source); /* before the source is written again */
    }
    if (job->element_bytes > RTS_CUDA_SLOT_BYTES)
        return rts_fail(RTS_ERR_UNSUPPORTED,
                        "elements of %zu bytes between GPUs that do not reach each other",
                        job->element_bytes);
    return for_pieces(&job->box, job->source_layout->perm, piece_size(&job->box, job->element_bytes),
                      pass_piece, &passage);
}
