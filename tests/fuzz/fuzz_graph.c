/* Fuzzing of the graph readers of examples/bfs, of which this program has all but what they need of the runtime. Whatever the bytes are, in any format:
 * reading ends, with a message that names the file, or with edges inside of the graph; in pieces it gives the same edges. The first byte chooses the
 * format and its options. As a libFuzzer target by default; with -DFUZZ_STANDALONE a program of its own that makes its inputs from a printed seed
 * (CHECK_SEED) for some seconds (FUZZ_SECONDS, default 2), which is what `make check` runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "examples/bfs/graph_read.h"
#include "examples/bfs/support.h"

#include "tests/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what) {
    if (condition)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}
#define REQUIRE(condition) require(condition, #condition)

/* ---- in the place of examples/bfs/support.c ---- */

enum { BLOCKS_MAX = 16 };

static jmp_buf refused;
static char message[512];
static void *block[BLOCKS_MAX]; /* that are not given back */

_Noreturn void bfs_refuse(const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(message, sizeof message, format, values);
    va_end(values);
    longjmp(refused, 1);
}

/* Of just this size, so that reading beyond it is noticed. */
void *bfs_allocate(int64_t count, size_t element_bytes, const char *what) {
    int i = 0;
    (void)what;
    while (i < BLOCKS_MAX && block[i] != NULL)
        i++;
    REQUIRE(i < BLOCKS_MAX);
    block[i] = malloc((size_t)count * element_bytes + (count == 0));
    REQUIRE(block[i] != NULL);
    return block[i];
}

void bfs_release(void *memory) {
    for (int i = 0; memory != NULL && i < BLOCKS_MAX; i++)
        if (block[i] == memory)
            block[i] = NULL;
    free(memory);
}

static void release_all(void) {
    for (int i = 0; i < BLOCKS_MAX; i++) {
        free(block[i]);
        block[i] = NULL;
    }
}

/* ---- one input ---- */

static char path[64];
static long read_count; /* files that were read */

/* Edges that come in pieces must be those that are there. */
typedef struct comparison {
    const bfs_edges_t *edges;
    int64_t at;
} comparison_t;

static void compare(void *context, bfs_vertex_t (*end)[2], int64_t count) {
    comparison_t *comparison = context;
    REQUIRE(count <= comparison->edges->count - comparison->at);
    REQUIRE(memcmp(end, comparison->edges->end + comparison->at, (size_t)count * sizeof end[0]) == 0);
    comparison->at += count;
}

