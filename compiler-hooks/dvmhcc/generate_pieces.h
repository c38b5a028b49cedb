/* A list of pieces for an edit, put together step by step: formatted text and ranges of the original. Decides nothing about what
 * they mean. An allocation that fails is told once and asked for at the end, when the edit is made. */
#ifndef DVMHCC_GENERATE_PIECES_H
#define DVMHCC_GENERATE_PIECES_H

#include "compiler-hooks/dvmhcc/directive_arena.h"
#include "compiler-hooks/dvmhcc/edit.h"

typedef struct dvmhcc_pieces {
    dvmhcc_arena_t arena;
    dvmhcc_piece_t *piece;
    size_t count, capacity;
    bool failed;
} dvmhcc_pieces_t;

/** Append formatted text. */
void dvmhcc_pieces_printf(dvmhcc_pieces_t *pieces, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Append the final text of a range of the edited text. */
void dvmhcc_pieces_range(dvmhcc_pieces_t *pieces, size_t begin, size_t end);

/** Replace a range by the pieces, and give them back. @return false  no memory, or a bad range; told */
bool dvmhcc_pieces_replace(dvmhcc_pieces_t *pieces, dvmhcc_edit_t *edit, size_t begin, size_t end);

/** Insert them before an offset, and give them back. @return false  no memory, or a bad offset; told */
bool dvmhcc_pieces_before(dvmhcc_pieces_t *pieces, dvmhcc_edit_t *edit, size_t offset);

#endif
