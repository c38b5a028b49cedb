/* Partial results on a GPU, combined there: every operation and type that has a meaning, against references on the host. Sums of reals are
 * compared bit for bit with the same order on the host; everything else with items one by one. And storing of start values. */
#include <config.h>

#include "rts/cuda/cuda.h"
#include "rts/cuda/cuda_handler.h"
#include "rts/cuda/cuda_handler_items.h"
#include "rts/memory.h"
#include "rts/reduction.h"
#include "tests/check.h"

#include <dvmhlib_const.h>
#include <math.h>

enum { GPU = 1, LOCATION_BYTES = 12 };

static const rts_handler_ops_t *const ops = &rts_cuda_handler_ops;

static char *host_alloc(size_t bytes) {
    char *memory = rts_alloc(bytes > 0 ? bytes : 1);
    if (!CHECK(memory != NULL))
        exit(1);
    return memory;
}

static void *to_device(const void *source, size_t bytes) {
    void *memory = NULL;
    if (!CHECK_EQ_INT(rts_cuda_ops.allocate(GPU, bytes, &memory), RTS_OK))
        exit(1);
    CHECK_EQ_INT(ops->write(GPU, memory, source, bytes), RTS_OK);
    return memory;
}

static bool is_order(const rts_reduction_t *r) {
    return r->operation == rf_MAX || r->operation == rf_MIN || r->operation == rf_MAXLOC ||
           r->operation == rf_MINLOC;
}

/* Small whole numbers: 1 and -1 for products, truth values for comparisons; fractions of reals for the rest, and for orders now and then
 * what is not a number. */
static void draw(const rts_reduction_t *r, char *items, int64_t count) {
    const bool is_product = r->operation == rf_PROD,
               is_truth = r->operation == rf_EQ || r->operation == rf_EQU || r->operation == rf_NE;
    const double part = is_product || is_truth ? 1 : 0.3, of_i = is_product ? 0 : 0.7;
    for (int64_t i = 0; i < count; i++) {
        const int64_t number = is_product ? 2 * check_random_range(0, 1) - 1
                               : is_truth ? check_random_range(0, 1)
                                          : check_random_range(0, 100);
        const bool is_nan = is_order(r) && check_random_once_in(9);
        char *const item = items + (size_t)i * r->element_bytes;
        switch (r->type) {
        case rt_FLOAT:
            *(float *)item = is_nan ? NAN : (float)((double)number * part);
            break;
        case rt_DOUBLE:
            *(double *)item = is_nan ? NAN : (double)number * part;
            break;
        case rt_FLOAT_COMPLEX:
            ((float *)item)[0] = (float)((double)number * part);
            ((float *)item)[1] = (float)((double)number * of_i);
            break;
        case rt_DOUBLE_COMPLEX:
            ((double *)item)[0] = (double)number * part;
            ((double *)item)[1] = (double)number * of_i;
            break;
        default:
            for (size_t byte = 0; byte < r->element_bytes; byte++)
                item[byte] = (char)(number >> (8 * byte));
        }
    }
}

static bool is_not_a_number(const rts_reduction_t *r, const char *item) {
    return r->type == rt_FLOAT ? isnan(*(const float *)item)
                               : r->type == rt_DOUBLE && isnan(*(const double *)item);
}

/* Items one by one, numbers before what is none. */
static void fold(const rts_reduction_t *r, const char *items, const char *locations, int64_t begin,
                 int64_t end, int64_t step, char *value, char *location) {
    for (int64_t i = begin; i < end; i += step) {
        const char *const item = items + (size_t)i * r->element_bytes, *const of_item =
                                                                           locations != NULL
                                                                               ? locations +
                                                                                     i * LOCATION_BYTES
                                                                               : NULL;
        if (i > begin && !(is_order(r) && is_not_a_number(r, value) && !is_not_a_number(r, item))) {
            rts_reduction_combine(r, value, location, item, of_item);
            continue;
        }
        memcpy(value, item, r->element_bytes);
        if (location != NULL)
            memcpy(location, of_item, LOCATION_BYTES);
    }
}

/* The order of the kernel, for operations without locations. */
static void fold_in_order(const rts_reduction_t *r, const char *items, int64_t begin, int64_t end,
                          char *value) {
    static char found[RTS_ITEM_THREADS * 16];
    const int64_t threads = rts_min(end - begin, RTS_ITEM_THREADS);
    for (int64_t t = 0; t < threads; t++)
        fold(r, items, NULL, begin + t, end, RTS_ITEM_THREADS, found + (size_t)t * r->element_bytes, NULL);
    for (int64_t half = RTS_ITEM_THREADS / 2; half > 0; half /= 2)
        for (int64_t t = 0; t < half && t + half < threads; t++)
            rts_reduction_combine(r, found + (size_t)t * r->element_bytes, NULL,
                                  found + (size_t)(t + half) * r->element_bytes, NULL);
    memcpy(value, found, r->element_bytes);
}

static bool is_order_exact(const rts_reduction_t *r) {
    const bool is_real = r->type == rt_FLOAT || r->type == rt_DOUBLE || r->type == rt_FLOAT_COMPLEX ||
                         r->type == rt_DOUBLE_COMPLEX;
    return is_real && (r->operation == rf_SUM || r->operation == rf_PROD);
}

