/* The command line of dvmhcc as a struct: which inputs, which steps, which flags go to which step. Reads nothing but the command
 * line and the environment variables DVMHCC_CC, DVMHCC_CFLAGS and DVMHCC_NVCC; looks at no input file. */
#ifndef DVMHCC_COMMAND_H
#define DVMHCC_COMMAND_H

#include "compiler-hooks/dvmhcc/text.h"

/** What stands on the line of the linker, in the order given: a C source stands for the object made of it. */
typedef enum dvmhcc_input_kind { DVMHCC_INPUT_SOURCE, DVMHCC_INPUT_LINK } dvmhcc_input_kind_t;

typedef struct dvmhcc_input {
    dvmhcc_input_kind_t kind;
    const char *text; /* a file, or a flag such as -lm or -Wl,-O1; a word of the command's own list */
} dvmhcc_input_t;

typedef struct dvmhcc_command {
    bool auto_layout;  /* -autoTfm: the runtime may reorganise arrays */
    bool no_cuda;      /* -noCuda */
    bool sequential;   /* -s: directives are comments; neither translated nor linked with the runtime */
    bool compile_only; /* -c */
    bool report_loops; /* -Minfo */
    bool verbose;      /* -v: print the commands */
    bool help, version;

    const char *output;      /* -o; NULL: none given */
    const char *emit_folder; /* --emit; NULL: generated sources are not kept */

    bool dependencies;           /* -MD or -MMD */
    bool system_dependencies;    /* -MD: with headers of the system */
    bool phony_dependencies;     /* -MP */
    const char *dependency_file; /* -MF; NULL: beside the object */
    dvmhcc_words_t targets;      /* -MT and -MQ with their values, as given */

    dvmhcc_input_t *inputs;
    int input_count;
    int source_count; /* inputs that are sources */

    dvmhcc_words_t compiler; /* DVMHCC_CC, else the compiler of this build; at least one word */
    dvmhcc_words_t
        gpu_compiler; /* DVMHCC_NVCC, else nvcc of this build; no word with -noCuda, with -s, or where there is none */
    const char *gpu_arch;      /* -arch=; NULL: those of this build */
    dvmhcc_words_t preprocess; /* -I -D -U ... */
    dvmhcc_words_t
        forced; /* -include and -imacros with their files: part of what is preprocessed, so not for later steps */
    dvmhcc_words_t compile; /* -O -g -std -f -m -W ...; for the linker too */
    dvmhcc_words_t
        runtime; /* where headers of the runtime are: DVMHCC_CFLAGS, else where it is installed; empty with -s */
    dvmhcc_words_t arguments; /* the whole command line: owner of the strings above */
    size_t input_capacity;
} dvmhcc_command_t;

/**
 * Read a command line.
 *
 * @param command  filled in; give it back with dvmhcc_command_free, also after a failure
 * @return false  something is wrong: all of it has been told with dvmhcc_report. Never after --help or --version
 */
bool dvmhcc_command_parse(int argc, char *const *argv, dvmhcc_command_t *command);

void dvmhcc_command_free(dvmhcc_command_t *command);

/** Print what --help prints. */
void dvmhcc_command_help(FILE *file);

/** Where the object of a source goes with -c: what -o says, else the source's name without folders, .c replaced by .o.
 * @param name  is appended to */
void dvmhcc_command_object(const dvmhcc_command_t *command, const char *source, dvmhcc_text_t *name);

/** Where the dependencies of a source go, when they are asked for: what -MF says, else beside the object, .o replaced by .d. */
void dvmhcc_command_dependency_file(const dvmhcc_command_t *command, const char *source, dvmhcc_text_t *name);

/** The command that compiles a file for GPUs, from the command's flags: optimisation, debugging, position, and where headers are. The
 * text is preprocessed, so -D and -U are not for it. */
void dvmhcc_command_gpu(const dvmhcc_command_t *command, const char *file, const char *object,
                        dvmhcc_words_t *words);

/** Flags that let the compiler write the dependencies of a source to a file, while it preprocesses: -MD or -MMD, -MF, -MT ...
 * @param written  name of the file to write */
void dvmhcc_command_dependency_flags(const dvmhcc_command_t *command, const char *source, const char *written,
                                     dvmhcc_words_t *words);

#endif
