/* Cutting; see the header. The ranges of two processes along a dim are the same or have nothing in common, and so are tiles cut from them:
 * they are compared by where they begin. */
#include <config.h>

#include "rts/pipeline_cut.h"

#include "rts/distribution.h"

/* Where several dims would do for stages, the outermost that has so many iterations: inner ones are left whole, for vectors. */
#define GOOD_STAGE_COUNT 64

static bool has_bit(unsigned mask, int dim) {
    return (mask >> dim & 1) != 0;
}

static bool goes_back(const rts_dependences_t *dependences, int dim) {
    for (int i = 0; i < dependences->count; i++)
        if (dependences->vector[i][dim] < 0)
            return true;
    return false;
}

/* Whether processes wait for each other along a dim. */
static bool is_passed(const rts_cut_facts_t *facts, int dim) {
    return facts->parts[dim] > 1 && !rts_dependences_is_free(facts->dependences, dim);
}

/* Is `dim` better for stages than `best`? Fewer processes along it means more along the others, which start early then. */
static bool is_better(const rts_cut_facts_t *facts, int dim, int best) {
    const rts_index_t parts = is_passed(facts, dim) ? facts->parts[dim] : 1,
                      best_parts = is_passed(facts, best) ? facts->parts[best] : 1;
    if (parts != best_parts)
        return parts < best_parts;
    return facts->count[best] < GOOD_STAGE_COUNT && facts->count[dim] > facts->count[best];
}

static int choose_stage_dim(const rts_cut_facts_t *facts) {
    int best = -1;
    for (int dim = 0; dim < facts->rank; dim++) {
        bool others_wait = false;
        for (int other = 0; other < facts->rank; other++)
            others_wait = others_wait || (other != dim && is_passed(facts, other));
        if (others_wait && facts->count[dim] > 1 && has_bit(facts->divisible, dim) &&
            !goes_back(facts->dependences, dim) && (best < 0 || is_better(facts, dim, best)))
            best = dim;
    }
    return best;
}

/* Longer than any dependence. */
#define NO_LIMIT ((rts_index_t)1 << 40)

/* Tiles may not be longer than dependences that start in a dim and go back along a dim that is cut. */
static rts_status_t set_limits(const rts_cut_facts_t *facts, rts_cut_t *cut) {
    rts_index_t tile[RTS_MAX_RANK], count[RTS_MAX_RANK];
    for (int dim = 0; dim < facts->rank; dim++) {
        count[dim] = NO_LIMIT;
        tile[dim] = has_bit(cut->distributed, dim) ? NO_LIMIT - 1 : NO_LIMIT; /* less than count: cut */
    }
    rts_dependences_limit_tile(facts->dependences, count, tile);
    for (int dim = 0; dim < facts->rank; dim++) {
        if (tile[dim] >= NO_LIMIT - 1)
            continue;
        if (!has_bit(facts->divisible, dim))
            return rts_fail(
                RTS_ERR_UNSUPPORTED,
                "processes would wait for each other iteration by iteration of loop axis %d, because "
                "dependences go back along a distributed axis, but an across array is not aligned with "
                "the loop along that axis, or is written beyond the own elements",
                dim + 1);
        cut->limit[dim] = tile[dim];
    }
    return RTS_OK;
}

/* Fronts of which each needs only earlier ones and itself. Only where the innermost dim carries something: without that nobody stores
 * arrays by fronts. */
static rts_index_t find_lag(const rts_cut_facts_t *facts) {
    const int row = facts->rank - 2, column = facts->rank - 1;
    const rts_dependences_t *dependences = facts->dependences;
    rts_index_t lag = 0;
    if (!facts->has_fronts || facts->rank < 2 || !has_bit(facts->divisible, row) ||
        !has_bit(facts->divisible, column) || (rts_dependences_carried(dependences) & 1) == 0 ||
        !rts_dependences_lag(dependences, &lag))
        return 0;
    for (int i = 0; i < dependences->count; i++)
        if (lag * dependences->vector[i][row] + dependences->vector[i][column] < 0)
            return 0;
    return lag;
}

