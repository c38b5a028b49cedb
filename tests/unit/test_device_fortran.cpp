/* Functions of Fortran for kernels, on the host: complex numbers against the standard library's, bits against bits one by one, atomic
 * updates from many threads. */
#include "tests/unit/block_threads.h"

#include <dvmhlib_f2c.h>

#include <atomic>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <random>

static std::atomic<int> failures;
static std::mt19937_64 numbers;

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition) && failures++ < 20)                                                                 \
            fprintf(stderr, "%s:%d: '%s' does not hold\n", __FILE__, __LINE__, #condition);                  \
    } while (0)

static double draw() {
    return (double)(int64_t)(numbers() % 4001 - 2000) / 700;
}

template <typename T> static bool is_near(const Complex<T> &found, const std::complex<double> &wanted) {
    const double scale = sizeof(T) == 4 ? 2e-5 : 1e-12;
    return std::abs(std::complex<double>(found.re, found.im) - wanted) <= scale * (1 + std::abs(wanted));
}

template <typename T> static void test_complex() {
    const Complex<T> a((T)draw(), (T)draw()), b((T)draw(), (T)(draw() + 4));
    const std::complex<double> x(a.re, a.im), y(b.re, b.im);
    CHECK(is_near(a + b, x + y) && is_near(a - b, x - y) && is_near(a * b, x * y) && is_near(a / b, x / y));
    CHECK(is_near(a + 2, x + 2.0) && is_near(3 - a, 3.0 - x) && is_near(a * 1.5f, x * 1.5) &&
          is_near(2.5 / b, 2.5 / y));
    CHECK(is_near(-a, -x) && is_near(conj(a), std::conj(x)) && fabs(abs(a) - std::abs(x)) < 1e-5);
    CHECK(is_near(exp(a), std::exp(x)) && is_near(log(b), std::log(y)) && is_near(log10(b), std::log10(y)));
    CHECK(is_near(sqrt(a), std::sqrt(x)) && is_near(sin(a), std::sin(x)) && is_near(cos(a), std::cos(x)));
    CHECK(is_near(tan(b), std::tan(y)) && is_near(ctan(b), 1.0 / std::tan(y)));
    CHECK(is_near(pow(b, 5), std::pow(y, 5)) && is_near(pow(b, -2), 1.0 / (y * y)) &&
          is_near(pow(a, 0), 1.0));
    CHECK(is_near(pow(b, a), std::pow(y, x)) && is_near(pow(b, (T)1.5), std::pow(y, 1.5)));
    Complex<T> c = a;
    c += b;
    c *= 2;
    c -= Complex<float>(1, 0);
    c /= b;
    CHECK(is_near(c, ((x + y) * 2.0 - 1.0) / y));
    c = 3;
    CHECK(c == 3 && 3 == c && c != a && !(c != Complex<double>(3, 0)) && real(c) == 3 && imag(c) == 0);
    CHECK(Double(a) == (double)a.re && Float(b) == (float)b.re && cmpxd(2).re == 2 && cmpxf(2).im == 0);
}

/* ---- bits ---- */

template <typename T> static bool bit(T value, int position) {
    return position >= 0 && position < 8 * (int)sizeof(T) && ((uint64_t)value >> position & 1) != 0;
}

template <typename T> static void test_bits() {
    const int width = 8 * (int)sizeof(T);
    const T value = (T)numbers(), low = (T)numbers();
    const int count = (int)(numbers() % (uint64_t)(width + 1)), at = (int)(numbers() % (uint64_t)width);
    const int size = 1 + (int)(numbers() % (uint64_t)width),
              turn = (int)(numbers() % (uint64_t)(2 * size + 1)) - size;
    const T left = ishft(value, count), right = ishft(value, -count), sign = shifta(value, count),
            turned = ishftc(value, turn, size), part = ibits(value, at, width - at),
            both_left = dshiftl(value, low, count), both_right = dshiftr(value, low, count);
    for (int i = 0; i < width; i++) {
        CHECK(bit(left, i) == bit(value, i - count) && bit(right, i) == bit(value, i + count));
        CHECK(bit(sign, i) == bit(value, i + count < width ? i + count : width - 1));
        CHECK(bit(turned, i) == (i < size ? bit(value, ((i - turn) % size + size) % size) : bit(value, i)));
        CHECK(bit(part, i) == bit(value, i + at));
        CHECK(bit(both_left, i) == (i >= count ? bit(value, i - count) : bit(low, width - count + i)));
        CHECK(bit(both_right, i) ==
              (i + count < width ? bit(low, i + count) : bit(value, i + count - width)));
        CHECK(bit(ibset(value, at), i) == (i == at || bit(value, i)));
        CHECK(bit(ibclr(value, at), i) == (i != at && bit(value, i)));
        CHECK(bit(ibchng(value, at), i) == ((i == at) != bit(value, i)));
    }
    int ones = 0, zeros = 0, length = 0;
    /* The length is counted upwards: GCC 12 with -O2 turns the loop that counts down from the sign into a wrong
     * count of leading zeros. */
    for (int i = 0; i < width; i++) {
        ones += bit(value, i);
        length = bit(value, i) != (value < 0) ? i + 1 : length;
    }
    while (zeros < width && !bit(value, zeros))
        zeros++;
    CHECK(popcnt(value) == ones && trailz(value) == zeros && ilen(value) == length);
    CHECK(btest(value, at) == bit(value, at) && trailz((T)0) == width);
    CHECK(isha(value, count) == left && isha(value, -count) == sign &&
          ishc(value, turn) == ishftc(value, turn, width));
}

/* ---- the rest ---- */

template <typename T> static void test_atomics() {
    T sum = 0, most = 3, least = 3, product = 1;
    int all = -1, any = 0, odd = 1, same = 1;
    run_block(32, [&] {
        const int mine = (int)threadIdx.x;
        __dvmh_atomic_add(&sum, mine);
        __dvmh_atomic_max(&most, mine);
        __dvmh_atomic_min(&least, -mine);
        __dvmh_atomic_prod(&product, mine % 8 == 0 ? 2 : 1);
        __dvmh_atomic_and(&all, ~(1 << mine % 4));
        __dvmh_atomic_or(&any, 1 << mine % 9);
        __dvmh_atomic_neqv(&odd, mine % 2);
        __dvmh_atomic_eqv(&same, mine % 2);
    });
    CHECK(sum == 496 && most == 31 && least == -31 && product == 16);
    CHECK(all == ~15 && any == 511 && odd == 1 && same == 1);
}

int main() {
    const char *const text = getenv("CHECK_SEED");
    const unsigned long long seed = text != nullptr && *text != '\0' ? strtoull(text, nullptr, 0) : 20240229;
    printf("CHECK_SEED=%llu\n", seed);
    numbers.seed(seed);
    for (int i = 0; i < 1000; i++) {
        test_complex<double>();
        test_complex<float>();
        test_bits<int>();
        test_bits<long long>();
        test_bits<short>();
        test_bits<signed char>();
    }
    for (int i = 0; i < 20; i++) {
        test_atomics<int>();
        test_atomics<long long>();
        test_atomics<float>();
        test_atomics<double>();
    }
    CHECK(max(1, 5, 3) == 5 && max(2.5, 1, 7, 3.5f) == 7 && min(4, 2, 3, 1.5) == 1.5 && min(3, 2, 9) == 2);
    CHECK(dprod(0.1f, 0.1f) == (double)0.1f * (double)0.1f);
    return failures > 0;
}
