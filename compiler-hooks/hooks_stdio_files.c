/* Standard input and output: the table of files, and all that opens, closes and names them. */
#include <config.h>

#include "compiler-hooks/hooks_stdio.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "rts/comm.h"
#include "rts/log.h"
#include "rts/memory.h"

HOOKS_API FILE *dvmh_stdin;
HOOKS_API FILE *dvmh_stdout;
HOOKS_API FILE *dvmh_stderr;

/* The table: chunks that never move, so that readers need no lock. Claiming an entry and adding a chunk do.
 */
#define CHUNK_FILES    64
#define STANDARD_FILES 3

typedef struct chunk {
    hooks_file_t files[CHUNK_FILES];
    _Atomic(struct chunk *) next;
} chunk_t;

static chunk_t first_chunk; /* its first entries are the standard files */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- the table ---- */

/* A free entry, or NULL with errno. Entries of closed files are taken in turn, so that a FILE * used after
 * fclose is recognised for as long as possible. */
static hooks_file_t *claim(FILE *stream, bool is_local) {
    static size_t turn;
    hooks_file_t *file = NULL;
    pthread_mutex_lock(&lock);
    chunk_t *chunk = &first_chunk;
    for (;;) {
        for (size_t i = 0; i < CHUNK_FILES && file == NULL; i++) {
            hooks_file_t *const candidate = &chunk->files[(turn + i) % CHUNK_FILES];
            const bool is_kept = chunk == &first_chunk && candidate < first_chunk.files + STANDARD_FILES;
            if (!is_kept && !atomic_load_explicit(&candidate->is_open, memory_order_relaxed))
                file = candidate;
        }
        if (file != NULL)
            break;
        chunk_t *next = atomic_load(&chunk->next);
        if (next == NULL) {
            next = rts_alloc_zeroed(1, sizeof *next);
            if (next == NULL)
                break;
            atomic_store(&chunk->next, next);
        }
        chunk = next;
    }
    if (file != NULL) {
        turn = (size_t)(file - chunk->files) + 1;
        file->is_local = is_local;
        file->is_standard = file->is_parallel = file->has_failed = false;
        file->stream = stream;
        atomic_store_explicit(&file->is_open, true, memory_order_release);
    } else {
        errno = ENOMEM;
    }
    pthread_mutex_unlock(&lock);
    return file;
}

static void release(hooks_file_t *file) {
    (void)hooks_parallel_close(file);
    file->stream = NULL;
    atomic_store_explicit(&file->is_open, false, memory_order_release);
}

/* The entry at an address, or NULL when there is none. */
static hooks_file_t *entry_at(const FILE *handle) {
    for (chunk_t *chunk = &first_chunk; chunk != NULL; chunk = atomic_load(&chunk->next)) {
        const uintptr_t distance = (uintptr_t)handle - (uintptr_t)chunk->files;
        if (distance < sizeof chunk->files && distance % sizeof(hooks_file_t) == 0)
            return &chunk->files[distance / sizeof(hooks_file_t)];
    }
    return NULL;
}

hooks_file_t *hooks_file_of(const char *entry_point, FILE *handle) {
    hooks_need_runtime(entry_point);
    if (handle == NULL)
        hooks_error(entry_point, "the FILE * is NULL");
    hooks_file_t *const file = entry_at(handle);
    if (file == NULL)
        hooks_error(entry_point, "the FILE * is none that a dvmh_ function returned");
    if (!atomic_load_explicit(&file->is_open, memory_order_acquire))
        hooks_error(entry_point, "the file is closed");
    if (!file->is_local)
        hooks_need_collective(entry_point);
    return file;
}

static FILE *open_standard(hooks_file_t *file, FILE *stream) {
    file->is_local = false;
    file->is_standard = true;
    file->is_parallel = file->has_failed = false;
    file->stream = stream;
    atomic_store_explicit(&file->is_open, true, memory_order_release);
    return (FILE *)file;
}

void hooks_stdio_open(void) {
    if (dvmh_stdin != NULL)
        return;
    dvmh_stdin = open_standard(&first_chunk.files[0], stdin);
    dvmh_stdout = open_standard(&first_chunk.files[1], stdout);
    dvmh_stderr = open_standard(&first_chunk.files[2], stderr);
}

/* Output that did not reach its file is worth a word: no call of the program will tell. */
static void close_at_end(hooks_file_t *file) {
    if (file->stream != NULL) {
        const int failed = file->is_standard ? fflush(file->stream) : fclose(file->stream);
        if (failed != 0)
            rts_log(RTS_LOG_WARNING, "output to a file left open is lost: %s", strerror(errno));
    }
    release(file);
}

void hooks_stdio_close(void) {
    fflush(NULL);
    for (chunk_t *chunk = &first_chunk; chunk != NULL; chunk = atomic_load(&chunk->next))
        for (size_t i = 0; i < CHUNK_FILES; i++)
            if (atomic_load_explicit(&chunk->files[i].is_open, memory_order_acquire))
                close_at_end(&chunk->files[i]);
    chunk_t *chunk = atomic_exchange(&first_chunk.next, NULL);
    while (chunk != NULL) {
        chunk_t *const next = atomic_load(&chunk->next);
        rts_free(chunk);
        chunk = next;
    }
    dvmh_stdin = dvmh_stdout = dvmh_stderr = NULL;
}

