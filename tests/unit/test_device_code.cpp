/* Code for GPUs on the host, block by block: reductions over warps, combination of partial results in the order that is promised, start
 * values, and the places of packed diagonals, which are also those of the library's own layouts. */
#include "tests/unit/block_threads.h"

#include <dvmhlib_device.h>

#include "rts/cuda/cuda_handler_kernels.h"
#include "rts/layout_index.h"

#include <atomic>
#include <cmath>
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

static int64_t pick(int64_t low, int64_t high) {
    return low + (int64_t)(numbers() % (uint64_t)(high - low + 1));
}

/* ---- packed diagonals ---- */

static int64_t triangle(int64_t m) {
    return m * (m + 1) / 2;
}

/* The table of the interface. */
static int64_t place_in_table(int64_t x, int64_t y, int64_t rx, int64_t ry) {
    const int64_t d = x + y;
    if (rx == ry)
        return d < rx ? triangle(d) + y : rx * (rx - 1) + x - triangle(2 * rx - d - 2);
    if (rx < ry)
        return d < rx   ? triangle(d) + y
               : d < ry ? triangle(rx) + rx * (d - rx) + (rx - 1 - x)
                        : rx * ry - ry + y - triangle(rx + ry - d - 2);
    return d < ry   ? triangle(d) + x
           : d < rx ? triangle(ry) + ry * (d - ry) + (ry - 1 - y)
                    : rx * ry - rx + x - triangle(rx + ry - d - 2);
}

static void check_place(int64_t x, int64_t y, int64_t rx, int64_t ry, int slash) {
    const int64_t wanted = place_in_table(x, slash ? ry - 1 - y : y, rx, ry);
    const rts_plane64_t plane = {RTS_LAYOUT_PACKED, 1, slash ? -1 : 1, rx, ry, ry, rx, slash ? ry - 1 : 0};
    long long found = -1;
    int narrow = -1;
    dvmh_convert_XY((long long)x, (long long)y, (long long)rx, (long long)ry, slash, found);
    dvmh_convert_XY((int)x, (int)y, (int)rx, (int)ry, slash, narrow);
    CHECK(found == wanted && narrow == wanted);
    CHECK(rts_plane64_packed(&plane, x, y) == wanted);
    long long fixed = -1;
    if (rx == ry && slash)
        dvmh_convert_XY<long long, 1, 0>(x, y, rx, ry, fixed);
    else if (rx < ry && slash)
        dvmh_convert_XY<long long, 1, 1>(x, y, rx, ry, fixed);
    else if (slash)
        dvmh_convert_XY<long long, 1, 2>(x, y, rx, ry, fixed);
    CHECK(!slash || fixed == wanted);
}

static void test_places() {
    for (int64_t rx = 1; rx <= 12; rx++)
        for (int64_t ry = 1; ry <= 12; ry++)
            for (int64_t x = 0; x < rx; x++)
                for (int64_t y = 0; y < ry; y++)
                    for (int slash = 0; slash < 2; slash++)
                        check_place(x, y, rx, ry, slash);
    for (int i = 0; i < 1000; i++) {
        const int64_t rx = pick(1, 30000), ry = pick(1, 30000);
        check_place(pick(0, rx - 1), pick(0, ry - 1), rx, ry, (int)pick(0, 1));
    }
}

/* ---- warps ---- */

template <typename T> static void fill(T values[32]) {
    for (int lane = 0; lane < 32; lane++)
        values[lane] = (T)pick(-50, 50);
}

template <typename T> static void test_warp_values() {
    T values[32] = {}, sum = 0, most, least, found[4];
    fill(values);
    most = least = values[0];
    for (int lane = 0; lane < 32; lane++) {
        sum = (T)(sum + values[lane]);
        most = values[lane] > most ? values[lane] : most;
        least = values[lane] < least ? values[lane] : least;
    }
    run_block(32, [&] {
        const T mine = values[threadIdx.x];
        T both[2] = {mine, (T)(0 - mine)}, spread[3] = {mine, 7, mine};
        const T of_sum = __dvmh_blockReduceSum(mine), of_max = __dvmh_blockReduceMax(mine),
                of_min = __dvmh_blockReduceMin(mine), of_lane = __dvmh_warpBroadcast(mine, 5);
        __dvmh_blockReduceMaxN<T, 2>(both);
        __dvmh_blockReduceMinN(spread, 2, 2);
        CHECK(of_lane == values[5]);
        if (threadIdx.x == 0) {
            found[0] = of_sum, found[1] = of_max, found[2] = of_min;
            CHECK(both[0] == most && both[1] == (T)(0 - least));
            CHECK(spread[0] == least && spread[1] == 7 && spread[2] == least);
        }
    });
    CHECK(found[0] == sum && found[1] == most && found[2] == least);
}

