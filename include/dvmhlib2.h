/* The DVMH interface for C: what a program with `#pragma dvm` directives calls once its compiler has
 * translated them. docs/abi.md says which parts of the DVM-system's interface this version provides and
 * which it does not.
 *
 * Words. A header is the program's `DvmType A[64]` (a template: `DvmType T[1]`) that stands for an object;
 * the runtime remembers its address and fills `rank + 3` words. Axes count from 1, the slowest first.
 * Bounds are inclusive. Handles of regions and loops are opaque; 0 means none. What a call takes after the
 * named arguments is a list of DvmType words, described in a comment where the ellipsis stands.
 *
 * A helper (dvmh_distribution_*, dvmh_alignment_*, dvmh_handler_func_C) describes an argument. Its result
 * is good for the one call it is an argument of.
 *
 * A mistake of the program - a bad header, handle, rank, axis or bound - ends it: one message with the
 * source line that dvmh_line_C gave, exit code 1. Unless said otherwise a call is collective, made by the
 * main thread, outside loops. */
#ifndef DVMHLIB2_H
#define DVMHLIB2_H

#include <stdlib.h>

#include <dvmhlib_types.h>

#include <dvmh_runtime_api.h>
#include <dvmhlib_const.h>
#include <dvmhlib_debug.h>
#include <dvmhlib_stdio.h>
#include <dvmhx_launch.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The program ---- */

/** Where the program is, for messages. Only stores its arguments. Local.
 * @param line  > 0
 * @param file  not empty; must stay valid until the program ends */
void dvmh_line_C(DvmType line, const char file[]);

/** Start the runtime: the first call of a program.
 * @param flags       INITFLAG_* mask
 * @param argc, argv  those of main, NULL-terminated; may be changed by MPI */
void dvmh_init_C(DvmType flags, int *argc, char ***argv);

/** Start as part of a program that has a start and an end of its own; later calls do nothing. The end of the program is
 * also that of the runtime. The calling thread is the one that all calls of serial code come from.
 * @param flags  INITFLAG_* mask */
void dvmh_init_lib_C(DvmType flags);

/** Finish, and end the program as exit(code) does. Does not return. */
void dvmh_exit_C(DvmType code);

/* ---- Arrays and templates ---- */

/** Make an array, not distributed yet.
 * @param type_size  a negated rt_* code, or a positive element size in bytes */
void dvmh_array_create_C(DvmType header[], DvmType rank, DvmType type_size,
                         /* {size, shadow_low, shadow_high} of each axis */...);

/** Make an array whose storage comes with dvmh_array_alloc_C. The size of axis 1 is ignored. */
void dvmh_array_declare_C(DvmType header[], DvmType rank, DvmType type_size,
                          /* {size, shadow_low, shadow_high} of each axis */...);

/** malloc of a declared array.
 * @param bytes  a whole number of rows; gives axis 1 its size */
void dvmh_array_alloc_C(DvmType header[], DvmType bytes);

/** free of a declared array: back to the declared state. */
void dvmh_array_free_C(DvmType header[]);

/** Make a template. */
void dvmh_template_create_C(DvmType header[], DvmType rank, /* size of each axis */...);

/** Destroy an array or a template and clear this header's first word. */
void dvmh_delete_object_(DvmType header[]);

/** Detach a header and clear its first word; the object stays when it has another header. */
void dvmh_forget_header_(DvmType header[]);

/* ---- Distribution and alignment ---- */

/** Helper: an axis that is not cut. */
DvmType dvmh_distribution_replicated_(void);

/** Helper: equal blocks.
 * @param grid_axis  axis of the process grid, from 1 */
DvmType dvmh_distribution_block_C(DvmType grid_axis);

/** Helper: blocks of about equal weight. The axis is cut into `count` pieces of equal length with a weight each.
 * @param element_type  rt_FLOAT, rt_DOUBLE, or a type of dvmh_distribution_genblock_C
 * @param weights       0 and more; all 0: equal blocks */
DvmType dvmh_distribution_wgtblock_C(DvmType grid_axis, DvmType element_type, const void *weights,
                                     DvmType count);

