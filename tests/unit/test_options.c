/* Options: forms for the arrays of random loops. What a form means is seen by the addresses that it gives (plan_model.h), never by
 * the formulas that made it. */
#include <config.h>

#include "rts/form.h"
#include "rts/memory.h"

#include "tests/unit/plan_model.h"

enum { KINDS = RTS_OPTION_PINNED + 1 };

static int made[KINDS], wraps, skews;

static rts_option_t *new_option(int array_count) {
    rts_option_t *option = rts_alloc(rts_option_bytes(array_count));
    if (option == NULL)
        exit(99);
    memset(option, 0xa5, rts_option_bytes(array_count)); /* what is not set will be seen */
    return option;
}

static bool is_home(const rts_layout_form_t *form) {
    const rts_layout_form_t home = rts_layout_form_home(form->rank);
    return rts_layout_form_equal(form, &home);
}

/* ---- legality ---- */

static bool is_allowed(const rts_array_facts_t *array, const rts_layout_form_t *form) {
    bool natural_order = true;
    for (int i = 0; i < form->rank; i++)
        natural_order = natural_order && form->perm[i] == i;
    return form->rank == array->rank && form->kind != RTS_LAYOUT_PACKED &&
           (form->kind != RTS_LAYOUT_SKEW || (array->forbidden & 2) == 0) &&
           (form->kind != RTS_LAYOUT_WRAP || (array->forbidden & 4) == 0) &&
           (natural_order || (array->forbidden & 1) == 0);
}

static bool may_wrap(const rts_loop_facts_t *facts, const rts_layout_form_t form[], int i) {
    for (rts_index_t lag = 1; lag <= 2; lag++)
        if (facts->rank >= 2 && facts->arrays[i].by_rows && body_by_rows(facts, form, lag) != DIFFERS &&
            follows_rows(facts, &facts->arrays[i], &form[i], lag) != DIFFERS)
            return true;
    return false;
}

static void check_forms(const rts_loop_facts_t *facts, const rts_option_t *option) {
    for (int i = 0; i < facts->array_count; i++) {
        const rts_layout_form_t *form = &option->form[i];
        if (!CHECK(is_allowed(&facts->arrays[i], form)))
            return;
        CHECK(form->pitch_align >= 1 && (form->kind != RTS_LAYOUT_PLAIN || (form->a == 0 && form->b == 0)));
        for (int axis = form->rank; axis < RTS_MAX_RANK; axis++)
            CHECK_EQ_INT(form->perm[axis], 0);
        CHECK(form->kind != RTS_LAYOUT_WRAP || may_wrap(facts, option->form, i));
        CHECK(!facts->is_pinned_natural || is_home(form));
        wraps += form->kind == RTS_LAYOUT_WRAP;
        skews += form->kind == RTS_LAYOUT_SKEW;
    }
}

/* A pinned array has its own form, but where the rules forbid it, or where it is WRAP and the loop cannot have that. */
static void check_pins(const rts_loop_facts_t *facts, const rts_option_t *option) {
    for (int i = 0; i < facts->array_count; i++) {
        const rts_array_facts_t *array = &facts->arrays[i];
        const rts_layout_form_t *form = &option->form[i];
        if (!array->is_pinned || facts->is_pinned_natural || option->kind == RTS_OPTION_NATURAL)
            continue;
        if (array->pinned.kind == RTS_LAYOUT_WRAP)
            CHECK(is_home(form) || rts_layout_form_equal(form, &array->pinned));
        else
            CHECK(is_allowed(array, &array->pinned) ? rts_layout_form_equal(form, &array->pinned)
                                                    : is_home(form));
    }
}

/* ---- what the kinds promise ---- */

static bool is_walked(const rts_loop_facts_t *facts, const rts_array_facts_t *array, int axis) {
    return array->dim[axis] >= 0 && facts->count[array->dim[axis]] > 1 && array->extent[axis] > 1;
}

