/* Places in the user's files for places in the text. Lines come from the table that the markers gave; columns are found by
 * comparing words, when a message needs them. */
#include <config.h>

#include "compiler-hooks/dvmhcc/source_inside.h"

#include "compiler-hooks/dvmhcc/alignment.h"
#include "rts/memory.h"

#include <string.h>

/* The last entry at or before an offset; NULL: the text is empty. */
static const dvmhcc_line_t *find_line(const dvmhcc_source_t *source, size_t offset) {
    size_t low = 0, high = source->line_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (source->lines[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &source->lines[low - 1] : NULL;
}

dvmhcc_place_t dvmhcc_source_line(const dvmhcc_source_t *source, size_t offset) {
    const dvmhcc_line_t *entry = find_line(source, offset);
    if (entry == NULL)
        return (dvmhcc_place_t){.file = source->files[0].name, .line = 1};
    return (dvmhcc_place_t){.file = source->files[entry->file].name, .line = entry->line};
}

bool dvmhcc_source_is_system(const dvmhcc_source_t *source, size_t offset) {
    const dvmhcc_line_t *entry = find_line(source, offset);
    return entry != NULL && entry->system;
}

/* ---- the user's files */

/* Read a file once. Failures leave it empty: then places have no columns. */
static void read_file(dvmhcc_file_t *file) {
    if (file->read)
        return;
    file->read = true;
    FILE *stream = file->name[0] != '<' ? fopen(file->name, "rb") : NULL;
    if (stream == NULL)
        return;
    if (!dvmhcc_text_read(&file->content, stream))
        dvmhcc_text_free(&file->content);
    fclose(stream);
    size_t capacity = 0;
    for (size_t at = 0; at < file->content.length; at++) {
        if (at > 0 && file->content.data[at - 1] != '\n')
            continue;
        if (!dvmhcc_grow((void **)&file->line_begins, &capacity, file->line_count, sizeof *file->line_begins))
            return;
        file->line_begins[file->line_count++] = at;
    }
}

/* Cut the user's line, or the lines that belong to it. @return false  there is no such line, or no memory */
static bool cut_user_line(dvmhcc_file_t *file, int line, dvmhcc_cut_t cut, dvmhcc_lexemes_t *user) {
    read_file(file);
    if (line < 1 || (size_t)line > file->line_count)
        return false;
    const size_t begin = file->line_begins[line - 1];
    return dvmhcc_lexemes_cut(file->content.data + begin, file->content.length - begin, cut, user);
}

/* The number of the token that holds an offset, or of the next one; count when there is none. */
static size_t token_at(const dvmhcc_lexemes_t *lexemes, size_t offset) {
    size_t index = 0;
    while (index < lexemes->count && lexemes->lexeme[index].begin + lexemes->lexeme[index].length <= offset)
        index++;
    return index;
}

/* Set the column and, where it went over several, the line to those of a token of the user. @param within  bytes into it */
static void set_token(dvmhcc_place_t *place, const dvmhcc_lexeme_t *token, size_t within) {
    const size_t inside = within < token->length ? within : 0;
    place->line += token->line;
    place->column = token->column + (int)inside;
    place->length = (int)(token->length - inside);
}

static bool same_token(const dvmhcc_lexemes_t *a, size_t i, const dvmhcc_lexemes_t *b, size_t j) {
    return a->lexeme[i].length == b->lexeme[j].length &&
           memcmp(a->text + a->lexeme[i].begin, b->text + b->lexeme[j].begin, a->lexeme[i].length) == 0;
}

dvmhcc_place_t dvmhcc_source_place(dvmhcc_source_t *source, size_t offset) {
    dvmhcc_place_t place = dvmhcc_source_line(source, offset);
    const dvmhcc_line_t *entry = find_line(source, offset);
    if (entry == NULL)
        return place;
    const char *line = source->text.data + entry->offset;
    dvmhcc_lexemes_t made = {0}, user = {0};
    if (dvmhcc_lexemes_cut(line, strcspn(line, "\n"), DVMHCC_CUT_TEXT, &made) &&
        cut_user_line(&source->files[entry->file], entry->line, DVMHCC_CUT_LINE, &user)) {
        const size_t index = token_at(&made, offset - entry->offset);
        const size_t found = index < made.count ? dvmhcc_alignment_find(&made, &user, index) : user.count;
        if (found < user.count) {
            const size_t begin = entry->offset + made.lexeme[index].begin;
            set_token(&place, &user.lexeme[found],
                      offset > begin && same_token(&made, index, &user, found) ? offset - begin : 0);
        }
    }
    dvmhcc_lexemes_free(&made);
    dvmhcc_lexemes_free(&user);
    return place;
}

/* Leave out `# pragma dvm` at the beginning of a directive's tokens. @return false  they begin otherwise: _Pragma made it */
static bool skip_pragma(dvmhcc_lexemes_t *user) {
    static const char *const words[] = {"#", "pragma", "dvm"};
    if (user->count < 3)
        return false;
    for (size_t i = 0; i < 3; i++) {
        if (user->lexeme[i].length != strlen(words[i]) ||
            memcmp(user->text + user->lexeme[i].begin, words[i], user->lexeme[i].length) != 0)
            return false;
    }
    user->count -= 3;
    memmove(user->lexeme, user->lexeme + 3, user->count * sizeof *user->lexeme);
    return true;
}

/* As much of one line as goes from one token of the user to another. */
static void set_tokens(dvmhcc_place_t *place, const dvmhcc_lexemes_t *user, size_t first, size_t last,
                       size_t within) {
    set_token(place, &user->lexeme[first], within);
    for (size_t i = first + 1; i <= last && user->lexeme[i].line == user->lexeme[first].line; i++)
        place->length = user->lexeme[i].column + (int)user->lexeme[i].length - place->column;
}

dvmhcc_place_t dvmhcc_source_pragma_place(dvmhcc_source_t *source, int index, size_t offset, size_t length) {
    const dvmhcc_pragma_t *pragma = &source->pragmas[index];
    dvmhcc_place_t place = {.file = source->files[pragma->file].name, .line = pragma->line};
    dvmhcc_lexemes_t made = {0}, user = {0};
    if (dvmhcc_lexemes_cut(pragma->words, strlen(pragma->words), DVMHCC_CUT_TEXT, &made) &&
        cut_user_line(&source->files[pragma->file], pragma->line, DVMHCC_CUT_DIRECTIVE, &user) &&
        skip_pragma(&user)) {
        const size_t first = token_at(&made, offset);
        if (first < made.count && user.count > 0) {
            size_t last = first;
            while (last + 1 < made.count && made.lexeme[last + 1].begin < offset + length)
                last++;
            const size_t user_first = dvmhcc_alignment_find(&made, &user, first);
            size_t within = 0;
            if (offset > made.lexeme[first].begin && same_token(&made, first, &user, user_first))
                within = offset - made.lexeme[first].begin;
            set_tokens(&place, &user, user_first, dvmhcc_alignment_find(&made, &user, last), within);
        } else if (user.count > 0) {
            /* Behind the last word: something is missing there. */
            const dvmhcc_lexeme_t *end = &user.lexeme[user.count - 1];
            place.line += end->line;
            place.column = end->column + (int)end->length;
        }
    }
    dvmhcc_lexemes_free(&made);
    dvmhcc_lexemes_free(&user);
    return place;
}
