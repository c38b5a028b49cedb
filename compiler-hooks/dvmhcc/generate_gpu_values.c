/* Elements that a loop's function object for GPUs loads before its body runs: the values of an iteration. They are those that the body reads
 * behind its first store to an array: the compiler for GPUs does not know that the store is to another element, and would have the loads
 * wait for it, so that each such pair is a trip to memory of its own. Decides which elements have values, by the references alone.
 *
 * A value is an element that every execution of the body reads, with subscripts that are known, and that no other reference of the body
 * writes in the same iteration. Where the body itself assigns to the element, its value changes with it. Another array is never the same
 * memory: the handler sees to that. */
#include <config.h>

#include "compiler-hooks/dvmhcc/access.h"
#include "compiler-hooks/dvmhcc/generate_gpu.h"
#include "compiler-hooks/dvmhcc/name_use.h"

#include <string.h>

/* Bytes of the values of an iteration, which live in registers: of these a thread has 255 words. */
enum { VALUE_BYTES = 256 };

/* ---- how two references meet */

/* Whether one axis leaves it open that two references meet in an iteration. */
static bool may_meet_on_axis(const dvmhcc_walking_t *read, const dvmhcc_walking_t *write) {
    const bool is_known = read->known && write->known && read->dim == write->dim && read->mult == write->mult;
    return !is_known || read->add == write->add;
}

/* ---- which references have values */

/* The analysis knows a use as the access that it begins with. */
static bool is_certain(const dvmhcc_operand_t *operand, const dvmhcc_use_t *use) {
    for (const dvmhcc_access_t *access = operand->array->accesses; access != NULL; access = access->next)
        if (access->remote == operand->remote && access->first == use->node)
            return !access->is_conditional;
    return false;
}

/* Equal references are one use; others must not meet it. */
static bool may_load(const dvmhcc_operand_t *operand, const dvmhcc_use_t *use) {
    bool good = use->reads && is_certain(operand, use);
    for (int axis = 0; axis < operand->rank; axis++)
        good = good && use->terms[axis].known;
    for (int i = 0; good && i < operand->use_count; i++) {
        bool may_meet = true;
        for (int axis = 0; axis < operand->rank; axis++)
            may_meet = may_meet && may_meet_on_axis(&use->terms[axis], &operand->uses[i].terms[axis]);
        good = &operand->uses[i] == use || !operand->uses[i].writes || !may_meet;
    }
    return good;
}

/* What the text does with the elements of an operand. */
typedef struct look {
    const dvmhcc_kernel_t *kernel;
    dvmhcc_operand_t *operand;
    size_t stored; /* where the first store of the body is done */
    bool is_plain; /* elements are read and assigned, nothing else */
} look_t;

static bool is_assigned(const dvmhcc_node_t *reference) {
    const dvmhcc_node_t *parent = reference->parent;
    return parent != NULL && parent->kind == DVMHCC_NODE_ASSIGN && parent->children[0] == reference;
}

/* An element with its parentheses. */
static const dvmhcc_node_t *whole(const dvmhcc_node_t *node) {
    while (node->parent != NULL && node->parent->kind == DVMHCC_NODE_PAREN)
        node = node->parent;
    return node;
}

static bool look_at(dvmhcc_node_t *node, void *context) {
    look_t *look = context;
    dvmhcc_node_t *subscripts[DVMHCC_RANK_MAX];
    if (node->kind != DVMHCC_NODE_NAME || node->entity != look->operand->entity)
        return true;
    const dvmhcc_name_use_t use = dvmhcc_name_use(node);
    const dvmhcc_node_t *parent = use.reference->parent;
    const bool is_address =
        parent != NULL && parent->kind == DVMHCC_NODE_UNARY && parent->operation == DVMHCC_OPERATOR_ADDRESS;
    if (dvmhcc_reference_of(node, look->operand->rank, subscripts) == NULL || is_address ||
        use.takes_address || use.is_partial || use.is_unevaluated ||
        (use.is_written && !is_assigned(use.reference)))
        look->is_plain = false;
    if (use.is_written && parent != NULL && parent->end < look->stored)
        look->stored = parent->end;
    return true;
}

/* Find the uses that are read behind the first store. */
static bool find_late(dvmhcc_node_t *node, void *context) {
    const look_t *look = context;
    dvmhcc_element_t element;
    if (node->kind != DVMHCC_NODE_SUBSCRIPT || node->begin < look->stored ||
        !dvmhcc_element_of(node, &element))
        return true;
    const dvmhcc_node_t *reference = whole(node);
    if (is_assigned(reference) && reference->parent->operation == DVMHCC_OPERATOR_NONE)
        return true;
    const dvmhcc_operand_t *operand = dvmhcc_kernel_operand(look->kernel, element.array, node);
    dvmhcc_use_t *use = operand == look->operand ? dvmhcc_kernel_use(look->kernel, operand, &element) : NULL;
    if (use != NULL)
        use->has_value = true;
    return true;
}

