/* The ways to run a portion of a loop, written once, for record handlers (dvmhx.h).
 *
 * This header is a template: define what it asks for and include it, once for each loop. It makes a function
 * that runs a record with the body inlined. Nothing here calls the runtime.
 *
 *     struct sweep { double *a; DvmType s1, s2; double w, largest; };
 *     static inline void sweep_body(struct sweep *c, DvmType i, DvmType j) { // outermost variable first
 *         double *x = c->a + i * c->s1 + j * c->s2;
 *         *x = c->w / 2 * (x[-c->s1] + x[-c->s2]) + (1 - c->w) * *x;
 *         c->largest = *x > c->largest ? *x : c->largest;
 *     }
 *     #define DVMHX_NAME sweep               // makes sweep_run
 *     #define DVMHX_RANK 2                   // 1..8
 *     #define DVMHX_CONTEXT struct sweep
 *     #define DVMHX_BODY sweep_body
 *     #include <dvmhx_run.h>                 // undefines them again
 *
 *     static void sweep(const dvmhx_record_t *record, const double *w) { // the handler to register
 *         const dvmhx_array_t *a = &record->arrays[0];
 *         double *largest = (double *)record->reductions[0];
 *         struct sweep c = {(double *)a->base, a->stride[0], a->stride[1], *w, *largest};
 *         DVMHX_SPECIALISE(c.s2, sweep_run(record, &c)); // a variant for the stride 1, one for others
 *         *largest = c.largest;
 *     }
 *
 * Why a context by address: as a local variable of the handler it is taken apart after inlining, so that its
 * members, accumulators included, live in registers. So store its address nowhere.
 *
 * May be defined as well:
 *     DVMHX_INDEPENDENT    the loop has no dependences: only DVMHX_WAY_PLAIN is compiled, a tenth of the code
 *     DVMHX_CONFLICTS      iterations of an independent dim may update the same memory, as a histogram does;
 *                          accumulators that are plain members of the context are no conflict
 *     DVMHX_JAM_ROWS       rows in flight at once, 1..16; 8 unless defined. Less for long bodies, whose code
 *                          it multiplies. 1: none; DVMHX_WAY_JAM is then DVMHX_WAY_PLAIN
 *
 * Why 8 rows: fewer leave the processor waiting for results of the previous column; with 8 a body of 5 to 9 loads
 * is bound by loads, and more rows gain nothing. */
#ifndef DVMHX_RUN_H
#define DVMHX_RUN_H

#include <dvmhx.h>

/** Greatest rank of a loop. */
#define DVMHX_MAX_RANK 8

#if defined(__GNUC__) || defined(__clang__)
#define DVMHX_ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define DVMHX_ALWAYS_INLINE static inline
#endif

/* Before a loop: its iterations are independent; it has few iterations, known when compiling, and unrolls. */
#if defined(__clang__)
/* clang takes the pragma for a demand and warns, at the handler, of every loop that stays scalar. */
#pragma clang diagnostic ignored "-Wpass-failed"
#define DVMHX_PRAGMA_IVDEP  _Pragma("clang loop vectorize(assume_safety)")
#define DVMHX_PRAGMA_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define DVMHX_PRAGMA_IVDEP  _Pragma("GCC ivdep")
#define DVMHX_PRAGMA_UNROLL _Pragma("GCC unroll 16")
#else
#define DVMHX_PRAGMA_IVDEP
#define DVMHX_PRAGMA_UNROLL
#endif

/* Make the compiler forget how `variable` is computed. Otherwise it keeps an address for every access of a
 * jam's rows, more than there are registers, and loads an address for every operand. */
#if defined(__GNUC__) || defined(__clang__)
#define DVMHX_FORGET(variable) __asm__("" : "+r"(variable))
#else
#define DVMHX_FORGET(variable) (void)(variable)
#endif