/* ---- several processes ---- */

bool hooks_is_io_process(void) {
    return rts_comm_rank() == 0;
}

static void broadcast(const char *entry_point, void *data, size_t bytes) {
    const int error = errno; /* MPI may change it */
    if (rts_comm_broadcast(data, bytes, 0) != RTS_OK)
        hooks_end(entry_point);
    errno = error;
}

int64_t hooks_io_share(const char *entry_point, int64_t result) {
    if (rts_comm_size() == 1)
        return result;
    int64_t shared[2] = {result, errno};
    broadcast(entry_point, shared, sizeof shared);
    errno = (int)shared[1];
    return shared[0];
}

int64_t hooks_file_share(const char *entry_point, const hooks_file_t *file, int64_t result) {
    return file->is_local ? result : hooks_io_share(entry_point, result);
}

void hooks_file_share_data(const char *entry_point, const hooks_file_t *file, void *data, size_t bytes) {
    if (!file->is_local && rts_comm_size() > 1)
        broadcast(entry_point, data, bytes);
}

static void keep_first(void *context, void *into, const void *from) {
    int *first = into;
    const int *next = from;
    (void)context;
    if (*first == 0)
        *first = *next;
}

int hooks_io_share_failure(const char *entry_point, int error) {
    const int before = errno;
    if (rts_comm_reduce(&error, sizeof error, keep_first, NULL) != RTS_OK)
        hooks_end(entry_point);
    errno = error != 0 ? error : before;
    return error != 0 ? EOF : 0;
}

/* ---- names ---- */

