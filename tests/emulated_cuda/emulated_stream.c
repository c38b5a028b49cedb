/* Queues of the emulated GPU: what is queued where, what it waits for, and when it is done. A stream is a list of operations; an operation
 * waits for others by their streams and numbers: for events, and between the default stream and those that it orders. Doing an operation
 * does what it waits for first, so every moment is a legal one, and the setting decides which.
 *
 * Streams are never freed: there are few, and operations of others may name them.
 *
 * Events that processes share count their records (emulated_ipc.c). A stream that waits for a record of another process has that process do
 * what it takes, and does what others want of this one meanwhile. */
#include <config.h>

#include "tests/emulated_cuda/emulated.h"

#include <stdlib.h>
#include <string.h>

typedef struct wait_for {
    cudaStream_t stream;
    uint64_t number;
} wait_for_t;

typedef struct emulated_operation {
    struct emulated_operation *next;
    emulated_task_t *task;
    uint64_t number;
    size_t wait_count;
    wait_for_t wait[];
} operation_t;

/* A record of a shared event by this process. */
typedef struct shared_record {
    uint64_t number;
    wait_for_t at;
} shared_record_t;

/* Records of a shared event that are remembered: more than are queued before the first of them is done. */
enum { SHARED_RECORDS = 4096 };

struct CUevent_st {
    int references; /* records that are queued, and the program's */
    int device;
    bool has_times;
    bool is_recorded;
    wait_for_t last;      /* the newest record; stream NULL: none */
    cudaGraph_t captured; /* the newest record was captured into this graph, in that stream */
    double time;
    emulated_shared_event_t *shared; /* NULL: it is of this process alone */
    int descriptor;
    shared_record_t record[SHARED_RECORDS]; /* number n at n % SHARED_RECORDS */
    struct CUevent_st *next;                /* shared ones */
};

static struct {
    cudaStream_t first;
    cudaStream_t of_device[EMULATED_MAX_DEVICES]; /* default streams */
    uint64_t random;
    cudaEvent_t shared;
    bool is_serving; /* what is done is what others want */
} streams;

/* ---- tasks ---- */

void *emulated_task_make(size_t bytes, void (*run)(emulated_task_t *), void (*release)(emulated_task_t *),
                         int kind) {
    emulated_task_t *const task = emulated_alloc(bytes);
    task->references = 1;
    task->run = run;
    task->release = release;
    task->kind = kind;
    return task;
}

void emulated_task_drop(emulated_task_t *task) {
    if (--task->references > 0)
        return;
    if (task->release != NULL)
        task->release(task);
    free(task);
}

/* ---- doing what is queued ---- */

static bool do_until(cudaStream_t stream, uint64_t number);
static bool must_wait(const emulated_task_t *task);

/* @return false  it has to wait for another process, or for a stream that does, and is only what others want: it is tried again later,
 * since what this process itself waits for may come first */
static bool do_first(cudaStream_t stream) {
    operation_t *const operation = stream->first;
    if (stream->is_busy)
        return false;
    for (size_t i = 0; i < operation->wait_count; i++)
        if (!do_until(operation->wait[i].stream, operation->wait[i].number))
            return false;
    if (streams.is_serving && must_wait(operation->task))
        return false;
    stream->first = operation->next;
    if (stream->first == NULL)
        stream->last = NULL;
    stream->is_busy = true;
    if (emulated_broken() == cudaSuccess) /* after a fault nothing runs any more */
        operation->task->run(operation->task);
    stream->is_busy = false;
    stream->done = operation->number;
    emulated_task_drop(operation->task);
    free(operation);
    return true;
}

static bool do_until(cudaStream_t stream, uint64_t number) {
    bool is_done = true;
    while (stream->done < number && is_done)
        is_done = do_first(stream);
    return is_done;
}

cudaError_t emulated_finish(cudaStream_t stream) {
    (void)do_until(stream, stream->queued);
    return emulated_broken();
}

