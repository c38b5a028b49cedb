/* What a program says about layouts: wrong rules end it with a message, right ones and callers built with shorter structs are
 * understood; asking for reorganisation sets the planner's mode unless the environment does, and the report says so. */
#include "tests/abi/errors.h"

static const DvmType twice[] = {1, 1}, beyond[] = {1, 3}, zero[] = {0, 1}, turned[] = {2, 1},
                     straight[] = {1, 2};

static dvmhx_layout_rule_t rule_of(DvmType kind, const DvmType *order, DvmType a, DvmType b,
                                   DvmType forbidden) {
    return (dvmhx_layout_rule_t){.size = sizeof(dvmhx_layout_rule_t),
                                 .is_pinned = 1,
                                 .kind = kind,
                                 .order = order,
                                 .a = a,
                                 .b = b,
                                 .forbidden = forbidden};
}

static void rule_array(const DvmType header[], dvmhx_layout_rule_t rule) {
    begin();
    dvmhx_array_layout_C(header, &rule);
}

static void rule_loop(dvmhx_layout_rule_t rule) {
    dvmhx_loop_layout_C(begin_loop(), &rule);
}

/* ---- rules for arrays ---- */

CASE(dvmhx_array_layout_C, "address of the dvmhx_layout_rule_t is 0", "") {
    begin();
    dvmhx_array_layout_C(A, NULL);
}

CASE(dvmhx_array_layout_C, "size of the rule is 48", "sizeof(dvmhx_layout_rule_t)") {
    dvmhx_layout_rule_t rule = rule_of(DVMHX_LAYOUT_PLAIN, NULL, 0, 0, 0);
    rule.size = 48;
    rule_array(A, rule);
}

CASE(dvmhx_array_layout_C, "no array", "not created") {
    rule_array(NEW, rule_of(DVMHX_LAYOUT_PLAIN, NULL, 0, 0, 0));
}

CASE(dvmhx_array_layout_C, "no array", "handle is that of a template") {
    rule_array(T, rule_of(DVMHX_LAYOUT_PLAIN, NULL, 0, 0, 0));
}

CASE(dvmhx_array_layout_C, "is_pinned is 2", "0 or 1") {
    dvmhx_layout_rule_t rule = rule_of(DVMHX_LAYOUT_PLAIN, NULL, 0, 0, 0);
    rule.is_pinned = 2;
    rule_array(A, rule);
}

CASE(dvmhx_array_layout_C, "layout kind 3", "0 (plain), 1 (skew), 2 (wrap)") {
    rule_array(A, rule_of(DVMHX_LAYOUT_PACKED, NULL, 1, 1, 0));
}

CASE(dvmhx_array_layout_C, "layout kind -1", "0 (plain), 1 (skew), 2 (wrap)") {
    rule_array(A, rule_of(-1, NULL, 1, 1, 0));
}

CASE(dvmhx_array_layout_C, "order of axes names axis 1 twice", "each of 1..2 once") {
    rule_array(A, rule_of(DVMHX_LAYOUT_PLAIN, twice, 0, 0, 0));
}

CASE(dvmhx_array_layout_C, "order of axes names axis 3", "1..2") {
    rule_array(A, rule_of(DVMHX_LAYOUT_PLAIN, beyond, 0, 0, 0));
}

CASE(dvmhx_array_layout_C, "order of axes names axis 0", "1..2") {
    rule_array(A, rule_of(DVMHX_LAYOUT_PLAIN, zero, 0, 0, 0));
}

CASE(dvmhx_array_layout_C, "fronts with a = 0, b = 1", "a 1..2, b -2..2 but not 0") {
    rule_array(A, rule_of(DVMHX_LAYOUT_SKEW, NULL, 0, 1, 0));
}

CASE(dvmhx_array_layout_C, "fronts with a = 3, b = 1", "a 1..2, b -2..2 but not 0") {
    rule_array(A, rule_of(DVMHX_LAYOUT_SKEW, NULL, 3, 1, 0));
}

CASE(dvmhx_array_layout_C, "fronts with a = 1, b = 0", "a 1..2, b -2..2 but not 0") {
    rule_array(A, rule_of(DVMHX_LAYOUT_WRAP, NULL, 1, 0, 0));
}

CASE(dvmhx_array_layout_C, "fronts with a = 2, b = -3", "a 1..2, b -2..2 but not 0") {
    rule_array(A, rule_of(DVMHX_LAYOUT_WRAP, NULL, 2, -3, 0));
}

CASE(dvmhx_array_layout_C, "layout kind 2 for rank 1", "rank 2 and more") {
    rule_array(B, rule_of(DVMHX_LAYOUT_WRAP, NULL, 1, 1, 0));
}

CASE(dvmhx_array_layout_C, "forbidden kinds 16", "a mask of 15") {
    rule_array(A, rule_of(DVMHX_LAYOUT_PLAIN, NULL, 0, 0, 16));
}

