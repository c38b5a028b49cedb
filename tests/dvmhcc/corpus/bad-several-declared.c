/* One directive for two arrays. */
#define N 10

#pragma dvm array distribute[block]
double A[N], B[N];

int main(void) { return 0; }

/* expect: 4:13: error: 'array' stands before a declaration of 2 variables */