/* Along the innermost dim that walks the array, memory moves by the elements that are faster than all that is walked: no order can
 * do better without tearing them apart. */
static void check_permuted(const rts_loop_facts_t *facts, const rts_array_facts_t *array,
                           const rts_layout_form_t *form) {
    rts_index_t step[RTS_MAX_RANK] = {0}, components = 1, far = 0, natural = 0;
    int innermost = -1, last = -1, tied = 0;
    for (int axis = 0; axis < array->rank; axis++)
        if (is_walked(facts, array, axis)) {
            innermost = array->dim[axis] > innermost ? array->dim[axis] : innermost;
            last = axis;
        }
    for (int axis = last + 1; axis < array->rank; axis++)
        components *= array->extent[axis];
    for (int axis = 0; axis < array->rank && innermost >= 0; axis++)
        tied += is_walked(facts, array, axis) && array->dim[axis] == innermost;
    CHECK_EQ_INT(form->kind, RTS_LAYOUT_PLAIN);
    if (tied != 1 || (array->forbidden & 1) != 0)
        return;
    const rts_layout_form_t home = rts_layout_form_home(array->rank);
    step[innermost] = 1;
    CHECK(steps_in_memory(facts, array, form, step, &far) > 0);
    CHECK(steps_in_memory(facts, array, &home, step, &natural) > 0);
    CHECK_EQ_INT(far < 0 ? -far : far, components);
    CHECK((natural != components && natural != -components) || is_home(form)); /* good already: left alone */
    for (int axis = last + 1; axis < array->rank; axis++) /* components stay in their order */
        CHECK_EQ_INT(form->perm[axis], axis);
    for (int i = 1; i <= last && !is_home(form); i++) { /* what is walked: in the order of the dims */
        const int slow = form->perm[i - 1], fast = form->perm[i];
        if (is_walked(facts, array, slow))
            CHECK(is_walked(facts, array, fast) && array->dim[slow] <= array->dim[fast]);
    }
}

static bool may_be_diagonal(const rts_loop_facts_t *facts, rts_index_t *lag_p) {
    bool carried = false;
    if (facts->rank < 2 || (facts->unit_steps >> (facts->rank - 2) & 1) == 0 ||
        (facts->unit_steps >> (facts->rank - 1) & 1) == 0)
        return false;
    for (rts_index_t lag = 0; lag <= 2; lag++) {
        bool good = true;
        carried = false;
        for (int i = 0; i < facts->dependences.count; i++) {
            const rts_index_t *vector = facts->dependences.vector[i];
            bool outer = false;
            for (int dim = 0; dim < facts->rank - 2; dim++)
                outer = outer || vector[dim] != 0;
            carried = carried || (!outer && vector[facts->rank - 2] == 0);
            good = good && (outer || lag * vector[facts->rank - 2] + vector[facts->rank - 1] >= 1);
        }
        *lag_p = lag;
        if (good)
            return carried;
    }
    return false;
}

static rts_index_t size_of(const rts_array_facts_t *array, const rts_layout_form_t *form) {
    rts_layout_t layout;
    rts_box_t box = {.rank = array->rank};
    for (int axis = 0; axis < array->rank; axis++)
        box.hi[axis] = array->extent[axis];
    CHECK_EQ_INT(rts_layout_make(&box, form, &layout), RTS_OK);
    return layout.size;
}

