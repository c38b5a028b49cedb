/* Which GPUs of a node a process uses, and which of them it can use at all: arithmetic on plain numbers, the same in every process of the
 * node, tested without a GPU. Asks neither CUDA nor the machine. */
#ifndef RTS_CUDA_CHOICE_H
#define RTS_CUDA_CHOICE_H

#include "rts/backend.h"

/** GPUs of a node, at most: as many as rts_device_wish_t has bits. */
#define RTS_CUDA_MAX_GPUS 64

/** GPUs of one process, the one to use first in front. */
typedef struct rts_cuda_choice {
    int count;
    int gpu[RTS_CUDA_MAX_GPUS];        /* 0.. in the order in which CUDA shows them */
    bool is_shared[RTS_CUDA_MAX_GPUS]; /* another process of the node uses it too */
} rts_cuda_choice_t;

/**
 * Share the GPUs of a node among its processes.
 *
 * Processes that see the same GPUs (equal keys) share them. One that says how many it wants (DVMH_NUM_CUDAS) gets so many numbers, from
 * the sum of the wishes of those before it on, modulo what there is. The others get an equal share, one at least: of the GPUs that
 * fewest use, those near the process. Processes near fewest GPUs choose first.
 *
 * @param gpu_count   1..RTS_CUDA_MAX_GPUS
 * @param wish        one entry a process of the node; no count above gpu_count
 * @param local_rank  this process's entry
 */
void rts_cuda_choose(int gpu_count, const rts_device_wish_t wish[], int local_count, int local_rank,
                     rts_cuda_choice_t *choice_p);

/**
 * Why a GPU cannot be used by this build.
 *
 * @param driver, runtime  versions as CUDA counts: 1000 * major + 10 * minor; driver 0: there is none
 * @param capability       10 * major + minor of the GPU's architecture
 * @param oldest           the same of the oldest architecture that this build has code for; newer ones translate that of the newest
 * @return text, always terminated; "" when it can be used, or when there is no driver
 */
const char *rts_cuda_refusal(int driver, int runtime, int capability, int oldest, char *text,
                             size_t text_size);

#endif
