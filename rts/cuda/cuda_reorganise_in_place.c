/* Reorganisation of a buffer in itself: square planes whose axes change places, and columns of wraps that rotate. What other pairs of layouts
 * would need is decided nowhere: they are not supported. */
#include <config.h>

#include "rts/cuda/cuda_copy.h"
#include "rts/cuda/cuda_error.h"
#include "rts/cuda/cuda_reorganise_kernels.h"

/** Tiles of all square planes that the kernel can count, 32 elements on a side. */
#define MAX_TILES INT32_MAX
#define TILE_SIDE 32

static rts_index_t extent_of(const rts_layout_t *layout, int axis) {
    return layout->box.hi[axis] - layout->box.lo[axis];
}

static void set_planes(const rts_layout_t *layout, const void *buffer, size_t element_bytes, int p, int q,
                       rts_planes_t *planes) {
    const uint64_t bits = (uint64_t)element_bytes | (uint64_t)(uintptr_t)buffer | 16;
    *planes = (rts_planes_t){.word_bytes = (int)(bits & (~bits + 1)), .count = 1};
    planes->parts = (int64_t)element_bytes / planes->word_bytes;
    planes->rows = extent_of(layout, p);
    planes->columns = extent_of(layout, q);
    planes->row_step = layout->stride[p] * planes->parts;
    for (int axis = 0; axis < layout->box.rank; axis++) {
        if (axis == p || axis == q || extent_of(layout, axis) == 1)
            continue;
        planes->extent[planes->axis_count] = extent_of(layout, axis);
        planes->step[planes->axis_count++] = layout->stride[axis] * planes->parts;
        planes->count *= extent_of(layout, axis);
    }
}

static rts_status_t unsupported(void) {
    return rts_fail(RTS_ERR_UNSUPPORTED, "these layouts are not reorganised in place");
}

rts_status_t rts_cuda_reorganise_in_place(int cuda_device, void *stream, size_t element_bytes, void *buffer,
                                          const rts_layout_t *from, const rts_layout_t *to) {
    rts_planes_t planes;
    int p, q, error;
    if (!rts_box_equal(&from->box, &to->box))
        return unsupported();
    if (from->size == 0 || rts_layout_equal(from, to))
        return RTS_OK;
    RTS_CUDA_TRY(cudaSetDevice(cuda_device), cuda_device, "choosing a device");
    if (rts_layout_is_transposed(from, to, &p, &q)) {
        set_planes(from, buffer, element_bytes, p, q, &planes);
        const int64_t tiles = rts_div_up(planes.rows, TILE_SIDE);
        if (tiles > MAX_TILES / tiles || tiles * tiles > MAX_TILES / planes.count)
            return unsupported();
        error = rts_square_launch(&planes, buffer, stream);
    } else if (rts_layout_is_wrap_of(from, to) || rts_layout_is_wrap_of(to, from)) {
        const bool to_wrap = to->kind == RTS_LAYOUT_WRAP;
        const rts_layout_t *const wrap = to_wrap ? to : from;
        p = wrap->perm[wrap->box.rank - 2];
        q = wrap->perm[wrap->box.rank - 1];
        set_planes(wrap, buffer, element_bytes, p, q, &planes);
        planes.row_step = wrap->pitch * planes.parts;
        planes.turn = to_wrap ? -wrap->c : wrap->c; /* element i_p is in row i_p + b * i_q + c of the wrap */
        planes.slope = to_wrap ? -wrap->b : wrap->b;
        error = rts_rotate_launch(&planes, buffer, stream);
    } else {
        return unsupported();
    }
    RTS_CUDA_TRY((cudaError_t)error, cuda_device, "reorganising in place");
    return RTS_OK;
}
