/* Module initialisers: the one C++ class of the interface, written in C under its C++ symbols (Itanium
 * ABI), so that the library needs no C++ runtime. Generated objects call the constructor; everything else
 * is for dvmh_init_* and dvmh_exit_*. */
#include <config.h>

#include "compiler-hooks/hooks.h"

typedef void (*module_fn_t)(void);

/* class DvmhModuleInitializer of dvmhlib2.h: no virtual functions, members in this order. */
struct module {
    struct module *next;
    module_fn_t init;
    module_fn_t finish;
};
_Static_assert(sizeof(struct module) == 3 * sizeof(void *), "layout of class DvmhModuleInitializer");

/* The symbols. Declared apart from their definitions because only a declaration takes an asm label. */
extern struct module *module_head __asm__("_ZN21DvmhModuleInitializer4headE");
void module_construct(struct module *module, module_fn_t init,
                      module_fn_t finish) __asm__("_ZN21DvmhModuleInitializerC1EPFvvES1_");
void module_construct_base(struct module *module, module_fn_t init,
                           module_fn_t finish) __asm__("_ZN21DvmhModuleInitializerC2EPFvvES1_");
void module_execute_init(void) __asm__("_ZN21DvmhModuleInitializer11executeInitEv");
void module_execute_finish(void) __asm__("_ZN21DvmhModuleInitializer13executeFinishEv");

/* Objects whose init has not run (before the start) or whose finish has not run (after it), newest first. */
HOOKS_API struct module *module_head;

/* Between the start of dvmh_init_*'s pass and the end of dvmh_exit_*'s. */
static bool is_started;

HOOKS_API void module_construct(struct module *module, module_fn_t init, module_fn_t finish) {
    module->init = init;
    module->finish = finish;
    module->next = module_head;
    module_head = module;
    if (is_started && init != NULL)
        init();
}

HOOKS_API void module_construct_base(struct module *module, module_fn_t init, module_fn_t finish) {
    module_construct(module, init, finish);
}

void hooks_run_module_initializers(void) {
    if (is_started)
        return;
    is_started =
        true; /* first: an object that an init function brings in runs at once and is not met below */
    for (struct module *module = module_head; module != NULL; module = module->next)
        if (module->init != NULL)
            module->init();
}

void hooks_run_module_finishers(void) {
    if (!is_started)
        return;
    while (module_head != NULL) {
        /* Taken off first: a finish function that ends the program is not called again. */
        struct module *const module = module_head;
        module_head = module->next;
        if (module->finish != NULL)
            module->finish();
    }
    is_started = false;
}

HOOKS_API void module_execute_init(void) {
    hooks_run_module_initializers();
}

HOOKS_API void module_execute_finish(void) {
    hooks_run_module_finishers();
}
