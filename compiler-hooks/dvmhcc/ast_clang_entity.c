/* Declarations of libclang's tree as entities and declarators. What libclang does not tell, where a declarator begins and ends and
 * what stands in its brackets, is read from the text. */
#include <config.h>

#include "compiler-hooks/dvmhcc/ast_clang.h"
#include "compiler-hooks/dvmhcc/c_text.h"

#include <string.h>

/* ---- entities */

static dvmhcc_entity_kind_t kind_of(enum CXCursorKind kind) {
    switch (kind) {
    case CXCursor_VarDecl:
        return DVMHCC_ENTITY_VARIABLE;
    case CXCursor_ParmDecl:
        return DVMHCC_ENTITY_PARAMETER;
    case CXCursor_FunctionDecl:
        return DVMHCC_ENTITY_FUNCTION;
    case CXCursor_FieldDecl:
        return DVMHCC_ENTITY_FIELD;
    case CXCursor_EnumConstantDecl:
        return DVMHCC_ENTITY_ENUMERATOR;
    case CXCursor_TypedefDecl:
    case CXCursor_StructDecl:
    case CXCursor_UnionDecl:
    case CXCursor_EnumDecl:
        return DVMHCC_ENTITY_TYPE;
    default:
        return DVMHCC_ENTITY_OTHER;
    }
}

static void set_storage(dvmhcc_entity_t *entity, CXCursor cursor) {
    const enum CX_StorageClass storage = clang_Cursor_getStorageClass(cursor);
    const enum CXCursorKind scope = clang_getCursorKind(clang_getCursorSemanticParent(cursor));
    entity->is_file_scope = scope == CXCursor_TranslationUnit;
    if (entity->kind == DVMHCC_ENTITY_VARIABLE) {
        entity->has_static_storage =
            entity->is_file_scope || storage == CX_SC_Static || storage == CX_SC_Extern;
        entity->is_internal = entity->is_file_scope && storage == CX_SC_Static;
    } else if (entity->kind == DVMHCC_ENTITY_FUNCTION) {
        entity->is_internal = storage == CX_SC_Static;
    }
}

/* Names that expressions can mean. Tags have a name space of their own, fields belong to their struct. */
static bool is_ordinary(CXCursor cursor, const dvmhcc_entity_t *entity) {
    if (entity->name[0] == '\0' || entity->kind == DVMHCC_ENTITY_FIELD || entity->kind == DVMHCC_ENTITY_OTHER)
        return false;
    return entity->kind != DVMHCC_ENTITY_TYPE || clang_getCursorKind(cursor) == CXCursor_TypedefDecl;
}

static bool add_entity(dvmhcc_clang_t *clang, CXCursor cursor, dvmhcc_entity_t *entity) {
    dvmhcc_unit_t *unit = clang->unit;
    if (!dvmhcc_grow((void **)&unit->entities, &unit->entity_capacity, unit->entity_count,
                     sizeof *unit->entities) ||
        (is_ordinary(cursor, entity) && !dvmhcc_unit_enter(unit, entity))) {
        clang->failed = true;
        return false;
    }
    entity->number = (int)unit->entity_count;
    unit->entities[unit->entity_count++] = entity;
    return true;
}

static dvmhcc_entity_t *make_entity(dvmhcc_clang_t *clang, CXCursor cursor) {
    dvmhcc_entity_t *entity = dvmhcc_clang_take(clang, sizeof *entity);
    size_t name_offset;
    if (entity == NULL)
        return NULL;
    const bool in_text = dvmhcc_clang_name(clang, cursor, &name_offset);
    entity->kind = kind_of(clang_getCursorKind(cursor));
    entity->name =
        clang_Cursor_isAnonymous(cursor) ? "" : dvmhcc_clang_string(clang, clang_getCursorSpelling(cursor));
    entity->type = dvmhcc_clang_type(clang, clang_getCursorType(cursor));
    if (entity->kind == DVMHCC_ENTITY_PARAMETER)
        entity->type = dvmhcc_clang_decay(clang, entity->type);
    entity->is_system = !in_text || dvmhcc_source_is_system(clang->unit->source, name_offset);
    if (clang->failed)
        return NULL;
    set_storage(entity, cursor);
    entity->function = entity->is_file_scope ? NULL : clang->function;
    entity->scope_begin = in_text ? name_offset + strlen(entity->name) : 0;
    entity->scope_end = entity->is_file_scope ? clang->unit->length + 1 : clang->scope_end;
    if (entity->kind == DVMHCC_ENTITY_ENUMERATOR)
        entity->value = clang_getEnumConstantDeclValue(cursor);
    return add_entity(clang, cursor, entity) ? entity : NULL;
}

