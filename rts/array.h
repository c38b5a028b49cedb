/* Arrays and templates: index space, distribution, the part held here, home storage, and the headers through which the program
 * reaches them. Ordinary variables known to the runtime are arrays too, whose home is the program's own memory.
 * Which replica is current where is kept here but decided by coherence. */
#ifndef RTS_ARRAY_H
#define RTS_ARRAY_H

#include <dvmhlib_types.h>

#include "rts/element.h"
#include "rts/handle.h"
#include "rts/layout.h"
#include "rts/placement.h"

/** A template; shared by the arrays aligned with it. */
typedef struct rts_template {
    rts_handle_t handle; /* 0 when private to one array or deleted by the program */
    int references;      /* the program's handle and the arrays aligned with it */
    bool is_distributed;
    rts_distribution_t distribution;
    rts_index_t *bounds; /* what the rules of the distribution point to */
    rts_box_t local;
    struct rts_template *previous, *next; /* all live templates */
} rts_template_t;

/** A copy of an array's held part on one device, in a layout of its own. */
typedef struct rts_replica {
    int device;
    bool is_home;
    void *buffer; /* start of the layout's buffer; NULL when nothing is held */
    rts_layout_t layout;
    rts_boxset_t current;   /* elements whose newest value is here (user indices) */
    rts_layout_form_t form; /* of the layout */
    size_t buffer_bytes;    /* room in buffer; not kept for home */
    uint64_t use;           /* number of the use that wanted it last; kept by coherence */
    struct rts_replica *next;
} rts_replica_t;

/** What the program says about the layouts of an array, or of the arrays of a loop. */
typedef struct rts_layout_rule {
    unsigned forbidden; /* bit of rts_layout_kind_t; PLAIN: no other order of axes than home's */
    bool is_pinned;
    rts_layout_form_t pinned;
} rts_layout_rule_t;

typedef struct rts_array {
    rts_handle_t handle;
    bool is_variable;    /* ordinary variable: home is the program's memory */
    bool is_declared;    /* made without its first extent: may be cleared and given bytes again */
    bool is_complete;    /* every extent is known (false: declared, to be allocated later) */
    bool is_distributed; /* home storage exists and headers are filled */
    rts_element_t element;
    rts_box_t space;
    rts_index_t shadow_lo[RTS_MAX_RANK], shadow_hi[RTS_MAX_RANK];
    rts_template_t *template; /* root of its alignment; NULL for variables */
    bool has_own_template;    /* it was distributed, not aligned: the template is its own index space */
    rts_alignment_t alignment;
    uint64_t place_number; /* never used twice in a run: what was computed from a place is known by it */
    rts_box_t local;       /* part owned by this process */
    rts_box_t held;        /* local extended by the shadow edges, clipped to the space */
    rts_replica_t home;
    rts_replica_t *replicas; /* the others; owned by coherence */
    rts_layout_rule_t layout_rule;
    bool lacks_memory; /* a warning said so: no memory for a layout that the planner wanted */
    int header_count;
    DvmType **headers;                 /* rewritten whenever the storage changes */
    struct rts_array *previous, *next; /* all live arrays, for calls that mean all */
} rts_array_t;

/* --- templates --- */

/** @return RTS_ERR_INVALID  rank outside 1..RTS_MAX_RANK or an axis of size < 1 */
rts_status_t rts_template_create(const rts_box_t *space, rts_template_t **template_p);
/** Distribute once; bounds are copied. @return RTS_ERR_INVALID  already distributed, or rules that rts_distribution_check refuses */
rts_status_t rts_template_distribute(rts_template_t *template, const rts_axis_rule_t rule[],
                                     const rts_grid_t *grid);
/**
 * Distribute anew, or for the first time. All arrays of the template move along: values that this process owned and still owns are
 * kept (rts/redistribute.h brings those of other processes too), home moves where the held part changes, headers are written. All or nothing.
 * Before: newest values at home, no other replicas (rts_coherence_settle), no region or loop that uses the arrays.
 * @return RTS_ERR_INVALID    rules that rts_distribution_check refuses
 * @return RTS_ERR_NO_MEMORY  no room for the new parts beside the old ones
 */
rts_status_t rts_template_redistribute(rts_template_t *template, const rts_axis_rule_t rule[],
                                       const rts_grid_t *grid);
/** Drop one reference; the last frees it. NULL is fine. To delete what the program has, destroy the handle first and set it
 * to 0: aligned arrays may live on. */
void rts_template_release(rts_template_t *template);
/** All live templates, newest first; NULL at the end. */
rts_template_t *rts_template_first(void);

