/* dvmh-info: what this build of the runtime is, and its environment variables. Reads the runtime's own tables, so that what it
 * prints cannot drift from what programs do. Starts no threads and no MPI. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "rts/backend.h"
#include "rts/environment.h"

extern char **environ;

static const char usage[] =
    "usage: dvmh-info [--env | --env-markdown | --version | --help]\n"
    "\n"
    "  (nothing)       what this build has, and how many threads a process would use here\n"
    "  --env           every environment variable with the value in force\n"
    "  --env-markdown  the table of variables as a document\n"
    "  --version       the version\n"
    "  --help          this text\n";

/* @return false when a variable has a value that is not allowed: programs would not start */
static bool print_build(void) {
    printf("dvmh-rts %s\n", PACKAGE_VERSION);
#ifdef HAVE_MPI
    printf("MPI       yes\n");
#else
    printf("MPI       no\n");
#endif
#ifdef HAVE_HWLOC
    printf("hwloc     yes\n");
#else
    printf("hwloc     no\n");
#endif
    printf("asserts   level %d\n", RTS_ASSERT_LEVEL);
    rts_environment_t environment;
    if (rts_environment_read(environ, &environment) != RTS_OK) {
        fprintf(stderr, "dvmh-info: %s\n", rts_error_text());
        return false;
    }
    const rts_int_list_t *asked = &environment.num_threads;
    printf("threads   %d for a process alone on this machine\n",
           asked->count > 0 ? (int)rts_max(1, asked->value[0]) : rts_default_thread_count(1, 1));
    return true;
}

int main(int argc, char **argv) {
    const char *option = argc > 1 ? argv[1] : "";
    if (argc > 2) {
        fprintf(stderr, "dvmh-info: %d arguments given; allowed: one\n%s", argc - 1, usage);
        return 2;
    }
    if (strcmp(option, "") == 0) {
        if (!print_build())
            return 1;
    } else if (strcmp(option, "--env") == 0) {
        rts_environment_print_values(stdout, environ);
    } else if (strcmp(option, "--env-markdown") == 0) {
        rts_environment_print_markdown(stdout);
    } else if (strcmp(option, "--version") == 0) {
        printf("dvmh-info (dvmh-rts) %s\n", PACKAGE_VERSION);
    } else if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
        fputs(usage, stdout);
    } else {
        fprintf(stderr, "dvmh-info: '%s' is no option of it\n%s", option, usage);
        return 2;
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
