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
/** The same for memory. */
void hooks_file_share_data(const char *entry_point, const hooks_file_t *file, void *data, size_t bytes);
/** The same without a file: for operations on names. */
int64_t hooks_io_share(const char *entry_point, int64_t result);

/** Copy a file name with the process's number for each `%d`. @return false with errno when it is too long */
bool hooks_local_name(const char *name, char local_p[FILENAME_MAX]);

/** Bodies of tmpfile and tmpnam, global and local. */
FILE *hooks_open_temporary(const char *entry_point, bool is_local);
char *hooks_temporary_name(const char *entry_point, char *name, bool is_local);

/**
 * Prepare reading or writing an array as one block of a file. Implemented with the arrays.
 *
 * Brings the newest values home. Before reading (`for_write_to_file` false) it then makes home the only
 * current copy; as home is complete by then, elements that a short file does not reach keep their values.
 * @param data_p           first element of the array at home, row-major without gaps
 * @param bytes_p          size of the whole array
 * @param element_bytes_p  size of an element
 * @return RTS_ERR_INVALID      no header of an array, or the array is not distributed
 * @return RTS_ERR_UNSUPPORTED  this process does not hold the whole array in one piece
 */
rts_status_t hooks_array_io_begin(const char *entry_point, const void *header, bool for_write_to_file,
                                  char **data_p, size_t *bytes_p, size_t *element_bytes_p);

#endif
