/* Plain layouts of ranks 0..5 in every order of axes: offsets counted element by element, the inverse of
 * every offset, padding, names, equality, and refusals. */
#include <config.h>

#include "rts/layout.h"

#include "tests/check.h"

#define ELEMENTS_MAX 20000

/* The perm number `number` of 0..rank-1 (by repeatedly taking one of the axes that are left). @return false:
 * no more */
static bool perm_number(int rank, int number, int perm_p[]) {
    int left[RTS_MAX_RANK];
    for (int i = 0; i < rank; i++)
        left[i] = i;
    for (int i = 0; i < rank; i++) {
        const int options = rank - i;
        const int k = number % options;
        number /= options;
        perm_p[i] = left[k];
        memmove(&left[k], &left[k + 1], (size_t)(options - k - 1) * sizeof left[0]);
    }
    return number == 0;
}

static bool next_index(const rts_box_t *box, const int perm[], rts_index_t index[]) {
    for (int i = box->rank - 1; i >= 0; i--) {
        if (++index[perm[i]] < box->hi[perm[i]])
            return true;
        index[perm[i]] = box->lo[perm[i]];
    }
    return false;
}

static bool has_elements(const rts_box_t *box) {
    for (int i = 0; i < box->rank; i++)
        if (box->hi[i] <= box->lo[i])
            return false;
    return true;
}

/* Walks the elements slowest axis first, counting where each must lie, and then asks for the inverse of every
 * offset. */
static void check_layout(const rts_box_t *box, const int perm[], rts_index_t align) {
    static bool used[ELEMENTS_MAX];
    rts_layout_t layout;
    if (!CHECK_EQ_INT(rts_layout_plain(box, perm, align, &layout), RTS_OK))
        return;
    const int rank = box->rank;
    const int fastest = rank > 0 ? perm[rank - 1] : -1;
    rts_index_t row = rank > 0 ? box->hi[fastest] - box->lo[fastest] : 1;
    if (row < 1)
        row = 1;
    rts_index_t pitch = row;
    while (rank >= 2 && pitch % align != 0)
        pitch++;
    CHECK_EQ_INT(layout.pitch, pitch);
    rts_index_t size = pitch;
    for (int i = rank - 1; i >= 0; i--) {
        CHECK_EQ_INT(layout.perm[i], perm[i]);
        CHECK_EQ_INT(layout.stride[perm[i]], i == rank - 1 ? 1 : size);
        if (i < rank - 1)
            size *= rts_max(1, box->hi[perm[i]] - box->lo[perm[i]]);
    }
    CHECK_EQ_INT(layout.size, has_elements(box) ? size : 0);
    CHECK(rts_box_equal(&layout.box, box));
    if (!CHECK(layout.size <= ELEMENTS_MAX))
        return;

    memset(used, 0, sizeof used);
    rts_index_t index[RTS_MAX_RANK], back[RTS_MAX_RANK];
    rts_index_t expected = 0;
    memcpy(index, box->lo, sizeof index);
    bool more = has_elements(box);
    while (more) {
        const rts_index_t offset = rts_layout_offset(&layout, index);
        if (!CHECK_EQ_INT(offset, expected) || !CHECK(offset >= 0 && offset < layout.size))
            return;
        CHECK(!used[offset]);
        used[offset] = true;
        if (CHECK(rts_layout_inverse(&layout, offset, back)))
            for (int i = 0; i < rank; i++)
                CHECK_EQ_INT(back[i], index[i]);
        more = next_index(box, perm, index);
        expected++;
        if (expected % pitch == row && rank >= 2)
            expected += pitch - row;
    }
    for (rts_index_t offset = -2; offset < layout.size + 3; offset++)
        CHECK_EQ_INT(rts_layout_inverse(&layout, offset, back),
                     offset >= 0 && offset < layout.size && used[offset]);
}

static void test_all_perms(void) {
    static const rts_index_t aligns[] = {1, 2, 3, 8, 16};
    for (int rank = 0; rank <= 5; rank++)
        for (int round = 0; round < 12; round++) {
            int perm[RTS_MAX_RANK];
            rts_box_t box;
            memset(&box, 0x5a, sizeof box);
            box.rank = rank;
            for (int i = 0; i < rank; i++) {
                box.lo[i] = check_random_range(-9, 9);
                box.hi[i] = box.lo[i] + check_random_range(check_random_once_in(8) ? 0 : 1, 5 - rank / 2);
            }
            for (int number = 0; perm_number(rank, number, perm); number++)
                check_layout(&box, perm, aligns[check_random_range(0, 4)]);
        }
}

