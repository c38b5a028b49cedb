/* Shapes of tiles: which are worth trying for a plan, and what follows from one. Decides lines, slack, places in shared memory and how
 * threads share rows. What candidates promise was measured on an H200: docs/benchmarks.md. */
#include <config.h>

#include "rts/cuda/cuda_reorganise_plan.h"

#include <limits.h>
#include <string.h>

/** A line of the caches: whole ones are written. */
#define LINE_BYTES 128
/** Shared memory of a tile, at most: a block has two, and a table of rows. */
#define STAGE_BYTES (96 * 1024)
/** Rows of both sides, at most: their table is in shared memory, too. */
#define MAX_ROWS  1536
#define MAX_TILES ((int64_t)1 << 30)
/** What a thread reads at most at once. */
#define PACK_BYTES 16

/** Lines begin at the same places of all rows, modulo the largest power of two that divides the result. */
static uint64_t side_steps(const rts_tile_plan_t *plan, const rts_tile_rows_t *rows, bool is_source) {
    uint64_t bits = rows->is_interleaved ? 0 : (uint64_t)rows->part_step;
    if (!rows->is_diagonal)
        bits |= (uint64_t)rows->step;
    else
        bits |= rows->plane.kind == RTS_LAYOUT_PACKED ? 1 : (uint64_t)(rows->step * rows->plane.pitch);
    for (int i = 0; i < plan->axis_count; i++)
        bits |= (uint64_t)(is_source ? plan->axis[i].source_step : plan->axis[i].target_step);
    if (plan->outer_axis >= 0 && plan->outer_is_source == is_source)
        bits |= plan->outer_plane.kind == RTS_LAYOUT_PACKED
                    ? 1
                    : (uint64_t)(plan->outer_scale * plan->outer_plane.pitch);
    return bits;
}

/** Words, a power of two up to `line`, by which places of lines may differ from row to row. */
static int side_line(const rts_tile_plan_t *plan, const rts_tile_rows_t *rows, bool is_source, int line) {
    const uint64_t bits = side_steps(plan, rows, is_source) | (uint64_t)line;
    return (int)(bits & (~bits + 1));
}

static int64_t side_start(const rts_tile_plan_t *plan, bool is_source) {
    const rts_tile_rows_t *const rows = is_source ? &plan->source : &plan->target;
    const int64_t outer = plan->outer_axis >= 0 && plan->outer_is_source == is_source ? plan->outer_start : 0;
    return rows->start + outer + (is_source ? plan->source_phase : plan->target_phase);
}

static int modulo(int64_t number, int power_of_two) {
    return (int)(number & (power_of_two - 1));
}

/** How far apart u of a tile are, words apart, and the lean of v over them. */
static void set_counts(rts_tile_plan_t *plan, int target_parts, int64_t *columns_p, int64_t *rows_p) {
    *columns_p = plan->u_hi * target_parts - plan->column_start;
    *rows_p = plan->v_hi - plan->v_lo;
    const int64_t width = plan->limit_hi - plan->limit_lo;
    if (plan->has_limit && plan->limit_v == 0 && plan->limit_u != 0) {
        const int size = plan->limit_u < 0 ? -plan->limit_u : plan->limit_u;
        const int64_t most = (rts_tile_floor(width - 1, size) + 1) * target_parts + plan->line - 1;
        *columns_p = rts_tile_min(*columns_p, most);
    } else if (plan->has_limit && plan->limit_v != 0) {
        const int size = plan->limit_v < 0 ? -plan->limit_v : plan->limit_v;
        const int lean = (plan->limit_u < 0 ? -plan->limit_u : plan->limit_u) * (plan->u_count - 1);
        *rows_p = rts_tile_min(*rows_p, rts_tile_floor(width - 1 + lean, size) + 1);
    }
    *columns_p += plan->slack;
    *rows_p += plan->v_line - 1;
}

/** What any tile has of source row `number`: words lo .. hi-1 of the row, counted as in rts_tile_sheared_row. @return false  nothing */
static bool row_window(const rts_tile_plan_t *plan, int parts, int number, int *lo_p, int *hi_p) {
    const int at_0 = number + (plan->slope < 0 ? plan->slope * (plan->u_count - 1) : 0);
    int32_t lo = 0, hi = plan->u_count;
    rts_tile_narrow_row(-plan->slope, -at_0, plan->tile_rows - at_0, &lo, &hi);
    *lo_p = (plan->mirror ? plan->u_count - hi : lo) * parts;
    *hi_p = (plan->mirror ? plan->u_count - lo : hi) * parts;
    return lo < hi;
}