bool hooks_local_name(const char *name, char local_p[FILENAME_MAX]) {
    size_t length = 0;
    while (*name != '\0' && length < FILENAME_MAX - 1) {
        if (name[0] == '%' && name[1] == 'd') {
            length += (size_t)snprintf(local_p + length, FILENAME_MAX - length, "%d", rts_comm_rank());
            name += 2;
        } else {
            local_p[length++] = *name++;
        }
    }
    if (*name != '\0' || length >= FILENAME_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    local_p[length] = '\0';
    return true;
}

/* Checks of an operation on global names. */
static void check_names(const char *entry_point, const char *name, const char *other) {
    hooks_need_runtime(entry_point);
    hooks_need_collective(entry_point);
    if (name == NULL || other == NULL)
        hooks_error(entry_point, "the file name is NULL");
}

HOOKS_API int dvmh_remove(const char *file_name) {
    check_names(__func__, file_name, file_name);
    return (int)hooks_io_share(__func__, hooks_is_io_process() ? remove(file_name) : 0);
}

HOOKS_API int dvmh_rename(const char *old_name, const char *new_name) {
    check_names(__func__, old_name, new_name);
    return (int)hooks_io_share(__func__, hooks_is_io_process() ? rename(old_name, new_name) : 0);
}

char *hooks_temporary_name(const char *entry_point, char *name, bool is_local) {
    static char kept[L_tmpnam];
    static const char pattern[] = P_tmpdir "/dvmhXXXXXX";
    _Static_assert(sizeof pattern <= L_tmpnam, "the name fits the program's buffer");
    char made[L_tmpnam] = {0};
    int64_t failed = 0;
    if (is_local || hooks_is_io_process()) {
        /* libc's tmpnam draws a warning from every linker. A file made and removed gives a name nobody has.
         */
        memcpy(made, pattern, sizeof pattern);
        const int descriptor = mkstemp(made);
        failed = descriptor < 0 || close(descriptor) != 0 || unlink(made) != 0;
    }
    if (!is_local) {
        failed = hooks_io_share(entry_point, failed);
        if (rts_comm_size() > 1)
            broadcast(entry_point, made, sizeof made);
    }
    return failed ? NULL : memcpy(name != NULL ? name : kept, made, sizeof made);
}

HOOKS_API char *dvmh_tmpnam(char *name) {
    hooks_need_runtime(__func__);
    hooks_need_collective(__func__);
    return hooks_temporary_name(__func__, name, false);
}

/* ---- opening and closing ---- */

/* What a mode string says: that of libc, and the letters added to it. */
typedef struct open_mode {
    char plain[32];
    bool is_local;    /* `l` */
    bool is_parallel; /* `p`; `s` changes nothing that a program can see */
} open_mode_t;

/* Letters end at a comma: what follows is libc's (",ccs="). @return false with errno when it is too long */
static bool read_mode(const char *entry_point, const char *mode, open_mode_t *mode_p) {
    if (mode == NULL)
        hooks_error(entry_point, "the mode is NULL");
    size_t length = 0;
    bool is_libc_part = false;
    mode_p->is_local = mode_p->is_parallel = false;
    for (; *mode != '\0' && length < sizeof mode_p->plain; mode++) {
        is_libc_part = is_libc_part || *mode == ',';
        if (!is_libc_part && *mode == 'l')
            mode_p->is_local = true;
        else if (!is_libc_part && *mode == 'p')
            mode_p->is_parallel = true;
        else if (is_libc_part || *mode != 's')
            mode_p->plain[length++] = *mode;
    }
    if (length == sizeof mode_p->plain) {
        mode_p->plain[0] = '\0';
        errno = EINVAL;
        return false;
    }
    mode_p->plain[length] = '\0';
    return true;
}

/* libc's fopen, or freopen of `stream`, with a name made local if need be. */
static FILE *open_stream(const char *name, const open_mode_t *mode, FILE *stream) {
    char local[FILENAME_MAX];
    if (name != NULL && mode->is_local) {
        if (!hooks_local_name(name, local)) {
            if (stream != NULL)
                fclose(stream);
            return NULL;
        }
        name = local;
    }
    return stream != NULL ? freopen(name, mode->plain, stream) : fopen(name, mode->plain);
}

/* Enter a stream just opened, and tell all processes whether that worked.
 * @param stream  NULL when opening failed, or in a process that does not access the file
 * @return NULL with errno */
static FILE *deliver(const char *entry_point, FILE *stream, bool is_local) {
    const bool is_mine = is_local || hooks_is_io_process();
    hooks_file_t *file = NULL;
    if (!is_mine || stream != NULL)
        file = claim(stream, is_local);
    int64_t is_good = file != NULL;
    if (!is_local) {
        is_good = hooks_io_share(entry_point, is_good);
        if (is_good && file == NULL)
            hooks_error(entry_point, "no memory for another open file");
    }
    if (is_good)
        return (FILE *)file;
    const int error = errno;
    if (file != NULL)
        release(file);
    if (stream != NULL)
        fclose(stream);
    errno = error;
    return NULL;
}

HOOKS_API FILE *dvmh_fopen(const char *file_name, const char *mode) {
    hooks_need_runtime(__func__);
    if (file_name == NULL)
        hooks_error(__func__, "the file name is NULL");
    open_mode_t wanted;
    if (!read_mode(__func__, mode, &wanted))
        return NULL;
    if (!wanted.is_local)
        hooks_need_collective(__func__);
    const bool is_mine = wanted.is_local || hooks_is_io_process();
    FILE *const file =
        deliver(__func__, is_mine ? open_stream(file_name, &wanted, NULL) : NULL, wanted.is_local);
    if (file != NULL && wanted.is_parallel && !wanted.is_local)
        hooks_parallel_open(__func__, (hooks_file_t *)file, file_name, wanted.plain);
    return file;
}

FILE *hooks_open_temporary(const char *entry_point, bool is_local) {
    hooks_need_runtime(entry_point);
    if (!is_local)
        hooks_need_collective(entry_point);
    return deliver(entry_point, is_local || hooks_is_io_process() ? tmpfile() : NULL, is_local);
}

HOOKS_API FILE *dvmh_tmpfile(void) {
    return hooks_open_temporary(__func__, false);
}

/* Open another file, or the same in another mode (name NULL), under an entry, in the processes that access
 * it now. libc's freopen leaks its FILE when it fails, so it is used only where that object must stay the
 * same. */
static void reopen(hooks_file_t *file, bool was_mine, const char *name, const open_mode_t *mode) {
    const bool is_mine = hooks_file_is_mine(file);
    if (file->is_standard || name == NULL) {
        if (is_mine)
            file->stream = open_stream(name, mode, file->stream);
        return;
    }
    if (was_mine)
        fclose(file->stream);
    file->stream = is_mine ? open_stream(name, mode, NULL) : NULL;
}

HOOKS_API FILE *dvmh_freopen(const char *file_name, const char *mode, FILE *handle) {
    hooks_file_t *const file = hooks_file_of(__func__, handle);
    const bool was_mine = hooks_file_is_mine(file);
    open_mode_t wanted;
    /* A mode too long is read as the empty one, which libc refuses. */
    if (!read_mode(__func__, mode, &wanted) || file_name == NULL)
        wanted.is_local = file->is_local;
    if (!wanted.is_local)
        hooks_need_serial(__func__);
    (void)hooks_parallel_close(file);
    file->is_local = wanted.is_local;
    file->has_failed = false;
    reopen(file, was_mine, file_name, &wanted);
    const bool is_good = !hooks_file_is_mine(file) || file->stream != NULL;
    if (hooks_file_share(__func__, file, is_good)) {
        if (wanted.is_parallel && !wanted.is_local)
            hooks_parallel_open(__func__, file, file_name, wanted.plain);
        return handle;
    }
    const int error = errno;
    release(file);
    errno = error;
    return NULL;
}

HOOKS_API int dvmh_fclose(FILE *handle) {
    hooks_file_t *const file = hooks_file_of(__func__, handle);
    const int result = hooks_file_is_mine(file) ? fclose(file->stream) : 0;
    int shared = (int)hooks_file_share(__func__, file, result);
    if (file->is_parallel) {
        const int also = hooks_io_share_failure(__func__, hooks_parallel_close(file));
        shared = shared != 0 ? shared : also;
    }
    release(file);
    return shared;
}
