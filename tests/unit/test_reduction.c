/* Every reduction of every element type against arithmetic written a second time: integers as 128-bit
 * numbers cut down to the type's width, floating point in double. */
#include <config.h>

#include "rts/reduction.h"

#include "tests/check.h"

#include <dvmhlib_const.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdalign.h>
#include <string.h>

__extension__ typedef __int128 wide_t;

enum { LARGEST_COUNT = 9, LOCATION_LARGEST = 24, ROOM = LARGEST_COUNT * LOCATION_LARGEST };

static rts_index_t pick(rts_index_t low, rts_index_t high) {
    return check_random_range(low, high);
}

/* What the test knows of a type on its own: 'i' signed, 'u' unsigned, 'f' floating point, 'c' complex. */
typedef struct kind {
    char family;
    size_t bytes;
} kind_t;

static kind_t kind_of(int type) {
    switch (type) {
    case rt_CHAR:
        return (kind_t){CHAR_MIN < 0 ? 'i' : 'u', 1};
    case rt_SHORT:
        return (kind_t){'i', 2};
    case rt_INT:
    case rt_LOGICAL:
        return (kind_t){'i', 4};
    case rt_LONG:
        return (kind_t){'i', sizeof(long)};
    case rt_LLONG:
        return (kind_t){'i', 8};
    case rt_UCHAR:
        return (kind_t){'u', 1};
    case rt_USHORT:
        return (kind_t){'u', 2};
    case rt_UINT:
        return (kind_t){'u', 4};
    case rt_ULONG:
        return (kind_t){'u', sizeof(long)};
    case rt_ULLONG:
        return (kind_t){'u', 8};
    case rt_FLOAT:
        return (kind_t){'f', 4};
    case rt_DOUBLE:
        return (kind_t){'f', 8};
    case rt_FLOAT_COMPLEX:
        return (kind_t){'c', 8};
    case rt_DOUBLE_COMPLEX:
        return (kind_t){'c', 16};
    default:
        return (kind_t){0, 0};
    }
}

static bool has_meaning(int operation, int type) {
    const char family = kind_of(type).family;
    if (family == 'c')
        return operation == rf_SUM || operation == rf_PROD;
    if (family == 'f')
        return operation != rf_AND && operation != rf_OR && operation != rf_XOR;
    return family != 0;
}

/* Integers of any width, byte order of the machine. */
static wide_t load_integer(kind_t kind, const void *place) {
    union {
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
    } any;
    memcpy(&any, place, kind.bytes);
    const bool is_signed = kind.family == 'i';
    switch (kind.bytes) {
    case 1:
        return is_signed ? (wide_t)any.i8 : any.u8;
    case 2:
        return is_signed ? (wide_t)any.i16 : any.u16;
    case 4:
        return is_signed ? (wide_t)any.i32 : any.u32;
    default:
        return is_signed ? (wide_t)any.i64 : (wide_t)any.u64;
    }
}

static void store_integer(kind_t kind, void *place, wide_t value) {
    const uint8_t u8 = (uint8_t)value;
    const uint16_t u16 = (uint16_t)value;
    const uint32_t u32 = (uint32_t)value;
    const uint64_t u64 = (uint64_t)value;
    memcpy(place,
           kind.bytes == 1   ? (const void *)&u8
           : kind.bytes == 2 ? (const void *)&u16
           : kind.bytes == 4 ? (const void *)&u32
                             : (const void *)&u64,
           kind.bytes);
}

static double load_real(size_t bytes, const void *place) {
    float single;
    double twice;
    memcpy(&single, place, sizeof single);
    memcpy(&twice, place, bytes == 8 ? 8 : 4);
    return bytes == 8 ? twice : (double)single;
}

static void store_real(size_t bytes, void *place, double value) {
    const float single = (float)value;
    memcpy(place, bytes == 8 ? (const void *)&value : (const void *)&single, bytes);
}

static bool integer_better(int operation, wide_t candidate, wide_t holder) {
    return operation == rf_MAX || operation == rf_MAXLOC ? candidate > holder : candidate < holder;
}

static void expect_integer(int operation, kind_t kind, void *into, const void *from) {
    const wide_t a = load_integer(kind, into), b = load_integer(kind, from);
    wide_t result = 0;
    switch (operation) {
    case rf_SUM:
        result = a + b;
        break;
    case rf_PROD: /* the low half of a product of 64-bit numbers is all that is kept */
        result = (wide_t)((uint64_t)a * (uint64_t)b);
        break;
    case rf_AND:
        result = a & b;
        break;
    case rf_OR:
        result = a | b;
        break;
    case rf_XOR:
        result = a ^ b;
        break;
    case rf_EQU:
    case rf_EQ:
        result = a == b ? 1 : 0;
        break;
    case rf_NE:
        result = a == b ? 0 : 1;
        break;
    default:
        result = integer_better(operation, b, a) ? b : a;
    }
    store_integer(kind, into, result);
}

