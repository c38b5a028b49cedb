/* The command line of dvmhcc: one table of options says for each what it does and which step gets it. What is in no row and in no
 * family of compiler flags is an error, so that a misspelt option of ours is not handed to the compiler. */
#include <config.h>

#include "compiler-hooks/dvmhcc/command.h"

#include "compiler-hooks/dvmhcc/diagnostic.h"
#include "rts/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* How the value of an option is written. */
typedef enum form {
    ALONE,    /* no value */
    NEXT,     /* in the next word */
    ATTACHED, /* in the same word, or in the next when the word ends with the option's name */
    PREFIX    /* the word begins with the name; the rest is part of it */
} form_t;

/* What happens with it. */
typedef enum action {
    SET_AUTO_LAYOUT,
    SET_NO_CUDA,
    SET_GPU_ARCH,
    SET_SEQUENTIAL,
    SET_COMPILE_ONLY,
    SET_REPORT_LOOPS,
    SET_VERBOSE,
    SET_HELP,
    SET_VERSION,
    SET_OUTPUT,
    SET_EMIT,
    SET_DEPENDENCIES,
    SET_USER_DEPENDENCIES,
    SET_PHONY,
    SET_DEPENDENCY_FILE,
    ADD_TARGET,
    TO_PREPROCESS,
    TO_FORCED,
    TO_COMPILE,
    TO_LINK,
    REFUSE /* the help text says what to do instead */
} action_t;

typedef struct option {
    const char *name;
    form_t form;
    action_t action;
    const char *value; /* printable name of the value; NULL: not in --help, or no value */
    const char *help;  /* NULL: not in --help */
} option_t;

