/* Parallel loops: their functions in front of the function that they stand in, and the calls that describe and perform them in their
 * place. */
#include <config.h>

#include "compiler-hooks/dvmhcc/access.h"
#include "compiler-hooks/dvmhcc/generate_gpu.h"
#include "compiler-hooks/dvmhcc/generate_serial.h"

#include <inttypes.h>
#include <string.h>

#define MARGIN      "        "
#define VECTORS_MAX 64

dvmhcc_loop_t *dvmhcc_parallel_of(const dvmhcc_generator_t *generator, const dvmhcc_node_t *node) {
    if (node->kind != DVMHCC_NODE_FOR)
        return NULL;
    for (dvmhcc_loop_t *loop = generator->program->loops; loop != NULL; loop = loop->next)
        if (loop->attached->statement == node)
            return loop;
    return NULL;
}

bool dvmhcc_is_parallel(const dvmhcc_generator_t *generator, const dvmhcc_node_t *node) {
    return dvmhcc_parallel_of(generator, node) != NULL;
}

/* ---- bounds */

static void add_bound(const dvmhcc_node_t *node, const char *sign, int more, dvmhcc_pieces_t *pieces) {
    dvmhcc_pieces_printf(pieces, "%s(DvmType)(", sign);
    dvmhcc_pieces_range(pieces, node->begin, node->end);
    dvmhcc_pieces_printf(pieces, more == 0 ? ")" : more > 0 ? ") + 1" : ") - 1");
}

static void add_last(const dvmhcc_dim_t *dim, dvmhcc_pieces_t *pieces) {
    add_bound(dim->last, "",
              dim->relation == DVMHCC_OPERATOR_LESS      ? -1
              : dim->relation == DVMHCC_OPERATOR_GREATER ? 1
                                                         : 0,
              pieces);
}

static void add_step(const dvmhcc_dim_t *dim, dvmhcc_pieces_t *pieces) {
    if (dim->step == NULL)
        dvmhcc_pieces_printf(pieces, dim->is_subtracted ? "-1" : "1");
    else
        add_bound(dim->step, dim->is_subtracted ? "-" : "", 0, pieces);
}

/* The arrays of bounds, evaluated once, and the loop. */
static void add_create(const dvmhcc_kernel_t *kernel, const dvmhcc_loop_t *loop, dvmhcc_pieces_t *pieces) {
    const char *prefix = kernel->generator->prefix;
    dvmhcc_pieces_printf(pieces, MARGIN "const DvmType %sfirst[] = {", prefix);
    for (int k = 0; k < loop->rank; k++) {
        dvmhcc_pieces_printf(pieces, k > 0 ? ", " : "");
        add_bound(loop->dims[k].first, "", 0, pieces);
    }
    dvmhcc_pieces_printf(pieces, "};\n" MARGIN "const DvmType %slast[] = {", prefix);
    for (int k = 0; k < loop->rank; k++) {
        dvmhcc_pieces_printf(pieces, k > 0 ? ", " : "");
        add_last(&loop->dims[k], pieces);
    }
    dvmhcc_pieces_printf(pieces, "};\n" MARGIN "const DvmType %sstep[] = {", prefix);
    for (int k = 0; k < loop->rank; k++) {
        dvmhcc_pieces_printf(pieces, k > 0 ? ", " : "");
        add_step(&loop->dims[k], pieces);
    }
    if (loop->attached->region != NULL)
        dvmhcc_pieces_printf(pieces, "};\n" MARGIN "const DvmType %sloop = dvmh_loop_create_C(%sregion, %d",
                             prefix, prefix, loop->rank);
    else
        dvmhcc_pieces_printf(pieces, "};\n" MARGIN "const DvmType %sloop = dvmh_loop_create_C(0, %d", prefix,
                             loop->rank);
    for (int k = 0; k < loop->rank; k++)
        dvmhcc_pieces_printf(pieces, ", %sfirst[%d], %slast[%d], %sstep[%d]", prefix, k, prefix, k, prefix,
                             k);
    dvmhcc_pieces_printf(pieces, ");\n");
}

