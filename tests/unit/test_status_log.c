/* Failure texts (per thread, cut, nested) and log lines (format, level, destination, flushing, one write a
 * line). */
#include <config.h>

#include "rts/log.h"

#include "tests/check.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEXT_SIZE 65536

static char directory[] = "test_status_log.XXXXXX";
static char text[TEXT_SIZE];

static const char *path_of(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

/* The whole file; "" when there is none. */
static const char *contents(const char *name) {
    size_t length = 0;
    FILE *file = fopen(path_of(name), "r");
    if (file != NULL) {
        length = fread(text, 1, sizeof text - 1, file);
        fclose(file);
    }
    text[length] = '\0';
    return text;
}

/* Standard error goes to a datagram socket, where every write stays a message of its own. */
static int saved_stderr;
static int capture_end;

static void capture_begin(void) {
    int ends[2];
    fflush(stderr);
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0)
        check_skip("no datagram sockets");
    saved_stderr = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    capture_end = ends[0];
}

/* The next write to standard error; "" when there was none. */
static const char *captured(void) {
    const ssize_t length = recv(capture_end, text, sizeof text - 1, MSG_DONTWAIT);
    text[length > 0 ? length : 0] = '\0';
    return text;
}

static void capture_finish(void) {
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    close(capture_end);
}

static void *other_thread(void *unused) {
    (void)unused;
    CHECK_EQ_STR(rts_error_text(), "");
    CHECK_EQ_INT(rts_fail(RTS_ERR_IO, "other"), RTS_ERR_IO);
    CHECK_EQ_STR(rts_error_text(), "other");
    return NULL;
}

static rts_status_t pass_on(rts_status_t status, bool *reached_p) {
    *reached_p = false;
    RTS_TRY(status);
    *reached_p = true;
    return RTS_OK;
}

static void test_fail(void) {
    char longer[600];
    pthread_t thread;
    bool reached;
    CHECK_EQ_STR(rts_error_text(), "");
    CHECK_EQ_INT(rts_fail(RTS_ERR_INVALID, "axis %d of '%s'", 3, "u"), RTS_ERR_INVALID);
    CHECK_EQ_STR(rts_error_text(), "axis 3 of 'u'");

    CHECK_EQ_INT(pthread_create(&thread, NULL, other_thread, NULL), 0);
    pthread_join(thread, NULL);
    CHECK_EQ_STR(rts_error_text(), "axis 3 of 'u'");

    CHECK_EQ_INT(rts_fail(RTS_ERR_DEVICE, "loop: %s", rts_error_text()), RTS_ERR_DEVICE);
    CHECK_EQ_STR(rts_error_text(), "loop: axis 3 of 'u'");

    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    (void)rts_fail(RTS_ERR_INVALID, "%s", longer);
    CHECK_EQ_INT(strlen(rts_error_text()), 511);
    longer[511] = '\0';
    CHECK_EQ_STR(rts_error_text(), longer);

    CHECK_EQ_INT(rts_fail_memory("a replica", 12345), RTS_ERR_NO_MEMORY);
    CHECK_CONTAINS(rts_error_text(), "a replica");
    CHECK_CONTAINS(rts_error_text(), "12345");

    CHECK_EQ_INT(pass_on(RTS_OK, &reached), RTS_OK);
    CHECK(reached);
    CHECK_EQ_INT(pass_on(RTS_ERR_COMM, &reached), RTS_ERR_COMM);
    CHECK(!reached);
}

static void test_names(void) {
    for (int a = RTS_OK; a <= RTS_ERR_INTERNAL; a++) {
        CHECK(rts_status_name((rts_status_t)a)[0] != '\0');
        for (int b = RTS_OK; b < a; b++)
            CHECK(strcmp(rts_status_name((rts_status_t)a), rts_status_name((rts_status_t)b)) != 0);
    }
    CHECK(rts_status_name((rts_status_t)12345) != NULL);
}

static void test_assertion(void) {
    capture_begin();
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        rts_assertion_failed("1 == 2", "some.c", 77);
    }
    int status = 0;
    waitpid(child, &status, 0);
    captured();
    capture_finish();
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    CHECK_CONTAINS(text, "1 == 2");
    CHECK_CONTAINS(text, "some.c:77");
}

