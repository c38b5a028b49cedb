/* The inside of an edited text, shared by the files that apply it. */
#ifndef DVMHCC_EDIT_INSIDE_H
#define DVMHCC_EDIT_INSIDE_H

#include "compiler-hooks/dvmhcc/edit.h"

/** A part of the result: new text, or a range of the original. */
typedef struct dvmhcc_segment {
    const char *text; /* NULL: of the original, from offset on */
    size_t offset, length;
} dvmhcc_segment_t;

typedef enum dvmhcc_change_kind { DVMHCC_AFTER, DVMHCC_BEFORE, DVMHCC_REPLACE } dvmhcc_change_kind_t;

/** One edit. */
typedef struct dvmhcc_change {
    dvmhcc_change_kind_t kind;
    size_t begin, end; /* equal for insertions */
    int number;        /* in the order of the calls */
    bool active;       /* it is being applied now */
    dvmhcc_piece_t *pieces;
    int count;
} dvmhcc_change_t;

struct dvmhcc_edit {
    const char *original;
    size_t length;
    dvmhcc_edit_place_t *place;
    void *context;
    dvmhcc_change_t
        *changes; /* sorted by offset once they are applied; insertions stand before a replacement */
    size_t change_count, change_capacity;
    dvmhcc_segment_t *segments;
    size_t segment_count, segment_capacity;
};

/** Write the segments, with line markers when the edit has a function for places. @return false  no memory; told */
bool dvmhcc_edit_write(const dvmhcc_edit_t *edit, dvmhcc_text_t *result);

#endif
