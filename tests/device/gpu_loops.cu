/* Function objects and handlers of gpu_loops.h. */
#define DVMHX_GRID_WAVES .002 /* small loops have threads of several points, too */
#include <dvmhx_run_cuda.h>

#include <dvmhlib_const.h>

#include "tests/device/gpu_loops.h"

DVMHX_DEVICE gpu_complex_t operator+(const gpu_complex_t &a, const gpu_complex_t &b) {
    return gpu_complex_t{a.re + b.re, a.im + b.im};
}

namespace {

/** Ask for an element. A host that plays the GPU looks whether it is there. */
DVMHX_DEVICE void fetch_checked(const void *element) {
    dvmhx_fetch(element);
#ifdef EMULATED_CUDA
    (void)*(const volatile char *)element;
#endif
}

/** Offset of an element from its base. */
template <int K, typename Index> DVMHX_DEVICE Index offset_of(const Index *) {
    return 0;
}
template <int K, typename Index, typename... Rest>
DVMHX_DEVICE Index offset_of(const Index *stride, Index v, Rest... rest) {
    return stride[K] * v + offset_of<K + 1>(stride, rest...);
}

template <typename Index, int OF_RANK> struct mixing_loop {
    enum { RANK = OF_RANK, HAS_DEPENDENCES = 1, REDUCTIONS = 0 };
    typedef Index index_t;
    uint32_t *A;
    Index stride[RANK];
    int vector_count, components;
    Index component_stride;
    Index offset_values[GPU_LOOPS_VECTORS];
    const Index *offset;

    DVMHX_DEVICE void settle(const mixing_loop *given) { offset = given->offset_values; }
    template <typename... V> DVMHX_DEVICE void prefetch(V... v) {
        fetch_checked(&A[offset_of<0>(stride, v...)]);
    }
    template <typename... V> DVMHX_DEVICE void operator()(V... v) {
        uint32_t *element = A + offset_of<0>(stride, v...);
        for (int c = 0; c < components; c++) {
            uint32_t value = *element;
            for (int i = 0; i < vector_count; i++) {
                value = gpu_mix(value, element[-offset[i]]);
                value = gpu_mix(value, element[offset[i]]);
            }
            *element = value;
            element += component_stride;
        }
    }
    template <typename Visitor> DVMHX_DEVICE void reductions(Visitor &) {}
};

template <typename Index, int OF_RANK> struct stencil_loop {
    enum { RANK = OF_RANK, HAS_DEPENDENCES = 0, REDUCTIONS = 0, WEIGHT = GPU_LOOPS_VECTORS + 1 };
    typedef Index index_t;
    dvmhx_readable<uint32_t, Index> A;
    uint32_t *B;
    Index stride[RANK];
    int vector_count;
    Index offset[GPU_LOOPS_VECTORS];

    template <typename... V> DVMHX_DEVICE void operator()(V... v) {
        const Index at = offset_of<0>(stride, v...);
        uint32_t value = B[at]; /* an iteration that runs twice shows */
#pragma unroll
        for (int i = 0; i < GPU_LOOPS_VECTORS; i++)
            if (i < vector_count)
                value = gpu_mix(value, A[at + offset[i]]);
        B[at] = value;
    }
    template <typename Visitor> DVMHX_DEVICE void reductions(Visitor &) {}
};

template <int RANK, typename Index>
void start_mixing(const dvmhx_record_t *record, const gpu_mixing_t *mixing) {
    mixing_loop<Index, RANK> loop = {};
    loop.A = (uint32_t *)record->arrays[0].base;
    for (int k = 0; k < RANK; k++)
        loop.stride[k] = (Index)record->arrays[0].stride[k];
    loop.vector_count = mixing->vector_count;
    loop.components = mixing->components;
    loop.component_stride = (Index)mixing->component_stride;
    for (int i = 0; i < mixing->vector_count; i++)
        loop.offset_values[i] = (Index)mixing->offset[i];
    dvmhx_launch(record, loop);
}

template <int RANK, typename Index>
void start_stencil(const dvmhx_record_t *record, const gpu_mixing_t *mixing) {
    stencil_loop<Index, RANK> loop = {};
    loop.A = (uint32_t *)record->arrays[0].base;
    loop.B = (uint32_t *)record->arrays[1].base;
    for (int k = 0; k < RANK; k++)
        loop.stride[k] = (Index)record->arrays[0].stride[k];
    loop.vector_count = mixing->vector_count;
    for (int i = 0; i < mixing->vector_count; i++)
        loop.offset[i] = (Index)mixing->offset[i];
    dvmhx_launch(record, loop);
}

/** As dvmhcc writes it. */
template <typename Index> struct sor_loop {
    enum { RANK = 3, HAS_DEPENDENCES = 1, REDUCTIONS = 1 };
    typedef Index index_t;
    double *A;
    Index A_1, A_2, A_3;
    double w, largest;

    DVMHX_DEVICE void operator()(Index i, Index j, Index k) {
        sor_loop *const c = this;
        const double old = c->A[i * c->A_1 + j * c->A_2 + k * c->A_3];
        const double sum = c->A[(i - 1) * c->A_1 + j * c->A_2 + k * c->A_3] +
                           c->A[(i + 1) * c->A_1 + j * c->A_2 + k * c->A_3] +
                           c->A[i * c->A_1 + (j - 1) * c->A_2 + k * c->A_3] +
                           c->A[i * c->A_1 + (j + 1) * c->A_2 + k * c->A_3] +
                           c->A[i * c->A_1 + j * c->A_2 + (k - 1) * c->A_3] +
                           c->A[i * c->A_1 + j * c->A_2 + (k + 1) * c->A_3];
        const double now = c->w / 6 * sum + (1 - c->w) * old;
        c->largest = fabs(now - old) > c->largest ? fabs(now - old) : c->largest;
        c->A[i * c->A_1 + j * c->A_2 + k * c->A_3] = now;
    }
    DVMHX_DEVICE void prefetch(Index i, Index j, Index k) { fetch_checked(&A[i * A_1 + j * A_2 + k * A_3]); }
    template <typename Visitor> DVMHX_DEVICE void reductions(Visitor &visit) {
        visit.template value<rf_MAX>(0, largest);
    }
};

template <typename Index> void start_sor(const dvmhx_record_t *record, const double *weight) {
    sor_loop<Index> loop;
    loop.A = (double *)record->arrays[0].base;
    loop.A_1 = (Index)record->arrays[0].stride[0];
    loop.A_2 = (Index)record->arrays[0].stride[1];
    loop.A_3 = (Index)record->arrays[0].stride[2];
    loop.w = *weight;
    loop.largest = *(const double *)record->launch->slots[0].start;
    dvmhx_launch(record, loop);
}

/** Every kind of reduction; all members but the first begin with their start values. */
template <typename Index, int DEPENDS> struct reduce_loop {
    enum { RANK = 3, HAS_DEPENDENCES = DEPENDS, REDUCTIONS = GPU_REDUCTION_COUNT };
    typedef Index index_t;
    double *V;
    Index V_1, V_2, V_3;
    float sum;
    long product;
    double most;
    int least;
    unsigned every;
    unsigned char some;
    unsigned long long parity;
    int equal, unequal;
    double best;
    gpu_place_t best_at;
    float worst;
    int worst_at[3];
    gpu_complex_t whole;
    double total;
    double *bins;

    DVMHX_DEVICE void operator()(Index i, Index j, Index k) {
        const double value = V[i * V_1 + j * V_2 + k * V_3];
        const long number = value == value ? (long)value : 0; /* a NaN is there for comparisons */
        sum += (float)number;
        product *= number % 3 == 0 ? -1 : 1;
        most = value > most ? value : most;
        least = value < least ? (int)value : least;
        every &= (unsigned)number | 0xFFFF0u;
        some = (unsigned char)(some | (1 << (number & 7)));
        parity ^= (unsigned long long)number * 0x100000001ull;
        equal = equal == (int)(number & 1);
        unequal = unequal != (int)(number & 1);
        if (value > best) {
            best = value;
            best_at = gpu_place_t{{(int)i, (int)j, (int)k}};
        }
        if ((float)value < worst) {
            worst = (float)value;
            worst_at[0] = (int)i;
            worst_at[1] = (int)j;
            worst_at[2] = (int)k;
        }
        whole = whole + gpu_complex_t{(double)number, (double)(number * number)};
        total += value == value ? value : 0;
        bins[number % GPU_LOOPS_BINS] += (double)number;
    }
    template <typename Visitor> DVMHX_DEVICE void reductions(Visitor &visit) {
        visit.template value<rf_SUM>(GPU_SUM_FLOAT, sum);
        visit.template value<rf_PROD>(GPU_PROD_LONG, product);
        visit.template value<rf_MAX>(GPU_MAX_DOUBLE, most);
        visit.template value<rf_MIN>(GPU_MIN_INT, least);
        visit.template value<rf_AND>(GPU_AND_UNSIGNED, every);
        visit.template value<rf_OR>(GPU_OR_UCHAR, some);
        visit.template value<rf_XOR>(GPU_XOR_ULL, parity);
        visit.template value<rf_EQU>(GPU_EQ_INT, equal);
        visit.template value<rf_NE>(GPU_NE_INT, unequal);
        visit.template value_at<rf_MAXLOC>(GPU_MAXLOC_DOUBLE, best, best_at);
        visit.template value_at<rf_MINLOC>(GPU_MINLOC_FLOAT, worst, worst_at);
        visit.template value<rf_SUM>(GPU_SUM_COMPLEX, whole);
        visit.template value<rf_SUM>(GPU_SUM_DOUBLE, total);
        visit.array(GPU_BINS, bins);
    }
};

template <typename T> void begin_with(T *member, const dvmhx_record_t *record, int reduction) {
    memcpy((void *)member, record->launch->slots[reduction].start, sizeof(T));
}

template <typename Index, int DEPENDS> void start_reduce(const dvmhx_record_t *record) {
    reduce_loop<Index, DEPENDS> loop;
    loop.V = (double *)record->arrays[0].base;
    loop.V_1 = (Index)record->arrays[0].stride[0];
    loop.V_2 = (Index)record->arrays[0].stride[1];
    loop.V_3 = (Index)record->arrays[0].stride[2];
    begin_with(&loop.sum, record, GPU_SUM_FLOAT);
    begin_with(&loop.product, record, GPU_PROD_LONG);
    begin_with(&loop.most, record, GPU_MAX_DOUBLE);
    begin_with(&loop.least, record, GPU_MIN_INT);
    begin_with(&loop.every, record, GPU_AND_UNSIGNED);
    begin_with(&loop.some, record, GPU_OR_UCHAR);
    begin_with(&loop.parity, record, GPU_XOR_ULL);
    begin_with(&loop.equal, record, GPU_EQ_INT);
    begin_with(&loop.unequal, record, GPU_NE_INT);
    begin_with(&loop.best, record, GPU_MAXLOC_DOUBLE);
    memcpy(&loop.best_at, record->launch->slots[GPU_MAXLOC_DOUBLE].start_location, sizeof loop.best_at);
    begin_with(&loop.worst, record, GPU_MINLOC_FLOAT);
    memcpy(&loop.worst_at, record->launch->slots[GPU_MINLOC_FLOAT].start_location, sizeof loop.worst_at);
    begin_with(&loop.whole, record, GPU_SUM_COMPLEX);
    begin_with(&loop.total, record, GPU_SUM_DOUBLE);
    dvmhx_launch(record, loop);
}

} // namespace

