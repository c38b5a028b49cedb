/* Whole arrays in files: what any grid writes is, byte for byte, the elements in C order of their indices as listed by the definition, and
 * what stands in such a file is read into all copies of every element and nowhere else. Global, parallel and local files; all of an array
 * or its beginning; newest values anywhere; short files, full disks and limits. Serial access to single elements on the way. */
#include <config.h>

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dvmhlib2.h>

#include "rts/collect.h"
#include "tests/cluster/array_example.h"

enum { CASES = 60, LARGEST = 9 };

static const char name[] = "test_files.out";
static place_example_t place;
static array_example_t example;
static DvmType header[64];
static uint64_t salt;
static char expected[8 * EXAMPLE_LARGEST + 64];

/* ---- the definition ---- */

/* Elements in C order of their indices, with the values of `of`, and with `owner` only those that a process owns. @return bytes */
static size_t list_elements(char *to, size_t count, int64_t of, int owner) {
    rts_index_t index[RTS_MAX_RANK];
    size_t bytes = 0;
    example_first(&place.space, index);
    for (size_t i = 0; i < count; i++) {
        const int64_t value = example_value(example.number, index, of);
        if (owner < 0 || place_owns(&place, owner, index, NULL)) {
            memcpy(to + bytes, &value, sizeof value);
            bytes += sizeof value;
        }
        (void)place_next(&place.space, index);
    }
    return bytes;
}

/* What this process owns of the first elements has the values of `of` from now on. With `limit` no more than so many of its own. */
static void expect_read(size_t count, int64_t of, size_t limit) {
    rts_index_t index[RTS_MAX_RANK];
    example_first(&place.space, index);
    for (size_t i = 0, own = 0; i < count && own < limit; i++) {
        if (place_owns(&place, rts_comm_rank(), index, NULL)) {
            example.model[example_place(&example, index)] = example_value(example.number, index, of);
            own++;
        }
        (void)place_next(&place.space, index);
    }
}

/* ---- files as libc sees them ---- */

static void check_file(const char *file_name, const char *content, size_t bytes) {
    static char found[sizeof expected];
    FILE *const file = fopen(file_name, "rb");
    if (!CHECK(file != NULL))
        return;
    CHECK_EQ_INT(fread(found, 1, sizeof found, file), bytes);
    CHECK(memcmp(found, content, bytes) == 0);
    fclose(file);
}

static void make_file(const char *file_name, const char *content, size_t bytes) {
    FILE *const file = fopen(file_name, "wb");
    if (!CHECK(file != NULL))
        return;
    CHECK_EQ_INT(fwrite(content, 1, bytes, file), bytes);
    CHECK_EQ_INT(fclose(file), 0);
}

static void wait_for_all(void) {
    CLUSTER_TRY(rts_comm_barrier());
}

/* ---- cases ---- */

static void set_sizes(void) {
    rts_environment_t *environment = (rts_environment_t *)(uintptr_t)&rts_runtime()->environment;
    environment->io_buffer_bytes = check_random_once_in(3) ? 1 << 20 : check_random_range(1, 300);
    environment->parallel_io_bytes = check_random_once_in(3) ? check_random_range(0, 1000) : 0;
}

static void open_case(void) {
    rts_index_t shadow_lo[RTS_MAX_RANK], shadow_hi[RTS_MAX_RANK];
    do
        place_random(&place, &rts_runtime()->grid, LARGEST);
    while (rts_box_size(&place.space) > EXAMPLE_LARGEST);
    for (int axis = 0; axis < RTS_MAX_RANK; axis++) {
        shadow_lo[axis] = check_random_range(0, 2);
        shadow_hi[axis] = check_random_range(0, 2);
    }
    example_open(&example, (int)check_random_range(1, 9), &place, shadow_lo, shadow_hi);
    CLUSTER_TRY(rts_array_attach_header(example.array, header));
    set_sizes();
}

/* All of the array or its beginning. */
static size_t random_count(void) {
    const int64_t all = rts_box_size(&place.space);
    return (size_t)(check_random_once_in(2) ? all : check_random_range(0, all));
}

/* As items of any size that makes up the elements. @return their number */
static size_t random_items(size_t count, size_t *size_p) {
    const size_t sizes[] = {1, 2, 4, 8, 8 * count};
    *size_p = sizes[check_random_range(0, count > 0 ? 4 : 3)];
    return 8 * count / *size_p;
}

static void check_elements(void) {
    rts_index_t index[RTS_MAX_RANK];
    example_first(&place.space, index);
    do {
        const DvmType i = index[0], j = index[1], k = index[2], rank = place.space.rank;
        const bool owns = place_owns(&place, rts_comm_rank(), index, NULL);
        void *const own = dvmh_get_own_element_addr_C(header, rank, i, j, k),
                    *const held = dvmh_get_element_addr_C(header, rank, i, j, k);
        CHECK((own != NULL) == owns);
        CHECK_EQ_INT(dvmh_has_element_C(header, rank, i, j, k), owns);
        CHECK(own == NULL || own == held);
        CHECK((held != NULL) == rts_box_has_point(&example.array->held, index));
    } while (place_next(&place.space, index));
}

