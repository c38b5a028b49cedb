/* The functions of a parallel loop: the context, the bodies, the instance of dvmhx_run.h, the handler. Decides which form of the
 * strides gets a variant of its own; what the loop does was decided before. */
#include <config.h>

#include "compiler-hooks/dvmhcc/generate_kernel.h"

/* Rows that dvmhx_run.h keeps in flight, by references of the body: its code is multiplied by them. */
enum { SHORT_BODY = 12, LONG_BODY = 30 };

/* Fronts from the first use of a row to its prefetch. */
enum { FRONTS_AHEAD = 2 };

/* Elements that a cache line has at least one of. */
enum { LINE_BYTES = 64 };

static bool is_address(const dvmhcc_capture_t *capture) {
    return capture->kind == DVMHCC_CAPTURE_ADDRESS || capture->kind == DVMHCC_CAPTURE_ELEMENTS ||
           capture->kind == DVMHCC_CAPTURE_REDUCTION_ADDRESS;
}

/* The operand whose rows are fetched ahead: of those that the loop changes in place, the one with most references. NULL: none. */
static const dvmhcc_operand_t *fetched_operand(const dvmhcc_kernel_t *kernel) {
    const dvmhcc_operand_t *found = NULL;
    for (int i = 0; kernel->by_rows && kernel->has_dependences && i < kernel->operand_count; i++) {
        const dvmhcc_operand_t *operand = &kernel->operands[i];
        const int64_t bytes = operand->entity->distributed->element->bytes;
        if (operand->by_rows && operand->reads && operand->writes && bytes > 0 && bytes <= LINE_BYTES &&
            (found == NULL || operand->use_count > found->use_count))
            found = operand;
    }
    return found;
}

static void write_context(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    const dvmhcc_operand_t *fetched = fetched_operand(kernel);
    dvmhcc_text_printf(text, "struct %s {\n", kernel->name);
    for (int i = 0; i < kernel->operand_count; i++) {
        const dvmhcc_operand_t *operand = &kernel->operands[i];
        dvmhcc_text_printf(text, "    %s *%s;\n    DvmType ", operand->type, operand->member);
        for (int axis = 1; axis <= operand->rank; axis++)
            dvmhcc_text_printf(text, "%s%s_%d", axis > 1 ? ", " : "", operand->member, axis);
        dvmhcc_text_add_string(text, ";\n");
        if (!kernel->by_rows || !operand->by_rows)
            continue;
        dvmhcc_text_printf(text, "    const dvmhx_array_t *%s_rows;\n", operand->member);
        for (int k = 0; k < operand->use_count; k++)
            dvmhcc_text_printf(text, "    %s *%s_row%d;\n", operand->type, operand->member,
                               operand->uses[k].row);
        if (operand == fetched)
            dvmhcc_text_printf(text, "    %s *%s_ahead;\n", operand->type, operand->member);
    }
    for (int i = 0; i < kernel->capture_count; i++) {
        const dvmhcc_capture_t *capture = &kernel->captures[i];
        dvmhcc_text_printf(text, "    %s %s%s;\n", capture->type, is_address(capture) ? "*" : "",
                           capture->member);
    }
    if (kernel->operand_count == 0 && kernel->capture_count == 0)
        dvmhcc_text_add_string(text, "    char nothing;\n");
    dvmhcc_text_add_string(text, "};\n\n");
}

/* (struct dvm_loop_12 *c, DvmType dvm_i, DvmType dvm_j) */
static void write_parameters(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    dvmhcc_text_printf(text, "(struct %s *%s", kernel->name, kernel->generator->context);
    for (int k = 0; k < kernel->rank; k++)
        dvmhcc_text_printf(text, ", DvmType %s", kernel->dims[k].place);
    dvmhcc_text_add_string(text, ")");
}

