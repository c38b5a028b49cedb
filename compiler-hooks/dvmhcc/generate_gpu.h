/* The file for GPUs that is written beside a generated source: X.dvmh.cu, C++ for nvcc. It has a function object and a handler for each
 * loop of a region that can run there, and copies of the types, functions and constants that these use.
 *
 * Which loops can is decided by generate_gpu_check.c, on the analysis alone; what C means in C++ by generate_gpu_words.c (words) and
 * generate_gpu_convert.c (expressions); what is copied by generate_gpu_copies.c; which elements are loaded before the body runs by
 * generate_gpu_values.c; generate_gpu_loop.c writes a loop, generate_gpu.c the file. */
#ifndef DVMHCC_GENERATE_GPU_H
#define DVMHCC_GENERATE_GPU_H

/* All names that only this file has begin with dvmhcc_, so variables of the user, whose copies begin with the generator's prefix, never
 * meet them. */

#include "compiler-hooks/dvmhcc/generate_kernel.h"
#include "compiler-hooks/dvmhcc/loop_nest.h"

/* ---- what cannot run there (generate_gpu_check.c) */

/** Why a loop has no code for GPUs. */
typedef struct dvmhcc_gpu_refusal {
    size_t begin, end; /* of what is in the way */
    char reason[240];
} dvmhcc_gpu_refusal_t;

/**
 * Whether a loop can run on GPUs.
 *
 * @param loop       of a region
 * @param refusal_p  set when it cannot
 * @return false  it cannot
 */
bool dvmhcc_gpu_check(const dvmhcc_unit_t *unit, const dvmhcc_loop_t *loop, dvmhcc_gpu_refusal_t *refusal_p);

/** Whether a region's directive lets it run on GPUs. The host is always allowed: without a GPU, or a loop for it, it does the work. */
bool dvmhcc_gpu_allowed(const dvmhcc_region_block_t *region);

/** Whether a loop may run on GPUs, as far as the program says: in a region that is allowed there, and in no host_section. */
bool dvmhcc_gpu_wanted(const dvmhcc_program_t *program, const dvmhcc_loop_t *loop);

/** Bytes that a function object may have: 4 KB of parameters, less what the ways to run it need. */
enum { DVMHCC_GPU_OBJECT_BYTES = 2800 };

/** Bytes that a loop's function object has without the ordinary arrays that it may bring along; an estimate from above. */
int64_t dvmhcc_gpu_object_bytes(const dvmhcc_loop_t *loop);

/** What the initialisers in braces begin with. */
typedef enum dvmhcc_gpu_designators {
    DVMHCC_GPU_VALUES,
    DVMHCC_GPU_MEMBERS, /* all `.member =`, of a structure */
    DVMHCC_GPU_OTHER
} dvmhcc_gpu_designators_t;

/** @param node  a LIST or COMPOUND_LITERAL; the list of a literal has VALUES, as the literal answers for it */
dvmhcc_gpu_designators_t dvmhcc_gpu_designated(const dvmhcc_unit_t *unit, const dvmhcc_node_t *node);

/** The declarator of an entity that has its definition; NULL: it has none in this source. */
const dvmhcc_declarator_t *dvmhcc_gpu_definition(const dvmhcc_entity_t *entity);

/* ---- functions of the C library (generate_gpu_library.c) */

/** A function of the C library that GPUs have, too. C++ has overloads of most, and would choose another one than C; so generated code
 * calls a function of its own with the types that C declares. */
typedef struct dvmhcc_gpu_library {
    const char *name;
    const char *result; /* its type */
    const char *parameters[3];
} dvmhcc_gpu_library_t;

/** Look a function up by its name; NULL: GPUs do not have it. @param as_it_is_p  set when it is called by its own name */
const dvmhcc_gpu_library_t *dvmhcc_gpu_library(const char *name, bool *as_it_is_p);

/** Append the functions of our own that call those that bits are set of. */
typedef struct dvmhcc_gpu_library_set {
    unsigned char used[128];
} dvmhcc_gpu_library_set_t;
void dvmhcc_gpu_library_use(const dvmhcc_gpu_library_t *function, dvmhcc_gpu_library_set_t *set);
void dvmhcc_gpu_library_write(const dvmhcc_gpu_library_set_t *set, dvmhcc_text_t *text);

/* ---- from C to C++ (generate_gpu_words.c, generate_gpu_convert.c) */

/** A word of C that means nothing, or something else, on GPUs: the reason; NULL: it may stand there. */
const char *dvmhcc_gpu_word_refused(const char *word, size_t length);

/**
 * Append text of C with its words as C++ has them: keywords of C++ that are names get other names.
 *
 * @param function  the text is of a function: words that say where it is known are left out
 */
void dvmhcc_gpu_words(const dvmhcc_unit_t *unit, const char *text, size_t length, bool function,
                      dvmhcc_text_t *result);

