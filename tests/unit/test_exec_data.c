/* What exec tells the planner and what it does with the answer, case by case: rules of arrays and loops, arrays that are only read,
 * arrays that occur twice, loops that run at home, values that nobody needs, the names and the log. */
#include <config.h>

#include "rts/exec.h"

#include "tests/unit/exec_example.h"

#include <unistd.h>

static rts_layout_form_t turned(void) {
    rts_layout_form_t form = rts_layout_form_home(2);
    form.perm[0] = 1;
    form.perm[1] = 0;
    return form;
}

static void pin(int array, const rts_layout_form_t *form) {
    rts_layout_rule_t *rule = &example_arrays[array].array->layout_rule;
    *rule = (rts_layout_rule_t){.is_pinned = form != NULL};
    if (form != NULL)
        rule->pinned = *form;
}

/* Two square arrays of rank 2, a vector, and one more. */
static void open_squares(const char *planner, int devices) {
    open_program(planner, devices);
    for (int array = 0; array < 4; array += array == 1 ? 2 : 1) {
        rts_box_t space = {.rank = 2, .lo = {0, 0}, .hi = {12, 12}};
        const rts_index_t edges[] = {0, 0};
        const rts_axis_rule_t rule[] = {{.kind = RTS_AXIS_BLOCK, .grid_axis = 0},
                                        {.kind = RTS_AXIS_BLOCK, .grid_axis = 1}};
        example_close_array(&example_arrays[array]);
        CHECK_EQ_INT(rts_array_create(&space, (rts_element_t){.code = rt_LLONG, .bytes = sizeof(int64_t)},
                                      edges, edges, true, &example_arrays[array].array),
                     RTS_OK);
        CHECK_EQ_INT(rts_array_distribute(example_arrays[array].array, rule, &rts_runtime()->grid), RTS_OK);
        for (int i = 0; i < 144; i++)
            ((int64_t *)example_arrays[array].array->home.buffer)[i] = example_arrays[array].value[i] =
                example_arrays[array].seen[i] = i;
    }
}

/* written[i][j] from read[i][j]; both dims whole. */
static example_loop_t copy_loop(int written, int read) {
    example_loop_t loop = {.rank = 2, .use_count = 2, .salt = 7, .step = {1, 1}, .count = {12, 12}};
    const int arrays[] = {written, read};
    for (int u = 0; u < 2; u++)
        loop.use[u] = (example_use_t){.array = arrays[u],
                                      .intent = u == 0 ? RTS_INTENT_OUT : RTS_INTENT_IN,
                                      .dim = {0, 1, -1, -1, -1, -1, -1, -1},
                                      .sign = {1, 1, 1, 1, 1, 1, 1, 1}};
    return loop;
}

static rts_region_t *open_region(int intent_of_0, int intent_of_1) {
    rts_region_t *region = NULL;
    CHECK_EQ_INT(rts_region_open(0, &region), RTS_OK);
    CHECK_EQ_INT(rts_region_register(region, example_arrays[0].array, intent_of_0, NULL), RTS_OK);
    CHECK_EQ_INT(rts_region_register(region, example_arrays[1].array, intent_of_1, NULL), RTS_OK);
    CHECK_EQ_INT(rts_region_execute(region, DEVICE_TYPE_HOST), RTS_OK);
    return region;
}

static void perform(const example_loop_t *loop, rts_region_t *region) {
    CHECK_EQ_INT(example_perform(loop, region), RTS_OK);
    example_model(loop);
    for (int i = 0; i < 2; i++)
        CHECK(example_check_home(&example_arrays[i]));
}

static int forms_of(int array, rts_layout_form_t form[2]) {
    return rts_coherence_present(example_arrays[array].array, 0, NULL, form);
}

#define CHECK_LAYOUTS(expected)                                                                              \
    do {                                                                                                     \
        char names[256];                                                                                     \
        CHECK_EQ_STR(rts_exec_last_layouts(names, sizeof names), expected);                                  \
    } while (0)

/* What a loop only reads stays at home, too; what it writes does not, whatever the region says of either. */
static void test_read_only(void) {
    const int both = RTS_INTENT_IN | RTS_INTENT_OUT;
    const rts_layout_form_t form = turned();
    const example_loop_t loop = copy_loop(0, 1);
    rts_layout_form_t present[2];
    open_squares("cost", 0);
    pin(0, &form);
    pin(1, &form);
    rts_region_t *region = open_region(both, both);
    perform(&loop, region);
    CHECK_LAYOUTS("perm(1,0),perm(1,0)");
    CHECK_EQ_INT(forms_of(1, present), 2);
    if (CHECK_EQ_INT(forms_of(0, present), 1))
        CHECK(rts_layout_form_equal(&present[0], &form));
    CHECK_EQ_INT(rts_region_present(region, example_arrays[1].array, 0, present), 2);
    CHECK_EQ_INT(rts_region_close(region), RTS_OK);
    CHECK_EQ_INT(rts_coherence_fetch(example_arrays[0].array, 0, NULL), RTS_OK);
    CHECK(example_check_home(&example_arrays[0]));
    close_program();
}

