/* What looks wrong and is not: calls that generated code makes on the safe side must do nothing, say nothing
 * and let the program go on. Each case is a process that must end with exit code 0 and print nothing. */
#include "tests/abi/errors.h"

static double scalar, vector[12];

static void do_nothing(const DvmType *loop) {
    (void)loop;
}

static void finish_loop(DvmType loop) {
    dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0, dvmh_handler_func_C(HANDLER(do_nothing), 0));
    dvmh_loop_perform_C(loop);
}

static void objects_that_are_not(void) {
    dvmh_delete_object_(NEW);
    dvmh_forget_header_(NEW);
    dvmh_delete_object_(A);
    CHECK_EQ_INT(A[0], 0);
    dvmh_delete_object_(A);
    dvmh_forget_header_(A);
    dvmh_delete_object_(T);
    CHECK_EQ_INT(T[0], 0);
    dvmh_delete_object_(T);
    dvmh_forget_header_(D); /* only declared: the declaration goes */
    CHECK_EQ_INT(D[0], 0);
    dvmh_forget_header_(D);
}

static void free_without_storage(void) {
    dvmh_array_free_C(D); /* free(NULL) */
    dvmh_array_free_C(D);
    CHECK(D[0] != 0);
    dvmh_array_alloc_C(D, 32);
    dvmh_array_free_C(D); /* was not distributed */
    dvmh_array_alloc_C(D, 64);
    dvmh_distribute_C(D, 2, dvmh_distribution_block_C(1), dvmh_distribution_replicated_());
    CHECK(dvmh_get_element_addr_C(D, 2, 3L, 3L) != NULL);
    dvmh_array_free_C(D);
}

static void addresses_that_nobody_knows(void) {
    int local = 7;
    dvmh_get_actual_variable2_(&local);
    dvmh_actual_variable2_(&local);
    dvmh_get_actual_variable2_(NULL);
    dvmh_actual_variable2_(NULL);
    dvmh_data_enter_C(&scalar, 0); /* known, but without a header */
    dvmh_get_actual_variable2_(&scalar);
    dvmh_actual_variable2_(&scalar);
    dvmh_data_exit_C(&scalar, 1);
    CHECK_EQ_INT(local, 7);
}

/* B and D have no storage. */
static void actuality_of_all(void) {
    dvmh_get_actual_all2_();
    dvmh_actual_all2_();
}

static void memory(void) {
    dvmh_free_C(NULL);
    dvmh_free_C(malloc(5)); /* not from dvmh_malloc_C */
    void *const entered = malloc(8);
    dvmh_data_enter_C(entered, 8);
    dvmh_free_C(entered);
    dvmh_free_C(dvmh_realloc_C(NULL, 0));
    char *const copy = dvmh_strdup_C("");
    CHECK_EQ_STR(copy, "");
    dvmh_free_C(copy);
}

/* A function's uninitialised words. */
static void garbage_in_a_new_header(void) {
    memset(NEW, 0x5a, sizeof NEW);
    dvmh_array_create_C(NEW, 1, -rt_INT, 4L, 0L, 0L);
    dvmh_delete_object_(NEW);
    NEW[0] = A[0];
    dvmh_template_create_C(NEW, 1, 4L);
    CHECK(NEW[0] != A[0]);
    dvmh_delete_object_(NEW);
    CHECK(dvmh_get_element_addr_C(A, 2, 0L, 0L) != NULL);
}

static void template_before_its_arrays(void) {
    dvmh_array_create_C(NEW, 1, -rt_INT, 8L, 0L, 0L);
    dvmh_align_C(NEW, T, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(-1, 0, 0));
    dvmh_delete_object_(T);
    CHECK(dvmh_get_own_element_addr_C(NEW, 1, 7L) != NULL);
    const DvmType loop = dvmh_loop_create_C(0, 1, 0L, 7L, 1L);
    dvmh_loop_map_C(loop, NEW, 1, dvmh_alignment_linear_C(1, 1, 0));
    finish_loop(loop);
    dvmh_delete_object_(NEW);
}

static void regions_of_little(void) {
    dvmh_region_end_C(dvmh_region_create_C(0)); /* no registration, no loop, no devices */
    DvmType region = dvmh_region_create_C(REGION_ASYNC);
    dvmh_region_register_array_C(region, INTENT_USE, T, "T"); /* a template */
    dvmh_region_register_array_C(region, INTENT_INOUT, A, NULL);
    dvmh_region_register_array_C(region, INTENT_IN, A, "");
    dvmh_region_register_subarray_C(region, INTENT_IN, A, "A", 2, 3L, 2L, UNDEF_BOUND, UNDEF_BOUND);
    finish_loop(dvmh_loop_create_C(region, 0)); /* without dvmh_region_execute_on_targets_C */
    dvmh_region_end_C(region);
    region = dvmh_region_create_C(0);
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_CUDA); /* none here: the host it is */
    finish_loop(dvmh_loop_create_C(region, 0));
    dvmh_region_end_C(region);
}

static int calls;

static void must_not_run(const DvmType *loop) {
    (void)loop;
    calls++;
}

