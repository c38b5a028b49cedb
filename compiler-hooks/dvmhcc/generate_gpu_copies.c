/* Copies for the file of GPUs: the types, constants and functions of the source that its loops use, each whole, in the order of the
 * text. Whether they can be copied was decided before. */
#include <config.h>

#include "compiler-hooks/dvmhcc/c_text.h"
#include "compiler-hooks/dvmhcc/generate_gpu.h"
#include "compiler-hooks/dvmhcc/name_use.h"
#include "rts/memory.h"

#include <string.h>

/* ---- declarations */

/* A struct, union or enum with its members. */
static bool has_members(const dvmhcc_unit_t *unit, const dvmhcc_declarator_t *declarator) {
    const size_t at = dvmhcc_c_next(unit->text, declarator->end, declarator->name_end);
    return at < declarator->end && unit->text[at] == '{';
}

static bool is_tag(const dvmhcc_unit_t *unit, const dvmhcc_declarator_t *declarator) {
    const char *text = unit->text;
    static const char *const words[] = {"struct", "union", "enum"};
    for (int i = 0; i < 3; i++)
        if (declarator->entity->kind == DVMHCC_ENTITY_TYPE &&
            dvmhcc_c_is_name(text, unit->length, declarator->begin, words[i]) &&
            has_members(unit, declarator))
            return true;
    return false;
}

bool dvmhcc_gpu_begin(dvmhcc_generator_t *generator, dvmhcc_gpu_t *gpu) {
    const dvmhcc_unit_t *unit = generator->unit;
    *gpu = (dvmhcc_gpu_t){.generator = generator, .hash = 2166136261u};
    gpu->chunks = dvmhcc_arena_take(generator->arena, (unit->declaration_count + 1) * sizeof *gpu->chunks);
    if (gpu->chunks == NULL)
        return dvmhcc_no_memory();
    for (size_t i = 0; i < unit->declaration_count; i++) {
        const dvmhcc_declarator_t *declarator = unit->declarations[i];
        dvmhcc_gpu_chunk_t *last = gpu->chunk_count > 0 ? &gpu->chunks[gpu->chunk_count - 1] : NULL;
        if (last == NULL || declarator->begin >= last->end) {
            last = &gpu->chunks[gpu->chunk_count++];
            *last = (dvmhcc_gpu_chunk_t){.begin = declarator->begin, .end = declarator->end};
        }
        last->begin = declarator->begin < last->begin ? declarator->begin : last->begin;
        last->end = declarator->end > last->end ? declarator->end : last->end;
        if (last->type == NULL && is_tag(unit, declarator))
            last->type = declarator;
    }
    for (size_t i = 0; i < unit->length; i++)
        gpu->hash = (gpu->hash ^ (unsigned char)unit->text[i]) * 16777619u;
    return true;
}

static dvmhcc_gpu_chunk_t *chunk_at(dvmhcc_gpu_t *gpu, size_t offset) {
    for (int i = 0; i < gpu->chunk_count; i++)
        if (gpu->chunks[i].begin <= offset && offset < gpu->chunks[i].end)
            return &gpu->chunks[i];
    return NULL;
}

static bool is_typedef(const dvmhcc_unit_t *unit, const dvmhcc_gpu_chunk_t *chunk) {
    return dvmhcc_c_is_name(unit->text, chunk->end, chunk->begin, "typedef");
}

/* ---- what is needed */

static void need_chunk(dvmhcc_gpu_t *gpu, size_t offset, dvmhcc_gpu_copy_t copy) {
    dvmhcc_gpu_chunk_t *chunk = chunk_at(gpu, offset);
    if (chunk == NULL || chunk->copy >= copy)
        return;
    chunk->copy = copy;
    dvmhcc_gpu_need_words(gpu, gpu->generator->unit->text + chunk->begin, chunk->end - chunk->begin);
}