/* Rules of the loop go before those of arrays; where all is forbidden, home's forms stay. */
static void test_rules(void) {
    const rts_layout_form_t form = turned(), home = rts_layout_form_home(2);
    const int both = RTS_INTENT_IN | RTS_INTENT_OUT;
    example_loop_t loop = copy_loop(0, 1);
    open_squares("greedy", 0);
    pin(0, &home);
    pin(1, &form);
    rts_region_t *region = open_region(both, both);
    perform(&loop, region);
    CHECK_LAYOUTS("plain,perm(1,0)");
    example_rule = (rts_layout_rule_t){.is_pinned = true, .pinned = form};
    loop.salt++;
    perform(&loop, region);
    CHECK_LAYOUTS("perm(1,0),perm(1,0)");
    example_rule.pinned = rts_layout_form_home(3); /* of another rank: for none of these */
    perform(&loop, region);
    CHECK_LAYOUTS("plain,perm(1,0)");
    example_rule = (rts_layout_rule_t){.forbidden = 7};
    perform(&loop, region);
    CHECK_LAYOUTS("plain,plain");
    pin(0, NULL); /* the rows of what is written are walked by the outer dim: the classic rule turns it */
    pin(1, NULL);
    loop.use[0].dim[0] = 1;
    loop.use[0].dim[1] = 0;
    example_rule = (rts_layout_rule_t){.forbidden = 1u << RTS_LAYOUT_PLAIN};
    perform(&loop, region);
    CHECK_LAYOUTS("plain,plain");
    example_rule = (rts_layout_rule_t){.forbidden = 0};
    perform(&loop, region);
    CHECK_LAYOUTS("perm(1,0),plain");
    CHECK_EQ_INT(rts_region_close(region), RTS_OK);
    close_program();
}

