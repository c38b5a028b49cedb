/* Words of C in C++: what has another name there, what is left out, what there is not. Knows words only, no grammar. */
#include <config.h>

#include "compiler-hooks/dvmhcc/c_text.h"
#include "compiler-hooks/dvmhcc/generate_gpu.h"

#include <string.h>

typedef struct word_pair {
    const char *word, *other;
} word_pair_t;

static bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static const char *find(const word_pair_t pairs[], const char *text, size_t length) {
    for (; pairs->word != NULL; pairs++)
        if (is_word(text, length, pairs->word))
            return pairs->other;
    return NULL;
}

const char *dvmhcc_gpu_word_refused(const char *word, size_t length) {
    static const char assembler[] = "assembler instructions";
    static const char threads[] = "variables of threads";
    static const char complex[] = "complex numbers";
    static const word_pair_t pairs[] = {{"asm", assembler},
                                        {"__asm", assembler},
                                        {"__asm__", assembler},
                                        {"_Atomic", "atomic variables"},
                                        {"_Complex", complex},
                                        {"__complex__", complex},
                                        {"_Generic", "_Generic"},
                                        {"_Thread_local", threads},
                                        {"__thread", threads},
                                        {"__label__", "labels"},
                                        {"__builtin_va_arg", "arguments that are not declared"},
                                        {"__builtin_va_start", "arguments that are not declared"},
                                        {"__builtin_alloca", "alloca"},
                                        {"__float128", "numbers wider than double"},
                                        {"_Float128", "numbers wider than double"},
                                        {NULL, NULL}};
    return find(pairs, word, length);
}

/* What C++ writes differently. */
static const char *other_word(const char *text, size_t length) {
    static const word_pair_t pairs[] = {{"restrict", ""},
                                        {"__restrict", ""},
                                        {"__restrict__", ""},
                                        {"register", ""},
                                        {"auto", ""},
                                        {"_Noreturn", ""},
                                        {"_Bool", "bool"},
                                        {"_Alignas", "alignas"},
                                        {"_Alignof", "alignof"},
                                        {"_Static_assert", "static_assert"},
                                        {"typeof", "__typeof__"},
                                        {"__auto_type", "auto"},
                                        {NULL, NULL}};
    return find(pairs, text, length);
}

/* Where a function is known, and that it is compiled into its callers, is for its copy to say. */
static bool is_about_functions(const char *text, size_t length) {
    static const word_pair_t pairs[] = {{"static", ""},   {"extern", ""},     {"inline", ""},
                                        {"__inline", ""}, {"__inline__", ""}, {"__extension__", ""},
                                        {NULL, NULL}};
    return find(pairs, text, length) != NULL;
}

/* Names that C++ or CUDA means something by. */
static bool is_taken(const char *text, size_t length) {
    static const char *const words[] = {"alignas",
                                        "alignof",
                                        "and",
                                        "and_eq",
                                        "bitand",
                                        "bitor",
                                        "blockDim",
                                        "blockIdx",
                                        "bool",
                                        "catch",
                                        "char16_t",
                                        "char32_t",
                                        "class",
                                        "compl",
                                        "const_cast",
                                        "constexpr",
                                        "decltype",
                                        "delete",
                                        "dynamic_cast",
                                        "explicit",
                                        "export",
                                        "false",
                                        "friend",
                                        "gridDim",
                                        "mutable",
                                        "namespace",
                                        "new",
                                        "noexcept",
                                        "not",
                                        "not_eq",
                                        "nullptr",
                                        "operator",
                                        "or",
                                        "or_eq",
                                        "private",
                                        "protected",
                                        "public",
                                        "reinterpret_cast",
                                        "static_assert",
                                        "static_cast",
                                        "template",
                                        "this",
                                        "thread_local",
                                        "threadIdx",
                                        "throw",
                                        "true",
                                        "try",
                                        "typeid",
                                        "typename",
                                        "using",
                                        "virtual",
                                        "warpSize",
                                        "wchar_t",
                                        "xor",
                                        "xor_eq",
                                        NULL};
    for (int i = 0; words[i] != NULL; i++)
        if (is_word(text, length, words[i]))
            return true;
    return false;
}

/* Whether a header of the system, or C itself, declares it: then it means the same in both languages. */
static bool is_system(const dvmhcc_unit_t *unit, const char *text, size_t length) {
    static const char *const words[] = {"bool",          "false",        "true",    "nullptr", "wchar_t",
                                        "static_assert", "thread_local", "alignas", "alignof", "constexpr",
                                        "char16_t",      "char32_t",     NULL};
    bool shared = false;
    for (int i = 0; words[i] != NULL; i++)
        shared = shared || is_word(text, length, words[i]);
    for (size_t i = 0; shared && i < unit->entity_count; i++)
        if (!unit->entities[i]->is_system && is_word(text, length, unit->entities[i]->name))
            shared = false;
    return shared;
}

/* What to write for a word; NULL: the word. @param inside  the body of a function */
static const char *replacement(const char *text, size_t length, bool function, bool inside) {
    const char *other = other_word(text, length);
    if (other == NULL && inside && is_word(text, length, "static"))
        return "static __constant__"; /* others than constants were refused */
    if (other == NULL && function && is_about_functions(text, length))
        return "";
    return other;
}

void dvmhcc_gpu_words(const dvmhcc_unit_t *unit, const char *text, size_t length, bool function,
                      dvmhcc_text_t *result) {
    size_t copied = 0;
    bool inside = false;
    for (size_t at = dvmhcc_c_next(text, length, 0), end; at < length;
         at = dvmhcc_c_next(text, length, end)) {
        end = dvmhcc_c_word_end(text, length, at);
        inside = inside || (function && text[at] == '{');
        if (!dvmhcc_c_in_name(text[at]))
            continue;
        const size_t size = end - at;
        const char *other = replacement(text + at, size, function, inside);
        if (other == NULL && (!is_taken(text + at, size) || is_system(unit, text + at, size)))
            continue;
        dvmhcc_text_add(result, text + copied, at - copied);
        if (other != NULL)
            dvmhcc_text_add_string(result, other);
        else
            dvmhcc_text_printf(result, "dvmhcc_word_%.*s", (int)size, text + at);
        copied = end;
    }
    dvmhcc_text_add(result, text + copied, length - copied);
}
