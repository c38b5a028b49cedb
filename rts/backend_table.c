/* Which backends this build has, and the numbering of their devices: the one place that knows. An explicit table, since
 * constructors are dropped by static links. */
#include <config.h>

#include "rts/backend.h"
#include "rts/exchange_ops.h"
#include "rts/handler_ops.h"

#ifdef HAVE_CUDA
#include "rts/cuda/cuda.h"
#include "rts/cuda/cuda_exchange.h"
#include "rts/cuda/cuda_handler.h"
#endif
#include "rts/host/host.h"

#define MAX_DEVICES 64

/* The host first: the devices that it plays have the lowest numbers. */
static const rts_backend_ops_t *const backends[] = {
    &rts_host_ops,
#ifdef HAVE_CUDA
    &rts_cuda_ops,
#endif
};

enum { BACKEND_COUNT = sizeof backends / sizeof backends[0] };

static struct {
    int opened;       /* backends that are open */
    int device_count; /* 0 before opening */
    const rts_backend_ops_t *of_device[MAX_DEVICES];
} table;

static rts_status_t add_devices(const rts_backend_ops_t *ops, int count) {
    if (table.device_count + count > MAX_DEVICES)
        return rts_fail(RTS_ERR_UNSUPPORTED, "more than %d devices in one process", MAX_DEVICES);
    for (int i = 0; i < count; i++)
        table.of_device[table.device_count++] = ops;
    return RTS_OK;
}

#ifdef HAVE_CUDA
static rts_status_t check_build(const rts_backend_options_t *options) {
    (void)options; /* the backend tells what is missing */
    return RTS_OK;
}
#else
static rts_status_t check_build(const rts_backend_options_t *options) {
    const int wanted = options->wish != NULL ? options->wish[options->local_rank].count : -1;
    if (wanted > 0)
        return rts_fail(RTS_ERR_UNSUPPORTED, "DVMH_NUM_CUDAS asks for %d GPUs; this build has no CUDA",
                        wanted);
    if (options->require_cuda && wanted != 0)
        return rts_fail(RTS_ERR_UNSUPPORTED, "DVMH_REQUIRE_CUDA is set, but this build has no CUDA");
    return RTS_OK;
}
#endif

rts_status_t rts_backends_open(const rts_backend_options_t *options) {
    rts_backend_options_t of_backend = *options;
    RTS_TRY(check_build(options));
    rts_status_t status = add_devices(&rts_host_ops, 1); /* device 0 */
    for (int i = 0; i < BACKEND_COUNT && status == RTS_OK; i++) {
        int count = 0;
        of_backend.first_device = table.device_count;
        status = backends[i]->open(&of_backend, &count);
        if (status != RTS_OK)
            break;
        table.opened++;
        status = add_devices(backends[i], count);
    }
    if (status != RTS_OK)
        rts_backends_close();
    return status;
}

void rts_backends_close(void) {
    while (table.opened > 0)
        backends[--table.opened]->close();
    table.device_count = 0;
}

const rts_backend_ops_t *rts_backend_of_device(int device) {
    RTS_ASSERT(device >= 0 && device < table.device_count);
    return table.of_device[device];
}

const rts_handler_ops_t *rts_handler_ops_of_device(int device) {
#ifdef HAVE_CUDA
    if (rts_backend_of_device(device) == &rts_cuda_ops)
        return &rts_cuda_handler_ops;
#endif
    (void)device;
    return NULL;
}

const rts_exchange_ops_t *rts_exchange_ops_of_device(int device) {
#ifdef HAVE_CUDA
    if (rts_backend_of_device(device) == &rts_cuda_ops)
        return &rts_cuda_exchange_ops;
#endif
    (void)device;
    return NULL;
}

int rts_device_count(void) {
    return table.device_count;
}

int rts_default_thread_count(int local_count, int sharer_count) {
    return rts_host_default_threads(local_count, sharer_count);
}

uint64_t rts_processors_key(void) {
    return rts_host_processors_key();
}

rts_device_wish_t rts_device_wish(int count) {
    rts_device_wish_t wish = {.count = count};
#ifdef HAVE_CUDA
    if (count != 0)
        rts_cuda_wish(&wish.key, &wish.near);
#endif
    return wish;
}

size_t rts_host_cache_size(void) {
    return rts_host_cache_bytes();
}