CASE(dvmhx_array_layout_C, "forbidden kinds -1", "a mask of 15") {
    rule_array(A, rule_of(DVMHX_LAYOUT_PLAIN, NULL, 0, 0, -1));
}

CASE(dvmhx_array_layout_C, "layout kind 1 is pinned and forbidden", "one of the two") {
    rule_array(A, rule_of(DVMHX_LAYOUT_SKEW, NULL, 1, 1, 1 << DVMHX_LAYOUT_SKEW));
}

CASE(dvmhx_array_layout_C, "an order of axes is pinned", "one of the two") {
    rule_array(A, rule_of(DVMHX_LAYOUT_PLAIN, turned, 0, 0, 1 << DVMHX_LAYOUT_PLAIN));
}

/* ---- rules for loops ---- */

CASE(dvmhx_loop_layout_C, "no loop", "not created") {
    const dvmhx_layout_rule_t rule = rule_of(DVMHX_LAYOUT_PLAIN, NULL, 0, 0, 0);
    begin();
    dvmhx_loop_layout_C(0, &rule);
}

CASE(dvmhx_loop_layout_C, "address of the dvmhx_layout_rule_t is 0", "") {
    dvmhx_loop_layout_C(begin_loop(), NULL);
}

CASE(dvmhx_loop_layout_C, "a loop of rank 0", "rank 1 and more") {
    const dvmhx_layout_rule_t rule = rule_of(DVMHX_LAYOUT_PLAIN, NULL, 0, 0, 0);
    begin();
    dvmhx_loop_layout_C(dvmh_loop_create_C(0, 0), &rule);
}

CASE(dvmhx_loop_layout_C, "order of axes names axis 3", "1..2") {
    rule_loop(rule_of(DVMHX_LAYOUT_WRAP, beyond, 1, 1, 0));
}

CASE(dvmhx_loop_layout_C, "fronts with a = 1, b = 3", "a 1..2, b -2..2 but not 0") {
    rule_loop(rule_of(DVMHX_LAYOUT_WRAP, straight, 1, 3, 0));
}

/* ---- asking for reorganisation ---- */

static void do_nothing(const DvmType *loop) {
    (void)loop;
}

static void perform(DvmType loop) {
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0, dvmh_handler_func_C(HANDLER(do_nothing), 0));
    dvmh_loop_perform_C(loop);
}

CASE(dvmhx_reorganise_C, "called after 1 loops", "before the first one") {
    perform(begin_loop());
    dvmhx_reorganise_C();
}

CASE(dvmhx_reorganise_C, "called after 0 loops and inside one", "before the first one") {
    begin_loop();
    dvmhx_reorganise_C();
}

CASE_NO_POSITION(dvmhx_reorganise_C, "before dvmh_init_C", "") {
    dvmhx_reorganise_C();
}

/* ---- flags and structs of an array's use ---- */

CASE(dvmhx_loop_array_C, "flags 3", "0, 1 (by rows) or 2 (remote)") {
    const dvmhx_array_use_t use = {.size = sizeof use,
                                   .header = A,
                                   .rank = 2,
                                   .intent = INTENT_IN,
                                   .flags = 3};
    dvmhx_loop_array_C(begin_loop(), &use);
}

CASE(dvmhx_loop_array_C, "reference 1 multiplies loop axis 2 by 2", "1 or -1") {
    static const DvmType dim[] = {1, 2}, mult[] = {1, 2}, add[] = {0, 0};
    const dvmhx_reference_t reference = {.dim = dim, .mult = mult, .add = add};
    const dvmhx_array_use_t use = {.size = sizeof use,
                                   .header = A,
                                   .rank = 2,
                                   .intent = INTENT_IN,
                                   .reference_count = 1,
                                   .references = &reference,
                                   .flags = DVMHX_BY_ROWS};
    dvmhx_loop_array_C(begin_loop(), &use);
}

CASE(dvmhx_loop_array_C, "size of the use is 40", "sizeof(dvmhx_array_use_t)") {
    const dvmhx_array_use_t use = {.size = 40, .header = A, .rank = 2, .intent = INTENT_IN};
    dvmhx_loop_array_C(begin_loop(), &use);
}

/* ---- ordinary arrays ---- */

CASE(dvmhx_loop_variable_C, "ordinary array of 0 bytes", "1 and more") {
    static double table[4];
    dvmhx_loop_variable_C(begin_loop(), table, 0, INTENT_IN);
}

CASE(dvmhx_loop_variable_C, "intent 4", "1 (in), 2 (out), 3 (both)") {
    static double table[4];
    dvmhx_loop_variable_C(begin_loop(), table, sizeof table, 4);
}

