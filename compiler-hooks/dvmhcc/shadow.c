/* References of a loop against the shadow edges of what they read, and against the own elements that they may write. Tells where an element
 * lies farther from the own one than that, along an axis that is distributed: on one process it is there, on several it is not. Only what is
 * certain is told: arrays that are dynamic, sources that move some, alignments and subscripts that are not known when the program is compiled
 * are left to the runtime. Other sources may move arrays, too, so messages speak of how they are declared. */
#include <config.h>

#include "compiler-hooks/dvmhcc/program_inside.h"

#include <stdlib.h>

/* index of the root = mult * index of the array + add */
typedef struct image {
    const dvmhcc_distributed_t *root; /* the array or template that is distributed; NULL: not known */
    int axis;
    int64_t mult, add; /* mult not 0 */
} image_t;

static const image_t no_image;

/* The axis of the target that follows an axis of the array; -1: none, or not known. */
static int followed_by(const dvmhcc_mapping_t *alignment, int axis) {
    for (int of_target = 0; of_target < alignment->target_rank; of_target++) {
        const dvmhcc_subscript_t *subscript = &alignment->subscripts[of_target];
        if (subscript->kind == DVMHCC_SUBSCRIPT_INDEX && subscript->index == axis &&
            subscript->coefficient.known && subscript->summand.known && subscript->coefficient.value != 0)
            return of_target;
    }
    return -1;
}

/* Where an axis of an array lies; only along axes that are distributed. */
static image_t image_of(const dvmhcc_distributed_t *array, int axis) {
    image_t image = {.axis = axis, .mult = 1};
    while (array->declaration != NULL && !array->declaration->dynamic && array->declaration->has_alignment &&
           array->align_target != NULL) {
        const dvmhcc_mapping_t *alignment = &array->declaration->alignment;
        const int next = followed_by(alignment, image.axis);
        if (next < 0)
            return no_image;
        const dvmhcc_subscript_t *subscript = &alignment->subscripts[next];
        if (__builtin_mul_overflow(image.mult, subscript->coefficient.value, &image.mult) ||
            __builtin_mul_overflow(image.add, subscript->coefficient.value, &image.add) ||
            __builtin_add_overflow(image.add, subscript->summand.value, &image.add))
            return no_image;
        image.axis = next;
        array = array->align_target;
    }
    const dvmhcc_declaration_t *declaration = array->declaration;
    if (declaration == NULL || declaration->dynamic || !declaration->has_distribution ||
        declaration->distribution.axes[image.axis].kind == DVMHCC_AXIS_WHOLE ||
        declaration->distribution.axes[image.axis].kind == DVMHCC_AXIS_MULTBLOCK)
        return no_image; /* multiples of a block keep neighbours together */
    image.root = array;
    return image;
}

/* The same for what a loop is mapped on: the own element of an iteration along an axis of the root is mult * index of dim + add. */
static image_t own_of(const dvmhcc_mapping_t *mapping, const dvmhcc_distributed_t *target,
                      const dvmhcc_distributed_t *root, int axis, int *dim_p) {
    for (int of_target = 0; of_target < mapping->target_rank; of_target++) {
        const dvmhcc_subscript_t *subscript = &mapping->subscripts[of_target];
        image_t image = image_of(target, of_target);
        if (image.root != root || image.axis != axis)
            continue;
        if (subscript->kind != DVMHCC_SUBSCRIPT_INDEX || !subscript->coefficient.known ||
            !subscript->summand.known || subscript->coefficient.value == 0)
            return no_image;
        int64_t add;
        if (__builtin_mul_overflow(image.mult, subscript->summand.value, &add) ||
            __builtin_add_overflow(image.add, add, &image.add) ||
            __builtin_mul_overflow(image.mult, subscript->coefficient.value, &image.mult))
            return no_image;
        *dim_p = subscript->index;
        return image;
    }
    return no_image;
}

/* How far an element that is read lies from the own one along an axis. @return false: not known, or not distributed */
static bool distance_of(const dvmhcc_loop_t *loop, const dvmhcc_distributed_t *target,
                        const dvmhcc_distributed_t *array, const dvmhcc_axis_access_t *access, int axis,
                        int64_t *distance_p) {
    const image_t image = image_of(array, axis);
    int64_t read, of_read, of_own;
    int dim = -1;
    if (image.root == NULL || access->kind != DVMHCC_AXIS_INDEX || !dvmhcc_linear_value(&access->add, &read))
        return false;
    const image_t own = own_of(&loop->parallel->mapping, target, image.root, image.axis, &dim);
    if (own.root == NULL || dim != access->dim ||
        __builtin_mul_overflow(image.mult, access->mult, &of_read) || of_read != own.mult)
        return false; /* they move apart from iteration to iteration */
    if (__builtin_mul_overflow(image.mult, read, &of_read) ||
        __builtin_add_overflow(of_read, image.add, &of_read) ||
        __builtin_sub_overflow(of_read, own.add, &of_own) || of_own % image.mult != 0)
        return false;
    *distance_p = of_own / image.mult;
    return true;
}