dvmhcc_entity_t *dvmhcc_clang_entity(dvmhcc_clang_t *clang, CXCursor cursor) {
    const CXCursor canonical = clang_getCanonicalCursor(cursor);
    dvmhcc_clang_entity_t **bucket = &clang->entities[clang_hashCursor(canonical) % DVMHCC_CLANG_BUCKETS];
    for (dvmhcc_clang_entity_t *entry = *bucket; entry != NULL; entry = entry->next) {
        if (clang_equalCursors(entry->key, canonical))
            return entry->entity;
    }
    dvmhcc_clang_entity_t *entry = dvmhcc_clang_take(clang, sizeof *entry);
    if (entry == NULL)
        return NULL;
    entry->key = canonical;
    entry->entity = make_entity(clang, canonical);
    if (entry->entity == NULL)
        return NULL;
    entry->next = *bucket;
    *bucket = entry;
    return entry->entity;
}

/* ---- where a declarator lies */

static bool is_qualifier(const char *text, size_t begin, size_t end) {
    static const char *const words[] = {"const",        "volatile", "restrict",     "__restrict",
                                        "__restrict__", "__const",  "__volatile__", "_Nonnull"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (end - begin == strlen(words[i]) && memcmp(text + begin, words[i], end - begin) == 0)
            return true;
    }
    return false;
}

/* Go back over `*`, `(` and qualifiers between them. */
static size_t find_own_begin(const char *text, size_t from, size_t name) {
    size_t own = name;
    size_t at = dvmhcc_c_before(text, from, name);
    while (at > from) {
        const char c = text[at - 1];
        size_t word = at - 1;
        if (c == '*' || c == '(') {
            own = word;
        } else if (dvmhcc_c_in_name(c)) {
            while (word > from && dvmhcc_c_in_name(text[word - 1]))
                word--;
            if (!is_qualifier(text, word, at))
                break;
        } else {
            break;
        }
        at = dvmhcc_c_before(text, from, word);
    }
    return own;
}

/* Go forward over brackets behind the name. @param visit  called with the inside of square ones; NULL: not called */
static size_t find_own_end(const char *text, size_t end, size_t begin, size_t name_end,
                           void (*visit)(void *context, size_t begin, size_t end), void *context) {
    int open = 0;
    for (size_t i = begin; i < name_end; i++)
        open += text[i] == '(' ? 1 : 0;
    size_t own = name_end;
    for (size_t at = dvmhcc_c_next(text, end, own); at < end; at = dvmhcc_c_next(text, end, own)) {
        if (text[at] == ')' && open > 0) {
            open--;
            own = at + 1;
        } else if (text[at] == '[' || text[at] == '(') {
            const size_t partner = dvmhcc_c_find(text, end, at + 1, text[at] == '[' ? "]" : ")");
            if (partner >= end)
                break;
            if (text[at] == '[' && visit != NULL)
                visit(context, at + 1, partner);
            own = partner + 1;
        } else {
            break;
        }
    }
    return own;
}

static void count_extent(void *context, size_t begin, size_t end) {
    (void)begin;
    (void)end;
    ++*(int *)context;
}

static void add_extent(void *context, size_t begin, size_t end) {
    dvmhcc_declarator_t *declarator = context;
    declarator->extents[declarator->extent_count++] = (dvmhcc_extent_t){.begin = begin, .end = end};
}

