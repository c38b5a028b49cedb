/* Directives that stand for themselves: calls of the runtime in the place of their lines. Those that belong to declarations, regions
 * and loops are taken out of the text; what they say is generated with what they belong to. */
#include <config.h>

#include "compiler-hooks/dvmhcc/generate_serial.h"

#include <string.h>

#define MARGIN "    "

bool dvmhcc_generate_instead(dvmhcc_generator_t *generator, const dvmhcc_attached_t *attached,
                             const char *text) {
    const dvmhcc_pragma_t *pragma = dvmhcc_source_pragma(generator->source, attached->pragma);
    dvmhcc_text_t all = {0};
    if (strstr(pragma->words, "*/") == NULL)
        dvmhcc_text_printf(&all, "/* dvm %s */", pragma->words);
    dvmhcc_text_printf(&all, "%s%s", text[0] != '\0' ? "\n" : "", text);
    if (all.length > 0 && all.data[all.length - 1] == '\n') /* the line's own newline is still there */
        all.data[--all.length] = '\0';
    const bool good =
        dvmhcc_text_good(&all) &&
        dvmhcc_edit_replace_text(generator->edit, pragma->begin, pragma->end, dvmhcc_text_string(&all));
    dvmhcc_text_free(&all);
    return good;
}

bool dvmhcc_generate_shadow_renew(dvmhcc_generator_t *generator, const dvmhcc_widths_t *widths,
                                  const char *margin, dvmhcc_text_t *text) {
    (void)generator;
    for (; widths != NULL; widths = widths->next) {
        dvmhcc_text_printf(text, "%sdvmh_shadow_renew_C(%s, %d, %d", margin, widths->array.text,
                           widths->corner ? 1 : 0, widths->rank);
        for (int axis = 0; axis < widths->rank; axis++) {
            dvmhcc_text_add_string(text, ", ");
            dvmhcc_generate_word(widths->axes[axis].low.constant.text, text);
            dvmhcc_text_add_string(text, ", ");
            dvmhcc_generate_word(widths->axes[axis].high.constant.text, text);
        }
        dvmhcc_text_add_string(text, ");\n");
    }
    return true;
}

/* A part of a distributed array: that alone, since the rest may be newer elsewhere, and the part here. */
static void write_actual_part(const dvmhcc_data_t *data, bool gets, dvmhcc_text_t *text) {
    dvmhcc_text_printf(text, MARGIN "dvmh_%sactual_subarray_C(%s, %d", gets ? "get_" : "",
                       data->variable.text, data->rank);
    for (int axis = 0; axis < data->rank; axis++) {
        const char *low = data->axes[axis].low.constant.text, *high = data->axes[axis].high.constant.text;
        dvmhcc_text_printf(text, ", (DvmType)(%s), (DvmType)(%s)", low != NULL ? low : "UNDEF_BOUND",
                           high != NULL ? high : "UNDEF_BOUND");
    }
    dvmhcc_text_printf(text, ");\n");
}

/* actual and get_actual. For a part of an ordinary array the whole is meant: what else is newer elsewhere is fetched first. */
static void write_actual(dvmhcc_generator_t *generator, const dvmhcc_attached_t *attached,
                         dvmhcc_text_t *text) {
    const bool gets = attached->directive->kind == DVMHCC_GET_ACTUAL;
    if (attached->directive->is.data == NULL)
        dvmhcc_text_printf(text, MARGIN "dvmh_%sactual_all2_();\n", gets ? "get_" : "");
    for (const dvmhcc_data_t *data = attached->directive->is.data; data != NULL; data = data->next) {
        const char *name = data->variable.text;
        const dvmhcc_entity_t *entity = dvmhcc_unit_find(generator->unit, name, attached->begin);
        const bool is_distributed = entity != NULL && entity->distributed != NULL;
        const char *of = is_distributed ? "array" : "variable", *address = is_distributed ? "" : "&";
        if (is_distributed && data->rank == entity->distributed->rank) {
            write_actual_part(data, gets, text);
            continue;
        }
        if (entity != NULL && !is_distributed && entity->type->kind == DVMHCC_TYPE_POINTER && data->rank > 0)
            address = ""; /* part of what a pointer points to */
        if (gets || data->rank > 0)
            dvmhcc_text_printf(text, MARGIN "dvmh_get_actual_%s2_(%s%s);\n", of, address, name);
        if (!gets)
            dvmhcc_text_printf(text, MARGIN "dvmh_actual_%s2_(%s%s);\n", of, address, name);
    }
}

static bool write_redistribution(dvmhcc_generator_t *generator, const dvmhcc_attached_t *attached,
                                 dvmhcc_text_t *text) {
    const dvmhcc_redistribution_t *redistribution = &attached->directive->is.redistribution;
    bool good = true;
    if (attached->directive->kind == DVMHCC_REDISTRIBUTE) {
        dvmhcc_text_printf(text, MARGIN "dvmh_redistribute_C(%s, %d", redistribution->array.text,
                           redistribution->distribution.rank);
        good = dvmhcc_generate_distribution(generator, &redistribution->distribution, attached->begin, text);
    } else {
        dvmhcc_text_printf(text, MARGIN "dvmh_realign_C(%s, %d, %s, %d", redistribution->array.text,
                           redistribution->new_value ? 1 : 0, redistribution->alignment.target.text,
                           redistribution->alignment.target_rank);
        dvmhcc_generate_mapping(&redistribution->alignment, text);
    }
    dvmhcc_text_add_string(text, ");\n");
    return good;
}

