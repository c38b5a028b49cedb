/* A parallel loop in the file for GPUs: the context and the body, a function object with the members that dvmhx_run_cuda.h asks for, and
 * the handler. Decides nothing; what C means in C++ was seen to before. */
#include <config.h>

#include "compiler-hooks/dvmhcc/access.h"
#include "compiler-hooks/dvmhcc/generate_gpu.h"

#include <string.h>

const char *dvmhcc_gpu_word(dvmhcc_gpu_t *gpu, const char *text) {
    const dvmhcc_generator_t *generator = gpu->generator;
    dvmhcc_text_t words = {0};
    dvmhcc_gpu_words(generator->unit, text, strlen(text), false, &words);
    const char *result = dvmhcc_text_good(&words)
                             ? dvmhcc_arena_copy(generator->arena, dvmhcc_text_string(&words), words.length)
                             : NULL;
    dvmhcc_text_free(&words);
    return result;
}

static bool is_pointer(const dvmhcc_capture_t *capture) {
    return capture->kind == DVMHCC_CAPTURE_ADDRESS || capture->kind == DVMHCC_CAPTURE_ELEMENTS ||
           capture->kind == DVMHCC_CAPTURE_REDUCTION_ADDRESS;
}

/* Names and types as C++ has them, from here on. */
static bool rename_members(dvmhcc_gpu_t *gpu, dvmhcc_kernel_t *kernel) {
    bool good = true;
    for (int i = 0; i < kernel->operand_count; i++) {
        dvmhcc_operand_t *operand = &kernel->operands[i];
        dvmhcc_gpu_need_words(gpu, operand->type, strlen(operand->type));
        operand->type = dvmhcc_gpu_word(gpu, operand->type);
        operand->member = dvmhcc_gpu_word(gpu, operand->member);
        good = good && operand->type != NULL && operand->member != NULL;
    }
    for (int i = 0; i < kernel->capture_count; i++) {
        dvmhcc_capture_t *capture = &kernel->captures[i];
        dvmhcc_gpu_need_words(gpu, capture->type, strlen(capture->type));
        capture->type = dvmhcc_gpu_word(gpu, capture->type);
        capture->member = dvmhcc_gpu_word(gpu, capture->member);
        good = good && capture->type != NULL && capture->member != NULL;
    }
    return good;
}

/* ---- the context and the body */

/* Operands that bits of a mask stand for. */
enum { MASK_BITS = 64 };

/* Whether the loop, whose iterations may run in any order, only reads the operand: then loads of it need not wait for stores to others. One
 * whose address is taken counts as written. */
static bool is_reader(const dvmhcc_kernel_t *kernel, int i) {
    return !kernel->has_dependences && !kernel->operands[i].writes && i < MASK_BITS;
}

static void write_context(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    dvmhcc_text_printf(text, "template <typename dvmhcc_index> struct %s_context {\n", kernel->name);
    for (int i = 0; i < kernel->operand_count; i++) {
        const dvmhcc_operand_t *operand = &kernel->operands[i];
        if (is_reader(kernel, i))
            dvmhcc_text_printf(text, "    dvmhx_readable<%s, dvmhcc_index> %s;\n    dvmhcc_index ",
                               operand->type, operand->member);
        else
            dvmhcc_text_printf(text, "    %s *%s;\n    dvmhcc_index ", operand->type, operand->member);
        for (int axis = 1; axis <= operand->rank; axis++)
            dvmhcc_text_printf(text, "%s%s_%d", axis > 1 ? ", " : "", operand->member, axis);
        dvmhcc_text_add_string(text, ";\n");
    }
    for (int i = 0; i < kernel->capture_count; i++) {
        const dvmhcc_capture_t *capture = &kernel->captures[i];
        if (capture->by_value)
            dvmhcc_text_printf(text, "    std::remove_cv_t<%s> dvmhcc_value_%s;\n", capture->type,
                               capture->member);
        if (capture->by_value)
            dvmhcc_text_printf(text, "    const std::remove_cv_t<%s> *%s;\n", capture->type, capture->member);
        else
            dvmhcc_text_printf(text, "    %s %s%s;\n", capture->type, is_pointer(capture) ? "*" : "",
                               capture->member);
    }
    dvmhcc_text_add_string(text, "};\n\n");
}

