/* Random copies between layouts, and what they should give: for tests of reorganisation on a device, with or without one. */
#ifndef REORGANISE_JOBS_H
#define REORGANISE_JOBS_H

#include "rts/backend.h"
#include "tests/check.h"
#include "tests/next_index.h"

/** A copy; the job's layouts are those beside it, buffers are the caller's. */
typedef struct random_job {
    rts_copy_job_t job;
    rts_layout_t from, to;
} random_job_t;

/** A box around `inner`, sometimes larger, in a random layout. */
static inline void pick_layout(const rts_box_t *inner, bool may_grow, rts_layout_t *layout) {
    rts_box_t outer = *inner;
    int perm[RTS_MAX_RANK];
    for (int axis = 0; axis < inner->rank; axis++) {
        if (may_grow && check_random_once_in(3)) {
            outer.lo[axis] -= check_random_range(0, 5);
            outer.hi[axis] += check_random_range(0, 5);
        }
    }
    check_random_order(inner->rank, perm);
    const rts_index_t aligns[] = {1, 1, check_random_range(2, 9), 16, 32};
    const rts_index_t align = aligns[check_random_range(0, 4)];
    if (inner->rank < 2 || check_random_once_in(2)) {
        CHECK_EQ_INT(rts_layout_plain(&outer, perm, align, layout), RTS_OK);
        return;
    }
    if (may_grow && check_random_once_in(3)) { /* square planes */
        const int p = perm[inner->rank - 2], q = perm[inner->rank - 1];
        const rts_index_t side = rts_max(outer.hi[p] - outer.lo[p], outer.hi[q] - outer.lo[q]);
        outer.hi[p] = outer.lo[p] + side;
        outer.hi[q] = outer.lo[q] + side;
    }
    const rts_layout_kind_t kind = (rts_layout_kind_t)check_random_range(RTS_LAYOUT_SKEW, RTS_LAYOUT_PACKED);
    const int a = kind != RTS_LAYOUT_PACKED && check_random_once_in(8) ? 2 : 1;
    const int b = kind != RTS_LAYOUT_PACKED && check_random_once_in(4) ? 2 : 1;
    CHECK_EQ_INT(rts_layout_diagonal(&outer, perm, kind == RTS_LAYOUT_PACKED ? 1 : align, kind, a,
                                     check_random_once_in(2) ? b : -b, layout),
                 RTS_OK);
}

static inline size_t pick_element_bytes(void) {
    static const size_t sizes[] = {8, 8, 4, 4, 1, 2, 16, 16, 3, 12, 24, 40, 64, 200, 512};
    return sizes[check_random_range(0, (int64_t)(sizeof(sizes) / sizeof(sizes[0])) - 1)];
}

/** A random copy of about `elements` elements at most; buffers may have many more. */
static inline void pick_any_job(rts_index_t elements, random_job_t *random) {
    const int rank = (int)check_random_range(1, check_random_once_in(5) ? 6 : 4);
    rts_box_t box = {.rank = rank};
    rts_index_t left = check_random_once_in(3) ? elements : check_random_range(1, elements);
    int order[RTS_MAX_RANK];
    check_random_order(rank, order);
    for (int i = 0; i < rank; i++) {
        const rts_index_t most = i == rank - 1 ? left : rts_max(left / 2, 1);
        rts_index_t extent = check_random_once_in(3) ? check_random_range(1, 6) : check_random_range(1, 400);
        extent = rts_max(1, rts_min(extent, most));
        if (i == rank - 1 && check_random_once_in(2))
            extent = rts_max(1, rts_min(left, 3000));
        box.lo[order[i]] = check_random_range(-20, 20);
        box.hi[order[i]] = box.lo[order[i]] + extent;
        left = rts_max(left / extent, 1);
    }
    const bool may_grow = check_random_once_in(2);
    pick_layout(&box, may_grow, &random->from);
    pick_layout(&box, may_grow, &random->to);
    random->job = (rts_copy_job_t){.element_bytes = pick_element_bytes(), .box = box};
}

/** The same with buffers of 16 MiB at most. */
static inline void pick_job(rts_index_t elements, random_job_t *random) {
    const rts_index_t most = 16 << 20;
    do
        pick_any_job(elements, random);
    while (random->from.size > most / (rts_index_t)random->job.element_bytes ||
           random->to.size > most / (rts_index_t)random->job.element_bytes);
}

static inline void explain_job(const rts_copy_job_t *job) {
    char from[96], to[96];
    fprintf(stderr, "  %zu bytes an element, %s to %s, addresses %% 256: %u, %u:", job->element_bytes,
            rts_layout_name(job->source_layout, from, sizeof(from)),
            rts_layout_name(job->target_layout, to, sizeof(to)), (unsigned)((uintptr_t)job->source % 256),
            (unsigned)((uintptr_t)job->target % 256));
    for (int axis = 0; axis < job->box.rank; axis++)
        fprintf(stderr, " [%lld,%lld) in [%lld,%lld) [%lld,%lld)", (long long)job->box.lo[axis],
                (long long)job->box.hi[axis], (long long)job->source_layout->box.lo[axis],
                (long long)job->source_layout->box.hi[axis], (long long)job->target_layout->box.lo[axis],
                (long long)job->target_layout->box.hi[axis]);
    fprintf(stderr, "\n");
}

/** The reference: element by element. */
static inline void copy_elements(const rts_copy_job_t *job, const char *source, char *target) {
    const size_t bytes = job->element_bytes;
    rts_index_t index[RTS_MAX_RANK];
    memcpy(index, job->box.lo, sizeof(index));
    do
        memcpy(target + (size_t)rts_layout_offset(job->target_layout, index) * bytes,
               source + (size_t)rts_layout_offset(job->source_layout, index) * bytes, bytes);
    while (next_index(&job->box, index));
}

#endif
