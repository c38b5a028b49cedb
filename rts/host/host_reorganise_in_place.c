/* Reorganisation inside one buffer, where shapes allow: square planes are exchanged tile against tile, and between plain and
 * wrap every column of a plane rotates. */
#include <config.h>

#include "rts/host/host_reorganise.h"

#include "rts/memory.h"

#include <stdatomic.h>
#include <string.h>

/** A tile's side in bytes; two tiles stand in buffers. */
#define TILE_BYTES 512
#define TILE_ROWS  128
/** Bytes of columns that rotate together, at most; scratch may pass the second level cache, since longer runs are worth more. */
#define COLUMN_BYTES  512
#define SCRATCH_BYTES 2621440
/** Rows rotated in one call of a kernel, and those that are fetched ahead. */
#define CHUNK_ROWS 64
#define FETCH_ROWS 24
#define TEAM_BYTES ((int64_t)1 << 20)
/** Neighbouring items of one thread. */
#define GROUP 4

/** The planes of a buffer, all alike. Steps in bytes. */
typedef struct planes {
    char *buffer;
    size_t element_bytes;
    rts_index_t rows, columns, row_step, column_step; /* square: both axes; wrap: i_p and i_q */
    int axis_count;                                   /* the others */
    rts_index_t extent[RTS_MAX_RANK], step[RTS_MAX_RANK];
    rts_index_t plane_count;
    /* Square: rows are whole pages apart, so that a tile's rows fight for the same places of the caches: what was read
     * is gone when it is written, and cannot be fetched far ahead. */
    bool far_apart;
    /* wrap: source row of row r in column x is (r * sign + slope * x + shift) modulo rows */
    int slope;
    rts_index_t shift;
    rts_index_t block; /* columns */
    char *scratch;     /* one a thread */
    size_t scratch_bytes;
    reorg_fill_fn_t transpose, shear;
    reorg_stream_fn_t stream;
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
    const reorg_kernels_t kernels = rts_reorg_kernels(element_bytes);
    planes->transpose = kernels.transpose;
    planes->shear = kernels.shear;
    planes->stream = kernels.stream;
    atomic_init(&planes->next, 0);
}

/** Step to a thread's next item. Neighbours share lines where rows are not whole lines, so that GROUP of them go to one thread.
 * @param item_p  -1 at first
 * @return false when there are no more */
