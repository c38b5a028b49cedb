/* Dependence vectors of random loops against an execution that records which iteration touched which element.
 *
 * A loop is uniform when all its references walk the axes in the same way: then the vectors must be exactly those that occur, up to a dim
 * that no axis follows, where a distance of 1 stands for all. For any other loop, what occurs must be among the vectors, or the
 * loop must say that some are unknown. Widths that a warning proposes must silence it. */
#include <config.h>

#include "tests/dvmhcc/program_text.h"

#define LOOPS      25 /* in one source */
#define REFERENCES 4
#define PLACES     2000 /* iterations of one loop */

typedef struct subscript {
    int dim, mult, add; /* dim -1: constant */
    int other;          /* variable of the program with the value 3 that is added so often */
} subscript_t;

typedef struct reference {
    subscript_t axes[3];
    bool is_write;
} reference_t;

typedef struct sample {
    int rank, axes;
    int first[3], last[3], step[3]; /* last inclusive */
    bool inclusive[3];
    bool is_uniform;
    int guard[4]; /* factors of the dims and the modulus; 0: none */
    int count;
    reference_t references[REFERENCES];
} sample_t;

static int random_int(int low, int high) {
    return (int)check_random_range(low, high);
}

/* ---- making loops */

static void make_nest(sample_t *s) {
    static const int most[] = {0, 12, 7, 4};
    s->rank = random_int(1, 3);
    s->axes = random_int(1, 3);
    for (int dim = 0; dim < s->rank; dim++) {
        const int length = random_int(1, most[s->rank]);
        s->step[dim] = random_int(1, 2) * (check_random_once_in(3) ? -1 : 1);
        s->first[dim] = random_int(5, 9);
        s->last[dim] =
            s->first[dim] + s->step[dim] * (length - 1) + (s->step[dim] > 1 ? random_int(0, 1) : 0);
        s->inclusive[dim] = check_random_once_in(2);
    }
}

static void make_references(sample_t *s) {
    s->is_uniform = check_random_once_in(2);
    s->count = random_int(1, REFERENCES);
    subscript_t base[3];
    for (int axis = 0; axis < s->axes; axis++) {
        base[axis] = (subscript_t){.dim = random_int(0, s->rank - 1), .mult = random_int(1, 2)};
        if (check_random_once_in(3))
            base[axis].mult = -1;
    }
    for (int i = 0; i < s->count; i++) {
        reference_t *r = &s->references[i];
        r->is_write = i == 0 || check_random_once_in(3);
        for (int axis = 0; axis < s->axes; axis++) {
            r->axes[axis] = base[axis];
            if (!s->is_uniform && check_random_once_in(2))
                r->axes[axis] = (subscript_t){.dim = random_int(-1, s->rank - 1), .mult = random_int(1, 3)};
            r->axes[axis].add = random_int(-2, 2) + (r->axes[axis].dim < 0 ? 7 : 0);
            r->axes[axis].other = check_random_once_in(8) ? 1 : 0;
        }
    }
    if (check_random_once_in(4) && s->is_uniform) {
        s->guard[3] = random_int(2, 3);
        for (int dim = 0; dim < s->rank; dim++)
            s->guard[dim] = random_int(0, 2);
    }
}

static void write_reference(const sample_t *s, const reference_t *r, int number, dvmhcc_text_t *text) {
    dvmhcc_text_printf(text, "A%d", number);
    for (int axis = 0; axis < s->axes; axis++) {
        const subscript_t *a = &r->axes[axis];
        dvmhcc_text_printf(text, "[%s", a->other > 0 ? "k + " : "");
        if (a->dim >= 0)
            dvmhcc_text_printf(text, "%d * i%d + ", a->mult, a->dim);
        dvmhcc_text_printf(text, "%d]", a->add);
    }
}

