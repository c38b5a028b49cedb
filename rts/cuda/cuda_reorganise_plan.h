/* Plans of copies between layouts on a CUDA device: what kind of kernel, which coordinates, which tiles. Plain C without CUDA, so that
 * tests run plans on the host. Kernels are in cuda_reorganise_kernels.cu, remembered plans and measuring in cuda_reorganise.c. */
#ifndef RTS_CUDA_REORGANISE_PLAN_H
#define RTS_CUDA_REORGANISE_PLAN_H

#include "rts/backend.h"
#include "rts/cuda/cuda_reorganise_tile.h"
#include "rts/cuda/cuda_reorganise_word.h"

/** Shapes of tiles that are worth trying for one plan, at most. */
#define RTS_TILE_MAX_SHAPES 5

/** Shape of a tile. */
typedef struct rts_tile_shape {
    int columns; /* words of a target row, a multiple of the line */
    int rows;    /* rows of the target */
    int threads;
    int line;      /* words: where rows of the target are cut; 1: anywhere */
    bool by_words; /* rows of the source are read word by word, though packs of 16 bytes may be possible */
} rts_tile_shape_t;

typedef enum rts_reorganise_kind {
    RTS_REORGANISE_NOTHING, /* the box is empty */
    RTS_REORGANISE_RUN,     /* one run of bytes */
    RTS_REORGANISE_WORDS,   /* word by word: thin boxes, and pairs of layouts that no tile fits */
    RTS_REORGANISE_TILES
} rts_reorganise_kind_t;

typedef struct rts_reorganise_plan {
    rts_reorganise_kind_t kind;
    int64_t bytes;                    /* of the box */
    int64_t source_byte, target_byte; /* RUN: from the buffers' starts */
    rts_word_plan_t words;
    int tile_plan_count; /* 1, or 2: rows of square packed planes ascend and descend */
    rts_tile_plan_t tiles[2];
    int shape_count; /* of tiles[0]; the first promises most */
    rts_tile_shape_t shapes[RTS_TILE_MAX_SHAPES];
} rts_reorganise_plan_t;

/**
 * Plan a copy.
 *
 * The buffers' addresses matter only modulo 256. Allocates nothing.
 * @param plan_p  tiles have the first shape
 */
void rts_reorganise_plan(const rts_copy_job_t *job, rts_reorganise_plan_t *plan_p);

/** The plan word by word of a job that is not empty, which any job has. */
void rts_word_plan_make(const rts_copy_job_t *job, rts_word_plan_t *plan_p);

/** Give the tiles of a plan another shape.
 * @return false  too much shared memory or too many tiles; *plan is not usable then */
bool rts_tile_plan_shape(rts_tile_plan_t *plan, const rts_tile_shape_t *shape);

/** Shapes for a plan, the most promising first. @return how many, 1..RTS_TILE_MAX_SHAPES */
int rts_tile_plan_shapes(const rts_tile_plan_t *plan, rts_tile_shape_t shapes_p[RTS_TILE_MAX_SHAPES]);

/** Part 0 or 1 of a job as tiles, without their shape.
 * @return false  no such part */
bool rts_tile_plan_make(const rts_copy_job_t *job, int part, rts_tile_plan_t *plan_p);

#endif
