/* Messages and transfers between processes: combined values, agreement, messages of all lengths and orders, and boxes of arrays in
 * random layouts and of plain memory, against values that every process can compute by itself. */
#include <config.h>

#include "rts/transfer.h"

#include "rts/backend.h"
#include "rts/coherence.h"
#include "rts/coherence_values.h"
#include "rts/memory.h"
#include "tests/cluster/array_example.h"
#include "tests/cluster/cluster_check.h"

/* ---- comm ---- */

static void test_gather_all(void) {
    int64_t mine[3], all[3 * 64];
    for (int i = 0; i < 3; i++)
        mine[i] = 100 * rts_comm_rank() + i;
    CLUSTER_TRY(rts_comm_gather_all(mine, all, sizeof mine));
    for (int process = 0; process < rts_comm_size(); process++)
        for (int i = 0; i < 3; i++)
            CHECK_EQ_INT(all[3 * process + i], 100 * process + i);
    CLUSTER_TRY(rts_comm_gather_all(mine, all, 0));
}

/* A text of ranges, so that order shows: (a..b) op (b+1..c) = (a..c). */
typedef struct range {
    int first, last, pieces;
    double sum;
} range_t;

static void combine(void *context, void *into, const void *from) {
    range_t *left = into;
    const range_t *right = from;
    CHECK(context == &check_failures);
    CHECK_EQ_INT(left->last + 1, right->first);
    left->last = right->last;
    left->pieces += right->pieces;
    left->sum += right->sum;
}

static void test_reduce(void) {
    double gathered[64];
    range_t range = {rts_comm_rank(), rts_comm_rank(), 1, 1.0 / (3 + rts_comm_rank())};
    CLUSTER_TRY(rts_comm_reduce(&range, sizeof range, combine, &check_failures));
    CHECK_EQ_INT(range.first, 0);
    CHECK_EQ_INT(range.last, rts_comm_size() - 1);
    CHECK_EQ_INT(range.pieces, rts_comm_size());
    CLUSTER_TRY(rts_comm_gather_all(&range.sum, gathered, sizeof range.sum));
    for (int process = 0; process < rts_comm_size(); process++)
        CHECK(memcmp(&gathered[process], &range.sum, sizeof range.sum) == 0);
}

static void test_agree(void) {
    CHECK_EQ_INT(rts_comm_agree(RTS_OK), RTS_OK);
    for (int failing = 0; failing < rts_comm_size(); failing++) {
        const bool fails = rts_comm_rank() >= failing && (rts_comm_rank() - failing) % 2 == 0;
        const rts_status_t own = fails ? rts_fail(RTS_ERR_NO_MEMORY, "planted") : RTS_OK;
        CHECK_EQ_INT(rts_comm_agree(own), fails ? RTS_ERR_NO_MEMORY : RTS_ERR_COMM);
        char text[32];
        snprintf(text, sizeof text, "process %d failed", failing);
        CHECK_CONTAINS(rts_error_text(), fails ? "planted" : text);
    }
}

enum { MESSAGES = 5, LONGEST = 70000 };

static size_t length_of(int from, int to, int number) {
    const int lengths[] = {1, 0, 17, LONGEST, 4096, 3};
    return (size_t)lengths[(from + 2 * to + number) % 6];
}

static unsigned char byte_of(int from, int to, int number, size_t at) {
    return (unsigned char)(31 * from + 7 * to + 3 * number + (int)(at % 251));
}

/* Everybody to everybody, several at a time, in one flight. */
static void test_messages(rts_tag_t tag) {
    const int size = rts_comm_size(), rank = rts_comm_rank();
    const size_t block = (size_t)MESSAGES * LONGEST;
    unsigned char *out = rts_alloc((size_t)size * block), *in = rts_alloc_zeroed((size_t)size, block);
    rts_flight_t flight = {0};
    if (!CHECK(out != NULL && in != NULL))
        rts_comm_abort(1);
    for (int other = 0; other < size; other++)
        for (int number = 0; number < MESSAGES && other != rank; number++) {
            const size_t place = (size_t)other * block + (size_t)number * LONGEST;
            for (size_t at = 0; at < LONGEST; at++)
                out[place + at] = byte_of(rank, other, number, at);
            CLUSTER_TRY(rts_comm_receive(&flight, other, tag, in + place, length_of(other, rank, number)));
            CLUSTER_TRY(rts_comm_send(&flight, other, tag, out + place, length_of(rank, other, number)));
        }
    if (check_random_once_in(2)) {
        bool done = false;
        while (!done) {
            rts_comm_progress();
            CLUSTER_TRY(rts_comm_test(&flight, &done));
        }
    }
    CLUSTER_TRY(rts_comm_wait(&flight));
    CHECK_EQ_INT(flight.count, 0);
    for (int other = 0; other < size; other++)
        for (int number = 0; number < MESSAGES && other != rank; number++)
            for (size_t at = 0; at < LONGEST; at++) {
                const unsigned char got = in[(size_t)other * block + (size_t)number * LONGEST + at];
                const bool is_sent = at < length_of(other, rank, number);
                if (got != (is_sent ? byte_of(other, rank, number, at) : 0)) {
                    CHECK_EQ_INT(got, is_sent ? byte_of(other, rank, number, at) : 0);
                    at = LONGEST;
                }
            }
    rts_flight_free(&flight);
    rts_free(out);
    rts_free(in);
}