static bool write_body(dvmhcc_kernel_t *kernel, bool by_rows, dvmhcc_text_t *text) {
    dvmhcc_text_t body = {0};
    for (int k = 0; k < kernel->rank; k++)
        kernel->dims[k].used_plain = false;
    bool good = dvmhcc_kernel_write_body(kernel, by_rows ? DVMHCC_BODY_ROWS : DVMHCC_BODY_STRIDES, &body) &&
                dvmhcc_text_good(&body);
    dvmhcc_text_printf(text, "DVMHX_ALWAYS_INLINE void %s_%s", kernel->name, by_rows ? "row_body" : "body");
    write_parameters(kernel, text);
    dvmhcc_text_add_string(text, " {\n");
    for (int k = 0; k < kernel->rank; k++) {
        const dvmhcc_kernel_dim_t *dim = &kernel->dims[k];
        if (dim->used_plain)
            dvmhcc_text_printf(text, "    %s const %s = (%s)%s;\n", dim->type, dim->entity->name, dim->type,
                               dim->place);
    }
    for (int i = 0; good && i < kernel->private_count; i++) {
        const dvmhcc_entity_t *entity = kernel->privates[i];
        const char *type = dvmhcc_generator_type(kernel->generator, entity->type, kernel->body);
        good = type != NULL;
        if (good)
            dvmhcc_text_printf(text, "    %s %s;\n", type, entity->name);
    }
    dvmhcc_text_printf(text, "    (void)%s;\n", kernel->generator->context);
    for (int k = 0; k < kernel->rank; k++)
        dvmhcc_text_printf(text, "%s(void)%s;%s", k == 0 ? "    " : " ", kernel->dims[k].place,
                           k == kernel->rank - 1 ? "\n" : "");
    for (int i = 0; i < kernel->private_count; i++)
        dvmhcc_text_printf(text, "    (void)%s;\n", kernel->privates[i]->name);
    dvmhcc_text_add(text, dvmhcc_text_string(&body), body.length);
    dvmhcc_text_add_string(text, "\n}\n\n");
    dvmhcc_text_free(&body);
    return good;
}

/* ---- rows */

/* Whether two uses differ along the axes of the front alone, so that one place serves both. */
static bool same_plane(const dvmhcc_operand_t *operand, const dvmhcc_use_t *a, const dvmhcc_use_t *b) {
    for (int axis = 0; axis < operand->rank; axis++)
        if (axis != operand->inner_axis && axis != operand->outer_axis &&
            (a->terms[axis].dim != b->terms[axis].dim || a->terms[axis].mult != b->terms[axis].mult ||
             a->terms[axis].add != b->terms[axis].add))
            return false;
    return true;
}

/* An index; along the axes of the front without the summand. */
static void write_index(const dvmhcc_kernel_t *kernel, const dvmhcc_operand_t *operand,
                        const dvmhcc_use_t *use, int axis, dvmhcc_text_t *text) {
    const dvmhcc_walking_t *term = &use->terms[axis];
    const bool on_front = axis == operand->inner_axis || axis == operand->outer_axis;
    if (term->dim < 0) {
        dvmhcc_text_printf(text, "%lld", (long long)term->add);
        return;
    }
    if (term->mult == 1)
        dvmhcc_text_add_string(text, kernel->dims[term->dim].place);
    else
        dvmhcc_text_printf(text, "%lld * %s", (long long)term->mult, kernel->dims[term->dim].place);
    if (!on_front && term->add != 0)
        dvmhcc_text_printf(text, " + %lld", (long long)term->add);
}

/* How far a reference is ahead of the iteration, as the loop goes along a dim. */
static int64_t lead(const dvmhcc_kernel_t *kernel, const dvmhcc_operand_t *operand, const dvmhcc_use_t *use,
                    int dim) {
    int64_t sum = 0;
    for (int axis = 0; axis < operand->rank; axis++) {
        const dvmhcc_walking_t *term = &use->terms[axis];
        if (term->dim == dim)
            sum += (term->mult < 0) != kernel->dims[dim].downward ? -term->add : term->add;
    }
    return sum;
}

