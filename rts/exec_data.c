/* Facts, layouts and data of a loop; see the header. A loop has a choice of layouts when it stands in a region, its handler takes
 * records and its arrays were told: the record says then where everything lies. Every other loop runs on home's form.
 *
 * What is static here is kept between loops so that a loop that finds everything in place allocates nothing and copies little. */
#include <config.h>

#include "rts/exec_data.h"

#include <dvmhlib_const.h>
#include <stdio.h>
#include <string.h>

#include "rts/coherence.h"
#include "rts/exec_launch_memory.h"
#include "rts/exec_times.h"
#include "rts/handler_ops.h"
#include "rts/log.h"
#include "rts/region.h"
#include "rts/replica.h"
#include "rts/runtime.h"
#include "rts/shadow_compute.h"
#include "rts/stats.h"
#include "rts/variable.h"

/* Plans that may fail for lack of memory before home's forms are demanded. */
#define MAX_TRIES (2 * RTS_MAX_OPTIONS)

/* The loop's arrays, each once. */
static struct {
    int count;
    bool contradicts; /* one array is used in two ways that no form can serve both */
    rts_array_t *array[RTS_MAX_LOOP_ITEMS];
    rts_replica_t *replica[RTS_MAX_LOOP_ITEMS];
    bool is_read_whole[RTS_MAX_LOOP_ITEMS]; /* whatever the region says: a section of it is shown */
    rts_array_facts_t facts[RTS_MAX_LOOP_ITEMS];
    int number[RTS_MAX_LOOP_ITEMS]; /* of loop->array; none where a copy is shown */
    DvmType stride[RTS_MAX_LOOP_ITEMS][RTS_MAX_RANK];
} used;

bool rts_exec_runs_on(const rts_loop_t *loop, int device) {
    const rts_handler_t *handler = rts_loop_handler(loop, rts_backend_of_device(device)->device_type);
    const bool is_record = handler != NULL && (handler->type & RTS_HANDLER_RECORD) != 0,
               is_gpu = device > 0 && rts_handler_ops_of_device(device) != NULL;
    if (handler == NULL)
        return false;
    return !is_record ? device == 0 || is_gpu
                      : rts_backend_of_device(device)->runs_records && (!is_gpu || rts_launch_serves(loop));
}

/* Whether the handler's iterations are launched, and not called portion by portion. */
static bool is_launched(const rts_handler_t *handler, int device) {
    return device > 0 && (handler->type & RTS_HANDLER_RECORD) != 0 &&
           rts_handler_ops_of_device(device) != NULL;
}

/* The copy that a use shows instead of its array; NULL: the array itself. */
static rts_array_t *shown_copy(const rts_loop_t *loop, const rts_loop_array_t *use) {
    return use->is_remote ? loop->remote[use->remote].buffer : NULL;
}

static bool has_choice(const rts_loop_t *loop, const rts_exec_data_t *data) {
    bool shows_arrays = false;
    for (int i = 0; i < loop->array_count; i++)
        shows_arrays = shows_arrays || shown_copy(loop, &loop->array[i]) == NULL;
    return loop->region != NULL && (data->handler->type & RTS_HANDLER_RECORD) != 0 && shows_arrays;
}

/* ---- facts ---- */

/* Dims and directions of an array in order of execution; what references say goes before what is derived. */
static void set_ties(const rts_loop_t *loop, const rts_loop_array_t *use, rts_array_facts_t *facts) {
    for (int axis = 0; axis < RTS_MAX_RANK; axis++) {
        int dim = -1, sign = 1;
        if (axis < facts->rank && use->dim[axis] >= 0) {
            dim = use->dim[axis];
            sign = use->sign[axis];
        } else if (axis < facts->rank) {
            dim = rts_loop_dim_of_axis(loop, use->array, axis, &sign);
        }
        facts->dim[axis] = dim;
        facts->sign[axis] = dim >= 0 && loop->step[dim] < 0 ? -sign : sign;
        if (dim < 0)
            facts->sign[axis] = 1;
    }
}

