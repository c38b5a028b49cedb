/* Slots, columns and ordinary arrays of launches; see the header. The device combines neighbouring slots until few are left, in an order
 * that depends on their number alone; these are combined here, in their order. */
#include <config.h>

#include "rts/exec_launch_memory.h"

#include <string.h>

#include "rts/coherence.h"
#include "rts/exec_reduction.h"
#include "rts/handler_ops.h"
#include "rts/memory.h"
#include "rts/variable.h"

#define MOST_BLOCKS     2048                /* of launches that reduce: some for each processor of a GPU */
#define MOST_SLOT_BYTES ((size_t)256 << 20) /* of one reduction of an array, unless a warp needs more */
#define LEAST_THREADS   32
#define KEPT_COLUMNS    8
#define MOST_SWEEPS     32 /* that follow each other in one launch: most of a GPU has work then */
#define MOST_COUNTERS   ((int64_t)1 << 20) /* of these */

/* Counters and order of columns on a device. */
typedef struct kept_columns {
    int device;
    rts_columns_t columns;
    int64_t count, sweeps;
    int *memory; /* 1 + sweeps * count counters, then count numbers; NULL: none */
    int64_t used_at;
} kept_columns_t;

static struct {
    int device;
    int count; /* reductions that have slots */
    rts_launch_memory_t now;
    kept_columns_t kept[KEPT_COLUMNS];
    int64_t clock;
} memory;

const rts_launch_memory_t *rts_launch_memory(void) {
    return &memory.now;
}

static const rts_handler_ops_t *ops_of(int device) {
    return rts_handler_ops_of_device(device);
}

static void release(int device, void *block) {
    if (block != NULL)
        rts_backend_of_device(device)->release(device, block);
}

bool rts_launch_serves(const rts_loop_t *loop) {
    for (int i = 0; i < loop->reduction_count; i++)
        if (loop->reduction[i].locations != NULL && loop->reduction[i].reduction.count > 1)
            return false;
    return true;
}

/* ---- columns ---- */

int64_t rts_columns_of(const rts_plan_t *plan, int rank, const rts_index_t count[],
                       rts_columns_t *columns_p) {
    int64_t all = 1;
    memset(columns_p, 0, sizeof *columns_p);
    columns_p->rank = rank;
    for (int dim = 0; dim < rank; dim++) {
        columns_p->count[dim] = dim == plan->launch.march_dim ? 1 : rts_div_up(count[dim], plan->tile[dim]);
        columns_p->slope[dim] = columns_p->count[dim] == 1 ? 0 : plan->time[dim] * plan->tile[dim];
        all *= columns_p->count[dim];
    }
    columns_p->predecessor_count = plan->predecessor_count;
    memcpy(columns_p->predecessor, plan->predecessor,
           (size_t)plan->predecessor_count * sizeof plan->predecessor[0]);
    return all;
}

/* Columns in the order of their first fronts, as blocks will need them. Slopes are taken in units that
 * divide all. @return false: some predecessor is not earlier */
static bool find_slopes(const rts_columns_t *columns, rts_index_t wave[]) {
    rts_index_t unit = 0;
    for (int dim = 0; dim < columns->rank; dim++)
        for (rts_index_t a = columns->slope[dim]; a != 0;) { /* common divisor */
            const rts_index_t rest = unit % a;
            unit = a;
            a = rest;
        }
    for (int dim = 0; dim < columns->rank; dim++)
        wave[dim] = unit > 0 ? columns->slope[dim] / unit : 0;
    for (int i = 0; i < columns->predecessor_count; i++) {
        rts_index_t behind = 0;
        for (int dim = 0; dim < columns->rank; dim++)
            behind += wave[dim] * columns->predecessor[i][dim];
        if (behind < 1)
            return false;
    }
    return true;
}

/* Columns of one wavefront wait for none of each other. What the time vector is to iterations, a vector of columns is to wavefronts; where
 * its entries are too large, lexicographic order will do. */
