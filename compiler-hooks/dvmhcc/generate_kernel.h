/* One parallel loop as the code generator sees it: what its body captures, the arrays it walks, the names that generated code has
 * for them. Filled by generate_loop.c from the analysis of the program; read by what writes the loop's functions and its call. */
#ifndef DVMHCC_GENERATE_KERNEL_H
#define DVMHCC_GENERATE_KERNEL_H

#include "compiler-hooks/dvmhcc/ast.h"
#include "compiler-hooks/dvmhcc/directive.h"
#include "compiler-hooks/dvmhcc/generate.h"

/** How a variable from outside gets into the body. */
typedef enum dvmhcc_capture_kind {
    DVMHCC_CAPTURE_VALUE,     /* a copy: it is only read */
    DVMHCC_CAPTURE_ADDRESS,   /* an ordinary array */
    DVMHCC_CAPTURE_ELEMENTS,  /* the same where its size is not known when compiling: its first element */
    DVMHCC_CAPTURE_REDUCTION, /* a copy in, the partial result out */
    DVMHCC_CAPTURE_REDUCTION_ADDRESS, /* a reduction array: where the partial results are */
    DVMHCC_CAPTURE_LOCATION           /* of maxloc or minloc: as REDUCTION */
} dvmhcc_capture_kind_t;

typedef struct dvmhcc_capture {
    dvmhcc_capture_kind_t kind;
    dvmhcc_entity_t *entity;
    const char *member; /* its name in the context */
    const char *type;   /* of the variable; stands before a name */
    int reduction;      /* number of the reduction */
    bool by_value;      /* an ordinary array that a handler for GPUs brings along */
    int variable;       /* an ordinary array that has a copy on GPUs: its number among these; -1 */
    int intent;         /* DVMHCC_INTENT_ bits, of an ordinary array */
} dvmhcc_capture_t;

/** One subscript: index = mult * (variable of dim) + add. */
typedef struct dvmhcc_walking {
    bool known;
    int dim; /* from 0; -1: a constant, add */
    int64_t mult, add;
} dvmhcc_walking_t;

/** References to an array with equal subscripts. */
typedef struct dvmhcc_use {
    dvmhcc_node_t *node; /* the first of them */
    bool reads, writes;
    dvmhcc_walking_t terms[DVMHCC_RANK_MAX];
    int row;        /* number of the row that they follow; by rows only */
    bool has_value; /* code for GPUs loads the element before the body runs (generate_gpu_values.c) */
    int value;      /* number of the value; -1 */
} dvmhcc_use_t;

/** A distributed array of the loop, or a section of one that it reads by remote_access: an operand of its own, with the same indices. */
typedef struct dvmhcc_operand {
    const struct dvmhcc_loop_array *array;
    dvmhcc_entity_t *entity;
    const dvmhcc_reference_t *section; /* NULL: the array itself */
    int remote;                        /* number of the section, from 1; 0: the array itself */
    const char *member;                /* the base; strides are member_1 .. */
    const char *type;                  /* of the elements */
    int rank;
    bool reads, writes;
    bool all_known; /* all subscripts are terms */
    bool by_rows;   /* references can follow rows */
    int inner_axis; /* that the innermost dim walks; -1: none, or several */
    int outer_axis; /* that the dim around it walks, upwards; -1 */
    dvmhcc_use_t *uses;
    int use_count;
} dvmhcc_operand_t;

typedef struct dvmhcc_kernel_dim {
    dvmhcc_entity_t *entity;
    const char *place; /* name of the DvmType parameter */
    const char *type;  /* of the loop's variable */
    bool downward;     /* its step is known to be negative */
    bool used_plain;   /* stands in the body outside of subscripts */
} dvmhcc_kernel_dim_t;

typedef struct dvmhcc_kernel {
    dvmhcc_generator_t *generator;
    const char *name; /* of its functions: dvm_loop_12 */
    int line;
    const char *file;
    int rank;
    dvmhcc_kernel_dim_t dims[DVMHCC_RANK_MAX];
    dvmhcc_node_t *body;
    dvmhcc_entity_t **privates;
    int private_count;
    dvmhcc_capture_t *captures;
    int capture_count;
    dvmhcc_operand_t *operands; /* arrays, then sections in the order of their clauses */
    int operand_count;
    int row_count;
    bool has_dependences, has_conflicts;
    bool by_rows;               /* a second body, by rows, is wanted */
    dvmhcc_operand_t *streamed; /* the array that may bypass the cache; NULL */
    const char *gpu_handler;    /* NULL: it does not run on GPUs */
    int value_count;            /* values of an iteration, for GPUs */
} dvmhcc_kernel_t;

/** The forms of a body: elements by strides, by rows, by strides in C++, or the same with the values that there are. */
typedef enum dvmhcc_body_form {
    DVMHCC_BODY_STRIDES,
    DVMHCC_BODY_ROWS,
    DVMHCC_BODY_GPU,
    DVMHCC_BODY_GPU_VALUES
} dvmhcc_body_form_t;

struct dvmhcc_loop;

/**
 * Make the kernel of a loop, in the generator's arena.
 *
 * @return false  the loop uses something that generated code cannot have, or no memory; told
 */
bool dvmhcc_kernel_make(dvmhcc_generator_t *generator, const struct dvmhcc_loop *loop,
                        dvmhcc_kernel_t *kernel);

/**
 * Append the functions of a kernel: context, bodies, ways to run, handler.
 *
 * @return false  no memory, or the body has something that cannot be moved; told
 */
bool dvmhcc_kernel_write(dvmhcc_kernel_t *kernel, dvmhcc_text_t *text);

/** Append the body with its variables replaced. @return false  told */
bool dvmhcc_kernel_write_body(dvmhcc_kernel_t *kernel, dvmhcc_body_form_t form, dvmhcc_text_t *text);

/** The subscript that an expression is. @return known is false: none of the form */
dvmhcc_walking_t dvmhcc_kernel_term(const dvmhcc_kernel_t *kernel, const dvmhcc_node_t *node);

/** The use that an element is one of; NULL: none, or its subscripts are no terms. */
dvmhcc_use_t *dvmhcc_kernel_use(const dvmhcc_kernel_t *kernel, const dvmhcc_operand_t *operand,
                                const dvmhcc_element_t *element);

/** The constant of the interface that stands for an operation, such as rf_SUM. */
const char *dvmhcc_reduction_code(dvmhcc_operation_t operation);

/** Whether a capture is given to the handler as a parameter; else it comes with the record. */
bool dvmhcc_is_parameter(const dvmhcc_capture_t *capture);

/** The operand that a reference reads or writes, or the capture of a variable; NULL: none. */
dvmhcc_operand_t *dvmhcc_kernel_operand(const dvmhcc_kernel_t *kernel, const dvmhcc_entity_t *entity,
                                        const dvmhcc_node_t *reference);
dvmhcc_capture_t *dvmhcc_kernel_capture(const dvmhcc_kernel_t *kernel, const dvmhcc_entity_t *entity);

#endif
