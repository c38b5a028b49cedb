/* What programs made by dvmhcc use besides the interface itself: a few functions too small to be calls of the library. Not to be
 * included by hand. Needs gcc's dialect of C, as everything that dvmhcc writes. */
#ifndef DVMHCC_H
#define DVMHCC_H

#include <stdlib.h>
#include <string.h>

#include <dvmhlib2.h>
#include <dvmhx.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The start of one source file: functions that dvmh_init_C runs once all files are there. The members are the runtime's. */
typedef struct dvmhcc_module {
    struct dvmhcc_module *next;
    void (*init)(void);
    void (*finish)(void);
} dvmhcc_module_t;

/**
 * Hand in a source file's functions: what the constructor of DvmhModuleInitializer does for C++, under the same symbol.
 *
 * @param module  lives as long as the program
 * @param init    runs at the end of dvmh_init_C; at once when that has been called already
 * @param finish  runs at the beginning of dvmh_exit_C; may be NULL
 */
void dvmhcc_module_enter(dvmhcc_module_t *module, void (*init)(void),
                         void (*finish)(void)) __asm__("_ZN21DvmhModuleInitializerC1EPFvvES1_");

/** A function as the interface takes it; by way of a type that compilers let through without a warning. */
#define DVMHCC_HANDLER(function) ((DvmHandlerFunc)(void (*)(void))(function))

/** Finish and end the program; what exit() is to a program without the runtime. */
__attribute__((noreturn)) static inline void dvmhcc_exit(int code) {
    dvmh_exit_C(code);
    abort(); /* not reached; the declaration of dvmh_exit_C does not say so */
}

/** Destroy a local array or template at the end of its scope: for the attribute `cleanup` of its header. */
static inline void dvmhcc_delete_array(DvmType (*header)[64]) {
    if ((*header)[0] != 0)
        dvmh_delete_object_(*header);
}

static inline void dvmhcc_delete_template(DvmType (*header)[1]) {
    if ((*header)[0] != 0)
        dvmh_delete_object_(*header);
}

/** Forbid every layout but the declared one: for arrays of programs made without -autoTfm. */
static inline void dvmhcc_keep_layout(const DvmType header[]) {
    dvmhx_layout_rule_t rule = {0, 0, 0, NULL, 0, 0, 0};

    rule.size = sizeof rule;
    rule.forbidden = 1 << DVMHX_LAYOUT_PLAIN | 1 << DVMHX_LAYOUT_SKEW | 1 << DVMHX_LAYOUT_WRAP;
    dvmhx_array_layout_C(header, &rule);
}

/** Fill what a process holds of an array with zeros. @param element_bytes  of an element */
static inline void dvmhcc_zero(DvmType header[], size_t element_bytes) {
    void *const zero = dvmh_calloc_C(1, element_bytes);

    dvmh_array_set_value_(header, zero); /* which ends the program where there was no memory */
    dvmh_free_C(zero);
}

/** Fill an array of static storage with zeros, as C does; faster where one process has all of it.
 * @param element_bytes, elements  of an element, and of the whole array */
static inline void dvmhcc_clear(DvmType header[], DvmType rank, size_t element_bytes, DvmType elements) {
    if (dvmh_get_total_num_procs() == 1 && header[rank + 2] != 0)
        memset((void *)header[rank + 2], 0, element_bytes * (size_t)elements);
    else
        dvmhcc_zero(header, element_bytes);
}

/** Whether an array has memory: what the program's pointer said. @return NULL: none */
static inline void *dvmhcc_memory(const DvmType header[], DvmType rank) {
    return (void *)header[rank + 2];
}

/** The own element, or what stands for it where another process owns it. */
static inline void *dvmhcc_own_or(void *own, void *other) {
    return own != NULL ? own : other;
}

/** Whether a loop of C from `start` to `end`, inclusive, has any iteration. @param step  not 0 */
static inline int dvmhcc_runs(DvmType start, DvmType end, DvmType step) {
    return step > 0 ? start <= end : start >= end;
}

/** The variable of such a loop behind its last iteration; `start` when there is none. */
static inline DvmType dvmhcc_after(DvmType start, DvmType end, DvmType step) {
    return dvmhcc_runs(start, end, step) ? start + ((end - start) / step + 1) * step : start;
}

#ifdef __cplusplus
}
#endif

#endif
