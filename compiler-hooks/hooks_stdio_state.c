/* Standard input and output: position, buffers and state of open files. */
#include <config.h>

#include "compiler-hooks/hooks_stdio.h"

#include <errno.h>

HOOKS_API int dvmh_fflush(FILE *handle) {
    if (handle != NULL) {
        hooks_file_t *const file = hooks_file_of(__func__, handle);
        return (int)hooks_file_share(__func__, file, hooks_file_is_mine(file) ? fflush(file->stream) : 0);
    }
    hooks_need_runtime(__func__);
    hooks_need_collective(__func__);
    const int failed = fflush(NULL) == 0 ? 0 : errno; /* everywhere: local files are among them */
    return hooks_io_share_failure(__func__, failed);
}

HOOKS_API void dvmh_setbuf(FILE *handle, char *buffer) {
    hooks_file_t *const file = hooks_file_of(__func__, handle);
    if (hooks_file_is_mine(file))
        setbuf(file->stream, buffer);
}

HOOKS_API int dvmh_setvbuf(FILE *handle, char *buffer, int mode, size_t size) {
    hooks_file_t *const file = hooks_file_of(__func__, handle);
    const int result = hooks_file_is_mine(file) ? setvbuf(file->stream, buffer, mode, size) : 0;
    return (int)hooks_file_share(__func__, file, result);
}

HOOKS_API int dvmh_fgetpos(FILE *handle, fpos_t *position) {
    hooks_file_t *const file = hooks_file_of(__func__, handle);
    const int result = hooks_file_is_mine(file) ? fgetpos(file->stream, position) : 0;
    const int shared = (int)hooks_file_share(__func__, file, result);
    if (shared == 0)
        hooks_file_share_data(__func__, file, position, sizeof *position);
    return shared;
}

HOOKS_API int dvmh_fsetpos(FILE *handle, const fpos_t *position) {
    hooks_file_t *const file = hooks_file_of(__func__, handle);
    const int result = hooks_file_is_mine(file) ? fsetpos(file->stream, position) : 0;
    return (int)hooks_file_share(__func__, file, result);
}

HOOKS_API int dvmh_fseek(FILE *handle, long offset, int origin) {
    hooks_file_t *const file = hooks_file_of(__func__, handle);
    const int result = hooks_file_is_mine(file) ? fseek(file->stream, offset, origin) : 0;
    return (int)hooks_file_share(__func__, file, result);
}

HOOKS_API void dvmh_void_fseek(FILE *handle, long offset, int origin) {
    hooks_file_t *const file = hooks_file_of(__func__, handle);
    if (hooks_file_is_mine(file))
        fseek(file->stream, offset, origin);
}

HOOKS_API long dvmh_ftell(FILE *handle) {
    hooks_file_t *const file = hooks_file_of(__func__, handle);
    return (long)hooks_file_share(__func__, file, hooks_file_is_mine(file) ? ftell(file->stream) : 0);
}

HOOKS_API void dvmh_rewind(FILE *handle) {
    hooks_file_t *const file = hooks_file_of(__func__, handle);
    file->has_failed = false;
    if (hooks_file_is_mine(file))
        rewind(file->stream);
}

HOOKS_API void dvmh_clearerr(FILE *handle) {
    hooks_file_t *const file = hooks_file_of(__func__, handle);
    file->has_failed = false;
    if (hooks_file_is_mine(file))
        clearerr(file->stream);
}

HOOKS_API int dvmh_feof(FILE *handle) {
    hooks_file_t *const file = hooks_file_of(__func__, handle);
    return (int)hooks_file_share(__func__, file, hooks_file_is_mine(file) ? feof(file->stream) : 0);
}

HOOKS_API int dvmh_ferror(FILE *handle) {
    hooks_file_t *const file = hooks_file_of(__func__, handle);
    const bool has_failed = hooks_file_is_mine(file) && (file->has_failed || ferror(file->stream));
    return (int)hooks_file_share(__func__, file, has_failed);
}

HOOKS_API void dvmh_perror(const char *text) {
    const hooks_file_t *const file = hooks_file_of(__func__, dvmh_stderr);
    if (hooks_file_is_mine(file))
        perror(text);
}
