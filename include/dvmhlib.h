/* The older interface of the DVM-system, as far as handlers of Fortran for CUDA call it, and the names of types that its files
 * use. The rest of it is not provided. */
#ifndef DVMHLIB_H
#define DVMHLIB_H

#include <dvmhlib_types.h>

#include <dvmhlib_const.h>

#ifndef _DVMLIB_H_
typedef DvmType ShadowGroupRef, DAConsistGroupRef, LoopRef, RedRef;
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a handler for CUDA may ask. Local; main thread. `loop` is the handler's first parameter. */

/** As dvmh_loop_cuda_register_red_C. */
void loop_cuda_register_red(DvmType *loop, DvmType number, void **items, void **locations);

/** A limit of the device. @param property  CUDA_MAX_GRID_* */
DvmType loop_cuda_get_device_prop(DvmType *loop, DvmType property);

/** Whether a sequence of statements shall be launched: once, as one block; then all its reductions are finished.
 * @param blocks       a dim3
 * @param blocks_info  0: lists of blocks are not supported in this version
 * @return 1, then 0 */
DvmType loop_cuda_do(DvmType *loop, void *blocks, void **blocks_info, DvmType index_type);

/** Reorder filled bounds for Fortran: dims are counted from the innermost, which is 0. places[p]: first the dependent ones, innermost
 * first, then the others. Bounds of the dim at place p are at rank - 1 - p.
 * @param dependent_count  of the mask's bits */
void dvmh_change_filled_bounds(DvmType *low, DvmType *high, DvmType *step, DvmType rank,
                               DvmType dependent_count, DvmType dependency_mask, DvmType *places);

#ifdef __cplusplus
}
#endif

#endif
