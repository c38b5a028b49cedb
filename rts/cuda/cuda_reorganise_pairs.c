/* Finds, for a pair of layouts, the coordinates in which a copy is a transposition or a shear of planes (cuda_reorganise_tile.h), or else
 * goes word by word. It decides words, coordinates and which axes lie around the planes; not shapes of tiles
 * (cuda_reorganise_shape.c).
 *
 * A diagonal layout has rows d = i_p + b * i_q + c, where i_p and i_q count from its own box's first indices. w = sign * i_q ascends along
 * a row. In (d, w) it is a table of rows, and any plain layout is affine, since i_p = d - b * i_q - c. */
#include <config.h>

#include "rts/cuda/cuda_reorganise_plan.h"

#include <string.h>

/** A short axis that is fastest on one side is made the parts k of elements up to this extent. */
#define MAX_PARTS 32
/** Rows that are contiguous on both sides are not treated as long elements from this size on. */
#define ROW_BYTES 256
/** Rows that are contiguous in one buffer and shorter than this go word by word. */
#define SHORT_ROW 4

typedef struct plan_axis {
    rts_index_t extent, source, target; /* steps in bytes, then in words */
} plan_axis_t;

/** The axes of the box, longer than 1. */
typedef struct plan_axes {
    int count;
    plan_axis_t axis[RTS_TILE_MAX_AXES];
} plan_axes_t;

static rts_index_t extent_of(const rts_box_t *box, int axis) {
    return box->hi[axis] - box->lo[axis];
}

static bool is_diagonal(const rts_layout_t *layout) {
    return layout->kind != RTS_LAYOUT_PLAIN;
}

/** Add an axis so that the target's fastest is the last. */
static void add_axis(plan_axes_t *axes, rts_index_t extent, rts_index_t source, rts_index_t target) {
    if (extent == 1)
        return;
    int place = axes->count++;
    for (; place > 0 && axes->axis[place - 1].target < target; place--)
        axes->axis[place] = axes->axis[place - 1];
    axes->axis[place] = (plan_axis_t){extent, source, target};
}

static plan_axis_t take_axis(plan_axes_t *axes, int place) {
    const plan_axis_t axis = axes->axis[place];
    axes->count--;
    memmove(&axes->axis[place], &axes->axis[place + 1],
            (size_t)(axes->count - place) * sizeof(axes->axis[0]));
    return axis;
}

/** The largest power of two up to 16 that divides all bits set in `bits`. */
static int word_of(uint64_t bits) {
    const uint64_t least = bits | 16;
    return (int)(least & (~least + 1));
}

static uint64_t addresses(const rts_copy_job_t *job) {
    return (uint64_t)((uintptr_t)job->source | (uintptr_t)job->target);
}

/** What is the same for all plans of tiles; the other axes become those around the planes. */
static void finish_tiles(const rts_copy_job_t *job, const plan_axes_t *axes, rts_tile_plan_t *plan) {
    plan->axis_count = plan->outer_axis == 0 ? 1 : 0;
    for (int i = 0; i < axes->count; i++)
        plan->axis[plan->axis_count++] = (rts_tile_axis_t){rts_divisor_of(axes->axis[i].extent),
                                                           axes->axis[i].source, axes->axis[i].target};
    plan->target_phase = (int64_t)((uintptr_t)job->target % 256) / plan->word_bytes;
    plan->source_phase = (int64_t)((uintptr_t)job->source % 256) / plan->word_bytes;
    plan->source_words = job->source_layout->size * (rts_index_t)job->element_bytes / plan->word_bytes;
}

/* ---- two plain layouts ---- */

