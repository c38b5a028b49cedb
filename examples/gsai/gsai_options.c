/* The command line of gsai. Every refusal says what is allowed. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "examples/gsai/gsai_program.h"
#include "examples/gsai/gsai_sparse.h"

const char program_help[] =
    "gsai -m FILE.mtx [options]: make a sparse approximate inverse of a matrix, and solve a system with it\n"
    "  -m, --matrix FILE        Matrix Market file: coordinate; real, integer or pattern; square\n"
    "  --generate poisson3d:N|flow3d:N[,P]\n"
    "                           instead of a file: diffusion on a cube of N*N*N points, or with a flow, P "
    "the Peclet number "
    "of a cell (1)\n"
    "  --pattern A|A2|A3|threshold:T[,LEVELS]\n"
    "                           pattern of the inverse: that of A, of its square or cube, or of the power "
    "LEVELS (2) of the\n"
    "                           entries with |a_ij| > T sqrt|a_ii a_jj|; the diagonal always belongs to it "
    "(A)\n"
    "  --side right|left        minimise A M - I by columns, or M A - I by rows (right)\n"
    "  --factored               M = transpose(G) G, for symmetric positive definite matrices\n"
    "  --filter EPS             drop entries below EPS times the largest of their column, row of M left, row "
    "of G (0)\n"
    "  --precision double|float of the small problems; sums are double (double)\n"
    "  --zeros keep|drop        explicit zeros of the file (keep)\n"
    "  --work-memory MIB        for small problems of all threads (256)\n"
    "  --solver bicgstab|gmres[:M]|cg|none\n"
    "                           M: length of cycles (50); cg needs --factored (bicgstab, with --factored "
    "cg)\n"
    "  --tolerance T            of |b - A x| / |b|, b = A 1 (1e-8)\n"
    "  --max-iterations N       (2000)\n"
    "  --right-hand-sides N     solve for N of them, b with its last bits changed at random (1: b itself)\n"
    "  --write M.mtx            write M, with --factored G\n"
    "  --backend host|cuda      where to compute (on a GPU where there is one)\n"
    "  --json                   one line of JSON\n"
    "Exit code: 0, all converged; 2, some did not, or their true residual is too large; 1, a mistake\n";

enum {
    OPTION_GENERATE = 256,
    OPTION_PATTERN,
    OPTION_SIDE,
    OPTION_FACTORED,
    OPTION_FILTER,
    OPTION_PRECISION,
    OPTION_ZEROS,
    OPTION_WORK_MEMORY,
    OPTION_SOLVER,
    OPTION_TOLERANCE,
    OPTION_MAX_ITERATIONS,
    OPTION_RIGHT_HAND_SIDES,
    OPTION_WRITE,
    OPTION_BACKEND,
    OPTION_JSON
};

static const struct option long_options[] = {{"matrix", required_argument, NULL, 'm'},
                                             {"help", no_argument, NULL, 'h'},
                                             {"generate", required_argument, NULL, OPTION_GENERATE},
                                             {"pattern", required_argument, NULL, OPTION_PATTERN},
                                             {"side", required_argument, NULL, OPTION_SIDE},
                                             {"factored", no_argument, NULL, OPTION_FACTORED},
                                             {"filter", required_argument, NULL, OPTION_FILTER},
                                             {"precision", required_argument, NULL, OPTION_PRECISION},
                                             {"zeros", required_argument, NULL, OPTION_ZEROS},
                                             {"work-memory", required_argument, NULL, OPTION_WORK_MEMORY},
                                             {"solver", required_argument, NULL, OPTION_SOLVER},
                                             {"tolerance", required_argument, NULL, OPTION_TOLERANCE},
                                             {"max-iterations", required_argument, NULL,
                                              OPTION_MAX_ITERATIONS},
                                             {"right-hand-sides", required_argument, NULL,
                                              OPTION_RIGHT_HAND_SIDES},
                                             {"write", required_argument, NULL, OPTION_WRITE},
                                             {"backend", required_argument, NULL, OPTION_BACKEND},
                                             {"json", no_argument, NULL, OPTION_JSON},
                                             {NULL, 0, NULL, 0}};

static gsai_status_t refuse(const char *option, const char *given, const char *allowed, gsai_fault_t *fault) {
    return gsai_fail(fault, GSAI_ERR_ARGUMENT, "%s %s: allowed are %s", option, given, allowed);
}

/* A finite number that ends where `end` says: at the end of the text, or at a comma. */
static bool read_number(const char *text, const char **end_p, double *number_p) {
    char *end;

    errno = 0;
    *number_p = strtod(text, &end);
    *end_p = end;
    return end != text && isfinite(*number_p) && errno == 0;
}