static void write_interval(const dvmhcc_directive_t *directive, dvmhcc_text_t *text) {
    const dvmhcc_expressions_t *list = directive->is.intervals;
    if (directive->kind == DVMHCC_ENDINTERVAL) {
        dvmhcc_text_add_string(text, MARGIN "dvmh_usr_interval_end_();\n");
    } else if (directive->kind == DVMHCC_INTERVAL) {
        dvmhcc_text_add_string(text, MARGIN "dvmh_usr_interval_start_C(");
        dvmhcc_generate_word(list != NULL ? list->expression.constant.text : "0", text);
        dvmhcc_text_add_string(text, ");\n");
    } else {
        for (; list != NULL; list = list->next)
            dvmhcc_text_add_string(text, MARGIN "dvmh_usr_interval_end_();\n");
    }
}

/* Buffers with copies of the sections, which live as long as the block. */
static void write_remote_access(dvmhcc_generator_t *generator, const dvmhcc_attached_t *attached,
                                dvmhcc_text_t *text) {
    for (const dvmhcc_reference_t *section = attached->directive->is.remote_accesses; section != NULL;
         section = section->next) {
        const char *buffer = dvmhcc_generator_remote(generator, attached, section);
        if (buffer == NULL)
            return;
        dvmhcc_text_printf(text,
                           MARGIN "__attribute__((cleanup(dvmhcc_delete_array))) DvmType %s[64] = {0};\n",
                           buffer);
        dvmhcc_text_printf(text, MARGIN "dvmh_remote_access_C(%s, %s, %d", buffer, section->array.text,
                           section->rank);
        dvmhcc_generate_subscripts(section->axes, section->rank, text);
        dvmhcc_text_add_string(text, ");\n");
    }
}

/* ---- braces */

static bool writes_calls(const dvmhcc_attached_t *attached) {
    switch (attached->directive->kind) {
    case DVMHCC_ACTUAL:
    case DVMHCC_GET_ACTUAL:
    case DVMHCC_SHADOW_RENEW:
    case DVMHCC_REDISTRIBUTE:
    case DVMHCC_REALIGN:
    case DVMHCC_INTERVAL:
    case DVMHCC_ENDINTERVAL:
    case DVMHCC_EXITINTERVAL:
    case DVMHCC_REMOTE_ACCESS:
        return true;
    default:
        return false;
    }
}

/* Calls in the place of a directive whose block is no compound statement, but an if, a loop or a label, need braces; buffers of
 * remote_access live in them. */
static bool needs_braces(const dvmhcc_attached_t *attached) {
    return writes_calls(attached) && attached->statement != NULL &&
           (!attached->in_block || attached->directive->kind == DVMHCC_REMOTE_ACCESS);
}

/* Whether the directive stands before a region of the same statement, so that its brace closes behind the region. */
static bool is_before_region(const dvmhcc_generator_t *generator, const dvmhcc_attached_t *attached) {
    for (const dvmhcc_region_block_t *region = generator->program->regions; region != NULL;
         region = region->next)
        if (region->statement == attached->statement)
            return attached->pragma < region->attached->pragma;
    return false;
}

bool dvmhcc_generate_closing(dvmhcc_generator_t *generator, bool behind_regions) {
    bool good = true;
    for (int i = 0; i < generator->program->attached_count; i++) {
        const dvmhcc_attached_t *attached = &generator->program->attached[i];
        if (needs_braces(attached) && is_before_region(generator, attached) == behind_regions)
            good = dvmhcc_edit_after_text(generator->edit, attached->statement->end, " }") && good;
    }
    return good;
}

static bool generate(dvmhcc_generator_t *generator, const dvmhcc_attached_t *attached) {
    dvmhcc_text_t text = {0};
    bool good = true;
    switch (attached->directive->kind) {
    case DVMHCC_REGION:
    case DVMHCC_PARALLEL:
        return true; /* written with what they stand before */
    case DVMHCC_ACTUAL:
    case DVMHCC_GET_ACTUAL:
        dvmhcc_generate_line(generator, attached->begin, MARGIN, &text);
        write_actual(generator, attached, &text);
        break;
    case DVMHCC_SHADOW_RENEW:
        dvmhcc_generate_line(generator, attached->begin, MARGIN, &text);
        dvmhcc_generate_shadow_renew(generator, attached->directive->is.shadow_renews, MARGIN, &text);
        break;
    case DVMHCC_REDISTRIBUTE:
    case DVMHCC_REALIGN:
        dvmhcc_generate_line(generator, attached->begin, MARGIN, &text);
        good = write_redistribution(generator, attached, &text);
        break;
    case DVMHCC_INTERVAL:
    case DVMHCC_ENDINTERVAL:
    case DVMHCC_EXITINTERVAL:
        dvmhcc_generate_line(generator, attached->begin, MARGIN, &text);
        write_interval(attached->directive, &text);
        break;
    case DVMHCC_REMOTE_ACCESS:
        dvmhcc_generate_line(generator, attached->begin, MARGIN, &text);
        write_remote_access(generator, attached, &text);
        break;
    default:
        break; /* of declarations; host_section, where all runs */
    }
    good = good && dvmhcc_text_good(&text) &&
           (!needs_braces(attached) || dvmhcc_edit_before_text(generator->edit, attached->begin, "{\n")) &&
           dvmhcc_generate_instead(generator, attached, dvmhcc_text_string(&text));
    dvmhcc_text_free(&text);
    return good;
}

bool dvmhcc_generate_directives(dvmhcc_generator_t *generator) {
    bool good = true;
    for (int i = 0; i < generator->program->attached_count; i++)
        good = generate(generator, &generator->program->attached[i]) && good;
    return good;
}