/* Strides as if empty extents were 1: positive, so that extents come back out of them. */
static void test_empty(void) {
    rts_layout_t layout;
    const rts_box_t box = {.rank = 3, .lo = {2, 9, 0}, .hi = {6, 4, 0}};
    CHECK_EQ_INT(rts_layout_plain(&box, NULL, 1, &layout), RTS_OK);
    CHECK_EQ_INT(layout.size, 0);
    CHECK_EQ_INT(layout.stride[0], 1);
    CHECK_EQ_INT(layout.stride[1], 1);
    CHECK_EQ_INT(layout.stride[2], 1);
    rts_index_t index[RTS_MAX_RANK];
    CHECK(!rts_layout_inverse(&layout, 0, index));
}

static void test_default_order(void) {
    rts_layout_t c_order, explicit_order;
    const int perm[] = {0, 1, 2};
    const rts_box_t box = {.rank = 3, .lo = {-1, 0, 5}, .hi = {3, 6, 12}};
    CHECK_EQ_INT(rts_layout_plain(&box, NULL, 1, &c_order), RTS_OK);
    CHECK_EQ_INT(rts_layout_plain(&box, perm, 1, &explicit_order), RTS_OK);
    CHECK(rts_layout_equal(&c_order, &explicit_order));
    CHECK_EQ_INT(c_order.stride[0], 42);
    CHECK_EQ_INT(c_order.stride[1], 7);
    CHECK_EQ_INT(c_order.stride[2], 1);
    CHECK_EQ_INT(c_order.origin, 42 - 5);
}

static void check_name(const rts_box_t *box, const int perm[], rts_index_t align, const char *expected) {
    char text[80], small[5];
    rts_layout_t layout;
    CHECK_EQ_INT(rts_layout_plain(box, perm, align, &layout), RTS_OK);
    CHECK_EQ_STR(rts_layout_name(&layout, text, sizeof text), expected);
    memset(small, 'x', sizeof small);
    CHECK(rts_layout_name(&layout, small, sizeof small) == small);
    CHECK(strlen(small) == 4 && strncmp(small, expected, 4) == 0);
    CHECK_EQ_STR(rts_layout_name(&layout, small, 1), "");
    CHECK_EQ_STR(rts_layout_name(&layout, small, 0), "");
}

static void test_names(void) {
    const rts_box_t point = {.rank = 0};
    const rts_box_t line = {.rank = 1, .lo = {0}, .hi = {7}};
    const rts_box_t cube = {.rank = 3, .lo = {0, 0, 0}, .hi = {4, 5, 6}};
    const rts_box_t hollow = {.rank = 2, .lo = {0, 0}, .hi = {4, 0}};
    const int turned[] = {2, 0, 1};
    check_name(&point, NULL, 16, "plain");
    check_name(&line, NULL, 16, "plain");
    check_name(&cube, NULL, 1, "plain");
    check_name(&cube, NULL, 3, "plain");
    check_name(&cube, NULL, 16, "plain+pitch(16)");
    check_name(&cube, NULL, 7, "plain+pitch(7)");
    check_name(&cube, turned, 1, "perm(2,0,1)");
    check_name(&cube, turned, 8, "perm(2,0,1)+pitch(8)");
    check_name(&hollow, NULL, 1, "plain");
}

/* Equal means: every element at the same place and buffers of one size. Compared with that, element by
 * element. */
