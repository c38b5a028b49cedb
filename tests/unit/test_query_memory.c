/* The same programs where the GPU has not enough memory, each limit in a process of its own: loops run on the host, do without a layout,
 * or find their arrays in a layout of before that must be turned back without a second buffer. Results are those of plain C. */
#include "tests/unit/fake_cuda.h"

#include "tests/unit/fake_kernels.h"

#include "tests/abi/child.h"

/* Iterations one after the other, which is the order of loops with dependences, too. */
static void host_plain(DvmType *loop, DvmType a_header[], DvmType b_header[], double *weight,
                       const query_case_t *c) {
    const view_t a = find_view(0, a_header, c->rank), b = find_view(0, b_header, c->rank);
    const span_t span = find_span(*loop, c);
    blockDim = (dim3){1, 1, 1};
    threadIdx = (dim3){0, 0, 0};
    for (blockIdx.x = 0; blockIdx.x < span.count; blockIdx.x++)
        plain_kernel(*c, span, a, b, weight);
}

static void host_across(DvmType *loop, DvmType a_header[], const query_case_t *c) {
    const view_t a = find_view(0, a_header, c->rank);
    const span_t span = find_span(*loop, c);
    blockDim = (dim3){1, 1, 1};
    threadIdx = (dim3){0, 0, 0};
    for (blockIdx.x = 0; blockIdx.x < span.count; blockIdx.x++)
        across_kernel(*c, span, a, NULL);
}

static void host_sequence(DvmType *loop, double *scalar, double *factor) {
    (void)loop;
    sequence_kernel(scalar, *factor);
}

static int64_t limit, seed;
static const char *planner;

static void run(void) {
    static const query_handlers_t host = {QUERY_HANDLER(host_plain), NULL, QUERY_HANDLER(host_across),
                                          QUERY_HANDLER(host_sequence), NULL},
                                  handlers = {QUERY_HANDLER(plain_handler), NULL,
                                              QUERY_HANDLER(across_handler), QUERY_HANDLER(sequence_handler),
                                              &host};
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)limit);
    setenv("DVMH_DEVICE_MEMORY", text, 1);
    snprintf(text, sizeof text, "%lld", (long long)seed);
    setenv("CHECK_SEED", text, 1);
    setenv("DVMH_FAKE_DEVICES", "1", 1);
    setenv("DVMH_NUM_CUDAS", "0", 1);
    setenv("DVMH_PLANNER", planner, 1);
    (void)
        reduce_handler; /* partial results may not find room beside arrays in use, and then the program ends */
    setenv("DVMH_LOGLEVEL", "1", 1); /* warnings are many here */
    child_init();
    const int code = query_run(&handlers, 60, 10);
    CHECK(fake.begins > 0 || limit < 1000);
    if (strcmp(planner, "off") == 0)
        CHECK_EQ_INT(query_seen_states, 1);
    dvmh_exit_C(code != 0 ? code : check_finish());
}

int main(void) {
    static const int64_t limits[] = {1, 2000, 6000, 9000, 12000, 18000, 1000000};
    check_random_start();
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        limit = limits[i];
        seed = check_random_range(1, 1000000);
        planner = limit == 1000000 ? "off" : "greedy";
        if (!CHECK_EQ_INT(child_run(run, NULL, NULL, NULL), 0))
            fprintf(stderr, "  within %lld bytes\n", (long long)limit);
    }
    return check_finish();
}
