/* Streamed rows of dvmhx_run.h: whatever the alignment, length and step, every element of a portion is written once with the
 * value of the plain loop, nothing else is touched, and accumulators are right. Two element sizes, ranks 1 to 3. */
#include <dvmhx_run.h>

#include "tests/check.h"

enum { PAD = 64, LONGEST = 700 };

struct line {
    const float *from;
    float *to;
    DvmType offset;
    double sum;
};

static inline void line_body(struct line *c, DvmType i) {
    c->to[i + c->offset] = 2 * c->from[i + c->offset] + (float)i;
    c->sum += (double)i;
}
#define DVMHX_NAME    line
#define DVMHX_RANK    1
#define DVMHX_CONTEXT struct line
#define DVMHX_BODY    line_body
#define DVMHX_INDEPENDENT
#define DVMHX_STREAM(c)       ((c)->to)
#define DVMHX_STREAM_AT(c, i) ((i) + (c)->offset)
#define DVMHX_STREAM_TYPE     float
#include <dvmhx_run.h>

struct block {
    const double *from;
    double *to;
    DvmType s1, s2;
    DvmType count;
};

static inline void block_body(struct block *c, DvmType i, DvmType j, DvmType k) {
    const DvmType at = i * c->s1 + j * c->s2 + k;
    c->to[at] = c->from[at] * 3 - (double)(i * j);
    c->count++;
}
#define DVMHX_NAME                  block
#define DVMHX_RANK                  3
#define DVMHX_CONTEXT               struct block
#define DVMHX_BODY                  block_body
#define DVMHX_STREAM(c)             ((c)->to)
#define DVMHX_STREAM_AT(c, i, j, k) ((i) * (c)->s1 + (j) * (c)->s2 + (k))
#define DVMHX_STREAM_TYPE           double
#define DVMHX_PREFETCH(c, i, j, k)  ((c)->from + ((i) + 1) * (c)->s1 + ((j) + 2) * (c)->s2 + (k))
#include <dvmhx_run.h>

static dvmhx_record_t make_record(DvmType rank, const DvmType start[], const DvmType step[],
                                  const DvmType count[]) {
    return (dvmhx_record_t){.size = sizeof(dvmhx_record_t),
                            .thread_count = 1,
                            .rank = rank,
                            .start = start,
                            .step = step,
                            .count = count,
                            .bypass_cache = check_random_range(0, 3) != 0};
}

static void test_line(void) {
    static float from[PAD + 4 * LONGEST + PAD], to[sizeof from / sizeof from[0]],
        expected[sizeof from / sizeof from[0]];
    const DvmType count = check_random_range(1, check_random_once_in(3) ? 20 : LONGEST);
    const DvmType step = check_random_once_in(3) ? check_random_range(2, 4) : 1;
    const DvmType start = check_random_range(-20, 20), offset = PAD / 2 + check_random_range(0, 31) - start;
    double sum = 0;
    for (size_t x = 0; x < sizeof from / sizeof from[0]; x++) {
        from[x] = (float)(x * 31 % 97);
        to[x] = expected[x] = -1;
    }
    for (DvmType n = 0; n < count; n++) {
        const DvmType i = start + n * step;
        expected[i + offset] = 2 * from[i + offset] + (float)i;
        sum += (double)i;
    }
    struct line c = {from, to, offset, 0};
    const dvmhx_record_t record = make_record(1, &start, &step, &count);
    line_run(&record, &c);
    CHECK(memcmp(to, expected, sizeof to) == 0);
    CHECK(c.sum == sum);
    CHECK(c.to == to);
}

static void test_block(void) {
    const DvmType rows = check_random_range(1, 4), planes = check_random_range(1, 3);
    const DvmType columns = check_random_range(1, check_random_once_in(2) ? 12 : 150);
    const DvmType start[3] = {check_random_range(0, 2), check_random_range(0, 2), check_random_range(0, 9)};
    const DvmType step[3] = {1, check_random_range(1, 2), check_random_once_in(4) ? 2 : 1};
    const DvmType count[3] = {planes, rows, columns};
    const DvmType s2 = start[2] + columns * 2 + check_random_range(0, 9), s1 = (start[1] + rows * 2) * s2;
    const size_t size = (size_t)((start[0] + planes + 1) * s1 + PAD);
    double *from = malloc(size * sizeof *from), *to = malloc(size * sizeof *to),
           *expected = malloc(size * sizeof *to);
    for (size_t x = 0; x < size; x++) {
        from[x] = (double)(x * 13 % 101);
        to[x] = expected[x] = -7;
    }
    for (DvmType i = 0; i < planes; i++)
        for (DvmType j = 0; j < rows; j++)
            for (DvmType k = 0; k < columns; k++) {
                const DvmType vi = start[0] + i * step[0], vj = start[1] + j * step[1],
                              vk = start[2] + k * step[2];
                const DvmType at = vi * s1 + vj * s2 + vk;
                expected[at] = from[at] * 3 - (double)(vi * vj);
            }
    struct block c = {from, to, s1, s2, 0};
    const dvmhx_record_t record = make_record(3, start, step, count);
    block_run(&record, &c);
    CHECK(memcmp(to, expected, size * sizeof *to) == 0);
    CHECK_EQ_INT(c.count, planes * rows * columns);
    CHECK(c.to == to);
    free(from);
    free(to);
    free(expected);
}

int main(void) {
    check_random_start();
    for (int round = 0; round < 3000; round++) {
        test_line();
        test_block();
    }
    return check_finish();
}
