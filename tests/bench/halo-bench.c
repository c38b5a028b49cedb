/* halo-bench: the renewal of shadow edges between processes, against what it must at least cost, measured in the same run: messages of
 * the same bytes to the same neighbours between buffers that are contiguous already, and a copy of the cache lines in which the edges lie, at
 * both ends, by as many threads.
 *
 *   mpirun -n 2 halo-bench [--quick] [--json] [--case TEXT]
 *
 * An array is cut along one axis among all processes of the grid's first axis, or as the grid is; its newest values are at home or in a
 * work replica of another layout. Times are those of the slowest process, the least of several measurements of many exchanges each. A small
 * array is compared with the messages alone. */
#include <config.h>

#include <dvmhlib_const.h>

#include "rts/coherence.h"
#include "rts/halo.h"
#include "rts/memory.h"
#include "rts/runtime.h"
#include "tests/bench/bench.h"
#include "tests/bench/bench_processes.h"

enum { MEASUREMENTS = 9, MOST_EXCHANGES = 10000, LINE_BYTES = 64, EVERY_AXIS = -1 };

static bool quick, json;
static const char *only = "";

/* ---- processes ---- */

static void try(rts_status_t status) {
    bench_try("halo-bench", status);
}

static double largest(double number) {
    return bench_largest("halo-bench", number);
}

/* ---- measuring ---- */

/** What a measurement is about: an array, the parts of its edges, and buffers for the same bytes. */
typedef struct scene {
    rts_array_t *array;
    rts_replica_t *replica; /* with the newest values */
    rts_index_t width[RTS_MAX_RANK];
    rts_transfer_t parts; /* never started */
    size_t lines;         /* in which they lie, each side of a message by itself */
    char *from, *to;      /* for messages and copies */
    rts_flight_t flight;
    size_t bytes; /* to and from all neighbours */
} scene_t;

typedef void (*operation_t)(scene_t *scene);

static double seconds_of(operation_t operation, scene_t *scene, int count) {
    try(rts_comm_barrier());
    const double begin = omp_get_wtime();
    for (int i = 0; i < count; i++)
        operation(scene);
    return largest((omp_get_wtime() - begin) / count);
}

/** Operations to be compared: they take turns, so that what else the machine does counts for all. */
enum { RENEW, MESSAGES, COPIES, OPERATIONS };

/** Times of operations that all processes do together: the least of several, since other programs only add to them. */
static void measure(const operation_t operation[OPERATIONS], scene_t *scene, double least[OPERATIONS]) {
    const double enough = quick ? 1e-4 : 4e-3;
    double seconds[OPERATIONS][MEASUREMENTS];
    int count[OPERATIONS];
    for (int k = 0; k < OPERATIONS; k++) {
        const double once = seconds_of(operation[k], scene, 2);
        count[k] = once * MOST_EXCHANGES < enough ? MOST_EXCHANGES : once > enough ? 1 : (int)(enough / once);
    }
    for (int i = 0; i < MEASUREMENTS; i++)
        for (int k = 0; k < OPERATIONS; k++)
            seconds[k][i] = seconds_of(operation[k], scene, count[k]);
    for (int k = 0; k < OPERATIONS; k++)
        least[k] = bench_least(seconds[k], MEASUREMENTS);
}

static void renew(scene_t *scene) {
    try(rts_halo_renew(scene->array, false, scene->width, scene->width));
}

static void exchange(scene_t *scene) {
    for (int side = 0; side < 2; side++) { /* receive, then send */
        char *at = side == 1 ? scene->from : scene->to;
        for (int i = 0; i < scene->parts.count; i++) {
            const rts_transfer_part_t *part = &scene->parts.part[i];
            const size_t bytes = (size_t)rts_box_size(&part->box) * part->element_bytes;
            if (part->is_send != (side == 1))
                continue;
            if (part->is_send)
                try(rts_comm_send(&scene->flight, part->process, RTS_TAG_FILE, at, bytes));
            else
                try(rts_comm_receive(&scene->flight, part->process, RTS_TAG_FILE, at, bytes));
            at += bytes;
        }
    }
    try(rts_comm_wait(&scene->flight));
}

static void copy_lines(scene_t *scene) {
    const size_t bytes = scene->lines * LINE_BYTES;
    if (rts_runtime()->thread_count == 1)
        memcpy(scene->to, scene->from, bytes);
    else
        (void)bench_copy(scene->to, scene->from, bytes, rts_runtime()->thread_count, false);
}

/* ---- arrays ---- */

typedef struct shape {
    int rank;
    rts_index_t extent[3], quick[3];
    bool is_small;
} shape_t;

static const shape_t shapes[] = {
    {3, {320, 320, 320}, {40, 40, 40}, false},
    {2, {4096, 4096}, {256, 256}, false},
    {2, {32, 32}, {32, 32}, true},
};

static const char *const layouts[] = {"home", "permuted", "skew", "wrap"};