/** Both layouts' axes, neighbours joined that are one in both. Steps in bytes. @return bytes that are contiguous in both */
static rts_index_t plain_axes(const rts_copy_job_t *job, plan_axes_t *axes_p) {
    rts_index_t bytes = (rts_index_t)job->element_bytes;
    plan_axes_t all = {0};
    int count = 0;
    for (int axis = 0; axis < job->box.rank; axis++)
        add_axis(&all, extent_of(&job->box, axis), job->source_layout->stride[axis] * bytes,
                 job->target_layout->stride[axis] * bytes);
    for (int i = 0; i < all.count; i++) {
        const plan_axis_t inner = all.axis[i];
        plan_axis_t *const outer = count > 0 ? &all.axis[count - 1] : NULL;
        if (outer != NULL && outer->source == inner.source * inner.extent &&
            outer->target == inner.target * inner.extent)
            *outer = (plan_axis_t){outer->extent * inner.extent, inner.source, inner.target};
        else
            all.axis[count++] = inner;
    }
    if (count > 0 && all.axis[count - 1].source == bytes && all.axis[count - 1].target == bytes)
        bytes *= all.axis[--count].extent;
    all.count = count;
    *axes_p = all;
    return bytes;
}

/** Steps from bytes to the largest words that suit all. @return bytes of a word */
static int plain_words(const rts_copy_job_t *job, rts_index_t run, plan_axes_t *axes) {
    uint64_t bits = (uint64_t)run | addresses(job);
    bits |= (uint64_t)(rts_layout_offset(job->source_layout, job->box.lo) * (rts_index_t)job->element_bytes);
    bits |= (uint64_t)(rts_layout_offset(job->target_layout, job->box.lo) * (rts_index_t)job->element_bytes);
    for (int i = 0; i < axes->count; i++)
        bits |= (uint64_t)axes->axis[i].source | (uint64_t)axes->axis[i].target;
    const int word = word_of(bits);
    for (int i = 0; i < axes->count; i++) {
        axes->axis[i].source /= word;
        axes->axis[i].target /= word;
    }
    return word;
}

/** The axis with a step on one side; -1: none. */
static int axis_of_step(const plan_axes_t *axes, rts_index_t step, bool in_source) {
    for (int i = 0; i < axes->count; i++)
        if ((in_source ? axes->axis[i].source : axes->axis[i].target) == step)
            return i;
    return -1;
}

/** Take u, v and the parts off the axes. v or parts may be -1: there are none. */
typedef struct plan_choice {
    rts_tile_family_t family;
    int u, v, parts;
    bool source_interleaved, target_interleaved;
} plan_choice_t;

/** Where both sides have a fastest axis, not the same one. A short one becomes parts, if what comes next to it is long. */
static bool choose_plane(const plan_axes_t *axes, plan_choice_t *choice_p) {
    const int v = axis_of_step(axes, 1, true), u = axis_of_step(axes, 1, false);
    if (u < 0 || v < 0 || u == v)
        return false;
    *choice_p = (plan_choice_t){RTS_TILE_TRANSPOSE, u, v, -1, false, false};
    const int after_v = axis_of_step(axes, axes->axis[v].extent, true),
              after_u = axis_of_step(axes, axes->axis[u].extent, false);
    if (axes->axis[v].extent <= MAX_PARTS && after_v >= 0)
        *choice_p = (plan_choice_t){after_v == u ? RTS_TILE_SHEAR : RTS_TILE_TRANSPOSE,
                                    u,
                                    after_v == u ? -1 : after_v,
                                    v,
                                    true,
                                    false};
    else if (axes->axis[u].extent <= MAX_PARTS && after_u >= 0)
        *choice_p = (plan_choice_t){after_u == v ? RTS_TILE_SHEAR : RTS_TILE_TRANSPOSE,
                                    after_u,
                                    after_u == v ? -1 : v,
                                    u,
                                    false,
                                    true};
    return true;
}

/** Elements of several words. */
static bool choose_long_elements(const plan_axes_t *axes, rts_index_t words, plan_choice_t *choice_p) {
    const int v = axis_of_step(axes, words, true), u = axis_of_step(axes, words, false);
    if (u < 0 || v < 0 || u == v)
        return false;
    *choice_p = (plan_choice_t){RTS_TILE_TRANSPOSE, u, v, -1, true, true};
    return true;
}

/** Of axes [0, count) in the order of the target, the place of one after another was taken off. */
static int place_after(int place, int taken) {
    return place > taken ? place - 1 : place;
}