cudaError_t emulated_finish_device(int device) {
    for (cudaStream_t stream = streams.first; stream != NULL; stream = stream->next)
        if (stream->device == device)
            (void)do_until(stream, stream->queued);
    return emulated_broken();
}

static cudaStream_t pick_waiting(void) {
    size_t count = 0;
    for (cudaStream_t stream = streams.first; stream != NULL; stream = stream->next)
        count += stream->first != NULL;
    if (count == 0)
        return NULL;
    size_t number = (size_t)(emulated_random(&streams.random) >> 33) % count;
    for (cudaStream_t stream = streams.first; stream != NULL; stream = stream->next)
        if (stream->first != NULL && number-- == 0)
            return stream;
    return NULL;
}

void emulated_advance(void) {
    if (emulated_settings()->order != EMULATED_RANDOM)
        return;
    if (streams.random == 0)
        streams.random = (emulated_settings()->order_seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    while ((emulated_random(&streams.random) >> 40) % 3 == 0) {
        const cudaStream_t stream = pick_waiting();
        if (stream == NULL)
            break;
        (void)do_first(stream);
    }
}

/* ---- streams ---- */

static cudaStream_t open_stream(int device, bool is_default, bool is_blocking) {
    cudaStream_t const stream = emulated_alloc(sizeof *stream);
    stream->device = device;
    stream->is_default = is_default;
    stream->is_blocking = is_blocking;
    stream->next = streams.first;
    streams.first = stream;
    return stream;
}

static cudaStream_t default_stream(int device) {
    if (streams.of_device[device] == NULL)
        streams.of_device[device] = open_stream(device, true, true);
    return streams.of_device[device];
}

cudaStream_t emulated_stream_of(cudaStream_t handle) {
    if (handle == NULL || handle == cudaStreamLegacy)
        return default_stream(emulated_current_device());
    for (cudaStream_t stream = streams.first; stream != NULL; stream = stream->next)
        if (stream == handle)
            return stream->is_destroyed ? NULL : stream;
    return NULL;
}

bool emulated_is_capturing(cudaStream_t of) {
    for (cudaStream_t stream = streams.first; stream != NULL; stream = stream->next)
        if (stream->captured != NULL && (of == NULL || of == stream))
            return true;
    return false;
}

/* The default stream and those that it orders wait for each other's last operations. */
static size_t find_waits(cudaStream_t stream, wait_for_t *wait) {
    size_t count = 0;
    if (!stream->is_blocking)
        return 0;
    for (cudaStream_t other = streams.first; other != NULL; other = other->next)
        if (other != stream && other->device == stream->device && other->is_blocking &&
            (stream->is_default || other->is_default) && other->done < other->queued) {
            if (wait != NULL)
                wait[count] = (wait_for_t){other, other->queued};
            count++;
        }
    return count;
}

static cudaError_t append(cudaStream_t stream, emulated_task_t *task, const wait_for_t *event) {
    const size_t count = find_waits(stream, NULL), all = count + (event != NULL);
    operation_t *const operation = emulated_alloc(sizeof *operation + all * sizeof *operation->wait);
    operation->task = task;
    operation->number = ++stream->queued;
    (void)find_waits(stream, operation->wait);
    if (event != NULL)
        operation->wait[count] = *event;
    operation->wait_count = all;
    if (stream->last != NULL)
        stream->last->next = operation;
    else
        stream->first = operation;
    stream->last = operation;
    if (emulated_settings()->order == EMULATED_EARLY)
        (void)emulated_finish(stream);
    return emulated_broken();
}

cudaError_t emulated_queue(cudaStream_t handle, emulated_task_t *task) {
    const cudaStream_t stream = emulated_stream_of(handle);
    if (stream == NULL) {
        emulated_task_drop(task);
        return cudaErrorInvalidResourceHandle;
    }
    task->device = stream->device;
    if (stream->captured != NULL) {
        stream->is_unjoined = !stream->is_origin;
        return emulated_graph_add(stream->captured, task);
    }
    if (stream->is_default)
        for (cudaStream_t other = streams.first; other != NULL; other = other->next)
            if (other->captured != NULL && other->is_blocking) {
                emulated_task_drop(task);
                other->captured->is_invalid = true;
                return cudaErrorStreamCaptureImplicit;
            }
    return append(stream, task, NULL);
}

static cudaError_t create_stream(cudaStream_t *stream, unsigned flags) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && flags > cudaStreamNonBlocking)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *stream = open_stream(emulated_current_device(), false, (flags & cudaStreamNonBlocking) == 0);
    return emulated_leave(error);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    return create_stream(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    return create_stream(stream, flags);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    (void)priority;
    return create_stream(stream, flags);
}