static rts_layout_form_t make_form(int layout, int rank) {
    rts_layout_form_t form = rts_layout_form_home(rank);
    if (layout == 1)
        for (int axis = 0; axis < rank; axis++)
            form.perm[axis] = rank - 1 - axis;
    if (layout < 2)
        return form;
    form.kind = layout == 2 ? RTS_LAYOUT_SKEW : RTS_LAYOUT_WRAP;
    form.a = form.b = 1;
    return form;
}

static double value_at(const rts_index_t index[], int rank) {
    double value = 1;
    for (int axis = 0; axis < rank; axis++)
        value = value * 5003 + (double)index[axis];
    return value;
}

/** Go to the next index of a box; false after the last. */
static bool go_on(const rts_box_t *box, rts_index_t index[]) {
    for (int axis = box->rank - 1; axis >= 0; axis--) {
        if (++index[axis] < box->hi[axis])
            return true;
        index[axis] = box->lo[axis];
    }
    return false;
}

/** How far an index is outside of the local part, in axes. */
static int axes_outside(const rts_array_t *array, const rts_index_t index[]) {
    int count = 0;
    for (int axis = 0; axis < array->space.rank; axis++)
        count += index[axis] < array->local.lo[axis] || index[axis] >= array->local.hi[axis];
    return count;
}

/** Values in the own part and others in the edges; or see that the edges have their owners' values. @return wrong elements */
static long walk(const rts_array_t *array, bool set) {
    rts_index_t index[RTS_MAX_RANK];
    long wrong = 0;
    if (rts_box_is_empty(&array->held))
        return 0;
    memcpy(index, array->held.lo, sizeof index);
    do {
        double *element = rts_array_element(array, index);
        const int outside = axes_outside(array, index);
        const double value = value_at(index, array->space.rank);
        if (set)
            *element = outside == 0 ? value : -1;
        else
            wrong += *element != (outside < 2 ? value : -1);
    } while (go_on(&array->held, index));
    return wrong;
}

static void make_array(scene_t *scene, const shape_t *shape, int axis) {
    rts_axis_rule_t rule[RTS_MAX_RANK] = {{.kind = RTS_AXIS_REPLICATED}};
    rts_box_t space = {.rank = shape->rank};
    rts_element_t element;
    try(rts_element_decode(-rt_DOUBLE, &element));
    for (int k = 0; k < shape->rank; k++) {
        const bool is_cut = axis == EVERY_AXIS || axis == k;
        space.hi[k] = quick ? shape->quick[k] : shape->extent[k];
        scene->width[k] = is_cut;
        if (is_cut)
            rule[k] = (rts_axis_rule_t){.kind = RTS_AXIS_BLOCK, .grid_axis = axis == EVERY_AXIS ? k : 0};
    }
    try(rts_array_create(&space, element, scene->width, scene->width, true, &scene->array));
    try(rts_array_distribute(scene->array, rule, &rts_runtime()->grid));
    (void)walk(scene->array, true);
    try(rts_coherence_written(scene->array, 0, NULL));
}

/** Put the newest values into a layout. */
static void place(scene_t *scene, int layout) {
    const rts_layout_form_t form = make_form(layout, scene->array->space.rank);
    try(rts_coherence_place(scene->array, 0, &form, &scene->replica));
    try(rts_coherence_fetch_to(scene->array, scene->replica, NULL));
    try(rts_coherence_written_at(scene->array, scene->replica, NULL));
}

/** Cache lines in which a box lies in a layout, counted one by one. */
static size_t count_lines(const rts_layout_t *layout, const rts_box_t *box, size_t element_bytes) {
    const size_t all = (size_t)layout->size * element_bytes / LINE_BYTES + 1;
    char *is_touched = rts_alloc_zeroed(all, 1);
    rts_index_t index[RTS_MAX_RANK];
    size_t count = 0;
    if (is_touched == NULL)
        try(rts_fail_memory("the lines of an array", all));
    memcpy(index, box->lo, sizeof index);
    do {
        const size_t line = (size_t)rts_layout_offset(layout, index) * element_bytes / LINE_BYTES;
        count += is_touched[line] == 0;
        is_touched[line] = 1;
    } while (go_on(box, index));
    rts_free(is_touched);
    return count;
}

/** The parts that are exchanged, and buffers for as much. */
static void prepare(scene_t *scene) {
    size_t room = LINE_BYTES;
    rts_transfer_init(&scene->parts, RTS_TAG_TRANSFER);
    try(rts_halo_add(&scene->parts, scene->array, false, scene->width, scene->width));
    for (int i = 0; i < scene->parts.count; i++) {
        const rts_transfer_part_t *part = &scene->parts.part[i];
        scene->bytes += (size_t)rts_box_size(&part->box) * part->element_bytes;
        scene->lines += count_lines(&scene->replica->layout, &part->box, part->element_bytes);
    }
    room += scene->bytes + scene->lines * LINE_BYTES;
    scene->from = bench_allocate(room);
    scene->to = bench_allocate(room);
    memset(scene->from, 1, room);
    memset(scene->to, 2, room);
}