static void check_diagonal(const rts_loop_facts_t *facts, const rts_option_t *option) {
    rts_index_t lag = 0;
    int diagonal = 0;
    if (!CHECK(may_be_diagonal(facts, &lag)))
        return;
    const bool by_rows = body_by_rows(facts, option->form, lag) == FOLLOWS;
    for (int i = 0; i < facts->array_count; i++) {
        const rts_array_facts_t *array = &facts->arrays[i];
        const rts_layout_form_t *form = &option->form[i];
        const rts_layout_form_t home = rts_layout_form_home(array->rank);
        if (array->is_pinned)
            continue;
        if (walks_both(facts, array) && follows_rows(facts, array, form, lag) != DIFFERS) {
            diagonal++;
            if (by_rows && array->by_rows && lag > 0 && (array->forbidden & 4) == 0)
                CHECK_EQ_INT(form->kind, RTS_LAYOUT_WRAP);
            CHECK(size_of(array, form) <= 4 * size_of(array, &home));
            /* Axes outside the plane: in the order of the dims, what none walks first. */
            for (int k = 1; k < array->rank - 2 && !is_home(form); k++)
                CHECK(array->dim[form->perm[k - 1]] <= array->dim[form->perm[k]]);
        } else {
            check_permuted(facts, array, form);
        }
    }
    CHECK(diagonal > 0);
}

/* The diagonal option is missed only for a reason. */
static void check_no_diagonal(const rts_loop_facts_t *facts) {
    rts_index_t lag = 0;
    if (!may_be_diagonal(facts, &lag))
        return;
    for (int i = 0; i < facts->array_count; i++) {
        const rts_array_facts_t *array = &facts->arrays[i];
        int both = 0;
        for (int axis = 0; axis < array->rank; axis++)
            both += array->dim[axis] >= facts->rank - 2;
        if (walks_both(facts, array) && both == 2 && !array->is_pinned && array->forbidden == 0 && lag > 0 &&
            !facts->is_pinned_natural) {
            rts_index_t n_p = 1, n_q = 1; /* then it is the memory, of this array or another */
            bool large = false;
            for (int k = 0; k < facts->array_count; k++)
                for (int axis = 0; axis < facts->arrays[k].rank; axis++) {
                    n_p = facts->arrays[k].dim[axis] == facts->rank - 1 ? facts->arrays[k].extent[axis] : n_p;
                    n_q = facts->arrays[k].dim[axis] == facts->rank - 2 ? facts->arrays[k].extent[axis] : n_q;
                    large = large || n_p + lag * (n_q - 1) > 4 * n_p;
                }
            CHECK(large);
        }
    }
}

static void check_present(const rts_loop_facts_t *facts, const rts_option_t *option) {
    bool lost = false, any_wrap = false;
    for (int i = 0; i < facts->array_count; i++) {
        const rts_array_facts_t *array = &facts->arrays[i];
        if (array->is_pinned)
            continue;
        const bool is_row = array->present_count > 0 && array->present[0].kind == RTS_LAYOUT_WRAP;
        if (array->present_count > 0 && is_allowed(array, &array->present[0]) &&
            (!is_row || array->by_rows)) {
            const bool kept = rts_layout_form_equal(&option->form[i], &array->present[0]);
            any_wrap = any_wrap || (kept && is_row);
            lost = lost || (!kept && is_row);
            CHECK(kept || (is_home(&option->form[i]) && is_row));
        } else {
            CHECK(is_home(&option->form[i]));
        }
    }
    CHECK(!lost || !any_wrap); /* all or none */
}

