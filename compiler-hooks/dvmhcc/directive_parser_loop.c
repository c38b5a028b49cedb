/* The directive parallel: a loop's mapping and its clauses. */
#include <config.h>

#include "compiler-hooks/dvmhcc/directive_parser.h"

static const char *const operations[] = {"sum", "product", "max",    "min",    "and",
                                         "or",  "xor",     "maxloc", "minloc", NULL};

const char *dvmhcc_operation_name(dvmhcc_operation_t operation) {
    return operations[operation];
}

typedef struct loop {
    dvmhcc_parallel_t *parallel;
    bool mapping_good; /* nothing wrong was told about it */
    /* Where the next entry of each list goes. */
    dvmhcc_names_t **privates;
    dvmhcc_reduction_t **reductions;
    dvmhcc_widths_t **acrosses, **shadow_renews;
    dvmhcc_reference_t **remote_accesses;
    dvmhcc_tie_t **ties;
} loop_t;

/* ---- mapping ---- */

static void warn_unused(dvmhcc_parser_t *parser, const dvmhcc_mapping_t *mapping) {
    for (int i = 0; i < mapping->index_count; i++) {
        bool used = false;
        for (int k = 0; k < mapping->target_rank; k++)
            used |=
                mapping->subscripts[k].kind == DVMHCC_SUBSCRIPT_INDEX && mapping->subscripts[k].index == i;
        if (!used)
            dvmhcc_warning(parser, mapping->indexes[i].span,
                           "index '%s' is not used after 'on': every process runs all its iterations",
                           mapping->indexes[i].text);
    }
}

/* (3), ([i][j]) or ([i][j] on A[i][j]). @return false: no '(' */
static bool read_mapping(dvmhcc_parser_t *parser, dvmhcc_parallel_t *parallel) {
    dvmhcc_mapping_t *mapping = &parallel->mapping;
    dvmhcc_expression_t rank = {0};
    dvmhcc_group_t group;
    if (!dvmhcc_group_open(parser, &group, "(")) {
        dvmhcc_expected(parser, "'(' after 'parallel'");
        return false;
    }
    const int faults = parser->faults;
    if (dvmhcc_next_is(parser, "[")) {
        dvmhcc_read_indexes(parser, mapping, false);
        parallel->rank = mapping->index_count;
        if (parser->at < parser->end && parser->faults == faults)
            dvmhcc_read_target(parser, mapping, "on");
        if (mapping->target_rank > 0 && parser->faults == faults)
            warn_unused(parser, mapping);
    } else if (dvmhcc_read_expression(parser, parser->end,
                                      "[i][j] on A[i][j], [i][j], or the number of loops", &rank)) {
        if (!rank.constant.known || rank.constant.value < 1 || rank.constant.value > DVMHCC_RANK_MAX)
            dvmhcc_fault(parser, rank.span,
                         "expected a number of loops from 1 to %d, or [i][j] on A[i][j], got '%.40s'",
                         DVMHCC_RANK_MAX, rank.constant.text);
        else
            parallel->rank = (int)rank.constant.value;
    }
    dvmhcc_group_close(parser, &group);
    return true;
}

/* Which dim a name is, from 0; -1: none. */
static int dim_of(const dvmhcc_mapping_t *mapping, const dvmhcc_name_t *name) {
    for (int i = 0; i < mapping->index_count; i++)
        if (dvmhcc_same_name(&mapping->indexes[i], name))
            return i;
    return -1;
}

/* ---- clauses ---- */

static bool is_location(dvmhcc_operation_t operation) {
    return operation == DVMHCC_MAXLOC || operation == DVMHCC_MINLOC;
}

