/* Sharing of GPUs among processes; see the header. */
#include <config.h>

#include "rts/cuda/cuda_choice.h"

#include <stdio.h>
#include <string.h>

/* How the processes of the node stand while shares are dealt out. */
typedef struct deal {
    int gpu_count, local_rank;
    uint64_t key;
    int users[RTS_CUDA_MAX_GPUS];
    rts_cuda_choice_t mine;
} deal_t;

static int count_bits(uint64_t bits) {
    return __builtin_popcountll(bits);
}

static void take(deal_t *deal, int process, int gpu) {
    deal->users[gpu]++;
    if (process == deal->local_rank)
        deal->mine.gpu[deal->mine.count++] = gpu;
}

/* GPUs near a process; all where nothing is known. */
static uint64_t near_of(const deal_t *deal, const rts_device_wish_t *wish) {
    const uint64_t all = ~UINT64_C(0) >> (64 - deal->gpu_count);
    return (wish->near & all) != 0 ? wish->near & all : all;
}

/* The least used, then the near, then the first, of those that the process has not got yet. */
static int best_gpu(const deal_t *deal, uint64_t near, uint64_t taken) {
    int best = -1;
    for (int gpu = 0; gpu < deal->gpu_count; gpu++) {
        if ((taken >> gpu & 1) != 0)
            continue;
        if (best < 0 || deal->users[gpu] < deal->users[best] ||
            (deal->users[gpu] == deal->users[best] && (near >> gpu & 1) > (near >> best & 1)))
            best = gpu;
    }
    return best;
}

static void deal_wished(deal_t *deal, const rts_device_wish_t wish[], int local_count) {
    int64_t next = 0;
    for (int process = 0; process < local_count; process++) {
        if (wish[process].key != deal->key)
            continue;
        for (int i = 0; i < wish[process].count; i++)
            take(deal, process, (int)(next++ % deal->gpu_count));
    }
}

static void deal_equally(deal_t *deal, const rts_device_wish_t wish[], int local_count, int sharers) {
    const int share = deal->gpu_count > sharers ? deal->gpu_count / sharers : 1;
    for (int bits = 1; bits <= deal->gpu_count; bits++)
        for (int process = 0; process < local_count; process++) {
            const uint64_t near = near_of(deal, &wish[process]);
            uint64_t taken = 0;
            if (wish[process].key != deal->key || wish[process].count >= 0 || count_bits(near) != bits)
                continue;
            for (int i = 0; i < share; i++) {
                const int gpu = best_gpu(deal, near, taken);
                taken |= UINT64_C(1) << gpu;
                take(deal, process, gpu);
            }
        }
}

void rts_cuda_choose(int gpu_count, const rts_device_wish_t wish[], int local_count, int local_rank,
                     rts_cuda_choice_t *choice_p) {
    deal_t deal = {.gpu_count = gpu_count, .local_rank = local_rank, .key = wish[local_rank].key};
    int sharers = 0;
    for (int process = 0; process < local_count; process++)
        sharers += wish[process].key == deal.key && wish[process].count < 0;
    deal_wished(&deal, wish, local_count);
    if (sharers > 0)
        deal_equally(&deal, wish, local_count, sharers);
    for (int i = 0; i < deal.mine.count; i++)
        deal.mine.is_shared[i] = deal.users[deal.mine.gpu[i]] > 1;
    *choice_p = deal.mine;
}

const char *rts_cuda_refusal(int driver, int runtime, int capability, int oldest, char *text,
                             size_t text_size) {
    text[0] = '\0';
    if (driver == 0)
        return text;
    /* Drivers run programs of all minor versions of their major one. */
    if (driver / 1000 < runtime / 1000)
        snprintf(text, text_size, "the CUDA driver is one of CUDA %d.%d, too old for this build's CUDA %d.%d",
                 driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    else if (capability < oldest)
        snprintf(text, text_size,
                 "the GPU is of compute capability %d.%d; this build has code for %d.%d and newer",
                 capability / 10, capability % 10, oldest / 10, oldest % 10);
    return text;
}