static void test_equal(void) {
    int equal_count = 0;
    for (int round = 0; round < 3000; round++) {
        rts_box_t box = {.rank = (int)check_random_range(0, 3)};
        int perm[2][RTS_MAX_RANK], number[2];
        rts_layout_t layout[2];
        for (int i = 0; i < box.rank; i++) {
            box.lo[i] = check_random_range(-2, 2);
            box.hi[i] = box.lo[i] + check_random_range(0, 3);
        }
        for (int k = 0; k < 2; k++) {
            number[k] = (int)check_random_range(0, box.rank == 3 ? 5 : box.rank == 2 ? 1 : 0);
            CHECK(perm_number(box.rank, number[k], perm[k]));
            CHECK_EQ_INT(rts_layout_plain(&box, perm[k], check_random_once_in(4) ? 4 : 1, &layout[k]),
                         RTS_OK);
        }
        bool equal = layout[0].size == layout[1].size;
        rts_index_t index[RTS_MAX_RANK];
        memcpy(index, box.lo, sizeof index);
        for (bool more = has_elements(&box); more; more = next_index(&box, perm[0], index))
            equal = equal && rts_layout_offset(&layout[0], index) == rts_layout_offset(&layout[1], index);
        CHECK_EQ_INT(rts_layout_equal(&layout[0], &layout[1]), equal);
        equal_count += equal;
    }
    CHECK(equal_count > 100 && equal_count < 2900);
    const rts_box_t here = {.rank = 1, .lo = {0}, .hi = {5}};
    const rts_box_t there = {.rank = 1, .lo = {1}, .hi = {6}};
    rts_layout_t a, b;
    CHECK_EQ_INT(rts_layout_plain(&here, NULL, 1, &a), RTS_OK);
    CHECK_EQ_INT(rts_layout_plain(&there, NULL, 1, &b), RTS_OK);
    CHECK(!rts_layout_equal(&a, &b));
}

static void check_refused(const rts_box_t *box, const int perm[], rts_index_t align) {
    rts_layout_t layout, before;
    memset(&layout, 0x33, sizeof layout);
    before = layout;
    CHECK_EQ_INT(rts_layout_plain(box, perm, align, &layout), RTS_ERR_INVALID);
    CHECK(memcmp(&layout, &before, sizeof layout) == 0);
    CHECK(rts_error_text()[0] != '\0');
}