/** Helper: blocks of these sizes, one for each process along the axis of the grid; their sum is the size of the axis.
 * @param element_type  rt_INT, rt_LONG, rt_LLONG, rt_SHORT or rt_UINT */
DvmType dvmh_distribution_genblock_C(DvmType grid_axis, DvmType element_type, const void *sizes);

/** Helper: about equal blocks, a multiple of `quantum` each. It divides the size of the axis. */
DvmType dvmh_distribution_multblock_C(DvmType grid_axis, DvmType quantum);

/** Distribute an array or a template.
 * @param rank  its rank */
void dvmh_distribute_C(DvmType header[], DvmType rank, /* distribution helper of each axis */...);

/** Helper: target index = multiplier * (index of axis) + summand.
 * @param axis  from 1; 0: the constant index `summand`; -1: every index */
DvmType dvmh_alignment_linear_C(DvmType axis, DvmType multiplier, DvmType summand);

/** Place an array by a template or by another distributed array.
 * @param target_rank  the target's rank */
void dvmh_align_C(DvmType header[], const DvmType target[], DvmType target_rank,
                  /* alignment helper of each axis of the target, in terms of the array's axes */...);

/** Distribute anew, with everything that is aligned with it; or for the first time. Values are kept, shadow edges are not; headers
 * are written. Outside of regions and loops. An array that is itself aligned with something else is refused. */
void dvmh_redistribute_C(DvmType header[], DvmType rank, /* distribution helper of each axis */...);

/** Align anew, or for the first time; likewise. What is aligned with this array stays where it is.
 * @param new_values  not 0: its values need not be kept */
void dvmh_realign_C(DvmType header[], DvmType new_values, const DvmType target[], DvmType target_rank,
                    /* alignment helper of each axis of the target, in terms of the array's axes */...);

/* ---- Ordinary variables ---- */

/** Begin to know a variable by its address, or once more. Local.
 * @param bytes  its size; 0: not known yet */
void dvmh_data_enter_C(const void *address, DvmType bytes);

/** End what dvmh_data_enter_C began. Local.
 * @param save  not 0: bring the newest values to `address` */
void dvmh_data_exit_C(const void *address, DvmType save);

/** Header of a variable, owned by the runtime until the variable is forgotten. Indices count from 0.
 * @param rank       0 for a scalar
 * @param type_size  as for dvmh_array_create_C */
DvmType *dvmh_variable_gen_header_C(const void *address, DvmType rank, DvmType type_size,
                                    /* size of each axis */...);

/** The same header again. */
DvmType *dvmh_variable_get_header_C(const void *address);

/** malloc, calloc, realloc, strdup, free of memory that the runtime knows as a variable while it lives.
 * Local. */
void *dvmh_malloc_C(size_t size);
void *dvmh_calloc_C(size_t count, size_t size);
void *dvmh_realloc_C(void *address, size_t size);
char *dvmh_strdup_C(const char *text);
void dvmh_free_C(void *address);

/* ---- Elements in serial code ---- */

/** Address of an element that this process holds, shadow edges included; NULL when it does not. Local. */
void *dvmh_get_element_addr_C(const DvmType header[], DvmType rank, /* index of each axis */...);

/** Address of an element of this process's own part; NULL when another one owns it. Local. */
void *dvmh_get_own_element_addr_C(const DvmType header[], DvmType rank, /* index of each axis */...);

/** Whether an element is in this process's own part: 1 or 0. Local. */
DvmType dvmh_has_element_C(const DvmType header[], DvmType rank, /* index of each axis */...);

/** Elements from the header's base to an element. Not checked. Local. */
DvmType dvmh_calc_linear_C(const DvmType header[], DvmType rank, /* index of each axis */...);

/* ---- Copies ---- */
/* Arrays and headers of variables. Sections have the same extents in the same order, but for extents of 1; elements are of
 * one size. The source and the target may overlap. Collective. */

/** Helper: a section.
 * @param rank  the array's */
DvmType dvmh_array_slice_C(DvmType rank, /* {start, end, step} of each axis; step > 0, whole steps */...);