static void apply_choice(const plan_choice_t *choice, rts_index_t words, plan_axes_t *axes,
                         rts_tile_plan_t *plan) {
    const plan_axis_t none = {1, 0, 0};
    plan_choice_t left = *choice;
    const plan_axis_t u = take_axis(axes, left.u);
    left.v = place_after(left.v, left.u);
    left.parts = place_after(left.parts, left.u);
    const plan_axis_t parts = left.parts >= 0 ? take_axis(axes, left.parts) : none;
    if (left.parts >= 0)
        left.v = place_after(left.v, left.parts);
    if (choice->v < 0)
        left.v = axes->count - 1; /* rows of any axis: the target's next */
    const plan_axis_t v = left.v >= 0 ? take_axis(axes, left.v) : none;
    plan->family = choice->family;
    plan->parts = rts_divisor_of(choice->parts >= 0 ? parts.extent : words);
    plan->u_hi = u.extent;
    plan->v_hi = v.extent;
    plan->source.step = choice->family == RTS_TILE_TRANSPOSE ? u.source : v.source;
    plan->target.step = v.target;
    plan->source.part_step = parts.source;
    plan->target.part_step = parts.target;
    plan->source.is_interleaved = choice->source_interleaved;
    plan->target.is_interleaved = choice->target_interleaved;
}

static bool plan_plain(const rts_copy_job_t *job, rts_tile_plan_t *plan) {
    plan_axes_t axes;
    plan_choice_t choice;
    const rts_index_t run = plain_axes(job, &axes);
    const rts_index_t bytes = (rts_index_t)job->element_bytes;
    *plan = (rts_tile_plan_t){.outer_axis = -1, .word_bytes = plain_words(job, run, &axes)};
    const rts_index_t words = run / plan->word_bytes;
    plan->source.start = rts_layout_offset(job->source_layout, job->box.lo) * bytes / plan->word_bytes;
    plan->target.start = rts_layout_offset(job->target_layout, job->box.lo) * bytes / plan->word_bytes;
    if (words == 1 ? choose_plane(&axes, &choice)
                   : run < ROW_BYTES && words <= MAX_PARTS && choose_long_elements(&axes, words, &choice)) {
        apply_choice(&choice, words, &axes, plan);
    } else {
        if (words < SHORT_ROW)
            return false;
        choice = (plan_choice_t){RTS_TILE_SHEAR, axes.count, -1, -1, false, false};
        axes.axis[axes.count++] = (plan_axis_t){words, 1, 1};
        apply_choice(&choice, 1, &axes, plan);
    }
    finish_tiles(job, &axes, plan);
    return true;
}

/* ---- diagonals ---- */

/** The diagonal side of a job. Indices are those of its plane. */
typedef struct diagonal {
    const rts_layout_t *layout;
    rts_plane64_t plane;
    int p, q, sign;
    int b;                              /* d = i_p + b * w + c */
    rts_index_t c, d_lo, d_hi;          /* diagonals that are copied */
    rts_index_t p_lo, p_hi, w_lo, w_hi; /* of the box */
    rts_index_t outer;                  /* elements: what the other axes' first indices add */
} diagonal_t;

/** Diagonals [*d_lo_p, *d_hi_p) of part 0 or 1 of a layout, along which i_q goes one way. @return that way, 0: no such part */
static int diagonal_part(const rts_plane64_t *plane, int part, rts_index_t *d_lo_p, rts_index_t *d_hi_p) {
    const bool two_ways = plane->kind == RTS_LAYOUT_PACKED && plane->n_p == plane->n_q;
    *d_lo_p = part == 0 ? 0 : plane->n_p;
    *d_hi_p = part == 0 && two_ways ? plane->n_p : rts_plane64_fronts(plane);
    if ((part == 1 && !two_ways) || *d_lo_p >= *d_hi_p)
        return 0;
    return rts_plane64_row_descends(plane, *d_lo_p) ? -1 : 1;
}