/* Of the program's streams only. What is queued will be done. */
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
    cudaError_t error = emulated_enter();
    const cudaStream_t stream = error == cudaSuccess && handle != NULL ? emulated_stream_of(handle) : NULL;
    if (error == cudaSuccess && (stream == NULL || stream->is_default))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        stream->is_destroyed = true;
    return emulated_leave(error);
}

static cudaError_t find_stream(cudaStream_t handle, cudaStream_t *stream_p) {
    *stream_p = emulated_stream_of(handle);
    if (*stream_p == NULL)
        return cudaErrorInvalidResourceHandle;
    if (emulated_is_capturing(*stream_p)) {
        (*stream_p)->captured->is_invalid = true;
        return cudaErrorStreamCaptureUnsupported;
    }
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    cudaStream_t stream;
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess)
        error = find_stream(handle, &stream);
    if (error == cudaSuccess)
        error = emulated_finish(stream);
    return emulated_leave(error);
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
    cudaStream_t stream;
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess)
        error = find_stream(handle, &stream);
    if (error == cudaSuccess && stream->first != NULL) {
        (void)do_first(stream); /* who asks again and again comes to an end */
        error = emulated_broken();
        if (error == cudaSuccess)
            error = cudaErrorNotReady;
    }
    return emulated_leave(error);
}

cudaError_t cudaDeviceSynchronize(void) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && emulated_is_capturing(NULL))
        error = cudaErrorStreamCaptureUnsupported;
    if (error == cudaSuccess)
        error = emulated_finish_device(emulated_current_device());
    return emulated_leave(error);
}

/* ---- events ---- */

typedef struct event_task {
    emulated_task_t task;
    cudaEvent_t event; /* NULL: only waits */
    uint64_t number;   /* of a shared event: the record that this is, or that is waited for */
} event_task_t;

static void drop_event(cudaEvent_t event) {
    if (--event->references > 0)
        return;
    if (event->shared != NULL) {
        cudaEvent_t *link = &streams.shared;
        while (*link != event)
            link = &(*link)->next;
        *link = event->next;
        emulated_event_unmap(event->shared, event->descriptor);
    }
    free(event);
}

static void run_event(emulated_task_t *task) {
    const event_task_t *const record = (const event_task_t *)task;
    if (record->event == NULL)
        return;
    record->event->time = emulated_seconds();
    if (record->event->shared != NULL)
        emulated_event_done(record->event->shared, record->number);
}

static void run_foreign_wait(emulated_task_t *task) {
    const event_task_t *const wait = (const event_task_t *)task;
    emulated_event_wait(wait->event->shared, wait->number);
}

static bool must_wait(const emulated_task_t *task) {
    const event_task_t *const wait = (const event_task_t *)task;
    return task->run == run_foreign_wait && !emulated_event_is_done(wait->event->shared, wait->number);
}

static void serve_event(cudaEvent_t event) {
    const uint64_t wanted = emulated_event_wanted(event->shared);
    uint64_t number = emulated_event_finished(event->shared) + 1;
    if (wanted > number + SHARED_RECORDS)
        emulated_break(cudaErrorUnknown, "more than %d records of a shared event are queued", SHARED_RECORDS);
    for (; number <= wanted; number++) {
        const shared_record_t *const record = &event->record[number % SHARED_RECORDS];
        if (record->number == number)
            (void)do_until(record->at.stream, record->at.number);
    }
}

