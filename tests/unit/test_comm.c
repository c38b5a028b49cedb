/* Communication with one process: sequential (MPI is not touched), and as a single process of MPI where
 * there is one. */
#include <config.h>

#include "rts/comm.h"

#include "tests/check.h"

#include <sys/wait.h>
#include <unistd.h>

static void check_alone(void) {
    CHECK_EQ_INT(rts_comm_rank(), 0);
    CHECK_EQ_INT(rts_comm_size(), 1);
    CHECK_EQ_INT(rts_comm_local_rank(), 0);
    CHECK_EQ_INT(rts_comm_local_size(), 1);
}

static void check_collectives(void) {
    char data[] = "unchanged";
    CHECK_EQ_INT(rts_comm_barrier(), RTS_OK);
    CHECK_EQ_INT(rts_comm_broadcast(data, sizeof data, 0), RTS_OK);
    CHECK_EQ_STR(data, "unchanged");
    CHECK_EQ_INT(rts_comm_broadcast(NULL, 0, 0), RTS_OK);
    CHECK_EQ_INT(rts_comm_broadcast(data, sizeof data, 1), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "process 1");
    CHECK_EQ_INT(rts_comm_broadcast(data, sizeof data, -1), RTS_ERR_INVALID);
}

static void run(bool sequential, int argc, char **argv) {
    CHECK_EQ_INT(rts_comm_open(sequential, &argc, &argv), RTS_OK);
    check_alone();
    check_collectives();
    CHECK_EQ_INT(rts_comm_open(sequential, &argc, &argv), RTS_OK); /* harmless */
    rts_comm_close();
    check_alone();
    rts_comm_close(); /* harmless */
}

/* abort in a child: exit code, and what it wrote is kept. */
static void check_abort(bool open_first) {
    int ends[2];
    if (!CHECK_EQ_INT(pipe(ends), 0))
        return;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        int argc = 0;
        char **argv = NULL;
        dup2(ends[1], STDOUT_FILENO);
        if (open_first)
            rts_comm_open(true, &argc, &argv);
        printf("written");
        rts_comm_abort(7);
    }
    close(ends[1]);
    char text[16] = "";
    CHECK_EQ_INT(read(ends[0], text, sizeof text - 1), 7);
    CHECK_EQ_STR(text, "written");
    close(ends[0]);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK_EQ_INT(WEXITSTATUS(status), 7);
}

int main(int argc, char **argv) {
    check_alone();
    check_collectives(); /* before open there is one process */
    check_abort(false);
    check_abort(true);
    run(true, argc, argv);
    run(false, argc, argv); /* last: MPI starts once a process */
    return check_finish();
}