/** @return false  no such part */
static bool diagonal_set(const rts_layout_t *layout, const rts_copy_job_t *job, int part,
                         diagonal_t *diagonal) {
    const rts_box_t *const box = &job->box;
    const int p = layout->perm[box->rank - 2], q = layout->perm[box->rank - 1];
    *diagonal = (diagonal_t){.layout = layout, .plane = rts_layout_plane(layout), .p = p, .q = q};
    diagonal->sign = diagonal_part(&diagonal->plane, part, &diagonal->d_lo, &diagonal->d_hi);
    if (diagonal->sign == 0)
        return false;
    const rts_index_t q_lo = box->lo[q] - layout->box.lo[q], q_hi = box->hi[q] - layout->box.lo[q];
    diagonal->b = layout->b * diagonal->sign;
    diagonal->c = layout->c;
    diagonal->p_lo = box->lo[p] - layout->box.lo[p];
    diagonal->p_hi = box->hi[p] - layout->box.lo[p];
    diagonal->w_lo = diagonal->sign > 0 ? q_lo : 1 - q_hi;
    diagonal->w_hi = diagonal->sign > 0 ? q_hi : 1 - q_lo;
    const rts_index_t at_lo = layout->b * q_lo, at_hi = layout->b * (q_hi - 1);
    diagonal->d_lo = rts_max(diagonal->d_lo, diagonal->p_lo + rts_min(at_lo, at_hi) + layout->c);
    diagonal->d_hi = rts_min(diagonal->d_hi, diagonal->p_hi + rts_max(at_lo, at_hi) + layout->c);
    for (int axis = 0; axis < box->rank; axis++)
        if (axis != p && axis != q)
            diagonal->outer += layout->stride[axis] * (box->lo[axis] - layout->box.lo[axis]);
    return diagonal->d_lo < diagonal->d_hi;
}

/** Words of an element of any pair with a diagonal layout. @return bytes of a word */
static int element_words(const rts_copy_job_t *job, rts_index_t *words_p) {
    const int word = word_of((uint64_t)job->element_bytes | addresses(job));
    *words_p = (rts_index_t)job->element_bytes / word;
    return word;
}

/** The box's axes but those in `taken`; steps in words. */
static void other_axes(const rts_copy_job_t *job, unsigned taken, rts_index_t words, plan_axes_t *axes_p) {
    *axes_p = (plan_axes_t){0};
    for (int axis = 0; axis < job->box.rank; axis++)
        if ((taken >> axis & 1) == 0)
            add_axis(axes_p, extent_of(&job->box, axis), job->source_layout->stride[axis] * words,
                     job->target_layout->stride[axis] * words);
}

/** Where, in a plain layout, i_p = i_q = 0 of the diagonal's plane lies, other axes at the box's start. Elements. */
static rts_index_t plain_start(const rts_layout_t *layout, const rts_copy_job_t *job,
                               const diagonal_t *diagonal) {
    rts_index_t offset = rts_layout_offset(layout, job->box.lo);
    offset -= layout->stride[diagonal->p] * diagonal->p_lo;
    return offset -
           layout->stride[diagonal->q] * (job->box.lo[diagonal->q] - diagonal->layout->box.lo[diagonal->q]);
}

/** The axis along which a plain layout's elements are neighbours, of those longer than 1; -1: none. */
static int fastest_axis(const rts_layout_t *layout, const rts_box_t *box) {
    for (int axis = 0; axis < box->rank; axis++)
        if (layout->stride[axis] == 1 && extent_of(box, axis) > 1)
            return axis;
    return -1;
}

/** The pair of a plain and a diagonal side, as far as it is the same whatever the plain side's order. */
typedef struct diagonal_pair {
    const rts_copy_job_t *job;
    const diagonal_t *diagonal;
    const rts_layout_t *plain;
    bool to_diagonal;
    rts_index_t words;                 /* of an element */
    rts_index_t parts;                 /* extent of the axis that is made parts; 1: none */
    rts_index_t part_step;             /* its step on the diagonal side, elements */
    rts_index_t start, step_p, step_q; /* of the plain side, elements */
} diagonal_pair_t;

