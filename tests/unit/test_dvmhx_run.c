/* dvmhx_run.h against brute force: random portions of loops of rank 1 to 8, every way to run them. Each
 * iteration exactly once with the right loop variables, order legal, accumulators right; and a Gauss-Seidel
 * sweep in every way, direction and layout bit for bit as the plain loop. */

/* Vector code, so that a loop told to be independent when it is not gives wrong values. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("O3")
#endif

#include <dvmhx_run.h>

#include "tests/check.h"

#define MAX_POINTS 8192

/* What the body of a traced loop knows and leaves behind. */
struct trace {
    DvmType rank;
    DvmType start[DVMHX_MAX_RANK], step[DVMHX_MAX_RANK], count[DVMHX_MAX_RANK];
    DvmType *stamp;  /* per iteration of the portion: 0, or when it ran, from 1 */
    DvmType clock;   /* iterations so far */
    DvmType strange; /* iterations that do not belong to the portion, or ran before */
    double sum;      /* of iteration numbers: exact */
    DvmType largest; /* of iteration numbers */
};

static inline void visit(struct trace *c, const DvmType v[]) {
    DvmType point = 0;
    int good = 1;

    for (int k = 0; k < c->rank; k++) {
        const DvmType n = (v[k] - c->start[k]) / c->step[k];

        good = good && n >= 0 && n < c->count[k] && c->start[k] + n * c->step[k] == v[k];
        point = point * c->count[k] + n;
    }
    if (!good || c->stamp[point] != 0) {
        c->strange++;
        return;
    }
    c->stamp[point] = ++c->clock;
    c->sum += (double)point;
    c->largest = point > c->largest ? point : c->largest;
}

static inline void body1(struct trace *c, DvmType a) {
    visit(c, &a);
}

static inline void body2(struct trace *c, DvmType a, DvmType b) {
    visit(c, (const DvmType[]){a, b});
}

static inline void body3(struct trace *c, DvmType a, DvmType b, DvmType d) {
    visit(c, (const DvmType[]){a, b, d});
}

static inline void body4(struct trace *c, DvmType a, DvmType b, DvmType d, DvmType e) {
    visit(c, (const DvmType[]){a, b, d, e});
}

static inline void body5(struct trace *c, DvmType a, DvmType b, DvmType d, DvmType e, DvmType f) {
    visit(c, (const DvmType[]){a, b, d, e, f});
}

static inline void body6(struct trace *c, DvmType a, DvmType b, DvmType d, DvmType e, DvmType f, DvmType g) {
    visit(c, (const DvmType[]){a, b, d, e, f, g});
}

static inline void body7(struct trace *c, DvmType a, DvmType b, DvmType d, DvmType e, DvmType f, DvmType g,
                         DvmType h) {
    visit(c, (const DvmType[]){a, b, d, e, f, g, h});
}

static inline void body8(struct trace *c, DvmType a, DvmType b, DvmType d, DvmType e, DvmType f, DvmType g,
                         DvmType h, DvmType i) {
    visit(c, (const DvmType[]){a, b, d, e, f, g, h, i});
}

#define DVMHX_NAME    trace1
#define DVMHX_RANK    1
#define DVMHX_CONTEXT struct trace
#define DVMHX_BODY    body1
#include <dvmhx_run.h>

#define DVMHX_NAME    trace2
#define DVMHX_RANK    2
#define DVMHX_CONTEXT struct trace
#define DVMHX_BODY    body2
#include <dvmhx_run.h>

#define DVMHX_NAME    trace3
#define DVMHX_RANK    3
#define DVMHX_CONTEXT struct trace
#define DVMHX_BODY    body3
#include <dvmhx_run.h>

#define DVMHX_NAME    trace4
#define DVMHX_RANK    4
#define DVMHX_CONTEXT struct trace
#define DVMHX_BODY    body4
#include <dvmhx_run.h>

#define DVMHX_JAM_ROWS 3
#define DVMHX_NAME     trace5
#define DVMHX_RANK     5
#define DVMHX_CONTEXT  struct trace
#define DVMHX_BODY     body5
#include <dvmhx_run.h>