/* Index variables that live on have the values that the loops of C leave. */
static void add_finals(const dvmhcc_kernel_t *kernel, const dvmhcc_loop_t *loop, dvmhcc_pieces_t *pieces) {
    const char *prefix = kernel->generator->prefix;
    for (int k = 0; k < loop->rank; k++) {
        const dvmhcc_kernel_dim_t *dim = &kernel->dims[k];
        if (loop->dims[k].is_declared)
            continue;
        dvmhcc_pieces_printf(pieces, MARGIN);
        if (k > 0)
            dvmhcc_pieces_printf(pieces, "if (");
        for (int outer = 0; outer < k; outer++)
            dvmhcc_pieces_printf(pieces, "%sdvmhcc_runs(%sfirst[%d], %slast[%d], %sstep[%d])%s",
                                 outer > 0 ? " && " : "", prefix, outer, prefix, outer, prefix, outer,
                                 outer == k - 1 ? ")\n" MARGIN "    " : "");
        dvmhcc_pieces_printf(pieces, "%s = (%s)dvmhcc_after(%sfirst[%d], %slast[%d], %sstep[%d]);\n",
                             dim->entity->name, dim->type, prefix, k, prefix, k, prefix, k);
        /* Used, to the compiler; by its address where it may have no value. */
        if (!dim->entity->is_file_scope)
            dvmhcc_pieces_printf(pieces, MARGIN "(void)%s%s;\n", k > 0 ? "&" : "", dim->entity->name);
    }
    for (int i = 0; i < kernel->private_count; i++)
        if (!kernel->privates[i]->is_file_scope)
            dvmhcc_pieces_printf(pieces, MARGIN "(void)%s;\n", kernel->privates[i]->name);
}

/* ---- what the directive says */

static void write_map(const dvmhcc_generator_t *generator, const dvmhcc_loop_t *loop, dvmhcc_text_t *text) {
    const dvmhcc_mapping_t *mapping = &loop->parallel->mapping;
    if (mapping->target.text == NULL)
        return;
    dvmhcc_text_printf(text, MARGIN "dvmh_loop_map_C(%sloop, %s, %d", generator->prefix, mapping->target.text,
                       mapping->target_rank);
    dvmhcc_generate_mapping(mapping, text);
    dvmhcc_text_add_string(text, ");\n");
}

static bool write_across(const dvmhcc_generator_t *generator, const dvmhcc_loop_t *loop,
                         dvmhcc_text_t *text) {
    for (const dvmhcc_widths_t *across = loop->parallel->acrosses; across != NULL; across = across->next) {
        const dvmhcc_entity_t *entity =
            dvmhcc_unit_find(generator->unit, across->array.text, loop->attached->begin);
        const dvmhcc_distributed_t *array = entity != NULL ? entity->distributed : NULL;
        if (array == NULL)
            continue; /* an ordinary array: the vectors say all */
        const dvmhcc_declaration_t *declaration = array != NULL ? array->declaration : NULL;
        if (across->rank == 0 && declaration == NULL) {
            const dvmhcc_place_t place =
                dvmhcc_source_pragma_place(generator->source, loop->attached->pragma,
                                           across->array.span.offset, across->array.span.length);
            dvmhcc_report(
                DVMHCC_ERROR, &place,
                "'%s' is a parameter, whose shadow widths are not known here; write the widths of the "
                "dependence behind it, as in %s[1:1]",
                across->array.text, across->array.text);
            return false;
        }
        dvmhcc_text_printf(text, MARGIN "dvmh_loop_across_C(%sloop, %d, %s, %d", generator->prefix,
                           across->out ? 1 : 0, across->array.text, array->rank);
        for (int axis = 0; axis < array->rank; axis++) {
            const dvmhcc_range_t *range = across->rank > 0          ? &across->axes[axis]
                                          : declaration->has_shadow ? &declaration->shadow[axis]
                                                                    : NULL;
            dvmhcc_text_add_string(text, ", ");
            dvmhcc_generate_word(range != NULL ? range->low.constant.text : "1", text);
            dvmhcc_text_add_string(text, ", ");
            dvmhcc_generate_word(range != NULL ? range->high.constant.text : "1", text);
        }
        dvmhcc_text_add_string(text, ");\n");
    }
    return true;
}

