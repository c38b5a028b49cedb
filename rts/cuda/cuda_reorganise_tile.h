/* What a tile of a reorganisation is: which words of the source it reads, where they stand in shared memory, which words of the target
 * it writes. Plain C and CUDA: kernels run it, tests run it on the host. It decides nothing; plans are made in cuda_reorganise_plan.c.
 *
 * How to read: a plan copies elements (u, v, k) of each of several planes. u counts along rows of the target, v numbers these rows.
 *
 *     TRANSPOSE   the source's rows are numbered by u, and v counts along them
 *     SHEAR       the source's rows are numbered by r = v + slope * u + shift, and u (mirrored: -u) counts along them
 *
 * k = 0 .. parts-1 is a short axis beside these. On either side its elements are neighbours (interleaved: place u * parts + k of a row) or
 * rows of their own. A row is affine (start + number * step) or a diagonal of a layout. Rows of the target are cut at whole lines, each at
 * its own ones: a tile has tile_columns words of every row, which begin up to `slack` words before the tile's column. So tiles of
 * neighbouring rows are shifted against each other, and the source's words around a tile's edges are read twice, out of the cache. */
#ifndef RTS_CUDA_REORGANISE_TILE_H
#define RTS_CUDA_REORGANISE_TILE_H

#include "rts/layout_index.h"

/** Axes around the planes, at most: all axes, one of diagonals and one of pieces of elements. */
#define RTS_TILE_MAX_AXES 10
/** Words of a row that a thread asks for at once. */
#define RTS_TILE_LOADS 2
/** Words that a thread writes as one, at most; and their bytes. */
#define RTS_TILE_STORES      8
#define RTS_TILE_STORE_BYTES 16
/** Beside these, tiles of a plane are counted. */
#define RTS_TILE_COLUMNS (-1)
#define RTS_TILE_ROWS    (-2)

typedef enum rts_tile_family { RTS_TILE_TRANSPOSE, RTS_TILE_SHEAR } rts_tile_family_t;

/** Division of numbers below 2^31 by one that is known before. */
typedef struct rts_divisor {
    uint32_t value, multiplier, shift;
} rts_divisor_t;

/** The rows of one side. Places count words. */
typedef struct rts_tile_rows {
    int64_t start, step; /* row number n begins at start + n * step; diagonals: at start + row(n) * step */
    int64_t part_step;   /* from k to k + 1 where parts are rows of their own */
    bool is_diagonal;    /* of `plane` */
    bool is_interleaved; /* parts are neighbours */
    int64_t modulus;     /* > 0: affine rows of numbers that are equal modulo this are the same */
    rts_plane64_t plane;
} rts_tile_rows_t;

typedef struct rts_tile_axis {
    rts_divisor_t extent;
    int64_t source_step, target_step;
} rts_tile_axis_t;

