/* The emulated GPU itself: that kernels run as on a GPU, and above all that mistakes are found: each case in a process of its own, since
 * faults stay. Every order, and 1, 2 and 8 resident blocks. */
#include <config.h>

#include "tests/check.h"
#include "tests/emulated_cuda/emulator_kernels.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 4096 };
#ifdef __SANITIZE_ADDRESS__
enum { END_BY_FAULT = 1 }; /* AddressSanitizer tells it in its own way */
#else
enum { END_BY_FAULT = -SIGSEGV };
#endif

static const char *const orders[] = {"early", "late", "random:1", "random:2"};

/** Run a case alone. @return its exit status, or -signal */
static int run_alone(void (*run)(int), int argument, const char *order, int resident) {
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        char text[16];
        snprintf(text, sizeof text, "%d", resident);
        setenv("EMULATED_CUDA_ORDER", order, 1);
        setenv("EMULATED_CUDA_RESIDENT", text, 1);
        setenv("EMULATED_CUDA_QUIET", "1", 1);
        setenv("EMULATED_CUDA_PATIENCE", "1", 1);
        atomic_store(&check_failures, 0);
        run(argument);
        fflush(NULL);
        _exit(check_finish());
    }
    int status = -1;
    CHECK_EQ_INT(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void try_cuda(cudaError_t error) {
    if (!CHECK_EQ_INT(error, cudaSuccess)) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        _exit(1);
    }
}

static int *device_ints(int count) {
    int *memory = NULL;
    try_cuda(cudaMalloc((void **)&memory, (size_t)count * sizeof(int)));
    try_cuda(cudaMemset(memory, 0, (size_t)count * sizeof(int)));
    return memory;
}

static void bring(int *to, const void *from, int count) {
    try_cuda(cudaMemcpy(to, from, (size_t)count * sizeof(int), cudaMemcpyDeviceToHost));
}

/* ---- what kernels do ---- */

static void run_kernels(int seed) {
    static int values[COUNT], found[COUNT], order[64];
    (void)seed;
    for (int i = 0; i < COUNT; i++)
        values[i] = 3 * i + 1;
    int *const from = device_ints(COUNT), *const to = device_ints(COUNT),
               *const small = device_ints(16 + 128);
    try_cuda(cudaMemcpy(from, values, sizeof values, cudaMemcpyHostToDevice));
    try_cuda(launch_reverse(16, 256, from, to, NULL));
    bring(found, to, COUNT);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ_INT(found[i], values[i / 256 * 256 + 255 - i % 256]);
    try_cuda(launch_sum(16, 256, 256 * sizeof(int), from, small));
    bring(found, small, 16);
    for (int block = 0; block < 16; block++)
        CHECK_EQ_INT(found[block], 256 * (3 * (256 * block) + 1) + 3 * 255 * 128);
    try_cuda(launch_warps(128, small, (unsigned *)small + 8, small + 16));
    bring(found, small, 16 + 128);
    for (int warp = 0; warp < 4; warp++) {
        unsigned ballot = 0;
        for (int lane = 0; lane < 32; lane++)
            ballot |= (32 * warp + lane) % 3 == 0 ? 1u << lane : 0;
        CHECK_EQ_INT(found[warp], 32 * 32 * warp + 31 * 16);
        CHECK_EQ_INT((unsigned)found[8 + warp], ballot);
    }
    for (int i = 0; i < 128; i++)
        CHECK_EQ_INT(found[16 + i], i % 32 == 0 ? i : i - 1);
    for (int spin = 0; spin < 3; spin++) {
        try_cuda(cudaMemset(small, 0, sizeof(int)));
        try_cuda(launch_chain(40, 64, small, small + 1, spin));
        bring(order, small, 41);
        for (int block = 0; block < 40; block++)
            CHECK_EQ_INT(order[1 + block], 64);
    }
    try_cuda(cudaMemset(small, 0, 2 * sizeof(int)));
    try_cuda(launch_count(8, 128, small));
    bring(found, small, 2);
    CHECK_EQ_INT(found[0], 1024);
    CHECK(found[1] < 1024); /* threads really come between each other */
    try_cuda(cudaMemset(small, 0, sizeof(int)));
    try_cuda(launch_cooperative(20, small));
    bring(found, small, 1);
    CHECK_EQ_INT(found[0], 20);
    try_cuda(cudaFree(from));
    try_cuda(cudaFree(to));
    try_cuda(cudaFree(small));
}

