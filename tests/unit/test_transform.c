/* Forms that query handlers ask for: cases by hand, and for random loops all that must hold of every answer, with a simple model of what the
 * rule wants. */
#include <config.h>

#include "rts/transform.h"
#include "tests/check.h"

/* A loop over an array whose axis a is walked by dim a. */
static rts_transform_facts_t facts_of(int rank, unsigned mask) {
    rts_transform_facts_t facts = {.rank = rank, .element_bytes = 8, .loop_rank = rank, .mask = mask};
    for (int axis = 0; axis < rank; axis++) {
        facts.extent[axis] = 10;
        facts.dim[axis] = axis;
        facts.sign[axis] = 1;
    }
    return facts;
}

static void check(const rts_transform_facts_t *facts, const rts_layout_form_t *present, const char *name) {
    char text[64];
    const rts_layout_form_t form = rts_transform_choose(facts, present);
    CHECK_EQ_STR(rts_layout_form_name(&form, text, sizeof text), name);
}

static void test_plain_loops(void) {
    const rts_layout_form_t home = rts_layout_form_home(3);
    rts_transform_facts_t facts = facts_of(3, 0);
    check(&facts, &home, "plain");
    facts.dim[0] = 2, facts.dim[2] = 0; /* the innermost dim walks the slowest axis */
    check(&facts, &home, "perm(2,1,0)");
    facts.extent[0] = 200;
    check(&facts, &home, "perm(2,1,0)+pad(16)"); /* long rows are padded */
    facts.dim[0] = -1;                           /* nothing walks it */
    check(&facts, &home, "plain");
    facts = facts_of(3, 1); /* the innermost dim carries dependences: the one before counts */
    check(&facts, &home, "perm(0,2,1)");
    facts = facts_of(2, 2);
    check(&facts, &(rts_layout_form_t){.rank = 2, .perm = {1, 0}, .pitch_align = 1}, "plain");
    facts = facts_of(2, 1);
    check(&facts, &(rts_layout_form_t){.rank = 2, .perm = {1, 0}, .pitch_align = 4}, "perm(1,0)+pad(4)");
    facts.keeps_order = true;
    const rts_layout_form_t flat = rts_layout_form_home(2);
    check(&facts, &flat, "plain");
    const rts_layout_form_t row = rts_layout_form_home(1);
    facts = facts_of(1, 0);
    check(&facts, &row, "plain");
}

static void test_diagonals(void) {
    const rts_layout_form_t home = rts_layout_form_home(3);
    rts_transform_facts_t facts = facts_of(3, 7);
    check(&facts, &home, "perm(0,2,1)+packed(+)");
    facts = facts_of(3, 5); /* dims 0 and 2 */
    check(&facts, &home, "perm(1,2,0)+packed(+)");
    facts.is_fortran = true; /* only the last two axes */
    check(&facts, &home, "plain");
    facts.mask = 3;
    check(&facts, &home, "perm(0,2,1)+packed(+)");
    facts.sign[1] = -1;
    check(&facts, &home, "perm(0,2,1)+packed(-)");
    facts.is_fortran = false; /* C knows no other sign */
    check(&facts, &home, "plain");
    facts.sign[2] = -1;
    check(&facts, &home, "perm(0,2,1)+packed(+)");
    facts.extent[2] = 1;
    check(&facts, &home, "plain");
    facts.extent[2] = 10;
    facts.keeps_straight = true;
    check(&facts, &home, "plain");
}

/* A layout that serves stays; one that no handler of this kind can follow does not. */
static void test_present(void) {
    const rts_layout_form_t
        packed = {.kind = RTS_LAYOUT_PACKED, .rank = 2, .perm = {0, 1}, .a = 1, .b = 1, .pitch_align = 1},
        minus = {.kind = RTS_LAYOUT_PACKED, .rank = 2, .perm = {1, 0}, .a = 1, .b = -1, .pitch_align = 1},
        wrap = {.kind = RTS_LAYOUT_WRAP, .rank = 2, .perm = {1, 0}, .a = 1, .b = 1, .pitch_align = 1},
        turned = {.rank = 2, .perm = {1, 0}, .pitch_align = 1};
    rts_transform_facts_t facts = facts_of(2, 3);
    check(&facts, &packed, "packed(+)");
    check(&facts, &minus, "perm(1,0)+packed(+)");
    check(&facts, &wrap, "perm(1,0)+packed(+)");
    facts.dim[0] = -1; /* nothing to be wanted */
    check(&facts, &packed, "packed(+)");
    check(&facts, &minus, "plain");
    check(&facts, &wrap, "plain");
    check(&facts, &turned, "perm(1,0)");
    facts.mask = 1; /* straight handlers */
    check(&facts, &packed, "plain");
    CHECK(!rts_transform_fits(NULL, &packed) && !rts_transform_fits(NULL, &turned));
    const rts_layout_form_t padded = {.rank = 2, .perm = {0, 1}, .pitch_align = 16};
    CHECK(rts_transform_fits(NULL, &padded));
}

