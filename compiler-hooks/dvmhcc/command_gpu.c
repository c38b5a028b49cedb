/* The command that compiles the file for GPUs: which of the user's flags nvcc gets, and how it writes them. */
#include <config.h>

#include "compiler-hooks/dvmhcc/command.h"

#include <string.h>

static bool starts_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Folders of headers. A flag alone has its value in the next word. */
static void add_folders(const dvmhcc_words_t *from, dvmhcc_words_t *words) {
    for (int i = 0; i < from->count; i++) {
        const char *word = from->word[i];
        const char *flag = starts_with(word, "-isystem") ? "-isystem" : starts_with(word, "-I") ? "-I" : NULL;
        if (flag == NULL)
            continue;
        const bool alone = strcmp(word, flag) == 0;
        if (alone && i + 1 == from->count)
            break;
        dvmhcc_words_add(words, flag);
        dvmhcc_words_add(words, alone ? from->word[++i] : word + strlen(flag));
    }
}

static void add_flag(const char *flag, dvmhcc_words_t *words) {
    if (strcmp(flag, "-ffp-contract=off") == 0) {
        dvmhcc_words_add(words, "-fmad=false");
    } else if (strcmp(flag, "-Ofast") == 0) {
        dvmhcc_words_add(words, "-O3");
    } else if (strcmp(flag, "-Os") == 0 || strcmp(flag, "-Oz") == 0 || strcmp(flag, "-Og") == 0) {
        dvmhcc_words_add(words, "-O2");
    } else if (starts_with(flag, "-O")) {
        dvmhcc_words_add(words, flag);
    } else if (starts_with(flag, "-g") && strcmp(flag, "-g0") != 0) {
        /* The lines of kernels too; not -G, which keeps them from being optimised. */
        dvmhcc_words_add(words, "-g");
        dvmhcc_words_add(words, "-lineinfo");
    } else if (strcmp(flag, "-fPIC") == 0 || strcmp(flag, "-fpic") == 0 || strcmp(flag, "-fPIE") == 0 ||
               strcmp(flag, "-fpie") == 0 || strcmp(flag, "-fno-pie") == 0 || strcmp(flag, "-fno-PIE") == 0) {
        dvmhcc_words_add(words, "-Xcompiler");
        dvmhcc_words_add(words, flag);
    }
}

void dvmhcc_command_gpu(const dvmhcc_command_t *command, const char *file, const char *object,
                        dvmhcc_words_t *words) {
    dvmhcc_words_add_all(words, &command->gpu_compiler);
    dvmhcc_words_add(words, "-std=c++17");
    if (command->gpu_arch != NULL)
        dvmhcc_words_printf(words, "-arch=%s", command->gpu_arch);
    else
        dvmhcc_words_split(words, DVMHCC_CUDA_ARCH);
    for (int i = 0; i < command->compile.count; i++)
        add_flag(command->compile.word[i], words);
    /* The C compiler has warned about the user's code already. */
    dvmhcc_words_add(words, "-w");
    dvmhcc_words_add(words, "-Xcompiler");
    dvmhcc_words_add(words, "-w");
    add_folders(&command->preprocess, words);
    add_folders(&command->runtime, words);
    dvmhcc_words_add(words, "-c");
    dvmhcc_words_add(words, file);
    dvmhcc_words_add(words, "-o");
    dvmhcc_words_add(words, object);
}