static bool write_locals(dvmhcc_gpu_t *gpu, const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    bool good = true;
    for (int k = 0; good && k < kernel->rank; k++) {
        const dvmhcc_kernel_dim_t *dim = &kernel->dims[k];
        if (!dim->used_plain)
            continue;
        const char *type = dvmhcc_gpu_word(gpu, dim->type), *name = dvmhcc_gpu_word(gpu, dim->entity->name);
        good = type != NULL && name != NULL;
        if (good)
            dvmhcc_text_printf(text, "    %s const %s = (%s)%s;\n", type, name, type, dim->place);
    }
    for (int i = 0; good && i < kernel->private_count; i++) {
        const dvmhcc_entity_t *entity = kernel->privates[i];
        const char *type = dvmhcc_generator_type(kernel->generator, entity->type, kernel->body);
        const char *name = dvmhcc_gpu_word(gpu, entity->name);
        good = type != NULL && name != NULL;
        if (good)
            dvmhcc_gpu_need_words(gpu, type, strlen(type));
        type = good ? dvmhcc_gpu_word(gpu, type) : NULL;
        good = type != NULL;
        if (good)
            dvmhcc_text_printf(text, "    %s %s;\n", type, name);
    }
    return good;
}

static bool write_body(dvmhcc_gpu_t *gpu, dvmhcc_kernel_t *kernel, dvmhcc_body_form_t form,
                       dvmhcc_text_t *text) {
    const dvmhcc_generator_t *generator = gpu->generator;
    dvmhcc_text_t body = {0};
    for (int k = 0; k < kernel->rank; k++)
        kernel->dims[k].used_plain = false;
    const bool has_values = form == DVMHCC_BODY_GPU_VALUES;
    bool good = dvmhcc_kernel_write_body(kernel, form, &body) && dvmhcc_text_good(&body);
    dvmhcc_text_printf(
        text,
        "template <typename dvmhcc_index>\nDVMHX_DEVICE void %s%s_body(%s_context<dvmhcc_index> *const %s",
        kernel->name, has_values ? "_values" : "", kernel->name, generator->context);
    if (has_values)
        dvmhcc_text_printf(text, ", %s_values *const dvmhcc_values", kernel->name);
    for (int k = 0; k < kernel->rank; k++)
        dvmhcc_text_printf(text, ", dvmhcc_index const %s", kernel->dims[k].place);
    dvmhcc_text_add_string(text, ") {\n");
    good = good && write_locals(gpu, kernel, text);
    if (good)
        dvmhcc_gpu_words(generator->unit, dvmhcc_text_string(&body), body.length, true, text);
    dvmhcc_text_add_string(text, "\n}\n\n");
    dvmhcc_text_free(&body);
    return good;
}

/* ---- members of the function object */

static void write_indices(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    dvmhcc_text_add_string(text, "(");
    for (int k = 0; k < kernel->rank; k++)
        dvmhcc_text_printf(text, "%sdvmhcc_index %s", k > 0 ? ", " : "", kernel->dims[k].place);
    dvmhcc_text_add_string(text, ") {\n");
}

static void write_places(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    for (int k = 0; k < kernel->rank; k++)
        dvmhcc_text_printf(text, ", %s", kernel->dims[k].place);
    dvmhcc_text_add_string(text, ");\n");
}

/* With wide indices there are no values: then an array may be there twice. */
static void write_call(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    dvmhcc_text_add_string(text, "    DVMHX_DEVICE void operator()");
    write_indices(kernel, text);
    if (kernel->value_count > 0) {
        dvmhcc_text_add_string(text, "        if constexpr (std::is_same_v<dvmhcc_index, int>) {\n");
        dvmhcc_gpu_write_values(kernel, text);
        dvmhcc_text_printf(text, "            %s_values_body<dvmhcc_index>(this, &dvmhcc_values",
                           kernel->name);
        write_places(kernel, text);
        dvmhcc_text_add_string(text, "            return;\n        }\n");
    }
    dvmhcc_text_printf(text, "        %s_body<dvmhcc_index>(this", kernel->name);
    write_places(kernel, text);
    dvmhcc_text_add_string(text, "    }\n");
}

