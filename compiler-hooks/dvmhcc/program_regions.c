/* Regions and loops as a whole: which directives may stand inside of which statements, intervals that match, and ways out of regions.
 * Then every loop is looked at in turn. */
#include <config.h>

#include "compiler-hooks/dvmhcc/program_inside.h"
#include "compiler-hooks/dvmhcc/remote.h"

#include <string.h>

static bool holds(const dvmhcc_node_t *statement, const dvmhcc_attached_t *attached) {
    return statement != NULL && statement->begin <= attached->begin && attached->end <= statement->end;
}

static void note_here(const dvmhcc_program_t *program, const dvmhcc_attached_t *attached, const char *what) {
    const dvmhcc_span_t span = dvmhcc_attached_span(attached);
    const dvmhcc_place_t place =
        dvmhcc_source_pragma_place(program->unit->source, attached->pragma, span.offset, span.length);
    dvmhcc_report(DVMHCC_NOTE, &place, "%s", what);
}

/* ---- regions */

static dvmhcc_region_block_t *add_region(dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                                         dvmhcc_region_block_t *last) {
    dvmhcc_region_block_t *region = dvmhcc_program_take(program, sizeof *region);
    if (region == NULL)
        return NULL;
    region->attached = attached;
    region->statement = attached->statement;
    region->is_block = attached->statement->kind == DVMHCC_NODE_COMPOUND;
    *(last != NULL ? &last->next : &program->regions) = region;
    return region;
}

static void check_inside_region(dvmhcc_program_t *program, dvmhcc_attached_t *attached) {
    switch (attached->directive->kind) {
    case DVMHCC_REGION:
        dvmhcc_attached_fault(program, attached, dvmhcc_attached_span(attached),
                              "a region inside of a region");
        break;
    case DVMHCC_ARRAY:
    case DVMHCC_TEMPLATE:
    case DVMHCC_REDISTRIBUTE:
    case DVMHCC_REALIGN:
        dvmhcc_attached_fault(program, attached, dvmhcc_attached_span(attached),
                              "'%s' cannot stand inside of a region", dvmhcc_attached_name(attached));
        break;
    default:
        return;
    }
    note_here(program, attached->region->attached, "the region begins here");
}

typedef struct exit_walk {
    const dvmhcc_program_t *program;
    const dvmhcc_node_t *statement;
} exit_walk_t;

static bool find_exit(dvmhcc_node_t *node, void *context) {
    const exit_walk_t *walk = context;
    const char *word = NULL;
    if (node->kind == DVMHCC_NODE_RETURN)
        word = "return";
    else if (node->kind == DVMHCC_NODE_BREAK && !dvmhcc_stays_inside(node, walk->statement))
        word = "break";
    else if (node->kind == DVMHCC_NODE_CONTINUE && !dvmhcc_stays_inside(node, walk->statement))
        word = "continue";
    if (node->kind == DVMHCC_NODE_GOTO) {
        word = dvmhcc_has_label(walk->statement, node->text) ? NULL : "goto";
    }
    if (word != NULL)
        dvmhcc_node_report(walk->program->unit, DVMHCC_ERROR, node, "'%s' leaves a region", word);
    return true;
}

/* ---- loops */

static dvmhcc_loop_t *add_loop(dvmhcc_program_t *program, dvmhcc_attached_t *attached, dvmhcc_loop_t *last) {
    dvmhcc_loop_t *loop = dvmhcc_program_take(program, sizeof *loop);
    if (loop == NULL)
        return NULL;
    loop->attached = attached;
    loop->parallel = &attached->directive->is.parallel;
    loop->rank = loop->parallel->rank;
    *(last != NULL ? &last->next : &program->loops) = loop;
    if (attached->region != NULL) {
        dvmhcc_loop_t **tail = &attached->region->loops;
        while (*tail != NULL)
            tail = &(*tail)->next_in_region;
        *tail = loop;
    }
    return loop;
}

static void check_inside_loop(dvmhcc_program_t *program, dvmhcc_attached_t *attached,
                              const dvmhcc_loop_t *loop) {
    dvmhcc_attached_fault(
        program, attached, dvmhcc_attached_span(attached),
        attached->directive->kind == DVMHCC_PARALLEL
            ? "'%s' inside of a parallel loop: name all indices of the nest in one directive"
            : "'%s' inside of a parallel loop",
        dvmhcc_attached_name(attached));
    note_here(program, loop->attached, "the parallel loop begins here");
}

