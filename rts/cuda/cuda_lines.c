/* Lines of a box; see the header. Threads divide the bytes, not the lines, so that one long line and many short ones are shared alike. */
#include <config.h>

#include "rts/cuda/cuda_lines.h"

#include <string.h>

/* Bytes that one thread copies while the others would be starting, and what a short line costs all the same: it is in memory of its own. */
#define BYTES_OF_ONE_THREAD ((size_t)512 << 10)
#define BYTES_OF_LINE       128

void rts_cuda_lines_make(const rts_layout_t *layout, const rts_box_t *box, const int perm[],
                         size_t element_bytes, rts_cuda_lines_t *lines_p) {
    const rts_index_t element = (rts_index_t)element_bytes;
    rts_cuda_lines_t lines = {.line_bytes = element_bytes, .line_count = 1};
    lines.start_bytes = rts_layout_offset(layout, box->lo) * element;
    for (int place = box->rank - 1; place >= 0; place--) {
        const int axis = perm[place], last = lines.levels - 1;
        const rts_index_t extent = box->hi[axis] - box->lo[axis], stride = layout->stride[axis] * element;
        if (extent == 1)
            continue;
        if (lines.levels == 0 && stride == (rts_index_t)lines.line_bytes) {
            lines.line_bytes *= (size_t)extent;
            continue;
        }
        lines.line_count *= (size_t)extent;
        if (lines.levels > 0 && stride == lines.stride_bytes[last] * lines.count[last]) {
            lines.count[last] *= extent;
            continue;
        }
        lines.count[lines.levels] = extent;
        lines.stride_bytes[lines.levels++] = stride;
    }
    *lines_p = lines;
}

/* Bytes [begin, end) of the packed memory. */
static void copy_part(const rts_cuda_lines_t *lines, char *buffer, char *packed, bool to_packed, size_t begin,
                      size_t end) {
    rts_index_t index[RTS_MAX_RANK] = {0}, at = lines->start_bytes;
    size_t line = begin / lines->line_bytes, inside = begin % lines->line_bytes;
    for (int level = 0; level < lines->levels; level++) {
        index[level] = (rts_index_t)(line % (size_t)lines->count[level]);
        line /= (size_t)lines->count[level];
        at += index[level] * lines->stride_bytes[level];
    }
    while (begin < end) {
        const size_t rest = lines->line_bytes - inside, bytes = rest < end - begin ? rest : end - begin;
        char *const place = buffer + at + inside;
        if (to_packed)
            memcpy(packed + begin, place, bytes);
        else
            memcpy(place, packed + begin, bytes);
        begin += bytes;
        inside = 0;
        for (int level = 0; level < lines->levels; level++) {
            at += lines->stride_bytes[level];
            if (++index[level] < lines->count[level])
                break;
            at -= lines->stride_bytes[level] * lines->count[level];
            index[level] = 0;
        }
    }
}

void rts_cuda_lines_copy(const rts_cuda_lines_t *lines, void *buffer, char *packed, bool to_packed,
                         int thread_count) {
    const size_t bytes = lines->line_bytes * lines->line_count, by_lines = lines->line_count * BYTES_OF_LINE;
    /* All or one: teams of changing sizes make OpenMP libraries end threads and start new ones. */
    const int threads = bytes < BYTES_OF_ONE_THREAD && by_lines < BYTES_OF_ONE_THREAD ? 1 : thread_count;
    if (threads == 1) {
        copy_part(lines, buffer, packed, to_packed, 0, bytes);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int thread = 0; thread < threads; thread++)
        copy_part(lines, buffer, packed, to_packed, bytes / (size_t)threads * (size_t)thread,
                  thread + 1 < threads ? bytes / (size_t)threads * (size_t)(thread + 1) : bytes);
}
