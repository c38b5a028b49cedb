/* Where arrays and templates lie: distribution and alignment, the part that is held here, home's storage, and moves of all that. Which
 * replica is current is coherence's business, except that a new home is.
 *
 * Every move is prepared beside what is there and put in force when nothing can fail any more: a call that fails changes nothing. */
#include <config.h>

#include <string.h>

#include "rts/array_inside.h"
#include "rts/array_move.h"
#include "rts/memory.h"

/* Templates */

/* The rules in a memory of the template's own. */
static rts_status_t adopt_rules(const rts_template_t *template, const rts_axis_rule_t rule[],
                                const rts_grid_t *grid, rts_distribution_t *distribution_p,
                                rts_index_t **bounds_p) {
    rts_distribution_t distribution = {.space = template->distribution.space};
    size_t count = 0;
    for (int axis = 0; axis < distribution.space.rank; axis++) {
        distribution.rule[axis] = rule[axis];
        if (rule[axis].kind == RTS_AXIS_BOUNDS)
            count += (size_t)rts_grid_parts(grid, rule[axis].grid_axis) + 1;
    }
    RTS_TRY(rts_distribution_check(&distribution));
    rts_index_t *const bounds = count > 0 ? rts_alloc(count * sizeof *bounds) : NULL;
    if (count > 0 && bounds == NULL)
        return rts_fail_memory("the bounds of a distribution", count * sizeof *bounds);
    rts_index_t *next = bounds;
    for (int axis = 0; axis < distribution.space.rank; axis++) {
        if (rule[axis].kind != RTS_AXIS_BOUNDS)
            continue;
        const size_t of_axis = (size_t)rts_grid_parts(grid, rule[axis].grid_axis) + 1;
        memcpy(next, rule[axis].bounds, of_axis * sizeof *next);
        distribution.rule[axis].bounds = next;
        next += of_axis;
    }
    *distribution_p = distribution;
    *bounds_p = bounds;
    return RTS_OK;
}

static void set_distribution(rts_template_t *template, const rts_distribution_t *distribution,
                             rts_index_t *bounds, const rts_box_t *local) {
    rts_free(template->bounds);
    template->bounds = bounds;
    template->distribution = *distribution;
    template->local = *local;
    template->is_distributed = true;
}

rts_status_t rts_template_distribute(rts_template_t *template, const rts_axis_rule_t rule[],
                                     const rts_grid_t *grid) {
    rts_distribution_t distribution;
    rts_index_t *bounds;
    if (template->is_distributed)
        return rts_fail(RTS_ERR_INVALID, "the template is distributed already; allowed: once");
    RTS_TRY(adopt_rules(template, rule, grid, &distribution, &bounds));
    const rts_box_t local = rts_distribution_local(&distribution, grid);
    set_distribution(template, &distribution, bounds, &local);
    return RTS_OK;
}

/* Storage */

rts_box_t rts_array_held(const rts_array_t *array, const rts_box_t *local) {
    if (array->is_variable)
        return array->space;
    if (rts_box_is_empty(local))
        return rts_box_empty(local->rank); /* edges surround a part; where there is none there are none */
    rts_box_t held = *local;
    for (int axis = 0; axis < held.rank; axis++) {
        held.lo[axis] = rts_max(held.lo[axis] - array->shadow_lo[axis], array->space.lo[axis]);
        held.hi[axis] = rts_min(held.hi[axis] + array->shadow_hi[axis], array->space.hi[axis]);
    }
    return held;
}

/* Values of a box from the old home to the new one, row by row. */
static void copy_values(const rts_place_t *place, const rts_box_t *box) {
    const rts_array_t *array = place->array;
    const int last = box->rank - 1;
    const size_t element = array->element.bytes, row = (size_t)(box->hi[last] - box->lo[last]) * element;
    rts_index_t index[RTS_MAX_RANK];
    memcpy(index, box->lo, sizeof index);
    for (int axis = last; axis >= 0;) {
        memcpy((char *)place->buffer + (size_t)rts_layout_offset(&place->layout, index) * element,
               rts_array_element(array, index), row);
        for (axis = last - 1; axis >= 0 && ++index[axis] == box->hi[axis]; axis--)
            index[axis] = box->lo[axis];
    }
}

static rts_status_t prepare_storage(rts_place_t *place, bool keep_values) {
    const rts_array_t *array = place->array;
    RTS_TRY(rts_layout_plain(&place->held, NULL, 1, &place->layout));
    if (rts_box_is_empty(&place->held))
        return RTS_OK;
    const size_t bytes = (size_t)place->layout.size * array->element.bytes;
    place->buffer = rts_alloc(bytes);
    if (place->buffer == NULL)
        return rts_fail_memory("an array", bytes);
    const rts_status_t status = rts_boxset_add(&place->current, &place->held);
    if (status != RTS_OK) {
        rts_free(place->buffer);
        return status;
    }
    const rts_box_t kept = rts_box_intersect(&array->local, &place->local);
    if (keep_values && !rts_box_is_empty(&kept))
        copy_values(place, &kept);
    return RTS_OK;
}