static void run_backwards(int expected) {
    int *const turn = device_ints(1);
    try_cuda(launch_backwards(6, turn));
    CHECK_EQ_INT(cudaDeviceSynchronize(), expected);
    CHECK_EQ_INT(cudaGetLastError(), expected);
}

/* ---- what is refused ---- */

static void run_refused(int argument) {
    int *const values = device_ints(1024), found[4];
    (void)argument;
    CHECK_EQ_INT(launch_reverse(1, 1025, values, values, NULL), cudaErrorInvalidConfiguration);
    CHECK_EQ_INT(cudaGetLastError(), cudaErrorInvalidConfiguration);
    CHECK_EQ_INT(cudaGetLastError(), cudaSuccess);
    CHECK_EQ_INT(launch_reverse(0, 32, values, values, NULL), cudaErrorInvalidConfiguration);
    CHECK_EQ_INT(launch_sum(1, 32, 48 * 1024 + 1, values, values), cudaSuccess); /* asks for it */
    CHECK_EQ_INT(launch_sum(1, 32, 300 * 1024, values, values), cudaErrorInvalidValue);
    CHECK_EQ_INT(cudaMemcpy(values + 1000, found, sizeof found * 100, cudaMemcpyHostToDevice),
                 cudaErrorInvalidValue);
    CHECK_EQ_INT(cudaMemcpy(values, found, sizeof found, cudaMemcpyDeviceToHost),
                 cudaErrorInvalidMemcpyDirection);
    CHECK_EQ_INT(cudaFree(values + 1), cudaErrorInvalidValue);
    CHECK_EQ_INT(cudaSetDevice(1), cudaErrorInvalidDevice);
    void *memory;
    CHECK_EQ_INT(cudaMalloc(&memory, (size_t)9 << 30), cudaErrorMemoryAllocation);
    CHECK_EQ_INT(launch_cooperative(132 * 32 + 1, values), cudaErrorCooperativeLaunchTooLarge);
    (void)cudaGetLastError();
    CHECK_EQ_INT(cudaDeviceSynchronize(), cudaSuccess);
}

static const cudaError_t errors_of[] =
    {[WRONG_BARRIER_ENDED] = cudaErrorLaunchFailure,   [WRONG_BARRIER_OTHER] = cudaErrorLaunchFailure,
     [WRONG_SHUFFLE_MISSING] = cudaErrorLaunchFailure, [WRONG_SHUFFLE_SOURCE] = cudaErrorLaunchFailure,
     [WRONG_SHUFFLE_MASK] = cudaErrorLaunchFailure,    [WRONG_STORE_BEHIND] = cudaErrorIllegalAddress,
     [WRONG_STORE_NEAR] = cudaErrorIllegalAddress,     [WRONG_SHARED] = cudaErrorIllegalAddress,
     [WRONG_STACK] = cudaErrorLaunchFailure,           [WRONG_TRAP] = cudaErrorLaunchFailure};

/* The error stays, whatever is called. */
static void run_wrong(int what) {
    int *const values = device_ints(100);
    void *memory;
    CHECK_EQ_INT(launch_wrong(what, 64, values), cudaSuccess);
    CHECK_EQ_INT(cudaDeviceSynchronize(), errors_of[what]);
    CHECK_EQ_INT(cudaMalloc(&memory, 8), errors_of[what]);
    CHECK_EQ_INT(cudaGetLastError(), errors_of[what]);
    CHECK_EQ_INT(cudaGetLastError(), errors_of[what]);
}

/* Copies that nobody waits for have not arrived. */
static void run_unfinished_copy(int argument) {
    int *const values = device_ints(64), found[64];
    (void)argument;
    CHECK_EQ_INT(launch_wrong(WRONG_COPY, 64, values), cudaSuccess);
    bring(found, values, 64);
    CHECK_EQ_INT(found[5], -1); /* poison */
}

/* The host must not touch it, and it is gone after it was freed. */
static void run_touch(int freed) {
    int *const values = device_ints(4);
    if (freed)
        try_cuda(cudaFree(values));
    CHECK(*(volatile int *)values == 0);
}

/* ---- order ---- */

