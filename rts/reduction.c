/* Reduction arithmetic. One set of functions is generated for each element type of the ABI; a table leads
 * from the type's code to its functions. Decides which operations have a meaning for which types, and how
 * ties and NaN come out: comparisons are those of C, so a NaN never wins, and one that is already there
 * stays.
 *
 * Values are aligned as their type wants it; partial results must be stored likewise. */
#include <config.h>

#include "rts/reduction.h"

#include <complex.h>
#include <dvmhlib_const.h>
#include <string.h>

typedef enum type_class { CLASS_NONE = 0, CLASS_INTEGER, CLASS_REAL, CLASS_COMPLEX } type_class_t;

typedef struct type_ops {
    type_class_t class;
    void (*fill)(void *values, rts_index_t count, int value);
    /** into := into op from, for operations without locations. */
    void (*combine)(int operation, void *into, const void *from, rts_index_t count);
    /** Sign of a - b; 0 when they cannot be compared. */
    int (*compare)(const void *a, const void *b);
} type_ops_t;

/* Inside the generated functions: an expression of a = into[i] and b = from[i], for all elements. */
#define EACH(type, expression)                                                                               \
    for (rts_index_t i = 0; i < count; i++) {                                                                \
        const type a = into[i], b = from[i];                                                                 \
        into[i] = (type)(expression);                                                                        \
    }                                                                                                        \
    break

#define DEFINE_FILL(name, type)                                                                              \
    static void fill_##name(void *values, rts_index_t count, int value) {                                    \
        type *into = values;                                                                                 \
        for (rts_index_t i = 0; i < count; i++)                                                              \
            into[i] = (type)value;                                                                           \
    }

#define DEFINE_COMPARE(name, type)                                                                           \
    static int compare_##name(const void *a_p, const void *b_p) {                                            \
        const type a = *(const type *)a_p, b = *(const type *)b_p;                                           \
        return (a > b) - (a < b);                                                                            \
    }

/* Operations of every type that can be compared. `modular` is the type in which sums and products are
 * formed: unsigned for integers, because what overflows there wraps instead of being undefined. */
#define ORDERED_CASES(type, modular)                                                                         \
    case rf_SUM:                                                                                             \
        EACH(type, (modular)a + (modular)b);                                                                 \
    case rf_PROD:                                                                                            \
        EACH(type, (modular)a *(modular)b);                                                                  \
    case rf_MAX:                                                                                             \
        EACH(type, b > a ? b : a);                                                                           \
    case rf_MIN:                                                                                             \
        EACH(type, b < a ? b : a);                                                                           \
    case rf_EQU:                                                                                             \
    case rf_EQ:                                                                                              \
        EACH(type, a == b);                                                                                  \
    case rf_NE:                                                                                              \
        EACH(type, a != b);

#define DEFINE_INTEGER(name, type)                                                                           \
    DEFINE_FILL(name, type)                                                                                  \
    DEFINE_COMPARE(name, type)                                                                               \
    static void combine_##name(int operation, void *into_p, const void *from_p, rts_index_t count) {         \
        type *into = into_p;                                                                                 \
        const type *from = from_p;                                                                           \
        switch (operation) {                                                                                 \
            ORDERED_CASES(type, unsigned long long)                                                          \
        case rf_AND:                                                                                         \
            EACH(type, a &b);                                                                                \
        case rf_OR:                                                                                          \
            EACH(type, a | b);                                                                               \
        case rf_XOR:                                                                                         \
            EACH(type, a ^ b);                                                                               \
        }                                                                                                    \
    }

#define DEFINE_REAL(name, type)                                                                              \
    DEFINE_FILL(name, type)                                                                                  \
    DEFINE_COMPARE(name, type)                                                                               \
    static void combine_##name(int operation, void *into_p, const void *from_p, rts_index_t count) {         \
        type *into = into_p;                                                                                 \
        const type *from = from_p;                                                                           \
        switch (operation) { ORDERED_CASES(type, type) }                                                     \
    }

