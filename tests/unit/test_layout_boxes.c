/* Diagonal layouts of boxes of ranks 2..8 in random orders of axes: places counted element by element,
 * inverses, equality against a comparison of all elements, names, refusals. test_layout_diagonal.c has the
 * planes alone. */
#include <config.h>

#include "rts/layout.h"

#include "tests/check.h"
#include "tests/next_index.h"

#define ELEMENTS_MAX 60000

static void random_perm(int rank, int perm[]) {
    for (int i = 0; i < rank; i++) {
        const int k = (int)check_random_range(0, i);
        perm[i] = perm[k];
        perm[k] = i;
    }
}

/* A box with indices around 0, as shadow edges make them. */
static void random_box(int rank, int extent_max, bool may_be_empty, rts_box_t *box) {
    memset(box, 0x5a, sizeof *box);
    box->rank = rank;
    for (int axis = 0; axis < rank; axis++) {
        box->lo[axis] = check_random_range(-20, 20);
        const bool empty = may_be_empty && check_random_once_in(12);
        box->hi[axis] =
            box->lo[axis] + (empty ? check_random_range(-2, 0) : check_random_range(1, extent_max));
    }
}

/* Any kind with coefficients that it allows; PLAIN, too. */
static rts_status_t random_layout(const rts_box_t *box, const int perm[], rts_layout_t *layout) {
    static const int signs[] = {-2, -1, 1, 2};
    const rts_index_t align = check_random_once_in(3) ? check_random_range(2, 9) : 1;
    const int kind = (int)check_random_range(RTS_LAYOUT_PLAIN, RTS_LAYOUT_PACKED);
    if (kind == RTS_LAYOUT_PLAIN || box->rank < 2)
        return rts_layout_plain(box, perm, align, layout);
    if (kind == RTS_LAYOUT_PACKED)
        return rts_layout_diagonal(box, perm, 1, RTS_LAYOUT_PACKED, 1, signs[check_random_range(1, 2)],
                                   layout);
    return rts_layout_diagonal(box, perm, align, (rts_layout_kind_t)kind, (int)check_random_range(1, 2),
                               signs[check_random_range(0, 3)], layout);
}

/* Planes one after another in the order of the slower axes, and inside a plane what rts_plane64_offset
 * says. */
static rts_index_t expected_place(const rts_layout_t *layout, const int perm[], const rts_index_t index[]) {
    const rts_box_t *box = &layout->box;
    const int p = perm[box->rank - 2], q = perm[box->rank - 1];
    const rts_plane64_t plane = rts_layout_plane(layout);
    rts_index_t number = 0;
    for (int i = 0; i < box->rank - 2; i++)
        number = number * (box->hi[perm[i]] - box->lo[perm[i]]) + index[perm[i]] - box->lo[perm[i]];
    return number * layout->rows * layout->pitch +
           rts_plane64_offset(&plane, index[p] - box->lo[p], index[q] - box->lo[q]);
}

static void check_box(const rts_box_t *box, const int perm[], const rts_layout_t *layout) {
    static bool used[ELEMENTS_MAX];
    rts_index_t index[RTS_MAX_RANK], back[RTS_MAX_RANK], planes = 1;
    for (int i = 0; i < box->rank; i++) {
        CHECK_EQ_INT(layout->perm[i], perm[i]);
        planes *= i < box->rank - 2 ? box->hi[perm[i]] - box->lo[perm[i]] : 1;
    }
    CHECK(rts_box_equal(&layout->box, box));
    if (!CHECK_EQ_INT(layout->size, planes * layout->rows * layout->pitch) ||
        !CHECK(layout->size <= ELEMENTS_MAX))
        return;
    memset(used, 0, sizeof used);
    memcpy(index, box->lo, sizeof index);
    do {
        const rts_index_t offset = rts_layout_offset(layout, index);
        if (!CHECK_EQ_INT(offset, expected_place(layout, perm, index)) ||
            !CHECK(offset >= 0 && offset < layout->size) || !CHECK(!used[offset]))
            return;
        used[offset] = true;
        rts_index_t affine = layout->origin;
        for (int axis = 0; axis < box->rank; axis++)
            affine += layout->stride[axis] * index[axis];
        CHECK(affine == offset || !rts_layout_is_affine(layout));
        if (CHECK(rts_layout_inverse(layout, offset, back)))
            for (int axis = 0; axis < box->rank; axis++)
                CHECK_EQ_INT(back[axis], index[axis]);
    } while (next_index(box, index));
    for (rts_index_t offset = -2; offset < layout->size + 2; offset++)
        CHECK_EQ_INT(rts_layout_inverse(layout, offset, back),
                     offset >= 0 && offset < layout->size && used[offset]);
}

