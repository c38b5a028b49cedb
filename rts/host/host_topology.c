/* Counts the processors that this process may use and binds threads to them. Decides nothing about how a loop
 * uses its threads. The computing parts are pure functions. Without hwloc threads are counted but not bound.
 *
 * Whose restrictions count: what this process may run on, be that by a container, a batch system, taskset or the launcher, is used
 * whole and nothing else; processes of the node that may run on the same divide it. OMP_PROC_BIND and its kind mean that the user
 * decides. */
#include <config.h>

#include "rts/host/host_topology.h"

#include "rts/host/host_internal.h"
#include "rts/log.h"
#include "rts/memory.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/** Polls before a waiting thread gives its processor away: a few microseconds, longer than most waits. */
#define SPIN_LIMIT 200
/** The same when threads share processors. */
#define SPIN_LIMIT_SHARED 4

int rts_host_binding = 0;
/** Processors allowed when the backend was opened; 0: not open. The mask of a thread that we bound says less.
 */
static int allowed_at_open = 0;

/** The process's own limit of one cgroup folder; 0: none. */
static double read_quota(const char *folder) {
    char path[PATH_MAX], text[64];
    if (snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cpu.max", folder) >= (int)sizeof(path))
        return 0.0;
    FILE *const file = fopen(path, "r");
    if (file == NULL)
        return 0.0;
    const bool read = fgets(text, sizeof(text), file) != NULL;
    fclose(file);
    return read ? rts_host_parse_quota(text) : 0.0;
}

/** The smallest limit on the way from the process's cgroup (version 2) to the root; 0: none. */
static double smallest_quota(void) {
    char line[PATH_MAX];
    FILE *const file = fopen("/proc/self/cgroup", "r");
    if (file == NULL)
        return 0.0;
    char *folder = NULL;
    while (folder == NULL && fgets(line, sizeof(line), file) != NULL)
        if (strncmp(line, "0::/", 4) == 0)
            folder = line + 3;
    fclose(file);
    if (folder == NULL)
        return 0.0;
    folder[strcspn(folder, "\n")] = '\0';
    double smallest = 0.0;
    for (;;) {
        const double quota = read_quota(folder);
        if (quota > 0.0 && (smallest == 0.0 || quota < smallest))
            smallest = quota;
        char *const slash = strrchr(folder, '/');
        if (slash == NULL || folder[0] == '\0')
            return smallest;
        *slash = '\0'; /* "/a/b" to "/a" to "", the root */
    }
}

double rts_host_parse_quota(const char *text) {
    double quota, period;
    if (sscanf(text, "%lf %lf", &quota, &period) != 2 || !(quota > 0.0) || !(period > 0.0))
        return 0.0; /* "max 100000" */
    return quota / period;
}

int rts_host_share_threads(int allowed, int sharer_count, int local_count, double quota) {
    int threads = allowed / sharer_count;
    const double quota_threads = ceil(quota / local_count);
    if (quota > 0.0 && quota_threads < threads)
        threads = (int)quota_threads;
    return threads > 1 ? threads : 1;
}

static bool value_binds(const char *name) {
    const char *value = getenv(name);
    if (value == NULL || value[0] == '\0')
        return false;
    /* Lists of words: OMP_PROC_BIND=spread,close, KMP_AFFINITY=verbose,none. */
    while (*value != '\0') {
        const size_t length = strcspn(value, ", ");
        static const char *const off[] = {"false", "none", "disabled"};
        for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++)
            if (length == strlen(off[i]) && strncasecmp(value, off[i], length) == 0)
                return false;
        value += length;
        value += strspn(value, ", ");
    }
    return true;
}

static int count_sharers(const rts_backend_options_t *options) {
    return options->sharer_count > 1 ? options->sharer_count : 1;
}

bool rts_host_user_binds(void) {
    return value_binds("OMP_PROC_BIND") || value_binds("OMP_PLACES") || value_binds("GOMP_CPU_AFFINITY") ||
           value_binds("KMP_AFFINITY");
}

/** FNV-1a, without the zeros at the end, so that it does not depend on the capacity. */
static uint64_t fold_mask(const void *mask, size_t bytes) {
    const unsigned char *const byte = mask;
    uint64_t number = UINT64_C(0xcbf29ce484222325);
    while (bytes > 0 && byte[bytes - 1] == 0)
        bytes--;
    for (size_t i = 0; i < bytes; i++)
        number = (number ^ byte[i]) * UINT64_C(0x100000001b3);
    return number;
}

/** Processors in this thread's affinity mask, which cpusets limit too. @param key_p  a number for the set */
static int count_mask(uint64_t *key_p) {
    *key_p = 0;
    for (int capacity = 1024; capacity <= 1 << 20; capacity *= 4) {
        cpu_set_t *const set = CPU_ALLOC((size_t)capacity);
        if (set == NULL)
            break;
        const size_t bytes = CPU_ALLOC_SIZE((size_t)capacity);
        CPU_ZERO_S(bytes, set);
        const bool fits = sched_getaffinity(0, bytes, set) == 0;
        const int count = fits ? CPU_COUNT_S(bytes, set) : 0;
        const bool too_small = !fits && errno == EINVAL;
        if (fits)
            *key_p = fold_mask(set, bytes);
        CPU_FREE(set);
        if (fits)
            return count > 1 ? count : 1;
        if (!too_small)
            break;
    }
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 1 && online < INT_MAX ? (int)online : 1;
}