static void test_random(void) {
    for (int i = 0; i < 20000; i++) {
        const int rank = (int)check_random_range(1, 4);
        rts_transform_facts_t facts = facts_of(rank, 0);
        facts.loop_rank = rank + (int)check_random_range(0, 2);
        facts.mask = (unsigned)check_random_range(0, (1 << facts.loop_rank) - 1);
        facts.is_fortran = check_random_once_in(2);
        facts.keeps_order = check_random_once_in(5);
        facts.keeps_straight = check_random_once_in(5);
        for (int axis = 0; axis < rank; axis++) { /* a dim walks one axis at most */
            facts.dim[axis] = check_random_once_in(5) ? -1 : (axis + i) % facts.loop_rank;
            facts.sign[axis] = check_random_once_in(3) ? -1 : 1;
            facts.extent[axis] = check_random_range(1, 300);
        }
        const rts_layout_form_t home = rts_layout_form_home(rank);
        const rts_layout_form_t form = rts_transform_choose(&facts, &home);
        const rts_layout_form_t again = rts_transform_choose(&facts, &form);
        rts_layout_t layout;
        rts_box_t box = {.rank = rank};
        int dependent = 0;
        for (int dim = 0; dim < facts.loop_rank; dim++)
            dependent += (facts.mask >> dim & 1) != 0;
        for (int axis = 0; axis < rank; axis++)
            box.hi[axis] = facts.extent[axis];
        CHECK_EQ_INT(rts_layout_make(&box, &form, &layout), RTS_OK);
        CHECK(rts_transform_fits(&facts, &form));
        CHECK(rts_layout_form_equal(&form, &again)); /* no second step */
        CHECK(form.kind == RTS_LAYOUT_PLAIN || (form.kind == RTS_LAYOUT_PACKED && dependent >= 2));
        if (form.kind == RTS_LAYOUT_PACKED) {
            const int p = form.perm[rank - 2], q = form.perm[rank - 1];
            CHECK(!facts.keeps_straight && (form.b > 0 || facts.is_fortran));
            CHECK(form.b == facts.sign[p] * facts.sign[q]);
            CHECK(!facts.is_fortran || (p >= rank - 2 && q >= rank - 2));
            CHECK((facts.mask >> (facts.loop_rank - 1 - facts.dim[p]) & 1) != 0);
        }
    }
}

/* The layout counts, not the array: padding and diagonals reach farther. */
static void test_int(void) {
    const int perm[] = {0, 1};
    rts_box_t box = {.rank = 2, .hi = {46340, 46340}};
    rts_layout_t layout;
    CHECK_EQ_INT(rts_layout_plain(&box, perm, 1, &layout), RTS_OK);
    CHECK(rts_transform_fits_int(&layout));
    CHECK_EQ_INT(rts_layout_plain(&box, perm, 512, &layout), RTS_OK);
    CHECK(!rts_transform_fits_int(&layout));
    CHECK_EQ_INT(rts_layout_diagonal(&box, perm, 1, RTS_LAYOUT_PACKED, 1, 1, &layout), RTS_OK);
    CHECK(rts_transform_fits_int(&layout));
    box.hi[1] = 46400;
    CHECK_EQ_INT(rts_layout_diagonal(&box, perm, 1, RTS_LAYOUT_PACKED, 1, 1, &layout), RTS_OK);
    CHECK(!rts_transform_fits_int(&layout));
    box = (rts_box_t){.rank = 2, .lo = {46000, 0}, .hi = {46340, 46400}}; /* part of it, far from index 0 */
    CHECK_EQ_INT(rts_layout_plain(&box, perm, 1, &layout), RTS_OK);
    CHECK(!rts_transform_fits_int(&layout));
}

int main(void) {
    check_random_start();
    test_plain_loops();
    test_diagonals();
    test_present();
    test_int();
    test_random();
    return check_finish();
}