static bool take_item(planes_t *planes, rts_index_t count, rts_index_t *item_p) {
    if (*item_p < 0 || ++*item_p % GROUP == 0)
        *item_p = GROUP * atomic_fetch_add_explicit(&planes->next, 1, memory_order_relaxed);
    return *item_p < count;
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
        if (planes->far_apart)
            rts_reorg_write_run(planes->stream, to + row * planes->row_step, from + row * from_step,
                                columns * (rts_index_t)planes->element_bytes);
        else
            memcpy(to + row * planes->row_step, from + row * from_step,
                   (size_t)columns * planes->element_bytes);
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
        for (rts_index_t row = 0; row < side && ahead > 0 && !planes->far_apart; row++) {
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
    for (rts_index_t item = -1; take_item(planes, planes->plane_count * tiles, &item);)
        exchange_tiles(planes, plane_start(planes, item / tiles), item % tiles * side, buffers);
    if (planes->stream != NULL)
        planes->stream(NULL, NULL, 0);
    return 0;
}

/* ---- plain and wrap ---- */

/** What rotates the columns of one block. Row u of the unrolled source is row u modulo rows. */
typedef struct rotation {
    const planes_t *planes;
    char *block; /* row 0, first column */
    rts_index_t nx, width, reach, ring_rows;
    rts_index_t saved_lo, saved_hi; /* rows that stand in `saved` */
    char *saved, *ring, *out;
} rotation_t;

/** Read rows [u, u + count) of the unrolled source into the ring, where row u stands at u modulo ring_rows. */
static void read_rows(const rotation_t *rotation, rts_index_t u, rts_index_t count) {
    const rts_index_t rows = rotation->planes->rows, step = rotation->planes->row_step;
    rts_index_t row = (u % rows + rows) % rows,
                place = (u % rotation->ring_rows + rotation->ring_rows) % rotation->ring_rows;
    for (rts_index_t i = 0; i < count; i++) {
        const char *const ahead = rotation->block + rts_min(row + FETCH_ROWS, rows - 1) * step;
        const bool saved = row >= rotation->saved_lo && row < rotation->saved_hi;
        if (!saved)
            for (rts_index_t at = 0; at < rotation->width; at += REORG_LINE)
                __builtin_prefetch(ahead + at);
        memcpy(rotation->ring + place * rotation->width,
               saved ? rotation->saved + (row - rotation->saved_lo) * rotation->width
                     : rotation->block + row * step,
               (size_t)rotation->width);
        row = row + 1 < rows ? row + 1 : 0;
        place = place + 1 < rotation->ring_rows ? place + 1 : 0;
    }
}

/** Write rows [r, r + count) from unrolled rows [u, u + count + reach), which stand in the ring. */
static void write_rows(const rotation_t *rotation, rts_index_t r, rts_index_t u, rts_index_t count) {
    const planes_t *const planes = rotation->planes;
    rts_index_t table[CHUNK_ROWS + 2 * COLUMN_BYTES];
    rts_index_t place = (u % rotation->ring_rows + rotation->ring_rows) % rotation->ring_rows;
    for (rts_index_t i = 0; i < count + rotation->reach; i++) {
        table[i] = place * rotation->width;
        place = place + 1 < rotation->ring_rows ? place + 1 : 0;
    }
    const reorg_fill_t fill = {.to = rotation->out,
                               .to_step = rotation->width,
                               .from = rotation->ring,
                               .rows = table + (planes->slope < 0 ? rotation->reach : 0),
                               .nx = rotation->nx,
                               .ny = count,
                               .element_bytes = planes->element_bytes,
                               .slope = planes->slope};
    planes->shear(&fill);
    for (rts_index_t i = 0; i < count; i++)
        rts_reorg_write_run(planes->stream, rotation->block + (r + i) * planes->row_step,
                            rotation->out + i * rotation->width, rotation->width);
}

/** Rotate columns [x, x + nx) of a plane: row r becomes what rows r + turn .. r + turn + reach were, a little of each.
 * Rows are rewritten in the order in which they are not needed any more; those needed again at the end are saved first. Of
 * neighbouring chunks of rows, `reach` rows are the same; they are still in the ring. */
static void rotate_columns(const planes_t *planes, char *plane, rts_index_t x, rts_index_t nx,
                           char *scratch) {
    const rts_index_t bytes = (rts_index_t)planes->element_bytes, rows = planes->rows;
    rotation_t rotation = {.planes = planes, .block = plane + x * bytes, .nx = nx, .width = nx * bytes};
    const rts_index_t lean = planes->slope * (nx - 1);
    rotation.reach = rts_max(lean, -lean);
    const rts_index_t least = planes->shift + planes->slope * x + rts_min(lean, 0);
    const rts_index_t turn = (least % rows + rows) % rows, back = rows - turn;
    const bool up = turn <= rows / 2;
    rotation.saved_lo = up ? 0 : turn;
    rotation.saved_hi = up ? rts_min(turn + rotation.reach, rows) : rows;
    rotation.ring_rows = CHUNK_ROWS + rotation.reach;
    rotation.out = scratch;
    rotation.ring = rotation.out + CHUNK_ROWS * rotation.width;
    rotation.saved = rotation.ring + rotation.ring_rows * rotation.width;
    const rts_index_t saved = rotation.saved_hi - rotation.saved_lo, saved_lo = rotation.saved_lo;
    for (rts_index_t row = 0; row < saved; row++) {
        const char *const from = rotation.block + (saved_lo + row) * planes->row_step;
        const char *const ahead = from + rts_min(FETCH_ROWS, saved - 1 - row) * planes->row_step;
        for (rts_index_t at = 0; at < rotation.width; at += REORG_LINE)
            __builtin_prefetch(ahead + at);
        memcpy(rotation.saved + row * rotation.width, from, (size_t)rotation.width);
    }
    rts_index_t done = 0;
    for (; done < rows; done += CHUNK_ROWS) {
        const rts_index_t count = rts_min(CHUNK_ROWS, rows - done), r = up ? done : rows - done - count;
        const rts_index_t u = up ? r + turn : r - back;
        if (done == 0)
            read_rows(&rotation, u, count + rotation.reach);
        else
            read_rows(&rotation, up ? u + rotation.reach : u, count);
        write_rows(&rotation, r, u, count);
    }
}

static int64_t wrap_work(void *state, int thread, int team) {
    planes_t *const planes = state;
    const rts_index_t blocks = rts_div_up(planes->columns, planes->block);
    (void)team;
    for (rts_index_t item = -1; take_item(planes, planes->plane_count * blocks, &item);) {
        const rts_index_t x = item % blocks * planes->block;
        rotate_columns(planes, plane_start(planes, item / blocks), x,
                       rts_min(planes->block, planes->columns - x),
                       planes->scratch + (size_t)thread * planes->scratch_bytes);
    }
    if (planes->stream != NULL)
        planes->stream(NULL, NULL, 0);
    return 0;
}

/* ---- choice ---- */

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
    if (element_bytes <= TILE_BYTES && rts_layout_is_transposed(from, to, &p, &q)) {
        set_planes(from, buffer, element_bytes, p, q, &planes);
        const rts_index_t side = tile_side(&planes);
        planes.far_apart = planes.row_step % 4096 == 0;
        planes.scratch_bytes = 2 * (size_t)(side * side) * element_bytes;
        return run(&planes, square_work, thread_count, bytes);
    }
    const bool back = from->kind == RTS_LAYOUT_WRAP;
    const rts_layout_t *const plain = back ? to : from, *const wrap = back ? from : to;
    if (element_bytes > COLUMN_BYTES || !rts_layout_is_wrap_of(plain, wrap))
        return rts_fail(RTS_ERR_UNSUPPORTED, "these layouts are not reorganised in place");
    p = wrap->perm[wrap->box.rank - 2];
    q = wrap->perm[wrap->box.rank - 1];
    set_planes(plain, buffer, element_bytes, p, q, &planes);
    planes.slope = back ? wrap->b : -wrap->b;
    planes.shift = back ? wrap->c : -wrap->c;
    rts_index_t width = COLUMN_BYTES;
    while (width > REORG_LINE && width * planes.rows / 2 > SCRATCH_BYTES - SCRATCH_BYTES / 8)
        width /= 2;
    planes.block = rts_max(width / (rts_index_t)element_bytes, 1);
    /* Saved rows, ring and output of rotate_columns. */
    const rts_index_t reach = (planes.slope < 0 ? -planes.slope : planes.slope) * (planes.block - 1);
    planes.scratch_bytes =
        (size_t)((planes.rows / 2 + 2 * reach + 1 + 2 * CHUNK_ROWS) * planes.block) * element_bytes;
    return run(&planes, wrap_work, thread_count, bytes);
}
