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
 *     DVMHX_STREAM(c), DVMHX_STREAM_AT(c, i, j, ..), DVMHX_STREAM_TYPE
 *                          for a loop that writes one array it does not read, each iteration one element, at
 *                          DVMHX_STREAM(c)[DVMHX_STREAM_AT(c, loop variables)], an offset that grows by 1 with the
 *                          innermost loop variable. When the record says so, rows are then made in the cache and
 *                          leave it by streaming stores, which do not fetch what they overwrite
 *     DVMHX_PREFETCH(c, i, j, ..)
 *                          with DVMHX_STREAM: an address to fetch ahead, called once a cache line; for a stencil the
 *                          reference that comes to new memory first, a row or two on
 *     DVMHX_ROW_BODY, DVMHX_ROW_BEGIN, DVMHX_ROW_SIGN, DVMHX_ROW_PREFETCH
 *                          a body that follows arrays along fronts: see below
 *     DVMHX_JAM_ROWS       rows in flight at once, 1..16; 8 unless defined. Less for long bodies, whose code
 *                          it multiplies. 1: rows one after the other
 *
 * Why 8 rows: fewer leave the processor waiting for results of the previous column; with 8 a body of 5 to 9 loads
 * is bound by loads, and more rows gain nothing.
 *
 * By rows. On layouts that store fronts (SKEW, WRAP), and where the record says by_rows, the iterations of a front are neighbours
 * in memory, and so are, for each reference of the body, the elements that they refer to. DVMHX_ROW_BEGIN finds these rows once
 * a front, and DVMHX_ROW_BODY then is a loop over contiguous streams, which vectorises, whatever the kind of layout:
 *
 *     #include <dvmhx_run.h> // without DVMHX_NAME: the functions below
 *     struct sweep { double *a; DvmType s1, s2; double w; const dvmhx_array_t *array; double *x, *up, *left; };
 *     DVMHX_ALWAYS_INLINE void sweep_rows(struct sweep *c, DvmType i, DvmType j) { // i, j: an iteration of the front
 *         const DvmType index[] = {i, j};
 *         const dvmhx_rows_t rows = dvmhx_rows_at(c->array, index);
 *         c->x = (double *)dvmhx_row(&rows, 0, 0);
 *         c->up = (double *)dvmhx_row(&rows, 0, -1);    // (i - 1, j): along q, the axis that the outer of the two dims walks
 *         c->left = (double *)dvmhx_row(&rows, -1, 0);  // (i, j - 1): along p, the axis that the innermost dim walks
 *     }
 *     static inline void sweep_row_body(struct sweep *c, DvmType i, DvmType j) { // as the body, but x[i] is its element
 *         c->x[i] = c->w / 2 * (c->up[i] + c->left[i]) + (1 - c->w) * c->x[i];
 *     }
 *     #define DVMHX_ROW_BEGIN sweep_rows
 *     #define DVMHX_ROW_BODY sweep_row_body
 *
 * Both get the loop variables as the body does. An array that does not lie in rows, because it has not both dims as axes, is
 * accessed by strides as in the body. Rows are walked upwards in memory, whatever the directions of the loop, if index[q] is the
 * loop variable plus a constant; if it is a constant minus the loop variable, define DVMHX_ROW_SIGN as -1. The array is to be
 * declared DVMHX_BY_ROWS, and the dims must have steps of 1 or -1 then; the runtime sets by_rows only where all this holds.
 * DVMHX_ROW_BEGIN is to be inlined (DVMHX_ALWAYS_INLINE), so that the rows live in registers.
 * DVMHX_ROW_PREFETCH(c, i, j) may be defined as well: the address of an element to fetch ahead, called once a cache line of a front.
 * Each front begins on other pages than the one before, where processors do not look ahead by themselves: name the row that is
 * used first two or three fronts on, such as (i, j + 3); in rank 3 and more that of the next plane, such as (i + 1, j, k + 2).
 * A loop with DVMHX_INDEPENDENT may define these as well: it then runs on such layouts, too. */
#include <dvmhx_run_support.h>

#ifdef DVMHX_NAME

#ifndef DVMHX_JAM_ROWS
#define DVMHX_JAM_ROWS 8
#endif
#ifndef DVMHX_ROW_SIGN
#define DVMHX_ROW_SIGN 1
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

