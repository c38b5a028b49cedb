/* The generated source as a whole: names that it may use, headers of the system and ours, and the parts in their order. */
#include <config.h>

#include "compiler-hooks/dvmhcc/generate.h"
#include "compiler-hooks/dvmhcc/generate_gpu.h"
#include "compiler-hooks/dvmhcc/generate_serial.h"

#include <string.h>

/* Whether the user declares something whose name is this, or begins so. */
static bool is_taken(const dvmhcc_unit_t *unit, const char *name, bool as_prefix) {
    const size_t length = strlen(name) + (as_prefix ? 0 : 1);
    for (size_t i = 0; i < unit->entity_count; i++)
        if (strncmp(unit->entities[i]->name, name, length) == 0)
            return true;
    return false;
}

static bool choose_names(dvmhcc_generator_t *generator) {
    const char *prefix = "dvm_", *context = "c";
    while (prefix != NULL && is_taken(generator->unit, prefix, true))
        prefix = dvmhcc_generator_text(generator, "%s_", prefix);
    if (is_taken(generator->unit, context, false))
        context = "context";
    while (context != NULL && is_taken(generator->unit, context, false))
        context = dvmhcc_generator_text(generator, "%s_", context);
    generator->prefix = prefix;
    generator->context = context;
    return prefix != NULL && context != NULL;
}

static bool include_again(dvmhcc_generator_t *generator) {
    bool good = true;
    for (int i = 0; good && i < dvmhcc_source_include_count(generator->source); i++) {
        const dvmhcc_include_t *include = dvmhcc_source_include(generator->source, i);
        dvmhcc_text_t text = {0};
        dvmhcc_source_include_again(generator->source, i, &text);
        good = dvmhcc_text_good(&text) &&
               (include->begin < include->end
                    ? dvmhcc_edit_replace_text(generator->edit, include->begin, include->end,
                                               dvmhcc_text_string(&text))
                    : dvmhcc_edit_before_text(generator->edit, include->begin, dvmhcc_text_string(&text)));
        dvmhcc_text_free(&text);
    }
    return good;
}

/* Our headers follow those of the system that the first function follows, since these may ask for macros that must be defined
 * before any other header; only the type of headers of arrays, which needs no header of the system, is wanted earlier. */
static bool include_ours(dvmhcc_generator_t *generator) {
    const dvmhcc_unit_t *unit = generator->unit;
    size_t first = unit->length, at = 0;
    for (size_t i = 0; i < unit->entity_count; i++) {
        const dvmhcc_entity_t *entity = unit->entities[i];
        if (entity->kind == DVMHCC_ENTITY_FUNCTION && entity->body != NULL && !entity->is_system &&
            entity->declarators != NULL && entity->declarators->begin < first)
            first = entity->declarators->begin;
    }
    for (int i = 0; i < dvmhcc_source_include_count(generator->source); i++) {
        const dvmhcc_include_t *include = dvmhcc_source_include(generator->source, i);
        if (include->end <= first && include->end > at)
            at = include->end;
    }
    return dvmhcc_edit_before_text(generator->edit, 0, "#include <dvmhlib_types.h>\n") &&
           dvmhcc_edit_before_text(generator->edit, at, "#include <dvmhcc.h>\n#include <dvmhx_run.h>\n");
}

static dvmhcc_place_t line_of(void *context, size_t offset) {
    return dvmhcc_source_line(context, offset);
}

bool dvmhcc_generate(const dvmhcc_command_t *command, dvmhcc_source_t *source, dvmhcc_unit_t *unit,
                     dvmhcc_program_t *program, dvmhcc_text_t *result, dvmhcc_text_t *gpu) {
    dvmhcc_gpu_t for_gpus = {0};
    dvmhcc_generator_t generator = {.command = command,
                                    .source = source,
                                    .unit = unit,
                                    .program = program,
                                    .arena = &unit->arena};
    const int errors_before = dvmhcc_error_count();
    generator.edit = dvmhcc_edit_create(unit->text, unit->length, line_of, source);
    bool good = generator.edit != NULL && choose_names(&generator) && include_again(&generator) &&
                include_ours(&generator);
    if (good && gpu != NULL) {
        good = dvmhcc_gpu_begin(&generator, &for_gpus);
        generator.gpu = &for_gpus;
    }
    if (good) {
        /* All of them, so that all that is wrong is told in one go. */
        good = dvmhcc_generate_directives(&generator);
        good = dvmhcc_generate_loops(&generator) && good;
        good = dvmhcc_generate_closing(&generator, false) && good;
        good = dvmhcc_generate_regions(&generator) && good;
        good = dvmhcc_generate_closing(&generator, true) && good;
        good = dvmhcc_generate_statements(&generator) && good;
        good = dvmhcc_generate_arrays(&generator) && good;
    }
    good = good && dvmhcc_error_count() == errors_before && dvmhcc_edit_apply(generator.edit, result) &&
           (gpu == NULL || dvmhcc_gpu_write(&for_gpus, gpu));
    dvmhcc_gpu_end(&for_gpus);
    dvmhcc_edit_free(generator.edit);
    return good;
}
