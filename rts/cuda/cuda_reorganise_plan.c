/* Chooses how a copy goes: as one run, word by word, or in tiles (cuda_reorganise_pairs.c finds their coordinates). */
#include <config.h>

#include "rts/cuda/cuda_reorganise_plan.h"

#include <string.h>

/** Boxes up to this size go word by word: one launch, little to decode. */
#define SMALL_BYTES 16384
/** Boxes whose rows are on average shorter than this, in either buffer, go word by word, too. */
#define SHORT_ROW_BYTES 16

static rts_index_t extent_of(const rts_box_t *box, int axis) {
    return box->hi[axis] - box->lo[axis];
}

/** One side of the word plan; axes[i] is the box's axis that is axis i of the plan, -1 the words of an element. */
static void word_side(const rts_copy_job_t *job, const rts_layout_t *layout, const int axes[], int axis_count,
                      int word_bytes, rts_word_side_t *side) {
    const rts_index_t words = (rts_index_t)job->element_bytes / word_bytes;
    const int rank = job->box.rank;
    *side = (rts_word_side_t){.has_plane = !rts_layout_is_affine(layout), .p = -1, .q = -1, .scale = words};
    side->start = layout->origin * words;
    for (int axis = 0; axis < rank; axis++)
        side->start += layout->stride[axis] * job->box.lo[axis] * words;
    for (int i = 0; i < axis_count; i++)
        side->step[i] = axes[i] < 0 ? 1 : layout->stride[axes[i]] * words;
    if (!side->has_plane)
        return;
    const int p = layout->perm[rank - 2], q = layout->perm[rank - 1];
    side->plane = rts_layout_plane(layout);
    side->p_first = job->box.lo[p] - layout->box.lo[p];
    side->q_first = job->box.lo[q] - layout->box.lo[q];
    for (int i = 0; i < axis_count; i++) {
        side->p = axes[i] == p ? i : side->p;
        side->q = axes[i] == q ? i : side->q;
    }
}

/** Axes in the target's order, then the words of an element. Bytes that are fewer than a word are none. */
void rts_word_plan_make(const rts_copy_job_t *job, rts_word_plan_t *plan_p) {
    rts_word_plan_t *const plan = plan_p;
    const uint64_t bits =
        (uint64_t)job->element_bytes | (uint64_t)((uintptr_t)job->source | (uintptr_t)job->target) | 16;
    int axes[RTS_WORD_MAX_AXES];
    *plan = (rts_word_plan_t){.word_bytes = (int)(bits & (~bits + 1)), .count = 1};
    for (int i = 0; i < job->box.rank; i++) {
        const int axis = job->target_layout->perm[i];
        if (extent_of(&job->box, axis) == 1)
            continue;
        axes[plan->axis_count] = axis;
        plan->extent[plan->axis_count++] = extent_of(&job->box, axis);
    }
    const rts_index_t words = (rts_index_t)job->element_bytes / plan->word_bytes;
    if (words > 1 || plan->axis_count == 0) {
        axes[plan->axis_count] = -1;
        plan->extent[plan->axis_count++] = words;
    }
    for (int i = 0; i < plan->axis_count; i++)
        plan->count *= plan->extent[i];
    word_side(job, job->source_layout, axes, plan->axis_count, plan->word_bytes, &plan->source);
    word_side(job, job->target_layout, axes, plan->axis_count, plan->word_bytes, &plan->target);
}

/** Whether tiles would be thin: a side's rows are short, or there are few elements in all. */
static bool is_thin(const rts_tile_plan_t *plan, int64_t bytes) {
    const int64_t parts = plan->parts.value;
    const int64_t along_u = (plan->u_hi - plan->u_lo) * (plan->target.is_interleaved ? parts : 1);
    const int64_t along_v = (plan->v_hi - plan->v_lo) * (plan->source.is_interleaved ? parts : 1);
    /* A sheared row of the source has as many words in a tile as rows of the target meet it. */
    const int64_t met = plan->has_limit && plan->limit_v != 0 ? plan->limit_hi - plan->limit_lo : along_v;
    const int64_t shorter = plan->family == RTS_TILE_SHEAR && plan->slope == 0 ? along_u
                            : plan->family == RTS_TILE_SHEAR                   ? rts_min(along_u, met)
                                                                               : rts_min(along_u, along_v);
    return bytes <= SMALL_BYTES || shorter * plan->word_bytes < SHORT_ROW_BYTES;
}

/** One run of bytes on both sides. */
static bool plan_run(const rts_copy_job_t *job, rts_reorganise_plan_t *plan) {
    rts_index_t run = (rts_index_t)job->element_bytes;
    const rts_layout_t *const from = job->source_layout, *const to = job->target_layout;
    if (from->kind != RTS_LAYOUT_PLAIN || to->kind != RTS_LAYOUT_PLAIN)
        return false;
    for (int i = job->box.rank - 1; i >= 0; i--) {
        const int axis = to->perm[i];
        const rts_index_t extent = extent_of(&job->box, axis), bytes = (rts_index_t)job->element_bytes;
        if (extent > 1 && (from->stride[axis] * bytes != run || to->stride[axis] * bytes != run))
            return false;
        run *= extent;
    }
    plan->kind = RTS_REORGANISE_RUN;
    plan->source_byte = rts_layout_offset(from, job->box.lo) * (rts_index_t)job->element_bytes;
    plan->target_byte = rts_layout_offset(to, job->box.lo) * (rts_index_t)job->element_bytes;
    return true;
}

/** Keep the shapes that fit all parts; give them the first. @return false  none fits */
static bool take_shapes(const rts_tile_shape_t shapes[], int count, rts_reorganise_plan_t *plan) {
    for (int i = 0; i < count; i++) {
        bool fits = true;
        for (int part = 0; part < plan->tile_plan_count; part++) {
            rts_tile_plan_t trial = plan->tiles[part];
            fits = fits && rts_tile_plan_shape(&trial, &shapes[i]);
        }
        if (fits)
            plan->shapes[plan->shape_count++] = shapes[i];
    }
    for (int part = 0; part < plan->tile_plan_count && plan->shape_count > 0; part++)
        (void)rts_tile_plan_shape(&plan->tiles[part], &plan->shapes[0]);
    return plan->shape_count > 0;
}

static bool plan_tiles(const rts_copy_job_t *job, rts_reorganise_plan_t *plan) {
    rts_tile_shape_t shapes[RTS_TILE_MAX_SHAPES];
    for (int part = 0; part < 2; part++)
        if (rts_tile_plan_make(job, part, &plan->tiles[plan->tile_plan_count]))
            plan->tile_plan_count++;
    if (plan->tile_plan_count == 0)
        return false;
    for (int part = 0; part < plan->tile_plan_count; part++)
        if (is_thin(&plan->tiles[part], plan->bytes))
            return false;
    return take_shapes(shapes, rts_tile_plan_shapes(&plan->tiles[0], shapes), plan);
}

void rts_reorganise_plan(const rts_copy_job_t *job, rts_reorganise_plan_t *plan_p) {
    memset(plan_p, 0, sizeof(*plan_p));
    plan_p->bytes = rts_box_size(&job->box) * (int64_t)job->element_bytes;
    if (plan_p->bytes == 0) {
        plan_p->kind = RTS_REORGANISE_NOTHING;
    } else if (!plan_run(job, plan_p)) {
        plan_p->kind = plan_tiles(job, plan_p) ? RTS_REORGANISE_TILES : RTS_REORGANISE_WORDS;
        if (plan_p->kind == RTS_REORGANISE_WORDS)
            rts_word_plan_make(job, &plan_p->words);
    }
}
