/* dvmhcc with a translation for tests of everything around it: headers of the system are included again, each directive becomes a
 * comment that shows its words with macros expanded, the rest stays. The program does what the sequential one does. */
#include <config.h>

#include "compiler-hooks/dvmhcc/edit.h"
#include "compiler-hooks/dvmhcc/source.h"
#include "compiler-hooks/dvmhcc/translate.h"

#include <string.h>

static dvmhcc_place_t line_of(void *context, size_t offset) {
    return dvmhcc_source_line(context, offset);
}

/* Put all edits into the text. */
static bool edit_all(dvmhcc_source_t *source, dvmhcc_edit_t *edit) {
    const int errors_before = dvmhcc_error_count();
    bool good = true;
    for (int i = 0; good && i < dvmhcc_source_include_count(source); i++) {
        const dvmhcc_include_t *include = dvmhcc_source_include(source, i);
        dvmhcc_text_t again = {0};
        dvmhcc_source_include_again(source, i, &again);
        const char *text = dvmhcc_text_string(&again);
        good = dvmhcc_text_good(&again) &&
               (include->begin < include->end
                    ? dvmhcc_edit_replace_text(edit, include->begin, include->end, text)
                    : dvmhcc_edit_before_text(edit, include->begin, text));
        dvmhcc_text_free(&again);
    }
    for (int i = 0; good && i < dvmhcc_source_pragma_count(source); i++) {
        const dvmhcc_pragma_t *pragma = dvmhcc_source_pragma(source, i);
        if (strstr(pragma->words, "refuse") != NULL) {
            const dvmhcc_place_t place =
                dvmhcc_source_pragma_place(source, i,
                                           (size_t)(strstr(pragma->words, "refuse") - pragma->words),
                                           strlen("refuse"));
            dvmhcc_report(DVMHCC_ERROR, &place, "this translation refuses to refuse");
            continue;
        }
        dvmhcc_text_t comment = {0};
        dvmhcc_text_printf(&comment, "/* dvm: %s */", pragma->words);
        good = dvmhcc_text_good(&comment) &&
               dvmhcc_edit_replace_text(edit, pragma->begin, pragma->end, dvmhcc_text_string(&comment));
        dvmhcc_text_free(&comment);
    }
    return good && dvmhcc_error_count() == errors_before;
}

bool dvmhcc_translate(const dvmhcc_command_t *command, const char *file, FILE *output, dvmhcc_text_t *gpu) {
    dvmhcc_source_t *source;
    (void)gpu;
    if (!dvmhcc_source_read(command, file, &source))
        return false;
    size_t length;
    const char *text = dvmhcc_source_text(source, &length);
    dvmhcc_edit_t *edit = dvmhcc_edit_create(text, length, line_of, source);
    dvmhcc_text_t result = {0};
    const bool good = edit != NULL && edit_all(source, edit) && dvmhcc_edit_apply(edit, &result);
    if (good)
        fwrite(dvmhcc_text_string(&result), 1, result.length, output);
    dvmhcc_text_free(&result);
    dvmhcc_edit_free(edit);
    dvmhcc_source_free(source);
    return good;
}
