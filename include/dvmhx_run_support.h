/* What dvmhx_run.h needs once, whatever the number of loops: compiler hints, streaming stores, the enumeration of fronts, and
 * where rows lie. Not to be included by programs, which include dvmhx_run.h; of what is here they use DVMHX_SPECIALISE,
 * dvmhx_rows_at and dvmhx_row. */
#ifndef DVMHX_RUN_SUPPORT_H
#define DVMHX_RUN_SUPPORT_H

#include <string.h>

#include <dvmhx.h>

/** Greatest rank of a loop. */
#define DVMHX_MAX_RANK 8

#if defined(__GNUC__) || defined(__clang__)
#define DVMHX_ALWAYS_INLINE static inline __attribute__((always_inline))
#define DVMHX_NEVER_INLINE  static __attribute__((noinline))
#else
#define DVMHX_ALWAYS_INLINE static inline
#define DVMHX_NEVER_INLINE  static
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

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/** Bytes of a row that are made before they are streamed out; measured: more makes bursts of fetches and stores. */
#define DVMHX_STREAM_BYTES 256
#define DVMHX_LINE_BYTES   64

/** Fetch a cache line; any address will do. */
#if defined(__GNUC__) || defined(__clang__)
#define DVMHX_FETCH_LINE(address)          __builtin_prefetch(address)
#define DVMHX_FETCH_LINE_TO_WRITE(address) __builtin_prefetch(address, 1)
#else
#define DVMHX_FETCH_LINE(address)          (void)(address)
#define DVMHX_FETCH_LINE_TO_WRITE(address) (void)(address)
#endif

/** Copy whole, aligned cache lines to memory that will not be read soon; they bypass the cache where the machine can. Needs
 * dvmhx_stream_end before other threads look. */
static inline void dvmhx_stream_lines(char *to, const char *from, size_t bytes) {
    size_t at;

    for (at = 0; at < bytes; at += DVMHX_LINE_BYTES) {
#if defined(__AVX512F__)
        _mm512_stream_si512((__m512i *)(void *)(to + at), _mm512_loadu_si512(from + at));
#elif defined(__SSE2__)
        const __m128i *line = (const __m128i *)(const void *)(from + at);
        __m128i *target = (__m128i *)(void *)(to + at);

        _mm_stream_si128(target, _mm_loadu_si128(line));
        _mm_stream_si128(target + 1, _mm_loadu_si128(line + 1));
        _mm_stream_si128(target + 2, _mm_loadu_si128(line + 2));
        _mm_stream_si128(target + 3, _mm_loadu_si128(line + 3));
#else
        memcpy(to + at, from + at, DVMHX_LINE_BYTES);
#endif
    }
}