static void test_kinds(void) {
    for (int trial = 0; trial < 20000; trial++) {
        const rts_loop_facts_t facts = random_layout_facts();
        rts_option_t *option = new_option(facts.array_count);
        bool pins = facts.is_pinned_natural, exists[KINDS];
        for (int i = 0; i < facts.array_count; i++)
            pins = pins || facts.arrays[i].is_pinned;
        for (int kind = 0; kind < KINDS; kind++) {
            exists[kind] = rts_options_make(&facts, (rts_option_kind_t)kind, option);
            if (kind == RTS_OPTION_DIAGONAL && !exists[kind])
                check_no_diagonal(&facts);
            if (!exists[kind])
                continue;
            made[kind]++;
            CHECK_EQ_INT(option->kind, kind);
            check_forms(&facts, option);
            check_pins(&facts, option);
            bool natural = true;
            for (int i = 0; i < facts.array_count; i++) {
                natural = natural && is_home(&option->form[i]);
                if (kind == RTS_OPTION_PERMUTED && !facts.arrays[i].is_pinned)
                    check_permuted(&facts, &facts.arrays[i], &option->form[i]);
            }
            CHECK(natural ? kind == RTS_OPTION_NATURAL || kind == RTS_OPTION_PINNED
                          : kind != RTS_OPTION_NATURAL);
            if (kind == RTS_OPTION_DIAGONAL)
                check_diagonal(&facts, option);
            if (kind == RTS_OPTION_PRESENT)
                check_present(&facts, option);
        }
        CHECK(exists[RTS_OPTION_NATURAL] && exists[RTS_OPTION_PINNED] == pins);
        const rts_option_kind_t classic = rts_options_classic(&facts);
        CHECK(exists[classic] && (classic == RTS_OPTION_PINNED) == pins);
        rts_free(option);
    }
    for (int kind = 0; kind < KINDS; kind++)
        CHECK(made[kind] > 1000);
    CHECK(wraps > 500 && skews > 1000);
}

static void test_random(void) {
    uint64_t state = check_random_u64();
    int homes = 0, padded = 0, permuted = 0;
    wraps = skews = 0;
    for (int trial = 0; trial < 10000; trial++) {
        const rts_loop_facts_t facts = random_layout_facts();
        rts_option_t *option = new_option(facts.array_count), *again = new_option(facts.array_count);
        uint64_t before = state;
        rts_options_random(&facts, &state, option);
        rts_options_random(&facts, &before, again);
        CHECK(before == state && memcmp(option, again, rts_option_bytes(facts.array_count)) == 0);
        check_forms(&facts, option);
        check_pins(&facts, option);
        for (int i = 0; i < facts.array_count; i++) {
            const rts_layout_form_t *form = &option->form[i], home = rts_layout_form_home(form->rank);
            homes += is_home(form);
            padded += form->pitch_align > 1;
            permuted += form->rank > 1 && form->perm[0] != 0;
            CHECK(facts.arrays[i].is_pinned ||
                  size_of(&facts.arrays[i], form) < 8 * size_of(&facts.arrays[i], &home));
        }
        rts_free(option);
        rts_free(again);
    }
    CHECK(wraps > 200 && skews > 1000 && homes > 1000 && padded > 1000 && permuted > 1000);
}

/* ---- known loops ---- */

static rts_array_facts_t known_array;

/* A sweep over an array of `rank` axes; reversed: the innermost dim walks the first axis. `corners`: 9 points. */
static rts_loop_facts_t known_sweep(int rank, bool reversed, bool corners) {
    rts_loop_facts_t facts = {.rank = rank, .arrays = &known_array, .array_count = 1, .thread_count = 2};
    known_array = (rts_array_facts_t){.rank = rank, .element_bytes = 8, .intent = 3, .by_rows = true};
    facts.unit_steps = 7;
    facts.element_bytes = 8;
    rts_dependences_init(&facts.dependences, rank);
    for (int dim = 0; dim < rank; dim++) {
        rts_index_t vector[RTS_MAX_RANK] = {0};
        vector[dim] = 1;
        CHECK_EQ_INT(rts_dependences_add(&facts.dependences, vector), RTS_OK);
        facts.count[dim] = 98;
        known_array.dim[dim] = reversed ? rank - 1 - dim : dim;
        known_array.sign[dim] = 1;
        known_array.extent[dim] = 100;
    }
    if (corners)
        CHECK_EQ_INT(rts_dependences_add(&facts.dependences, (rts_index_t[]){1, -1}), RTS_OK);
    return facts;
}

