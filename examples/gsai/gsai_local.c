/* Small dense problems, in both types of elements. */
#include "examples/gsai/gsai_local.h"

#include <math.h>

#define PASTE_(a, b) a##_##b
#define PASTE(a, b)  PASTE_(a, b)
#define NAMED(name)  PASTE(name, TYPE_NAME)

/* Some hundred roundings of a unit column. */
#define REAL      double
#define TYPE_NAME double
#define DEPENDENT 1e-13
#include "examples/gsai/gsai_local_real.h"
#undef REAL
#undef TYPE_NAME
#undef DEPENDENT

#define REAL      float
#define TYPE_NAME float
#define DEPENDENT 3e-6
#include "examples/gsai/gsai_local_real.h"
