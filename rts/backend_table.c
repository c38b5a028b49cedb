/* Which backends this build has, and the numbering of their devices: the one place that knows. An explicit table, since
 * constructors are dropped by static links. */
#include <config.h>

#include "rts/backend.h"

#include "rts/host/host.h"

#define MAX_DEVICES 64

static const rts_backend_ops_t *const backends[] = {&rts_host_ops};

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

rts_status_t rts_backends_open(const rts_backend_options_t *options) {
    rts_status_t status = add_devices(&rts_host_ops, 1); /* device 0 */
    for (int i = 0; i < BACKEND_COUNT && status == RTS_OK; i++) {
        int count = 0;
        status = backends[i]->open(options, &count);
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

int rts_device_count(void) {
    return table.device_count;
}

int rts_default_thread_count(int local_count, int sharer_count) {
    return rts_host_default_threads(local_count, sharer_count);
}

uint64_t rts_processors_key(void) {
    return rts_host_processors_key();
}

size_t rts_host_cache_size(void) {
    return rts_host_cache_bytes();
}
