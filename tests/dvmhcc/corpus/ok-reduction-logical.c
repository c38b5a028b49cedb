/* and, or, xor: bits of integers. */
#include <stdio.h>

#define N 19

#pragma dvm array distribute[block]
int A[N];

int main(void) {
    int all = -1, some = 0, odd = 5;
    long wide = 0;
    unsigned int masks = 0xffffu;
#pragma dvm region
    {
#pragma dvm parallel([i] on A[i])
        for (int i = 0; i < N; i++)
            A[i] = (i * 37) | 4;
#pragma dvm parallel([i] on A[i]) reduction(and(all), or(some), xor(odd)), reduction(or(wide), and(masks))
        for (int i = 0; i < N; i++) {
            all &= A[i];
            some |= A[i] & 9;
            odd ^= A[i];
            wide = wide | (1L << (i + 20));
            masks = masks & ~(1u << (i % 7));
        }
    }
#pragma dvm get_actual(all, some, odd, wide, masks)
    printf("%d %d %d %ld %u\n", all, some, odd, wide, masks);
    return 0;
}
