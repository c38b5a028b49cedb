/* Parsing of a preprocessed source by libclang, and the top of its tree. Decides which errors of clang are the user's. */
#include <config.h>

#include "compiler-hooks/dvmhcc/ast_clang.h"
#include "rts/memory.h"

#include <string.h>

/* Types that gcc knows and clang does not: headers preprocessed by gcc use them. On one line, before the user's first. */
static const char prelude[] = "typedef float _Float32; typedef double _Float32x; typedef double _Float64; "
                              "typedef long double _Float64x;"
                              "typedef __float128 _Float128;\n";

/* Any name that no file has: the text is given to libclang from memory. */
static const char unit_name[] = "dvmhcc-unit.i";

/* ---- memory and strings */

void *dvmhcc_clang_take(dvmhcc_clang_t *clang, size_t bytes) {
    void *memory = clang->failed ? NULL : dvmhcc_arena_take(&clang->unit->arena, bytes);
    if (memory == NULL && !clang->failed) {
        dvmhcc_no_memory();
        clang->failed = true;
    }
    return memory;
}

const char *dvmhcc_clang_string(dvmhcc_clang_t *clang, CXString string) {
    const char *text = clang_getCString(string);
    const size_t length = text != NULL ? strlen(text) : 0;
    char *copy = dvmhcc_clang_take(clang, length + 1);
    if (copy != NULL && length > 0)
        memcpy(copy, text, length);
    clang_disposeString(string);
    return copy;
}

/* ---- places */

/* @return false: in no file, or in the prelude */
static bool offset_of(const dvmhcc_clang_t *clang, CXSourceLocation location, size_t *offset_p) {
    CXFile file = NULL;
    unsigned offset = 0;
    clang_getFileLocation(location, &file, NULL, NULL, &offset);
    *offset_p = 0;
    if (file == NULL || offset < clang->prelude || offset - clang->prelude > clang->unit->length)
        return false;
    *offset_p = offset - clang->prelude;
    return true;
}

void dvmhcc_clang_range(const dvmhcc_clang_t *clang, CXCursor cursor, size_t *begin_p, size_t *end_p) {
    const CXSourceRange range = clang_getCursorExtent(cursor);
    if (!offset_of(clang, clang_getRangeStart(range), begin_p) ||
        !offset_of(clang, clang_getRangeEnd(range), end_p) || *end_p < *begin_p)
        *begin_p = *end_p = 0;
}

bool dvmhcc_clang_name(const dvmhcc_clang_t *clang, CXCursor cursor, size_t *offset_p) {
    return offset_of(clang, clang_getCursorLocation(cursor), offset_p);
}

/* ---- children */

static enum CXChildVisitResult push_one(CXCursor cursor, CXCursor parent, CXClientData data) {
    dvmhcc_clang_t *clang = data;
    (void)parent;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (!clang_isExpression(kind) && !clang_isStatement(kind) && !clang_isDeclaration(kind))
        return CXChildVisit_Continue;
    if (!dvmhcc_grow((void **)&clang->cursors, &clang->cursor_capacity, clang->cursor_count,
                     sizeof *clang->cursors)) {
        clang->failed = true;
        return CXChildVisit_Break;
    }
    clang->cursors[clang->cursor_count++] = cursor;
    return CXChildVisit_Continue;
}

size_t dvmhcc_clang_push(dvmhcc_clang_t *clang, CXCursor cursor) {
    const size_t first = clang->cursor_count;
    clang_visitChildren(cursor, push_one, clang);
    return first;
}

/* ---- errors of C */

/* Errors in headers of the system are quarrels between gcc's headers and clang, and none of the user's. */
static bool tell_error(const dvmhcc_clang_t *clang, CXDiagnostic diagnostic) {
    size_t offset = 0;
    if (clang_getDiagnosticSeverity(diagnostic) < CXDiagnostic_Error ||
        !offset_of(clang, clang_getDiagnosticLocation(diagnostic), &offset) ||
        dvmhcc_source_is_system(clang->unit->source, offset))
        return false;
    CXString message = clang_getDiagnosticSpelling(diagnostic);
    const dvmhcc_place_t place = dvmhcc_source_place(clang->unit->source, offset);
    dvmhcc_report(DVMHCC_ERROR, &place, "%s", clang_getCString(message));
    clang_disposeString(message);
    return true;
}

/* @return whether there were any */
static bool tell_errors(const dvmhcc_clang_t *clang, CXTranslationUnit translation) {
    bool told = false;
    const unsigned count = clang_getNumDiagnostics(translation);
    for (unsigned i = 0; i < count; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(translation, i);
        told |= tell_error(clang, diagnostic);
        clang_disposeDiagnostic(diagnostic);
    }
    return told;
}

/* ---- parsing */

