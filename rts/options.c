/* Options: forms for all arrays of a loop together. Decides which assignments are worth a thought and which are legal; which of them
 * is used is the planner's decision. What a form is to a loop stands in rts/form.h. */
#include <config.h>

#include "rts/planner.h"

#include <stdio.h>
#include <string.h>

#include "rts/form.h"
#include "rts/memory.h"

/** A skew may take up to this many times the memory of the plain layout. */
#define MAX_SKEW_MEMORY 4
/** The same for what is drawn at random. */
#define MAX_RANDOM_MEMORY 8

size_t rts_option_bytes(int array_count) {
    return sizeof(rts_option_t) + (size_t)array_count * sizeof(rts_layout_form_t);
}

static bool is_home(const rts_layout_form_t *form) {
    const rts_layout_form_t home = rts_layout_form_home(form->rank);
    return rts_layout_form_equal(form, &home);
}

static void set_home(const rts_loop_facts_t *facts, rts_layout_form_t form[]) {
    for (int i = 0; i < facts->array_count; i++)
        form[i] = rts_layout_form_home(facts->arrays[i].rank);
}

/* Where nothing may be WRAP. */
static void unwrap(const rts_loop_facts_t *facts, rts_layout_form_t form[]) {
    for (int i = 0; i < facts->array_count; i++)
        if (form[i].kind == RTS_LAYOUT_WRAP)
            form[i] = rts_layout_form_home(facts->arrays[i].rank);
}

/* ---- rows on GPUs ---- */

/** What a GPU moves together at best; rows that begin at multiples of it are read in whole pieces. */
#define GPU_ROW_BYTES 128
/** Padding may take this part of the memory. */
#define MAX_PADDING_SHARE 8

/* Rows of a form that is not home's anyway, padded where that costs little. */
static void pad_rows(const rts_loop_facts_t *facts, const rts_array_facts_t *array, rts_layout_form_t *form) {
    const rts_index_t bytes = (rts_index_t)array->element_bytes;
    if (!facts->is_gpu || array->rank < 2 || is_home(form) || GPU_ROW_BYTES % bytes != 0)
        return;
    const rts_index_t align = GPU_ROW_BYTES / bytes, row = array->extent[form->perm[array->rank - 1]];
    if (row % align != 0 && row >= MAX_PADDING_SHARE * align)
        form->pitch_align = align;
}

/* ---- permuted ---- */

/* The dim that moves along an axis; -1 when nothing does, or when there is nothing to move along. */
static int moving_dim(const rts_loop_facts_t *facts, const rts_array_facts_t *array, int axis) {
    const int dim = array->dim[axis];
    return dim >= 0 && dim < facts->rank && array->extent[axis] > 1 && facts->count[dim] > 1 ? dim : -1;
}

/* Append the axes whose place[axis] is `wanted`, in their own order. @return the new length of perm */
static int append_axes(const int place[], int rank, int wanted, int perm[], int length) {
    for (int axis = 0; axis < rank; axis++)
        if (place[axis] == wanted)
            perm[length++] = axis;
    return length;
}

/* The axis that is fastest of those that are walked; -1: none is. */
static int last_moving_axis(const rts_loop_facts_t *facts, const rts_array_facts_t *array) {
    int last = -1;
    for (int axis = 0; axis < array->rank; axis++)
        last = moving_dim(facts, array, axis) >= 0 ? axis : last;
    return last;
}

/* The dim whose axis is to be the fastest: the innermost one. But on a GPU, where dependences leave dims free, threads are neighbours along
 * one of these, whichever it is: the one that most bytes already lie along, or else the innermost. */
static int fastest_dim(const rts_loop_facts_t *facts) {
    double bytes[RTS_MAX_RANK] = {0};
    int best = -1;
    for (int i = 0; i < facts->array_count; i++) {
        const int axis = last_moving_axis(facts, &facts->arrays[i]);
        double size = (double)facts->arrays[i].element_bytes;
        for (int k = 0; k < facts->arrays[i].rank; k++)
            size *= (double)facts->arrays[i].extent[k];
        if (axis >= 0)
            bytes[facts->arrays[i].dim[axis]] += size;
    }
    for (int dim = facts->rank - 1; dim >= 0 && facts->is_gpu && facts->dependences.count > 0; dim--)
        if (rts_dependences_is_free(&facts->dependences, dim) && facts->count[dim] > 1 &&
            (best < 0 || bytes[dim] > bytes[best]))
            best = dim;
    return best >= 0 ? best : facts->rank - 1;
}

