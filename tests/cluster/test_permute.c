/* Permutations of arrays with one axis in random places on random grids, by orders that lie anywhere else: compared with a model of the array
 * that every process has whole, shadow edges included. Newest values lie anywhere, differently in every process. An order that is no
 * permutation is refused by all, whoever sees it, and changes nothing. Of a variable each process permutes its own. */
#include <config.h>

#include "rts/permute.h"

#include "tests/cluster/array_example.h"

enum { ROUNDS = 250, LONGEST = 60, WIDEST = 2 };

static array_example_t array, order;
static place_example_t array_place, order_place;
static int64_t shuffled[LONGEST];
static int apart; /* rounds in which values came from other processes */

static void open_one(array_example_t *example, place_example_t *place, int number, rts_index_t n,
                     size_t bytes) {
    rts_index_t low[RTS_MAX_RANK] = {check_random_range(0, WIDEST)},
                high[RTS_MAX_RANK] = {check_random_range(0, WIDEST)};
    place->grid = rts_runtime()->grid;
    place->space = (rts_box_t){.rank = 1, .lo = {check_random_range(-3, 3)}};
    place->space.hi[0] = place->space.lo[0] + n;
    place_random_target(place);
    example_open_sized(example, number, place, low, high, bytes);
}

/* Every order of 0 .. n - 1 is as likely as another. */
static void shuffle(int64_t list[], rts_index_t n, uint64_t *own_salt) {
    for (rts_index_t i = 0; i < n; i++)
        list[i] = i;
    for (rts_index_t i = n - 1; i > 0; i--) {
        const rts_index_t j =
            own_salt != NULL ? cluster_own_random(own_salt, 0, i) : check_random_range(0, i);
        const int64_t kept = list[i];
        list[i] = list[j];
        list[j] = kept;
    }
}

/* The order's elements that are held here, with the index of the array that each number means. */
static void store_order(rts_array_t *to, const rts_array_t *of) {
    CLUSTER_TRY(rts_coherence_written(to, 0, &to->held));
    for (rts_index_t i = to->held.lo[0]; i < to->held.hi[0]; i++) {
        const int64_t index = shuffled[i - to->space.lo[0]] + of->space.lo[0];
        const int32_t small = (int32_t)index;
        void *const element = rts_array_element(to, &i);
        if (to->element.bytes == sizeof small)
            memcpy(element, &small, sizeof small);
        else
            memcpy(element, &index, sizeof index);
    }
}

static void open_both(uint64_t *salt) {
    const rts_index_t n = check_random_range(1, LONGEST);
    open_one(&array, &array_place, 1, n, sized_random());
    open_one(&order, &order_place, 2, n, check_random_once_in(3) ? sizeof(int32_t) : sizeof(int64_t));
    example_fill(&array, 1);
    example_set(&array, &array.array->space, 1);
    example_scatter(&array, salt);
    shuffle(shuffled, n, NULL);
    store_order(order.array, array.array);
}

static void test_permutation(uint64_t *salt) {
    int64_t before[LONGEST];
    open_both(salt);
    const rts_index_t n = rts_box_size(&array.array->space);
    memcpy(before, array.model, (size_t)n * sizeof before[0]);
    for (rts_index_t i = 0; i < n; i++)
        array.model[i] = before[shuffled[i]];
    CLUSTER_TRY(rts_permute(array.array, order.array));
    example_check(&array);
    apart += rts_box_size(&array.array->local) < n;
    example_close(&array);
    example_close(&order);
}

/* An index that is twice there, or beyond the array. */
static void test_refusal(uint64_t *salt) {
    open_both(salt);
    const rts_index_t n = rts_box_size(&array.array->space), at = check_random_range(0, n - 1);
    if (n > 1 && check_random_once_in(2))
        shuffled[at] = shuffled[(at + 1) % n];
    else
        shuffled[at] = check_random_once_in(2) ? n : -1;
    store_order(order.array, array.array);
    CHECK(rts_permute(array.array, order.array) != RTS_OK);
    example_check(&array);
    example_close(&array);
    example_close(&order);
}

static void test_variables(uint64_t *salt) {
    const rts_index_t n = check_random_range(1, LONGEST);
    rts_array_t *variable, *by;
    int64_t values[LONGEST];
    shuffle(shuffled, n, salt);
    for (rts_index_t i = 0; i < n; i++)
        values[i] = 1000 * rts_comm_rank() + i;
    CLUSTER_TRY(rts_array_create_variable(1, &n, sized_type(sizeof values[0]), values, &variable));
    CLUSTER_TRY(rts_array_create_variable(1, &n, sized_type(sizeof shuffled[0]), shuffled, &by));
    CLUSTER_TRY(rts_permute(variable, by));
    for (rts_index_t i = 0; i < n; i++)
        CHECK_EQ_INT(values[i], 1000 * rts_comm_rank() + shuffled[i]);
    rts_array_destroy(variable);
    rts_array_destroy(by);
}

int main(int argc, char **argv) {
    uint64_t salt = 5;
    cluster_start(&argc, &argv);
    for (int i = 0; i < ROUNDS; i++) {
        test_permutation(&salt);
        if (i % 5 == 0)
            test_refusal(&salt);
        if (i % 10 == 0)
            test_variables(&salt);
    }
    CHECK(rts_comm_size() < 4 || apart > ROUNDS / 8);
    return cluster_finish();
}