/* Flags of the compiler that change what the text means. */
static bool is_dialect(const char *flag) {
    static const char *const exact[] = {"-ansi",
                                        "-m32",
                                        "-m64",
                                        "-mx32",
                                        "-funsigned-char",
                                        "-fsigned-char",
                                        "-fgnu89-inline",
                                        "-fms-extensions",
                                        "-fplan9-extensions",
                                        "-fshort-enums"};
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++) {
        if (strcmp(flag, exact[i]) == 0)
            return true;
    }
    return strncmp(flag, "-std=", 5) == 0;
}

/* gcc only warns about what clang has made errors by now. */
static void add_flags(const dvmhcc_command_t *command, dvmhcc_words_t *words) {
    static const char always[] = "-x cpp-output -w -ferror-limit=0 -fno-spell-checking "
                                 "-Wno-error -Wno-implicit-function-declaration -Wno-implicit-int "
                                 "-Wno-int-conversion -Wno-incompatible-pointer-types "
                                 "-Wno-incompatible-function-pointer-types -Wno-return-type";
    dvmhcc_words_split(words, always);
    for (int i = 0; i < command->compile.count; i++) {
        if (is_dialect(command->compile.word[i]))
            dvmhcc_words_add(words, command->compile.word[i]);
    }
}

/* Whether an entity is one that the file scope's list should have: everything of the user. */
static void read_top(dvmhcc_clang_t *clang, CXCursor cursor) {
    size_t begin, end;
    dvmhcc_unit_t *unit = clang->unit;
    dvmhcc_clang_range(clang, cursor, &begin, &end);
    if (begin == end)
        return;
    clang->scope_end = unit->length + 1;
    if (dvmhcc_source_is_system(unit->source, begin)) {
        dvmhcc_clang_entity(clang, cursor);
        if (clang_getCursorKind(cursor) != CXCursor_EnumDecl)
            return;
    }
    dvmhcc_declarator_t *declarator = dvmhcc_clang_declare(clang, cursor, NULL);
    if (declarator == NULL || declarator->entity->is_system)
        return;
    if (!dvmhcc_grow((void **)&unit->declarations, &unit->declaration_capacity, unit->declaration_count,
                     sizeof *unit->declarations)) {
        clang->failed = true;
        return;
    }
    unit->declarations[unit->declaration_count++] = declarator;
}

static bool read_tree(dvmhcc_clang_t *clang, CXTranslationUnit translation) {
    const size_t first = dvmhcc_clang_push(clang, clang_getTranslationUnitCursor(translation));
    const size_t count = clang->cursor_count;
    for (size_t i = first; i < count && !clang->failed; i++)
        read_top(clang, clang->cursors[i]);
    return !clang->failed;
}

/* @param text  the prelude and the source's text */
static bool parse_text(const dvmhcc_command_t *command, dvmhcc_clang_t *clang, const dvmhcc_text_t *text) {
    dvmhcc_words_t words = {0};
    add_flags(command, &words);
    if (!dvmhcc_words_good(&words)) {
        dvmhcc_words_free(&words);
        return false;
    }
    struct CXUnsavedFile file = {unit_name, text->data, (unsigned long)text->length};
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit translation = NULL;
    const enum CXErrorCode code =
        clang_parseTranslationUnit2(index, unit_name, (const char *const *)words.word, words.count, &file, 1,
                                    CXTranslationUnit_None, &translation);
    bool good = code == CXError_Success && translation != NULL;
    if (good) {
        good = !tell_errors(clang, translation) && read_tree(clang, translation);
        clang_disposeTranslationUnit(translation);
    } else {
        const dvmhcc_place_t place = {.file = dvmhcc_source_line(clang->unit->source, 0).file};
        dvmhcc_report(DVMHCC_ERROR, &place, "libclang cannot read this source (its error code %d)",
                      (int)code);
    }
    clang_disposeIndex(index);
    dvmhcc_words_free(&words);
    return good;
}

bool dvmhcc_unit_parse(const dvmhcc_command_t *command, dvmhcc_source_t *source, dvmhcc_unit_t **unit_p) {
    dvmhcc_unit_t *unit = rts_alloc_zeroed(1, sizeof *unit);
    dvmhcc_clang_t *clang = unit != NULL ? rts_alloc_zeroed(1, sizeof *clang) : NULL;
    if (clang == NULL) {
        rts_free(unit);
        return dvmhcc_no_memory();
    }
    unit->source = source;
    unit->text = dvmhcc_source_text(source, &unit->length);
    clang->unit = unit;
    clang->prelude = strlen(prelude);
    dvmhcc_text_t text = {0};
    dvmhcc_text_add_string(&text, prelude);
    dvmhcc_text_add(&text, unit->text, unit->length);
    const bool good = dvmhcc_text_good(&text) && parse_text(command, clang, &text);
    dvmhcc_text_free(&text);
    rts_free(clang->cursors);
    rts_free(clang);
    if (good)
        *unit_p = unit;
    else
        dvmhcc_unit_free(unit);
    return good;
}
