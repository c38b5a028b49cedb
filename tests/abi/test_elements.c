/* Single elements of serial code as dvmhcc writes it: the address of every element is that of the plain interface, and whoever names
 * one that is not there is told element, place and what is allowed. */
#include "tests/abi/errors.h"

static DvmType declared[64];

CASE_NO_POSITION(dvmhx_held_element_C, "element A[8][0] is outside of the array", "[0..7][0..5] [b:c.c:17]") {
    begin();
    dvmhx_held_element_C("b:c.c:17:A", A, 2, 8L, 0L);
}

CASE_NO_POSITION(dvmhx_held_element_C, "element A[0][-1] is outside of the array", "[0..7][0..5] [x.c:3]") {
    begin();
    dvmhx_held_element_C("x.c:3:A", A, 2, 0L, -1L);
}

CASE_NO_POSITION(dvmhx_own_element_C, "element Name[2][6] is outside of the array", "[0..7][0..5] [x.c:40]") {
    begin();
    dvmhx_own_element_C("x.c:40:Name", A, 2, 2L, 6L);
}

CASE_NO_POSITION(dvmhx_changed_element_C, "element A[-1][6] is outside of the array",
                 "[0..7][0..5] [x.c:41]") {
    double other;
    begin();
    dvmhx_changed_element_C("x.c:41:A", &other, A, 2, -1L, 6L);
}

CASE(dvmhx_held_element_C, "rank 1", "2") {
    begin();
    dvmhx_held_element_C("x.c:3:A", A, 1, 0L);
}

CASE(dvmhx_own_element_C, "no array", "") {
    begin();
    dvmhx_own_element_C("x.c:3:A", NEW, 1, 0L);
}

CASE_NO_POSITION(dvmhx_own_element_C, "element D[3]: the array has no storage yet",
                 "distributed or aligned array [y.c:5]") {
    child_init();
    dvmh_array_declare_C(declared, 1, -rt_INT, 0L, 0L, 0L);
    dvmhx_own_element_C("y.c:5:D", declared, 1, 3L);
}

/* A place that says nothing leaves the program's own. */
CASE(dvmhx_held_element_C, "element the array[9][9] is outside of the array", "[0..7][0..5]") {
    begin();
    dvmhx_held_element_C(":", A, 2, 9L, 9L);
}

CASE(dvmhx_held_element_C, "element the array[9][9] is outside of the array", "[0..7][0..5]") {
    begin();
    dvmhx_held_element_C(NULL, A, 2, 9L, 9L);
}

/* One process owns all: every address is that of the element, and its value stays. */
static void addresses(void) {
    double other = -1;
    begin();
    for (DvmType i = 0; i < 8; i++)
        for (DvmType j = 0; j < 6; j++) {
            double *const element = dvmh_get_element_addr_C(A, 2, i, j);
            *element = (double)(10 * i + j);
            if (dvmhx_held_element_C("x.c:1:A", A, 2, i, j) != element ||
                dvmhx_own_element_C("x.c:1:A", A, 2, i, j) != element ||
                dvmhx_changed_element_C("x.c:1:A", &other, A, 2, i, j) != element)
                exit(2);
        }
    if (other != -1 || *(double *)dvmhx_held_element_C("x.c:1:A", A, 2, 7L, 5L) != 75)
        exit(3);
    child_exit();
}

int main(int argc, char **argv) {
    (void)argv;
    child_folder(true);
    CHECK_EQ_INT(child_run(addresses, NULL, NULL, "errors"), 0);
    CHECK_EQ_STR(child_text("errors"), "");
    run_cases(__FILE__, argc > 1);
    child_folder(false);
    return check_finish();
}