/** Run `call` with the lvalue `stride` known to be 1 to the compiler where it is 1. */
#define DVMHX_SPECIALISE(stride, call)                                                                       \
    do {                                                                                                     \
        if ((stride) == 1) {                                                                                 \
            (stride) = 1;                                                                                    \
            call;                                                                                            \
        } else {                                                                                             \
            call;                                                                                            \
        }                                                                                                    \
    } while (0)

#define DVMHX_PASTE_(a, b) a##b
#define DVMHX_PASTE(a, b)  DVMHX_PASTE_(a, b)

/** a / b rounded down; a >= 0, b > 0. */
static inline DvmType dvmhx_quotient(DvmType a, DvmType b) {
    return a / b;
}

/** a / b rounded up; a >= 0, b > 0. */
static inline DvmType dvmhx_quotient_up(DvmType a, DvmType b) {
    return (a + b - 1) / b;
}

static inline DvmType dvmhx_least(DvmType a, DvmType b) {
    return a < b ? a : b;
}

static inline DvmType dvmhx_greatest(DvmType a, DvmType b) {
    return a > b ? a : b;
}

/** Loop variables of the dims outside the two innermost. Passed by value: no store of a body can reach it. */
typedef struct dvmhx_outer {
    DvmType v[DVMHX_MAX_RANK];
} dvmhx_outer_t;

/** Loop variables of the first iteration of the `dims` outermost dims. */
static inline void dvmhx_first_outer(const dvmhx_record_t *record, int dims, dvmhx_outer_t *outer) {
    int k;

    for (k = 0; k < dims; k++) {
        outer->v[k] = record->start[k];
    }
}

/** The next iteration of the `dims` outermost dims, lexicographic. n: their ordinals.
 * @return 0 after the last */
static inline int dvmhx_next_outer(const dvmhx_record_t *record, int dims, DvmType n[],
                                   dvmhx_outer_t *outer) {
    int k;

    for (k = dims - 1; k >= 0; k--) {
        n[k]++;
        outer->v[k] += record->step[k];
        if (n[k] < record->count[k]) {
            return 1;
        }
        n[k] = 0;
        outer->v[k] = record->start[k];
    }
    return 0;
}

/** Enumerates the points of one front, the `levels` outermost dims of them; the rest is a loop of its own. */
typedef struct dvmhx_front {
    int level; /* being enumerated; -1 when finished */
    DvmType n[DVMHX_MAX_RANK], last[DVMHX_MAX_RANK];
    dvmhx_outer_t outer;               /* loop variables */
    DvmType rest[DVMHX_MAX_RANK + 1];  /* part of the front number that dims k.. must make up */
    DvmType reach[DVMHX_MAX_RANK + 1]; /* greatest that they can */
} dvmhx_front_t;

/** Fill what is the same for all fronts of a record. */
static inline void dvmhx_front_prepare(const dvmhx_record_t *record, int rank, dvmhx_front_t *front) {
    int k;

    for (k = 0; k < DVMHX_MAX_RANK; k++) {
        front->outer.v[k] = 0;
    }
    front->reach[rank] = 0;
    for (k = rank - 1; k >= 0; k--) {
        front->reach[k] = front->reach[k + 1] + record->time[k] * (record->count[k] - 1);
    }
}

/** Ordinals of dim k, first to last, that leave a remainder which the dims after it may make up. */
static inline void dvmhx_front_range(const dvmhx_record_t *record, const dvmhx_front_t *front, int k,
                                     DvmType *first_p, DvmType *last_p) {
    const DvmType time = record->time[k], rest = front->rest[k];
    const DvmType missing = rest - front->reach[k + 1];

    *first_p = 0;
    *last_p = record->count[k] - 1;
    if (time > 0) {
        *first_p = missing > 0 ? dvmhx_quotient_up(missing, time) : 0;
        *last_p = dvmhx_least(*last_p, dvmhx_quotient(rest, time));
    } else if (missing > 0) {
        *last_p = -1;
    }
}

