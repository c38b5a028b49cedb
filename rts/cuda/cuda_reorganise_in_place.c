/* Reorganisation of a buffer in itself: finds square planes whose axes change places, and columns of wraps that rotate. What other pairs
 * of layouts would need is decided nowhere: they are not supported. */
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

/** Whether `to` is `from` with the places of two axes of one extent exchanged, the fastest among them. */
static bool find_square(const rts_layout_t *from, const rts_layout_t *to, int *p_p, int *q_p) {
    int moved[2], count = 0;
    if (from->kind != RTS_LAYOUT_PLAIN || to->kind != RTS_LAYOUT_PLAIN)
        return false;
    for (int axis = 0; axis < from->box.rank; axis++) {
        if (from->stride[axis] == to->stride[axis])
            continue;
        if (count == 2)
            return false;
        moved[count++] = axis;
    }
    if (count != 2 || from->stride[moved[0]] != to->stride[moved[1]] ||
        from->stride[moved[1]] != to->stride[moved[0]] ||
        extent_of(from, moved[0]) != extent_of(from, moved[1]))
        return false;
    *q_p = from->stride[moved[0]] == 1 ? moved[0] : moved[1];
    *p_p = moved[0] + moved[1] - *q_p;
    return from->stride[*q_p] == 1;
}

/** Whether one is plain and the other a wrap of the same rows. */
static bool find_wrap(const rts_layout_t *plain, const rts_layout_t *wrap) {
    const int rank = plain->box.rank;
    if (plain->kind != RTS_LAYOUT_PLAIN || wrap->kind != RTS_LAYOUT_WRAP || wrap->a != 1 ||
        plain->pitch != wrap->pitch)
        return false;
    const int p = wrap->perm[rank - 2], q = wrap->perm[rank - 1];
    for (int axis = 0; axis < rank; axis++)
        if (axis != p && axis != q && extent_of(plain, axis) > 1 && plain->stride[axis] != wrap->stride[axis])
            return false;
    return (plain->stride[q] == 1 || extent_of(plain, q) == 1) &&
           (plain->stride[p] == plain->pitch || extent_of(plain, p) == 1) &&
           wrap->rows == extent_of(plain, p);
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
    if (find_square(from, to, &p, &q)) {
        set_planes(from, buffer, element_bytes, p, q, &planes);
        const int64_t tiles = rts_div_up(planes.rows, TILE_SIDE);
        if (tiles > MAX_TILES / tiles || tiles * tiles > MAX_TILES / planes.count)
            return unsupported();
        error = rts_square_launch(&planes, buffer, stream);
    } else if (find_wrap(from, to) || find_wrap(to, from)) {
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
