/* Query handlers in the form of generated code on a GPU: random programs of plain loops, reductions and loops with dependences, with and
 * without reorganisation, in the forms of C and of Fortran, against the same in plain C; and what is said of kernels and launches that
 * fail. Each part is a process of its own. `test_cuda_query_handlers few` does little, for checking tools that are slow. */
#include <config.h>

#include "tests/abi/child.h"
#include "tests/device/query_loops.h"

extern const query_handlers_t cuda_handlers, cuda_warp_handlers, cuda_wild_handlers, cuda_large_handlers;
int cuda_device_count(void);

static int trials = 200;
static DvmType extent_most = 40;

static void start(void) {
    setenv("DVMH_PLANNER", "greedy", 1);
    setenv("DVMH_NUM_CUDAS", "1", 1);
    child_init();
}

static void run_c(void) {
    start();
    const int code = query_run(&cuda_handlers, trials, extent_most);
    CHECK_EQ_INT(query_seen_states | (trials < 200 ? 7 : 0), 7); /* few do not have all kinds of layouts */
    dvmh_exit_C(code != 0 ? code : check_finish());
}

static void run_fortran(void) {
    start();
    dvmh_exit_C(query_run(&cuda_warp_handlers, trials, extent_most));
}

static void run_wild(void) {
    start();
    query_run(&cuda_wild_handlers, 50, 6);
    dvmh_exit_C(0);
}

static void run_large(void) {
    start();
    query_run(&cuda_large_handlers, 50, 6);
    dvmh_exit_C(0);
}

/* 77 where there is none, but not where one is required: the program itself says that then. */
static void find_gpu(void) {
    const char *const required = getenv("DVMH_REQUIRE_CUDA");
    exit(cuda_device_count() > 0 || (required != NULL && strcmp(required, "0") != 0) ? 0 : 77);
}

static void check_fault(void (*body)(void), const char *what) {
    char file[] = "query_handlers_XXXXXX";
    close(mkstemp(file));
    CHECK_EQ_INT(child_run(body, NULL, NULL, file), 1);
    const char *const text = child_text(file);
    CHECK_CONTAINS(text, what);
    CHECK_CONTAINS(text, "[query_loops.dvm:77]");
    remove(file);
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "few") == 0) {
        trials = 6;
        extent_most = 9;
    }
    if (child_run(find_gpu, NULL, NULL, NULL) == 77)
        check_skip("no GPU here");
    CHECK_EQ_INT(child_run(run_c, NULL, NULL, NULL), 0);
    CHECK_EQ_INT(child_run(run_fortran, NULL, NULL, NULL), 0);
    if (trials > 6) { /* checking tools have their own way of telling */
        check_fault(run_wild, "a kernel of the loop's handler failed");
        check_fault(run_large, "a launch of the loop's handler failed");
    }
    return check_finish();
}
