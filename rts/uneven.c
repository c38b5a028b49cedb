/* Uneven parts of an axis; see the header. Decides where bounds fall; what the numbers mean was decided by the program. */
#include <config.h>

#include "rts/uneven.h"

#include <math.h>

#include "rts/distribution.h"
#include "rts/log.h"
#include "rts/memory.h"

__extension__ typedef __int128 wide_t;

rts_status_t rts_bounds_by_size(rts_index_t extent, const rts_index_t size[], rts_index_t parts,
                                rts_index_t bounds_p[]) {
    wide_t sum = 0;
    for (rts_index_t part = 0; part < parts; part++) {
        if (size[part] < 0)
            return rts_fail(RTS_ERR_INVALID, "the size of part %lld is %lld; allowed: 0 and more",
                            (long long)part + 1, (long long)size[part]);
        sum += size[part];
    }
    if (sum != extent)
        return rts_fail(RTS_ERR_INVALID,
                        "the sizes of %lld parts make %lld; allowed: the axis's %lld elements",
                        (long long)parts, (long long)(sum < INT64_MAX ? (rts_index_t)sum : INT64_MAX),
                        (long long)extent);
    bounds_p[0] = 0;
    for (rts_index_t part = 0; part < parts; part++)
        bounds_p[part + 1] = bounds_p[part] + size[part];
    return RTS_OK;
}

/* The weights of an axis, summed up. Weights are scaled by a power of two, which is exact, so that no sum or product overflows. */
typedef struct scale {
    rts_index_t extent, count;
    double *before; /* scaled weight of all pieces before each, and at [count] of all */
} scale_t;

/* Scaled weight of the first `elements` elements, times extent: with weights that are small whole numbers there is no rounding. */
static double weight_before(const scale_t *scale, rts_index_t elements) {
    const wide_t place = (wide_t)elements * scale->count; /* in units of which a piece has `extent` */
    const rts_index_t piece = (rts_index_t)(place / scale->extent),
                      inside = (rts_index_t)(place % scale->extent);
    const double whole = scale->before[piece] * (double)scale->extent;
    return inside == 0 ? whole : whole + (scale->before[piece + 1] - scale->before[piece]) * (double)inside;
}

static rts_index_t find_bound(const scale_t *scale, rts_index_t part, rts_index_t parts) {
    const double target = scale->before[scale->count] * (double)scale->extent * (double)part;
    rts_index_t low = 0, high = scale->extent; /* the least number of elements that reach the target */
    while (low < high) {
        const rts_index_t middle = low + (high - low) / 2;
        if (weight_before(scale, middle) * (double)parts >= target)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == 0)
        return 0;
    const double above = weight_before(scale, low) * (double)parts - target,
                 below = target - weight_before(scale, low - 1) * (double)parts;
    return below <= above ? low - 1 : low;
}

static rts_status_t check_weights(const double weight[], rts_index_t count, double *largest_p) {
    if (count < 1)
        return rts_fail(RTS_ERR_INVALID, "%lld weights; allowed: 1 and more", (long long)count);
    *largest_p = 0;
    for (rts_index_t piece = 0; piece < count; piece++) {
        if (!(weight[piece] >= 0) || isinf(weight[piece]))
            return rts_fail(RTS_ERR_INVALID, "weight %lld is %g; allowed: 0 and more", (long long)piece + 1,
                            weight[piece]);
        if (weight[piece] > *largest_p)
            *largest_p = weight[piece];
    }
    return RTS_OK;
}

rts_status_t rts_bounds_by_weight(rts_index_t extent, const double weight[], rts_index_t count,
                                  rts_index_t parts, rts_index_t bounds_p[]) {
    double largest = 0;
    int exponent;
    RTS_TRY(check_weights(weight, count, &largest));
    if (largest == 0) {
        rts_log(RTS_LOG_WARNING, "all %lld weights are 0: equal blocks instead", (long long)count);
        for (rts_index_t part = 0; part < parts; part++)
            rts_block_bounds(extent, parts, part, &bounds_p[part], &bounds_p[part + 1]);
        return RTS_OK;
    }
    const size_t bytes = ((size_t)count + 1) * sizeof(double);
    const scale_t scale = {.extent = extent, .count = count, .before = rts_alloc(bytes)};
    if (scale.before == NULL)
        return rts_fail_memory("the sums of weights", bytes);
    (void)frexp(largest, &exponent);
    scale.before[0] = 0;
    for (rts_index_t piece = 0; piece < count; piece++)
        scale.before[piece + 1] = scale.before[piece] + ldexp(weight[piece], -exponent);
    bounds_p[0] = 0;
    for (rts_index_t part = 1; part < parts; part++)
        bounds_p[part] = rts_max(bounds_p[part - 1], find_bound(&scale, part, parts)); /* sums are rounded */
    bounds_p[parts] = extent;
    rts_free(scale.before);
    return RTS_OK;
}