/* (x) or (x, where, 3) behind the operation's name. */
static void read_operands(dvmhcc_parser_t *parser, dvmhcc_reduction_t *reduction) {
    const char *word = operations[reduction->operation];
    const bool located = is_location(reduction->operation);
    dvmhcc_list_t list;
    int given = 0;
    if (!dvmhcc_list_open(parser, &list, word, "the name of a variable"))
        return;
    while (dvmhcc_list_next(parser, &list)) {
        if (given == 0)
            dvmhcc_read_name(parser, "the name of a variable", &reduction->variable);
        else if (given == 1 && located)
            dvmhcc_read_name(parser, "the name of the location's variable", &reduction->location);
        else if (given == 2 && located)
            dvmhcc_read_count(parser, "the size of the location", 1, &reduction->location_size);
        else
            dvmhcc_fault(parser, dvmhcc_span_of(parser, parser->at, parser->end),
                         located ? "expected the form %s(x, location, size)" : "expected the form %s(x)",
                         word);
        given++;
    }
    if (located && given == 1)
        dvmhcc_fault(parser, dvmhcc_span_of(parser, list.close, list.close + 1),
                     "expected the form %s(x, location) or %s(x, location, size)", word, word);
}

/* The same variable twice, in whatever role, has no meaning. */
static void check_reduced(dvmhcc_parser_t *parser, const loop_t *loop, const dvmhcc_name_t *name) {
    if (name->text == NULL)
        return;
    if (dim_of(&loop->parallel->mapping, name) >= 0)
        dvmhcc_fault(parser, name->span, "loop variable '%s' cannot be reduced", name->text);
    for (const dvmhcc_reduction_t *other = loop->parallel->reductions; other != NULL; other = other->next)
        if ((&other->variable != name && dvmhcc_same_name(&other->variable, name)) ||
            (&other->location != name && dvmhcc_same_name(&other->location, name))) {
            dvmhcc_fault(parser, name->span, "'%s' is reduced twice", name->text);
            return;
        }
}

static bool read_reduction(dvmhcc_parser_t *parser, loop_t *loop) {
    dvmhcc_list_t list;
    if (!dvmhcc_list_open(parser, &list, "reduction", "an operation such as sum(x)"))
        return false;
    while (dvmhcc_list_next(parser, &list)) {
        const dvmhcc_token_t *token = &parser->tokens[parser->at];
        const int operation = dvmhcc_word_in(token, operations);
        if (operation < 0 && token->kind == DVMHCC_TOKEN_NAME)
            dvmhcc_unknown(parser, "reduction operation", "", operations);
        else if (operation < 0)
            dvmhcc_expected(parser, "an operation such as sum(x)");
        if (operation < 0)
            continue;
        dvmhcc_reduction_t *entry = dvmhcc_take(parser, sizeof *entry);
        if (entry == NULL)
            continue;
        entry->operation = (dvmhcc_operation_t)operation;
        parser->at++;
        read_operands(parser, entry);
        check_reduced(parser, loop, &entry->variable);
        if (dvmhcc_same_name(&entry->variable, &entry->location))
            dvmhcc_fault(parser, entry->location.span, "'%s' is reduced twice", entry->location.text);
        else
            check_reduced(parser, loop, &entry->location);
        *loop->reductions = entry;
        loop->reductions = &entry->next;
    }
    return true;
}

static bool read_acrosses(dvmhcc_parser_t *parser, loop_t *loop) {
    dvmhcc_widths_t **first_new = loop->acrosses;
    if (!dvmhcc_read_across(parser, &loop->acrosses))
        return false;
    for (const dvmhcc_widths_t *entry = *first_new; entry != NULL; entry = entry->next)
        for (const dvmhcc_widths_t *other = loop->parallel->acrosses; other != entry; other = other->next)
            if (other->out == entry->out && dvmhcc_same_name(&other->array, &entry->array)) {
                dvmhcc_fault(parser, entry->array.span, "'%s' stands in 'across' twice", entry->array.text);
                break;
            }
    return true;
}

