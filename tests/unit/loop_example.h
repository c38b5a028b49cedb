/* Random loops for test_loop_random.c: their description, the sequential loop that says what is right, and the dice. */
#ifndef TESTS_UNIT_LOOP_EXAMPLE_H
#define TESTS_UNIT_LOOP_EXAMPLE_H

#include <dvmhlib2.h>

#include "tests/check.h"

enum { RANKS = 5, MAX_OFFSETS = 24, MAX_SIZE = 16384 };

/* An array element is read as 64 bits of double or of unsigned integer. */
typedef union element {
    double real;
    uint64_t integer;
} element_t;

typedef struct example {
    int rank, array_rank;
    bool is_integer, is_independent, is_query, is_master, has_vectors;
    bool in_region, has_map, has_tie, has_reference;
    bool by_rows;           /* the record handler follows arrays along fronts, too */
    int dim_of_axis[RANKS]; /* -1: constant index */
    int axis_of_dim[RANKS];
    DvmType mult[RANKS], start[RANKS], step[RANKS], count[RANKS]; /* by dim */
    DvmType add[RANKS], size[RANKS], low[RANKS], high[RANKS];     /* by axis */
    int vector_count, offset_count;
    DvmType vector[4][RANKS];
    DvmType offset[MAX_OFFSETS][RANKS]; /* by axis: elements that an iteration reads beside its own */
    element_t weight[MAX_OFFSETS + 1];
    int repeats;
} example_t;

/* ---- the sequential loop ---- */

static inline DvmType place(const example_t *example, const DvmType index[], const DvmType offset[]) {
    DvmType at = 0;
    for (int axis = 0; axis < example->array_rank; axis++)
        at = at * example->size[axis] + index[axis] + (offset != NULL ? offset[axis] : 0);
    return at;
}

static inline void run_reference(const example_t *example, element_t *a, const element_t *b) {
    DvmType n[RANKS] = {0}, index[RANKS];
    const element_t *source = example->is_independent ? b : a;
    for (int dim = 0; dim < example->rank; dim++)
        if (example->count[dim] == 0)
            return;
    for (;;) {
        for (int axis = 0; axis < example->array_rank; axis++) {
            const int dim = example->dim_of_axis[axis];
            const DvmType variable = dim < 0 ? 0 : example->start[dim] + n[dim] * example->step[dim];
            index[axis] = example->add[axis] + (dim < 0 ? 0 : example->mult[dim] * variable);
        }
        element_t *x = &a[place(example, index, NULL)], sum = *x;
        sum.integer *= example->is_integer ? example->weight[0].integer : 1;
        if (!example->is_integer)
            sum.real = example->weight[0].real * x->real;
        for (int k = 0; k < example->offset_count; k++) {
            const element_t y = source[place(example, index, example->offset[k])], w = example->weight[k + 1];
            if (example->is_integer)
                sum.integer += w.integer * y.integer;
            else
                sum.real += w.real * y.real;
        }
        *x = sum;
        int dim = example->rank - 1;
        while (dim >= 0 && ++n[dim] == example->count[dim])
            n[dim--] = 0;
        if (dim < 0)
            return;
    }
}

/* ---- cases ---- */

static inline DvmType random_count(int rank) {
    static const DvmType counts[] = {1, 2, 3, 5, 4, 7, 8, 13, 16, 31, 32, 61, 64, 127, 128, 400};
    static const int last[] = {15, 14, 10, 6, 4};
    return check_random_once_in(60) ? 0 : counts[check_random_range(0, last[rank - 1])];
}

static inline void add_offset(example_t *example, int axis, DvmType distance) {
    example->offset[example->offset_count++][axis] = distance;
}

/* Widths along single axes: old and new neighbours on both sides. */
static inline void make_star(example_t *example) {
    for (int axis = 0; axis < example->array_rank; axis++) {
        if (example->dim_of_axis[axis] < 0 || check_random_once_in(3))
            continue;
        example->low[axis] = check_random_range(0, 2);
        example->high[axis] = check_random_range(0, 2);
        for (DvmType d = 1; d <= example->low[axis]; d++)
            add_offset(example, axis, -d);
        for (DvmType d = 1; d <= example->high[axis]; d++)
            add_offset(example, axis, d);
    }
}

/* Any vectors: the element that an iteration before wrote, the one that an iteration after will, or both. */
static inline void make_vectors(example_t *example) {
    example->has_vectors = true;
    const int wanted = (int)check_random_range(1, 4);
    for (int i = 0; i < wanted; i++) {
        DvmType *vector = example->vector[example->vector_count];
        int lead = example->rank;
        for (int dim = example->rank - 1; dim >= 0; dim--) {
            vector[dim] = check_random_once_in(2) ? 0 : check_random_range(-2, 2);
            lead = vector[dim] != 0 ? dim : lead;
        }
        if (lead == example->rank)
            continue;
        if (vector[lead] < 0)
            vector[lead] = -vector[lead];
        example->vector_count++;
        const int sides = (int)check_random_range(1, 3);
        for (int side = -1; side <= 1; side += 2) {
            if ((sides & (side < 0 ? 1 : 2)) == 0)
                continue;
            for (int dim = 0; dim < example->rank; dim++)
                example->offset[example->offset_count][example->axis_of_dim[dim]] =
                    side * vector[dim] * example->mult[dim] * example->step[dim];
            example->offset_count++;
        }
    }
}

/* Reads of another array: anything goes. */
static inline void make_independent(example_t *example) {
    example->is_independent = true;
    example->offset_count = (int)check_random_range(0, 4);
    for (int k = 0; k < example->offset_count; k++)
        for (int axis = 0; axis < example->array_rank; axis++)
            example->offset[k][axis] = check_random_range(-1, 1);
}

