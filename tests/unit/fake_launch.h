/* A GPU's threads and blocks played by one thread: runs the iterations of a record for a GPU in a random one of the orders that its launch
 * allows, from the record alone. Would-be blocks of TILES take columns by ticket and wait as kernels do; when all of them wait, that is told
 * as a deadlock. */
#ifndef FAKE_LAUNCH_H
#define FAKE_LAUNCH_H

#include "tests/check.h"

#include <dvmhx.h>
#include <stdlib.h>

enum { FAKE_RANK = 8, FAKE_RESIDENT = 8, FAKE_MOST = 1 << 24 };

/** Who runs an iteration. */
typedef struct fake_thread {
    DvmType block, thread, column;
} fake_thread_t;

/** One iteration: ordinals, and who runs it. */
typedef void (*fake_body_t)(void *context, const dvmhx_record_t *record, const DvmType n[],
                            const fake_thread_t *who);

static int64_t fake_kinds_seen[4];

/** Number of the slot that a thread collects into. */
static inline DvmType fake_slot(const dvmhx_record_t *record, int number, const fake_thread_t *who) {
    const dvmhx_launch_t *launch = record->launch;
    const DvmType threads = launch->block[0] * launch->block[1] * launch->block[2];
    if (launch->slots[number].per_thread)
        return who->block * threads + who->thread;
    return launch->kind == DVMHX_LAUNCH_TILES ? who->column : who->block;
}

static inline bool fake_is_inside(const dvmhx_record_t *record, DvmType dim) {
    return (record->dependent >> (record->rank - 1 - dim) & 1) != 0;
}

/** Zeros, 0 .. FAKE_MOST of them. */
static inline DvmType *fake_numbers(DvmType count) {
    DvmType *numbers = count >= 0 && count <= FAKE_MOST ? calloc((size_t)count + 1, sizeof *numbers) : NULL;
    if (numbers == NULL)
        exit(99);
    return numbers;
}