/* The exact vectors, where all are known: across knows distances along single axes only. */
static void write_vectors(const dvmhcc_generator_t *generator, const dvmhcc_loop_t *loop,
                          dvmhcc_text_t *text) {
    int64_t vectors[VECTORS_MAX][DVMHCC_RANK_MAX];
    const int count = dvmhcc_loop_vectors(loop, VECTORS_MAX, vectors);
    if (loop->has_unknown_dependence || count == 0 || count > VECTORS_MAX)
        return;
    dvmhcc_text_printf(text, MARGIN "{\n" MARGIN "    static const DvmType %svectors[] = {",
                       generator->prefix);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < loop->rank; k++)
            dvmhcc_text_printf(text, "%s%" PRId64, i + k > 0 ? ", " : "", vectors[i][k]);
    dvmhcc_text_printf(text,
                       "};\n" MARGIN "    dvmhx_loop_dependences_C(%sloop, %d, %svectors);\n" MARGIN "}\n",
                       generator->prefix, count, generator->prefix);
}

const char *dvmhcc_reduction_code(dvmhcc_operation_t operation) {
    static const char *const operations[] =
        {[DVMHCC_SUM] = "rf_SUM", [DVMHCC_PRODUCT] = "rf_PROD",  [DVMHCC_MAX] = "rf_MAX",
         [DVMHCC_MIN] = "rf_MIN", [DVMHCC_AND] = "rf_AND",       [DVMHCC_OR] = "rf_OR",
         [DVMHCC_XOR] = "rf_XOR", [DVMHCC_MAXLOC] = "rf_MAXLOC", [DVMHCC_MINLOC] = "rf_MINLOC"};
    return operations[operation];
}

static bool write_reductions(dvmhcc_generator_t *generator, const dvmhcc_loop_t *loop, dvmhcc_text_t *text) {
    for (const dvmhcc_reduction_t *reduction = loop->parallel->reductions; reduction != NULL;
         reduction = reduction->next) {
        const char *name = reduction->variable.text, *location = reduction->location.text;
        const dvmhcc_entity_t *entity = dvmhcc_unit_find(generator->unit, name, loop->attached->begin);
        int rank = 0;
        const dvmhcc_type_t *element = entity != NULL ? dvmhcc_type_element(entity->type, &rank) : NULL;
        if (element == NULL || element->bytes <= 0 || entity->type->bytes <= 0 || element->runtime_code < 0 ||
            (rank > 0 && location != NULL)) {
            const dvmhcc_place_t place =
                dvmhcc_source_pragma_place(generator->source, loop->attached->pragma,
                                           reduction->variable.span.offset, reduction->variable.span.length);
            dvmhcc_report(DVMHCC_ERROR, &place, "'%s' cannot be a reduction variable; expected a number%s",
                          name, location != NULL ? "" : ", or an array of numbers whose size is known");
            return false;
        }
        dvmhcc_text_printf(text, MARGIN "dvmh_loop_reduction_C(%sloop, %s, %s%s, %d, %" PRId64 ", ",
                           generator->prefix, dvmhcc_reduction_code(reduction->operation),
                           rank > 0 ? "" : "&", name, element->runtime_code,
                           entity->type->bytes / element->bytes);
        if (location != NULL)
            dvmhcc_text_printf(text, "&%s, sizeof %s);\n", location, location);
        else
            dvmhcc_text_add_string(text, "NULL, 0);\n");
    }
    return true;
}

static void write_ties(const dvmhcc_generator_t *generator, const dvmhcc_loop_t *loop, dvmhcc_text_t *text) {
    for (const dvmhcc_tie_t *tie = loop->parallel->ties; tie != NULL; tie = tie->next) {
        const dvmhcc_entity_t *entity =
            dvmhcc_unit_find(generator->unit, tie->array.text, loop->attached->begin);
        if (entity == NULL || entity->distributed == NULL)
            continue; /* ordinary arrays have one layout */
        dvmhcc_text_printf(text, MARGIN "dvmh_loop_array_correspondence_C(%sloop, %s, %d", generator->prefix,
                           tie->array.text, tie->rank);
        for (int axis = 0; axis < tie->rank; axis++)
            dvmhcc_text_printf(text, ", (DvmType)%d", tie->axes[axis]);
        dvmhcc_text_add_string(text, ");\n");
    }
}

static void write_hints(const dvmhcc_generator_t *generator, const dvmhcc_loop_t *loop, dvmhcc_text_t *text) {
    const dvmhcc_parallel_t *parallel = loop->parallel;
    if (parallel->stage.constant.text != NULL) {
        dvmhcc_text_printf(text, MARGIN "dvmh_loop_set_stage_C(%sloop, ", generator->prefix);
        dvmhcc_generate_word(parallel->stage.constant.text, text);
        dvmhcc_text_add_string(text, ");\n");
    }
    if (parallel->cuda_block_rank > 0) {
        dvmhcc_text_printf(text, MARGIN "dvmh_loop_set_cuda_block_C(%sloop", generator->prefix);
        for (int axis = 0; axis < 3; axis++) {
            dvmhcc_text_add_string(text, ", ");
            dvmhcc_generate_word(axis < parallel->cuda_block_rank ? parallel->cuda_block[axis].constant.text
                                                                  : "1",
                                 text);
        }
        dvmhcc_text_add_string(text, ");\n");
    }
}