/* f(c, loop variables) at outer variables o and at p, q of the two innermost dims; and the body there. */
#if DVMHX_RANK == 1
#define DVMHX_APPLY(f, c, o, p, q) f(c, q)
#elif DVMHX_RANK == 2
#define DVMHX_APPLY(f, c, o, p, q) f(c, p, q)
#elif DVMHX_RANK == 3
#define DVMHX_APPLY(f, c, o, p, q) f(c, (o).v[0], p, q)
#elif DVMHX_RANK == 4
#define DVMHX_APPLY(f, c, o, p, q) f(c, (o).v[0], (o).v[1], p, q)
#elif DVMHX_RANK == 5
#define DVMHX_APPLY(f, c, o, p, q) f(c, (o).v[0], (o).v[1], (o).v[2], p, q)
#elif DVMHX_RANK == 6
#define DVMHX_APPLY(f, c, o, p, q) f(c, (o).v[0], (o).v[1], (o).v[2], (o).v[3], p, q)
#elif DVMHX_RANK == 7
#define DVMHX_APPLY(f, c, o, p, q) f(c, (o).v[0], (o).v[1], (o).v[2], (o).v[3], (o).v[4], p, q)
#elif DVMHX_RANK == 8
#define DVMHX_APPLY(f, c, o, p, q) f(c, (o).v[0], (o).v[1], (o).v[2], (o).v[3], (o).v[4], (o).v[5], p, q)
#else
#error "DVMHX_RANK must be 1 to 8"
#endif
#define DVMHX_CALL(c, o, p, q) DVMHX_APPLY(DVMHX_BODY, c, o, p, q)

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

#ifdef DVMHX_STREAM
/* One row of free iterations with step 1. What lies on whole cache lines is made in pieces in a buffer, which the body takes for
 * the array, and streamed out; the ends of the row are stored as usual. */
DVMHX_ALWAYS_INLINE void DVMHX_LOCAL(_streamed_row)(DVMHX_CONTEXT *c, dvmhx_outer_t o, DvmType p, DvmType q,
                                                    DvmType columns) {
    enum {
        LENGTH = DVMHX_STREAM_BYTES / sizeof(DVMHX_STREAM_TYPE),
        LINE = DVMHX_LINE_BYTES / sizeof(DVMHX_STREAM_TYPE)
    };
    typedef char whole_elements_a_line[DVMHX_LINE_BYTES % sizeof(DVMHX_STREAM_TYPE) == 0 ? 1 : -1];
    DVMHX_STREAM_TYPE buffer[LENGTH];
    DVMHX_STREAM_TYPE *const array = DVMHX_STREAM(c);
    const DvmType first = (DvmType)(array + DVMHX_APPLY(DVMHX_STREAM_AT, c, o, p, q));
    const DvmType before_line = (-first & (DVMHX_LINE_BYTES - 1)) / (DvmType)sizeof buffer[0];
    DvmType done = dvmhx_least(before_line, columns), n;

    (void)sizeof(whole_elements_a_line);
    if (first % (DvmType)sizeof buffer[0] != 0) { /* then no element begins on a cache line */
        DVMHX_LOCAL(_row)(c, o, p, q, columns, 1, 1);
        return;
    }
    DVMHX_LOCAL(_row)(c, o, p, q, done, 1, 0);
    while (columns - done >= LINE) {
        const DvmType length = dvmhx_least(LENGTH, (columns - done) / LINE * LINE);
        const DvmType at = DVMHX_APPLY(DVMHX_STREAM_AT, c, o, p, q + done);
        DVMHX_CONTEXT made = *c;

        DVMHX_STREAM(&made) = buffer - at;
#ifdef DVMHX_PREFETCH
        for (n = 0; n < length; n += LINE) {
            DVMHX_FETCH_LINE(DVMHX_APPLY(DVMHX_PREFETCH, c, o, p, q + done + n));
        }
#endif
        DVMHX_PRAGMA_FREE
        for (n = 0; n < length; n++) {
            DVMHX_CALL(&made, o, p, q + done + n);
        }
        DVMHX_STREAM(&made) = array;
        *c = made;
        dvmhx_stream_lines((char *)(array + at), (const char *)buffer, (size_t)length * sizeof buffer[0]);
        done += length;
    }
    DVMHX_LOCAL(_row)(c, o, p, q + done, columns - done, 1, 0);
}

