/* Declarations of distributed arrays and templates: each becomes a header, and the object is created where its life begins: for the
 * file scope in a function of its own that the start of the program calls, once, whichever source needs it first. */
#include <config.h>

#include "compiler-hooks/dvmhcc/c_text.h"
#include "compiler-hooks/dvmhcc/generate_serial.h"

#include <dvmhlib_const.h>
#include <inttypes.h>
#include <string.h>

/* ---- texts of calls */

void dvmhcc_generate_line(dvmhcc_generator_t *generator, size_t offset, const char *margin,
                          dvmhcc_text_t *text) {
    const dvmhcc_place_t place = dvmhcc_source_line(generator->source, offset);
    dvmhcc_text_printf(text, "%sdvmh_line_C(%d, \"%s\");\n", margin, place.line > 0 ? place.line : 1,
                       dvmhcc_generator_file(generator, &place));
}

void dvmhcc_generate_word(const char *expression, dvmhcc_text_t *text) {
    bool plain = expression[0] != '\0';
    for (const char *at = expression; plain && *at != '\0'; at++)
        plain = dvmhcc_c_in_name(*at);
    dvmhcc_text_printf(text, plain ? "(DvmType)%s" : "(DvmType)(%s)", expression);
}

/* The positive rt_ code of the elements that a name's array or pointer has; for weights and sizes of blocks. */
static bool write_block_array(dvmhcc_generator_t *generator, const dvmhcc_name_t *name, size_t offset,
                              dvmhcc_text_t *text) {
    const dvmhcc_entity_t *entity = dvmhcc_unit_find(generator->unit, name->text, offset);
    const dvmhcc_type_t *element = entity != NULL && entity->type != NULL ? entity->type->target : NULL;
    if (element == NULL || element->runtime_code == rt_UNKNOWN) {
        const dvmhcc_place_t place = dvmhcc_source_line(generator->source, offset);
        dvmhcc_report(DVMHCC_ERROR, &place, "'%s' must be an array of numbers", name->text);
        return false;
    }
    dvmhcc_text_printf(text, "%d, %s", element->runtime_code, name->text);
    return true;
}

bool dvmhcc_generate_distribution(dvmhcc_generator_t *generator, const dvmhcc_distribution_t *distribution,
                                  size_t offset, dvmhcc_text_t *text) {
    int grid_axis = 0;
    bool good = true;
    for (int axis = 0; good && axis < distribution->rank; axis++) {
        const dvmhcc_axis_rule_t *rule = &distribution->axes[axis];
        if (rule->kind == DVMHCC_AXIS_WHOLE) {
            dvmhcc_text_add_string(text, ", dvmh_distribution_replicated_()");
            continue;
        }
        grid_axis++;
        switch (rule->kind) {
        case DVMHCC_AXIS_WGTBLOCK:
            dvmhcc_text_printf(text, ", dvmh_distribution_wgtblock_C(%d, ", grid_axis);
            good = write_block_array(generator, &rule->array, offset, text);
            dvmhcc_text_add_string(text, ", ");
            dvmhcc_generate_word(rule->value.constant.text, text);
            dvmhcc_text_add_string(text, ")");
            break;
        case DVMHCC_AXIS_GENBLOCK:
            dvmhcc_text_printf(text, ", dvmh_distribution_genblock_C(%d, ", grid_axis);
            good = write_block_array(generator, &rule->array, offset, text);
            dvmhcc_text_add_string(text, ")");
            break;
        case DVMHCC_AXIS_MULTBLOCK:
            dvmhcc_text_printf(text, ", dvmh_distribution_multblock_C(%d, ", grid_axis);
            dvmhcc_generate_word(rule->value.constant.text, text);
            dvmhcc_text_add_string(text, ")");
            break;
        default:
            dvmhcc_text_printf(text, ", dvmh_distribution_block_C(%d)", grid_axis);
        }
    }
    return good;
}

void dvmhcc_generate_mapping(const dvmhcc_mapping_t *mapping, dvmhcc_text_t *text) {
    dvmhcc_generate_subscripts(mapping->subscripts, mapping->target_rank, text);
}

