/* Programs of random loops through the whole run-time system and the real kernels of include/dvmhx_run_cuda.h, on the emulated GPU, in every
 * mode of the planner, against sequential loops; loops that are run many times in a row, which then run together, and faults. Kernels run
 * some time after they are queued, so what they need is kept. */
#include <config.h>

#include "rts/cuda/cuda_device.h"
#include "tests/unit/exec_program.h"

void example_kernel_iteration(const void *kept, const DvmType variable[]);
void example_kernel_launch(const dvmhx_record_t *record, const void *kept, int is_dependent);
void example_faulty_launch(const dvmhx_record_t *record);

/* A record as it was, for kernels under way. */
typedef struct kept_record {
    struct kept_record *next;
    example_loop_t loop;
    dvmhx_record_t record;
    dvmhx_array_t array[EXAMPLE_USES];
    DvmType stride[EXAMPLE_USES][RTS_MAX_RANK], start[RTS_MAX_RANK], step[RTS_MAX_RANK];
} kept_record_t;

static kept_record_t *all_kept;
static int64_t launches, kinds[4], iterations;

void example_kernel_iteration(const void *given, const DvmType variable[]) {
    const kept_record_t *kept = given;
    rts_index_t n[RTS_MAX_RANK];
    for (int dim = 0; dim < kept->record.rank; dim++)
        n[dim] = (variable[dim] - kept->start[dim]) / kept->step[dim];
    iterations++;
    example_iteration(&kept->loop, &kept->record, n);
}

/* Whether what iterations are told is the same as before: then it stays one thing, by which launches are compared. */
static bool is_kept(const kept_record_t *kept, const dvmhx_record_t *record) {
    bool same = kept != NULL && memcmp(&kept->loop, example_running, sizeof kept->loop) == 0;
    for (int dim = 0; same && dim < record->rank; dim++)
        same = kept->start[dim] == record->start[dim] && kept->step[dim] == record->step[dim];
    for (int u = 0; same && u < record->array_count; u++) {
        same = kept->array[u].base == record->arrays[u].base;
        for (int axis = 0; same && axis < record->arrays[u].rank; axis++)
            same = kept->stride[u][axis] == record->arrays[u].stride[axis];
    }
    return same;
}

static kept_record_t *keep_record(const dvmhx_record_t *record) {
    kept_record_t *kept = rts_alloc_zeroed(1, sizeof *kept);
    if (kept == NULL)
        exit(99);
    kept->next = all_kept;
    all_kept = kept;
    kept->loop = *example_running;
    kept->record = *record;
    kept->record.arrays = kept->array;
    kept->record.start = kept->start;
    kept->record.step = kept->step;
    for (int dim = 0; dim < record->rank; dim++) {
        kept->start[dim] = record->start[dim];
        kept->step[dim] = record->step[dim];
    }
    for (int u = 0; u < record->array_count; u++) {
        kept->array[u] = record->arrays[u];
        kept->array[u].stride = kept->stride[u];
        for (int axis = 0; axis < record->arrays[u].rank; axis++)
            kept->stride[u][axis] = record->arrays[u].stride[axis];
    }
    return kept;
}

static void kernel_handler(const dvmhx_record_t *record) {
    const kept_record_t *kept = is_kept(all_kept, record) ? all_kept : keep_record(record);
    launches++;
    kinds[record->launch->kind]++;
    example_kernel_launch(record, kept, kept->loop.dependent);
}

static void forget_records(void) {
    while (all_kept != NULL) {
        kept_record_t *const next = all_kept->next;
        rts_free(all_kept);
        all_kept = next;
    }
}

static void run_mode(const char *planner, int programs) {
    test_mode(planner, programs);
    forget_records();
}

/* ---- sweeps ---- */

static int64_t held, held_most; /* sweeps that were held back when their loop returned, and at once */

/* As a compiler tells a loop: where the written array is referenced. */
static rts_status_t execute_known(rts_loop_t *loop) {
    rts_loop_array_t *written = &loop->array[0];
    loop->found = loop->vectors;
    written->has_references = true;
    for (int axis = 0; axis < written->array->space.rank; axis++)
        written->reach[axis] =
            (rts_loop_reach_t){.is_known = true, .mult = written->dim[axis] >= 0 ? written->sign[axis] : 0};
    const rts_status_t status = rts_exec_loop(loop);
    const rts_cuda_device_t *device = rts_cuda_device_of(1);
    const int64_t count = device != NULL ? device->held.count : 0;
    held += count > 1;
    held_most = rts_max(held_most, count);
    return status;
}