/** Copy a whole array. */
void dvmh_array_copy_whole_(const DvmType source[], DvmType target[]);

/** Copy a section. @param source_slice, target_slice  helpers; 0: the whole array */
void dvmh_array_copy_C(const DvmType source[], DvmType source_slice, DvmType target[], DvmType target_slice);

/** Give all elements the value at an address. */
void dvmh_array_set_value_(DvmType target[], const void *value);

/** Copy a section of an array to every process, as an array of its own: dvmh_delete_object_ ends it. It has the axes that are
 * not constant, with the array's indices; one axis of index 0 when there are none. Collective. */
void dvmh_remote_access_C(DvmType buffer[], const DvmType header[], DvmType rank,
                          /* alignment helper of each axis: axis 0 (a constant) or -1 (all) */...);

/* ---- Edges, and host copies against device copies ---- */

/** Renew shadow edges from the neighbours.
 * @param corners  not 0: corners too
 * @param rank     0: the whole declared widths; else the array's rank */
void dvmh_shadow_renew_C(const DvmType header[], DvmType corners, DvmType rank,
                         /* {low, high} of each axis */...);

/** Bring the newest values to the host. An unknown address is ignored. Local. */
void dvmh_get_actual_variable2_(void *address);
void dvmh_get_actual_array2_(const DvmType header[]);
void dvmh_get_actual_all2_(void);

/** Tell that the host's values are the only current ones. An unknown address is ignored. Local. */
void dvmh_actual_variable2_(const void *address);
void dvmh_actual_array2_(const DvmType header[]);
void dvmh_actual_all2_(void);

/** The same for a part. UNDEF_BOUND: the limit of the axis. */
void dvmh_get_actual_subarray_C(const DvmType header[], DvmType rank, /* {low, high} of each axis */...);
void dvmh_actual_subarray_C(const DvmType header[], DvmType rank, /* {low, high} of each axis */...);
void dvmh_get_actual_subvariable_C(void *address, DvmType rank, /* {low, high} of each axis */...);
void dvmh_actual_subvariable_C(const void *address, DvmType rank, /* {low, high} of each axis */...);

/* ---- Regions ---- */

/** Open a region.
 * @param flags  REGION_* mask
 * @return its handle */
DvmType dvmh_region_create_C(DvmType flags);

/** Tell what the region does with an array or with a variable's header.
 * @param intent  INTENT_* mask
 * @param name    for messages */
void dvmh_region_register_array_C(DvmType region, DvmType intent, const DvmType header[], const char name[]);

/** The same for a part. */
void dvmh_region_register_subarray_C(DvmType region, DvmType intent, const DvmType header[],
                                     const char name[], DvmType rank,
                                     /* {low, high} of each axis, UNDEF_BOUND: the limit */...);

/** The same for a scalar variable, known or not. */
void dvmh_region_register_scalar_C(DvmType region, DvmType intent, const void *address, DvmType type_size,
                                   const char name[]);

/** End registration and choose devices.
 * @param device_types  mask of the DEVICE_TYPE_* that every loop of the region has a handler for */
void dvmh_region_execute_on_targets_C(DvmType region, DvmType device_types);

/** Close the region. Values stay where they are. */
void dvmh_region_end_C(DvmType region);

/* ---- Loops ---- */

/** Open a loop.
 * @param region  0 outside regions
 * @param rank    0: a sequence of statements
 * @return its handle */
DvmType dvmh_loop_create_C(DvmType region, DvmType rank,
                           /* {start, end, step} of each dim, outermost first */...);

/** Which process runs which iterations. */
void dvmh_loop_map_C(DvmType loop, const DvmType target[], DvmType target_rank,
                     /* alignment helper of each axis of the target, in terms of the loop's dims */...);

/** Regular dependences of an array.
 * @param is_out  not 0: the loop writes beyond its own element instead of reading there */
void dvmh_loop_across_C(DvmType loop, DvmType is_out, const DvmType header[], DvmType rank,
                        /* {low, high} distance along each axis */...);

