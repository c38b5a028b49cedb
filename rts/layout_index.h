/* Index arithmetic of one plane: where element (i_p, i_q) lies, which element lies somewhere, what a front
 * is. Shared by C11 and CUDA C++17, so this header needs nothing else of ours. docs/layouts.md has the
 * mathematics and drawings.
 *
 * How to read: a plane has n_p * n_q elements, i_p in [0, n_p) and i_q in [0, n_q); q is the fastest axis of
 * the layout, p the next. With m = |b|, and j = i_q where b > 0, j = n_q - 1 - i_q where b < 0:
 *
 *     d = a * i_p + b * i_q + c = a * i_p + m * j,    0 <= d <= a * (n_p - 1) + m * (n_q - 1).
 *
 * A front is all elements of one d. Everything below the line "for one type of index" is read twice, because
 * this header includes itself: RTS_PLANE(name) is rts_plane64_name with 64-bit indices, then
 * rts_plane32_name.
 */
#ifndef RTS_LAYOUT_INDEX_H
#define RTS_LAYOUT_INDEX_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define RTS_PLANE_INLINE static inline __host__ __device__
#else
#define RTS_PLANE_INLINE static inline
#endif

/** How the plane of the two fastest axes lies. */
typedef enum rts_layout_kind {
    RTS_LAYOUT_PLAIN = 0, /* i_p * pitch + i_q */
    RTS_LAYOUT_SKEW,      /* d * pitch + i_q: affine, with gaps */
    RTS_LAYOUT_WRAP,      /* (d mod rows) * pitch + i_q: as much memory as plain where a = 1 */
    RTS_LAYOUT_PACKED     /* diagonals one after another without gaps, as the DVM-system; a = 1, |b| = 1 */
} rts_layout_kind_t;

#define RTS_PLANE_PASTE_(bits, name) rts_plane##bits##_##name
#define RTS_PLANE_PASTE(bits, name)  RTS_PLANE_PASTE_(bits, name)
#define RTS_PLANE(name)              RTS_PLANE_PASTE(RTS_PLANE_BITS, name)
#define RTS_PLANE_T                  RTS_PLANE(t)
#define RTS_FRONT_T                  RTS_PLANE(front_t)

#define RTS_PLANE_BITS 64
#define RTS_PLANE_INT  int64_t
#define RTS_PLANE_UINT uint64_t
#define RTS_PLANE_REAL double
#define RTS_PLANE_SQRT sqrt
#include "rts/layout_index.h"
#undef RTS_PLANE_BITS
#undef RTS_PLANE_INT
#undef RTS_PLANE_UINT
#undef RTS_PLANE_REAL
#undef RTS_PLANE_SQRT

#define RTS_PLANE_BITS 32
#define RTS_PLANE_INT  int32_t
#define RTS_PLANE_UINT uint32_t
#define RTS_PLANE_REAL float
#define RTS_PLANE_SQRT sqrtf
#include "rts/layout_index.h"
#undef RTS_PLANE_BITS
#undef RTS_PLANE_INT
#undef RTS_PLANE_UINT
#undef RTS_PLANE_REAL
#undef RTS_PLANE_SQRT

/**
 * The same plane for 32-bit arithmetic.
 *
 * @return true
 * @return false  an offset, a d or a parameter needs more than 31 bits; *narrow_p is unchanged
 */
RTS_PLANE_INLINE bool rts_plane32_from_64(const rts_plane64_t *plane, rts_plane32_t *narrow_p) {
    const int64_t limit = INT32_MAX;
    if (plane->rows > limit || plane->pitch > limit || plane->rows * plane->pitch > limit ||
        rts_plane64_fronts(plane) > limit || plane->n_p > limit)
        return false;
    narrow_p->kind = plane->kind;
    narrow_p->a = plane->a;
    narrow_p->b = plane->b;
    narrow_p->n_p = (int32_t)plane->n_p;
    narrow_p->n_q = (int32_t)plane->n_q;
    narrow_p->pitch = (int32_t)plane->pitch;
    narrow_p->rows = (int32_t)plane->rows;
    narrow_p->c = (int32_t)plane->c;
    return true;
}

#endif

/* ---- for one type of index ---- */
#ifdef RTS_PLANE_BITS

