/* Collecting edits and putting them together: from a sorted list of changes to a list of segments. */
#include <config.h>

#include "compiler-hooks/dvmhcc/edit_inside.h"

#include "rts/memory.h"

#include <stdlib.h>
#include <string.h>

dvmhcc_edit_t *dvmhcc_edit_create(const char *original, size_t length, dvmhcc_edit_place_t *place,
                                  void *context) {
    dvmhcc_edit_t *edit = rts_alloc_zeroed(1, sizeof *edit);
    if (edit == NULL) {
        dvmhcc_no_memory();
        return NULL;
    }
    edit->original = original;
    edit->length = length;
    edit->place = place;
    edit->context = context;
    return edit;
}

static void free_pieces(dvmhcc_piece_t *pieces, int count) {
    for (int i = 0; i < count; i++)
        rts_free((char *)(uintptr_t)pieces[i].text);
    rts_free(pieces);
}

void dvmhcc_edit_free(dvmhcc_edit_t *edit) {
    if (edit == NULL)
        return;
    for (size_t i = 0; i < edit->change_count; i++)
        free_pieces(edit->changes[i].pieces, edit->changes[i].count);
    rts_free(edit->changes);
    rts_free(edit->segments);
    rts_free(edit);
}

/* ---- collecting */

static dvmhcc_place_t place_of(const dvmhcc_edit_t *edit, size_t offset) {
    if (edit->place == NULL)
        return (dvmhcc_place_t){0};
    return edit->place(edit->context, offset <= edit->length ? offset : edit->length);
}

/* An internal error about two ranges. @return false */
static bool contradiction(const dvmhcc_edit_t *edit, const char *what, size_t begin, size_t end,
                          size_t other_begin, size_t other_end) {
    const dvmhcc_place_t place = place_of(edit, begin), other = place_of(edit, other_begin);
    dvmhcc_report(DVMHCC_ERROR, &place, "internal error: %s (bytes %zu..%zu)", what, begin, end);
    dvmhcc_report(DVMHCC_NOTE, &other, "the other edit is here (bytes %zu..%zu)", other_begin, other_end);
    return false;
}

/* Copies of pieces and their texts. NULL: no memory. */
static dvmhcc_piece_t *copy_pieces(const dvmhcc_piece_t *pieces, int count) {
    dvmhcc_piece_t *copies = rts_alloc_zeroed((size_t)count + 1, sizeof *copies);
    for (int i = 0; copies != NULL && i < count; i++) {
        copies[i] = pieces[i];
        if (pieces[i].text != NULL && (copies[i].text = rts_strdup(pieces[i].text)) == NULL) {
            free_pieces(copies, i);
            return NULL;
        }
    }
    return copies;
}

static bool add_change(dvmhcc_edit_t *edit, dvmhcc_change_t change, const dvmhcc_piece_t *pieces, int count) {
    bool good = change.begin <= change.end && change.end <= edit->length &&
                (change.kind != DVMHCC_REPLACE || change.begin < change.end);
    for (int i = 0; i < count; i++)
        good = good && (pieces[i].text != NULL ||
                        (pieces[i].begin <= pieces[i].end && pieces[i].end <= edit->length));
    if (!good) {
        const dvmhcc_place_t place = place_of(edit, change.begin);
        dvmhcc_report(DVMHCC_ERROR, &place, "internal error: an edit of bytes %zu..%zu in a text of %zu",
                      change.begin, change.end, edit->length);
        return false;
    }
    if (!dvmhcc_grow((void **)&edit->changes, &edit->change_capacity, edit->change_count,
                     sizeof *edit->changes))
        return false;
    change.pieces = copy_pieces(pieces, count);
    if (change.pieces == NULL)
        return dvmhcc_no_memory();
    change.count = count;
    change.number = (int)edit->change_count;
    edit->changes[edit->change_count++] = change;
    return true;
}

bool dvmhcc_edit_replace(dvmhcc_edit_t *edit, size_t begin, size_t end, const dvmhcc_piece_t *pieces,
                         int count) {
    return add_change(edit, (dvmhcc_change_t){.kind = DVMHCC_REPLACE, .begin = begin, .end = end}, pieces,
                      count);
}

