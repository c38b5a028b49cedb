/* Query handlers for CUDA in the form of generated code (abi.md 7.4 to 7.7), written once for two readers: nvcc, and a C compiler that
 * plays the kernels one thread after the other. The reader defines before:
 *
 *   KERNEL, BOTH       what stands before a kernel, and before a function that kernels call
 *   LAUNCH(kernel, blocks, threads, stream, ...)
 *   convert(x, y, Rx, Ry, slash)   place of an element in packed diagonals
 *
 * The loops are those of tests/device/query_loops.h, which has the same in plain C. */
#ifndef QUERY_HANDLERS_H
#define QUERY_HANDLERS_H

#include <dvmhlib.h>
#include <dvmhlib2.h>

#include "tests/device/query_loops.h"

/** An array as a kernel sees it. */
typedef struct view {
    double *base;
    DvmType stride[3];
    DvmType state, extended[7];
    int rank;
} view_t;

/** A launch: which iterations it covers. */
typedef struct span {
    DvmType low[3], high[3], step[3]; /* by place */
    DvmType places[3];                /* the dim at each place */
    DvmType fixed;                    /* places before this one are given by the front */
    DvmType front;                    /* number of the front that runs; without dependences 0 */
    DvmType count;                    /* threads that have something to do, at most */
} span_t;

static DvmType trips(const span_t *span, int place) {
    return (span->high[place] - span->low[place] + span->step[place]) / span->step[place];
}

BOTH DvmType offset_of(const view_t *view, const DvmType index[]) {
    DvmType offset = 0;
    for (int axis = 0; axis < view->rank; axis++)
        offset += view->stride[axis] * index[axis];
    if (view->state == 2) {
        const DvmType *e = view->extended;
        offset += convert(index[e[0] - 1] - e[1], index[e[3] - 1] - e[4], e[2], e[5], e[6]);
    }
    return offset;
}

/* What the body reads and writes. */
BOTH double get(const view_t *view, const query_case_t *c, const DvmType index[], int axis, int distance) {
    DvmType moved[3] = {0};
    (void)c;
    for (int i = 0; i < view->rank; i++)
        moved[i] = index[i] + (i == axis ? distance : 0);
    return view->base[offset_of(view, moved)];
}

/* Iteration number `item` of a span, as values of the loop's variables. @return whether there is one */
BOTH bool find_iteration(const span_t *span, int rank, DvmType item, DvmType value[]) {
    DvmType front = span->front;
    for (int place = rank - 1; place >= 0; place--) {
        const DvmType length = (span->high[place] - span->low[place] + span->step[place]) / span->step[place];
        DvmType ordinal;
        if (place == 0 && span->fixed > 0) {
            ordinal = front; /* what the other dependent dims leave of the front's number */
            if (ordinal < 0 || ordinal >= length)
                return false;
        } else {
            ordinal = item % length;
            item /= length;
            if (place < span->fixed)
                front -= ordinal;
        }
        value[span->places[place]] = span->low[place] + ordinal * span->step[place];
    }
    return item == 0;
}

/* ---- kernels ---- */

#define THREAD                                                                                               \
    ((DvmType)blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + threadIdx.x +                            \
     (DvmType)blockDim.x * (threadIdx.y + (DvmType)blockDim.y * threadIdx.z))

KERNEL plain_kernel(query_case_t c, span_t span, view_t a, view_t b, const double *weight) {
    DvmType value[3], index[3];
    if (!find_iteration(&span, c.rank, THREAD, value))
        return;
    for (int axis = 0; axis < c.rank; axis++)
        index[axis] = value[c.dim[axis]];
    double sum = *weight * get(&a, &c, index, -1, 0);
    for (int axis = 0; axis < c.rank; axis++)
        sum = sum + 0.125 * get(&a, &c, index, axis, -1) + 0.0625 * get(&a, &c, index, axis, 1);
    b.base[offset_of(&b, index)] = sum;
}

KERNEL across_kernel(query_case_t c, span_t span, view_t a, double *greatest) {
    DvmType value[3], index[3];
    if (!find_iteration(&span, c.rank, THREAD, value))
        return;
    for (int axis = 0; axis < c.rank; axis++)
        index[axis] = value[c.dim[axis]];
    double sum = 0.25 * get(&a, &c, index, -1, 0);
    for (int axis = 0; axis < c.rank; axis++)
        if (c.depends[axis])
            sum = sum + 0.25 * get(&a, &c, index, axis, -1) + 0.125 * get(&a, &c, index, axis, 1);
    a.base[offset_of(&a, index)] = sum;
    if (greatest != NULL && sum > greatest[THREAD])
        greatest[THREAD] = sum;
}

