/* Questions about a kernel: which operand, capture, use a thing of the body is. */
#include <config.h>

#include "compiler-hooks/dvmhcc/access.h"
#include "compiler-hooks/dvmhcc/generate_kernel.h"
#include "compiler-hooks/dvmhcc/linear.h"

bool dvmhcc_is_parameter(const dvmhcc_capture_t *capture) {
    return capture->kind == DVMHCC_CAPTURE_VALUE || capture->kind == DVMHCC_CAPTURE_ADDRESS ||
           capture->kind == DVMHCC_CAPTURE_ELEMENTS;
}

static int remote_of(const dvmhcc_loop_array_t *array, const dvmhcc_node_t *reference) {
    for (const dvmhcc_remote_read_t *read = array->remote_reads; read != NULL; read = read->next)
        if (read->reference == reference)
            return read->remote;
    return 0;
}

dvmhcc_operand_t *dvmhcc_kernel_operand(const dvmhcc_kernel_t *kernel, const dvmhcc_entity_t *entity,
                                        const dvmhcc_node_t *reference) {
    for (int i = 0; i < kernel->operand_count; i++) {
        dvmhcc_operand_t *operand = &kernel->operands[i];
        if (operand->entity == entity && operand->remote == remote_of(operand->array, reference))
            return operand;
    }
    return NULL;
}

dvmhcc_capture_t *dvmhcc_kernel_capture(const dvmhcc_kernel_t *kernel, const dvmhcc_entity_t *entity) {
    for (int i = 0; i < kernel->capture_count; i++)
        if (kernel->captures[i].entity == entity)
            return &kernel->captures[i];
    return NULL;
}

dvmhcc_walking_t dvmhcc_kernel_term(const dvmhcc_kernel_t *kernel, const dvmhcc_node_t *node) {
    dvmhcc_linear_t linear = dvmhcc_linear_of(node);
    dvmhcc_walking_t term = {.dim = -1};
    for (int k = 0; k < kernel->rank; k++) {
        const int64_t factor = dvmhcc_linear_take(&linear, kernel->dims[k].entity);
        if (factor != 0 && term.dim >= 0)
            return (dvmhcc_walking_t){.dim = -1};
        if (factor != 0) {
            term.dim = k;
            term.mult = factor;
        }
    }
    term.known = dvmhcc_linear_value(&linear, &term.add);
    return term;
}

dvmhcc_use_t *dvmhcc_kernel_use(const dvmhcc_kernel_t *kernel, const dvmhcc_operand_t *operand,
                                const dvmhcc_element_t *element) {
    for (int i = 0; i < operand->use_count; i++) {
        dvmhcc_use_t *use = &operand->uses[i];
        bool same = true;
        for (int axis = 0; same && axis < operand->rank; axis++) {
            const dvmhcc_walking_t term = dvmhcc_kernel_term(kernel, element->subscripts[axis]);
            const dvmhcc_walking_t *other = &use->terms[axis];
            same = term.known && other->known && term.dim == other->dim && term.mult == other->mult &&
                   term.add == other->add;
        }
        if (same)
            return use;
    }
    return NULL;
}
