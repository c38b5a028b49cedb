/* Fortran for kernels of generated code: complex numbers, functions of mixed types, functions on bits, and atomic updates. What is not
 * here is CUDA's own: sqrt, exp, and so on of real numbers. */
#ifndef DVMHLIB_F2C_H
#define DVMHLIB_F2C_H

#ifdef __CUDACC__

#define DVMHLIB_F2C template <typename T> __host__ __device__ __forceinline__

/* ---- complex numbers ---- */

template <typename T> class Complex {
  public:
    T re, im;
    __host__ __device__ Complex(T real_part = 0, T imaginary_part = 0) : re(real_part), im(imaginary_part) {}
    template <typename U>
    __host__ __device__ Complex(const Complex<U> &other) : re((T)other.re), im((T)other.im) {}
    template <typename U> __host__ __device__ Complex &operator=(const Complex<U> &other) {
        re = (T)other.re;
        im = (T)other.im;
        return *this;
    }
    template <typename U> __host__ __device__ Complex &operator=(U real_part) {
        re = (T)real_part;
        im = 0;
        return *this;
    }
    __host__ __device__ Complex operator-() const { return Complex(-re, -im); }
    __host__ __device__ Complex operator+() const { return *this; }
    template <typename U> __host__ __device__ Complex &operator+=(const U &other) {
        return *this = *this + Complex(other);
    }
    template <typename U> __host__ __device__ Complex &operator-=(const U &other) {
        return *this = *this - Complex(other);
    }
    template <typename U> __host__ __device__ Complex &operator*=(const U &other) {
        return *this = *this * Complex(other);
    }
    template <typename U> __host__ __device__ Complex &operator/=(const U &other) {
        return *this = *this / Complex(other);
    }
};

