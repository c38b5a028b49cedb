/* Query handlers for CUDA on a GPU that the host plays: random programs of plain loops, reductions and loops with dependences, with and
 * without reorganisation, against the same in plain C. Would catch a layout that a handler cannot follow, values that did not come or
 * were not marked, wrong diagonals, lost partial results, and an order of these that is not that of the iterations. */
#include "tests/unit/fake_cuda.h"

#include "tests/unit/fake_kernels.h"

int main(int argc, char **argv) {
    const query_handlers_t handlers = {QUERY_HANDLER(plain_handler), QUERY_HANDLER(reduce_handler),
                                       QUERY_HANDLER(across_handler), QUERY_HANDLER(sequence_handler), NULL};
    setenv("DVMH_FAKE_DEVICES", "1", 1);
    setenv("DVMH_NUM_CUDAS", "0", 1);
    setenv("DVMH_PLANNER", "greedy", 1);
    dvmh_line_C(1, "query_loops.dvm");
    dvmh_init_C(0, &argc, &argv);
    const bool is_alone = dvmh_get_total_num_procs() == 1;
    CHECK_EQ_INT(query_run(&handlers, is_alone ? 300 : 60, 12), 0);
    if (is_alone) { /* of many processes some have little to do */
        CHECK_EQ_INT(query_seen_states, 7);
        CHECK(fake.begins > 600 && fake.ends >= fake.begins);
        CHECK(fake.largest_count > RTS_ITEM_PARTS);
    }
    const int code = check_finish();
    dvmh_exit_C(code);
}