/* The reference whose row is new to the caches first: in the plane of the outer dims that comes last, the one in the last column. */
static const dvmhcc_use_t *leading_use(const dvmhcc_kernel_t *kernel, const dvmhcc_operand_t *operand) {
    const dvmhcc_use_t *found = NULL;
    for (int k = 0; k < operand->use_count; k++) {
        const dvmhcc_use_t *use = &operand->uses[k];
        int dim = 0;
        while (found != NULL && dim < kernel->rank - 2 &&
               lead(kernel, operand, use, dim) == lead(kernel, operand, found, dim))
            dim++;
        if (dim == kernel->rank - 2)
            dim = kernel->rank - 1;
        if (found == NULL || lead(kernel, operand, use, dim) > lead(kernel, operand, found, dim))
            found = use;
    }
    return found;
}

static void write_ahead(const dvmhcc_kernel_t *kernel, const dvmhcc_operand_t *operand,
                        const dvmhcc_use_t *use, dvmhcc_text_t *text) {
    const dvmhcc_walking_t *term = &use->terms[operand->inner_axis];
    const int64_t step = kernel->dims[kernel->rank - 1].downward ? -term->mult : term->mult;
    dvmhcc_text_printf(text, "        %s->%s_ahead = (%s *)dvmhx_row(&dvmhcc_rows, %lld, 0);\n",
                       kernel->generator->context, operand->member, operand->type,
                       (long long)(term->add + FRONTS_AHEAD * step));
}

static void write_rows_of(const dvmhcc_kernel_t *kernel, const dvmhcc_operand_t *operand,
                          dvmhcc_text_t *text) {
    const dvmhcc_use_t *leading = operand == fetched_operand(kernel) ? leading_use(kernel, operand) : NULL;
    for (int first = 0; first < operand->use_count; first++) {
        const dvmhcc_use_t *use = &operand->uses[first];
        bool found = false;
        for (int k = 0; k < first; k++)
            found = found || same_plane(operand, use, &operand->uses[k]);
        if (found)
            continue;
        dvmhcc_text_printf(text, "    {\n        const DvmType dvmhcc_index[] = {");
        for (int axis = 0; axis < operand->rank; axis++) {
            dvmhcc_text_add_string(text, axis > 0 ? ", " : "");
            write_index(kernel, operand, use, axis, text);
        }
        dvmhcc_text_printf(
            text, "};\n        const dvmhx_rows_t dvmhcc_rows = dvmhx_rows_at(%s->%s_rows, dvmhcc_index);\n",
            kernel->generator->context, operand->member);
        for (int k = first; k < operand->use_count; k++) {
            const dvmhcc_use_t *other = &operand->uses[k];
            if (same_plane(operand, use, other))
                dvmhcc_text_printf(text,
                                   "        %s->%s_row%d = (%s *)dvmhx_row(&dvmhcc_rows, %lld, %lld);\n",
                                   kernel->generator->context, operand->member, other->row, operand->type,
                                   (long long)other->terms[operand->inner_axis].add,
                                   (long long)other->terms[operand->outer_axis].add);
        }
        if (leading != NULL && same_plane(operand, use, leading))
            write_ahead(kernel, operand, leading, text);
        dvmhcc_text_add_string(text, "    }\n");
    }
}

/* Where the rows of a front are. */
static void write_row_begin(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    dvmhcc_text_printf(text, "DVMHX_ALWAYS_INLINE void %s_find_rows", kernel->name);
    write_parameters(kernel, text);
    dvmhcc_text_add_string(text, " {\n   ");
    for (int k = 0; k < kernel->rank; k++)
        dvmhcc_text_printf(text, " (void)%s;", kernel->dims[k].place);
    dvmhcc_text_add_string(text, "\n");
    for (int i = 0; i < kernel->operand_count; i++)
        if (kernel->operands[i].by_rows)
            write_rows_of(kernel, &kernel->operands[i], text);
    dvmhcc_text_add_string(text, "}\n\n");
}