/* Types are found by their words: a word that means something else there is copied for nothing. */
void dvmhcc_gpu_need_words(dvmhcc_gpu_t *gpu, const char *text, size_t length) {
    const dvmhcc_unit_t *unit = gpu->generator->unit;
    for (size_t at = dvmhcc_c_next(text, length, 0); at < length;) {
        const size_t end = dvmhcc_c_word_end(text, length, at);
        for (size_t i = 0; dvmhcc_c_in_name(text[at]) && i < unit->entity_count; i++) {
            const dvmhcc_entity_t *entity = unit->entities[i];
            if (entity->is_system || entity->function != NULL || entity->name[0] == '\0' ||
                !dvmhcc_c_is_name(text, length, at, entity->name))
                continue;
            if (entity->kind == DVMHCC_ENTITY_ENUMERATOR)
                need_chunk(gpu, entity->scope_begin, DVMHCC_GPU_TYPE);
            for (const dvmhcc_declarator_t *d = entity->declarators;
                 entity->kind == DVMHCC_ENTITY_TYPE && d != NULL; d = d->next)
                if (has_members(unit, d) || is_typedef(unit, chunk_at(gpu, d->begin)))
                    need_chunk(gpu, d->begin, DVMHCC_GPU_TYPE);
        }
        at = dvmhcc_c_next(text, length, end);
    }
}

typedef struct need {
    dvmhcc_gpu_t *gpu;
    bool in_function; /* constants of the file are copied; a loop gets their values */
    bool good;
} need_t;

static bool visit(dvmhcc_node_t *node, void *context);

static bool need_function(dvmhcc_gpu_t *gpu, dvmhcc_entity_t *function) {
    for (size_t i = 0; i < gpu->function_count; i++)
        if (gpu->functions[i] == function)
            return true;
    if (!dvmhcc_grow((void **)&gpu->functions, &gpu->function_capacity, gpu->function_count,
                     sizeof *gpu->functions))
        return false;
    gpu->functions[gpu->function_count++] = function;
    const dvmhcc_declarator_t *definition = dvmhcc_gpu_definition(function);
    dvmhcc_gpu_need_words(gpu, gpu->generator->unit->text + definition->begin,
                          definition->end - definition->begin);
    need_t need = {.gpu = gpu, .in_function = true, .good = true};
    dvmhcc_walk(function->body, visit, &need);
    return need.good;
}

static bool visit(dvmhcc_node_t *node, void *context) {
    need_t *need = context;
    dvmhcc_gpu_t *gpu = need->gpu;
    if (node->type != NULL && node->kind == DVMHCC_NODE_MEMBER)
        dvmhcc_gpu_need_words(gpu, node->type->text, strlen(node->type->text));
    if (node->kind == DVMHCC_NODE_NAME && node->entity != NULL &&
        node->entity->kind == DVMHCC_ENTITY_VARIABLE && node->entity->is_file_scope && need->in_function) {
        const dvmhcc_declarator_t *definition = dvmhcc_gpu_definition(node->entity);
        int rank;
        if (definition != NULL && definition->initialiser != NULL &&
            dvmhcc_type_element(node->entity->type, &rank)->is_const)
            need_chunk(gpu, definition->name_begin, DVMHCC_GPU_CONSTANT);
    }
    if (node->kind == DVMHCC_NODE_CALL) {
        dvmhcc_entity_t *function = dvmhcc_called(node);
        bool as_it_is = true;
        const dvmhcc_gpu_library_t *library =
            function != NULL && function->body == NULL ? dvmhcc_gpu_library(function->name, &as_it_is) : NULL;
        if (library != NULL && !as_it_is)
            dvmhcc_gpu_library_use(library, &gpu->library);
        if (function != NULL && function->body != NULL)
            need->good = need->good && need_function(gpu, function);
    }
    return need->good;
}

bool dvmhcc_gpu_need(dvmhcc_gpu_t *gpu, dvmhcc_node_t *node) {
    need_t need = {.gpu = gpu, .good = true};
    dvmhcc_walk(node, visit, &need);
    return need.good;
}

/* ---- text */

typedef struct range {
    const dvmhcc_source_t *source;
    size_t begin;
} range_t;

static dvmhcc_place_t place_in_range(void *context, size_t offset) {
    const range_t *range = context;
    return dvmhcc_source_line(range->source, range->begin + offset);
}