static bool read_whole(const char *text, long lo, long hi, long *number_p) {
    char *end;

    errno = 0;
    *number_p = strtol(text, &end, 10);
    return end != text && *end == '\0' && errno == 0 && *number_p >= lo && *number_p <= hi;
}

static gsai_status_t read_real(const char *option, const char *text, const char *allowed, double *number_p,
                               gsai_fault_t *fault) {
    const char *end;

    return read_number(text, &end, number_p) && *end == '\0' ? GSAI_OK : refuse(option, text, allowed, fault);
}

static gsai_status_t read_pattern(const char *text, gsai_options_t *build, gsai_fault_t *fault) {
    static const char allowed[] = "A, A2, A3, threshold:T and threshold:T,LEVELS (T at least 0, LEVELS 1..9)";
    const char *end;
    long levels = 2;

    build->pattern = GSAI_PATTERN_POWER;
    for (int power = 1; power <= 3; power++)
        if (strcmp(text, power == 1 ? "A" : power == 2 ? "A2" : "A3") == 0) {
            build->levels = power;
            return GSAI_OK;
        }
    if (strncmp(text, "threshold:", 10) != 0 || !read_number(text + 10, &end, &build->threshold) ||
        build->threshold < 0 || (*end != '\0' && *end != ',') ||
        (*end == ',' && !read_whole(end + 1, 1, GSAI_LEVELS_MAX, &levels)))
        return refuse("--pattern", text, allowed, fault);
    build->pattern = GSAI_PATTERN_THRESHOLD;
    build->levels = (int)levels;
    return GSAI_OK;
}

static gsai_status_t read_problem(const char *text, program_options_t *o, gsai_fault_t *fault) {
    static const char poisson[] = "poisson3d:", flow[] = "flow3d:";
    const bool has_flow = strncmp(text, flow, sizeof flow - 1) == 0;
    const char *const number = text + (has_flow ? sizeof flow : sizeof poisson) - 1;
    const char *end = NULL;
    long edge = 0;
    char *after = NULL;

    o->problem.flow = has_flow ? 1 : 0;
    errno = 0;
    if (has_flow || strncmp(text, poisson, sizeof poisson - 1) == 0)
        edge = strtol(number, &after, 10);
    if (errno != 0 || edge < 1 || edge > GSAI_EDGE_MAX ||
        (*after != '\0' && (!has_flow || *after != ',' || !read_number(after + 1, &end, &o->problem.flow) ||
                            *end != '\0' || o->problem.flow < 0)))
        return refuse("--generate", text, "poisson3d:N and flow3d:N[,P] (N 1..1290, P at least 0)", fault);
    o->problem.edge = (int32_t)edge;
    o->is_generated = true;
    o->matrix = text;
    return GSAI_OK;
}

static gsai_status_t read_solver(const char *text, program_options_t *o, gsai_fault_t *fault) {
    long restart = 50;

    o->is_solved = strcmp(text, "none") != 0;
    if (strcmp(text, "bicgstab") == 0)
        o->solve.solver = GSAI_BICGSTAB;
    else if (strcmp(text, "cg") == 0)
        o->solve.solver = GSAI_CG;
    else if (strcmp(text, "gmres") == 0 ||
             (strncmp(text, "gmres:", 6) == 0 && read_whole(text + 6, 1, GSAI_RESTART_MAX, &restart)))
        o->solve.solver = GSAI_GMRES;
    else if (o->is_solved)
        return refuse("--solver", text, "bicgstab, gmres, gmres:M (M 1..1000), cg and none", fault);
    o->solve.restart = (int)restart;
    o->solver = text;
    return GSAI_OK;
}

/* One of two words. */
static gsai_status_t read_either(const char *option, const char *text, const char *no, const char *yes,
                                 bool *is_yes_p, gsai_fault_t *fault) {
    if (strcmp(text, no) != 0 && strcmp(text, yes) != 0)
        return gsai_fail(fault, GSAI_ERR_ARGUMENT, "%s %s: allowed are %s and %s", option, text, no, yes);
    *is_yes_p = strcmp(text, yes) == 0;
    return GSAI_OK;
}

static gsai_status_t read_count(const char *option, const char *text, long lo, long hi, long *number_p,
                                gsai_fault_t *fault) {
    if (!read_whole(text, lo, hi, number_p))
        return gsai_fail(fault, GSAI_ERR_ARGUMENT, "%s %s: allowed are %ld..%ld", option, text, lo, hi);
    return GSAI_OK;
}

