/* Allocation on behalf of the program: libc's, and the runtime knows each block as a variable while it
 * lives, so that regions find its size. Memory that the runtime does not know, and any memory outside the
 * run, is libc's alone. */
#include <config.h>

#include "compiler-hooks/hooks.h"

#include <errno.h>
#include <string.h>

#include "rts/runtime.h"
#include "rts/variable.h"

/* Make the runtime know a block. @return false when there was no memory to note it */
static bool enter(const char *entry_point, void *block, size_t bytes) {
    if (!rts_runtime()->is_open)
        return true;
    const rts_status_t status = rts_variable_enter(block, bytes);
    if (status != RTS_OK && status != RTS_ERR_NO_MEMORY)
        hooks_end(entry_point);
    return status == RTS_OK;
}

/* The result of an allocation: the block, known from now on, or NULL with errno as libc sets it. */
static void *deliver(const char *entry_point, void *block, size_t bytes) {
    if (block == NULL || bytes == 0 || enter(entry_point, block, bytes))
        return block;
    free(block);
    errno = ENOMEM;
    return NULL;
}

/* Make the runtime forget a block, however often it was entered: its memory goes away.
 * @param save  bring the newest values home before
 * @return whether the runtime knew it */
static bool leave(const char *entry_point, const void *block, bool save) {
    if (block == NULL || !rts_runtime()->is_open)
        return false;
    bool was_known = false;
    rts_status_t status = RTS_OK;
    while (status == RTS_OK && rts_variable_is_known(block)) {
        was_known = true;
        status = rts_variable_exit(block, save);
    }
    if (status != RTS_OK)
        hooks_end(entry_point);
    return was_known;
}

HOOKS_API void *dvmh_malloc_C(size_t size) {
    return deliver(__func__, malloc(size), size);
}

HOOKS_API void *dvmh_calloc_C(size_t count, size_t size) {
    void *const block = calloc(count, size); /* NULL when the product overflows */
    return deliver(__func__, block, count * size);
}

HOOKS_API void *dvmh_realloc_C(void *address, size_t size) {
    if (address == NULL)
        return deliver(__func__, malloc(size), size);
    if (size == 0) {
        dvmh_free_C(address); /* what glibc does; standards leave it open */
        return NULL;
    }
    const bool was_known = leave(__func__, address, true);
    void *const block = realloc(address, size);
    const int error = errno;
    if (block != NULL)
        /* Not known is no reason to fail here, as the old block is gone: a region gets to know it when it
         * uses it. */
        enter(__func__, block, size);
    else if (was_known)
        /* The old block lives on. Its size is not at hand: 0 means that the next use tells it. */
        enter(__func__, address, 0);
    errno = error;
    return block;
}

HOOKS_API char *dvmh_strdup_C(const char *text) {
    if (text == NULL)
        hooks_error(__func__, "the string is NULL");
    const size_t bytes = strlen(text) + 1;
    char *const copy = malloc(bytes);
    if (copy != NULL)
        memcpy(copy, text, bytes);
    return deliver(__func__, copy, bytes);
}

HOOKS_API void dvmh_free_C(void *address) {
    leave(__func__, address, false);
    free(address);
}