/** Words from a source row to the next in shared memory: what tiles have of one ends before what they have of the next begins. */
static int row_pitch(const rts_tile_plan_t *plan, int parts, int pack) {
    int pitch = 0, lo, hi, last_hi = 0;
    for (int number = 0; number < plan->source_rows; number++) {
        if (!row_window(plan, parts, number, &lo, &hi))
            continue;
        pitch = number > 0 && last_hi - lo > pitch ? last_hi - lo : pitch;
        last_hi = hi;
    }
    pitch += (plan->shifts ? 3 : 2) * (pack - 1);
    if (!plan->shifts)
        return (pitch + pack - 1) / pack * pack;
    const int step = plan->slope * pitch + parts; /* odd: words of target rows are in different banks */
    return plan->slope % 2 != 0 && step % 2 == 0 ? pitch + 1 : pitch;
}

/** Rows of the source stand in shared memory as they are: where several parts are interleaved, or where packs are read. */
static void stage_source_rows(rts_tile_plan_t *plan, int ahead, int pack) {
    const int parts = rts_tile_interleaved(plan, &plan->source), pitch = row_pitch(plan, parts, pack);
    const int step = plan->mirror ? -parts : parts;
    const int first = (plan->slope < 0 ? plan->slope * (plan->u_count - 1) : 0) * pitch +
                      (plan->mirror ? plan->u_count - 1 : 0) * step; /* of word 0 of row 0 */
    int least = INT_MAX, most = 0, lo, hi;
    for (int number = 0; number < plan->source_rows; number++) {
        if (!row_window(plan, parts, number, &lo, &hi))
            continue;
        least = first + number * pitch + lo < least ? first + number * pitch + lo : least;
        most = first + number * pitch + hi > most ? first + number * pitch + hi : most;
    }
    plan->v_place = pitch;
    plan->u_place = plan->slope * pitch + step;
    plan->part_place = 1;
    plan->stage_origin = (int)rts_tile_ceil(pack - 1 - least, pack) * pack + ahead;
    plan->stage_words = plan->stage_origin + most + (plan->shifts ? pack : 0) + pack - 1;
    plan->load_words = pack;
}

/** Words of a pack of 16 bytes where rows of a shear may be read so; 1: not so. Sets whether they are aligned differently.
 * @param ahead_p  else: words from a pack's start to the first word of rows */
static int packs_of(rts_tile_plan_t *plan, bool by_words, int *ahead_p) {
    const int words = PACK_BYTES / plan->word_bytes, parts = rts_tile_interleaved(plan, &plan->source);
    *ahead_p = 0;
    plan->shifts = false;
    if (by_words || plan->family != RTS_TILE_SHEAR || plan->target.is_interleaved || words == 1 ||
        parts != (int)plan->parts.value)
        return 1;
    plan->shifts = plan->mirror || side_line(plan, &plan->source, true, words) < words ||
                   plan->tile_columns % words != 0 || plan->source_words % words != 0 ||
                   plan->source_phase % words != 0;
    /* Packs of two words are not worth their places: rows of a tile are shorter at its corners, but take as much shared memory there. */
    if (words < 4 && (plan->shifts || 2 * plan->source_rows > 3 * plan->tile_rows)) {
        plan->shifts = false;
        return 1;
    }
    if (!plan->shifts)
        *ahead_p = modulo(side_start(plan, true) + (plan->column_start - plan->slack) * parts, words);
    return words;
}

/** Places in shared memory such that neighbouring threads use different banks. */
static void set_stage(rts_tile_plan_t *plan, bool by_words) {
    const int parts = (int)plan->parts.value, banks = LINE_BYTES / plan->word_bytes;
    const int unit = rts_tile_interleaved(plan, &plan->source); /* words of what stands together */
    int ahead;
    const int pack = packs_of(plan, by_words, &ahead);
    plan->stage_origin = 0;
    plan->load_words = 1;
    if (plan->family == RTS_TILE_TRANSPOSE) {
        plan->v_place = unit;
        plan->u_place = plan->tile_rows * unit | 1;
        plan->stage_words = plan->u_place * plan->u_count;
    } else if (unit > 1 || pack > 1) {
        stage_source_rows(plan, ahead, pack);
    } else {
        plan->u_place = 1;
        plan->v_place = (plan->u_count + 1) & ~1;
        plan->stage_words = plan->v_place * plan->tile_rows;
    }
    if (unit > 1) {
        plan->part_place = 1;
    } else {
        const int wanted = ((banks + parts - 1) / parts) | 1;
        plan->part_place = plan->stage_words + modulo(wanted - plan->stage_words, banks);
        plan->stage_words = plan->part_place * parts;
    }
}