/* A layout that no memory holds: home's instead, once and for all, and one warning. */
static void test_no_memory(const char *planner) {
    char name[64];
    static char text[4096];
    const int both = RTS_INTENT_IN | RTS_INTENT_OUT;
    const example_loop_t loop = copy_loop(0, 1);
    rts_layout_form_t huge = turned();
    huge.pitch_align = (rts_index_t)1 << 59;
    snprintf(name, sizeof name, "test_exec_data.%ld.log", (long)getpid());
    setenv("DVMH_LOGFILE", name, 1);
    open_squares(planner, 0);
    pin(0, &huge);
    int64_t calls = 0;
    for (int times = 0; times < 9; times++) {
        rts_region_t *region = open_region(both, both);
        perform(&loop, region);
        CHECK_LAYOUTS("plain,plain");
        CHECK(times < 6 || rts_memory_calls() == calls);
        calls = rts_memory_calls();
        CHECK_EQ_INT(rts_region_close(region), RTS_OK);
    }
    close_program();
    FILE *const file = fopen(name, "r");
    text[file != NULL ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
    if (file != NULL)
        fclose(file);
    const char *first = strstr(text, "does without the layout perm(1,0)");
    CHECK(first != NULL && strstr(first + 1, "does without") == NULL);
    unlink(name);
    unsetenv("DVMH_LOGFILE");
}

/* One array in two places of the list: one form, and written is what any of them writes. */
static void test_twice(void) {
    const int both = RTS_INTENT_IN | RTS_INTENT_OUT;
    const rts_layout_form_t form = turned();
    rts_layout_form_t present[2];
    example_loop_t loop = copy_loop(0, 0);
    open_squares("cost", 0);
    pin(0, &form);
    example_first_use_last = true; /* the reading use is told first */
    rts_region_t *region = open_region(both, both);
    perform(&loop, region);
    CHECK_LAYOUTS("perm(1,0),perm(1,0)");
    if (CHECK_EQ_INT(forms_of(0, present), 1))
        CHECK(rts_layout_form_equal(&present[0], &form));
    loop.use[1].by_rows = true; /* one use needs strides, the other does not */
    perform(&loop, region);
    CHECK_LAYOUTS("plain,plain");
    loop.use[1].by_rows = false;
    loop.use[1].dim[0] = 1; /* read along the other diagonal: no form suits both uses */
    loop.use[1].dim[1] = 0;
    loop.count[1] = 1;
    perform(&loop, region);
    CHECK_LAYOUTS("plain,plain");
    example_first_use_last = false;
    CHECK_EQ_INT(rts_region_close(region), RTS_OK);
    close_program();
}

/* What a region replaces is not turned first; what it may read is. */
static void test_replaced(void) {
    const rts_layout_form_t form = turned(), home = rts_layout_form_home(2);
    rts_layout_form_t skew = form;
    skew.kind = RTS_LAYOUT_SKEW;
    skew.a = skew.b = 1;
    const example_loop_t loop = copy_loop(0, 1);
    open_squares("greedy", 0);
    pin(0, &form);
    pin(1, &home);
    rts_region_t *region = open_region(RTS_INTENT_OUT, RTS_INTENT_IN);
    perform(&loop, region);
    CHECK_EQ_INT(rts_region_close(region), RTS_OK);
    pin(0, &skew);
    region = open_region(RTS_INTENT_OUT, RTS_INTENT_IN);
    int64_t before = rts_stats_get(RTS_STAT_REORGANISATIONS);
    perform(&loop, region);
    CHECK_LAYOUTS("perm(1,0)+skew(+),plain");
    CHECK_EQ_INT(rts_stats_get(RTS_STAT_REORGANISATIONS), before);
    pin(0, &form); /* now an earlier loop of the region wrote it */
    perform(&loop, region);
    CHECK_EQ_INT(rts_stats_get(RTS_STAT_REORGANISATIONS), before + 1);
    CHECK_EQ_INT(rts_region_close(region), RTS_OK);
    region = open_region(RTS_INTENT_IN | RTS_INTENT_OUT, RTS_INTENT_IN);
    pin(0, &skew);
    before = rts_stats_get(RTS_STAT_REORGANISATIONS);
    perform(&loop, region);
    CHECK_EQ_INT(rts_stats_get(RTS_STAT_REORGANISATIONS), before + 1);
    CHECK_EQ_INT(rts_region_close(region), RTS_OK);
    /* What the region says that it writes, but the loop only reads, is not replaced. */
    const example_loop_t other_way = copy_loop(1, 0);
    pin(0, &form);
    region = open_region(RTS_INTENT_OUT, RTS_INTENT_OUT);
    perform(&other_way, region);
    CHECK_EQ_INT(rts_region_close(region), RTS_OK);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ_INT(rts_coherence_fetch(example_arrays[i].array, 0, NULL), RTS_OK);
        CHECK(example_check_home(&example_arrays[i]));
    }
    close_program();
}

/* Forms at hand count for what a loop needs: nothing of an array that the region only writes; of several parts, those of all. */
static void test_present(void) {
    const rts_layout_form_t form = turned();
    const rts_box_t upper = {.rank = 2, .lo = {0, 0}, .hi = {6, 12}},
                    lower = {.rank = 2, .lo = {6, 0}, .hi = {12, 12}};
    rts_layout_form_t present[2];
    rts_replica_t *replica;
    rts_region_t *region = NULL;
    open_squares("off", 0);
    rts_array_t *array = example_arrays[0].array;
    CHECK_EQ_INT(rts_coherence_place(array, 0, &form, &replica), RTS_OK);
    CHECK_EQ_INT(rts_coherence_fetch_to(array, replica, NULL), RTS_OK);
    CHECK_EQ_INT(rts_coherence_written_at(array, replica, &upper), RTS_OK);
    for (int intent = RTS_INTENT_IN; intent <= RTS_INTENT_OUT; intent++) {
        CHECK_EQ_INT(rts_region_open(0, &region), RTS_OK);
        CHECK_EQ_INT(rts_region_register(region, array, intent, &lower), RTS_OK);
        CHECK_EQ_INT(rts_region_present(region, array, 0, present), 2);
        CHECK_EQ_INT(rts_region_register(region, array, intent, &upper), RTS_OK);
        const bool reads = intent == RTS_INTENT_IN;
        if (CHECK_EQ_INT(rts_region_present(region, array, 0, present), reads ? 1 : 2) && reads)
            CHECK(rts_layout_form_equal(&present[0], &form));
        CHECK_EQ_INT(rts_region_present(region, array, 0, present), reads ? 1 : 2);
        CHECK_EQ_INT(rts_region_close(region), RTS_OK);
    }
    close_program();
}

