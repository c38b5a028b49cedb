/* Clauses of declarations that contradict each other or are out of range. */
#define N 10

#pragma dvm array distribute[block] distribute[block]
double A[N];
#pragma dvm array distribute[block] align([i] with A[i])
double B[N];
#pragma dvm array distribute[block][block] shadow[1:1]
double C[N][N];
#pragma dvm array distribute[block] shadow[-1:2]
double D[N];
#pragma dvm array distribute[blok]
double E[N];
#pragma dvm array distribute[multblock(0)]
double F[N];
#pragma dvm array align([i] with A[i * i])
double G[N];
#pragma dvm template[0] distribute[block]
void *T;

int main(void) { return 0; }

/* expect: 4:37: error: clause 'distribute' stands here twice */
/* expect: 6:37: error: 'distribute' and 'align' exclude each other */
/* expect: 8:44: error: 'shadow' has 1 axis, but 2 stand before it */
/* expect: 10:44: error: a width must not be negative, got -1 */
/* expect: 12:30: error: unknown distribution 'blok'; did you mean 'block'? */
/* expect: 14:40: error: the unit of multblock must be at least 1, got 0 */
/* expect: 16:36: error: expected the form a * index + b with one index, got 'i * i' */
/* expect: 18:22: error: the size of an axis must be at least 1, got 0 */
