/* Graphs: what a capture collected, in the order in which it was queued, which is one of the orders that a graph allows. Launching one is a
 * task of its stream that runs the others. */
#include <config.h>

#include "tests/emulated_cuda/emulated.h"

#include <stdlib.h>
#include <string.h>

typedef struct list {
    int references; /* launches that are queued keep what they run */
    emulated_task_t **task;
    size_t count;
} list_t;

struct CUgraphExec_st {
    list_t *list;
};

typedef struct graph_task {
    emulated_task_t task;
    list_t *list;
} graph_task_t;

cudaError_t emulated_graph_add(cudaGraph_t graph, emulated_task_t *task) {
    if (graph->count == graph->capacity) {
        graph->capacity = graph->capacity > 0 ? 2 * graph->capacity : 16;
        graph->task = realloc(graph->task, graph->capacity * sizeof(emulated_task_t *));
        if (graph->task == NULL)
            abort();
    }
    graph->task[graph->count++] = task;
    return cudaSuccess;
}

static list_t *copy_list(cudaGraph_t graph) {
    list_t *const list = emulated_alloc(sizeof *list);
    list->references = 1;
    list->count = graph->count;
    list->task = emulated_alloc(graph->count * sizeof(emulated_task_t *));
    for (size_t i = 0; i < graph->count; i++) {
        list->task[i] = graph->task[i];
        list->task[i]->references++;
    }
    return list;
}

static void drop_list(list_t *list) {
    if (--list->references > 0)
        return;
    for (size_t i = 0; i < list->count; i++)
        emulated_task_drop(list->task[i]);
    free(list->task);
    free(list);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
    cudaError_t error = emulated_enter();
    (void)flags;
    if (error == cudaSuccess && graph == NULL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        *exec = emulated_alloc(sizeof **exec);
        (*exec)->list = copy_list(graph);
    }
    return emulated_leave(error);
}

/* A graph of as many nodes, of the same kinds. */
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && (exec == NULL || graph == NULL))
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return emulated_leave(error);
    enum cudaGraphExecUpdateResult result = exec->list->count == graph->count
                                                ? cudaGraphExecUpdateSuccess
                                                : cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < graph->count && result == cudaGraphExecUpdateSuccess; i++)
        if (exec->list->task[i]->kind != graph->task[i]->kind)
            result = cudaGraphExecUpdateErrorNodeTypeChanged;
    if (info != NULL) {
        memset(info, 0, sizeof *info);
        info->result = result;
    }
    if (result != cudaGraphExecUpdateSuccess)
        return emulated_leave(cudaErrorGraphExecUpdateFailure);
    drop_list(exec->list);
    exec->list = copy_list(graph);
    return emulated_leave(cudaSuccess);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && (exec == NULL || emulated_stream_of(stream) == NULL))
        error = cudaErrorInvalidValue;
    return emulated_leave(error);
}

static void run_graph(emulated_task_t *task) {
    const graph_task_t *const graph = (const graph_task_t *)task;
    for (size_t i = 0; i < graph->list->count && emulated_broken() == cudaSuccess; i++)
        graph->list->task[i]->run(graph->list->task[i]);
}

static void release_graph(emulated_task_t *task) {
    drop_list(((graph_task_t *)task)->list);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && exec == NULL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        graph_task_t *const graph = emulated_task_make(sizeof *graph, run_graph, release_graph, 'g');
        graph->list = exec->list;
        graph->list->references++;
        error = emulated_queue(stream, &graph->task);
    }
    return emulated_leave(error);
}

/* The number alone: handles of nodes are of no use here. */
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && (graph == NULL || nodes != NULL))
        error = cudaErrorNotSupported;
    if (error == cudaSuccess)
        *count = graph->count;
    return emulated_leave(error);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    cudaError_t error = emulated_enter();
    for (size_t i = 0; i < graph->count; i++)
        emulated_task_drop(graph->task[i]);
    free(graph->task);
    free(graph);
    return emulated_leave(error);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    cudaError_t error = emulated_enter();
    drop_list(exec->list);
    free(exec);
    return emulated_leave(error);
}

/* ---- capture; streams end it ---- */

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, enum cudaStreamCaptureMode mode) {
    cudaError_t error = emulated_enter();
    const cudaStream_t stream = error == cudaSuccess ? emulated_stream_of(handle) : NULL;
    (void)mode;
    if (error == cudaSuccess && stream == NULL)
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && stream->is_default)
        error = cudaErrorStreamCaptureUnsupported;
    if (error == cudaSuccess && stream->captured != NULL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        stream->captured = emulated_alloc(sizeof *stream->captured);
        stream->is_origin = true;
        stream->is_unjoined = false;
    }
    return emulated_leave(error);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, enum cudaStreamCaptureStatus *status) {
    cudaError_t error = emulated_enter();
    const cudaStream_t stream = error == cudaSuccess ? emulated_stream_of(handle) : NULL;
    if (error == cudaSuccess && stream == NULL)
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        *status = stream->captured == NULL       ? cudaStreamCaptureStatusNone
                  : stream->captured->is_invalid ? cudaStreamCaptureStatusInvalidated
                                                 : cudaStreamCaptureStatusActive;
    return emulated_leave(error);
}

/* Captures forbid the same whatever their mode. */
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    (void)mode;
    return cudaSuccess;
}