uint64_t rts_host_processors_key(void) {
    uint64_t key;
    (void)count_mask(&key);
    return key;
}

/** Processors that this process may run on. OpenMP knows those that it had before OMP_PROC_BIND bound this
 * thread. */
static int count_allowed(void) {
    uint64_t key;
    const int mask = count_mask(&key), openmp = omp_get_num_procs();
    return mask > openmp ? mask : openmp;
}

#ifdef HAVE_HWLOC

/** Loaded when first needed, which takes milliseconds; NULL: not yet. */
static hwloc_topology_t machine_topology;
static hwloc_cpuset_t original_set; /* the main thread's binding before ours */
static unsigned *pu_of_thread;      /* bound_count entries */
static int bound_count;
static int last_binding;                    /* value of rts_host_binding most recently used */
static _Thread_local int binding_of_thread; /* the value of rts_host_binding that this thread follows */

/** @return NULL when the machine cannot be read; logged */
static hwloc_topology_t load_topology(void) {
    if (machine_topology != NULL)
        return machine_topology;
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return NULL;
    /* Only cores and processors are asked for. */
    (void)hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    (void)hwloc_topology_set_type_filter(topology, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    /* The x86 component visits every processor to ask it; the system knows the same without that. */
    (void)hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    unsigned long flags = 0;
#if HWLOC_API_VERSION >= 0x00020800
    flags |=
        HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS | HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS;
#endif
    if (hwloc_topology_set_flags(topology, flags) != 0 || hwloc_topology_load(topology) != 0) {
        rts_log(RTS_LOG_DEBUG, "hwloc cannot read this machine: threads stay unbound");
        hwloc_topology_destroy(topology);
        return NULL;
    }
    machine_topology = topology;
    return topology;
}

typedef struct pu_entry {
    unsigned os_index;
    int round; /* 0: first of its core, 1: second, ... */
} pu_entry_t;

/** List processors first .. end-1 of a set, in the machine's order. @return number of cores among them */
static int list_pus(hwloc_topology_t topology, hwloc_const_cpuset_t set, int first, int end,
                    pu_entry_t entries[]) {
    int core_count = 0, index = 0, round = 0;
    hwloc_obj_t last_core = NULL;
    for (hwloc_obj_t pu = NULL;
         index < end &&
         (pu = hwloc_get_next_obj_inside_cpuset_by_type(topology, set, HWLOC_OBJ_PU, pu)) != NULL;
         index++) {
        if (index < first)
            continue;
        const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
        round = core != NULL && core == last_core ? round + 1 : 0;
        last_core = core;
        core_count += round == 0;
        entries[index - first] = (pu_entry_t){pu->os_index, round};
    }
    return core_count;
}

/** Spread threads over listed processors; thread_count <= pu_count. */
static void spread_threads(const pu_entry_t entries[], int pu_count, int core_count, int thread_count,
                           unsigned pu_p[]) {
    if (thread_count <= core_count) {
        int core = -1, thread = 0;
        for (int i = 0; i < pu_count && thread < thread_count; i++) {
            core += entries[i].round == 0;
            if (entries[i].round == 0 && core == (int)((int64_t)thread * core_count / thread_count))
                pu_p[thread++] = entries[i].os_index;
        }
        return;
    }
    /* Full rounds over the cores, then what is left of the next one; in the order of the machine. */
    int last_round = 0, left = thread_count, in_round = core_count;
    while (left > in_round) {
        left -= in_round;
        last_round++;
        in_round = 0;
        for (int i = 0; i < pu_count; i++)
            in_round += entries[i].round == last_round;
    }
    for (int i = 0, thread = 0; i < pu_count; i++)
        if (entries[i].round < last_round || (entries[i].round == last_round && left-- > 0))
            pu_p[thread++] = entries[i].os_index;
}

int rts_host_place_threads(hwloc_topology_t topology, hwloc_const_cpuset_t allowed, int sharer,
                           int sharer_count, int thread_count, unsigned pu_p[]) {
    const hwloc_const_cpuset_t machine = hwloc_topology_get_allowed_cpuset(topology);
    const hwloc_cpuset_t set = hwloc_bitmap_alloc();
    if (set == NULL)
        return 0;
    int placed = 0;
    hwloc_bitmap_and(set, allowed, machine);
    const int64_t allowed_count = hwloc_bitmap_weight(set);
    const int first = (int)(allowed_count * sharer / sharer_count);
    const int end = (int)(allowed_count * (sharer + 1) / sharer_count);
    if (end - first >= thread_count) {
        pu_entry_t *const entries = rts_alloc((size_t)(end - first) * sizeof(pu_entry_t));
        if (entries != NULL) {
            const int core_count = list_pus(topology, set, first, end, entries);
            spread_threads(entries, end - first, core_count, thread_count, pu_p);
            placed = thread_count;
        }
        rts_free(entries);
    }
    hwloc_bitmap_free(set);
    return placed;
}

void rts_host_bind_this_thread(int thread) {
    if (binding_of_thread == rts_host_binding || thread >= bound_count)
        return;
    binding_of_thread = rts_host_binding; /* also when it fails: it would again */
    const hwloc_cpuset_t set = hwloc_bitmap_alloc();
    if (set == NULL)
        return;
    if (hwloc_bitmap_only(set, pu_of_thread[thread]) != 0 ||
        hwloc_set_cpubind(machine_topology, set, HWLOC_CPUBIND_THREAD) != 0)
        rts_log(RTS_LOG_DEBUG, "thread %d cannot be bound to processor %u", thread, pu_of_thread[thread]);
    hwloc_bitmap_free(set);
}

/** Find the processors of the threads. @return false when threads stay unbound */
static bool prepare_binding(const rts_backend_options_t *options) {
    const hwloc_topology_t topology = load_topology();
    if (topology == NULL)
        return false;
    original_set = hwloc_bitmap_alloc();
    pu_of_thread = rts_alloc((size_t)options->thread_count * sizeof(unsigned));
    if (original_set == NULL || pu_of_thread == NULL ||
        hwloc_get_cpubind(topology, original_set, HWLOC_CPUBIND_THREAD) != 0)
        return false;
    bound_count = rts_host_place_threads(topology, original_set, options->sharer, count_sharers(options),
                                         options->thread_count, pu_of_thread);
    return bound_count > 0;
}

static void drop_binding(void) {
    hwloc_bitmap_free(original_set);
    original_set = NULL;
    rts_free(pu_of_thread);
    pu_of_thread = NULL;
    bound_count = 0;
    rts_host_binding = 0;
}

/** Bind the team. The main thread comes last: threads that OpenMP creates now start with its binding. */
static void bind_team(const rts_backend_options_t *options) {
    if (!prepare_binding(options)) {
        rts_log(RTS_LOG_DEBUG, "threads stay unbound: %d threads, process %d of %d on this node",
                options->thread_count, options->local_rank, options->local_count);
        drop_binding();
        return;
    }
    rts_host_binding = ++last_binding;
#pragma omp parallel num_threads(options->thread_count)
    if (omp_get_thread_num() > 0)
        rts_host_bind_this_thread(omp_get_thread_num());
    rts_host_bind_this_thread(0);
}

void rts_host_bind_close(void) {
    allowed_at_open = 0;
    if (rts_host_binding != 0) {
#pragma omp parallel num_threads(bound_count)
        (void)hwloc_set_cpubind(machine_topology, original_set, HWLOC_CPUBIND_THREAD);
    }
    drop_binding();
    if (machine_topology != NULL)
        hwloc_topology_destroy(machine_topology);
    machine_topology = NULL;
}

#else /* !HAVE_HWLOC */

void rts_host_bind_this_thread(int thread) {
    (void)thread;
}

static void bind_team(const rts_backend_options_t *options) {
    (void)options;
    rts_log(RTS_LOG_DEBUG, "threads stay unbound: built without hwloc");
}

void rts_host_bind_close(void) {
    allowed_at_open = 0;
}

#endif

/* A fair share of the hardware threads that this process may run on. */
static int hardware_threads(int local_count, int sharer_count) {
    const int allowed = allowed_at_open > 0 ? allowed_at_open : count_allowed();
    return rts_host_share_threads(allowed, sharer_count, local_count, smallest_quota());
}

int rts_host_default_threads(int local_count, int sharer_count) {
    RTS_ASSERT(local_count >= sharer_count && sharer_count >= 1);
    const char *const asked = getenv("OMP_NUM_THREADS");
    /* The OpenMP library has read and checked it. */
    return asked != NULL && *asked != '\0' ? omp_get_max_threads()
                                           : hardware_threads(local_count, sharer_count);
}

void rts_host_bind_open(const rts_backend_options_t *options) {
    allowed_at_open = count_allowed();
    const bool shared =
        options->thread_count > hardware_threads(options->local_count, count_sharers(options));
    rts_host_spin_limit = shared ? SPIN_LIMIT_SHARED : SPIN_LIMIT;
    /* One thread has no neighbour to keep its place from, and would keep the program's own threads on one processor. */
    const bool leave = rts_host_user_binds() || options->thread_count == 1;
    if (options->set_affinity == 0 || (options->set_affinity < 0 && leave))
        return;
    bind_team(options);
}

/* The kernel knows what this machine may use; sysconf asks the processor, which inside a virtual machine tells of the whole socket.
 */
size_t rts_host_cache_bytes(void) {
    long kib = 0;
    char unit = 0;
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "r");
    const bool is_known = file != NULL && fscanf(file, "%ld%c", &kib, &unit) == 2 && unit == 'K' && kib > 0;
    if (file != NULL)
        fclose(file);
    return is_known ? (size_t)kib * 1024 : (size_t)32 * 1024 * 1024;
}
