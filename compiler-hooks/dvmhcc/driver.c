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

/* What nvcc made calls CUDA's run-time library: a copy of the program's own, as libdvmh has one. Objects that were compiled earlier may
 * need it, so it is always there; where nobody needs it, it leaves no trace. */
static void add_cuda_library(const dvmhcc_command_t *command, dvmhcc_words_t *words) {
    if (command->gpu_compiler.count == 0 || DVMHCC_CUDA_LIBS[0] == '\0')
        return;
    dvmhcc_words_add(words, "-Wl,--push-state,--as-needed");
    dvmhcc_words_split(words, DVMHCC_CUDA_LIBS);
    dvmhcc_words_add(words, "-Wl,--pop-state");
}

static void add_runtime_library(const dvmhcc_command_t *command, dvmhcc_words_t *words) {
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

static void add_library(const dvmhcc_command_t *command, dvmhcc_words_t *words) {
    add_runtime_library(command, words);
    add_cuda_library(command, words);
}

/* ---- translating */

/* What a source becomes; NULL: nothing. */
typedef struct generated {
    const char *c, *gpu; /* the generated source, and the file for GPUs; with -s the user's own source */
    const char *c_object, *gpu_object;
} generated_t;

static bool cannot_write(const char *path) {
    dvmhcc_report(DVMHCC_ERROR, NULL, "cannot write '%s': %s", path, strerror(errno));
    return false;
}

static bool write_gpu_file(const char *source, int number, const dvmhcc_text_t *text, const char **path_p) {
    if (text->length == 0)
        return true;
    if (!temporary_for(source, number, ".dvmh.cu", path_p))
        return false;
    FILE *output = fopen(*path_p, "w");
    const bool complete = output != NULL && fwrite(text->data, 1, text->length, output) == text->length;
    return (output != NULL && fclose(output) == 0 && complete) || cannot_write(*path_p);
}

/* The generated files of a source, complete, in the temporary folder. */
static bool translate(const dvmhcc_command_t *command, const char *source, int number,
                      generated_t *generated) {
    dvmhcc_text_t gpu = {0};
    if (!temporary_for(source, number, ".dvmh.c", &generated->c))
        return false;
    FILE *output = fopen(generated->c, "w");
    if (output == NULL)
        return cannot_write(generated->c);
    bool good = dvmhcc_translate(command, source, output, &gpu);
    const bool complete = !ferror(output);
    if ((fclose(output) != 0 || !complete) && good)
        good = cannot_write(generated->c);
    good = good && write_gpu_file(source, number, &gpu, &generated->gpu);
    dvmhcc_text_free(&gpu);
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

/* Keep a generated file in the folder of --emit. */
static bool emit_file(const dvmhcc_command_t *command, const char *source, const char *suffix,
                      const char *generated) {
    dvmhcc_text_t name = {0};
    dvmhcc_text_printf(&name, "%s/", command->emit_folder);
    add_stem(&name, source);
    dvmhcc_text_add_string(&name, suffix);
    const char *written = NULL;
    const bool good = dvmhcc_text_good(&name) &&
                      dvmhcc_temporary_output(dvmhcc_text_string(&name), &written) &&
                      copy_file(generated, written) && dvmhcc_temporary_commit(written);
    dvmhcc_text_free(&name);
    return good;
}

static bool emit(const dvmhcc_command_t *command, const char *source, const generated_t *generated) {
    if (mkdir(command->emit_folder, 0777) != 0 && errno != EEXIST) {
        dvmhcc_report(DVMHCC_ERROR, NULL, "--emit: cannot make the folder '%s': %s", command->emit_folder,
                      strerror(errno));
        return false;
    }
    return emit_file(command, source, ".dvmh.c", generated->c) &&
           (generated->gpu == NULL || emit_file(command, source, ".dvmh.cu", generated->gpu));
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

/* Start to compile the file for GPUs. */
static bool start_gpu(const dvmhcc_command_t *command, const char *source, int number,
                      generated_t *generated) {
    dvmhcc_words_t words = {0};
    const char *log = NULL;
    if (!temporary_for(source, number, ".dvmh.cu.o", &generated->gpu_object) ||
        !temporary_for(source, number, ".dvmh.cu.log", &log))
        return false;
    dvmhcc_command_gpu(command, generated->gpu, generated->gpu_object, &words);
    const bool good = dvmhcc_process_start(&words, log, command->verbose);
    dvmhcc_words_free(&words);
    return good;
}

/* Both objects of a source as one, so that nobody but dvmhcc needs to know of two. */
static bool join(const dvmhcc_command_t *command, const generated_t *generated, const char *object) {
    dvmhcc_words_t words = {0};
    dvmhcc_words_add_all(&words, &command->compiler);
    dvmhcc_words_add(&words, "-r");
    dvmhcc_words_add(&words, "-nostdlib");
    dvmhcc_words_add(&words, generated->c_object);
    dvmhcc_words_add(&words, generated->gpu_object);
    dvmhcc_words_add(&words, "-o");
    dvmhcc_words_add(&words, object);
    const bool good = dvmhcc_process_run(&words, NULL, NULL, command->verbose);
    dvmhcc_words_free(&words);
    return good;
}

/* Compile both files at the same time, since nvcc takes long. @param object  for the C file */
static bool compile_both(const dvmhcc_command_t *command, const char *source, int number,
                         generated_t *generated, const char *object) {
    generated->c_object = object;
    if (generated->gpu == NULL)
        return compile(command, source, generated->c, object);
    if (!start_gpu(command, source, number, generated))
        return false;
    const bool compiled = compile(command, source, generated->c, object);
    const bool gpu_compiled = dvmhcc_process_wait();
    if (!gpu_compiled)
        dvmhcc_report(DVMHCC_ERROR, NULL, "the code of '%s' for GPUs was not compiled; -noCuda leaves it out",
                      source);
    return compiled && gpu_compiled;
}

/* The object that was asked for. */
static bool make_object(const dvmhcc_command_t *command, const char *source, int number,
                        generated_t *generated) {
    dvmhcc_text_t name = {0};
    const char *output = NULL, *part = NULL;
    dvmhcc_command_object(command, source, &name);
    bool good = dvmhcc_text_good(&name) && dvmhcc_temporary_output(dvmhcc_text_string(&name), &output);
    if (good && generated->gpu != NULL)
        good = temporary_for(source, number, ".o", &part) &&
               compile_both(command, source, number, generated, part) && join(command, generated, output);
    else
        good = good && compile_both(command, source, number, generated, output);
    good = good && dvmhcc_temporary_commit(output);
    dvmhcc_text_free(&name);
    return good;
}

/* One source, up to its objects. @param objects  for the linker; those of the source are added */
static bool build(const dvmhcc_command_t *command, const char *source, int number, dvmhcc_words_t *objects) {
    generated_t generated = {.c = source};
    const char *object = NULL;
    if (!command->sequential && !translate(command, source, number, &generated))
        return false;
    if (command->emit_folder != NULL && !emit(command, source, &generated))
        return false;
    if (command->compile_only)
        return make_object(command, source, number, &generated);
    if (!temporary_for(source, number, ".o", &object) ||
        !compile_both(command, source, number, &generated, object))
        return false;
    dvmhcc_words_add(&objects[0], object);
    dvmhcc_words_add(&objects[1], generated.gpu_object != NULL ? generated.gpu_object : "");
    return true;
}

/* @param objects  of the sources, in their order: of C, and for GPUs, where "" is none */
static bool link_program(const dvmhcc_command_t *command, const dvmhcc_words_t objects[2]) {
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
        if (command->inputs[i].kind != DVMHCC_INPUT_SOURCE) {
            dvmhcc_words_add(&words, command->inputs[i].text);
            continue;
        }
        dvmhcc_words_add(&words, objects[0].word[source]);
        if (objects[1].word[source][0] != '\0')
            dvmhcc_words_add(&words, objects[1].word[source]);
        source++;
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
    dvmhcc_words_t objects[2] = {{0}, {0}};
    bool good = true;
    int number = 0;
    for (int i = 0; i < command->input_count; i++)
        if (command->inputs[i].kind == DVMHCC_INPUT_SOURCE)
            good = build(command, command->inputs[i].text, number++, objects) && good;
    good = good && dvmhcc_words_good(&objects[0]) && dvmhcc_words_good(&objects[1]) &&
           (command->compile_only || link_program(command, objects));
    dvmhcc_words_free(&objects[0]);
    dvmhcc_words_free(&objects[1]);
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
