/* Shared by the files of the standard input and output: the table of open files, and how processes share
 * results.
 *
 * A FILE * of the program is the address of an entry of the table, which is recognised without following
 * it. A global file is accessed by one process, the I/O process; the others make the same calls and are
 * given what it got. */
#ifndef HOOKS_HOOKS_STDIO_H
#define HOOKS_HOOKS_STDIO_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "compiler-hooks/hooks.h"

/** A file of the program. `stream` is valid in the processes that access it; NULL or unused in others. */
typedef struct hooks_file {
    atomic_bool is_open;
    bool is_local;
    bool is_standard; /* its stream belongs to libc: flushed at the end, not closed */
    bool is_parallel; /* every process has a descriptor of its own; the same in all processes */
    bool has_failed;  /* an access beside the stream failed, which ferror must tell; in the I/O process */
    int descriptor;   /* of a parallel file */
    FILE *stream;
} hooks_file_t;

/**
 * The file behind a FILE * of the program, checked: an open one, the runtime runs, and for a global file
 * the calling code is serial. Anything else ends the program. Leaves errno alone.
 */
hooks_file_t *hooks_file_of(const char *entry_point, FILE *handle);

/** Whether this process accesses global files. */
bool hooks_is_io_process(void);

/** Whether this process accesses the file. */
static inline bool hooks_file_is_mine(const hooks_file_t *file) {
    return file->is_local || hooks_is_io_process();
}

/** The result of an operation, with errno, of the I/O process for a global file; for a local one `result`.
 * Every process calls it. With one process it costs nothing and leaves errno alone. */
int64_t hooks_file_share(const char *entry_point, const hooks_file_t *file, int64_t result);
/** The same for memory, without errno, which is left alone. */
void hooks_file_share_data(const char *entry_point, const hooks_file_t *file, void *data, size_t bytes);
/** The same without a file: for operations on names. */
int64_t hooks_io_share(const char *entry_point, int64_t result);

/** An operation of every process. @param error  errno of this one, or 0 @return 0; or EOF with errno of the first that failed */
int hooks_io_share_failure(const char *entry_point, int error);

/** Copy a file name with the process's number for each `%d`. @return false with errno when it is too long */
bool hooks_local_name(const char *name, char local_p[FILENAME_MAX]);

/** Bodies of tmpfile and tmpnam, global and local. */
FILE *hooks_open_temporary(const char *entry_point, bool is_local);
char *hooks_temporary_name(const char *entry_point, char *name, bool is_local);

/* ---- parallel files: global ones that every process can also access by itself, at places that are given ---- */

/** What became of an access of one process, or of several to ranges one behind the other: how far they got without a gap. */
typedef struct hooks_extent {
    int64_t bytes;
    int64_t is_full; /* all that was asked for */
    int64_t error;   /* errno of the first that was not full; 0: the end of the file */
} hooks_extent_t;

/**
 * Let every process access a global file that has just been opened. Where that cannot work for all of them it stays an ordinary global
 * file: a file that is not regular or is appended to, names that lead to different files, and, with several nodes, updates (`+`) and
 * written files on NFS, which is not coherent. Collective. Leaves errno alone.
 * @param name  NULL: it cannot be opened by name
 * @param mode  of fopen, without the letters added here
 */
void hooks_parallel_open(const char *entry_point, hooks_file_t *file, const char *name, const char *mode);

/** Undo it. Local; harmless for other files. Leaves errno alone. @return what would be errno, or 0 */
int hooks_parallel_close(hooks_file_t *file);

/**
 * Place in bytes of the file, its stream made ready for accesses beside it. Collective. @return -1 with errno when there is none
 */
int64_t hooks_parallel_begin(const char *entry_point, hooks_file_t *file);

/** Move the file behind what was accessed, and let it know how that ended. Collective. */
void hooks_parallel_end(const char *entry_point, hooks_file_t *file, int64_t place, hooks_extent_t extent);

/** Access this process's range; every process gets the outcome of all ranges, in the order of processes. Collective. */
hooks_extent_t hooks_parallel_write(const char *entry_point, const hooks_file_t *file, const void *data,
                                    size_t bytes, int64_t place);
hooks_extent_t hooks_parallel_read(const char *entry_point, const hooks_file_t *file, void *data,
                                   size_t bytes, int64_t place);

#endif
