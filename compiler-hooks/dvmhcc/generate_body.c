/* The body of a parallel loop as it stands in a function of its own: the user's text, with elements of arrays, index variables and
 * captured variables replaced. Decides nothing about the loop. */
#include <config.h>

#include "compiler-hooks/dvmhcc/generate_gpu.h"
#include "compiler-hooks/dvmhcc/generate_pieces.h"

#include <string.h>

typedef struct body {
    dvmhcc_kernel_t *kernel;
    dvmhcc_edit_t *edit;
    size_t begin; /* of the edited text in the unit's */
    dvmhcc_body_form_t form;
    const char *index_type; /* that places are computed in */
} body_t;

static bool rewrite(body_t *body, dvmhcc_node_t *node, bool in_subscript);

static dvmhcc_kernel_dim_t *dim_of(const dvmhcc_kernel_t *kernel, const dvmhcc_entity_t *entity) {
    for (int k = 0; k < kernel->rank; k++)
        if (kernel->dims[k].entity == entity)
            return (dvmhcc_kernel_dim_t *)&kernel->dims[k];
    return NULL;
}

static bool replace(body_t *body, const dvmhcc_node_t *node, const char *text) {
    return text != NULL &&
           dvmhcc_edit_replace_text(body->edit, node->begin - body->begin, node->end - body->begin, text);
}

static bool rewrite_name(body_t *body, dvmhcc_node_t *node, bool in_subscript) {
    dvmhcc_generator_t *generator = body->kernel->generator;
    const dvmhcc_entity_t *entity = node->entity;
    dvmhcc_kernel_dim_t *dim = dim_of(body->kernel, entity);
    if (dim != NULL) {
        if (in_subscript)
            return replace(body, node, dim->place);
        dim->used_plain = true;
        return true;
    }
    if (entity == NULL)
        return true;
    if (entity->kind == DVMHCC_ENTITY_ENUMERATOR && entity->function != NULL)
        return replace(body, node, dvmhcc_generator_text(generator, "%lld", (long long)entity->value));
    const dvmhcc_capture_t *capture = dvmhcc_kernel_capture(body->kernel, entity);
    if (capture == NULL)
        return true;
    const bool by_address =
        capture->kind == DVMHCC_CAPTURE_ADDRESS || capture->kind == DVMHCC_CAPTURE_REDUCTION_ADDRESS;
    return replace(body, node,
                   dvmhcc_generator_text(generator, by_address ? "(*%s->%s)" : "%s->%s", generator->context,
                                         capture->member));
}

static bool is_for_gpus(const body_t *body) {
    return body->form == DVMHCC_BODY_GPU || body->form == DVMHCC_BODY_GPU_VALUES;
}

/* On GPUs indices may be of 32 bits: then an unsigned number beside them would make the product with a stride, which may be negative,
 * unsigned. */
static bool spoils_index(const body_t *body, const dvmhcc_node_t *node) {
    return is_for_gpus(body) && node->type != NULL && dvmhcc_type_is_unsigned(node->type) &&
           node->type->bytes >= 4 && dim_of(body->kernel, node->entity) == NULL;
}

/* Whether a subscript may be computed in the type of indices: then index variables in it need no conversion, which would keep the compiler
 * from seeing how addresses grow. Its value is the same, for what it may legally be. */
static bool is_simple(const body_t *body, dvmhcc_node_t *node) {
    node = dvmhcc_inner(node);
    if ((node->kind == DVMHCC_NODE_INTEGER || node->kind == DVMHCC_NODE_NAME) && spoils_index(body, node))
        return false;
    switch (node->kind) {
    case DVMHCC_NODE_INTEGER:
        return true;
    case DVMHCC_NODE_NAME:
        return node->entity != NULL &&
               (node->entity->kind == DVMHCC_ENTITY_ENUMERATOR || dvmhcc_type_is_integer(node->type));
    case DVMHCC_NODE_UNARY:
        return (node->operation == DVMHCC_OPERATOR_PLUS || node->operation == DVMHCC_OPERATOR_MINUS) &&
               is_simple(body, node->children[0]);
    case DVMHCC_NODE_BINARY:
        return (node->operation == DVMHCC_OPERATOR_ADD || node->operation == DVMHCC_OPERATOR_SUBTRACT ||
                node->operation == DVMHCC_OPERATOR_MULTIPLY) &&
               is_simple(body, node->children[0]) && is_simple(body, node->children[1]);
    default:
        return false;
    }
}

/* The indices of an element as arguments of new text: (i) * strides by strides. */
static void add_offset(body_t *body, const dvmhcc_operand_t *operand, const dvmhcc_element_t *element,
                       dvmhcc_pieces_t *pieces) {
    for (int axis = 0; axis < element->rank; axis++) {
        const dvmhcc_node_t *subscript = element->subscripts[axis];
        const bool is_word = subscript->kind == DVMHCC_NODE_NAME || subscript->kind == DVMHCC_NODE_INTEGER;
        const bool simple = is_simple(body, element->subscripts[axis]);
        dvmhcc_pieces_printf(pieces, "%s", axis > 0 ? " + " : "");
        if (!simple)
            dvmhcc_pieces_printf(pieces, "(%s)", body->index_type);
        dvmhcc_pieces_printf(pieces, "%s", is_word && simple ? "" : "(");
        dvmhcc_pieces_range(pieces, subscript->begin - body->begin, subscript->end - body->begin);
        dvmhcc_pieces_printf(pieces, "%s * %s->%s_%d", is_word && simple ? "" : ")",
                             body->kernel->generator->context, operand->member, axis + 1);
    }
}

