/* Plans for GPUs: whatever is proposed or drawn runs every iteration once and after all that it depends on, in random orders of blocks and
 * threads with as few as one block at a time. Loops and dependences are random; the reference is a table of what has run. And what is
 * proposed first for loops whose best launch is known. */
#include <config.h>

#include "rts/launches.h"

#include "rts/exec_launch_memory.h"
#include "rts/memory.h"
#include "tests/unit/fake_launch.h"

enum { MOST_POINTS = 4096 };

static struct {
    const rts_loop_facts_t *facts;
    bool has_run[MOST_POINTS];
    int count;
    bool is_good;
} model;

static int number_of(const DvmType n[]) {
    int number = 0;
    for (int dim = 0; dim < model.facts->rank; dim++)
        number = number * (int)model.facts->count[dim] + (int)n[dim];
    return number;
}

static void run_iteration(void *context, const dvmhx_record_t *record, const DvmType n[],
                          const fake_thread_t *who) {
    const rts_dependences_t *dependences = &model.facts->dependences;
    (void)context;
    (void)record;
    (void)who;
    model.count++;
    for (int i = 0; i < dependences->count && model.is_good; i++) {
        DvmType needed[RTS_MAX_RANK];
        bool inside = true;
        for (int dim = 0; dim < model.facts->rank; dim++) {
            needed[dim] = n[dim] - dependences->vector[i][dim];
            inside = inside && needed[dim] >= 0 && needed[dim] < model.facts->count[dim];
        }
        model.is_good = !inside || CHECK(model.has_run[number_of(needed)]);
    }
    model.is_good = model.is_good && CHECK(!model.has_run[number_of(n)]);
    model.has_run[number_of(n)] = true;
}

/* The record that exec would make, by hand. */
static bool run_plan(const rts_loop_facts_t *facts, const rts_plan_t *plan, int resident) {
    DvmType count[RTS_MAX_RANK], time[RTS_MAX_RANK], tile[RTS_MAX_RANK], along[RTS_MAX_RANK];
    DvmType predecessor[RTS_MAX_PREDECESSORS * RTS_MAX_RANK];
    rts_columns_t columns = {.rank = 0};
    dvmhx_launch_t launch = {.size = sizeof launch,
                             .kind = (DvmType)plan->launch.kind,
                             .march_dim = plan->launch.march_dim,
                             .front_count = 1};
    const dvmhx_record_t record = {.size = sizeof record,
                                   .rank = facts->rank,
                                   .dependent = (DvmType)plan->launch.inside,
                                   .count = count,
                                   .time = time,
                                   .launch = &launch};
    for (int dim = 0; dim < facts->rank; dim++) {
        count[dim] = facts->count[dim];
        time[dim] = plan->time[dim];
        tile[dim] = dim == plan->launch.march_dim ? 1 : plan->tile[dim];
        launch.front_count += time[dim] * (count[dim] - 1);
    }
    for (int i = 0; i < 3; i++) {
        launch.dim[i] = plan->launch.dim[i];
        launch.block[i] = plan->launch.block[i];
    }
    if (plan->launch.kind == RTS_LAUNCH_TILES) {
        launch.column_count = rts_columns_of(plan, facts->rank, facts->count, &columns);
        launch.chunk = plan->chunk;
        launch.piece_count = (launch.front_count + plan->chunk - 1) / plan->chunk;
        launch.counters = rts_alloc_zeroed((size_t)(1 + 2 * launch.column_count), sizeof(int));
        rts_columns_order(&columns, launch.counters + 1 + launch.column_count);
        launch.order = launch.counters + 1 + launch.column_count;
        launch.predecessor_count = columns.predecessor_count;
        for (int dim = 0; dim < facts->rank; dim++) {
            along[dim] = columns.count[dim];
            for (int i = 0; i < columns.predecessor_count; i++)
                predecessor[i * facts->rank + dim] = columns.predecessor[i][dim];
        }
        launch.columns = along;
        launch.tile = tile;
        launch.predecessor = predecessor;
    }
    model.facts = facts;
    memset(model.has_run, 0, sizeof model.has_run);
    model.count = 0;
    model.is_good = true;
    const bool ran = fake_launch_run(&record, resident, run_iteration, NULL);
    rts_free(launch.counters);
    return ran && model.is_good && CHECK_EQ_INT(model.count, (int)fake_size(count, facts->rank, ~0u));
}