/** Begin with front `number`, 0 <= number <= reach[0]. */
static inline void dvmhx_front_begin(const dvmhx_record_t *record, dvmhx_front_t *front, DvmType number) {
    front->level = 0;
    front->rest[0] = number;
    dvmhx_front_range(record, front, 0, &front->n[0], &front->last[0]);
}

/** Next values of the `levels` outermost dims, in outer; rest[levels] is left for the others.
 * @return 0 after the last */
static inline int dvmhx_front_next(const dvmhx_record_t *record, dvmhx_front_t *front, int levels) {
    int k = front->level;

    if (levels == 0) {
        front->level = -1;
        return k == 0;
    }
    while (k >= 0) {
        if (front->n[k] > front->last[k]) {
            k--;
            continue;
        }
        front->outer.v[k] = record->start[k] + front->n[k] * record->step[k];
        front->rest[k + 1] = front->rest[k] - record->time[k] * front->n[k];
        front->n[k]++;
        if (k == levels - 1) {
            front->level = k;
            return 1;
        }
        k++;
        dvmhx_front_range(record, front, k, &front->n[k], &front->last[k]);
    }
    front->level = -1;
    return 0;
}

#endif /* DVMHX_RUN_H */

#ifdef DVMHX_NAME

#ifndef DVMHX_JAM_ROWS
#define DVMHX_JAM_ROWS 8
#endif
#ifdef DVMHX_CONFLICTS
#define DVMHX_PRAGMA_FREE
#else
#define DVMHX_PRAGMA_FREE DVMHX_PRAGMA_IVDEP
#endif
#define DVMHX_LOCAL(suffix) DVMHX_PASTE(DVMHX_NAME, suffix)

/* Dims outside the two innermost; the two innermost, P the outer of them. */
#define DVMHX_OUTER (DVMHX_RANK > 2 ? DVMHX_RANK - 2 : 0)
#define DVMHX_P     (DVMHX_RANK > 2 ? DVMHX_RANK - 2 : 0)
#define DVMHX_Q     (DVMHX_RANK - 1)

/* The body at outer variables o and at p, q of the two innermost dims. */
#if DVMHX_RANK == 1
#define DVMHX_CALL(c, o, p, q) DVMHX_BODY(c, q)
#elif DVMHX_RANK == 2
#define DVMHX_CALL(c, o, p, q) DVMHX_BODY(c, p, q)
#elif DVMHX_RANK == 3
#define DVMHX_CALL(c, o, p, q) DVMHX_BODY(c, (o).v[0], p, q)
#elif DVMHX_RANK == 4
#define DVMHX_CALL(c, o, p, q) DVMHX_BODY(c, (o).v[0], (o).v[1], p, q)
#elif DVMHX_RANK == 5
#define DVMHX_CALL(c, o, p, q) DVMHX_BODY(c, (o).v[0], (o).v[1], (o).v[2], p, q)
#elif DVMHX_RANK == 6
#define DVMHX_CALL(c, o, p, q) DVMHX_BODY(c, (o).v[0], (o).v[1], (o).v[2], (o).v[3], p, q)
#elif DVMHX_RANK == 7
#define DVMHX_CALL(c, o, p, q) DVMHX_BODY(c, (o).v[0], (o).v[1], (o).v[2], (o).v[3], (o).v[4], p, q)
#elif DVMHX_RANK == 8
#define DVMHX_CALL(c, o, p, q) DVMHX_BODY(c, (o).v[0], (o).v[1], (o).v[2], (o).v[3], (o).v[4], (o).v[5], p, q)
#else
#error "DVMHX_RANK must be 1 to 8"
#endif

/* One row: `columns` iterations of the innermost dim from q on; `is_free` when it carries no dependence. */
DVMHX_ALWAYS_INLINE void DVMHX_LOCAL(_row)(DVMHX_CONTEXT *c, dvmhx_outer_t o, DvmType p, DvmType q,
                                           DvmType columns, DvmType step, int is_free) {
    DvmType n;

    (void)o;
    (void)p;
    if (is_free) {
        DVMHX_PRAGMA_FREE
        for (n = 0; n < columns; n++) {
            DVMHX_CALL(c, o, p, q + n * step);
        }
    } else {
        for (n = 0; n < columns; n++) {
            DVMHX_CALL(c, o, p, q + n * step);
        }
    }
}