static void set_rules(const rts_loop_t *loop, const rts_array_t *array, rts_array_facts_t *facts) {
    const rts_layout_rule_t *of_loop = &loop->layout_rule, *of_array = &array->layout_rule;
    const bool loop_pins = of_loop->is_pinned && of_loop->pinned.rank == facts->rank;
    facts->forbidden = of_loop->forbidden | of_array->forbidden;
    facts->is_pinned = loop_pins || of_array->is_pinned;
    facts->pinned = loop_pins ? of_loop->pinned : of_array->pinned;
}

static void set_array_facts(const rts_loop_t *loop, const rts_loop_array_t *use, rts_array_facts_t *facts) {
    const rts_array_t *array = use->array;
    facts->array = array->handle;
    facts->rank = array->space.rank;
    for (int axis = 0; axis < RTS_MAX_RANK; axis++)
        facts->extent[axis] =
            axis < facts->rank ? rts_max(1, array->held.hi[axis] - array->held.lo[axis]) : 1;
    facts->element_bytes = array->element.bytes;
    facts->intent = use->intent;
    facts->by_rows = use->by_rows;
    facts->present_count = 0;
    set_ties(loop, use, facts);
    set_rules(loop, array, facts);
}

/* A second use of an array. How a section is walked is no reason to have the array in another layout. */
static void merge_use(const rts_loop_t *loop, const rts_loop_array_t *use, rts_array_facts_t *facts) {
    rts_array_facts_t again = {.rank = facts->rank};
    set_ties(loop, use, &again);
    facts->intent |= use->intent;
    if (use->by_rows != facts->by_rows)
        used.contradicts = true;
    if (!use->is_remote && (memcmp(again.dim, facts->dim, sizeof again.dim) != 0 ||
                            memcmp(again.sign, facts->sign, sizeof again.sign) != 0))
        used.contradicts = true;
}

static void add_use(const rts_loop_t *loop, int i) {
    const rts_loop_array_t *use = &loop->array[i];
    int number = 0;
    while (number < used.count && used.array[number] != use->array)
        number++;
    used.number[i] = number;
    if (number < used.count) {
        merge_use(loop, use, &used.facts[number]);
        used.is_read_whole[number] = used.is_read_whole[number] || use->is_remote;
        return;
    }
    used.array[number] = use->array;
    used.is_read_whole[number] = use->is_remote;
    set_array_facts(loop, use, &used.facts[number]);
    used.count++;
}

/* Uses of sections last, so that facts are those of the others where there are any. */
static void find_arrays(const rts_loop_t *loop) {
    used.count = 0;
    used.contradicts = false;
    for (int i = 0; i < loop->array_count; i++)
        if (!loop->array[i].is_remote)
            add_use(loop, i);
    for (int i = 0; i < loop->array_count; i++)
        if (loop->array[i].is_remote && shown_copy(loop, &loop->array[i]) == NULL)
            add_use(loop, i);
}

/* The loop dim that walks the contiguous axis of home's form. */
static int contiguous_dim(const rts_loop_t *loop) {
    const rts_array_t *array = used.count > 0           ? used.array[0]
                               : loop->across_count > 0 ? loop->across[0].array
                                                        : loop->map_array;
    int sign;
    if (array == NULL || array->space.rank == 0)
        return -1;
    int fastest = array->space.rank - 1;
    while (fastest > 0 && array->held.hi[fastest] - array->held.lo[fastest] <= 1 && used.count > 0)
        fastest--; /* an axis of one index is walked by nobody */
    return rts_loop_dim_of_axis(loop, array, fastest, &sign);
}

/* Streaming pays when what is written would leave the caches before anybody reads it. */
static bool may_stream(void) {
    static size_t cache_bytes; /* asked once: the system call is not free */
    size_t bytes = 0;
    bool writes_only = false;
    for (int i = 0; i < used.count; i++) {
        bytes += (size_t)rts_box_size(&used.array[i]->local) * used.facts[i].element_bytes;
        writes_only = writes_only || used.facts[i].intent == RTS_INTENT_OUT;
    }
    if (cache_bytes == 0)
        cache_bytes = rts_host_cache_size();
    return writes_only && bytes > 2 * cache_bytes;
}