static void test_write(void) {
    static const char *const modes[] = {"wb", "wbp", "w+bp", "wbsp"};
    const char *const mode = modes[check_random_range(0, 3)];
    const size_t count = random_count(), head = (size_t)check_random_range(0, 20);
    const bool is_void = check_random_once_in(3);
    size_t size;
    const size_t items = random_items(count, &size);
    example_fill(&example, 1);
    example_scatter(&example, &salt);
    FILE *const file = dvmh_fopen(name, mode);
    if (!CHECK(file != NULL))
        return;
    dvmh_void_fprintf(file, "%*s", (int)head, "");
    if (is_void)
        dvmh_void_fwrite_distrib(header, size, items, file);
    else
        CHECK_EQ_INT(dvmh_fwrite_distrib(header, size, items, file), items);
    CHECK_EQ_INT(dvmh_ftell(file), head + 8 * count);
    CHECK_EQ_INT(dvmh_ferror(file), 0);
    dvmh_void_fputs("end", file);
    CHECK_EQ_INT(dvmh_fclose(file), 0);
    memset(expected, ' ', head);
    const size_t bytes = head + list_elements(expected + head, count, 1, -1);
    memcpy(expected + bytes, "end", 3);
    check_file(name, expected, bytes + 3);
    example_check(&example);
    wait_for_all();
}

/* The program may read at home without asking for the newest values, and others are asked there. */
static void check_only_home(void) {
    CHECK(rts_boxset_contains(&example.array->home.current, &example.array->local));
    for (const rts_replica_t *replica = example.array->replicas; replica != NULL; replica = replica->next)
        CHECK_EQ_INT(replica->current.count, 0);
}

static void test_read(void) {
    static const char *const modes[] = {"rb", "rbp", "r+bp", "rbs"};
    const char *const mode = modes[check_random_range(0, 3)];
    const size_t count = random_count(), head = (size_t)check_random_range(0, 20);
    const bool is_void = check_random_once_in(3), is_short = check_random_once_in(3);
    size_t size, got = 8 * count;
    const size_t items = random_items(count, &size);
    memset(expected, ' ', head);
    const size_t bytes = head + list_elements(expected + head, (size_t)rts_box_size(&place.space), 2, -1);
    if (is_short && got > 0)
        got = (size_t)check_random_range(0, (int64_t)got - 1);
    if (rts_collect_is_everywhere(example.array))
        got -= got % 8; /* what becomes of an element of which the file has a part is not said */
    if (rts_comm_rank() == 0)
        make_file(name, expected, got < 8 * count ? head + got : bytes);
    wait_for_all();
    example_fill(&example, 1);
    example_scatter(&example, &salt);
    FILE *const file = dvmh_fopen(name, mode);
    if (!CHECK(file != NULL))
        return;
    for (size_t i = 0; i < head; i++)
        CHECK_EQ_INT(dvmh_fgetc(file), ' ');
    if (is_void)
        dvmh_void_fread_distrib(header, size, items, file);
    else
        CHECK_EQ_INT(dvmh_fread_distrib(header, size, items, file), got / size);
    expect_read(got / 8, 2, SIZE_MAX);
    CHECK_EQ_INT(dvmh_ftell(file), head + got);
    CHECK_EQ_INT(dvmh_feof(file) != 0, got < 8 * count);
    CHECK_EQ_INT(dvmh_ferror(file), 0);
    if (got == 8 * count && head + got < bytes)
        CHECK_EQ_INT(dvmh_fgetc(file), (unsigned char)expected[head + got]);
    CHECK_EQ_INT(dvmh_fclose(file), 0);
    example_check(&example);
    if (count > 0)
        check_only_home();
    wait_for_all();
}

/* Written over in the middle, between what the stream reads before and after. */
static void test_update(void) {
    const size_t count = random_count(), head = (size_t)check_random_range(1, 20);
    static char text[sizeof expected];
    memset(expected, '-', head + 8 * count + 5);
    if (rts_comm_rank() == 0)
        make_file(name, expected, head + 8 * count + 5);
    wait_for_all();
    example_fill(&example, 6);
    FILE *const file = dvmh_fopen(name, "r+bp");
    if (!CHECK(file != NULL))
        return;
    CHECK_EQ_INT(dvmh_fread(text, 1, head, file), head);
    dvmh_void_fseek(file, 0, SEEK_CUR);
    CHECK_EQ_INT(dvmh_fwrite_distrib(header, 8, count, file), count);
    list_elements(expected + head, count, 6, -1);
    dvmh_void_fseek(file, (long)head, SEEK_SET);
    CHECK_EQ_INT(dvmh_fread(text, 1, sizeof text, file), 8 * count + 5);
    CHECK(memcmp(text, expected + head, 8 * count + 5) == 0);
    CHECK_EQ_INT(dvmh_fclose(file), 0);
    check_file(name, expected, head + 8 * count + 5);
    wait_for_all();
}

