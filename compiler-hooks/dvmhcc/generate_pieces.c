/* A list of pieces for an edit. */
#include <config.h>

#include "compiler-hooks/dvmhcc/generate_pieces.h"

#include "rts/memory.h"

#include <stdarg.h>

static void add(dvmhcc_pieces_t *pieces, dvmhcc_piece_t piece) {
    void *array = pieces->piece;
    if (!dvmhcc_grow(&array, &pieces->capacity, pieces->count, sizeof piece)) {
        pieces->failed = true;
        return;
    }
    pieces->piece = array;
    pieces->piece[pieces->count++] = piece;
}

void dvmhcc_pieces_printf(dvmhcc_pieces_t *pieces, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length >= 0 ? dvmhcc_arena_take(&pieces->arena, (size_t)length + 1) : NULL;
    if (text == NULL) {
        pieces->failed = true;
        dvmhcc_no_memory();
    } else {
        vsnprintf(text, (size_t)length + 1, format, again);
        add(pieces, DVMHCC_PIECE_TEXT(text));
    }
    va_end(again);
    va_end(arguments);
}

void dvmhcc_pieces_range(dvmhcc_pieces_t *pieces, size_t begin, size_t end) {
    add(pieces, DVMHCC_PIECE_RANGE(begin, end));
}

static void clear(dvmhcc_pieces_t *pieces) {
    rts_free(pieces->piece);
    dvmhcc_arena_free(&pieces->arena);
    *pieces = (dvmhcc_pieces_t){0};
}

bool dvmhcc_pieces_replace(dvmhcc_pieces_t *pieces, dvmhcc_edit_t *edit, size_t begin, size_t end) {
    const bool good =
        !pieces->failed && dvmhcc_edit_replace(edit, begin, end, pieces->piece, (int)pieces->count);
    clear(pieces);
    return good;
}

bool dvmhcc_pieces_before(dvmhcc_pieces_t *pieces, dvmhcc_edit_t *edit, size_t offset) {
    const bool good = !pieces->failed && dvmhcc_edit_before(edit, offset, pieces->piece, (int)pieces->count);
    clear(pieces);
    return good;
}
