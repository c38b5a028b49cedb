/* Planes of every kind up to 12 x 12, element by element, against formulas written anew here: places, rows of
 * memory (WRAP: the fewest with which no two elements meet, found by trying), inverses, gaps, fronts; the
 * same in 32 bits. Then larger planes, and planes near the limits of the types. test_layout_boxes.c has the
 * rest. */
#include <config.h>

#include "rts/layout.h"

#include "tests/check.h"

#define PLANE_MAX    64 /* extents of planes that are walked */
#define ELEMENTS_MAX (PLANE_MAX * PLANE_MAX * 8)

typedef struct shape {
    rts_layout_kind_t kind;
    int a, b;
    int n_p, n_q, pitch;
} shape_t;

static int least_d(const shape_t *s) {
    return s->b < 0 ? s->b * (s->n_q - 1) : 0;
}

static int d_of(const shape_t *s, int i_p, int i_q) {
    return s->a * i_p + s->b * i_q - least_d(s);
}

static bool rows_suffice(const shape_t *s, int rows) {
    static bool used[4 * PLANE_MAX];
    for (int i_q = 0; i_q < s->n_q; i_q++) {
        memset(used, 0, sizeof used);
        for (int i_p = 0; i_p < s->n_p; i_p++) {
            const int row = d_of(s, i_p, i_q) % rows;
            if (used[row])
                return false;
            used[row] = true;
        }
    }
    return true;
}

static int expected_rows(const shape_t *s) {
    int rows = 1;
    if (s->kind == RTS_LAYOUT_PACKED || s->kind == RTS_LAYOUT_PLAIN)
        return s->n_p;
    if (s->kind == RTS_LAYOUT_SKEW) {
        for (int i_p = 0; i_p < s->n_p; i_p++)
            for (int i_q = 0; i_q < s->n_q; i_q++)
                rows = d_of(s, i_p, i_q) + 1 > rows ? d_of(s, i_p, i_q) + 1 : rows;
        return rows;
    }
    while (!rows_suffice(s, rows))
        rows++;
    return rows;
}

static int triangle(int m) {
    return m * (m + 1) / 2;
}

/* The DVM-system's table, line by line: x in [0, width), y in [0, height), slash 0. */
static int table_place(int x, int y, int width, int height) {
    const int d = x + y;
    if (width == height)
        return d < width ? triangle(d) + y : width * (width - 1) + x - triangle(2 * width - d - 2);
    if (width < height) {
        if (d < width)
            return triangle(d) + y;
        if (d < height)
            return triangle(width) + width * (d - width) + (width - 1 - x);
        return width * height - height + y - triangle(width + height - d - 2);
    }
    if (d < height)
        return triangle(d) + x;
    if (d < width)
        return triangle(height) + height * (d - height) + (height - 1 - y);
    return width * height - width + x - triangle(width + height - d - 2);
}

static int expected_place(const shape_t *s, int rows, int i_p, int i_q) {
    switch (s->kind) {
    case RTS_LAYOUT_PLAIN:
        return i_p * s->pitch + i_q;
    case RTS_LAYOUT_SKEW:
        return d_of(s, i_p, i_q) * s->pitch + i_q;
    case RTS_LAYOUT_WRAP:
        return d_of(s, i_p, i_q) % rows * s->pitch + i_q;
    case RTS_LAYOUT_PACKED:
        return table_place(i_p, s->b > 0 ? i_q : s->n_q - 1 - i_q, s->n_p, s->n_q);
    }
    return -1;
}

static bool make_plane(const shape_t *s, rts_layout_t *layout, rts_plane64_t *plane, rts_plane32_t *narrow) {
    const rts_box_t box = {.rank = 2, .lo = {0, 0}, .hi = {s->n_p, s->n_q}};
    const rts_index_t align = s->pitch == s->n_q ? 1 : s->pitch;
    const rts_status_t status = s->kind == RTS_LAYOUT_PLAIN
                                    ? rts_layout_plain(&box, NULL, align, layout)
                                    : rts_layout_diagonal(&box, NULL, align, s->kind, s->a, s->b, layout);
    if (!CHECK_EQ_INT(status, RTS_OK))
        return false;
    *plane = rts_layout_plane(layout);
    return CHECK(rts_plane32_from_64(plane, narrow));
}