void emulated_serve(void) {
    const bool was_serving = streams.is_serving;
    streams.is_serving = true;
    for (cudaEvent_t event = streams.shared, next; event != NULL; event = next) {
        event->references++; /* the program may have destroyed it, and its last record be done now */
        serve_event(event);
        next = event->next;
        drop_event(event);
    }
    streams.is_serving = was_serving;
}

static void release_event(emulated_task_t *task) {
    const event_task_t *const record = (const event_task_t *)task;
    if (record->event != NULL)
        drop_event(record->event);
}

static void share_event(cudaEvent_t event, emulated_shared_event_t *shared, int descriptor) {
    event->shared = shared;
    event->descriptor = descriptor;
    event->next = streams.shared;
    streams.shared = event;
}

cudaError_t emulated_event_open(emulated_shared_event_t *shared, int descriptor, cudaEvent_t *event_p) {
    const cudaError_t error = cudaEventCreateWithFlags(event_p, cudaEventDisableTiming);
    if (error == cudaSuccess)
        share_event(*event_p, shared, descriptor);
    return error;
}

int emulated_event_descriptor(cudaEvent_t event) {
    return event->shared != NULL ? event->descriptor : -1;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    cudaError_t error = emulated_enter();
    emulated_shared_event_t *shared = NULL;
    int descriptor = -1;
    if (error == cudaSuccess && (flags & cudaEventInterprocess) != 0)
        error = (flags & cudaEventDisableTiming) == 0 ? cudaErrorInvalidValue
                                                      : emulated_event_make(&shared, &descriptor);
    if (error == cudaSuccess) {
        *event = emulated_alloc(sizeof **event);
        (*event)->references = 1;
        (*event)->device = emulated_current_device();
        (*event)->has_times = (flags & cudaEventDisableTiming) == 0;
        if (shared != NULL)
            share_event(*event, shared, descriptor);
    }
    return emulated_leave(error);
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && event == NULL)
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        drop_event(event);
    return emulated_leave(error);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
    cudaError_t error = emulated_enter();
    const cudaStream_t stream = error == cudaSuccess ? emulated_stream_of(handle) : NULL;
    if (error == cudaSuccess && (stream == NULL || event == NULL || event->device != stream->device))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && event->shared != NULL && stream->captured != NULL)
        error = cudaErrorStreamCaptureUnsupported;
    if (error != cudaSuccess)
        return emulated_leave(error);
    event_task_t *const record = emulated_task_make(sizeof *record, run_event, release_event, 'e');
    record->event = event;
    event->references++;
    event->captured = stream->captured;
    event->is_recorded = true;
    if (stream->captured != NULL) {
        event->last = (wait_for_t){stream, 0};
        const bool was_unjoined = stream->is_unjoined;
        error = emulated_queue(handle, &record->task);
        stream->is_unjoined = was_unjoined; /* the record itself is no work */
    } else {
        event->last = (wait_for_t){stream, stream->queued + 1};
        if (event->shared != NULL) {
            record->number = emulated_event_count(event->shared);
            event->record[record->number % SHARED_RECORDS] = (shared_record_t){record->number, event->last};
        }
        error = emulated_queue(handle, &record->task);
    }
    return emulated_leave(error);
}

/* A wait for an event of a capture makes the stream part of it. */
static cudaError_t join_capture(cudaStream_t stream, cudaEvent_t event) {
    if (event->captured != NULL && event->last.stream->captured != event->captured)
        return cudaErrorInvalidValue; /* of a capture that has ended */
    if (stream->captured == NULL && event->captured != NULL) {
        stream->captured = event->captured;
        stream->is_origin = false;
    }
    if (stream->captured != event->captured) {
        if (stream->captured != NULL)
            stream->captured->is_invalid = true;
        return cudaErrorStreamCaptureIsolation;
    }
    event->last.stream->is_unjoined = false;
    stream->is_unjoined = !stream->is_origin;
    return cudaSuccess;
}