/* The two innermost dims, lexicographic. */
DVMHX_ALWAYS_INLINE void DVMHX_LOCAL(_rows)(const dvmhx_record_t *record, DVMHX_CONTEXT *c, dvmhx_outer_t o,
                                            DvmType step, int is_free) {
    const DvmType rows = DVMHX_RANK > 1 ? record->count[DVMHX_P] : 1, row_step = record->step[DVMHX_P];
    const DvmType columns = record->count[DVMHX_Q], q = record->start[DVMHX_Q];
    DvmType p = record->start[DVMHX_P], row;

    for (row = 0; row < rows; row++) {
        DVMHX_LOCAL(_row)(c, o, p, q, columns, step, is_free);
        p += row_step;
    }
}

/* DVMHX_WAY_PLAIN. Steps of 1 and -1 are variants of their own because then strides can be constants. */
DVMHX_ALWAYS_INLINE void DVMHX_LOCAL(_plain)(const dvmhx_record_t *record, DVMHX_CONTEXT *c) {
    const DvmType step = record->step[DVMHX_Q];
    DvmType n[DVMHX_MAX_RANK] = {0};
    dvmhx_outer_t outer = {{0}};

    dvmhx_first_outer(record, DVMHX_OUTER, &outer);
    do {
#ifndef DVMHX_INDEPENDENT
        if (record->dependent & 1) {
            if (step == 1) {
                DVMHX_LOCAL(_rows)(record, c, outer, 1, 0);
            } else {
                DVMHX_LOCAL(_rows)(record, c, outer, step, 0);
            }
            continue;
        }
#endif
        if (step == 1) {
            DVMHX_LOCAL(_rows)(record, c, outer, 1, 1);
        } else if (step == -1) {
            DVMHX_LOCAL(_rows)(record, c, outer, -1, 1);
        } else {
            DVMHX_LOCAL(_rows)(record, c, outer, step, 1);
        }
    } while (dvmhx_next_outer(record, DVMHX_OUTER, n, &outer));
}

#ifndef DVMHX_INDEPENDENT
#if DVMHX_RANK > 1 && DVMHX_JAM_ROWS > 1

/* Rows first_row .. first_row + rows - 1 in flight: at time t row r is at column t - lag * r. Inlined with a
 * constant for rows the loop over them unrolls, and the processor overlaps their chains of dependent operations;
 * `unrolled` is 0 for the few rows left over. (Constants for lag and step gain under 6 % and treble the code.)
 * With front_lo < front_hi only times in that range: then tiles may be parallelograms, which dependences such
 * as (1, -1) need. */
DVMHX_ALWAYS_INLINE void DVMHX_LOCAL(_jam)(const dvmhx_record_t *record, DVMHX_CONTEXT *c, dvmhx_outer_t o,
                                           DvmType first_row, DvmType rows, DvmType lag, int unrolled,
                                           DvmType q_step) {
    const DvmType columns = record->count[DVMHX_Q], p_step = record->step[DVMHX_P];
    const DvmType p = record->start[DVMHX_P] + first_row * p_step;
    const DvmType begin = lag * first_row, all_begin = begin + lag * (rows - 1);
    const int limited = record->front_lo < record->front_hi;
    const DvmType lo = limited ? dvmhx_greatest(begin, record->front_lo) : begin;
    const DvmType hi = limited ? dvmhx_least(all_begin + columns, record->front_hi) : all_begin + columns;
    /* All rows are inside from all_lo to all_hi. */
    const DvmType all_lo = unrolled ? dvmhx_greatest(all_begin, lo) : hi;
    const DvmType all_hi = dvmhx_least(begin + columns, hi);
    DvmType q = record->start[DVMHX_Q] + (lo - begin) * q_step; /* loop variable of the first row */
    const DvmType back = lag * q_step;
    DvmType t = lo, row;

    (void)o;
    while (t < hi) {
        if (t < all_lo || t >= all_hi) {
            for (row = 0; row < rows; row++) {
                const DvmType column = t - begin - lag * row;

                if (column >= 0 && column < columns) {
                    DVMHX_CALL(c, o, p + row * p_step, q - lag * row * q_step);
                }
            }
            q += q_step;
            t++;
        }
        if (unrolled && t == all_lo) {
            for (; t < all_hi; t++) {
                DvmType at = q;

                DVMHX_PRAGMA_UNROLL
                for (row = 0; row < rows; row++) {
                    DVMHX_FORGET(at);
                    DVMHX_CALL(c, o, p + row * p_step, at);
                    at -= back;
                }
                q += q_step;
            }
        }
    }
}