/** A random order of 0 .. count - 1. */
static inline DvmType *fake_order(DvmType count) {
    DvmType *order = fake_numbers(count);
    for (DvmType i = 0; i < count; i++)
        order[i] = i;
    for (DvmType i = count - 1; i > 0; i--) {
        const DvmType other = (DvmType)check_random_range(0, i), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    return order;
}

/** Ordinals from a number, over the dims whose bit of `dims` is set; others are left alone. */
static inline void fake_unpack(DvmType number, const DvmType count[], int rank, unsigned dims, DvmType n[]) {
    for (int dim = rank - 1; dim >= 0; dim--)
        if ((dims >> dim & 1) != 0) {
            n[dim] = number % count[dim];
            number /= count[dim];
        }
}

static inline DvmType fake_size(const DvmType count[], int rank, unsigned dims) {
    DvmType size = 1;
    for (int dim = 0; dim < rank; dim++)
        size *= (dims >> dim & 1) != 0 ? count[dim] : 1;
    return size;
}

static inline fake_thread_t fake_thread_of(const dvmhx_record_t *record, DvmType number) {
    const dvmhx_launch_t *launch = record->launch;
    const DvmType threads = launch->block[0] * launch->block[1] * launch->block[2];
    const DvmType blocks = launch->block_limit > 0 ? launch->block_limit : 1 << 30;
    return (fake_thread_t){.block = number / threads % blocks, .thread = number % threads, .column = -1};
}

/** GRID, LINES: a thread runs its dims `inside` in order; threads take turns at random. */
static inline void fake_lines(const dvmhx_record_t *record, unsigned inside, fake_body_t body,
                              void *context) {
    const int rank = (int)record->rank;
    const unsigned all = (1u << rank) - 1;
    const DvmType lines = fake_size(record->count, rank, all & ~inside),
                  each = fake_size(record->count, rank, inside);
    DvmType *line = fake_order(lines), *next = fake_numbers(lines);
    for (DvmType left = lines; left > 0;) {
        const DvmType place = (DvmType)check_random_range(left > 4 ? left - 4 : 0, left - 1),
                      mine = line[place];
        const fake_thread_t who = fake_thread_of(record, mine);
        DvmType n[FAKE_RANK] = {0};
        fake_unpack(mine, record->count, rank, all & ~inside, n);
        fake_unpack(next[mine], record->count, rank, inside, n);
        body(context, record, n, &who);
        if (++next[mine] == each)
            line[place] = line[--left];
    }
    free(line);
    free(next);
}

/** Iterations of a front among those whose cross-section lies in [low, low + extent), in any order. */
static inline void fake_front(const dvmhx_record_t *record, DvmType front, const DvmType low[],
                              const DvmType extent[], const fake_thread_t *column, fake_body_t body,
                              void *context) {
    const int rank = (int)record->rank, march = (int)record->launch->march_dim;
    const unsigned others = ((1u << rank) - 1) & ~(1u << march);
    const DvmType points = fake_size(extent, rank, others);
    DvmType *order = fake_order(points);
    for (DvmType i = 0; i < points; i++) {
        DvmType n[FAKE_RANK] = {0};
        const fake_thread_t who = column != NULL ? *column : fake_thread_of(record, order[i]);
        fake_unpack(order[i], extent, rank, others, n);
        n[march] = front;
        for (int dim = 0; dim < rank; dim++)
            if (dim != march) {
                n[dim] += low[dim];
                n[march] -= record->time[dim] * n[dim];
            }
        if (n[march] >= 0 && n[march] < record->count[march])
            body(context, record, n, &who);
    }
    free(order);
}

static inline void fake_fronts(const dvmhx_record_t *record, fake_body_t body, void *context) {
    const DvmType low[FAKE_RANK] = {0};
    for (DvmType front = 0; front < record->launch->front_count; front++)
        fake_front(record, front, low, record->count, NULL, body, context);
}

/** A block: the column that it runs, -1 none, and its next piece. */
typedef struct fake_block {
    int column;
    DvmType piece;
    bool is_done;
} fake_block_t;

static inline bool fake_may_run(const dvmhx_record_t *record, const fake_block_t *block) {
    const dvmhx_launch_t *launch = record->launch;
    const int rank = (int)record->rank;
    DvmType at[FAKE_RANK] = {0};
    fake_unpack(block->column, launch->columns, rank, (1u << rank) - 1, at);
    for (DvmType p = 0; p < launch->predecessor_count; p++) {
        DvmType number = 0;
        bool exists = true;
        for (int dim = 0; dim < rank; dim++) {
            const DvmType there = at[dim] - launch->predecessor[p * rank + dim];
            exists = exists && there >= 0 && there < launch->columns[dim];
            number = number * launch->columns[dim] + there;
        }
        if (exists && launch->counters[1 + number] <= block->piece)
            return false;
    }
    return true;
}

static inline void fake_piece(const dvmhx_record_t *record, const fake_block_t *block, int number,
                              fake_body_t body, void *context) {
    const dvmhx_launch_t *launch = record->launch;
    const int rank = (int)record->rank;
    const fake_thread_t who = {.block = number, .thread = 0, .column = block->column};
    DvmType low[FAKE_RANK] = {0}, extent[FAKE_RANK];
    fake_unpack(block->column, launch->columns, rank, (1u << rank) - 1, low);
    for (int dim = 0; dim < rank; dim++) {
        low[dim] *= launch->tile[dim];
        extent[dim] = record->count[dim] - low[dim];
        extent[dim] = extent[dim] < launch->tile[dim] ? extent[dim] : launch->tile[dim];
    }
    for (DvmType f = block->piece * launch->chunk; f < (block->piece + 1) * launch->chunk; f++)
        if (f < launch->front_count)
            fake_front(record, f, low, extent, &who, body, context);
}

/** @return false when all blocks wait for each other */
static inline bool fake_tiles(const dvmhx_record_t *record, int resident, fake_body_t body, void *context) {
    const dvmhx_launch_t *launch = record->launch;
    fake_block_t block[FAKE_RESIDENT];
    int done = 0, idle = 0;
    for (int i = 0; i < resident; i++)
        block[i] = (fake_block_t){.column = -1};
    while (done < resident) {
        const int number = (int)check_random_range(0, resident - 1);
        fake_block_t *one = &block[number];
        if (one->is_done)
            continue;
        if (one->column < 0) {
            const int ticket = launch->counters[0]++;
            one->is_done = ticket >= launch->column_count;
            done += one->is_done;
            one->column = one->is_done ? -1 : launch->order[ticket];
            one->piece = 0;
            continue;
        }
        if (!fake_may_run(record, one)) {
            if (!CHECK(++idle < 10000 * resident))
                return false;
            continue;
        }
        idle = 0;
        fake_piece(record, one, number, body, context);
        launch->counters[1 + one->column] = (int)++one->piece;
        if (one->piece == launch->piece_count)
            one->column = -1;
    }
    return true;
}

/** What every launch must be, whatever its kind. */
static inline bool fake_check_launch(const dvmhx_record_t *record) {
    const dvmhx_launch_t *launch = record->launch;
    bool good =
        CHECK(launch != NULL && launch->size == sizeof *launch && launch->kind >= 0 && launch->kind <= 3);
    const bool marches = good && launch->kind >= DVMHX_LAUNCH_FRONTS;
    DvmType fronts = 1;
    for (int i = 0; i < 3 && good; i++)
        good = CHECK(launch->block[i] >= 1 && launch->dim[i] >= -1 && launch->dim[i] < record->rank) &&
               CHECK(launch->dim[i] >= 0 || launch->block[i] == 1) &&
               CHECK(launch->dim[i] < 0 || launch->dim[i] != launch->march_dim ||
                     (launch->kind == DVMHX_LAUNCH_GRID && i == 1));
    good = good && CHECK(launch->block[0] * launch->block[1] * launch->block[2] <= 1024);
    if (!marches && launch->march_dim == -1)
        return good;
    good = good && CHECK(launch->kind != DVMHX_LAUNCH_LINES);
    for (int dim = 0; dim < record->rank && launch->kind == DVMHX_LAUNCH_GRID; dim++)
        good = good && CHECK(dim == launch->dim[0] || dim == launch->dim[1] || record->time[dim] == 0);
    for (int dim = 0; dim < record->rank; dim++)
        fronts += record->time[dim] * (record->count[dim] - 1);
    return good && CHECK(launch->march_dim >= 0 && record->time[launch->march_dim] == 1) &&
           CHECK_EQ_INT(launch->front_count, fronts);
}

/** Run a record. @param resident  blocks at once, 1 .. FAKE_RESIDENT. @return false after a failure, which is told */
static inline bool fake_launch_run(const dvmhx_record_t *record, int resident, fake_body_t body,
                                   void *context) {
    const int rank = (int)record->rank;
    unsigned inside = 0;
    if (!fake_check_launch(record))
        return false;
    fake_kinds_seen[record->launch->kind]++;
    for (int dim = 0; dim < rank; dim++)
        inside |= fake_is_inside(record, dim) ? 1u << dim : 0;
    switch (record->launch->kind) {
    case DVMHX_LAUNCH_GRID:
        fake_lines(record, 0, body, context);
        return true;
    case DVMHX_LAUNCH_LINES:
        fake_lines(record, inside, body, context);
        return true;
    case DVMHX_LAUNCH_FRONTS:
        fake_fronts(record, body, context);
        return true;
    default:
        return fake_tiles(record, resident, body, context);
    }
}

#endif
