/* Names and types in generated text, and what an element of a distributed array is. */
#include <config.h>

#include "compiler-hooks/dvmhcc/c_text.h"
#include "compiler-hooks/dvmhcc/generate.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

bool dvmhcc_element_of(dvmhcc_node_t *node, dvmhcc_element_t *element) {
    dvmhcc_node_t *found[DVMHCC_RANK_MAX];
    int count = 0;
    for (; node != NULL && node->kind == DVMHCC_NODE_SUBSCRIPT; node = dvmhcc_inner(node->children[0])) {
        if (count == DVMHCC_RANK_MAX)
            return false;
        found[count++] = node->children[1];
    }
    const dvmhcc_entity_t *array = dvmhcc_named(node);
    if (array == NULL || array->distributed == NULL || array->distributed->element == NULL ||
        array->distributed->rank != count)
        return false;
    element->array = node->entity;
    element->rank = count;
    for (int axis = 0; axis < count; axis++)
        element->subscripts[axis] = found[count - 1 - axis];
    return true;
}

const char *dvmhcc_generator_text(dvmhcc_generator_t *generator, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length >= 0 ? dvmhcc_arena_take(generator->arena, (size_t)length + 1) : NULL;
    if (text == NULL)
        dvmhcc_no_memory();
    else
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}

const char *dvmhcc_generator_file(dvmhcc_generator_t *generator, const dvmhcc_place_t *place) {
    const char *file = place->file != NULL && place->file[0] != '\0' ? place->file : "?";
    char *const quoted = dvmhcc_arena_take(generator->arena, 2 * strlen(file) + 1), *to = quoted;
    if (quoted == NULL) {
        dvmhcc_no_memory();
        return "?";
    }
    for (; *file != '\0'; file++) {
        if (*file == '"' || *file == '\\')
            *to++ = '\\';
        *to++ = *file;
    }
    *to = '\0';
    return quoted;
}

const char *dvmhcc_generator_remote(dvmhcc_generator_t *generator, const dvmhcc_attached_t *attached,
                                    const dvmhcc_reference_t *section) {
    int number = 1;
    for (const dvmhcc_reference_t *at = attached->directive->is.remote_accesses; at != section; at = at->next)
        number++;
    return dvmhcc_generator_text(generator, "%sremote%d_%d", generator->prefix, attached->pragma, number);
}

/* Blank out a word of a type that qualifies the variable itself. @return false  it does not stand there */
static bool blank_qualifier(char *text, const char *qualifier) {
    const size_t length = strlen(text), word = strlen(qualifier);
    /* Behind the last star stands what qualifies a pointer itself. */
    const char *star = strrchr(text, '*');
    bool found = false;
    for (size_t at = star != NULL ? (size_t)(star - text) : 0; at < length;) {
        const size_t next = dvmhcc_c_next(text, length, at);
        if (next >= length)
            break;
        if (dvmhcc_c_is_name(text, length, next, qualifier)) {
            memset(text + next, ' ', word);
            found = true;
        }
        at = dvmhcc_c_word_end(text, length, next);
    }
    return found;
}

static const char *basic_name(dvmhcc_basic_t basic) {
    static const char *const names[] = {[DVMHCC_BASIC_BOOL] = "_Bool",
                                        [DVMHCC_BASIC_CHAR] = "char",
                                        [DVMHCC_BASIC_SCHAR] = "signed char",
                                        [DVMHCC_BASIC_UCHAR] = "unsigned char",
                                        [DVMHCC_BASIC_SHORT] = "short",
                                        [DVMHCC_BASIC_USHORT] = "unsigned short",
                                        [DVMHCC_BASIC_INT] = "int",
                                        [DVMHCC_BASIC_UINT] = "unsigned",
                                        [DVMHCC_BASIC_LONG] = "long",
                                        [DVMHCC_BASIC_ULONG] = "unsigned long",
                                        [DVMHCC_BASIC_LLONG] = "long long",
                                        [DVMHCC_BASIC_ULLONG] = "unsigned long long",
                                        [DVMHCC_BASIC_FLOAT] = "float",
                                        [DVMHCC_BASIC_DOUBLE] = "double",
                                        [DVMHCC_BASIC_FLOAT_COMPLEX] = "_Complex float",
                                        [DVMHCC_BASIC_DOUBLE_COMPLEX] = "_Complex double"};
    return (size_t)basic < sizeof names / sizeof names[0] ? names[basic] : NULL;
}

/* Types that only a function knows, by a word of the text. */
static bool is_known_outside(const dvmhcc_generator_t *generator, const char *text) {
    const size_t length = strlen(text);
    for (size_t at = dvmhcc_c_next(text, length, 0); at < length;
         at = dvmhcc_c_next(text, length, dvmhcc_c_word_end(text, length, at)))
        for (size_t i = 0; dvmhcc_c_in_name(text[at]) && i < generator->unit->entity_count; i++) {
            const dvmhcc_entity_t *entity = generator->unit->entities[i];
            if (entity->kind == DVMHCC_ENTITY_TYPE && entity->function != NULL && entity->name[0] != '\0' &&
                dvmhcc_c_is_name(text, length, at, entity->name))
                return false;
        }
    return true;
}

/* Whether the text of a type has extents that are not numbers. */
static bool is_variable(const char *text) {
    bool inside = false;
    for (; *text != '\0'; text++) {
        if (*text == '[' || *text == ']')
            inside = *text == '[';
        else if (inside && !isdigit((unsigned char)*text))
            return true;
    }
    return false;
}

const char *dvmhcc_generator_type(dvmhcc_generator_t *generator, const dvmhcc_type_t *type,
                                  const dvmhcc_node_t *where) {
    char *text = dvmhcc_arena_copy(generator->arena, type->text, strlen(type->text));
    if (text == NULL) {
        dvmhcc_no_memory();
        return NULL;
    }
    const bool has_name = strstr(text, "unnamed") == NULL && strstr(text, "anonymous") == NULL;
    bool good = has_name && !is_variable(text) && is_known_outside(generator, text);
    if (good && type->kind != DVMHCC_TYPE_ARRAY && (type->is_const || type->is_volatile)) {
        const bool found_const = !type->is_const || blank_qualifier(text, "const");
        const bool found_volatile = !type->is_volatile || blank_qualifier(text, "volatile");
        if (!found_const || !found_volatile) {
            /* A typedef hides the qualifier. */
            const char *name = type->kind == DVMHCC_TYPE_BASIC ? basic_name(type->basic) : NULL;
            if (name != NULL)
                return name;
            good = false;
        }
    }
    if (!good) {
        dvmhcc_node_report(generator->unit, DVMHCC_ERROR, where,
                           "the type '%s' of a variable of this loop is not known outside of the function; "
                           "declare it, with a name, outside of all functions",
                           type->text);
        return NULL;
    }
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    while (isspace((unsigned char)text[0]))
        text++;
    return strpbrk(text, "[(") != NULL ? dvmhcc_generator_text(generator, "__typeof__(%s)", text) : text;
}
