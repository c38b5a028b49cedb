/* Buffers of replicas that change their form: which is kept and used again, and the ways out without memory, provoked one by one. */
#include <config.h>

#include "tests/unit/coherence_example.h"

static rts_layout_form_t plain_form(int first, int second) {
    rts_layout_form_t form = rts_layout_form_home(2);
    form.perm[0] = first;
    form.perm[1] = second;
    return form;
}

static rts_layout_form_t diagonal_form(rts_layout_kind_t kind) {
    rts_layout_form_t form = plain_form(1, 0);
    form.kind = kind;
    form.a = form.b = 1;
    return form;
}

/* A square array whose newest values are on one device only. */
static rts_replica_t *open_square(int device, const rts_layout_form_t *form) {
    static const rts_index_t extent[] = {16, 16};
    static uint32_t memory[16 * 16];
    CHECK_EQ_INT(rts_array_create_variable(2, extent,
                                           (rts_element_t){.code = rt_INT, .bytes = sizeof(uint32_t)}, memory,
                                           &subject.array),
                 RTS_OK);
    the_array = subject.array;
    subject.size = 256;
    for (int i = 0; i < 256; i++) {
        subject.newest[i] = 1;
        subject.value[i] = memory[i] = (uint32_t)i;
    }
    rts_replica_t *replica = do_place(device, form);
    do_fetch(replica, NULL, false);
    do_write(replica, NULL);
    CHECK(check_subject());
    return replica;
}

/* Changing back and forth needs two buffers, once. */
static void test_spare(int device) {
    const rts_layout_form_t form[] = {plain_form(1, 0), diagonal_form(RTS_LAYOUT_WRAP),
                                      diagonal_form(RTS_LAYOUT_SKEW)};
    rts_replica_t *replica = open_square(device, &form[0]);
    CHECK(do_place(device, &form[1]) == replica);
    int64_t now = allocations;
    for (int i = 0; i < 6; i++) {
        CHECK(do_place(device, &form[i % 2]) == replica && check_subject());
        CHECK_EQ_INT(live_blocks, 2);
    }
    CHECK_EQ_INT(allocations, now);
    CHECK(do_place(device, &form[2]) == replica); /* too large for the spare one */
    CHECK_EQ_INT(allocations, now + 1);
    CHECK_EQ_INT(live_blocks, 2);
    CHECK(check_subject());
    /* Values that home has too need no second buffer. */
    do_fetch(&subject.array->home, NULL, false);
    now = reorganisations;
    const void *buffer = replica->buffer;
    CHECK(do_place(device, &form[0]) == replica && check_subject());
    CHECK(replica->current.count == 0 && replica->buffer == buffer);
    CHECK_EQ_INT(reorganisations, now);
    close_subject();
    CHECK_EQ_INT(live_blocks, 1);
    reset_all();
}

/* Which buffer is kept and which is used again: 1 KiB for a plain form, 8 KiB for one of long rows. */
static void test_sizes(int device) {
    const rts_layout_form_t plain = plain_form(1, 0), wrap = diagonal_form(RTS_LAYOUT_WRAP);
    rts_layout_form_t large = plain;
    large.pitch_align = 128;
    rts_replica_t *replica = open_square(device, &plain);
    (void)do_place(device, &wrap);
    (void)do_place(device, &large); /* two of 1 KiB were there: one is kept */
    CHECK_EQ_INT(live_bytes, 8192 + 1024);
    (void)do_place(device, &plain); /* in the one kept; the larger is spare */
    CHECK_EQ_INT(live_bytes, 8192 + 1024);
    CHECK_EQ_INT(replica->buffer_bytes, 1024);
    (void)do_place(device, &wrap); /* not in a buffer of eight times its size; the larger stays spare */
    CHECK_EQ_INT(live_bytes, 8192 + 1024);
    CHECK_EQ_INT(replica->buffer_bytes, 1024);
    CHECK(check_subject());
    (void)do_place(device, &large);
    CHECK_EQ_INT(replica->buffer_bytes, 8192);
    do_fetch(&subject.array->home, NULL, false);
    rts_coherence_reset();
    most_bytes = live_bytes; /* better a buffer that is too large than none */
    CHECK(do_place(device, &plain) == replica && check_subject());
    CHECK_EQ_INT(replica->buffer_bytes, 8192);
    most_bytes = INT64_MAX;
    (void)do_place(device, &wrap);
    CHECK_EQ_INT(live_bytes, 8192 + 1024); /* the larger is kept also where no value had to be */
    close_subject();
    reset_all();
}