/* ---- arrays */

static bool is_tied(const dvmhcc_loop_t *loop, const dvmhcc_operand_t *operand) {
    for (const dvmhcc_tie_t *tie = loop->parallel->ties; tie != NULL; tie = tie->next)
        if (strcmp(tie->array.text, operand->entity->name) == 0)
            return true;
    return false;
}

enum table { DIM, MULT, ADD };

static void write_table(const dvmhcc_kernel_t *kernel, const dvmhcc_operand_t *operand, enum table table,
                        dvmhcc_text_t *text) {
    static const char *const names[] = {"dim", "mult", "add"};
    dvmhcc_text_printf(text, MARGIN "    static const DvmType %s%s[][%d] = {", kernel->generator->prefix,
                       names[table], operand->rank);
    for (int i = 0; i < operand->use_count; i++) {
        for (int axis = 0; axis < operand->rank; axis++) {
            const dvmhcc_walking_t *term = &operand->uses[i].terms[axis];
            const int64_t value = table == DIM ? term->dim + 1 : table == MULT ? term->mult : term->add;
            dvmhcc_text_printf(text, "%s%" PRId64, axis > 0 ? ", " : i > 0 ? ", {" : "{", value);
        }
        dvmhcc_text_add_string(text, "}");
    }
    dvmhcc_text_add_string(text, "};\n");
}

/* A section's uses and its registration stand in one order, which is what the runtime pairs them by. */
static void write_section(const dvmhcc_kernel_t *kernel, const dvmhcc_operand_t *operand,
                          dvmhcc_text_t *text) {
    if (operand->section == NULL)
        return;
    dvmhcc_text_printf(text, MARGIN "dvmh_loop_remote_access_C(%sloop, %s, %d", kernel->generator->prefix,
                       operand->entity->name, operand->rank);
    dvmhcc_generate_subscripts(operand->section->axes, operand->rank, text);
    dvmhcc_text_add_string(text, ");\n");
}

static const char *flags_of(const dvmhcc_kernel_t *kernel, const dvmhcc_operand_t *operand) {
    if (operand->remote > 0)
        return "DVMHX_REMOTE";
    return kernel->by_rows && operand->by_rows ? "DVMHX_BY_ROWS" : "0";
}

/* Whether iterations meet at this array in ways that its references do not say: then the runtime is to go by the widths. */
static bool is_uncertain(const dvmhcc_loop_t *loop, const dvmhcc_operand_t *operand) {
    for (const dvmhcc_dependence_t *d = loop->dependences; d != NULL; d = d->next)
        if (!d->is_known && d->array == operand->array && d->array->across != NULL && operand->remote == 0)
            return true;
    return false;
}

/* The tables of references, where all are known. @return how many there are */
static int write_references(const dvmhcc_kernel_t *kernel, const dvmhcc_operand_t *operand, bool uncertain,
                            dvmhcc_text_t *text) {
    const char *prefix = kernel->generator->prefix;
    int count = 0;
    write_table(kernel, operand, DIM, text);
    write_table(kernel, operand, MULT, text);
    if (!uncertain)
        write_table(kernel, operand, ADD, text);
    dvmhcc_text_printf(text, MARGIN "    static const dvmhx_reference_t %sreferences[] = {", prefix);
    /* A place that is read and written counts as both. */
    for (int i = 0; i < operand->use_count; i++)
        for (int write = 0; write < 2; write++) {
            if (!(write ? operand->uses[i].writes : operand->uses[i].reads))
                continue;
            dvmhcc_text_printf(text, "%s{%d, %sdim[%d], %smult[%d], ", count++ > 0 ? ", " : "", write, prefix,
                               i, prefix, i);
            if (uncertain)
                dvmhcc_text_add_string(text, "NULL}");
            else
                dvmhcc_text_printf(text, "%sadd[%d]}", prefix, i);
        }
    dvmhcc_text_add_string(text, "};\n");
    return count;
}

