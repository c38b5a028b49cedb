/* C in loops of regions that C++ takes otherwise: silent conversions, its keywords as names, overloaded functions, structures of named
 * members, enumerations, tables and types of the file, functions that call functions, and all kinds of ordinary variables. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 40

enum colour { RED, GREEN = 4, BLUE };

typedef struct {
    int first, second;
} pair_t;

struct class {
    double new;
    pair_t template;
    enum colour colour;
    bool this;
} known = {1.5, {2, 3}, BLUE, true};

typedef union {
    uint32_t bits;
    float value;
} word_t;

typedef double operator[2];

static const double weights[3] = {.25, .5, 0.125};
static const struct {
    int step;
    char mark;
} steps[] = {{1, 'a'}, {2, 'b'}, {3, 'c'}};
const int scale = 3;

#pragma dvm array distribute[block]
double A[N];
#pragma dvm array align([i] with A[i])
int32_t B[N];
#pragma dvm array align([i] with A[i])
struct class C[N];

static inline int total(pair_t p);

static const int *larger(const int *restrict a, const int *restrict b) {
    return a == NULL ? b : b == NULL || *a > *b ? a : b;
}

static double norm(double x, const double y[]) {
    static const double powers[2] = {.5 + .5, .2e1};
    void *raw = &x;
    double *again = raw, sum = 0;
    for (register int i = 0; i < 3; i++)
        sum += weights[i] * pow(*again, powers[i % 2]) + y[i % 2];
    return sum * scale + steps[1].step + (steps[2].mark == 'c');
}

static enum colour next(enum colour colour) { return colour == BLUE ? RED : (int)colour + 1; }

static int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

static inline int total(pair_t p) { return p.first + 2 * p.second; }

static double known_factor(int i) { return i % 7 ? 0.5 : ldexp(1, i % 4); }

static void set(struct class *c, int i) {
    memset(c, 0, sizeof *c);
    c->new = i * known_factor(i);
}

int main(void) {
    float third = 1.f / 3;
    int delete = 2, histogram[4] = {0}, smallest = 1000;
    operator both = {0.5, 2};
    double large[300], changed[N], sum = 0;
    const short table[2][2] = {{1, 2}, {3, 4}};
    unsigned char namespace = 250;
    for (int i = 0; i < 300; i++)
        large[i] = i % 17;
    for (int i = 0; i < N; i++)
        changed[i] = -i;
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++) {
            _Bool even = i % 2 == 0;
            enum colour c = i % 3;
            word_t word = {.value = third * i};
            const pair_t p = {.second = i, .first = delete};
            double local[2] = {i, third};
            const int *none = NULL, *found = larger(none, &p.first);
            c = next(c);
            A[i] = sqrt(third + i) + abs((int)-2.75) + fabs(third - 1) + fmax(third, i) + floor(-i / 2.f);
            A[i] += norm(i % 5, local) + both[i % 2] + large[i * 7] + table[i % 2][even];
            B[i] = total((pair_t){.second = 3, .first = i}) + total(p) + (int)c + *found + (int)(word.bits >> 20);
            B[i] += factorial(i % 6) + (unsigned char)(namespace + i) + 'x' - sizeof 1L + (A[i] < third);
            B[i] += isnan(A[i]) || isinf(A[i]) ? 1 : -(i > 3);
            changed[i] += A[i];
        }
        /* Between loops on the host, and back. */
        changed[3] = changed[2] / 2 + delete;
        for (int i = 4; changed[i] < 20; i++)
            large[i] += changed[i];
#pragma dvm parallel([i] on C[i])
        for (int i = 0; i < N; i++) {
            struct class one;
            set(&one, i);
            C[i] = one;
            C[i].this = i & 4;
            C[i].colour = GREEN;
            C[i].template = (pair_t){i, -i};
            C[i].template.first += known.template.second * (int)C[i].colour;
        }
#pragma dvm parallel([i] on A[i]) reduction(sum(histogram), sum(sum), min(smallest))
        for (int i = 0; i < N; i++) {
            histogram[i % 4] += B[i];
            sum += large[i] + changed[i] * C[i].new + C[i].template.first + C[i].this;
            if (B[i] < smallest)
                smallest = B[i];
        }
    }
#pragma dvm get_actual(histogram, sum, smallest, changed)
    printf("%d %d %d %d %d %.12g\n", histogram[0], histogram[1], histogram[2], histogram[3], smallest, sum);
    return 0;
}
