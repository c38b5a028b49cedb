/* Bands: some rows of the target, written line by line from registers, without a buffer. Shared by host_reorganise_bands.c,
 * which says what a band is made of, and its kernels in host_reorganise_bands_avx512.c.
 *
 * How to read: x counts from the start of the band's item, in steps of one line of elements ("lanes"). What a step
 * loads of a row is joined with the end of what the step before it loaded, so that whole aligned lines go out, whatever the
 * alignment; lines at the ends of a row are written under a mask. */
#ifndef RTS_HOST_REORGANISE_BANDS_H
#define RTS_HOST_REORGANISE_BANDS_H

#include "rts/host/host_reorganise_tiles.h"

/** Rows of a band, at most, and of the target rows whose source elements are neighbours. */
#define REORG_BAND_ROWS   256
#define REORG_MAX_LANES   16
#define REORG_BAND_BLOCKS (REORG_BAND_ROWS / 2)

/** A group of target rows, at most as many as lanes. All positions in elements of the item. */
typedef struct reorg_block {
    rts_index_t offset; /* bytes from a source row's start to the block's first element */
    rts_index_t
        fetch_at; /* in each step: fetch_lines lines of each of fetch_rows source rows, from number x + ahead + fetch_row
                             and byte fetch_at on */
    int fetch_row, fetch_rows, fetch_lines;
    int first, count;         /* rows */
    int32_t full_lo, full_hi; /* steps in between write whole lines to every row */
    int32_t any_lo, any_hi;   /* steps in [any_lo, any_hi) have something to load or to write */
} reorg_block_t;

typedef struct reorg_band {
    const char *from;
    const rts_index_t *rows; /* offsets of the source rows of x, x + 1, .. */
    int32_t x, x_end;        /* multiples of the lanes */
    int32_t ahead;           /* how far ahead of x to fetch */
    int block_count, row_count;
    const reorg_block_t *block;
    char *line[REORG_BAND_ROWS];    /* the aligned line that element 0 of the row is in */
    int64_t shift[REORG_BAND_ROWS]; /* lanes less what lies before element 0 in that line */
    int32_t lo[REORG_BAND_ROWS + REORG_MAX_LANES],
        hi[REORG_BAND_ROWS + REORG_MAX_LANES]; /* elements to copy */
    bool aligned;                              /* every shift is that of an aligned row */
    _Alignas(REORG_LINE) char carried[REORG_BAND_ROWS * REORG_LINE];
} reorg_band_t;

#endif
