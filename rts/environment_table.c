/* The table of environment variables: names, defaults, allowed values, help. Its order is the order of the
 * documentation. Decides nothing about parsing. A new variable is one row here and, when it is acted on, one
 * field in the header. */
#include <config.h>

#include "rts/environment_table.h"

#define FIELD(name)                                                                                          \
    .offset = offsetof(rts_environment_t, name), .size = sizeof(((rts_environment_t *)NULL)->name)

#define BOOL_WORDS "1, on, yes, enable, 0, off, no, disable"
#define LIST_END   ", separated by blanks or commas, at most 64"
#define NO_EFFECT  "accepted for scripts of the DVM-system; no effect in this version"

/* Rows for variables of the DVM-system that this version does not act on. */
#define IGNORED_BOOL(text, value)                                                                            \
    { .name = text, .type = RTS_VALUE_BOOL, .initial = value, .allowed = BOOL_WORDS, .help = NO_EFFECT }
#define IGNORED_INT(text, value, low, words)                                                                 \
    {                                                                                                        \
        .name = text, .type = RTS_VALUE_INT, .initial = value, .min = low, .max = INT64_MAX,                 \
        .allowed = words, .help = NO_EFFECT                                                                  \
    }
#define IGNORED_FLOAT(text)                                                                                  \
    {                                                                                                        \
        .name = text, .type = RTS_VALUE_FLOAT, .shown = "-",                                                 \
        .allowed = "a decimal number, 0 and more, below 1e308", .help = NO_EFFECT                            \
    }
#define IGNORED_WEIGHTS(text)                                                                                \
    {                                                                                                        \
        .name = text, .type = RTS_VALUE_FLOAT_LIST, .initial = "1.0",                                        \
        .allowed = "a list of decimal numbers, 0 and more, below 1e308" LIST_END, .help = NO_EFFECT          \
    }
#define IGNORED_STRING(text, value)                                                                          \
    { .name = text, .type = RTS_VALUE_STRING, .shown = value, .allowed = "any text", .help = NO_EFFECT }

static const char *const strategy_words[] = {"auto", "lexicographic", "jam", "front", "tile", NULL};
static const char *const exchange_words[] = {"auto", "ipc", "staging", NULL};
static const char *const schedule_words[] = {"static", "dynamic", NULL};
static const char *const sched_tech_words[] = {"0", "1", "2", "3", "4", "single", "static", "dynamic", NULL};

#define LEVEL_WORDS "0..5 or fatal, error, warning, info, debug, trace"