/* Elements of front d in ascending i_q, by looking at all elements. */
static void check_front(const shape_t *s, const rts_plane64_t *plane, const rts_plane32_t *narrow, int d) {
    const rts_plane64_front_t front = rts_plane64_front(plane, d);
    const rts_plane32_front_t front32 = rts_plane32_front(narrow, d);
    int count = 0;
    for (int i_q = 0; i_q < s->n_q; i_q++)
        for (int i_p = 0; i_p < s->n_p; i_p++) {
            if (d_of(s, i_p, i_q) != d)
                continue;
            CHECK_EQ_INT(front.i_p + count * front.i_p_step, i_p);
            CHECK_EQ_INT(front.i_q + count * front.i_q_step, i_q);
            const rts_index_t offset = rts_plane64_offset(plane, i_p, i_q);
            CHECK_EQ_INT(front.offset + count * front.stride, offset);
            CHECK_EQ_INT(offset / s->pitch == front.offset / s->pitch || s->kind == RTS_LAYOUT_PACKED, true);
            count++;
        }
    CHECK_EQ_INT(front.count, count);
    CHECK_EQ_INT(front32.count, count);
    if (count == 0) {
        CHECK(s->a == 2 || (s->n_p == 1 && s->b * s->b == 4));
        return;
    }
    CHECK_EQ_INT(front32.i_p, front.i_p);
    CHECK_EQ_INT(front32.i_q, front.i_q);
    CHECK_EQ_INT(front32.offset, front.offset);
    CHECK(front32.i_p_step == front.i_p_step && front32.i_q_step == front.i_q_step &&
          front32.stride == front.stride);
    if (s->kind == RTS_LAYOUT_PACKED)
        CHECK(front.stride == 1 || front.stride == -1);
    else
        CHECK_EQ_INT(front.stride, s->a == 2 && (s->b & 1) != 0 ? 2 : 1);
}

/* What the inverse says at every offset; which ones may be gaps. */
static void check_inverse(const shape_t *s, const rts_layout_t *layout, const rts_plane64_t *plane,
                          const rts_plane32_t *narrow, const int owner[]) {
    rts_index_t gaps_inside = 0;
    for (int offset = -3; offset < layout->size + 3; offset++) {
        rts_index_t index[RTS_MAX_RANK] = {-7, -7}, i_p = -7, i_q = -7;
        int32_t i_p32 = -7, i_q32 = -7;
        const bool inside = offset >= 0 && offset < layout->size;
        const int expected = inside ? owner[offset] : -1;
        CHECK_EQ_INT(rts_plane64_inverse(plane, offset, &i_p, &i_q), expected >= 0);
        CHECK_EQ_INT(rts_plane32_inverse(narrow, offset, &i_p32, &i_q32), expected >= 0);
        CHECK_EQ_INT(rts_layout_inverse(layout, offset, index), expected >= 0);
        CHECK_EQ_INT(i_p, expected >= 0 ? expected / s->n_q : -7);
        CHECK_EQ_INT(i_q, expected >= 0 ? expected % s->n_q : -7);
        CHECK(i_p32 == i_p && i_q32 == i_q && index[0] == i_p && index[1] == i_q);
        if (inside && expected < 0 && (s->kind == RTS_LAYOUT_PACKED || offset % s->pitch < s->n_q))
            gaps_inside++;
    }
    /* In SKEW each column has gaps in all rows but n_p; in WRAP one, only where a = 2 and n_p is even. */
    rts_index_t expected_gaps = 0;
    if (s->kind == RTS_LAYOUT_SKEW)
        expected_gaps = (layout->rows - s->n_p) * s->n_q;
    if (s->kind == RTS_LAYOUT_WRAP && s->a == 2 && s->n_p % 2 == 0)
        expected_gaps = s->n_q;
    CHECK_EQ_INT(gaps_inside, expected_gaps);
}

static void check_wraps_once(const shape_t *s, const rts_plane64_t *plane, const rts_plane32_t *narrow,
                             int fronts) {
    const bool once = fronts - 1 < 2 * plane->rows;
    CHECK_EQ_INT(rts_plane64_wraps_once(plane), once);
    CHECK_EQ_INT(rts_plane32_wraps_once(narrow), once);
    if (s->a == 1 && (s->b == 1 || s->b == -1))
        CHECK_EQ_INT(once, s->n_q <= s->n_p + 1);
    for (int i_p = 0; i_p < s->n_p && once; i_p++)
        for (int i_q = 0; i_q < s->n_q; i_q++) {
            CHECK_EQ_INT(rts_plane64_wrap_once(plane, i_p, i_q), rts_plane64_wrap(plane, i_p, i_q));
            CHECK_EQ_INT(rts_plane32_wrap_once(narrow, i_p, i_q), rts_plane64_wrap(plane, i_p, i_q));
        }
}