bool dvmhcc_edit_before(dvmhcc_edit_t *edit, size_t offset, const dvmhcc_piece_t *pieces, int count) {
    return add_change(edit, (dvmhcc_change_t){.kind = DVMHCC_BEFORE, .begin = offset, .end = offset}, pieces,
                      count);
}

bool dvmhcc_edit_after(dvmhcc_edit_t *edit, size_t offset, const dvmhcc_piece_t *pieces, int count) {
    return add_change(edit, (dvmhcc_change_t){.kind = DVMHCC_AFTER, .begin = offset, .end = offset}, pieces,
                      count);
}

bool dvmhcc_edit_replace_text(dvmhcc_edit_t *edit, size_t begin, size_t end, const char *text) {
    return dvmhcc_edit_replace(edit, begin, end, &DVMHCC_PIECE_TEXT(text), 1);
}

bool dvmhcc_edit_before_text(dvmhcc_edit_t *edit, size_t offset, const char *text) {
    return dvmhcc_edit_before(edit, offset, &DVMHCC_PIECE_TEXT(text), 1);
}

bool dvmhcc_edit_after_text(dvmhcc_edit_t *edit, size_t offset, const char *text) {
    return dvmhcc_edit_after(edit, offset, &DVMHCC_PIECE_TEXT(text), 1);
}

/* ---- checking */

/* By offset; at one offset after, before, replacements from large to small; then by the order of the calls. */
static int compare_changes(const void *a, const void *b) {
    const dvmhcc_change_t *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->kind != y->kind)
        return (int)x->kind - (int)y->kind;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return x->number - y->number;
}