/* Who has more room than comes hears how much has come, message by message. */
static void test_shorter(void) {
    const int size = rts_comm_size(), rank = rts_comm_rank(), next = (rank + 1) % size,
              last = (rank + size - 1) % size;
    unsigned char out[MESSAGES][LONGEST] = {{0}}, in[MESSAGES][LONGEST];
    rts_flight_t flight = {0};
    int number_of[MESSAGES];
    for (int number = 0; number < MESSAGES && size > 1; number++) {
        const size_t room =
            (size_t)check_random_range(rts_max(1, (int64_t)length_of(last, rank, number)), LONGEST);
        if (length_of(last, rank, number) > 0) {
            number_of[number] = flight.count;
            CLUSTER_TRY(rts_comm_receive(&flight, last, RTS_TAG_TRANSFER, in[number], room));
        }
        CLUSTER_TRY(
            rts_comm_send(&flight, next, RTS_TAG_TRANSFER, out[number], length_of(rank, next, number)));
    }
    CLUSTER_TRY(rts_comm_wait(&flight));
    for (int number = 0; number < MESSAGES && size > 1; number++)
        if (length_of(last, rank, number) > 0)
            CHECK_EQ_INT(rts_comm_arrived(&flight, number_of[number]), length_of(last, rank, number));
    rts_flight_free(&flight);
}

/* Every process of the node writes a number for all. */
static void test_shared(void) {
    void *memory = NULL;
    if (rts_comm_size() == 1)
        return;
    CLUSTER_TRY(rts_comm_share_node((size_t)rts_comm_local_size() * sizeof(int), &memory));
    int *const number = memory;
    CHECK_EQ_INT(number[rts_comm_local_rank()], 0);
    CLUSTER_TRY(rts_comm_barrier());
    number[rts_comm_local_rank()] = 1000 + rts_comm_local_rank();
    CLUSTER_TRY(rts_comm_barrier());
    for (int local = 0; local < rts_comm_local_size(); local++)
        CHECK_EQ_INT(number[local], 1000 + local);
}

/* ---- transfers ---- */

static rts_box_t random_part(const rts_box_t *box) {
    rts_box_t part = {.rank = box->rank};
    for (int axis = 0; axis < box->rank; axis++) {
        part.lo[axis] = check_random_range(box->lo[axis], box->hi[axis]);
        part.hi[axis] = check_random_range(part.lo[axis], box->hi[axis]);
    }
    return part;
}

enum { ARRAYS = 3, BOXES = 16 };

/* One box of an array, or of memory, from one process to another. */
typedef struct order {
    int array, from, to;
    bool into_memory, from_memory;
    rts_box_t box;
    int64_t *memory;
    rts_layout_t layout;
} order_t;

static void start_memory(order_t *order, bool fill, int number) {
    const int reversed[] = {2, 1, 0};
    rts_index_t index[RTS_MAX_RANK];
    CLUSTER_TRY(rts_layout_plain(&order->box, reversed + 3 - order->box.rank, 1, &order->layout));
    order->memory = rts_alloc_zeroed((size_t)order->layout.size, sizeof *order->memory);
    if (!CHECK(order->memory != NULL))
        rts_comm_abort(1);
    example_first(&order->box, index);
    if (fill)
        do
            order->memory[rts_layout_offset(&order->layout, index)] = example_value(number, index, 3);
        while (place_next(&order->box, index));
}

static void check_memory(const order_t *order, int64_t salt) {
    rts_index_t index[RTS_MAX_RANK];
    example_first(&order->box, index);
    do
        CHECK_EQ_INT(order->memory[rts_layout_offset(&order->layout, index)],
                     example_value(order->array, index, salt));
    while (place_next(&order->box, index));
}

