/* CUDA's short vectors, with their alignments. Read by cuda_runtime.h. */
#ifndef EMULATED_VECTORS_H
#define EMULATED_VECTORS_H

#define EMULATED_VECTORS(type, name, bytes)                                                                  \
    struct name##1 {                                                                                         \
        type x;                                                                                              \
    };                                                                                                       \
    struct alignas(2 * (bytes)) name##2 {                                                                    \
        type x, y;                                                                                           \
    };                                                                                                       \
    struct alignas(4 * (bytes) < 16 ? 4 * (bytes) : 16) name##4 {                                            \
        type x, y, z, w;                                                                                     \
    };                                                                                                       \
    static inline name##2 make_##name##2(type x, type y) {                                                   \
        return name##2 {x, y};                                                                               \
    }                                                                                                        \
    static inline name##4 make_##name##4(type x, type y, type z, type w) {                                   \
        return name##4 {x, y, z, w};                                                                         \
    }

EMULATED_VECTORS(signed char, char, 1)
EMULATED_VECTORS(unsigned char, uchar, 1)
EMULATED_VECTORS(short, short, 2)
EMULATED_VECTORS(unsigned short, ushort, 2)
EMULATED_VECTORS(int, int, 4)
EMULATED_VECTORS(unsigned, uint, 4)
EMULATED_VECTORS(long, long, 8)
EMULATED_VECTORS(unsigned long, ulong, 8)
EMULATED_VECTORS(long long, longlong, 8)
EMULATED_VECTORS(unsigned long long, ulonglong, 8)
EMULATED_VECTORS(float, float, 4)
EMULATED_VECTORS(double, double, 8)

#undef EMULATED_VECTORS

static inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) {
    return uint3{x, y, z};
}

#endif