/* The kernels of a handler on an accelerator are a team of its own. */
static rts_body_kind_t body_kind(const rts_handler_t *handler, int device) {
    const int teams = RTS_HANDLER_PARALLEL | RTS_HANDLER_MASTER;
    return (handler->type & RTS_HANDLER_RECORD) != 0    ? RTS_BODY_RECORD
           : (handler->type & teams) != 0 || device > 0 ? RTS_BODY_OWN_TEAM
                                                        : RTS_BODY_QUERY;
}

static void copy_dependences(const rts_dependences_t *from, rts_dependences_t *to) {
    to->rank = from->rank;
    to->count = from->count;
    memcpy(to->vector, from->vector, (size_t)from->count * sizeof from->vector[0]);
}

/* What a GPU asks beside. A layout in rows is followed by a vector of the host; threads go by strides. */
static void add_gpu_facts(const rts_loop_t *loop, rts_loop_facts_t *facts) {
    RTS_ASSERT(loop->front_lag == 0);
    facts->reduces_arrays = false;
    memcpy(facts->cuda_block, loop->cuda_block, sizeof facts->cuda_block);
    for (int i = 0; i < loop->reduction_count; i++)
        facts->reduces_arrays = facts->reduces_arrays || loop->reduction[i].reduction.count > 1;
    for (int i = 0; i < used.count; i++)
        used.facts[i].by_rows = false;
    facts->may_stream = false;
}

static void make_facts(const rts_loop_t *loop, rts_exec_data_t *data) {
    const unsigned all =
        1u << RTS_LAYOUT_PLAIN | 1u << RTS_LAYOUT_SKEW | 1u << RTS_LAYOUT_WRAP; /* PACKED is for nobody */
    rts_loop_facts_t *facts = &data->facts;
    facts->site = (uint64_t)(uintptr_t)data->handler->function;
    facts->device = data->device;
    facts->body = body_kind(data->handler, data->device);
    facts->position = loop->position;
    facts->is_pinned_natural = (loop->layout_rule.forbidden & all) == all;
    facts->rank = loop->rank;
    facts->unit_steps = 0;
    for (int dim = 0; dim < loop->rank; dim++) {
        facts->count[dim] = loop->piece[dim];
        if (loop->step[dim] == 1 || loop->step[dim] == -1)
            facts->unit_steps |= 1u << dim;
    }
    copy_dependences(&loop->dependences, &facts->dependences);
    if (loop->is_cut) /* what leads from one piece into another is in order by the order of pieces */
        rts_dependences_clip(&facts->dependences, facts->count);
    facts->front_lag = loop->front_lag;
    facts->contiguous_dim = contiguous_dim(loop);
    facts->element_bytes = used.count > 0 ? 1 : 8;
    for (int i = 0; i < used.count; i++)
        if (used.facts[i].element_bytes > facts->element_bytes)
            facts->element_bytes = used.facts[i].element_bytes;
    facts->array_count = used.count > 0 ? used.count : 1;
    facts->arrays = has_choice(loop, data) && !used.contradicts ? used.facts : NULL;
    facts->thread_count = rts_runtime()->thread_count;
    facts->may_stream = may_stream();
    facts->is_gpu = is_launched(data->handler, data->device);
    if (facts->is_gpu)
        add_gpu_facts(loop, facts);
}

/* ---- data of loops without a choice ---- */

/* Outside regions the program keeps home current itself; what it said about the loop's arrays is honoured all the same. */
static rts_status_t prepare_home(const rts_loop_t *loop) {
    for (int i = 0; i < loop->array_count; i++)
        if ((loop->array[i].intent & RTS_INTENT_IN) != 0 && shown_copy(loop, &loop->array[i]) == NULL)
            RTS_TRY(rts_coherence_fetch(loop->array[i].array, 0, NULL));
    for (int i = 0; i < loop->array_count; i++)
        if ((loop->array[i].intent & RTS_INTENT_OUT) != 0)
            RTS_TRY(rts_coherence_written(loop->array[i].array, 0, &loop->array[i].array->local));
    return RTS_OK;
}

