/* The GPU's side of reorg-bench. */
#ifndef TESTS_BENCH_REORG_BENCH_CUDA_H
#define TESTS_BENCH_REORG_BENCH_CUDA_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Run all cases whose names contain `only`, on small arrays where `quick`. @return exit status; 77: no GPU */
int reorg_bench_cuda(bool quick, bool json, const char *only);

/* Kernels of the benchmark; both return an error of CUDA, 0: none. */

/** Queue a copy of bytes, a multiple of 16, by a kernel: 16 bytes a thread (variant 0), 64 bytes a thread (1). */
int bench_copy_kernel(int variant, const void *from, void *to, size_t bytes);
/** Fill memory with values that differ from word to word. */
int bench_fill_kernel(void *to, size_t bytes);
/** Count the 4-byte words that differ. */
int bench_compare_kernel(const void *a, const void *b, size_t bytes, unsigned long long *count_p);

#ifdef __cplusplus
}
#endif

#endif