static const char *name_of(const rts_loop_facts_t *facts, rts_option_kind_t kind) {
    static char text[128];
    rts_option_t *option = new_option(facts->array_count);
    if (rts_options_make(facts, kind, option))
        rts_option_name(option, facts->array_count, text, sizeof text);
    else
        snprintf(text, sizeof text, "none");
    rts_free(option);
    return text;
}

static void test_known(void) {
    rts_loop_facts_t facts = known_sweep(2, false, false);
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_NATURAL), "plain");
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_PERMUTED), "none");
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_DIAGONAL), "perm(1,0)+wrap(+)");
    CHECK_EQ_INT(rts_options_classic(&facts), RTS_OPTION_DIAGONAL);
    known_array.sign[0] = -1;
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_DIAGONAL), "perm(1,0)+wrap(-)");
    known_array.by_rows = false;
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_DIAGONAL), "perm(1,0)+skew(-)");
    known_array.forbidden = 1u << RTS_LAYOUT_SKEW;
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_DIAGONAL), "none");
    CHECK_EQ_INT(rts_options_classic(&facts), RTS_OPTION_NATURAL);
    facts = known_sweep(2, false, true);
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_DIAGONAL), "perm(1,0)+wrap(1,2)");
    facts = known_sweep(2, true, false);
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_PERMUTED), "perm(1,0)");
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_DIAGONAL), "wrap(+)");
    known_array.is_pinned = true;
    known_array.pinned = (rts_layout_form_t){RTS_LAYOUT_WRAP, 2, {0, 1}, 1, 1, 16};
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_PINNED), "wrap(+)+pad(16)");
    known_array.pinned.b = -1; /* does not match: nothing may be WRAP */
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_PINNED), "plain");
    known_array.pinned.kind = RTS_LAYOUT_SKEW;
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_PINNED), "skew(-)+pad(16)");
    CHECK_EQ_INT(rts_options_classic(&facts), RTS_OPTION_PINNED);
    facts = known_sweep(3, false, false);
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_DIAGONAL), "perm(0,2,1)+wrap(+)");
    facts = known_sweep(3, true, false);
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_PERMUTED), "perm(2,1,0)");
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_DIAGONAL), "perm(2,0,1)+wrap(+)");
    facts.dependences.count = 1; /* the outermost dim alone: one dependent dim */
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_DIAGONAL), "none");
    CHECK_EQ_INT(rts_options_classic(&facts), RTS_OPTION_PERMUTED);
    facts = known_sweep(2, true, false);
    memmove(facts.dependences.vector[0], facts.dependences.vector[1], sizeof facts.dependences.vector[0]);
    facts.dependences.count = 1; /* the innermost alone: fronts are columns, but the classic rule permutes */
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_DIAGONAL), "none"); /* home's form already */
    CHECK_EQ_INT(rts_options_classic(&facts), RTS_OPTION_PERMUTED);
    rts_memory_fail_at(1);
    CHECK_EQ_INT(rts_options_classic(&facts), RTS_OPTION_NATURAL);
    rts_memory_fail_at(0);
}

/* On a GPU threads are neighbours along a dim without dependences: the one that lies fastest already, or else the innermost. */
static void test_known_gpu(void) {
    const char *const natural[] = {"none", "none", "perm(0,2,1)"};
    const char *const reversed[] = {"perm(2,1,0)", "none", "none"}; /* the dims walk the axes 2, 1, 0 */
    for (int dim = 0; dim < 6; dim++) {
        rts_loop_facts_t facts = known_sweep(3, dim >= 3, false);
        known_array.by_rows = false;
        facts.is_gpu = true;
        memmove(facts.dependences.vector[0], facts.dependences.vector[dim % 3],
                sizeof facts.dependences.vector[0]);
        facts.dependences.count = 1;
        CHECK_EQ_STR(name_of(&facts, RTS_OPTION_PERMUTED), dim < 3 ? natural[dim] : reversed[dim - 3]);
        CHECK_EQ_INT(rts_options_classic(&facts), strcmp(name_of(&facts, RTS_OPTION_PERMUTED), "none") == 0
                                                      ? RTS_OPTION_NATURAL
                                                      : RTS_OPTION_PERMUTED);
    }
    rts_loop_facts_t facts = known_sweep(3, true, false);
    known_array.by_rows = false;
    facts.is_gpu = true;
    facts.dependences.count = 0; /* independent: as on the host */
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_PERMUTED), "perm(2,1,0)");
    facts = known_sweep(3, false, false);
    facts.is_gpu = true;
    facts.rank = 2; /* the last axis has the components of a vector */
    known_array.dim[2] = -1;
    known_array.extent[2] = 5;
    rts_dependences_init(&facts.dependences, 2);
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_PERMUTED), "perm(2,0,1)");
    facts.is_gpu = false;
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_PERMUTED), "none");
}

