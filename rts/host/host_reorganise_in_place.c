/* Reorganisation inside one buffer, where shapes allow: square planes are exchanged tile against tile, and between plain and
 * wrap every column of a plane rotates. */
#include <config.h>

#include "rts/host/host_reorganise.h"

#include "rts/memory.h"

#include <stdatomic.h>
#include <string.h>

/** A tile's side in bytes; two tiles stand in buffers. */
#define TILE_BYTES 512
#define TILE_ROWS  64
/** Bytes of columns that rotate together, at most; their scratch should fit the second level cache. */
#define COLUMN_BYTES  256
#define SCRATCH_BYTES 524288
/** Rows rotated in one call of a kernel, and elements of a column block, at most. */
#define CHUNK_ROWS 512
#define TEAM_BYTES ((int64_t)1 << 20)

/** The planes of a buffer, all alike. Steps in bytes. */
typedef struct planes {
    char *buffer;
    size_t element_bytes;
    rts_index_t rows, columns, row_step, column_step; /* square: both axes; wrap: i_p and i_q */
    int axis_count;                                   /* the others */
    rts_index_t extent[RTS_MAX_RANK], step[RTS_MAX_RANK];
    rts_index_t plane_count;
    /* wrap: source row of row r in column x is (r * sign + slope * x + shift) modulo rows */
    int slope;
    rts_index_t shift;
    rts_index_t block; /* columns */
    char *scratch;     /* one a thread */
    size_t scratch_bytes;
    reorg_fill_fn_t transpose, shear;
    _Atomic rts_index_t next;
} planes_t;

static char *plane_start(const planes_t *planes, rts_index_t number) {
    char *start = planes->buffer;
    for (int i = planes->axis_count - 1; i >= 0; i--) {
        start += number % planes->extent[i] * planes->step[i];
        number /= planes->extent[i];
    }
    return start;
}

static void set_planes(const rts_layout_t *layout, void *buffer, size_t element_bytes, int p, int q,
                       planes_t *planes) {
    const rts_index_t bytes = (rts_index_t)element_bytes;
    *planes = (planes_t){.buffer = buffer, .element_bytes = element_bytes, .plane_count = 1};
    planes->rows = layout->box.hi[p] - layout->box.lo[p];
    planes->columns = layout->box.hi[q] - layout->box.lo[q];
    planes->row_step = layout->stride[p] * bytes;
    planes->column_step = layout->stride[q] * bytes;
    for (int axis = 0; axis < layout->box.rank; axis++) {
        if (axis == p || axis == q)
            continue;
        planes->extent[planes->axis_count] = layout->box.hi[axis] - layout->box.lo[axis];
        planes->step[planes->axis_count] = layout->stride[axis] * bytes;
        planes->plane_count *= planes->extent[planes->axis_count++];
    }
    planes->transpose = rts_reorg_kernels(element_bytes).transpose;
    planes->shear = rts_reorg_kernels(element_bytes).shear;
    atomic_init(&planes->next, 0);
}

/* ---- square planes ---- */

static void load_tile(const planes_t *planes, const char *from, rts_index_t nx, rts_index_t ny, char *to,
                      rts_index_t to_step) {
    rts_index_t rows[TILE_ROWS];
    for (rts_index_t x = 0; x < nx; x++)
        rows[x] = x * planes->row_step;
    const reorg_fill_t fill = {.to = to,
                               .to_step = to_step,
                               .from = from,
                               .rows = rows,
                               .nx = nx,
                               .ny = ny,
                               .element_bytes = planes->element_bytes};
    planes->transpose(&fill);
}

static void store_tile(const planes_t *planes, char *to, const char *from, rts_index_t from_step,
                       rts_index_t rows, rts_index_t columns) {
    for (rts_index_t row = 0; row < rows; row++)
        memcpy(to + row * planes->row_step, from + row * from_step, (size_t)columns * planes->element_bytes);
}

/** The side of a tile in elements. */
static rts_index_t tile_side(const planes_t *planes) {
    return rts_max(rts_min(TILE_BYTES / (rts_index_t)planes->element_bytes, TILE_ROWS), 1);
}

