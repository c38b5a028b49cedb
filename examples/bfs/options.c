#include "examples/bfs/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: bfs [OPTION]...\n"
    "Breadth-first search from one root after the other, on a graph that is generated or read.\n"
    "\n"
    "  -s SCALE              generate an R-MAT graph of 2^SCALE vertices (default 16)\n"
    "  -e EDGES              .. with so many edges a vertex (default 16)\n"
    "  -g FILE               read a graph instead\n"
    "  --format FORMAT       of the file: edges, matrix-market, metis (default: by banner and name)\n"
    "  --base 0|1            edge lists: the first vertex is number 0 or 1 (default 0)\n"
    "  --counts              edge lists: the first line has the numbers of vertices and edges\n"
    "  --directed            edges lead one way only\n"
    "  --roots N             draw N roots that have edges (default 16)\n"
    "  --root V              search from this vertex only, whether it has edges or not\n"
    "  --seed S              of the generator and of drawing roots (default 1)\n"
    "  --algorithm NAME      hybrid: top down and bottom up; queue: top down; sweep: over all edges\n"
    "                        once a level (default hybrid)\n"
    "  --sweep-options LIST  of cache: edges sorted into blocks of vertices; restrict: levels are only\n"
    "                        read during a sweep; pack: two vertices in a word; none (default cache)\n"
    "  --device NAME         host, or cuda: a GPU (default: a GPU where there is one)\n"
    "  --parents             find parents, too\n"
    "  --validate            check levels and parents; exit 1 when something is wrong\n"
    "  --output FILE         write level and parent of all vertices, for each root\n"
    "  --json                a line of JSON for each root, and one for all\n"
    "  --help\n";

_Noreturn static void refuse(const char *option, const char *value, const char *allowed) {
    fprintf(stderr, "bfs: %s: '%s' given; allowed: %s (see --help)\n", option, value, allowed);
    exit(2);
}

static uint64_t parse_number(const char *option, const char *text, uint64_t lowest, uint64_t highest,
                             const char *allowed) {
    unsigned long long value;
    char *end;

    if (!isdigit((unsigned char)*text))
        refuse(option, text, allowed);
    errno = 0;
    value = strtoull(text, &end, 10);
    if (errno != 0 || *end != '\0' || value < lowest || value > highest)
        refuse(option, text, allowed);
    return value;
}

/* @return which of the names, up to a NULL, the text is */
static int parse_choice(const char *option, const char *text, const char *const names[],
                        const char *allowed) {
    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    refuse(option, text, allowed);
}

static void parse_sweep_options(const char *option, const char *text, bfs_method_t *method) {
    const char *at = text;

    method->is_blocked = method->is_read_only = method->is_packed = false;
    if (strcmp(text, "none") == 0)
        return;
    for (;;) {
        const size_t length = strcspn(at, ",");

        if (length == 5 && strncmp(at, "cache", length) == 0)
            method->is_blocked = true;
        else if (length == 8 && strncmp(at, "restrict", length) == 0)
            method->is_read_only = true;
        else if (length == 4 && strncmp(at, "pack", length) == 0)
            method->is_packed = true;
        else
            refuse(option, text, "a list of cache, restrict and pack, with commas, or none");
        if (at[length] == '\0')
            return;
        at += length + 1;
    }
}

static bool parse_graph_option(const char *option, const char *value, bfs_options_t *o) {
    static const char *const formats[] = {"edges", "matrix-market", "metis", NULL};

    if (strcmp(option, "-s") == 0)
        o->scale = (int)parse_number(option, value, 0, 31, "a whole number 0..31");
    else if (strcmp(option, "-e") == 0)
        o->edges_per_vertex = (int64_t)parse_number(option, value, 0, 4096, "a whole number 0..4096");
    else if (strcmp(option, "-g") == 0)
        o->reading.path = value;
    else if (strcmp(option, "--format") == 0)
        o->reading.format =
            (bfs_format_t)(parse_choice(option, value, formats, "edges, matrix-market, metis") +
                           BFS_FORMAT_EDGES);
    else if (strcmp(option, "--base") == 0)
        o->reading.base = (int)parse_number(option, value, 0, 1, "0 or 1");
    else if (strcmp(option, "--seed") == 0)
        o->seed = parse_number(option, value, 0, UINT64_MAX, "a whole number below 2^64");
    else
        return false;
    return true;
}

static bool parse_search_option(const char *option, const char *value, bfs_options_t *o) {
    static const char *const algorithms[] = {"sweep", "queue", "hybrid", NULL};
    static const char *const devices[] = {"host", "cuda", NULL};

    if (strcmp(option, "--roots") == 0)
        o->roots = (int64_t)parse_number(option, value, 1, 1000000, "a whole number 1..1000000");
    else if (strcmp(option, "--root") == 0)
        o->root = (int64_t)parse_number(option, value, 0, BFS_VERTICES_MAX, "a vertex of the graph");
    else if (strcmp(option, "--algorithm") == 0)
        o->method.algorithm =
            (bfs_algorithm_t)parse_choice(option, value, algorithms, "sweep, queue or hybrid");
    else if (strcmp(option, "--sweep-options") == 0)
        parse_sweep_options(option, value, &o->method);
    else if (strcmp(option, "--device") == 0)
        o->method.place = (bfs_place_t)(parse_choice(option, value, devices, "host or cuda") + BFS_ON_HOST);
    else if (strcmp(option, "--output") == 0)
        o->output = value;
    else
        return false;
    return true;
}

static bool parse_flag(const char *option, bfs_options_t *o) {
    if (strcmp(option, "--directed") == 0)
        o->is_directed = true;
    else if (strcmp(option, "--counts") == 0)
        o->reading.has_counts = true;
    else if (strcmp(option, "--parents") == 0)
        o->parents = true;
    else if (strcmp(option, "--validate") == 0)
        o->validate = true;
    else if (strcmp(option, "--json") == 0)
        o->json = true;
    else
        return false;
    return true;
}

void bfs_options_parse(int argc, char **argv, bfs_options_t *options_p) {
    bfs_options_t o = {.program = argv[0],
                       .scale = 16,
                       .edges_per_vertex = 16,
                       .reading = {.base = -1},
                       .seed = 1,
                       .roots = 16,
                       .root = -1,
                       .method = {.algorithm = BFS_HYBRID, .is_blocked = true, .place = BFS_ON_ANY}};

    for (int i = 1; i < argc; i++) {
        const char *option = argv[i];

        if (strcmp(option, "--help") == 0) {
            fputs(help, stdout);
            exit(fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1);
        }
        if (parse_flag(option, &o))
            continue;
        if (i + 1 == argc)
            refuse("option", option, "an option, with its value where it has one");
        if (!parse_graph_option(option, argv[i + 1], &o) && !parse_search_option(option, argv[i + 1], &o))
            refuse("option", option, "one of the options");
        i++;
    }
    o.parents = o.parents || o.validate || o.output != NULL;
    *options_p = o;
}