/* --- arrays --- */

/**
 * New array, not distributed: no storage.
 *
 * @param space       user indices; the first extent may be 0 for an array to be allocated later (`is_complete` false)
 * @param shadow_lo, shadow_hi  widths of the shadow edges, rank entries
 * @return RTS_ERR_INVALID  rank outside 1..RTS_MAX_RANK, an extent < 1, a negative width
 */
rts_status_t rts_array_create(const rts_box_t *space, rts_element_t element, const rts_index_t shadow_lo[],
                              const rts_index_t shadow_hi[], bool is_complete, rts_array_t **array_p);

/** New ordinary variable of rank 0..RTS_MAX_RANK with zero-based extents in memory of the program; held whole, current at home. */
rts_status_t rts_array_create_variable(int rank, const rts_index_t extent[], rts_element_t element,
                                       void *memory, rts_array_t **array_p);

/** Set the first extent of a declared array from the bytes to be allocated.
 * @return RTS_ERR_INVALID  bytes is not a positive whole number of rows; the message names both */
rts_status_t rts_array_set_bytes(rts_array_t *array, rts_index_t bytes);

/** Back to declared: storage and distribution dropped, headers keep the handle. Replicas must be released before. */
void rts_array_clear(rts_array_t *array);

/** Distribute over a private template equal to the array's space, allocate home and fill the headers. */
rts_status_t rts_array_distribute(rts_array_t *array, const rts_axis_rule_t rule[], const rts_grid_t *grid);

/**
 * Align with a template or with another array (then composed with that array's own alignment).
 * Exactly one of target_template and target_array is not NULL.
 * @return RTS_ERR_INVALID  the target is not distributed, the array already is, or rts_alignment_check refuses
 */
rts_status_t rts_array_align(rts_array_t *array, rts_template_t *target_template,
                             const rts_array_t *target_array, const rts_alignment_t *alignment,
                             const rts_grid_t *grid);

/**
 * Distribute anew, with all arrays that are aligned with this one; or for the first time. Conditions and what is kept: as for
 * rts_template_redistribute.
 * @return RTS_ERR_INVALID  also: a variable, or an array that is aligned with something else
 */
rts_status_t rts_array_redistribute(rts_array_t *array, const rts_axis_rule_t rule[], const rts_grid_t *grid);

/**
 * Align anew, or for the first time. Arrays that were aligned with this one stay where they are. Conditions: as for
 * rts_template_redistribute.
 * @param keep_values  whether values that this process owned and still owns are kept
 * @return RTS_ERR_INVALID  as for rts_array_align, but that the array may be placed already
 */
rts_status_t rts_array_realign(rts_array_t *array, rts_template_t *target_template,
                               const rts_array_t *target_array, const rts_alignment_t *alignment,
                               bool keep_values, const rts_grid_t *grid);

/** Destroy; headers get handle 0. Replicas must be released before (coherence). NULL is fine. */
void rts_array_destroy(rts_array_t *array);

/** Let a header of the program show this array: rank + 3 words, written now and whenever the storage changes. */
rts_status_t rts_array_attach_header(rts_array_t *array, DvmType *header);
/** Forget one header and set its handle to 0. @return false when the array does not know it */
bool rts_array_detach_header(rts_array_t *array, DvmType *header);
/** Write handle, strides, offset and base of a replica into a header: words 0..rank+2 and none beyond. */
void rts_array_fill_header(const rts_array_t *array, const rts_replica_t *replica, const void *base,
                           DvmType *header);

/** The part that a process holds of an array of which it owns `local`: that extended by the shadow edges; of a variable all. */
rts_box_t rts_array_held(const rts_array_t *array, const rts_box_t *local);

/** Address of the (maybe fictitious) element with all indices 0 in a replica; NULL when nothing is held. */
void *rts_replica_natural_base(const rts_array_t *array, const rts_replica_t *replica);

/** All live arrays, newest first; NULL at the end. */
rts_array_t *rts_array_first(void);

/** Where an array with a template lies over a grid. Valid while the array stays where it is. */
static inline rts_placement_t rts_array_placement(const rts_array_t *array, const rts_grid_t *grid) {
    return (rts_placement_t){&array->space, &array->alignment, &array->template->distribution, grid};
}

/** Address at home of an element of the held part, or NULL outside it. */
static inline void *rts_array_element(const rts_array_t *array, const rts_index_t index[]) {
    return rts_box_has_point(&array->held, index)
               ? (char *)array->home.buffer +
                     rts_layout_offset(&array->home.layout, index) * (rts_index_t)array->element.bytes
               : NULL;
}

#endif