/* ---- the instance of dvmhx_run.h */

static void write_variables(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    for (int k = 0; k < kernel->rank; k++)
        dvmhcc_text_printf(text, ", %s", kernel->dims[k].place);
}

/* The offset of a use, as an expression of macro parameters; `ahead` rows further on. */
static void write_offset(const dvmhcc_kernel_t *kernel, const dvmhcc_operand_t *operand,
                         const dvmhcc_use_t *use, int ahead, dvmhcc_text_t *text) {
    for (int axis = 0; axis < operand->rank; axis++) {
        const dvmhcc_walking_t *term = &use->terms[axis];
        const long long add = (long long)term->add + (term->dim == kernel->rank - 2 ? ahead : 0);
        dvmhcc_text_add_string(text, axis > 0 ? " + (" : "(");
        if (term->dim >= 0)
            dvmhcc_text_printf(text, "%lld * (%s) + ", (long long)term->mult, kernel->dims[term->dim].place);
        dvmhcc_text_printf(text, "%lld) * (%s)->%s_%d", add, kernel->generator->context, operand->member,
                           axis + 1);
    }
}

/* The reference that a sweep comes to new memory with first: of the operand with most of them, the one with the greatest indices. */
static const dvmhcc_use_t *first_use(const dvmhcc_kernel_t *kernel, const dvmhcc_operand_t **operand_p) {
    const dvmhcc_operand_t *operand = NULL;
    const dvmhcc_use_t *first = NULL;
    for (int i = 0; i < kernel->operand_count; i++) {
        const dvmhcc_operand_t *other = &kernel->operands[i];
        if (other->reads && other->all_known && (operand == NULL || other->use_count > operand->use_count))
            operand = other;
    }
    for (int k = 0; operand != NULL && k < operand->use_count; k++) {
        int axis = 0;
        while (first != NULL && axis < operand->rank - 1 &&
               operand->uses[k].terms[axis].add == first->terms[axis].add)
            axis++;
        if (first == NULL || operand->uses[k].terms[axis].add > first->terms[axis].add)
            first = &operand->uses[k];
    }
    *operand_p = operand;
    return first;
}

static void write_stream(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    const dvmhcc_operand_t *streamed = kernel->streamed, *fetched;
    const char *context = kernel->generator->context;
    dvmhcc_text_printf(text, "#define DVMHX_STREAM(%s) (%s)->%s\n#define DVMHX_STREAM_TYPE %s\n", context,
                       context, streamed->member, streamed->type);
    dvmhcc_text_printf(text, "#define DVMHX_STREAM_AT(%s", context);
    write_variables(kernel, text);
    dvmhcc_text_add_string(text, ") (");
    write_offset(kernel, streamed, &streamed->uses[0], 0, text);
    dvmhcc_text_add_string(text, ")\n");
    const dvmhcc_use_t *use = first_use(kernel, &fetched);
    if (use == NULL || kernel->rank < 2)
        return;
    dvmhcc_text_printf(text, "#define DVMHX_PREFETCH(%s", context);
    write_variables(kernel, text);
    dvmhcc_text_printf(text, ") (&(%s)->%s[", context, fetched->member);
    write_offset(kernel, fetched, use, 2, text);
    dvmhcc_text_add_string(text, "])\n");
}

static void write_by_rows(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    const dvmhcc_operand_t *fetched = fetched_operand(kernel);
    const char *context = kernel->generator->context;
    dvmhcc_text_printf(text, "#define DVMHX_ROW_BEGIN %s_find_rows\n#define DVMHX_ROW_BODY %s_row_body\n",
                       kernel->name, kernel->name);
    if (fetched == NULL)
        return;
    dvmhcc_text_printf(text, "#define DVMHX_ROW_PREFETCH(%s", context);
    write_variables(kernel, text);
    dvmhcc_text_printf(text, ") ((%s)->%s_ahead + (%s))\n", context, fetched->member,
                       kernel->dims[kernel->rank - 2].place);
}