static void test_refusals(void) {
    const rts_box_t cube = {.rank = 3, .lo = {0, 0, 0}, .hi = {4, 5, 6}};
    static const int bad[][3] = {{0, 1, 1}, {0, 1, 3},  {-1, 1, 2},     {2, 2, 2},
                                 {0, 0, 2}, {64, 1, 2}, {1000000, 0, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        check_refused(&cube, bad[i], 1);
    check_refused(&cube, NULL, 0);
    check_refused(&cube, NULL, -8);
    check_refused(&(rts_box_t){.rank = 9}, NULL, 1);
    check_refused(&(rts_box_t){.rank = -1}, NULL, 1);
    /* Sizes, the pitch, the extent and the origin beyond 63 bits. */
    const rts_index_t large = (rts_index_t)1 << 32;
    check_refused(&(rts_box_t){.rank = 2, .hi = {large, large}}, NULL, 1);
    check_refused(&(rts_box_t){.rank = 2, .hi = {large / 2, large}}, NULL, 1);
    check_refused(&(rts_box_t){.rank = 2, .hi = {2, 3}}, NULL, INT64_MAX - 1);
    check_refused(&(rts_box_t){.rank = 2, .hi = {2, INT64_MAX - 5}}, NULL, 16);
    check_refused(&(rts_box_t){.rank = 1, .lo = {INT64_MIN}, .hi = {INT64_MAX}}, NULL, 1);
    check_refused(&(rts_box_t){.rank = 1, .lo = {INT64_MIN}, .hi = {INT64_MIN + 1}}, NULL, 1);
    check_refused(&(rts_box_t){.rank = 2, .lo = {large, 0}, .hi = {large + 1, large}}, NULL, 1);
    /* Parts of the origin that cancel each other, but not on the way. */
    const rts_index_t quarter = (rts_index_t)1 << 62;
    check_refused(&(rts_box_t){.rank = 2, .lo = {1, -quarter}, .hi = {2, 0}}, NULL, 1);
    const rts_index_t eighth = (rts_index_t)1 << 61;
    check_refused(&(rts_box_t){.rank = 2, .lo = {-3, -eighth}, .hi = {-2, 0}}, NULL, 1);
    rts_layout_t layout = {.size = -1};
    CHECK_EQ_INT(rts_layout_plain(&(rts_box_t){.rank = 2, .hi = {large / 2, large - 1}}, NULL, 1, &layout),
                 RTS_OK);
    const rts_index_t last[RTS_MAX_RANK] = {large / 2 - 1, large - 2};
    CHECK_EQ_INT(rts_layout_offset(&layout, last), layout.size - 1);
}

/* Pairs that change inside one buffer: where that is said, elements stand in each other's places, the buffers are as large, and p and q are as
 * said; and every exchange of two square axes, the fastest among them, is found. */
static void test_transposed(void) {
    int found = 0;
    for (int trial = 0; trial < 4000; trial++) {
        rts_box_t box = {.rank = (int)check_random_range(2, 3)};
        rts_layout_t a, b;
        int perm[2][RTS_MAX_RANK], p = -1, q = -1;
        for (int axis = 0; axis < box.rank; axis++) {
            box.lo[axis] = check_random_range(-3, 3);
            box.hi[axis] = box.lo[axis] + check_random_range(2, 5);
        }
        check_random_order(box.rank, perm[0]);
        memcpy(perm[1], perm[0], sizeof perm[1]);
        const int other = (int)check_random_range(0, box.rank - 2);
        perm[1][box.rank - 1] = perm[0][other];
        perm[1][other] = perm[0][box.rank - 1];
        const rts_index_t align = check_random_range(1, 8);
        CHECK_EQ_INT(rts_layout_plain(&box, perm[0], align, &a), RTS_OK);
        CHECK_EQ_INT(rts_layout_plain(&box, perm[1], align, &b), RTS_OK);
        const int row = perm[0][other], column = perm[0][box.rank - 1];
        const bool is_square = box.hi[row] - box.lo[row] == box.hi[column] - box.lo[column];
        if (!CHECK_EQ_INT(rts_layout_is_transposed(&a, &b, &p, &q), is_square) || !is_square)
            continue;
        found++;
        CHECK(p == row && q == column && a.size == b.size);
        rts_index_t index[RTS_MAX_RANK];
        memcpy(index, box.lo, sizeof index);
        do {
            rts_index_t mirrored[RTS_MAX_RANK];
            memcpy(mirrored, index, sizeof mirrored);
            mirrored[p] = box.lo[p] + index[q] - box.lo[q];
            mirrored[q] = box.lo[q] + index[p] - box.lo[p];
            CHECK_EQ_INT(rts_layout_offset(&a, index), rts_layout_offset(&b, mirrored));
        } while (next_index(&box, perm[0], index));
    }
    CHECK(found > 400);
}

/* A wrap has the elements of each column of its plain layout in that column, turned. */
static void test_wrap_of(void) {
    int found = 0;
    for (int trial = 0; trial < 2000; trial++) {
        const rts_box_t box = {.rank = 2, .hi = {check_random_range(1, 6), check_random_range(1, 6)}};
        const int perm[] = {0, 1};
        const rts_index_t align = check_random_range(1, 8);
        const int b =
            check_random_once_in(2) ? (int)check_random_range(1, 2) : (int)check_random_range(-2, -1);
        const rts_layout_kind_t kind = check_random_once_in(4) ? RTS_LAYOUT_SKEW : RTS_LAYOUT_WRAP;
        const int a = check_random_once_in(4) ? 2 : 1;
        rts_layout_t plain, wrap, wide;
        CHECK_EQ_INT(rts_layout_plain(&box, perm, align, &plain), RTS_OK);
        CHECK_EQ_INT(rts_layout_plain(&box, perm, 64, &wide), RTS_OK);
        CHECK_EQ_INT(rts_layout_diagonal(&box, perm, align, kind, a, b, &wrap), RTS_OK);
        CHECK(!rts_layout_is_wrap_of(&wide, &wrap) && !rts_layout_is_wrap_of(&wrap, &plain));
        if (!CHECK_EQ_INT(rts_layout_is_wrap_of(&plain, &wrap), kind == RTS_LAYOUT_WRAP && a == 1) ||
            kind != RTS_LAYOUT_WRAP || a != 1)
            continue;
        found++;
        CHECK_EQ_INT(plain.size, wrap.size);
        for (rts_index_t i = 0; i < box.hi[0]; i++)
            for (rts_index_t j = 0; j < box.hi[1]; j++)
                CHECK_EQ_INT(rts_layout_offset(&wrap, (rts_index_t[]){i, j}) % wrap.pitch, j);
    }
    CHECK(found > 400);
}

int main(void) {
    check_random_start();
    test_all_perms();
    test_empty();
    test_default_order();
    test_names();
    test_equal();
    test_refusals();
    test_transposed();
    test_wrap_of();
    return check_finish();
}