static void check_shape(const shape_t *s) {
    static int owner[ELEMENTS_MAX];
    rts_layout_t layout;
    rts_plane64_t plane;
    rts_plane32_t narrow;
    const int rows = expected_rows(s);
    int fronts = 0;
    if (!make_plane(s, &layout, &plane, &narrow))
        return;
    CHECK(plane.n_p == s->n_p && plane.n_q == s->n_q && plane.pitch == s->pitch);
    CHECK_EQ_INT(layout.rows, rows);
    CHECK_EQ_INT(layout.c, -least_d(s));
    if (!CHECK_EQ_INT(layout.size, rows * s->pitch) || !CHECK(layout.size <= ELEMENTS_MAX))
        return;
    for (int offset = 0; offset < layout.size; offset++)
        owner[offset] = -1;
    for (int i_p = 0; i_p < s->n_p; i_p++)
        for (int i_q = 0; i_q < s->n_q; i_q++) {
            const rts_index_t index[RTS_MAX_RANK] = {i_p, i_q};
            const int place = expected_place(s, rows, i_p, i_q), d = d_of(s, i_p, i_q);
            CHECK_EQ_INT(rts_layout_offset(&layout, index), place);
            CHECK_EQ_INT(rts_plane64_offset(&plane, i_p, i_q), place);
            CHECK_EQ_INT(rts_plane32_offset(&narrow, i_p, i_q), place);
            CHECK_EQ_INT(rts_plane64_d(&plane, i_p, i_q), d);
            if (!CHECK(place >= 0 && place < layout.size) || !CHECK_EQ_INT(owner[place], -1))
                return;
            owner[place] = i_p * s->n_q + i_q;
            fronts = d >= fronts ? d + 1 : fronts;
        }
    CHECK_EQ_INT(rts_plane64_fronts(&plane), fronts);
    CHECK_EQ_INT(rts_plane32_fronts(&narrow), fronts);
    check_inverse(s, &layout, &plane, &narrow, owner);
    for (int d = 0; d < fronts; d++)
        check_front(s, &plane, &narrow, d);
    if (s->kind == RTS_LAYOUT_WRAP)
        check_wraps_once(s, &plane, &narrow, fronts);
}

/* Every kind with every (a,b) that it allows, padded and not. */
static void check_extents(int n_p, int n_q) {
    for (int kind = RTS_LAYOUT_PLAIN; kind <= RTS_LAYOUT_PACKED; kind++)
        for (int a = 1; a <= 2; a++)
            for (int b = -2; b <= 2; b++) {
                const bool is_plain = kind == RTS_LAYOUT_PLAIN;
                if (is_plain ? a != 1 || b != 0 : b == 0)
                    continue;
                if (kind == RTS_LAYOUT_PACKED && (a != 1 || b < -1 || b > 1))
                    continue;
                shape_t shape = {(rts_layout_kind_t)kind, a, b, n_p, n_q, n_q};
                check_shape(&shape);
                shape.pitch += (int)check_random_range(1, 5);
                if (kind != RTS_LAYOUT_PACKED)
                    check_shape(&shape);
            }
}

static void test_planes(void) {
    for (int n_p = 1; n_p <= 12; n_p++)
        for (int n_q = 1; n_q <= 12; n_q++)
            check_extents(n_p, n_q);
    for (int round = 0; round < 12; round++)
        check_extents((int)check_random_range(1, PLANE_MAX - 1), (int)check_random_range(1, PLANE_MAX - 1));
}

/* The example of the interface's description, and planes of one row or column. */
static void test_packed_examples(void) {
    static const int example[3][3] = {{0, 1, 3}, {2, 4, 7}, {5, 6, 8}}; /* [y][x] */
    const rts_box_t square = {.rank = 2, .hi = {3, 3}};
    rts_layout_t packed, plain;
    CHECK_EQ_INT(rts_layout_diagonal(&square, NULL, 1, RTS_LAYOUT_PACKED, 1, 1, &packed), RTS_OK);
    for (int x = 0; x < 3; x++)
        for (int y = 0; y < 3; y++)
            CHECK_EQ_INT(rts_layout_offset(&packed, (const rts_index_t[RTS_MAX_RANK]){x, y}), example[y][x]);
    for (int n = 1; n <= 9; n++)
        for (int b = -1; b <= 1; b += 2)
            for (int is_row = 0; is_row <= 1; is_row++) {
                const rts_box_t line = {.rank = 2, .hi = {is_row ? 1 : n, is_row ? n : 1}};
                CHECK_EQ_INT(rts_layout_plain(&line, NULL, 1, &plain), RTS_OK);
                CHECK_EQ_INT(rts_layout_diagonal(&line, NULL, 1, RTS_LAYOUT_PACKED, 1, b, &packed), RTS_OK);
                /* Only d = n - 1 - i_q along one row turns the elements round. */
                CHECK_EQ_INT(rts_layout_equal(&packed, &plain), !(is_row && b < 0 && n > 1));
                for (int i = 0; i < n && is_row && b < 0; i++)
                    CHECK_EQ_INT(rts_layout_offset(&packed, (const rts_index_t[RTS_MAX_RANK]){0, i}),
                                 n - 1 - i);
            }
}

