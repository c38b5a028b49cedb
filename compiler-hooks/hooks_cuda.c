/* What a query handler on a GPU may ask beside what any handler may: blocks, reductions over what its kernels found, layouts. The same
 * for Fortran: hooks_cuda_fortran.c. */
#include <config.h>

#include <dvmhlib_const.h>
#include <dvmhx_launch.h>

#include "compiler-hooks/hooks_cuda.h"
#include "rts/launcher.h"

const rts_exec_portion_t *hooks_device_portion(const char *entry_point, DvmType loop) {
    const rts_exec_portion_t *portion = hooks_portion(entry_point, loop);
    if (!rts_exec_query_is_running())
        hooks_error(entry_point, "called by a handler that runs on the host; allowed: handlers for CUDA");
    return portion;
}

void hooks_need_place(const char *entry_point, const void *address, const char *what) {
    if (address == NULL)
        hooks_error(entry_point, "the address of the %s is 0", what);
}

/* Counted from 0; the upper limit is exec's. */
static DvmType reduction_of(DvmType number) {
    return number > 0 ? number - 1 : -1;
}

HOOKS_API void dvmhx_launcher_C(const dvmhx_launcher_t *launcher) {
    HOOKS_TRY(rts_launcher_add(launcher));
}

HOOKS_API DvmType dvmh_loop_autotransform_C(DvmType loop, const DvmType header[]) {
    const rts_exec_portion_t *portion = hooks_device_portion(__func__, loop);
    rts_array_t *array = hooks_array(__func__, header);
    HOOKS_TRY(rts_exec_query_transform(array, false));
    return hooks_transformation(hooks_replica(__func__, portion->device, array));
}

HOOKS_API void dvmh_loop_cuda_get_config_C(DvmType loop, DvmType shared_per_thread, DvmType registers,
                                           void *threads, void *stream, DvmType *shared_per_block) {
    unsigned *const given = threads; /* a dim3: three words */
    int64_t proposal[3], block[3];
    void *of_device = NULL;
    hooks_device_portion(__func__, loop);
    hooks_need_place(__func__, threads, "threads");
    if (shared_per_thread < 0)
        hooks_error(__func__, "%ld bytes of shared memory for a thread; allowed: 0 and more",
                    (long)shared_per_thread);
    for (int i = 0; i < 3; i++)
        proposal[i] = given[i];
    HOOKS_TRY(rts_exec_query_config(proposal, shared_per_thread, registers, block, &of_device));
    for (int i = 0; i < 3; i++)
        given[i] = (unsigned)block[i];
    if (stream != NULL)
        *(void **)stream = of_device;
    if (shared_per_block != NULL)
        *shared_per_block = (DvmType)(block[0] * block[1] * block[2]) * shared_per_thread;
}

HOOKS_API void dvmh_loop_cuda_register_red_C(DvmType loop, DvmType number, void **items, void **locations) {
    hooks_device_portion(__func__, loop);
    HOOKS_TRY(rts_exec_query_register(reduction_of(number), items, locations));
}

HOOKS_API void dvmh_loop_cuda_red_prepare_C(DvmType loop, DvmType number, DvmType count, DvmType fill) {
    hooks_device_portion(__func__, loop);
    HOOKS_TRY(rts_exec_query_prepare(reduction_of(number), count, fill != 0));
}

HOOKS_API void dvmh_loop_cuda_red_finish_C(DvmType loop, DvmType number) {
    hooks_device_portion(__func__, loop);
    HOOKS_TRY(rts_exec_query_finish(reduction_of(number)));
}

HOOKS_API void dvmh_loop_cuda_red_init_C(DvmType loop, DvmType number, void **values, void **locations) {
    hooks_device_portion(__func__, loop);
    HOOKS_TRY(rts_exec_query_start_values(reduction_of(number), values, locations));
}

HOOKS_API const void *dvmh_loop_cuda_get_local_part_C(DvmType loop, const DvmType header[], DvmType type) {
    const void *part = NULL;
    hooks_device_portion(__func__, loop);
    HOOKS_TRY(rts_exec_query_local_part(hooks_array(__func__, header), type, &part));
    return part;
}