/* @param across  clause; "": none */
static void write_loop(const sample_t *s, int number, const char *across, dvmhcc_text_t *text) {
    dvmhcc_text_printf(text, "#pragma dvm array distribute%s\ndouble A%d%s;\nvoid f%d(int k, double s) {\n",
                       s->axes == 1   ? "[block]"
                       : s->axes == 2 ? "[block][block]"
                                      : "[block][block][block]",
                       number,
                       s->axes == 1   ? "[90]"
                       : s->axes == 2 ? "[90][90]"
                                      : "[90][90][90]",
                       number);
    dvmhcc_text_add_string(text, "#pragma dvm parallel(");
    for (int dim = 0; dim < s->rank; dim++)
        dvmhcc_text_printf(text, "[i%d]", dim);
    dvmhcc_text_printf(text, ") private(s) %s\n", across);
    for (int dim = 0; dim < s->rank; dim++) {
        const bool down = s->step[dim] < 0;
        dvmhcc_text_printf(text, "for (int i%d = %d; i%d %s %d; i%d %s %d)\n", dim, s->first[dim], dim,
                           down ? (s->inclusive[dim] ? ">=" : ">") : (s->inclusive[dim] ? "<=" : "<"),
                           s->last[dim] + (s->inclusive[dim] ? 0 : (down ? -1 : 1)), dim,
                           down ? "-=" : "+=", down ? -s->step[dim] : s->step[dim]);
    }
    if (s->guard[3] != 0) {
        dvmhcc_text_add_string(text, "if ((");
        for (int dim = 0; dim < s->rank; dim++)
            dvmhcc_text_printf(text, "%d * i%d + ", s->guard[dim], dim);
        dvmhcc_text_printf(text, "0) %% %d == 1)\n", s->guard[3]);
    }
    dvmhcc_text_add_string(text, "{\n");
    for (int i = 0; i < s->count; i++) {
        dvmhcc_text_add_string(text, s->references[i].is_write ? "  " : "  s = ");
        write_reference(s, &s->references[i], number, text);
        dvmhcc_text_add_string(text, s->references[i].is_write ? " = 1;\n" : ";\n");
    }
    dvmhcc_text_add_string(text, "}\n}\n");
}

/* ---- executing them */

typedef struct touch {
    int iteration[3]; /* counted from 0 in the order of execution */
    int element[3];
    bool is_write;
} touch_t;

static touch_t touches[PLACES * REFERENCES];
static int touch_count;

static int count_of(const sample_t *s, int dim) {
    return dim < s->rank ? (s->last[dim] - s->first[dim]) / s->step[dim] + 1 : 1;
}

static void touch_all(const sample_t *s, const int n[]) {
    int index[3], guard = 0;
    for (int dim = 0; dim < s->rank; dim++) {
        index[dim] = s->first[dim] + n[dim] * s->step[dim];
        guard += s->guard[dim] * index[dim];
    }
    if (s->guard[3] != 0 && guard % s->guard[3] != 1)
        return;
    for (int i = 0; i < s->count; i++) {
        touch_t *touch = &touches[touch_count++];
        *touch = (touch_t){.is_write = s->references[i].is_write};
        memcpy(touch->iteration, n, sizeof touch->iteration);
        for (int axis = 0; axis < s->axes; axis++) {
            const subscript_t *a = &s->references[i].axes[axis];
            touch->element[axis] = (a->dim >= 0 ? a->mult * index[a->dim] : 0) + a->add + a->other * 3;
        }
    }
}

static void execute(const sample_t *s) {
    int n[3];
    touch_count = 0;
    for (n[0] = 0; n[0] < count_of(s, 0); n[0]++) {
        for (n[1] = 0; n[1] < count_of(s, 1); n[1]++) {
            for (n[2] = 0; n[2] < count_of(s, 2); n[2]++)
                touch_all(s, n);
        }
    }
}

/* ---- comparing */

typedef struct vectors {
    int64_t vector[4000][DVMHCC_RANK_MAX];
    int count;
} vectors_t;

static bool has_vector(const vectors_t *vectors, const int64_t vector[]) {
    for (int i = 0; i < vectors->count; i++) {
        if (memcmp(vectors->vector[i], vector, sizeof vectors->vector[i]) == 0)
            return true;
    }
    return false;
}

/* The distances that occur. Touches are in the order of execution, so later ones come later. */
static void collect(vectors_t *vectors) {
    vectors->count = 0;
    for (int i = 0; i < touch_count; i++) {
        for (int k = i + 1; k < touch_count; k++) {
            int64_t vector[DVMHCC_RANK_MAX] = {0};
            bool zero = true;
            if ((!touches[i].is_write && !touches[k].is_write) ||
                memcmp(touches[i].element, touches[k].element, sizeof touches[i].element) != 0)
                continue;
            for (int dim = 0; dim < 3; dim++) {
                vector[dim] = touches[k].iteration[dim] - touches[i].iteration[dim];
                zero = zero && vector[dim] == 0;
            }
            if (!zero && !has_vector(vectors, vector) && CHECK(vectors->count < 4000))
                memcpy(vectors->vector[vectors->count++], vector, sizeof vector);
        }
    }
}

/* A vector along one dim stands for its multiples. */
static bool is_implied(const vectors_t *told, const int64_t vector[]) {
    int64_t unit[DVMHCC_RANK_MAX] = {0};
    int nonzero = 0;
    for (int dim = 0; dim < 3; dim++) {
        unit[dim] = vector[dim] != 0 ? 1 : 0;
        nonzero += vector[dim] != 0 ? 1 : 0;
    }
    return has_vector(told, vector) || (nonzero == 1 && has_vector(told, unit));
}