/** Threads for rows of so many words, of which each takes `unit` at once, and groups of threads for a row where rows are few. */
static void set_lanes(int64_t words, int unit, int rows, int threads, int *lanes_p, int *groups_p) {
    int lanes = 0, groups = 0;
    while (lanes < 5 && (int64_t)unit << lanes < words)
        lanes++;
    while ((rows << groups) * 2 <= threads >> lanes && (int64_t)unit << (lanes + groups) < words)
        groups++;
    *lanes_p = lanes;
    *groups_p = groups;
}

/** Words that a thread stores as one. */
static int store_words(const rts_tile_plan_t *plan) {
    return (int)rts_tile_min(RTS_TILE_STORE_BYTES / plan->word_bytes, RTS_TILE_STORES);
}

static int slope_size(const rts_tile_plan_t *plan) {
    return plan->slope < 0 ? -plan->slope : plan->slope;
}

static void set_row_counts(rts_tile_plan_t *plan, int source_parts, int target_parts) {
    const int parts = (int)plan->parts.value;
    const int rows = plan->family == RTS_TILE_TRANSPOSE
                         ? plan->u_count
                         : plan->tile_rows + slope_size(plan) * (plan->u_count - 1);
    plan->source_rows = rows * (source_parts > 1 ? 1 : parts);
    plan->target_rows = plan->tile_rows * (target_parts > 1 ? 1 : parts);
}

static void set_row_lanes(rts_tile_plan_t *plan, int source_parts, int target_parts) {
    const int size = slope_size(plan);
    int64_t along = plan->family == RTS_TILE_TRANSPOSE ? plan->tile_rows : plan->u_count;
    if (size > 0)
        along = rts_tile_min(along, plan->tile_rows / size + 1);
    set_lanes(along * source_parts, plan->load_words, plan->source_rows, plan->threads, &plan->load_lanes,
              &plan->load_groups);
    set_lanes(rts_tile_min(plan->tile_columns, (plan->u_hi - plan->u_lo) * target_parts), store_words(plan),
              plan->target_rows, plan->threads, &plan->store_lanes, &plan->store_groups);
}

/** Neighbouring tiles run at the same time. In the order of the target's memory they fill its rows and pages one after another. */
static void set_order(rts_tile_plan_t *plan) {
    const int64_t row =
        plan->target.is_diagonal ? plan->target.plane.pitch * plan->target.step : plan->target.step;
    int64_t far[RTS_TILE_MAX_AXES + 2];
    plan->order_count = 0;
    for (int i = RTS_TILE_ROWS; i < plan->axis_count; i++) {
        int64_t step = 0;
        if (i == RTS_TILE_ROWS)
            step = row * plan->tile_rows;
        else if (i >= 0 && i == plan->outer_axis && !plan->outer_is_source)
            step = plan->outer_plane.pitch * plan->outer_scale;
        else if (i >= 0)
            step = plan->axis[i].target_step;
        int place = plan->order_count++;
        for (; place > 0 && far[place - 1] > step; place--) {
            far[place] = far[place - 1];
            plan->order[place] = plan->order[place - 1];
        }
        far[place] = step;
        plan->order[place] = (int8_t)i;
    }
}

/** Columns of a triangle: the first and the last, the second and the last but one, .. have the same number of tiles together. */
static void fold(rts_tile_plan_t *plan, int64_t *column_tiles_p, int64_t *row_tiles_p) {
    const int parts = rts_tile_interleaved(plan, &plan->target);
    const int64_t columns = *column_tiles_p;
    int64_t most = 0;
    for (int64_t column = 0; 2 * column < columns; column++) {
        int64_t together = 0;
        for (int side = 0; side < (2 * column + 1 == columns ? 1 : 2); side++) {
            rts_tile_t tile;
            int64_t v_lo = plan->v_lo, v_hi = plan->v_hi;
            tile.column =
                plan->column_start + (side == 0 ? column : columns - 1 - column) * plan->tile_columns;
            tile.u = rts_tile_floor(tile.column - plan->slack, parts);
            rts_tile_limit(plan, parts, plan->limit_lo, plan->limit_hi, &tile, &v_lo, &v_hi);
            together += rts_tile_count_rows(plan, v_lo, v_hi);
        }
        most = rts_tile_max(most, together);
    }
    plan->all_column_tiles = columns;
    *column_tiles_p = (columns + 1) / 2;
    *row_tiles_p = rts_tile_max(most, 1);
}