static void expect_real(int operation, kind_t kind, void *into, const void *from) {
    const double a = load_real(kind.bytes, into), b = load_real(kind.bytes, from);
    double result = a;
    if (operation == rf_SUM)
        result = a + b;
    else if (operation == rf_PROD)
        result = a * b;
    else if (operation == rf_EQU || operation == rf_EQ)
        result = a == b ? 1 : 0;
    else if (operation == rf_NE)
        result = a == b ? 0 : 1;
    else if (operation == rf_MAX || operation == rf_MAXLOC ? b > a : b < a)
        result = b;
    store_real(kind.bytes, into, result);
}

static void expect_complex(int operation, kind_t kind, void *into, const void *from) {
    const size_t half = kind.bytes / 2;
    const double ar = load_real(half, into), ai = load_real(half, (char *)into + half);
    const double br = load_real(half, from), bi = load_real(half, (const char *)from + half);
    store_real(half, into, operation == rf_SUM ? ar + br : ar * br - ai * bi);
    store_real(half, (char *)into + half, operation == rf_SUM ? ai + bi : ar * bi + ai * br);
}

static void expect(int operation, kind_t kind, void *into, const void *from) {
    if (kind.family == 'c')
        expect_complex(operation, kind, into, from);
    else if (kind.family == 'f')
        expect_real(operation, kind, into, from);
    else
        expect_integer(operation, kind, into, from);
}

static bool is_loc(int operation) {
    return operation == rf_MAXLOC || operation == rf_MINLOC;
}

/* Few distinct values, so that ties are common, and now and then the extremes of the type. Complex numbers
 * are small whole ones, whose products are exact in any order of evaluation. */
static void random_value(kind_t kind, void *place) {
    const size_t part = kind.family == 'c' ? kind.bytes / 2 : kind.bytes;
    const rts_index_t manner = pick(0, 9);
    for (size_t done = 0; done < kind.bytes; done += part) {
        char *at = (char *)place + done;
        if (kind.family == 'i' || kind.family == 'u') {
            if (manner < 7)
                store_integer(kind, at, pick(-2, 2));
            else /* any bits, among them the smallest and the largest number */
                store_integer(kind, at,
                              manner == 7 ? (wide_t)1 << (8 * kind.bytes - 1) : (wide_t)check_random_u64());
        } else if (kind.family == 'c' || manner < 7) {
            store_real(part, at, (double)pick(-3, 3));
        } else {
            store_real(part, at, (double)pick(-1000000, 1000000) / 7.0);
        }
    }
}

static bool same_value(kind_t kind, const void *a, const void *b) {
    if (kind.family == 'i' || kind.family == 'u')
        return memcmp(a, b, kind.bytes) == 0;
    const size_t part = kind.family == 'c' ? kind.bytes / 2 : kind.bytes;
    for (size_t done = 0; done < kind.bytes; done += part) {
        const double x = load_real(part, (const char *)a + done), y = load_real(part, (const char *)b + done);
        if (!(x == y || (isnan(x) && isnan(y))))
            return false;
    }
    return true;
}

typedef struct partial {
    alignas(16) char values[LARGEST_COUNT * 16 + 16];
    char locations[ROOM + 8];
} partial_t;

static void random_partial(const rts_reduction_t *reduction, kind_t kind, partial_t *partial) {
    memset(partial, 0x5a, sizeof *partial); /* what lies behind the values is seen when it changes */
    for (rts_index_t i = 0; i < reduction->count; i++)
        random_value(kind, partial->values + (size_t)i * kind.bytes);
    for (size_t i = 0; i < (size_t)reduction->count * reduction->location_bytes; i++)
        partial->locations[i] = (char)check_random_u64();
}

static void expect_partial(const rts_reduction_t *reduction, kind_t kind, partial_t *into,
                           const partial_t *from, bool with_locations) {
    for (size_t i = 0; i < (size_t)reduction->count; i++) {
        char before[16], *value = into->values + i * kind.bytes;
        memcpy(before, value, kind.bytes);
        expect(reduction->operation, kind, value, from->values + i * kind.bytes);
        const size_t bytes = reduction->location_bytes;
        if (is_loc(reduction->operation) && with_locations && !same_value(kind, before, value))
            memcpy(into->locations + i * bytes, from->locations + i * bytes, bytes);
    }
}