#define DVMHX_JAM_ROWS 2
#define DVMHX_NAME     trace6
#define DVMHX_RANK     6
#define DVMHX_CONTEXT  struct trace
#define DVMHX_BODY     body6
#include <dvmhx_run.h>

#define DVMHX_JAM_ROWS 2
#define DVMHX_NAME     trace7
#define DVMHX_RANK     7
#define DVMHX_CONTEXT  struct trace
#define DVMHX_BODY     body7
#include <dvmhx_run.h>

#define DVMHX_JAM_ROWS 2
#define DVMHX_NAME     trace8
#define DVMHX_RANK     8
#define DVMHX_CONTEXT  struct trace
#define DVMHX_BODY     body8
#include <dvmhx_run.h>

#define DVMHX_JAM_ROWS 1
#define DVMHX_NAME     narrow
#define DVMHX_RANK     2
#define DVMHX_CONTEXT  struct trace
#define DVMHX_BODY     body2
#include <dvmhx_run.h>

#define DVMHX_JAM_ROWS 16
#define DVMHX_NAME     wide
#define DVMHX_RANK     2
#define DVMHX_CONTEXT  struct trace
#define DVMHX_BODY     body2
#include <dvmhx_run.h>

#define DVMHX_INDEPENDENT
#define DVMHX_NAME    free3
#define DVMHX_RANK    3
#define DVMHX_CONTEXT struct trace
#define DVMHX_BODY    body3
#include <dvmhx_run.h>

enum variant { USUAL, NARROW, WIDE, INDEPENDENT };

static void run_trace(const dvmhx_record_t *record, struct trace *c, enum variant variant) {
    struct trace local = *c;

    if (variant == NARROW)
        narrow_run(record, &local);
    else if (variant == WIDE)
        wide_run(record, &local);
    else if (variant == INDEPENDENT)
        free3_run(record, &local);
    else if (record->rank == 1)
        trace1_run(record, &local);
    else if (record->rank == 2)
        trace2_run(record, &local);
    else if (record->rank == 3)
        trace3_run(record, &local);
    else if (record->rank == 4)
        trace4_run(record, &local);
    else if (record->rank == 5)
        trace5_run(record, &local);
    else if (record->rank == 6)
        trace6_run(record, &local);
    else if (record->rank == 7)
        trace7_run(record, &local);
    else
        trace8_run(record, &local);
    *c = local;
}

/* A random portion; its arrays live here. */
struct portion {
    DvmType start[DVMHX_MAX_RANK], step[DVMHX_MAX_RANK], count[DVMHX_MAX_RANK], time[DVMHX_MAX_RANK];
    DvmType points;
    dvmhx_record_t record;
};

static void random_portion(struct portion *p, int rank, int way) {
    static const DvmType steps[] = {1, 1, 1, -1, -1, 2, -2, 3, -3};

    p->points = 1;
    for (int k = 0; k < rank; k++) {
        const int64_t most = k >= rank - 2 && check_random_once_in(2) ? 40 : rank > 5 ? 2 : 5;

        p->start[k] = check_random_range(-20, 20);
        p->step[k] = steps[check_random_range(0, 8)];
        p->count[k] = check_random_range(1, most);
        while (p->points * p->count[k] > MAX_POINTS)
            p->count[k] = p->count[k] / 2;
        p->points *= p->count[k];
        p->time[k] = 0;
    }
    p->record = (dvmhx_record_t){.size = sizeof(dvmhx_record_t), .rank = rank, .way = way, .thread_count = 1};
    p->record.start = p->start;
    p->record.step = p->step;
    p->record.count = p->count;
    p->record.time = p->time;
    p->record.dependent = check_random_range(0, (1 << rank) - 1);
}

/* Ordinals of a point from its number. */
static void split_point(const struct portion *p, DvmType point, DvmType n[]) {
    for (int k = (int)p->record.rank - 1; k >= 0; k--) {
        n[k] = point % p->count[k];
        point /= p->count[k];
    }
}

/* Number that orders an iteration in a front or a jam. */
static DvmType front_of(const struct portion *p, DvmType point) {
    DvmType n[DVMHX_MAX_RANK] = {0}, sum = 0;

    split_point(p, point, n);
    for (int k = 0; k < p->record.rank; k++)
        sum += p->time[k] * n[k];
    return sum;
}

