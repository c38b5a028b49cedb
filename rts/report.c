/* The report at the end of a run. First what the loops took together, then the most expensive ones, then reorganisation and
 * what it gained. Loops that the planner does not remember (DVMH_PLANNER=random) are counted in the totals alone. */
#include <config.h>

#include "rts/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rts/comm.h"
#include "rts/log.h"
#include "rts/memory.h"
#include "rts/planner.h"
#include "rts/stats.h"

#define LOOPS_SHOWN 20
#define NAME_SIZE   512 /* of the layouts of all arrays of a loop, as in files of costs */

/* Loops, as they are visited. Summaries point to what lives as long as the planner remembers the loop. */
typedef struct list {
    size_t count, capacity;
    rts_site_summary_t *site;
    bool is_complete;
} list_t;

static void add_site(void *context, const rts_site_summary_t *site) {
    list_t *list = context;
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity == 0 ? LOOPS_SHOWN : 2 * list->capacity;
        rts_site_summary_t *grown =
            rts_realloc(list->site, list->count * sizeof *grown, capacity * sizeof *grown);
        if (grown == NULL) {
            list->is_complete = false;
            return;
        }
        list->site = grown;
        list->capacity = capacity;
    }
    list->site[list->count++] = *site;
}

/* Most expensive first; those of equal cost by their lines, so that the order does not depend on the sort. */
static int compare_sites(const void *a_p, const void *b_p) {
    const rts_site_summary_t *a = a_p, *b = b_p;
    if (a->seconds != b->seconds)
        return a->seconds < b->seconds ? 1 : -1;
    return (a->position.line > b->position.line) - (a->position.line < b->position.line);
}

/* A time with a unit in which it is neither tiny nor huge. */
static const char *time_text(double seconds, char text[32]) {
    const double magnitude = seconds < 0 ? -seconds : seconds;
    if (magnitude >= 1)
        snprintf(text, 32, "%.3g s", seconds);
    else if (magnitude >= 1e-3)
        snprintf(text, 32, "%.3g ms", seconds * 1e3);
    else if (magnitude >= 1e-6)
        snprintf(text, 32, "%.3g us", seconds * 1e6);
    else
        snprintf(text, 32, "%.0f ns", seconds * 1e9);
    return text;
}

static double percent(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

static double loop_time(void) {
    return (double)rts_stats_get(RTS_STAT_LOOP_TIME) * 1e-9;
}

static double reorganise_time(void) {
    return (double)rts_stats_get(RTS_STAT_REORGANISE_TIME) * 1e-9;
}

double rts_report_interval_seconds(const rts_interval_sum_t *sum) {
    const double bytes = (double)rts_stats_get(RTS_STAT_REORGANISE_BYTES);
    return sum->loop_s + (bytes > 0 ? reorganise_time() * (double)sum->reorganised_bytes / bytes : 0);
}

/* --- one loop --- */

static int array_count(const rts_site_summary_t *site) {
    return site->facts->arrays != NULL ? site->facts->array_count : 0;
}

/* Fastest plan of an option that has run, and how often any has. @return NULL  none has */
static const rts_plan_t *fastest(const rts_site_summary_t *site, int option, int64_t *executions_p) {
    const rts_plan_t *best = NULL;
    *executions_p = 0;
    for (int i = 0; i < site->plan_count[option]; i++) {
        const rts_plan_t *plan = &site->plan[option][i];
        *executions_p += plan->begun;
        if (plan->measured_s >= 0 && (best == NULL || plan->measured_s < best->measured_s))
            best = plan;
    }
    return best;
}

/* An assignment of layouts and how it fared. */
static void print_option(FILE *file, const rts_site_summary_t *site, int option) {
    char name[NAME_SIZE], plan_name[64], time[32];
    int64_t executions;
    const rts_plan_t *best = fastest(site, option, &executions);
    const bool is_chosen = option == site->chosen;
    if (array_count(site) > 0)
        rts_option_name(site->option[option], array_count(site), name, sizeof name);
    else
        snprintf(name, sizeof name, "as declared");
    fprintf(file, "      %s %s", is_chosen ? "given:     " : "considered:", name);
    if (best != NULL)
        fprintf(file, ", %s at best with %s, %" PRId64 " times", time_text(best->measured_s, time),
                rts_plan_name(best, site->facts->rank, plan_name, sizeof plan_name), executions);
    else
        fputs(", never run", file);
    fputc('\n', file);
}

static void print_site(FILE *file, const rts_site_summary_t *site) {
    char each[32];
    const double mean_s = site->executions > 0 ? site->seconds / (double)site->executions : 0;
    fprintf(file, "  %10.3f ms  %5.1f%%  %8" PRId64 " x %-9s  %s:%d", site->seconds * 1e3,
            percent(site->seconds, loop_time()), site->executions, time_text(mean_s, each),
            site->position.file != NULL ? site->position.file : "?", site->position.line);
    for (int dim = 0; dim < site->facts->rank; dim++)
        fprintf(file, "%s%" PRId64, dim == 0 ? ", " : "x", site->facts->count[dim]);
    fputc('\n', file);
    if (site->chosen >= 0 && site->chosen < site->option_count)
        print_option(file, site, site->chosen);
    for (int option = 0; option < site->option_count; option++)
        if (option != site->chosen)
            print_option(file, site, option);
}

/* --- all loops --- */

static void print_loops(FILE *file, const list_t *list) {
    double rest_s = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (i < LOOPS_SHOWN)
            print_site(file, &list->site[i]);
        else
            rest_s += list->site[i].seconds;
    }
    if (list->count > LOOPS_SHOWN)
        fprintf(file, "  %10.3f ms  %5.1f%%  and %zu more\n", rest_s * 1e3, percent(rest_s, loop_time()),
                list->count - LOOPS_SHOWN);
    if (!list->is_complete)
        fputs("  there was no memory for the list of all loops\n", file);
}

