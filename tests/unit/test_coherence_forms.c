/* Replicas in forms against a model: random sequences of place, fetch, written, discard and release with random forms, on the host
 * beside home and on two devices. What is current must really lie where the replica's layout says, and nothing may be lost.
 * Allocations fail anywhere, and memory is short. */
#include <config.h>

#include "tests/unit/coherence_example.h"

static rts_box_t random_box(void) {
    rts_box_t box = {.rank = subject.array->held.rank};
    for (int axis = 0; axis < box.rank; axis++) {
        const rts_index_t lo = subject.array->held.lo[axis], hi = subject.array->held.hi[axis];
        const bool whole = check_random_once_in(2);
        box.lo[axis] = whole ? lo - 1 : pick(lo - 1, hi);
        box.hi[axis] = whole ? hi : box.lo[axis] + pick(0, hi - lo + 2);
    }
    return box;
}

static rts_layout_form_t random_form(int rank) {
    rts_layout_form_t form = rts_layout_form_home(rank);
    if (check_random_once_in(5))
        return form;
    check_random_shuffle(rank, form.perm);
    form.pitch_align = pick(1, 4);
    if (rank >= 2 && !check_random_once_in(3)) {
        form.kind = (rts_layout_kind_t)pick(RTS_LAYOUT_SKEW, RTS_LAYOUT_PACKED);
        const bool packed = form.kind == RTS_LAYOUT_PACKED;
        form.a = packed ? 1 : (int)pick(1, 2);
        form.b = (int)pick(1, packed ? 1 : 2) * (check_random_once_in(2) ? 1 : -1);
        form.pitch_align = packed ? 1 : form.pitch_align;
    }
    return form;
}

/* Forms at hand against the model. */
static void check_present(const rts_box_t *box) {
    for (int device = 0; device < DEVICES; device++) {
        rts_layout_form_t form[2];
        const int count = rts_coherence_present(subject.array, device, box, form);
        int expected = 0;
        for (int place = 0; place < PLACES; place++) {
            const rts_replica_t *replica = replica_at(place);
            rts_index_t index[RTS_MAX_RANK];
            bool all = replica != NULL && (place == 0 ? device == 0 : place == device + 1);
            memcpy(index, subject.array->held.lo, sizeof index);
            do {
                const unsigned newest = subject.newest[number_of(index)];
                if (rts_box_has_point(box, index) && newest != 0 && (newest >> place & 1) == 0)
                    all = false;
            } while (next_index(&subject.array->held, index));
            if (all && CHECK(expected < count))
                CHECK(rts_layout_form_equal(&form[expected], &replica->form));
            expected += all;
        }
        CHECK_EQ_INT(count, expected);
    }
}

static void open_subject(int rank) {
    rts_box_t space = {.rank = rank};
    rts_index_t edges[RTS_MAX_RANK] = {0};
    rts_axis_rule_t rule[RTS_MAX_RANK];
    const rts_grid_t grid = {.rank = 0};
    rts_index_t index[RTS_MAX_RANK];
    for (int axis = 0; axis < rank; axis++) {
        space.lo[axis] = pick(-3, 3);
        space.hi[axis] = space.lo[axis] + pick(1, 8);
        rule[axis] = (rts_axis_rule_t){.kind = RTS_AXIS_BLOCK, .grid_axis = axis};
    }
    CHECK_EQ_INT(rts_array_create(&space, (rts_element_t){.code = rt_INT, .bytes = sizeof(uint32_t)}, edges,
                                  edges, true, &subject.array),
                 RTS_OK);
    CHECK_EQ_INT(rts_array_distribute(subject.array, rule, &grid), RTS_OK);
    the_array = subject.array;
    subject.size = rts_box_size(&subject.array->held);
    memcpy(index, space.lo, sizeof index);
    do {
        subject.newest[number_of(index)] = 1;
        subject.value[number_of(index)] = ++last_value;
        *element_at(&subject.array->home, index) = last_value;
    } while (next_index(&space, index));
}

static void random_step(void) {
    const rts_box_t box = random_box();
    const rts_box_t *part = check_random_once_in(6) ? NULL : &box;
    const rts_index_t what = pick(0, 99);
    const int place = (int)pick(0, PLACES - 1);
    rts_replica_t *replica = replica_at(place);
    if (what < 40) {
        const rts_layout_form_t form = random_form(subject.array->held.rank);
        const int device = (int)pick(0, DEVICES - 1);
        replica = do_place(device, &form);
        if (replica != NULL && check_random_once_in(2))
            do_fetch(replica, part, false);
        if (replica != NULL && check_random_once_in(2))
            do_write(replica, part);
    } else if (what < 60 && replica != NULL) {
        do_fetch(replica, part, place != 1 && check_random_once_in(2));
    } else if (what < 80 && replica != NULL) {
        do_write(replica, part);
    } else if (what < 86) {
        do_discard(part);
    } else if (what < 88) {
        rts_coherence_release(subject.array);
        for (rts_index_t i = 0; i < subject.size; i++)
            subject.newest[i] &= 1;
    } else {
        check_present(&box);
    }
}

static void test_sequences(bool with_failures) {
    failure_count = in_place_calls = 0;
    for (int round = 0; round < 1000; round++) {
        open_subject(1 + round % 3);
        in_place_works = check_random_once_in(2);
        for (int step = 0; step < 80; step++) {
            if (with_failures && check_random_once_in(2)) {
                most_bytes = check_random_once_in(2) ? live_bytes : INT64_MAX;
                rts_memory_fail_at(pick(0, 8));
            }
            random_step();
            rts_memory_fail_at(0);
            most_bytes = INT64_MAX;
            if (!check_subject()) {
                fprintf(stderr, "  in round %d, step %d\n", round, step);
                return;
            }
        }
        close_subject();
    }
    reset_all();
    CHECK(with_failures ? failure_count > 500 && in_place_calls > 200 : failure_count == 0);
}

int main(void) {
    check_random_start();
    rts_handle_t handle; /* the table of handles stays alive: not a leak */
    CHECK_EQ_INT(rts_handle_create(RTS_HANDLE_ARRAY, &handle, &handle), RTS_OK);
    test_sequences(false);
    test_sequences(true);
    rts_handle_reset();
    return check_finish();
}
