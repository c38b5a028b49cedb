/* The cheapest choice of layouts around a circle of loops, against a model of its own: sets of forms at hand, all assignments. */
#include <math.h>

#include "rts/memory.h"
#include "rts/schedule.h"

#include "tests/check.h"

enum { MAX_USES = 512 };

static rts_schedule_problem_t problem;
static rts_schedule_use_t use[MAX_USES];
static int choice_count;

static void random_problem(int steps, int arrays, int options, int forms) {
    int used = 0;
    problem.step_count = steps;
    problem.array_count = arrays;
    problem.homeless = check_random_once_in(3) ? check_random_u64() : 0;
    for (int s = 0; s < steps; s++) {
        rts_schedule_step_t *step = &problem.step[s];
        step->option_count = (int)check_random_range(1, options);
        step->use_count = 0;
        step->use = &use[used];
        for (int o = 0; o < step->option_count; o++)
            step->seconds[o] = (double)check_random_range(1, 40);
        if (step->option_count > 1 && check_random_once_in(8))
            step->seconds[check_random_range(1, step->option_count - 1)] = INFINITY;
        for (int a = 0; a < arrays; a++) {
            if (check_random_once_in(2) || step->use_count == 4)
                continue;
            rts_schedule_use_t *one = &use[used++];
            *one = (rts_schedule_use_t){.array = a, .writes = check_random_once_in(2)};
            one->reorganise_s = (double)check_random_range(0, 20);
            one->visit_s = check_random_once_in(4) ? (double)check_random_range(1, 20) : 0;
            for (int o = 0; o < step->option_count; o++)
                one->form[o] = check_random_once_in(2) ? 0 : (int)check_random_range(0, forms - 1);
            step->use_count++;
        }
    }
}

/* ---- the model: has[array][form] ---- */

static double play_round(bool has[][RTS_SCHEDULE_MAX_FORMS], const int choice[], bool with_loops) {
    double seconds = 0;
    for (int s = 0; s < problem.step_count; s++) {
        const rts_schedule_step_t *step = &problem.step[s];
        seconds += with_loops ? step->seconds[choice[s]] : 0;
        for (int i = 0; i < step->use_count; i++) {
            const rts_schedule_use_t *one = &step->use[i];
            bool *mine = has[one->array];
            const int form = one->form[choice[s]];
            const bool homeless = (problem.homeless >> one->array & 1) != 0, was = mine[form];
            seconds += !was ? one->reorganise_s : form != 0 && !homeless ? one->visit_s : 0;
            for (int f = 0; f < RTS_SCHEDULE_MAX_FORMS; f++) { /* what is lost */
                const bool makes_room = !was && form != 0 && f != 0;
                if (f != form && (one->writes || homeless || makes_room))
                    mine[f] = false;
            }
            mine[form] = true;
        }
    }
    return seconds;
}

/* Rounds until the costs are the same as two rounds before: a cycle of states of the model is that short. */
static double model_cost(const int choice[], const int before[], double *once_p) {
    static bool has[RTS_SCHEDULE_MAX_ARRAYS][RTS_SCHEDULE_MAX_FORMS];
    memset(has, 0, sizeof has);
    for (int a = 0; a < problem.array_count; a++)
        has[a][0] = true;
    for (int i = 0; i < 4 && before != NULL; i++)
        play_round(has, before, false);
    const double first = play_round(has, choice, false);
    for (int i = 0; i < 3; i++)
        play_round(has, choice, false);
    const double later = play_round(has, choice, false);
    if (once_p != NULL)
        *once_p = first - later;
    return play_round(has, choice, true);
}

static double brute_force(int step, int choice[]) {
    double best = INFINITY;
    if (step == problem.step_count) {
        choice_count++;
        return model_cost(choice, NULL, NULL);
    }
    for (choice[step] = 0; choice[step] < problem.step[step].option_count; choice[step]++) {
        const double seconds = brute_force(step + 1, choice);
        best = seconds < best ? seconds : best;
    }
    return best;
}

static bool is_close(double a, double b) {
    return fabs(a - b) <= 1e-9 * (1 + fabs(a));
}

static void random_choice(int choice[]) {
    for (int s = 0; s < problem.step_count; s++)
        do
            choice[s] = (int)check_random_range(0, problem.step[s].option_count - 1);
        while (isinf(problem.step[s].seconds[choice[s]]));
}

