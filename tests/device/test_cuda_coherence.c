/* Coherence with a GPU beside the host and a device that the host plays: random steps on several arrays, whose newest values move between home,
 * work replicas, and both devices, in random forms, with and without a limit on memory, against a model of values. */
#include <config.h>

#include "rts/backend.h"
#include "rts/coherence.h"
#include "rts/coherence_values.h"
#include "rts/memory.h"
#include "rts/replica.h"
#include "rts/runtime.h"
#include "tests/check.h"
#include "tests/next_index.h"

#include <dvmhlib_const.h>
#include <unistd.h>

enum { ARRAYS = 4, SIZE = 4096, STEPS = 400, DEVICES = 3 };

/* An array and what its elements should be, in C order. */
typedef struct subject {
    rts_array_t *array;
    int32_t value[SIZE];
    int32_t memory[SIZE];
} subject_t;

static subject_t subjects[ARRAYS];
static int32_t last_value;
static int left_out; /* steps that had no memory */

static rts_index_t pick(rts_index_t low, rts_index_t high) {
    return check_random_range(low, high);
}

static void open_subject(subject_t *subject) {
    const int rank = (int)pick(1, 3);
    rts_index_t extent[RTS_MAX_RANK];
    for (int axis = 0; axis < rank; axis++)
        extent[axis] = pick(1, rank == 1 ? 4096 : rank == 2 ? 64 : 16);
    CHECK_EQ_INT(rts_array_create_variable(rank, extent,
                                           (rts_element_t){.code = rt_INT, .bytes = sizeof(int32_t)},
                                           subject->memory, &subject->array),
                 RTS_OK);
    for (int i = 0; i < SIZE; i++)
        subject->value[i] = subject->memory[i] = ++last_value;
}

static rts_layout_form_t pick_form(int rank) {
    rts_layout_form_t form = rts_layout_form_home(rank);
    for (int axis = rank - 1; axis > 0; axis--) {
        const int64_t other = pick(0, axis);
        const int swapped = form.perm[axis];
        form.perm[axis] = form.perm[other];
        form.perm[other] = swapped;
    }
    if (check_random_once_in(2))
        form.pitch_align = pick(1, 32);
    if (rank < 2 || check_random_once_in(2))
        return form;
    form.kind = check_random_once_in(2) ? RTS_LAYOUT_SKEW : RTS_LAYOUT_WRAP;
    form.a = 1;
    form.b = check_random_once_in(2) ? 1 : -1;
    return form;
}

static rts_box_t pick_box(const rts_array_t *array) {
    rts_box_t box = array->held;
    for (int axis = 0; axis < box.rank && !check_random_once_in(3); axis++) {
        box.lo[axis] = pick(array->held.lo[axis], array->held.hi[axis] - 1);
        box.hi[axis] = pick(box.lo[axis] + 1, array->held.hi[axis]);
    }
    return box;
}

/* The model's place of an element. */
static int32_t *value_of(subject_t *subject, const rts_index_t index[]) {
    const rts_box_t *held = &subject->array->held;
    rts_index_t number = 0;
    for (int axis = 0; axis < held->rank; axis++)
        number = number * (held->hi[axis] - held->lo[axis]) + index[axis];
    return &subject->value[number];
}

/* The newest values of a box, wherever they are. */
static void check_values(subject_t *subject, const rts_box_t *box) {
    static int32_t found[SIZE];
    rts_index_t index[RTS_MAX_RANK], i = 0;
    bool good = true;
    CHECK_EQ_INT(rts_coherence_read(subject->array, box, found), RTS_OK);
    memcpy(index, box->lo, sizeof index);
    do
        good = found[i++] == *value_of(subject, index) && good;
    while (next_index(box, index));
    CHECK(good);
}

