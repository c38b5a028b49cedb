#include "examples/bfs/support.h"
#include "examples/bfs/work.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LINE_BYTES 64

_Noreturn void bfs_refuse(const char *format, ...) {
    va_list values;

    dvmh_void_fprintf(dvmh_stderr, "bfs: ");
    va_start(values, format);
    dvmh_void_vfprintf(dvmh_stderr, format, values);
    va_end(values);
    dvmh_void_fprintf(dvmh_stderr, "\n");
    dvmh_exit_C(2);
    abort(); /* never reached: dvmh_exit_C does not return */
}

void *bfs_allocate(int64_t count, size_t element_bytes, const char *what) {
    void *memory = NULL;

    if ((uint64_t)count < SIZE_MAX / 2 / element_bytes) {
        const size_t bytes = (size_t)count * element_bytes;

        memory = aligned_alloc(LINE_BYTES, bytes / LINE_BYTES * LINE_BYTES + LINE_BYTES);
    }
    if (memory == NULL)
        bfs_refuse("no memory for %s: %lld times %zu bytes", what, (long long)count, element_bytes);
    return memory;
}

void bfs_release(void *memory) {
    free(memory);
}

/* What a loop on the host is called with. */
typedef struct host_loop {
    bfs_body_t body;
    void *context;
} host_loop_t;

static void run_portion(const dvmhx_record_t *record, const host_loop_t *loop) {
    int64_t begin, end;

    bfs_portion(record, &begin, &end);
    loop->body(loop->context, begin, end);
}

void bfs_for(int64_t count, bfs_body_t body, void *context) {
    host_loop_t host_loop = {.body = body, .context = context};
    DvmType loop;

    dvmh_line_C(__LINE__, __FILE__); /* also without any iterations here: all processes make the same calls */
    loop = dvmh_loop_create_C(0, 1, (DvmType)0, (DvmType)(count - 1), (DvmType)1);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C((DvmHandlerFunc)(void (*)(void))run_portion, 1,
                                                     (void *)&host_loop));
    dvmh_loop_perform_C(loop);
}

double bfs_now(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b != 0) {
        const int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

int64_t bfs_mixed_stride(int64_t blocks) {
    int64_t stride = (int64_t)((double)blocks * 0.6180339887498949);

    if (blocks < 3)
        return 1;
    while (common_divisor(stride, blocks) != 1)
        stride++;
    return stride;
}