static rts_tile_rows_t *plain_side(const diagonal_pair_t *pair, rts_tile_plan_t *plan) {
    return pair->to_diagonal ? &plan->source : &plan->target;
}

/** The diagonal side's rows, and what both sides say of parts. Elements are of several words or of parts, never both. */
static void set_sides(const diagonal_pair_t *pair, rts_tile_plan_t *plan) {
    rts_tile_rows_t *const side = pair->to_diagonal ? &plan->target : &plan->source;
    side->is_diagonal = true;
    side->plane = pair->diagonal->plane;
    side->start = pair->diagonal->outer * pair->words;
    side->step = pair->words;
    side->part_step = pair->part_step;
    side->is_interleaved = pair->words > 1;
    plain_side(pair, plan)->is_interleaved = pair->words > 1 || pair->parts > 1;
    plan->parts = rts_divisor_of(pair->words * pair->parts);
}

static void set_limit(rts_tile_plan_t *plan, int limit_u, int limit_v, rts_index_t lo, rts_index_t hi) {
    plan->has_limit = true;
    plan->limit_u = limit_u;
    plan->limit_v = limit_v;
    plan->limit_lo = lo;
    plan->limit_hi = hi;
}

/** Both sides have q fastest: a shear. */
static void pair_sheared(const diagonal_pair_t *pair, rts_tile_plan_t *plan) {
    const diagonal_t *const diagonal = pair->diagonal;
    const int b = diagonal->b;
    set_sides(pair, plan);
    plan->family = RTS_TILE_SHEAR;
    plan->mirror = diagonal->sign < 0;
    plain_side(pair, plan)->start = pair->start * pair->words;
    plain_side(pair, plan)->step = pair->step_p * pair->words;
    if (pair->to_diagonal) {
        plan->slope = -b;
        plan->shift = -diagonal->c;
        plan->u_lo = diagonal->w_lo;
        plan->u_hi = diagonal->w_hi;
        plan->v_lo = diagonal->d_lo;
        plan->v_hi = diagonal->d_hi;
        if (diagonal->plane.kind == RTS_LAYOUT_WRAP &&
            diagonal->p_hi - diagonal->p_lo == diagonal->plane.n_p) {
            /* All of i_p: whole rows of memory, each with pieces of several diagonals. */
            plan->v_lo = 0;
            plan->v_hi = diagonal->plane.rows;
            plan->source.modulus = diagonal->plane.n_p;
        } else {
            set_limit(plan, -b, 1, diagonal->p_lo + diagonal->c, diagonal->p_hi + diagonal->c);
        }
        return;
    }
    plan->slope = diagonal->sign * b; /* u is i_q here */
    plan->shift = diagonal->c;
    plan->u_lo = diagonal->sign > 0 ? diagonal->w_lo : 1 - diagonal->w_hi;
    plan->u_hi = diagonal->sign > 0 ? diagonal->w_hi : 1 - diagonal->w_lo;
    plan->v_lo = diagonal->p_lo;
    plan->v_hi = diagonal->p_hi;
    if (diagonal->plane.kind == RTS_LAYOUT_PACKED && diagonal->plane.n_p == diagonal->plane.n_q)
        set_limit(plan, plan->slope, 1, diagonal->d_lo - diagonal->c, diagonal->d_hi - diagonal->c);
}

/** The plain side has p fastest: a transposition of (d, w). */
static void pair_transposed(const diagonal_pair_t *pair, rts_tile_plan_t *plan) {
    const diagonal_t *const diagonal = pair->diagonal;
    const int b = diagonal->b;
    set_sides(pair, plan);
    plan->family = RTS_TILE_TRANSPOSE;
    plain_side(pair, plan)->start = (pair->start - diagonal->c * pair->step_p) * pair->words;
    plain_side(pair, plan)->step = (diagonal->sign * pair->step_q - b * pair->step_p) * pair->words;
    const rts_index_t lo = diagonal->p_lo + diagonal->c, hi = diagonal->p_hi + diagonal->c;
    plan->u_lo = pair->to_diagonal ? diagonal->w_lo : diagonal->d_lo;
    plan->u_hi = pair->to_diagonal ? diagonal->w_hi : diagonal->d_hi;
    plan->v_lo = pair->to_diagonal ? diagonal->d_lo : diagonal->w_lo;
    plan->v_hi = pair->to_diagonal ? diagonal->d_hi : diagonal->w_hi;
    if (pair->to_diagonal)
        set_limit(plan, -b, 1, lo, hi);
    else
        set_limit(plan, 1, -b, lo, hi);
}

