/* Launching kernels of reorganisations. Plain C: status codes are those of CUDA's run-time library (cudaError_t as int). */
#ifndef RTS_CUDA_REORGANISE_KERNELS_H
#define RTS_CUDA_REORGANISE_KERNELS_H

#include "rts/cuda/cuda_reorganise_tile.h"
#include "rts/cuda/cuda_reorganise_word.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Queue the tiles of a plan on a stream of the current device, whose number that is. @return 0, or an error of CUDA */
int rts_tile_launch(const rts_tile_plan_t *plan, int device, const void *source, void *target, void *stream);

/** Queue a copy word by word. */
int rts_word_launch(const rts_word_plan_t *plan, const void *source, void *target, void *stream);

/** Planes of a buffer that is reorganised in itself; steps in words. */
typedef struct rts_planes {
    int word_bytes;
    int64_t parts;         /* words of an element */
    int64_t rows, columns; /* elements; square: the same */
    int64_t row_step;      /* a column's is `parts` */
    int axis_count;        /* around the planes */
    int64_t extent[RTS_WORD_MAX_AXES], step[RTS_WORD_MAX_AXES];
    int64_t count; /* of planes */
    /* Columns rotate: what is in row i of column j comes to row i - (turn + slope * j), modulo rows. */
    int64_t turn;
    int slope;
} rts_planes_t;

/** Queue the exchange of rows and columns of square planes. @return 0, or an error of CUDA */
int rts_square_launch(const rts_planes_t *planes, void *buffer, void *stream);

/** Queue the rotation of columns: each of two kernels reverses pieces of columns. */
int rts_rotate_launch(const rts_planes_t *planes, void *buffer, void *stream);

#ifdef __cplusplus
}
#endif

#endif
