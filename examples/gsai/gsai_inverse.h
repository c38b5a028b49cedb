/* What solvers need of an approximate inverse beyond gsai.h: its product with arrays of the run-time system. */
#ifndef EXAMPLES_GSAI_GSAI_INVERSE_H
#define EXAMPLES_GSAI_GSAI_INVERSE_H

#include "examples/gsai/gsai_array.h"

/** y = M x on whole arrays, which are not the same. Collective, main thread. */
void gsai_apply_array(gsai_t *inverse, gsai_array_t *x, gsai_array_t *y);

/** Where products with M are computed; NULL: on the host. */
const struct gsai_gpu *gsai_place(const gsai_t *inverse);

/** Whether M is transpose(G) G, and so symmetric positive definite. */
bool gsai_is_factored(const gsai_t *inverse);

#endif
