/* Fibers: switching between stacks. On x86-64 by a few instructions of our own, since a system call a switch, as swapcontext makes, would
 * dominate; elsewhere, or with EMULATED_UCONTEXT defined, by swapcontext. AddressSanitizer is told of each switch. */
#include <config.h>

#include "tests/emulated_cuda/emulated.h"

#include <string.h>

#if EMULATED_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

static void enter(emulated_fiber_t *fiber, emulated_fiber_t *from);

#if defined __x86_64__ && !defined EMULATED_UCONTEXT

/* Saves what the convention of calls lets a callee not change, and takes the same of the other stack. The new one returns to where it was. */
void emulated_switch_stacks(void **save_p, void *to);
__asm__(".text\n"
        ".type emulated_switch_stacks, @function\n"
        ".globl emulated_switch_stacks\n"
        ".hidden emulated_switch_stacks\n"
        "emulated_switch_stacks:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size emulated_switch_stacks, . - emulated_switch_stacks\n");

static emulated_fiber_t *starting, *came_from; /* the engine runs them all */

static void begin(void) {
    enter(starting, came_from);
}

static void make(emulated_fiber_t *fiber) {
    void **top = (void **)(void *)(fiber->stack + fiber->stack_bytes);
    *--top = NULL; /* so that begin finds the stack as after a call */
    *--top = (void *)(uintptr_t)begin;
    for (int i = 0; i < 6; i++)
        *--top = NULL;
    fiber->place = top;
}

static void swap(emulated_fiber_t *from, emulated_fiber_t *to) {
    starting = to;
    came_from = from;
    emulated_switch_stacks(&from->place, to->place);
}

#else

#include <ucontext.h>

static emulated_fiber_t *starting, *came_from; /* the engine runs them all */

static void begin(void) {
    enter(starting, came_from);
}

static ucontext_t *context_of(emulated_fiber_t *fiber) {
    if (fiber->place == NULL)
        fiber->place = emulated_alloc(sizeof(ucontext_t));
    return fiber->place;
}

static void make(emulated_fiber_t *fiber) {
    ucontext_t *const context = context_of(fiber);
    (void)getcontext(context);
    context->uc_stack.ss_sp = fiber->stack;
    context->uc_stack.ss_size = fiber->stack_bytes;
    context->uc_link = NULL;
    makecontext(context, begin, 0);
}

static void swap(emulated_fiber_t *from, emulated_fiber_t *to) {
    starting = to;
    came_from = from;
    (void)swapcontext(context_of(from), context_of(to));
}

#endif

/* The first that a fiber does. */
static void enter(emulated_fiber_t *fiber, emulated_fiber_t *from) {
#if EMULATED_ASAN
    __sanitizer_finish_switch_fiber(NULL, &from->outer, &from->outer_bytes);
#else
    (void)from;
#endif
    fiber->run(fiber->data);
}

void emulated_fiber_make(emulated_fiber_t *fiber, char *stack, size_t stack_bytes, void (*run)(void *),
                         void *data) {
    void *const place = fiber->place;
    memset(fiber, 0, sizeof *fiber);
#if !defined __x86_64__ || defined EMULATED_UCONTEXT
    fiber->place = place;
#else
    (void)place;
#endif
    fiber->stack = stack;
    fiber->stack_bytes = stack_bytes;
    fiber->run = run;
    fiber->data = data;
#if EMULATED_ASAN
    __asan_unpoison_memory_region(stack, stack_bytes); /* frames of one that was given up */
#endif
    make(fiber);
}

void emulated_fiber_switch(emulated_fiber_t *from, emulated_fiber_t *to, bool from_ends) {
#if EMULATED_ASAN
    const void *const bottom = to->stack != NULL ? to->stack : to->outer;
    const size_t bytes = to->stack != NULL ? to->stack_bytes : to->outer_bytes;
    __sanitizer_start_switch_fiber(from_ends ? NULL : &from->fake_stack, bottom, bytes);
    swap(from, to);
    __sanitizer_finish_switch_fiber(from->fake_stack, NULL, NULL);
#else
    (void)from_ends;
    swap(from, to);
#endif
}
