/* A gathering: a process has what its iterations wrote and wants everything. */
#include <config.h>

#include "rts/consistent.h"

#include "rts/clause.h"
#include "rts/comm.h"
#include "rts/gather.h"
#include "rts/memory.h"
#include "rts/runtime.h"

typedef struct share {
    const rts_loop_t *loop;
    const rts_loop_consistent_t *consistent;
} share_t;

static rts_box_t written(const void *context, int process) {
    const share_t *share = context;
    return rts_clause_part(share->loop, share->consistent->array, share->consistent->rule, process);
}

/* Copies are what the target of the mapping leaves open, because they have the same iterations. What the mapping leaves open does not count: a
 * process that has no part of the target has no iterations then, but wants the values all the same. */
static bool serves(const void *context, int process, int viewer) {
    return rts_loop_target_serves(((const share_t *)context)->loop, &rts_runtime()->grid, process, viewer);
}

/* All of the section, which is the context. */
static rts_box_t everything(const void *context, int process) {
    const rts_section_t *section = context;
    rts_box_t box = {.rank = section->rank};
    (void)process;
    for (int axis = 0; axis < box.rank; axis++)
        box.hi[axis] = section->count[axis];
    return box;
}

bool rts_consistent_is_possible(const rts_array_t *array) {
    return rts_gather_is_everywhere(array);
}

/* What nobody wrote stays: the memory begins with the values that are here. */
static rts_status_t share_array(const share_t *share) {
    rts_array_t *const array = share->consistent->array;
    const rts_section_t section = rts_clause_section(share->loop, array, share->consistent->rule);
    const rts_gather_source_t source = {written, serves, share};
    const size_t bytes = rts_section_size(&section) * array->element.bytes;
    void *const values = rts_alloc(bytes);
    if (values == NULL)
        return rts_fail_memory("the values of a consistent array", bytes);
    rts_status_t status = rts_section_read(array, &section, values);
    if (status == RTS_OK)
        status = rts_gather(array, &section, &source, everything, &section, values);
    if (status == RTS_OK)
        status = rts_section_write(array, &section, values);
    rts_free(values);
    return status;
}

rts_status_t rts_consistent_share(rts_loop_t *loop) {
    for (int dim = 0; dim < loop->rank; dim++)
        if (loop->count[dim] == 0)
            return RTS_OK;
    for (int i = 0; i < loop->consistent_count && rts_comm_size() > 1; i++) {
        const share_t share = {loop, &loop->consistent[i]};
        RTS_TRY(share_array(&share));
    }
    return RTS_OK;
}