static void write_settle(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    bool any = false;
    for (int i = 0; i < kernel->capture_count; i++)
        any = any || kernel->captures[i].by_value;
    if (!any)
        return;
    dvmhcc_text_printf(text, "    DVMHX_DEVICE void settle(const %s_gpu *dvmhcc_given) {\n", kernel->name);
    for (int i = 0; i < kernel->capture_count; i++) {
        const char *member = kernel->captures[i].member;
        if (kernel->captures[i].by_value)
            dvmhcc_text_printf(text, "        this->%s = &dvmhcc_given->dvmhcc_value_%s;\n", member, member);
    }
    dvmhcc_text_add_string(text, "    }\n");
}

/* The first use of an array, by its place in the text, that every iteration comes by. */
static const dvmhcc_use_t *first_use(const dvmhcc_operand_t *operand) {
    const dvmhcc_use_t *first = NULL;
    for (const dvmhcc_access_t *access = operand->array->accesses; access != NULL; access = access->next)
        for (int i = 0; !access->is_conditional && i < operand->use_count; i++) {
            const dvmhcc_use_t *use = &operand->uses[i];
            if (use->node == access->first && (first == NULL || use->node->begin < first->node->begin))
                first = use;
        }
    return first;
}

static void write_prefetch(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    dvmhcc_text_t places = {0};
    for (int i = 0; kernel->has_dependences && i < kernel->operand_count; i++) {
        const dvmhcc_operand_t *operand = &kernel->operands[i];
        const dvmhcc_use_t *use = operand->all_known ? first_use(operand) : NULL;
        if (use == NULL)
            continue;
        dvmhcc_text_add_string(&places, "        dvmhx_fetch(&");
        dvmhcc_gpu_write_element(kernel, operand, use, &places);
        dvmhcc_text_add_string(&places, ");\n");
    }
    if (places.length > 0) {
        dvmhcc_text_add_string(text, "    DVMHX_DEVICE void prefetch");
        write_indices(kernel, text);
        dvmhcc_text_printf(text, "%s    }\n", dvmhcc_text_string(&places));
    }
    text->failed = text->failed || places.failed;
    dvmhcc_text_free(&places);
}

static const dvmhcc_capture_t *captured_as(const dvmhcc_kernel_t *kernel, int reduction, bool location) {
    for (int i = 0; i < kernel->capture_count; i++) {
        const dvmhcc_capture_t *capture = &kernel->captures[i];
        if (capture->reduction == reduction &&
            (location ? capture->kind == DVMHCC_CAPTURE_LOCATION
                      : capture->kind == DVMHCC_CAPTURE_REDUCTION ||
                            capture->kind == DVMHCC_CAPTURE_REDUCTION_ADDRESS))
            return capture;
    }
    return NULL;
}

/* A variable that the body does not name keeps its start value, which the slots have. */
static void write_reductions(const dvmhcc_kernel_t *kernel, const dvmhcc_loop_t *loop, dvmhcc_text_t *text) {
    int number = 0;
    dvmhcc_text_add_string(
        text, "    template <typename dvmhcc_visitor> DVMHX_DEVICE void reductions(dvmhcc_visitor "
              "&dvmhcc_visit) {\n        (void)dvmhcc_visit;\n");
    for (const dvmhcc_reduction_t *reduction = loop->parallel->reductions; reduction != NULL;
         reduction = reduction->next, number++) {
        const dvmhcc_capture_t *value = captured_as(kernel, number, false);
        const dvmhcc_capture_t *location = captured_as(kernel, number, true);
        const char *operation = dvmhcc_reduction_code(reduction->operation);
        if (value == NULL)
            continue;
        if (value->kind == DVMHCC_CAPTURE_REDUCTION_ADDRESS)
            dvmhcc_text_printf(text, "        dvmhcc_visit.array(%d, this->%s);\n", number, value->member);
        else if (location != NULL)
            dvmhcc_text_printf(text, "        dvmhcc_visit.template value_at<%s>(%d, this->%s, this->%s);\n",
                               operation, number, value->member, location->member);
        else
            dvmhcc_text_printf(text, "        dvmhcc_visit.template value<%s>(%d, this->%s);\n", operation,
                               number, value->member);
    }
    dvmhcc_text_add_string(text, "    }\n");
}

/* How many values an iteration works with, roughly: elements, and variables of its own. What a function needs nobody knows. */
static int weight_of(const dvmhcc_kernel_t *kernel, const dvmhcc_loop_t *loop) {
    enum { CALL = 20 };
    int weight = 0;
    for (int i = 0; i < kernel->operand_count; i++)
        weight += kernel->operands[i].use_count;
    for (const dvmhcc_loop_variable_t *at = loop->variables; at != NULL; at = at->next)
        weight += at->role == DVMHCC_ROLE_INSIDE || at->role == DVMHCC_ROLE_PRIVATE ? 1 : 0;
    for (const dvmhcc_loop_call_t *at = loop->calls; at != NULL; at = at->next)
        weight += CALL;
    return weight;
}