static void print_case(const rts_loop_facts_t *facts, const rts_plan_t *plan) {
    char name[128];
    fprintf(stderr, "  plan %s of", rts_plan_name(plan, facts->rank, name, sizeof name));
    for (int dim = 0; dim < facts->rank; dim++)
        fprintf(stderr, " %lld", (long long)facts->count[dim]);
    for (int i = 0; i < facts->dependences.count; i++) {
        fprintf(stderr, "; (");
        for (int dim = 0; dim < facts->rank; dim++)
            fprintf(stderr, " %lld", (long long)facts->dependences.vector[i][dim]);
        fprintf(stderr, " )");
    }
    fprintf(stderr, "\n");
}

/* Small loops with up to five dependences, some backwards along inner dims. */
static rts_loop_facts_t random_facts(void) {
    rts_loop_facts_t facts = {.rank = (int)check_random_range(1, 4),
                              .is_gpu = true,
                              .body = RTS_BODY_RECORD,
                              .contiguous_dim = -1,
                              .element_bytes = 8,
                              .array_count = 1,
                              .thread_count = 2,
                              .device = 1};
    const rts_index_t most[] = {0, 60, 17, 9, 5};
    rts_dependences_init(&facts.dependences, facts.rank);
    for (int dim = 0; dim < facts.rank; dim++)
        facts.count[dim] = check_random_range(1, most[facts.rank]);
    facts.contiguous_dim = (int)check_random_range(-1, facts.rank - 1);
    for (int64_t left = check_random_once_in(4) ? 0 : check_random_range(1, 5); left > 0; left--) {
        rts_index_t vector[RTS_MAX_RANK] = {0};
        const int lead = (int)check_random_range(0, facts.rank - 1);
        vector[lead] = check_random_once_in(3) ? check_random_range(1, 3) : 1;
        for (int dim = lead + 1; dim < facts.rank; dim++)
            vector[dim] = check_random_once_in(2) ? check_random_range(-2, 2) : 0;
        CHECK_EQ_INT(rts_dependences_add(&facts.dependences, vector), RTS_OK);
    }
    rts_dependences_clip(&facts.dependences, facts.count);
    if (check_random_once_in(4))
        for (int i = 0; i < 3; i++)
            facts.cuda_block[i] = check_random_range(1, i == 0 ? 40 : 6);
    facts.no_tiles = check_random_once_in(10);
    facts.reduces_arrays = check_random_once_in(10);
    return facts;
}

static bool check_values(const rts_loop_facts_t *facts, const rts_plan_t *plan) {
    const bool marches = plan->launch.kind >= RTS_LAUNCH_FRONTS;
    return CHECK(plan->is_launch && plan->chunk >= 1 && plan->work_s >= 0 && plan->overhead_s > 0) &&
           CHECK(!facts->no_tiles || !marches) &&
           CHECK(!facts->reduces_arrays || plan->launch.kind != RTS_LAUNCH_TILES) &&
           CHECK(!marches || facts->dependences.count > 0) &&
           CHECK(plan->launch.kind != RTS_LAUNCH_GRID || plan->launch.march_dim < 0 ||
                 (plan->launch.march_dim == plan->launch.dim[1] && plan->time[plan->launch.dim[1]] == 1 &&
                  plan->time[plan->launch.dim[0]] >= 1)) &&
           CHECK((plan->strategy == RTS_CHOICE_TILE) == (plan->launch.kind == RTS_LAUNCH_TILES)) &&
           CHECK((plan->strategy == RTS_CHOICE_FRONT) == (plan->launch.kind == RTS_LAUNCH_FRONTS));
}

static bool check_candidates(const rts_loop_facts_t *facts, const rts_plan_t candidate[], int count) {
    char name[RTS_MAX_CANDIDATES][128];
    bool good = CHECK(count >= 1 && count <= RTS_MAX_CANDIDATES), has_single = false;
    for (int i = 0; i < count && good; i++) {
        rts_plan_name(&candidate[i], facts->rank, name[i], sizeof name[i]);
        for (int k = 0; k < i; k++)
            good = good && CHECK(strcmp(name[i], name[k]) != 0);
        good = good && check_values(facts, &candidate[i]) &&
               run_plan(facts, &candidate[i], (int)check_random_range(1, 3));
        has_single = has_single || strcmp(name[i], "gpu thread") == 0;
        if (!good)
            print_case(facts, &candidate[i]);
    }
    return good && CHECK(has_single);
}

