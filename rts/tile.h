/* Extents of tiles: what is measured to be good on a core's cache, fitted to the loop and to the number of threads. Decides no
 * order: rts_dependences_limit_tile and the makers of plans see to legality. */
#ifndef RTS_TILE_H
#define RTS_TILE_H

#include "rts/form.h"

/** Tiles of a loop, at most. */
#define RTS_MAX_TILES ((rts_index_t)1 << 20)

/** Extents for the ways that follow rows of the loop, plain and jam. */
void rts_tile_choose(const rts_loop_facts_t *facts, const rts_walk_t *walk, rts_index_t tile[]);

/** Extents for way DIAGONAL; the last one counts fronts. */
void rts_tile_choose_fronts(const rts_loop_facts_t *facts, rts_index_t tile[]);

/** Enlarge tiles until there are few enough. `count`: what the tiles cut along each dim. */
void rts_tile_limit(const rts_loop_facts_t *facts, const rts_index_t count[], rts_index_t tile[]);

/** Shrink tiles until there are enough along the first cut dim to keep all threads busy; then rts_tile_limit. */
void rts_tile_fit(const rts_loop_facts_t *facts, rts_index_t tile[]);

/** An independent loop of rank 3 and more in strips of rows, each thread with one piece of `dim`.
 * @return false  strips of whole planes fit into the cache, or there is nothing to cut */
bool rts_tile_choose_strips(const rts_loop_facts_t *facts, int dim, int *thread_count_p, rts_index_t tile[]);

/** Number of tiles of a loop of such counts. */
double rts_tile_count(int rank, const rts_index_t count[], const rts_index_t tile[]);

#endif