/** A plane, all extents at least 1. Made by rts_layout_plane; rows, pitch and c as the kind needs them. */
typedef struct RTS_PLANE(s) {
    rts_layout_kind_t kind;
    int a, b;               /* a in 1..2, |b| in 1..2; PLAIN: 1 and 0, so that d = i_p */
    RTS_PLANE_INT n_p, n_q; /* extents */
    RTS_PLANE_INT pitch;    /* elements from row to row, n_q at least */
    RTS_PLANE_INT rows;     /* rows * pitch elements of memory */
    RTS_PLANE_INT c;        /* -b * (n_q - 1) where b < 0, else 0 */
} RTS_PLANE_T;

/** The elements of one front, in ascending i_q. */
typedef struct RTS_PLANE(front_s) {
    RTS_PLANE_INT count;            /* 0: no element has this d (a = 2, or n_p = 1 with |b| = 2) */
    RTS_PLANE_INT i_p, i_q;         /* the first one */
    RTS_PLANE_INT offset;           /* where it lies */
    int i_p_step, i_q_step, stride; /* from one to the next; stride in elements of memory */
} RTS_FRONT_T;

/** Number of the front that an element is on. */
RTS_PLANE_INLINE RTS_PLANE_INT RTS_PLANE(d)(const RTS_PLANE_T *plane, RTS_PLANE_INT i_p, RTS_PLANE_INT i_q) {
    return plane->a * i_p + (plane->b * i_q + plane->c);
}

/** How many values d has: 0..fronts-1. */
RTS_PLANE_INLINE RTS_PLANE_INT RTS_PLANE(fronts)(const RTS_PLANE_T *plane) {
    const int m = plane->b < 0 ? -plane->b : plane->b;
    return plane->a * (plane->n_p - 1) + m * (plane->n_q - 1) + 1;
}

/** SKEW, and PLAIN: d is i_p there. */
RTS_PLANE_INLINE RTS_PLANE_INT RTS_PLANE(skew)(const RTS_PLANE_T *plane, RTS_PLANE_INT i_p,
                                               RTS_PLANE_INT i_q) {
    return RTS_PLANE(d)(plane, i_p, i_q) * plane->pitch + i_q;
}

/** WRAP where no d reaches 2 * rows (a = |b| = 1: where n_q <= n_p + 1): no division. */
RTS_PLANE_INLINE bool RTS_PLANE(wraps_once)(const RTS_PLANE_T *plane) {
    return RTS_PLANE(fronts)(plane) - plane->rows <= plane->rows;
}
RTS_PLANE_INLINE RTS_PLANE_INT RTS_PLANE(wrap_once)(const RTS_PLANE_T *plane, RTS_PLANE_INT i_p,
                                                    RTS_PLANE_INT i_q) {
    const RTS_PLANE_INT d = RTS_PLANE(d)(plane, i_p, i_q);
    return (d >= plane->rows ? d - plane->rows : d) * plane->pitch + i_q;
}

/** WRAP, whatever the extents. */
RTS_PLANE_INLINE RTS_PLANE_INT RTS_PLANE(wrap)(const RTS_PLANE_T *plane, RTS_PLANE_INT i_p,
                                               RTS_PLANE_INT i_q) {
    return RTS_PLANE(d)(plane, i_p, i_q) % plane->rows * plane->pitch + i_q;
}

/* 0 + 1 + .. + k. Unsigned: k * (k + 1) stays below 2^BITS for every k that a plane of less than 2^(BITS-1)
 * elements needs. */
RTS_PLANE_INLINE RTS_PLANE_INT RTS_PLANE(triangle)(RTS_PLANE_INT k) {
    return (RTS_PLANE_INT)((RTS_PLANE_UINT)k * ((RTS_PLANE_UINT)k + 1) / 2);
}

/** Largest k with triangle(k) <= number in [0, 2^(BITS-2)]. The root is within 1 of k; whole numbers
 * decide. */
RTS_PLANE_INLINE RTS_PLANE_INT RTS_PLANE(triangle_root)(RTS_PLANE_INT number) {
    const RTS_PLANE_REAL root = RTS_PLANE_SQRT(8 * (RTS_PLANE_REAL)number + 1);
    RTS_PLANE_INT k = (RTS_PLANE_INT)((root - 1) / 2);
    while (RTS_PLANE(triangle)(k) > number)
        k--;
    while (RTS_PLANE(triangle)(k + 1) <= number)
        k++;
    return k;
}

