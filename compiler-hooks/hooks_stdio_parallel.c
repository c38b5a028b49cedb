/* Standard input and output: parallel files. The I/O process has the stream, as of any global file; besides, every process has a descriptor
 * of its own, through which it reads and writes at places that are given. Decides where that can work; which process gets which part of an
 * array is decided with the arrays. */
#include <config.h>

#include "compiler-hooks/hooks_stdio.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

#include "rts/comm.h"

/* Bytes that one call may move at once on all systems. */
#define CALL_BYTES ((size_t)1 << 30)

/* What tells a file from all others, and what the I/O process knows of it. */
typedef struct identity {
    int64_t is_suitable;
    int64_t device, number, size, seconds, nanoseconds;
    int64_t is_one_node;
} identity_t;

/* Several nodes see each other's writes in time only on file systems made for that. */
static bool is_coherent(int descriptor) {
#ifdef __linux__
    struct statfs system;
    return fstatfs(descriptor, &system) == 0 && system.f_type != NFS_SUPER_MAGIC;
#else
    (void)descriptor;
    return false;
#endif
}

static bool identify(int descriptor, identity_t *identity_p) {
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    identity_p->device = (int64_t)status.st_dev;
    identity_p->number = (int64_t)status.st_ino;
    identity_p->size = (int64_t)status.st_size;
    identity_p->seconds = (int64_t)status.st_mtim.tv_sec;
    identity_p->nanoseconds = (int64_t)status.st_mtim.tv_nsec;
    return true;
}

/* How a process accesses the file by itself. @return -1: in a way in which it cannot */
static int access_of(const char *mode) {
    if (strchr(mode, ',') != NULL || strchr(mode, 'a') != NULL)
        return -1;
    return strchr(mode, '+') != NULL ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
}

/* What the I/O process finds. */
static identity_t look_at(const hooks_file_t *file, int access) {
    identity_t identity = {.is_one_node = rts_comm_local_size() == rts_comm_size()};
    const int descriptor = fileno(file->stream);
    identity.is_suitable =
        identify(descriptor, &identity) &&
        (identity.is_one_node || access == O_RDONLY || (access == O_WRONLY && is_coherent(descriptor)));
    return identity;
}

/* The descriptor of this process, when it leads to the same file. Numbers of devices are those of one node; the time of the last change
 * stands in for them. @return -1 */
static int open_same(const char *name, int access, const identity_t *wanted) {
    identity_t found = {0};
    const int descriptor = open(name, access | O_CLOEXEC);
    if (descriptor < 0)
        return -1;
    if (identify(descriptor, &found) && found.number == wanted->number && found.size == wanted->size &&
        found.seconds == wanted->seconds && found.nanoseconds == wanted->nanoseconds &&
        (!wanted->is_one_node || found.device == wanted->device))
        return descriptor;
    close(descriptor);
    return -1;
}

static void keep_both(void *context, void *into, const void *from) {
    bool *both = into;
    (void)context;
    *both = *both && *(const bool *)from;
}

void hooks_parallel_open(const char *entry_point, hooks_file_t *file, const char *name, const char *mode) {
    const int access = access_of(mode), error = errno;
    if (rts_comm_size() == 1 || name == NULL || access < 0)
        return;
    identity_t identity = {0};
    if (hooks_is_io_process())
        identity = look_at(file, access);
    if (rts_comm_broadcast(&identity, sizeof identity, 0) != RTS_OK)
        hooks_end(entry_point);
    if (identity.is_suitable) {
        file->descriptor = open_same(name, access, &identity);
        bool is_good = file->descriptor >= 0;
        if (rts_comm_reduce(&is_good, sizeof is_good, keep_both, NULL) != RTS_OK)
            hooks_end(entry_point);
        file->is_parallel = is_good;
        if (!is_good && file->descriptor >= 0)
            close(file->descriptor);
    }
    errno = error;
}

int hooks_parallel_close(hooks_file_t *file) {
    const int before = errno;
    const int error = file->is_parallel && close(file->descriptor) != 0 ? errno : 0;
    file->is_parallel = false;
    errno = before;
    return error;
}

int64_t hooks_parallel_begin(const char *entry_point, hooks_file_t *file) {
    int64_t place = 0;
    if (hooks_is_io_process()) /* what the stream holds is written, or forgotten when it was read ahead */
        place = fflush(file->stream) == 0 ? (int64_t)ftello(file->stream) : -1;
    return hooks_file_share(entry_point, file, place);
}

void hooks_parallel_end(const char *entry_point, hooks_file_t *file, int64_t place, hooks_extent_t extent) {
    if (hooks_is_io_process()) {
        const int before = errno;
        const bool is_moved = fseeko(file->stream, (off_t)(place + extent.bytes), SEEK_SET) == 0;
        file->has_failed = file->has_failed || !is_moved || (!extent.is_full && extent.error != 0);
        if (is_moved && !extent.is_full && extent.error == 0) { /* the stream meets the end too, for feof */
            const int character = getc(file->stream);
            if (character != EOF)
                ungetc(character, file->stream);
        }
        errno = extent.error != 0 ? (int)extent.error : before;
    }
    (void)hooks_file_share(entry_point, file, 0);
}

/* Ranges one behind the other count until the first that is not full. */
static void join(void *context, void *into, const void *from) {
    hooks_extent_t *extent = into;
    const hooks_extent_t *next = from;
    (void)context;
    if (!extent->is_full)
        return;
    extent->bytes += next->bytes;
    extent->is_full = next->is_full;
    extent->error = next->error;
}

static hooks_extent_t share(const char *entry_point, hooks_extent_t extent) {
    if (rts_comm_reduce(&extent, sizeof extent, join, NULL) != RTS_OK)
        hooks_end(entry_point);
    return extent;
}

/* Whether a call moved something; ends the range if not. */
static bool advance(hooks_extent_t *extent, ssize_t moved) {
    if (moved < 0 && errno == EINTR)
        return true;
    if (moved <= 0) {
        extent->error = moved < 0 ? errno : 0;
        return false;
    }
    extent->bytes += moved;
    return true;
}

hooks_extent_t hooks_parallel_write(const char *entry_point, const hooks_file_t *file, const void *data,
                                    size_t bytes, int64_t place) {
    hooks_extent_t extent = {0};
    const char *from = data;
    bool goes_on = true;
    while (goes_on && (size_t)extent.bytes < bytes) {
        const size_t left = bytes - (size_t)extent.bytes;
        goes_on =
            advance(&extent, pwrite(file->descriptor, from + extent.bytes,
                                    left < CALL_BYTES ? left : CALL_BYTES, (off_t)(place + extent.bytes)));
    }
    extent.is_full = (size_t)extent.bytes == bytes;
    return share(entry_point, extent);
}

hooks_extent_t hooks_parallel_read(const char *entry_point, const hooks_file_t *file, void *data,
                                   size_t bytes, int64_t place) {
    hooks_extent_t extent = {0};
    char *to = data;
    bool goes_on = true;
    while (goes_on && (size_t)extent.bytes < bytes) {
        const size_t left = bytes - (size_t)extent.bytes;
        goes_on =
            advance(&extent, pread(file->descriptor, to + extent.bytes, left < CALL_BYTES ? left : CALL_BYTES,
                                   (off_t)(place + extent.bytes)));
    }
    extent.is_full = (size_t)extent.bytes == bytes;
    return share(entry_point, extent);
}