/* Arrays whole on every process: each box of an order goes from one process's values to another's. */
static void test_transfer(void) {
    array_example_t example[ARRAYS];
    order_t order[BOXES];
    rts_transfer_t transfer;
    const int me = rts_comm_rank(), count = (int)check_random_range(1, BOXES);
    const int last = (int)rts_min(rts_comm_size() - 1,
                                  check_random_range(1, 3)); /* few, so that messages have many boxes */
    uint64_t salt = 1;
    for (int i = 0; i < ARRAYS; i++)
        example_open_whole(&example[i], i);
    rts_transfer_init(&transfer, RTS_TAG_TRANSFER);
    for (int round = 0; round < 2; round++) /* the second time in memory that is there */
        for (int i = 0; i < ARRAYS; i++) {
            example_fill(&example[i], 1000 * round + rts_comm_rank());
            example_scatter(&example[i], &salt);
        }
    for (int i = 0; i < count; i++) {
        order[i] = (order_t){.array = (int)check_random_range(0, ARRAYS - 1),
                             .from = (int)check_random_range(0, last),
                             .to = (int)check_random_range(0, last),
                             .into_memory = check_random_once_in(3),
                             .from_memory = check_random_once_in(3)};
        array_example_t *of = &example[order[i].array];
        order[i].box = random_part(&of->array->space);
        if (rts_box_is_empty(&order[i].box))
            continue;
        start_memory(&order[i], order[i].from_memory && me == order[i].from, order[i].array);
        if (me == order[i].from && order[i].from_memory)
            CLUSTER_TRY(rts_transfer_send_from(&transfer, order[i].memory, &order[i].layout, 8, &order[i].box,
                                               order[i].to));
        else if (me == order[i].from)
            CLUSTER_TRY(rts_transfer_send(&transfer, of->array, &order[i].box, order[i].to));
        if (me != order[i].to)
            continue;
        if (order[i].into_memory && !(order[i].from_memory && order[i].from == me))
            CLUSTER_TRY(rts_transfer_receive_into(&transfer, order[i].memory, &order[i].layout, 8,
                                                  &order[i].box, order[i].from));
        else
            CLUSTER_TRY(rts_transfer_receive(&transfer, of->array, &order[i].box, order[i].from));
    }
    CLUSTER_TRY(rts_transfer_run(&transfer));
    for (int i = 0; i < count; i++) {
        if (rts_box_is_empty(&order[i].box))
            continue;
        const int64_t sent = order[i].from_memory ? 3 : 1000 + order[i].from;
        if (me == order[i].to && order[i].into_memory && !(order[i].from_memory && order[i].from == me))
            check_memory(&order[i], sent);
        rts_free(order[i].memory);
    }
    for (int from = 0; from < rts_comm_size();
         from++) /* as boxes of one array are unpacked where they overlap */
        for (int i = 0; i < count; i++) {
            const bool is_memory = order[i].into_memory && !(order[i].from_memory && order[i].from == me);
            if (me == order[i].to && order[i].from == from && !is_memory)
                example_set(&example[order[i].array], &order[i].box, order[i].from_memory ? 3 : 1000 + from);
        }
    for (int i = 0; i < ARRAYS; i++) {
        example_check(&example[i]);
        example_close(&example[i]);
    }
    rts_transfer_free(&transfer);
}

/* Boxes read and written by one process, wherever the newest values are. */
static void test_values(void) {
    array_example_t example;
    uint64_t salt = 5;
    example_open_whole(&example, 7);
    example_fill(&example, 1);
    for (int step = 0; step < 12; step++) {
        const rts_box_t box = random_part(&example.array->space);
        static int64_t buffer[EXAMPLE_LARGEST];
        rts_index_t index[RTS_MAX_RANK];
        if (check_random_once_in(3))
            example_scatter(&example, &salt);
        int at = 0;
        example_first(&box, index);
        if (check_random_once_in(2)) {
            CLUSTER_TRY(rts_coherence_read(example.array, &box, buffer));
            if (!rts_box_is_empty(&box))
                do
                    CHECK_EQ_INT(buffer[at++], example_expected(&example, index));
                while (place_next(&box, index));
            continue;
        }
        if (!rts_box_is_empty(&box))
            do
                buffer[at++] = example_value(7, index, 100 + step);
            while (place_next(&box, index));
        CLUSTER_TRY(rts_coherence_write(example.array, &box, buffer));
        example_set(&example, &box, 100 + step);
    }
    example_check(&example);
    example_close(&example);
}

int main(int argc, char **argv) {
    cluster_start(&argc, &argv);
    test_gather_all();
    test_reduce();
    test_agree();
    test_messages(RTS_TAG_TRANSFER);
    test_messages(RTS_TAG_PIPELINE);
    test_shorter();
    test_shared();
    for (int i = 0; i < 60; i++)
        test_values();
    for (int i = 0; i < 120; i++)
        test_transfer();
    return cluster_finish();
}
