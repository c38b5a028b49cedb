/* The C part of test_module_init.cpp: functions of the modules, main, and the check of their order. */
#include <dvmhlib2.h>

#include <unistd.h>

#include "tests/check.h"

void init_one(void);
void finish_one(void);
void init_two(void);
void init_late(void);
void finish_late(void);
void load_late(void);  /* in the C++ part */
int check_class(void); /* in the C++ part */

static char order[64];

static void note(const char *what) {
    strcat(order, what);
}

void init_one(void) {
    CHECK(dvmh_stdout != NULL); /* the runtime is up */
    note("+1");
}

void finish_one(void) {
    note("-1");
}

void init_two(void) {
    note("+2");
}

void init_late(void) {
    note("+L");
}

void finish_late(void) {
    note("-L");
}

static void check_at_the_end(void) {
    CHECK_EQ_STR(order, "+2+1<+L>-L-1");
    if (check_finish() != 0)
        _exit(1);
}

int main(int argc, char **argv) {
    atexit(check_at_the_end);
    CHECK_EQ_STR(order, "");
    CHECK(check_class());
    dvmh_line_C(1, "test.c");
    dvmh_init_C(INITFLAG_SEQUENTIAL, &argc, &argv);
    CHECK_EQ_STR(order, "+2+1");
    note("<");
    load_late();
    load_late();
    note(">");
    dvmh_exit_C(0);
    return 1;
}