/* A copy fails: everything is as it was. */
static void test_failing_copy(int device) {
    const rts_layout_form_t plain = plain_form(1, 0), wrap = diagonal_form(RTS_LAYOUT_WRAP);
    const rts_box_t corner = {.rank = 2, .lo = {3, 3}, .hi = {9, 9}};
    rts_replica_t *replica = open_square(device, &plain), *moved = NULL;
    do_discard(&corner);
    CHECK(replica->current.count > 1);
    for (int n = 1; n <= replica->current.count; n++) {
        failing_copy = n;
        CHECK_EQ_INT(rts_coherence_place(subject.array, device, &wrap, &moved), RTS_ERR_DEVICE);
        CHECK(moved == NULL && rts_layout_form_equal(&replica->form, &plain));
        CHECK(check_subject());
        CHECK_EQ_INT(live_blocks, 2);
    }
    failing_copy = 0;
    close_subject();
    reset_all();
}

/* Without memory: the spare buffer goes first, then in place, by way of home, and not at all. */
static void test_short_of_memory(int device) {
    const rts_layout_form_t plain = plain_form(1, 0), wrap = diagonal_form(RTS_LAYOUT_WRAP),
                            skew = diagonal_form(RTS_LAYOUT_SKEW);
    rts_replica_t *replica = open_square(device, &plain);
    CHECK(do_place(device, &wrap) == replica);
    CHECK_EQ_INT(live_blocks, 2);
    most_bytes = live_bytes / 2 + 31 * 16 * 4; /* a skewed one fits beside the one in use, not beside both */
    CHECK(do_place(device, &skew) == replica && check_subject());
    CHECK_EQ_INT(live_blocks, 2); /* the one that was in use is spare now */
    most_bytes = 0;               /* from a plane of 31 rows to one of 16, without any */
    rts_coherence_reset();
    CHECK_EQ_INT(live_blocks, 1);
    in_place_works = true;
    in_place_calls = 0;
    CHECK(do_place(device, &plain) == replica && check_subject());
    CHECK_EQ_INT(in_place_calls, 1);
    in_place_works = false;
    const int64_t before = reorganisations;
    rts_replica_t *moved = do_place(device, &wrap);
    CHECK_EQ_INT(in_place_calls, 2);
    if (device == 0) {
        CHECK(moved == replica);
        CHECK_EQ_INT(reorganisations, before + 2);
        CHECK(rts_boxset_contains(&subject.array->home.current, &subject.array->held));
    } else {
        CHECK(moved == NULL && rts_layout_form_equal(&replica->form, &plain));
        CHECK_EQ_INT(reorganisations, before);
    }
    CHECK(check_subject());
    do_write(replica, NULL);
    rts_layout_form_t large = skew;
    large.pitch_align = 128; /* the buffer is too small for this one */
    CHECK(do_place(device, &large) == NULL && check_subject());
    CHECK_EQ_INT(reorganisations, before + (device == 0 ? 2 : 0));
    most_bytes = INT64_MAX;
    close_subject();
    reset_all();
}

/* The n-th allocation of a story fails, for every n. */
static void test_every_allocation(void) {
    const int64_t live = rts_memory_live();
    const rts_layout_form_t plain = plain_form(1, 0), wrap = diagonal_form(RTS_LAYOUT_WRAP),
                            skew = diagonal_form(RTS_LAYOUT_SKEW), home = rts_layout_form_home(2);
    const rts_box_t half = {.rank = 2, .lo = {1, 1}, .hi = {9, 9}};
    in_place_works = false;
    for (int n = 1;; n++) {
        rts_replica_t *replica = open_square(0, &plain);
        const int64_t calls = rts_memory_calls();
        rts_memory_fail_at(n);
        (void)do_place(0, &skew);
        do_write(replica, &half);
        (void)do_place(0, &wrap);
        if ((replica = do_place(1, &skew)) != NULL) {
            do_fetch(replica, NULL, false);
            do_write(replica, &half);
        }
        (void)do_place(1, &plain);
        if ((replica = do_place(0, &plain)) != NULL)
            do_fetch(replica, &half, false);
        if ((replica = do_place(0, &home)) != NULL)
            do_fetch(replica, NULL, false);
        rts_memory_fail_at(0);
        const bool finished = rts_memory_calls() - calls < n;
        CHECK(check_subject());
        close_subject();
        reset_all();
        CHECK_EQ_INT(rts_memory_live(), live);
        if (finished) {
            CHECK(n > 8);
            return;
        }
    }
}

int main(void) {
    rts_handle_t handle; /* the table of handles stays alive: not a leak */
    CHECK_EQ_INT(rts_handle_create(RTS_HANDLE_ARRAY, &handle, &handle), RTS_OK);
    for (int device = 0; device < DEVICES; device++) {
        test_spare(device);
        test_sizes(device);
        test_failing_copy(device);
        test_short_of_memory(device);
    }
    test_every_allocation();
    rts_handle_reset();
    return check_finish();
}