static void write_instance(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    int uses = 0;
    for (int i = 0; i < kernel->operand_count; i++)
        uses += kernel->operands[i].use_count;
    dvmhcc_text_printf(text,
                       "#define DVMHX_NAME %s\n#define DVMHX_RANK %d\n#define DVMHX_CONTEXT struct %s\n"
                       "#define DVMHX_BODY %s_body\n",
                       kernel->name, kernel->rank, kernel->name, kernel->name);
    if (!kernel->has_dependences)
        dvmhcc_text_add_string(text, "#define DVMHX_INDEPENDENT\n");
    else if (uses > SHORT_BODY)
        dvmhcc_text_printf(text, "#define DVMHX_JAM_ROWS %d\n", uses > LONG_BODY ? 2 : 4);
    if (kernel->has_conflicts)
        dvmhcc_text_add_string(text, "#define DVMHX_CONFLICTS\n");
    if (kernel->by_rows)
        write_by_rows(kernel, text);
    if (kernel->streamed != NULL)
        write_stream(kernel, text);
    dvmhcc_text_add_string(text, "#include <dvmhx_run.h>\n\n");
}

/* ---- the handler */

/* The axis whose stride gets a variant with the constant 1: the innermost dim's, else, where arrays stay as they are, the last. */
static int unit_axis(const dvmhcc_kernel_t *kernel, const dvmhcc_operand_t *operand) {
    if (operand->remote > 0)
        return -1; /* it may lie in any way, and shall not keep others from their variant */
    if (!kernel->generator->command->auto_layout)
        return operand->rank - 1;
    return operand->inner_axis;
}

/* Join something for each of the strides that may be 1. @return how many */
static int write_units(const dvmhcc_kernel_t *kernel, const char *format, const char *between,
                       dvmhcc_text_t *text) {
    int count = 0;
    for (int i = 0; i < kernel->operand_count; i++) {
        const dvmhcc_operand_t *operand = &kernel->operands[i];
        const int axis = unit_axis(kernel, operand);
        if (axis < 0)
            continue;
        const char *name = dvmhcc_generator_text(kernel->generator, "%s.%s_%d", kernel->generator->context,
                                                 operand->member, axis + 1);
        dvmhcc_text_printf(text, "%s%s%s", count > 0 ? between : "", name != NULL ? name : "", format);
        count++;
    }
    return count;
}

static void write_initialisers(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    const char *prefix = kernel->generator->prefix, *context = kernel->generator->context;
    for (int i = 0; i < kernel->operand_count; i++) {
        const dvmhcc_operand_t *operand = &kernel->operands[i];
        dvmhcc_text_printf(text, "    %s.%s = (%s *)dvmhcc_record->arrays[%d].base;\n", context,
                           operand->member, operand->type, i);
        for (int axis = 0; axis < operand->rank; axis++)
            dvmhcc_text_printf(text, "    %s.%s_%d = dvmhcc_record->arrays[%d].stride[%d];\n", context,
                               operand->member, axis + 1, i, axis);
        if (kernel->by_rows && operand->by_rows)
            dvmhcc_text_printf(text, "    %s.%s_rows = &dvmhcc_record->arrays[%d];\n", context,
                               operand->member, i);
    }
    for (int i = 0; i < kernel->capture_count; i++) {
        const dvmhcc_capture_t *capture = &kernel->captures[i];
        if (capture->kind == DVMHCC_CAPTURE_REDUCTION_ADDRESS)
            dvmhcc_text_printf(text, "    %s.%s = (%s *)dvmhcc_record->reductions[%d];\n", context,
                               capture->member, capture->type, capture->reduction);
        else if (capture->kind == DVMHCC_CAPTURE_REDUCTION)
            dvmhcc_text_printf(text, "    %s.%s = *(%s *)dvmhcc_record->reductions[%d];\n", context,
                               capture->member, capture->type, capture->reduction);
        else if (capture->kind == DVMHCC_CAPTURE_LOCATION)
            dvmhcc_text_printf(text, "    memcpy(&%s.%s, dvmhcc_record->locations[%d], sizeof %s.%s);\n",
                               context, capture->member, capture->reduction, context, capture->member);
        else if (is_address(capture))
            dvmhcc_text_printf(text, "    %s.%s = %s%s;\n", context, capture->member, prefix,
                               capture->member);
        else
            dvmhcc_text_printf(text, "    %s.%s = *%s%s;\n", context, capture->member, prefix,
                               capture->member);
    }
}