#define DEFINE_COMPLEX(name, type)                                                                           \
    DEFINE_FILL(name, type)                                                                                  \
    static void combine_##name(int operation, void *into_p, const void *from_p, rts_index_t count) {         \
        type *into = into_p;                                                                                 \
        const type *from = from_p;                                                                           \
        switch (operation) {                                                                                 \
        case rf_SUM:                                                                                         \
            EACH(type, a + b);                                                                               \
        case rf_PROD:                                                                                        \
            EACH(type, a *b);                                                                                \
        }                                                                                                    \
    }

DEFINE_INTEGER(char, char)
DEFINE_INTEGER(int, int)
DEFINE_INTEGER(long, long)
DEFINE_INTEGER(llong, long long)
DEFINE_INTEGER(uchar, unsigned char)
DEFINE_INTEGER(uint, unsigned int)
DEFINE_INTEGER(ulong, unsigned long)
DEFINE_INTEGER(ullong, unsigned long long)
DEFINE_INTEGER(short, short)
DEFINE_INTEGER(ushort, unsigned short)
DEFINE_REAL(float, float)
DEFINE_REAL(double, double)
DEFINE_COMPLEX(float_complex, float complex)
DEFINE_COMPLEX(double_complex, double complex)

#define ORDERED_ENTRY(class, name)                                                                           \
    { class, fill_##name, combine_##name, compare_##name }
#define COMPLEX_ENTRY(name)                                                                                  \
    { CLASS_COMPLEX, fill_##name, combine_##name, NULL }

static const type_ops_t types[] = {
    [rt_CHAR] = ORDERED_ENTRY(CLASS_INTEGER, char),      [rt_INT] = ORDERED_ENTRY(CLASS_INTEGER, int),
    [rt_LONG] = ORDERED_ENTRY(CLASS_INTEGER, long),      [rt_FLOAT] = ORDERED_ENTRY(CLASS_REAL, float),
    [rt_DOUBLE] = ORDERED_ENTRY(CLASS_REAL, double),     [rt_FLOAT_COMPLEX] = COMPLEX_ENTRY(float_complex),
    [rt_DOUBLE_COMPLEX] = COMPLEX_ENTRY(double_complex), [rt_LOGICAL] = ORDERED_ENTRY(CLASS_INTEGER, int),
    [rt_LLONG] = ORDERED_ENTRY(CLASS_INTEGER, llong),    [rt_UCHAR] = ORDERED_ENTRY(CLASS_INTEGER, uchar),
    [rt_UINT] = ORDERED_ENTRY(CLASS_INTEGER, uint),      [rt_ULONG] = ORDERED_ENTRY(CLASS_INTEGER, ulong),
    [rt_ULLONG] = ORDERED_ENTRY(CLASS_INTEGER, ullong),  [rt_SHORT] = ORDERED_ENTRY(CLASS_INTEGER, short),
    [rt_USHORT] = ORDERED_ENTRY(CLASS_INTEGER, ushort),  [rt_POINTER] = {CLASS_NONE, NULL, NULL, NULL},
};

typedef struct operation_entry {
    const char *name;
    type_class_t widest; /* the operation has a meaning for the classes up to this one */
    bool starts_neutral;
    int neutral;
} operation_entry_t;

static const operation_entry_t operations[] = {
    [rf_SUM] = {"SUM", CLASS_COMPLEX, true, 0},     [rf_PROD] = {"PROD", CLASS_COMPLEX, true, 1},
    [rf_MAX] = {"MAX", CLASS_REAL, false, 0},       [rf_MIN] = {"MIN", CLASS_REAL, false, 0},
    [rf_AND] = {"AND", CLASS_INTEGER, false, 0},    [rf_OR] = {"OR", CLASS_INTEGER, false, 0},
    [rf_XOR] = {"XOR", CLASS_INTEGER, true, 0},     [rf_EQU] = {"EQU", CLASS_REAL, true, 1},
    [rf_NE] = {"NE", CLASS_REAL, true, 0},          [rf_EQ] = {"EQ", CLASS_REAL, true, 1},
    [rf_MAXLOC] = {"MAXLOC", CLASS_REAL, false, 0}, [rf_MINLOC] = {"MINLOC", CLASS_REAL, false, 0},
};

static bool is_loc(DvmType operation) {
    return operation == rf_MAXLOC || operation == rf_MINLOC;
}

rts_status_t rts_reduction_init(DvmType operation, DvmType type, DvmType count, DvmType location_bytes,
                                rts_reduction_t *reduction_p) {
    if (operation < rf_SUM || operation > rf_MINLOC)
        return rts_fail(RTS_ERR_INVALID, "reduction operation %lld is unknown, allowed are %d..%d",
                        (long long)operation, rf_SUM, rf_MINLOC);
    const size_t bytes = rts_element_bytes(type);
    if (bytes == 0)
        return rts_fail(RTS_ERR_INVALID, "type %lld of a reduction variable is unknown, allowed are 0..%d",
                        (long long)type, rt_USHORT);
    const operation_entry_t *entry = &operations[operation];
    if (types[type].class == CLASS_NONE || types[type].class > entry->widest)
        return rts_fail(RTS_ERR_INVALID, "reduction %s has no meaning for type %s", entry->name,
                        rts_element_name((int)type));
    if (count < 1)
        return rts_fail(RTS_ERR_INVALID, "reduction %s of %lld elements, allowed are 1 and more", entry->name,
                        (long long)count);
    if (location_bytes < 0)
        return rts_fail(RTS_ERR_INVALID, "reduction %s with %lld bytes of location, allowed are 0 and more",
                        entry->name, (long long)location_bytes);
    const DvmType used_bytes = is_loc(operation) ? location_bytes : 0;
    rts_index_t total;
    if (__builtin_mul_overflow(count, (rts_index_t)bytes, &total) ||
        __builtin_mul_overflow(count, used_bytes, &total))
        return rts_fail(RTS_ERR_INVALID, "reduction %s of %lld elements is larger than any memory",
                        entry->name, (long long)count);
    *reduction_p = (rts_reduction_t){.operation = (int)operation,
                                     .type = (int)type,
                                     .count = count,
                                     .element_bytes = bytes,
                                     .location_bytes = (size_t)used_bytes};
    return RTS_OK;
}

bool rts_reduction_has_location(const rts_reduction_t *reduction) {
    return reduction->location_bytes > 0;
}

bool rts_reduction_starts_neutral(const rts_reduction_t *reduction) {
    return operations[reduction->operation].starts_neutral;
}

void rts_reduction_start(const rts_reduction_t *reduction, void *values, void *locations, const void *before,
                         const void *before_locations) {
    const operation_entry_t *entry = &operations[reduction->operation];
    if (entry->starts_neutral) {
        types[reduction->type].fill(values, reduction->count, entry->neutral);
        return;
    }
    memcpy(values, before, (size_t)reduction->count * reduction->element_bytes);
    if (rts_reduction_has_location(reduction) && locations != NULL && before_locations != NULL)
        memcpy(locations, before_locations, (size_t)reduction->count * reduction->location_bytes);
}

/* A better value takes its location along. */
static void combine_locations(const rts_reduction_t *reduction, void *into, void *into_locations,
                              const void *from, const void *from_locations) {
    const int better = reduction->operation == rf_MAXLOC ? 1 : -1;
    const bool moves =
        rts_reduction_has_location(reduction) && into_locations != NULL && from_locations != NULL;
    const size_t bytes = reduction->element_bytes, location_bytes = reduction->location_bytes;
    for (size_t i = 0; i < (size_t)reduction->count; i++) {
        char *old_value = (char *)into + i * bytes;
        const char *new_value = (const char *)from + i * bytes;
        if (types[reduction->type].compare(new_value, old_value) != better)
            continue;
        memcpy(old_value, new_value, bytes);
        if (moves)
            memcpy((char *)into_locations + i * location_bytes,
                   (const char *)from_locations + i * location_bytes, location_bytes);
    }
}

void rts_reduction_combine(const rts_reduction_t *reduction, void *into, void *into_locations,
                           const void *from, const void *from_locations) {
    if (is_loc(reduction->operation))
        combine_locations(reduction, into, into_locations, from, from_locations);
    else
        types[reduction->type].combine(reduction->operation, into, from, reduction->count);
}
