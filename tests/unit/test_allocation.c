/* Memory that runs short: one program in which the n-th allocation of the runtime fails, for every n. It must
 * end well, with right results and nothing left over, or with exit code 1 and one message that says what
 * there was no memory for. The program runs on a fake device, so that replicas, copies and the way back to
 * the host are in it. */
#include <config.h>

#include "rts/memory.h"
#include "tests/abi/child.h"

#include <dvmhx.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

enum { ROWS = 13, COLUMNS = 10, CASE_SECONDS = 60, WRONG_RESULT = 3, LEAK = 4 };

typedef struct cell {
    double *a, *b;
    DvmType a1, a2, b1, b2;
    double w, sum, largest;
    long place[2];
} cell_t;

static inline void scale_body(cell_t *c, DvmType i, DvmType j) {
    c->b[i * c->b1 + j * c->b2] = c->w * c->a[i * c->a1 + j * c->a2];
}

#define DVMHX_NAME        scale
#define DVMHX_RANK        2
#define DVMHX_CONTEXT     cell_t
#define DVMHX_BODY        scale_body
#define DVMHX_INDEPENDENT 1
#include <dvmhx_run.h>

static inline void sweep_body(cell_t *c, DvmType i, DvmType j) {
    double *const x = &c->b[i * c->b1 + j * c->b2];
    *x = .5 * (x[-c->b1] + x[-c->b2]) + *x;
}

#define DVMHX_NAME    sweep
#define DVMHX_RANK    2
#define DVMHX_CONTEXT cell_t
#define DVMHX_BODY    sweep_body
#include <dvmhx_run.h>

static inline void reduce_body(cell_t *c, DvmType i, DvmType j) {
    const double x = c->b[i * c->b1 + j * c->b2];
    c->sum += x;
    if (x > c->largest) {
        c->largest = x;
        c->place[0] = i;
        c->place[1] = j;
    }
}

#define DVMHX_NAME        reduce
#define DVMHX_RANK        2
#define DVMHX_CONTEXT     cell_t
#define DVMHX_BODY        reduce_body
#define DVMHX_INDEPENDENT 1
#define DVMHX_CONFLICTS   1
#include <dvmhx_run.h>

static cell_t context(const dvmhx_record_t *record) {
    const dvmhx_array_t *const b = &record->arrays[0], *const a = &record->arrays[record->array_count - 1];
    return (cell_t){.a = a->base,
                    .b = b->base,
                    .a1 = a->stride[0],
                    .a2 = a->stride[1],
                    .b1 = b->stride[0],
                    .b2 = b->stride[1]};
}

static void scale_handler(const dvmhx_record_t *record, const double *w) {
    cell_t c = context(record);
    c.w = *w;
    scale_run(record, &c);
}

static void sweep_handler(const dvmhx_record_t *record) {
    cell_t c = context(record);
    sweep_run(record, &c);
}

static void reduce_handler(const dvmhx_record_t *record) {
    cell_t c = context(record);
    double *const sum = record->reductions[0], *const largest = record->reductions[1];
    long *const place = record->locations[1];
    c.sum = *sum;
    c.largest = *largest;
    memcpy(c.place, place, sizeof c.place);
    reduce_run(record, &c);
    *sum = c.sum;
    *largest = c.largest;
    memcpy(place, c.place, sizeof c.place);
}

/* Adds the element's number, on the host. */
static void number_handler(const DvmType *loop, DvmType a[]) {
    double(*const x)[a[1]] = dvmh_get_natural_base_C(dvmh_loop_get_device_num_C(*loop), a);
    DvmType low[2], high[2], step[2];
    dvmh_loop_fill_bounds_C(*loop, low, high, step);
    for (DvmType i = low[0]; i <= high[0]; i += step[0])
        for (DvmType j = low[1]; j <= high[1]; j += step[1])
            x[i][j] += (double)(i * COLUMNS + j);
}

/* ---- the program ---- */

static DvmType A[64], B[64], D[64], T[1];
static double weight;
static double sum, largest;
static long place[2];

