/* From the words of a program to the objects behind them, and the helper values of argument lists. */
#ifndef HOOKS_HOOKS_OBJECT_H
#define HOOKS_HOOKS_OBJECT_H

#include "compiler-hooks/hooks.h"
#include "rts/array.h"
#include "rts/exec.h"
#include "rts/loop.h"
#include "rts/region.h"

/* Each returns the live object, or ends the program with a message in the entry point's name. hooks_array and hooks_target renew the
 * shadow edges first that are to be renewed. */
rts_array_t *hooks_array(const char *entry_point, const DvmType header[]);
rts_region_t *hooks_region(const char *entry_point, DvmType region);
rts_loop_t *hooks_loop(const char *entry_point, DvmType loop);
const rts_exec_portion_t *hooks_portion(const char *entry_point, DvmType portion); /* from any thread */

/** Around a loop with remote accesses: warn, once in a program, when a query handler has run here and has not asked for their buffers.
 * Main thread. */
void hooks_watch_buffers(void);
void hooks_tell_unread_buffers(const char *entry_point);

/** A template or an array: one of the two is set, the other NULL. */
void hooks_target(const char *entry_point, const DvmType header[], rts_template_t **template_p,
                  rts_array_t **array_p);

/** The same for calls that only say something about an array: shadow edges that are to be renewed may wait for others. */
rts_array_t *hooks_array_described(const char *entry_point, const DvmType header[]);
void hooks_target_described(const char *entry_point, const DvmType header[], rts_template_t **template_p,
                            rts_array_t **array_p);

/** Renew the shadow edges for which dvmh_shadow_renew_C has asked: before anything looks at values or changes them. */
void hooks_settle(const char *entry_point);

/** Ends the program unless `given` is the rank. */
void hooks_check_rank(const char *entry_point, DvmType given, int rank);

/** Ends the program unless the rank is in least..RTS_MAX_RANK; for calls that make objects. */
int hooks_new_rank(const char *entry_point, DvmType given, int least);

/** The replica on a device, or NULL when there is none; ends the program when there is no such device. */
const rts_replica_t *hooks_replica(const char *entry_point, DvmType device, const rts_array_t *array);

/** Inclusive bounds of the ABI to a box inside `limit`; UNDEF_BOUND means its limit. Ends the program when a bound lies
 * outside or low > high + 1. `bounds` has 2 * rank entries {low, high}. */
rts_box_t hooks_box(const char *entry_point, const rts_box_t *limit, const DvmType bounds[]);

/** Ends the program while a region or a loop is open; for calls that move arrays. */
void hooks_need_no_region(const char *entry_point);

/* ---- helper values: made in an argument list, good for the one call that they are an argument of ---- */

/** Rule of an axis as an argument list has it: what the program's numbers mean is found out when the axis and the process grid are known. */
typedef struct hooks_rule {
    rts_axis_rule_t rule; /* BOUNDS: without the bounds */
    bool is_weights;      /* BOUNDS: the numbers are weights of pieces, else sizes of parts */
    DvmType element_type; /* of the numbers: rt_ */
    const void *numbers;  /* read by the call that the helper is an argument of */
    DvmType count;        /* of weights */
} hooks_rule_t;

/** Section of an array as an argument list has it; `rank` of its members are set. */
typedef struct hooks_slice {
    int rank;
    rts_index_t start[RTS_MAX_RANK], end[RTS_MAX_RANK], step[RTS_MAX_RANK];
} hooks_slice_t;

/** Keep a value; @return the word that stands for it. Threads: any, each has its own. */
DvmType hooks_keep_rule(hooks_rule_t rule);
DvmType hooks_keep_slice(const hooks_slice_t *slice);
DvmType hooks_keep_alignment(rts_align_rule_t rule);
/** Room for a handler, to be filled; the word goes to *word_p. */
rts_handler_t *hooks_keep_handler(DvmType *word_p);

/** The value behind a word; ends the program when it is none of this kind, or from another call. */
hooks_rule_t hooks_rule(const char *entry_point, DvmType word);
const hooks_slice_t *hooks_slice(const char *entry_point, DvmType word);
rts_align_rule_t hooks_alignment(const char *entry_point, DvmType word);
const rts_handler_t *hooks_handler(const char *entry_point, DvmType word);

#endif