/** A reduction variable.
 * @param reduction  rf_*
 * @param type       rt_*
 * @param count      elements
 * @param location, location_bytes  for rf_MAXLOC and rf_MINLOC: location data and its size an element */
void dvmh_loop_reduction_C(DvmType loop, DvmType reduction, void *address, DvmType type, DvmType count,
                           void *location, DvmType location_bytes);

/** Tie axes of an array to dims of the loop: dim from 1, negative when it runs backwards, 0: not tied. */
void dvmh_loop_array_correspondence_C(DvmType loop, const DvmType header[], DvmType rank,
                                      /* dim of each axis */...);

/** A section of an array that other processes may own. Handlers that take records see it by a use with the flag DVMHX_REMOTE of
 * dvmhx_loop_array_C, others ask dvmh_loop_get_remote_buf_C. */
void dvmh_loop_remote_access_C(DvmType loop, const DvmType header[], DvmType rank,
                               /* alignment helper of each axis, in terms of the loop's dims */...);

/** An array that every process has whole and of which each iteration writes the elements that the helpers name, axis by axis as for
 * dvmh_loop_remote_access_C. After the loop every process has the values that others wrote. An element that several processes write has
 * the value of one of them. */
void dvmh_loop_consistent_C(DvmType loop, const DvmType header[], DvmType rank,
                            /* alignment helper of each axis, in terms of the loop's dims */...);

/** The loop runs also for iterations of neighbouring processes whose images lie up to `low` before or `high` behind this process's part of
 * `target`, so that shadow edges of what it writes are computed instead of sent. Not with across or reductions.
 * @param target  a template or an array that the loop's target is aligned with, or that is aligned with it
 * @param rank    that of the target; 0: no widths follow, as far as the shadow edges of all arrays of the next call reach */
void dvmh_loop_shadow_compute_C(DvmType loop, const DvmType target[], DvmType rank,
                                /* low, high of each axis */...);

/** An array whose shadow edges the loop computes by dvmh_loop_shadow_compute_C: they need no renewal afterwards. */
void dvmh_loop_shadow_compute_array_C(DvmType loop, const DvmType header[]);

/** Parts that an across loop is cut into when it goes from process to process; 0: chosen by the runtime. */
void dvmh_loop_set_stage_C(DvmType loop, DvmType stage);

/** Threads of a block on a GPU; sizes other than 1 for at most as many as the loop has dims. */
void dvmh_loop_set_cuda_block_C(DvmType loop, DvmType x, DvmType y, DvmType z);

/** Helper: a handler and what it is called with, after a pointer to the loop's handle.
 * @param count  parameters that follow */
DvmType dvmh_handler_func_C(DvmHandlerFunc handler, DvmType count, /* void *: each parameter */...);

/** Give the loop its body.
 * @param device_type   one DEVICE_TYPE_*
 * @param handler_type  HANDLER_TYPE_* mask, or DVMHX_HANDLER_RECORD
 * @param handler       helper */
void dvmh_loop_register_handler_C(DvmType loop, DvmType device_type, DvmType handler_type, DvmType handler);

/** Run the loop and destroy it. */
void dvmh_loop_perform_C(DvmType loop);

/* ---- What a handler may ask. Local; any thread of the handler ---- */
/* `loop` is the word that the handler's first parameter points to. */

/** Device that runs the handler: 0 the host. */
DvmType dvmh_loop_get_device_num_C(DvmType loop);

/** Bounds of the portion, direction kept; `high` is the last value taken. Any pointer may be NULL. */
void dvmh_loop_fill_bounds_C(DvmType loop, DvmType low[], DvmType high[], DvmType step[]);

/** Threads that the handler shall use; >= 1. */
DvmType dvmh_loop_get_slot_count_C(DvmType loop);

/** Bit rank - dim (dims from 1) is set when the dim carries a dependence. */
DvmType dvmh_loop_get_dependency_mask_C(DvmType loop);

/** Store the start value of a reduction.
 * @param number  from 1, in the order of dvmh_loop_reduction_C */
void dvmh_loop_red_init_C(DvmType loop, DvmType number, void *address, void *location);