/* As a loop on the replica would: new values in its memory, and nowhere else. */
static void write_at(subject_t *subject, rts_replica_t *replica, const rts_box_t *box) {
    static int32_t values[SIZE];
    rts_index_t index[RTS_MAX_RANK], i = 0;
    rts_layout_t packed;
    CHECK_EQ_INT(rts_layout_plain(box, NULL, 1, &packed), RTS_OK);
    memcpy(index, box->lo, sizeof index);
    do
        *value_of(subject, index) = values[i++] = ++last_value;
    while (next_index(box, index));
    const rts_copy_job_t job = {.element_bytes = sizeof(int32_t),
                                .box = *box,
                                .target_device = replica->device,
                                .source = values,
                                .target = replica->buffer,
                                .source_layout = &packed,
                                .target_layout = &replica->layout};
    CHECK_EQ_INT(rts_backend_of_device(replica->device)->copy(&job), RTS_OK);
    CHECK_EQ_INT(rts_coherence_written_at(subject->array, replica, box), RTS_OK);
}

static void step(void) {
    subject_t *subject = &subjects[pick(0, ARRAYS - 1)];
    const rts_box_t box = pick_box(subject->array);
    const rts_layout_form_t form = pick_form(subject->array->held.rank);
    const int device = (int)pick(0, DEVICES - 1);
    rts_replica_t *replica = NULL;
    rts_coherence_begin_use();
    if (check_random_once_in(5)) {
        check_values(subject, &box);
        return;
    }
    const rts_status_t status = rts_coherence_place(subject->array, device, &form, &replica);
    if (status != RTS_OK) {
        CHECK_EQ_INT(status, RTS_ERR_NO_MEMORY);
        left_out++;
        return;
    }
    CHECK_EQ_INT(rts_coherence_fetch_to(subject->array, replica, check_random_once_in(2) ? &box : NULL),
                 RTS_OK);
    if (check_random_once_in(2))
        write_at(subject, replica, &box);
}

static void run_steps(int64_t limit) {
    char text[32];
    int argc = 1;
    static char name[] = "program", *arguments[] = {name, NULL};
    char **argv = arguments;
    snprintf(text, sizeof text, "%" PRId64, limit);
    setenv("DVMH_DEVICE_MEMORY", limit > 0 ? text : "", 1);
    if (!CHECK_EQ_INT(rts_runtime_open(true, &argc, &argv), RTS_OK)) {
        fprintf(stderr, "%s\n", rts_error_text());
        return;
    }
    CHECK_EQ_INT(rts_device_count(), DEVICES);
    CHECK_EQ_INT(rts_backend_of_device(DEVICES - 1)->device_type, DEVICE_TYPE_CUDA);
    for (int i = 0; i < ARRAYS; i++)
        open_subject(&subjects[i]);
    for (int i = 0; i < STEPS; i++)
        step();
    for (int i = 0; i < ARRAYS; i++) {
        check_values(&subjects[i], &subjects[i].array->held);
        CHECK_EQ_INT(rts_coherence_settle(subjects[i].array), RTS_OK);
        const rts_index_t size = rts_box_size(&subjects[i].array->held);
        CHECK(memcmp(subjects[i].memory, subjects[i].value, (size_t)size * sizeof(int32_t)) == 0);
        rts_array_destroy(subjects[i].array);
    }
    rts_runtime_close();
}

static bool has_gpu(void) {
    int argc = 1;
    static char name[] = "program", *arguments[] = {name, NULL};
    char **argv = arguments;
    setenv("DVMH_NUM_CUDAS", "1", 1);
    const rts_status_t status = rts_runtime_open(true, &argc, &argv);
    if (status == RTS_OK)
        rts_runtime_close();
    return status == RTS_OK;
}

int main(int argc, char **argv) {
    const char *const required = getenv("DVMH_REQUIRE_CUDA");
    const bool few = argc > 1 && strcmp(argv[1], "few") == 0;
    check_random_start();
    setenv("DVMH_SET_AFFINITY", "0", 1);
    if (!has_gpu()) {
        if (required == NULL || *required == '\0' || strcmp(required, "0") == 0)
            check_skip("no GPU here that this build can use");
        CHECK(!"a GPU that DVMH_REQUIRE_CUDA asks for");
        return check_finish();
    }
    setenv("DVMH_FAKE_DEVICES", "1", 1);
    for (int trial = 0; trial < (few ? 2 : 16); trial++)
        run_steps(trial % 2 == 0 ? 0 : pick(20000, 60000));
    printf("%d steps had no memory\n", left_out);
    CHECK(few || left_out > 0);
    return check_finish();
}