void dvmhcc_generate_subscripts(const dvmhcc_subscript_t subscripts[], int rank, dvmhcc_text_t *text) {
    for (int axis = 0; axis < rank; axis++) {
        const dvmhcc_subscript_t *subscript = &subscripts[axis];
        switch (subscript->kind) {
        case DVMHCC_SUBSCRIPT_ALL:
            dvmhcc_text_add_string(text, ", dvmh_alignment_linear_C(-1, 0, 0)");
            break;
        case DVMHCC_SUBSCRIPT_CONSTANT:
            dvmhcc_text_add_string(text, ", dvmh_alignment_linear_C(0, 0, ");
            dvmhcc_generate_word(subscript->whole.constant.text, text);
            dvmhcc_text_add_string(text, ")");
            break;
        case DVMHCC_SUBSCRIPT_INDEX:
            dvmhcc_text_printf(text, ", dvmh_alignment_linear_C(%d, ", subscript->index + 1);
            dvmhcc_generate_word(subscript->coefficient.text, text);
            dvmhcc_text_add_string(text, ", ");
            dvmhcc_generate_word(subscript->summand.text, text);
            dvmhcc_text_add_string(text, ")");
            break;
        }
    }
}

bool dvmhcc_generate_placing(dvmhcc_generator_t *generator, const dvmhcc_distributed_t *array,
                             const char *margin, dvmhcc_text_t *text) {
    const dvmhcc_declaration_t *declaration = array->declaration;
    bool good = true;
    if (declaration->has_distribution) {
        dvmhcc_text_printf(text, "%sdvmh_distribute_C(%s, %d", margin, array->entity->name, array->rank);
        good =
            dvmhcc_generate_distribution(generator, &declaration->distribution, array->attached->begin, text);
        dvmhcc_text_add_string(text, ");\n");
    } else if (declaration->has_alignment) {
        dvmhcc_text_printf(text, "%sdvmh_align_C(%s, %s, %d", margin, array->entity->name,
                           declaration->alignment.target.text, declaration->alignment.target_rank);
        dvmhcc_generate_mapping(&declaration->alignment, text);
        dvmhcc_text_add_string(text, ");\n");
    }
    return good;
}

static const char *code_name(int code) {
    static const char *const names[] = {[rt_CHAR] = "rt_CHAR",
                                        [rt_INT] = "rt_INT",
                                        [rt_LONG] = "rt_LONG",
                                        [rt_FLOAT] = "rt_FLOAT",
                                        [rt_DOUBLE] = "rt_DOUBLE",
                                        [rt_FLOAT_COMPLEX] = "rt_FLOAT_COMPLEX",
                                        [rt_DOUBLE_COMPLEX] = "rt_DOUBLE_COMPLEX",
                                        [rt_LLONG] = "rt_LLONG",
                                        [rt_UCHAR] = "rt_UCHAR",
                                        [rt_UINT] = "rt_UINT",
                                        [rt_ULONG] = "rt_ULONG",
                                        [rt_ULLONG] = "rt_ULLONG",
                                        [rt_SHORT] = "rt_SHORT",
                                        [rt_USHORT] = "rt_USHORT"};
    return code >= 0 && (size_t)code < sizeof names / sizeof names[0] ? names[code] : NULL;
}

/* Size of an axis. For a pointer the first one comes with its memory. */
static void write_extent(const dvmhcc_generator_t *generator, const dvmhcc_distributed_t *array, int axis,
                         dvmhcc_text_t *text) {
    const dvmhcc_extent_t *extents[DVMHCC_RANK_MAX];
    const dvmhcc_type_t *type = array->entity->type;
    if (axis == 0 && array->form == DVMHCC_FORM_POINTER) {
        dvmhcc_text_add_string(text, "(DvmType)0");
    } else if (dvmhcc_distributed_extents(array, extents) && extents[axis]->begin < extents[axis]->end) {
        dvmhcc_text_add_string(text, "(DvmType)(");
        dvmhcc_text_add(text, generator->unit->text + extents[axis]->begin,
                        extents[axis]->end - extents[axis]->begin);
        dvmhcc_text_add_string(text, ")");
    } else {
        for (int k = 0; k < axis; k++)
            type = type->target;
        dvmhcc_text_printf(text, "(DvmType)%" PRId64, type->extent);
    }
}

