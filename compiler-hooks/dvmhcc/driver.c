/* main of dvmhcc: translate each source, compile what was generated, link. Knows files and commands, not the language.
 *
 * Outputs are written beside their names and renamed when complete; everything else goes to a folder that is removed. A source
 * that fails does not keep the others from being compiled, so that one run tells all errors; nothing is linked then. */
#include <config.h>

#include "compiler-hooks/dvmhcc/diagnostic.h"
#include "compiler-hooks/dvmhcc/process.h"
#include "compiler-hooks/dvmhcc/temporary.h"
#include "compiler-hooks/dvmhcc/translate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The program's name without folders and .c. */
static void add_stem(dvmhcc_text_t *name, const char *source) {
    const char *slash = strrchr(source, '/');
    const char *stem = slash != NULL ? slash + 1 : source;
    dvmhcc_text_add(name, stem, strlen(stem) - strlen(".c"));
}

/* A file in the temporary folder, named after the source; the number keeps a/x.c and b/x.c apart. */
static bool temporary_for(const char *source, int number, const char *suffix, const char **path_p) {
    dvmhcc_text_t name = {0};
    if (number > 0)
        dvmhcc_text_printf(&name, "%d-", number);
    add_stem(&name, source);
    dvmhcc_text_add_string(&name, suffix);
    const bool good = dvmhcc_text_good(&name) && dvmhcc_temporary_file(dvmhcc_text_string(&name), path_p);
    dvmhcc_text_free(&name);
    return good;
}

/* ---- the library of the runtime: what the pkg-config file says; the environment replaces it where it is not installed */

static bool links_static(const dvmhcc_command_t *command) {
    for (int i = 0; i < command->input_count; i++) {
        if (command->inputs[i].kind == DVMHCC_INPUT_LINK && strcmp(command->inputs[i].text, "-static") == 0)
            return true;
    }
    return false;
}

static void add_library(const dvmhcc_command_t *command, dvmhcc_words_t *words) {
    const char *given = getenv("DVMHCC_LIBS");
    if (given != NULL) {
        dvmhcc_words_split(words, given);
        return;
    }
    dvmhcc_words_add(words, "-L" DVMHCC_LIBDIR);
    if (links_static(command)) {
        dvmhcc_words_split(words, "-ldvmh " DVMHCC_PRIVATE_LIBS);
        return;
    }
    /* Found at run time too, wherever it was installed; folders of the system are searched anyway. */
    if (strncmp(DVMHCC_LIBDIR, "/usr/lib", 8) != 0)
        dvmhcc_words_add(words, "-Wl,-rpath," DVMHCC_LIBDIR);
    dvmhcc_words_add(words, "-ldvmh");
}

/* ---- translating */

/* The generated source of a file: kept with --emit, else temporary. @param path_p  where it is, complete */
static bool translate(const dvmhcc_command_t *command, const char *source, int number, const char **path_p) {
    const char *written = NULL;
    if (!temporary_for(source, number, ".dvmh.c", &written))
        return false;
    FILE *output = fopen(written, "w");
    if (output == NULL) {
        dvmhcc_report(DVMHCC_ERROR, NULL, "cannot write '%s': %s", written, strerror(errno));
        return false;
    }
    bool good = dvmhcc_translate(command, source, output);
    const bool complete = !ferror(output);
    if ((fclose(output) != 0 || !complete) && good) {
        dvmhcc_report(DVMHCC_ERROR, NULL, "cannot write '%s': %s", written, strerror(errno));
        good = false;
    }
    *path_p = written;
    return good;
}

static bool copy_file(const char *from, const char *to) {
    FILE *source = fopen(from, "r");
    FILE *target = source != NULL ? fopen(to, "w") : NULL;
    bool good = target != NULL;
    char buffer[16384];
    size_t length;
    while (good && (length = fread(buffer, 1, sizeof buffer, source)) > 0)
        good = fwrite(buffer, 1, length, target) == length;
    good = good && !ferror(source);
    const int code = errno;
    if (source != NULL)
        fclose(source);
    if (target != NULL && fclose(target) != 0)
        good = false;
    if (!good)
        dvmhcc_report(DVMHCC_ERROR, NULL, "cannot copy '%s' to '%s': %s", from, to, strerror(code));
    return good;
}

/* Keep a generated source in the folder of --emit. */
static bool emit(const dvmhcc_command_t *command, const char *source, const char *generated) {
    if (mkdir(command->emit_folder, 0777) != 0 && errno != EEXIST) {
        dvmhcc_report(DVMHCC_ERROR, NULL, "--emit: cannot make the folder '%s': %s", command->emit_folder,
                      strerror(errno));
        return false;
    }
    dvmhcc_text_t name = {0};
    dvmhcc_text_printf(&name, "%s/", command->emit_folder);
    add_stem(&name, source);
    dvmhcc_text_add_string(&name, ".dvmh.c");
    const char *written = NULL;
    const bool good = dvmhcc_text_good(&name) &&
                      dvmhcc_temporary_output(dvmhcc_text_string(&name), &written) &&
                      copy_file(generated, written) && dvmhcc_temporary_commit(written);
    dvmhcc_text_free(&name);
    return good;
}

