/* A text with edits that are applied together at the end: ranges replaced, text inserted, and text moved, with the edits inside it.
 * Decides nothing about what is edited; a contradiction between edits is a mistake of the caller. Single-threaded.
 *
 * What attaches where: text inserted *before* an offset belongs to the byte at the offset, text inserted *after* it to the byte in
 * front of it. Where both stand at one offset, `after` comes first; several of a kind stand in the order of the calls. */
#ifndef DVMHCC_EDIT_H
#define DVMHCC_EDIT_H

#include "compiler-hooks/dvmhcc/diagnostic.h"
#include "compiler-hooks/dvmhcc/text.h"

typedef struct dvmhcc_edit dvmhcc_edit_t;

/** The place of an offset of the original, for line markers and messages; file and line are used. */
typedef dvmhcc_place_t dvmhcc_edit_place_t(void *context, size_t offset);

/** A part of new text. */
typedef struct dvmhcc_piece {
    const char *text; /* as it is; NULL: the final text of a range of the original */
    size_t begin, end;
    /* The final text of [begin, end) has all edits that lie in it: replacements of parts or of exactly this range, and insertions
     * that attach to its bytes. With `inside`, only smaller replacements and insertions between its bytes. A range that is taken
     * by the replacement of the same range, or of one around it, is always taken without that replacement, and without insertions
     * at an end that both share: they stand outside. */
    bool inside;
} dvmhcc_piece_t;

#define DVMHCC_PIECE_TEXT(text_)                                                                             \
    (dvmhcc_piece_t) {                                                                                       \
        .text = (text_)                                                                                      \
    }
#define DVMHCC_PIECE_RANGE(begin_, end_)                                                                     \
    (dvmhcc_piece_t) {                                                                                       \
        .begin = (begin_), .end = (end_)                                                                     \
    }
#define DVMHCC_PIECE_INSIDE(begin_, end_)                                                                    \
    (dvmhcc_piece_t) {                                                                                       \
        .begin = (begin_), .end = (end_), .inside = true                                                     \
    }

/**
 * Begin to edit a text.
 *
 * @param original  stays the caller's, and as it is, until dvmhcc_edit_free
 * @param place     NULL: no line markers, and messages without places
 * @return NULL  no memory; told
 */
dvmhcc_edit_t *dvmhcc_edit_create(const char *original, size_t length, dvmhcc_edit_place_t *place,
                                  void *context);

void dvmhcc_edit_free(dvmhcc_edit_t *edit);

/* Each of these takes copies of the texts. They return false when memory runs out, or a range is not in the original (an internal
 * error); told. */

/** Replace [begin, end), begin < end. What was inserted or replaced inside it is lost unless a piece takes it. */
bool dvmhcc_edit_replace(dvmhcc_edit_t *edit, size_t begin, size_t end, const dvmhcc_piece_t *pieces,
                         int count);
bool dvmhcc_edit_replace_text(dvmhcc_edit_t *edit, size_t begin, size_t end, const char *text);

/** Insert at an offset, 0 <= offset <= length. */
bool dvmhcc_edit_before(dvmhcc_edit_t *edit, size_t offset, const dvmhcc_piece_t *pieces, int count);
bool dvmhcc_edit_before_text(dvmhcc_edit_t *edit, size_t offset, const char *text);
bool dvmhcc_edit_after(dvmhcc_edit_t *edit, size_t offset, const dvmhcc_piece_t *pieces, int count);
bool dvmhcc_edit_after_text(dvmhcc_edit_t *edit, size_t offset, const char *text);

/**
 * The edited text, with line markers (`# line "file"`) where the first byte of the original on a line would otherwise be taken for
 * another line. Lines of new text alone get none. Markers of the original are understood.
 *
 * @param result  is appended to
 * @return false  edits contradict each other: two replacements overlap or have the same range, a piece cuts through one, or takes
 *                text whose edits lead back to it. Told as an internal error, with both places. Or no memory; told
 */
bool dvmhcc_edit_apply(dvmhcc_edit_t *edit, dvmhcc_text_t *result);

#endif