bool rts_tile_plan_shape(rts_tile_plan_t *plan, const rts_tile_shape_t *shape) {
    const int source_parts = rts_tile_interleaved(plan, &plan->source),
              target_parts = rts_tile_interleaved(plan, &plan->target);
    const int source_line = LINE_BYTES / plan->word_bytes;
    plan->threads = shape->threads;
    plan->tile_columns = shape->columns;
    plan->tile_rows = shape->rows;
    plan->line = shape->line;
    const int step = side_line(plan, &plan->target, false, plan->line);
    plan->slack = plan->line - step;
    const int64_t first = plan->u_lo * target_parts;
    plan->column_start = first - modulo(side_start(plan, false) + first, step);
    plan->u_count = target_parts > 1 ? (plan->tile_columns + plan->slack - 1) / target_parts + 2
                                     : plan->tile_columns + plan->slack;
    plan->v_line = 1;
    plan->v_start = plan->v_lo;
    if (plan->family == RTS_TILE_TRANSPOSE && source_parts == 1 && plan->tile_rows % source_line == 0 &&
        side_line(plan, &plan->source, true, source_line) == source_line) {
        plan->v_line = source_line;
        plan->v_start -= modulo(side_start(plan, true) + plan->v_lo, source_line);
    }
    set_row_counts(plan, source_parts, target_parts);
    if (plan->source_rows + plan->target_rows > MAX_ROWS)
        return false;
    set_stage(plan, shape->by_words);
    set_row_lanes(plan, source_parts, target_parts);
    set_order(plan);
    int64_t columns, rows, count = 1;
    set_counts(plan, target_parts, &columns, &rows);
    int64_t column_tiles = (columns + plan->tile_columns - 1) / plan->tile_columns,
            row_tiles = (rows + plan->tile_rows - 1) / plan->tile_rows;
    if (plan->folds)
        fold(plan, &column_tiles, &row_tiles);
    if (column_tiles > MAX_TILES || row_tiles > MAX_TILES || column_tiles * row_tiles > MAX_TILES)
        return false;
    count = column_tiles * row_tiles;
    for (int i = 0; i < plan->axis_count && count <= MAX_TILES; i++)
        count *= (int64_t)plan->axis[i].extent.value;
    plan->column_tiles = rts_divisor_of(column_tiles);
    plan->row_tiles = rts_divisor_of(row_tiles);
    plan->tile_count = (uint32_t)count;
    return count <= MAX_TILES && plan->stage_words * plan->word_bytes <= STAGE_BYTES &&
           plan->tile_columns <= INT16_MAX / 2 && plan->u_count * source_parts <= INT16_MAX &&
           plan->tile_rows * source_parts <= INT16_MAX;
}

/** The shape next to a wanted one that a plan's extents are worth, smaller until it fits. @return false  none does */
static bool fit_shape(const rts_tile_plan_t *plan, rts_tile_shape_t *shape) {
    const int target_parts = rts_tile_interleaved(plan, &plan->target);
    rts_tile_plan_t trial = *plan;
    const int64_t columns = (plan->u_hi - plan->u_lo) * target_parts + shape->line - 1;
    shape->columns =
        (int)rts_tile_min(shape->columns, (columns + shape->line - 1) / shape->line * shape->line);
    shape->rows = (int)rts_tile_min(shape->rows, plan->v_hi - plan->v_lo);
    while (!rts_tile_plan_shape(&trial, shape)) {
        if (shape->rows > 8)
            shape->rows /= 2;
        else if (shape->columns > shape->line)
            shape->columns = (shape->columns / shape->line + 1) / 2 * shape->line;
        else if (shape->rows > 1)
            shape->rows /= 2;
        else
            return false;
    }
    return true;
}

/** Copies below this size have candidates of small tiles beside the usual ones. */
#define SMALL_BYTES      (32 << 20)
#define CANDIDATES       3
#define SMALL_CANDIDATES (RTS_TILE_MAX_SHAPES - CANDIDATES)

/** A shape in bytes: of a target row, and of all columns of a source row where it is transposed. */
typedef struct candidate {
    int column_bytes, rows, threads, line_bytes;
    bool by_words;
} candidate_t;

/* What was best on an H200, by class of plan and bytes of a word (8 and more; less): tests/bench/reorg-bench. */
static const candidate_t transposed[2][CANDIDATES] =
    {{{256, 96, 256, 128, false}, {512, 32, 128, 128, false}, {1024, 32, 256, 128, false}},
     {{256, 64, 128, 128, false}, {256, 128, 256, 128, false}, {128, 256, 256, 128, false}}};