/* What follows from an alignment with a template whose local part is given. */
static rts_status_t prepare_place(rts_array_t *array, const rts_alignment_t *alignment,
                                  const rts_box_t *template_local, bool keep_values, rts_place_t *place) {
    *place = (rts_place_t){.array = array,
                           .alignment = *alignment,
                           .local = rts_alignment_local(alignment, &array->space, template_local)};
    rts_boxset_init(&place->current, array->space.rank);
    place->held = rts_array_held(array, &place->local);
    place->keeps_home = array->is_distributed && rts_box_equal(&place->held, &array->held);
    return place->keeps_home ? RTS_OK : prepare_storage(place, keep_values);
}

void *rts_place_memory(const rts_place_t *place, const rts_layout_t **layout_p) {
    *layout_p = place->keeps_home ? &place->array->home.layout : &place->layout;
    return place->keeps_home ? place->array->home.buffer : place->buffer;
}

/* Put a place in force. The caller has set the template. */
static void take_place(rts_place_t *place) {
    static uint64_t last_number;
    rts_array_t *array = place->array;
    RTS_ASSERT(array->replicas == NULL);
    array->place_number = ++last_number;
    array->alignment = place->alignment;
    array->local = place->local;
    array->is_distributed = true;
    if (place->keeps_home)
        return;
    rts_free(array->home.buffer);
    rts_boxset_free(&array->home.current);
    array->held = place->held;
    array->home.layout = place->layout;
    array->home.form = rts_layout_form_home(place->layout.box.rank);
    array->home.buffer = place->buffer;
    array->home.current = place->current;
    rts_array_fill_headers(array);
}

void rts_array_close_storage(rts_array_t *array) {
    RTS_ASSERT(array->replicas == NULL);
    if (!array->is_variable)
        rts_free(array->home.buffer);
    rts_template_release(array->template);
    array->template = NULL;
    array->has_own_template = false;
    array->home.buffer = NULL;
    rts_boxset_free(&array->home.current);
    array->local = array->held = rts_box_empty(array->space.rank);
    array->is_distributed = false;
}

/* The first place */

static rts_status_t check_may_place(const rts_array_t *array, bool again) {
    if (array->is_variable)
        return rts_fail(RTS_ERR_INVALID, "an ordinary variable cannot be distributed");
    if (array->is_distributed && !again)
        return rts_fail(RTS_ERR_INVALID, "the array is distributed already; allowed: once");
    if (!array->is_complete)
        return rts_fail(RTS_ERR_INVALID, "the array is only declared: its first axis has no size yet");
    return RTS_OK;
}

rts_status_t rts_array_distribute(rts_array_t *array, const rts_axis_rule_t rule[], const rts_grid_t *grid) {
    RTS_TRY(check_may_place(array, false));
    rts_template_t *template = rts_template_new(&array->space);
    if (template == NULL)
        return RTS_ERR_NO_MEMORY;
    const rts_alignment_t identity = rts_alignment_identity(array->space.rank);
    rts_place_t place;
    rts_status_t status = rts_template_distribute(template, rule, grid);
    if (status == RTS_OK)
        status = prepare_place(array, &identity, &template->local, false, &place);
    if (status != RTS_OK) {
        rts_template_release(template);
        return status;
    }
    array->template = template;
    array->has_own_template = true;
    take_place(&place);
    return RTS_OK;
}

/* Alignment with the root of a target, checked. */
static rts_status_t find_root(const rts_array_t *array, rts_template_t *target_template,
                              const rts_array_t *target_array, const rts_alignment_t *alignment,
                              rts_template_t **root_p, rts_alignment_t *with_root_p) {
    RTS_ASSERT((target_template == NULL) != (target_array == NULL));
    if (target_array != NULL && target_array->is_variable)
        return rts_fail(RTS_ERR_INVALID, "the target of an alignment is an ordinary variable");
    rts_template_t *root = target_array != NULL ? target_array->template : target_template;
    if (root == NULL || !root->is_distributed)
        return rts_fail(RTS_ERR_INVALID,
                        "the target of an alignment is not distributed yet; allowed: one that "
                        "is, as an array with memory of its own is once it has been allocated");
    rts_alignment_t with_root = *alignment;
    if (target_array != NULL) {
        RTS_TRY(rts_alignment_check(alignment, &array->space, &target_array->space));
        with_root = rts_alignment_compose(alignment, &target_array->alignment);
    }
    /* A composition is checked too: its numbers may have become too large. */
    RTS_TRY(rts_alignment_check(&with_root, &array->space, &root->distribution.space));
    *root_p = root;
    *with_root_p = with_root;
    return RTS_OK;
}

