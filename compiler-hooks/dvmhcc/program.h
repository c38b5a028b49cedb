/* A source with its directives: every directive at the declaration or statement that follows it, tables of what is distributed,
 * regions and parallel loops, with all that the language demands checked. Reads the tree of ast.h and the directives of directive.h;
 * writes nothing. Loops are described in loop_nest.h, what they do with arrays in access.h.
 *
 * Lists are in the order of the text. Everything lies in the program's arena, alive until dvmhcc_program_free. Single-threaded. */
#ifndef DVMHCC_PROGRAM_H
#define DVMHCC_PROGRAM_H

#include "compiler-hooks/dvmhcc/ast.h"
#include "compiler-hooks/dvmhcc/directive.h"

/** A directive at its place. */
typedef struct dvmhcc_attached {
    int pragma; /* number of the directive's line in source.h */
    const dvmhcc_directive_t *directive;
    size_t begin, end;         /* of the line in the text */
    bool faulty;               /* something about it was told as an error */
    dvmhcc_entity_t *function; /* whose body it stands in; NULL: file scope */
    dvmhcc_node_t *block;      /* the innermost statement that it stands in; NULL: file scope */
    bool
        in_block; /* `block` is COMPOUND: statements may be put here. Else `block` is an if, a loop, a label ...
                                       whose part `statement` is, and braces are needed first */
    dvmhcc_node_t *statement;           /* that follows it in the block; NULL: none */
    dvmhcc_declarator_t *declarator;    /* array, template, inherit, routine: what is declared next */
    struct dvmhcc_region_block *region; /* that it stands in, or is the head of; NULL: none */
} dvmhcc_attached_t;

typedef enum dvmhcc_form {
    DVMHCC_FORM_ARRAY,     /* an array of C: storage of its own, extents in its declaration */
    DVMHCC_FORM_POINTER,   /* a pointer to rows, to be allocated by the program */
    DVMHCC_FORM_PARAMETER, /* a parameter that `inherit` names */
    DVMHCC_FORM_TEMPLATE
} dvmhcc_form_t;

/** A distributed array, or a template. */
typedef struct dvmhcc_distributed {
    dvmhcc_form_t form;
    dvmhcc_entity_t *entity;
    int rank;
    const dvmhcc_type_t *element;            /* NULL: a template */
    const dvmhcc_attached_t *attached;       /* its first directive */
    const dvmhcc_declaration_t *declaration; /* what that says; NULL: a parameter */
    const dvmhcc_declarator_t *declarator;   /* that the directive stands before; of a parameter: its own */
    bool is_only_extern;                     /* defined in another source */
    struct dvmhcc_distributed *align_target; /* of `align`; NULL: none */
    struct dvmhcc_distributed *next;
} dvmhcc_distributed_t;

/** What a region does with a variable. */
typedef struct dvmhcc_region_use {
    dvmhcc_entity_t *entity;
    int intent;                /* DVMHCC_INTENT_ bits: of the clauses, else derived from the statements */
    bool is_named;             /* by a clause */
    bool is_read, is_written;  /* by the statements */
    const dvmhcc_data_t *data; /* the first clause's entry; its parts of arrays; NULL: not named */
    struct dvmhcc_region_use *next;
} dvmhcc_region_use_t;

/** The block or single statement of a region. */
typedef struct dvmhcc_region_block {
    const dvmhcc_attached_t *attached;
    dvmhcc_node_t *statement;
    bool is_block; /* statement is COMPOUND */
    dvmhcc_region_use_t *uses;
    struct dvmhcc_loop *loops; /* the first of its loops; the others follow it by `next_in_region` */
    struct dvmhcc_region_block *next;
} dvmhcc_region_block_t;

typedef struct dvmhcc_program {
    dvmhcc_arena_t arena;
    dvmhcc_unit_t *unit; /* the caller's */
    bool no_memory;      /* told */
    dvmhcc_attached_t *attached;
    int attached_count;
    dvmhcc_distributed_t *distributed;
    dvmhcc_region_block_t *regions;
    struct dvmhcc_loop *loops; /* loop_nest.h */
} dvmhcc_program_t;

/**
 * Analyse a source.
 *
 * @param unit       must live as long as the program; gets the facts of its entities that ast.h leaves to later passes
 * @param program_p  set on success; give it back with dvmhcc_program_free
 * @return false     the program has errors, all told with dvmhcc_report, or memory ran out
 */
bool dvmhcc_program_analyse(dvmhcc_unit_t *unit, dvmhcc_program_t **program_p);

void dvmhcc_program_free(dvmhcc_program_t *program);

/** Print what -Minfo prints: for each parallel loop its arrays, dependences and the layouts that it would like.
 * @param gpus  also whether it can run on GPUs */
void dvmhcc_program_print(const dvmhcc_program_t *program, bool gpus, FILE *file);

/** The extents that an array's declaration writes, outermost first, as many as its rank; for POINTER and PARAMETER the first one is
 * empty. @return false  they stand in a typedef */
bool dvmhcc_distributed_extents(const dvmhcc_distributed_t *array,
                                const dvmhcc_extent_t *extents[DVMHCC_RANK_MAX]);

#endif