/* Axes in the order of the dims that walk them, that of one dim behind the others. What no dim walks is slowest. But on the host what is
 * faster than all that is walked, as the components of a vector are, stays there; on a GPU neighbouring threads want the same component
 * at once. */
static rts_layout_form_t permuted_form(const rts_loop_facts_t *facts, const rts_array_facts_t *array,
                                       int fastest) {
    rts_layout_form_t home = rts_layout_form_home(array->rank), form = home;
    const int last_moving = last_moving_axis(facts, array);
    int place[RTS_MAX_RANK], innermost = -1, length = 0;
    for (int axis = 0; axis < array->rank; axis++) {
        const int dim = moving_dim(facts, array, axis);
        place[axis] = dim == fastest ? facts->rank : dim;
        innermost = place[axis] > innermost ? place[axis] : innermost;
    }
    bool has_components = false;
    for (int axis = last_moving + 1; axis < array->rank; axis++)
        has_components = has_components || array->extent[axis] > 1;
    if (last_moving < 0 || (place[last_moving] == innermost && !(facts->is_gpu && has_components)))
        return home;
    for (int axis = last_moving + 1; axis < array->rank && !facts->is_gpu; axis++)
        place[axis] = facts->rank + 1; /* behind all dims */
    for (int dim = -1; dim <= facts->rank + 1; dim++)
        length = append_axes(place, array->rank, dim, form.perm, length);
    pad_rows(facts, array, &form);
    return rts_form_is_allowed(array, &form) ? form : home;
}

/* ---- diagonal ---- */

/* The form in which the array's fronts of a lag are contiguous. @return false when it has none that is allowed */
static bool front_form(const rts_loop_facts_t *facts, const rts_array_facts_t *array, rts_layout_kind_t kind,
                       rts_index_t lag, rts_layout_form_t *form_p) {
    const int row = facts->rank - 2, column = facts->rank - 1;
    rts_layout_form_t form = {.kind = kind, .rank = array->rank, .pitch_align = 1};
    int length = 0, p = -1, q = -1;
    if (!rts_form_has_plane(facts, array))
        return false;
    for (int axis = 0; axis < array->rank; axis++) {
        p = array->dim[axis] == column ? axis : p;
        q = array->dim[axis] == row ? axis : q;
    }
    for (int dim = -1; dim < row; dim++)
        length = append_axes(array->dim, array->rank, dim, form.perm, length);
    form.perm[length] = p; /* where a dim of the plane walks two axes, one is left out, and nothing matches */
    form.perm[length + 1] = q;
    if (lag > 0) {
        form.a = 1;
        form.b = (int)lag * array->sign[p] * array->sign[q];
    } else {
        form.kind = RTS_LAYOUT_PLAIN;
    }
    if (!rts_form_is_allowed(array, &form) || !rts_form_matches(facts, array, &form, lag))
        return false;
    pad_rows(facts, array, &form);
    *form_p = form;
    return true;
}

/* (n_p + |b| (n_q - 1)) rows where plain has n_p. */
static bool is_too_large(const rts_array_facts_t *array, const rts_layout_form_t *form) {
    if (form->kind != RTS_LAYOUT_SKEW)
        return false;
    const rts_index_t n_p = array->extent[form->perm[form->rank - 2]],
                      n_q = array->extent[form->perm[form->rank - 1]];
    const double more = (double)(form->b < 0 ? -form->b : form->b) * ((double)n_q - 1);
    return (double)n_p + more > MAX_SKEW_MEMORY * (double)n_p;
}

/* ---- what the program pins ---- */

static bool pins_something(const rts_loop_facts_t *facts) {
    bool pins = facts->is_pinned_natural;
    for (int i = 0; i < facts->array_count && !pins; i++)
        pins = facts->arrays[i].is_pinned;
    return pins;
}