static void loops_of_nothing(void) {
    static const DvmType ranges[][3] = {{1, 0, 1}, {0, 1, -1}, {20, 30, 1}, {5, INT64_MIN / 4, 3}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        double sum = 3;
        const DvmType loop = dvmh_loop_create_C(0, 1, ranges[i][0], ranges[i][1], ranges[i][2]);
        dvmh_loop_map_C(loop, T, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(-1, 0, 0));
        dvmh_loop_reduction_C(loop, rf_SUM, &sum, rt_DOUBLE, 1, &sum, 0); /* a dummy location */
        dvmh_loop_register_handler_C(loop, DEVICE_TYPE_HOST, 0,
                                     dvmh_handler_func_C(HANDLER(must_not_run), 0));
        dvmh_loop_perform_C(loop);
        CHECK(sum == 3);
        CHECK_EQ_INT(calls, 0);
    }
}

static void headers_of_variables(void) {
    DvmType *const header = dvmh_variable_gen_header_C(&scalar, 0, -rt_DOUBLE);
    CHECK(dvmh_variable_gen_header_C(&scalar, 0, -rt_DOUBLE) == header);
    dvmh_forget_header_(header);
    CHECK_EQ_INT(header[0], 0);
    CHECK(dvmh_variable_gen_header_C(&scalar, 0, -rt_DOUBLE) == header); /* forgotten is not lost */
    CHECK(header[0] != 0);
    CHECK(dvmh_variable_get_header_C(&scalar) == header);
    dvmh_data_enter_C(vector, sizeof vector);
    DvmType *const sized = dvmh_variable_gen_header_C(vector, 2, -rt_DOUBLE, 0L, 4L); /* extent by the size */
    CHECK(dvmh_get_element_addr_C(sized, 2, 2L, 3L) == &vector[11]);
    CHECK(dvmh_get_element_addr_C(sized, 2, 3L, 0L) == NULL);
    dvmh_data_enter_C(vector, 0); /* once more */
    dvmh_data_exit_C(vector, 1);
    CHECK(dvmh_variable_get_header_C(vector) == sized);
    dvmh_data_exit_C(vector, 1);
}

/* class DvmhModuleInitializer, and its constructor */
typedef struct module {
    void *next;
    void (*init)(void), (*finish)(void);
} module_t;
void construct_module(module_t *module, void (*init)(void),
                      void (*finish)(void)) __asm__("_ZN21DvmhModuleInitializerC1EPFvvES1_");

static void finish_module(void) {
    dvmh_delete_object_(A);
    CHECK_EQ_INT(A[0], 0);
    dvmh_data_exit_C(vector, 0);
    if (check_finish() != 0)
        _exit(1);
}

/* exit() between two loops: the finish functions of modules still find everything as usual. */
static void end_in_the_middle(void) {
    static module_t module;
    construct_module(&module, NULL, finish_module);
    const DvmType region = dvmh_region_create_C(0);
    dvmh_region_register_array_C(region, INTENT_INOUT, A, "A");
    dvmh_region_register_array_C(region, INTENT_IN, dvmh_variable_gen_header_C(vector, 1, -rt_DOUBLE, 12L),
                                 "v");
    dvmh_loop_create_C(region, 0);
}

/* Generated code reads elements that others hold: NULL, without a message. */
static void elements_elsewhere(void) {
    CHECK(dvmh_get_element_addr_C(A, 2, 8L, 0L) == NULL);
    CHECK(dvmh_get_element_addr_C(A, 2, -1L, 0L) == NULL);
    CHECK(dvmh_get_own_element_addr_C(A, 2, INT64_MAX, INT64_MIN) == NULL);
    CHECK(dvmh_get_element_addr_C(B, 1, 0L) == NULL); /* not distributed: nothing held */
    CHECK(dvmh_get_natural_base_C(0, B) == NULL);
}

static void (*const lenient[])(void) = {objects_that_are_not,
                                        free_without_storage,
                                        addresses_that_nobody_knows,
                                        actuality_of_all,
                                        memory,
                                        garbage_in_a_new_header,
                                        template_before_its_arrays,
                                        regions_of_little,
                                        loops_of_nothing,
                                        headers_of_variables,
                                        end_in_the_middle,
                                        elements_elsewhere};
static void (*current)(void);

static void run(void) {
    alarm(CASE_SECONDS);
    begin();
    current();
    dvmh_delete_object_(U);
    dvmh_delete_object_(T);
    child_exit();
}

/* Before the start: position, helpers, memory, what the application API answers. */
static void before_start(void) {
    dvmh_line_C(1, "f.c");
    dvmh_free_C(dvmh_malloc_C(10));
    dvmh_barrier();
    CHECK_EQ_INT(dvmh_get_num_procs(1), 1);
    dvmh_init_C(INITFLAG_SEQUENTIAL, NULL, NULL);
    dvmh_exit_C(check_finish());
}

static void expect_silence(void (*body)(void), size_t number) {
    CHECK_EQ_INT(child_run(body, NULL, NULL, "errors"), 0);
    if (!CHECK_EQ_STR(child_text("errors"), ""))
        fprintf(stderr, "  in case %zu\n", number);
}

int main(void) {
    child_folder(true);
    for (size_t i = 0; i < sizeof lenient / sizeof lenient[0]; i++) {
        current = lenient[i];
        expect_silence(run, i);
    }
    expect_silence(before_start, 100);
    child_folder(false);
    return check_finish();
}