static void write_handler(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    const char *prefix = kernel->generator->prefix, *context = kernel->generator->context;
    dvmhcc_text_t run = {0};
    dvmhcc_text_printf(&run, "%s_run(dvmhcc_record, &%s);\n", kernel->name, context);
    dvmhcc_text_printf(text, "static void %s_handler(const dvmhx_record_t *dvmhcc_record", kernel->name);
    for (int i = 0; i < kernel->capture_count; i++)
        if (dvmhcc_is_parameter(&kernel->captures[i]))
            dvmhcc_text_printf(text, ", %s *%s%s", kernel->captures[i].type, prefix,
                               kernel->captures[i].member);
    dvmhcc_text_printf(text, ") {\n    struct %s %s;\n\n", kernel->name, context);
    write_initialisers(kernel, text);
    if (kernel->operand_count == 0 && kernel->capture_count == 0)
        dvmhcc_text_printf(text, "    %s.nothing = 0;\n", context);
    dvmhcc_text_t units = {0};
    if (write_units(kernel, " == 1", " && ", &units) > 0) {
        dvmhcc_text_printf(text, "    if (%s) {\n        ", dvmhcc_text_string(&units));
        write_units(kernel, " = 1;", " ", text);
        dvmhcc_text_printf(text, "\n        %s    } else {\n        %s    }\n", dvmhcc_text_string(&run),
                           dvmhcc_text_string(&run));
    } else {
        dvmhcc_text_printf(text, "    %s", dvmhcc_text_string(&run));
    }
    dvmhcc_text_free(&units);
    dvmhcc_text_free(&run);
    for (int i = 0; i < kernel->capture_count; i++) {
        const dvmhcc_capture_t *capture = &kernel->captures[i];
        if (capture->kind == DVMHCC_CAPTURE_REDUCTION)
            dvmhcc_text_printf(text, "    *(%s *)dvmhcc_record->reductions[%d] = %s.%s;\n", capture->type,
                               capture->reduction, context, capture->member);
        else if (capture->kind == DVMHCC_CAPTURE_LOCATION)
            dvmhcc_text_printf(text, "    memcpy(dvmhcc_record->locations[%d], &%s.%s, sizeof %s.%s);\n",
                               capture->reduction, context, capture->member, context, capture->member);
    }
    dvmhcc_text_add_string(text, "}\n\n");
}

bool dvmhcc_kernel_write(dvmhcc_kernel_t *kernel, dvmhcc_text_t *text) {
    dvmhcc_text_printf(text, "\n/* The parallel loop in line %d of %s. */\n", kernel->line, kernel->file);
    write_context(kernel, text);
    if (!write_body(kernel, false, text))
        return false;
    if (kernel->by_rows) {
        write_row_begin(kernel, text);
        if (!write_body(kernel, true, text))
            return false;
    }
    write_instance(kernel, text);
    write_handler(kernel, text);
    return dvmhcc_text_good(text);
}
