/* Readers of the BFS example: files of all formats give the edges that are in them, and files that were changed at random, at any place, end in a
 * message with file and line and exit code 2, or are read as a graph whose edges are inside of it; nothing else happens. */
#include "examples/bfs/graph_read.h"
#include "examples/bfs/support.h"
#include "tests/check.h"

#include <dvmhlib2.h>

#include <sys/wait.h>
#include <unistd.h>

#define PATH      "test_bfs_files.txt"
#define TEXT_ROOM 8192

enum { ROUNDS = 150, GOOD = 0, REFUSED = 2 };

static void write_file(const char *text, size_t length) {
    FILE *file = fopen(PATH, "wb");

    if (!CHECK(file != NULL))
        return;
    CHECK(fwrite(text, 1, length, file) == length);
    CHECK(fclose(file) == 0);
}

/* Edges, and the number of vertices, in words. */
static void print_edges(const bfs_edges_t *edges) {
    printf("%lld:", (long long)edges->vertices);
    for (int64_t e = 0; e < edges->count; e++) {
        if (edges->end[e][0] >= edges->vertices || edges->end[e][1] >= edges->vertices)
            printf(" outside");
        printf(" %u-%u", edges->end[e][0], edges->end[e][1]);
    }
    fflush(stdout);
}

/* Read in a process of its own, what it says into `said`. @return its exit code; -1: it died */
static int read_apart(const bfs_reading_t *reading, bool is_directed, char said[TEXT_ROOM]) {
    int channel[2], status = 0;
    size_t length = 0;
    ssize_t more;
    pid_t child;

    fflush(stdout);
    if (!CHECK(pipe(channel) == 0))
        return -1;
    child = fork();
    if (child == 0) {
        bfs_reading_t mine = *reading;
        bfs_edges_t edges;

        dup2(channel[1], 1);
        dup2(channel[1], 2);
        close(channel[0]);
        close(channel[1]);
        bfs_read(&mine, is_directed, &edges);
        print_edges(&edges);
        bfs_release(edges.end);
        _exit(GOOD);
    }
    close(channel[1]);
    while ((more = read(channel[0], said + length, TEXT_ROOM - 1 - length)) > 0)
        length += (size_t)more;
    said[length] = '\0';
    close(channel[0]);
    if (!CHECK(child > 0 && waitpid(child, &status, 0) == child) || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

/* What a text is read as, or the message. */
typedef struct sample {
    bfs_format_t format;
    int base;
    bool has_counts, is_directed;
    const char *text, *edges;
} sample_t;

#define EDGES  .format = BFS_FORMAT_EDGES, .base = -1
#define MATRIX .format = BFS_FORMAT_MATRIX_MARKET, .base = -1
#define METIS  .format = BFS_FORMAT_METIS, .base = -1
#define BANNER "%%MatrixMarket matrix coordinate "

static const sample_t good[] = {
    {EDGES, .text = "# a comment\n0 1\n\n 2\t3 0.5 -7e3\r\n% another\n3 3", .edges = "4: 0-1 2-3 3-3"},
    {EDGES, .text = "", .edges = "0:"},
    {EDGES, .text = "# nothing\n", .edges = "0:"},
    {.format = BFS_FORMAT_EDGES, .base = 1, .text = "1 2\n3 1\n", .edges = "3: 0-1 2-0"},
    {EDGES, .has_counts = true, .text = "9 2\n0 1\n1 2\n", .edges = "9: 0-1 1-2"},
    {MATRIX, .text = BANNER "pattern general\n% c\n3 3 2\n1 2\n3 1\n", .edges = "3: 0-1 2-0"},
    {MATRIX, .text = BANNER "Real Symmetric\n3 3 2\n2 1 0.5\n3 3 1e9\n", .edges = "3: 1-0 2-2"},
    {MATRIX, .is_directed = true, .text = BANNER "integer symmetric\n3 3 2\n2 1 5\n3 3 1\n",
     .edges = "3: 1-0 0-1 2-2"},
    {MATRIX, .text = BANNER "complex hermitian\n2 2 1\n2 1 1 2\n", .edges = "2: 1-0"},
    {MATRIX, .text = BANNER "pattern general\n0 0 0\n", .edges = "0:"},
    {MATRIX, .text = "2 1\n4 3\n", .edges = "4: 1-0 3-2"},
    {MATRIX, .text = "5 5 2\n2 1\n4 3\n", .edges = "5: 1-0 3-2"},
    {MATRIX, .text = "5 5 7\n2 1 3\n4 3 4\n", .edges = "5: 4-4 1-0 3-2"},
    {METIS, .text = "3 2\n2 3\n1\n1\n", .edges = "3: 0-1 0-2"},
    {METIS, .is_directed = true, .text = "3 1\n2\n% c\n1\n\n", .edges = "3: 0-1 1-0"},
    {METIS, .text = "% c\n3 2 111 2\n9 1 1 2 7 3 8\n9 1 1 1 7\n9 1 1 1 8\n", .edges = "3: 0-1 0-2"},
    {METIS, .text = "3 1 1\n\n3 4\n2 4", .edges = "3: 1-2"},
    {METIS, .text = "1 0\n", .edges = "1:"},
    {.format = BFS_FORMAT_GUESS,
     .base = -1,
     .text = BANNER "pattern general\n2 2 1\n2 1\n",
     .edges = "2: 1-0"},
    {.format = BFS_FORMAT_GUESS, .base = -1, .text = "0 1\n", .edges = "2: 0-1"},
};

/* `edges`: where the message says that it is, and a part of what is allowed. */
static const sample_t bad[] = {
    {EDGES, .text = "0 1\n2\n", .edges = ":2: the line ends here; allowed: a vertex"},
    {EDGES, .text = "0 1\n-2 1\n", .edges = ":2: '-2'"},
    {EDGES, .text = "0 1\n0 1 x\n", .edges = ":2: 'x'"},
    {EDGES, .text = "0 4294967295\n", .edges = ":1: '4294967295'"},
    {EDGES, .text = "0 99999999999999999999999\n", .edges = ":1: '9999"},
    {.format = BFS_FORMAT_EDGES, .base = 1, .text = "1 1\n1 0\n", .edges = ":2: '0'"},
    {EDGES, .has_counts = true, .text = "2 1\n0 2\n", .edges = ":2: '2'"},
    {EDGES, .has_counts = true, .text = "2 1\n0 1\n0 1\n", .edges = ":3:"},
    {EDGES, .has_counts = true, .text = "2 2\n0 1\n", .edges = ":2: the file ends"},
    {EDGES, .has_counts = true, .text = "", .edges = ":1: the file ends"},
    {MATRIX, .text = "%%MatrixMarket tensor\n", .edges = ":1: 'tensor'"},
    {MATRIX, .text = "%%MatrixMarket matrix array real general\n", .edges = ":1: 'array'"},
    {MATRIX, .text = BANNER "pattern general\n2 3 1\n1 1\n", .edges = ":2: '3'"},
    {MATRIX, .text = BANNER "pattern general\n2 2 1\n3 1\n", .edges = ":3: '3'"},
    {MATRIX, .text = BANNER "pattern general\n2 2 1\n0 1\n", .edges = ":3: '0'"},
    {MATRIX, .text = BANNER "pattern general\n2 2 1\n1 1 5\n", .edges = ":3: '5'"},
    {MATRIX, .text = BANNER "real general\n2 2 1\n1 1\n", .edges = ":3: the line ends"},
    {MATRIX, .text = BANNER "pattern general\n2 2 2\n1 1\n", .edges = ":3: the file ends"},
    {MATRIX, .text = BANNER "pattern general\n2 2 0\n1 1\n", .edges = ":3:"},
    {MATRIX, .text = BANNER "pattern general\n", .edges = ":1: the file ends"},
    {METIS, .text = "3 2\n2 4\n1\n1\n", .edges = ":2: '4'"},
    {METIS, .text = "3 2\n2 3\n1\n", .edges = ":3: 3 neighbours in all"},
    {METIS, .text = "4 2\n2 3\n1\n", .edges = ":3: the file ends"},
    {METIS, .text = "2 1\n2\n1\n1\n", .edges = ":4: '1'"},
    {METIS, .text = "2 1\n1 2\n1\n", .edges = ":2: '1'"},
    {METIS, .text = "3 2\n2 3\n\n1 2\n", .edges = "at one of its ends"},
    {METIS, .text = "3 3\n2 3\n1\n1\n", .edges = "4 neighbours in all"},
    {METIS, .text = "2 1 12\n2\n1\n", .edges = ":1: '12'"},
};

static bfs_reading_t reading_of(const sample_t *sample) {
    return (bfs_reading_t){.path = PATH,
                           .format = sample->format,
                           .base = sample->base,
                           .has_counts = sample->has_counts};
}

static void test_samples(void) {
    char said[TEXT_ROOM];

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        const bfs_reading_t reading = reading_of(&good[i]);

        write_file(good[i].text, strlen(good[i].text));
        CHECK_EQ_INT(read_apart(&reading, good[i].is_directed, said), GOOD);
        CHECK_EQ_STR(said, good[i].edges);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const bfs_reading_t reading = reading_of(&bad[i]);

        write_file(bad[i].text, strlen(bad[i].text));
        CHECK_EQ_INT(read_apart(&reading, bad[i].is_directed, said), REFUSED);
        CHECK_CONTAINS(said, PATH);
        CHECK_CONTAINS(said, bad[i].edges);
    }
}

/* Change, remove or double some bytes. @return the new length */
static size_t mutate(char text[], size_t length) {
    static const char likely[] = "0123456789 \t\n\r%#-.exX\xff";

    for (int64_t change = check_random_range(1, 3); change > 0; change--) {
        const size_t at = length > 0 ? (size_t)check_random_range(0, (int64_t)length - 1) : 0;

        switch (length > 0 ? check_random_range(0, 3) : 0) {
        case 0: /* one more */
            memmove(text + at + 1, text + at, length - at);
            length++;
            /* fall through */
        case 1:
            text[at] = check_random_once_in(4) ? (char)check_random_range(-128, 127)
                                               : likely[check_random_range(0, (int64_t)sizeof likely - 1)];
            break;
        case 2:
            memmove(text + at, text + at + 1, length - at - 1);
            length--;
            break;
        default:
            length = at;
        }
    }
    return length;
}

/* A message is one line: the file, a number of a line, what and what is allowed. */
static bool is_message(const char *said) {
    static const char begin[] = "bfs: " PATH ":";
    const char *at = said + sizeof begin - 1;

    if (strncmp(said, begin, sizeof begin - 1) != 0 || *at < '1' || *at > '9')
        return false;
    while (*at >= '0' && *at <= '9')
        at++;
    return *at == ':' && strstr(at, "allowed: ") != NULL && strchr(at, '\n') == said + strlen(said) - 1;
}

static void test_mutations(void) {
    char text[TEXT_ROOM], said[TEXT_ROOM];
    int refused = 0, rounds = 0;

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        const bfs_reading_t reading = reading_of(&good[i]);

        for (int round = 0; round < ROUNDS / 5; round++, rounds++) {
            size_t length = strlen(good[i].text);
            int code;

            memcpy(text, good[i].text, length);
            length = mutate(text, length);
            write_file(text, length);
            code = read_apart(&reading, good[i].is_directed, said);
            refused += code == REFUSED;
            if (!CHECK(code == GOOD ? strstr(said, "outside") == NULL : code == REFUSED && is_message(said)))
                fprintf(stderr, "  code %d, '%s' of this file:\n%.*s\n", code, said, (int)length, text);
        }
    }
    printf("%d of %d files refused\n", refused, rounds);
    CHECK(refused > rounds / 4);
}

int main(int argc, char **argv) {
    check_random_start();
    dvmh_init_C(INITFLAG_OPENMP | INITFLAG_SEQUENTIAL, &argc, &argv);
    test_samples();
    test_mutations();
    unlink(PATH);
    return check_finish();
}