/** PACKED: elements of all fronts before front d. */
RTS_PLANE_INLINE RTS_PLANE_INT RTS_PLANE(packed_start)(const RTS_PLANE_T *plane, RTS_PLANE_INT d) {
    const RTS_PLANE_INT low = plane->n_p < plane->n_q ? plane->n_p : plane->n_q;
    const RTS_PLANE_INT high = plane->n_p < plane->n_q ? plane->n_q : plane->n_p;
    if (d < low)
        return RTS_PLANE(triangle)(d);
    if (d < high)
        return RTS_PLANE(triangle)(low) + low * (d - low);
    return low * high - RTS_PLANE(triangle)(low - 1 - (d - high));
}

/* PACKED: whether j ascends in memory along front d; else i_p does. */
RTS_PLANE_INLINE bool RTS_PLANE(packed_j_ascends)(const RTS_PLANE_T *plane, RTS_PLANE_INT d) {
    return plane->n_p < plane->n_q || (plane->n_p == plane->n_q && d < plane->n_p);
}

/** PACKED. */
RTS_PLANE_INLINE RTS_PLANE_INT RTS_PLANE(packed)(const RTS_PLANE_T *plane, RTS_PLANE_INT i_p,
                                                 RTS_PLANE_INT i_q) {
    const RTS_PLANE_INT j = plane->b < 0 ? plane->n_q - 1 - i_q : i_q;
    const RTS_PLANE_INT d = i_p + j;
    const RTS_PLANE_INT start = RTS_PLANE(packed_start)(plane, d);
    if (RTS_PLANE(packed_j_ascends)(plane, d))
        return start + (d < plane->n_p ? j : plane->n_p - 1 - i_p);
    return start + (d < plane->n_q ? i_p : plane->n_q - 1 - j);
}

/** Whether i_q descends in memory along the row of front d: some rows of PACKED. */
RTS_PLANE_INLINE bool RTS_PLANE(row_descends)(const RTS_PLANE_T *plane, RTS_PLANE_INT d) {
    return plane->kind == RTS_LAYOUT_PACKED && RTS_PLANE(packed_j_ascends)(plane, d) != (plane->b > 0);
}

/** Where the (maybe fictitious) element i_q = 0 of the row of front d lies: element i_q is i_q places after it, or before it where
 * the row descends. For SKEW, WRAP and PACKED; d in [0, fronts). PLAIN: row i_p = d. */
RTS_PLANE_INLINE RTS_PLANE_INT RTS_PLANE(row)(const RTS_PLANE_T *plane, RTS_PLANE_INT d) {
    if (plane->kind == RTS_LAYOUT_PACKED) {
        const bool j_ascends = RTS_PLANE(packed_j_ascends)(plane, d);
        const RTS_PLANE_INT start = RTS_PLANE(packed_start)(plane, d);
        const RTS_PLANE_INT first = plane->b < 0 ? plane->n_q - 1 : 0; /* j of i_q = 0 */
        if (j_ascends)
            return start + first + (d < plane->n_p ? 0 : plane->n_p - 1 - d);
        return start - first + (d < plane->n_q ? d : plane->n_q - 1);
    }
    if (plane->kind == RTS_LAYOUT_WRAP && d >= plane->rows) {
        d -= plane->rows;
        if (d >= plane->rows)
            d %= plane->rows;
    }
    return d * plane->pitch;
}

/** Offset of an element from the plane's start, any kind. */
RTS_PLANE_INLINE RTS_PLANE_INT RTS_PLANE(offset)(const RTS_PLANE_T *plane, RTS_PLANE_INT i_p,
                                                 RTS_PLANE_INT i_q) {
    switch (plane->kind) {
    case RTS_LAYOUT_WRAP:
        return RTS_PLANE(wrap)(plane, i_p, i_q);
    case RTS_LAYOUT_PACKED:
        return RTS_PLANE(packed)(plane, i_p, i_q);
    case RTS_LAYOUT_PLAIN:
    case RTS_LAYOUT_SKEW:
        break;
    }
    return RTS_PLANE(skew)(plane, i_p, i_q);
}