/* All rows of the two innermost dims, in groups. */
DVMHX_ALWAYS_INLINE void DVMHX_LOCAL(_jam_rows)(const dvmhx_record_t *record, DVMHX_CONTEXT *c,
                                                dvmhx_outer_t o, DvmType lag, DvmType q_step) {
    const DvmType rows = record->count[DVMHX_P];
    DvmType row = 0;

    for (; rows - row >= DVMHX_JAM_ROWS; row += DVMHX_JAM_ROWS) {
        DVMHX_LOCAL(_jam)(record, c, o, row, DVMHX_JAM_ROWS, lag, 1, q_step);
    }
    if (DVMHX_JAM_ROWS > 2 && rows - row >= DVMHX_JAM_ROWS / 2) {
        DVMHX_LOCAL(_jam)(record, c, o, row, DVMHX_JAM_ROWS / 2, lag, 1, q_step);
        row += DVMHX_JAM_ROWS / 2;
    }
    if (row < rows) {
        DVMHX_LOCAL(_jam)(record, c, o, row, rows - row, lag, 0, q_step);
    }
}

/* DVMHX_WAY_JAM. */
DVMHX_ALWAYS_INLINE void DVMHX_LOCAL(_jammed)(const dvmhx_record_t *record, DVMHX_CONTEXT *c) {
    const DvmType lag = record->lag, q_step = record->step[DVMHX_Q];
    DvmType n[DVMHX_MAX_RANK] = {0};
    dvmhx_outer_t outer = {{0}};

    dvmhx_first_outer(record, DVMHX_OUTER, &outer);
    do {
        DVMHX_LOCAL(_jam_rows)(record, c, outer, lag, q_step);
    } while (dvmhx_next_outer(record, DVMHX_OUTER, n, &outer));
}
#endif

/* Points of a front in the plane of the two innermost dims: from (p, q) one row down, some columns back. */
DVMHX_ALWAYS_INLINE void DVMHX_LOCAL(_diagonal)(DVMHX_CONTEXT *c, dvmhx_outer_t o, DvmType p, DvmType q,
                                                DvmType length, DvmType p_step, DvmType q_back) {
    DvmType n;

    (void)o;
    (void)p;
    (void)p_step;
    DVMHX_PRAGMA_FREE
    for (n = 0; n < length; n++) {
        DVMHX_CALL(c, o, p + n * p_step, q - n * q_back);
    }
}

/* The front's points in one such plane; they make up `rest`. Steps that can be constants are: then a layout
 * whose stride along the front is constant gives vector loads. */