/* Creation, distribution or alignment, and the rule for layouts. */
static bool write_creation(dvmhcc_generator_t *generator, const dvmhcc_distributed_t *array,
                           const char *margin, dvmhcc_text_t *text) {
    const dvmhcc_declaration_t *declaration = array->declaration;
    const char *name = array->entity->name;
    dvmhcc_generate_line(generator, array->attached->begin, margin, text);
    if (array->form == DVMHCC_FORM_TEMPLATE) {
        dvmhcc_text_printf(text, "%sdvmh_template_create_C(%s, %d", margin, name, array->rank);
        for (int axis = 0; axis < array->rank; axis++) {
            dvmhcc_text_add_string(text, ", ");
            dvmhcc_generate_word(declaration->sizes[axis].constant.text, text);
        }
        dvmhcc_text_add_string(text, ");\n");
        return dvmhcc_generate_placing(generator, array, margin, text);
    }
    const char *code = code_name(array->element->runtime_code);
    const char *type = dvmhcc_generator_type(generator, array->element, array->attached->statement);
    if (type == NULL)
        return false;
    dvmhcc_text_printf(text, "%s%s(%s, %d, ", margin,
                       array->form == DVMHCC_FORM_POINTER ? "dvmh_array_declare_C" : "dvmh_array_create_C",
                       name, array->rank);
    dvmhcc_text_printf(text, code != NULL ? "-%s" : "(DvmType)sizeof(%s)", code != NULL ? code : type);
    for (int axis = 0; axis < array->rank; axis++) {
        dvmhcc_text_add_string(text, ", ");
        write_extent(generator, array, axis, text);
        dvmhcc_text_add_string(text, ", ");
        dvmhcc_generate_word(declaration->has_shadow ? declaration->shadow[axis].low.constant.text : "1",
                             text);
        dvmhcc_text_add_string(text, ", ");
        dvmhcc_generate_word(declaration->has_shadow ? declaration->shadow[axis].high.constant.text : "1",
                             text);
    }
    dvmhcc_text_add_string(text, ");\n");
    if (!generator->command->auto_layout)
        dvmhcc_text_printf(text, "%sdvmhcc_keep_layout(%s);\n", margin, name);
    if (array->form == DVMHCC_FORM_POINTER)
        return true;
    const bool good = dvmhcc_generate_placing(generator, array, margin, text);
    if (array->entity->has_static_storage && (declaration->has_distribution || declaration->has_alignment)) {
        dvmhcc_text_printf(text, "%sdvmhcc_clear(%s, %d, sizeof(%s)", margin, name, array->rank, type);
        for (int axis = 0; axis < array->rank; axis++) {
            dvmhcc_text_add_string(text, axis > 0 ? " * " : ", ");
            write_extent(generator, array, axis, text);
        }
        dvmhcc_text_add_string(text, ");\n");
    }
    return good;
}

/* ---- declarations */

static bool has_word(const dvmhcc_generator_t *generator, size_t begin, size_t end, const char *word) {
    const char *text = generator->unit->text;
    for (size_t at = dvmhcc_c_next(text, end, begin); at < end;
         at = dvmhcc_c_next(text, end, dvmhcc_c_word_end(text, end, at)))
        if (dvmhcc_c_is_name(text, end, at, word))
            return true;
    return false;
}

static bool is_header(const dvmhcc_declarator_t *declarator) {
    return declarator->entity->distributed != NULL &&
           declarator->entity->distributed->form != DVMHCC_FORM_PARAMETER;
}

/* What a local array's header is followed by. */
static bool write_local(dvmhcc_generator_t *generator, const dvmhcc_declarator_t *declarator, bool is_static,
                        dvmhcc_pieces_t *pieces) {
    const dvmhcc_distributed_t *array = declarator->entity->distributed;
    dvmhcc_text_t text = {0};
    const bool good = write_creation(generator, array, "        ", &text) && dvmhcc_text_good(&text);
    if (is_static)
        dvmhcc_pieces_printf(pieces, "\n    if (%s[0] == 0) {\n%s    }\n", array->entity->name,
                             dvmhcc_text_string(&text));
    else
        dvmhcc_pieces_printf(pieces, "\n    {\n%s    }\n", dvmhcc_text_string(&text));
    dvmhcc_text_free(&text);
    return good;
}