static void check_partial(const rts_reduction_t *reduction, kind_t kind, const partial_t *is,
                          const partial_t *should) {
    const size_t used = (size_t)reduction->count * kind.bytes;
    for (size_t i = 0; i < used; i += kind.bytes)
        CHECK(same_value(kind, is->values + i, should->values + i));
    CHECK(memcmp(is->values + used, should->values + used, sizeof is->values - used) == 0);
    CHECK(memcmp(is->locations, should->locations, sizeof is->locations) == 0);
}

static void check_start(const rts_reduction_t *reduction, kind_t kind) {
    partial_t before, is, should;
    random_partial(reduction, kind, &before);
    memset(&is, 0x5a, sizeof is);
    should = is;
    const int operation = reduction->operation;
    const bool neutral = operation == rf_SUM || operation == rf_PROD || operation == rf_XOR ||
                         operation == rf_NE || operation == rf_EQ || operation == rf_EQU;
    CHECK_EQ_INT(rts_reduction_starts_neutral(reduction), neutral);
    const int start = operation == rf_PROD || operation == rf_EQ || operation == rf_EQU ? 1 : 0;
    for (size_t i = 0; i < (size_t)reduction->count; i++) {
        char *value = should.values + i * kind.bytes;
        memset(value, 0, kind.bytes);
        if (kind.family == 'i' || kind.family == 'u')
            store_integer(kind, value, start);
        else
            store_real(kind.family == 'c' ? kind.bytes / 2 : kind.bytes, value, start);
    }
    if (!neutral) {
        memcpy(should.values, before.values, (size_t)reduction->count * kind.bytes);
        memcpy(should.locations, before.locations, (size_t)reduction->count * reduction->location_bytes);
    }
    rts_reduction_start(reduction, is.values, is.locations, before.values, before.locations);
    check_partial(reduction, kind, &is, &should);
    memset(is.locations, 0x11, sizeof is.locations);
    memcpy(should.locations, is.locations, sizeof is.locations);
    rts_reduction_start(reduction, is.values, NULL, before.values, before.locations);
    check_partial(reduction, kind, &is, &should);
}

static void test_every_pair(void) {
    for (int operation = rf_SUM; operation <= rf_MINLOC; operation++)
        for (int type = rt_CHAR; type <= rt_USHORT; type++)
            for (int round = 0; has_meaning(operation, type) && round < 120; round++) {
                const kind_t kind = kind_of(type);
                const DvmType count = pick(1, LARGEST_COUNT), location = pick(0, LOCATION_LARGEST);
                rts_reduction_t reduction;
                CHECK_EQ_INT(rts_reduction_init(operation, type, count, location, &reduction), RTS_OK);
                CHECK_EQ_INT(reduction.element_bytes, kind.bytes);
                CHECK_EQ_INT(reduction.location_bytes, is_loc(operation) ? location : 0);
                CHECK_EQ_INT(rts_reduction_has_location(&reduction), is_loc(operation) && location > 0);
                check_start(&reduction, kind);
                partial_t is, from;
                random_partial(&reduction, kind, &is);
                partial_t should = is;
                for (int step = 0; step < 5; step++) {
                    random_partial(&reduction, kind, &from);
                    const partial_t untouched = from;
                    const bool with_locations = pick(0, 5) != 0; /* loops without location variables exist */
                    rts_reduction_combine(&reduction, is.values, with_locations ? is.locations : NULL,
                                          from.values, with_locations ? from.locations : NULL);
                    expect_partial(&reduction, kind, &should, &from, with_locations);
                    check_partial(&reduction, kind, &is, &should);
                    CHECK(memcmp(&from, &untouched, sizeof from) == 0);
                }
            }
}