/* A handler has both widths of indices, as `mixing3` has; here most have one, which is right for all records of the test, since compilers take
 * seconds for each. */
#define DEFINE(name, start, rank, index)                                                                     \
    extern "C" void name(const dvmhx_record_t *record, const gpu_mixing_t *mixing) {                         \
        start<rank, index>(record, mixing);                                                                  \
    }
DEFINE(gpu_mixing2, start_mixing, 2, int)
DEFINE(gpu_mixing5, start_mixing, 5, DvmType)
DEFINE(gpu_stencil3, start_stencil, 3, int)
DEFINE(gpu_stencil5, start_stencil, 5, DvmType)

extern "C" void gpu_mixing3(const dvmhx_record_t *record, const gpu_mixing_t *mixing) {
    if (record->launch->narrow)
        start_mixing<3, int>(record, mixing);
    else
        start_mixing<3, DvmType>(record, mixing);
}
extern "C" void gpu_sor3(const dvmhx_record_t *record, const double *weight) {
    start_sor<int>(record, weight);
}
extern "C" void gpu_reduce(const dvmhx_record_t *record, const void *) {
    start_reduce<DvmType, 1>(record);
}
extern "C" void gpu_reduce_free(const dvmhx_record_t *record, const void *) {
    start_reduce<int, 0>(record);
}
extern "C" bool gpu_are_apart(const dvmhx_record_t *record, unsigned long long written) {
    return dvmhx_are_apart(record, written);
}
extern "C" long long gpu_shift(const dvmhx_record_t *record, int side) {
    return dvmhx_shift_of_x(record, side);
}