/** Order streamed stores before whatever tells others that they are done. */
static inline void dvmhx_stream_end(void) {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/** a / b rounded down; a >= 0, b > 0. Mostly by 1, and once or twice a front, where a division would be felt. */
static inline DvmType dvmhx_quotient(DvmType a, DvmType b) {
    return b == 1 ? a : a / b;
}

/** a / b rounded up; a >= 0, b > 0. */
static inline DvmType dvmhx_quotient_up(DvmType a, DvmType b) {
    return dvmhx_quotient(a + b - 1, b);
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

/** Rows of the two innermost dims, first to last, that front `number` of the fronts slope * row + column meets; none when
 * last < first. */
static inline void dvmhx_plane_range(DvmType rows, DvmType columns, DvmType slope, DvmType number,
                                     DvmType *first_p, DvmType *last_p) {
    *first_p = 0;
    *last_p = rows - 1;
    if (slope > 0) {
        *first_p = number >= columns ? dvmhx_quotient_up(number - columns + 1, slope) : 0;
        *last_p = dvmhx_least(*last_p, dvmhx_quotient(number, slope));
    } else if (number >= columns) {
        *last_p = -1;
    }
}

/** Fronts lo <= lag * row + column < hi of the two innermost dims that a record of DVMHX_WAY_DIAGONAL asks for. */
static inline void dvmhx_diagonal_range(const dvmhx_record_t *record, int rank, DvmType *lo_p,
                                        DvmType *hi_p) {
    const DvmType reach = record->lag * (record->count[rank - 2] - 1) + record->count[rank - 1];
    const int limited = record->front_lo < record->front_hi;

    *lo_p = limited ? dvmhx_greatest(record->front_lo, 0) : 0;
    *hi_p = limited ? dvmhx_least(record->front_hi, reach) : reach;
}

/** A record run front by front: the whole of it for DVMHX_WAY_FRONT, one plane of the two innermost dims after the other for
 * DVMHX_WAY_DIAGONAL. */
typedef struct dvmhx_planes {
    dvmhx_record_t record; /* the part to run now, as for DVMHX_WAY_FRONT */
    dvmhx_outer_t outer;   /* DIAGONAL: where it is */
    DvmType n[DVMHX_MAX_RANK], count[DVMHX_MAX_RANK], time[DVMHX_MAX_RANK];
} dvmhx_planes_t;

/** The first part. */
static inline void dvmhx_planes_begin(const dvmhx_record_t *record, int rank, dvmhx_planes_t *planes) {
    int k;

    planes->record = *record;
    if (rank < 2 || record->way != DVMHX_WAY_DIAGONAL) {
        return;
    }
    for (k = 0; k < rank; k++) {
        planes->outer.v[k] = record->start[k];
        planes->n[k] = 0;
        planes->count[k] = k < rank - 2 ? 1 : record->count[k];
        planes->time[k] = k < rank - 2 ? 0 : k == rank - 2 ? record->lag : 1;
    }
    planes->record.start = planes->outer.v;
    planes->record.count = planes->count;
    planes->record.time = planes->time;
    dvmhx_diagonal_range(record, rank, &planes->record.front_lo, &planes->record.front_hi);
}

/** The next part. @return 0 after the last */
static inline int dvmhx_planes_next(const dvmhx_record_t *record, int rank, dvmhx_planes_t *planes) {
    return rank > 2 && record->way == DVMHX_WAY_DIAGONAL &&
           dvmhx_next_outer(record, rank - 2, planes->n, &planes->outer);
}

/** Where an element of an array by rows lies, see dvmhx_array_t. */
typedef struct dvmhx_rows {
    const dvmhx_array_t *array;
    char *plane;    /* place 0 of row 0 of the element's plane */
    DvmType number; /* of the element's row, 0 <= number < row_count */
} dvmhx_rows_t;

/** d modulo row_count, for any d. Most are in range or beyond it by less than row_count: those cost no division. */
DVMHX_ALWAYS_INLINE DvmType dvmhx_row_number(const dvmhx_array_t *array, DvmType d) {
    const DvmType count = array->row_count;

    if (d >= count) {
        d -= count;
    } else if (d < 0) {
        d += count;
    }
    if (d < 0 || d >= count) {
        d %= count;
        d += d < 0 ? count : 0;
    }
    return d;
}

/** The plane and the row of an element. @param index  of the array's axes; array->rank entries, 2 or more */
DVMHX_ALWAYS_INLINE dvmhx_rows_t dvmhx_rows_at(const dvmhx_array_t *array, const DvmType index[]) {
    dvmhx_rows_t rows;
    DvmType offset = 0;
    int axis;

    for (axis = 0; axis < array->rank; axis++) {
        if (axis != array->p && axis != array->q) {
            offset += array->stride[axis] * index[axis];
        }
    }
    rows.array = array;
    rows.plane = (char *)array->row_base + offset * array->element_bytes;
    rows.number = dvmhx_row_number(array, array->a * index[array->p] + array->b * index[array->q] + array->c);
    return rows;
}

/**
 * The row with the neighbour of an element that is p_offset further along the layout's axis p and q_offset along q.
 *
 * The same holds for all elements of the row of dvmhx_rows_at: the neighbour of the one with index[q] = i is element i from the
 * address returned. So one address serves a reference of the body for a whole front.
 * @return an address, maybe outside the storage. Where no element of the row has such a neighbour it may still be asked for, but
 *         not used
 */
DVMHX_ALWAYS_INLINE void *dvmhx_row(const dvmhx_rows_t *rows, DvmType p_offset, DvmType q_offset) {
    const dvmhx_array_t *array = rows->array;
    const DvmType count = array->row_count;
    DvmType number = rows->number + array->a * p_offset + array->b * q_offset;

    while (number >= count) { /* hardly ever a second time: offsets are small */
        number -= count;
    }
    while (number < 0) {
        number += count;
    }
    return rows->plane + (number * array->pitch + q_offset) * array->element_bytes;
}

#endif