/* Extents that hold all that is touched; @return elements in all */
static inline DvmType fit_array(example_t *example) {
    DvmType total = 1;
    for (int axis = 0; axis < example->array_rank; axis++) {
        const int dim = example->dim_of_axis[axis];
        DvmType border[2] = {check_random_range(0, 1), check_random_range(0, 1)}, least = 0, most = 0;
        for (int k = 0; k < example->offset_count; k++) {
            const DvmType offset = example->offset[k][axis];
            border[0] = -offset > border[0] ? -offset : border[0];
            border[1] = offset > border[1] ? offset : border[1];
        }
        if (dim >= 0) {
            const DvmType first = example->mult[dim] * example->start[dim];
            const DvmType iterations = example->count[dim] > 0 ? example->count[dim] : 1;
            const DvmType last = first + example->mult[dim] * example->step[dim] * (iterations - 1);
            least = first < last ? first : last;
            most = first < last ? last : first;
        }
        example->add[axis] = border[0] - least;
        example->size[axis] = most - least + 1 + border[0] + border[1];
        total *= example->size[axis];
    }
    return total;
}

static inline void make_shape(example_t *example) {
    example->rank = (int)check_random_range(1, RANKS);
    example->array_rank = example->rank + (example->rank < RANKS && check_random_once_in(5));
    for (int axis = 0; axis < example->array_rank; axis++)
        example->dim_of_axis[axis] = axis < example->rank ? axis : -1;
    const bool reversed = check_random_once_in(3), mixed = check_random_once_in(3);
    for (int axis = example->array_rank - 1; axis > 0; axis--) { /* Fisher-Yates, or the reverse order */
        const int other = reversed ? example->array_rank - 1 - axis : (int)check_random_range(0, axis);
        const int kept = example->dim_of_axis[axis];
        if (!(reversed ? other < axis : mixed))
            continue;
        example->dim_of_axis[axis] = example->dim_of_axis[other];
        example->dim_of_axis[other] = kept;
    }
    for (int axis = 0; axis < example->array_rank; axis++)
        if (example->dim_of_axis[axis] >= 0)
            example->axis_of_dim[example->dim_of_axis[axis]] = axis;
    for (int dim = 0; dim < example->rank; dim++) {
        example->count[dim] = random_count(example->rank);
        example->step[dim] = check_random_once_in(3) ? check_random_range(1, 2) * 2 - 3 : 1;
        example->step[dim] *= check_random_once_in(4) ? 2 : 1;
        example->mult[dim] = check_random_once_in(6) ? -1 : 1;
        example->start[dim] = check_random_range(-4, 9);
    }
}

static inline void make_example(example_t *example) {
    DvmType elements;
    do {
        memset(example, 0, sizeof *example);
        make_shape(example);
        const int kind = (int)check_random_range(0, 6);
        if (kind < 3)
            make_star(example);
        else if (kind < 6)
            make_vectors(example);
        else
            make_independent(example);
        elements = fit_array(example);
    } while (elements > MAX_SIZE);
    example->is_integer = check_random_once_in(3);
    example->is_query = check_random_once_in(3);
    example->is_master = example->is_query && check_random_once_in(4);
    example->in_region = check_random_once_in(2);
    const int told = (int)check_random_range(0, 5); /* how the runtime learns which dim walks which axis */
    example->has_map = told < 4;
    example->has_tie = told == 4 || (example->is_query && told == 5);
    example->has_reference = (told == 5 || check_random_once_in(3)) && !example->is_query;
    /* The runtime must know which dims walk the axes of every array; a tie is told for one array only. */
    example->by_rows = example->rank >= 2 && example->rank <= 4 && !example->is_query &&
                       (example->has_map || example->has_reference || !example->is_independent) &&
                       !check_random_once_in(4);
    example->repeats = (int)check_random_range(1, 5);
    for (int k = 0; k <= example->offset_count; k++) {
        if (example->is_integer)
            example->weight[k].integer = check_random_u64() | 1;
        else
            example->weight[k].real =
                (double)check_random_range(-997, 1000) / 1000. / (example->offset_count + 1);
    }
}

static inline void print_example(const example_t *example) {
    fprintf(stderr, "  rank %d,%s%s%s%s%s%s%s%s%s, %d times\n", example->rank,
            example->is_integer ? " integer" : " double", example->is_query ? ", query" : ", record",
            example->is_master ? ", master" : "", example->by_rows ? ", by rows" : "",
            example->in_region ? ", region" : "", example->has_map ? ", map" : "",
            example->has_tie ? ", tie" : "", example->has_reference ? ", reference" : "",
            example->is_independent ? ", independent" : "", example->repeats);
    for (int dim = 0; dim < example->rank; dim++)
        fprintf(stderr, "  dim %d: start %ld step %ld count %ld, on axis %d times %ld\n", dim + 1,
                (long)example->start[dim], (long)example->step[dim], (long)example->count[dim],
                example->axis_of_dim[dim] + 1, (long)example->mult[dim]);
    for (int axis = 0; axis < example->array_rank; axis++)
        fprintf(stderr, "  axis %d: size %ld, plus %ld, across %ld:%ld\n", axis + 1,
                (long)example->size[axis], (long)example->add[axis], (long)example->low[axis],
                (long)example->high[axis]);
    for (int i = 0; i < example->vector_count; i++)
        for (int dim = 0; dim < example->rank; dim++)
            fprintf(stderr, "%s%ld%s", dim == 0 ? "  vector (" : ",", (long)example->vector[i][dim],
                    dim == example->rank - 1 ? ")\n" : "");
}

#endif
