#ifndef WRONG_H
#define WRONG_H

#define N 10

#pragma dvm array distribute[bloc]
extern double A[N];

#endif

/* expect: 6:30: error: unknown distribution 'bloc'; did you mean 'block'? */