/** The plain side's fastest axis f is another one, and long: for every diagonal a transposition of (f, w). */
static void pair_outer(const diagonal_pair_t *pair, int fastest, rts_tile_plan_t *plan) {
    const diagonal_t *const diagonal = pair->diagonal;
    const rts_index_t words = pair->words, c = diagonal->c;
    const int b = diagonal->b;
    const rts_index_t extent = extent_of(&pair->job->box, fastest);
    plan->family = RTS_TILE_TRANSPOSE;
    plan->parts = rts_divisor_of(words);
    plan->source.is_interleaved = plan->target.is_interleaved = words > 1;
    rts_tile_rows_t *const along = plain_side(pair, plan), *const across = pair->to_diagonal ? &plan->target
                                                                                             : &plan->source;
    along->start = (pair->start + (diagonal->d_lo - c) * pair->step_p) * words;
    along->step = (diagonal->sign * pair->step_q - b * pair->step_p) * words;
    across->step = diagonal->layout->stride[fastest] * words;
    plan->outer_axis = 0;
    plan->outer_is_source = !pair->to_diagonal;
    plan->outer_lo = diagonal->d_lo;
    plan->outer_start = diagonal->outer * words;
    plan->outer_scale = words;
    plan->outer_plane = diagonal->plane;
    plan->axis[0].extent = rts_divisor_of(diagonal->d_hi - diagonal->d_lo);
    *(pair->to_diagonal ? &plan->axis[0].source_step : &plan->axis[0].target_step) = pair->step_p * words;
    plan->u_lo = pair->to_diagonal ? diagonal->w_lo : 0;
    plan->u_hi = pair->to_diagonal ? diagonal->w_hi : extent;
    plan->v_lo = pair->to_diagonal ? 0 : diagonal->w_lo;
    plan->v_hi = pair->to_diagonal ? extent : diagonal->w_hi;
    if (diagonal->plane.kind == RTS_LAYOUT_WRAP && diagonal->p_hi - diagonal->p_lo == diagonal->plane.n_p) {
        /* All of i_p: whole rows of memory, each with pieces of several diagonals. */
        along->start = (pair->start - c * pair->step_p) * words;
        plan->outer_lo = 0;
        plan->axis[0].extent = rts_divisor_of(diagonal->plane.n_p);
        plan->wrap_c = c;
        plan->wrap_b = b;
        plan->wrap_rows = diagonal->plane.n_p;
        plan->wrap_step = diagonal->plane.n_p * pair->step_p * words;
        return;
    }
    set_limit(plan, pair->to_diagonal ? -b : 0, pair->to_diagonal ? 0 : -b, diagonal->p_lo + c,
              diagonal->p_hi + c);
}

