/* Running the preprocessor on a source, and what can be asked about the result. */
#include <config.h>

#include "compiler-hooks/dvmhcc/source_inside.h"

#include "compiler-hooks/dvmhcc/process.h"
#include "compiler-hooks/dvmhcc/temporary.h"
#include "rts/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The compiler names a file that is missing, but so early that the message should be ours. */
static bool is_readable(const char *file) {
    struct stat status;
    if (stat(file, &status) != 0 || access(file, R_OK) != 0) {
        dvmhcc_report(DVMHCC_ERROR, NULL, "cannot read '%s': %s", file, strerror(errno));
        return false;
    }
    if (S_ISDIR(status.st_mode)) {
        dvmhcc_report(DVMHCC_ERROR, NULL, "cannot read '%s': %s", file, strerror(EISDIR));
        return false;
    }
    return true;
}

/* The command that both runs of the preprocessor begin with. */
static void add_command(const dvmhcc_command_t *command, dvmhcc_words_t *words) {
    dvmhcc_words_add_all(words, &command->compiler);
    dvmhcc_words_add(words, "-D_DVMH=" DVMHCC_LANGUAGE_VERSION);
    dvmhcc_words_add_all(words, &command->compile);
    dvmhcc_words_add_all(words, &command->preprocess);
    dvmhcc_words_add_all(words, &command->runtime);
    dvmhcc_words_add(words, "-E");
}

/* The source as it is, with all definitions and includes shown. */
static bool preprocess(const dvmhcc_command_t *command, const char *file, dvmhcc_text_t *raw) {
    dvmhcc_words_t words = {0};
    dvmhcc_text_t dependency_file = {0};
    const char *written = NULL;
    bool good = true;
    add_command(command, &words);
    dvmhcc_words_add_all(&words, &command->forced);
    dvmhcc_words_add(&words, "-dD");
    dvmhcc_words_add(&words, "-dI");
    if (command->dependencies) {
        dvmhcc_command_dependency_file(command, file, &dependency_file);
        good = dvmhcc_text_good(&dependency_file) &&
               dvmhcc_temporary_output(dvmhcc_text_string(&dependency_file), &written);
        if (good)
            dvmhcc_command_dependency_flags(command, file, written, &words);
    }
    dvmhcc_words_add(&words, file);
    good = good && dvmhcc_process_run(&words, NULL, raw, command->verbose) &&
           (written == NULL || dvmhcc_temporary_commit(written));
    dvmhcc_text_free(&dependency_file);
    dvmhcc_words_free(&words);
    return good;
}

/* The words of all directives. Warnings have been told by the first run. */
static bool expand(const dvmhcc_command_t *command, const dvmhcc_text_t *expansion, dvmhcc_text_t *expanded) {
    dvmhcc_words_t words = {0};
    add_command(command, &words);
    dvmhcc_words_add(&words, "-w");
    dvmhcc_words_add(&words, "-xc");
    dvmhcc_words_add(&words, "-");
    const bool good = dvmhcc_process_run(&words, expansion, expanded, command->verbose);
    dvmhcc_words_free(&words);
    return good;
}

bool dvmhcc_source_read(const dvmhcc_command_t *command, const char *file, dvmhcc_source_t **source_p) {
    if (!is_readable(file))
        return false;
    dvmhcc_source_t *source = rts_alloc_zeroed(1, sizeof *source);
    if (source == NULL)
        return dvmhcc_no_memory();
    dvmhcc_text_t raw = {0}, expansion = {0}, expanded = {0};
    bool good = preprocess(command, file, &raw) && dvmhcc_source_parse(source, file, &raw, &expansion);
    dvmhcc_text_free(&raw);
    if (good && source->pragma_count > 0)
        good = expand(command, &expansion, &expanded) && dvmhcc_source_expanded(source, &expanded);
    dvmhcc_text_free(&expansion);
    dvmhcc_text_free(&expanded);
    if (good)
        *source_p = source;
    else
        dvmhcc_source_free(source);
    return good;
}

void dvmhcc_source_free(dvmhcc_source_t *source) {
    if (source == NULL)
        return;
    for (size_t i = 0; i < source->file_count; i++) {
        rts_free(source->files[i].name);
        rts_free(source->files[i].line_begins);
        dvmhcc_text_free(&source->files[i].content);
    }
    for (size_t i = 0; i < source->pragma_count; i++)
        rts_free(source->pragmas[i].words);
    for (size_t i = 0; i < source->include_count; i++) {
        rts_free(source->includes[i].header);
        rts_free(source->includes[i].again);
    }
    for (size_t i = 0; i < source->event_count; i++) {
        rts_free(source->events[i].name);
        rts_free(source->events[i].line);
    }
    rts_free(source->files);
    rts_free(source->lines);
    rts_free(source->pragmas);
    rts_free(source->includes);
    rts_free(source->events);
    dvmhcc_text_free(&source->text);
    rts_free(source);
}

const char *dvmhcc_source_text(const dvmhcc_source_t *source, size_t *length_p) {
    *length_p = source->text.length;
    return dvmhcc_text_string(&source->text);
}

int dvmhcc_source_pragma_count(const dvmhcc_source_t *source) {
    return (int)source->pragma_count;
}

const dvmhcc_pragma_t *dvmhcc_source_pragma(const dvmhcc_source_t *source, int index) {
    return &source->pragmas[index];
}

int dvmhcc_source_include_count(const dvmhcc_source_t *source) {
    return (int)source->include_count;
}

const dvmhcc_include_t *dvmhcc_source_include(const dvmhcc_source_t *source, int index) {
    return &source->includes[index];
}

void dvmhcc_source_include_again(const dvmhcc_source_t *source, int index, dvmhcc_text_t *text) {
    const dvmhcc_include_t *include = &source->includes[index];
    for (int undo = 0; undo <= 1; undo++) {
        for (int i = 0; i < include->event_count; i++) {
            const dvmhcc_event_t *event = &source->events[i];
            const bool in_force =
                event->line != NULL && (event->next < 0 || event->next >= include->event_count);
            if (in_force && undo)
                dvmhcc_text_printf(text, "#undef %s\n", event->name);
            else if (in_force)
                dvmhcc_text_printf(text, "%s\n", event->line);
        }
        if (!undo)
            dvmhcc_text_printf(text, "#include %s\n", include->header);
    }
    for (const char *name = include->again; *name != '\0'; name = strchr(name, '\n') + 1)
        dvmhcc_text_printf(text, "#undef %.*s\n", (int)strcspn(name, "\n"), name);
}