static void write_object(const dvmhcc_kernel_t *kernel, const dvmhcc_loop_t *loop, dvmhcc_text_t *text) {
    int reductions = 0;
    for (const dvmhcc_reduction_t *at = loop->parallel->reductions; at != NULL; at = at->next)
        reductions++;
    dvmhcc_text_printf(text,
                       "template <typename dvmhcc_index> struct %s_gpu : %s_context<dvmhcc_index> {\n"
                       "    enum { RANK = %d, HAS_DEPENDENCES = %d, REDUCTIONS = %d, WEIGHT = %d };\n"
                       "    typedef dvmhcc_index index_t;\n",
                       kernel->name, kernel->name, kernel->rank, kernel->has_dependences ? 1 : 0, reductions,
                       weight_of(kernel, loop));
    write_call(kernel, text);
    write_settle(kernel, text);
    write_prefetch(kernel, text);
    write_reductions(kernel, loop, text);
    dvmhcc_text_add_string(text, "};\n\n");
}

/* ---- the handler */

static void write_capture(const dvmhcc_capture_t *capture, dvmhcc_text_t *text) {
    const char *member = capture->member;
    switch (capture->kind) {
    case DVMHCC_CAPTURE_VALUE:
        dvmhcc_text_printf(text,
                           "    memcpy((void *)&dvmhcc_loop.%s, dvmhcc_of_%s, sizeof dvmhcc_loop.%s);\n",
                           member, member, member);
        break;
    case DVMHCC_CAPTURE_ADDRESS:
    case DVMHCC_CAPTURE_ELEMENTS:
        if (capture->by_value)
            dvmhcc_text_printf(text,
                               "    memcpy((void *)&dvmhcc_loop.dvmhcc_value_%s, dvmhcc_of_%s, sizeof "
                               "dvmhcc_loop.dvmhcc_value_%s);\n",
                               member, member, member);
        else
            dvmhcc_text_printf(text, "    dvmhcc_loop.%s = (%s *)dvmhcc_record->launch->variables[%d];\n",
                               member, capture->type, capture->variable);
        break;
    case DVMHCC_CAPTURE_REDUCTION:
    case DVMHCC_CAPTURE_LOCATION:
        dvmhcc_text_printf(text,
                           "    memcpy((void *)&dvmhcc_loop.%s, dvmhcc_record->launch->slots[%d].start%s, "
                           "sizeof dvmhcc_loop.%s);\n",
                           member, capture->reduction,
                           capture->kind == DVMHCC_CAPTURE_LOCATION ? "_location" : "", member);
        break;
    case DVMHCC_CAPTURE_REDUCTION_ADDRESS:
        dvmhcc_text_printf(text, "    dvmhcc_loop.%s = 0;\n", member);
        break;
    }
}

static void write_start(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    dvmhcc_text_printf(
        text, "template <typename dvmhcc_index> static void %s_start(const dvmhx_record_t *dvmhcc_record",
        kernel->name);
    for (int i = 0; i < kernel->capture_count; i++)
        if (dvmhcc_is_parameter(&kernel->captures[i]))
            dvmhcc_text_printf(text, ", void *dvmhcc_of_%s", kernel->captures[i].member);
    dvmhcc_text_printf(text, ") {\n    %s_gpu<dvmhcc_index> dvmhcc_loop;\n", kernel->name);
    for (int i = 0; i < kernel->operand_count; i++) {
        const dvmhcc_operand_t *operand = &kernel->operands[i];
        dvmhcc_text_printf(text, "    dvmhcc_loop.%s = (%s *)dvmhcc_record->arrays[%d].base;\n",
                           operand->member, operand->type, i);
        for (int axis = 0; axis < operand->rank; axis++)
            dvmhcc_text_printf(
                text, "    dvmhcc_loop.%s_%d = (dvmhcc_index)dvmhcc_record->arrays[%d].stride[%d];\n",
                operand->member, axis + 1, i, axis);
    }
    for (int i = 0; i < kernel->capture_count; i++)
        write_capture(&kernel->captures[i], text);
    dvmhcc_text_printf(text, "    dvmhx_launch(dvmhcc_record, dvmhcc_loop);\n}\n\n");
}