DVMHLIB_F2C Complex<T> dvmh_add(const Complex<T> &a, const Complex<T> &b) {
    return Complex<T>(a.re + b.re, a.im + b.im);
}
DVMHLIB_F2C Complex<T> dvmh_subtract(const Complex<T> &a, const Complex<T> &b) {
    return Complex<T>(a.re - b.re, a.im - b.im);
}
DVMHLIB_F2C Complex<T> dvmh_multiply(const Complex<T> &a, const Complex<T> &b) {
    return Complex<T>(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
/* By the larger part of the divisor, so that squares do not overflow. */
DVMHLIB_F2C Complex<T> dvmh_divide(const Complex<T> &a, const Complex<T> &b) {
    if (fabs(b.re) >= fabs(b.im)) {
        const T ratio = b.im / b.re, scale = b.re + b.im * ratio;
        return Complex<T>((a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale);
    }
    const T ratio = b.re / b.im, scale = b.re * ratio + b.im;
    return Complex<T>((a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale);
}

/* Of float and double the result has the wider; whole numbers take the type of the other. */
template <typename A, typename B> struct dvmh_wider { typedef double type; };
template <> struct dvmh_wider<float, float> { typedef float type; };
template <typename T, typename U> struct dvmh_wider_of { typedef T type; /* U is a whole number */ };
template <typename T> struct dvmh_wider_of<T, float> { typedef typename dvmh_wider<T, float>::type type; };
template <typename T> struct dvmh_wider_of<T, double> { typedef typename dvmh_wider<T, double>::type type; };

#define DVMHLIB_COMPLEX_OPERATOR(symbol, function)                                                           \
    template <typename T, typename U>                                                                        \
    __host__ __device__ __forceinline__ Complex<typename dvmh_wider<T, U>::type>                             \
    operator symbol(const Complex<T> &a, const Complex<U> &b) {                                              \
        typedef Complex<typename dvmh_wider<T, U>::type> wide;                                               \
        return function(wide(a), wide(b));                                                                   \
    }                                                                                                        \
    template <typename T, typename U>                                                                        \
    __host__ __device__ __forceinline__ Complex<typename dvmh_wider_of<T, U>::type>                          \
    operator symbol(const Complex<T> &a, U b) {                                                              \
        typedef typename dvmh_wider_of<T, U>::type real_type;                                                \
        return function(Complex<real_type>(a), Complex<real_type>((real_type)b));                            \
    }                                                                                                        \
    template <typename T, typename U>                                                                        \
    __host__ __device__ __forceinline__ Complex<typename dvmh_wider_of<T, U>::type>                          \
    operator symbol(U a, const Complex<T> &b) {                                                              \
        typedef typename dvmh_wider_of<T, U>::type real_type;                                                \
        return function(Complex<real_type>((real_type)a), Complex<real_type>(b));                            \
    }

DVMHLIB_COMPLEX_OPERATOR(+, dvmh_add)
DVMHLIB_COMPLEX_OPERATOR(-, dvmh_subtract)
DVMHLIB_COMPLEX_OPERATOR(*, dvmh_multiply)
DVMHLIB_COMPLEX_OPERATOR(/, dvmh_divide)
#undef DVMHLIB_COMPLEX_OPERATOR

template <typename T, typename U>
__host__ __device__ __forceinline__ bool operator==(const Complex<T> &a, const Complex<U> &b) {
    return a.re == b.re && a.im == b.im;
}
template <typename T, typename U>
__host__ __device__ __forceinline__ bool operator!=(const Complex<T> &a, const Complex<U> &b) {
    return !(a == b);
}
template <typename T, typename U>
__host__ __device__ __forceinline__ bool operator==(const Complex<T> &a, U b) {
    return a.re == b && a.im == 0;
}
template <typename T, typename U>
__host__ __device__ __forceinline__ bool operator!=(const Complex<T> &a, U b) {
    return !(a == b);
}
template <typename T, typename U>
__host__ __device__ __forceinline__ bool operator==(U a, const Complex<T> &b) {
    return b == a;
}
template <typename T, typename U>
__host__ __device__ __forceinline__ bool operator!=(U a, const Complex<T> &b) {
    return !(b == a);
}

DVMHLIB_F2C Complex<float> cmpxf(T real_part) {
    return Complex<float>(real_part);
}
DVMHLIB_F2C Complex<double> cmpxd(T real_part) {
    return Complex<double>(real_part);
}
DVMHLIB_F2C float Float(const Complex<T> &a) {
    return (float)a.re;
}
DVMHLIB_F2C double Double(const Complex<T> &a) {
    return (double)a.re;
}
DVMHLIB_F2C T real(const Complex<T> &a) {
    return a.re;
}
DVMHLIB_F2C T real(T a) {
    return a;
}
DVMHLIB_F2C T imag(const Complex<T> &a) {
    return a.im;
}
DVMHLIB_F2C Complex<T> conj(const Complex<T> &a) {
    return Complex<T>(a.re, -a.im);
}
DVMHLIB_F2C T abs(const Complex<T> &a) {
    return hypot(a.re, a.im);
}
DVMHLIB_F2C Complex<T> exp(const Complex<T> &a) {
    const T size = exp(a.re);
    return Complex<T>(size * cos(a.im), size * sin(a.im));
}
DVMHLIB_F2C Complex<T> log(const Complex<T> &a) {
    return Complex<T>(log(abs(a)), atan2(a.im, a.re));
}
DVMHLIB_F2C Complex<T> log10(const Complex<T> &a) {
    const Complex<T> natural = log(a);
    const T scale = (T)0.43429448190325182765; /* 1 / ln 10 */
    return Complex<T>(natural.re * scale, natural.im * scale);
}
DVMHLIB_F2C Complex<T> sqrt(const Complex<T> &a) {
    const T size = abs(a);
    if (size == 0)
        return Complex<T>(0, a.im);
    const T half = sqrt((size + fabs(a.re)) / 2);
    const T other = fabs(a.im) / (2 * half);
    return a.re >= 0 ? Complex<T>(half, copysign(other, a.im)) : Complex<T>(other, copysign(half, a.im));
}
DVMHLIB_F2C Complex<T> sin(const Complex<T> &a) {
    return Complex<T>(sin(a.re) * cosh(a.im), cos(a.re) * sinh(a.im));
}
DVMHLIB_F2C Complex<T> cos(const Complex<T> &a) {
    return Complex<T>(cos(a.re) * cosh(a.im), -sin(a.re) * sinh(a.im));
}
DVMHLIB_F2C Complex<T> tan(const Complex<T> &a) {
    return sin(a) / cos(a);
}
DVMHLIB_F2C Complex<T> ctan(const Complex<T> &a) {
    return cos(a) / sin(a);
}
DVMHLIB_F2C Complex<T> pow(const Complex<T> &base, int exponent) {
    Complex<T> power = base, result(1);
    for (unsigned rest = exponent < 0 ? 0u - (unsigned)exponent : (unsigned)exponent; rest != 0; rest /= 2) {
        if (rest % 2 != 0)
            result = result * power;
        power = power * power;
    }
    return exponent < 0 ? Complex<T>(1) / result : result;
}
DVMHLIB_F2C Complex<T> pow(const Complex<T> &base, const Complex<T> &exponent) {
    return base == 0 ? Complex<T>(exponent == 0 ? 1 : 0) : exp(exponent * log(base));
}

DVMHLIB_F2C Complex<T> pow(const Complex<T> &base, T exponent) {
    return pow(base, Complex<T>(exponent));
}

/* ---- functions of mixed types: more than two arguments, and reals of two lengths are CUDA's for two ---- */

template <typename A, typename B, typename C, typename... Rest>
__host__ __device__ __forceinline__ auto max(A a, B b, C c, Rest... rest) {
    return max(max(a, b), c, rest...);
}
template <typename A, typename B, typename C, typename... Rest>
__host__ __device__ __forceinline__ auto min(A a, B b, C c, Rest... rest) {
    return min(min(a, b), c, rest...);
}

__host__ __device__ __forceinline__ double dprod(float a, float b) {
    return (double)a * (double)b;
}

/* ---- bits; positions count from the lowest, 0 ---- */

template <typename T> struct dvmh_unsigned;
#define DVMHLIB_UNSIGNED(whole, plain)                                                                       \
    template <> struct dvmh_unsigned<whole> { typedef plain type; };
DVMHLIB_UNSIGNED(char, unsigned char)
DVMHLIB_UNSIGNED(signed char, unsigned char)
DVMHLIB_UNSIGNED(short, unsigned short)
DVMHLIB_UNSIGNED(int, unsigned)
DVMHLIB_UNSIGNED(long, unsigned long)
DVMHLIB_UNSIGNED(long long, unsigned long long)
#undef DVMHLIB_UNSIGNED

/** Numbers of bits of a type. */
DVMHLIB_F2C int dvmh_bits(T) {
    return 8 * (int)sizeof(T);
}
/** The lowest `count` bits set. */
DVMHLIB_F2C T dvmh_low_bits(T like, int count) {
    typedef typename dvmh_unsigned<T>::type plain;
    return count >= dvmh_bits(like) ? (T)(plain)-1 : (T)(((plain)1 << count) - 1);
}
DVMHLIB_F2C T lshft(T value, int count) {
    return count >= dvmh_bits(value) ? 0 : (T)((typename dvmh_unsigned<T>::type)value << count);
}
DVMHLIB_F2C T rshft(T value, int count) {
    return count >= dvmh_bits(value) ? 0 : (T)((typename dvmh_unsigned<T>::type)value >> count);
}
/** Left when positive; zeros come in. */
DVMHLIB_F2C T ishft(T value, int count) {
    return count >= 0 ? lshft(value, count) : rshft(value, -count);
}
DVMHLIB_F2C T shiftBits(T value, int count) {
    return ishft(value, count);
}
/** Right, the sign comes in. */
DVMHLIB_F2C T shifta(T value, int count) {
    return value >> (count >= dvmh_bits(value) ? dvmh_bits(value) - 1 : count);
}
DVMHLIB_F2C T shiftr(T value, int count) {
    return rshft(value, count);
}
DVMHLIB_F2C T isha(T value, int count) {
    return count >= 0 ? lshft(value, count) : shifta(value, -count);
}
/** The lowest `size` bits turned round, left when positive; the others stay. */
DVMHLIB_F2C T ishftc(T value, int count, int size) {
    const T mask = dvmh_low_bits(value, size), part = value & mask;
    const int turn = ((count % size) + size) % size;
    return (T)((value & ~mask) | ((lshft(part, turn) | rshft(part, size - turn)) & mask));
}
DVMHLIB_F2C T ishftc(T value, int count) {
    return ishftc(value, count, dvmh_bits(value));
}
DVMHLIB_F2C T ishc(T value, int count) {
    return ishftc(value, count);
}
DVMHLIB_F2C bool btest(T value, int position) {
    return (rshft(value, position) & 1) != 0;
}
DVMHLIB_F2C T ibset(T value, int position) {
    return (T)(value | lshft((T)1, position));
}
DVMHLIB_F2C T ibclr(T value, int position) {
    return (T)(value & ~lshft((T)1, position));
}
DVMHLIB_F2C T ibchng(T value, int position) {
    return (T)(value ^ lshft((T)1, position));
}
DVMHLIB_F2C T ibits(T value, int position, int count) {
    return rshft(value, position) & dvmh_low_bits(value, count);
}
/** Bits of two words next to each other: the upper word of what is shifted left, the lower of what is shifted right. */
DVMHLIB_F2C T dshiftl(T high, T low, int count) {
    return (T)(lshft(high, count) | rshft(low, dvmh_bits(low) - count));
}
DVMHLIB_F2C T dshiftr(T high, T low, int count) {
    return (T)(lshft(high, dvmh_bits(high) - count) | rshft(low, count));
}
DVMHLIB_F2C int popcnt(T value) {
    int count = 0;
    for (typename dvmh_unsigned<T>::type rest = (typename dvmh_unsigned<T>::type)value; rest != 0;
         rest &= rest - 1)
        count++;
    return count;
}
DVMHLIB_F2C int trailz(T value) {
    int count = 0;
    while (count < dvmh_bits(value) && !btest(value, count))
        count++;
    return count;
}
/** Bits that a whole number needs, without a sign. */
DVMHLIB_F2C int ilen(T value) {
    const T rest = value < 0 ? ~value : value;
    int count = dvmh_bits(rest);
    while (count > 0 && !btest(rest, count - 1))
        count--;
    return count;
}

/* ---- atomic updates of 4 and 8 bytes, by comparing and exchanging ---- */

template <size_t bytes> struct dvmh_atomic_word;
template <> struct dvmh_atomic_word<4> { typedef unsigned type; };
template <> struct dvmh_atomic_word<8> { typedef unsigned long long type; };

template <typename T, typename Combine>
__device__ __forceinline__ void dvmh_atomic_update(T *address, Combine combine) {
    typedef typename dvmh_atomic_word<sizeof(T)>::type word;
    word *const place = reinterpret_cast<word *>(address);
    word seen = *reinterpret_cast<volatile word *>(place), expected;
    do {
        expected = seen;
        T value;
        memcpy(&value, &expected, sizeof value);
        value = combine(value);
        word replaced;
        memcpy(&replaced, &value, sizeof value);
        seen = atomicCAS(place, expected, replaced);
    } while (seen != expected);
}

#define DVMHLIB_ATOMIC(name, expression)                                                                     \
    template <typename T> struct dvmh_##name {                                                               \
        T b;                                                                                                 \
        __device__ T operator()(T a) const { return (T)(expression); }                                       \
    };                                                                                                       \
    template <typename T, typename U> __device__ __forceinline__ void __dvmh_##name(T *address, U value) {   \
        const dvmh_##name<T> combine = {(T)value};                                                           \
        dvmh_atomic_update(address, combine);                                                                \
    }

DVMHLIB_ATOMIC(atomic_add, a + b)
DVMHLIB_ATOMIC(atomic_prod, a *b)
DVMHLIB_ATOMIC(atomic_max, b > a ? b : a)
DVMHLIB_ATOMIC(atomic_min, b < a ? b : a)
DVMHLIB_ATOMIC(atomic_and, a &b)
DVMHLIB_ATOMIC(atomic_or, a | b)
DVMHLIB_ATOMIC(atomic_neqv, a != b)
DVMHLIB_ATOMIC(atomic_eqv, a == b)

#undef DVMHLIB_ATOMIC
#undef DVMHLIB_F2C

#endif

#endif