typedef struct rts_tile_plan {
    rts_tile_family_t family;
    int word_bytes; /* 1, 2, 4, 8 or 16 */
    int slope;      /* SHEAR */
    bool mirror;    /* SHEAR */
    int64_t shift;  /* SHEAR */
    rts_tile_rows_t source, target;
    rts_divisor_t parts; /* 1: there is no k */
    int64_t u_lo, u_hi, v_lo, v_hi;
    /* Elements are those with limit_lo <= limit_u * u + limit_v * v + d < limit_hi, where there is a limit. */
    bool has_limit;
    int limit_u, limit_v;
    int64_t limit_lo, limit_hi;
    int axis_count; /* around the planes */
    rts_tile_axis_t axis[RTS_TILE_MAX_AXES];
    /* One of them may number the diagonals of a side, from outer_lo on: d of the limit, else 0. */
    int outer_axis; /* -1: none */
    bool outer_is_source;
    int64_t outer_lo, outer_start, outer_scale;
    rts_plane64_t outer_plane;
    /* Or all rows of a wrap's memory: row `number` of the other side has i_p = (d - wrap_c - wrap_b * number) modulo wrap_rows, and wrap_rows
     * of i_p are wrap_step words there. Else wrap_rows is 0. */
    int wrap_b;
    int64_t wrap_c, wrap_rows, wrap_step;
    /* Tiles. */
    int64_t source_phase, target_phase; /* words from a line's start to the buffer */
    int64_t source_words;               /* of the source's buffer */
    int line;             /* words in a line, or in less of one where lines do not matter; a power of two */
    int slack;            /* how much further than others some rows' lines begin */
    int64_t column_start; /* first tile's column: at most u_lo, in words */
    int tile_columns;     /* words of a target row in a tile, whole lines */
    int tile_rows;        /* v in a tile */
    int64_t
        v_start; /* tiles of TRANSPOSE begin v_start + a multiple of v_line, where the source's lines do */
    int v_line;
    rts_divisor_t column_tiles, row_tiles;
    /* What varies from tile to tile, fastest first: an axis, or one of RTS_TILE_COLUMNS and RTS_TILE_ROWS. */
    int order_count;
    int8_t order[RTS_TILE_MAX_AXES + 2];
    int64_t all_column_tiles; /* folds: column_tiles is half of it */
    uint32_t tile_count;
    int u_count;                      /* u that a tile looks at, at most */
    int u_place, v_place, part_place; /* words in shared memory from u to u + 1, .. */
    int source_rows, target_rows;     /* rows that a tile has, at most */
    int stage_origin, stage_words;    /* of shared memory; origin: place of the tile's own u = v = k = 0 */
    int load_words; /* that are read as one: 16 bytes where rows stand as they are in shared memory, aligned as in the source; else 1 */
    /* Rows of the source are aligned differently: in shared memory each is shifted by a few words of its own (rts_tile_shift). */
    bool shifts;
    bool
        folds; /* columns have few tiles where they are opposite to ones with many: a pair of both is counted as one column */
    /* Threads that share a row, and groups of them that do. Logarithms of powers of two. */
    int load_lanes, load_groups, store_lanes, store_groups;
    int threads;
} rts_tile_plan_t;

/** A tile. Its own u and v count from the first ones that it looks at; so rows are worked out in 32 bits. */
typedef struct rts_tile {
    int64_t source, target; /* of the plane, words */
    int64_t u, v;           /* first ones that the tile looks at */
    int64_t column;         /* where rows with slack 0 begin */
    int64_t row;            /* SHEAR: number of the first source row */
    int64_t outer;          /* d of the outer axis */
    int32_t shift;          /* SHEAR: its own v where its own u is 0 */
    int32_t u_lo, u_hi, v_lo, v_hi;
    int32_t limit_lo, limit_hi;
} rts_tile_t;

/** Words lo .. hi-1 of a row: word c lies at base + c. In shared memory it stands at place + c * step, with the step of rts_tile_load_step or
 * rts_tile_store_step; on a target side with interleaved parts at place + c / parts * step + c % parts * part_place. */
typedef struct rts_tile_row {
    int64_t base;
    int16_t lo, hi;
    int32_t place;
} rts_tile_row_t;

/** Division by value, 1 .. 2^31: number * multiplier / 2^shift is exact below 2^31, since 2^(shift - 31) >= value. */
static inline rts_divisor_t rts_divisor_of(int64_t value) {
    uint32_t bits = 0;
    while ((INT64_C(1) << bits) < value)
        bits++;
    const uint64_t power = UINT64_C(1) << (31 + bits);
    const rts_divisor_t divisor = {(uint32_t)value,
                                   (uint32_t)((power + (uint64_t)value - 1) / (uint64_t)value), 31 + bits};
    return divisor;
}

RTS_PLANE_INLINE uint32_t rts_divide(uint32_t number, const rts_divisor_t *by) {
    return (uint32_t)((uint64_t)number * by->multiplier >> by->shift);
}