/* Of loops without a choice: all that the region uses, or room for what the handler will ask for. */
static rts_status_t prepare_all(const rts_loop_t *loop, int device, const rts_handler_t *handler) {
    if (loop->region == NULL)
        return prepare_home(loop);
    if (device > 0 && body_kind(handler, device) == RTS_BODY_OWN_TEAM)
        return rts_region_reserve(loop->region, device);
    return rts_region_prepare_loop(loop->region, device);
}

/* ---- data of loops with a choice ---- */

static void find_present(const rts_loop_t *loop, int device) {
    for (int i = 0; i < used.count; i++)
        used.facts[i].present_count =
            rts_region_present(loop->region, used.array[i], device, used.facts[i].present);
}

static const rts_layout_form_t *form_of(const rts_plan_t *plan, int number) {
    return plan->form != NULL ? &plan->form[number] : &used.array[number]->home.form;
}

static bool is_natural(const rts_plan_t *plan) {
    for (int i = 0; i < used.count; i++)
        if (!rts_layout_form_equal(form_of(plan, i), &used.array[i]->home.form))
            return false;
    return true;
}

/* One array into its layout, values with it. What the loop replaces anyway need not be turned. */
static rts_status_t turn_array(const rts_loop_t *loop, int device, int number,
                               const rts_layout_form_t *form) {
    rts_array_t *array = used.array[number];
    const rts_replica_t *present = rts_replica_find(array, device);
    const bool is_home = device == 0 && rts_layout_form_equal(form, &array->home.form);
    const int intent = used.facts[number].intent;
    if (present != NULL && !is_home && !rts_layout_form_equal(form, &present->form))
        RTS_TRY(rts_region_forget_array(loop->region, array, intent));
    RTS_TRY(rts_coherence_place(array, device, form, &used.replica[number]));
    RTS_TRY(rts_region_prepare_array(loop->region, array, intent, used.replica[number]));
    if (used.is_read_whole[number])
        RTS_TRY(rts_coherence_fetch_to(array, used.replica[number], NULL));
    return RTS_OK;
}

/* The same, and what it took goes to the planner: on a GPU later, when it has been done there. Values that come from elsewhere as well say
 * nothing of reorganisations. */
static rts_status_t place_array(const rts_loop_t *loop, int device, int number,
                                const rts_layout_form_t *form) {
    const bool on_gpu = device > 0 && rts_handler_ops_of_device(device) != NULL;
    const rts_replica_t *present = rts_replica_find(used.array[number], device);
    const bool turns = present != NULL && !rts_layout_form_equal(form, &present->form);
    const int64_t bytes = rts_stats_get(RTS_STAT_REORGANISE_BYTES),
                  copied = rts_stats_get(RTS_STAT_COPY_BYTES), time = rts_stats_get(RTS_STAT_REORGANISE_TIME);
    if (on_gpu && turns)
        rts_times_start_reorganising(device);
    const rts_status_t status = turn_array(loop, device, number, form);
    const int64_t moved = rts_stats_get(RTS_STAT_REORGANISE_BYTES) - bytes;
    if (on_gpu && turns)
        rts_times_stop_reorganised(device, (size_t)moved, rts_stats_get(RTS_STAT_COPY_BYTES) == copied);
    RTS_TRY(status);
    if (moved > 0 && !on_gpu)
        rts_planner_post_reorganised(false, (size_t)moved,
                                     (double)(rts_stats_get(RTS_STAT_REORGANISE_TIME) - time) * 1e-9);
    return RTS_OK;
}

static rts_status_t place_arrays(const rts_loop_t *loop, int device, const rts_plan_t *plan) {
    for (int i = 0; i < used.count; i++) {
        const rts_layout_form_t *form = form_of(plan, i);
        const rts_status_t status = place_array(loop, device, i, form);
        if (status == RTS_ERR_NO_MEMORY && !is_natural(plan) && !used.array[i]->lacks_memory) {
            char name[64];
            used.array[i]->lacks_memory = true; /* said once */
            rts_log(RTS_LOG_WARNING, "%s; an array of rank %d does without the layout %s", rts_error_text(),
                    used.facts[i].rank, rts_layout_form_name(form, name, sizeof name));
        }
        RTS_TRY(status);
    }
    return RTS_OK;
}