/* The first row that fits counts, so exact names stand before the prefixes that would swallow them. */
static const option_t options[] = {
    {"-autoTfm", ALONE, SET_AUTO_LAYOUT, NULL, "let the run-time system reorganise arrays where that pays"},
    {"-noCuda", ALONE, SET_NO_CUDA, NULL, "generate no code for GPUs"},
    {"-arch=", PREFIX, SET_GPU_ARCH, "GPU", "compile for these GPUs only, as nvcc names them: sm_90"},
    {"-s", ALONE, SET_SEQUENTIAL, NULL, "compile sequentially: directives are comments, no run-time system"},
    {"-c", ALONE, SET_COMPILE_ONLY, NULL, "compile each source to an object, do not link"},
    {"-o", ATTACHED, SET_OUTPUT, "FILE", "write the program (with -c: the object) to FILE"},
    {"--emit", NEXT, SET_EMIT, "DIR", "keep the generated sources in DIR, as NAME.dvmh.c"},
    {"-Minfo", ALONE, SET_REPORT_LOOPS, NULL,
     "say for each parallel loop where it runs and what was found out"},
    {"-v", ALONE, SET_VERBOSE, NULL, "print the commands that are run"},
    {"-MD", ALONE, SET_DEPENDENCIES, NULL, "write the files that each source includes, for make"},
    {"-MMD", ALONE, SET_USER_DEPENDENCIES, NULL, "the same without headers of the system"},
    {"-MP", ALONE, SET_PHONY, NULL, "add an empty rule for each header"},
    {"-MF", ATTACHED, SET_DEPENDENCY_FILE, "FILE", "write the dependencies to FILE"},
    {"-MT", ATTACHED, ADD_TARGET, "TARGET", "name the target of the dependencies"},
    {"-MQ", ATTACHED, ADD_TARGET, "TARGET", "the same, with characters special to make escaped"},
    {"--help", ALONE, SET_HELP, NULL, "print this text"},
    {"--version", ALONE, SET_VERSION, NULL, "print the version"},
    {"-I", ATTACHED, TO_PREPROCESS, "DIR", "look for headers in DIR; also -isystem, -iquote, -idirafter"},
    {"-D", ATTACHED, TO_PREPROCESS, "NAME[=X]", "define a macro"},
    {"-U", ATTACHED, TO_PREPROCESS, "NAME", "forget a macro"},
    {"-include", NEXT, TO_FORCED, "FILE", "include FILE first; also -imacros"},
    {"-imacros", NEXT, TO_FORCED, NULL, NULL},
    {"-isystem", ATTACHED, TO_PREPROCESS, NULL, NULL},
    {"-iquote", ATTACHED, TO_PREPROCESS, NULL, NULL},
    {"-idirafter", ATTACHED, TO_PREPROCESS, NULL, NULL},
    {"-isysroot", ATTACHED, TO_PREPROCESS, NULL, NULL},
    {"-nostdinc", ALONE, TO_PREPROCESS, NULL, NULL},
    {"-undef", ALONE, TO_PREPROCESS, NULL, NULL},
    {"-Xpreprocessor", NEXT, TO_PREPROCESS, NULL, NULL},
    {"-L", ATTACHED, TO_LINK, "DIR", "look for libraries in DIR"},
    {"-l", ATTACHED, TO_LINK, "NAME", "link with a library"},
    {"-Wl,", PREFIX, TO_LINK, NULL, NULL},
    {"-Xlinker", NEXT, TO_LINK, NULL, NULL},
    {"-z", NEXT, TO_LINK, NULL, NULL},
    {"-T", NEXT, TO_LINK, NULL, NULL},
    {"-u", ATTACHED, TO_LINK, NULL, NULL},
    {"-static", PREFIX, TO_LINK, NULL, NULL},
    {"-shared", PREFIX, TO_LINK, NULL, NULL},
    {"-rdynamic", ALONE, TO_LINK, NULL, NULL},
    {"-pie", ALONE, TO_LINK, NULL, NULL},
    {"-no-pie", ALONE, TO_LINK, NULL, NULL},
    {"-nostdlib", ALONE, TO_LINK, NULL, NULL},
    {"-nodefaultlibs", ALONE, TO_LINK, NULL, NULL},
    {"-nostartfiles", ALONE, TO_LINK, NULL, NULL},
    {"-Wp,", PREFIX, REFUSE, NULL, "give the preprocessor's options as they are"},
    {"-E", ALONE, REFUSE, NULL, "to see generated sources, use --emit DIR"},
    {"-S", ALONE, REFUSE, NULL, "to see generated sources, use --emit DIR, and compile those with -S"},
    {"-M", ALONE, REFUSE, NULL, "use -MD, which writes dependencies beside the object"},
    {"-MM", ALONE, REFUSE, NULL, "use -MMD, which writes dependencies beside the object"},
    {"-MG", ALONE, REFUSE, NULL, "headers must exist"},
    {"-x", ATTACHED, REFUSE, NULL, "only C is compiled; name the file *.c"},
    {"-save-temps", PREFIX, REFUSE, NULL, "to keep generated sources, use --emit DIR"},
    {"-fdirectives-only", ALONE, REFUSE, NULL, "dvmhcc expands all macros first"},
    {"-fpreprocessed", ALONE, REFUSE, NULL, "dvmhcc preprocesses by itself"},
    {"-mllvm", NEXT, TO_COMPILE, NULL, NULL},
    {"-Xclang", NEXT, TO_COMPILE, NULL, NULL},
    {"-Xassembler", NEXT, TO_COMPILE, NULL, NULL},
    {"-target", NEXT, TO_COMPILE, NULL, NULL},
    {"--target=", PREFIX, TO_COMPILE, NULL, NULL},
    {"--param", ATTACHED, TO_COMPILE, NULL, NULL},
    {"--sysroot=", PREFIX, TO_COMPILE, NULL, NULL},
    {"-std=", PREFIX, TO_COMPILE, "LANGUAGE",
     "and -ansi, -O, -g, -f, -m, -W, -w, -pedantic, -pthread, -B: to the compiler"},
    {"-ansi", ALONE, TO_COMPILE, NULL, NULL},
    {"-pedantic", PREFIX, TO_COMPILE, NULL, NULL},
    {"-pthread", ALONE, TO_COMPILE, NULL, NULL},
    {"-pipe", ALONE, TO_COMPILE, NULL, NULL},
    {"-pg", ALONE, TO_COMPILE, NULL, NULL},
    {"-w", ALONE, TO_COMPILE, NULL, NULL},
    {"-O", PREFIX, TO_COMPILE, NULL, NULL},
    {"-g", PREFIX, TO_COMPILE, NULL, NULL},
    {"-f", PREFIX, TO_COMPILE, NULL, NULL},
    {"-m", PREFIX, TO_COMPILE, NULL, NULL},
    {"-W", PREFIX, TO_COMPILE, NULL, NULL},
    {"-B", ATTACHED, TO_COMPILE, NULL, NULL},
};
#define OPTION_COUNT (sizeof options / sizeof options[0])

static bool starts_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool ends_with(const char *text, const char *suffix) {
    const size_t length = strlen(text), wanted = strlen(suffix);
    return length >= wanted && strcmp(text + length - wanted, suffix) == 0;
}

static const option_t *find_option(const char *word) {
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const option_t *option = &options[i];
        const bool fits = option->form == ALONE || option->form == NEXT ? strcmp(word, option->name) == 0
                                                                        : starts_with(word, option->name);
        if (fits)
            return option;
    }
    return NULL;
}