RTS_PLANE_INLINE int64_t rts_tile_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}
RTS_PLANE_INLINE int64_t rts_tile_max(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/** Round down and up; by is a small positive number, mostly 1. */
RTS_PLANE_INLINE int64_t rts_tile_floor(int64_t number, int by) {
    return by == 1 ? number : number / by - (number % by < 0);
}
RTS_PLANE_INLINE int64_t rts_tile_ceil(int64_t number, int by) {
    return by == 1 ? number : number / by + (number % by > 0);
}

/** Narrow [*lo_p, *hi_p) to the x with least <= factor * x < end. */
RTS_PLANE_INLINE void rts_tile_narrow(int factor, int64_t least, int64_t end, int64_t *lo_p, int64_t *hi_p) {
    if (factor > 0) {
        *lo_p = rts_tile_max(*lo_p, rts_tile_ceil(least, factor));
        *hi_p = rts_tile_min(*hi_p, rts_tile_ceil(end, factor));
    } else if (factor < 0) {
        *lo_p = rts_tile_max(*lo_p, rts_tile_floor(-end, -factor) + 1);
        *hi_p = rts_tile_min(*hi_p, rts_tile_floor(-least, -factor) + 1);
    } else if (least > 0 || end <= 0) {
        *hi_p = *lo_p;
    }
}

/** The same inside a tile. */
RTS_PLANE_INLINE void rts_tile_narrow_row(int factor, int32_t least, int32_t end, int32_t *lo_p,
                                          int32_t *hi_p) {
    int32_t lo = least, hi = end - 1;
    if (factor < 0) {
        lo = 1 - end;
        hi = -least;
    } else if (factor == 0) {
        if (least > 0 || end <= 0)
            *hi_p = *lo_p;
        return;
    }
    const int by = factor < 0 ? -factor : factor;
    if (by > 1) {
        lo = lo / by + (lo % by > 0);
        hi = hi / by - (hi % by < 0);
    }
    *lo_p = lo > *lo_p ? lo : *lo_p;
    *hi_p = hi + 1 < *hi_p ? hi + 1 : *hi_p;
}

/** Numbers that are far outside of a tile are all the same to it. */
RTS_PLANE_INLINE int32_t rts_tile_clamp(int64_t number) {
    const int64_t far = 1 << 28;
    return (int32_t)rts_tile_min(rts_tile_max(number, -far), far);
}

/** Where row `number` begins. */
RTS_PLANE_INLINE int64_t rts_tile_row_start(const rts_tile_rows_t *rows, int64_t number) {
    if (rows->modulus > 0) {
        number += number < 0 ? rows->modulus : 0;
        if (number < 0 || number >= rows->modulus) {
            number %= rows->modulus;
            number += number < 0 ? rows->modulus : 0;
        }
    }
    return rows->start + rows->step * (rows->is_diagonal ? rts_plane64_row(&rows->plane, number) : number);
}

/** Parts that are neighbours on a side, else 1. */
RTS_PLANE_INLINE int rts_tile_interleaved(const rts_tile_plan_t *plan, const rts_tile_rows_t *rows) {
    return rows->is_interleaved ? (int)plan->parts.value : 1;
}

/** One of the axes around the planes. */
RTS_PLANE_INLINE void rts_tile_step(const rts_tile_plan_t *plan, int number, int64_t index, rts_tile_t *tile,
                                    int64_t *limit_lo_p, int64_t *limit_hi_p) {
    const rts_tile_axis_t *const axis = &plan->axis[number];
    tile->source += index * axis->source_step;
    tile->target += index * axis->target_step;
    if (number == plan->outer_axis) {
        const int64_t d = plan->outer_lo + index;
        tile->outer = d;
        const int64_t offset = plan->outer_start + plan->outer_scale * rts_plane64_row(&plan->outer_plane, d);
        *limit_lo_p -= d;
        *limit_hi_p -= d;
        if (plan->outer_is_source)
            tile->source += offset;
        else
            tile->target += offset;
    }
}

/** Narrow u and v of a tile by the limit: columns of a plane begin at its first u, rows of a tile at the first v that its u meet. */
RTS_PLANE_INLINE void rts_tile_limit(const rts_tile_plan_t *plan, int parts, int64_t limit_lo,
                                     int64_t limit_hi, rts_tile_t *tile, int64_t *v_lo_p, int64_t *v_hi_p) {
    int64_t u_lo = plan->u_lo, u_hi = plan->u_hi;
    if (plan->limit_v == 0) {
        rts_tile_narrow(plan->limit_u, limit_lo, limit_hi, &u_lo, &u_hi);
        tile->column += (u_lo * parts - plan->column_start) / plan->line * plan->line;
        tile->u = rts_tile_floor(tile->column - plan->slack, parts);
        *v_hi_p = tile->u < u_hi ? *v_hi_p : *v_lo_p;
    } else {
        const int64_t end = rts_tile_min(rts_tile_ceil(tile->column + plan->tile_columns, parts), u_hi);
        const int64_t first = plan->limit_u * rts_tile_max(tile->u, u_lo), last = plan->limit_u * (end - 1);
        rts_tile_narrow(plan->limit_v, limit_lo - rts_tile_max(first, last),
                        limit_hi - rts_tile_min(first, last), v_lo_p, v_hi_p);
    }
}

/** Tiles of a column whose rows are v_lo .. v_hi-1. */
RTS_PLANE_INLINE int64_t rts_tile_count_rows(const rts_tile_plan_t *plan, int64_t v_lo, int64_t v_hi) {
    const int64_t rows = v_hi - v_lo + ((v_lo - plan->v_start) & (plan->v_line - 1));
    return v_lo < v_hi ? (rows + plan->tile_rows - 1) / plan->tile_rows : 0;
}

/** What the tile's rows need, from its u and v. */
RTS_PLANE_INLINE void rts_tile_rows(const rts_tile_plan_t *plan, int64_t limit_lo, int64_t limit_hi,
                                    int64_t v_hi, rts_tile_t *tile) {
    const int64_t slope_u = plan->slope * tile->u;
    tile->v_lo = rts_tile_clamp(rts_tile_max(plan->v_lo - tile->v, 0));
    tile->v_hi = rts_tile_clamp(rts_tile_min(v_hi - tile->v, plan->tile_rows));
    tile->u_lo = rts_tile_clamp(rts_tile_max(plan->u_lo - tile->u, 0));
    tile->u_hi = rts_tile_clamp(rts_tile_min(plan->u_hi - tile->u, plan->u_count));
    if (plan->has_limit) {
        const int64_t first = plan->limit_u * tile->u + plan->limit_v * tile->v;
        tile->limit_lo = rts_tile_clamp(limit_lo - first);
        tile->limit_hi = rts_tile_clamp(limit_hi - first);
    }
    /* Source row r has v = r - shift - slope * u: the first one that any of the tile's u and v need. */
    tile->shift = plan->slope < 0 ? plan->slope * (plan->u_count - 1) : 0;
    tile->row = tile->v + plan->shift + slope_u + tile->shift;
}

/** Tile `number` in [0, tile_count). It is empty where v_hi <= v_lo. */
RTS_PLANE_INLINE rts_tile_t rts_tile_begin(const rts_tile_plan_t *plan, uint32_t number) {
    rts_tile_t tile;
    int64_t row_tile = 0, column_tile = 0, v_lo = plan->v_lo, v_hi = plan->v_hi, limit_lo = plan->limit_lo,
            limit_hi = plan->limit_hi;
    const int parts = rts_tile_interleaved(plan, &plan->target);
    tile.source = tile.target = tile.outer = 0;
    for (int i = 0; i < plan->order_count; i++) {
        const int what = plan->order[i];
        const rts_divisor_t *const extent = what == RTS_TILE_COLUMNS ? &plan->column_tiles
                                            : what == RTS_TILE_ROWS  ? &plan->row_tiles
                                                                     : &plan->axis[what].extent;
        const uint32_t slower = rts_divide(number, extent);
        const int64_t index = (int64_t)(number - slower * extent->value);
        number = slower;
        if (what == RTS_TILE_COLUMNS)
            column_tile = index;
        else if (what == RTS_TILE_ROWS)
            row_tile = index;
        else
            rts_tile_step(plan, what, index, &tile, &limit_lo, &limit_hi);
    }
    for (bool opposite = false;; opposite = true) {
        tile.column = plan->column_start + column_tile * plan->tile_columns;
        tile.u = rts_tile_floor(tile.column - plan->slack, parts);
        if (plan->has_limit)
            rts_tile_limit(plan, parts, limit_lo, limit_hi, &tile, &v_lo, &v_hi);
        const int64_t rows = plan->folds ? rts_tile_count_rows(plan, v_lo, v_hi) : 0;
        if (!plan->folds || row_tile < rows || opposite)
            break;
        column_tile = plan->all_column_tiles - 1 - column_tile;
        row_tile -= rows;
        v_lo = plan->v_lo;
        v_hi = column_tile * 2 + 1 == plan->all_column_tiles
                   ? v_lo
                   : plan->v_hi; /* the middle one is its own opposite */
    }
    tile.v = v_lo - ((v_lo - plan->v_start) & (plan->v_line - 1)) + row_tile * plan->tile_rows;
    rts_tile_rows(plan, limit_lo, limit_hi, v_hi, &tile);
    return tile;
}

/** Wraps: by how much row `number` of the other side begins elsewhere than its step says. */
RTS_PLANE_INLINE int64_t rts_tile_wrapped(const rts_tile_plan_t *plan, const rts_tile_t *tile,
                                          int64_t number) {
    const int64_t i_p = tile->outer - plan->wrap_c - plan->wrap_b * number, rows = plan->wrap_rows;
    if (i_p >= 0 && i_p < rows)
        return 0;
    if (i_p < 0 && i_p >= -rows)
        return plan->wrap_step;
    return -(i_p / rows - (i_p % rows < 0)) * plan->wrap_step;
}

/** TRANSPOSE: the source row of number u, all of v in the tile. */
RTS_PLANE_INLINE rts_tile_row_t rts_tile_transposed_row(const rts_tile_plan_t *plan, const rts_tile_t *tile,
                                                        int u) {
    const int parts = rts_tile_interleaved(plan, &plan->source);
    int32_t lo = tile->v_lo, hi = tile->v_hi;
    rts_tile_row_t row = {0, 0, 0, 0};
    if (u < tile->u_lo || u >= tile->u_hi)
        return row;
    if (plan->has_limit)
        rts_tile_narrow_row(plan->limit_v, tile->limit_lo - plan->limit_u * u,
                            tile->limit_hi - plan->limit_u * u, &lo, &hi);
    if (lo < hi) {
        row.base = tile->source + rts_tile_row_start(&plan->source, tile->u + u) + tile->v * parts;
        if (plan->wrap_rows > 0 && !plan->outer_is_source)
            row.base += rts_tile_wrapped(plan, tile, tile->u + u);
        row.lo = (int16_t)(lo * parts);
        row.hi = (int16_t)(hi * parts);
        row.place = plan->stage_origin + u * plan->u_place;
    }
    return row;
}

/** SHEAR: the source row of number tile->row + number. */
RTS_PLANE_INLINE rts_tile_row_t rts_tile_sheared_row(const rts_tile_plan_t *plan, const rts_tile_t *tile,
                                                     int number) {
    const int parts = rts_tile_interleaved(plan, &plan->source);
    const int32_t at_0 = number + tile->shift; /* v where u = 0 */
    int32_t lo = tile->u_lo, hi = tile->u_hi;
    rts_tile_narrow_row(-plan->slope, tile->v_lo - at_0, tile->v_hi - at_0, &lo, &hi);
    if (plan->has_limit)
        rts_tile_narrow_row(plan->limit_u - plan->limit_v * plan->slope,
                            tile->limit_lo - plan->limit_v * at_0, tile->limit_hi - plan->limit_v * at_0, &lo,
                            &hi);
    rts_tile_row_t row = {0, 0, 0, 0};
    if (lo < hi) {
        const int32_t last = plan->u_count - 1, first = plan->mirror ? last : 0; /* first: u of word 0 */
        row.base = tile->source + rts_tile_row_start(&plan->source, tile->row + number) +
                   (plan->mirror ? -(tile->u + last) : tile->u) * parts;
        row.lo = (int16_t)((plan->mirror ? last - hi + 1 : lo) * parts);
        row.hi = (int16_t)((plan->mirror ? last - lo + 1 : hi) * parts);
        row.place = plan->stage_origin + first * plan->u_place + (at_0 - plan->slope * first) * plan->v_place;
    }
    return row;
}

/** Source row `number` in [0, source_rows) of a tile. */
RTS_PLANE_INLINE rts_tile_row_t rts_tile_source_row(const rts_tile_plan_t *plan, const rts_tile_t *tile,
                                                    int number) {
    int part = 0;
    if (!plan->source.is_interleaved && plan->parts.value > 1) {
        const int rest = (int)rts_divide((uint32_t)number, &plan->parts);
        part = number - rest * (int)plan->parts.value;
        number = rest;
    }
    rts_tile_row_t row = plan->family == RTS_TILE_TRANSPOSE ? rts_tile_transposed_row(plan, tile, number)
                                                            : rts_tile_sheared_row(plan, tile, number);
    row.base += part * plan->source.part_step;
    row.place += part * plan->part_place;
    return row;
}

/** Plans that shift: words by which a source row is to be shifted from its place in shared memory, 0 .. load_words, so that packs may be read.
 * After load_words packs would leave the source's buffer: it is not aligned then, and is read word by word. */
RTS_PLANE_INLINE int rts_tile_shift(const rts_tile_plan_t *plan, const rts_tile_row_t *row) {
    const int words = plan->load_words, phase = (int)plan->source_phase;
    const int before = (int)(row->base + phase + row->lo) & (words - 1);
    const int after = -(int)(row->base + phase + row->hi) & (words - 1);
    const int shift = ((int)row->base + phase - row->place) & (words - 1);
    const bool leaves = row->base + row->lo - before < 0 || row->base + row->hi + after > plan->source_words;
    return shift + (leaves ? 1 : 0);
}

/** Number of the source row with the word of a target row's own u = 0, in plans that shift; it is not in the tile, maybe. The word of u is in
 * that number + slope * u. */
RTS_PLANE_INLINE int rts_tile_first_row(const rts_tile_plan_t *plan, int target_row) {
    const int v = (int)rts_divide((uint32_t)target_row, &plan->parts);
    return v - (plan->slope < 0 ? plan->slope * (plan->u_count - 1) : 0);
}

/** Target row `number` in [0, target_rows) of a tile. */
RTS_PLANE_INLINE rts_tile_row_t rts_tile_target_row(const rts_tile_plan_t *plan, const rts_tile_t *tile,
                                                    int number) {
    const int parts = rts_tile_interleaved(plan, &plan->target);
    int part = 0;
    if (!plan->target.is_interleaved && plan->parts.value > 1) {
        const int rest = (int)rts_divide((uint32_t)number, &plan->parts);
        part = number - rest * (int)plan->parts.value;
        number = rest;
    }
    int32_t lo = tile->u_lo, hi = tile->u_hi;
    rts_tile_row_t row = {0, 0, 0, 0};
    if (number < tile->v_lo || number >= tile->v_hi)
        return row;
    if (plan->has_limit)
        rts_tile_narrow_row(plan->limit_u, tile->limit_lo - plan->limit_v * number,
                            tile->limit_hi - plan->limit_v * number, &lo, &hi);
    if (lo >= hi)
        return row; /* lo may be far away; below, both are in the tile */
    int64_t base =
        tile->target + rts_tile_row_start(&plan->target, tile->v + number) + part * plan->target.part_step;
    if (plan->wrap_rows > 0 && plan->outer_is_source)
        base += rts_tile_wrapped(plan, tile, tile->v + number);
    const int64_t ahead = (base + plan->target_phase + tile->column) & (plan->line - 1);
    const int32_t first = (int32_t)(tile->column - ahead - tile->u * parts);
    lo = lo * parts > first ? lo * parts : first;
    hi = hi * parts < first + plan->tile_columns ? hi * parts : first + plan->tile_columns;
    if (lo < hi) {
        row.base = base + tile->u * parts;
        row.lo = (int16_t)lo;
        row.hi = (int16_t)hi;
        row.place = plan->stage_origin + number * plan->v_place + part * plan->part_place;
    }
    return row;
}

/** In shared memory, words from one word of a source row to the next, and from one element of a target row. */
RTS_PLANE_INLINE int rts_tile_load_step(const rts_tile_plan_t *plan) {
    if (plan->source.is_interleaved || plan->load_words > 1)
        return 1;
    const int step = plan->u_place - plan->slope * plan->v_place;
    return plan->family == RTS_TILE_TRANSPOSE ? plan->v_place : plan->mirror ? -step : step;
}
RTS_PLANE_INLINE int rts_tile_store_step(const rts_tile_plan_t *plan) {
    return plan->u_place;
}

#endif