const rts_environment_row_t rts_environment_rows[] = {
    /* Messages */
    {.name = "DVMH_LOGLEVEL",
     .type = RTS_VALUE_LEVEL,
     .initial = "warning",
     .allowed = LEVEL_WORDS,
     .help = "most detailed messages that are written",
     FIELD(log_level)},
    {.name = "DVMH_FLUSHLOGLEVEL",
     .type = RTS_VALUE_LEVEL,
     .initial = "fatal",
     .allowed = LEVEL_WORDS,
     .help = "messages up to this level reach the log file at once",
     FIELD(flush_log_level)},
    {.name = "DVMH_LOGFILE",
     .type = RTS_VALUE_STRING,
     .shown = "standard error",
     .allowed = "a file name of at most 255 bytes",
     .help = "file that messages go to; %d in it stands for the rank",
     FIELD(log_file)},
    {.name = "DVMH_FATAL_TO_STDERR",
     .type = RTS_VALUE_BOOL,
     .initial = "on",
     .allowed = BOOL_WORDS,
     .help = "fatal messages go to standard error too when there is a log file",
     FIELD(fatal_to_stderr)},

    /* Processes and threads */
    {.name = "DVMH_PROC_GRID",
     .type = RTS_VALUE_INT_LIST,
     .shown = "one axis with all processes",
     .min = 1,
     .max = INT32_MAX,
     .allowed = "a list of whole numbers 1..2147483647" LIST_END,
     .help = "extents of the grid of processes, first axis first",
     FIELD(proc_grid)},
    {.name = "DVMH_NUM_THREADS",
     .type = RTS_VALUE_INT_LIST,
     .shown = "OMP_NUM_THREADS, else the node's cores shared among its processes",
     .min = 0,
     .max = 4096,
     .allowed = "a list of whole numbers 0..4096" LIST_END,
     .help = "host worker threads of a process; process number p takes entry p modulo the length of the "
             "list; 0 counts as 1",
     FIELD(num_threads)},
    {.name = "DVMH_SET_AFFINITY",
     .type = RTS_VALUE_BOOL_AUTO,
     .initial = "auto",
     .allowed = "auto, " BOOL_WORDS,
     .help = "bind threads to cores; auto: unless the launcher or the OpenMP library does",
     FIELD(set_affinity)},

    /* Loops */
    {.name = "DVMH_SCHEDULE",
     .type = RTS_VALUE_CHOICE,
     .initial = "static",
     .words = schedule_words,
     .allowed = "static, dynamic",
     .help = "how independent loops are shared among the threads of a process",
     FIELD(schedule_dynamic)},
    {.name = "DVMH_STRATEGY",
     .type = RTS_VALUE_CHOICE,
     .initial = "auto",
     .words = strategy_words,
     .allowed = "auto, lexicographic, jam, front, tile",
     .help = "how loops run, wherever it is legal; auto: the planner chooses",
     FIELD(strategy)},
    {.name = "DVMH_PLANNER",
     .type = RTS_VALUE_PLANNER,
     .shown = "cost when the program asks for reorganisation, else off",
     .allowed =
         "off, greedy, cost, random:SEED with SEED a whole number 0..18446744073709551615, replay:FILE "
         "with a file name of at most 255 bytes",
     .help =
         "automatic reorganisation of arrays before loops. off: never; greedy: always as the loop at hand "
         "wants; cost: when it pays over the loops of the program, measured; random: any legal layout, "
         "strategy and tile at every loop, for tests; replay: by the costs in a file of DVMH_PLANNER_SAVE, "
         "nothing is tried. In all modes but random and replay strategies are chosen by measured time",
     FIELD(planner_mode)},
    {.name = "DVMH_PLANNER_SAVE",
     .type = RTS_VALUE_STRING,
     .shown = "no file",
     .allowed = "a file name of at most 255 bytes",
     .help = "file that gets what the loops cost, at the end of the run; with several processes, what they "
             "cost in process 0",
     FIELD(planner_save)},
    {.name = "DVMH_REPORT",
     .type = RTS_VALUE_BOOL,
     .initial = "off",
     .allowed = BOOL_WORDS,
     .help =
         "at the end of the run print, on standard error, the loops, their layouts and what reorganisation "
         "cost and gained; with several processes, process 0 prints",
     FIELD(report)},
    {.name = "DVMH_COMPARE_DEBUG",
     .type = RTS_VALUE_BOOL,
     .initial = "off",
     .allowed = BOOL_WORDS,
     .help = "run every loop of a region on the host and then on its device, from the same values, and end "
             "the program at the first element "
             "that differs, with a message that names it",
     FIELD(compare_debug)},
    {.name = "DVMH_COMPARE_FLOATS_EPS",
     .type = RTS_VALUE_FLOAT,
     .initial = "1000",
     .allowed = "a decimal number, 0 and more, below 1e308",
     .help = "differences that DVMH_COMPARE_DEBUG takes for equal, relative to the larger number, in units "
             "of 1.19e-7; elements of float",
     FIELD(compare_floats)},
    {.name = "DVMH_COMPARE_DOUBLES_EPS",
     .type = RTS_VALUE_FLOAT,
     .initial = "1000",
     .allowed = "a decimal number, 0 and more, below 1e308",
     .help = "the same in units of 2.22e-16; elements of double",
     FIELD(compare_doubles)},
    {.name = "DVMH_REDUCE_DEPS",
     .type = RTS_VALUE_BOOL,
     .initial = "off",
     .allowed = BOOL_WORDS,
     .help = "dependency mask: leave out dims that have one iteration in this process, keeping the outermost",
     FIELD(reduce_deps)},
    {.name = "DVMH_OVERLAP",
     .type = RTS_VALUE_BOOL_AUTO,
     .initial = "auto",
     .allowed = "auto, " BOOL_WORDS,
     .help =
         "run the iterations of a loop that read no shadow edges while the edges are on their way between "
         "processes; on: wherever that is right; auto: only in loops long enough to gain by it",
     FIELD(overlap)},
    {.name = "DVMH_EXCHANGE",
     .type = RTS_VALUE_CHOICE,
     .initial = "auto",
     .allowed = "auto, ipc, staging",
     .words = exchange_words,
     .help = "how values go from a GPU of one process to a GPU of another one on the same machine. auto: "
             "through memory of "
             "GPUs that both reach, without waiting for them, where processes can share it, else through "
             "host memory; ipc: "
             "the same, with a warning where it cannot be shared; staging: through host memory",
     FIELD(exchange)},
    {.name = "DVMH_FAKE_DEVICES",
     .type = RTS_VALUE_INT,
     .initial = "0",
     .min = 0,
     .max = 8,
     .allowed = "a whole number 0..8",
     .help = "devices with separate memory that the host plays, for tests",
     FIELD(fake_devices)},

    {.name = "DVMH_DEVICE_MEMORY",
     .type = RTS_VALUE_INT,
     .shown = "what there is",
     .min = 1,
     .max = INT64_MAX,
     .allowed = "a whole number of bytes, 1 and more",
     .help =
         "bytes that arrays may take on each GPU or fake device; arrays that are not in use leave for others",
     FIELD(device_memory)},

    /* GPUs */
    {.name = "DVMH_NUM_CUDAS",
     .type = RTS_VALUE_INT_LIST,
     .shown = "an equal share of the node's GPUs, at least 1 where there are any",
     .min = 0,
     .max = INT32_MAX,
     .allowed = "a list of whole numbers 0..2147483647" LIST_END,
     .help = "GPUs of a process; process number p takes entry p modulo the length of the list; more than the "
             "node has "
             "are an error; 0: none, and no driver is looked for",
     FIELD(num_cudas)},
    {.name = "DVMH_REQUIRE_CUDA",
     .type = RTS_VALUE_BOOL,
     .initial = "off",
     .allowed = BOOL_WORDS,
     .help = "no GPU that can be used is an error, and not a reason to run on the host",
     FIELD(require_cuda)},
    {.name = "DVMH_CACHE_CUDA_ALLOC",
     .type = RTS_VALUE_BOOL,
     .initial = "1",
     .allowed = BOOL_WORDS,
     .help =
         "keep memory of a GPU that became free for later arrays; GPUs shared with other processes never do",
     FIELD(cache_cuda_alloc)},

    /* Files */
    {.name = "DVMH_IO_BUF_SIZE",
     .type = RTS_VALUE_INT,
     .initial = "104857600",
     .min = 1,
     .max = INT64_MAX,
     .allowed = "a whole number of bytes, 1 and more",
     .help = "bytes of a distributed array that a process collects at once for a file, or spreads from one",
     FIELD(io_buffer_bytes)},
    {.name = "DVMH_PARALLEL_IO_THRES",
     .type = RTS_VALUE_INT,
     .initial = "104857600",
     .min = 0,
     .max = INT64_MAX,
     .allowed = "a whole number of bytes, 0 and more",
     .help = "bytes of a distributed array from which on all processes access a parallel file (letter p of "
             "the mode) at once; below, process 0 alone does",
     FIELD(parallel_io_bytes)},

    /* Known to the DVM-system, without effect here */
    IGNORED_WEIGHTS("DVMH_CPU_PERF"),
    IGNORED_WEIGHTS("DVMH_CUDAS_PERF"),
    {.name = "DVMH_SCHED_TECH",
     .type = RTS_VALUE_CHOICE,
     .initial = "1",
     .words = sched_tech_words,
     .allowed = "0..4 or single, static, dynamic",
     .help = NO_EFFECT},
    IGNORED_STRING("DVMH_SCHED_FILE", "Scheme.dvmh"),
    IGNORED_BOOL("DVMH_ON_THE_FLY_DEBUG", "0"),
    IGNORED_FLOAT("DVMH_COMPARE_LONGDOUBLES_EPS"),
    IGNORED_BOOL("DVMH_ALLOW_ASYNC", "0"),
    IGNORED_BOOL("DVMH_SYNC_CUDA", "0"),
    IGNORED_BOOL("DVMH_CUDA_PREFER_SHARED", "0"),
    IGNORED_BOOL("DVMH_PAGE_LOCK_HOST_MEM", "1"),
    {.name = "DVMH_FORTRAN_NOTATION",
     .type = RTS_VALUE_BOOL,
     .shown = "by the program's language",
     .allowed = BOOL_WORDS,
     .help = NO_EFFECT},
    IGNORED_BOOL("DVMH_USE_GENBLOCK", "0"),
    IGNORED_BOOL("DVMH_OPT_PARAMS", "0"),
    IGNORED_BOOL("DVMH_NO_DIRECT_COPY", "0"),
    IGNORED_BOOL("DVMH_SPECIALIZE_RTC", "1"),
    IGNORED_BOOL("DVMH_PREFER_CALL_SWITCH", "1"),
    IGNORED_BOOL("DVMH_PREFER_BEST_ORDER", "1"),
    IGNORED_BOOL("DVMH_CHECK_EXCHANGE_MAP", "1"),
    IGNORED_INT("DVMH_NUM_VARIANTS_FOR_VAR_RTC", "3", 0, "a whole number, 0 and more"),
    IGNORED_INT("DVMH_IO_THREAD_COUNT", "5", 0, "a whole number, 0 and more"),
    {.name = "DVMH_PPN",
     .type = RTS_VALUE_INT_LIST,
     .shown = "-",
     .min = 1,
     .max = INT32_MAX,
     .allowed = "a list of whole numbers 1..2147483647" LIST_END,
     .help = NO_EFFECT},
    IGNORED_STRING("DVMH_ARGS", "-"),
    IGNORED_STRING("DVMH_STACKSIZE", "-"),
};

const int rts_environment_row_count = (int)(sizeof rts_environment_rows / sizeof rts_environment_rows[0]);

_Static_assert(sizeof rts_environment_rows / sizeof rts_environment_rows[0] <= RTS_ENVIRONMENT_ROWS_MAX,
               "more rows than RTS_ENVIRONMENT_ROWS_MAX");