/* What is present is kept where the loop can follow it; WRAP by an array that its body cannot follow never is. */
static void test_known_present(void) {
    const rts_layout_form_t wrap = {RTS_LAYOUT_WRAP, 2, {0, 1}, 1, 1, 1};
    rts_array_facts_t two[2];
    rts_loop_facts_t facts = known_sweep(2, true, false);
    two[0] = two[1] = known_array;
    facts.arrays = two;
    facts.array_count = 2;
    for (int i = 0; i < 2; i++) {
        two[i].present_count = 1;
        two[i].present[0] = wrap;
    }
    const rts_layout_form_t form[2] = {wrap, wrap};
    CHECK(rts_forms_are_legal(&facts, form));
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_PRESENT), "wrap(+),wrap(+)");
    two[1].by_rows = false;
    CHECK(!rts_forms_are_legal(&facts, form));
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_PRESENT), "wrap(+),plain");
    two[1].by_rows = true;
    two[1].present[0].b = -1;
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_PRESENT), "none");
    two[1].present[0].kind = RTS_LAYOUT_SKEW;
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_PRESENT), "plain,skew(-)");
}

/* Another array follows a pinned one where it must; two arrays have two names. */
static void test_two_arrays(void) {
    rts_array_facts_t two[2];
    rts_loop_facts_t facts = known_sweep(2, true, false);
    two[0] = two[1] = known_array;
    facts.arrays = two;
    facts.array_count = 2;
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_DIAGONAL), "wrap(+),wrap(+)");
    two[1].forbidden = 1u << RTS_LAYOUT_WRAP;
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_DIAGONAL), "wrap(+),skew(+)");
    two[1].forbidden |= 1u << RTS_LAYOUT_SKEW; /* it cannot follow: so nothing is WRAP */
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_DIAGONAL), "skew(+),perm(1,0)");
    two[1].forbidden = 0;
    two[0].is_pinned = true;
    two[0].pinned = (rts_layout_form_t){RTS_LAYOUT_WRAP, 2, {0, 1}, 1, 1, 1};
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_PINNED), "wrap(+),wrap(+)");
    two[0].pinned.kind = RTS_LAYOUT_SKEW;
    CHECK_EQ_STR(name_of(&facts, RTS_OPTION_PINNED), "skew(+),plain");
    rts_option_t *option = new_option(2);
    CHECK(rts_options_make(&facts, RTS_OPTION_PINNED, option));
    for (size_t size = 1; size < 20; size++) { /* cut, never beyond */
        char text[24];
        memset(text, '#', sizeof text);
        rts_option_name(option, 2, text, size);
        CHECK(strlen(text) == (size_t)rts_min((rts_index_t)size - 1, 13) && text[size] == '#' &&
              strncmp(text, "skew(+),plain", strlen(text)) == 0);
    }
    rts_free(option);
}

int main(void) {
    check_random_start();
    test_kinds();
    test_random();
    test_known();
    test_known_gpu();
    test_known_present();
    test_two_arrays();
    return check_finish();
}
