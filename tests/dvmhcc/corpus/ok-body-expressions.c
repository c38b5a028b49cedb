/* Expressions of every kind in bodies: conditional, comma, casts, sizeof, shifts, increments, chained assignments. */
#include <stdbool.h>
#include <stdio.h>

#define N 27

enum { FIRST = 3, SECOND = FIRST * 2 };

#pragma dvm array distribute[block]
int A[N];
#pragma dvm array align([i] with A[i])
unsigned B[N];
#pragma dvm array align([i] with A[i])
double C[N];

static const int table[4] = {1, 10, 100, 1000};

int main(void) {
    long sum = 0;
    const int offset = 5;
    const char *text = "distributed";
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++) {
            int k = i, l;
            bool odd = i & 1;
            A[i] = odd ? table[i % 4] : -table[(i + 1) % 4];
            B[i] = ((unsigned)i << 3) ^ (~0u >> 28);
            C[i] = (l = k++, k + l) / (double)(FIRST + SECOND);
            A[i] += (int)sizeof(double) + offset + (int)sizeof A[i];
            A[i] -= text[i % 11] == 'd' ? 1 : 0;
            B[i] |= (!odd && i > 3) || i == 1 ? 0x100u : 0u;
        }
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++) {
            A[i]++;
            --A[i];
            ++A[i];
            A[i] *= 3;
            A[i] %= 1000;
            B[i] >>= 1;
            B[i] <<= 2;
            B[i] &= 0xfffu;
            B[i]--;
            C[i] /= 2;
            C[i] = A[i] = A[i] + (int)B[i];
            C[i] += -(+A[i]) * 0.5;
        }
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
        for (int i = 0; i < N; i++)
            sum += A[i] * (i + 1L) + (long)B[i] + (long)(C[i] * 2);
    }
#pragma dvm get_actual(sum)
    printf("%ld\n", sum);
    return 0;
}