/* The condition under which loads may be moved over stores to other arrays: an array that comes in twice, and is written, takes the other
 * way, which is right for all. */
static void write_apart(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    unsigned long long written = 0;
    for (int i = 0; i < kernel->operand_count && i < MASK_BITS; i++)
        written |= kernel->operands[i].writes ? 1ull << i : 0;
    if (kernel->operand_count > MASK_BITS)
        dvmhcc_text_add_string(text, " && false");
    else if (kernel->operand_count > 1 && written != 0)
        dvmhcc_text_printf(text, " && dvmhx_are_apart(dvmhcc_record, 0x%llxull)", written);
}

static void write_handler(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    dvmhcc_text_printf(text, "extern \"C\" void %s(const dvmhx_record_t *dvmhcc_record", kernel->gpu_handler);
    for (int i = 0; i < kernel->capture_count; i++)
        if (dvmhcc_is_parameter(&kernel->captures[i]))
            dvmhcc_text_printf(text, ", void *dvmhcc_of_%s", kernel->captures[i].member);
    dvmhcc_text_add_string(text, ") {\n    if (dvmhcc_record->launch->narrow");
    write_apart(kernel, text);
    dvmhcc_text_add_string(text, ")\n");
    for (int narrow = 1; narrow >= 0; narrow--) {
        dvmhcc_text_printf(text, "%s        dvmhcc_gpu::%s_start<%s>(dvmhcc_record",
                           narrow ? "" : "    else\n", kernel->name, narrow ? "int" : "DvmType");
        for (int i = 0; i < kernel->capture_count; i++)
            if (dvmhcc_is_parameter(&kernel->captures[i]))
                dvmhcc_text_printf(text, ", dvmhcc_of_%s", kernel->captures[i].member);
        dvmhcc_text_add_string(text, ");\n");
    }
    dvmhcc_text_add_string(text, "}\n\n");
}

bool dvmhcc_gpu_write_loop(dvmhcc_gpu_t *gpu, dvmhcc_kernel_t *kernel, const dvmhcc_loop_t *loop) {
    dvmhcc_kernel_t renamed = *kernel;
    const size_t operand_bytes = (size_t)kernel->operand_count * sizeof *renamed.operands;
    const size_t capture_bytes = (size_t)kernel->capture_count * sizeof *renamed.captures;
    renamed.operands = dvmhcc_arena_take(gpu->generator->arena, operand_bytes + 1);
    renamed.captures = dvmhcc_arena_take(gpu->generator->arena, capture_bytes + 1);
    if (renamed.operands == NULL || renamed.captures == NULL)
        return dvmhcc_no_memory();
    if (operand_bytes > 0)
        memcpy(renamed.operands, kernel->operands, operand_bytes);
    if (capture_bytes > 0)
        memcpy(renamed.captures, kernel->captures, capture_bytes);
    dvmhcc_text_printf(&gpu->loops, "/* The parallel loop in line %d of %s. */\n", kernel->line,
                       kernel->file);
    /* The body first: the words of its own text are changed with it. */
    dvmhcc_text_t body = {0};
    dvmhcc_gpu_need_words(gpu, gpu->generator->unit->text + kernel->body->begin,
                          kernel->body->end - kernel->body->begin);
    dvmhcc_gpu_choose_values(kernel);
    renamed.value_count = kernel->value_count;
    const bool good = dvmhcc_gpu_need(gpu, kernel->body) && write_body(gpu, kernel, DVMHCC_BODY_GPU, &body) &&
                      (kernel->value_count == 0 || write_body(gpu, kernel, DVMHCC_BODY_GPU_VALUES, &body)) &&
                      dvmhcc_text_good(&body) && rename_members(gpu, &renamed);
    if (good) {
        write_context(&renamed, &gpu->loops);
        if (renamed.value_count > 0)
            dvmhcc_gpu_write_value_types(&renamed, &gpu->loops);
        dvmhcc_text_add(&gpu->loops, dvmhcc_text_string(&body), body.length);
        write_object(&renamed, loop, &gpu->loops);
        write_start(&renamed, &gpu->loops);
        write_handler(&renamed, &gpu->handlers);
    }
    dvmhcc_text_free(&body);
    return good;
}