static void declare(DvmType loop, const DvmType header[], DvmType intent) {
    const dvmhx_array_use_t use = {.size = sizeof use, .header = header, .rank = 2, .intent = intent};
    dvmhx_loop_array_C(loop, &use);
}

static DvmType open_loop(DvmType region, DvmType first) {
    const DvmType loop =
        dvmh_loop_create_C(region, 2, first, (DvmType)ROWS - 1, 1L, first, (DvmType)COLUMNS - 1, 1L);
    dvmh_loop_map_C(loop, A, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
    return loop;
}

static void create_objects(void) {
    dvmh_template_create_C(T, 2, (DvmType)ROWS, (DvmType)COLUMNS);
    dvmh_distribute_C(T, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
    dvmh_array_create_C(A, 2, -rt_DOUBLE, (DvmType)ROWS, 1L, 1L, (DvmType)COLUMNS, 1L, 1L);
    dvmh_align_C(A, T, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
    dvmh_array_create_C(B, 2, -rt_DOUBLE, (DvmType)ROWS, 1L, 1L, (DvmType)COLUMNS, 1L, 1L);
    dvmh_align_C(B, A, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
    dvmh_array_declare_C(D, 1, -rt_INT, 0L, 0L, 0L);
    dvmh_array_alloc_C(D, 4000);
    dvmh_distribute_C(D, 1, dvmh_distribution_block_C(1));
}

static void delete_objects(void) {
    dvmh_array_free_C(D);
    dvmh_forget_header_(D);
    dvmh_delete_object_(B);
    dvmh_delete_object_(A);
    dvmh_delete_object_(T);
}

static void run_region(void) {
    dvmh_data_enter_C(&weight, sizeof weight);
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_INOUT, A, "A");
    dvmh_region_register_array_C(region, INTENT_OUT, B, "B");
    dvmh_region_register_subarray_C(region, INTENT_IN, B, "B", 2, 0L, 0L, UNDEF_BOUND, UNDEF_BOUND);
    dvmh_region_register_array_C(region, INTENT_LOCAL, D, "D");
    dvmh_region_register_array_C(region, INTENT_IN, dvmh_variable_gen_header_C(&weight, 0, -rt_DOUBLE),
                                 "weight");
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST);

    DvmType loop = open_loop(region, 0);
    declare(loop, B, INTENT_OUT);
    declare(loop, A, INTENT_IN);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(HANDLER(scale_handler), 1, (void *)&weight));
    dvmh_loop_perform_C(loop);

    loop = open_loop(region, 1);
    dvmh_loop_across_C(loop, 0, B, 2, 1L, 0L, 1L, 0L);
    declare(loop, B, INTENT_INOUT);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(HANDLER(sweep_handler), 0));
    dvmh_loop_perform_C(loop);

    loop = open_loop(region, 0);
    dvmh_loop_reduction_C(loop, rf_SUM, &sum, rt_DOUBLE, 1, NULL, 0);
    dvmh_loop_reduction_C(loop, rf_MAXLOC, &largest, rt_DOUBLE, 1, place, sizeof place);
    declare(loop, B, INTENT_IN);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(HANDLER(reduce_handler), 0));
    dvmh_loop_perform_C(loop);

    loop = open_loop(region, 0); /* on the host, so that the device's copy is stale then */
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0,
                                 dvmh_handler_func_C(HANDLER(number_handler), 1, (void *)A));
    dvmh_loop_perform_C(loop);
    dvmh_get_actual_array2_(B);
    dvmh_region_end_C(region);
    dvmh_data_exit_C(&weight, 1);
}

/* ---- the same without the runtime ---- */

static double model_a[ROWS][COLUMNS], model_b[ROWS][COLUMNS];

static double start_value(DvmType i, DvmType j) {
    return (double)((i * 7 + j * 5) % 11);
}

static void model_region(double *model_sum, double *model_largest, long model_place[2]) {
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            model_b[i][j] = weight * model_a[i][j];
    for (int i = 1; i < ROWS; i++)
        for (int j = 1; j < COLUMNS; j++)
            model_b[i][j] = .5 * (model_b[i - 1][j] + model_b[i][j - 1]) + model_b[i][j];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            *model_sum += model_b[i][j];
            if (model_b[i][j] > *model_largest) {
                *model_largest = model_b[i][j];
                model_place[0] = i;
                model_place[1] = j;
            }
            model_a[i][j] += (double)(i * COLUMNS + j);
        }
}