static void test_ranks(void) {
    static const int extent_max[RTS_MAX_RANK + 1] = {0, 0, 40, 14, 7, 4, 3, 2, 2};
    for (int rank = 2; rank <= RTS_MAX_RANK; rank++)
        for (int round = 0; round < 150; round++) {
            int perm[RTS_MAX_RANK];
            rts_box_t box;
            rts_layout_t layout;
            random_perm(rank, perm);
            random_box(rank, extent_max[rank], false, &box);
            if (CHECK_EQ_INT(random_layout(&box, perm, &layout), RTS_OK))
                check_box(&box, perm, &layout);
        }
}

/* Planes of plain layouts, also where there are less than two axes; empty boxes. */
static void test_plane_of(void) {
    static const rts_index_t expected[4][3] = {{1, 1, 1},
                                               {1, 5, 5},
                                               {5, 6, 8},
                                               {6, 7, 8}}; /* n_p, n_q, pitch */
    for (int rank = 0; rank <= 3; rank++) {
        const rts_box_t box = {.rank = rank, .lo = {-1, 2, 0}, .hi = {4, 8, 7}};
        rts_layout_t layout;
        CHECK_EQ_INT(rts_layout_plain(&box, NULL, rank == 0 ? 1 : 4, &layout), RTS_OK);
        const rts_plane64_t plane = rts_layout_plane(&layout);
        CHECK(plane.n_p == expected[rank][0] && plane.n_q == expected[rank][1]);
        CHECK_EQ_INT(plane.pitch, expected[rank][2]);
        CHECK(plane.rows == plane.n_p && plane.a == 1 && plane.b == 0 && plane.c == 0);
    }
    for (int kind = RTS_LAYOUT_SKEW; kind <= RTS_LAYOUT_PACKED; kind++)
        for (int axis = 0; axis < 3; axis++) {
            rts_box_t hollow = {.rank = 3, .lo = {-1, 2, 0}, .hi = {4, 8, 7}};
            rts_layout_t layout;
            rts_index_t index[RTS_MAX_RANK];
            hollow.hi[axis] = hollow.lo[axis] - axis;
            CHECK_EQ_INT(rts_layout_diagonal(&hollow, NULL, 1, (rts_layout_kind_t)kind, 1, -1, &layout),
                         RTS_OK);
            CHECK_EQ_INT(layout.size, 0);
            CHECK(!rts_layout_inverse(&layout, 0, index));
            CHECK(rts_layout_equal(&layout, &layout));
        }
}

static void test_equal(void) {
    int equal_count = 0, across_count = 0;
    for (int round = 0; round < 40000; round++) {
        rts_box_t box;
        rts_layout_t layout[2];
        int perm[2][RTS_MAX_RANK];
        random_box((int)check_random_range(1, 4), check_random_once_in(2) ? 3 : 2, true, &box);
        for (int k = 0; k < 2; k++) {
            random_perm(box.rank, perm[k]);
            CHECK_EQ_INT(random_layout(&box, perm[check_random_once_in(2) ? 0 : k], &layout[k]), RTS_OK);
        }
        bool equal = layout[0].size == layout[1].size;
        rts_index_t index[RTS_MAX_RANK];
        memcpy(index, box.lo, sizeof index);
        if (!rts_box_is_empty(&box))
            do
                equal = equal && rts_layout_offset(&layout[0], index) == rts_layout_offset(&layout[1], index);
            while (next_index(&box, index));
        CHECK_EQ_INT(rts_layout_equal(&layout[0], &layout[1]), equal);
        CHECK_EQ_INT(rts_layout_equal(&layout[1], &layout[0]), equal);
        equal_count += equal;
        across_count += equal && layout[0].size > 4 && layout[0].kind != layout[1].kind;
    }
    CHECK(equal_count > 1000 && equal_count < 39000);
    CHECK(across_count > 20);
}

static void check_name(const int perm[], rts_index_t align, rts_layout_kind_t kind, int a, int b,
                       const char *expected) {
    const rts_box_t cube = {.rank = 3, .lo = {0, 0, 0}, .hi = {4, 5, 6}};
    char text[80], small[6];
    rts_layout_t layout;
    if (!CHECK_EQ_INT(rts_layout_diagonal(&cube, perm, align, kind, a, b, &layout), RTS_OK))
        return;
    CHECK_EQ_STR(rts_layout_name(&layout, text, sizeof text), expected);
    CHECK_EQ_STR(rts_layout_name(&layout, small, 1), "");
    CHECK(rts_layout_name(&layout, small, sizeof small) == small);
    CHECK(strlen(small) == 5 && strncmp(small, expected, 5) == 0);
}