static void end_scene(scene_t *scene) {
    rts_halo_reset();
    rts_transfer_free(&scene->parts);
    rts_flight_free(&scene->flight);
    free(scene->from);
    free(scene->to);
    rts_coherence_release(scene->array);
    rts_array_destroy(scene->array);
}

/* ---- the table ---- */

static void print(const char *name, double bytes, double renewed, double messages, double copies) {
    if (!bench_is_first())
        return;
    printf(json ? "{\"case\": \"%s\", \"processes\": %d, \"bytes\": %.0f, \"renew_s\": %.3e, \"messages_s\": "
                  "%.3e, \"copies_s\": %.3e, \"ratio\": %.3f, \"ratio_messages\": %.3f}\n"
                : "%-28s %2d processes %10.0f B  renew %9.2e s  messages %9.2e s  copies %9.2e s  ratio "
                  "%5.2f  to "
                  "messages %5.2f\n",
           name, rts_comm_size(), bytes, renewed, messages, copies, renewed / (messages + copies),
           renewed / messages);
    fflush(stdout);
}

static void name_case(const shape_t *shape, int axis, int layout, char *name, size_t size) {
    const rts_index_t *extent = quick ? shape->quick : shape->extent;
    char cut[16], third[24] = "";
    snprintf(cut, sizeof cut, axis == EVERY_AXIS ? "all axes" : "axis %d", axis + 1);
    if (shape->rank > 2)
        snprintf(third, sizeof third, "x%lld", (long long)extent[2]);
    snprintf(name, size, "%lldx%lld%s %s %s", (long long)extent[0], (long long)extent[1], third, cut,
             layouts[layout]);
}

static void run_case(const shape_t *shape, int axis, int layout) {
    static const operation_t operations[OPERATIONS] = {renew, exchange, copy_lines};
    scene_t scene = {.array = NULL};
    double least[OPERATIONS];
    char name[80];
    name_case(shape, axis, layout, name, sizeof name);
    if (strstr(name, only) == NULL)
        return;
    make_array(&scene, shape, axis);
    place(&scene, layout);
    prepare(&scene);
    renew(&scene);
    measure(operations, &scene, least);
    const double bytes = largest((double)scene.bytes);
    try(rts_coherence_fetch(scene.array, 0, NULL));
    if (largest((double)walk(scene.array, false)) > 0) {
        if (bench_is_first())
            fprintf(stderr, "halo-bench: %s: edges are wrong\n", name);
        rts_comm_abort(1);
    }
    print(name, bytes, least[RENEW], least[MESSAGES], least[COPIES]);
    end_scene(&scene);
}

static void run_all(void) {
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const int first = rts_runtime()->grid.rank > 1 ? EVERY_AXIS : 0;
        for (int axis = first; axis < shapes[i].rank; axis++)
            for (int layout = 0; layout < (shapes[i].is_small ? 1 : 4); layout++)
                run_case(&shapes[i], axis, layout);
    }
}

static const char help[] = "mpirun -n N halo-bench [--quick] [--json] [--case TEXT]\n"
                           "Renewals of shadow edges, against plain messages of the same bytes and copies of "
                           "the lines in which the edges lie.\n"
                           "  --quick      small arrays: only shows that it works\n"
                           "  --json       a line of JSON for each case\n"
                           "  --case TEXT  cases with TEXT in their names\n"
                           "DVMH_PROC_GRID: with several axes, also arrays that are cut along all.\n";

/** @return the program's exit code; -1: go on */
static int read_options(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) {
            quick = true;
        } else if (strcmp(argv[i], "--json") == 0) {
            json = true;
        } else if (strcmp(argv[i], "--case") == 0 && i + 1 < argc) {
            only = argv[++i];
        } else if (strcmp(argv[i], "--help") == 0) {
            if (bench_is_first())
                fputs(help, stdout);
            return 0;
        } else {
            if (bench_is_first())
                fprintf(stderr, "'%s' is no option; allowed: --quick, --json, --case TEXT, --help\n",
                        argv[i]);
            return 2;
        }
    }
    return -1;
}

int main(int argc, char **argv) {
    if (rts_runtime_open(false, &argc, &argv) != RTS_OK) {
        fprintf(stderr, "%s\n", rts_error_text());
        rts_comm_abort(1);
    }
    int code = read_options(argc, argv);
    if (code < 0 && rts_comm_size() == 1) {
        fprintf(stderr, "1 process given; allowed: 2 and more, started by mpirun -n N or dvmhrun N\n");
        code = 2;
    }
    if (code < 0) {
        run_all();
        code = 0;
    }
    rts_runtime_close();
    return code;
}
