/* Functions of the C library on GPUs: which there are, and with which types. Values of these functions may differ from the host's in the
 * last digits; that is for the documentation to say. */
#include <config.h>

#include "compiler-hooks/dvmhcc/generate_gpu.h"

#include <string.h>

#define OF_ONE(name_)                                                                                        \
    {name_, "double", {"double"}}, {                                                                         \
        name_ "f", "float", {                                                                                \
            "float"                                                                                          \
        }                                                                                                    \
    }
#define OF_TWO(name_)                                                                                        \
    {name_, "double", {"double", "double"}}, {                                                               \
        name_ "f", "float", {                                                                                \
            "float", "float"                                                                                 \
        }                                                                                                    \
    }
#define TO(result_, name_)                                                                                   \
    {name_, result_, {"double"}}, {                                                                          \
        name_ "f", result_, {                                                                                \
            "float"                                                                                          \
        }                                                                                                    \
    }
#define WITH(name_, second_)                                                                                 \
    {name_, "double", {"double", second_}}, {                                                                \
        name_ "f", "float", {                                                                                \
            "float", second_                                                                                 \
        }                                                                                                    \
    }

static const dvmhcc_gpu_library_t functions[] = {
    OF_ONE("acos"),
    OF_ONE("acosh"),
    OF_ONE("asin"),
    OF_ONE("asinh"),
    OF_ONE("atan"),
    OF_ONE("atanh"),
    OF_ONE("cbrt"),
    OF_ONE("ceil"),
    OF_ONE("cos"),
    OF_ONE("cosh"),
    OF_ONE("erf"),
    OF_ONE("erfc"),
    OF_ONE("exp"),
    OF_ONE("exp2"),
    OF_ONE("expm1"),
    OF_ONE("fabs"),
    OF_ONE("floor"),
    OF_ONE("lgamma"),
    OF_ONE("log"),
    OF_ONE("log10"),
    OF_ONE("log1p"),
    OF_ONE("log2"),
    OF_ONE("logb"),
    OF_ONE("nearbyint"),
    OF_ONE("rint"),
    OF_ONE("round"),
    OF_ONE("sin"),
    OF_ONE("sinh"),
    OF_ONE("sqrt"),
    OF_ONE("tan"),
    OF_ONE("tanh"),
    OF_ONE("tgamma"),
    OF_ONE("trunc"),
    OF_TWO("atan2"),
    OF_TWO("copysign"),
    OF_TWO("fdim"),
    OF_TWO("fmax"),
    OF_TWO("fmin"),
    OF_TWO("fmod"),
    OF_TWO("hypot"),
    OF_TWO("nextafter"),
    OF_TWO("pow"),
    OF_TWO("remainder"),
    TO("int", "ilogb"),
    TO("long", "lrint"),
    TO("long", "lround"),
    TO("long long", "llrint"),
    TO("long long", "llround"),
    WITH("ldexp", "int"),
    WITH("scalbn", "int"),
    WITH("scalbln", "long"),
    WITH("frexp", "int *"),
    {"modf", "double", {"double", "double *"}},
    {"modff", "float", {"float", "float *"}},
    {"fma", "double", {"double", "double", "double"}},
    {"fmaf", "float", {"float", "float", "float"}},
    {"abs", "int", {"int"}},
    {"labs", "long", {"long"}},
    {"llabs", "long long", {"long long"}},
    {"isnan", "int", {"double"}},
    {"isinf", "int", {"double"}},
    {"isfinite", "int", {"double"}},
    {"signbit", "int", {"double"}},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };
_Static_assert(FUNCTIONS <= sizeof(dvmhcc_gpu_library_set_t), "one flag a function");

const dvmhcc_gpu_library_t *dvmhcc_gpu_library(const char *name, bool *as_it_is_p) {
    static const char *const as_they_are[] = {"printf",
                                              "memcpy",
                                              "memset",
                                              "__assert_fail",
                                              "__builtin_expect",
                                              "__builtin_inf",
                                              "__builtin_inff",
                                              "__builtin_nan",
                                              "__builtin_nanf",
                                              "__builtin_huge_val",
                                              "__builtin_huge_valf",
                                              NULL};
    static const dvmhcc_gpu_library_t same = {0};
    const char *const builtin = "__builtin_";
    *as_it_is_p = false;
    for (int i = 0; as_they_are[i] != NULL; i++)
        if (strcmp(name, as_they_are[i]) == 0) {
            *as_it_is_p = true;
            return &same;
        }
    if (strncmp(name, builtin, strlen(builtin)) == 0)
        name += strlen(builtin);
    if (strcmp(name, "isinf_sign") == 0) /* what glibc makes of isinf */
        name = "isinf";
    for (int i = 0; i < FUNCTIONS; i++)
        if (strcmp(name, functions[i].name) == 0)
            return &functions[i];
    return NULL;
}

void dvmhcc_gpu_library_use(const dvmhcc_gpu_library_t *function, dvmhcc_gpu_library_set_t *set) {
    set->used[function - functions] = 1;
}

void dvmhcc_gpu_library_write(const dvmhcc_gpu_library_set_t *set, dvmhcc_text_t *text) {
    static const char *const names[] = {"x", "y", "z"};
    for (int i = 0; i < FUNCTIONS; i++) {
        const dvmhcc_gpu_library_t *function = &functions[i];
        if (!set->used[i])
            continue;
        dvmhcc_text_printf(text, "static __device__ inline %s dvmhcc_math_%s(", function->result,
                           function->name);
        for (int k = 0; k < 3 && function->parameters[k] != NULL; k++)
            dvmhcc_text_printf(text, "%s%s %s", k > 0 ? ", " : "", function->parameters[k], names[k]);
        /* In parentheses: no macro is meant, nor a function that C++ finds by its arguments. */
        dvmhcc_text_printf(text, ") {\n    return (::%s)(", function->name);
        for (int k = 0; k < 3 && function->parameters[k] != NULL; k++)
            dvmhcc_text_printf(text, "%s%s", k > 0 ? ", " : "", names[k]);
        dvmhcc_text_add_string(text, ");\n}\n");
    }
}
