/* Regions: which arrays a block of loops uses and how, on which device it runs, and what that means for coherence. */
#ifndef RTS_REGION_H
#define RTS_REGION_H

#include "rts/array.h"

/** Intents of the ABI, bit mask. */
enum { RTS_INTENT_IN = 1, RTS_INTENT_OUT = 2, RTS_INTENT_LOCAL = 4, RTS_INTENT_USE = 8 };

/** Part of an array with one intent. */
typedef struct rts_region_part {
    rts_handle_t array; /* a handle, so that an array deleted meanwhile is noticed */
    int intent;
    bool has_run_loop; /* a loop of this region used it: what that wrote is needed from then on */
    rts_box_t box;     /* user indices */
    char name[64];     /* for messages; cut off where it is longer */
} rts_region_part_t;

typedef struct rts_region {
    rts_handle_t handle;
    rts_position_t position;
    int flags;
    bool is_executing; /* rts_region_execute was called: no more registrations */
    int device;        /* chosen by rts_region_execute */
    int part_count, part_capacity;
    rts_region_part_t *part;
} rts_region_t;

/** Open a region; its memory is reused. @return RTS_ERR_INVALID  one is open already, or unknown flags */
rts_status_t rts_region_open(DvmType flags, rts_region_t **region_p);

/** The open region, or NULL. */
rts_region_t *rts_region_current(void);

/**
 * Register a use.
 * @param box  part of the array, user indices; NULL: all that this process holds
 * @return RTS_ERR_INVALID  registration is over, the array is incomplete or not distributed, the intent is no mask of the
 *                          ABI, or an OUT part overlaps a LOCAL one
 */
rts_status_t rts_region_register(rts_region_t *region, rts_array_t *array, DvmType intent,
                                 const rts_box_t *box);

/** Name the array of the last registration as the program does. */
void rts_region_set_name(rts_region_t *region, const char *name);

/**
 * End registration and choose the device: the first device of a type in the mask, accelerators before the host; the host when
 * there is none. Inputs become current there when the first loop runs.
 * @param device_mask  DEVICE_TYPE_ bits; other bits are refused
 */
rts_status_t rts_region_execute(rts_region_t *region, DvmType device_mask);

/** Before a loop on `device`: bring there what the region reads or has written so far, and mark what it writes. */
rts_status_t rts_region_prepare_loop(rts_region_t *region, int device);

/** Before a loop whose handler asks for its arrays one by one, on a device beside the host: room there for all arrays of the region, so that a
 * lack of memory is known while the loop can still run elsewhere. Nothing is brought there. @return RTS_ERR_NO_MEMORY */
rts_status_t rts_region_reserve(rts_region_t *region, int device);

/**
 * Before a loop with a record handler, for one array of it: bring to the replica that the loop will use what the region reads or has
 * written so far, and mark what it writes. Other arrays of the region stay where they are.
 * @param intent  what the loop does with the array: nothing is marked without RTS_INTENT_OUT
 */
rts_status_t rts_region_prepare_array(rts_region_t *region, rts_array_t *array, int intent,
                                      rts_replica_t *replica);

/** From now on loops need all values that there are, also of what the region says to replace. */
void rts_region_need_all(rts_region_t *region);

/** Forms in which all that rts_region_prepare_array would bring is at hand on a device: at most 2, home first. @return how many */
int rts_region_present(const rts_region_t *region, const rts_array_t *array, int device,
                       rts_layout_form_t form[2]);

/** Before the array changes its form for a loop of this intent: forget values that the region replaces without reading them. */
rts_status_t rts_region_forget_array(const rts_region_t *region, rts_array_t *array, int intent);

/** Close: local parts become undefined; nothing is copied back. */
rts_status_t rts_region_close(rts_region_t *region);

/** True when the array, or part of it, is registered. */
bool rts_region_has(const rts_region_t *region, const rts_array_t *array);

/** Whether an array may be destroyed or rebuilt now.
 * @return RTS_ERR_INVALID  the open region or the open loop uses it */
rts_status_t rts_region_check_unused(const rts_array_t *array);

/** Free the memory at the end of the run. */
void rts_region_reset(void);

#endif