static bool perform_alone(const example_loop_t *loop) {
    rts_region_t *region = NULL;
    CHECK_EQ_INT(rts_region_open(0, &region), RTS_OK);
    for (int array = 0; array < 3; array++)
        CHECK_EQ_INT(rts_region_register(region, example_arrays[array].array,
                                         RTS_INTENT_IN | (array < 2 ? RTS_INTENT_OUT : 0), NULL),
                     RTS_OK);
    CHECK_EQ_INT(rts_region_execute(region, program_devices), RTS_OK);
    const bool good = CHECK_EQ_INT(example_perform(loop, region), RTS_OK);
    CHECK_EQ_INT(rts_region_close(region), RTS_OK);
    example_model(loop);
    return good;
}

/* Mostly one loop again and again; now and then another one, the same with another value, or a look at an array. */
static void run_sweeps(const char *planner) {
    example_loop_t loop[3];
    int which = 0;
    bool good = true;
    open_program(planner, 0);
    example_execute = execute_known;
    for (int i = 0; i < 3; i++)
        random_loop(&loop[i], i % 2, 1 - i % 2, true, PART);
    for (int step = 0; step < 120 && good; step++) {
        if (check_random_once_in(25))
            which = (int)pick(0, 2);
        if (check_random_once_in(30))
            loop[which].salt++;
        good = perform_alone(&loop[which]) && (!check_random_once_in(30) || look((int)pick(0, 1)));
    }
    good = good && look(0) && look(1);
    if (!good)
        fprintf(stderr, "  in sweeps under %s\n", planner);
    finish_devices();
    close_program();
    example_execute = rts_exec_loop;
    forget_records();
}

static void test_sweeps(void) {
    for (int i = 0; i < 4; i++) {
        run_sweeps("off");
        run_sweeps("greedy");
        run_sweeps("cost");
        run_sweeps("random:5");
    }
    CHECK(held > 20 && held_most > 2); /* how many depends on when the GPU is idle */
}

/* ---- faults ---- */

static rts_status_t execute_at_line(rts_loop_t *loop) {
    loop->position = (rts_position_t){"faulty.c", 77};
    return rts_exec_loop(loop);
}

/* The program that has one: says what it hears when it looks at the result. */
static int run_faulty(void) {
    const example_loop_t loop = {.rank = 2,
                                 .use_count = 1,
                                 .step = {1, 1},
                                 .count = {2, 2},
                                 .use = {
                                     {.array = 3, .intent = RTS_INTENT_OUT, .dim = {0, 1}, .sign = {1, 1}}}};
    rts_region_t *region = NULL;
    example_cuda_handler = (DvmHandlerFunc)(void (*)(void))example_faulty_launch;
    example_execute = execute_at_line;
    open_program("off", 0);
    rts_array_t *array = example_arrays[3].array;
    CHECK_EQ_INT(rts_region_open(0, &region), RTS_OK);
    CHECK_EQ_INT(rts_region_register(region, array, RTS_INTENT_IN | RTS_INTENT_OUT, NULL), RTS_OK);
    CHECK_EQ_INT(rts_region_execute(region, program_devices), RTS_OK);
    rts_status_t status = example_perform(&loop, region);
    if (status == RTS_OK) {
        CHECK_EQ_INT(rts_region_close(region), RTS_OK);
        status = rts_coherence_fetch(array, 0, NULL);
    }
    printf("status %d: %s\n", (int)status, rts_error_text());
    fflush(stdout);
    _Exit(0);
}

/* In a process of its own, since the GPU is of no use after it. */
static void test_fault(const char *program) {
    char command[512], line[1024] = "", all[4096] = "";
    snprintf(command, sizeof command, "EMULATED_CUDA_QUIET=1 '%s' fault", program);
    FILE *output = popen(command, "r");
    while (output != NULL && fgets(line, sizeof line, output) != NULL)
        strncat(all, line, sizeof all - strlen(all) - 1);
    CHECK(output != NULL && pclose(output) == 0);
    snprintf(line, sizeof line, "status %d: CUDA device 0: ", (int)RTS_ERR_DEVICE);
    CHECK_CONTAINS(all, line);
    CHECK_CONTAINS(all, "in the loop of faulty.c:77 or one before it");
}

int main(int argc, char **argv) {
    check_random_start();
    setenv("DVMH_SET_AFFINITY", "0", 1);
    setenv("DVMH_NUM_CUDAS", "1", 1);
    setenv("DVMH_REQUIRE_CUDA", "1", 1);
    example_cuda_handler = (DvmHandlerFunc)(void (*)(void))kernel_handler;
    program_devices = DEVICE_TYPE_CUDA;
    if (argc > 1)
        return run_faulty();
    test_fault(argv[0]);
    run_mode("random:", 30);
    for (int kind = 0; kind < 4; kind++)
        CHECK(kinds[kind] > 10);
    run_mode("cost", 8);
    run_mode("greedy", 8);
    test_sweeps();
    CHECK(launches > 200 && iterations > 20000);
    return check_finish();
}
