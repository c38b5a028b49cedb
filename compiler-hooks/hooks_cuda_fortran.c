/* What handlers of Fortran on a GPU call, beside calls that they share with C: scalars by reference, and the names of an older interface. */
#include <config.h>

#include <dvmhlib.h>
#include <dvmhlib2.h>

#include "compiler-hooks/hooks_cuda.h"

/* What a pointer to a scalar points to. */
static DvmType word_at(const char *entry_point, const DvmType *address, const char *what) {
    hooks_need_place(entry_point, address, what);
    return *address;
}

HOOKS_API DvmType dvmh_loop_autotransform_(const DvmType *loop, const DvmType header[]) {
    const rts_exec_portion_t *portion = hooks_device_portion(__func__, word_at(__func__, loop, "loop"));
    rts_array_t *array = hooks_array(__func__, header);
    HOOKS_TRY(rts_exec_query_transform(array, true));
    return hooks_transformation(hooks_replica(__func__, portion->device, array));
}

HOOKS_API DvmType dvmh_fill_header2_(const DvmType *device, const void *base, const DvmType header[],
                                     DvmType device_header[]) {
    return hooks_fill_header(__func__, word_at(__func__, device, "device"), base, header, device_header,
                             NULL);
}

HOOKS_API DvmType dvmh_fill_header_ex2_(const DvmType *device, const void *base, const DvmType header[],
                                        DvmType device_header[], DvmType extended[]) {
    return hooks_fill_header(__func__, word_at(__func__, device, "device"), base, header, device_header,
                             extended);
}

HOOKS_API void dvmh_loop_fill_bounds_(const DvmType *loop, DvmType low[], DvmType high[], DvmType step[]) {
    dvmh_loop_fill_bounds_C(word_at(__func__, loop, "loop"), low, high, step);
}

HOOKS_API DvmType dvmh_loop_get_dependency_mask_(const DvmType *loop) {
    return dvmh_loop_get_dependency_mask_C(word_at(__func__, loop, "loop"));
}

HOOKS_API void dvmh_loop_red_init_(const DvmType *loop, const DvmType *number, void *address,
                                   void *location) {
    dvmh_loop_red_init_C(word_at(__func__, loop, "loop"), word_at(__func__, number, "number"), address,
                         location);
}

HOOKS_API void loop_cuda_register_red(DvmType *loop, DvmType number, void **items, void **locations) {
    hooks_device_portion(__func__, word_at(__func__, loop, "loop"));
    HOOKS_TRY(rts_exec_query_register(number > 0 ? number - 1 : -1, items, locations));
}

HOOKS_API DvmType loop_cuda_get_device_prop(DvmType *loop, DvmType property) {
    rts_device_limits_t limits;
    hooks_device_portion(__func__, word_at(__func__, loop, "loop"));
    if (property < CUDA_MAX_GRID_X || property > CUDA_MAX_GRID_Z)
        hooks_error(__func__, "property %ld; allowed: %d..%d", (long)property, CUDA_MAX_GRID_X,
                    CUDA_MAX_GRID_Z);
    HOOKS_TRY(rts_exec_query_limits(&limits));
    return limits.grid[property - CUDA_MAX_GRID_X];
}

HOOKS_API DvmType loop_cuda_do(DvmType *loop, void *blocks, void **blocks_info, DvmType index_type) {
    const rts_exec_portion_t *portion = hooks_device_portion(__func__, word_at(__func__, loop, "loop"));
    unsigned *const grid = blocks; /* a dim3 */
    (void)index_type;
    hooks_need_place(__func__, blocks, "blocks");
    if (portion->loop->rank > 0 || blocks_info != NULL)
        hooks_error(__func__, "lists of blocks are not supported by this version; allowed: a sequence of "
                              "statements, without such a list");
    if (rts_exec_query_launches_again()) {
        grid[0] = grid[1] = grid[2] = 1;
        return 1;
    }
    HOOKS_TRY(rts_exec_query_finish_all());
    return 0;
}