/* Whether an array has a form of its own, and it exists. WRAP may still be illegal in this loop. */
static bool has_pin(const rts_array_facts_t *array) {
    rts_layout_t layout;
    rts_box_t box = {.rank = array->rank};
    for (int axis = 0; axis < array->rank; axis++)
        box.hi[axis] = array->extent[axis];
    return array->is_pinned && rts_form_is_allowed(array, &array->pinned) &&
           rts_layout_make(&box, &array->pinned, &layout) == RTS_OK;
}

/* @return false  the array is not pinned; else *form_p is its own form, or home's where that is not legal. WRAP is where it follows
 * fronts of the lag; no lag: 0 */
static bool take_pin(const rts_loop_facts_t *facts, const rts_array_facts_t *array, rts_index_t lag,
                     rts_layout_form_t *form_p) {
    const rts_layout_form_t *pinned = &array->pinned;
    if (!array->is_pinned)
        return false;
    const bool may_be =
        pinned->kind != RTS_LAYOUT_WRAP || (array->by_rows && rts_form_matches(facts, array, pinned, lag));
    *form_p = has_pin(array) && may_be ? *pinned : rts_layout_form_home(array->rank);
    return true;
}

/* Forms along the fronts of a lag, others permuted. `by_rows`: WRAP where an array can follow it, since that needs no more memory
 * than plain; if then not all match, there are none.
 * @return whether any array got such a form */
static bool set_fronts(const rts_loop_facts_t *facts, rts_index_t lag, bool by_rows,
                       rts_layout_form_t form[]) {
    int given = 0;
    for (int i = 0; i < facts->array_count; i++) {
        const rts_array_facts_t *array = &facts->arrays[i];
        if (take_pin(facts, array, by_rows ? lag : 0, &form[i]))
            continue;
        if ((by_rows && array->by_rows && front_form(facts, array, RTS_LAYOUT_WRAP, lag, &form[i])) ||
            front_form(facts, array, RTS_LAYOUT_SKEW, lag, &form[i])) {
            if (is_too_large(array, &form[i]))
                return false;
            given++;
        } else {
            form[i] = permuted_form(facts, array, facts->rank - 1);
        }
    }
    return given > 0 &&
           (!by_rows || (rts_forms_are_by_rows(facts, form, lag) && rts_forms_are_legal(facts, form)));
}

static bool set_diagonal(const rts_loop_facts_t *facts, rts_layout_form_t form[]) {
    rts_index_t lag;
    if (!rts_form_front_lag(facts, &lag) || lag > RTS_FORM_MAX_LAG ||
        (rts_dependences_carried(&facts->dependences) & 1) == 0)
        return false;
    return set_fronts(facts, lag, true, form) || set_fronts(facts, lag, false, form);
}

/* What is pinned, the rest at home. But where an array is pinned to WRAP, the others that the body follows by rows have to match it:
 * then they do. */
static void set_pinned(const rts_loop_facts_t *facts, rts_layout_form_t form[]) {
    for (rts_index_t lag = RTS_FORM_MAX_LAG; lag >= 0; lag--) {
        bool wraps = false;
        set_home(facts, form);
        for (int i = 0; i < facts->array_count && !facts->is_pinned_natural; i++) {
            const rts_array_facts_t *array = &facts->arrays[i];
            if (take_pin(facts, array, lag, &form[i]))
                wraps = wraps || form[i].kind == RTS_LAYOUT_WRAP;
            else if (lag > 0 && array->by_rows && !front_form(facts, array, RTS_LAYOUT_WRAP, lag, &form[i]))
                front_form(facts, array, RTS_LAYOUT_SKEW, lag, &form[i]);
        }
        if (wraps && rts_forms_are_legal(facts, form))
            return;
    } /* the last ones are those without any WRAP */
}

/* ---- options ---- */

static void set_permuted(const rts_loop_facts_t *facts, rts_layout_form_t form[]) {
    const int fastest = fastest_dim(facts);
    for (int i = 0; i < facts->array_count; i++)
        if (!take_pin(facts, &facts->arrays[i], 0, &form[i]))
            form[i] = permuted_form(facts, &facts->arrays[i], fastest);
}

