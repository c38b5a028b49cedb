/* Loops for the tests of dvmhx_run_cuda.h: handlers for GPUs, written as compilers write them, and what they are told. The same in plain C
 * is in test_cuda_loops.c. */
#ifndef GPU_LOOPS_H
#define GPU_LOOPS_H

#include <dvmhx.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __CUDACC__
#define GPU_LOOPS_BOTH static inline __host__ __device__
#else
#define GPU_LOOPS_BOTH static inline
#endif

enum { GPU_LOOPS_VECTORS = 6, GPU_LOOPS_RANK = 5, GPU_LOOPS_BINS = 5 };

/** A loop whose iterations read what their predecessors, n - vector, have written, and what their successors, n + vector, have not
 * written yet. Any other order than a legal one gives other values. */
typedef struct gpu_mixing {
    int vector_count, components;
    DvmType component_stride;
    DvmType offset[GPU_LOOPS_VECTORS]; /* from an element to the one a vector farther */
} gpu_mixing_t;

/** What mixing does with two numbers: nothing that commutes. */
GPU_LOOPS_BOTH uint32_t gpu_mix(uint32_t a, uint32_t b) {
    const uint32_t sum = a * 0x9e3779b1u + b;
    return (sum ^ sum >> 15) * 0x85ebca6bu + 1;
}

typedef struct gpu_complex {
    double re, im;
} gpu_complex_t;

typedef struct gpu_place {
    int at[3];
} gpu_place_t;

/** The reductions of the loop `reduce`, in its order. */
enum {
    GPU_SUM_FLOAT,
    GPU_PROD_LONG,
    GPU_MAX_DOUBLE,
    GPU_MIN_INT,
    GPU_AND_UNSIGNED,
    GPU_OR_UCHAR,
    GPU_XOR_ULL,
    GPU_EQ_INT,
    GPU_NE_INT,
    GPU_MAXLOC_DOUBLE,
    GPU_MINLOC_FLOAT,
    GPU_SUM_COMPLEX,
    GPU_SUM_DOUBLE,
    GPU_BINS,
    GPU_REDUCTION_COUNT
};

/* Handlers, parameters after the record: the mixing loops of rank 2, 3, 5 (array 0), the same without dependences (from array 0 to 1), sweeps of
 * doubles (array 0), and reductions over array 0. */
void gpu_mixing2(const dvmhx_record_t *record, const gpu_mixing_t *mixing);
void gpu_mixing3(const dvmhx_record_t *record, const gpu_mixing_t *mixing);
void gpu_mixing5(const dvmhx_record_t *record, const gpu_mixing_t *mixing);
void gpu_stencil3(const dvmhx_record_t *record, const gpu_mixing_t *mixing);
void gpu_stencil5(const dvmhx_record_t *record, const gpu_mixing_t *mixing);
void gpu_sor3(const dvmhx_record_t *record, const double *weight);
void gpu_reduce(const dvmhx_record_t *record, const void *none);
void gpu_reduce_free(const dvmhx_record_t *record, const void *none);

/* What handlers ask, and launches decide, on the host: see dvmhx_are_apart and dvmhx_shift_of_x. */
bool gpu_are_apart(const dvmhx_record_t *record, unsigned long long written);
long long gpu_shift(const dvmhx_record_t *record, int side);

#ifdef __cplusplus
}
#endif

#endif
