/* Standard input and output of a program that runs as one or many processes: a compiler turns every
 * <stdio.h> call `name` into `dvmh_name`, and into `dvmh_void_name` where the program does not look at the
 * result.
 *
 * Each function takes the arguments of its namesake and gives the same result and errno. A FILE * here is
 * an object of the runtime: only dvmh_ functions take it, and only one that came from here. A wrong one
 * (NULL, closed, foreign) ends the program with a message.
 *
 * A file is global unless opened with `l` in its mode: process 0 alone reads and writes it, every process
 * makes the same calls in the same order, from serial code of the main thread, and every process gets the
 * result and the data read. The void forms do not pass the result on. Standard files are global: printf
 * prints once.
 *
 * Letters in a mode beside those of fopen: `l` a local file, each process its own (`%d` in the name stands
 * for the process's number); `p` a global file that all processes access at once where large distributed
 * arrays are read or written, if that can work for it; `s` asynchronous access, which this version performs
 * as if it were absent. */
#ifndef DVMHLIB_STDIO_H
#define DVMHLIB_STDIO_H

#include <stdarg.h>
#include <stdio.h>

#include <dvmhlib_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Standard files. NULL before dvmh_init_C and after dvmh_exit_C. */
extern FILE *dvmh_stdin;
extern FILE *dvmh_stdout;
extern FILE *dvmh_stderr;

/** remove() and rename() on process 0. */
int dvmh_remove(const char *file_name);
int dvmh_rename(const char *old_name, const char *new_name);

/** tmpfile(): a global file. */
FILE *dvmh_tmpfile(void);

/** tmpnam(): the same name in every process. @param name  L_tmpnam characters, or NULL for a static buffer */
char *dvmh_tmpnam(char *name);

/** Open a file. @return NULL with errno when it cannot be opened, in every process when it is global */
FILE *dvmh_fopen(const char *file_name, const char *mode);

/** Open another file, or the same one (NULL) in another mode, under the same FILE *. It may become local or
 * global.
 * @return NULL with errno: `file` is closed then */
FILE *dvmh_freopen(const char *file_name, const char *mode, FILE *file);

/** fclose(). The FILE * is invalid afterwards, also when closing failed. */
int dvmh_fclose(FILE *file);

/** fflush(); NULL: every output file. */
int dvmh_fflush(FILE *file);

/** Choose the buffer. @param buffer  used by the processes that access the file; must outlive it */
void dvmh_setbuf(FILE *file, char *buffer);
int dvmh_setvbuf(FILE *file, char *buffer, int mode, size_t size);

/** Formatted output. Arguments of processes that do not write are never looked at. */
int dvmh_fprintf(FILE *file, const char *format, ...);
void dvmh_void_fprintf(FILE *file, const char *format, ...);
int dvmh_printf(const char *format, ...);
void dvmh_void_printf(const char *format, ...);
int dvmh_vfprintf(FILE *file, const char *format, va_list arguments);
void dvmh_void_vfprintf(FILE *file, const char *format, va_list arguments);
int dvmh_vprintf(const char *format, va_list arguments);
void dvmh_void_vprintf(const char *format, va_list arguments);

/** Formatted input. Every process gets the values. */
int dvmh_fscanf(FILE *file, const char *format, ...);
void dvmh_void_fscanf(FILE *file, const char *format, ...);
int dvmh_scanf(const char *format, ...);
void dvmh_void_scanf(const char *format, ...);
int dvmh_vfscanf(FILE *file, const char *format, va_list arguments);
void dvmh_void_vfscanf(FILE *file, const char *format, va_list arguments);
int dvmh_vscanf(const char *format, va_list arguments);
void dvmh_void_vscanf(const char *format, va_list arguments);

/** Characters in. */
int dvmh_fgetc(FILE *file);
int dvmh_getc(FILE *file);
int dvmh_getchar(void);
int dvmh_ungetc(int character, FILE *file);
void dvmh_void_ungetc(int character, FILE *file);

/** Lines in. dvmh_gets cannot know the size of its buffer, as gets() could not. */
char *dvmh_fgets(char *line, int size, FILE *file);
void dvmh_void_fgets(char *line, int size, FILE *file);
char *dvmh_gets(char *line);
void dvmh_void_gets(char *line);

/** Characters out. */
int dvmh_fputc(int character, FILE *file);
void dvmh_void_fputc(int character, FILE *file);
int dvmh_putc(int character, FILE *file);
void dvmh_void_putc(int character, FILE *file);
int dvmh_putchar(int character);
void dvmh_void_putchar(int character);

/** Lines out. */
int dvmh_fputs(const char *text, FILE *file);
void dvmh_void_fputs(const char *text, FILE *file);
int dvmh_puts(const char *text);
void dvmh_void_puts(const char *text);

/** Blocks of memory. */
size_t dvmh_fread(void *data, size_t size, size_t count, FILE *file);
void dvmh_void_fread(void *data, size_t size, size_t count, FILE *file);
size_t dvmh_fwrite(const void *data, size_t size, size_t count, FILE *file);
void dvmh_void_fwrite(const void *data, size_t size, size_t count, FILE *file);

/**
 * Read or write a distributed array, or its beginning: size * count bytes of its elements in row-major
 * order of their global indices.
 *
 * Reading makes the host's copy the only current one; writing fetches what a device holds: no actual or
 * get_actual directive is needed.
 * @param header  a distributed array
 * @param size, count  size * count must be a multiple of the element size and not exceed the array
 * @return items of `size` bytes done
 */
size_t dvmh_fread_distrib(DvmType header[], size_t size, size_t count, FILE *file);
void dvmh_void_fread_distrib(DvmType header[], size_t size, size_t count, FILE *file);
size_t dvmh_fwrite_distrib(const DvmType header[], size_t size, size_t count, FILE *file);
void dvmh_void_fwrite_distrib(const DvmType header[], size_t size, size_t count, FILE *file);

/** Position. A position from dvmh_fgetpos is good for dvmh_fsetpos on the same file only. */
int dvmh_fgetpos(FILE *file, fpos_t *position);
int dvmh_fsetpos(FILE *file, const fpos_t *position);
int dvmh_fseek(FILE *file, long offset, int origin);
void dvmh_void_fseek(FILE *file, long offset, int origin);
long dvmh_ftell(FILE *file);
void dvmh_rewind(FILE *file);

/** State. dvmh_perror writes to standard error once. */
void dvmh_clearerr(FILE *file);
int dvmh_feof(FILE *file);
int dvmh_ferror(FILE *file);
void dvmh_perror(const char *text);

#ifdef __cplusplus
}
#endif

#endif