static bool results_are_right(double model_sum, double model_largest, const long model_place[2]) {
    const double error = sum - model_sum;
    bool right = largest == model_largest && place[0] == model_place[0] && place[1] == model_place[1] &&
                 error < 1e-9 * model_sum && -error < 1e-9 * model_sum;
    dvmh_get_actual_array2_(A);
    for (DvmType i = 0; i < ROWS; i++)
        for (DvmType j = 0; j < COLUMNS; j++)
            right = right && *(double *)dvmh_get_element_addr_C(A, 2, i, j) == model_a[i][j] &&
                    *(double *)dvmh_get_element_addr_C(B, 2, i, j) == model_b[i][j];
    return right;
}

/* ---- one run ---- */

/* Shared with the parent: what the child asked for. */
static int64_t *calls;
static int64_t failing;      /* 0: none */
static bool is_before_start; /* counted from before dvmh_init_C, else from after it */
static int64_t live_at_start, calls_at_start;
static bool has_ended_well;

/* Called after the end of the runtime, since it is registered before the start. An error ends the program in the middle: only good runs give
 * everything back. */
static void check_end(void) {
    *calls = rts_memory_calls() - calls_at_start;
    if (has_ended_well && rts_memory_live() != live_at_start)
        _exit(LEAK);
}

static void begin_counting(void) {
    calls_at_start = rts_memory_calls();
    rts_memory_fail_at(failing);
}

static void use_files(void) {
    FILE *const file = dvmh_fopen("data", "w+");
    if (file == NULL)
        return; /* carrying on is the program's business here */
    dvmh_void_fwrite_distrib(A, sizeof(double), ROWS * COLUMNS, file);
    dvmh_rewind(file);
    dvmh_void_fread_distrib(B, sizeof(double), ROWS * COLUMNS, file);
    dvmh_void_fprintf(file, "%d\n", 5);
    dvmh_fclose(file);
}

static void run(void) {
    double model_sum = 1, model_largest = -1;
    long model_place[2] = {-1, -1};
    alarm(CASE_SECONDS);
    atexit(check_end);
    live_at_start = rts_memory_live();
    if (is_before_start)
        begin_counting();
    child_init();
    if (!is_before_start)
        begin_counting();
    create_objects();
    sum = 1;
    largest = -1;
    for (DvmType i = 0; i < ROWS; i++)
        for (DvmType j = 0; j < COLUMNS; j++)
            *(double *)dvmh_get_element_addr_C(A, 2, i, j) = model_a[i][j] = start_value(i, j);
    dvmh_actual_array2_(A);
    for (int iteration = 0; iteration < 3; iteration++) {
        weight = .25 * iteration + .5;
        run_region();
        model_region(&model_sum, &model_largest, model_place);
    }
    if (!results_are_right(model_sum, model_largest, model_place))
        _exit(WRONG_RESULT);
    use_files();
    void *block = dvmh_malloc_C(100);
    dvmh_free_C(block != NULL ? dvmh_realloc_C(block, 200) : NULL);
    delete_objects();
    has_ended_well = true;
    dvmh_exit_C(0);
}

/* ---- all runs ---- */

/* The lines on standard error: warnings of the log, then the message of the end. */
static void check_messages(const char *text, bool has_ended) {
    int errors = 0;
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        const bool is_error = strncmp(line, "*** RTS err: dvmh", 17) == 0;
        errors += is_error;
        CHECK(is_error || strncmp(line, "dvmh: warning: no memory for ", 29) == 0);
        if (is_error)
            CHECK_CONTAINS(line, ": no memory for ");
        if (!CHECK(strchr(line, '\n') != NULL))
            break;
    }
    CHECK_EQ_INT(errors, has_ended);
}