static void test_against_brute_force(void) {
    for (int trial = 0; trial < 6000; trial++) {
        int choice[RTS_SCHEDULE_MAX_STEPS], other[RTS_SCHEDULE_MAX_STEPS], scratch[RTS_SCHEDULE_MAX_STEPS];
        double once;
        random_problem((int)check_random_range(1, 6), (int)check_random_range(0, 4),
                       (int)check_random_range(1, 3), (int)check_random_range(1, 4));
        random_choice(choice);
        random_choice(other);
        CHECK(is_close(rts_schedule_cost(&problem, choice), model_cost(choice, other, &once)));
        CHECK(is_close(rts_schedule_once(&problem, other, choice), once > 0 ? once : 0));
        CHECK_EQ_INT(rts_schedule_solve(&problem, choice), RTS_OK);
        const double found = model_cost(choice, NULL, NULL), best = brute_force(0, scratch);
        if (!CHECK(is_close(found, best))) {
            fprintf(stderr, "  trial %d: found %g, best %g\n", trial, found, best);
            return;
        }
    }
    CHECK(choice_count > 50000);
}

/* Arrays that do not meet are solved apart, however many states they have together. */
static void test_apart(void) {
    for (int trial = 0; trial < 20; trial++) {
        enum { PAIRS = 40 };
        int choice[RTS_SCHEDULE_MAX_STEPS] = {0}, group[RTS_SCHEDULE_MAX_STEPS];
        double best = 0;
        random_problem(2 * PAIRS, 0, 3, 1);
        problem.array_count = PAIRS;
        for (int s = 0; s < 2 * PAIRS; s++) {
            use[s] = (rts_schedule_use_t){.array = s % PAIRS, .writes = true};
            use[s].reorganise_s = (double)check_random_range(0, 10);
            for (int o = 0; o < 3; o++)
                use[s].form[o] = o;
            problem.step[s].use = &use[s];
            problem.step[s].use_count = 1;
        }
        CHECK_EQ_INT(rts_schedule_groups(&problem, group), PAIRS);
        for (int a = 0; a < PAIRS; a++) {
            double least = INFINITY;
            for (int i = 0; i < problem.step[a].option_count; i++)
                for (int j = 0; j < problem.step[a + PAIRS].option_count; j++) {
                    const double moves = i == j ? 0 : use[a].reorganise_s + use[a + PAIRS].reorganise_s;
                    const double sum =
                        problem.step[a].seconds[i] + problem.step[a + PAIRS].seconds[j] + moves;
                    least = sum < least ? sum : least;
                }
            CHECK_EQ_INT(group[a], group[a + PAIRS]);
            best += least;
        }
        CHECK_EQ_INT(rts_schedule_solve(&problem, choice), RTS_OK);
        CHECK(is_close(rts_schedule_cost(&problem, choice), best));
    }
}

/* Too many states for the exact way: never worse than the start, than all home, or than any single change. */
static void test_large(void) {
    double gained = 0;
    for (int trial = 0; trial < 8; trial++) {
        int choice[RTS_SCHEDULE_MAX_STEPS], start[RTS_SCHEDULE_MAX_STEPS];
        random_problem(trial == 0 ? RTS_SCHEDULE_MAX_STEPS : (int)check_random_range(20, 60), 20, 3, 4);
        random_choice(start);
        memcpy(choice, start, sizeof choice);
        CHECK_EQ_INT(rts_schedule_solve(&problem, choice), RTS_OK);
        const double found = rts_schedule_cost(&problem, choice);
        gained += rts_schedule_cost(&problem, start) / found;
        CHECK(found <= rts_schedule_cost(&problem, start));
        for (int s = 0; s < problem.step_count; s++) {
            const int kept = choice[s];
            for (choice[s] = 0; choice[s] < problem.step[s].option_count; choice[s]++)
                CHECK(rts_schedule_cost(&problem, choice) >= found - 1e-9);
            choice[s] = kept;
        }
    }
    CHECK(gained > 8 * 1.15);
}

static void test_no_memory(void) {
    int choice[RTS_SCHEDULE_MAX_STEPS] = {0};
    const int64_t live = rts_memory_live();
    random_problem(4, 2, 1, 2);
    rts_memory_fail_at(1);
    CHECK_EQ_INT(rts_schedule_solve(&problem, choice), RTS_ERR_NO_MEMORY);
    rts_memory_fail_at(0);
    CHECK_EQ_INT(rts_schedule_solve(&problem, choice), RTS_OK);
    CHECK_EQ_INT(rts_memory_live(), live);
}

int main(void) {
    check_random_start();
    test_against_brute_force();
    test_apart();
    test_large();
    test_no_memory();
    return check_finish();
}