static void write_operand(const dvmhcc_kernel_t *kernel, const dvmhcc_loop_t *loop,
                          const dvmhcc_operand_t *operand, dvmhcc_text_t *text) {
    const char *prefix = kernel->generator->prefix;
    write_section(kernel, operand, text);
    dvmhcc_text_add_string(text, MARGIN "{\n");
    if (operand->all_known) {
        const int count = write_references(kernel, operand, is_uncertain(loop, operand), text);
        dvmhcc_text_printf(text, MARGIN "    const dvmhx_array_use_t %suse = {sizeof %suse, %s, %d, ", prefix,
                           prefix, operand->entity->name, operand->rank);
        dvmhcc_text_printf(text, "%s, %d, %sreferences, %s};\n",
                           operand->reads ? operand->writes ? "INTENT_INOUT" : "INTENT_IN" : "INTENT_OUT",
                           count, prefix, flags_of(kernel, operand));
    } else {
        dvmhcc_text_printf(text,
                           MARGIN
                           "    const dvmhx_array_use_t %suse = {sizeof %suse, %s, %d, %s, 0, NULL, %s};\n",
                           prefix, prefix, operand->entity->name, operand->rank,
                           operand->reads ? operand->writes ? "INTENT_INOUT" : "INTENT_IN" : "INTENT_OUT",
                           flags_of(kernel, operand));
    }
    dvmhcc_text_printf(text, MARGIN "    dvmhx_loop_array_C(%sloop, &%suse);\n" MARGIN "}\n", prefix, prefix);
}

static void write_arrays(const dvmhcc_kernel_t *kernel, const dvmhcc_loop_t *loop, dvmhcc_text_t *text) {
    for (int i = 0; i < kernel->operand_count; i++) {
        const dvmhcc_operand_t *operand = &kernel->operands[i];
        const dvmhcc_loop_array_t *array = operand->array;
        bool walked = false;
        for (int axis = 0; axis < operand->rank && operand->remote == 0; axis++)
            walked = walked || array->walked_by[axis] != 0;
        if (!operand->all_known && walked && !is_tied(loop, operand)) {
            /* The runtime cannot see from references which dim walks which axis. */
            dvmhcc_text_printf(text, MARGIN "dvmh_loop_array_correspondence_C(%sloop, %s, %d",
                               kernel->generator->prefix, operand->entity->name, operand->rank);
            for (int axis = 0; axis < operand->rank; axis++)
                dvmhcc_text_printf(text, ", (DvmType)%d", array->walked_by[axis]);
            dvmhcc_text_add_string(text, ");\n");
        }
        write_operand(kernel, loop, operand, text);
    }
}

/* Ordinary arrays that have a copy on GPUs. */
static void write_variables(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    static const char *const intents[] = {"INTENT_IN", "INTENT_IN", "INTENT_OUT", "INTENT_INOUT"};
    for (int i = 0; i < kernel->capture_count; i++) {
        const dvmhcc_capture_t *capture = &kernel->captures[i];
        if (capture->variable >= 0)
            dvmhcc_text_printf(text, MARGIN "dvmhx_loop_variable_C(%sloop, (void *)%s, sizeof %s, %s);\n",
                               kernel->generator->prefix, capture->entity->name, capture->entity->name,
                               intents[capture->intent & 3]);
    }
}

static void write_handler(const dvmhcc_kernel_t *kernel, const char *device, const char *handler,
                          dvmhcc_text_t *text) {
    int count = 0;
    for (int i = 0; i < kernel->capture_count; i++)
        count += dvmhcc_is_parameter(&kernel->captures[i]);
    dvmhcc_text_printf(text,
                       MARGIN
                       "dvmh_loop_register_handler_C(%sloop, DEVICE_TYPE_%s, DVMHX_HANDLER_RECORD,\n" MARGIN
                       "    dvmh_handler_func_C(DVMHCC_HANDLER(%s), %d",
                       kernel->generator->prefix, device, handler, count);
    for (int i = 0; i < kernel->capture_count; i++) {
        const dvmhcc_capture_t *capture = &kernel->captures[i];
        if (dvmhcc_is_parameter(capture))
            dvmhcc_text_printf(text, ", (void *)%s%s", capture->kind == DVMHCC_CAPTURE_ELEMENTS ? "" : "&",
                               capture->entity->name);
    }
    dvmhcc_text_add_string(text, "));\n");
}

