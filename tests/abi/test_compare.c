/* DVMH_COMPARE_DEBUG on devices that the host plays: handlers that do the same everywhere pass, whatever was undefined before and
 * however loops follow each other; one that does something else on the device is told with array, element and both values. */
#include "tests/check.h"

#include <dvmhlib2.h>
#include <dvmhlib_const.h>
#include <dvmhx.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

enum { ROWS = 9, COLUMNS = 13 };

static DvmType A[64], B[64];
static double total;
static double wrong; /* added on the device to the element below */
static DvmType wrong_row = -1, wrong_column = -1;
static double wrong_total;

static double *element(const dvmhx_array_t *array, DvmType i, DvmType j) {
    return (double *)array->base + i * array->stride[0] + j * array->stride[1];
}

/* Writes the inner elements of B, which is out: what lies at its border was never defined. */
static void inner(const dvmhx_record_t *record, const double *factor) {
    double *const sum = record->reductions[0];
    for (DvmType n = 0; n < record->count[0]; n++)
        for (DvmType m = 0; m < record->count[1]; m++) {
            const DvmType i = record->start[0] + n, j = record->start[1] + m;
            double *const b = element(&record->arrays[1], i, j);
            *b = *factor * *element(&record->arrays[0], i, j) + 1;
            if (record->device > 0 && i == wrong_row && j == wrong_column)
                *b += wrong;
            *sum += *b;
        }
    if (record->device > 0)
        *sum += wrong_total;
}

/* Changes A in place from B: the second run must begin with what the first one began with. */
static void add(const dvmhx_record_t *record) {
    for (DvmType n = 0; n < record->count[0]; n++)
        for (DvmType m = 0; m < record->count[1]; m++) {
            const DvmType i = record->start[0] + n, j = record->start[1] + m;
            *element(&record->arrays[0], i, j) += *element(&record->arrays[1], i, j);
        }
}

static DvmType open_loop(DvmType region, const DvmType first[], DvmType intent_of_a, DvmType intent_of_b) {
    const DvmType loop = dvmh_loop_create_C(region, 2, (DvmType)1, (DvmType)(ROWS - 2), (DvmType)1,
                                            (DvmType)1, (DvmType)(COLUMNS - 2), (DvmType)1);
    const dvmhx_array_use_t a = {.size = sizeof a, .header = A, .rank = 2, .intent = intent_of_a};
    const dvmhx_array_use_t b = {.size = sizeof b, .header = B, .rank = 2, .intent = intent_of_b};
    dvmh_loop_map_C(loop, first, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
    dvmhx_loop_array_C(loop, &a);
    dvmhx_loop_array_C(loop, &b);
    return loop;
}

static void run_loops(DvmType flags) {
    static double factor = 1.5;
    const DvmType region = dvmh_region_create_C(flags);
    dvmh_region_register_array_C(region, INTENT_IN | INTENT_OUT, A, "A");
    dvmh_region_register_array_C(region, INTENT_OUT, B, "B");
    dvmh_region_execute_on_targets_C(region, DEVICE_TYPE_HOST);
    dvmh_line_C(101, "compare.c");
    const DvmType first = open_loop(region, B, INTENT_IN, INTENT_OUT);
    dvmh_loop_reduction_C(first, rf_SUM, &total, rt_DOUBLE, 1, NULL, 0);
    dvmh_loop_register_handler_C(first, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(HANDLER(inner), 1, (void *)&factor));
    dvmh_loop_perform_C(first);
    dvmh_line_C(102, "compare.c");
    const DvmType second = open_loop(region, A, INTENT_IN | INTENT_OUT, INTENT_IN);
    dvmh_loop_register_handler_C(second, DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD,
                                 dvmh_handler_func_C(HANDLER(add), 0));
    dvmh_loop_perform_C(second);
    dvmh_region_end_C(region);
}

/* Two rounds; the values that must come out. */
static void run_program(DvmType flags) {
    double expected[ROWS][COLUMNS], expected_total = 0;
    dvmh_init_C(INITFLAG_OPENMP, NULL, NULL);
    dvmh_array_create_C(A, 2, -rt_DOUBLE, (DvmType)ROWS, (DvmType)0, (DvmType)0, (DvmType)COLUMNS, (DvmType)0,
                        (DvmType)0);
    dvmh_distribute_C(A, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));
    dvmh_array_create_C(B, 2, -rt_DOUBLE, (DvmType)ROWS, (DvmType)0, (DvmType)0, (DvmType)COLUMNS, (DvmType)0,
                        (DvmType)0);
    dvmh_align_C(B, A, 2, dvmh_alignment_linear_C(1, 1, 0), dvmh_alignment_linear_C(2, 1, 0));
    double *const a = dvmh_get_natural_base_C(0, A);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            a[i * COLUMNS + j] = expected[i][j] = i + j / 16.0;
    for (int round = 0; round < 2; round++) {
        run_loops(flags);
        for (int i = 1; i < ROWS - 1; i++)
            for (int j = 1; j < COLUMNS - 1; j++) {
                const double b = 1.5 * expected[i][j] + 1;
                expected_total += b;
                expected[i][j] += b;
            }
    }
    dvmh_get_actual_all2_();
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            CHECK(a[i * COLUMNS + j] == expected[i][j]);
    CHECK(fabs(total - expected_total) < 1e-9);
}

/* The program in a process of its own. @return its exit code; what it wrote on standard error in text */
static int run_apart(const char *compare, const char *eps, DvmType flags, char text[], size_t text_size) {
    int end[2];
    size_t used = 0;
    if (pipe(end) != 0)
        abort();
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        dup2(end[1], STDERR_FILENO);
        setenv("DVMH_FAKE_DEVICES", "1", 1);
        setenv("DVMH_COMPARE_DEBUG", compare, 1);
        setenv("DVMH_COMPARE_DOUBLES_EPS", eps, 1);
        run_program(flags);
        dvmh_exit_C(check_failures > 0);
        _exit(9);
    }
    close(end[1]);
    for (ssize_t got; used + 1 < text_size && (got = read(end[0], text + used, text_size - used - 1)) > 0;)
        used += (size_t)got;
    text[used] = '\0';
    close(end[0]);
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect(const char *compare, const char *eps, DvmType flags, int code, const char *const parts[]) {
    char text[4096];
    const int found = run_apart(compare, eps, flags, text, sizeof text);
    CHECK(found == code);
    for (int i = 0; parts != NULL && parts[i] != NULL; i++)
        CHECK(strstr(text, parts[i]) != NULL);
    if (found != code || check_failures > 0)
        printf("exit code %d instead of %d; standard error: %s\n", found, code, text);
}

int main(void) {
    static const char *const of_b[] = {"compare.c:101", "B[3][5]", "5.96875", "9.96875", "on the host", NULL};
    static const char *const of_total[] = {"compare.c:101", "reduction variable", NULL};

    expect("0", "1000", 0, 0, NULL);
    expect("1", "0", 0, 0, NULL);
    expect("0", "0", REGION_COMPARE_DEBUG, 0, NULL);

    wrong = 4;
    wrong_row = 3;
    wrong_column = 5;
    expect("1", "1000", 0, 1, of_b);
    expect("0", "1000", REGION_COMPARE_DEBUG, 1, of_b);
    wrong = ldexp(1, -50);           /* of 5.97: about 0.7 units of the epsilon */
    expect("1", "1000", 0, 0, NULL); /* too small to change A */
    expect("1", "0.01", 0, 1, (const char *const[]){"B[3][5]", NULL});
    wrong_row = -1;
    wrong_total = 1;
    expect("1", "1000", 0, 1, of_total);
    return check_finish();
}