/* Elements of planes near 2^63 and 2^31 elements: places come back, along fronts they are neighbours. */
static void check_large(rts_layout_kind_t kind, int a, int b, rts_index_t n_p, rts_index_t n_q) {
    const rts_box_t box = {.rank = 2, .hi = {n_p, n_q}};
    rts_layout_t layout;
    rts_plane32_t narrow = {.rows = 0};
    if (!CHECK_EQ_INT(rts_layout_diagonal(&box, NULL, 1, kind, a, b, &layout), RTS_OK))
        return;
    const rts_plane64_t plane = rts_layout_plane(&layout);
    const bool is_narrow = rts_plane32_from_64(&plane, &narrow);
    CHECK_EQ_INT(is_narrow, layout.size <= INT32_MAX && rts_plane64_fronts(&plane) <= INT32_MAX);
    for (int round = 0; round < 400; round++) {
        rts_index_t i_p = check_random_range(0, n_p - 1), i_q = check_random_range(0, n_q - 1), back_p = -1,
                    back_q = -1;
        if (round % 4 == 1) /* near a corner */
            i_p = check_random_range(0, rts_min(n_p - 1, 9)),
            i_q = check_random_range(0, rts_min(n_q - 1, 9));
        if (round % 8 == 3) /* starts of packed fronts, where the triangular root is decided by rounding */
            i_q = 0;
        if (round % 8 == 7)
            i_p = 0;
        if (round % 8 == 5)
            i_p = n_p - 1 - i_p, i_q = n_q - 1 - i_q;
        const rts_index_t offset = rts_plane64_offset(&plane, i_p, i_q);
        CHECK(offset >= 0 && offset < layout.size);
        CHECK(rts_plane64_inverse(&plane, offset, &back_p, &back_q));
        CHECK(back_p == i_p && back_q == i_q);
        const rts_plane64_front_t front = rts_plane64_front(&plane, rts_plane64_d(&plane, i_p, i_q));
        const rts_index_t place = (i_q - front.i_q) / front.i_q_step;
        CHECK(place >= 0 && place < front.count);
        CHECK_EQ_INT(front.offset + place * front.stride, offset);
        CHECK_EQ_INT(front.i_p + place * front.i_p_step, i_p);
        if (is_narrow) {
            int32_t back_p32 = -1, back_q32 = -1;
            CHECK_EQ_INT(rts_plane32_offset(&narrow, (int32_t)i_p, (int32_t)i_q), offset);
            CHECK(rts_plane32_inverse(&narrow, (int32_t)offset, &back_p32, &back_q32));
            CHECK(back_p32 == i_p && back_q32 == i_q);
            CHECK_EQ_INT(rts_plane32_front(&narrow, (int32_t)rts_plane64_d(&plane, i_p, i_q)).offset,
                         front.offset);
        }
    }
}

static void test_large(void) {
    static const rts_index_t extents[][2] = {{3037000499, 3037000499}, {3037000499, 3037000498},
                                             {INT64_MAX / 4096, 4096}, {4096, INT64_MAX / 4096},
                                             {INT64_MAX, 1},           {1, INT64_MAX},
                                             {46340, 46340},           {46341, 46340},
                                             {46340, 46341},           {INT32_MAX, 1},
                                             {1, INT32_MAX},           {30000, 70000},
                                             {(rts_index_t)1 << 30, 1}};
    for (size_t i = 0; i < sizeof extents / sizeof extents[0]; i++)
        for (int b = -1; b <= 1; b += 2) {
            const rts_index_t n_p = extents[i][0], n_q = extents[i][1];
            check_large(RTS_LAYOUT_PACKED, 1, b, n_p, n_q);
            check_large(RTS_LAYOUT_WRAP, 1, b, n_p, n_q);
            check_large(RTS_LAYOUT_WRAP, 2, b, n_p - n_p / 2, n_q - n_q / 2);
            check_large(RTS_LAYOUT_WRAP, 1, 2 * b, n_p / 2 + 1, n_q / 2 + 1);
            check_large(RTS_LAYOUT_SKEW, 1, b, rts_min(n_p, INT32_MAX), rts_min(n_q, 1000000000));
            check_large(RTS_LAYOUT_SKEW, 2, -2, 10000, 8000);
            check_large(RTS_LAYOUT_SKEW, 2, 1, 20000, 30000);
        }
}

int main(void) {
    check_random_start();
    test_planes();
    test_packed_examples();
    test_large();
    return check_finish();
}
