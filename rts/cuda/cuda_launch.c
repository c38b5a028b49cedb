/* Launches; see the header. A sweep over fronts is many short kernels. They are captured into a graph each time the handler is called, since
 * what the kernels are given may have changed, and a graph of the same shape that is there already takes the new arguments: that is a few
 * tenths of what launching the kernels one by one costs the host, and the GPU runs them closer together. Whatever does not work with graphs
 * works without. */
#include <config.h>

#include "rts/cuda/cuda_launch.h"

#include "rts/cuda/cuda_error.h"
#include "rts/cuda/cuda_sweeps.h"
#include "rts/launcher.h"

#define LEAST_KERNELS 16 /* of a graph */

/* ---- graphs ---- */

static void forget(rts_cuda_graph_t *kept) {
    if (kept->graph != NULL && !rts_cuda_is_broken())
        (void)cudaGraphExecDestroy(kept->graph);
    *kept = (rts_cuda_graph_t){.kernel_of = NULL};
}

/* The graph of the same kernels, or room for it: what was not used for longest goes. */
static rts_cuda_graph_t *find(rts_cuda_device_t *device, const rts_launch_job_t *job) {
    rts_cuda_graph_t *oldest = &device->graph[0];
    for (int i = 0; i < RTS_CUDA_GRAPHS; i++) {
        rts_cuda_graph_t *const one = &device->graph[i];
        if (one->graph != NULL && one->kernel_of == job->kernel_of && one->kernel_count == job->kernel_count)
            return one;
        oldest = one->used_at < oldest->used_at ? one : oldest;
    }
    forget(oldest);
    oldest->kernel_of = job->kernel_of;
    oldest->kernel_count = job->kernel_count;
    return oldest;
}

/* @return NULL  the handler's kernels cannot be captured, and none of them has been launched */
static cudaGraph_t capture(rts_cuda_device_t *device, const rts_launch_job_t *job) {
    cudaGraph_t graph = NULL;
    if (cudaStreamBeginCapture(device->stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess)
        return NULL;
    job->call(job->context, device->stream);
    const bool failed = rts_launchers_error() != NULL;
    const cudaError_t error = cudaStreamEndCapture(device->stream, &graph);
    if (error == cudaSuccess && !failed)
        return graph;
    if (graph != NULL)
        (void)cudaGraphDestroy(graph);
    return NULL;
}

/* Give a kept graph the arguments of a new one, or make it from that. */
static bool renew(rts_cuda_graph_t *kept, cudaGraph_t graph) {
    cudaGraphExecUpdateResultInfo info;
    if (kept->graph != NULL && cudaGraphExecUpdate(kept->graph, graph, &info) == cudaSuccess)
        return true;
    (void)cudaGetLastError();
    if (kept->graph != NULL)
        (void)cudaGraphExecDestroy(kept->graph);
    kept->graph = NULL;
    return cudaGraphInstantiate(&kept->graph, graph, 0) == cudaSuccess;
}

/* @return false  not as a graph; nothing has been launched */
static bool launch_graph(rts_cuda_device_t *device, const rts_launch_job_t *job) {
    cudaGraph_t graph = capture(device, job);
    bool done = false;
    if (graph != NULL) {
        rts_cuda_graph_t *const kept = find(device, job);
        kept->used_at = ++device->graph_clock;
        done = renew(kept, graph) && cudaGraphLaunch(kept->graph, device->stream) == cudaSuccess;
        if (!done)
            forget(kept);
        (void)cudaGraphDestroy(graph);
    }
    (void)cudaGetLastError();
    return done;
}

/* ---- calls ---- */

rts_status_t rts_cuda_launch(int number, const rts_launch_job_t *job) {
    rts_cuda_device_t *device;
    if (job->sweeps != NULL)
        return rts_cuda_sweeps_launch(number, job);
    RTS_TRY(rts_cuda_device_use(number, &device));
    RTS_CUDA_TRY(cudaGetLastError(), device->gpu, "what was asked of it before");
    rts_cuda_note_loop(job->position);
    rts_launchers_begin(device->gpu);
    if (job->kernel_count >= LEAST_KERNELS && launch_graph(device, job))
        return RTS_OK;
    rts_launchers_begin(device->gpu); /* what failed under capture is told when it fails again */
    job->call(job->context, device->stream);
    return rts_cuda_launched(device);
}

/* ---- measurements ---- */

/* Where times cannot be had nobody minds. */
static bool make_events(rts_cuda_timer_t *timer) {
    if (timer->begin != NULL)
        return true;
    if (cudaEventCreate(&timer->begin) == cudaSuccess) {
        if (cudaEventCreate(&timer->end) == cudaSuccess)
            return true;
        (void)cudaEventDestroy(timer->begin);
    }
    timer->begin = timer->end = NULL;
    (void)cudaGetLastError();
    return false;
}

void rts_cuda_timer_start(int number) {
    rts_cuda_device_t *device;
    if (rts_cuda_device_use(number, &device) != RTS_OK)
        return;
    rts_cuda_timer_t *const timer = &device->timer[(device->last_timer + 1) % RTS_MOST_TIMERS];
    if (make_events(timer))
        (void)cudaEventRecord(timer->begin, device->stream);
}

int64_t rts_cuda_timer_stop(int number) {
    rts_cuda_device_t *device;
    if (rts_cuda_device_use(number, &device) != RTS_OK)
        return 0;
    const rts_cuda_timer_t *const timer = &device->timer[(device->last_timer + 1) % RTS_MOST_TIMERS];
    if (timer->begin == NULL || cudaEventRecord(timer->end, device->stream) != cudaSuccess)
        return 0;
    return ++device->last_timer;
}

bool rts_cuda_timer_elapsed(int number, int64_t wanted, double *seconds_p) {
    const rts_cuda_device_t *const device = rts_cuda_device_of(number);
    float ms = 0;
    *seconds_p = -1;
    /* The oldest one may be under way again. */
    if (device == NULL || wanted + RTS_MOST_TIMERS <= device->last_timer + 1)
        return true;
    const rts_cuda_timer_t *const timer = &device->timer[wanted % RTS_MOST_TIMERS];
    const cudaError_t state = cudaEventQuery(timer->end);
    if (state == cudaErrorNotReady) {
        (void)cudaGetLastError();
        return false;
    }
    /* What failed is told by those who need results. */
    if (state == cudaSuccess && cudaEventElapsedTime(&ms, timer->begin, timer->end) == cudaSuccess)
        *seconds_p = (double)ms * 1e-3;
    return true;
}

void rts_cuda_launch_close(rts_cuda_device_t *device) {
    for (int i = 0; i < RTS_CUDA_GRAPHS; i++)
        forget(&device->graph[i]);
    for (int i = 0; i < RTS_MOST_TIMERS; i++) {
        rts_cuda_timer_t *const timer = &device->timer[i];
        if (timer->begin != NULL && !rts_cuda_is_broken()) {
            (void)cudaEventDestroy(timer->begin);
            (void)cudaEventDestroy(timer->end);
        }
        timer->begin = timer->end = NULL;
    }
    device->graph_clock = 0;
}
