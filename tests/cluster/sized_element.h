/* Elements of several sizes that hold a whole number: as many of its low bytes as there is room for; longer elements have copies of it behind,
 * changed, so that a part of an element that was lost shows. */
#ifndef SIZED_ELEMENT_H
#define SIZED_ELEMENT_H

#include "rts/element.h"
#include "tests/check.h"

enum { SIZED_LARGEST = 24 };

/** 1, 2, 4, 8, 16, or those of structures. The same in all processes. */
static inline size_t sized_random(void) {
    static const size_t sizes[] = {1, 2, 4, 8, 8, 16, 12, SIZED_LARGEST};
    return sizes[check_random_range(0, (int64_t)(sizeof sizes / sizeof sizes[0]) - 1)];
}

/** A type of the interface where there is one of that size. */
static inline rts_element_t sized_type(size_t bytes) {
    const int code = bytes == 1   ? rt_CHAR
                     : bytes == 2 ? rt_SHORT
                     : bytes == 4 ? rt_INT
                     : bytes == 8 ? rt_LLONG
                                  : RTS_ELEMENT_UNTYPED;
    return (rts_element_t){.code = code, .bytes = bytes};
}

/** What an element of that size can hold of a number. */
static inline int64_t sized_value(size_t bytes, int64_t number) {
    return bytes >= sizeof number ? number : (int64_t)((uint64_t)number & ((UINT64_C(1) << 8 * bytes) - 1));
}

static inline void sized_store(void *element, size_t bytes, int64_t number) {
    unsigned char *const to = element;
    for (size_t i = 0; i < bytes; i++)
        to[i] = (unsigned char)(((uint64_t)number >> i % 8 * 8) ^ i / 8 * 0x55);
}

/** The number; another one when the parts of the element do not belong together. */
static inline int64_t sized_load(const void *element, size_t bytes) {
    unsigned char again[SIZED_LARGEST];
    const unsigned char *const from = element;
    uint64_t number = 0;
    for (size_t i = 0; i < bytes && i < 8; i++)
        number |= (uint64_t)from[i] << i * 8;
    if (bytes <= 8)
        return (int64_t)number;
    sized_store(again, bytes, (int64_t)number);
    return memcmp(again, from, bytes) == 0 ? (int64_t)number : (int64_t)~number;
}

#endif
