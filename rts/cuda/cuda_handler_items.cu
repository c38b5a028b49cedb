/* Calls of the kernels that combine partial results: one instance for each type of the ABI. The host combines what they leave. */
#include "rts/cuda/cuda_handler_items.h"

#include "rts/cuda/cuda_handler_kernels.h"
#include "rts/cuda/cuda_kernel.h"

namespace {

/** As many elements at once as a grid may have blocks along y. */
template <typename T>
int launch_combine(const rts_items_job_t *job, void *parts, void *, cudaStream_t stream) {
    const int64_t most = 65535;
    for (int64_t element = 0; element < job->element_count; element += most) {
        const int64_t left = job->element_count - element;
        const dim3 blocks(RTS_ITEM_PARTS, (unsigned)(left < most ? left : most));
        const cudaError_t error =
            rts_launch(combine_items<T>, blocks, RTS_ITEM_THREADS, 0, stream, job->operation, job->item_count,
                       static_cast<const T *>(job->items) + element * job->item_count,
                       static_cast<T *>(parts) + element * RTS_ITEM_PARTS);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

template <typename T>
int launch_any(const rts_items_job_t *job, void *parts, void *locations, cudaStream_t stream) {
    if (locations == nullptr)
        return launch_combine<T>(job, parts, locations, stream);
    return rts_launch(find_items<T>, RTS_ITEM_PARTS, RTS_ITEM_THREADS, 0, stream, job->operation == rf_MAXLOC,
                      job->item_count, static_cast<const T *>(job->items),
                      static_cast<const char *>(job->locations), (int64_t)job->location_bytes,
                      static_cast<T *>(parts), static_cast<char *>(locations));
}

} // namespace

extern "C" int rts_cuda_items_combine(const rts_items_job_t *job, void *parts, void *locations, void *queue) {
    const cudaStream_t stream = static_cast<cudaStream_t>(queue);
    switch (job->type) {
    case rt_CHAR:
        return launch_any<signed char>(job, parts, locations, stream);
    case rt_UCHAR:
        return launch_any<unsigned char>(job, parts, locations, stream);
    case rt_SHORT:
        return launch_any<short>(job, parts, locations, stream);
    case rt_USHORT:
        return launch_any<unsigned short>(job, parts, locations, stream);
    case rt_INT:
    case rt_LOGICAL:
        return launch_any<int>(job, parts, locations, stream);
    case rt_UINT:
        return launch_any<unsigned>(job, parts, locations, stream);
    case rt_LONG:
        return launch_any<long>(job, parts, locations, stream);
    case rt_ULONG:
        return launch_any<unsigned long>(job, parts, locations, stream);
    case rt_LLONG:
        return launch_any<long long>(job, parts, locations, stream);
    case rt_ULLONG:
        return launch_any<unsigned long long>(job, parts, locations, stream);
    case rt_FLOAT:
        return launch_any<float>(job, parts, locations, stream);
    case rt_DOUBLE:
        return launch_any<double>(job, parts, locations, stream);
    case rt_FLOAT_COMPLEX:
        return launch_combine<complex_pair<float>>(job, parts, locations, stream);
    case rt_DOUBLE_COMPLEX:
        return launch_combine<complex_pair<double>>(job, parts, locations, stream);
    default:
        return cudaErrorInvalidValue;
    }
}

extern "C" int rts_cuda_items_fill(void *target, const void *values, size_t value_bytes, int64_t value_count,
                                   int64_t repeat, void *queue) {
    const int64_t run_bytes = repeat * (int64_t)value_bytes, total_bytes = value_count * run_bytes;
    const int64_t blocks = (total_bytes + 255) / 256;
    return rts_launch(fill_values, (unsigned)(blocks < 4096 ? blocks : 4096), 256, 0,
                      static_cast<cudaStream_t>(queue), static_cast<char *>(target),
                      static_cast<const char *>(values), (int64_t)value_bytes, run_bytes, total_bytes);
}