static void test_examples(void) {
    rts_reduction_t reduction;
    CHECK_EQ_INT(rts_reduction_init(rf_MAXLOC, rt_DOUBLE, 2, 2 * sizeof(int), &reduction), RTS_OK);
    double into[2] = {3, 5}, from[2] = {3, 6};
    int into_at[4] = {1, 2, 3, 4}, from_at[4] = {5, 6, 7, 8};
    rts_reduction_combine(&reduction, into, into_at, from, from_at);
    CHECK(into[0] == 3 && into[1] == 6);
    CHECK(into_at[0] == 1 && into_at[1] == 2 && into_at[2] == 7 && into_at[3] == 8);

    CHECK_EQ_INT(rts_reduction_init(rf_MIN, rt_DOUBLE, 2, 0, &reduction), RTS_OK);
    double low[2] = {1, NAN}, not_a_number[2] = {NAN, 0};
    rts_reduction_combine(&reduction, low, NULL, not_a_number, NULL);
    CHECK(low[0] == 1 && isnan(low[1]));

    CHECK_EQ_INT(rts_reduction_init(rf_SUM, rt_INT, 1, 0, &reduction), RTS_OK);
    int large = INT_MAX, one = 1;
    rts_reduction_combine(&reduction, &large, NULL, &one, NULL);
    CHECK_EQ_INT(large, INT_MIN);
    CHECK_EQ_INT(rts_reduction_init(rf_PROD, rt_USHORT, 1, 0, &reduction), RTS_OK);
    unsigned short word = 65535, other = 65535;
    rts_reduction_combine(&reduction, &word, NULL, &other, NULL);
    CHECK_EQ_INT(word, 1);
    CHECK_EQ_INT(rts_reduction_init(rf_MAX, rt_UCHAR, 1, 0, &reduction), RTS_OK);
    unsigned char small = 200, smaller = 100;
    rts_reduction_combine(&reduction, &small, NULL, &smaller, NULL);
    CHECK_EQ_INT(small, 200);
}

static void refuse(DvmType operation, DvmType type, DvmType count, DvmType location, const char *text) {
    rts_reduction_t reduction = {.count = -7};
    (void)rts_fail(RTS_OK, "%s", "");
    CHECK_EQ_INT(rts_reduction_init(operation, type, count, location, &reduction), RTS_ERR_INVALID);
    CHECK_EQ_INT(reduction.count, -7);
    CHECK_CONTAINS(rts_error_text(), text);
}

static void test_refused(void) {
    for (int operation = -1; operation <= 14; operation++)
        for (int type = -2; type <= 17; type++) {
            rts_reduction_t reduction;
            const bool known = operation >= rf_SUM && operation <= rf_MINLOC;
            const rts_status_t status = rts_reduction_init(operation, type, 1, 0, &reduction);
            CHECK_EQ_INT(status, known && has_meaning(operation, type) ? RTS_OK : RTS_ERR_INVALID);
        }
    refuse(0, rt_INT, 1, 0, "operation 0 is unknown, allowed are 1..12");
    refuse(13, rt_INT, 1, 0, "operation 13");
    refuse(INT64_MAX, rt_INT, 1, 0, "unknown");
    refuse(rf_SUM, 16, 1, 0, "type 16");
    refuse(rf_SUM, rt_POINTER, 1, 0, "reduction SUM has no meaning for type pointer");
    refuse(rf_XOR, rt_FLOAT, 1, 0, "reduction XOR has no meaning for type float");
    refuse(rf_MAX, rt_DOUBLE_COMPLEX, 1, 0, "reduction MAX has no meaning for type double complex");
    refuse(rf_SUM, rt_INT, 0, 0, "0 elements");
    refuse(rf_SUM, rt_INT, -5, 0, "-5 elements");
    refuse(rf_MAXLOC, rt_INT, 1, -1, "-1 bytes");
    refuse(rf_SUM, rt_DOUBLE, INT64_MAX / 4, 0, "larger than any memory");
    refuse(rf_MAXLOC, rt_CHAR, INT64_MAX / 4, 8, "larger than any memory");
}

static void test_element_types(void) {
    for (int code = -2; code <= 17; code++) {
        const size_t bytes = code == rt_POINTER ? sizeof(void *) : kind_of(code).bytes;
        CHECK_EQ_INT(rts_element_bytes(code), bytes);
        CHECK(rts_element_name(code)[0] != '\0');
        rts_element_t element = {99, 99};
        if (code >= 0) {
            CHECK_EQ_INT(rts_element_decode(-code, &element), bytes > 0 ? RTS_OK : RTS_ERR_INVALID);
            CHECK_EQ_INT(element.code, bytes > 0 ? code : 99);
            CHECK_EQ_INT(element.bytes, bytes > 0 ? bytes : 99);
        }
    }
    rts_element_t element;
    CHECK_EQ_INT(rts_element_decode(24, &element), RTS_OK);
    CHECK(element.code == RTS_ELEMENT_UNTYPED && element.bytes == 24);
    CHECK_EQ_STR(rts_element_name(element.code), "untyped");
    CHECK_EQ_STR(rts_element_name(rt_DOUBLE), "double");
    CHECK_EQ_INT(rts_element_decode(INT64_MIN, &element), RTS_ERR_INVALID);
    CHECK_EQ_INT(rts_element_decode(-16, &element), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "-16");
}

int main(void) {
    check_random_start();
    test_every_pair();
    test_examples();
    test_refused();
    test_element_types();
    return check_finish();
}