/* Legal fronts as the contract has them: entries >= 0, the innermost that is not 0 is 1. */
static void random_fronts(struct portion *p) {
    const int rank = (int)p->record.rank;
    const int innermost = (int)check_random_range(-1, rank - 1);
    DvmType reach = 0;

    for (int k = 0; k <= innermost; k++)
        p->time[k] = k == innermost ? 1 : check_random_range(0, 3);
    for (int k = 0; k < rank; k++)
        reach += p->time[k] * (p->count[k] - 1);
    p->record.dependent = 0;
    for (int k = 0; k < rank; k++)
        p->record.dependent |= (DvmType)(p->time[k] != 0) << (rank - 1 - k);
    p->record.front_lo = check_random_once_in(2) ? 0 : check_random_range(-2, reach);
    p->record.front_hi =
        check_random_once_in(2) ? reach + 1 : check_random_range(p->record.front_lo, reach + 3);
}

/* Jam and diagonal: the two innermost dims run with a lag; sometimes only a range of times. */
static void random_jam(struct portion *p) {
    const int rank = (int)p->record.rank;

    p->record.lag = check_random_range(0, 4);
    if (rank == 1) {
        p->time[0] = 1;
        return;
    }
    p->time[rank - 2] = p->record.lag;
    p->time[rank - 1] = 1;
    if (check_random_once_in(3)) {
        p->record.front_lo = check_random_range(-3, 40);
        p->record.front_hi = p->record.front_lo + check_random_range(1, 60);
    }
}

/* Every iteration of the portion that belongs to it ran once, the accumulators say the same. */
static void check_once(const struct portion *p, const struct trace *c, int limited) {
    double sum = 0;
    DvmType expected = 0, largest = -1, wrong = 0;

    for (DvmType point = 0; point < p->points; point++) {
        const DvmType front = front_of(p, point);
        const int belongs = !limited || (front >= p->record.front_lo && front < p->record.front_hi);

        wrong += belongs != (c->stamp[point] != 0);
        if (belongs) {
            expected++;
            sum += (double)point;
            largest = point;
        }
    }
    CHECK_EQ_INT(wrong, 0);
    CHECK_EQ_INT(c->strange, 0);
    CHECK_EQ_INT(c->clock, expected);
    CHECK(c->sum == sum);
    CHECK_EQ_INT(c->largest, largest);
}

/* In the order they ran, iterations' keys do not fall: their fronts, or point numbers / divisor. */
static void check_ascending(const struct portion *p, const struct trace *c, DvmType divisor) {
    static DvmType at[MAX_POINTS + 1];
    DvmType falls = 0, last = -1;

    for (DvmType point = 0; point < p->points; point++)
        at[c->stamp[point]] = point;
    for (DvmType clock = 1; clock <= c->clock; clock++) {
        const DvmType key = divisor > 0 ? at[clock] / divisor : front_of(p, at[clock]);

        falls += key < last;
        last = key;
    }
    CHECK_EQ_INT(falls, 0);
}

/* All dependences (a, b) of the two innermost dims with lag * a + b >= 1 are met. */
static void check_jam_order(const struct portion *p, const struct trace *c) {
    const int rank = (int)p->record.rank;
    DvmType violations = 0, n[DVMHX_MAX_RANK] = {0};

    for (DvmType point = 0; point < p->points; point++) {
        split_point(p, point, n);
        for (DvmType a = 0; a <= 3; a++) {
            for (DvmType b = -9; b <= 9; b++) {
                const DvmType row = n[rank - 2] - a, column = n[rank - 1] - b;
                const DvmType source = point - a * p->count[rank - 1] - b;

                if (p->record.lag * a + b < 1 || row < 0 || column < 0 || column >= p->count[rank - 1])
                    continue;
                violations += c->stamp[point] != 0 && c->stamp[source] >= c->stamp[point];
            }
        }
    }
    CHECK_EQ_INT(violations, 0);
    check_ascending(p, c, p->count[rank - 1] * p->count[rank - 2]);
}