/* A host that does not wait for what it reads: only an early order does not notice. Ends the process, 1: noticed. */
static void run_missing_wait(int waits) {
    int *const values = device_ints(1000), *pinned = NULL;
    cudaStream_t stream;
    try_cuda(cudaDeviceSynchronize());
    try_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    try_cuda(cudaHostAlloc((void **)&pinned, 1000 * sizeof(int), cudaHostAllocDefault));
    try_cuda(launch_add(values, 1000, 7, stream));
    try_cuda(cudaMemcpyAsync(pinned, values, 1000 * sizeof(int), cudaMemcpyDeviceToHost, stream));
    if (waits)
        try_cuda(cudaStreamSynchronize(stream));
    _exit(check_finish() != 0 || pinned[999] != 7);
}

/* Two streams without an order between them; as above. */
static void run_missing_order(int orders_them) {
    int *const values = device_ints(1000), found[1000];
    cudaStream_t first, second;
    cudaEvent_t event;
    try_cuda(cudaDeviceSynchronize());
    try_cuda(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    try_cuda(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    try_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    try_cuda(launch_add(values, 1000, 7, first));
    try_cuda(cudaEventRecord(event, first));
    if (orders_them)
        try_cuda(cudaStreamWaitEvent(second, event, 0));
    try_cuda(cudaMemcpyAsync(found, values, sizeof found, cudaMemcpyDeviceToHost, second));
    try_cuda(cudaEventDestroy(event));
    try_cuda(cudaStreamDestroy(first));
    try_cuda(cudaStreamDestroy(second));
    _exit(check_finish() != 0 || found[999] != 7);
}

/* Pinned memory is read later, pageable memory at the call; what a stream frees is usable in it until then. */
static void run_sources(int argument) {
    int *values = NULL, *pinned = NULL, plain[8] = {1, 2, 3, 4, 5, 6, 7, 8}, found[8];
    cudaStream_t stream;
    (void)argument;
    try_cuda(cudaStreamCreate(&stream));
    try_cuda(cudaMallocAsync((void **)&values, sizeof plain, stream));
    try_cuda(cudaMemcpyAsync(values, plain, sizeof plain, cudaMemcpyHostToDevice, stream));
    memset(plain, 0, sizeof plain);
    try_cuda(cudaHostAlloc((void **)&pinned, sizeof plain, cudaHostAllocPortable));
    try_cuda(cudaMemcpyAsync(pinned, values, sizeof plain, cudaMemcpyDeviceToHost, stream));
    try_cuda(cudaFreeAsync(values, stream));
    try_cuda(cudaMemcpy(found, pinned, sizeof found, cudaMemcpyDefault)); /* the default stream waits */
    for (int i = 0; i < 8; i++)
        CHECK_EQ_INT(found[i], i + 1);
    CHECK_EQ_INT(cudaFreeAsync(values, stream), cudaErrorInvalidValue);
    try_cuda(cudaFreeHost(pinned));
}

/* A graph from a capture over two streams, run again with another argument. */
static void run_graph(int argument) {
    int *const values = device_ints(1000), found[1000];
    cudaStream_t first, second;
    cudaEvent_t fork_event, join_event;
    cudaGraph_t graph;
    cudaGraphExec_t exec = NULL;
    (void)argument;
    try_cuda(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    try_cuda(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    try_cuda(cudaEventCreate(&fork_event));
    try_cuda(cudaEventCreate(&join_event));
    try_cuda(cudaDeviceSynchronize());
    for (int round = 1; round <= 2; round++) {
        cudaGraphExecUpdateResultInfo info;
        try_cuda(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal));
        try_cuda(launch_add(values, 1000, 10 * round, first));
        try_cuda(cudaEventRecord(fork_event, first));
        try_cuda(cudaStreamWaitEvent(second, fork_event, 0));
        try_cuda(launch_add(values, 1000, round, second));
        try_cuda(cudaEventRecord(join_event, second));
        try_cuda(cudaStreamWaitEvent(first, join_event, 0));
        try_cuda(cudaStreamEndCapture(first, &graph));
        if (round == 1)
            try_cuda(cudaGraphInstantiate(&exec, graph, 0));
        else
            try_cuda(cudaGraphExecUpdate(exec, graph, &info));
        try_cuda(cudaGraphDestroy(graph));
        try_cuda(cudaGraphLaunch(exec, first));
        try_cuda(cudaGraphLaunch(exec, first));
    }
    try_cuda(cudaGraphExecDestroy(exec));
    try_cuda(cudaStreamSynchronize(first));
    bring(found, values, 1000);
    for (int i = 0; i < 1000; i++)
        CHECK_EQ_INT(found[i], 2 * 11 + 2 * 22);
    try_cuda(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal));
    CHECK_EQ_INT(cudaStreamSynchronize(first), cudaErrorStreamCaptureUnsupported);
    CHECK_EQ_INT(cudaStreamEndCapture(first, &graph), cudaErrorStreamCaptureInvalidated);
}

/* Kernels reach memory of another device only when they may; copies always do. */
static void run_peers(int enables) {
    int found[100];
    try_cuda(cudaSetDevice(1));
    int *const values = device_ints(100);
    try_cuda(cudaDeviceSynchronize());
    try_cuda(cudaSetDevice(0));
    if (enables)
        try_cuda(cudaDeviceEnablePeerAccess(1, 0));
    try_cuda(launch_add(values, 100, 3, NULL));
    CHECK_EQ_INT(cudaDeviceSynchronize(), enables ? cudaSuccess : cudaErrorIllegalAddress);
    if (enables) {
        bring(found, values, 100);
        CHECK_EQ_INT(found[99], 3);
    }
}

/* ---- all cases ---- */

static void expect(int status, int expected, const char *what, const char *order, int resident) {
    if (status == expected)
        return;
    fprintf(stderr, "%s, order %s, %d resident blocks: status %d\n", what, order, resident, status);
    CHECK(!"a case");
}

int main(void) {
    static const int residents[] = {1, 2, 8};
    const char *const sanitizer = getenv("RTS_TEST_SANITIZER");
    if (sanitizer != NULL && strcmp(sanitizer, "tsan") == 0)
        check_skip("ThreadSanitizer knows nothing of fibers");
    for (int i = 0; i < 3; i++)
        for (int order = 0; order < 3; order++)
            expect(run_alone(run_kernels, 0, orders[order], residents[i]), 0, "kernels", orders[order],
                   residents[i]);
    expect(run_alone(run_backwards, cudaSuccess, "late", 8), 0, "all blocks resident", "late", 8);
    expect(run_alone(run_backwards, cudaErrorLaunchTimeout, "late", 2), 0, "deadlock", "late", 2);
    expect(run_alone(run_refused, 0, "late", 8), 0, "refused", "late", 8);
    for (int what = WRONG_BARRIER_ENDED; what <= WRONG_TRAP; what++) { /* early, the launch itself tells */
        char text[32];
        snprintf(text, sizeof text, "mistake %d", what);
        expect(run_alone(run_wrong, what, "late", 2), 0, text, "late", 2);
    }
    expect(run_alone(run_unfinished_copy, 0, "late", 1), 0, "a copy that nobody waits for", "late", 1);
    expect(run_alone(run_touch, 0, "late", 1), END_BY_FAULT, "the host on device memory", "late", 1);
    expect(run_alone(run_touch, 1, "early", 1), END_BY_FAULT, "the host on freed memory", "early", 1);
    for (int order = 0; order < 4; order++) {
        expect(run_alone(run_missing_wait, 1, orders[order], 1), 0, "a wait", orders[order], 1);
        expect(run_alone(run_missing_order, 1, orders[order], 1), 0, "an order", orders[order], 1);
        expect(run_alone(run_sources, 0, orders[order], 1), 0, "sources", orders[order], 1);
        expect(run_alone(run_graph, 0, orders[order], 2), 0, "a graph", orders[order], 2);
    }
    expect(run_alone(run_missing_wait, 0, "early", 1), 0, "a missing wait unseen", "early", 1);
    expect(run_alone(run_missing_wait, 0, "late", 1), 1, "a missing wait", "late", 1);
    expect(run_alone(run_missing_order, 0, "early", 1), 0, "a missing order unseen", "early", 1);
    expect(run_alone(run_missing_order, 0, "late", 1), 1, "a missing order", "late", 1);
    setenv("EMULATED_CUDA_DEVICES", "2", 1);
    expect(run_alone(run_peers, 1, "late", 1), 0, "peers", "late", 1);
    expect(run_alone(run_peers, 0, "late", 1), 0, "no peers", "late", 1);
    return check_finish();
}
