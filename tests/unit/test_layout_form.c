/* Forms: a layout made of one is the layout that rts_layout_plain or rts_layout_diagonal makes; equality and names. */
#include <config.h>

#include "rts/layout.h"

#include "tests/check.h"
#include "tests/next_index.h"

static rts_layout_form_t random_form(int rank) {
    rts_layout_form_t form = rts_layout_form_home(rank);
    for (int i = rank - 1; i > 0; i--) {
        const int other = (int)check_random_range(0, i), kept = form.perm[i];
        form.perm[i] = form.perm[other];
        form.perm[other] = kept;
    }
    form.pitch_align = check_random_once_in(2) ? 1 : check_random_range(1, 16);
    form.kind = (rts_layout_kind_t)(rank >= 2 ? check_random_range(0, 3) : 0);
    if (form.kind != RTS_LAYOUT_PLAIN) {
        const int most = form.kind == RTS_LAYOUT_PACKED ? 1 : 2;
        form.a = (int)check_random_range(1, most);
        form.b = (int)(check_random_once_in(2) ? check_random_range(1, most) : check_random_range(-most, -1));
        form.pitch_align = form.kind == RTS_LAYOUT_PACKED ? 1 : form.pitch_align;
    }
    return form;
}

static rts_box_t random_box(int rank) {
    rts_box_t box = {.rank = rank};
    for (int axis = 0; axis < rank; axis++) {
        box.lo[axis] = check_random_range(-5, 5);
        box.hi[axis] = box.lo[axis] + check_random_range(1, rank <= 3 ? 6 : 3);
    }
    return box;
}

static void test_make(void) {
    for (int trial = 0; trial < 3000; trial++) {
        const int rank = (int)check_random_range(0, 5);
        const rts_layout_form_t form = random_form(rank);
        const rts_box_t box = random_box(rank);
        rts_layout_t layout, expected;
        if (!CHECK_EQ_INT(rts_layout_make(&box, &form, &layout), RTS_OK))
            return;
        if (form.kind == RTS_LAYOUT_PLAIN)
            CHECK_EQ_INT(rts_layout_plain(&box, form.perm, form.pitch_align, &expected), RTS_OK);
        else
            CHECK_EQ_INT(rts_layout_diagonal(&box, form.perm, form.pitch_align, form.kind, form.a, form.b,
                                             &expected),
                         RTS_OK);
        CHECK(layout.size == expected.size && layout.pitch == expected.pitch && layout.kind == expected.kind);
        rts_index_t index[RTS_MAX_RANK];
        memcpy(index, box.lo, sizeof index);
        do
            if (!CHECK_EQ_INT(rts_layout_offset(&layout, index), rts_layout_offset(&expected, index)))
                return;
        while (next_index(&box, index));
    }
}

static void test_home(void) {
    for (int rank = 0; rank <= RTS_MAX_RANK; rank++) {
        const rts_layout_form_t home = rts_layout_form_home(rank);
        rts_box_t box = {.rank = rank};
        rts_layout_t layout;
        rts_index_t size = 1;
        for (int axis = 0; axis < rank; axis++) {
            box.hi[axis] = axis + 1;
            size *= axis + 1;
        }
        CHECK_EQ_INT(rts_layout_make(&box, &home, &layout), RTS_OK);
        CHECK_EQ_INT(layout.size, size);
        for (int axis = rank - 1, stride = 1; axis >= 0; stride *= axis + 1, axis--) /* C order */
            CHECK_EQ_INT(layout.stride[axis], stride);
        for (int i = rank; i < RTS_MAX_RANK; i++)
            CHECK_EQ_INT(home.perm[i], 0);
        CHECK(home.a == 0 && home.b == 0 && home.pitch_align == 1 && home.kind == RTS_LAYOUT_PLAIN);
    }
}

