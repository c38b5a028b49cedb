/* Copies between layouts on a device: remembers plans, measures the shapes of their tiles on first use, and queues kernels. Kinds of
 * copies and candidates are decided in cuda_reorganise_plan.c and cuda_reorganise_shape.c; here, which candidate stays. */
#include <config.h>

#include "rts/cuda/cuda_copy.h"
#include "rts/cuda/cuda_error.h"
#include "rts/cuda/cuda_reorganise_kernels.h"
#include "rts/cuda/cuda_reorganise_plan.h"

#include <stdlib.h>
#include <string.h>

/** Plans that are remembered; a plan may stand in one of WAYS places. */
#define PLACES 64
#define WAYS   4
/** Shapes are measured for copies from this size on, each so often, and the least time counts. */
#define MEASURED_BYTES ((int64_t)8 << 20)
#define TRIALS         2

#define LAYOUT_NUMBERS (6 + 4 * RTS_MAX_RANK)
#define KEY_NUMBERS    (5 + 2 * RTS_MAX_RANK + 2 * LAYOUT_NUMBERS)

/** What a plan depends on, as numbers. */
typedef struct plan_key {
    int count;
    uint64_t hash;
    int64_t number[KEY_NUMBERS];
} plan_key_t;

typedef struct remembered {
    plan_key_t key;
    rts_reorganise_plan_t plan;
    uint64_t used; /* when last */
    int shape;     /* that the tiles have */
    int trials;    /* measured; TRIALS * shape_count: all are */
    bool pending;  /* the events are on a stream, and have not been looked at */
    bool has_events;
    cudaEvent_t begin, end;
    float least[RTS_TILE_MAX_SHAPES]; /* milliseconds; 0: not measured */
} remembered_t;

static remembered_t *places[PLACES];
static remembered_t spare; /* where there is no memory to remember a plan */
static uint64_t now;

static void key_add(plan_key_t *key, int64_t number) {
    key->number[key->count++] = number;
    key->hash = (key->hash ^ (uint64_t)number) * UINT64_C(0x9e3779b97f4a7c15);
    key->hash ^= key->hash >> 29;
}

static void key_add_layout(plan_key_t *key, const rts_layout_t *layout) {
    key_add(key, layout->kind);
    key_add(key, layout->a);
    key_add(key, layout->b);
    key_add(key, layout->pitch);
    key_add(key, layout->rows);
    key_add(key, layout->origin);
    for (int axis = 0; axis < layout->box.rank; axis++) {
        key_add(key, layout->perm[axis]);
        key_add(key, layout->stride[axis]);
        key_add(key, layout->box.lo[axis]);
        key_add(key, layout->box.hi[axis]);
    }
}

static void key_make(int cuda_device, const rts_copy_job_t *job, plan_key_t *key) {
    key->count = 0;
    key->hash = 0;
    key_add(key, cuda_device);
    key_add(key, job->box.rank);
    key_add(key, (int64_t)job->element_bytes);
    key_add(key, (int64_t)((uintptr_t)job->source % 256));
    key_add(key, (int64_t)((uintptr_t)job->target % 256));
    for (int axis = 0; axis < job->box.rank; axis++) {
        key_add(key, job->box.lo[axis]);
        key_add(key, job->box.hi[axis]);
    }
    key_add_layout(key, job->source_layout);
    key_add_layout(key, job->target_layout);
}

static bool key_equal(const plan_key_t *a, const plan_key_t *b) {
    return a->hash == b->hash && a->count == b->count &&
           memcmp(a->number, b->number, (size_t)a->count * sizeof(a->number[0])) == 0;
}

static void forget_events(remembered_t *entry) {
    if (entry->has_events) {
        (void)cudaEventDestroy(entry->begin);
        (void)cudaEventDestroy(entry->end);
    }
    entry->has_events = entry->pending = false;
}

void rts_cuda_copy_release(void) {
    for (int i = 0; i < PLACES; i++) {
        if (places[i] != NULL)
            forget_events(places[i]);
        free(places[i]);
        places[i] = NULL;
    }
    forget_events(&spare);
}

