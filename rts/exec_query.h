/* A query handler on an accelerator: what it may ask while it runs, and what must be tidied up when it has returned. Arrays come to the
 * device, in a layout that the handler can follow, when it asks where they are. Part of exec; main thread only. */
#ifndef RTS_EXEC_QUERY_H
#define RTS_EXEC_QUERY_H

#include "rts/exec.h"
#include "rts/handler_ops.h"

/** A handler is about to run for a portion. The device has a table of handler operations. */
rts_status_t rts_exec_query_begin(const rts_exec_portion_t *portion);

/** It has returned: wait for its kernels, free what it was given. @return RTS_ERR_DEVICE  a launch or a kernel of it failed */
rts_status_t rts_exec_query_end(void);

/** Whether a handler runs on an accelerator now. */
bool rts_exec_query_is_running(void);

/**
 * Before a handler learns where an array lies: values that it may read come there, what the region writes is marked, and a layout that the
 * handler did not ask for is turned back. Nothing when no handler runs on that device, or the region does not know the array.
 */
rts_status_t rts_exec_query_array(rts_array_t *array, int device);

/**
 * Give an array the layout that the loop wants on this device (-autoTfm). Without memory for it, or with DVMH_PLANNER=off, it keeps one
 * that the handler can follow.
 * @param is_fortran  which handlers follow which diagonals differs by language
 */
rts_status_t rts_exec_query_transform(rts_array_t *array, bool is_fortran);

/**
 * Threads of a block for the handler's kernels, and the stream for all its launches.
 * @param proposal           of the compiler; any 0: none
 * @param shared_per_thread, registers  of its kernel; registers <= 0: not known
 */
rts_status_t rts_exec_query_config(const int64_t proposal[3], int64_t shared_per_thread, int64_t registers,
                                   int64_t block_p[3], void **stream_p);

/** The limits of the device. */
rts_status_t rts_exec_query_limits(rts_device_limits_t *limits_p);

/** An array on the device with the part that it owns of an array: {low, high} of each axis as numbers of an integer type of the ABI.
 * Freed at the end. @return RTS_ERR_INVALID  another type */
rts_status_t rts_exec_query_local_part(const rts_array_t *array, DvmType type, const void **part_p);

/** Sequence handlers ask whether to launch: true once, in each handler. */
bool rts_exec_query_launches_again(void);

/* ---- reductions; numbers count from 0 ---- */

/** Remember where a handler wants to have the addresses of its partial results. @param locations_p  NULL: it wants none */
rts_status_t rts_exec_query_register(DvmType number, void **items_p, void **locations_p);

/**
 * Room on the device for `count` partial results; their addresses go to where the handler said.
 * @param is_filled  the items are accumulated to: each begins with the start value. Then there are more than was asked for, since
 *                   some handlers write behind the end
 */
rts_status_t rts_exec_query_prepare(DvmType number, int64_t count, bool is_filled);

/** Combine all items into the portion's partial result, and free them. */
rts_status_t rts_exec_query_finish(DvmType number);

/** The same for all that were prepared. */
rts_status_t rts_exec_query_finish_all(void);

/** Copies of the start values on the device. Freed at the end. @param locations_p  NULL: not wanted */
rts_status_t rts_exec_query_start_values(DvmType number, void **values_p, void **locations_p);

#endif
