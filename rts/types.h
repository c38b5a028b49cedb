/* Basic types and limits shared by every layer. Decides nothing else. */
#ifndef RTS_TYPES_H
#define RTS_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Largest rank of an array, a template or a loop. */
#define RTS_MAX_RANK 8

/** A global, local or physical index, a count of elements or of iterations. */
typedef int64_t rts_index_t;

/** Where the program is: what the last dvmh_line_C said. `file` lives until the end of the run; NULL when unknown. */
typedef struct rts_position {
    const char *file;
    int line;
} rts_position_t;

static inline rts_index_t rts_min(rts_index_t a, rts_index_t b) {
    return a < b ? a : b;
}
static inline rts_index_t rts_max(rts_index_t a, rts_index_t b) {
    return a > b ? a : b;
}

/** Quotients rounded down and up; b > 0. */
static inline rts_index_t rts_div_down(rts_index_t a, rts_index_t b) {
    return a / b - (a % b != 0 && a < 0);
}
static inline rts_index_t rts_div_up(rts_index_t a, rts_index_t b) {
    return a / b + (a % b != 0 && a > 0);
}

#endif