/* Neighbours first: the tree of sums that is promised, for what does not sum exactly. */
static void test_warp_order() {
    double values[32], level[32], found = 0;
    for (int lane = 0; lane < 32; lane++)
        level[lane] = values[lane] = (double)pick(1, 1000000) / 997;
    for (int step = 1; step < 32; step *= 2)
        for (int lane = 0; lane + step < 32; lane += 2 * step)
            level[lane] = level[lane] + level[lane + step];
    run_block(32, [&] {
        const double sum = __dvmh_blockReduceSum(values[threadIdx.x]);
        if (threadIdx.x == 0)
            found = sum;
    });
    CHECK(found == level[0]);
}

static void test_warp_locations() {
    int values[32], most = -1, least = 99, most_at = 0, least_at = 0;
    for (int lane = 0; lane < 32; lane++) {
        values[lane] = (int)pick(0, 5); /* many are equal: the first counts */
        if (values[lane] > most)
            most = values[most_at = lane];
        if (values[lane] < least)
            least = values[least_at = lane];
    }
    run_block(32, [&] {
        const int lane = (int)threadIdx.x;
        int high = values[lane], low = high, dummy = high;
        long where[2] = {lane, lane + 100}, there[2] = {lane, lane + 100}, none[1] = {3};
        __dvmh_blockReduceMaxLoc<int, long, 2>(high, where);
        __dvmh_blockReduceMinLoc<int, long, 2>(low, there);
        __dvmh_blockReduceDummyLoc<int, long, 1>(dummy, none);
        if (lane == 0) {
            CHECK(high == most && where[0] == most_at && where[1] == most_at + 100);
            CHECK(low == least && there[0] == least_at && there[1] == least_at + 100);
            CHECK(dummy == values[0] && none[0] == 3);
        }
    });
}

static void test_warp_bits() {
    int values[32] = {}, all = -1, any = 0, odd = 0;
    bool equal = values[0], differ = false;
    for (int lane = 0; lane < 32; lane++) {
        values[lane] = (int)numbers();
        all &= values[lane], any |= values[lane], odd ^= values[lane];
    }
    int logical[32];
    for (int lane = 0; lane < 32; lane++)
        logical[lane] = (int)pick(0, 1);
    equal = logical[0], differ = logical[0];
    for (int lane = 1; lane < 32; lane++)
        equal = equal == (bool)logical[lane], differ = differ != (bool)logical[lane];
    run_block(32, [&] {
        const int mine = values[threadIdx.x], truth = logical[threadIdx.x];
        const int of_and = __dvmh_blockReduceAND(mine), of_or = __dvmh_blockReduceOR(mine),
                  of_xor = __dvmh_blcokReduceXOR(mine), of_eq = __dvmh_blockReduceEQ(truth),
                  of_neq = __dvmh_blockReduceNEQ(truth), of_prod = __dvmh_blockReduceProd(truth | 1);
        if (threadIdx.x == 0)
            CHECK(of_and == all && of_or == any && of_xor == odd && of_eq == equal && of_neq == differ &&
                  of_prod == 1);
    });
}

/* ---- items ---- */

/* The order of the header, step by step. */
template <typename T> static T combine_in_order(int operation, const T *items, int64_t begin, int64_t end) {
    std::vector<T> value;
    for (int64_t t = 0; t < RTS_ITEM_THREADS && begin + t < end; t++) {
        T sum = items[begin + t];
        for (int64_t i = begin + t + RTS_ITEM_THREADS; i < end; i += RTS_ITEM_THREADS)
            sum = operation == rf_SUM ? sum + items[i] : items[i] > sum ? items[i] : sum;
        value.push_back(sum);
    }
    for (size_t half = RTS_ITEM_THREADS / 2; half > 0; half /= 2)
        for (size_t t = 0; t < half && t + half < value.size(); t++)
            value[t] = operation == rf_SUM          ? value[t] + value[t + half]
                       : value[t + half] > value[t] ? value[t + half]
                                                    : value[t];
    return value[0];
}

