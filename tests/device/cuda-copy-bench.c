/* How fast the CUDA backend copies between host and device, beside what CUDA itself does with the same bytes in the same run: pinned, the best
 * there is, and pageable. Prints a line a case: microseconds, GB/s, and the ratio to pinned. */
#include <config.h>

#include "rts/cuda/cuda.h"
#include "rts/memory.h"
#include "rts/stats.h"

#include <cuda_runtime_api.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GPU = 1, TIMES = 9 };

static void need(bool good, const char *what) {
    if (good)
        return;
    fprintf(stderr, "cuda-copy-bench: %s: %s\n", what, rts_error_text());
    exit(1);
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median seconds of a copy; a copy to the device is done when the device has it. */
static double time_job(const rts_copy_job_t *job) {
    double seconds[TIMES];
    for (int i = -2; i < TIMES; i++) {
        const int64_t begin = rts_clock_ns();
        need(rts_cuda_ops.copy(job) == RTS_OK, "copy");
        need(cudaDeviceSynchronize() == cudaSuccess, "waiting");
        if (i >= 0)
            seconds[i] = (double)(rts_clock_ns() - begin) * 1e-9;
    }
    qsort(seconds, TIMES, sizeof seconds[0], compare);
    return seconds[TIMES / 2];
}

static double time_cuda(void *to, const void *from, size_t bytes) {
    double seconds[TIMES];
    for (int i = -2; i < TIMES; i++) {
        const int64_t begin = rts_clock_ns();
        need(cudaMemcpy(to, from, bytes, cudaMemcpyDefault) == cudaSuccess, "cudaMemcpy");
        need(cudaDeviceSynchronize() == cudaSuccess, "waiting");
        if (i >= 0)
            seconds[i] = (double)(rts_clock_ns() - begin) * 1e-9;
    }
    qsort(seconds, TIMES, sizeof seconds[0], compare);
    return seconds[TIMES / 2];
}

/* One box both ways, and CUDA with as many bytes. */
static void measure(const char *name, const rts_box_t *box, const rts_layout_t *host_layout,
                    const rts_layout_t *layout, size_t element_bytes) {
    const size_t bytes = (size_t)rts_box_size(box) * element_bytes,
                 host_bytes = (size_t)host_layout->size * element_bytes;
    void *memory = NULL, *pinned = NULL, *host = rts_alloc(host_bytes);
    need(host != NULL &&
             rts_cuda_ops.allocate(GPU, (size_t)layout->size * element_bytes, &memory) == RTS_OK &&
             cudaHostAlloc(&pinned, bytes, cudaHostAllocDefault) == cudaSuccess,
         "memory");
    memset(host, 1, host_bytes);
    memset(pinned, 1, bytes);
    for (int to_host = 0; to_host < 2; to_host++) {
        const rts_copy_job_t job = {.element_bytes = element_bytes,
                                    .box = *box,
                                    .source_device = to_host ? GPU : 0,
                                    .target_device = to_host ? 0 : GPU,
                                    .source = to_host ? memory : host,
                                    .target = to_host ? host : memory,
                                    .source_layout = to_host ? layout : host_layout,
                                    .target_layout = to_host ? host_layout : layout};
        const double ours = time_job(&job);
        const double best = to_host ? time_cuda(pinned, memory, bytes) : time_cuda(memory, pinned, bytes);
        const double pageable = to_host ? time_cuda(host, memory, bytes) : time_cuda(memory, host, bytes);
        printf("%-26s %-9s %10zu bytes %9.1f us %6.1f GB/s  pinned %6.1f  pageable %6.1f  ratio %.2f\n", name,
               to_host ? "to host" : "to device", bytes, ours * 1e6, (double)bytes / ours * 1e-9,
               (double)bytes / best * 1e-9, (double)bytes / pageable * 1e-9, best / ours);
    }
    rts_cuda_ops.release(GPU, memory);
    (void)cudaFreeHost(pinned);
    rts_free(host);
}

static void measure_cube(const char *name, const rts_box_t *box, rts_index_t size, const int perm[],
                         rts_index_t align) {
    const rts_box_t cube = {.rank = 3, .hi = {size, size, size}};
    rts_layout_t host, device;
    need(rts_layout_plain(&cube, NULL, 1, &host) == RTS_OK &&
             rts_layout_plain(&cube, perm, align, &device) == RTS_OK,
         "layouts");
    measure(name, box, &host, &device, 8);
}

int main(void) {
    const rts_backend_options_t options = {.thread_count = omp_get_max_threads(),
                                           .first_device = GPU,
                                           .local_count = 1};
    const int turned[] = {2, 1, 0};
    const rts_index_t n = 384;
    const rts_box_t one = {.rank = 3, .lo = {3, 3, 3}, .hi = {4, 4, 4}}, all = {.rank = 3, .hi = {n, n, n}},
                    odd = {.rank = 3, .hi = {n - 1, n - 1, n - 1}},
                    slowest = {.rank = 3, .lo = {0, 0, 0}, .hi = {1, n, n}},
                    middle = {.rank = 3, .lo = {0, 5, 0}, .hi = {n, 6, n}},
                    fastest = {.rank = 3, .lo = {0, 0, 5}, .hi = {n, n, 6}};
    int count = 0;
    need(rts_cuda_ops.open(&options, &count) == RTS_OK, "opening");
    if (count == 0) {
        printf("skipped: no GPU here that this build can use\n");
        return 77;
    }
    printf("%d threads, cube of %lld^3 doubles\n", options.thread_count, (long long)n);
    measure_cube("one element", &one, n, NULL, 1);
    measure_cube("whole, same layout", &all, n, NULL, 1);
    measure_cube("whole, rows padded", &odd, n - 1, NULL, 16);
    measure_cube("whole, axes turned", &all, n, turned, 16);
    measure_cube("face of the slowest axis", &slowest, n, NULL, 16);
    measure_cube("face of the middle axis", &middle, n, NULL, 16);
    measure_cube("face of the fastest axis", &fastest, n, NULL, 16);
    measure_cube("the same, axes turned", &fastest, n, turned, 16);
    rts_cuda_ops.close();
    return 0;
}