static bool read_cuda_block(dvmhcc_parser_t *parser, dvmhcc_parallel_t *parallel) {
    dvmhcc_expression_t extra = {0};
    dvmhcc_list_t list;
    dvmhcc_clause_once(parser, parallel->cuda_block_rank > 0);
    parallel->cuda_block_rank = 0;
    if (!dvmhcc_list_open(parser, &list, "cuda_block", "the number of threads"))
        return false;
    while (dvmhcc_list_next(parser, &list)) {
        const int rank = parallel->cuda_block_rank;
        const int first = parser->at;
        dvmhcc_read_count(parser, "the number of threads", 1,
                          rank < 3 ? &parallel->cuda_block[rank] : &extra);
        if (rank == 3)
            dvmhcc_fault(parser, dvmhcc_span_of(parser, first, parser->end),
                         "more than 3 numbers in 'cuda_block'");
        else
            parallel->cuda_block_rank++;
    }
    return true;
}

static bool read_stage(dvmhcc_parser_t *parser, const loop_t *loop) {
    dvmhcc_group_t group;
    dvmhcc_clause_once(parser, loop->parallel->stage.constant.text != NULL);
    if (loop->mapping_good && loop->parallel->mapping.target.text == NULL)
        dvmhcc_fault(parser, dvmhcc_span_of(parser, parser->at - 1, parser->at),
                     "'stage' needs a loop with a mapping: parallel([i] on A[i])");
    if (!dvmhcc_group_open(parser, &group, "(")) {
        dvmhcc_expected(parser, "'(' after 'stage'");
        return false;
    }
    dvmhcc_read_count(parser, "the number of stages", 0, &loop->parallel->stage);
    dvmhcc_group_close(parser, &group);
    return true;
}

/* [i], [-j] or []. */
static void read_tied_axis(dvmhcc_parser_t *parser, const dvmhcc_mapping_t *mapping, int *axis) {
    dvmhcc_name_t name;
    if (parser->at == parser->end)
        return;
    const bool backwards = dvmhcc_next_is(parser, "-");
    parser->at += backwards;
    if (!dvmhcc_read_name(parser,
                          backwards ? "the name of a loop variable"
                                    : "a loop variable, '-' and a loop variable, or nothing",
                          &name))
        return;
    const int dim = dim_of(mapping, &name);
    if (dim < 0)
        dvmhcc_fault(parser, name.span, "'%s' is no loop variable of this directive", name.text);
    *axis = backwards ? -(dim + 1) : dim + 1;
}

static bool read_tie(dvmhcc_parser_t *parser, loop_t *loop) {
    const dvmhcc_mapping_t *mapping = &loop->parallel->mapping;
    dvmhcc_list_t list;
    if (loop->mapping_good && mapping->index_count == 0) {
        dvmhcc_fault(parser, dvmhcc_span_of(parser, parser->at - 1, parser->at),
                     "'tie' needs the names of the loop's variables: parallel([i][j])");
        return false;
    }
    if (!loop->mapping_good)
        return false;
    if (!dvmhcc_list_open(parser, &list, "tie", "the name of an array"))
        return false;
    while (dvmhcc_list_next(parser, &list)) {
        dvmhcc_axes_t axes = {0};
        dvmhcc_tie_t *entry = dvmhcc_take(parser, sizeof *entry);
        if (entry == NULL || !dvmhcc_read_name(parser, "the name of an array", &entry->array))
            continue;
        while (dvmhcc_axis_next(parser, &axes))
            read_tied_axis(parser, mapping, &entry->axes[axes.rank - 1]);
        entry->rank = axes.rank;
        if (axes.rank == 0)
            dvmhcc_expected(parser, "'[' and which loop walks the first axis of '%s'", entry->array.text);
        else
            dvmhcc_note_rank(parser, &entry->array, axes.rank);
        *loop->ties = entry;
        loop->ties = &entry->next;
    }
    return true;
}

/* ---- the directive ---- */