/* A jump into the scope of a local array, past its creation. */
typedef struct jump {
    const dvmhcc_node_t *declaration, *found;
} jump_t;

static bool find_jump(dvmhcc_node_t *node, void *context) {
    jump_t *jump = context;
    const bool is_target = node->kind == DVMHCC_NODE_LABEL || node->kind == DVMHCC_NODE_CASE ||
                           node->kind == DVMHCC_NODE_DEFAULT;
    if (!is_target || node->begin < jump->declaration->end)
        return true;
    if (node->kind == DVMHCC_NODE_LABEL) {
        jump->found = node;
        return false;
    }
    /* A case of a switch that is itself behind the declaration does no harm. */
    const dvmhcc_node_t *outer = node->parent;
    while (outer != NULL && outer->kind != DVMHCC_NODE_SWITCH)
        outer = outer->parent;
    if (outer == NULL || outer->begin < jump->declaration->begin)
        jump->found = node;
    return jump->found == NULL;
}

static bool check_jumps(dvmhcc_generator_t *generator, const dvmhcc_declarator_t *declarator) {
    jump_t jump = {.declaration = declarator->statement};
    if (declarator->statement->parent != NULL)
        dvmhcc_walk(declarator->statement->parent, find_jump, &jump);
    if (jump.found == NULL)
        return true;
    dvmhcc_node_report(
        generator->unit, DVMHCC_ERROR, jump.found,
        "a jump may come here past the declaration of the distributed array '%s'; put what follows "
        "the declaration into a block of its own, without labels",
        declarator->entity->name);
    return false;
}

/* At file scope the analysis sees to it that such a declaration declares nothing else. */
static bool replace_declaration(dvmhcc_generator_t *generator, const dvmhcc_declarator_t *declarator) {
    const bool is_static = has_word(generator, declarator->begin, declarator->own_begin, "static");
    const bool is_local = declarator->statement != NULL;
    const bool is_template = declarator->entity->distributed->form == DVMHCC_FORM_TEMPLATE;
    dvmhcc_pieces_t pieces = {0};
    bool good = true;
    if (is_local && declarator->statement->declarator_count > 1) {
        dvmhcc_node_report(
            generator->unit, DVMHCC_ERROR, declarator->statement,
            "a distributed array is declared together with other variables; declare '%s' alone",
            declarator->entity->name);
        return false;
    }
    if (is_local && !is_static && !declarator->is_extern && !check_jumps(generator, declarator))
        return false;
    dvmhcc_pieces_printf(&pieces, "%sDvmType %s[%d]",
                         declarator->is_extern ? "extern "
                         : is_static           ? "static "
                                               : "",
                         declarator->entity->name, is_template ? 1 : 64);
    if (is_local && !is_static && !declarator->is_extern)
        dvmhcc_pieces_printf(&pieces, " __attribute__((cleanup(dvmhcc_delete_%s))) = {0}",
                             is_template ? "template" : "array");
    dvmhcc_pieces_printf(&pieces, ";");
    if (is_local && !declarator->is_extern)
        good = write_local(generator, declarator, is_static, &pieces);
    return dvmhcc_pieces_replace(&pieces, generator->edit, declarator->begin, declarator->end) && good;
}

typedef struct visit {
    dvmhcc_generator_t *generator;
    bool good;
} visit_t;

static bool visit_node(dvmhcc_node_t *node, void *context) {
    visit_t *visit = context;
    for (int i = 0; i < node->declarator_count; i++)
        if (is_header(node->declarators[i]))
            visit->good = replace_declaration(visit->generator, node->declarators[i]) && visit->good;
    return true;
}

/* ---- the file scope */

static bool is_created_here(const dvmhcc_distributed_t *array) {
    return array->form != DVMHCC_FORM_PARAMETER && array->entity->is_file_scope && !array->is_only_extern;
}