/** Tiles (i, j) and (j, i), j >= i, of one row of tiles. */
static void exchange_tiles(const planes_t *planes, char *plane, rts_index_t i, char *buffers[2]) {
    const rts_index_t bytes = (rts_index_t)planes->element_bytes, side = tile_side(planes);
    const rts_index_t height = rts_min(side, planes->rows - i), step = side * bytes;
    for (rts_index_t j = i; j < planes->rows; j += side) {
        const rts_index_t width = rts_min(side, planes->rows - j);
        char *const upper = plane + i * planes->row_step + j * bytes;
        char *const lower = plane + j * planes->row_step + i * bytes;
        const rts_index_t ahead = j + side < planes->rows ? side : 0;
        for (rts_index_t row = 0; row < side && ahead > 0; row++) {
            const char *const right = upper + ahead * bytes + rts_min(row, height - 1) * planes->row_step;
            const char *const below =
                lower + (ahead + rts_min(row, planes->rows - j - ahead - 1)) * planes->row_step;
            for (rts_index_t at = 0; at < step; at += REORG_LINE) {
                __builtin_prefetch(right + at, 1);
                __builtin_prefetch(below + at, 1);
            }
        }
        load_tile(planes, upper, height, width, buffers[0], step);
        if (j > i)
            load_tile(planes, lower, width, height, buffers[1], step);
        store_tile(planes, lower, buffers[0], step, width, height);
        if (j > i)
            store_tile(planes, upper, buffers[1], step, height, width);
    }
}

static int64_t square_work(void *state, int thread, int team) {
    planes_t *const planes = state;
    const rts_index_t side = tile_side(planes), tiles = rts_div_up(planes->rows, side);
    char *buffers[2];
    (void)team;
    buffers[0] = planes->scratch + (size_t)thread * planes->scratch_bytes;
    buffers[1] = buffers[0] + planes->scratch_bytes / 2;
    for (;;) {
        const rts_index_t item = atomic_fetch_add_explicit(&planes->next, 1, memory_order_relaxed);
        if (item >= planes->plane_count * tiles)
            return 0;
        exchange_tiles(planes, plane_start(planes, item / tiles), item % tiles * side, buffers);
    }
}

/* ---- plain and wrap ---- */

/** Rotate columns [x, x + nx) of a plane: all rows to the scratch, and back from where they belong. */
static void rotate_columns(const planes_t *planes, char *plane, rts_index_t x, rts_index_t nx,
                           char *scratch) {
    const rts_index_t bytes = (rts_index_t)planes->element_bytes, width = nx * bytes, rows = planes->rows;
    rts_index_t table[CHUNK_ROWS + 2 * COLUMN_BYTES];
    char *const block = plane + x * bytes;
    for (rts_index_t row = 0; row < rows; row++) {
        __builtin_prefetch(block + rts_min(row + 16, rows - 1) * planes->row_step, 1);
        memcpy(scratch + row * width, block + row * planes->row_step, (size_t)width);
    }
    const rts_index_t reach = (planes->slope < 0 ? -planes->slope : planes->slope) * (nx - 1);
    const rts_index_t first = planes->slope < 0 ? reach : 0;
    for (rts_index_t y = 0; y < rows; y += CHUNK_ROWS) {
        const rts_index_t ny = rts_min(CHUNK_ROWS, rows - y);
        rts_index_t row = (y + planes->shift + planes->slope * x - first) % rows;
        row += row < 0 ? rows : 0;
        for (rts_index_t i = 0; i < ny + reach; i++) {
            table[i] = row * width;
            row = row + 1 < rows ? row + 1 : 0;
        }
        const reorg_fill_t fill = {.to = block + y * planes->row_step,
                                   .to_step = planes->row_step,
                                   .from = scratch,
                                   .rows = table + first,
                                   .nx = nx,
                                   .ny = ny,
                                   .element_bytes = planes->element_bytes,
                                   .slope = planes->slope};
        planes->shear(&fill);
    }
}