/* @param limit  where the declaration, without an initialiser or a body, must end */
static bool find_own(dvmhcc_clang_t *clang, dvmhcc_declarator_t *declarator, size_t from, size_t limit) {
    const char *text = clang->unit->text;
    int count = 0;
    declarator->own_begin = find_own_begin(text, from, declarator->name_begin);
    declarator->own_end =
        find_own_end(text, limit, declarator->own_begin, declarator->name_end, count_extent, &count);
    if (count == 0)
        return true;
    declarator->extents = dvmhcc_clang_take(clang, (size_t)count * sizeof *declarator->extents);
    if (declarator->extents == NULL)
        return false;
    find_own_end(text, limit, declarator->own_begin, declarator->name_end, add_extent, declarator);
    return true;
}

/* The end of a declaration of the file scope, which libclang leaves before the next declarator or the ';'. */
static size_t find_group_end(dvmhcc_clang_t *clang, size_t begin, size_t end) {
    const dvmhcc_unit_t *unit = clang->unit;
    if (begin != clang->group_begin || end > clang->group_end) {
        const size_t semicolon = dvmhcc_c_find(unit->text, unit->length, end, ";");
        clang->group_begin = begin;
        clang->group_end = semicolon < unit->length ? semicolon + 1 : end;
    }
    return clang->group_end;
}

/* ---- declarators */

static void append(dvmhcc_entity_t *entity, dvmhcc_declarator_t *declarator) {
    dvmhcc_declarator_t **tail = &entity->declarators;
    while (*tail != NULL)
        tail = &(*tail)->next;
    *tail = declarator;
    declarator->entity = entity;
}

/* Expressions below a declaration: its initialiser, or what stands in its brackets. */
static void read_expressions(dvmhcc_clang_t *clang, CXCursor cursor, dvmhcc_declarator_t *declarator) {
    const size_t first = dvmhcc_clang_push(clang, cursor);
    const size_t count = clang->cursor_count;
    for (size_t i = first; i < count && !clang->failed; i++) {
        size_t begin, end;
        if (!clang_isExpression(clang_getCursorKind(clang->cursors[i])))
            continue;
        dvmhcc_clang_range(clang, clang->cursors[i], &begin, &end);
        dvmhcc_node_t **place = begin >= declarator->own_end && end > begin ? &declarator->initialiser : NULL;
        for (int k = 0; k < declarator->extent_count; k++) {
            if (declarator->extents[k].begin <= begin && end <= declarator->extents[k].end && end > begin)
                place = &declarator->extents[k].expression;
        }
        if (place != NULL)
            *place = dvmhcc_clang_node(clang, clang->cursors[i], declarator->statement);
    }
    clang->cursor_count = first;
}

/* A variable, a parameter, a typedef or a function, without what is below it. */
static dvmhcc_declarator_t *make_declarator(dvmhcc_clang_t *clang, CXCursor cursor,
                                            dvmhcc_node_t *statement) {
    dvmhcc_declarator_t *declarator = dvmhcc_clang_take(clang, sizeof *declarator);
    dvmhcc_entity_t *entity = declarator != NULL ? dvmhcc_clang_entity(clang, cursor) : NULL;
    size_t begin, end;
    if (entity == NULL)
        return NULL;
    dvmhcc_clang_range(clang, cursor, &begin, &end);
    if (!dvmhcc_clang_name(clang, cursor, &declarator->name_begin))
        declarator->name_begin = begin;
    declarator->name_end = declarator->name_begin + strlen(entity->name);
    declarator->begin = begin;
    declarator->statement = statement;
    if (entity->kind == DVMHCC_ENTITY_PARAMETER)
        declarator->end = end;
    else if (statement != NULL)
        declarator->end = statement->end;
    else
        declarator->end = find_group_end(clang, begin, end);
    declarator->is_extern = clang_Cursor_getStorageClass(cursor) == CX_SC_Extern;
    declarator->is_definition = !declarator->is_extern;
    if (!find_own(clang, declarator, begin, end))
        return NULL;
    append(entity, declarator);
    return declarator;
}

/* A later declaration may know more: the extents of an array, the members of a struct. */
static void complete_type(dvmhcc_clang_t *clang, CXCursor cursor, dvmhcc_entity_t *entity) {
    const dvmhcc_type_t *type = dvmhcc_clang_type(clang, clang_getCursorType(cursor));
    if (type != NULL && entity->type->bytes < 0 && type->bytes >= 0)
        entity->type = type;
}

