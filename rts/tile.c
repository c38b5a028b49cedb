/* Extents of tiles: see the header. */
#include <config.h>

#include "rts/tile.h"

#define JAM_ROWS    8
#define CACHE_BYTES (512 * 1024) /* part of a core's second-level cache that a tile may fill */
#define LINE_BYTES  64
/* Extents of a tile along the last dims, measured: flat optima of 16 to 128 rows by 256 to 1024 columns in rank 2, of 8 to 32
 * planes by 32 to 64 rows, columns whole, beyond. */
#define TILE_ROWS_2D    64
#define TILE_COLUMNS_2D 512
#define TILE_PLANES     16
#define TILE_ROWS       32
#define STRIP_PLANES    4 /* of a stencil, with what is written */
/* The same along fronts: 512 rows, in rank 2 by 8 to 256 fronts, else by 8 to 128 fronts and 4 to 8 planes. */
#define FRONT_ROWS    512
#define FRONTS_2D     64
#define FRONTS        32
#define FEWEST_FRONTS 8
#define FRONT_PLANES  8
#define FEWEST_PLANES 4
#define FEWEST_ROWS   64

double rts_tile_count(int rank, const rts_index_t count[], const rts_index_t tile[]) {
    double tiles = 1;
    for (int dim = 0; dim < rank; dim++)
        tiles *= (double)rts_div_up(count[dim], tile[dim]);
    return tiles;
}

static rts_index_t iteration_bytes(const rts_loop_facts_t *facts) {
    return (rts_index_t)facts->element_bytes * facts->array_count;
}

/* Along the contiguous dim two cache lines, so that what one outer iteration brought is still there for the next ones, and the
 * other dims filled up from the innermost. */
static void choose_against_storage(const rts_loop_facts_t *facts, int near_dim, rts_index_t tile[]) {
    const rts_index_t lines = 2 * LINE_BYTES / (rts_index_t)facts->element_bytes;
    rts_index_t room = CACHE_BYTES / (2 * LINE_BYTES * facts->array_count);
    tile[near_dim] = rts_min(rts_max(lines, 1), facts->count[near_dim]);
    for (int dim = facts->rank - 1; dim >= 0 && room > 1; dim--) {
        if (dim == near_dim)
            continue;
        tile[dim] = rts_min(facts->count[dim], room);
        room /= tile[dim];
    }
}

/* With rows along the contiguous dim: whole rows beyond rank 2, long pieces of rows in rank 2, and as many rows as the cache
 * holds. */
void rts_tile_choose(const rts_loop_facts_t *facts, const rts_walk_t *walk, rts_index_t tile[]) {
    const int rank = facts->rank, near_dim = walk->contiguous_dim;
    for (int dim = 0; dim < rank; dim++)
        tile[dim] = 1;
    if (near_dim >= 0 && near_dim != rank - 1) {
        choose_against_storage(facts, near_dim, tile);
        return;
    }
    rts_index_t room = CACHE_BYTES / iteration_bytes(facts);
    tile[rank - 1] = rts_min(facts->count[rank - 1], rank == 2 ? TILE_COLUMNS_2D : rts_max(room / 16, 1));
    room /= tile[rank - 1];
    if (rank >= 2)
        tile[rank - 2] = rts_min(facts->count[rank - 2],
                                 rts_max(JAM_ROWS, rank == 2 ? rts_min(room, TILE_ROWS_2D) : TILE_ROWS));
    if (rank >= 3)
        tile[rank - 3] = rts_min(facts->count[rank - 3], TILE_PLANES);
}

void rts_tile_limit(const rts_loop_facts_t *facts, const rts_index_t count[], rts_index_t tile[]) {
    while (rts_tile_count(facts->rank, count, tile) > (double)RTS_MAX_TILES)
        for (int dim = 0; dim < facts->rank; dim++)
            tile[dim] = rts_min(count[dim], 2 * tile[dim]);
}

void rts_tile_fit(const rts_loop_facts_t *facts, rts_index_t tile[]) {
    const int rank = facts->rank;
    int owner = 0;
    while (owner < rank - 1 && tile[owner] >= facts->count[owner] &&
           facts->count[owner] < 2 * facts->thread_count)
        owner++;
    const rts_index_t wanted = rts_max(1, facts->count[owner] / (4 * facts->thread_count));
    if (tile[owner] > wanted)
        tile[owner] = owner == rank - 2 && wanted > JAM_ROWS ? wanted / JAM_ROWS * JAM_ROWS : wanted;
    rts_tile_limit(facts, facts->count, tile);
}

/* Halve an extent, not below `least`, while the tile is too large for the cache. */
static void shrink(rts_index_t *extent, rts_index_t least, double *bytes) {
    while (*bytes > CACHE_BYTES && *extent > least) {
        const rts_index_t less = rts_max(least, *extent / 2);
        *bytes *= (double)less / (double)*extent;
        *extent = less;
    }
}

/* Long fronts: rows whole as far as possible. In rank 2 groups of rows are what threads share, each as far behind the one before as
 * it has rows, so that they must be few when columns are. Beyond, planes are, unless there are too few. */
void rts_tile_choose_fronts(const rts_loop_facts_t *facts, rts_index_t tile[]) {
    const int rank = facts->rank, row = rank - 2;
    const rts_index_t pieces = 2 * (rts_index_t)facts->thread_count;
    rts_index_t rows = rts_min(facts->count[row], FRONT_ROWS), planes = 1;
    rts_index_t fronts = rank == 2 ? FRONTS_2D : FRONTS;
    if (rank >= 3 && facts->count[rank - 3] >= pieces)
        planes = rts_min(FRONT_PLANES, facts->count[rank - 3] / pieces);
    else
        rows = rts_max(1, rts_min(rts_min(rows, facts->count[row] / pieces),
                                  rts_max(FEWEST_ROWS, facts->count[row + 1])));
    double bytes = (double)iteration_bytes(facts) * (double)rows * (double)planes * (double)fronts;
    shrink(&planes, rts_min(planes, FEWEST_PLANES), &bytes);
    shrink(&fronts, FEWEST_FRONTS, &bytes);
    shrink(&rows, rts_min(rows, FEWEST_ROWS), &bytes);
    shrink(&planes, 1, &bytes);
    shrink(&fronts, 1, &bytes);
    shrink(&rows, 1, &bytes);
    for (int dim = 0; dim < row; dim++)
        tile[dim] = dim == rank - 3 ? planes : 1;
    tile[row] = rows;
    tile[row + 1] = fronts;
}

bool rts_tile_choose_strips(const rts_loop_facts_t *facts, int dim, int *thread_count_p, rts_index_t tile[]) {
    const int rank = facts->rank, row = rank - 2;
    if (rank < 3 || dim >= row)
        return false;
    for (int i = 0; i < rank; i++)
        tile[i] = facts->count[i];
    tile[row] = CACHE_BYTES / STRIP_PLANES / (rts_index_t)facts->element_bytes / facts->count[rank - 1];
    tile[row] = rts_max(1, tile[row]);
    if (tile[row] >= facts->count[row])
        return false;
    *thread_count_p = (int)rts_min(facts->thread_count, facts->count[dim]);
    tile[dim] = rts_div_up(facts->count[dim], *thread_count_p);
    return true;
}
