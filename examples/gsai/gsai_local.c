/* Small dense problems, in both types of elements. */
#include "examples/gsai/gsai_local.h"

#include <math.h>

#define PASTE_(a, b) a##_##b
#define PASTE(a, b)  PASTE_(a, b)
#define NAMED(name)  PASTE(name, TYPE_NAME)

/* Columns whose reflections are made before they are applied to the others: two by two, and more where a problem does not stay in the
 * nearest cache otherwise. */
enum { PANEL_SMALL = 2, PANEL_MAX = 8, SMALL_ELEMENTS = 4096 };

static int64_t panel_width(int64_t elements) {
    return elements > SMALL_ELEMENTS ? PANEL_MAX : PANEL_SMALL;
}

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
