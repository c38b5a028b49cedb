/* Standard input and output: distributed arrays as blocks of files. A file holds elements in C order of their indices, from the first on,
 * whatever the process grid: what one grid writes another reads.
 *
 * Global files: pieces of DVMH_IO_BUF_SIZE are collected in the I/O process and written, or read there and given to all that own them.
 * Parallel files, from DVMH_PARALLEL_IO_THRES on: every process has a piece, one behind the other, and accesses the file itself. Local
 * files have what their process owns of the block. */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "compiler-hooks/hooks_object.h"
#include "compiler-hooks/hooks_stdio.h"
#include "rts/coherence.h"
#include "rts/coherence_values.h"
#include "rts/collect.h"
#include "rts/comm.h"
#include "rts/memory.h"
#include "rts/runtime.h"

/* A block of `elements` elements of an array, as the program asks for it. */
typedef struct block {
    const char *entry_point;
    hooks_file_t *file;
    rts_array_t *array;
    size_t element_bytes;
    rts_index_t elements;
} block_t;

static size_t bytes_of(const block_t *block, rts_index_t elements) {
    return (size_t)elements * block->element_bytes;
}

/* Check what the program asks for. Nothing to do: no elements. */
static block_t read_block(const char *entry_point, const DvmType header[], size_t size, size_t count,
                          FILE *handle) {
    block_t block = {.entry_point = entry_point, .file = hooks_file_of(entry_point, handle)};
    size_t wanted;
    hooks_need_serial(entry_point); /* also for local files: the array is common */
    block.array = hooks_array(entry_point, header);
    if (!block.array->is_distributed)
        hooks_error(entry_point, "the array is not distributed");
    block.element_bytes = block.array->element.bytes;
    const size_t bytes = bytes_of(&block, rts_box_size(&block.array->space));
    if (__builtin_mul_overflow(size, count, &wanted) || wanted > bytes)
        hooks_error(entry_point, "%zu items of %zu bytes are more than the array's %zu bytes", count, size,
                    bytes);
    if (wanted % block.element_bytes != 0)
        hooks_error(entry_point, "%zu items of %zu bytes are no whole number of elements of %zu bytes", count,
                    size, block.element_bytes);
    block.elements = (rts_index_t)(wanted / block.element_bytes);
    return block;
}

static void require(const block_t *block, rts_status_t status) {
    if (status != RTS_OK)
        hooks_end(block->entry_point);
}

/* Newest values at home; before reading there alone. Elements that a short file does not reach keep their values. */
static void settle(const block_t *block, bool is_read) {
    require(block, rts_coherence_fetch(block->array, 0, NULL));
    if (is_read)
        require(block, rts_coherence_written(block->array, 0, NULL));
}

/* Elements of a piece; as many in every process. */
static rts_index_t piece_of(const block_t *block, rts_index_t elements) {
    const rts_index_t room = rts_runtime()->environment.io_buffer_bytes / (rts_index_t)block->element_bytes;
    return rts_max(1, rts_min(room, elements));
}

static char *open_buffer(const block_t *block, rts_index_t elements) {
    char *const buffer = rts_alloc(bytes_of(block, elements));
    if (buffer == NULL)
        hooks_error(block->entry_point, "no memory for %zu bytes of the file", bytes_of(block, elements));
    return buffer;
}

/* Free it and leave errno alone: that is a result. */
static void close_buffer(char *buffer) {
    const int error = errno;
    rts_free(buffer);
    errno = error;
}

/* --- global files --- */

/* @param wanted  whether the result of the last piece is shared too @return bytes, in the I/O process or shared */
static size_t write_global(const block_t *block, bool wanted) {
    rts_collect_t part = {.array = block->array, .collectors = 1, .piece = piece_of(block, block->elements)};
    char *const buffer = hooks_is_io_process() ? open_buffer(block, part.piece) : NULL;
    size_t written = 0;
    bool is_good = true;
    for (; part.first < block->elements && is_good; part.first = part.end) {
        part.end = rts_min(part.first + part.piece, block->elements);
        require(block, rts_collect_gather(&part, buffer));
        if (buffer != NULL)
            written += fwrite(buffer, 1, bytes_of(block, part.end - part.first), block->file->stream);
        if (wanted || part.end < block->elements)
            written = (size_t)hooks_file_share(block->entry_point, block->file, (int64_t)written);
        is_good = written == bytes_of(block, part.end);
    }
    close_buffer(buffer);
    return written;
}