static int64_t wrap_work(void *state, int thread, int team) {
    planes_t *const planes = state;
    const rts_index_t blocks = rts_div_up(planes->columns, planes->block);
    (void)team;
    for (;;) {
        const rts_index_t item = atomic_fetch_add_explicit(&planes->next, 1, memory_order_relaxed);
        if (item >= planes->plane_count * blocks)
            return 0;
        const rts_index_t x = item % blocks * planes->block;
        rotate_columns(planes, plane_start(planes, item / blocks), x,
                       rts_min(planes->block, planes->columns - x),
                       planes->scratch + (size_t)thread * planes->scratch_bytes);
    }
}

/* ---- choice ---- */

/** Whether `to` is `from` with the places of two axes of one extent exchanged, the fastest among them. */
static bool find_square(const rts_layout_t *from, const rts_layout_t *to, int *p_p, int *q_p) {
    int moved[2], count = 0;
    for (int axis = 0; axis < from->box.rank; axis++)
        if (from->stride[axis] != to->stride[axis]) {
            if (count == 2)
                return false;
            moved[count++] = axis;
        }
    if (count != 2 || from->stride[moved[0]] != to->stride[moved[1]] ||
        from->stride[moved[1]] != to->stride[moved[0]] ||
        from->box.hi[moved[0]] - from->box.lo[moved[0]] != from->box.hi[moved[1]] - from->box.lo[moved[1]])
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
        if (axis != p && axis != q && plain->stride[axis] != wrap->stride[axis])
            return false;
    return plain->stride[q] == 1 && plain->stride[p] == plain->pitch &&
           wrap->rows == plain->box.hi[p] - plain->box.lo[p];
}

static rts_status_t run(planes_t *planes, rts_host_work_fn_t work, int thread_count, int64_t bytes) {
    const int team = bytes >= TEAM_BYTES ? thread_count : 1;
    planes->scratch_bytes = (planes->scratch_bytes + 4095) / 4096 * 4096;
    planes->scratch = rts_alloc(planes->scratch_bytes * (size_t)team);
    if (planes->scratch == NULL)
        return rts_fail_memory("scratch of a reorganisation", planes->scratch_bytes * (size_t)team);
    (void)rts_host_parallel(team, work, planes);
    rts_free(planes->scratch);
    return RTS_OK;
}

rts_status_t rts_host_reorganise_in_place(size_t element_bytes, void *buffer, const rts_layout_t *from,
                                          const rts_layout_t *to, int thread_count) {
    planes_t planes;
    const int64_t bytes = rts_box_size(&from->box) * (int64_t)element_bytes;
    int p, q;
    if (rts_layout_equal(from, to))
        return RTS_OK;
    if (!rts_box_equal(&from->box, &to->box) || from->size != to->size || from->box.rank < 2)
        return rts_fail(RTS_ERR_UNSUPPORTED, "these layouts are not reorganised in place");
    if (from->kind == RTS_LAYOUT_PLAIN && to->kind == RTS_LAYOUT_PLAIN && element_bytes <= TILE_BYTES &&
        find_square(from, to, &p, &q)) {
        set_planes(from, buffer, element_bytes, p, q, &planes);
        const rts_index_t side = tile_side(&planes);
        planes.scratch_bytes = 2 * (size_t)(side * side) * element_bytes;
        return run(&planes, square_work, thread_count, bytes);
    }
    const bool back = from->kind == RTS_LAYOUT_WRAP;
    const rts_layout_t *const plain = back ? to : from, *const wrap = back ? from : to;
    if (element_bytes > COLUMN_BYTES || !find_wrap(plain, wrap))
        return rts_fail(RTS_ERR_UNSUPPORTED, "these layouts are not reorganised in place");
    p = wrap->perm[wrap->box.rank - 2];
    q = wrap->perm[wrap->box.rank - 1];
    set_planes(plain, buffer, element_bytes, p, q, &planes);
    planes.slope = back ? wrap->b : -wrap->b;
    planes.shift = back ? wrap->c : -wrap->c;
    rts_index_t width = COLUMN_BYTES;
    while (width > REORG_LINE && width * planes.rows > SCRATCH_BYTES)
        width /= 2;
    planes.block = rts_max(width / (rts_index_t)element_bytes, 1);
    planes.scratch_bytes = (size_t)(planes.rows * planes.block) * element_bytes;
    return run(&planes, wrap_work, thread_count, bytes);
}