static void test_legal(int trials) {
    uint64_t state = check_random_u64();
    bool good = true;
    for (int trial = 0; trial < trials && good; trial++) {
        const rts_loop_facts_t facts = random_facts();
        rts_plan_t candidate[RTS_MAX_CANDIDATES], plan;
        good = check_candidates(&facts, candidate, rts_candidates_make(&facts, false, candidate));
        for (int drawn = 0; drawn < 6 && good; drawn++) {
            rts_candidates_random(&facts, &state, &plan);
            good = check_values(&facts, &plan) && run_plan(&facts, &plan, (int)check_random_range(1, 8));
            if (!good)
                print_case(&facts, &plan);
        }
    }
    for (int kind = 0; kind < 4; kind++)
        CHECK(fake_kinds_seen[kind] > trials / 4);
}

/* ---- what is tried first ---- */

/* A loop over one array of its own shape; `last_first`: it is stored with its first axis fastest. */
static rts_loop_facts_t known_facts(rts_array_facts_t *array, int rank, rts_index_t extent) {
    rts_loop_facts_t facts = {.rank = rank,
                              .is_gpu = true,
                              .arrays = array,
                              .array_count = 1,
                              .unit_steps = ~0u,
                              .body = RTS_BODY_RECORD,
                              .contiguous_dim = rank - 1,
                              .element_bytes = 8,
                              .thread_count = 1,
                              .device = 1};
    *array = (rts_array_facts_t){.rank = rank, .element_bytes = 8, .intent = 3};
    for (int dim = 0; dim < rank; dim++) {
        facts.count[dim] = array->extent[dim] = extent;
        array->dim[dim] = dim;
        array->sign[dim] = 1;
    }
    rts_dependences_init(&facts.dependences, rank);
    return facts;
}

static void add_unit_vectors(rts_loop_facts_t *facts) {
    for (int dim = 0; dim < facts->rank; dim++) {
        rts_index_t vector[RTS_MAX_RANK] = {0};
        vector[dim] = 1;
        CHECK_EQ_INT(rts_dependences_add(&facts->dependences, vector), RTS_OK);
    }
}

static rts_plan_t first_on(const rts_loop_facts_t *facts, rts_option_kind_t kind, rts_layout_form_t *form_p) {
    static rts_option_t *option;
    rts_plan_t candidate[RTS_MAX_CANDIDATES];
    option = option != NULL ? option : rts_alloc(rts_option_bytes(8));
    CHECK(option != NULL && rts_options_make(facts, kind, option));
    CHECK(rts_candidates_make_on(facts, option, false, candidate) >= 1);
    *form_p = option->form[0];
    return candidate[0];
}

static bool offers_tiles(const rts_loop_facts_t *facts) {
    rts_plan_t candidate[RTS_MAX_CANDIDATES];
    bool found = false;
    for (int i = rts_candidates_make(facts, false, candidate) - 1; i >= 0; i--)
        found = found || candidate[i].launch.kind == RTS_LAUNCH_TILES;
    return found;
}

