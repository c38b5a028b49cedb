/* Names of the files that a run of dvmhcc writes: what the command line says, else what C compilers do. */
#include <config.h>

#include "compiler-hooks/dvmhcc/command.h"

#include <string.h>

/* A name with its suffix replaced; a name without one gets the new one added. */
static void add_with_suffix(dvmhcc_text_t *name, const char *file, const char *suffix) {
    const char *slash = strrchr(file, '/');
    const char *dot = strrchr(slash != NULL ? slash : file, '.');
    const bool hidden = dot != NULL && (dot == file || dot[-1] == '/'); /* ".c" is a name, not a suffix */
    dvmhcc_text_add(name, file, dot != NULL && !hidden ? (size_t)(dot - file) : strlen(file));
    dvmhcc_text_add_string(name, suffix);
}

static const char *without_folders(const char *file) {
    const char *slash = strrchr(file, '/');
    return slash != NULL ? slash + 1 : file;
}

void dvmhcc_command_object(const dvmhcc_command_t *command, const char *source, dvmhcc_text_t *name) {
    if (command->compile_only && command->output != NULL)
        dvmhcc_text_add_string(name, command->output);
    else
        add_with_suffix(name, without_folders(source), ".o");
}

void dvmhcc_command_dependency_file(const dvmhcc_command_t *command, const char *source,
                                    dvmhcc_text_t *name) {
    if (command->dependency_file != NULL)
        dvmhcc_text_add_string(name, command->dependency_file);
    else if (command->compile_only && command->output != NULL)
        add_with_suffix(name, command->output, ".d");
    else
        add_with_suffix(name, without_folders(source), ".d");
}

void dvmhcc_command_dependency_flags(const dvmhcc_command_t *command, const char *source, const char *written,
                                     dvmhcc_words_t *words) {
    dvmhcc_words_add(words, command->system_dependencies ? "-MD" : "-MMD");
    dvmhcc_words_add(words, "-MF");
    dvmhcc_words_add(words, written);
    if (command->phony_dependencies)
        dvmhcc_words_add(words, "-MP");
    dvmhcc_words_add_all(words, &command->targets);
    if (command->targets.count == 0) {
        /* The compiler preprocesses, so it cannot know the object. A file name may hold characters special to make: -MQ. */
        dvmhcc_text_t object = {0};
        dvmhcc_command_object(command, source, &object);
        dvmhcc_words_add(words, "-MQ");
        dvmhcc_words_add(words, dvmhcc_text_string(&object));
        words->failed |= object.failed;
        dvmhcc_text_free(&object);
    }
}