/* Widths of the edges along an axis. @return false: not known */
static bool widths_of(const dvmhcc_declaration_t *declaration, int axis, int64_t *low_p, int64_t *high_p) {
    *low_p = *high_p = 1;
    if (!declaration->has_shadow)
        return true;
    const dvmhcc_range_t *range = &declaration->shadow[axis];
    const dvmhcc_expression_t *high = range->single ? &range->low : &range->high;
    if (!range->low.constant.known || !high->constant.known)
        return false;
    *low_p = range->low.constant.value;
    *high_p = high->constant.value;
    return true;
}

static void tell_read(const dvmhcc_program_t *program, const dvmhcc_loop_array_t *array,
                      const dvmhcc_access_t *access, const char *text, int axis, int64_t distance,
                      int64_t width) {
    dvmhcc_node_report(
        program->unit, DVMHCC_WARNING, access->first,
        "%s lies %lld %s the element of its iteration along axis %d, where the shadow edges of "
        "'%s' reach %lld: as arrays are declared here, other processes may not have it; expected "
        "wider edges or remote_access",
        text, (long long)llabs(distance), distance < 0 ? "before" : "after", axis + 1,
        array->array->entity->name, (long long)width);
}

static void tell_written(const dvmhcc_program_t *program, const dvmhcc_loop_array_t *array,
                         const dvmhcc_access_t *access, const char *text, int axis, int64_t distance) {
    dvmhcc_node_report(
        program->unit, DVMHCC_WARNING, access->first,
        "%s is written and lies %lld %s the element of its iteration along axis %d: as arrays are "
        "declared here, it may be another process's; expected across(out: %s[..]) or another `on`",
        text, (long long)llabs(distance), distance < 0 ? "before" : "after", axis + 1,
        array->array->entity->name);
}

/* @return whether it was told of */
static bool check_access(dvmhcc_program_t *program, const dvmhcc_loop_t *loop,
                         const dvmhcc_distributed_t *target, const dvmhcc_loop_array_t *array,
                         const dvmhcc_access_t *access) {
    char text[256];
    for (int axis = 0; axis < array->array->rank; axis++) {
        int64_t low = 0, high = 0, distance;
        if (!distance_of(loop, target, array->array, &access->axes[axis], axis, &distance) || distance == 0)
            continue;
        dvmhcc_access_text(program, loop, array, access, text, sizeof text);
        if (access->is_written) {
            tell_written(program, array, access, text, axis, distance);
            return true;
        }
        if (!access->is_read || !widths_of(array->array->declaration, axis, &low, &high) ||
            (distance >= -low && distance <= high))
            continue;
        tell_read(program, array, access, text, axis, distance, distance < 0 ? low : high);
        return true;
    }
    return false;
}

/* Whether arrays may lie otherwise than their declarations say. */
static bool moves_arrays(const dvmhcc_program_t *program) {
    for (int i = 0; i < program->attached_count; i++) {
        const dvmhcc_directive_kind_t kind = program->attached[i].directive->kind;
        if (kind == DVMHCC_REALIGN || kind == DVMHCC_REDISTRIBUTE)
            return true;
    }
    return false;
}

void dvmhcc_loop_check_shadow(dvmhcc_program_t *program, dvmhcc_loop_t *loop) {
    const dvmhcc_mapping_t *mapping = &loop->parallel->mapping;
    if (mapping->target.text == NULL || moves_arrays(program) || dvmhcc_error_count() > 0)
        return; /* names that are unknown have been told of */
    const dvmhcc_distributed_t *target =
        dvmhcc_attached_array(program, loop->attached, &mapping->target, true);
    for (const dvmhcc_loop_array_t *array = loop->arrays; array != NULL && target != NULL;
         array = array->next) {
        bool is_told = array->across != NULL || array->array->declaration == NULL;
        for (const dvmhcc_access_t *access = array->accesses; access != NULL && !is_told;
             access = access->next)
            is_told = access->remote == 0 && check_access(program, loop, target, array, access);
    }
}
