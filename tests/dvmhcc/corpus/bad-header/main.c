/* Errors in a header are told with its name and line, together with those of the source. */
#include "wrong.h"

#pragma dvm array distribute[block] shade
double B[N];

int main(void) { return 0; }

/* expect: 4:37: error: unknown clause 'shade' */