static void test_standard_error(void) {
    int evaluated = 0;
    capture_begin();
    CHECK_EQ_INT(rts_log_threshold, RTS_LOG_WARNING);
    rts_log(RTS_LOG_WARNING, "grid %dx%d", 2, 3);
    CHECK_EQ_STR(captured(), "dvmh: warning: grid 2x3\n");
    rts_log(RTS_LOG_INFO, "%d", ++evaluated);
    CHECK_EQ_STR(captured(), "");
    CHECK_EQ_INT(evaluated, 0);

    CHECK_EQ_INT(rts_log_open(RTS_LOG_TRACE, RTS_LOG_FATAL, NULL, true, 5, 8), RTS_OK);
    static const char *const lines[] = {"dvmh: fatal: m [rank 5]\n",   "dvmh: error: m [rank 5]\n",
                                        "dvmh: warning: m [rank 5]\n", "dvmh: info: m [rank 5]\n",
                                        "dvmh: debug: m [rank 5]\n",   "dvmh: trace: m [rank 5]\n"};
    for (int level = RTS_LOG_FATAL; level <= RTS_LOG_TRACE; level++) {
        rts_log((rts_log_level_t)level, "m");
        CHECK_EQ_STR(captured(), lines[level]);
        CHECK_EQ_STR(captured(), "");
    }
    CHECK_EQ_INT(rts_log_open(RTS_LOG_FATAL, RTS_LOG_FATAL, "", true, 0, 1), RTS_OK);
    rts_log(RTS_LOG_ERROR, "no");
    rts_log(RTS_LOG_FATAL, "yes\tand\nno\x1b[31m \xc3\xa4");
    CHECK_EQ_STR(captured(), "dvmh: fatal: yes?and?no?[31m \xc3\xa4\n");
    CHECK_EQ_STR(captured(), "");
    rts_log_close();
    rts_log_close();
    capture_finish();
}

static void test_long_line(void) {
    static char longer[10000];
    memset(longer, 'y', sizeof longer - 1);
    capture_begin();
    CHECK_EQ_INT(rts_log_open(RTS_LOG_INFO, RTS_LOG_FATAL, NULL, true, 3, 4), RTS_OK);
    rts_log(RTS_LOG_INFO, "%s", longer);
    captured();
    const size_t length = strlen(text);
    CHECK(length > 1000 && length < sizeof longer);
    CHECK(strncmp(text, "dvmh: info: yyyy", 16) == 0);
    CHECK_EQ_STR(text + length - 13, "... [rank 3]\n");
    CHECK_EQ_STR(captured(), "");
    rts_log_close();
    capture_finish();
}

static void test_file(void) {
    capture_begin();
    CHECK_EQ_INT(rts_log_open(RTS_LOG_INFO, RTS_LOG_ERROR, path_of("log.%d.%s%d"), true, 12, 16), RTS_OK);
    rts_log(RTS_LOG_INFO, "first");
    rts_log(RTS_LOG_DEBUG, "dropped");
    CHECK_EQ_STR(contents("log.12.%s12"), "");
    rts_log(RTS_LOG_ERROR, "second");
    CHECK_EQ_STR(contents("log.12.%s12"), "dvmh: info: first [rank 12]\ndvmh: error: second [rank 12]\n");
    CHECK_EQ_STR(captured(), "");
    rts_log(RTS_LOG_FATAL, "third");
    CHECK_EQ_STR(captured(), "dvmh: fatal: third [rank 12]\n");
    CHECK_CONTAINS(contents("log.12.%s12"), "second [rank 12]\ndvmh: fatal: third [rank 12]\n");
    rts_log(RTS_LOG_INFO, "fourth");
    rts_log_close();
    CHECK_CONTAINS(contents("log.12.%s12"), "third [rank 12]\ndvmh: info: fourth [rank 12]\n");
    rts_log(RTS_LOG_INFO, "fifth");
    CHECK_EQ_STR(captured(), "dvmh: info: fifth [rank 12]\n");

    /* A file of one's own starts empty; fatal messages stay in it when asked to. */
    CHECK_EQ_INT(rts_log_open(RTS_LOG_INFO, RTS_LOG_ERROR, path_of("log.12.%%s%d"), false, 12, 1), RTS_OK);
    rts_log(RTS_LOG_FATAL, "sixth");
    CHECK_EQ_STR(captured(), "");
    CHECK_EQ_STR(contents("log.12.%%s12"), "dvmh: fatal: sixth\n");
    CHECK_EQ_INT(rts_log_open(RTS_LOG_INFO, RTS_LOG_ERROR, path_of("log.12.%%s%d"), false, 12, 16), RTS_OK);
    CHECK_EQ_STR(contents("log.12.%%s12"), "");
    rts_log_close();

    /* A shared one is appended to. */
    for (int rank = 0; rank < 3; rank++) {
        CHECK_EQ_INT(rts_log_open(RTS_LOG_INFO, RTS_LOG_FATAL, path_of("shared"), false, rank, 3), RTS_OK);
        rts_log(RTS_LOG_INFO, "here");
    }
    CHECK_EQ_STR(contents("shared"),
                 "dvmh: info: here [rank 0]\ndvmh: info: here [rank 1]\ndvmh: info: here [rank 2]\n");
    rts_log_close();
    capture_finish();
}