/* Ones at the end do not count. */
static void check_cuda_block(dvmhcc_parser_t *parser, const dvmhcc_parallel_t *parallel) {
    int rank = parallel->cuda_block_rank;
    while (rank > 0 && parallel->cuda_block[rank - 1].constant.known &&
           parallel->cuda_block[rank - 1].constant.value == 1)
        rank--;
    if (rank > parallel->rank && parallel->cuda_block[rank - 1].constant.text != NULL)
        dvmhcc_fault(parser, parallel->cuda_block[rank - 1].span,
                     "'cuda_block' has %d dims, but the loop nest has %d", rank, parallel->rank);
}

static void check_privates(dvmhcc_parser_t *parser, const dvmhcc_parallel_t *parallel) {
    for (const dvmhcc_names_t *entry = parallel->privates; entry != NULL; entry = entry->next) {
        const dvmhcc_name_t *name = &entry->name;
        if (dim_of(&parallel->mapping, name) >= 0)
            dvmhcc_warning(parser, name->span, "loop variable '%s' is private anyway", name->text);
        for (const dvmhcc_names_t *other = parallel->privates; other != entry; other = other->next)
            if (dvmhcc_same_name(&other->name, name)) {
                dvmhcc_warning(parser, name->span, "'%s' stands in 'private' twice", name->text);
                break;
            }
        for (const dvmhcc_reduction_t *other = parallel->reductions; other != NULL; other = other->next)
            if (dvmhcc_same_name(&other->variable, name) || dvmhcc_same_name(&other->location, name)) {
                dvmhcc_fault(parser, name->span, "'%s' cannot be private and reduced", name->text);
                break;
            }
    }
}

void dvmhcc_parse_parallel(dvmhcc_parser_t *parser) {
    enum { ACROSS, CUDA_BLOCK, PRIVATE, REDUCTION, REMOTE_ACCESS, SHADOW_RENEW, STAGE, TIE };
    static const char *const words[] = {[ACROSS] = "across",
                                        [CUDA_BLOCK] = "cuda_block",
                                        [PRIVATE] = "private",
                                        [REDUCTION] = "reduction",
                                        [REMOTE_ACCESS] = "remote_access",
                                        [SHADOW_RENEW] = "shadow_renew",
                                        [STAGE] = "stage",
                                        [TIE] = "tie",
                                        [TIE + 1] = NULL};
    static const char *const unsupported[] = {"consistent", "shadow_compute", NULL};
    dvmhcc_parallel_t *parallel = &parser->directive->is.parallel;
    loop_t loop = {.parallel = parallel,
                   .privates = &parallel->privates,
                   .reductions = &parallel->reductions,
                   .acrosses = &parallel->acrosses,
                   .shadow_renews = &parallel->shadow_renews,
                   .remote_accesses = &parallel->remote_accesses,
                   .ties = &parallel->ties};
    dvmhcc_clauses_t clauses = {.words = words, .directive = "parallel", .unsupported = unsupported};
    const int faults = parser->faults;
    clauses.lost = !read_mapping(parser, parallel);
    loop.mapping_good = parser->faults == faults;
    for (int word; (word = dvmhcc_clause_next(parser, &clauses)) >= 0;) {
        bool good = true;
        switch (word) {
        case ACROSS:
            good = read_acrosses(parser, &loop);
            break;
        case CUDA_BLOCK:
            good = read_cuda_block(parser, parallel);
            break;
        case PRIVATE:
            good = dvmhcc_read_names(parser, "private", &loop.privates);
            break;
        case REDUCTION:
            good = read_reduction(parser, &loop);
            break;
        case REMOTE_ACCESS:
            good = dvmhcc_read_remote_access(parser, &parallel->mapping, &loop.remote_accesses);
            break;
        case SHADOW_RENEW:
            good = dvmhcc_read_shadow_renew(parser, &loop.shadow_renews);
            break;
        case STAGE:
            good = read_stage(parser, &loop);
            break;
        default:
            good = read_tie(parser, &loop);
        }
        clauses.lost = !good;
    }
    check_privates(parser, parallel);
    if (loop.mapping_good)
        check_cuda_block(parser, parallel);
}