static bool may_have_values(const look_t *look) {
    const dvmhcc_type_t *element = look->operand->array->array->element;
    /* What a loop without dependences only reads is loaded when it is convenient, in any case. */
    return look->is_plain && (look->kernel->has_dependences || look->operand->writes) &&
           dvmhcc_type_is_number(element) && !element->is_volatile && element->bytes > 0;
}

/* The use that shall have a value and has none yet, by its place in the text the first. */
static dvmhcc_use_t *next_use(const dvmhcc_kernel_t *kernel, int64_t *bytes_p) {
    dvmhcc_use_t *next = NULL;
    for (int i = 0; i < kernel->operand_count; i++)
        for (int k = 0; k < kernel->operands[i].use_count; k++) {
            dvmhcc_use_t *use = &kernel->operands[i].uses[k];
            if (use->has_value && use->value < 0 && (next == NULL || use->node->begin < next->node->begin)) {
                next = use;
                *bytes_p = kernel->operands[i].array->array->element->bytes;
            }
        }
    return next;
}

/* Set has_value of the uses that shall have one. */
static void find_values(dvmhcc_kernel_t *kernel) {
    look_t look = {.kernel = kernel, .stored = SIZE_MAX};
    for (int i = 0; i < kernel->operand_count; i++) {
        look.operand = &kernel->operands[i];
        dvmhcc_walk(kernel->body, look_at, &look);
    }
    for (int i = 0; i < kernel->operand_count; i++) {
        dvmhcc_operand_t *operand = &kernel->operands[i];
        look.operand = operand;
        look.is_plain = true;
        dvmhcc_walk(kernel->body, look_at, &look);
        for (int k = 0; k < operand->use_count; k++) {
            operand->uses[k].has_value = false;
            operand->uses[k].value = -1;
        }
        if (may_have_values(&look))
            dvmhcc_walk(kernel->body, find_late, &look);
        for (int k = 0; k < operand->use_count; k++)
            operand->uses[k].has_value = operand->uses[k].has_value && may_load(operand, &operand->uses[k]);
    }
}

void dvmhcc_gpu_choose_values(dvmhcc_kernel_t *kernel) {
    int64_t room = VALUE_BYTES, bytes = 0;
    dvmhcc_use_t *use;
    find_values(kernel);
    kernel->value_count = 0;
    while ((use = next_use(kernel, &bytes)) != NULL) {
        use->has_value = bytes <= room;
        if (use->has_value) {
            use->value = kernel->value_count++;
            room -= bytes;
        }
    }
}

const char *dvmhcc_gpu_value(dvmhcc_kernel_t *kernel, const dvmhcc_operand_t *operand,
                             const dvmhcc_element_t *element, const dvmhcc_node_t *node,
                             bool *is_assigned_p) {
    const dvmhcc_use_t *use = dvmhcc_kernel_use(kernel, operand, element);
    *is_assigned_p = is_assigned(whole(node));
    return use != NULL && use->has_value
               ? dvmhcc_generator_text(kernel->generator, "dvmhcc_values->v%d", use->value)
               : NULL;
}

/* ---- the text */

void dvmhcc_gpu_write_element(const dvmhcc_kernel_t *kernel, const dvmhcc_operand_t *operand,
                              const dvmhcc_use_t *use, dvmhcc_text_t *text) {
    dvmhcc_text_printf(text, "this->%s[", operand->member);
    for (int axis = 0; axis < operand->rank; axis++) {
        const dvmhcc_walking_t *term = &use->terms[axis];
        dvmhcc_text_add_string(text, axis > 0 ? " + (" : "(");
        if (term->dim >= 0)
            dvmhcc_text_printf(text, "%lld * %s + ", (long long)term->mult, kernel->dims[term->dim].place);
        dvmhcc_text_printf(text, "%lld) * this->%s_%d", (long long)term->add, operand->member, axis + 1);
    }
    dvmhcc_text_add_string(text, "]");
}

void dvmhcc_gpu_write_value_types(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    dvmhcc_text_printf(text, "struct %s_values {\n", kernel->name);
    for (int i = 0; i < kernel->operand_count; i++)
        for (int k = 0; k < kernel->operands[i].use_count; k++) {
            const dvmhcc_use_t *use = &kernel->operands[i].uses[k];
            if (use->has_value)
                dvmhcc_text_printf(text, "    std::remove_cv_t<%s> v%d;\n", kernel->operands[i].type,
                                   use->value);
        }
    dvmhcc_text_add_string(text, "};\n\n");
}

void dvmhcc_gpu_write_values(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    dvmhcc_text_printf(text, "            %s_values dvmhcc_values;\n", kernel->name);
    for (int i = 0; i < kernel->operand_count; i++)
        for (int k = 0; k < kernel->operands[i].use_count; k++) {
            const dvmhcc_use_t *use = &kernel->operands[i].uses[k];
            if (!use->has_value)
                continue;
            dvmhcc_text_printf(text, "            dvmhcc_values.v%d = ", use->value);
            dvmhcc_gpu_write_element(kernel, &kernel->operands[i], use, text);
            dvmhcc_text_add_string(text, ";\n");
        }
}
