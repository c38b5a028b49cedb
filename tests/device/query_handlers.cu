/* The handlers of query_handlers.h for a GPU, and what only a GPU can do: reductions over warps in the form of Fortran's handlers, and
 * kernels and launches that fail. Compiled without contraction, so that results are those of plain C bit for bit. */
#include <dvmhlib_cuda.h>

#include <dvmhlib2.h>

#include "rts/cuda/cuda_kernel.h"

#define KERNEL static __global__ void
#define BOTH   static __device__
#define LAUNCH(kernel, blocks, threads, stream, ...)                                                         \
    (void)rts_launch(kernel, blocks, threads, 0, stream, __VA_ARGS__)

BOTH DvmType convert(DvmType x, DvmType y, DvmType rx, DvmType ry, DvmType slash) {
    DvmType place;
    dvmh_convert_XY(x, y, rx, ry, slash, place);
    return place;
}

#include "tests/device/query_handlers.h"

/* ---- as handlers of Fortran reduce: one partial result a warp ---- */

KERNEL warp_kernel(query_case_t c, span_t span, view_t a, const DvmType *part, double sum, double *sums,
                   long long bits, long long *all_bits, double greatest, query_location_t at,
                   double *greatests, query_location_t *places) {
    DvmType value[3], index[3];
    int where[3] = {at.index[0], at.index[1], at.index[2]};
    const DvmType thread = THREAD;
    if (find_iteration(&span, c.rank, thread, value)) {
        bool is_own = true;
        for (int axis = 0; axis < c.rank; axis++) {
            index[axis] = value[c.dim[axis]];
            is_own = is_own && part[2 * axis] <= index[axis] && index[axis] <= part[2 * axis + 1];
        }
        if (is_own) {
            const double found = get(&a, &c, index, -1, 0);
            sum = sum + query_whole(found);
            bits = bits ^ (long long)query_whole(found * 1000);
            if (query_whole(found) > greatest) {
                greatest = query_whole(found);
                for (int dim = 0; dim < c.rank; dim++)
                    where[dim] = (int)value[dim];
            }
        }
    }
    sum = __dvmh_blockReduceSum(sum);
    bits = __dvmh_blcokReduceXOR(bits);
    __dvmh_blockReduceMaxLoc<double, int, 3>(greatest, where);
    if (thread % 32 == 0) {
        sums[thread / 32] = sum;
        all_bits[thread / 32] = bits;
        greatests[thread / 32] = greatest;
        for (int i = 0; i < 3; i++)
            places[thread / 32].index[i] = where[i];
    }
}

static void warp_handler(DvmType *loop, DvmType a_header[], const query_case_t *c) {
    DvmType device = dvmh_loop_get_device_num_C(*loop), one = 1, two = 2, three = 3;
    dim3 threads(0, 0, 0);
    cudaStream_t stream = NULL;
    double sum, greatest, *sums, *greatests;
    long long bits, *all_bits;
    query_location_t at = {{0, 0, 0}}, *places;
    view_t a;
    DvmType header[64];
    memset(&a, 0, sizeof a);
    if (c->transforms)
        dvmh_loop_autotransform_(loop, a_header);
    a.base = (double *)dvmh_get_natural_base_C(device, a_header);
    a.state = dvmh_fill_header_ex2_(&device, a.base, a_header, header, a.extended);
    a.rank = c->rank;
    for (int axis = 0; axis < c->rank; axis++)
        a.stride[axis] = header[axis + 1];
    dvmh_loop_cuda_get_config_C(*loop, 0, 0, &threads, &stream, NULL);
    if (threads.x * threads.y * threads.z % 32 != 0)
        query_fail("a block that is not made of whole warps");
    span_t span = find_span(*loop, c);
    dvmh_loop_fill_bounds_(loop, span.low, span.high, span.step); /* the same by the other entry point */
    const unsigned blocks = blocks_for(span.count, &threads);
    const DvmType items = (DvmType)blocks * threads.x * threads.y * threads.z / 32;
    if (loop_cuda_get_device_prop(loop, CUDA_MAX_GRID_X) < (DvmType)blocks)
        query_fail("a grid that the device does not have");
    const DvmType *const part = (const DvmType *)dvmh_loop_cuda_get_local_part_C(*loop, a_header, rt_LONG);
    loop_cuda_register_red(loop, 1, (void **)&sums, NULL);
    dvmh_loop_red_init_(loop, &one, &sum, NULL);
    dvmh_loop_cuda_red_prepare_C(*loop, 1, items, 0);
    loop_cuda_register_red(loop, 2, (void **)&all_bits, NULL);
    dvmh_loop_red_init_(loop, &two, &bits, NULL);
    dvmh_loop_cuda_red_prepare_C(*loop, 2, items, 0);
    loop_cuda_register_red(loop, 3, (void **)&greatests, (void **)&places);
    dvmh_loop_red_init_(loop, &three, &greatest, &at);
    dvmh_loop_cuda_red_prepare_C(*loop, 3, items, 0);
    LAUNCH(warp_kernel, blocks, threads, stream, *c, span, a, part, sum, sums, bits, all_bits, greatest, at,
           greatests, places);
    for (DvmType number = 1; number <= 3; number++)
        dvmh_loop_cuda_red_finish_C(*loop, number);
}

/* ---- what fails ---- */

static __global__ void wild_kernel(double *base) {
    base[(int64_t)1 << 40] = 1;
}

static void wild_handler(DvmType *loop, DvmType a_header[], DvmType[], double *, const query_case_t *) {
    dim3 threads(1, 1, 1);
    cudaStream_t stream = NULL;
    double *const base = (double *)dvmh_get_natural_base_C(dvmh_loop_get_device_num_C(*loop), a_header);
    dvmh_loop_cuda_get_config_C(*loop, 0, 0, &threads, &stream, NULL);
    LAUNCH(wild_kernel, 1, 1, stream, base);
}

static void large_handler(DvmType *loop, DvmType a_header[], DvmType[], double *, const query_case_t *) {
    dim3 threads(1, 1, 1);
    cudaStream_t stream = NULL;
    double *const base = (double *)dvmh_get_natural_base_C(dvmh_loop_get_device_num_C(*loop), a_header);
    dvmh_loop_cuda_get_config_C(*loop, 0, 0, &threads, &stream, NULL);
    LAUNCH(wild_kernel, 1, 4096, stream, base); /* no device has such blocks */
}

extern "C" {
extern const query_handlers_t cuda_handlers, cuda_warp_handlers, cuda_wild_handlers, cuda_large_handlers;
int cuda_device_count(void);

#define HANDLER(function) ((DvmHandlerFunc)(void (*)())(function))

const query_handlers_t cuda_handlers = {HANDLER(plain_handler), HANDLER(reduce_handler),
                                        HANDLER(across_handler), HANDLER(sequence_handler), NULL};
const query_handlers_t cuda_warp_handlers = {HANDLER(plain_handler), HANDLER(warp_handler),
                                             HANDLER(across_handler), HANDLER(sequence_handler), NULL};
const query_handlers_t cuda_wild_handlers = {HANDLER(wild_handler), HANDLER(reduce_handler),
                                             HANDLER(across_handler), HANDLER(sequence_handler), NULL};
const query_handlers_t cuda_large_handlers = {HANDLER(large_handler), HANDLER(reduce_handler),
                                              HANDLER(across_handler), HANDLER(sequence_handler), NULL};

int cuda_device_count(void) {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}
}