/* Regions and loops are found in the order of the text, so what holds a directive is among the last of each. */
void dvmhcc_pass_regions(dvmhcc_program_t *program) {
    dvmhcc_region_block_t *region = NULL;
    dvmhcc_loop_t *loop = NULL;
    for (int i = 0; i < program->attached_count && !program->no_memory; i++) {
        dvmhcc_attached_t *attached = &program->attached[i];
        const dvmhcc_directive_kind_t kind = attached->directive->kind;
        const dvmhcc_node_t *next = attached->statement;
        if (kind == DVMHCC_UNKNOWN || kind == DVMHCC_UNSUPPORTED || attached->block == NULL)
            continue;
        if (loop != NULL && holds(loop->attached->statement, attached)) {
            check_inside_loop(program, attached, loop);
            continue;
        }
        /* Of directives before one statement, those behind `region` belong to its loop. */
        if (region != NULL && (holds(region->statement, attached) ||
                               (attached->statement == region->statement && kind != DVMHCC_REGION)))
            attached->region = region;
        if (attached->region != NULL)
            check_inside_region(program, attached);
        else if (kind == DVMHCC_HOST_SECTION)
            dvmhcc_attached_fault(program, attached, dvmhcc_attached_span(attached),
                                  "'host_section' must stand inside of a region");
        if (kind == DVMHCC_REGION && attached->region == NULL && next != NULL &&
            next->kind != DVMHCC_NODE_DECLARATION) {
            region = add_region(program, attached, region);
            attached->region = region;
        }
        if (kind == DVMHCC_PARALLEL && next != NULL && next->kind == DVMHCC_NODE_FOR &&
            !attached->directive->faulty)
            loop = add_loop(program, attached, loop);
    }
    for (region = program->regions; region != NULL; region = region->next) {
        exit_walk_t walk = {.program = program, .statement = region->statement};
        dvmhcc_walk(region->statement, find_exit, &walk);
    }
}

/* ---- intervals */

/* Every endinterval has its interval, in the same block. @param open  room for all; intervals that are open now */
static void check_intervals(dvmhcc_program_t *program, dvmhcc_attached_t **open) {
    int depth = 0;
    for (int i = 0; i <= program->attached_count; i++) {
        dvmhcc_attached_t *attached = i < program->attached_count ? &program->attached[i] : NULL;
        while (depth > 0 && (attached == NULL || attached->function != open[depth - 1]->function)) {
            depth--;
            dvmhcc_attached_fault(program, open[depth], dvmhcc_attached_span(open[depth]),
                                  "this interval has no 'endinterval'");
        }
        if (attached == NULL || attached->block == NULL)
            continue;
        if (attached->directive->kind == DVMHCC_INTERVAL) {
            open[depth++] = attached;
        } else if (attached->directive->kind == DVMHCC_ENDINTERVAL) {
            if (depth == 0) {
                dvmhcc_attached_fault(program, attached, dvmhcc_attached_span(attached),
                                      "'endinterval' without an 'interval' before it");
                continue;
            }
            depth--;
            if (open[depth]->block != attached->block) {
                dvmhcc_attached_fault(program, attached, dvmhcc_attached_span(attached),
                                      "'endinterval' stands in another block than its 'interval'");
                note_here(program, open[depth], "the interval begins here");
            }
        }
    }
}

void dvmhcc_pass_loops(dvmhcc_program_t *program) {
    dvmhcc_attached_t **open =
        dvmhcc_program_take(program, ((size_t)program->attached_count + 1) * sizeof(dvmhcc_attached_t *));
    if (open != NULL)
        check_intervals(program, open);
    for (dvmhcc_loop_t *loop = program->loops; loop != NULL && !program->no_memory; loop = loop->next) {
        if (!dvmhcc_loop_recognise(program, loop))
            continue;
        dvmhcc_loop_classify(program, loop);
        dvmhcc_loop_collect(program, loop);
        dvmhcc_remote_check_loop(program, loop);
        dvmhcc_loop_depend(program, loop);
        if (!program->no_memory)
            dvmhcc_loop_check_across(program, loop);
        dvmhcc_loop_check_shadow(program, loop);
    }
}
