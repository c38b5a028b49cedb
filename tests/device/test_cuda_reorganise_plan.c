/* Plans of reorganisations on CUDA devices, run on the host as the kernels run them: every tile reads only words of the box, every word
 * of the box is written exactly once, with the right value, and nothing else is. Random layouts, boxes, element sizes, addresses, and
 * every shape of tiles that a plan proposes, and small ones of any shape. No GPU is needed. */
#include <config.h>

#include "rts/cuda/cuda_reorganise_plan.h"
#include "tests/device/reorganise_jobs.h"

enum { JOBS = 600, ELEMENTS = 12000 };

static void *allocate(size_t bytes) {
    void *const memory = malloc(bytes + 1);
    if (memory == NULL) {
        fprintf(stderr, "no memory: %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

/** Both buffers, seen as words. */
typedef struct simulation {
    char *source, *target;
    char *stage;
    bool *staged;      /* words of the stage that hold something */
    int *shifts;       /* of source rows, where the plan shifts them */
    uint8_t *readable; /* bytes of the source that belong to the box */
    uint8_t *written;  /* how often bytes of the target were */
    size_t source_bytes, target_bytes;
} simulation_t;

/** As the kernels have it: parts of the target may be interleaved, rows of the source stand in one piece. */
static int target_place(const rts_tile_plan_t *plan, int c) {
    const int parts = (int)plan->parts.value, step = rts_tile_store_step(plan);
    if (!plan->target.is_interleaved || parts == 1)
        return c * step;
    return c / parts * step + c % parts * plan->part_place;
}

/** A word of the source to the stage. Packs may bring words that no tile needs, from anywhere in the source. */
static bool load_word(simulation_t *simulation, int64_t bytes, int64_t from, int place, bool needed) {
    if (!CHECK(from >= 0 && from + bytes <= (int64_t)simulation->source_bytes))
        return false;
    if (needed && (!CHECK(simulation->readable[from] != 0) || !CHECK(!simulation->staged[place])))
        return false;
    memcpy(simulation->stage + place * bytes, simulation->source + from, (size_t)bytes);
    simulation->staged[place] = simulation->staged[place] || needed;
    return true;
}

static bool load_rows(const rts_tile_plan_t *plan, const rts_tile_t *tile, simulation_t *simulation) {
    const int64_t bytes = plan->word_bytes;
    for (int i = 0; i < plan->source_rows; i++) {
        rts_tile_row_t row = rts_tile_source_row(plan, tile, i);
        const int shift = plan->shifts ? rts_tile_shift(plan, &row) : 0, phase = (int)plan->source_phase;
        if (!CHECK(shift >= 0 && shift <= plan->load_words))
            return false;
        row.place += shift;
        simulation->shifts[i] = shift;
        const int words =
            ((row.place - row.base - phase) & (plan->load_words - 1)) == 0 ? plan->load_words : 1;
        const int first = row.lo - ((row.place + row.lo) & (words - 1));
        if (row.lo >= row.hi)
            continue;
        if (!CHECK(words == plan->load_words || plan->shifts))
            return false;
        if (words > 1 && !CHECK((row.base + first + phase) % words == 0 && plan->word_bytes * words == 16))
            return false;
        for (int c = first; c < row.hi || (c - first) % words != 0; c++) {
            const int place = row.place + c * rts_tile_load_step(plan);
            if (!CHECK(place >= 0 && place < plan->stage_words) ||
                !load_word(simulation, bytes, (row.base + c) * bytes, place, c >= row.lo && c < row.hi))
                return false;
        }
    }
    return true;
}

static bool store_rows(const rts_tile_plan_t *plan, const rts_tile_t *tile, simulation_t *simulation) {
    const int64_t bytes = plan->word_bytes;
    for (int i = 0; i < plan->target_rows; i++) {
        const rts_tile_row_t row = rts_tile_target_row(plan, tile, i);
        if (row.lo < row.hi && !CHECK(row.hi - row.lo <= plan->tile_columns))
            return false;
        for (int c = row.lo; c < row.hi; c++) {
            const int place =
                row.place + target_place(plan, c) +
                (plan->shifts ? simulation->shifts[rts_tile_first_row(plan, i) + plan->slope * c] : 0);
            const int64_t to = (row.base + c) * bytes;
            if (!CHECK(place >= 0 && place < plan->stage_words) || !CHECK(simulation->staged[place]) ||
                !CHECK(to >= 0 && to + bytes <= (int64_t)simulation->target_bytes))
                return false;
            memcpy(simulation->target + to, simulation->stage + place * bytes, (size_t)bytes);
            for (int64_t b = 0; b < bytes; b++)
                simulation->written[to + b]++;
        }
    }
    return true;
}

static bool run_tiles(const rts_tile_plan_t *plan, simulation_t *simulation) {
    bool good = true;
    simulation->stage = allocate((size_t)(plan->stage_words * plan->word_bytes));
    simulation->staged = allocate((size_t)plan->stage_words * sizeof(bool));
    simulation->shifts = allocate((size_t)plan->source_rows * sizeof(int));
    for (uint32_t number = 0; number < plan->tile_count && good;
         number++) { /* in any order: tiles are disjoint */
        const rts_tile_t tile = rts_tile_begin(plan, number);
        memset(simulation->staged, 0, (size_t)plan->stage_words * sizeof(bool));
        good = load_rows(plan, &tile, simulation) && store_rows(plan, &tile, simulation);
    }
    free(simulation->stage);
    free(simulation->staged);
    free(simulation->shifts);
    return good;
}

static bool run_words(const rts_word_plan_t *plan, simulation_t *simulation) {
    const int64_t bytes = plan->word_bytes;
    for (int64_t number = 0; number < plan->count; number++) {
        int64_t from, to;
        rts_word_places(plan, number, &from, &to);
        if (!CHECK(from >= 0 && (from + 1) * bytes <= (int64_t)simulation->source_bytes) ||
            !CHECK(to >= 0 && (to + 1) * bytes <= (int64_t)simulation->target_bytes))
            return false;
        memcpy(simulation->target + to * bytes, simulation->source + from * bytes, (size_t)bytes);
        for (int64_t b = 0; b < bytes; b++)
            simulation->written[to * bytes + b]++;
    }
    return true;
}

static bool run_plan(const rts_reorganise_plan_t *plan, simulation_t *simulation) {
    bool good = true;
    memset(simulation->target, 0xA5, simulation->target_bytes);
    memset(simulation->written, 0, simulation->target_bytes);
    switch (plan->kind) {
    case RTS_REORGANISE_NOTHING:
        break;
    case RTS_REORGANISE_RUN:
        memcpy(simulation->target + plan->target_byte, simulation->source + plan->source_byte,
               (size_t)plan->bytes);
        memset(simulation->written + plan->target_byte, 1, (size_t)plan->bytes);
        break;
    case RTS_REORGANISE_WORDS:
        good = run_words(&plan->words, simulation);
        break;
    case RTS_REORGANISE_TILES:
        for (int i = 0; i < plan->tile_plan_count && good; i++)
            good = run_tiles(&plan->tiles[i], simulation);
        break;
    }
    return good;
}

static bool check_target(const simulation_t *simulation, const char *expected, int64_t bytes) {
    int64_t written = 0;
    for (size_t i = 0; i < simulation->target_bytes; i++) {
        if (!CHECK(simulation->written[i] <= 1))
            return false;
        written += simulation->written[i];
    }
    return CHECK_EQ_INT(written, bytes) &&
           CHECK(memcmp(simulation->target, expected, simulation->target_bytes) == 0);
}

/** Small tiles, so that small boxes have several; more lines than one, or none at all. */
static void pick_shape(const rts_tile_plan_t *plan, rts_tile_shape_t *shape) {
    const int line = check_random_once_in(3) ? 128 / plan->word_bytes : 1 << check_random_range(0, 3);
    *shape = (rts_tile_shape_t){line * (int)check_random_range(1, 4), (int)check_random_range(1, 40), 64,
                                line, check_random_once_in(4)};
}

/** Tiles of a shape; where it does not fit there is nothing to check. */
static bool check_shape(const rts_reorganise_plan_t *plan, const rts_tile_shape_t *shape, bool must_fit,
                        simulation_t *simulation, const char *expected) {
    rts_reorganise_plan_t other = *plan;
    bool fits = true;
    for (int i = 0; i < plan->tile_plan_count; i++)
        fits = fits && rts_tile_plan_shape(&other.tiles[i], shape);
    CHECK(fits || !must_fit);
    if (!fits || (run_plan(&other, simulation) && check_target(simulation, expected, plan->bytes)))
        return true;
    fprintf(stderr, "  shape %d x %d, line %d\n", shape->columns, shape->rows, shape->line);
    return false;
}

/** What the plan proposes, and tiles of any shape even for boxes that are too small to be worth it. */
static bool check_plans(const rts_copy_job_t *job, rts_reorganise_plan_t *plan, simulation_t *simulation,
                        const char *expected) {
    if (!run_plan(plan, simulation) || !check_target(simulation, expected, plan->bytes))
        return false;
    for (int i = 1; i < plan->shape_count; i++)
        if (!check_shape(plan, &plan->shapes[i], true, simulation, expected))
            return false;
    rts_reorganise_plan_t tiles = {.kind = RTS_REORGANISE_TILES, .bytes = plan->bytes};
    for (int part = 0; part < 2; part++)
        if (rts_tile_plan_make(job, part, &tiles.tiles[tiles.tile_plan_count]))
            tiles.tile_plan_count++;
    for (int i = 0; i < 3 && tiles.tile_plan_count > 0; i++) {
        rts_tile_shape_t shape;
        pick_shape(&tiles.tiles[0], &shape);
        if (!check_shape(&tiles, &shape, false, simulation, expected))
            return false;
    }
    return true;
}

static bool check_job(random_job_t *random, int counts[]) {
    rts_copy_job_t *const job = &random->job;
    job->source_layout = &random->from;
    job->target_layout = &random->to;
    simulation_t simulation = {.source_bytes = (size_t)random->from.size * job->element_bytes,
                               .target_bytes = (size_t)random->to.size * job->element_bytes};
    /* Buffers begin anywhere that their elements may. */
    const rts_index_t unit = rts_min((rts_index_t)(job->element_bytes & (~job->element_bytes + 1)), 16);
    const size_t source_shift = check_random_once_in(2) ? 0 : (size_t)(check_random_range(0, 40) * unit);
    const size_t target_shift = check_random_once_in(2) ? 0 : (size_t)(check_random_range(0, 40) * unit);
    char *const source = allocate(simulation.source_bytes + source_shift),
                *const target = allocate(simulation.target_bytes + target_shift),
                *const expected = allocate(simulation.target_bytes);
    simulation.readable = allocate(simulation.source_bytes);
    simulation.written = allocate(simulation.target_bytes);
    job->source = simulation.source = source + source_shift;
    job->target = simulation.target = target + target_shift;
    for (size_t i = 0; i < simulation.source_bytes; i++)
        simulation.source[i] = (char)check_random_u64();
    memset(expected, 0xA5, simulation.target_bytes);
    copy_elements(job, simulation.source, expected);
    memset(simulation.readable, 0, simulation.source_bytes);
    rts_index_t index[RTS_MAX_RANK];
    memcpy(index, job->box.lo, sizeof(index));
    do
        memset(simulation.readable +
                   (size_t)rts_layout_offset(job->source_layout, index) * job->element_bytes,
               1, job->element_bytes);
    while (next_index(&job->box, index));
    rts_reorganise_plan_t plan;
    rts_reorganise_plan(job, &plan);
    counts[plan.kind]++;
    const bool good = check_plans(job, &plan, &simulation, expected);
    if (!good)
        explain_job(job);
    free(source);
    free(target);
    free(expected);
    free(simulation.readable);
    free(simulation.written);
    return good;
}

/** Row starts against the offsets of elements: what tiles take for granted of diagonal layouts. */
static void check_row_starts(void) {
    for (int i = 0; i < 300; i++) {
        rts_layout_t layout;
        const rts_box_t box = {.rank = 2, .hi = {check_random_range(1, 12), check_random_range(1, 12)}};
        const rts_layout_kind_t kind =
            (rts_layout_kind_t)check_random_range(RTS_LAYOUT_SKEW, RTS_LAYOUT_PACKED);
        CHECK_EQ_INT(rts_layout_diagonal(&box, NULL, 1, kind, 1, check_random_once_in(2) ? 1 : -1, &layout),
                     RTS_OK);
        const rts_plane64_t plane = rts_layout_plane(&layout);
        for (int64_t i_p = 0; i_p < plane.n_p; i_p++)
            for (int64_t i_q = 0; i_q < plane.n_q; i_q++) {
                const int64_t d = rts_plane64_d(&plane, i_p, i_q), start = rts_plane64_row(&plane, d);
                CHECK_EQ_INT(rts_plane64_row_descends(&plane, d) ? start - i_q : start + i_q,
                             rts_plane64_offset(&plane, i_p, i_q));
            }
    }
}

int main(void) {
    int counts[4] = {0};
    check_random_start();
    check_row_starts();
    for (int i = 0; i < JOBS; i++) {
        random_job_t random;
        pick_job(check_random_once_in(4) ? ELEMENTS : 2500, &random);
        if (!check_job(&random, counts))
            break;
    }
    printf("runs %d, word by word %d, tiles %d\n", counts[RTS_REORGANISE_RUN], counts[RTS_REORGANISE_WORDS],
           counts[RTS_REORGANISE_TILES]);
    CHECK(counts[RTS_REORGANISE_RUN] > 0 && counts[RTS_REORGANISE_WORDS] > 0 &&
          counts[RTS_REORGANISE_TILES] > 0);
    return check_finish();
}