rts_status_t rts_cut_make(const rts_cut_facts_t *facts, rts_cut_t *cut) {
    *cut = (rts_cut_t){.rank = facts->rank, .stage_dim = -1, .stages = 1};
    for (int dim = 0; dim < facts->rank; dim++) {
        cut->order[dim] = dim;
        if (facts->parts[dim] > 1)
            cut->distributed |= 1u << dim;
        cut->is_mixed = cut->is_mixed || (facts->parts[dim] > 1 && goes_back(facts->dependences, dim));
    }
    if (cut->is_mixed)
        return set_limits(facts, cut);
    cut->stage_dim = choose_stage_dim(facts);
    cut->lag = find_lag(facts);
    if (cut->lag > 0)
        cut->front_count = cut->lag * (facts->count[facts->rank - 2] - 1) + facts->count[facts->rank - 1];
    for (int dim = cut->stage_dim; dim > 0; dim--)
        cut->order[dim] = dim - 1;
    if (cut->stage_dim >= 0)
        cut->order[0] = cut->stage_dim;
    for (int dim = 0; dim < facts->rank; dim++)
        if (dim != cut->stage_dim && is_passed(facts, dim))
            cut->path += facts->parts[dim] - 1;
    return RTS_OK;
}

/* Pieces of a dim of a process's iterations. */
static rts_index_t pieces(const rts_cut_t *cut, const rts_box_t *local, int dim) {
    const rts_index_t length = local->hi[dim] - local->lo[dim];
    if (dim == cut->stage_dim && !cut->by_fronts)
        return rts_max(1, rts_min(cut->stages, length));
    return cut->limit[dim] > 0 ? rts_div_up(length, cut->limit[dim]) : 1;
}

rts_index_t rts_cut_tile_count(const rts_cut_t *cut, const rts_box_t *local) {
    rts_index_t count = 1;
    if (rts_box_is_empty(local))
        return 0;
    if (cut->by_fronts)
        return rts_min(cut->stages, cut->front_count);
    for (int dim = 0; dim < cut->rank; dim++)
        count *= pieces(cut, local, dim);
    return count;
}

rts_cut_tile_t rts_cut_tile(const rts_cut_t *cut, const rts_box_t *local, rts_index_t number) {
    rts_cut_tile_t tile = {.box = *local};
    if (cut->by_fronts) {
        rts_block_bounds(cut->front_count, rts_min(cut->stages, cut->front_count), number, &tile.front_lo,
                         &tile.front_hi);
        return tile;
    }
    for (int i = cut->rank - 1; i >= 0; i--) {
        const int dim = cut->order[i];
        const rts_index_t length = local->hi[dim] - local->lo[dim], count = pieces(cut, local, dim),
                          piece = number % count;
        rts_index_t lo = piece * cut->limit[dim], hi = rts_min(length, lo + cut->limit[dim]);
        if (cut->limit[dim] == 0)
            rts_block_bounds(length, count, piece, &lo, &hi);
        tile.box.lo[dim] = local->lo[dim] + lo;
        tile.box.hi[dim] = local->lo[dim] + hi;
        number /= count;
    }
    return tile;
}

bool rts_cut_tile_is_empty(const rts_cut_t *cut, const rts_cut_tile_t *tile) {
    const int row = cut->rank - 2, column = cut->rank - 1;
    const rts_box_t *box = &tile->box;
    if (rts_box_is_empty(box))
        return true;
    return cut->by_fronts && (tile->front_hi <= cut->lag * box->lo[row] + box->lo[column] ||
                              tile->front_lo > cut->lag * (box->hi[row] - 1) + box->hi[column] - 1);
}

bool rts_cut_tile_before(const rts_cut_t *cut, const rts_cut_tile_t *a, const rts_cut_tile_t *b) {
    return a->front_lo != b->front_lo ? a->front_lo < b->front_lo : rts_cut_before(cut, &a->box, &b->box);
}

bool rts_cut_before(const rts_cut_t *cut, const rts_box_t *a, const rts_box_t *b) {
    for (int i = 0; i < cut->rank; i++) {
        const int dim = cut->order[i];
        if (a->lo[dim] != b->lo[dim])
            return a->lo[dim] < b->lo[dim];
    }
    return false;
}

bool rts_cut_may_need(const rts_cut_t *cut, const rts_box_t *from, const rts_box_t *to) {
    for (int dim = 0; dim < cut->rank; dim++)
        if (!cut->is_mixed && from->lo[dim] > to->lo[dim])
            return false;
    return true;
}