/* Equal exactly when no member differs. */
static void test_equal(void) {
    int equal = 0;
    for (int trial = 0; trial < 3000; trial++) {
        const int rank = (int)check_random_range(0, 4);
        const rts_layout_form_t form = random_form(rank);
        rts_layout_form_t other = form;
        CHECK(rts_layout_form_equal(&form, &other));
        switch (check_random_range(0, 5)) {
        case 0:
            other.kind = form.kind == RTS_LAYOUT_SKEW ? RTS_LAYOUT_WRAP : RTS_LAYOUT_SKEW;
            break;
        case 1:
            other.rank++;
            break;
        case 2:
            other.perm[rank > 0 ? rank - 1 : 0]++;
            break;
        case 3:
            other.a++;
            break;
        case 4:
            other.b--;
            break;
        default:
            other.pitch_align++;
        }
        CHECK(!rts_layout_form_equal(&form, &other) && !rts_layout_form_equal(&other, &form));
        other = random_form(rank);
        const bool same =
            memcmp(&form, &other, sizeof form) == 0; /* the struct has no padding where this runs */
        CHECK_EQ_INT(rts_layout_form_equal(&form, &other), same);
        equal += same;
    }
    CHECK(equal > 20);
}

static void test_refusals(void) {
    const rts_box_t box = {.rank = 2, .hi = {3, 4}};
    rts_layout_t layout = {.size = -5};
    rts_layout_form_t form = rts_layout_form_home(3);
    CHECK_EQ_INT(rts_layout_make(&box, &form, &layout), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "3 axes");
    form = rts_layout_form_home(2);
    form.perm[1] = 0;
    CHECK_EQ_INT(rts_layout_make(&box, &form, &layout), RTS_ERR_INVALID);
    form = rts_layout_form_home(2);
    form.pitch_align = 0;
    CHECK_EQ_INT(rts_layout_make(&box, &form, &layout), RTS_ERR_INVALID);
    form = rts_layout_form_home(2);
    form.kind = RTS_LAYOUT_SKEW; /* a and b are 0 */
    CHECK_EQ_INT(rts_layout_make(&box, &form, &layout), RTS_ERR_INVALID);
    CHECK_EQ_INT(layout.size, -5); /* never touched */
}

/* The name of a form without padding is the name of the layout that it makes. */
static void test_names(void) {
    char text[64], expected[64];
    for (int trial = 0; trial < 2000; trial++) {
        const int rank = (int)check_random_range(0, 5);
        rts_layout_form_t form = random_form(rank);
        const rts_box_t box = random_box(rank);
        const rts_index_t padding = form.pitch_align;
        rts_layout_t layout;
        form.pitch_align = 1;
        CHECK_EQ_INT(rts_layout_make(&box, &form, &layout), RTS_OK);
        rts_layout_name(&layout, expected, sizeof expected);
        CHECK_EQ_STR(rts_layout_form_name(&form, text, sizeof text), expected);
        form.pitch_align = padding;
        if (padding > 1)
            snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "+pad(%d)",
                     (int)padding);
        CHECK_EQ_STR(rts_layout_form_name(&form, text, sizeof text), expected);
        for (size_t size = 1; size < 12; size++) { /* cut, never beyond */
            char small[16];
            memset(small, '#', sizeof small);
            rts_layout_form_name(&form, small, size);
            CHECK(memchr(small, '\0', size) != NULL && small[size] == '#' &&
                  strncmp(small, text, strlen(small)) == 0);
        }
    }
    const rts_layout_form_t wrap = {RTS_LAYOUT_WRAP, 2, {1, 0}, 1, 1, 1},
                            skew = {RTS_LAYOUT_SKEW, 3, {0, 1, 2}, 1, -2, 16};
    CHECK_EQ_STR(rts_layout_form_name(&wrap, text, sizeof text), "perm(1,0)+wrap(+)");
    CHECK_EQ_STR(rts_layout_form_name(&skew, text, sizeof text), "skew(1,-2)+pad(16)");
    const rts_layout_form_t home = rts_layout_form_home(0);
    CHECK_EQ_STR(rts_layout_form_name(&home, text, sizeof text), "plain");
    CHECK_EQ_STR(rts_layout_form_name(&home, text, 0), "");
}

int main(void) {
    check_random_start();
    test_make();
    test_home();
    test_equal();
    test_refusals();
    test_names();
    return check_finish();
}