static void set_present(const rts_loop_facts_t *facts, rts_layout_form_t form[]) {
    for (int i = 0; i < facts->array_count; i++) {
        const rts_array_facts_t *array = &facts->arrays[i];
        if (take_pin(facts, array, 0, &form[i]))
            continue;
        const bool fits = array->present_count > 0 && rts_form_is_allowed(array, &array->present[0]) &&
                          (array->by_rows || array->present[0].kind != RTS_LAYOUT_WRAP);
        form[i] = fits ? array->present[0] : rts_layout_form_home(array->rank);
    }
    if (!rts_forms_are_legal(facts, form))
        unwrap(facts, form);
}

bool rts_options_make(const rts_loop_facts_t *facts, rts_option_kind_t kind, rts_option_t *option_p) {
    rts_layout_form_t *form = option_p->form;
    option_p->kind = kind;
    if (kind == RTS_OPTION_PINNED && (facts->arrays == NULL || !pins_something(facts)))
        return false;
    if (kind == RTS_OPTION_NATURAL || kind == RTS_OPTION_PINNED) {
        if (kind == RTS_OPTION_PINNED)
            set_pinned(facts, form);
        else if (facts->arrays != NULL)
            set_home(facts, form);
        return true;
    }
    if (facts->arrays == NULL || facts->is_pinned_natural)
        return false;
    if (kind == RTS_OPTION_DIAGONAL && !set_diagonal(facts, form))
        return false;
    if (kind == RTS_OPTION_PERMUTED)
        set_permuted(facts, form);
    if (kind == RTS_OPTION_PRESENT)
        set_present(facts, form);
    for (int i = 0; i < facts->array_count; i++)
        if (!is_home(&form[i]))
            return true;
    return false;
}

/* Dims along which some dependence reaches. */
static int dependent_dims(const rts_loop_facts_t *facts) {
    int dims = 0;
    for (int dim = 0; dim < facts->rank; dim++)
        dims += rts_dependences_is_free(&facts->dependences, dim) ? 0 : 1;
    return dims;
}

rts_option_kind_t rts_options_classic(const rts_loop_facts_t *facts) {
    if (facts->arrays == NULL)
        return RTS_OPTION_NATURAL;
    if (pins_something(facts))
        return RTS_OPTION_PINNED;
    rts_option_t *option = rts_alloc(rts_option_bytes(facts->array_count));
    if (option == NULL)
        return RTS_OPTION_NATURAL; /* there would be no memory for the option itself either */
    rts_option_kind_t kind = RTS_OPTION_NATURAL;
    if (dependent_dims(facts) >= 2 && set_diagonal(facts, option->form))
        kind =
            rts_options_make(facts, RTS_OPTION_DIAGONAL, option) ? RTS_OPTION_DIAGONAL : RTS_OPTION_NATURAL;
    else if (rts_options_make(facts, RTS_OPTION_PERMUTED, option))
        kind = RTS_OPTION_PERMUTED;
    rts_free(option);
    return kind;
}

/* ---- random ---- */

static void shuffle(uint64_t *state, int perm[], int count) { /* after Fisher and Yates */
    for (int i = count - 1; i > 0; i--) {
        const int other = (int)rts_candidates_draw_below(state, i + 1), kept = perm[i];
        perm[i] = perm[other];
        perm[other] = kept;
    }
}

static double size_of(const rts_array_facts_t *array, const rts_layout_form_t *form) {
    rts_layout_t layout;
    rts_box_t box = {.rank = array->rank};
    for (int axis = 0; axis < array->rank; axis++)
        box.hi[axis] = array->extent[axis];
    return rts_layout_make(&box, form, &layout) == RTS_OK ? (double)layout.size : 1e300;
}

static bool is_affordable(const rts_array_facts_t *array, const rts_layout_form_t *form) {
    double plain = 1;
    for (int axis = 0; axis < array->rank; axis++)
        plain *= (double)array->extent[axis];
    return size_of(array, form) < MAX_RANDOM_MEMORY * plain;
}

static rts_index_t draw_padding(uint64_t *state, int rank) {
    static const rts_index_t align[] = {1, 2, 3, 8, 16};
    return rank >= 2 ? align[rts_candidates_draw_below(state, 5)] : 1;
}

