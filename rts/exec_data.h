/* What a loop finds on its device: facts for the planner, arrays in the layouts that it decided on, values there. Decides only what
 * happens when memory is short: another plan, and in the end the host. Part of exec; main thread only. */
#ifndef RTS_EXEC_DATA_H
#define RTS_EXEC_DATA_H

#include <dvmhx.h>

#include "rts/loop.h"
#include "rts/planner.h"

/** A loop that is ready to run. */
typedef struct rts_exec_data {
    int device;
    const rts_handler_t *handler;
    rts_loop_facts_t facts;
    const rts_plan_t *plan; /* until the next loop */
    /* In the order of loop->array. */
    dvmhx_array_t array[RTS_MAX_LOOP_ITEMS];
    const rts_layout_t *layout[RTS_MAX_LOOP_ITEMS];
} rts_exec_data_t;

/**
 * Choose a plan for a prepared loop, bring its arrays into the plan's layouts on the device and their values there, mark what will be
 * written. Without memory for a layout: a warning, once an array, and another plan; without memory on another device than the host, the
 * host.
 *
 * The handler gets no call for an empty loop: there is no plan then, and arrays whose layout could be chosen stay where they are.
 * @param device  where the loop should run; it has a handler there
 * @param data_p  the same object from call to call, zeroed before the first; valid until the next
 * @return RTS_ERR_INVALID    an array that the region registered was deleted
 * @return RTS_ERR_NO_MEMORY  not even home's layouts and the host will do
 */
rts_status_t rts_exec_data_prepare(rts_loop_t *loop, int device, rts_exec_data_t *data_p);

/** Bring values of a box to where a loop that is ready finds the array. */
rts_status_t rts_exec_data_bring(const rts_exec_data_t *data, rts_array_t *array, const rts_box_t *box);

/** Whether a device has a handler of a kind that it can run. */
bool rts_exec_runs_on(const rts_loop_t *loop, int device);

#endif
