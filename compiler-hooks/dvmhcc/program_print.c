/* What -Minfo prints. Tells what the analysis found; the layouts named are those that the form of the accesses suggests, in the words of
 * dvmhx.h. The runtime decides, by time. */
#include <config.h>

#include "compiler-hooks/dvmhcc/generate_gpu.h"
#include "compiler-hooks/dvmhcc/program_inside.h"
#include "rts/dependence.h"

#include <string.h>

static void print_place(const dvmhcc_program_t *program, const dvmhcc_loop_t *loop, FILE *file) {
    const dvmhcc_place_t place = dvmhcc_source_line(program->unit->source, loop->attached->begin);
    fprintf(file, "%s:%d: parallel loop", place.file, place.line);
    for (int dim = 0; dim < loop->rank; dim++)
        fprintf(file, "[%s]", loop->dims[dim].index->name);
    if (loop->parallel->mapping.target.text != NULL)
        fprintf(file, " on %s", loop->parallel->mapping.target.text);
    fprintf(file, "%s\n", loop->attached->region != NULL ? ", in a region" : "");
}

static void print_array(const dvmhcc_program_t *program, const dvmhcc_loop_t *loop,
                        const dvmhcc_loop_array_t *array, FILE *file) {
    static const char *const intents[] = {"unused", "in", "out", "inout"};
    fprintf(file, "  %s: %s;", array->array->entity->name, intents[array->intent & 3]);
    for (const dvmhcc_access_t *access = array->accesses; access != NULL; access = access->next) {
        char text[300];
        dvmhcc_access_text(program, loop, array, access, text, sizeof text);
        fprintf(file, "%s %s %s", access != array->accesses ? "," : "",
                access->is_read && access->is_written ? "updates"
                : access->is_written                  ? "writes"
                                                      : "reads",
                text);
        if (access->count > 1)
            fprintf(file, " x%d", access->count);
        if (access->is_conditional)
            fprintf(file, " at times");
        if (access->remote > 0)
            fprintf(file, " remotely");
    }
    fprintf(file, "\n");
}

static void print_dependences(const dvmhcc_loop_t *loop, FILE *file) {
    enum { limit = 64 };
    int64_t vectors[limit][DVMHCC_RANK_MAX];
    const int count = dvmhcc_loop_vectors(loop, limit, vectors);
    fprintf(file, "  dependences:%s", count == 0 && !loop->has_unknown_dependence ? " none" : "");
    for (int i = 0; i < count && i < limit; i++) {
        fprintf(file, " (");
        for (int dim = 0; dim < loop->rank; dim++)
            fprintf(file, "%s%lld", dim > 0 ? "," : "", (long long)vectors[i][dim]);
        fprintf(file, ")");
    }
    if (count > limit)
        fprintf(file, " and more");
    fprintf(file, "%s\n", loop->has_unknown_dependence ? " unknown" : "");
}

/* The axis that a dim walks, and whether it goes up there in the order of execution; -1: none. */
static int axis_walked_by(const dvmhcc_loop_t *loop, const dvmhcc_loop_array_t *array, int dim, int *sign_p) {
    for (int axis = array->array->rank - 1; axis >= 0; axis--) {
        const int walked = array->walked_by[axis];
        if (walked == dim + 1 || walked == -(dim + 1)) {
            *sign_p = (walked < 0) == loop->dims[dim].is_downward ? 1 : -1;
            return axis;
        }
    }
    return -1;
}

/* A legal time vector of the loop. @return false: dependences are unknown, or there is none */
static bool time_of(const dvmhcc_loop_t *loop, rts_index_t time[]) {
    rts_dependences_t dependences;
    rts_dependences_init(&dependences, loop->rank);
    for (const dvmhcc_dependence_t *d = loop->dependences; d != NULL; d = d->next) {
        if (!d->is_known || rts_dependences_add(&dependences, d->vector) != RTS_OK)
            return false;
    }
    return rts_dependences_time_vector(&dependences, time);
}

static void print_order(const dvmhcc_loop_array_t *array, int last, FILE *file) {
    fprintf(file, "PLAIN, order (");
    for (int axis = 0; axis < array->array->rank; axis++) {
        if (axis != last)
            fprintf(file, "%d,", axis + 1);
    }
    fprintf(file, "%d)", last + 1);
}

/* Diagonal kinds where fronts cross the innermost dim and another, and both walk axes; else the axis that the innermost dim walks
 * comes last. */
static void print_layout(const dvmhcc_loop_t *loop, const dvmhcc_loop_array_t *array, FILE *file) {
    rts_index_t time[RTS_MAX_RANK] = {0};
    int inner_sign = 1, outer_sign = 1, outer = -1, dim = loop->rank - 2;
    const int inner = axis_walked_by(loop, array, loop->rank - 1, &inner_sign);
    if (inner < 0)
        return;
    if (loop->dependences != NULL && time_of(loop, time) && time[loop->rank - 1] != 0) {
        for (; dim >= 0 && outer < 0; dim--) {
            if (time[dim] != 0)
                outer = axis_walked_by(loop, array, dim, &outer_sign);
        }
        dim++;
    }
    fprintf(file, "  %s would like: ", array->array->entity->name);
    if (outer >= 0)
        fprintf(file, "%sSKEW of axes %d and %d, a = %lld, b = %lld", array->by_rows ? "WRAP or " : "",
                outer + 1, inner + 1, (long long)time[dim],
                (long long)(time[loop->rank - 1] * inner_sign * outer_sign));
    else
        print_order(array, inner, file);
    fprintf(file, "\n");
}

static void print_gpu(const dvmhcc_program_t *program, const dvmhcc_loop_t *loop, FILE *file) {
    dvmhcc_gpu_refusal_t refusal;
    if (!dvmhcc_gpu_wanted(program, loop)) {
        fprintf(file, "  GPU: no, it is in no region that may run there\n");
    } else if (dvmhcc_gpu_check(program->unit, loop, &refusal)) {
        fprintf(file, "  GPU: yes\n");
    } else {
        const dvmhcc_place_t place = dvmhcc_source_line(program->unit->source, refusal.begin);
        fprintf(file, "  GPU: no, %s:%d: %s\n", place.file, place.line, refusal.reason);
    }
}

void dvmhcc_program_print(const dvmhcc_program_t *program, bool gpus, FILE *file) {
    for (const dvmhcc_loop_t *loop = program->loops; loop != NULL; loop = loop->next) {
        print_place(program, loop, file);
        for (const dvmhcc_loop_array_t *array = loop->arrays; array != NULL; array = array->next)
            print_array(program, loop, array, file);
        for (const dvmhcc_loop_array_t *array = loop->ordinary; array != NULL; array = array->next)
            print_array(program, loop, array, file);
        print_dependences(loop, file);
        for (const dvmhcc_loop_array_t *array = loop->arrays; array != NULL; array = array->next)
            print_layout(loop, array, file);
        if (gpus)
            print_gpu(program, loop, file);
    }
}