/* An element of which the file has only a part is not set. */
static size_t read_global(const block_t *block) {
    rts_collect_t part = {.array = block->array, .collectors = 1, .piece = piece_of(block, block->elements)};
    char *const buffer = hooks_is_io_process() ? open_buffer(block, part.piece) : NULL;
    size_t got = 0;
    bool is_good = true;
    for (; part.first < block->elements && is_good; part.first = part.end) {
        part.end = rts_min(part.first + part.piece, block->elements);
        if (buffer != NULL)
            got += fread(buffer, 1, bytes_of(block, part.end - part.first), block->file->stream);
        got = (size_t)hooks_file_share(block->entry_point, block->file, (int64_t)got);
        is_good = got == bytes_of(block, part.end);
        part.end = (rts_index_t)(got / block->element_bytes);
        const int error = errno;
        require(block, rts_collect_scatter(&part, buffer));
        errno = error;
    }
    close_buffer(buffer);
    return got;
}

/* --- parallel files --- */

static size_t transfer_parallel(const block_t *block, bool is_read) {
    const int processes = rts_comm_size();
    const rts_index_t share = (block->elements + processes - 1) / processes;
    rts_collect_t part = {.array = block->array, .collectors = processes, .piece = piece_of(block, share)};
    const int64_t place = hooks_parallel_begin(block->entry_point, block->file);
    hooks_extent_t extent = {.is_full = true};
    if (place < 0)
        return 0;
    char *const buffer = open_buffer(block, part.piece);
    size_t done = 0;
    for (; part.first < block->elements && extent.is_full; part.first = part.end) {
        rts_index_t first;
        part.end = rts_min(part.first + part.piece * processes, block->elements);
        const size_t bytes = bytes_of(block, rts_collect_range(&part, rts_comm_rank(), &first));
        const int64_t at = place + (int64_t)bytes_of(block, first);
        if (!is_read)
            require(block, rts_collect_gather(&part, buffer));
        extent = is_read ? hooks_parallel_read(block->entry_point, block->file, buffer, bytes, at)
                         : hooks_parallel_write(block->entry_point, block->file, buffer, bytes, at);
        done += (size_t)extent.bytes;
        if (!is_read)
            continue;
        rts_collect_t got = part;
        got.end = part.first + extent.bytes / (rts_index_t)block->element_bytes;
        require(block, rts_collect_scatter(&got, buffer));
    }
    extent.bytes = (int64_t)done;
    close_buffer(buffer);
    hooks_parallel_end(block->entry_point, block->file, place, extent);
    return done;
}

static bool goes_parallel(const block_t *block) {
    return block->file->is_parallel &&
           (int64_t)bytes_of(block, block->elements) >= rts_runtime()->environment.parallel_io_bytes;
}

/* --- local files --- */

/* A box of this process's elements to the file. @return bytes */
static size_t write_box(const block_t *block, const rts_box_t *box, char *buffer) {
    require(block, rts_coherence_read(block->array, box, buffer));
    return fwrite(buffer, 1, bytes_of(block, rts_box_size(box)), block->file->stream);
}

/* And from the file, as many elements as it has. @return bytes */
static size_t read_box(const block_t *block, const rts_box_t *box, char *buffer) {
    const size_t got = fread(buffer, 1, bytes_of(block, rts_box_size(box)), block->file->stream);
    const rts_index_t end = (rts_index_t)(got / block->element_bytes);
    rts_box_t part;
    for (rts_index_t first = 0; first < end; first += rts_box_size(&part)) {
        part = rts_box_run(box, first, end);
        require(block, rts_coherence_write(block->array, &part, buffer + bytes_of(block, first)));
    }
    return got;
}