/* Number of the first change at or behind an offset. */
static size_t first_change(const dvmhcc_edit_t *edit, size_t offset) {
    size_t low = 0, high = edit->change_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (edit->changes[middle].begin < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool cuts(size_t begin, size_t end, size_t other_begin, size_t other_end) {
    return (begin < other_begin && other_begin < end && end < other_end) ||
           (other_begin < begin && begin < other_end && other_end < end);
}

/* Replacements contain each other or lie apart. They are sorted, so a stack of the open ones finds every overlap. */
static bool check_replacements(const dvmhcc_edit_t *edit) {
    size_t *open = rts_alloc((edit->change_count + 1) * sizeof *open);
    if (open == NULL)
        return dvmhcc_no_memory();
    size_t depth = 0;
    bool good = true;
    for (size_t i = 0; good && i < edit->change_count; i++) {
        const dvmhcc_change_t *change = &edit->changes[i];
        if (change->kind != DVMHCC_REPLACE)
            continue;
        while (depth > 0 && edit->changes[open[depth - 1]].end <= change->begin)
            depth--;
        const dvmhcc_change_t *around = depth > 0 ? &edit->changes[open[depth - 1]] : NULL;
        if (around != NULL && around->begin == change->begin && around->end == change->end)
            good = contradiction(edit, "two edits replace the same text", change->begin, change->end,
                                 around->begin, around->end);
        else if (around != NULL && around->end < change->end)
            good = contradiction(edit, "two edits replace text that overlaps", change->begin, change->end,
                                 around->begin, around->end);
        open[depth++] = i;
    }
    rts_free(open);
    return good;
}

/* ---- putting together */

static bool add_segment(dvmhcc_edit_t *edit, dvmhcc_segment_t segment) {
    if (segment.length == 0)
        return true;
    if (!dvmhcc_grow((void **)&edit->segments, &edit->segment_capacity, edit->segment_count,
                     sizeof *edit->segments))
        return false;
    edit->segments[edit->segment_count++] = segment;
    return true;
}

/* What is being taken, and the replacements around it that are being applied. */
typedef struct range {
    size_t begin, end;
    bool inside;
    bool shares_begin, shares_end; /* with an active replacement around it */
} range_t;

static bool add_range(dvmhcc_edit_t *edit, range_t range);

/* Describe a range that a piece takes; a replacement that it cuts through contradicts it. */
static bool describe_range(const dvmhcc_edit_t *edit, const dvmhcc_piece_t *piece, range_t *range_p) {
    *range_p = (range_t){.begin = piece->begin, .end = piece->end, .inside = piece->inside};
    for (size_t i = 0; i < edit->change_count && edit->changes[i].begin < piece->end; i++) {
        const dvmhcc_change_t *change = &edit->changes[i];
        if (change->kind != DVMHCC_REPLACE)
            continue;
        if (cuts(piece->begin, piece->end, change->begin, change->end))
            return contradiction(edit, "an edit moves a part of what another replaces", piece->begin,
                                 piece->end, change->begin, change->end);
        if (change->active && change->begin <= piece->begin && piece->end <= change->end) {
            range_p->shares_begin |= change->begin == piece->begin;
            range_p->shares_end |= change->end == piece->end;
        }
    }
    return true;
}

static bool apply_change(dvmhcc_edit_t *edit, dvmhcc_change_t *change) {
    if (change->active)
        return contradiction(edit, "an edit moves text that leads back to the edit", change->begin,
                             change->end, change->begin, change->end);
    change->active = true;
    bool good = true;
    for (int i = 0; good && i < change->count; i++) {
        const dvmhcc_piece_t *piece = &change->pieces[i];
        range_t range;
        if (piece->text != NULL)
            good = add_segment(edit, (dvmhcc_segment_t){.text = piece->text, .length = strlen(piece->text)});
        else if (piece->begin < piece->end)
            good = describe_range(edit, piece, &range) && add_range(edit, range);
    }
    change->active = false;
    return good;
}

/* Whether a change has a part in a range at all; replacements must lie in it. */
static bool takes_part(const range_t *range, const dvmhcc_change_t *change) {
    const bool at_begin = change->begin == range->begin, at_end = change->end == range->end;
    switch (change->kind) {
    case DVMHCC_AFTER:
        return !at_begin && !(at_end && (range->inside || range->shares_end));
    case DVMHCC_BEFORE:
        return !at_end && !(at_begin && (range->inside || range->shares_begin));
    case DVMHCC_REPLACE:
        break;
    }
    if (change->end > range->end || (at_begin && at_end && range->inside))
        return false;
    return !(change->active && at_begin && at_end); /* taken by its own replacement */
}

static bool add_range(dvmhcc_edit_t *edit, range_t range) {
    size_t at = range.begin;
    for (size_t i = first_change(edit, range.begin); i < edit->change_count; i++) {
        dvmhcc_change_t *change = &edit->changes[i];
        if (change->begin > range.end)
            break;
        if (change->begin < at || !takes_part(&range, change))
            continue; /* in what an applied replacement replaced, or not in the range */
        if (!add_segment(edit, (dvmhcc_segment_t){.offset = at, .length = change->begin - at}) ||
            !apply_change(edit, change))
            return false;
        at = change->end;
    }
    return add_segment(edit, (dvmhcc_segment_t){.offset = at, .length = range.end - at});
}

bool dvmhcc_edit_apply(dvmhcc_edit_t *edit, dvmhcc_text_t *result) {
    if (edit->change_count > 0)
        qsort(edit->changes, edit->change_count, sizeof *edit->changes, compare_changes);
    if (!check_replacements(edit))
        return false;
    edit->segment_count = 0;
    for (size_t i = 0; i < edit->change_count; i++)
        edit->changes[i].active = false;
    /* The whole text begins and ends with what is inserted at its ends, whatever it attaches to. */
    size_t at = 0;
    for (size_t i = 0; i < edit->change_count; i++) {
        dvmhcc_change_t *change = &edit->changes[i];
        if (change->begin < at)
            continue;
        if (!add_segment(edit, (dvmhcc_segment_t){.offset = at, .length = change->begin - at}) ||
            !apply_change(edit, change))
            return false;
        at = change->end;
    }
    return add_segment(edit, (dvmhcc_segment_t){.offset = at, .length = edit->length - at}) &&
           dvmhcc_edit_write(edit, result);
}
