/* dvmhcc with a translation that parses the directives, tells what is wrong with them, and leaves the rest as it is: for the corpus of
 * programs, also where there is no libclang. Checks no more than the text of the directives; the program does what the sequential
 * one does. */
#include <config.h>

#include "compiler-hooks/dvmhcc/directive.h"
#include "compiler-hooks/dvmhcc/source.h"
#include "compiler-hooks/dvmhcc/translate.h"

#include <string.h>

typedef struct words {
    dvmhcc_source_t *source;
    int pragma;
} words_t;

static void place_of(void *context, size_t offset, size_t length, dvmhcc_place_t *place_p) {
    const words_t *words = context;
    *place_p = dvmhcc_source_pragma_place(words->source, words->pragma, offset, length);
}

/* @return false  no memory, told */
static bool parse(dvmhcc_source_t *source, int pragma) {
    const char *text = dvmhcc_source_pragma(source, pragma)->words;
    words_t words = {.source = source, .pragma = pragma};
    const dvmhcc_directive_source_t from = {.text = text,
                                            .length = strlen(text),
                                            .place = place_of,
                                            .context = &words};
    const dvmhcc_directive_t *directive;
    dvmhcc_arena_t arena = {0};
    const bool good = dvmhcc_directive_parse(&arena, &from, &directive) == RTS_OK;
    if (!good)
        dvmhcc_report(DVMHCC_ERROR, NULL, "no memory for a directive");
    dvmhcc_arena_free(&arena);
    return good;
}

bool dvmhcc_translate(const dvmhcc_command_t *command, const char *file, FILE *output, dvmhcc_text_t *gpu) {
    const int errors_before = dvmhcc_error_count();
    dvmhcc_source_t *source;
    (void)gpu;
    if (!dvmhcc_source_read(command, file, &source))
        return false;
    size_t length;
    const char *text = dvmhcc_source_text(source, &length);
    for (int i = 0; i < dvmhcc_source_pragma_count(source) && parse(source, i);)
        i++;
    fwrite(text, 1, length, output);
    dvmhcc_source_free(source);
    return dvmhcc_error_count() == errors_before;
}