rts_status_t rts_array_align(rts_array_t *array, rts_template_t *target_template,
                             const rts_array_t *target_array, const rts_alignment_t *alignment,
                             const rts_grid_t *grid) {
    RTS_TRY(check_may_place(array, false));
    return rts_array_realign(array, target_template, target_array, alignment, false, grid);
}

/* Later places */

static rts_status_t start_move(rts_template_t *template, size_t room, rts_move_t *move) {
    *move = (rts_move_t){.template = template};
    move->place = rts_alloc(room * sizeof *move->place);
    if (move->place == NULL)
        return rts_fail_memory("the new places of arrays", room * sizeof *move->place);
    return RTS_OK;
}

rts_status_t rts_move_realignment(rts_array_t *array, rts_template_t *target_template,
                                  const rts_array_t *target_array, const rts_alignment_t *alignment,
                                  bool keep_values, rts_move_t *move_p) {
    rts_template_t *root = NULL;
    rts_alignment_t with_root;
    RTS_TRY(check_may_place(array, true));
    RTS_TRY(find_root(array, target_template, target_array, alignment, &root, &with_root));
    RTS_TRY(start_move(root, 1, move_p));
    move_p->distribution = root->distribution;
    move_p->local = root->local;
    const rts_status_t status =
        prepare_place(array, &with_root, &move_p->local, keep_values, &move_p->place[0]);
    if (status != RTS_OK) {
        rts_move_cancel(move_p);
        return status;
    }
    move_p->count = 1;
    return RTS_OK;
}

/* New places for all arrays of a template. */
static rts_status_t prepare_followers(rts_move_t *move) {
    for (rts_array_t *array = rts_array_first(); array != NULL; array = array->next) {
        if (array->template != move->template)
            continue;
        RTS_TRY(prepare_place(array, &array->alignment, &move->local, true, &move->place[move->count]));
        move->count++;
    }
    return RTS_OK;
}

rts_status_t rts_move_redistribution(rts_template_t *template, const rts_axis_rule_t rule[],
                                     const rts_grid_t *grid, rts_move_t *move_p) {
    RTS_TRY(start_move(template, (size_t) template->references, move_p)); /* as many arrays at most */
    move_p->is_redistribution = true;
    rts_status_t status = adopt_rules(template, rule, grid, &move_p->distribution, &move_p->bounds);
    if (status == RTS_OK) {
        move_p->local = rts_distribution_local(&move_p->distribution, grid);
        status = prepare_followers(move_p);
    }
    if (status != RTS_OK)
        rts_move_cancel(move_p);
    return status;
}

rts_status_t rts_move_template_of(const rts_array_t *array, rts_template_t **template_p) {
    RTS_TRY(check_may_place(array, true));
    if (!array->has_own_template)
        return rts_fail(RTS_ERR_INVALID,
                        "the array is aligned with another object; allowed: redistributing that one, or "
                        "realigning the array");
    *template_p = array->template;
    return RTS_OK;
}

void rts_move_commit(rts_move_t *move) {
    rts_template_t *const template = move->template;
    if (move->is_redistribution)
        set_distribution(template, &move->distribution, move->bounds, &move->local);
    for (size_t i = 0; i < move->count; i++) {
        rts_array_t *array = move->place[i].array;
        if (!move->is_redistribution) {
            template->references++; /* first: the old template may be the same */
            rts_template_release(array->template);
            array->template = template;
            array->has_own_template = false;
        }
        take_place(&move->place[i]);
    }
    rts_free(move->place);
}

void rts_move_cancel(rts_move_t *move) {
    for (size_t i = 0; i < move->count; i++) {
        rts_free(move->place[i].buffer);
        rts_boxset_free(&move->place[i].current);
    }
    rts_free(move->bounds);
    rts_free(move->place);
}

/* Moves where each process has all that it needs */

rts_status_t rts_array_realign(rts_array_t *array, rts_template_t *target_template,
                               const rts_array_t *target_array, const rts_alignment_t *alignment,
                               bool keep_values, const rts_grid_t *grid) {
    rts_move_t move;
    (void)grid; /* the template knows its part already */
    RTS_TRY(rts_move_realignment(array, target_template, target_array, alignment, keep_values, &move));
    rts_move_commit(&move);
    return RTS_OK;
}

rts_status_t rts_template_redistribute(rts_template_t *template, const rts_axis_rule_t rule[],
                                       const rts_grid_t *grid) {
    rts_move_t move;
    RTS_TRY(rts_move_redistribution(template, rule, grid, &move));
    rts_move_commit(&move);
    return RTS_OK;
}

rts_status_t rts_array_redistribute(rts_array_t *array, const rts_axis_rule_t rule[],
                                    const rts_grid_t *grid) {
    rts_template_t *template = NULL;
    if (!array->is_distributed)
        return rts_array_distribute(array, rule, grid);
    RTS_TRY(rts_move_template_of(array, &template));
    return rts_template_redistribute(template, rule, grid);
}
