/* Shared by the entry points of handlers on a GPU, for C and for Fortran. */
#ifndef HOOKS_HOOKS_CUDA_H
#define HOOKS_HOOKS_CUDA_H

#include "compiler-hooks/hooks_object.h"
#include "rts/exec_query.h"

/** The portion of a handler that runs on a GPU; ends the program when there is none behind the word. */
const rts_exec_portion_t *hooks_device_portion(const char *entry_point, DvmType loop);

/** Ends the program when an address is 0. */
void hooks_need_place(const char *entry_point, const void *address, const char *what);

/** How an array lies on a device: 0 in its own order, 1 with axes permuted, 2 with a pair of axes in packed diagonals. NULL: 0. */
DvmType hooks_transformation(const rts_replica_t *replica);

/** dvmh_fill_header_C in the name of another entry point. */
DvmType hooks_fill_header(const char *entry_point, DvmType device, const void *base, const DvmType header[],
                          DvmType device_header[], DvmType extended[]);

#endif