static void read_file(const bfs_reading_t *wanted, bool is_directed) {
    bfs_reading_t reading = *wanted;
    bfs_edges_t edges;
    bfs_read(&reading, is_directed, &edges);
    comparison_t comparison = {.edges = &edges};
    REQUIRE(reading.base == 0 || reading.base == 1);
    REQUIRE(edges.vertices >= 0 && edges.vertices <= BFS_VERTICES_MAX && edges.count >= 0);
    for (int64_t e = 0; e < edges.count; e++)
        REQUIRE(edges.end[e][0] < edges.vertices && edges.end[e][1] < edges.vertices);
    REQUIRE(bfs_read_pieces(&reading, is_directed, compare, &comparison) == edges.vertices);
    REQUIRE(comparison.at == edges.count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const int choice = size > 0 ? data[0] : 0;
    const bfs_reading_t reading = {.path = path,
                                   .format = (bfs_format_t)(choice % 4),
                                   .base = choice / 4 % 3 - 1,
                                   .has_counts = (choice / 12 & 1) != 0};
    if (path[0] == '\0')
        snprintf(path, sizeof path, "fuzz_graph.%ld.txt", (long)getpid());
    FILE *const file = fopen(path, "wb");
    REQUIRE(file != NULL);
    if (size > 0)
        REQUIRE(fwrite(data + 1, 1, size - 1, file) == size - 1);
    REQUIRE(fclose(file) == 0);
    if (setjmp(refused) == 0) {
        read_file(&reading, (choice / 24 & 1) != 0);
        read_count++;
    } else {
        REQUIRE(strstr(message, path) != NULL && strchr(message, '\n') == NULL);
        REQUIRE(strstr(message, "allowed: ") != NULL);
    }
    release_all();
    return 0;
}

#ifdef FUZZ_STANDALONE

#define INPUT_MAX 2000

/* With the choice that each is meant for. */
static const struct {
    int choice;
    const char *text;
} good[] = {
    {BFS_FORMAT_EDGES, "# c\n0 1 5\n1 2\n% c\n4294967293 0\n"},
    {BFS_FORMAT_EDGES + 12, "3 3\n0 1\n1 2\n2 0\n"},
    {BFS_FORMAT_EDGES + 8, "1 2 .5\r\n2 3 1e5\r\n"},
    {BFS_FORMAT_GUESS, "%%MatrixMarket matrix coordinate pattern symmetric\n%\n3 3 2\n2 1\n3 1\n"},
    {BFS_FORMAT_MATRIX_MARKET, "%%matrixmarket MATRIX coordinate real general\n3 3 2\n2 1 -1\n3 1 1d0\n"},
    {BFS_FORMAT_MATRIX_MARKET + 24,
     "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n2 1 1 2\n1 1 1 0\n"},
    {BFS_FORMAT_MATRIX_MARKET, "4 4 2\n2 1\n3 1\n"},
    {BFS_FORMAT_METIS, "% c\n3 2\n2 3\n1\n1\n"},
    {BFS_FORMAT_METIS + 24, "3 2 011 2\n7 7 2 1 3 1\n7 7 1 1\n7 7 1 1\n"},
    {BFS_FORMAT_METIS, "4 1 1\n\n3 9\n2 9\n\n"},
};

static const char *const pieces[] = {"\n",    " ", "0",   "1",   "2",
                                     "9",     "-", "%",   "#",   "\r",
                                     "\t",    ".", "1 2", "nan", "1e9",
                                     "1 1 1", "+", "x",   "%%",  "99999999999999999999"};

static size_t change(char *text, size_t length) {
    const size_t at = (size_t)check_random_range(0, (int64_t)length);
    const char *const piece = pieces[check_random_range(0, sizeof pieces / sizeof pieces[0] - 1)];
    const size_t more = strlen(piece);
    size_t less = (size_t)check_random_range(0, 6);
    switch (check_random_range(0, 3)) {
    case 0: /* insert a piece */
        if (length + more > INPUT_MAX)
            return length;
        memmove(text + at + more, text + at, length - at);
        memcpy(text + at, piece, more);
        return length + more;
    case 1: /* any byte */
        if (at < length)
            text[at] = (char)check_random_range(0, 255);
        return length;
    case 2: /* take some away */
        less = less < length - at ? less : length - at;
        memmove(text + at, text + at + less, length - at - less);
        return length - less;
    default: /* end here */
        return check_random_once_in(4) ? at : length;
    }
}

int main(void) {
    const char *const seconds = getenv("FUZZ_SECONDS");
    const time_t end = time(NULL) + (seconds != NULL ? atoi(seconds) : 2);
    static char input[1 + INPUT_MAX];
    long inputs = 0;

    check_random_start();
    do {
        for (int round = 0; round < 200; round++, inputs++) {
            const int from = (int)check_random_range(0, sizeof good / sizeof good[0] - 1);
            size_t length = strlen(good[from].text);

            memcpy(input + 1, good[from].text, length);
            input[0] = check_random_once_in(8) ? (char)check_random_range(0, 255) : (char)good[from].choice;
            for (int64_t changes = check_random_range(0, 4); changes > 0; changes--)
                length = change(input + 1, length);
            LLVMFuzzerTestOneInput((const uint8_t *)input, 1 + length);
        }
    } while (time(NULL) < end);
    unlink(path);
    printf("%ld inputs, %ld read\n", inputs, read_count);
    CHECK(read_count > inputs / 10 && read_count < inputs);
    return check_finish();
}
#endif