/* For the newest record, whoever made it. */
static cudaError_t wait_shared(cudaStream_t stream, cudaEvent_t event) {
    const uint64_t number = emulated_event_newest(event->shared);
    const shared_record_t *const ours = &event->record[number % SHARED_RECORDS];
    if (number == 0)
        return cudaSuccess;
    const bool is_ours = ours->number == number;
    event_task_t *const wait =
        emulated_task_make(sizeof *wait, is_ours ? run_event : run_foreign_wait, release_event, 'w');
    wait->task.device = stream->device;
    if (!is_ours) {
        wait->event = event;
        wait->number = number;
        event->references++;
    }
    return append(stream, &wait->task, is_ours ? &ours->at : NULL);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned flags) {
    cudaError_t error = emulated_enter();
    const cudaStream_t stream = error == cudaSuccess ? emulated_stream_of(handle) : NULL;
    if (error == cudaSuccess && (stream == NULL || event == NULL))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && flags != 0)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && event->shared != NULL) {
        error = stream->captured != NULL ? cudaErrorStreamCaptureUnsupported : wait_shared(stream, event);
    } else if (error == cudaSuccess && event->is_recorded) {
        if (stream->captured != NULL || event->captured != NULL) {
            error = join_capture(stream, event);
        } else {
            event_task_t *const wait = emulated_task_make(sizeof *wait, run_event, release_event, 'w');
            wait->task.device = stream->device;
            error = append(stream, &wait->task, &event->last);
        }
    }
    return emulated_leave(error);
}

static cudaError_t check_event(cudaEvent_t event) {
    if (event == NULL)
        return cudaErrorInvalidResourceHandle;
    if (event->shared != NULL) /* CUDA's way to ask is not needed */
        return cudaErrorNotSupported;
    return event->captured != NULL ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess)
        error = check_event(event);
    if (error == cudaSuccess && event->is_recorded) {
        (void)do_until(event->last.stream, event->last.number);
        error = emulated_broken();
    }
    return emulated_leave(error);
}

static bool is_done(cudaEvent_t event) {
    return event->last.stream->done >= event->last.number;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess)
        error = check_event(event);
    if (error == cudaSuccess && event->is_recorded && !is_done(event)) {
        (void)do_first(event->last.stream);
        error = emulated_broken();
        if (error == cudaSuccess)
            error = cudaErrorNotReady;
    }
    return emulated_leave(error);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    cudaError_t error = emulated_enter();
    if (error == cudaSuccess && (begin == NULL || end == NULL || !begin->is_recorded || !end->is_recorded ||
                                 !begin->has_times || !end->has_times))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && (!is_done(begin) || !is_done(end)))
        error = cudaErrorNotReady;
    if (error == cudaSuccess)
        *milliseconds = (float)((end->time - begin->time) * 1e3);
    return emulated_leave(error);
}

/* ---- capture ---- */

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph) {
    cudaError_t error = emulated_enter();
    const cudaStream_t stream = error == cudaSuccess ? emulated_stream_of(handle) : NULL;
    if (error == cudaSuccess && stream == NULL)
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && stream->captured == NULL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && !stream->is_origin)
        error = cudaErrorStreamCaptureUnmatched;
    if (error != cudaSuccess)
        return emulated_leave(error);
    const cudaGraph_t captured = stream->captured;
    for (cudaStream_t other = streams.first; other != NULL; other = other->next)
        if (other->captured == captured) {
            if (other->is_unjoined)
                error = cudaErrorStreamCaptureUnjoined;
            other->captured = NULL;
        }
    if (captured->is_invalid)
        error = cudaErrorStreamCaptureInvalidated;
    *graph = error == cudaSuccess ? captured : NULL;
    if (error != cudaSuccess)
        (void)cudaGraphDestroy(captured);
    return emulated_leave(error);
}