static void test_bad_file(void) {
    static char longer[6000];
    memset(longer, 'z', sizeof longer - 1);
    capture_begin();
    CHECK_EQ_INT(rts_log_open(RTS_LOG_INFO, RTS_LOG_ERROR, path_of("none/log"), true, 0, 1), RTS_ERR_IO);
    CHECK_CONTAINS(rts_error_text(), "none/log");
    rts_log(RTS_LOG_INFO, "still here");
    CHECK_EQ_STR(captured(), "dvmh: info: still here\n");
    CHECK_EQ_INT(rts_log_open(RTS_LOG_INFO, RTS_LOG_ERROR, longer, true, 0, 1), RTS_ERR_IO);
    /* A full disk loses no message that had to be written at once. */
    if (access("/dev/full", W_OK) == 0) {
        CHECK_EQ_INT(rts_log_open(RTS_LOG_INFO, RTS_LOG_ERROR, "/dev/full", true, 0, 1), RTS_OK);
        rts_log(RTS_LOG_ERROR, "kept");
        CHECK_EQ_STR(captured(), "dvmh: error: kept\n");
    }
    rts_log_close();
    capture_finish();
}

#define THREADS 4
#define LINES   200

static void *writer(void *name) {
    for (int i = 0; i < LINES; i++) {
        rts_log(RTS_LOG_INFO, "thread %c line %d end", *(const char *)name, i);
        rts_position_set((rts_position_t){.file = name, .line = i});
        CHECK(rts_position_get().file != NULL);
    }
    return NULL;
}

static void test_threads(void) {
    static char names[THREADS][2] = {"a", "b", "c", "d"};
    pthread_t threads[THREADS];
    int next[THREADS] = {0};
    CHECK(rts_position_get().file == NULL);
    CHECK_EQ_INT(rts_log_open(RTS_LOG_INFO, RTS_LOG_FATAL, path_of("threads"), true, 0, 1), RTS_OK);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ_INT(pthread_create(&threads[i], NULL, writer, names[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    rts_log_close();
    contents("threads");
    int lines = 0;
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"), lines++) {
        char name = 0, end = 0;
        int number = -1;
        if (!CHECK(sscanf(line, "dvmh: info: thread %c line %d en%c", &name, &number, &end) == 3 &&
                   end == 'd') ||
            !CHECK(name >= 'a' && name < 'a' + THREADS))
            continue;
        CHECK_EQ_INT(number, next[name - 'a']++);
    }
    CHECK_EQ_INT(lines, THREADS * LINES);
    rts_position_set((rts_position_t){.file = "p.c", .line = 9});
    CHECK_EQ_STR(rts_position_get().file, "p.c");
    CHECK_EQ_INT(rts_position_get().line, 9);
}

int main(void) {
    if (mkdtemp(directory) == NULL)
        check_skip("no temporary folder");
    test_fail();
    test_names();
    test_assertion();
    test_standard_error();
    test_long_line();
    test_file();
    test_bad_file();
    test_threads();
    static const char *const files[] = {"log.12.%s12", "log.12.%%s12", "shared", "threads"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        unlink(path_of(files[i]));
    CHECK_EQ_INT(rmdir(directory), 0);
    return check_finish();
}