/** Hand in a partial result. */
void dvmh_loop_red_post_C(DvmType loop, DvmType number, const void *address, const void *location);

/** Part of an array that the device owns: {low, high} of each axis, {1, 0} when there is none. */
void dvmh_loop_fill_local_part_C(DvmType loop, const DvmType header[], DvmType part[]);

/** Whether an element is in that part: 1 or 0. */
DvmType dvmh_loop_has_element_C(DvmType loop, const DvmType header[], DvmType rank,
                                /* index of each axis */...);

/** Header of the copy that dvmh_loop_remote_access_C asked for. An axis that follows a dim is indexed by the loop's variable.
 * @param number  from 1, in the order of those calls
 * @param buffer  as many words as the header of an array of its rank has; good until the handler returns */
void dvmh_loop_get_remote_buf_C(DvmType loop, DvmType number, DvmType buffer[]);

/** rt_INT when offsets of all arrays of the region (outside regions: of the program) fit 32 bits, else rt_LONG or rt_LLONG. */
DvmType dvmh_loop_guess_index_type_C(DvmType loop);

/** Address of the element with all indices 0 in a device's copy; it may lie outside the storage.
 * @return NULL when the device holds nothing of the array */
void *dvmh_get_natural_base_C(DvmType device, const DvmType header[]);

/** A device's copy of an ordinary variable; on the host the variable itself. @return NULL: no copy */
void *dvmh_get_device_addr_C(DvmType device, const void *address);

/**
 * Header of a device's copy.
 * @param base           what dvmh_get_natural_base_C gave
 * @param device_header  rank + 3 words
 * @param extended       7 words, or NULL; filled when the result is 2
 * @return 0 plain order, 1 axes permuted, 2 a pair of axes diagonalised
 */
DvmType dvmh_fill_header_C(DvmType device, const void *base, const DvmType header[], DvmType device_header[],
                           DvmType extended[]);

/** Reorder filled bounds: dependent dims first, then the others, outermost first in both groups.
 * @param places  receives the dim, from 0, at each place */
void dvmh_change_filled_bounds2_C(DvmType low[], DvmType high[], DvmType step[], DvmType rank,
                                  DvmType dependency_mask, DvmType places[]);

/** Reorder filled bounds: the others first, then dependent dims. @param places  receives the dim, from 1, at each place */
void dvmh_change_filled_bounds_C(DvmType low[], DvmType high[], DvmType step[], DvmType rank,
                                 DvmType dependency_mask, DvmType places[]);

/* ---- What a handler for CUDA may ask. Local; main thread ---- */

/** Reorganise the device's copy of an array as the loop walks over it. Before the handler asks where the array lies.
 * @return as dvmh_fill_header_C */
DvmType dvmh_loop_autotransform_C(DvmType loop, const DvmType header[]);

/**
 * How to launch kernels.
 *
 * @param shared_per_thread  bytes of shared memory
 * @param registers          of a thread; 0: not known
 * @param threads            a dim3: the block proposed, any extent 0: none; receives the block. (1, 1, 1) for a sequence of statements
 * @param stream             a cudaStream_t, for all launches; may be NULL
 * @param shared_per_block   receives bytes; may be NULL
 */
void dvmh_loop_cuda_get_config_C(DvmType loop, DvmType shared_per_thread, DvmType registers, void *threads,
                                 void *stream, DvmType *shared_per_block);

/** Say where the addresses of a reduction's partial results shall go.
 * @param number     from 1, in the order of dvmh_loop_reduction_C
 * @param locations  may be NULL without locations */
void dvmh_loop_cuda_register_red_C(DvmType loop, DvmType number, void **items, void **locations);

/** Make room on the device for `count` partial results: element e of item t is at items[e * count + t], its location at
 * t times their size. @param fill  not 0: store the start value in each; else kernels write to all of them */
void dvmh_loop_cuda_red_prepare_C(DvmType loop, DvmType number, DvmType count, DvmType fill);

/** Combine them, as dvmh_loop_red_post_C does with one, and free the room. */
void dvmh_loop_cuda_red_finish_C(DvmType loop, DvmType number);