/* Options of the solver and of output. */
static gsai_status_t take_other(int option, const char *text, program_options_t *o, gsai_fault_t *fault) {
    gsai_status_t status = GSAI_OK;
    long number = 0;
    bool is_on_gpu = false;

    switch (option) {
    case OPTION_SOLVER:
        return read_solver(text, o, fault);
    case OPTION_TOLERANCE:
        status = read_real("--tolerance", text, "numbers above 0", &o->solve.tolerance, fault);
        return status == GSAI_OK && o->solve.tolerance <= 0
                   ? refuse("--tolerance", text, "numbers above 0", fault)
                   : status;
    case OPTION_MAX_ITERATIONS:
        status = read_count("--max-iterations", text, 0, 1000000000, &number, fault);
        o->solve.iterations_max = number;
        return status;
    case OPTION_RIGHT_HAND_SIDES:
        status = read_count("--right-hand-sides", text, 1, PROGRAM_REPEATS_MAX, &number, fault);
        o->repeats = (int)number;
        return status;
    case OPTION_WRITE:
        o->write = text;
        return GSAI_OK;
    case OPTION_BACKEND:
        status = read_either("--backend", text, "host", "cuda", &is_on_gpu, fault);
        o->build.backend = is_on_gpu ? GSAI_BACKEND_CUDA : GSAI_BACKEND_HOST;
        return status;
    case OPTION_JSON:
        o->is_json = true;
        return GSAI_OK;
    default:
        return gsai_fail(fault, GSAI_ERR_ARGUMENT, "see gsai --help for the options");
    }
}

/* Options of the matrix and the inverse. */
static gsai_status_t take_option(int option, const char *text, program_options_t *o, gsai_fault_t *fault) {
    gsai_status_t status = GSAI_OK;
    long number = 0;
    bool is_left = false;

    switch (option) {
    case 'm':
        o->matrix = text;
        o->is_generated = false;
        return GSAI_OK;
    case OPTION_GENERATE:
        return read_problem(text, o, fault);
    case 'h':
        o->is_help = true;
        return GSAI_OK;
    case OPTION_PATTERN:
        o->pattern = text;
        return read_pattern(text, &o->build, fault);
    case OPTION_SIDE:
        status = read_either("--side", text, "right", "left", &is_left, fault);
        o->build.side = is_left ? GSAI_SIDE_LEFT : GSAI_SIDE_RIGHT;
        return status;
    case OPTION_FACTORED:
        o->build.is_factored = true;
        return GSAI_OK;
    case OPTION_FILTER:
        status = read_real("--filter", text, "numbers from 0 to below 1", &o->build.filter, fault);
        return status == GSAI_OK && !(o->build.filter >= 0 && o->build.filter < 1)
                   ? refuse("--filter", text, "numbers from 0 to below 1", fault)
                   : status;
    case OPTION_PRECISION:
        return read_either("--precision", text, "double", "float", &o->build.is_single, fault);
    case OPTION_ZEROS:
        return read_either("--zeros", text, "keep", "drop", &o->read.drops_zeros, fault);
    case OPTION_WORK_MEMORY:
        status = read_count("--work-memory", text, 1, 1 << 20, &number, fault);
        o->build.work_bytes = (int64_t)number << 20;
        return status;
    default:
        return take_other(option, text, o, fault);
    }
}

gsai_status_t program_read_options(int argc, char **argv, program_options_t *options_p, gsai_fault_t *fault) {
    program_options_t o = {.build = gsai_default_options(),
                           .solve = {.restart = 50, .tolerance = 1e-8, .iterations_max = 2000},
                           .read = {.order_max = INT32_MAX - 1},
                           .is_solved = true,
                           .repeats = 1,
                           .pattern = "A"};
    int option;

    opterr = 0;
    optind = 1;
    while ((option = getopt_long(argc, argv, ":m:h", long_options, NULL)) != -1) {
        gsai_status_t status;

        if (option == '?' || option == ':')
            status = gsai_fail(fault, GSAI_ERR_ARGUMENT, "%s: %s; see gsai --help", argv[optind - 1],
                               option == '?' ? "no such option" : "something has to follow");
        else
            status = take_option(option, optarg, &o, fault);
        if (status != GSAI_OK)
            return status;
    }
    if (optind < argc)
        return gsai_fail(fault, GSAI_ERR_ARGUMENT, "%s: no option; see gsai --help", argv[optind]);
    if (o.matrix == NULL && !o.is_help)
        return gsai_fail(fault, GSAI_ERR_ARGUMENT,
                         "which matrix? gsai -m FILE.mtx, or --generate; see gsai --help");
    if (o.solver == NULL) {
        o.solver = o.build.is_factored ? "cg" : "bicgstab";
        o.solve.solver = o.build.is_factored ? GSAI_CG : GSAI_BICGSTAB;
    }
    if (o.is_solved && o.solve.solver == GSAI_CG && !o.build.is_factored)
        return gsai_fail(
            fault, GSAI_ERR_ARGUMENT,
            "--solver cg needs --factored: CG works with a symmetric positive definite preconditioner, "
            "which an unfactored inverse is not, not even of a symmetric matrix");
    *options_p = o;
    return GSAI_OK;
}
