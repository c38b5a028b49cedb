/* Brackets that are not closed, or close nothing. */
#define N 10

#pragma dvm array distribute[block]
double A[N];

int main(void) {
#pragma dvm parallel([i] on A[i]
    for (int i = 0; i < N; i++)
        A[i] = 0;
#pragma dvm parallel([i] on A[i]))
    for (int i = 0; i < N; i++)
        A[i] = 0;
#pragma dvm region in(A[1)
    {}
    return 0;
}

/* expect: 8:21: error: '(' is never closed */
/* expect: 11:34: error: ')' closes nothing */
/* expect: 14:26: error: expected ']', got ')' */