static bool rewrite_element(body_t *body, dvmhcc_node_t *node, const dvmhcc_element_t *element) {
    const dvmhcc_kernel_t *kernel = body->kernel;
    const dvmhcc_operand_t *operand = dvmhcc_kernel_operand(kernel, element->array, node);
    const char *context = kernel->generator->context;
    bool good = true;
    if (operand == NULL) {
        dvmhcc_node_report(kernel->generator->unit, DVMHCC_ERROR, node,
                           "internal error: the analysis of the loop does not have this element");
        return false;
    }
    if (body->form == DVMHCC_BODY_ROWS && operand->by_rows) {
        const dvmhcc_use_t *use = dvmhcc_kernel_use(kernel, operand, element);
        return use != NULL &&
               replace(body, node,
                       dvmhcc_generator_text(kernel->generator, "%s->%s_row%d[%s]", context, operand->member,
                                             use->row, kernel->dims[kernel->rank - 2].place));
    }
    bool is_assigned = false;
    const char *value = NULL;
    if (body->form == DVMHCC_BODY_GPU_VALUES)
        value = dvmhcc_gpu_value(body->kernel, operand, element, node, &is_assigned);
    if (value != NULL && !is_assigned)
        return replace(body, node, value);
    dvmhcc_pieces_t pieces = {0};
    if (value != NULL)
        dvmhcc_pieces_printf(&pieces, "dvmhx_place<std::remove_cv_t<%s>>{", operand->type);
    dvmhcc_pieces_printf(&pieces, "%s->%s[", context, operand->member);
    add_offset(body, operand, element, &pieces);
    dvmhcc_pieces_printf(&pieces, "]");
    if (value != NULL)
        dvmhcc_pieces_printf(&pieces, ", %s}", value);
    good = dvmhcc_pieces_replace(&pieces, body->edit, node->begin - body->begin, node->end - body->begin);
    for (int axis = 0; axis < element->rank; axis++)
        good = good && rewrite(body, element->subscripts[axis], is_simple(body, element->subscripts[axis]));
    return good;
}

/* `continue` of the parallel loop itself, not of a loop in its body. */
static bool continues_kernel(const body_t *body, const dvmhcc_node_t *node) {
    for (const dvmhcc_node_t *outer = node->parent; outer != NULL && outer != body->kernel->body->parent;
         outer = outer->parent)
        if (outer->kind == DVMHCC_NODE_FOR || outer->kind == DVMHCC_NODE_WHILE ||
            outer->kind == DVMHCC_NODE_DO)
            return false;
    return true;
}

static bool rewrite_declaration(body_t *body, const dvmhcc_node_t *node) {
    bool good = true;
    for (int i = 0; good && i < node->declarator_count; i++) {
        const dvmhcc_declarator_t *declarator = node->declarators[i];
        for (int k = 0; good && k < declarator->extent_count; k++)
            good = rewrite(body, declarator->extents[k].expression, false);
        good = good && rewrite(body, declarator->initialiser, false);
    }
    return good;
}

static bool rewrite(body_t *body, dvmhcc_node_t *node, bool in_subscript) {
    dvmhcc_element_t element;
    bool good = true;
    if (node == NULL)
        return true;
    switch (node->kind) {
    case DVMHCC_NODE_NAME:
        return rewrite_name(body, node, in_subscript);
    case DVMHCC_NODE_SUBSCRIPT:
        if (dvmhcc_element_of(node, &element))
            return rewrite_element(body, node, &element);
        /* An ordinary array: its addresses shall be seen to grow as well. */
        return rewrite(body, node->children[0], false) &&
               rewrite(body, node->children[1], is_simple(body, node->children[1]));
    case DVMHCC_NODE_CONTINUE:
        return !continues_kernel(body, node) || replace(body, node, "return;");
    case DVMHCC_NODE_DECLARATION:
        return rewrite_declaration(body, node);
    default:
        break;
    }
    for (int i = 0; good && i < node->count; i++)
        good = rewrite(body, node->children[i], in_subscript);
    return good;
}

static dvmhcc_place_t place_in_body(void *context, size_t offset) {
    const body_t *body = context;
    return dvmhcc_source_line(body->kernel->generator->source, body->begin + offset);
}

bool dvmhcc_kernel_write_body(dvmhcc_kernel_t *kernel, dvmhcc_body_form_t form, dvmhcc_text_t *text) {
    dvmhcc_generator_t *generator = kernel->generator;
    dvmhcc_node_t *node = kernel->body;
    body_t body = {.kernel = kernel, .begin = node->begin, .form = form, .index_type = "DvmType"};
    if (is_for_gpus(&body))
        body.index_type = "dvmhcc_index";
    body.edit = dvmhcc_edit_create(generator->unit->text + node->begin, node->end - node->begin,
                                   place_in_body, &body);
    const bool good =
        body.edit != NULL && rewrite(&body, node, false) &&
        (!is_for_gpus(&body) || dvmhcc_gpu_convert(generator, node, NULL, body.edit, body.begin)) &&
        dvmhcc_edit_apply(body.edit, text);
    dvmhcc_edit_free(body.edit);
    return good;
}