/** The plan of a job, remembered or new. */
static remembered_t *find_plan(int cuda_device, const rts_copy_job_t *job) {
    plan_key_t key;
    key_make(cuda_device, job, &key);
    remembered_t **place = NULL;
    for (int way = 0; way < WAYS; way++) {
        remembered_t **const here = &places[(key.hash + (uint64_t)way) % PLACES];
        if (*here != NULL && key_equal(&(*here)->key, &key))
            return *here;
        /* A free place, or else the one that was not used for longest. */
        if (place == NULL || (*place != NULL && (*here == NULL || (*here)->used < (*place)->used)))
            place = here;
    }
    if (*place == NULL)
        *place = calloc(1, sizeof(**place));
    remembered_t *const entry = *place != NULL ? *place : &spare;
    forget_events(entry);
    memset(entry, 0, sizeof(*entry));
    entry->key = key;
    rts_reorganise_plan(job, &entry->plan);
    return entry;
}

/* ---- shapes ---- */

static void take_shape(remembered_t *entry, int shape) {
    if (entry->shape == shape)
        return;
    for (int i = 0; i < entry->plan.tile_plan_count; i++)
        (void)rts_tile_plan_shape(&entry->plan.tiles[i], &entry->plan.shapes[shape]);
    entry->shape = shape;
}

/** The shape that took the least time, or that promises most. */
static int best_shape(const remembered_t *entry) {
    int best = 0;
    for (int i = 1; i < entry->plan.shape_count; i++)
        if (entry->least[i] > 0 && (entry->least[best] <= 0 || entry->least[i] < entry->least[best]))
            best = i;
    return best;
}

/** Read the events of the last trial, if its copy has ended. */
static void read_trial(remembered_t *entry) {
    float milliseconds = 0;
    if (!entry->pending || cudaEventQuery(entry->end) == cudaErrorNotReady)
        return;
    const int shape = entry->trials++ % entry->plan.shape_count;
    if (cudaEventElapsedTime(&milliseconds, entry->begin, entry->end) == cudaSuccess && milliseconds > 0 &&
        (entry->least[shape] <= 0 || milliseconds < entry->least[shape]))
        entry->least[shape] = milliseconds;
    entry->pending = false;
    if (entry->trials == TRIALS * entry->plan.shape_count)
        forget_events(entry);
}

/** Whether this copy is to be timed; it has the shape to be tried then. Else it has the best one. */
static bool begin_trial(remembered_t *entry, cudaStream_t stream) {
    read_trial(entry);
    const bool tries = entry->plan.shape_count > 1 && entry->plan.bytes >= MEASURED_BYTES &&
                       !entry->pending && entry->trials < TRIALS * entry->plan.shape_count;
    if (tries && !entry->has_events) {
        if (cudaEventCreate(&entry->begin) != cudaSuccess)
            return false;
        if (cudaEventCreate(&entry->end) != cudaSuccess) {
            (void)cudaEventDestroy(entry->begin);
            return false;
        }
        entry->has_events = true;
    }
    take_shape(entry, tries ? entry->trials % entry->plan.shape_count : best_shape(entry));
    return tries && cudaEventRecord(entry->begin, stream) == cudaSuccess;
}

static cudaError_t queue_tiles(int cuda_device, remembered_t *entry, const rts_copy_job_t *job,
                               cudaStream_t stream) {
    const bool timed = begin_trial(entry, stream);
    for (int i = 0; i < entry->plan.tile_plan_count; i++) {
        const int error =
            rts_tile_launch(&entry->plan.tiles[i], cuda_device, job->source, job->target, stream);
        if (error != cudaSuccess)
            return (cudaError_t)error;
    }
    entry->pending = timed && cudaEventRecord(entry->end, stream) == cudaSuccess;
    return cudaSuccess;
}

rts_status_t rts_cuda_copy_box(int cuda_device, void *stream, const rts_copy_job_t *job) {
    cudaStream_t const queue = (cudaStream_t)stream;
    remembered_t *const entry = find_plan(cuda_device, job);
    cudaError_t error = cudaSuccess;
    entry->used = ++now;
    RTS_CUDA_TRY(cudaSetDevice(cuda_device), cuda_device, "choosing a device");
    const rts_reorganise_plan_t *const plan = &entry->plan;
    switch (plan->kind) {
    case RTS_REORGANISE_NOTHING:
        break;
    case RTS_REORGANISE_RUN:
        error = cudaMemcpyAsync((char *)job->target + plan->target_byte,
                                (const char *)job->source + plan->source_byte, (size_t)plan->bytes,
                                cudaMemcpyDefault, queue);
        break;
    case RTS_REORGANISE_WORDS:
        error = (cudaError_t)rts_word_launch(&plan->words, job->source, job->target, stream);
        break;
    case RTS_REORGANISE_TILES:
        error = queue_tiles(cuda_device, entry, job, queue);
        break;
    }
    RTS_CUDA_TRY(error, cuda_device, "a copy between layouts");
    return RTS_OK;
}