static rts_layout_form_t random_form(const rts_array_facts_t *array, uint64_t *state) {
    static const int slopes[] = {-2, -1, 1, 2};
    const rts_layout_form_t home = rts_layout_form_home(array->rank);
    rts_layout_form_t form = home;
    if (rts_candidates_draw_below(state, 4) == 0)
        return home;
    if ((array->forbidden >> RTS_LAYOUT_PLAIN & 1) == 0)
        shuffle(state, form.perm, array->rank);
    form.pitch_align = draw_padding(state, array->rank);
    if (array->rank >= 2 && rts_candidates_draw_below(state, 2) == 0) {
        form.kind = RTS_LAYOUT_SKEW;
        form.a = 1 + (int)rts_candidates_draw_below(state, 2);
        form.b = slopes[rts_candidates_draw_below(state, 4)];
    }
    if (rts_form_is_allowed(array, &form) && is_affordable(array, &form))
        return form;
    form.kind = RTS_LAYOUT_PLAIN;
    form.a = form.b = 0;
    form.pitch_align = 1;
    return form;
}

/* Matching forms where there are any; the axes outside the plane and the padding are free. */
static rts_layout_form_t random_front_form(const rts_loop_facts_t *facts, const rts_array_facts_t *array,
                                           rts_index_t lag, uint64_t *state) {
    rts_layout_form_t form;
    const bool may_wrap = array->by_rows && front_form(facts, array, RTS_LAYOUT_WRAP, lag, &form);
    const bool may_skew =
        front_form(facts, array, RTS_LAYOUT_SKEW, lag, &form) && is_affordable(array, &form);
    if (!may_wrap && !may_skew)
        return random_form(array, state);
    const bool wraps = may_wrap && (!may_skew || rts_candidates_draw_below(state, 2) == 0);
    front_form(facts, array, wraps ? RTS_LAYOUT_WRAP : RTS_LAYOUT_SKEW, lag, &form);
    const rts_layout_form_t unpadded = form;
    if ((array->forbidden >> RTS_LAYOUT_PLAIN & 1) == 0)
        shuffle(state, form.perm, array->rank - 2);
    form.pitch_align = draw_padding(state, array->rank);
    return is_affordable(array, &form) ? form : unpadded;
}

void rts_options_random(const rts_loop_facts_t *facts, uint64_t *state, rts_option_t *option_p) {
    rts_layout_form_t *form = option_p->form;
    rts_index_t lag = 0;
    option_p->kind = RTS_OPTION_NATURAL;
    if (facts->arrays == NULL)
        return;
    set_home(facts, form);
    if (facts->is_pinned_natural)
        return;
    const bool along_fronts = rts_form_front_lag(facts, &lag) && lag <= RTS_FORM_MAX_LAG &&
                              rts_candidates_draw_below(state, 2) == 0;
    if (along_fronts)
        lag += rts_candidates_draw_below(state,
                                         RTS_FORM_MAX_LAG - lag + 1); /* greater ones keep the order, too */
    for (int i = 0; i < facts->array_count; i++) {
        const rts_array_facts_t *array = &facts->arrays[i];
        if (has_pin(array))
            form[i] = array->pinned;
        else if (!array->is_pinned)
            form[i] = along_fronts ? random_front_form(facts, array, lag, state) : random_form(array, state);
    }
    if (!rts_forms_are_legal(facts, form))
        unwrap(facts, form);
    for (int i = 0; i < facts->array_count; i++)
        if (!is_home(&form[i]))
            option_p->kind = along_fronts ? RTS_OPTION_DIAGONAL : RTS_OPTION_PERMUTED;
}

const char *rts_option_name(const rts_option_t *option, int array_count, char *text, size_t text_size) {
    size_t used = 0;
    if (text_size == 0)
        return "";
    text[0] = '\0';
    for (int i = 0; i < array_count && used < text_size; i++) {
        char name[96];
        const int more = snprintf(text + used, text_size - used, "%s%s", i > 0 ? "," : "",
                                  rts_layout_form_name(&option->form[i], name, sizeof name));
        used += more > 0 ? (size_t)more : 0;
    }
    return text;
}