/**
 * Add the edits to a text that C++ needs: casts where C converts silently, names of library functions.
 *
 * @param node      below which to look; NULL: nothing
 * @param function  whose body it is; NULL: a loop's
 * @param begin     of the edited text in the unit's
 * @return false    no memory; told
 */
bool dvmhcc_gpu_convert(dvmhcc_generator_t *generator, dvmhcc_node_t *node, const dvmhcc_entity_t *function,
                        dvmhcc_edit_t *edit, size_t begin);

/* ---- copies (generate_gpu_copies.c) */

typedef enum dvmhcc_gpu_copy { DVMHCC_GPU_NOTHING, DVMHCC_GPU_TYPE, DVMHCC_GPU_CONSTANT } dvmhcc_gpu_copy_t;

/** Declarations of the file scope that share text. */
typedef struct dvmhcc_gpu_chunk {
    size_t begin, end;
    dvmhcc_gpu_copy_t copy;
    const dvmhcc_declarator_t
        *type; /* of a struct, union or enum that stands in front of variables; NULL: a typedef, or alone */
} dvmhcc_gpu_chunk_t;

typedef struct dvmhcc_gpu {
    dvmhcc_generator_t *generator;
    dvmhcc_gpu_chunk_t *chunks;
    int chunk_count;
    dvmhcc_entity_t **functions; /* to be copied */
    size_t function_count, function_capacity;
    dvmhcc_gpu_library_set_t library;
    dvmhcc_text_t loops, handlers;
    unsigned hash; /* of the source: sources of one program have loops of equal names */
} dvmhcc_gpu_t;

/** Find the declarations of the unit. @return false  no memory; told */
bool dvmhcc_gpu_begin(dvmhcc_generator_t *generator, dvmhcc_gpu_t *gpu);

/** Note all that a loop's body, or words such as those of a type, need to be copied. @return false  no memory; told */
bool dvmhcc_gpu_need(dvmhcc_gpu_t *gpu, dvmhcc_node_t *node);
void dvmhcc_gpu_need_words(dvmhcc_gpu_t *gpu, const char *text, size_t length);

/** Append the copies. @return false  no memory; told */
bool dvmhcc_gpu_write_copies(dvmhcc_gpu_t *gpu, dvmhcc_text_t *text);

/* ---- values that are loaded before the body runs (generate_gpu_values.c) */

/** Choose the references of a loop that have values: sets has_value and value of uses, and the number of values. */
void dvmhcc_gpu_choose_values(dvmhcc_kernel_t *kernel);

/**
 * The value that stands for an element in the body.
 *
 * @param is_assigned_p  set when the element is assigned to, so that it is to change, too
 * @return NULL          it has none; or no memory, told
 */
const char *dvmhcc_gpu_value(dvmhcc_kernel_t *kernel, const dvmhcc_operand_t *operand,
                             const dvmhcc_element_t *element, const dvmhcc_node_t *node, bool *is_assigned_p);

/** Append an element as a member function names it: this->A[(1 * dvm_i + 2) * this->A_1]. */
void dvmhcc_gpu_write_element(const dvmhcc_kernel_t *kernel, const dvmhcc_operand_t *operand,
                              const dvmhcc_use_t *use, dvmhcc_text_t *text);

/** Append the struct of values; statements that declare one and load it. */
void dvmhcc_gpu_write_value_types(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text);
void dvmhcc_gpu_write_values(const dvmhcc_kernel_t *kernel, dvmhcc_text_t *text);

/* ---- loops and the file (generate_gpu_loop.c, generate_gpu.c) */

/** A name or type as it stands in the file, in the generator's arena. @return NULL  no memory; told */
const char *dvmhcc_gpu_word(dvmhcc_gpu_t *gpu, const char *text);

/**
 * Write the function object and the handler of a loop, whose captures have their way to GPUs chosen.
 *
 * @param kernel  its `gpu_handler` is the handler's name
 * @return false  no memory; told
 */
bool dvmhcc_gpu_write_loop(dvmhcc_gpu_t *gpu, dvmhcc_kernel_t *kernel, const dvmhcc_loop_t *loop);

/**
 * Generate a loop's code for GPUs where it can have some; else say why, as a warning. Sets gpu_handler of the kernel, and how its ordinary
 * arrays get there.
 *
 * @return false  no memory; told
 */
bool dvmhcc_gpu_loop(dvmhcc_generator_t *generator, dvmhcc_kernel_t *kernel, const dvmhcc_loop_t *loop);

/** Append the file; nothing when no loop has code for GPUs. @return false  no memory; told */
bool dvmhcc_gpu_write(dvmhcc_gpu_t *gpu, dvmhcc_text_t *text);

void dvmhcc_gpu_end(dvmhcc_gpu_t *gpu);

#endif
