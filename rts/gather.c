/* Elements next to each other are packed from wherever their newest values are; those of a section with gaps or backwards go through home and
 * a buffer. */
#include <config.h>

#include "rts/gather.h"

#include "rts/comm.h"
#include "rts/memory.h"
#include "rts/placement.h"
#include "rts/runtime.h"
#include "rts/transfer.h"

/* What this process gives. */
typedef struct supply {
    rts_array_t *array;
    const rts_section_t *section;
    rts_box_t ordinals; /* all that it has */
    bool is_dense;      /* ordinals and indices differ by a constant */
    char *values;       /* unless dense: of all ordinals, in C order */
    rts_layout_t layout;
} supply_t;

static bool is_dense(const rts_section_t *section) {
    for (int axis = 0; axis < section->rank; axis++)
        if (section->step[axis] != 1 && section->count[axis] > 1)
            return false;
    return true;
}

/* Values are packed when the first process wants some. */
static rts_status_t pack(supply_t *supply) {
    const rts_section_t part = rts_section_part(supply->section, &supply->ordinals);
    const size_t bytes = rts_section_size(&part) * supply->array->element.bytes;
    if (supply->values != NULL)
        return RTS_OK;
    RTS_TRY(rts_layout_plain(&supply->ordinals, NULL, 1, &supply->layout));
    supply->values = rts_alloc(bytes);
    if (supply->values == NULL)
        return rts_fail_memory("the values of a section", bytes);
    return rts_section_read(supply->array, &part, supply->values);
}

static rts_status_t give(supply_t *supply, rts_transfer_t *transfer, const rts_box_t *ordinals, int process) {
    if (rts_box_is_empty(ordinals))
        return RTS_OK;
    if (supply->is_dense) {
        const rts_section_t part = rts_section_part(supply->section, ordinals);
        const rts_box_t box = rts_section_box(&part);
        return rts_transfer_send(transfer, supply->array, &box, process);
    }
    RTS_TRY(pack(supply));
    return rts_transfer_send_from(transfer, supply->values, &supply->layout, supply->array->element.bytes,
                                  ordinals, process);
}

static rts_status_t exchange(supply_t *supply, rts_transfer_t *transfer, const rts_gather_source_t *source,
                             rts_gather_part_fn_t wants, const void *context, void *values) {
    const int me = rts_comm_rank();
    const rts_box_t mine = wants(context, me);
    rts_layout_t layout;
    RTS_TRY(rts_layout_plain(&mine, NULL, 1, &layout));
    for (int process = 0; process < rts_comm_size(); process++) {
        if (source->serves(source->context, me, process)) {
            const rts_box_t wish = wants(context, process),
                            part = rts_box_intersect(&supply->ordinals, &wish);
            RTS_TRY(give(supply, transfer, &part, process));
        }
        if (source->serves(source->context, process, me)) {
            const rts_box_t has = source->has(source->context, process),
                            part = rts_box_intersect(&has, &mine);
            RTS_TRY(rts_transfer_receive_into(transfer, values, &layout, supply->array->element.bytes, &part,
                                              process));
        }
    }
    return rts_transfer_run(transfer);
}

rts_status_t rts_gather(rts_array_t *array, const rts_section_t *section, const rts_gather_source_t *source,
                        rts_gather_part_fn_t wants, const void *context, void *values) {
    supply_t supply = {.array = array,
                       .section = section,
                       .ordinals = source->has(source->context, rts_comm_rank()),
                       .is_dense = is_dense(section)};
    rts_transfer_t transfer;
    rts_transfer_init(&transfer, RTS_TAG_TRANSFER);
    const rts_status_t status = exchange(&supply, &transfer, source, wants, context, values);
    rts_free(supply.values);
    if (transfer.flight.count == 0) /* else messages are under way, whose memory stays: the job ends */
        rts_transfer_free(&transfer);
    return status;
}

/* ---- owners ---- */

typedef struct owners {
    const rts_array_t *array;
    const rts_section_t *section;
    rts_placement_t placement;
} owners_t;

static rts_box_t owned(const void *context, int process) {
    const owners_t *owners = context;
    const rts_box_t local =
        owners->array->is_variable ? owners->array->space : rts_placement_local(&owners->placement, process);
    return rts_box_is_empty(&local) ? rts_box_empty(owners->section->rank)
                                    : rts_section_within(owners->section, &local);
}

static bool owner_serves(const void *context, int process, int viewer) {
    const owners_t *owners = context;
    return process == viewer ||
           (!owners->array->is_variable && rts_placement_serves(&owners->placement, process, viewer));
}

rts_status_t rts_gather_owned(rts_array_t *array, const rts_section_t *section, rts_gather_part_fn_t wants,
                              const void *context, void *values) {
    owners_t owners = {.array = array, .section = section};
    if (!array->is_variable)
        owners.placement = rts_array_placement(array, &rts_runtime()->grid);
    const rts_gather_source_t source = {owned, owner_serves, &owners};
    return rts_gather(array, section, &source, wants, context, values);
}

bool rts_gather_is_everywhere(const rts_array_t *array) {
    if (array->is_variable || rts_comm_size() == 1)
        return true;
    const rts_grid_t *grid = &rts_runtime()->grid;
    const rts_placement_t placement = rts_array_placement(array, grid);
    return rts_placement_free_axes(&placement) == (1u << grid->rank) - 1;
}