/* PACKED: the element at an offset in [0, n_p * n_q). */
RTS_PLANE_INLINE void RTS_PLANE(packed_inverse)(const RTS_PLANE_T *plane, RTS_PLANE_INT offset,
                                                RTS_PLANE_INT *i_p_p, RTS_PLANE_INT *i_q_p) {
    const RTS_PLANE_INT low = plane->n_p < plane->n_q ? plane->n_p : plane->n_q;
    const RTS_PLANE_INT left = plane->n_p * plane->n_q - 1 - offset;
    /* elements of the fronts shorter than low, at either end */
    const RTS_PLANE_INT corner = RTS_PLANE(triangle)(low - 1);
    RTS_PLANE_INT d;
    if (offset < corner)
        d = RTS_PLANE(triangle_root)(offset);
    else if (left < corner)
        d = plane->n_p - 1 + plane->n_q - 1 - RTS_PLANE(triangle_root)(left);
    else
        d = low - 1 + (offset - corner) / low;
    const RTS_PLANE_INT place = offset - RTS_PLANE(packed_start)(plane, d);
    RTS_PLANE_INT j;
    if (RTS_PLANE(packed_j_ascends)(plane, d))
        j = place + (d < plane->n_p ? 0 : d - plane->n_p + 1);
    else
        j = d - (place + (d < plane->n_q ? 0 : d - plane->n_q + 1));
    *i_p_p = d - j;
    *i_q_p = plane->b < 0 ? plane->n_q - 1 - j : j;
}

/* WRAP: the i_p in [0, rows) with a * i_p = rest modulo rows. Where a = 2, rows is odd, so that rest or
 * rest + rows is even. */
RTS_PLANE_INLINE RTS_PLANE_INT RTS_PLANE(wrap_inverse)(const RTS_PLANE_T *plane, RTS_PLANE_INT rest) {
    rest %= plane->rows;
    rest += rest < 0 ? plane->rows : 0;
    if (plane->a == 1)
        return rest;
    return rest / 2 + (rest % 2 != 0 ? plane->rows / 2 + 1 : 0);
}

/**
 * Element at an offset.
 *
 * @return true
 * @return false  a gap or padding is there, or the offset is outside; outputs unchanged
 */
RTS_PLANE_INLINE bool RTS_PLANE(inverse)(const RTS_PLANE_T *plane, RTS_PLANE_INT offset, RTS_PLANE_INT *i_p_p,
                                         RTS_PLANE_INT *i_q_p) {
    if (offset < 0 || offset >= plane->rows * plane->pitch)
        return false;
    if (plane->kind == RTS_LAYOUT_PACKED) {
        RTS_PLANE(packed_inverse)(plane, offset, i_p_p, i_q_p);
        return true;
    }
    const RTS_PLANE_INT row = offset / plane->pitch;
    const RTS_PLANE_INT i_q = offset - row * plane->pitch;
    if (i_q >= plane->n_q)
        return false;
    const RTS_PLANE_INT rest = row - (plane->b * i_q + plane->c); /* a * i_p; WRAP: up to multiples of rows */
    RTS_PLANE_INT i_p;
    if (plane->kind == RTS_LAYOUT_WRAP)
        i_p = RTS_PLANE(wrap_inverse)(plane, rest);
    else if (rest < 0 || rest % plane->a != 0)
        return false;
    else
        i_p = rest / plane->a;
    if (i_p >= plane->n_p)
        return false;
    *i_p_p = i_p;
    *i_q_p = i_q;
    return true;
}

/**
 * Front d in [0, fronts): which elements, and where they lie.
 * With PLAIN a front is a row. Kinds SKEW and WRAP: the whole front lies in one row, stride = i_q_step.
 */
RTS_PLANE_INLINE RTS_FRONT_T RTS_PLANE(front)(const RTS_PLANE_T *plane, RTS_PLANE_INT d) {
    RTS_FRONT_T front;
    const int a = plane->a, m = plane->b < 0 ? -plane->b : plane->b;
    const RTS_PLANE_INT beyond = d - a * (plane->n_p - 1); /* m * j is at least this */
    const int step = a == 2 && m == 1 ? 2 : 1;
    RTS_PLANE_INT first = 0, last = plane->n_q - 1;
    if (m > 0) {
        first = beyond > 0 ? beyond / m + (beyond % m != 0) : 0;
        last = d / m < last ? d / m : last;
    }
    if (step == 2) { /* d - j is even */
        first += (first ^ d) & 1;
        last -= (last ^ d) & 1;
    }
    front.count = last < first || (a == 2 && m == 2 && d % 2 != 0) ? 0 : (last - first) / step + 1;
    front.i_q = plane->b < 0 ? plane->n_q - 1 - last : first;
    front.i_p = (d - m * (plane->b < 0 ? last : first)) / a;
    front.i_q_step = step;
    front.i_p_step = -plane->b * step / a;
    front.stride = step;
    if (plane->kind == RTS_LAYOUT_PACKED && RTS_PLANE(packed_j_ascends)(plane, d) != (plane->b > 0))
        front.stride = -1;
    front.offset = front.count > 0 ? RTS_PLANE(offset)(plane, front.i_p, front.i_q) : 0;
    return front;
}

#endif
