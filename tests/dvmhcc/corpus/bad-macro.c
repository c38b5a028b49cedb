/* An error in what a macro expands to is told where the macro stands. */
#define N      10
#define SPREAD distribute[blok]

#pragma dvm array SPREAD
double A[N];

int main(void) { return 0; }

/* expect: 5:19: error: unknown distribution 'blok' */