/** Start values on the device, good until the handler returns. Either may be NULL. */
void dvmh_loop_cuda_red_init_C(DvmType loop, DvmType number, void **values, void **locations);

/** The part of an array that the device owns, as dvmh_loop_fill_local_part_C has it, on the device; good until the handler returns.
 * @param index_type  of its numbers: rt_INT, rt_LONG, rt_LLONG */
const void *dvmh_loop_cuda_get_local_part_C(DvmType loop, const DvmType header[], DvmType index_type);

/* The same for Fortran: by reference. */
DvmType dvmh_loop_autotransform_(const DvmType *loop, const DvmType header[]);
DvmType dvmh_fill_header2_(const DvmType *device, const void *base, const DvmType header[],
                           DvmType device_header[]);
DvmType dvmh_fill_header_ex2_(const DvmType *device, const void *base, const DvmType header[],
                              DvmType device_header[], DvmType extended[]);
void dvmh_loop_fill_bounds_(const DvmType *loop, DvmType low[], DvmType high[], DvmType step[]);
DvmType dvmh_loop_get_dependency_mask_(const DvmType *loop);
void dvmh_loop_red_init_(const DvmType *loop, const DvmType *number, void *address, void *location);

/* ---- Intervals of the statistics ---- */
/* They nest: each end closes the innermost open one. */

/** Around a parallel, a sequential loop. */
void dvmh_par_interval_start_C(void);
void dvmh_seq_interval_start_C(void);
void dvmh_sp_interval_end_(void);

/** Of the program. @param number  tells several passes apart */
void dvmh_usr_interval_start_C(DvmType number);
void dvmh_usr_interval_end_(void);

/* ---- Unstructured distributions ---- */
/* Not supported in this version: each call ends the program with that message. */

/** Distribution by a map, and by a rule computed from another array. */
DvmType dvmh_distribution_indirect_C(DvmType grid_axis, DvmType element_type, const void *map);
DvmType dvmh_distribution_derived_C(DvmType grid_axis, DvmType derived_rhs, DvmType counting_handler,
                                    DvmType filling_handler);

/** Helpers of the derived distribution. */
DvmType dvmh_derived_rhs_C(const DvmType target[], DvmType target_rank,
                           /* expression helper of each axis */...);
DvmType dvmh_derived_rhs_expr_ignore_(void);
DvmType dvmh_derived_rhs_expr_constant_C(DvmType index);
DvmType dvmh_derived_rhs_expr_scan_C(DvmType shadow_count, /* const char *: each shadow's name */...);

/** Shadow edges and local numbers of unstructured arrays. */
DvmType *dvmh_indirect_get_buffer_C(DvmType count);
void dvmh_indirect_shadow_add_C(DvmType header[], DvmType axis, DvmType derived_rhs, DvmType counting_handler,
                                DvmType filling_handler, const char name[], DvmType include_count,
                                /* DvmType *: header of each array included */...);
void dvmh_indirect_shadow_renew_C(const DvmType header[], DvmType axis, const char name[]);
void dvmh_indirect_localize_C(const DvmType header[], const DvmType target[], DvmType target_axis);
void dvmh_indirect_unlocalize_(const DvmType header[]);

#ifdef __cplusplus

#ifdef __GNUC__
#define DVMHLIB2_VISIBLE __attribute__((visibility("default")))
#else
#define DVMHLIB2_VISIBLE
#endif

/** A source file's own start and end: a static object in each converted file that has global DVM data. Made
 * before dvmh_init_C it waits for that; made later (a library loaded at run time) it runs `init` at once. */
class DVMHLIB2_VISIBLE DvmhModuleInitializer {
  public:
    explicit DvmhModuleInitializer(void (*init)(), void (*finish)() = 0);
    /** Run what waits, the object made last first. */
    static void executeInit();
    /** Run the `finish` functions in the same order. */
    static void executeFinish();

  protected:
    static DvmhModuleInitializer *head;
    DvmhModuleInitializer *next;
    void (*functionInit)();
    void (*functionFinish)();
};

#undef DVMHLIB2_VISIBLE

} /* extern "C" */
#endif

#endif
