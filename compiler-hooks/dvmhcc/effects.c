/* Effects of expressions; see the header. */
#include <config.h>

#include "compiler-hooks/dvmhcc/effects.h"
#include "compiler-hooks/dvmhcc/name_use.h"

#include <string.h>

/* Calls of calls that are looked into; deeper ones count as effects. */
enum { DEPTH_MAX = 16 };

typedef struct effects {
    const dvmhcc_entity_t *function; /* whose body this is; NULL: an expression */
    int depth;
    bool found;
} effects_t;

static bool is_one_of(const char *name, const char *const words[]) {
    for (; *words != NULL; words++)
        if (strcmp(name, *words) == 0)
            return true;
    return false;
}

/* Of most of <math.h> and <complex.h> there is a form with f and one with l behind the name. */
bool dvmhcc_computes_only(const char *name) {
    static const char *const words[] = {"acos",      "acosh",     "asin",  "asinh",     "atan",    "atan2",
                                        "atanh",     "cbrt",      "ceil",  "copysign",  "cos",     "cosh",
                                        "erf",       "erfc",      "exp",   "exp2",      "expm1",   "fabs",
                                        "fdim",      "floor",     "fma",   "fmax",      "fmin",    "fmod",
                                        "hypot",     "ilogb",     "ldexp", "llrint",    "llround", "log",
                                        "log10",     "log1p",     "log2",  "logb",      "lrint",   "lround",
                                        "nearbyint", "nextafter", "pow",   "remainder", "rint",    "round",
                                        "scalbln",   "scalbn",    "sin",   "sinh",      "sqrt",    "tan",
                                        "tanh",      "tgamma",    "trunc", "cabs",      "carg",    "cexp",
                                        "cimag",     "clog",      "conj",  "cpow",      "creal",   "csin",
                                        "ccos",      "csqrt",     "cproj", NULL};
    static const char *const whole[] = {"abs",      "labs",    "llabs",   "isnan",   "isinf",
                                        "isfinite", "signbit", "isalnum", "isalpha", "isdigit",
                                        "isspace",  "islower", "isupper", "tolower", "toupper",
                                        "strlen",   "strcmp",  "strncmp", "memcmp",  "strchr",
                                        "strstr",   "atoi",    "atol",    "atof",    NULL};
    char base[32];
    if (strncmp(name, "__builtin_", 10) == 0)
        name += 10;
    const size_t length = strlen(name);
    if (is_one_of(name, words) || is_one_of(name, whole))
        return true;
    if (length < 2 || length >= sizeof base || (name[length - 1] != 'f' && name[length - 1] != 'l'))
        return false;
    memcpy(base, name, length);
    base[length - 1] = '\0';
    return is_one_of(base, words);
}

static bool visit(dvmhcc_node_t *node, void *context);

static bool call_has_effects(const dvmhcc_node_t *call, int depth) {
    const dvmhcc_entity_t *function = dvmhcc_called(call);
    if (function == NULL || function->kind != DVMHCC_ENTITY_FUNCTION || depth >= DEPTH_MAX)
        return true;
    if (function->is_system)
        return !dvmhcc_computes_only(function->name);
    if (function->body == NULL || function->uses_distributed)
        return true;
    effects_t inside = {.function = function, .depth = depth + 1};
    dvmhcc_walk(function->body, visit, &inside);
    return inside.found;
}

/* A function's own variables may change: nobody sees them. */
static bool is_own(const effects_t *effects, const dvmhcc_entity_t *entity) {
    return effects->function != NULL && entity->function == effects->function && !entity->has_static_storage;
}

static bool visit(dvmhcc_node_t *node, void *context) {
    effects_t *effects = context;
    if (node->kind == DVMHCC_NODE_SIZEOF)
        return false;
    if (node->kind == DVMHCC_NODE_OTHER_STATEMENT)
        effects->found = true;
    if (node->kind == DVMHCC_NODE_CALL)
        effects->found = effects->found || call_has_effects(node, effects->depth);
    if (node->kind == DVMHCC_NODE_NAME && node->entity != NULL &&
        (node->entity->kind == DVMHCC_ENTITY_VARIABLE || node->entity->kind == DVMHCC_ENTITY_PARAMETER)) {
        const dvmhcc_name_use_t use = dvmhcc_name_use(node);
        const bool changes = use.is_written && (use.is_indirect || !is_own(effects, node->entity));
        effects->found = effects->found || changes;
    }
    return !effects->found;
}

bool dvmhcc_has_effects(dvmhcc_node_t *node) {
    effects_t effects = {.found = false};
    dvmhcc_walk(node, visit, &effects);
    return effects.found;
}

/* ---- what calls read */

typedef struct reading {
    dvmhcc_node_t *statement;
    const dvmhcc_entity_t *found;
    int depth;
} reading_t;

typedef struct writing {
    const dvmhcc_entity_t *entity;
    bool found;
} writing_t;

static bool find_written(dvmhcc_node_t *node, void *context) {
    writing_t *writing = context;
    if (node->kind == DVMHCC_NODE_NAME && node->entity == writing->entity && dvmhcc_name_use(node).is_written)
        writing->found = true;
    return !writing->found;
}

static bool find_read(dvmhcc_node_t *node, void *context) {
    reading_t *reading = context;
    if (node->kind == DVMHCC_NODE_NAME && node->entity != NULL && node->entity->has_static_storage &&
        reading->depth > 0) {
        writing_t writing = {.entity = node->entity};
        dvmhcc_walk(reading->statement, find_written, &writing);
        if (writing.found)
            reading->found = node->entity;
    }
    const dvmhcc_entity_t *function = node->kind == DVMHCC_NODE_CALL ? dvmhcc_called(node) : NULL;
    if (function != NULL && function->body != NULL && !function->is_system && reading->depth < DEPTH_MAX &&
        reading->found == NULL) {
        reading->depth++;
        dvmhcc_walk(function->body, find_read, reading);
        reading->depth--;
    }
    return reading->found == NULL;
}

const dvmhcc_entity_t *dvmhcc_read_by_calls(dvmhcc_node_t *node, dvmhcc_node_t *statement) {
    reading_t reading = {.statement = statement};
    dvmhcc_walk(node, find_read, &reading);
    return reading.found;
}
