/* Numbers of devices over all backends of the build, and what is said about GPUs that are asked for and not there; with and without CUDA in the
 * build, and with and without a GPU. */
#include <config.h>

#include "rts/backend.h"
#include "rts/memory.h"
#include "tests/check.h"

#include <dvmhlib_const.h>

static rts_status_t open_with(int fake_devices, int cudas, bool require_cuda) {
    rts_device_wish_t wish = rts_device_wish(cudas);
    const rts_backend_options_t options = {.thread_count = 1,
                                           .fake_devices = fake_devices,
                                           .require_cuda = require_cuda,
                                           .wish = &wish,
                                           .local_count = 1};
    CHECK_EQ_INT(wish.count, cudas);
    return rts_backends_open(&options);
}

/* Memory of every device, where it is numbered: the host first, those that it plays, GPUs. */
static void test_numbers(int fake_devices, int gpus) {
    CHECK_EQ_INT(rts_device_count(), 1 + fake_devices + gpus);
    for (int device = 0; device < rts_device_count(); device++) {
        const rts_backend_ops_t *ops = rts_backend_of_device(device);
        void *memory = NULL;
        CHECK_EQ_INT(ops->device_type, device <= fake_devices ? DEVICE_TYPE_HOST : DEVICE_TYPE_CUDA);
        CHECK_EQ_INT(ops->runs_records, device <= fake_devices);
        CHECK_EQ_INT(ops->allocate(device, 100, &memory), RTS_OK);
        ops->release(device, memory);
    }
}

int main(void) {
    CHECK_EQ_INT(open_with(2, -1, false), RTS_OK); /* without a word where there is no GPU */
    const int gpus = rts_device_count() - 3;
    CHECK(gpus >= 0);
    test_numbers(2, gpus);
    rts_backends_close();
    CHECK_EQ_INT(open_with(1, 0, true), RTS_OK); /* who wants none requires none */
    test_numbers(1, 0);
    rts_backends_close();
    CHECK_EQ_INT(open_with(1, 65, false), RTS_ERR_UNSUPPORTED);
    CHECK_CONTAINS(rts_error_text(), "DVMH_NUM_CUDAS asks for 65 GPUs; ");
    CHECK_EQ_INT(rts_device_count(), 0);
    if (gpus == 0) {
        CHECK_EQ_INT(open_with(0, -1, true), RTS_ERR_UNSUPPORTED);
        CHECK_CONTAINS(rts_error_text(), "DVMH_REQUIRE_CUDA is set, but ");
    }
    CHECK_EQ_INT(open_with(0, -1, false), RTS_OK);
    test_numbers(0, gpus);
    rts_backends_close();
    CHECK_EQ_INT(rts_memory_live(), 0);
    return check_finish();
}
