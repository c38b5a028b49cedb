/* What the parts of the code generator share: the translation of one source under way. */
#ifndef DVMHCC_GENERATE_H
#define DVMHCC_GENERATE_H

#include "compiler-hooks/dvmhcc/ast.h"
#include "compiler-hooks/dvmhcc/command.h"
#include "compiler-hooks/dvmhcc/directive.h"
#include "compiler-hooks/dvmhcc/edit.h"
#include "compiler-hooks/dvmhcc/program.h"

typedef struct dvmhcc_generator {
    const dvmhcc_command_t *command;
    dvmhcc_source_t *source;
    dvmhcc_unit_t *unit;
    dvmhcc_program_t *program;
    dvmhcc_edit_t *edit;    /* of the whole text */
    dvmhcc_arena_t *arena;  /* the unit's */
    const char *prefix;     /* of all names that generated code declares: no name of the user begins so */
    const char *context;    /* name of a loop's context in its body; no variable of the user has it */
    struct dvmhcc_gpu *gpu; /* the file for GPUs; NULL: none is wanted */
} dvmhcc_generator_t;

/** One element of a distributed array. */
typedef struct dvmhcc_element {
    dvmhcc_entity_t *array;
    int rank;
    dvmhcc_node_t *subscripts[DVMHCC_RANK_MAX];
} dvmhcc_element_t;

/** Whether an expression is an element of a distributed array, with all its subscripts. */
bool dvmhcc_element_of(dvmhcc_node_t *node, dvmhcc_element_t *element);

/** Formatted text in the generator's arena. @return NULL  no memory; told */
const char *dvmhcc_generator_text(dvmhcc_generator_t *generator, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** The file of a place as it stands inside of a string literal; "?" where it is not known, or there is no memory (told). */
const char *dvmhcc_generator_file(dvmhcc_generator_t *generator, const dvmhcc_place_t *place);

/**
 * A type as it can stand before a name at file scope; without const and volatile of its own.
 *
 * @param where  for messages
 * @return NULL  there is no such text: the type is known in a function only, or has no name; or no memory. Told
 */
const char *dvmhcc_generator_type(dvmhcc_generator_t *generator, const dvmhcc_type_t *type,
                                  const dvmhcc_node_t *where);

/** The name of the buffer that a remote_access directive makes for one of its sections. @return NULL  no memory; told */
const char *dvmhcc_generator_remote(dvmhcc_generator_t *generator, const dvmhcc_attached_t *attached,
                                    const dvmhcc_reference_t *section);

/**
 * Generate plain C from an analysed program, and the file for GPUs.
 *
 * @param source, unit, program  of one file, without errors
 * @param result                 is appended to
 * @param gpu                    the same; stays as it is when no loop can run there. NULL: not wanted
 * @return false                 something is not supported, or no memory; all told with dvmhcc_report
 */
bool dvmhcc_generate(const dvmhcc_command_t *command, dvmhcc_source_t *source, dvmhcc_unit_t *unit,
                     dvmhcc_program_t *program, dvmhcc_text_t *result, dvmhcc_text_t *gpu);

#endif