/* In the order they ran, the fronts of one plane do not fall. */
static void check_planes(const struct portion *p, const struct trace *c) {
    static DvmType at[MAX_POINTS + 1];
    const int rank = (int)p->record.rank;
    const DvmType plane = p->count[rank - 1] * p->count[rank - 2];
    DvmType falls = 0;

    for (DvmType point = 0; point < p->points; point++)
        at[c->stamp[point]] = point;
    for (DvmType clock = 2; clock <= c->clock; clock++)
        falls +=
            at[clock] / plane == at[clock - 1] / plane && front_of(p, at[clock]) < front_of(p, at[clock - 1]);
    CHECK_EQ_INT(falls, 0);
}

static void test_portion(int rank, int way, enum variant variant) {
    static DvmType stamp[MAX_POINTS];
    struct portion p;
    struct trace c = {.rank = rank, .stamp = stamp, .largest = -1};

    random_portion(&p, rank, way);
    if (way == DVMHX_WAY_FRONT)
        random_fronts(&p);
    else if (way != DVMHX_WAY_PLAIN)
        random_jam(&p);
    memcpy(c.start, p.start, sizeof c.start);
    memcpy(c.step, p.step, sizeof c.step);
    memcpy(c.count, p.count, sizeof c.count);
    memset(stamp, 0, sizeof stamp);
    run_trace(&p.record, &c, variant);

    check_once(&p, &c, way == DVMHX_WAY_FRONT || p.record.front_lo < p.record.front_hi);
    if (way == DVMHX_WAY_FRONT)
        check_ascending(&p, &c, 0);
    else if (way != DVMHX_WAY_PLAIN && variant == INDEPENDENT)
        return;
    else if (way != DVMHX_WAY_PLAIN && rank > 1)
        check_jam_order(&p, &c);
    if (way == DVMHX_WAY_DIAGONAL && rank > 1)
        check_planes(&p, &c);
    if (way == DVMHX_WAY_PLAIN || (way != DVMHX_WAY_FRONT && rank == 1))
        check_ascending(&p, &c, p.record.dependent & 1 || rank == 1 ? 1 : p.count[rank - 1]);
}

/* A sweep with its dependences in values: rows may lie along either axis. */
struct sweep {
    double *a;
    DvmType s1, s2;
    double w, largest;
};

static inline double relaxed(const double *x, DvmType s1, DvmType s2, double w) {
    return w / 4 * (x[-s1] + x[s1] + x[-s2] + x[s2]) + (1 - w) * x[0];
}

static inline void sweep_body(struct sweep *c, DvmType i, DvmType j) {
    double *x = c->a + i * c->s1 + j * c->s2;

    *x = relaxed(x, c->s1, c->s2, c->w);
    c->largest = *x > c->largest ? *x : c->largest;
}

#define DVMHX_NAME    sweep
#define DVMHX_RANK    2
#define DVMHX_CONTEXT struct sweep
#define DVMHX_BODY    sweep_body
#include <dvmhx_run.h>

/* The handler as documentation shows it. */
static void sweep(const dvmhx_record_t *record, const double *w) {
    const dvmhx_array_t *a = &record->arrays[0];
    double *largest = (double *)record->reductions[0];
    struct sweep c = {(double *)a->base, a->stride[0], a->stride[1], *w, *largest};

    DVMHX_SPECIALISE(c.s2, sweep_run(record, &c));
    *largest = c.largest;
}

/* Sums along a line: a vector of iterations run at once would miss their neighbours. */
static inline void line_body(struct sweep *c, DvmType i) {
    c->a[i * c->s1] += c->a[i * c->s1 - c->s2];
}

#define DVMHX_NAME    line
#define DVMHX_RANK    1
#define DVMHX_CONTEXT struct sweep
#define DVMHX_BODY    line_body
#include <dvmhx_run.h>

static void test_line(DvmType step) {
    static double plain[200], other[200];
    const DvmType start = step > 0 ? 1 : 150, count = check_random_range(1, 140);
    dvmhx_record_t record = {.size = sizeof record, .thread_count = 1, .rank = 1, .dependent = 1};
    volatile DvmType distance = step; /* a known one would not be vectorised whatever the loop says */
    struct sweep c = {.a = other, .s1 = 1, .s2 = distance};

    for (DvmType i = 0; i < 200; i++)
        plain[i] = other[i] = (double)check_random_range(0, 100);
    record.start = &start;
    record.step = &step;
    record.count = &count;
    DVMHX_SPECIALISE(c.s1, line_run(&record, &c));
    for (DvmType n = 0; n < count; n++)
        plain[start + n * step] += plain[start + n * step - step];
    CHECK(memcmp(plain, other, sizeof plain) == 0);
}