/* A loop that is new to the planner takes an array as it lies where that suits it: it was told how. */
static void test_taken_as_it_lies(void) {
    const int both = RTS_INTENT_IN | RTS_INTENT_OUT;
    const rts_layout_form_t form = turned();
    const example_loop_t first = copy_loop(0, 1);
    example_loop_t second = copy_loop(1, 0);
    open_squares("cost", 0);
    pin(0, &form);
    rts_region_t *region = open_region(both, both);
    perform(&first, region);
    pin(0, NULL);
    second.use[1].dim[0] = 1; /* down the columns of the array: along its rows in memory */
    second.use[1].dim[1] = 0;
    perform(&second, region);
    CHECK_LAYOUTS("plain,perm(1,0)");
    CHECK_EQ_INT(rts_region_close(region), RTS_OK);
    close_program();
}

/* An empty loop moves nothing, and writes nothing. */
static void test_empty(void) {
    const int both = RTS_INTENT_IN | RTS_INTENT_OUT;
    const rts_layout_form_t form = turned();
    rts_layout_form_t present[2], other = form;
    example_loop_t loop = copy_loop(0, 1);
    other.pitch_align = 8;
    open_squares("cost", 0);
    pin(0, &form);
    rts_region_t *region = open_region(both, both);
    perform(&loop, region);
    loop.count[0] = 0;
    pin(0, &other);
    const int64_t before = rts_stats_get(RTS_STAT_REORGANISATIONS);
    CHECK_EQ_INT(example_perform(&loop, region), RTS_OK);
    CHECK_EQ_INT(rts_stats_get(RTS_STAT_REORGANISATIONS), before);
    CHECK_EQ_INT(forms_of(0, present), 1);
    CHECK_EQ_INT(rts_region_close(region), RTS_OK);
    close_program();
}

/* In the steady state a loop allocates nothing and moves nothing. */
static void test_steady(const char *planner, int devices, const rts_layout_form_t *written) {
    const rts_layout_form_t form = turned();
    const example_loop_t loop = copy_loop(0, 1);
    open_squares(planner, devices);
    pin(0, &form);
    pin(1, &form);
    int64_t calls = 0, moved = 0;
    for (int times = 0; times < 30; times++) {
        rts_region_t *region = open_region(RTS_INTENT_OUT, RTS_INTENT_IN);
        perform(&loop, region);
        CHECK_EQ_INT(rts_region_close(region), RTS_OK);
        if (times == 0)
            pin(0, written);
        if (times < 20) {
            calls = rts_memory_calls();
            moved = rts_stats_get(RTS_STAT_REORGANISATIONS) + rts_stats_get(RTS_STAT_COPIES);
        }
    }
    CHECK_EQ_INT(rts_memory_calls(), calls);
    CHECK_EQ_INT(rts_stats_get(RTS_STAT_REORGANISATIONS) + rts_stats_get(RTS_STAT_COPIES), moved);
    close_program();
}

/* The log says why, for developers only. */
static void test_log(void) {
    static char text[4096];
    char name[64];
    const int both = RTS_INTENT_IN | RTS_INTENT_OUT;
    const rts_layout_form_t form = turned();
    const example_loop_t loop = copy_loop(0, 1);
    snprintf(name, sizeof name, "test_exec_data.%ld.log", (long)getpid());
    setenv("DVMH_LOGFILE", name, 1);
    for (int debug = 0; debug < 2; debug++) {
        setenv("DVMH_LOGLEVEL", debug ? "debug" : "warning", 1);
        open_squares("greedy", 0);
        pin(1, &form);
        rts_region_t *region = open_region(both, both);
        perform(&loop, region);
        CHECK_EQ_INT(rts_region_close(region), RTS_OK);
        close_program();
        FILE *const file = fopen(name, "r");
        text[file != NULL ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
        if (file != NULL)
            fclose(file);
        CHECK((strstr(text, "plain,perm(1,0): ") != NULL) == (debug == 1));
        memset(text, 0, sizeof text);
    }
    unlink(name);
}

int main(void) {
    check_random_start();
    setenv("DVMH_SET_AFFINITY", "0", 1);
    test_read_only();
    test_rules();
    test_twice();
    test_replaced();
    test_present();
    test_taken_as_it_lies();
    test_empty();
    test_no_memory("greedy");
    test_no_memory("cost");
    const rts_layout_form_t form = turned(), home = rts_layout_form_home(2);
    test_steady("greedy", 0, &form);
    test_steady("greedy", 0, &home);
    test_steady("cost", 1, &form);
    test_log();
    return check_finish();
}