/* Least number of letters to insert, remove or replace, capitals counting as small letters; words longer than the table count as far away. */
static int edit_distance(const char *a, const char *b) {
    enum { MAX = 32 };
    int row[MAX + 1];
    const size_t a_length = strlen(a), b_length = strlen(b);
    if (a_length > MAX || b_length > MAX)
        return MAX;
    for (size_t j = 0; j <= b_length; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            int best = diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
            best = row[j] + 1 < best ? row[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[b_length];
}

/* The documented option that a word was probably meant to be; NULL: none is near. */
static const char *nearest_option(const char *word) {
    const char *nearest = NULL;
    int least = 3;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const char *name = options[i].name;
        const int distance = options[i].help == NULL || strlen(name) < 4 ? 3 : edit_distance(word, name);
        if (distance < least) {
            least = distance;
            nearest = name;
        }
    }
    return nearest;
}

static void unknown_option(const char *word) {
    const char *nearest = nearest_option(word);
    if (nearest != NULL)
        dvmhcc_report(DVMHCC_ERROR, NULL, "unknown option '%s'; did you mean %s?", word, nearest);
    else
        dvmhcc_report(DVMHCC_ERROR, NULL, "unknown option '%s'; dvmhcc --help lists the options", word);
}

static bool add_input(dvmhcc_command_t *command, dvmhcc_input_kind_t kind, const char *text) {
    if (!dvmhcc_grow((void **)&command->inputs, &command->input_capacity, (size_t)command->input_count,
                     sizeof *command->inputs))
        return false;
    command->inputs[command->input_count++] = (dvmhcc_input_t){.kind = kind, .text = text};
    command->source_count += kind == DVMHCC_INPUT_SOURCE;
    return true;
}

/* A word that is no option. Shared libraries may carry versions: libx.so.1.2. */
static bool read_file_name(dvmhcc_command_t *command, const char *word) {
    if (ends_with(word, ".c"))
        return add_input(command, DVMHCC_INPUT_SOURCE, word);
    const char *so = strstr(word, ".so");
    const bool shared = so != NULL && (so[3] == '\0' || so[3] == '.') && strchr(so, '/') == NULL;
    if (shared || ends_with(word, ".o") || ends_with(word, ".a"))
        return add_input(command, DVMHCC_INPUT_LINK, word);
    dvmhcc_report(DVMHCC_ERROR, NULL,
                  "input '%s' is of no known kind; allowed are names that end in .c, .o, .a, .so", word);
    return true;
}

/* -o and the like may be repeated only with the same value: the second would silently win. */
static void set_once(const char **value_p, const char *name, const char *value) {
    if (*value_p != NULL && strcmp(*value_p, value) != 0)
        dvmhcc_report(DVMHCC_ERROR, NULL, "%s is given twice, with '%s' and '%s'", name, *value_p, value);
    *value_p = value;
}

/* The flag's words go to a list as they were given. */
static void add_words(dvmhcc_words_t *words, const char *word, const char *next) {
    dvmhcc_words_add(words, word);
    if (next != NULL)
        dvmhcc_words_add(words, next);
}

/* @param next  the value, when it stands in a word of its own; NULL: it does not  @return false  no memory */
static bool apply_option(dvmhcc_command_t *command, const option_t *option, const char *word,
                         const char *next) {
    const char *value = next != NULL ? next : word + strlen(option->name);
    switch (option->action) {
    case SET_AUTO_LAYOUT:
        command->auto_layout = true;
        break;
    case SET_NO_CUDA:
        command->no_cuda = true;
        break;
    case SET_GPU_ARCH:
        set_once(&command->gpu_arch, "-arch", value);
        if (value[0] == '\0')
            dvmhcc_report(DVMHCC_ERROR, NULL, "option '-arch=' needs a value: GPU");
        break;
    case SET_SEQUENTIAL:
        command->sequential = true;
        break;
    case SET_COMPILE_ONLY:
        command->compile_only = true;
        break;
    case SET_REPORT_LOOPS:
        command->report_loops = true;
        break;
    case SET_VERBOSE:
        command->verbose = true;
        break;
    case SET_HELP:
        command->help = true;
        break;
    case SET_VERSION:
        command->version = true;
        break;
    case SET_OUTPUT:
        set_once(&command->output, option->name, value);
        break;
    case SET_EMIT:
        set_once(&command->emit_folder, option->name, value);
        break;
    case SET_DEPENDENCIES:
        command->system_dependencies = true;
        command->dependencies = true;
        break;
    case SET_USER_DEPENDENCIES:
        command->dependencies = true;
        break;
    case SET_PHONY:
        command->phony_dependencies = true;
        break;
    case SET_DEPENDENCY_FILE:
        set_once(&command->dependency_file, option->name, value);
        break;
    case ADD_TARGET:
        add_words(&command->targets, option->name, value);
        break;
    case TO_PREPROCESS:
        add_words(&command->preprocess, word, next);
        break;
    case TO_FORCED:
        add_words(&command->forced, word, next);
        break;
    case TO_COMPILE:
        add_words(&command->compile, word, next);
        break;
    case TO_LINK:
        return add_input(command, DVMHCC_INPUT_LINK, word) &&
               (next == NULL || add_input(command, DVMHCC_INPUT_LINK, next));
    case REFUSE:
        dvmhcc_report(DVMHCC_ERROR, NULL, "option '%s' is not supported: %s", word, option->help);
        break;
    }
    return true;
}

/* @param index_p  of the word to read; moved on when the option takes the next word too  @return false  no memory */
static bool read_word(dvmhcc_command_t *command, int *index_p) {
    char **words = command->arguments.word;
    const char *word = words[*index_p];
    if (word[0] != '-')
        return read_file_name(command, word);
    if (word[1] == '\0') {
        dvmhcc_report(DVMHCC_ERROR, NULL, "standard input ('-') cannot be compiled; name a file *.c");
        return true;
    }
    const option_t *option = find_option(word);
    if (option == NULL) {
        unknown_option(word);
        return true;
    }
    const bool exact = strcmp(word, option->name) == 0;
    const char *next = NULL;
    if (option->action != REFUSE && (option->form == NEXT || (option->form == ATTACHED && exact))) {
        next = words[*index_p + 1];
        if (next == NULL || next[0] == '\0') {
            dvmhcc_report(DVMHCC_ERROR, NULL, "option '%s' needs a value%s%s", word,
                          option->value != NULL ? ": " : "", option->value != NULL ? option->value : "");
            *index_p += next != NULL;
            return true;
        }
        ++*index_p;
    }
    return apply_option(command, option, word, next);
}

/* Two sources whose generated files would get one name, told once. */
static void check_names(const dvmhcc_command_t *command) {
    for (int i = 0; i < command->input_count; i++) {
        const dvmhcc_input_t *input = &command->inputs[i];
        if (input->text[0] != '-' && command->output != NULL && strcmp(input->text, command->output) == 0)
            dvmhcc_report(DVMHCC_ERROR, NULL, "'%s' is both an input and the output", command->output);
        if (input->kind != DVMHCC_INPUT_SOURCE || (!command->compile_only && command->emit_folder == NULL))
            continue;
        const char *slash = strrchr(input->text, '/');
        const char *name = slash != NULL ? slash + 1 : input->text;
        for (int j = 0; j < i; j++) {
            const char *other = command->inputs[j].text;
            slash = strrchr(other, '/');
            if (command->inputs[j].kind == DVMHCC_INPUT_SOURCE &&
                strcmp(slash != NULL ? slash + 1 : other, name) == 0) {
                dvmhcc_report(
                    DVMHCC_ERROR, NULL,
                    "'%s' and '%s' would be written to files of the same name; compile them one at a time",
                    other, input->text);
                break;
            }
        }
    }
}

/* @param told  a word was wrong already, so that inputs may be missing because of it */
static void check_command(const dvmhcc_command_t *command, bool told) {
    if (command->input_count == 0 && !told)
        dvmhcc_report(DVMHCC_ERROR, NULL, "no input files; dvmhcc --help says how to use it");
    if (command->compile_only && command->output != NULL && command->source_count > 1)
        dvmhcc_report(DVMHCC_ERROR, NULL, "-o with -c allows one source, but %d are given",
                      command->source_count);
    if (command->source_count > 1 && (command->dependency_file != NULL || command->targets.count > 0))
        dvmhcc_report(DVMHCC_ERROR, NULL, "%s allows one source, but %d are given",
                      command->dependency_file != NULL ? "-MF" : command->targets.word[0],
                      command->source_count);
    if (!command->dependencies &&
        (command->dependency_file != NULL || command->targets.count > 0 || command->phony_dependencies))
        dvmhcc_report(DVMHCC_ERROR, NULL, "-MF, -MT, -MQ and -MP need -MD or -MMD");
    if (command->sequential && command->auto_layout)
        dvmhcc_report(DVMHCC_ERROR, NULL,
                      "-s and -autoTfm exclude each other: a sequential program has no run-time system");
    if (command->sequential && command->emit_folder != NULL)
        dvmhcc_report(DVMHCC_ERROR, NULL,
                      "-s and --emit exclude each other: nothing is generated for a sequential program");
    for (int i = 0; command->compile_only && i < command->input_count; i++) {
        if (command->inputs[i].kind == DVMHCC_INPUT_LINK && command->inputs[i].text[0] != '-')
            dvmhcc_report(DVMHCC_WARNING, NULL, "'%s' is not used: nothing is linked with -c",
                          command->inputs[i].text);
    }
    check_names(command);
}

static void choose_compiler(dvmhcc_words_t *compiler) {
    const char *given = getenv("DVMHCC_CC");
    if (given != NULL)
        dvmhcc_words_split(compiler, given);
    if (compiler->count == 0)
        dvmhcc_words_split(compiler, DVMHCC_DEFAULT_CC);
}

static void choose_gpu_compiler(dvmhcc_command_t *command) {
    const char *given = getenv("DVMHCC_NVCC");
    if (command->no_cuda || command->sequential)
        return;
    dvmhcc_words_split(&command->gpu_compiler, given != NULL ? given : DVMHCC_DEFAULT_NVCC);
}

/* As headers of the system: generated sources include them again instead of holding their text. */
static void choose_runtime(dvmhcc_words_t *runtime) {
    const char *given = getenv("DVMHCC_CFLAGS");
    if (given != NULL) {
        dvmhcc_words_split(runtime, given);
    } else if (strcmp(DVMHCC_INCLUDEDIR, "/usr/include") !=
               0) { /* naming that would change the order of the system's folders */
        dvmhcc_words_add(runtime, "-isystem");
        dvmhcc_words_add(runtime, DVMHCC_INCLUDEDIR);
    }
}

bool dvmhcc_command_parse(int argc, char *const *argv, dvmhcc_command_t *command) {
    *command = (dvmhcc_command_t){0};
    const int errors_before = dvmhcc_error_count();
    for (int i = 1; i < argc; i++)
        dvmhcc_words_add(&command->arguments, argv[i]);
    choose_compiler(&command->compiler);
    if (!dvmhcc_words_good(&command->arguments) || !dvmhcc_words_good(&command->compiler))
        return false;
    for (int i = 0; i < command->arguments.count; i++) {
        if (!read_word(command, &i))
            return false;
    }
    if (!command->sequential)
        choose_runtime(&command->runtime);
    choose_gpu_compiler(command);
    if (!dvmhcc_words_good(&command->runtime) || !dvmhcc_words_good(&command->gpu_compiler) ||
        !dvmhcc_words_good(&command->preprocess) || !dvmhcc_words_good(&command->forced) ||
        !dvmhcc_words_good(&command->compile) || !dvmhcc_words_good(&command->targets))
        return false;
    if (command->help || command->version)
        return true;
    check_command(command, dvmhcc_error_count() > errors_before);
    return dvmhcc_error_count() == errors_before;
}

void dvmhcc_command_free(dvmhcc_command_t *command) {
    rts_free(command->inputs);
    dvmhcc_words_free(&command->targets);
    dvmhcc_words_free(&command->compiler);
    dvmhcc_words_free(&command->gpu_compiler);
    dvmhcc_words_free(&command->preprocess);
    dvmhcc_words_free(&command->forced);
    dvmhcc_words_free(&command->compile);
    dvmhcc_words_free(&command->runtime);
    dvmhcc_words_free(&command->arguments);
    *command = (dvmhcc_command_t){0};
}

void dvmhcc_command_help(FILE *file) {
    fputs("use: dvmhcc [options] files.c objects.o libraries.a\n"
          "Compile C with #pragma dvm directives and link it with the run-time system.\n\n",
          file);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const option_t *option = &options[i];
        if (option->help == NULL || option->action == REFUSE)
            continue;
        char left[64];
        const char *value = option->value != NULL ? option->value : "";
        const bool apart = option->value != NULL && option->form != PREFIX;
        snprintf(left, sizeof left, "%s%s%s", option->name, apart ? " " : "", value);
        fprintf(file, "  %-18s %s\n", left, option->help);
    }
    fputs("\nThe environment variable DVMHCC_CC names the C compiler to use, with flags if it needs any;\n"
          "DVMHCC_NVCC that for GPUs, or nothing for none.\n"
          "Generated files of a run go to TMPDIR and are removed. Exit code: 0, or 1 after an error.\n",
          file);
}