/* Dims that no axis walks and that have more than one iteration. */
static int free_dims(const sample_t *s) {
    int free = 0;
    for (int dim = 0; dim < s->rank; dim++) {
        bool tied = false;
        for (int axis = 0; axis < s->axes; axis++)
            tied = tied || s->references[0].axes[axis].dim == dim;
        free += !tied && count_of(s, dim) > 1 ? 1 : 0;
    }
    return free;
}

static bool names_variable(const sample_t *s) {
    for (int i = 0; i < s->count; i++) {
        for (int axis = 0; axis < s->axes; axis++) {
            if (s->references[i].axes[axis].other != 0)
                return true;
        }
    }
    return false;
}

static int unknown_loops, known_loops, exact_loops;

static bool compare(const sample_t *s, const dvmhcc_loop_t *loop) {
    static vectors_t occurring, told;
    bool good = true;
    execute(s);
    collect(&occurring);
    told.count = dvmhcc_loop_vectors(loop, 64, told.vector);
    for (int i = 0; i < occurring.count; i++)
        good = CHECK(loop->has_unknown_dependence || is_implied(&told, occurring.vector[i])) && good;
    *(loop->has_unknown_dependence ? &unknown_loops : &known_loops) += 1;
    if (!s->is_uniform || names_variable(s))
        return good;
    const int free = free_dims(s);
    /* Nothing is unknown but the order along dims that no subscript tells apart. */
    if (free == 0)
        good = CHECK(!loop->has_unknown_dependence) && good;
    if (occurring.count == 0 && s->guard[3] == 0)
        good = CHECK(told.count == 0 && !loop->has_unknown_dependence) && good;
    for (int i = 0; i < told.count && s->guard[3] == 0; i++) {
        exact_loops++;
        good = CHECK(has_vector(&occurring, told.vector[i])) && good;
    }
    return good;
}

static sample_t samples[LOOPS];

static void check_source(void) {
    static analysed_t analysed;
    dvmhcc_text_t text = {0};
    for (int i = 0; i < LOOPS; i++) {
        memset(&samples[i], 0, sizeof samples[i]);
        make_nest(&samples[i]);
        make_references(&samples[i]);
        write_loop(&samples[i], i, "", &text);
    }
    if (CHECK(analyse(dvmhcc_text_string(&text), &analysed))) {
        const dvmhcc_loop_t *loop = analysed.program->loops;
        for (int i = 0; i < LOOPS && CHECK(loop != NULL); i++, loop = loop->next) {
            if (!compare(&samples[i], loop)) {
                dvmhcc_text_t one = {0};
                write_loop(&samples[i], i, "", &one);
                fprintf(stderr, "  in:\n%s\n", dvmhcc_text_string(&one));
                dvmhcc_program_print(analysed.program, false, stderr);
                dvmhcc_text_free(&one);
            }
        }
    } else {
        fprintf(stderr, "%s", analysed.messages);
    }
    analysed_free(&analysed);
    dvmhcc_text_free(&text);
}

/* What the warning proposes must be enough, and one less on either side must not. */
static void check_proposal(void) {
    static analysed_t analysed;
    sample_t sample = {0};
    char clause[200];
    dvmhcc_text_t text = {0};
    make_nest(&sample);
    make_references(&sample);
    write_loop(&sample, 0, "", &text);
    CHECK(analyse(dvmhcc_text_string(&text), &analysed));
    const char *note = strstr(analysed.messages, "note: across(");
    const bool has_note = note != NULL && sscanf(note, "note: %199[^ ]", clause) == 1;
    analysed_free(&analysed);
    text.length = 0;
    if (has_note) {
        write_loop(&sample, 0, clause, &text);
        CHECK(analyse(dvmhcc_text_string(&text), &analysed));
        if (!CHECK_EQ_STR(analysed.messages, ""))
            fprintf(stderr, "  in:\n%s\n", dvmhcc_text_string(&text));
        if (analysed.program != NULL) {
            for (const dvmhcc_dependence_t *d = analysed.program->loops->dependences; d != NULL; d = d->next)
                CHECK(d->is_declared);
        }
        analysed_free(&analysed);
    }
    dvmhcc_text_free(&text);
}

int main(void) {
    check_random_start();
    files_enter();
    CHECK(files_command("-c p.c", &parse_command));
    for (int i = 0; i < 25; i++)
        check_source();
    for (int i = 0; i < 25; i++)
        check_proposal();
    CHECK(known_loops > unknown_loops && unknown_loops > 0 && exact_loops > 20);
    dvmhcc_command_free(&parse_command);
    files_leave();
    return check_finish();
}