/* What this process owns of one box of the block, piece by piece. @return whether all of it was moved */
static bool transfer_box(const block_t *block, const rts_box_t *box, char *buffer, rts_index_t room,
                         bool is_read, size_t *bytes_p) {
    const rts_index_t size = rts_box_size(box);
    rts_box_t piece;
    for (rts_index_t at = 0; at < size; at += rts_box_size(&piece)) {
        piece = rts_box_run(box, at, rts_min(size, at + room));
        const size_t moved = is_read ? read_box(block, &piece, buffer) : write_box(block, &piece, buffer);
        *bytes_p += moved;
        if (moved < bytes_of(block, rts_box_size(&piece)))
            return false;
    }
    return true;
}

/* @return items of the block: all when everything that this process owns of it was moved, else those that fit into what was moved */
static size_t transfer_local(const block_t *block, size_t size, size_t count, bool is_read) {
    const rts_index_t room = piece_of(block, block->elements);
    char *const buffer = open_buffer(block, room);
    size_t bytes = 0;
    bool is_good = true;
    rts_box_t run;
    for (rts_index_t at = 0; at < block->elements && is_good; at += rts_box_size(&run)) {
        run = rts_box_run(&block->array->space, at, block->elements);
        const rts_box_t part = rts_box_intersect(&run, &block->array->local);
        is_good = transfer_box(block, &part, buffer, room, is_read, &bytes);
    }
    close_buffer(buffer);
    return is_good ? count : bytes / size;
}

/* --- arrays that are whole here, with home in the order of files --- */

static size_t write_whole(const block_t *block, bool wanted) {
    const size_t bytes = bytes_of(block, block->elements);
    size_t written = 0;
    if (hooks_file_is_mine(block->file))
        written = fwrite(block->array->home.buffer, 1, bytes, block->file->stream);
    return wanted ? (size_t)hooks_file_share(block->entry_point, block->file, (int64_t)written) : written;
}

static size_t read_whole(const block_t *block) {
    const size_t bytes = bytes_of(block, block->elements);
    size_t got = 0;
    if (hooks_file_is_mine(block->file))
        got = fread(block->array->home.buffer, 1, bytes, block->file->stream);
    got = (size_t)hooks_file_share(block->entry_point, block->file, (int64_t)got);
    hooks_file_share_data(block->entry_point, block->file, block->array->home.buffer, got);
    return got;
}

/* --- entry points --- */

static size_t read_array(const char *entry_point, DvmType header[], size_t size, size_t count, FILE *handle) {
    const block_t block = read_block(entry_point, header, size, count, handle);
    if (block.elements == 0)
        return 0;
    settle(&block, true);
    if (rts_collect_is_everywhere(block.array))
        return read_whole(&block) / size;
    if (block.file->is_local)
        return transfer_local(&block, size, count, true);
    return (goes_parallel(&block) ? transfer_parallel(&block, true) : read_global(&block)) / size;
}

static size_t write_array(const char *entry_point, const DvmType header[], size_t size, size_t count,
                          FILE *handle, bool wanted) {
    const block_t block = read_block(entry_point, header, size, count, handle);
    if (block.elements == 0)
        return 0;
    settle(&block, false);
    if (rts_collect_is_everywhere(block.array))
        return write_whole(&block, wanted) / size;
    if (block.file->is_local)
        return transfer_local(&block, size, count, false);
    return (goes_parallel(&block) ? transfer_parallel(&block, false) : write_global(&block, wanted)) / size;
}

HOOKS_API size_t dvmh_fread_distrib(DvmType header[], size_t size, size_t count, FILE *file) {
    return read_array(__func__, header, size, count, file);
}

HOOKS_API void dvmh_void_fread_distrib(DvmType header[], size_t size, size_t count, FILE *file) {
    read_array(__func__, header, size, count, file);
}

HOOKS_API size_t dvmh_fwrite_distrib(const DvmType header[], size_t size, size_t count, FILE *file) {
    return write_array(__func__, header, size, count, file, true);
}

HOOKS_API void dvmh_void_fwrite_distrib(const DvmType header[], size_t size, size_t count, FILE *file) {
    write_array(__func__, header, size, count, file, false);
}