/* --- all processes --- */

typedef struct totals {
    int64_t loop_ns, longest_loop_ns; /* of all, and of the process with the longest time */
    int64_t reorganisations, reorganise_bytes, reorganise_ns;
    int64_t largest_replica_bytes; /* of the process with most */
    int64_t messages, message_bytes, halo_ns, overlaps;
} totals_t;

static totals_t own_totals(void) {
    return (totals_t){.loop_ns = rts_stats_get(RTS_STAT_LOOP_TIME),
                      .longest_loop_ns = rts_stats_get(RTS_STAT_LOOP_TIME),
                      .reorganisations = rts_stats_get(RTS_STAT_REORGANISATIONS),
                      .reorganise_bytes = rts_stats_get(RTS_STAT_REORGANISE_BYTES),
                      .reorganise_ns = rts_stats_get(RTS_STAT_REORGANISE_TIME),
                      .largest_replica_bytes = rts_stats_get(RTS_STAT_REPLICA_BYTES_MAX),
                      .messages = rts_stats_get(RTS_STAT_MESSAGES),
                      .message_bytes = rts_stats_get(RTS_STAT_MESSAGE_BYTES),
                      .halo_ns = rts_stats_get(RTS_STAT_HALO_TIME),
                      .overlaps = rts_stats_get(RTS_STAT_OVERLAPS)};
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static void add_totals(void *context, void *into, const void *from) {
    totals_t *totals = into;
    const totals_t *more = from;
    (void)context;
    totals->loop_ns += more->loop_ns;
    totals->longest_loop_ns = larger(totals->longest_loop_ns, more->longest_loop_ns);
    totals->reorganisations += more->reorganisations;
    totals->reorganise_bytes += more->reorganise_bytes;
    totals->reorganise_ns += more->reorganise_ns;
    totals->largest_replica_bytes = larger(totals->largest_replica_bytes, more->largest_replica_bytes);
    totals->messages += more->messages;
    totals->message_bytes += more->message_bytes;
    totals->halo_ns += more->halo_ns;
    totals->overlaps += more->overlaps;
}

/* Seconds of a process in the mean. */
static double mean_s(int64_t ns) {
    return (double)ns * 1e-9 / rts_comm_size();
}

static void print_head(FILE *file, const totals_t *totals) {
    char time[2][32];
    if (rts_comm_size() == 1) {
        fprintf(file, "== DVMH report: loops ran %" PRId64 " times and took %s\n",
                rts_stats_get(RTS_STAT_LOOPS), time_text(loop_time(), time[0]));
        return;
    }
    fprintf(file,
            "== DVMH report, %d processes: loops ran %" PRId64
            " times and took %s in the mean of the processes, %s at most\n"
            "  loops and gain are those of process 0, reorganisations those of all processes\n",
            rts_comm_size(), rts_stats_get(RTS_STAT_LOOPS), time_text(mean_s(totals->loop_ns), time[0]),
            time_text((double)totals->longest_loop_ns * 1e-9, time[1]));
}

static void print_reorganisation(FILE *file, const totals_t *totals) {
    char time[32];
    const double bytes = (double)totals->reorganise_bytes, seconds = mean_s(totals->reorganise_ns);
    if (totals->reorganisations == 0) {
        fputs("  no array was reorganised\n", file);
    } else {
        fprintf(file, "  %" PRId64 " reorganisations of %.1f MB in all took %s", totals->reorganisations,
                bytes * 1e-6, time_text(seconds, time));
        if (seconds > 0)
            fprintf(file, ", %.1f GB/s", bytes * 1e-9 / seconds);
        fprintf(file, "; %.1f%% of the time of loops and reorganisations\n",
                percent(seconds, mean_s(totals->loop_ns) + seconds));
    }
    if (totals->largest_replica_bytes > 0)
        fprintf(file, "  copies of arrays beside the program's own took %.1f MB of memory at most%s\n",
                (double)totals->largest_replica_bytes * 1e-6, rts_comm_size() > 1 ? " in a process" : "");
}

/* Of this process, as loops are. */
static void print_intervals(FILE *file) {
    int count;
    const rts_interval_sum_t *sum = rts_interval_sums(&count);
    for (int i = 0; i < count; i++) {
        char time[32];
        fprintf(file,
                "  interval %" PRId64 " of %s:%d, %" PRId64
                " times: loops and their reorganisations took %s\n",
                sum[i].number, sum[i].position.file != NULL ? sum[i].position.file : "?",
                sum[i].position.line, sum[i].count, time_text(rts_report_interval_seconds(&sum[i]), time));
    }
}

static void print_messages(FILE *file, const totals_t *totals) {
    char time[32];
    if (rts_comm_size() == 1)
        return;
    fprintf(file,
            "  %" PRId64
            " messages of %.1f MB in all between processes; renewing shadow edges took a process "
            "%s in the mean\n",
            totals->messages, (double)totals->message_bytes * 1e-6, time_text(mean_s(totals->halo_ns), time));
    if (totals->overlaps > 0)
        fprintf(file,
                "  %" PRId64
                " times, in all, a process ran iterations while its shadow edges were on their way\n",
                totals->overlaps);
}

static bool is_natural(const rts_site_summary_t *site, int option) {
    for (int i = 0; i < array_count(site); i++) {
        const rts_layout_form_t home = rts_layout_form_home(site->facts->arrays[i].rank);
        if (!rts_layout_form_equal(&site->option[option]->form[i], &home))
            return false;
    }
    return true;
}

/* What is known of the executions in other layouts than the declared ones. */
typedef struct gain {
    int64_t known,
        unknown; /* executions: of loops that have run in the declared layouts too, and of others */
    double natural_s, taken_s; /* of the known ones, there and here */
} gain_t;

static void add_gain(const rts_site_summary_t *site, gain_t *gain) {
    for (int option = 0; option < site->option_count; option++) {
        int64_t executions;
        const rts_plan_t *best = fastest(site, option, &executions);
        if (best == NULL || is_natural(site, option))
            continue;
        if (site->natural_s < 0) {
            gain->unknown += executions;
            continue;
        }
        gain->known += executions;
        gain->natural_s += site->natural_s * (double)executions;
        gain->taken_s += best->measured_s * (double)executions;
    }
}

/* The fastest time in a layout stands for all executions in it, so that what else the machine did meanwhile is not taken for gain or
 * loss. */
static void print_gain(FILE *file, const list_t *list) {
    gain_t gain = {0};
    char times[4][32];
    if (rts_stats_get(RTS_STAT_REORGANISATIONS) == 0)
        return;
    for (size_t i = 0; i < list->count; i++)
        add_gain(&list->site[i], &gain);
    const double gain_s = gain.natural_s - gain.taken_s - reorganise_time();
    if (gain.known > 0)
        fprintf(file,
                "  reorganisation %s about %s: at their best %" PRId64
                " executions took %s, in the declared layouts %s; and %s of reorganisation\n",
                gain_s >= 0 ? "gained" : "lost", time_text(gain_s >= 0 ? gain_s : -gain_s, times[0]),
                gain.known, time_text(gain.taken_s, times[1]), time_text(gain.natural_s, times[2]),
                time_text(reorganise_time(), times[3]));
    if (gain.unknown > 0)
        fprintf(file,
                "  %" PRId64
                " executions were of loops that have never run in the declared layouts: what they "
                "gained is not known\n",
                gain.unknown);
}

void rts_report_print(FILE *file) {
    list_t list = {.is_complete = true};
    totals_t totals = own_totals();
    if (rts_comm_reduce(&totals, sizeof totals, add_totals, NULL) != RTS_OK)
        rts_log(RTS_LOG_WARNING, "DVMH_REPORT: %s", rts_error_text());
    if (rts_comm_rank() != 0)
        return;
    rts_planner_visit(add_site, &list);
    if (list.count > 1)
        qsort(list.site, list.count, sizeof list.site[0], compare_sites);
    print_head(file, &totals);
    print_loops(file, &list);
    print_intervals(file);
    print_messages(file, &totals);
    print_reorganisation(file, &totals);
    print_gain(file, &list);
    fflush(file);
    rts_free(list.site);
}