CASE(dvmhx_loop_variable_C, "address 0", "any other") {
    dvmhx_loop_variable_C(begin_loop(), NULL, 8, INTENT_IN);
}

CASE(dvmhx_loop_variable_C, "outside regions", "in a region") {
    static double table[4];
    dvmhx_loop_variable_C(begin_loop(), table, sizeof table, INTENT_IN);
}

/* ---- what is right ---- */

/* A caller built before there were flags: what stands behind its struct is not looked at. */
static void shorter_struct(void) {
    const DvmType loop = begin_loop();
    const dvmhx_array_use_t use = {.size = offsetof(dvmhx_array_use_t, flags),
                                   .header = A,
                                   .rank = 2,
                                   .intent = INTENT_IN,
                                   .flags = 0x5555};
    dvmhx_loop_array_C(loop, &use);
    perform(loop);
    child_exit();
}

/* A caller built with a later, longer struct. */
static void longer_structs(void) {
    const DvmType loop = begin_loop();
    struct {
        dvmhx_array_use_t known;
        DvmType more;
    } use = {.known = {.size = sizeof use, .header = A, .rank = 2, .intent = INTENT_IN}, .more = 1};
    struct {
        dvmhx_layout_rule_t known;
        DvmType more;
    } rule = {.known = {.size = sizeof rule}, .more = 1};
    dvmhx_loop_array_C(loop, &use.known);
    dvmhx_loop_layout_C(loop, &rule.known);
    dvmhx_array_layout_C(A, &rule.known);
    perform(loop);
    child_exit();
}

static void good_rules(void) {
    const dvmhx_layout_rule_t none = {.size = sizeof none};
    const dvmhx_layout_rule_t rules[] = {rule_of(DVMHX_LAYOUT_PLAIN, NULL, 0, 0, 0),
                                         rule_of(DVMHX_LAYOUT_PLAIN, turned, 99, 99, 14),
                                         rule_of(DVMHX_LAYOUT_SKEW, straight, 1, 1, 1),
                                         rule_of(DVMHX_LAYOUT_SKEW, turned, 2, -1, 4),
                                         rule_of(DVMHX_LAYOUT_WRAP, turned, 1, -2, 2),
                                         rule_of(DVMHX_LAYOUT_WRAP, NULL, 2, 2, 11)};
    begin();
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        dvmhx_array_layout_C(A, &rules[i]);
        const DvmType loop = dvmh_loop_create_C(0, 2, 0L, 7L, 1L, 0L, 5L, 1L);
        dvmhx_loop_layout_C(loop, &rules[i]);
        perform(loop);
    }
    dvmhx_layout_rule_t unused = none; /* not pinned: nothing but `forbidden` counts */
    unused.kind = 77;
    unused.order = twice;
    unused.forbidden = 15;
    dvmhx_array_layout_C(B, &unused);
    dvmhx_array_layout_C(D, &none);
    dvmhx_array_layout_C(A, &none);
    child_exit();
}

static const char *wanted;

static void mode_is(const char *expected) {
    dvmhx_report_t report = {.size = sizeof report};
    dvmhx_get_report_C(&report);
    CHECK_EQ_STR(report.planner, expected);
    CHECK_EQ_INT(report.reorganisations, 0);
    CHECK_EQ_INT(report.replica_bytes, 0);
}

static void modes(void) {
    if (wanted != NULL)
        setenv("DVMH_PLANNER", wanted, 1);
    else
        unsetenv("DVMH_PLANNER");
    child_init();
    mode_is(wanted != NULL ? wanted : "off");
    dvmhx_reorganise_C();
    mode_is(wanted != NULL ? wanted : "cost");
    dvmhx_reorganise_C();
    mode_is(wanted != NULL ? wanted : "cost");
    child_exit();
}

static void test_modes(void) {
    static const char *const given[] = {NULL,          "off",      "greedy",
                                        "cost",        "random:0", "random:18446744073709551615",
                                        "replay:costs"};
    FILE *file = fopen("costs", "w");
    if (CHECK(file != NULL)) {
        fputs("dvmh-rts costs 1\nrate 1e10\nend 0\n", file);
        CHECK_EQ_INT(fclose(file), 0);
    }
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        wanted = given[i];
        if (!CHECK_EQ_INT(child_run(modes, NULL, NULL, NULL), 0))
            fprintf(stderr, "  under %s\n", wanted != NULL ? wanted : "no mode");
    }
}

int main(int argc, char **argv) {
    (void)argv;
    child_folder(true);
    run_cases(__FILE__, argc > 1);
    CHECK_EQ_INT(child_run(shorter_struct, NULL, NULL, NULL), 0);
    CHECK_EQ_INT(child_run(longer_structs, NULL, NULL, NULL), 0);
    CHECK_EQ_INT(child_run(good_rules, NULL, NULL, NULL), 0);
    test_modes();
    child_folder(false);
    return check_finish();
}