static void run_with_failure(int64_t number, int *ended, int *carried_on) {
    failing = number;
    const int before = atomic_load(&check_failures);
    const int code = child_run(run, NULL, NULL, "errors");
    CHECK(code == 0 || code == 1);
    check_messages(child_text("errors"), code == 1);
    *(code == 0 ? carried_on : ended) += 1;
    if (atomic_load(&check_failures) != before)
        fprintf(stderr, "  allocation %lld failed, counted from %s dvmh_init_C; exit code %d; messages: %s\n",
                (long long)number, is_before_start ? "before" : "after", code, child_text("errors"));
}

static void test_every_failure(void) {
    int ended = 0, carried_on = 0;
    failing = 0;
    CHECK_EQ_INT(child_run(run, NULL, NULL, "errors"), 0);
    CHECK_EQ_STR(child_text("errors"), "");
    const int64_t total = *calls;
    CHECK(total > 20);
    for (int64_t number = 1; number <= total; number++)
        run_with_failure(number, &ended, &carried_on);
    printf("%lld allocations: %d failures ended the program, %d did not\n", (long long)total, ended,
           carried_on);
    CHECK(ended > 0);
    failing = total + 1000;
    CHECK_EQ_INT(child_run(run, NULL, NULL, "errors"), 0);
    CHECK_EQ_STR(child_text("errors"), "");
}

/* ---- limits of the system ---- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAVE_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAVE_SANITIZER 1
#endif
#endif

/* Address space for `bytes` more than now. */
static void limit_memory(long bytes) {
    long pages = 0;
    FILE *const file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld", &pages) != 1)
        exit(77);
    fclose(file);
    const rlim_t limit = (rlim_t)(pages * sysconf(_SC_PAGESIZE) + bytes);
    const struct rlimit both = {limit, limit};
    if (setrlimit(RLIMIT_AS, &both) != 0)
        exit(77);
}

static void large_array(void) {
    child_init();
    limit_memory(256L << 20);
    dvmh_array_create_C(A, 1, -rt_CHAR, 1L << 30, 0L, 0L);
    dvmh_distribute_C(A, 1, dvmh_distribution_block_C(1));
}

static void touch_first(const dvmhx_record_t *record) {
    *(char *)record->arrays[0].base = (char)(record->device + 5);
}

/* Home finds room, the device's copy does not: the host does the work. */
static void large_replica(void) {
    child_init();
    limit_memory(768L << 20);
    dvmh_array_create_C(A, 1, -rt_CHAR, 1L << 29, 0L, 0L);
    dvmh_distribute_C(A, 1, dvmh_distribution_block_C(1));
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_OUT, A, "A");
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST);
    const DvmType loop = dvmh_loop_create_C(region, 0);
    const dvmhx_array_use_t use = {.size = sizeof use, .header = A, .rank = 1, .intent = INTENT_OUT};
    dvmhx_loop_array_C(loop, &use);
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(HANDLER(touch_first), 0));
    dvmh_loop_perform_C(loop);
    dvmh_region_end_C(region);
    dvmh_get_actual_array2_(A);
    CHECK_EQ_INT(*(char *)dvmh_get_element_addr_C(A, 1, 0L), 5); /* device 0 */
    dvmh_delete_object_(A);
    child_exit();
}

static void test_limits(void) {
#ifdef HAVE_SANITIZER
    printf("limits of the address space are not tested: sanitizers need much of it\n");
    (void)large_array, (void)large_replica;
#else
    child_expect_error(large_array, "dvmh_distribute_C", "no memory for an array (1073741824 bytes)", true);
    CHECK_EQ_INT(child_run(large_replica, NULL, NULL, "errors"), 0);
    CHECK_CONTAINS(child_text("errors"), "dvmh: warning: no memory for the memory of a fake device");
    CHECK_CONTAINS(child_text("errors"), "the loop runs on the host instead\n");
#endif
}

int main(void) {
    calls = mmap(NULL, sizeof *calls, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (calls == MAP_FAILED)
        return 99;
    setenv("DVMH_FAKE_DEVICES", "1", 1);
    setenv("DVMH_NUM_THREADS", "2", 1);
    child_folder(true);
    for (int variant = 0; variant < 2; variant++) {
        is_before_start = variant == 0;
        test_every_failure();
    }
    test_limits();
    child_folder(false);
    return check_finish();
}