/* Append a range of the source as C++, behind a line marker. @param node  what is converted in it; NULL: nothing */
static bool write_range(dvmhcc_gpu_t *gpu, size_t begin, size_t end, dvmhcc_node_t *node,
                        const dvmhcc_entity_t *function, dvmhcc_text_t *text) {
    dvmhcc_generator_t *generator = gpu->generator;
    range_t range = {.source = generator->source, .begin = begin};
    dvmhcc_edit_t *edit =
        dvmhcc_edit_create(generator->unit->text + begin, end - begin, place_in_range, &range);
    dvmhcc_text_t edited = {0};
    const bool good = edit != NULL && dvmhcc_gpu_convert(generator, node, function, edit, begin) &&
                      dvmhcc_edit_apply(edit, &edited) && dvmhcc_text_good(&edited);
    dvmhcc_edit_free(edit);
    if (good)
        dvmhcc_gpu_words(generator->unit, dvmhcc_text_string(&edited), edited.length, function != NULL, text);
    dvmhcc_text_free(&edited);
    return good;
}

/* A constant: what says where it is known is for the copy to say. */
static bool write_constant(dvmhcc_gpu_t *gpu, const dvmhcc_gpu_chunk_t *chunk, dvmhcc_text_t *text) {
    const char *source = gpu->generator->unit->text;
    size_t begin = chunk->begin;
    while (dvmhcc_c_is_name(source, chunk->end, begin, "static") ||
           dvmhcc_c_is_name(source, chunk->end, begin, "extern"))
        begin = dvmhcc_c_next(source, chunk->end, begin + strlen("static"));
    dvmhcc_text_add_string(text, "static __constant__\n");
    return write_range(gpu, begin, chunk->end, NULL, NULL, text);
}

static bool write_chunk(dvmhcc_gpu_t *gpu, const dvmhcc_gpu_chunk_t *chunk, dvmhcc_text_t *text) {
    const dvmhcc_unit_t *unit = gpu->generator->unit;
    if (chunk->copy == DVMHCC_GPU_CONSTANT)
        return write_constant(gpu, chunk, text);
    if (is_typedef(unit, chunk) || chunk->type == NULL)
        return write_range(gpu, chunk->begin, chunk->end, NULL, NULL, text);
    /* The type without the variables behind it. */
    const size_t brace = dvmhcc_c_next(unit->text, chunk->end, chunk->type->name_end);
    const size_t close = dvmhcc_c_find(unit->text, chunk->end, brace + 1, "}");
    const bool good = write_range(gpu, chunk->type->begin, close + 1, NULL, NULL, text);
    dvmhcc_text_add_string(text, ";");
    return good;
}

static bool write_function(dvmhcc_gpu_t *gpu, const dvmhcc_entity_t *function, bool only_declared,
                           dvmhcc_text_t *text) {
    const dvmhcc_declarator_t *definition = dvmhcc_gpu_definition(function);
    dvmhcc_text_add_string(text, "static __device__\n");
    const bool good =
        write_range(gpu, definition->begin, only_declared ? definition->own_end : definition->end,
                    only_declared ? NULL : function->body, function, text);
    dvmhcc_text_add_string(text, only_declared ? ";\n" : "\n");
    return good;
}

bool dvmhcc_gpu_write_copies(dvmhcc_gpu_t *gpu, dvmhcc_text_t *text) {
    bool good = true;
    for (int i = 0; good && i < gpu->chunk_count; i++)
        if (gpu->chunks[i].copy != DVMHCC_GPU_NOTHING) {
            good = write_chunk(gpu, &gpu->chunks[i], text);
            dvmhcc_text_add_string(text, "\n");
        }
    dvmhcc_gpu_library_write(&gpu->library, text);
    for (int declared = 1; declared >= 0; declared--)
        for (size_t i = 0; good && i < gpu->function_count; i++)
            good = write_function(gpu, gpu->functions[i], declared != 0, text);
    return good;
}

void dvmhcc_gpu_end(dvmhcc_gpu_t *gpu) {
    rts_free(gpu->functions);
    dvmhcc_text_free(&gpu->loops);
    dvmhcc_text_free(&gpu->handlers);
}