/* Why the plan was chosen, for developers. */
static void log_reason(const rts_loop_t *loop, const rts_plan_t *plan) {
    char reason[256], names[512];
    size_t length = 0;
    if (rts_log_threshold < RTS_LOG_DEBUG || *rts_planner_reason(reason, sizeof reason) == '\0')
        return;
    names[0] = '\0';
    for (int i = 0; i < used.count && length < sizeof names; i++) {
        char name[64];
        const int more = snprintf(names + length, sizeof names - length, "%s%s", i > 0 ? "," : "",
                                  rts_layout_form_name(form_of(plan, i), name, sizeof name));
        length += more > 0 ? (size_t)more : 0;
    }
    rts_log(RTS_LOG_DEBUG, "loop of %s:%d on %s: %s", loop->position.file ? loop->position.file : "?",
            loop->position.line, names, reason);
}

/* A program that never waits for a GPU would queue hundreds of executions before the first time is heard: as long as the planner tries
 * things with this loop, it is given what it has tried. */
static rts_status_t choose(rts_exec_data_t *data) {
    if (data->facts.is_gpu)
        RTS_TRY(rts_times_wait(rts_planner_awaited(&data->facts)));
    data->plan = rts_planner_choose(&data->facts);
    return RTS_OK;
}

static rts_status_t choose_and_place(const rts_loop_t *loop, rts_exec_data_t *data) {
    const bool is_pinned_natural = data->facts.is_pinned_natural;
    for (int tries = 0;; tries++) {
        find_present(loop, data->device);
        data->facts.is_pinned_natural = is_pinned_natural || tries >= MAX_TRIES;
        RTS_TRY(choose(data));
        if (data->facts.is_gpu)
            RTS_TRY(rts_launch_memory_reserve(loop, data->device, data->plan));
        const rts_status_t status = place_arrays(loop, data->device, data->plan);
        if (status == RTS_OK)
            log_reason(loop, data->plan);
        if (status != RTS_ERR_NO_MEMORY)
            return status;
        if (is_natural(data->plan) || tries > MAX_TRIES)
            return status;
        rts_planner_refuse(data->plan);
    }
}

/* ---- the arrays as a record shows them ---- */

/* Address of a (maybe fictitious) element: in integers, because it may lie outside the buffer. */
static void *address(const rts_array_t *array, const rts_replica_t *replica, rts_index_t offset) {
    if (replica->buffer == NULL)
        return NULL;
    return (void *)((uintptr_t)replica->buffer + (uintptr_t)(offset * (rts_index_t)array->element.bytes));
}

static void show_array(const rts_array_t *array, const rts_replica_t *replica, DvmType stride[],
                       dvmhx_array_t *view_p) {
    const rts_layout_t *layout = &replica->layout;
    const int rank = layout->box.rank;
    const int p = rank >= 2 ? layout->perm[rank - 2] : -1, q = rank >= 1 ? layout->perm[rank - 1] : -1;
    rts_index_t row_origin = 0, c = layout->c;
    for (int axis = 0; axis < rank; axis++) {
        const rts_index_t lo = layout->box.lo[axis];
        stride[axis] = (DvmType)layout->stride[axis];
        if (axis == p)
            c -= layout->a * lo;
        else if (axis == q)
            c -= layout->b * lo;
        if (axis == q)
            row_origin -= lo;
        else if (axis != p)
            row_origin -= layout->stride[axis] * lo;
    }
    *view_p = (dvmhx_array_t){.base = rts_replica_natural_base(array, replica),
                              .stride = stride,
                              .rank = rank,
                              .element_bytes = (DvmType)array->element.bytes,
                              .layout = (DvmType)layout->kind,
                              .row_base = address(array, replica, row_origin),
                              .p = p,
                              .q = q,
                              .a = layout->a,
                              .b = layout->b,
                              .c = (DvmType)c,
                              .row_count = (DvmType)layout->rows,
                              .pitch = (DvmType)layout->pitch};
}