static bool plan_diagonal(const rts_copy_job_t *job, int part, rts_tile_plan_t *plan) {
    const bool to_diagonal = is_diagonal(job->target_layout);
    const rts_layout_t *const layout = to_diagonal ? job->target_layout : job->source_layout;
    const rts_layout_t *const plain = to_diagonal ? job->source_layout : job->target_layout;
    const int fastest = fastest_axis(plain, &job->box);
    diagonal_t diagonal;
    plan_axes_t axes;
    if (layout->a != 1 || fastest < 0 || !diagonal_set(layout, job, part, &diagonal))
        return false;
    diagonal_pair_t pair = {.job = job, .diagonal = &diagonal, .plain = plain, .to_diagonal = to_diagonal};
    *plan = (rts_tile_plan_t){.outer_axis = -1, .word_bytes = element_words(job, &pair.words)};
    if (pair.words > MAX_PARTS)
        return false;
    pair.parts = 1;
    pair.start = plain_start(plain, job, &diagonal);
    pair.step_p = plain->stride[diagonal.p];
    pair.step_q = plain->stride[diagonal.q];
    int next = fastest;
    const rts_index_t extent = extent_of(&job->box, fastest);
    if (fastest != diagonal.p && fastest != diagonal.q && extent <= MAX_PARTS && pair.words == 1) {
        next = pair.step_q == extent ? diagonal.q : pair.step_p == extent ? diagonal.p : fastest;
        pair.parts = next != fastest ? extent : 1;
        pair.part_step = next != fastest ? layout->stride[fastest] : 0;
    }
    if (next == diagonal.q)
        pair_sheared(&pair, plan);
    else if (next == diagonal.p)
        pair_transposed(&pair, plan);
    else
        pair_outer(&pair, fastest, plan);
    plan->folds = diagonal.plane.kind == RTS_LAYOUT_PACKED && diagonal.plane.n_p == diagonal.plane.n_q &&
                  plan->has_limit && plan->limit_v != 0 && plan->outer_axis < 0;
    const bool takes_fastest = pair.parts > 1 || plan->outer_axis >= 0;
    other_axes(job, 1u << diagonal.p | 1u << diagonal.q | (takes_fastest ? 1u << fastest : 0), pair.words,
               &axes);
    finish_tiles(job, &axes, plan);
    return true;
}

/** Two diagonal layouts of one pair of axes, neither packed: rows of one against rows of the other. */
static bool plan_diagonals(const rts_copy_job_t *job, rts_tile_plan_t *plan) {
    diagonal_t from, to;
    plan_axes_t axes;
    rts_index_t words;
    if (job->source_layout->kind == RTS_LAYOUT_PACKED || job->target_layout->kind == RTS_LAYOUT_PACKED ||
        job->source_layout->a != 1 || job->target_layout->a != 1 ||
        !diagonal_set(job->source_layout, job, 0, &from) || !diagonal_set(job->target_layout, job, 0, &to) ||
        from.p != to.p || from.q != to.q)
        return false;
    /* The two boxes may begin elsewhere: how much larger indices are in the source's plane. */
    const rts_index_t ahead_p = to.layout->box.lo[to.p] - from.layout->box.lo[to.p],
                      ahead_q = to.layout->box.lo[to.q] - from.layout->box.lo[to.q];
    *plan = (rts_tile_plan_t){.outer_axis = -1, .word_bytes = element_words(job, &words)};
    if (words > MAX_PARTS)
        return false;
    plan->family = RTS_TILE_SHEAR;
    plan->parts = rts_divisor_of(words);
    plan->slope = from.b - to.b;
    plan->shift = ahead_p + from.b * ahead_q + from.c - to.c;
    plan->u_lo = to.w_lo;
    plan->u_hi = to.w_hi;
    plan->v_lo = to.d_lo;
    plan->v_hi = to.d_hi;
    set_limit(plan, -to.b, 1, to.p_lo + to.c, to.p_hi + to.c);
    plan->source = (rts_tile_rows_t){.start = (from.outer + ahead_q) * words,
                                     .step = words,
                                     .is_diagonal = true,
                                     .is_interleaved = words > 1,
                                     .plane = from.plane};
    plan->target = (rts_tile_rows_t){.start = to.outer * words,
                                     .step = words,
                                     .is_diagonal = true,
                                     .is_interleaved = words > 1,
                                     .plane = to.plane};
    other_axes(job, 1u << to.p | 1u << to.q, words, &axes);
    finish_tiles(job, &axes, plan);
    return true;
}

bool rts_tile_plan_make(const rts_copy_job_t *job, int part, rts_tile_plan_t *plan_p) {
    const bool from_diagonal = is_diagonal(job->source_layout), to_diagonal = is_diagonal(job->target_layout);
    if (from_diagonal != to_diagonal)
        return plan_diagonal(job, part, plan_p);
    if (part > 0)
        return false;
    return from_diagonal ? plan_diagonals(job, plan_p) : plan_plain(job, plan_p);
}
