/* Shared by the files of compiler-hooks: how an entry point ends the program, and how it finds the object behind a word.
 * Entry points check the caller's input once, here; everything below returns a status. */
#ifndef HOOKS_HOOKS_H
#define HOOKS_HOOKS_H

#include <dvmhlib2.h>

#include "rts/status.h"

/** Exported to programs. */
#define HOOKS_API __attribute__((visibility("default")))

/**
 * End the program: one message `*** RTS err: ENTRY: text` with rank (when there are several) and the source line that
 * dvmh_line_C gave, then exit code 1 on every process. The text is what rts_fail recorded.
 */
_Noreturn void hooks_end(const char *entry_point);

/** The same with another exit code than 1. */
_Noreturn void hooks_end_with(const char *entry_point, int code);

/** The same with a text of its own. */
_Noreturn void hooks_error(const char *entry_point, const char *format, ...) RTS_PRINTF(2, 3);

/** Whether a message was given and the program is ending. Threads: any. */
bool hooks_is_ending(void);

/** Run an operation of the runtime; its failure ends the program in the name of the calling entry point. */
#define HOOKS_TRY(expression)                                                                                \
    do {                                                                                                     \
        if ((expression) != RTS_OK)                                                                          \
            hooks_end(__func__);                                                                             \
    } while (0)

/** Ends the program unless dvmh_init_* has run; for entry points that need the runtime. */
void hooks_need_runtime(const char *entry_point);

/** Ends the program unless the runtime runs and the caller is the main thread, outside handlers. */
void hooks_need_serial(const char *entry_point);

/** The same for entry points that all processes call together: ends the program, in builds with assertions, unless all of them are
 * here, at the same source line. Every such entry point calls it once, before it communicates. */
void hooks_need_collective(const char *entry_point);

/** Empty the pools of helper values (distribution and alignment rules, handler functions). Every consuming
 * entry point calls it when it returns; only the main thread's values are dropped. */
void hooks_drop_helpers(void);

/** Run module initialisers / finishers, each once (the list that DvmhModuleInitializer objects form). */
void hooks_run_module_initializers(void);
void hooks_run_module_finishers(void);

/** Set and reset dvmh_stdin, dvmh_stdout, dvmh_stderr; flush and close what dvmh_fopen left open. */
void hooks_stdio_open(void);
void hooks_stdio_close(void);

#endif