/* The two innermost dims. */
DVMHX_ALWAYS_INLINE void DVMHX_LOCAL(_streamed_rows)(const dvmhx_record_t *record, DVMHX_CONTEXT *c,
                                                     dvmhx_outer_t o) {
    const DvmType rows = DVMHX_RANK > 1 ? record->count[DVMHX_P] : 1, row_step = record->step[DVMHX_P];
    const DvmType columns = record->count[DVMHX_Q], q = record->start[DVMHX_Q];
    DvmType p = record->start[DVMHX_P], row;

    for (row = 0; row < rows; row++) {
        DVMHX_LOCAL(_streamed_row)(c, o, p, q, columns);
        p += row_step;
    }
    dvmhx_stream_end();
}
#endif

/* The two innermost dims, lexicographic. Where every order is legal this stands for all ways, so that limits of fronts count. */
DVMHX_ALWAYS_INLINE void DVMHX_LOCAL(_rows)(const dvmhx_record_t *record, DVMHX_CONTEXT *c, dvmhx_outer_t o,
                                            DvmType step, int is_free) {
    const DvmType rows = DVMHX_RANK > 1 ? record->count[DVMHX_P] : 1, row_step = record->step[DVMHX_P];
    const DvmType columns = record->count[DVMHX_Q], q = record->start[DVMHX_Q];
    DvmType p = record->start[DVMHX_P], row;

    for (row = 0; row < rows; row++) {
#if defined(DVMHX_INDEPENDENT) && DVMHX_RANK > 1
        DvmType lo = 0, hi = columns;

        if (record->way != DVMHX_WAY_FRONT && record->front_lo < record->front_hi) {
            lo = dvmhx_greatest(lo, record->front_lo - record->lag * row);
            hi = dvmhx_least(hi, record->front_hi - record->lag * row);
        }
        DVMHX_LOCAL(_row)(c, o, p, q + lo * step, hi - lo, step, is_free);
#else
        DVMHX_LOCAL(_row)(c, o, p, q, columns, step, is_free);
#endif
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
#ifdef DVMHX_STREAM
        if (step == 1 && record->bypass_cache) {
            DVMHX_LOCAL(_streamed_rows)(record, c, outer);
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
#if DVMHX_RANK > 1

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
    const DvmType slope = DVMHX_RANK > 1 ? record->time[DVMHX_P] : 0;
    const DvmType rows = DVMHX_RANK > 1 ? record->count[DVMHX_P] : 1;
    const DvmType p_step = record->step[DVMHX_P], q_step = record->step[DVMHX_Q], back = slope * q_step;
    DvmType first, last, p, q;

    dvmhx_plane_range(rows, record->count[DVMHX_Q], slope, rest, &first, &last);
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

/* DVMHX_WAY_FRONT; a plane of DVMHX_WAY_DIAGONAL. The inner loop runs along the innermost dim when that is free, else along
 * the front's diagonal in the plane of the two innermost; the dims outside are enumerated. */
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

/* DVMHX_WAY_FRONT and DVMHX_WAY_DIAGONAL: one instance of the code above for both. */
DVMHX_ALWAYS_INLINE void DVMHX_LOCAL(_planes)(const dvmhx_record_t *record, DVMHX_CONTEXT *c) {
    dvmhx_planes_t planes;

    dvmhx_planes_begin(record, DVMHX_RANK, &planes);
    do {
        DVMHX_LOCAL(_fronts)(&planes.record, c);
    } while (dvmhx_planes_next(record, DVMHX_RANK, &planes));
}
#endif /* DVMHX_INDEPENDENT */

#if defined(DVMHX_ROW_BODY) && DVMHX_RANK > 1

/* A front, which lies in one row of each array: from (p, q) upwards in memory. */
DVMHX_ALWAYS_INLINE void DVMHX_LOCAL(_front_row)(DVMHX_CONTEXT *c, dvmhx_outer_t o, DvmType p, DvmType q,
                                                 DvmType length, DvmType q_step) {
    DvmType n;

    (void)o;
    (void)q;
    (void)q_step;
#ifdef DVMHX_ROW_PREFETCH
    enum { LINE = DVMHX_LINE_BYTES / sizeof(*DVMHX_APPLY(DVMHX_ROW_PREFETCH, c, o, p, q)) };

    for (n = 0; n < length; n += LINE) {
        DVMHX_FETCH_LINE_TO_WRITE(
            DVMHX_APPLY(DVMHX_ROW_PREFETCH, c, o, p + n * DVMHX_ROW_SIGN, q + n * q_step));
    }
#endif
    DVMHX_PRAGMA_FREE
    for (n = 0; n < length; n++) {
        DVMHX_APPLY(DVMHX_ROW_BODY, c, o, p + n * DVMHX_ROW_SIGN, q + n * q_step);
    }
}

/* DVMHX_WAY_DIAGONAL by rows. A function of its own, so that it is compiled once, whatever the variants of the handler for
 * strides, which it does not use; the context is copied in and out, to live in registers here and at the caller. */
DVMHX_NEVER_INLINE void DVMHX_LOCAL(_by_rows)(const dvmhx_record_t *record, DVMHX_CONTEXT *context) {
    const DvmType rows = record->count[DVMHX_P], columns = record->count[DVMHX_Q], lag = record->lag;
    const DvmType p_step = record->step[DVMHX_P], q_step = record->step[DVMHX_Q];
    const DvmType upwards =
        p_step * DVMHX_ROW_SIGN; /* 1: memory is walked in the order of the rows, -1: against it */
    DVMHX_CONTEXT c = *context;
    DvmType n[DVMHX_MAX_RANK] = {0}, front, lo, hi, first, last;
    dvmhx_outer_t outer = {{0}};

    dvmhx_diagonal_range(record, DVMHX_RANK, &lo, &hi);
    dvmhx_first_outer(record, DVMHX_OUTER, &outer);
    do {
        for (front = lo; front < hi; front++) {
            dvmhx_plane_range(rows, columns, lag, front, &first, &last);
            if (first <= last) {
                const DvmType row = upwards > 0 ? first : last;
                const DvmType p = record->start[DVMHX_P] + row * p_step;
                const DvmType q = record->start[DVMHX_Q] + (front - lag * row) * q_step;

                DVMHX_APPLY(DVMHX_ROW_BEGIN, &c, outer, p, q);
                DVMHX_LOCAL(_front_row)(&c, outer, p, q, last - first + 1, -lag * upwards * q_step);
            }
        }
    } while (dvmhx_next_outer(record, DVMHX_OUTER, n, &outer));
    *context = c;
}
#endif

/** Run all iterations of a record in an order that its way allows. */
DVMHX_ALWAYS_INLINE void DVMHX_LOCAL(_run)(const dvmhx_record_t *record, DVMHX_CONTEXT *c) {
#if defined(DVMHX_ROW_BODY) && DVMHX_RANK > 1
    if (record->way == DVMHX_WAY_DIAGONAL && record->by_rows) {
        DVMHX_CONTEXT copy = *c; /* the address of c itself must not get out, see above */

        DVMHX_LOCAL(_by_rows)(record, &copy);
        *c = copy;
        return;
    }
#endif
#ifndef DVMHX_INDEPENDENT
    if (record->way == DVMHX_WAY_FRONT || (DVMHX_RANK > 1 && record->way == DVMHX_WAY_DIAGONAL)) {
        DVMHX_LOCAL(_planes)(record, c);
        return;
    }
#if DVMHX_RANK > 1
    if (record->way == DVMHX_WAY_JAM) {
        DVMHX_LOCAL(_jammed)(record, c);
        return;
    }
#endif
#endif
    DVMHX_LOCAL(_plain)(record, c);
}

#undef DVMHX_CALL
#undef DVMHX_APPLY
#undef DVMHX_P
#undef DVMHX_Q
#undef DVMHX_OUTER
#undef DVMHX_LOCAL
#undef DVMHX_PRAGMA_FREE
#undef DVMHX_JAM_ROWS
#undef DVMHX_ROW_BODY
#undef DVMHX_ROW_BEGIN
#undef DVMHX_ROW_SIGN
#undef DVMHX_ROW_PREFETCH
#undef DVMHX_CONFLICTS
#undef DVMHX_INDEPENDENT
#undef DVMHX_BODY
#undef DVMHX_STREAM
#undef DVMHX_STREAM_AT
#undef DVMHX_STREAM_TYPE
#undef DVMHX_PREFETCH
#undef DVMHX_CONTEXT
#undef DVMHX_RANK
#undef DVMHX_NAME

#endif /* DVMHX_NAME */