/* Copies lie at home's form; values of another device are brought there. */
static rts_status_t show_arrays(const rts_loop_t *loop, rts_exec_data_t *data) {
    for (int i = 0; i < loop->array_count; i++) {
        rts_array_t *const copy = shown_copy(loop, &loop->array[i]);
        rts_replica_t *replica = copy == NULL ? used.replica[used.number[i]] : NULL;
        if (copy != NULL) {
            RTS_TRY(rts_coherence_fetch(copy, data->device, NULL));
            RTS_TRY(rts_coherence_replica(copy, data->device, &replica));
        }
        show_array(copy != NULL ? copy : loop->array[i].array, replica, used.stride[i], &data->array[i]);
        data->layout[i] = &replica->layout;
    }
    return RTS_OK;
}

/* The edges that the loop computes are written as well as the part that is owned. What its bounds leave out keeps its values. */
static rts_status_t mark_computed(const rts_loop_t *loop, const rts_exec_data_t *data) {
    for (int i = 0; i < loop->shadow.count && loop->shadow.is_given; i++) {
        rts_array_t *array = loop->shadow.written[i];
        const rts_box_t part = rts_loop_computed_part(loop, array);
        rts_replica_t *replica = NULL;
        for (int number = 0; number < used.count; number++)
            if (used.array[number] == array)
                replica = used.replica[number];
        if (replica == NULL)
            RTS_TRY(rts_coherence_replica(array, data->device, &replica));
        RTS_TRY(rts_coherence_fetch_to(array, replica, &part));
        RTS_TRY(rts_coherence_written_at(array, replica, &part));
    }
    return RTS_OK;
}

/* Where a handler uses ordinary arrays themselves. */
static rts_status_t bring_variables_home(const rts_loop_t *loop) {
    for (int i = 0; i < loop->variable_count; i++) {
        RTS_TRY(rts_variable_bring_home(loop->variable[i].address));
        if ((loop->variable[i].intent & RTS_INTENT_OUT) != 0)
            RTS_TRY(rts_variable_written_home(loop->variable[i].address));
    }
    return RTS_OK;
}

static rts_status_t prepare_on(rts_loop_t *loop, int device, rts_exec_data_t *data) {
    rts_coherence_begin_use();
    data->device = device;
    data->handler = rts_loop_handler(loop, rts_backend_of_device(device)->device_type);
    data->plan = NULL;
    const bool chooses = has_choice(loop, data);
    if (!chooses)
        RTS_TRY(prepare_all(loop, device, data->handler));
    if (loop->is_empty)
        return RTS_OK;
    /* A query handler is the code of a compiler that knows nothing of our vectors: what it may depend on is assumed, as where
     * references are not known. */
    data->facts.no_tiles = (body_kind(data->handler, device) == RTS_BODY_QUERY || loop->is_uncertain) &&
                           !rts_loop_add_corners(loop);
    find_arrays(loop);
    for (int i = 0; i < used.count; i++)
        rts_coherence_hold(used.array[i], device);
    make_facts(loop, data);
    if (chooses) {
        RTS_TRY(choose_and_place(loop, data));
    } else {
        RTS_TRY(choose(data));
        if (data->facts.is_gpu)
            RTS_TRY(rts_launch_memory_reserve(loop, device, data->plan));
        for (int i = 0; i < used.count; i++)
            RTS_TRY(rts_coherence_replica(used.array[i], device, &used.replica[i]));
    }
    RTS_TRY(mark_computed(loop, data));
    if (!data->facts.is_gpu)
        RTS_TRY(bring_variables_home(loop));
    return show_arrays(loop, data);
}

rts_status_t rts_exec_data_prepare(rts_loop_t *loop, int device, rts_exec_data_t *data) {
    const rts_status_t status = prepare_on(loop, device, data);
    if (status != RTS_ERR_NO_MEMORY || device == 0 || !rts_exec_runs_on(loop, 0))
        return status;
    rts_log(RTS_LOG_WARNING, "%s; the loop runs on the host instead", rts_error_text());
    rts_launch_memory_reset();
    return prepare_on(loop, 0, data);
}

rts_status_t rts_exec_data_bring(const rts_exec_data_t *data, rts_array_t *array, const rts_box_t *box) {
    for (int i = 0; i < used.count; i++)
        if (used.array[i] == array)
            return rts_coherence_fetch_to(array, used.replica[i], box);
    return rts_coherence_fetch(array, data->device, box);
}
