#include "sor-bench/bench_options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Elements of an array at most: offsets in bytes stay far from the end of a long. */
#define ELEMENTS_MAX (LONG_MAX / 64)

static void print_help(const bench_kind_t *kind) {
    const int rank = kind->rank;
    const char *list = rank == 3 ? "NX,NY,NZ" : rank == 2 ? "NX,NY" : "NX";

    printf(
        "usage: %s [OPTION]...\n"
        "%s on a grid of %d axes.\n"
        "\n"
        "  -n N | %s       extents of the grid, borders included (default %ld each)\n"
        "  -i ITERATIONS         sweeps (default 20)\n"
        "  --type double|float   of the elements (default double)\n"
        "  --order natural|reversed\n"
        "                        innermost loop along the last axis, where neighbours are adjacent in "
        "memory,\n"
        "                        or along the first (default natural)\n"
        "%s"
        "  --planner MODE        automatic reorganisation of the array: off, greedy, cost, random:SEED or\n"
        "                        replay:FILE; sets DVMH_PLANNER (without either: cost)\n"
        "  --verify              compare every element with the sequential loop; exit 1 when one differs\n"
        "  --json                one line of JSON\n"
        "  --help\n"
        "\n"
        "Times in seconds: time_s all sweeps, best_sweep_s the fastest, steady_sweep_s the median of the\n"
        "last half, on devices (which are not waited for after each sweep, so that there is no fastest) its\n"
        "mean, reorganisation included; loop_s inside loops, reorganise_s for changes of layout,\n"
        "sequential_s all sweeps of the plain loop (with --verify), memcpy_s one copy of an array of this\n"
        "size by all threads. Of a sweep, steady_to_memcpy is the ratio to that copy. replica_bytes: copies\n"
        "of the array in other layouts.\n",
        kind->name, kind->what, rank, list, kind->default_n,
        kind->has_box ? "  --stencil star|box    neighbours along the axes only, or all with the corners "
                        "(default star)\n"
                      : "");
}

_Noreturn static void refuse(const char *program, const char *option, const char *value,
                             const char *allowed) {
    fprintf(stderr, "%s: %s: '%s' given; allowed: %s (see --help)\n", program, option, value, allowed);
    exit(2);
}

/* A whole number from 1 on at *text_p, which is moved behind it. @return 0 when there is none */
static long parse_number(const char **text_p) {
    char *end;
    long value;

    if (!isdigit((unsigned char)**text_p))
        return 0;
    errno = 0;
    value = strtol(*text_p, &end, 10);
    *text_p = end;
    return errno == 0 ? value : 0;
}

static void parse_extents(const char *program, const char *text, int rank, long n[]) {
    static const char *const allowed[BENCH_MAX_RANK] = {"N with N >= 1", "N or NX,NY, each >= 1",
                                                        "N or NX,NY,NZ, each >= 1"};
    const char *rest = text;
    long elements = 1;
    int count = 0;

    do {
        rest += count > 0;
        if (count == rank || (n[count] = parse_number(&rest)) < 1)
            refuse(program, "-n", text, allowed[rank - 1]);
        count++;
    } while (*rest == ',');
    if (*rest != '\0' || (count != 1 && count != rank))
        refuse(program, "-n", text, allowed[rank - 1]);
    for (int k = 0; k < rank; k++) {
        if (k >= count)
            n[k] = n[0];
        if (n[k] > ELEMENTS_MAX / elements)
            refuse(program, "-n", text, "a grid that can be addressed");
        elements *= n[k];
    }
}

/* @return whether the value is the second of two words */
static bool parse_choice(const char *program, const char *option, const char *value, const char *first,
                         const char *second) {
    char allowed[64];

    if (strcmp(value, first) == 0)
        return false;
    if (strcmp(value, second) == 0)
        return true;
    snprintf(allowed, sizeof allowed, "%s or %s", first, second);
    refuse(program, option, value, allowed);
}

/* The modes of DVMH_PLANNER (docs/environment.md). */
static const char *parse_planner(const char *program, const char *value) {
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
    refuse(program, "--planner", value,
           "off, greedy, cost, random:SEED with SEED below 2^64, or replay:FILE of at most 255 bytes");
}

void bench_options_parse(int argc, char **argv, const bench_kind_t *kind, bench_options_t *options_p) {
    const char *const program = kind->name;
    const int rank = kind->rank;
    bench_options_t o = {.iterations = 20};

    for (int k = 0; k < rank; k++)
        o.n[k] = kind->default_n;
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i], *value = NULL, *rest;
        const bool has_value = strcmp(option, "-n") == 0 || strcmp(option, "-i") == 0 ||
                               strcmp(option, "--type") == 0 || strcmp(option, "--order") == 0 ||
                               (kind->has_box && strcmp(option, "--stencil") == 0) ||
                               strcmp(option, "--planner") == 0;

        if (has_value) {
            if (++i == argc)
                refuse(program, option, "nothing", "a value");
            value = argv[i];
        }
        if (strcmp(option, "-n") == 0) {
            parse_extents(program, value, rank, o.n);
        } else if (strcmp(option, "-i") == 0) {
            rest = value;
            o.iterations = parse_number(&rest);
            if (o.iterations < 1 || *rest != '\0')
                refuse(program, option, value, "a number of sweeps >= 1");
        } else if (strcmp(option, "--type") == 0) {
            o.is_float = parse_choice(program, option, value, "double", "float");
        } else if (strcmp(option, "--order") == 0) {
            o.is_reversed = parse_choice(program, option, value, "natural", "reversed");
        } else if (kind->has_box && strcmp(option, "--stencil") == 0) {
            o.is_box = parse_choice(program, option, value, "star", "box");
        } else if (strcmp(option, "--planner") == 0) {
            o.planner = parse_planner(program, value);
        } else if (strcmp(option, "--verify") == 0) {
            o.verify = true;
        } else if (strcmp(option, "--json") == 0) {
            o.json = true;
        } else if (strcmp(option, "--help") == 0) {
            print_help(kind);
            exit(fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1);
        } else {
            refuse(program, "option", option, "one of the options");
        }
    }
    *options_p = o;
}
