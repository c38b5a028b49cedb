/* Values of the interface: compiled programs carry them as literals, so each stands here as a literal too. */
#include <dvmhlib2.h>
#include <dvmhx.h>

#include "tests/check.h"

static void test_flags(void) {
    CHECK_EQ_INT(INITFLAG_FORTRAN, 1);
    CHECK_EQ_INT(INITFLAG_NOH, 2);
    CHECK_EQ_INT(INITFLAG_SEQUENTIAL, 4);
    CHECK_EQ_INT(INITFLAG_OPENMP, 8);
    CHECK_EQ_INT(INITFLAG_DEBUG, 16);
    CHECK_EQ_INT(REGION_ASYNC, 1);
    CHECK_EQ_INT(REGION_COMPARE_DEBUG, 2);
    CHECK_EQ_INT(INTENT_IN, 1);
    CHECK_EQ_INT(INTENT_OUT, 2);
    CHECK_EQ_INT(INTENT_LOCAL, 4);
    CHECK_EQ_INT(INTENT_INOUT, 3);
    CHECK_EQ_INT(INTENT_INLOCAL, 5);
    CHECK_EQ_INT(INTENT_USE, 8);
    CHECK_EQ_INT(DEVICE_TYPE_HOST, 1);
    CHECK_EQ_INT(DEVICE_TYPE_CUDA, 2);
    CHECK_EQ_INT(HANDLER_TYPE_PARALLEL, 1);
    CHECK_EQ_INT(HANDLER_TYPE_MASTER, 2);
}

static void test_element_types(void) {
    CHECK_EQ_INT(rt_UNKNOWN, -1);
    CHECK_EQ_INT(rt_CHAR, 0);
    CHECK_EQ_INT(rt_INT, 1);
    CHECK_EQ_INT(rt_LONG, 2);
    CHECK_EQ_INT(rt_FLOAT, 3);
    CHECK_EQ_INT(rt_DOUBLE, 4);
    CHECK_EQ_INT(rt_FLOAT_COMPLEX, 5);
    CHECK_EQ_INT(rt_DOUBLE_COMPLEX, 6);
    CHECK_EQ_INT(rt_LOGICAL, 7);
    CHECK_EQ_INT(rt_LLONG, 8);
    CHECK_EQ_INT(rt_UCHAR, 9);
    CHECK_EQ_INT(rt_UINT, 10);
    CHECK_EQ_INT(rt_ULONG, 11);
    CHECK_EQ_INT(rt_ULLONG, 12);
    CHECK_EQ_INT(rt_SHORT, 13);
    CHECK_EQ_INT(rt_USHORT, 14);
    CHECK_EQ_INT(rt_POINTER, 15);
}

static void test_reductions(void) {
    CHECK_EQ_INT(rf_SUM, 1);
    CHECK_EQ_INT(rf_PROD, 2);
    CHECK_EQ_INT(rf_MULT, 2);
    CHECK_EQ_INT(rf_MAX, 3);
    CHECK_EQ_INT(rf_MIN, 4);
    CHECK_EQ_INT(rf_AND, 5);
    CHECK_EQ_INT(rf_OR, 6);
    CHECK_EQ_INT(rf_XOR, 7);
    CHECK_EQ_INT(rf_EQU, 8);
    CHECK_EQ_INT(rf_NE, 9);
    CHECK_EQ_INT(rf_EQ, 10);
    CHECK_EQ_INT(rf_MAXLOC, 11);
    CHECK_EQ_INT(rf_MINLOC, 12);
}

static void test_cuda(void) {
    CHECK_EQ_INT(FORTRAN_CUDA, 0);
    CHECK_EQ_INT(C_CUDA, 1);
    CHECK_EQ_INT(UNKNOWN_CUDA, -1);
    CHECK_EQ_INT(CUDA_MAX_GRID_X, 1);
    CHECK_EQ_INT(CUDA_MAX_GRID_Y, 2);
    CHECK_EQ_INT(CUDA_MAX_GRID_Z, 3);
}

static void test_the_rest(void) {
    CHECK_EQ_STR(LIBDVMH_VERSION, "1.0");
    CHECK_EQ_INT(LIBDVMH_VERSION_MAJOR, 1);
    CHECK_EQ_INT(LIBDVMH_VERSION_MINOR, 0);
    CHECK_EQ_INT(UNDEF_BOUND, INT32_MIN);
    CHECK(UNDEF_BOUND < 0);
    CHECK_EQ_INT(sizeof(UNDEF_BOUND), sizeof(DvmType)); /* it goes into variadic lists uncast */
    CHECK_EQ_INT(sizeof(DvmType), sizeof(void *));
    CHECK((DvmType)-1 < 0);
    CHECK_EQ_INT(sizeof(DvmHandlerFunc), sizeof(void *));
    /* The bit for record handlers is none of the interface's own. */
    CHECK_EQ_INT(DVMHX_HANDLER_RECORD & (HANDLER_TYPE_PARALLEL | HANDLER_TYPE_MASTER), 0);
}

int main(void) {
    test_flags();
    test_element_types();
    test_reductions();
    test_cuda();
    test_the_rest();
    return check_finish();
}