static const candidate_t transposed_shifted[2][CANDIDATES] =
    {{{512, 64, 256, 32, false}, {256, 128, 256, 32, false}, {128, 96, 128, 32, false}},
     {{256, 128, 256, 32, false}, {128, 256, 256, 32, false}, {512, 64, 256, 32, false}}};
static const candidate_t sheared[2][CANDIDATES] =
    {{{256, 96, 256, 128, false}, {256, 64, 128, 128, false}, {1024, 32, 256, 128, false}},
     {{256, 96, 256, 128, false}, {128, 128, 128, 128, false}, {256, 192, 256, 128, true}}};
static const candidate_t sheared_shifted[2][CANDIDATES] =
    {{{1024, 32, 256, 32, false}, {512, 64, 256, 32, false}, {256, 128, 256, 32, false}},
     {{1024, 32, 256, 32, false}, {256, 128, 256, 32, true}, {384, 96, 256, 32, true}}};
static const candidate_t rows[2][CANDIDATES] =
    {{{4096, 8, 256, 128, false}, {1536, 16, 256, 128, false}, {3328, 4, 128, 128, false}},
     {{2048, 8, 128, 128, false}, {1664, 8, 128, 32, false}, {1536, 16, 256, 128, false}}};
static const candidate_t parted[2][CANDIDATES] =
    {{{2048, 1, 128, 128, false}, {1024, 8, 256, 128, false}, {4096, 1, 256, 128, false}},
     {{2048, 1, 128, 128, false}, {1536, 8, 256, 128, false}, {4096, 1, 256, 128, false}}};
static const candidate_t joined[2][CANDIDATES] =
    {{{32768, 1, 256, 128, false}, {8192, 1, 128, 128, false}, {4096, 8, 256, 128, false}},
     {{32768, 1, 256, 128, false}, {16384, 1, 128, 128, false}, {4096, 8, 256, 128, false}}};

/* Small copies, to give every multiprocessor several tiles. */
static const candidate_t small[SMALL_CANDIDATES] = {{128, 64, 128, 128, false}, {256, 64, 128, 128, false}};
static const candidate_t small_rows[SMALL_CANDIDATES] = {{1024, 4, 128, 128, false},
                                                         {2048, 4, 128, 128, false}};

static const candidate_t *candidates_of(const rts_tile_plan_t *plan) {
    const int size = plan->word_bytes >= 8 ? 0 : 1;
    const bool parts = plan->parts.value > 1;
    const int line = LINE_BYTES / plan->word_bytes;
    const bool shifted = side_line(plan, &plan->target, false, line) != line;
    if (plan->family == RTS_TILE_TRANSPOSE)
        return shifted ? transposed_shifted[size] : transposed[size];
    if (plan->slope != 0)
        return shifted ? sheared_shifted[size] : sheared[size];
    if (parts && plan->source.is_interleaved != plan->target.is_interleaved)
        return plan->source.is_interleaved ? parted[size] : joined[size];
    return rows[size];
}

/** Add what fits of a candidate, if it is not there. */
static int add_shape(const rts_tile_plan_t *plan, const candidate_t *from, rts_tile_shape_t shapes[],
                     int count) {
    const int word = plan->word_bytes, line = (int)rts_tile_max(from->line_bytes / word, 1);
    rts_tile_shape_t shape = {from->column_bytes / word, from->rows, from->threads, line, from->by_words};
    bool known = !fit_shape(plan, &shape);
    for (int k = 0; k < count; k++)
        known = known || memcmp(&shapes[k], &shape, sizeof(shape)) == 0;
    if (!known)
        shapes[count++] = shape;
    return count;
}

/** Words of all planes; where there is a limit, some of them are not copied. */
static double words_of(const rts_tile_plan_t *plan) {
    double words =
        (double)(plan->u_hi - plan->u_lo) * (double)(plan->v_hi - plan->v_lo) * (double)plan->parts.value;
    for (int i = 0; i < plan->axis_count; i++)
        words *= (double)plan->axis[i].extent.value;
    return words;
}

int rts_tile_plan_shapes(const rts_tile_plan_t *plan, rts_tile_shape_t shapes_p[RTS_TILE_MAX_SHAPES]) {
    const candidate_t *const candidates = candidates_of(plan);
    const bool is_flat = plan->family == RTS_TILE_SHEAR && plan->slope == 0;
    int count = 0;
    for (int i = 0; i < CANDIDATES; i++)
        count = add_shape(plan, &candidates[i], shapes_p, count);
    if (words_of(plan) * plan->word_bytes < SMALL_BYTES)
        for (int i = 0; i < SMALL_CANDIDATES; i++)
            count = add_shape(plan, is_flat ? &small_rows[i] : &small[i], shapes_p, count);
    return count;
}
