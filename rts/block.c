/* Threads of a block; see the header. */
#include <config.h>

#include "rts/block.h"

#include <string.h>

#include "rts/types.h"

#define WARP         32
#define THREADS_MOST 256 /* of a block that replaces one which does not fit */

static int64_t threads_of(const int64_t block[3]) {
    return block[0] * block[1] * block[2];
}

static int used_extents(const int64_t block[3]) {
    return block[2] > 1 ? 3 : block[1] > 1 ? 2 : block[0] > 1 ? 1 : 0;
}

static void set(int64_t block[3], int64_t x, int64_t y, int64_t z) {
    block[0] = x;
    block[1] = y;
    block[2] = z;
}

/* By how many dims are independent. */
static void set_default(int independent, int64_t block[3]) {
    if (independent >= 3)
        set(block, 32, 4, 2);
    else if (independent == 2)
        set(block, 32, 8, 1);
    else
        set(block, independent == 1 ? 256 : 1, 1, 1);
}

static bool is_given(const int64_t block[3]) {
    return block[0] > 0 && block[1] > 0 && block[2] > 0;
}

static int64_t power_below(int64_t number) {
    int64_t power = 1;
    while (power <= number / 2)
        power *= 2;
    return power;
}

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* What reductions need; see the header. */
static void suit_reductions(bool has_dependences, int64_t block[3]) {
    if (threads_of(block) == 1)
        return;
    for (int i = 0; i < 3 && has_dependences; i++)
        block[i] = power_below(block[i]);
    const int64_t step = WARP / common_divisor(WARP, block[1] * block[2]);
    block[0] = (block[0] + step - 1) / step * step;
}

/* Threads that the demand of each leaves room for. A kernel whose registers nobody knows is taken to have as many as there may be; but not
 * against the program's wish: then the launch shows it. */
static int64_t threads_that_fit(const rts_block_request_t *request, const rts_device_limits_t *limits,
                                bool is_wish) {
    int64_t registers = request->registers, most = limits->threads;
    if (registers <= 0)
        registers = is_wish ? 1 : limits->registers_per_thread;
    if (request->shared_per_thread > 0)
        most = rts_min(most, limits->shared_bytes / request->shared_per_thread);
    return rts_min(most, limits->registers / rts_max(registers, 1));
}

static rts_status_t check_wish(const rts_block_request_t *request, const rts_device_limits_t *limits,
                               int independent) {
    const int64_t *wish = request->wish;
    const int64_t threads = threads_of(wish);
    if (used_extents(wish) > independent)
        return rts_fail(RTS_ERR_INVALID,
                        "a block of %lld x %lld x %lld threads; allowed: at most %d sizes, one for each dim "
                        "of the loop that may run in parallel",
                        (long long)wish[0], (long long)wish[1], (long long)wish[2], independent);
    for (int i = 0; i < 3; i++)
        if (wish[i] > limits->extent[i])
            return rts_fail(RTS_ERR_INVALID, "a block of %lld threads along axis %d; allowed: 1..%lld",
                            (long long)wish[i], i + 1, (long long)limits->extent[i]);
    if (threads > limits->threads)
        return rts_fail(RTS_ERR_INVALID, "a block of %lld threads; allowed: 1..%lld", (long long)threads,
                        (long long)limits->threads);
    if (request->shared_per_thread > 0 && threads * request->shared_per_thread > limits->shared_bytes)
        return rts_fail(RTS_ERR_INVALID,
                        "a block of %lld threads with %lld bytes of shared memory each; allowed: %lld "
                        "bytes in all",
                        (long long)threads, (long long)request->shared_per_thread,
                        (long long)limits->shared_bytes);
    if (request->registers > 0 && threads * request->registers > limits->registers)
        return rts_fail(RTS_ERR_INVALID,
                        "a block of %lld threads with %lld registers each; allowed: %lld registers in all",
                        (long long)threads, (long long)request->registers, (long long)limits->registers);
    return RTS_OK;
}

/* As many threads as fit, in one row. */
static void shrink(int64_t most, bool wants_power, int64_t block[3]) {
    most = rts_min(most, THREADS_MOST);
    most = most >= WARP ? most / WARP * WARP : 1;
    set(block, wants_power ? power_below(most) : most, 1, 1);
}

rts_status_t rts_block_choose(const rts_block_request_t *request, const rts_device_limits_t *limits,
                              int64_t block_p[3]) {
    const int independent = request->rank - (request->has_dependences ? 1 : 0);
    const bool is_wish = is_given(request->wish);
    int64_t block[3] = {1, 1, 1};
    if (independent > 0) {
        if (is_wish)
            RTS_TRY(check_wish(request, limits, independent));
        if (is_wish)
            memcpy(block, request->wish, sizeof block);
        else if (is_given(request->proposal))
            memcpy(block, request->proposal, sizeof block);
        else
            set_default(independent, block);
        for (int i = independent; i < 3; i++)
            block[i] = 1;
        if (request->has_reductions)
            suit_reductions(request->has_dependences, block);
        const int64_t most = threads_that_fit(request, limits, is_wish);
        if (threads_of(block) > most)
            shrink(most, request->has_reductions && request->has_dependences, block);
    }
    memcpy(block_p, block, sizeof block);
    return RTS_OK;
}
