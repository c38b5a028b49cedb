#include "npb-lu/lu_options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_help(void) {
    printf(
        "usage: lu [OPTION]...\n"
        "The benchmark LU of the NAS Parallel Benchmarks: SSOR for the Navier-Stokes equations on a cube.\n"
        "\n"
        "  -c CLASS         " LU_CLASSES " (default S)\n"
        "  --iterations N   time steps (default: as the class has it; others cannot be verified)\n"
        "  --planner MODE   automatic reorganisation of the arrays: off, greedy, cost, random:SEED or\n"
        "                   replay:FILE; sets DVMH_PLANNER (without either: as the program was compiled)\n"
        "  --verify         exit 1 when the norms are not as published\n"
        "  --json           one line of JSON\n"
        "  --help\n"
        "\n"
        "Times in seconds, of the slowest process. time_s is all steps; rhs_s, lower_s, upper_s,\n"
        "update_s and norms_s are its parts, changes of layout and exchanges between processes included;\n"
        "of these, reorganise_s is for changes of layout and exchange_s for renewing shadow edges. From\n"
        "steady_from_step on, every step has changed step_reorganisations layouts. memory_ratio: the arrays\n"
        "with their copies in other layouts, at most, to the arrays alone.\n");
}

_Noreturn static void refuse(const char *option, const char *value, const char *allowed) {
    fprintf(stderr, "lu: %s: '%s' given; allowed: %s (see --help)\n", option, value, allowed);
    exit(2);
}

/* The modes of DVMH_PLANNER (docs/environment.md). */
static const char *parse_planner(const char *value) {
    if (strcmp(value, "off") == 0 || strcmp(value, "greedy") == 0 || strcmp(value, "cost") == 0)
        return value;
    if (strncmp(value, "replay:", 7) == 0 && value[7] != '\0' && strlen(value + 7) < 256)
        return value;
    if (strncmp(value, "random:", 7) == 0 && isdigit((unsigned char)value[7])) {
        char *rest;

        errno = 0;
        (void)strtoull(value + 7, &rest, 10);
        if (*rest == '\0' && errno == 0)
            return value;
    }
    refuse("--planner", value,
           "off, greedy, cost, random:SEED with SEED below 2^64, or replay:FILE of at most 255 bytes");
}

static long parse_steps(const char *value) {
    char *rest = NULL;
    long steps = 0;

    errno = 0;
    if (isdigit((unsigned char)value[0]))
        steps = strtol(value, &rest, 10);
    if (rest == NULL || *rest != '\0' || errno != 0 || steps < 1)
        refuse("--iterations", value, "a number of time steps >= 1");
    return steps;
}

/* One option with a value. @return false: there is no such option */
static int parse_value(const char *option, const char *value, lu_options_t *o) {
    const int is_class = strcmp(option, "-c") == 0, is_planner = strcmp(option, "--planner") == 0;

    if (!is_class && !is_planner && strcmp(option, "--iterations") != 0)
        return 0;
    if (value == NULL)
        refuse(option, "nothing", "a value");
    if (is_planner) {
        o->planner = parse_planner(value);
    } else if (is_class) {
        o->problem = lu_problem_find(value);
        if (o->problem == NULL)
            refuse(option, value, LU_CLASSES);
    } else {
        o->steps = parse_steps(value);
    }
    return 1;
}

void lu_options_parse(int argc, char **argv, lu_options_t *options_p) {
    lu_options_t o = {.problem = lu_problem_find("S")};

    for (int i = 1; i < argc; i++) {
        const char *option = argv[i];

        if (parse_value(option, i + 1 < argc ? argv[i + 1] : NULL, &o)) {
            i++;
        } else if (strcmp(option, "--verify") == 0) {
            o.verify = 1;
        } else if (strcmp(option, "--json") == 0) {
            o.json = 1;
        } else if (strcmp(option, "--help") == 0) {
            print_help();
            exit(fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1);
        } else {
            refuse("option", option, "one of the options");
        }
    }
    if (o.steps == 0)
        o.steps = o.problem->steps;
    if (o.verify && o.steps != o.problem->steps) {
        char steps[32], allowed[80];

        snprintf(steps, sizeof steps, "%ld", o.steps);
        snprintf(allowed, sizeof allowed, "with --verify %ld, for which class %c has published norms",
                 o.problem->steps, o.problem->name);
        refuse("--iterations", steps, allowed);
    }
    *options_p = o;
}