static void test_local(void) {
    char own_name[64];
    const size_t count = random_count();
    size_t size;
    const size_t items = random_items(count, &size);
    snprintf(own_name, sizeof own_name, "%s.%d", name, rts_comm_rank());
    example_fill(&example, 3);
    example_scatter(&example, &salt);
    FILE *file = dvmh_fopen("test_files.out.%d", "wl");
    if (!CHECK(file != NULL))
        return;
    CHECK_EQ_INT(dvmh_fwrite_distrib(header, size, items, file), items);
    CHECK_EQ_INT(dvmh_fclose(file), 0);
    const size_t bytes = list_elements(expected, count, 3, rts_comm_rank());
    check_file(own_name, expected, bytes);

    const bool is_short = bytes > 0 && cluster_own_random(&salt, 0, 2) == 0;
    const size_t left = is_short ? (size_t)cluster_own_random(&salt, 0, (int64_t)bytes - 1) / 8 * 8 : bytes;
    make_file(own_name, expected, left);
    example_fill(&example, 4);
    example_scatter(&example, &salt);
    file = dvmh_fopen("test_files.out.%d", "rl");
    if (!CHECK(file != NULL))
        return;
    CHECK_EQ_INT(dvmh_fread_distrib(header, size, items, file), is_short ? left / size : items);
    CHECK_EQ_INT(dvmh_fclose(file), 0);
    if (left > 0)
        expect_read(count, 3, left / 8);
    example_check(&example);
    CHECK_EQ_INT(remove(own_name), 0);
}

/* ---- what goes wrong ---- */

/* Nothing can be written: told in every process, with errno. */
static void test_full(void) {
    const size_t count = (size_t)rts_box_size(&place.space);
    struct stat status;
    if (stat("/dev/full", &status) != 0 || !S_ISCHR(status.st_mode))
        return;
    FILE *const file = dvmh_fopen("/dev/full", check_random_once_in(2) ? "wb" : "wbp");
    if (!CHECK(file != NULL))
        return;
    dvmh_setvbuf(file, NULL, _IONBF, 0);
    errno = 0;
    CHECK_EQ_INT(dvmh_fwrite_distrib(header, 8, count, file), 0);
    CHECK_EQ_INT(errno, ENOSPC);
    CHECK(dvmh_ferror(file) != 0);
    CHECK_EQ_INT(dvmh_fclose(file), 0);
}

/* A limit that is met somewhere in the array, maybe by another process than the first. */
static void test_limit(void) {
    const size_t count = (size_t)rts_box_size(&place.space);
    const struct rlimit limit = {(rlim_t)check_random_range(0, (int64_t)(8 * count) - 1), RLIM_INFINITY};
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    FILE *const file = dvmh_fopen(name, check_random_once_in(3) ? "wb" : "wbp");
    if (!CHECK(file != NULL))
        return;
    example_fill(&example, 5);
    dvmh_setvbuf(file, NULL, _IONBF, 0);
    CHECK_EQ_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
    errno = 0;
    const size_t written = dvmh_fwrite_distrib(header, 1, 8 * count, file);
    const int error = errno;
    CHECK_EQ_INT(setrlimit(RLIMIT_FSIZE, &none), 0);
    CHECK_EQ_INT(written, limit.rlim_cur);
    CHECK_EQ_INT(error, EFBIG);
    CHECK(dvmh_ferror(file) != 0);
    dvmh_clearerr(file);
    CHECK_EQ_INT(dvmh_ferror(file), 0);
    CHECK_EQ_INT(dvmh_ftell(file), written);
    CHECK_EQ_INT(dvmh_fclose(file), 0);
    list_elements(expected, count, 5, -1);
    check_file(name, expected, written);
    wait_for_all();
}

int main(int argc, char **argv) {
    static char who[32], folder[] = "test_files_XXXXXX";
    check_random_start();
    dvmh_init_C(0, &argc, &argv);
    snprintf(who, sizeof who, "[process %d] ", rts_comm_rank());
    check_who = who;
    signal(SIGXFSZ, SIG_IGN);
    if (rts_comm_rank() == 0)
        CHECK(mkdtemp(folder) != NULL);
    CLUSTER_TRY(rts_comm_broadcast(folder, sizeof folder, 0));
    if (chdir(folder) != 0)
        rts_comm_abort(1);
    for (int i = 0; i < CASES; i++) {
        open_case();
        check_elements();
        test_write();
        test_read();
        test_update();
        test_local();
        test_full();
        test_limit();
        example_close(&example);
    }
    wait_for_all();
    if (rts_comm_rank() == 0)
        CHECK(remove(name) == 0 && chdir("..") == 0 && rmdir(folder) == 0);
    const rts_status_t status = rts_comm_agree(check_finish() == 0 ? RTS_OK : RTS_ERR_INTERNAL);
    dvmh_exit_C(status == RTS_OK ? 0 : 1);
}