static bool read_parameters(dvmhcc_clang_t *clang, CXCursor cursor, dvmhcc_declarator_t *declarator) {
    const int count = clang_Cursor_getNumArguments(cursor);
    if (count <= 0)
        return true;
    declarator->parameters = dvmhcc_clang_take(clang, (size_t)count * sizeof *declarator->parameters);
    if (declarator->parameters == NULL)
        return false;
    for (int i = 0; i < count; i++) {
        const CXCursor argument = clang_Cursor_getArgument(cursor, (unsigned)i);
        dvmhcc_declarator_t *parameter = make_declarator(clang, argument, NULL);
        if (parameter == NULL)
            return false;
        read_expressions(clang, argument, parameter);
        declarator->parameters[declarator->parameter_count++] = parameter->entity;
    }
    return true;
}

static void read_body(dvmhcc_clang_t *clang, CXCursor cursor, dvmhcc_entity_t *function) {
    const size_t first = dvmhcc_clang_push(clang, cursor);
    const size_t count = clang->cursor_count;
    for (size_t i = first; i < count && !clang->failed; i++) {
        if (clang_getCursorKind(clang->cursors[i]) == CXCursor_CompoundStmt)
            function->body = dvmhcc_clang_node(clang, clang->cursors[i], NULL);
    }
    clang->cursor_count = first;
}

static dvmhcc_declarator_t *read_function(dvmhcc_clang_t *clang, CXCursor cursor, dvmhcc_node_t *statement) {
    dvmhcc_entity_t *outer = clang->function;
    const size_t outer_end = clang->scope_end;
    size_t begin, end;
    dvmhcc_entity_t *function = dvmhcc_clang_entity(clang, cursor);
    if (function == NULL)
        return NULL;
    dvmhcc_clang_range(clang, cursor, &begin, &end);
    clang->function = function;
    clang->scope_end = end;
    dvmhcc_declarator_t *declarator = make_declarator(clang, cursor, statement);
    const bool is_definition = clang_isCursorDefinition(cursor) != 0;
    if (declarator != NULL) {
        declarator->is_definition = is_definition;
        if (is_definition)
            declarator->end = end;
        if (read_parameters(clang, cursor, declarator) && (is_definition || function->parameters == NULL)) {
            function->parameters = declarator->parameters;
            function->parameter_count = declarator->parameter_count;
        }
        if (is_definition)
            read_body(clang, cursor, function);
    }
    clang->function = outer;
    clang->scope_end = outer_end;
    return declarator;
}

/* Tags and enumerators: known by name, without declarators. */
static void read_enumerators(dvmhcc_clang_t *clang, CXCursor cursor) {
    const size_t first = dvmhcc_clang_push(clang, cursor);
    const size_t count = clang->cursor_count;
    for (size_t i = first; i < count && !clang->failed; i++) {
        if (clang_getCursorKind(clang->cursors[i]) == CXCursor_EnumConstantDecl)
            dvmhcc_clang_entity(clang, clang->cursors[i]);
    }
    clang->cursor_count = first;
}

dvmhcc_declarator_t *dvmhcc_clang_declare(dvmhcc_clang_t *clang, CXCursor cursor, dvmhcc_node_t *statement) {
    dvmhcc_declarator_t *declarator;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_FunctionDecl:
        return read_function(clang, cursor, statement);
    case CXCursor_VarDecl:
    case CXCursor_TypedefDecl:
        declarator = make_declarator(clang, cursor, statement);
        if (declarator != NULL) {
            complete_type(clang, cursor, declarator->entity);
            read_expressions(clang, cursor, declarator);
        }
        return clang->failed ? NULL : declarator;
    case CXCursor_StructDecl:
    case CXCursor_UnionDecl:
        return make_declarator(clang, cursor, statement);
    case CXCursor_EnumDecl:
        read_enumerators(clang, cursor);
        return clang->failed ? NULL : make_declarator(clang, cursor, statement);
    default:
        return NULL;
    }
}