/* The function that creates an array of the file scope, whoever needs it first. */
static bool write_creator(dvmhcc_generator_t *generator, const dvmhcc_distributed_t *array,
                          dvmhcc_text_t *text) {
    const char *name = array->entity->name;
    const dvmhcc_distributed_t *target = array->align_target;
    dvmhcc_text_printf(text, "%svoid dvmhcc_create_%s(void) {\n    if (%s[0] != 0)\n        return;\n",
                       array->entity->is_internal ? "static " : "", name, name);
    if (target != NULL && target->entity->is_file_scope && array->form != DVMHCC_FORM_POINTER)
        dvmhcc_text_printf(text, "    dvmhcc_create_%s();\n", target->entity->name);
    const bool good = write_creation(generator, array, "    ", text);
    dvmhcc_text_add_string(text, "}\n\n");
    return good;
}

static bool write_creators(dvmhcc_generator_t *generator) {
    dvmhcc_text_t text = {0};
    bool good = true, any = false;
    for (const dvmhcc_distributed_t *array = generator->program->distributed; array != NULL;
         array = array->next) {
        if (array->form == DVMHCC_FORM_PARAMETER || !array->entity->is_file_scope)
            continue;
        dvmhcc_text_printf(&text, "%svoid dvmhcc_create_%s(void);\n",
                           array->entity->is_internal ? "static " : "", array->entity->name);
    }
    dvmhcc_text_add_string(&text, "\n");
    for (const dvmhcc_distributed_t *array = generator->program->distributed; array != NULL;
         array = array->next) {
        if (is_created_here(array)) {
            good = write_creator(generator, array, &text) && good;
            any = true;
        }
    }
    if (any) {
        const char *prefix = generator->prefix;
        dvmhcc_text_printf(&text, "static void %sstart(void) {\n", prefix);
        for (const dvmhcc_distributed_t *array = generator->program->distributed; array != NULL;
             array = array->next)
            if (is_created_here(array))
                dvmhcc_text_printf(&text, "    dvmhcc_create_%s();\n", array->entity->name);
        dvmhcc_text_printf(&text,
                           "}\n\n__attribute__((constructor)) static void %senter(void) {\n"
                           "    static dvmhcc_module_t module;\n\n"
                           "    dvmhcc_module_enter(&module, %sstart, NULL);\n}\n",
                           prefix, prefix);
        dvmhcc_text_t all = {0};
        dvmhcc_text_add_string(&all, "\n\n/* Distributed arrays of the file scope. */\n");
        dvmhcc_text_add(&all, dvmhcc_text_string(&text), text.length);
        good = dvmhcc_text_good(&all) && good &&
               dvmhcc_edit_before_text(generator->edit, generator->unit->length, dvmhcc_text_string(&all));
        dvmhcc_text_free(&all);
    }
    dvmhcc_text_free(&text);
    return good;
}

bool dvmhcc_generate_arrays(dvmhcc_generator_t *generator) {
    const dvmhcc_unit_t *unit = generator->unit;
    visit_t visit = {.generator = generator, .good = true};
    for (size_t i = 0; i < unit->declaration_count; i++)
        if (is_header(unit->declarations[i]))
            visit.good = replace_declaration(generator, unit->declarations[i]) && visit.good;
    for (size_t i = 0; i < unit->entity_count; i++)
        if (unit->entities[i]->kind == DVMHCC_ENTITY_FUNCTION && unit->entities[i]->body != NULL)
            dvmhcc_walk(unit->entities[i]->body, visit_node, &visit);
    for (const dvmhcc_distributed_t *array = generator->program->distributed; array != NULL;
         array = array->next)
        for (const dvmhcc_declarator_t *declarator = array->entity->declarators;
             array->form == DVMHCC_FORM_PARAMETER && declarator != NULL; declarator = declarator->next)
            visit.good = dvmhcc_edit_replace_text(generator->edit, declarator->begin, declarator->end,
                                                  dvmhcc_generator_text(generator, "DvmType *%s",
                                                                        array->entity->name)) &&
                         visit.good;
    return write_creators(generator) && visit.good;
}