static void find_waves(const rts_columns_t *columns, rts_index_t wave[]) {
    rts_dependences_t waits;
    rts_dependences_init(&waits, columns->rank);
    memset(wave, 0, RTS_MAX_RANK * sizeof wave[0]);
    for (int i = 0; i < columns->predecessor_count; i++) {
        rts_index_t vector[RTS_MAX_RANK];
        for (int dim = 0; dim < columns->rank; dim++)
            vector[dim] = columns->predecessor[i][dim];
        if (rts_dependences_add(&waits, vector) != RTS_OK)
            return;
    }
    rts_index_t found[RTS_MAX_RANK];
    if (rts_dependences_time_vector(&waits, found))
        memcpy(wave, found, (size_t)columns->rank * sizeof wave[0]);
}

/* The next column in lexicographic order. */
static void advance(const rts_columns_t *columns, rts_index_t at[]) {
    for (int dim = columns->rank - 1; dim >= 0; dim--) {
        if (++at[dim] < columns->count[dim])
            return;
        at[dim] = 0;
    }
}

static rts_index_t wave_of(const rts_columns_t *columns, const rts_index_t wave[], const rts_index_t at[]) {
    rts_index_t sum = 0;
    for (int dim = 0; dim < columns->rank; dim++)
        sum += wave[dim] * at[dim];
    return sum;
}

/* @return how many there are */
static rts_index_t count_waves(const rts_columns_t *columns, const rts_index_t wave[]) {
    rts_index_t waves = 1;
    for (int dim = 0; dim < columns->rank; dim++)
        waves += wave[dim] * (columns->count[dim] - 1);
    return waves;
}

void rts_columns_order(const rts_columns_t *columns, int order[]) {
    rts_index_t wave[RTS_MAX_RANK], at[RTS_MAX_RANK] = {0};
    int64_t all = 1;
    for (int dim = 0; dim < columns->rank; dim++)
        all *= columns->count[dim];
    const rts_index_t most = 4 * all + 4;
    if (!find_slopes(columns, wave) || count_waves(columns, wave) > most)
        find_waves(columns, wave);
    const rts_index_t waves = count_waves(columns, wave);
    int *next = waves <= most ? rts_alloc_zeroed((size_t)waves + 1, sizeof *next) : NULL;
    if (next == NULL) {
        for (int64_t i = 0; i < all; i++)
            order[i] = (int)i;
        return;
    }
    for (int64_t i = 0; i < all; i++, advance(columns, at))
        next[wave_of(columns, wave, at) + 1]++;
    for (rts_index_t i = 0; i < waves; i++)
        next[i + 1] += next[i];
    memset(at, 0, sizeof at);
    for (int64_t i = 0; i < all; i++, advance(columns, at))
        order[next[wave_of(columns, wave, at)]++] = (int)i;
    rts_free(next);
}

