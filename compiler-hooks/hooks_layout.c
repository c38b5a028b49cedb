/* What a program says about layouts: rules for an array or a loop, and the wish for automatic reorganisation. Checks the rules;
 * the planner decides what follows from them. */
#include <config.h>

#include <dvmhx.h>
#include <string.h>

#include "compiler-hooks/hooks_object.h"
#include "rts/planner.h"
#include "rts/stats.h"

#define KIND_BITS ((1 << (DVMHX_LAYOUT_PACKED + 1)) - 1)

/* Kinds go from the interface to the planner as they are. */
_Static_assert((int)DVMHX_LAYOUT_PLAIN == (int)RTS_LAYOUT_PLAIN &&
                   (int)DVMHX_LAYOUT_SKEW == (int)RTS_LAYOUT_SKEW &&
                   (int)DVMHX_LAYOUT_WRAP == (int)RTS_LAYOUT_WRAP &&
                   (int)DVMHX_LAYOUT_PACKED == (int)RTS_LAYOUT_PACKED,
               "layout kinds");

/* Axes of a pinned layout, slowest first. */
static void check_order(const char *entry_point, const DvmType *order, int rank, rts_layout_form_t *form) {
    unsigned seen = 0;
    for (int place = 0; place < rank; place++) {
        const DvmType axis = order != NULL ? order[place] : place + 1;
        if (axis < 1 || axis > rank)
            hooks_error(entry_point, "the order of axes names axis %ld; allowed: 1..%d", (long)axis, rank);
        if ((seen & 1u << axis) != 0)
            hooks_error(entry_point, "the order of axes names axis %ld twice; allowed: each of 1..%d once",
                        (long)axis, rank);
        seen |= 1u << axis;
        form->perm[place] = (int)axis - 1;
    }
}

static bool is_home_order(const rts_layout_form_t *form) {
    for (int place = 0; place < form->rank; place++)
        if (form->perm[place] != place)
            return false;
    return true;
}

static void check_pinned(const char *entry_point, const dvmhx_layout_rule_t *given, int rank,
                         rts_layout_form_t *form) {
    *form = rts_layout_form_home(rank);
    if (given->kind != DVMHX_LAYOUT_PLAIN && given->kind != DVMHX_LAYOUT_SKEW &&
        given->kind != DVMHX_LAYOUT_WRAP)
        hooks_error(entry_point, "layout kind %ld; allowed: %d (plain), %d (skew), %d (wrap)",
                    (long)given->kind, DVMHX_LAYOUT_PLAIN, DVMHX_LAYOUT_SKEW, DVMHX_LAYOUT_WRAP);
    form->kind = (rts_layout_kind_t)given->kind;
    check_order(entry_point, given->order, rank, form);
    if (form->kind != RTS_LAYOUT_PLAIN) {
        if (rank < 2)
            hooks_error(entry_point, "layout kind %ld for rank %d; allowed: rank 2 and more",
                        (long)given->kind, rank);
        if (given->a < 1 || given->a > 2 || given->b < -2 || given->b > 2 || given->b == 0)
            hooks_error(entry_point, "fronts with a = %ld, b = %ld; allowed: a 1..2, b -2..2 but not 0",
                        (long)given->a, (long)given->b);
        form->a = (int)given->a;
        form->b = (int)given->b;
    }
    if (form->kind != RTS_LAYOUT_PLAIN && (given->forbidden & (DvmType)1 << form->kind) != 0)
        hooks_error(entry_point, "layout kind %ld is pinned and forbidden; allowed: one of the two",
                    (long)given->kind);
    if (!is_home_order(form) && (given->forbidden & 1 << RTS_LAYOUT_PLAIN) != 0)
        hooks_error(
            entry_point,
            "an order of axes is pinned, and orders other than the declared one are forbidden; allowed: "
            "one of the two");
}

/* The rule for arrays of a rank, checked. */
static rts_layout_rule_t check_rule(const char *entry_point, const dvmhx_layout_rule_t *given, int rank) {
    dvmhx_layout_rule_t whole = {0};
    rts_layout_rule_t rule = {0};
    if (given == NULL)
        hooks_error(entry_point, "the address of the dvmhx_layout_rule_t is 0");
    if (given->size < sizeof whole)
        hooks_error(entry_point, "the size of the rule is %zu; it must be set to sizeof(dvmhx_layout_rule_t)",
                    given->size);
    memcpy(&whole, given, sizeof whole);
    if (whole.is_pinned != 0 && whole.is_pinned != 1)
        hooks_error(entry_point, "is_pinned is %ld; allowed: 0 or 1", (long)whole.is_pinned);
    if ((whole.forbidden & ~(DvmType)KIND_BITS) != 0)
        hooks_error(entry_point, "forbidden kinds %ld; allowed: a mask of %d", (long)whole.forbidden,
                    KIND_BITS);
    rule.forbidden = (unsigned)whole.forbidden;
    rule.is_pinned = whole.is_pinned != 0;
    if (rule.is_pinned)
        check_pinned(entry_point, &whole, rank, &rule.pinned);
    return rule;
}

HOOKS_API void dvmhx_array_layout_C(const DvmType header[], const dvmhx_layout_rule_t *rule) {
    hooks_need_serial(__func__);
    rts_array_t *array = hooks_array_described(__func__, header);
    array->layout_rule = check_rule(__func__, rule, array->space.rank);
    hooks_drop_helpers();
}

HOOKS_API void dvmhx_loop_layout_C(DvmType loop, const dvmhx_layout_rule_t *rule) {
    hooks_need_serial(__func__);
    rts_loop_t *object = hooks_loop(__func__, loop);
    if (object->rank == 0)
        hooks_error(__func__, "a loop of rank 0; allowed: loops of rank 1 and more");
    object->layout_rule = check_rule(__func__, rule, object->rank);
    hooks_drop_helpers();
}

HOOKS_API void dvmhx_reorganise_C(void) {
    hooks_need_serial(__func__);
    if (rts_loop_current() != NULL || rts_stats_get(RTS_STAT_LOOPS) > 0)
        hooks_error(__func__, "called after %ld loops%s; allowed: before the first one",
                    (long)rts_stats_get(RTS_STAT_LOOPS), rts_loop_current() != NULL ? " and inside one" : "");
    rts_planner_reorganise();
    hooks_drop_helpers();
}