/* ---- compiling and linking */

/* Compile a generated source, or with -s the user's own. */
static bool compile(const dvmhcc_command_t *command, const char *source, const char *generated,
                    const char *object) {
    dvmhcc_words_t words = {0};
    dvmhcc_text_t dependency_file = {0};
    const char *dependencies = NULL;
    bool good = true;
    dvmhcc_words_add_all(&words, &command->compiler);
    dvmhcc_words_add_all(&words, &command->compile);
    dvmhcc_words_add_all(&words, &command->preprocess);
    dvmhcc_words_add_all(&words, &command->runtime);
    if (command->sequential) {
        dvmhcc_words_add_all(&words, &command->forced);
        dvmhcc_words_add(&words, "-Wno-unknown-pragmas");
    }
    if (command->sequential && command->dependencies) {
        dvmhcc_command_dependency_file(command, source, &dependency_file);
        good = dvmhcc_text_good(&dependency_file) &&
               dvmhcc_temporary_output(dvmhcc_text_string(&dependency_file), &dependencies);
        if (good)
            dvmhcc_command_dependency_flags(command, source, dependencies, &words);
    }
    dvmhcc_words_add(&words, "-c");
    dvmhcc_words_add(&words, generated);
    dvmhcc_words_add(&words, "-o");
    dvmhcc_words_add(&words, object);
    good = good && dvmhcc_process_run(&words, NULL, NULL, command->verbose) &&
           (dependencies == NULL || dvmhcc_temporary_commit(dependencies));
    dvmhcc_words_free(&words);
    dvmhcc_text_free(&dependency_file);
    return good;
}

/* One source, up to its object. @param object_p  set with the path of the object, for the linker */
static bool build(const dvmhcc_command_t *command, const char *source, int number, const char **object_p) {
    const char *generated = source;
    if (!command->sequential && !translate(command, source, number, &generated))
        return false;
    if (command->emit_folder != NULL && !emit(command, source, generated))
        return false;
    if (!command->compile_only)
        return temporary_for(source, number, ".o", object_p) &&
               compile(command, source, generated, *object_p);
    dvmhcc_text_t name = {0};
    dvmhcc_command_object(command, source, &name);
    const bool good = dvmhcc_text_good(&name) &&
                      dvmhcc_temporary_output(dvmhcc_text_string(&name), object_p) &&
                      compile(command, source, generated, *object_p) && dvmhcc_temporary_commit(*object_p);
    dvmhcc_text_free(&name);
    return good;
}

/* @param objects  of the sources, in their order */
static bool link_program(const dvmhcc_command_t *command, const dvmhcc_words_t *objects) {
    dvmhcc_words_t words = {0};
    const char *program = NULL;
    if (!dvmhcc_temporary_output(command->output != NULL ? command->output : "a.out", &program))
        return false;
    dvmhcc_words_add_all(&words, &command->compiler);
    dvmhcc_words_add_all(&words, &command->compile);
    dvmhcc_words_add(&words, "-o");
    dvmhcc_words_add(&words, program);
    int source = 0;
    for (int i = 0; i < command->input_count; i++) {
        const bool is_source = command->inputs[i].kind == DVMHCC_INPUT_SOURCE;
        dvmhcc_words_add(&words, is_source ? objects->word[source++] : command->inputs[i].text);
    }
    if (!command->sequential)
        add_library(command, &words);
    const bool good =
        dvmhcc_process_run(&words, NULL, NULL, command->verbose) && dvmhcc_temporary_commit(program);
    dvmhcc_words_free(&words);
    return good;
}

/* @return whether all went well */
static bool run(const dvmhcc_command_t *command) {
    dvmhcc_words_t objects = {0};
    bool good = true;
    int number = 0;
    for (int i = 0; i < command->input_count; i++) {
        const char *object = NULL;
        if (command->inputs[i].kind != DVMHCC_INPUT_SOURCE)
            continue;
        if (build(command, command->inputs[i].text, number++, &object))
            dvmhcc_words_add(&objects, object);
        else
            good = false;
    }
    good = good && dvmhcc_words_good(&objects) && (command->compile_only || link_program(command, &objects));
    dvmhcc_words_free(&objects);
    return good;
}

/* Text that was asked for; a full disk or a closed pipe is an error like any other. */
static bool print(void (*write)(FILE *file)) {
    write(stdout);
    const bool good = fflush(stdout) == 0 && !ferror(stdout);
    if (!good)
        dvmhcc_report(DVMHCC_ERROR, NULL, "cannot write to standard output: %s", strerror(errno));
    return good;
}

static void write_version(FILE *file) {
    fprintf(file, "dvmhcc (%s)\n", PACKAGE_STRING);
}

int main(int argc, char **argv) {
    dvmhcc_command_t command;
    bool good = dvmhcc_command_parse(argc, argv, &command);
    if (good && (command.help || command.version)) {
        good = print(command.help ? dvmhcc_command_help : write_version);
    } else if (good) {
        dvmhcc_temporary_catch_signals();
        good = run(&command) && dvmhcc_error_count() == 0;
        dvmhcc_temporary_remove();
    }
    dvmhcc_command_free(&command);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
