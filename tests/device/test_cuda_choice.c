/* Who of a node gets which GPUs, and which GPUs a build can use: the rules on random nodes, and known ones. Needs no GPU. */
#include <config.h>

#include "rts/cuda/cuda_choice.h"
#include "tests/check.h"

enum { MOST_PROCESSES = 40 };

static void choose_all(int gpus, const rts_device_wish_t wish[], int processes, rts_cuda_choice_t choice[]) {
    for (int process = 0; process < processes; process++)
        rts_cuda_choose(gpus, wish, processes, process, &choice[process]);
}

/* First GPU of each process, as text. */
static const char *first_gpus(int gpus, const rts_device_wish_t wish[], int processes) {
    static char text[256];
    static rts_cuda_choice_t choice[MOST_PROCESSES];
    size_t length = 0;
    choose_all(gpus, wish, processes, choice);
    for (int process = 0; process < processes; process++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s", process > 0 ? " " : "");
        for (int i = 0; i < choice[process].count; i++)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%d", i > 0 ? "," : "",
                                       choice[process].gpu[i]);
    }
    return text;
}

static void test_known(void) {
    const rts_device_wish_t none[8] = {{.count = -1}, {.count = -1}, {.count = -1}, {.count = -1},
                                       {.count = -1}, {.count = -1}, {.count = -1}, {.count = -1}};
    CHECK_EQ_STR(first_gpus(1, none, 1), "0");
    CHECK_EQ_STR(first_gpus(8, none, 1), "0,1,2,3,4,5,6,7");
    CHECK_EQ_STR(first_gpus(4, none, 2), "0,1 2,3");
    CHECK_EQ_STR(first_gpus(2, none, 4), "0 1 0 1");
    CHECK_EQ_STR(first_gpus(2, none, 3), "0 1 0");
    CHECK_EQ_STR(first_gpus(3, none, 2), "0 1");
    /* Two sockets with two GPUs each; processes on the second one come first, and one is bound to neither. */
    const rts_device_wish_t sockets[] = {{.near = 0xc, .count = -1},
                                         {.near = 0xc, .count = -1},
                                         {.near = 0, .count = -1},
                                         {.near = 0x3, .count = -1}};
    CHECK_EQ_STR(first_gpus(4, sockets, 4), "2 3 1 0");
    /* All on one socket: rather a GPU of the other than half of one. */
    const rts_device_wish_t crowded[] = {{.near = 1, .count = -1}, {.near = 1, .count = -1}};
    CHECK_EQ_STR(first_gpus(2, crowded, 2), "0 1");
    /* Wishes: numbers follow each other, modulo what there is. */
    const rts_device_wish_t wished[] = {{.count = 2}, {.count = 0}, {.count = 1}, {.count = 2}};
    CHECK_EQ_STR(first_gpus(4, wished, 4), "0,1  2 3,0");
    /* The launcher shows every process one GPU. */
    const rts_device_wish_t shown[] = {{.key = 5, .count = -1},
                                       {.key = 6, .count = -1},
                                       {.key = 5, .count = 1}};
    CHECK_EQ_STR(first_gpus(1, shown, 3), "0 0 0");
    rts_cuda_choice_t choice[3];
    choose_all(1, shown, 3, choice);
    CHECK(choice[0].is_shared[0] && !choice[1].is_shared[0] && choice[2].is_shared[0]);
}

/* Among processes that see the same GPUs and wish nothing: equal shares of different GPUs, use even, and what is said to be shared is. */
static void test_random(void) {
    static rts_cuda_choice_t choice[MOST_PROCESSES];
    const int gpus = (int)check_random_range(1, check_random_once_in(5) ? 64 : 9),
              processes = (int)check_random_range(1, MOST_PROCESSES);
    rts_device_wish_t wish[MOST_PROCESSES];
    int users[RTS_CUDA_MAX_GPUS] = {0}, least = MOST_PROCESSES, most = 0;
    for (int process = 0; process < processes; process++)
        wish[process] = (rts_device_wish_t){.key = 7,
                                            .near = check_random_once_in(3) ? 0 : check_random_u64(),
                                            .count = -1};
    choose_all(gpus, wish, processes, choice);
    for (int process = 0; process < processes; process++) {
        uint64_t seen = 0;
        CHECK_EQ_INT(choice[process].count, gpus > processes ? gpus / processes : 1);
        for (int i = 0; i < choice[process].count; i++) {
            const int gpu = choice[process].gpu[i];
            if (!CHECK(gpu >= 0 && gpu < gpus && (seen >> gpu & 1) == 0))
                return;
            seen |= UINT64_C(1) << gpu;
            users[gpu]++;
        }
    }
    for (int gpu = 0; gpu < gpus; gpu++) {
        least = users[gpu] < least ? users[gpu] : least;
        most = users[gpu] > most ? users[gpu] : most;
    }
    CHECK(most - least <= 1);
    for (int process = 0; process < processes; process++)
        for (int i = 0; i < choice[process].count; i++)
            CHECK(choice[process].is_shared[i] == (users[choice[process].gpu[i]] > 1));
}

static void test_refusals(void) {
    char text[160];
    CHECK_EQ_STR(rts_cuda_refusal(0, 13000, 90, 80, text, sizeof text), "");
    CHECK_EQ_STR(rts_cuda_refusal(13000, 13000, 80, 80, text, sizeof text), "");
    CHECK_EQ_STR(rts_cuda_refusal(13000, 13020, 90, 80, text, sizeof text), "");
    CHECK_EQ_STR(rts_cuda_refusal(14010, 13000, 120, 80, text, sizeof text), "");
    CHECK_EQ_STR(rts_cuda_refusal(12020, 13000, 90, 80, text, sizeof text),
                 "the CUDA driver is one of CUDA 12.2, too old for this build's CUDA 13.0");
    CHECK_EQ_STR(rts_cuda_refusal(13000, 13000, 75, 80, text, sizeof text),
                 "the GPU is of compute capability 7.5; this build has code for 8.0 and newer");
}

int main(void) {
    check_random_start();
    test_known();
    for (int trial = 0; trial < 2000; trial++)
        test_random();
    test_refusals();
    return check_finish();
}