template <typename T> static void test_items(int operation, int64_t count) {
    std::vector<T> items((size_t)(2 * count)), parts(2 * RTS_ITEM_PARTS);
    for (T &item : items)
        item = (T)((double)pick(-1000000, 1000000) / 997);
    CHECK(rts_item_part_begin(count, 0) == 0 && rts_item_part_begin(count, RTS_ITEM_PARTS) == count);
    const int tried[] = {0, 1, (int)pick(2, RTS_ITEM_PARTS - 2), RTS_ITEM_PARTS - 1};
    for (int part : tried)
        for (unsigned element = 0; element < 2; element++) {
            blockIdx = {(unsigned)part, element, 0};
            run_block(RTS_ITEM_THREADS,
                      [&] { combine_items<T>(operation, count, items.data(), parts.data()); });
            const T wanted =
                combine_in_order(operation, items.data() + element * count, rts_item_part_begin(count, part),
                                 rts_item_part_begin(count, part + 1));
            CHECK(parts[element * RTS_ITEM_PARTS + (size_t)part] == wanted);
        }
}

/* The first of the greatest ones, and numbers before what is none. */
static void test_item_locations(int64_t count) {
    std::vector<double> items((size_t)count), parts(RTS_ITEM_PARTS);
    std::vector<char> locations((size_t)count * 12), found(RTS_ITEM_PARTS * 12);
    const bool wants_more = pick(0, 1) == 1;
    for (double &item : items)
        item = pick(0, 6) == 0 ? NAN : (double)pick(0, 3);
    for (char &byte : locations)
        byte = (char)numbers();
    for (int part : {0, (int)pick(1, RTS_ITEM_PARTS - 1)}) {
        const int64_t begin = rts_item_part_begin(count, part), end = rts_item_part_begin(count, part + 1);
        int64_t best = begin;
        for (int64_t i = begin + 1; i < end; i++) {
            const double a = items[(size_t)i], b = items[(size_t)best];
            if ((std::isnan(b) && !std::isnan(a)) || (wants_more ? a > b : a < b))
                best = i;
        }
        blockIdx = {(unsigned)part, 0, 0};
        run_block(RTS_ITEM_THREADS, [&] {
            find_items<double>(wants_more, count, items.data(), locations.data(), 12, parts.data(),
                               found.data());
        });
        CHECK(memcmp(&parts[(size_t)part], &items[(size_t)best], sizeof(double)) == 0 ||
              std::isnan(items[(size_t)best]));
        CHECK(memcmp(&found[(size_t)part * 12], &locations[(size_t)best * 12], 12) == 0);
    }
}

static void test_fill() {
    const int64_t bytes = pick(1, 17), values = pick(1, 4), repeat = pick(1, 50);
    const int64_t total = bytes * values * repeat;
    std::vector<char> start((size_t)(bytes * values)), target((size_t)total + 8, 99);
    for (char &byte : start)
        byte = (char)numbers();
    gridDim = {2, 1, 1};
    for (unsigned block = 0; block < 2; block++) {
        blockIdx = {block, 0, 0};
        run_block(64, [&] { fill_values(target.data(), start.data(), bytes, repeat * bytes, total); });
    }
    for (int64_t i = 0; i < values * repeat; i++)
        CHECK(memcmp(&target[(size_t)(i * bytes)], &start[(size_t)(i / repeat * bytes)], (size_t)bytes) == 0);
    for (size_t i = 0; i < 8; i++)
        CHECK(target[(size_t)total + i] == 99);
}

int main() {
    const char *const text = getenv("CHECK_SEED");
    const unsigned long long seed = text != nullptr && *text != '\0' ? strtoull(text, nullptr, 0) : 20240229;
    printf("CHECK_SEED=%llu\n", seed);
    numbers.seed(seed);
    test_places();
    for (int i = 0; i < 3; i++) {
        test_warp_values<int>();
        test_warp_values<long long>();
        test_warp_values<double>();
        test_warp_values<char>();
        test_warp_order();
        test_warp_locations();
        test_warp_bits();
        test_fill();
    }
    for (int64_t count : {(int64_t)257, (int64_t)3000, pick(60000, 200000)}) {
        test_items<double>(rf_SUM, count);
        test_items<float>(rf_MAX, count);
        test_items<int>(rf_SUM, count);
        test_item_locations(count);
    }
    return failures > 0;
}
