/* The analysis of a source: its passes in order, and what they share. Decides nothing itself. */
#include <config.h>

#include "compiler-hooks/dvmhcc/program_inside.h"
#include "rts/memory.h"

#include <stdarg.h>
#include <string.h>

/* ---- memory */

void *dvmhcc_program_take(dvmhcc_program_t *program, size_t bytes) {
    void *memory = program->no_memory ? NULL : dvmhcc_arena_take(&program->arena, bytes);
    if (memory == NULL && !program->no_memory) {
        dvmhcc_no_memory();
        program->no_memory = true;
    }
    return memory;
}

void dvmhcc_program_free(dvmhcc_program_t *program) {
    if (program == NULL)
        return;
    dvmhcc_arena_free(&program->arena);
    rts_free(program);
}

/* ---- messages about directives */

static void report(const dvmhcc_program_t *program, const dvmhcc_attached_t *attached,
                   dvmhcc_severity_t severity, dvmhcc_span_t span, const char *format, va_list arguments) {
    char message[1024];
    vsnprintf(message, sizeof message, format, arguments);
    const dvmhcc_place_t place =
        dvmhcc_source_pragma_place(program->unit->source, attached->pragma, span.offset, span.length);
    dvmhcc_report(severity, &place, "%s", message);
}

void dvmhcc_attached_fault(const dvmhcc_program_t *program, dvmhcc_attached_t *attached, dvmhcc_span_t span,
                           const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report(program, attached, DVMHCC_ERROR, span, format, arguments);
    va_end(arguments);
    attached->faulty = true;
}

void dvmhcc_attached_warn(const dvmhcc_program_t *program, const dvmhcc_attached_t *attached,
                          dvmhcc_span_t span, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report(program, attached, DVMHCC_WARNING, span, format, arguments);
    va_end(arguments);
}

dvmhcc_span_t dvmhcc_attached_span(const dvmhcc_attached_t *attached) {
    return attached->directive->name.span;
}

const char *dvmhcc_attached_name(const dvmhcc_attached_t *attached) {
    return attached->directive->name.text != NULL ? attached->directive->name.text : "";
}

void dvmhcc_note_declared(const dvmhcc_program_t *program, const dvmhcc_entity_t *entity) {
    if (entity->declarators == NULL)
        return;
    const dvmhcc_place_t place =
        dvmhcc_unit_place(program->unit, entity->declarators->name_begin, entity->declarators->name_end);
    dvmhcc_report(DVMHCC_NOTE, &place, "'%s' is declared here", entity->name);
}

/* ---- names in directives */

dvmhcc_entity_t *dvmhcc_attached_find(const dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                                      const dvmhcc_name_t *name) {
    if (name->text == NULL)
        return NULL;
    dvmhcc_entity_t *entity = dvmhcc_unit_find(program->unit, name->text, attached->end);
    if (entity == NULL)
        dvmhcc_attached_fault(program, attached, name->span, "unknown name '%s'", name->text);
    return entity;
}

dvmhcc_distributed_t *dvmhcc_attached_array(const dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                                            const dvmhcc_name_t *name, bool template_too) {
    dvmhcc_entity_t *entity = dvmhcc_attached_find(program, attached, name);
    if (entity == NULL)
        return NULL;
    dvmhcc_distributed_t *array = entity->distributed;
    if (array == NULL) {
        dvmhcc_attached_fault(program, attached, name->span, "'%s' is not a distributed array%s", name->text,
                              template_too ? " or template" : "");
        dvmhcc_note_declared(program, entity);
        return NULL;
    }
    if (array->form == DVMHCC_FORM_TEMPLATE && !template_too) {
        dvmhcc_attached_fault(program, attached, name->span, "'%s' is a template, which has no elements",
                              name->text);
        return NULL;
    }
    return array;
}

/* ---- what others ask */

bool dvmhcc_distributed_extents(const dvmhcc_distributed_t *array,
                                const dvmhcc_extent_t *extents[DVMHCC_RANK_MAX]) {
    static const dvmhcc_extent_t none;
    const dvmhcc_declarator_t *declarator = array->declarator;
    const int missing = array->rank - declarator->extent_count;
    /* `double a[][5]` of a parameter writes its first pair of brackets, `double (*a)[5]` does not. */
    const bool has_first = array->form == DVMHCC_FORM_ARRAY || missing == 0;
    if (missing != (has_first ? 0 : 1))
        return false;
    for (int axis = 0; axis < array->rank; axis++) {
        const bool is_empty = axis == 0 && array->form != DVMHCC_FORM_ARRAY;
        extents[axis] = is_empty ? &none : &declarator->extents[axis - missing];
    }
    return true;
}

/* ---- all passes */

bool dvmhcc_program_analyse(dvmhcc_unit_t *unit, dvmhcc_program_t **program_p) {
    static void (*const passes[])(dvmhcc_program_t *) = {dvmhcc_pass_attach,  dvmhcc_pass_arrays,
                                                         dvmhcc_pass_names,   dvmhcc_pass_uses,
                                                         dvmhcc_pass_regions, dvmhcc_pass_loops,
                                                         dvmhcc_pass_remote,  dvmhcc_pass_intents};
    const int errors_before = dvmhcc_error_count();
    dvmhcc_program_t *program = rts_alloc_zeroed(1, sizeof *program);
    if (program == NULL)
        return dvmhcc_no_memory();
    program->unit = unit;
    for (size_t i = 0; i < sizeof passes / sizeof passes[0] && !program->no_memory; i++)
        passes[i](program);
    if (program->no_memory || dvmhcc_error_count() != errors_before) {
        dvmhcc_program_free(program);
        return false;
    }
    *program_p = program;
    return true;
}
