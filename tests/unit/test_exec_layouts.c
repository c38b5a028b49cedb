/* Layouts never change results: programs of random loops under every mode of the planner, on the host and on fake devices, against
 * sequential loops. Between the loops home must be untouched where the newest values are elsewhere. */
#include <config.h>

#include "rts/exec.h"

#include "tests/unit/exec_program.h"

int main(void) {
    check_random_start();
    setenv("DVMH_SET_AFFINITY", "0", 1);
    test_mode("random:", 100);
    CHECK(example_rows_seen > 1000 && example_wraps_seen > 300 && example_skews_seen > 300);
    CHECK(example_reorganised_seen > 300);
    test_mode("greedy", 50);
    test_mode("cost", 50);
    test_mode("off", 20);
    return check_finish();
}