static void write_register(dvmhcc_kernel_t *kernel, size_t offset, dvmhcc_text_t *text) {
    const char *handler = dvmhcc_generator_text(kernel->generator, "%s_handler", kernel->name);
    if (handler != NULL)
        write_handler(kernel, "HOST", handler, text);
    if (kernel->gpu_handler != NULL)
        write_handler(kernel, "CUDA", kernel->gpu_handler, text);
    dvmhcc_generate_line(kernel->generator, offset, MARGIN, text);
    dvmhcc_text_printf(text, MARGIN "dvmh_loop_perform_C(%sloop);\n", kernel->generator->prefix);
}

/* ---- the loop */

static bool replace_loop(dvmhcc_kernel_t *kernel, const dvmhcc_loop_t *loop) {
    dvmhcc_generator_t *generator = kernel->generator;
    dvmhcc_text_t before = {0}, text = {0};
    dvmhcc_pieces_t pieces = {0};
    dvmhcc_generate_line(generator, loop->attached->begin, MARGIN, &before);
    bool good = dvmhcc_generate_shadow_renew(generator, loop->parallel->shadow_renews, MARGIN, &before);
    write_map(generator, loop, &text);
    good = write_across(generator, loop, &text) && good;
    write_vectors(generator, loop, &text);
    good = write_reductions(generator, loop, &text) && good;
    write_hints(generator, loop, &text);
    write_ties(generator, loop, &text);
    write_arrays(kernel, loop, &text);
    write_variables(kernel, &text);
    write_register(kernel, loop->attached->begin, &text);
    dvmhcc_pieces_printf(&pieces, "{\n%s", dvmhcc_text_string(&before));
    add_create(kernel, loop, &pieces);
    dvmhcc_pieces_printf(&pieces, "%s", dvmhcc_text_string(&text));
    add_finals(kernel, loop, &pieces);
    dvmhcc_pieces_printf(&pieces, "    }");
    good = dvmhcc_text_good(&before) && dvmhcc_text_good(&text) && good;
    dvmhcc_text_free(&before);
    dvmhcc_text_free(&text);
    return dvmhcc_pieces_replace(&pieces, generator->edit, loop->attached->statement->begin,
                                 loop->attached->statement->end) &&
           dvmhcc_generate_instead(generator, loop->attached, "") && good;
}

/* Where the definition begins that a loop stands in. */
static size_t function_begin(const dvmhcc_entity_t *function) {
    const dvmhcc_declarator_t *declarator = function->declarators;
    while (declarator->next != NULL && declarator->end != function->body->end)
        declarator = declarator->next;
    return declarator->begin;
}

static bool calls_allowed(const dvmhcc_generator_t *generator, const dvmhcc_loop_t *loop) {
    bool good = true;
    for (const dvmhcc_loop_call_t *call = loop->calls; call != NULL; call = call->next)
        if (call->function->uses_distributed) {
            dvmhcc_node_report(generator->unit, DVMHCC_ERROR, call->first,
                               "'%s' uses distributed arrays, so it cannot be called from a parallel loop",
                               call->function->name);
            good = false;
        }
    return good;
}

/* The handler stands in another file. */
static bool declare_gpu_handler(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    if (kernel->gpu_handler == NULL)
        return true;
    dvmhcc_text_printf(text, "void %s(const dvmhx_record_t *", kernel->gpu_handler);
    for (int i = 0; i < kernel->capture_count; i++)
        dvmhcc_text_add_string(text, dvmhcc_is_parameter(&kernel->captures[i]) ? ", void *" : "");
    dvmhcc_text_add_string(text, ");\n\n");
    return dvmhcc_text_good(text);
}

bool dvmhcc_generate_loops(dvmhcc_generator_t *generator) {
    bool good = true;
    for (const dvmhcc_loop_t *loop = generator->program->loops; loop != NULL; loop = loop->next) {
        dvmhcc_kernel_t kernel;
        dvmhcc_text_t functions = {0};
        const bool written =
            calls_allowed(generator, loop) && dvmhcc_kernel_make(generator, loop, &kernel) &&
            dvmhcc_kernel_write(&kernel, &functions) && dvmhcc_gpu_loop(generator, &kernel, loop) &&
            declare_gpu_handler(&kernel, &functions) &&
            dvmhcc_edit_before_text(generator->edit, function_begin(loop->attached->function),
                                    dvmhcc_text_string(&functions)) &&
            replace_loop(&kernel, loop);
        dvmhcc_text_free(&functions);
        good = written && good;
    }
    return good;
}
