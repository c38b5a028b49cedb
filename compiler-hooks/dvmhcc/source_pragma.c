/* Macros in directives. The preprocessor leaves unknown pragmas as they are, so their words are preprocessed a second time: after
 * all definitions in force where each directive stands, as plain text between two names that no program has. Compilers do not
 * show what #pragma pop_macro restores: directives see such a macro as not defined. */
#include <config.h>

#include "compiler-hooks/dvmhcc/source_inside.h"

#include "compiler-hooks/dvmhcc/alignment.h"
#include "rts/memory.h"

#include <ctype.h>
#include <string.h>

#define BEGIN   "__dvmhcc_begin_"
#define END     "__dvmhcc_end"
#define GUARDED "__dvmhcc_word_"

/* Words that the language gives a meaning: a macro of the same name does not replace them. */
static const char *const language_words[] = {
    "across",     "actual",        "align",       "array",    "async",        "block",        "consistent",
    "cuda_block", "distribute",    "endinterval", "genblock", "get_actual",   "in",           "indirect",
    "inherit",    "inlocal",       "inout",       "interval", "local",        "multblock",    "new_value",
    "on",         "out",           "parallel",    "private",  "realign",      "redistribute", "reduction",
    "region",     "remote_access", "routine",     "shadow",   "shadow_renew", "stage",        "targets",
    "template",   "tie",           "wgtblock",    "with",
};

/* The same, as the operation of a reduction only: programs have macros max(a, b), and may use them in expressions. */
static const char *const reduction_words[] = {"and", "max",     "maxloc", "min", "minloc",
                                              "or",  "product", "sum",    "xor"};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static bool is_one_of(const char *word, size_t length, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0)
            return true;
    }
    return false;
}

static bool lexeme_is(const dvmhcc_lexemes_t *lexemes, size_t index, const char *word) {
    const dvmhcc_lexeme_t *lexeme = &lexemes->lexeme[index];
    return lexeme->length == strlen(word) && memcmp(lexemes->text + lexeme->begin, word, lexeme->length) == 0;
}

/* Whether parentheses close what they open: otherwise a macro could swallow the rest of the file. The parser tells the user. */
static bool is_balanced(const dvmhcc_lexemes_t *lexemes) {
    int depth = 0;
    for (size_t i = 0; i < lexemes->count && depth >= 0; i++)
        depth += lexeme_is(lexemes, i, "(") - lexeme_is(lexemes, i, ")");
    return depth == 0;
}

bool dvmhcc_pragma_add_expansion(dvmhcc_text_t *expansion, const char *words, int index) {
    dvmhcc_lexemes_t lexemes = {0};
    const bool good = dvmhcc_lexemes_cut(words, strlen(words), DVMHCC_CUT_TEXT, &lexemes);
    if (good && is_balanced(&lexemes)) {
        dvmhcc_text_printf(expansion, BEGIN "%d ", index);
        int depth = 0, reduction_depth = -1;
        size_t copied = 0;
        for (size_t i = 0; i < lexemes.count; i++) {
            const dvmhcc_lexeme_t *lexeme = &lexemes.lexeme[i];
            const char *word = words + lexeme->begin;
            depth += lexeme_is(&lexemes, i, "(") - lexeme_is(&lexemes, i, ")");
            if (depth < reduction_depth)
                reduction_depth = -1;
            if (lexeme_is(&lexemes, i, "reduction"))
                reduction_depth = depth + 1;
            const bool begins_item = depth == reduction_depth && i > 0 &&
                                     (lexeme_is(&lexemes, i - 1, "(") || lexeme_is(&lexemes, i - 1, ","));
            dvmhcc_text_add(expansion, words + copied, lexeme->begin - copied);
            if (is_one_of(word, lexeme->length, language_words, COUNT(language_words)) ||
                (begins_item && is_one_of(word, lexeme->length, reduction_words, COUNT(reduction_words))))
                dvmhcc_text_add_string(expansion, GUARDED);
            copied = lexeme->begin;
        }
        dvmhcc_text_add_string(expansion, words + copied);
        dvmhcc_text_add_string(expansion, " " END "\n");
    }
    dvmhcc_lexemes_free(&lexemes);
    return good;
}

/* A copy of expanded words: guards removed, white space of any kind as one blank, none at the ends. NULL: no memory. */
static char *cleaned(const char *words, size_t length) {
    dvmhcc_text_t text = {0};
    bool blank = false;
    for (size_t at = 0; at < length;) {
        if (isspace((unsigned char)words[at])) {
            blank = true;
            at++;
        } else if (length - at > strlen(GUARDED) && memcmp(words + at, GUARDED, strlen(GUARDED)) == 0) {
            at += strlen(GUARDED);
        } else {
            if (blank && text.length > 0)
                dvmhcc_text_add(&text, " ", 1);
            blank = false;
            dvmhcc_text_add(&text, words + at++, 1);
        }
    }
    dvmhcc_text_add(&text, "", 0);
    if (text.failed) {
        dvmhcc_text_free(&text);
        return NULL;
    }
    return text.data;
}

bool dvmhcc_source_expanded(dvmhcc_source_t *source, const dvmhcc_text_t *expanded) {
    const char *at = dvmhcc_text_string(expanded);
    while ((at = strstr(at, BEGIN)) != NULL) {
        at += strlen(BEGIN);
        size_t index = 0;
        for (; isdigit((unsigned char)*at); at++)
            index = 10 * index + (size_t)(*at - '0');
        const char *end = strstr(at, END);
        if (end == NULL || index >= source->pragma_count)
            break;
        char *words = cleaned(at, (size_t)(end - at));
        if (words == NULL)
            return dvmhcc_no_memory();
        rts_free(source->pragmas[index].words);
        source->pragmas[index].words = words;
        at = end;
    }
    return true;
}