/* Every thread writes, those without an iteration what they began with. */
KERNEL reduce_kernel(query_case_t c, span_t span, view_t a, double sum, double *sums, long long bits,
                     long long *all_bits, double greatest, query_location_t at, double *greatests,
                     query_location_t *places) {
    DvmType value[3], index[3];
    if (find_iteration(&span, c.rank, THREAD, value)) {
        for (int axis = 0; axis < c.rank; axis++)
            index[axis] = value[c.dim[axis]];
        const double found = get(&a, &c, index, -1, 0);
        sum = sum + query_whole(found);
        bits = bits ^ (long long)query_whole(found * 1000);
        if (query_whole(found) > greatest) {
            greatest = query_whole(found);
            for (int dim = 0; dim < c.rank; dim++)
                at.index[dim] = (int)value[dim];
        }
    }
    sums[THREAD] = sum;
    all_bits[THREAD] = bits;
    greatests[THREAD] = greatest;
    places[THREAD] = at;
}

KERNEL sequence_kernel(double *scalar, double factor) {
    *scalar = *scalar * factor + 1;
}

/* ---- handlers ---- */

static view_t find_view(DvmType device, const DvmType header[], int rank) {
    DvmType device_header[64];
    view_t view;
    memset(&view, 0, sizeof view);
    view.base = (double *)dvmh_get_natural_base_C(device, header);
    view.state = dvmh_fill_header_C(device, view.base, header, device_header, view.extended);
    view.rank = rank;
    for (int axis = 0; axis < rank; axis++)
        view.stride[axis] = device_header[axis + 1];
    query_seen_states |= 1u << view.state;
    if (view.base != NULL && device_header[rank + 1] != 0)
        query_fail("the offset of a device's header is not 0");
    return view;
}

static void check_index_type(DvmType loop) {
    const DvmType type = dvmh_loop_guess_index_type_C(loop);
    if (type != rt_INT && type != rt_LONG && type != rt_LLONG)
        query_fail("an index of an unknown type");
}

static span_t find_span(DvmType loop, const query_case_t *c) {
    span_t span;
    memset(&span, 0, sizeof span);
    dvmh_loop_fill_bounds_C(loop, span.low, span.high, span.step);
    span.count = 1;
    for (int place = 0; place < c->rank; place++) {
        span.places[place] = place;
        span.count *= trips(&span, place);
    }
    return span;
}

static unsigned blocks_for(DvmType count, const dim3 *threads) {
    const DvmType size = (DvmType)threads->x * threads->y * threads->z;
    return (unsigned)((count + size - 1) / size);
}

static void plain_handler(DvmType *loop_p, DvmType a_header[], DvmType b_header[], double *weight,
                          const query_case_t *c) {
    const DvmType loop = *loop_p, device = dvmh_loop_get_device_num_C(loop);
    dim3 threads = {0, 0, 0};
    cudaStream_t stream = NULL;
    if (c->transforms) {
        dvmh_loop_autotransform_C(loop, a_header);
        dvmh_loop_autotransform_C(loop, b_header);
    }
    const view_t a = find_view(device, a_header, c->rank), b = find_view(device, b_header, c->rank);
    if (a.state > (c->transforms ? 1 : 0) || b.state > (c->transforms ? 1 : 0))
        query_fail("a plain loop's arrays lie in a way that its kernel does not know");
    if (!c->transforms && (a.stride[c->rank - 1] != 1 || b.stride[c->rank - 1] != 1))
        query_fail("the last stride is not 1");
    check_index_type(loop);
    dvmh_loop_cuda_get_config_C(loop, 0, 0, &threads, &stream, NULL);
    const span_t span = find_span(loop, c);
    const double *const on_device = (const double *)dvmh_get_device_addr_C(device, weight);
    LAUNCH(plain_kernel, blocks_for(span.count, &threads), threads, stream, *c, span, a, b, on_device);
}