static void test_first(void) {
    rts_array_facts_t array;
    rts_layout_form_t form;
    rts_loop_facts_t facts = known_facts(&array, 3, 512);
    rts_plan_t plan = first_on(&facts, RTS_OPTION_NATURAL, &form);
    CHECK_EQ_INT(plan.launch.kind, RTS_LAUNCH_GRID); /* independent: x is the contiguous dim */
    CHECK_EQ_INT(plan.launch.dim[0], 2);
    array.dim[0] = 2; /* walked the other way round */
    array.dim[2] = 0;
    plan = first_on(&facts, RTS_OPTION_NATURAL, &form);
    CHECK_EQ_INT(plan.launch.dim[0], 0);
    /* A sweep: tiles, along fronts where these are stored. */
    facts = known_facts(&array, 3, 512);
    add_unit_vectors(&facts);
    plan = first_on(&facts, RTS_OPTION_DIAGONAL, &form);
    CHECK_EQ_INT(form.kind, RTS_LAYOUT_SKEW);
    CHECK_EQ_INT(plan.launch.kind, RTS_LAUNCH_TILES);
    CHECK_EQ_INT(plan.launch.dim[0], 1); /* rows: (j + 1, k - 1) is one element on */
    CHECK_EQ_INT(plan.launch.march_dim, 2);
    const double on_fronts = plan.work_s + plan.overhead_s;
    plan = first_on(&facts, RTS_OPTION_NATURAL, &form);
    CHECK(plan.work_s + plan.overhead_s >= on_fronts);
    /* A dependence goes back along both inner dims: columns of one row of that keep their order. */
    facts = known_facts(&array, 3, 100);
    add_unit_vectors(&facts);
    CHECK_EQ_INT(rts_dependences_add(&facts.dependences, (rts_index_t[RTS_MAX_RANK]){1, -1, -1}), RTS_OK);
    CHECK(offers_tiles(&facts));
    /* One dependent dim, as in adi: threads along the contiguous one of the others. */
    facts = known_facts(&array, 3, 384);
    CHECK_EQ_INT(rts_dependences_add(&facts.dependences, (rts_index_t[RTS_MAX_RANK]){1}), RTS_OK);
    plan = first_on(&facts, RTS_OPTION_NATURAL, &form);
    CHECK_EQ_INT(plan.launch.kind, RTS_LAUNCH_LINES);
    CHECK_EQ_INT(plan.launch.dim[0], 2);
}

/* A loop without dependences on arrays that another one wants by fronts: neighbours along x are neighbours in memory there, too. */
static void test_grid_on_fronts(void) {
    rts_array_facts_t array;
    rts_option_t *option = rts_alloc(rts_option_bytes(8));
    rts_plan_t candidate[RTS_MAX_CANDIDATES];
    rts_loop_facts_t facts = known_facts(&array, 3, 160);
    add_unit_vectors(&facts);
    CHECK(rts_options_make(&facts, RTS_OPTION_DIAGONAL, option));
    const rts_layout_form_t *form = &option->form[0];
    rts_dependences_init(&facts.dependences, 3);
    CHECK(rts_candidates_make_on(&facts, option, false, candidate) >= 1);
    const rts_launch_t *launch = &candidate[0].launch;
    CHECK_EQ_INT(form->kind, RTS_LAYOUT_SKEW);
    CHECK_EQ_INT(launch->kind, RTS_LAUNCH_GRID);
    /* Axis k is walked by dim k; either of the two ways along a front is as good. */
    CHECK_EQ_INT(launch->dim[0] + launch->dim[1], form->perm[1] + form->perm[2]);
    CHECK_EQ_INT(launch->dim[2], form->perm[0]);
    CHECK_EQ_INT(launch->march_dim, launch->dim[1]);
    CHECK_EQ_INT(candidate[0].time[launch->dim[0]], 1);
    CHECK_EQ_INT(candidate[0].time[launch->dim[2]], 0);
    rts_free(option);
    /* Where rows lie along a dim, nothing is gained. */
    CHECK(rts_candidates_make_on(&facts, NULL, false, candidate) >= 1);
    for (int i = 0; candidate[i].launch.kind == RTS_LAUNCH_GRID; i++)
        CHECK_EQ_INT(candidate[i].launch.march_dim, -1);
}

/* Rows that are not whole pieces of memory are padded where the form is not home's anyway. */
static void test_padding(void) {
    rts_array_facts_t array;
    rts_layout_form_t form;
    rts_loop_facts_t facts = known_facts(&array, 2, 509);
    array.dim[0] = 1;
    array.dim[1] = 0;
    (void)first_on(&facts, RTS_OPTION_PERMUTED, &form);
    CHECK_EQ_INT(form.pitch_align, 16);
    array.extent[0] = array.extent[1] = 512;
    (void)first_on(&facts, RTS_OPTION_PERMUTED, &form);
    CHECK_EQ_INT(form.pitch_align, 1);
    array.extent[0] = array.extent[1] = 60; /* a sixteenth more each row would be too much */
    (void)first_on(&facts, RTS_OPTION_PERMUTED, &form);
    CHECK_EQ_INT(form.pitch_align, 1);
}

int main(void) {
    check_random_start();
    test_legal(1500);
    test_first();
    test_grid_on_fronts();
    test_padding();
    return check_finish();
}
