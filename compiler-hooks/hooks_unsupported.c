/* Entry points of unstructured (indirect and derived) distributions. They are not supported yet: each ends
 * the program with a message and the source line, so that a program which needs them stops there and not
 * with a wrong result. */
#include <config.h>

#include "compiler-hooks/hooks.h"

/* The body of every function here. */
#define UNSUPPORTED()                                                                                        \
    hooks_error(__func__, "unstructured (indirect, derived) distributions are not supported by this "        \
                          "version")

HOOKS_API DvmType dvmh_distribution_indirect_C(DvmType grid_axis, DvmType element_type, const void *map) {
    (void)grid_axis, (void)element_type, (void)map;
    UNSUPPORTED();
}

HOOKS_API DvmType dvmh_distribution_derived_C(DvmType grid_axis, DvmType derived_rhs,
                                              DvmType counting_handler, DvmType filling_handler) {
    (void)grid_axis, (void)derived_rhs, (void)counting_handler, (void)filling_handler;
    UNSUPPORTED();
}

HOOKS_API DvmType dvmh_derived_rhs_C(const DvmType target[], DvmType target_rank, ...) {
    (void)target, (void)target_rank;
    UNSUPPORTED();
}

HOOKS_API DvmType dvmh_derived_rhs_expr_ignore_(void) {
    UNSUPPORTED();
}

HOOKS_API DvmType dvmh_derived_rhs_expr_constant_C(DvmType index) {
    (void)index;
    UNSUPPORTED();
}

HOOKS_API DvmType dvmh_derived_rhs_expr_scan_C(DvmType shadow_count, ...) {
    (void)shadow_count;
    UNSUPPORTED();
}

HOOKS_API DvmType *dvmh_indirect_get_buffer_C(DvmType count) {
    (void)count;
    UNSUPPORTED();
}

HOOKS_API void dvmh_indirect_shadow_add_C(DvmType header[], DvmType axis, DvmType derived_rhs,
                                          DvmType counting_handler, DvmType filling_handler,
                                          const char name[], DvmType include_count, ...) {
    (void)header, (void)axis, (void)derived_rhs, (void)counting_handler, (void)filling_handler, (void)name;
    (void)include_count;
    UNSUPPORTED();
}

HOOKS_API void dvmh_indirect_shadow_renew_C(const DvmType header[], DvmType axis, const char name[]) {
    (void)header, (void)axis, (void)name;
    UNSUPPORTED();
}

HOOKS_API void dvmh_indirect_localize_C(const DvmType header[], const DvmType target[], DvmType target_axis) {
    (void)header, (void)target, (void)target_axis;
    UNSUPPORTED();
}

HOOKS_API void dvmh_indirect_unlocalize_(const DvmType header[]) {
    (void)header;
    UNSUPPORTED();
}
