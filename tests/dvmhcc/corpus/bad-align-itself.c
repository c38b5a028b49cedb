/* An array aligned with itself. */
#define N 10

extern double A[N];
#pragma dvm array align([i] with A[i])
double A[N];

int main(void) { return 0; }

/* expect: 5:34: error: 'A' cannot be aligned with itself */
