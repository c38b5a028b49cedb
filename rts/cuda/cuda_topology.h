/* Where GPUs are: their places on the bus, and which are near the processors of this process. */
#ifndef RTS_CUDA_TOPOLOGY_H
#define RTS_CUDA_TOPOLOGY_H

#include "rts/types.h"

/**
 * @param gpu     count numbers of CUDA, at most 64
 * @param key_p   a number for the GPUs: processes that see the same ones, in the same order, get the same
 * @param near_p  bit i: gpu[i] is near some processor that this process may run on; 0 where nothing is known, as without hwloc
 */
void rts_cuda_topology(const int gpu[], int count, uint64_t *key_p, uint64_t *near_p);

#endif
