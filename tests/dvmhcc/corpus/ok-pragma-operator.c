/* Directives that the operator _Pragma makes. */
#include <stdio.h>

#define N               10
#define DVM(words)      _Pragma(#words)
#define SPREAD(A)       DVM(dvm array distribute[block])
#define PARALLEL(i, A)  DVM(dvm parallel([i] on A[i]))

SPREAD(A)
int A[N];

int main(void) {
    int sum = 0;
    _Pragma("dvm region")
    {
        PARALLEL(i, A)
        for (int i = 0; i < N; i++)
            A[i] = i;
        _Pragma("dvm parallel([i] on A[i]) reduction(sum(sum))")
        for (int i = 0; i < N; i++)
            sum += A[i];
    }
    _Pragma("dvm get_actual(sum)")
    printf("%d\n", sum);
    return 0;
}