static void reduce_handler(DvmType *loop_p, DvmType a_header[], const query_case_t *c) {
    const DvmType loop = *loop_p, device = dvmh_loop_get_device_num_C(loop);
    dim3 threads = {0, 0, 0};
    cudaStream_t stream = NULL;
    double sum, greatest, *sums, *greatests;
    long long bits, *all_bits;
    query_location_t at, *places;
    if (c->transforms)
        dvmh_loop_autotransform_C(loop, a_header);
    const view_t a = find_view(device, a_header, c->rank);
    dvmh_loop_cuda_get_config_C(loop, 0, 24, &threads, &stream, NULL);
    const span_t span = find_span(loop, c);
    const unsigned blocks = blocks_for(span.count, &threads);
    const DvmType items = (DvmType)blocks * threads.x * threads.y * threads.z;
    memset(&at, 0, sizeof at);
    dvmh_loop_cuda_register_red_C(loop, 1, (void **)&sums, NULL);
    dvmh_loop_red_init_C(loop, 1, &sum, NULL);
    dvmh_loop_cuda_red_prepare_C(loop, 1, items, 0);
    dvmh_loop_cuda_register_red_C(loop, 2, (void **)&all_bits, NULL);
    dvmh_loop_red_init_C(loop, 2, &bits, NULL);
    dvmh_loop_cuda_red_prepare_C(loop, 2, items, 0);
    dvmh_loop_cuda_register_red_C(loop, 3, (void **)&greatests, (void **)&places);
    dvmh_loop_red_init_C(loop, 3, &greatest, &at);
    dvmh_loop_cuda_red_prepare_C(loop, 3, items, 0);
    LAUNCH(reduce_kernel, blocks, threads, stream, *c, span, a, sum, sums, bits, all_bits, greatest, at,
           greatests, places);
    dvmh_loop_cuda_red_finish_C(loop, 3);
    dvmh_loop_cuda_red_finish_C(loop, 1);
    dvmh_loop_cuda_red_finish_C(loop, 2);
}

/* Dependent dims first; fronts of them one after the other. */
static void across_handler(DvmType *loop_p, DvmType a_header[], const query_case_t *c) {
    const DvmType loop = *loop_p, device = dvmh_loop_get_device_num_C(loop);
    const DvmType mask = dvmh_loop_get_dependency_mask_C(loop);
    dim3 threads = {32, 5, 1};
    cudaStream_t stream = NULL;
    double *greatest = NULL;
    DvmType fronts = 1;
    if (c->transforms)
        dvmh_loop_autotransform_C(loop, a_header);
    const view_t a = find_view(device, a_header, c->rank);
    if (a.state > (!c->transforms ? 0 : c->dependent_count >= 2 ? 2 : 1))
        query_fail("an across loop's array lies in a way that its kernel does not know");
    if (a.state == 2 && a.extended[6] != 0)
        query_fail("diagonals that handlers of C do not know");
    check_index_type(loop);
    if (c->rank - (mask != 0) < 2)
        threads.y = 1;
    if (c->rank == 1)
        threads.x = 1;
    dvmh_loop_cuda_get_config_C(loop, 8, 0, &threads, &stream, NULL);
    span_t span = find_span(loop, c);
    dvmh_change_filled_bounds2_C(span.low, span.high, span.step, c->rank, mask, span.places);
    span.fixed = c->dependent_count;
    span.count = 1;
    for (int place = 0; place < c->rank; place++) {
        if (place > 0)
            span.count *= trips(&span, place);
        if (place < c->dependent_count)
            fronts += trips(&span, place) - 1;
    }
    const unsigned blocks = blocks_for(span.count, &threads);
    if (c->reduces) {
        dvmh_loop_cuda_register_red_C(loop, 1, (void **)&greatest, NULL);
        dvmh_loop_cuda_red_prepare_C(loop, 1, (DvmType)blocks * threads.x * threads.y * threads.z, 1);
    }
    for (span.front = 0; span.front < fronts; span.front++)
        LAUNCH(across_kernel, blocks, threads, stream, *c, span, a, greatest);
    if (c->reduces)
        dvmh_loop_cuda_red_finish_C(loop, 1);
}

static void sequence_handler(DvmType *loop, double *scalar, double *factor) {
    const DvmType device = dvmh_loop_get_device_num_C(*loop);
    double *const on_device = (double *)dvmh_get_device_addr_C(device, scalar);
    dim3 threads = {7, 7, 7}, blocks = {0, 0, 0};
    cudaStream_t stream = NULL;
    dvmh_loop_cuda_get_config_C(*loop, 0, 0, &threads, &stream, NULL);
    if (threads.x != 1 || threads.y != 1 || threads.z != 1)
        query_fail("a sequence of statements gets more than one thread");
    while (loop_cuda_do(loop, &blocks, NULL, rt_INT))
        LAUNCH(sequence_kernel, blocks.x, threads, stream, on_device, *factor);
}

#endif