static void check_parts(const rts_reduction_t *r, const char *items, const char *locations,
                        int64_t item_count, const char *parts, const char *of_parts, int64_t count) {
    for (int64_t part = 0; part < count; part++) {
        const bool each = item_count <= RTS_ITEM_PARTS;
        const int64_t begin = each ? part : rts_item_part_begin(item_count, (int)part),
                      end = each ? part + 1 : rts_item_part_begin(item_count, (int)part + 1);
        _Alignas(16) char value[16], location[LOCATION_BYTES];
        if (is_order_exact(r))
            fold_in_order(r, items, begin, end, value);
        else
            fold(r, items, locations, begin, end, 1, value, locations != NULL ? location : NULL);
        const char *const found = parts + (size_t)part * r->element_bytes;
        const bool same = memcmp(found, value, r->element_bytes) == 0 ||
                          (is_not_a_number(r, found) && is_not_a_number(r, value));
        if (!CHECK(same && (locations == NULL ||
                            memcmp(of_parts + part * LOCATION_BYTES, location, LOCATION_BYTES) == 0)))
            fprintf(stderr, "  operation %d, type %d, %lld items, part %lld\n", r->operation, r->type,
                    (long long)item_count, (long long)part);
    }
}

static void check_collect(const rts_reduction_t *r, int64_t element_count, int64_t item_count) {
    const size_t bytes = (size_t)(element_count * item_count) * r->element_bytes,
                 of_parts_bytes = (size_t)element_count * RTS_ITEM_PARTS * r->element_bytes;
    const bool has_locations = r->location_bytes > 0;
    char *const items = host_alloc(bytes), *const parts = host_alloc(of_parts_bytes),
                *const locations = has_locations ? host_alloc((size_t)item_count * LOCATION_BYTES) : NULL,
                *const of_parts = host_alloc(RTS_ITEM_PARTS * LOCATION_BYTES);
    draw(r, items, element_count * item_count);
    for (int64_t i = 0; has_locations && i < item_count * LOCATION_BYTES; i++)
        locations[i] = (char)check_random_u64();
    rts_items_job_t job = {.operation = r->operation,
                           .type = r->type,
                           .element_bytes = r->element_bytes,
                           .location_bytes = r->location_bytes,
                           .element_count = element_count,
                           .item_count = item_count};
    void *const on_device = to_device(items, bytes);
    void *const locations_there =
        has_locations ? to_device(locations, (size_t)item_count * LOCATION_BYTES) : NULL;
    int64_t count = 0;
    job.items = on_device;
    job.locations = locations_there;
    CHECK_EQ_INT(ops->collect(GPU, &job, parts, has_locations ? of_parts : NULL, &count), RTS_OK);
    CHECK_EQ_INT(count, rts_min(item_count, RTS_ITEM_PARTS));
    for (int64_t element = 0; element < element_count; element++)
        check_parts(r, items + (size_t)(element * item_count) * r->element_bytes, locations, item_count,
                    parts + (size_t)(element * count) * r->element_bytes, of_parts, count);
    rts_cuda_ops.release(GPU, on_device);
    rts_cuda_ops.release(GPU, locations_there);
    rts_free(items);
    rts_free(parts);
    rts_free(locations);
    rts_free(of_parts);
}

static void check_fill(void) {
    const int64_t values = check_random_range(1, 5), repeat = check_random_range(1, 3000);
    const size_t bytes = (size_t)check_random_range(1, 20), total = bytes * (size_t)(values * repeat);
    char *const start = host_alloc(bytes * (size_t)values), *const found = host_alloc(total);
    for (size_t i = 0; i < bytes * (size_t)values; i++)
        start[i] = (char)check_random_u64();
    memset(found, 0, total);
    void *const memory = to_device(found, total);
    CHECK_EQ_INT(ops->fill(GPU, memory, start, bytes, values, repeat), RTS_OK);
    const rts_items_job_t job = {.operation = rf_SUM,
                                 .type = rt_CHAR,
                                 .element_bytes = 1,
                                 .element_count = (int64_t)total,
                                 .item_count = 1,
                                 .items = memory};
    int64_t count = 0;
    char *const room = host_alloc(total * RTS_ITEM_PARTS);
    CHECK_EQ_INT(ops->collect(GPU, &job, room, NULL, &count), RTS_OK); /* one item each: a copy */
    for (int64_t i = 0; i < values * repeat; i++)
        CHECK(memcmp(room + (size_t)i * bytes, start + (size_t)(i / repeat) * bytes, bytes) == 0);
    rts_cuda_ops.release(GPU, memory);
    rts_free(room);
    rts_free(start);
    rts_free(found);
}

int main(int argc, char **argv) {
    const rts_backend_options_t options = {.thread_count = 1, .first_device = GPU, .local_count = 1};
    static const int64_t counts[] = {1, 7, 256, 257, 511, 5000, 100003};
    const bool few = argc > 1 && strcmp(argv[1], "few") == 0;
    int devices = 0;
    check_random_start();
    if (!CHECK_EQ_INT(rts_cuda_ops.open(&options, &devices), RTS_OK))
        return check_finish();
    if (devices == 0)
        check_skip("no GPU here that this build can use");
    for (int operation = rf_SUM; operation <= rf_MINLOC; operation++)
        for (int type = rt_CHAR; type <= rt_USHORT; type++)
            for (size_t i = 0; i < sizeof counts / sizeof counts[0] - few; i++) {
                rts_reduction_t r;
                const bool is_loc = operation >= rf_MAXLOC;
                if ((few && !check_random_once_in(24)) ||
                    rts_reduction_init(operation, type, 1, is_loc ? LOCATION_BYTES : 0, &r) != RTS_OK)
                    continue;
                check_collect(&r, 1, counts[i]);
                if (!is_loc && counts[i] < 5000)
                    check_collect(&r, 3, counts[i]);
            }
    for (int i = 0; i < 20; i++)
        check_fill();
    rts_device_limits_t limits;
    CHECK_EQ_INT(ops->limits(GPU, &limits), RTS_OK);
    CHECK(limits.threads >= 1024 && limits.grid[0] >= 65535 && limits.registers >= 32768);
    rts_cuda_ops.close();
    return check_finish();
}
