/* What dvmhx_array_layout_C, dvmhx_loop_layout_C and dvmhx_loop_array_C leave behind for the planner, member by member: wrong calls
 * are tested where programs are (tests/abi/test_layout_rules.c). */
#include <config.h>

#include <dvmhlib2.h>
#include <dvmhx.h>

#include "rts/loop.h"
#include "rts/planner.h"

#include "tests/check.h"

static DvmType A[64]; /* of rank 3 */

static void check_rule(const rts_layout_rule_t *rule, unsigned forbidden, const rts_layout_form_t *pinned) {
    CHECK_EQ_INT(rule->forbidden, forbidden);
    CHECK_EQ_INT(rule->is_pinned, pinned != NULL);
    if (pinned == NULL)
        return;
    CHECK_EQ_INT(rule->pinned.kind, pinned->kind);
    CHECK_EQ_INT(rule->pinned.rank, pinned->rank);
    CHECK_EQ_INT(rule->pinned.a, pinned->a);
    CHECK_EQ_INT(rule->pinned.b, pinned->b);
    CHECK_EQ_INT(rule->pinned.pitch_align, 1);
    for (int place = 0; place < RTS_MAX_RANK; place++)
        CHECK_EQ_INT(rule->pinned.perm[place], pinned->perm[place]);
}

static const DvmType order[] = {3, 1, 2};

static dvmhx_layout_rule_t pin(DvmType kind, const DvmType *axes, DvmType a, DvmType b, DvmType forbidden) {
    return (dvmhx_layout_rule_t){.size = sizeof(dvmhx_layout_rule_t),
                                 .is_pinned = 1,
                                 .kind = kind,
                                 .order = axes,
                                 .a = a,
                                 .b = b,
                                 .forbidden = forbidden};
}

static void test_array(void) {
    const rts_array_t *array = rts_array_first();
    const dvmhx_layout_rule_t wrap = pin(DVMHX_LAYOUT_WRAP, order, 2, -1, 1 << DVMHX_LAYOUT_SKEW);
    const rts_layout_form_t wrap_form = {.kind = RTS_LAYOUT_WRAP,
                                         .rank = 3,
                                         .perm = {2, 0, 1},
                                         .a = 2,
                                         .b = -1};
    const dvmhx_layout_rule_t plain = pin(DVMHX_LAYOUT_PLAIN, order, 7, 7, 0);
    const rts_layout_form_t plain_form = {.kind = RTS_LAYOUT_PLAIN, .rank = 3, .perm = {2, 0, 1}};
    const dvmhx_layout_rule_t skew = pin(DVMHX_LAYOUT_SKEW, NULL, 1, 1, 1);
    const rts_layout_form_t skew_form = {.kind = RTS_LAYOUT_SKEW,
                                         .rank = 3,
                                         .perm = {0, 1, 2},
                                         .a = 1,
                                         .b = 1};
    dvmhx_layout_rule_t none = {.size = sizeof none};
    check_rule(&array->layout_rule, 0, NULL);
    dvmhx_array_layout_C(A, &wrap);
    check_rule(&array->layout_rule, 2, &wrap_form);
    dvmhx_array_layout_C(A, &plain);
    check_rule(&array->layout_rule, 0, &plain_form);
    dvmhx_array_layout_C(A, &skew);
    check_rule(&array->layout_rule, 1, &skew_form);
    none.forbidden = 1 << DVMHX_LAYOUT_PACKED | 1 << DVMHX_LAYOUT_WRAP;
    dvmhx_array_layout_C(A, &none);
    check_rule(&array->layout_rule, 12, NULL);
    none.forbidden = 0;
    dvmhx_array_layout_C(A, &none);
    check_rule(&array->layout_rule, 0, NULL);
}

static DvmType open_loop(void) {
    return dvmh_loop_create_C(0, 2, (DvmType)0, (DvmType)3, (DvmType)1, (DvmType)0, (DvmType)4, (DvmType)1);
}

static void test_loop(void) {
    const DvmType turned[] = {2, 1};
    const dvmhx_layout_rule_t wrap = pin(DVMHX_LAYOUT_WRAP, turned, 1, -2, 8);
    const rts_layout_form_t form = {.kind = RTS_LAYOUT_WRAP, .rank = 2, .perm = {1, 0}, .a = 1, .b = -2};
    dvmhx_array_use_t use = {.size = sizeof use, .header = A, .rank = 3, .intent = INTENT_INOUT};
    open_loop();
    check_rule(&rts_loop_current()->layout_rule, 0, NULL);
    dvmhx_loop_layout_C((DvmType)rts_loop_current()->handle, &wrap);
    check_rule(&rts_loop_current()->layout_rule, 8, &form);
    dvmhx_loop_array_C((DvmType)rts_loop_current()->handle, &use);
    use.flags = DVMHX_BY_ROWS;
    dvmhx_loop_array_C((DvmType)rts_loop_current()->handle, &use);
    use.size = offsetof(dvmhx_array_use_t, flags); /* a caller that does not know of flags */
    dvmhx_loop_array_C((DvmType)rts_loop_current()->handle, &use);
    const rts_loop_t *loop = rts_loop_current();
    if (CHECK_EQ_INT(loop->array_count, 3)) {
        CHECK(!loop->array[0].by_rows);
        CHECK(loop->array[1].by_rows);
        CHECK(!loop->array[2].by_rows);
    }
    rts_loop_close(rts_loop_current());
    open_loop(); /* a rule counts for one execution */
    check_rule(&rts_loop_current()->layout_rule, 0, NULL);
    rts_loop_close(rts_loop_current());
}

int main(int argc, char **argv) {
    unsetenv("DVMH_PLANNER");
    dvmh_line_C(__LINE__, __FILE__);
    dvmh_init_C(INITFLAG_SEQUENTIAL, &argc, &argv);
    CHECK_EQ_INT(rts_planner_mode(), RTS_PLANNER_OFF);
    dvmhx_reorganise_C();
    CHECK_EQ_INT(rts_planner_mode(), RTS_PLANNER_COST);
    dvmh_array_create_C(A, 3, -rt_DOUBLE, (DvmType)4, (DvmType)0, (DvmType)0, (DvmType)5, (DvmType)0,
                        (DvmType)0, (DvmType)6, (DvmType)0, (DvmType)0);
    dvmh_distribute_C(A, 3, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2),
                      dvmh_distribution_block_C(3));
    test_array();
    test_loop();
    dvmh_delete_object_(A);
    dvmh_exit_C(check_finish());
}