static void test_names(void) {
    static const int turned[] = {2, 0, 1};
    check_name(NULL, 1, RTS_LAYOUT_SKEW, 1, 1, "skew(+)");
    check_name(NULL, 16, RTS_LAYOUT_WRAP, 1, -1, "wrap(-)+pitch(16)");
    check_name(NULL, 1, RTS_LAYOUT_PACKED, 1, 1, "packed(+)");
    check_name(turned, 1, RTS_LAYOUT_PACKED, 1, -1, "perm(2,0,1)+packed(-)");
    check_name(turned, 1, RTS_LAYOUT_SKEW, 2, 1, "perm(2,0,1)+skew(2,1)");
    check_name(turned, 8, RTS_LAYOUT_WRAP, 1, -2, "perm(2,0,1)+wrap(1,-2)+pitch(8)");
    check_name(NULL, 1, RTS_LAYOUT_WRAP, 2, 2, "wrap(2,2)");
}

static void check_refused(const rts_box_t *box, const int perm[], rts_index_t align, int kind, int a, int b) {
    rts_layout_t layout, before;
    memset(&layout, 0x33, sizeof layout);
    before = layout;
    CHECK_EQ_INT(rts_layout_diagonal(box, perm, align, (rts_layout_kind_t)kind, a, b, &layout),
                 RTS_ERR_INVALID);
    CHECK(memcmp(&layout, &before, sizeof layout) == 0);
    CHECK(rts_error_text()[0] != '\0');
}

static void test_refusals(void) {
    const rts_box_t cube = {.rank = 3, .lo = {0, 0, 0}, .hi = {4, 5, 6}};
    static const int twice[] = {0, 1, 1};
    static const int coefficients[][2] = {{0, 1}, {-1, 1}, {3, 1}, {1, 0}, {1, 3}, {1, -3}};
    for (int kind = RTS_LAYOUT_SKEW; kind <= RTS_LAYOUT_PACKED; kind++) {
        for (size_t i = 0; i < sizeof coefficients / sizeof coefficients[0]; i++)
            check_refused(&cube, NULL, 1, kind, coefficients[i][0], coefficients[i][1]);
        check_refused(&cube, twice, 1, kind, 1, 1);
        check_refused(&cube, NULL, 0, kind, 1, 1);
        check_refused(&(rts_box_t){.rank = 1, .hi = {4}}, NULL, 1, kind, 1, 1);
        check_refused(&(rts_box_t){.rank = 0}, NULL, 1, kind, 1, 1);
        check_refused(&(rts_box_t){.rank = 9}, NULL, 1, kind, 1, 1);
    }
    check_refused(&cube, NULL, 1, RTS_LAYOUT_PLAIN, 1, 1);
    check_refused(&cube, NULL, 1, RTS_LAYOUT_PACKED + 1, 1, 1);
    check_refused(&cube, NULL, 1, RTS_LAYOUT_PACKED, 2, 1);
    check_refused(&cube, NULL, 1, RTS_LAYOUT_PACKED, 1, -2);
    check_refused(&cube, NULL, 8, RTS_LAYOUT_PACKED, 1, 1);
    /* Rows of SKEW, d of the others, the row that WRAP adds, the planes' number, the origin. */
    const rts_index_t large = (rts_index_t)1 << 31;
    check_refused(&(rts_box_t){.rank = 2, .hi = {large, large + 1}}, NULL, 1, RTS_LAYOUT_SKEW, 1, 1);
    check_refused(&(rts_box_t){.rank = 2, .hi = {INT64_MAX, 1}}, NULL, 1, RTS_LAYOUT_WRAP, 2, 1);
    check_refused(&(rts_box_t){.rank = 2, .hi = {1, INT64_MAX}}, NULL, 1, RTS_LAYOUT_WRAP, 1, 2);
    check_refused(&(rts_box_t){.rank = 2, .hi = {large, 2 * large - 1}}, NULL, 1, RTS_LAYOUT_WRAP, 2, 1);
    check_refused(&(rts_box_t){.rank = 3, .hi = {large, large, 2}}, NULL, 1, RTS_LAYOUT_WRAP, 1, 1);
    check_refused(&(rts_box_t){.rank = 2, .lo = {large, 0}, .hi = {large + 9, 2 * large}}, NULL, 1,
                  RTS_LAYOUT_SKEW, 1, -1);
    check_refused(&(rts_box_t){.rank = 2, .lo = {0, -large}, .hi = {9, large}}, NULL, 1, RTS_LAYOUT_SKEW, 1,
                  -1);
    rts_layout_t layout;
    const rts_box_t widest = {.rank = 2, .hi = {large, 2 * large - 1}};
    CHECK_EQ_INT(rts_layout_diagonal(&widest, NULL, 1, RTS_LAYOUT_WRAP, 1, 2, &layout), RTS_OK);
}

int main(void) {
    check_random_start();
    test_ranks();
    test_plane_of();
    test_equal();
    test_names();
    test_refusals();
    return check_finish();
}