#define SIDE_MAX 70
/* Room for a skewed plane too: rows i + j, as long as there are values of i. */
#define SIDE_CELLS (2 * SIDE_MAX * SIDE_MAX)

static double start_value(DvmType i, DvmType j) {
    return (double)((i * 131 + j * 37) % 101) / 101;
}

/* Layouts: 0 rows of j, 1 rows of i, 2 skewed, rows of i at constant i + j. */
static void strides_of(int layout, DvmType rows, DvmType columns, DvmType stride[2]) {
    stride[0] = layout == 0 ? columns : layout == 1 ? 1 : rows + 1;
    stride[1] = layout == 0 ? 1 : rows;
}

static void test_sweep(int way, int layout, int backwards) {
    static double plain[SIDE_CELLS], other[SIDE_CELLS];
    const DvmType rows = check_random_range(3, SIDE_MAX), columns = check_random_range(3, SIDE_MAX);
    const double w = 1.25;
    DvmType stride[2], time[2] = {1, 1}, different = 0;
    DvmType start[2] = {1, 1}, step[2] = {1, 1}, count[2] = {rows - 2, columns - 2};
    double largest = -1, partial = -1;
    void *reductions[1] = {&partial};
    dvmhx_array_t array = {.base = other,
                           .stride = stride,
                           .rank = 2,
                           .element_bytes = sizeof(double),
                           .layout = DVMHX_LAYOUT_PLAIN};
    dvmhx_record_t record = {.size = sizeof record, .thread_count = 1, .rank = 2, .way = way, .dependent = 3};

    strides_of(layout, rows, columns, stride);
    for (DvmType i = 0; i < rows; i++)
        for (DvmType j = 0; j < columns; j++)
            plain[i * columns + j] = other[i * stride[0] + j * stride[1]] = start_value(i, j);
    for (int k = 0; k < 2 && backwards; k++) {
        start[k] = count[k];
        step[k] = -1;
    }
    record.start = start;
    record.step = step;
    record.count = count;
    record.time = time;
    record.lag = check_random_range(1, 2);
    record.front_hi = way == DVMHX_WAY_FRONT ? rows + columns : 0;
    record.array_count = 1;
    record.arrays = &array;
    record.reductions = reductions;
    record.reduction_count = 1;
    sweep(&record, &w);

    for (DvmType i = 0; i < count[0]; i++) {
        for (DvmType j = 0; j < count[1]; j++) {
            double *x = plain + (start[0] + i * step[0]) * columns + start[1] + j * step[1];

            *x = relaxed(x, columns, 1, w);
            largest = *x > largest ? *x : largest;
        }
    }
    for (DvmType i = 0; i < rows; i++)
        for (DvmType j = 0; j < columns; j++)
            different += plain[i * columns + j] != other[i * stride[0] + j * stride[1]];
    CHECK_EQ_INT(different, 0);
    CHECK(largest == partial);
}

int main(void) {
    check_random_start();
    for (int round = 0; round < 300; round++) {
        for (int way = DVMHX_WAY_PLAIN; way <= DVMHX_WAY_DIAGONAL; way++) {
            for (int rank = 1; rank <= 5; rank++)
                test_portion(rank, way, USUAL);
            if (round % 16 == 0)
                test_portion(6 + round / 16 % 3, way, USUAL);
            test_portion(2, way, WIDE);
            for (int layout = 0; layout < 3; layout++)
                test_sweep(way, layout, round % 2);
        }
        test_portion(2, DVMHX_WAY_JAM, NARROW);
        test_portion(3, DVMHX_WAY_PLAIN, INDEPENDENT);
        test_portion(3, DVMHX_WAY_DIAGONAL, INDEPENDENT);
        test_line(1);
        test_line(-1);
    }
    return check_finish();
}
