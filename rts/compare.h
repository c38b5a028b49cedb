/* Debugging of loops on accelerators: run a loop on the host and on its region's device from the same values, and name the first element
 * that differs. Decides nothing about how either runs. Part of exec; main thread only. */
#ifndef RTS_COMPARE_H
#define RTS_COMPARE_H

#include "rts/loop.h"

/**
 * Whether a loop is to be compared: by DVMH_COMPARE_DEBUG or the flag of its region, where it has a handler for the host and some process has a
 * device that may run it. The same in all processes, so that they exchange the same; where a process has no device for it, both runs are the host's. Then nothing is told.
 */
bool rts_compare_wants(const rts_loop_t *loop);

/**
 * Run a loop twice, and compare what the two runs leave in the arrays that its region writes and in its reduction variables. Afterwards
 * everything is as the device left it. Collective where the loop is. Whole numbers and elements of unknown types are equal byte by byte;
 * floating-point numbers within DVMH_COMPARE_FLOATS_EPS and DVMH_COMPARE_DOUBLES_EPS.
 *
 * Ordinary arrays of the loop begin both runs with the same values, and are not compared.
 *
 * Values that nobody has defined count as those that lie in the host's memory, in both runs.
 * @param perform  runs the loop whole, on the host or on its device
 * @return RTS_ERR_DEVICE     the first difference: array, element, both values
 * @return RTS_ERR_NO_MEMORY  for two copies of each array on the host
 * @return other statuses     from the runs
 */
rts_status_t rts_compare_loop(rts_loop_t *loop, rts_status_t (*perform)(rts_loop_t *loop, bool on_host));

#endif