static bool same_columns(const rts_columns_t *a, const rts_columns_t *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

static rts_status_t upload(int device, kept_columns_t *kept) {
    int *order = rts_alloc((size_t)kept->count * sizeof *order);
    if (order == NULL)
        return rts_fail_memory("the order of columns", (size_t)kept->count * sizeof *order);
    rts_columns_order(&kept->columns, order);
    const rts_status_t status = ops_of(device)->write(device, kept->memory + 1 + kept->sweeps * kept->count,
                                                      order, (size_t)kept->count * sizeof *order);
    rts_free(order);
    return status;
}

/* Those of a shape, or room for them: what was not used for longest goes. */
static rts_status_t keep_columns(int device, const rts_columns_t *columns, kept_columns_t **kept_p) {
    kept_columns_t *kept = &memory.kept[0];
    int64_t count = 1;
    for (int i = 0; i < KEPT_COLUMNS; i++) {
        kept_columns_t *one = &memory.kept[i];
        if (one->memory != NULL && one->device == device && same_columns(&one->columns, columns)) {
            *kept_p = one;
            return RTS_OK;
        }
        kept = one->used_at < kept->used_at ? one : kept;
    }
    for (int dim = 0; dim < columns->rank; dim++)
        count *= columns->count[dim];
    release(kept->device, kept->memory);
    memset(kept, 0, sizeof *kept);
    void *block = NULL;
    const int64_t sweeps = rts_max(1, rts_min(MOST_SWEEPS, MOST_COUNTERS / count));
    RTS_TRY(rts_coherence_allocate(device, (size_t)(1 + (sweeps + 1) * count) * sizeof(int), &block));
    *kept = (kept_columns_t){.device = device,
                             .columns = *columns,
                             .count = count,
                             .sweeps = sweeps,
                             .memory = block};
    const rts_status_t status = upload(device, kept);
    if (status != RTS_OK) {
        release(device, block);
        memset(kept, 0, sizeof *kept);
        return status;
    }
    *kept_p = kept;
    return RTS_OK;
}

rts_status_t rts_launch_columns(int device, const rts_columns_t *columns, rts_launch_columns_t *columns_p) {
    kept_columns_t *kept = NULL;
    RTS_TRY(keep_columns(device, columns, &kept));
    kept->used_at = ++memory.clock;
    *columns_p = (rts_launch_columns_t){.counters = kept->memory,
                                        .order = kept->memory + 1 + kept->sweeps * kept->count,
                                        .count = kept->count,
                                        .sweeps = kept->sweeps};
    return RTS_OK;
}

/* ---- slots ---- */

static size_t value_bytes(const rts_loop_t *loop, int number) {
    const rts_reduction_t *reduction = &loop->reduction[number].reduction;
    return (size_t)reduction->count * reduction->element_bytes;
}

/* Slots of arrays are those of threads. */
static size_t largest_array(const rts_loop_t *loop) {
    size_t largest = 0;
    for (int i = 0; i < loop->reduction_count; i++)
        if (loop->reduction[i].reduction.count > 1 && value_bytes(loop, i) > largest)
            largest = value_bytes(loop, i);
    return largest;
}

static rts_index_t threads_of(const rts_index_t block[3]) {
    return block[0] * block[1] * block[2];
}

/* Fewer threads where each needs much: first along z. */
static void shrink_block(size_t bytes, rts_index_t block[3]) {
    for (int i = 2; i >= 0; i--)
        while (block[i] > 1 && threads_of(block) > LEAST_THREADS &&
               (size_t)threads_of(block) > MOST_SLOT_BYTES / bytes)
            block[i] = rts_div_up(block[i], 2);
}

/* Blocks that a launch over the whole box would have. */
static rts_index_t blocks_wanted(const rts_loop_t *loop, const rts_plan_t *plan, const rts_index_t block[3]) {
    double blocks = 1;
    for (int dim = 0; dim < loop->rank; dim++) {
        rts_index_t each = 1;
        for (int i = 0; i < 3; i++)
            each = plan->launch.dim[i] == dim ? block[i] : each;
        /* A grid by fronts has threads along its march dim, too. */
        if ((dim != plan->launch.march_dim || plan->launch.kind == RTS_LAUNCH_GRID) &&
            (plan->launch.kind != RTS_LAUNCH_LINES ||
             (plan->launch.inside >> (loop->rank - 1 - dim) & 1) == 0))
            blocks *= (double)rts_div_up(loop->piece[dim], each);
    }
    return blocks < MOST_BLOCKS ? (rts_index_t)blocks : MOST_BLOCKS;
}

static void size_launch(const rts_loop_t *loop, const rts_plan_t *plan) {
    rts_launch_memory_t *now = &memory.now;
    const size_t bytes = largest_array(loop);
    memcpy(now->block, plan->launch.block, sizeof now->block);
    now->block_limit = 0;
    if (loop->reduction_count == 0)
        return;
    if (bytes > 0)
        shrink_block(bytes, now->block);
    now->block_limit = blocks_wanted(loop, plan, now->block);
    if (bytes > 0) {
        const size_t slots = MOST_SLOT_BYTES / bytes, threads = (size_t)threads_of(now->block);
        now->block_limit = rts_max(1, rts_min(now->block_limit, (rts_index_t)(slots / threads)));
    }
}

static rts_status_t reserve_slots(const rts_loop_t *loop, const rts_plan_t *plan, int number) {
    const rts_loop_reduction_t *entry = &loop->reduction[number];
    dvmhx_slots_t *slots = &memory.now.slots[number];
    const bool is_array = entry->reduction.count > 1;
    const size_t bytes = value_bytes(loop, number);
    rts_columns_t columns;
    int64_t count = memory.now.block_limit;
    if (is_array)
        count *= threads_of(memory.now.block);
    else if (plan->launch.kind == RTS_LAUNCH_TILES)
        count = rts_columns_of(plan, loop->rank, loop->piece, &columns);
    memory.now.slot_count[number] = count;
    *slots = (dvmhx_slots_t){.value_bytes = (DvmType)bytes, .per_thread = is_array};
    size_t all;
    if (__builtin_mul_overflow(bytes, (size_t)count, &all))
        return rts_fail_memory("the partial results of a reduction on a device", SIZE_MAX);
    RTS_TRY(rts_coherence_allocate(memory.device, all, &slots->values));
    if (is_array)
        RTS_TRY(rts_coherence_allocate(memory.device, all, &memory.now.turned[number]));
    if (entry->locations == NULL)
        return RTS_OK;
    slots->location_bytes = (DvmType)entry->reduction.location_bytes;
    return rts_coherence_allocate(memory.device, (size_t)count * entry->reduction.location_bytes,
                                  &slots->locations);
}

static void release_slots(void) {
    for (int i = 0; i < memory.count; i++) {
        release(memory.device, memory.now.slots[i].values);
        release(memory.device, memory.now.slots[i].locations);
        release(memory.device, memory.now.turned[i]);
    }
    memory.count = 0;
}

/* ---- ordinary arrays ---- */

/* The array that the program has made of it, or one of bytes. */
static rts_status_t array_of(const rts_loop_variable_t *variable, rts_array_t **array_p) {
    const rts_element_t byte = {.code = RTS_ELEMENT_UNTYPED, .bytes = 1};
    const rts_index_t extent = (rts_index_t)variable->bytes;
    *array_p = rts_variable_array(variable->address);
    if (*array_p != NULL &&
        (size_t)rts_box_size(&(*array_p)->held) * (*array_p)->element.bytes >= variable->bytes)
        return RTS_OK;
    return rts_variable_describe(variable->address, 1, &extent, byte, array_p, NULL);
}

/* What the loop does not overwrite has to be there as well. */
static rts_status_t bring_variable(const rts_loop_variable_t *variable, int device, void **address_p) {
    rts_array_t *array = NULL;
    rts_replica_t *replica = NULL;
    RTS_TRY(array_of(variable, &array));
    RTS_TRY(rts_coherence_replica(array, device, &replica));
    RTS_TRY(rts_coherence_fetch(array, device, NULL));
    *address_p = replica->buffer;
    return RTS_OK;
}

/* ---- a loop ---- */

static rts_status_t reserve_all(const rts_loop_t *loop, const rts_plan_t *plan) {
    for (int i = 0; i < loop->variable_count; i++)
        RTS_TRY(bring_variable(&loop->variable[i], memory.device, &memory.now.variable[i]));
    if (plan->launch.kind == RTS_LAUNCH_TILES) {
        kept_columns_t *kept = NULL;
        rts_columns_t columns;
        (void)rts_columns_of(plan, loop->rank, loop->piece, &columns);
        RTS_TRY(keep_columns(memory.device, &columns, &kept));
        kept->used_at = ++memory.clock;
    }
    for (; memory.count < loop->reduction_count; memory.count++) {
        const int number = memory.count;
        memory.now.turned[number] = NULL;
        const rts_status_t status = reserve_slots(loop, plan, number);
        if (status != RTS_OK) {
            memory.count++; /* what it got so far goes, too */
            return status;
        }
    }
    return RTS_OK;
}

rts_status_t rts_launch_memory_reserve(const rts_loop_t *loop, int device, const rts_plan_t *plan) {
    release_slots();
    memory.device = device;
    size_launch(loop, plan);
    const rts_status_t status = reserve_all(loop, plan);
    if (status != RTS_OK)
        release_slots();
    return status;
}

rts_status_t rts_launch_memory_open(const rts_loop_t *loop) {
    const int device = memory.device;
    const rts_handler_ops_t *ops = ops_of(device);
    for (int i = 0; i < loop->reduction_count; i++) {
        dvmhx_slots_t *slots = &memory.now.slots[i];
        slots->start = rts_partials_values(i, 0);
        slots->start_location = rts_partials_locations(i, 0);
        RTS_TRY(ops->fill(device, slots->values, slots->start, (size_t)slots->value_bytes, 1,
                          memory.now.slot_count[i]));
        if (slots->locations != NULL)
            RTS_TRY(ops->fill(device, slots->locations, slots->start_location, (size_t)slots->location_bytes,
                              1, memory.now.slot_count[i]));
    }
    for (int i = 0; i < loop->variable_count; i++)
        if ((loop->variable[i].intent & 2) != 0)
            RTS_TRY(rts_coherence_written(rts_variable_array(loop->variable[i].address), device, NULL));
    return RTS_OK;
}

/* ---- partial results ---- */

/* Slot by slot to element by element. */
static rts_status_t turn(const rts_reduction_t *reduction, int number) {
    const int across[] = {1, 0};
    const rts_box_t box = {.rank = 2, .hi = {memory.now.slot_count[number], reduction->count}};
    rts_layout_t from, to;
    RTS_TRY(rts_layout_plain(&box, NULL, 1, &from));
    RTS_TRY(rts_layout_plain(&box, across, 1, &to));
    const rts_copy_job_t job = {.element_bytes = reduction->element_bytes,
                                .box = box,
                                .source_device = memory.device,
                                .target_device = memory.device,
                                .source = memory.now.slots[number].values,
                                .target = memory.now.turned[number],
                                .source_layout = &from,
                                .target_layout = &to};
    return rts_backend_of_device(memory.device)->copy(&job);
}

/* Part i of all elements, next to each other, is a partial result. */
static void post_parts(const rts_loop_t *loop, int number, const char *parts, const char *locations,
                       int64_t count, char *values) {
    const rts_reduction_t *reduction = &loop->reduction[number].reduction;
    const size_t bytes = reduction->element_bytes;
    for (int64_t i = 0; i < count; i++) {
        for (int64_t element = 0; element < reduction->count; element++)
            memcpy(values + (size_t)element * bytes, parts + (size_t)(element * count + i) * bytes, bytes);
        rts_partials_post(loop, number, 0, values,
                          locations != NULL ? locations + (size_t)i * reduction->location_bytes : NULL);
    }
}

static rts_status_t collect(const rts_loop_t *loop, int number) {
    const rts_reduction_t *reduction = &loop->reduction[number].reduction;
    const dvmhx_slots_t *slots = &memory.now.slots[number];
    const rts_items_job_t job = {.operation = reduction->operation,
                                 .type = reduction->type,
                                 .element_bytes = reduction->element_bytes,
                                 .location_bytes = (size_t)slots->location_bytes,
                                 .element_count = reduction->count,
                                 .item_count = memory.now.slot_count[number],
                                 .items = memory.now.turned[number] != NULL ? memory.now.turned[number]
                                                                            : slots->values,
                                 .locations = slots->locations};
    const size_t part_bytes = value_bytes(loop, number) * RTS_ITEM_PARTS,
                 bytes = part_bytes + (size_t)slots->location_bytes * RTS_ITEM_PARTS;
    if (memory.now.turned[number] != NULL)
        RTS_TRY(turn(reduction, number));
    char *parts = rts_alloc(bytes + value_bytes(loop, number));
    if (parts == NULL)
        return rts_fail_memory("the parts of a reduction", bytes);
    char *locations = slots->locations != NULL ? parts + part_bytes : NULL;
    int64_t count = 0;
    const rts_status_t status = ops_of(memory.device)->collect(memory.device, &job, parts, locations, &count);
    if (status == RTS_OK)
        post_parts(loop, number, parts, locations, count, parts + bytes);
    rts_free(parts);
    return status;
}

rts_status_t rts_launch_memory_close(const rts_loop_t *loop) {
    rts_status_t status = RTS_OK;
    for (int i = 0; i < loop->reduction_count && status == RTS_OK; i++)
        status = collect(loop, i);
    release_slots();
    return status;
}

void rts_launch_memory_reset(void) {
    release_slots();
    for (int i = 0; i < KEPT_COLUMNS; i++)
        release(memory.kept[i].device, memory.kept[i].memory);
    memset(&memory, 0, sizeof memory);
}