DVMHX_ALWAYS_INLINE void DVMHX_LOCAL(_front_plane)(const dvmhx_record_t *record, DVMHX_CONTEXT *c,
                                                   dvmhx_outer_t o, DvmType rest) {
    const DvmType slope = DVMHX_RANK > 1 ? record->time[DVMHX_P] : 0, columns = record->count[DVMHX_Q];
    const DvmType p_step = record->step[DVMHX_P], q_step = record->step[DVMHX_Q], back = slope * q_step;
    DvmType first = 0, last = DVMHX_RANK > 1 ? record->count[DVMHX_P] - 1 : 0, p, q;

    if (slope > 0) {
        first = rest >= columns ? dvmhx_quotient_up(rest - columns + 1, slope) : 0;
        last = dvmhx_least(last, dvmhx_quotient(rest, slope));
    } else if (rest >= columns) {
        return;
    }
    p = record->start[DVMHX_P] + first * p_step;
    q = record->start[DVMHX_Q] + rest * q_step - first * back;
    if (p_step == 1 && back == 1) {
        DVMHX_LOCAL(_diagonal)(c, o, p, q, last - first + 1, 1, 1);
    } else if (p_step == -1 && back == -1) {
        DVMHX_LOCAL(_diagonal)(c, o, p, q, last - first + 1, -1, -1);
    } else if (p_step == 1 && back == 2) {
        DVMHX_LOCAL(_diagonal)(c, o, p, q, last - first + 1, 1, 2);
    } else {
        DVMHX_LOCAL(_diagonal)(c, o, p, q, last - first + 1, p_step, back);
    }
}

/* DVMHX_WAY_FRONT. The inner loop runs along the innermost dim when that is free, else along the front's
 * diagonal in the plane of the two innermost; the dims outside are enumerated. */
DVMHX_ALWAYS_INLINE void DVMHX_LOCAL(_fronts)(const dvmhx_record_t *record, DVMHX_CONTEXT *c) {
    const int diagonal = record->time[DVMHX_Q] != 0;
    const int levels = diagonal ? DVMHX_OUTER : DVMHX_RANK - 1;
    const DvmType columns = record->count[DVMHX_Q], q = record->start[DVMHX_Q], step = record->step[DVMHX_Q];
    dvmhx_front_t front;
    DvmType number, hi;

    dvmhx_front_prepare(record, DVMHX_RANK, &front);
    hi = dvmhx_least(record->front_hi, front.reach[0] + 1);
    for (number = dvmhx_greatest(record->front_lo, 0); number < hi; number++) {
        dvmhx_front_begin(record, &front, number);
        while (dvmhx_front_next(record, &front, levels)) {
            if (diagonal) {
                DVMHX_LOCAL(_front_plane)(record, c, front.outer, front.rest[levels]);
            } else if (front.rest[levels] == 0) {
                if (step == 1) {
                    DVMHX_LOCAL(_row)(c, front.outer, front.outer.v[DVMHX_P], q, columns, 1, 1);
                } else {
                    DVMHX_LOCAL(_row)(c, front.outer, front.outer.v[DVMHX_P], q, columns, step, 1);
                }
            }
        }
    }
}
#endif /* DVMHX_INDEPENDENT */

/** Run all iterations of a record in an order that its way allows. */
DVMHX_ALWAYS_INLINE void DVMHX_LOCAL(_run)(const dvmhx_record_t *record, DVMHX_CONTEXT *c) {
#ifndef DVMHX_INDEPENDENT
    if (record->way == DVMHX_WAY_FRONT) {
        DVMHX_LOCAL(_fronts)(record, c);
        return;
    }
#if DVMHX_RANK > 1 && DVMHX_JAM_ROWS > 1
    if (record->way == DVMHX_WAY_JAM) {
        DVMHX_LOCAL(_jammed)(record, c);
        return;
    }
#endif
#endif
    DVMHX_LOCAL(_plain)(record, c);
}

#undef DVMHX_CALL
#undef DVMHX_P
#undef DVMHX_Q
#undef DVMHX_OUTER
#undef DVMHX_LOCAL
#undef DVMHX_PRAGMA_FREE
#undef DVMHX_JAM_ROWS
#undef DVMHX_CONFLICTS
#undef DVMHX_INDEPENDENT
#undef DVMHX_BODY
#undef DVMHX_CONTEXT
#undef DVMHX_RANK
#undef DVMHX_NAME

#endif /* DVMHX_NAME */
