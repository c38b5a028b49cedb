/* Arrays of one axis on the run-time system, and loops over them: what the rest of the example needs of it, with short calls. A loop is a
 * region of its own. Decides nothing about what is computed. */
#ifndef EXAMPLES_GSAI_GSAI_ARRAY_H
#define EXAMPLES_GSAI_GSAI_ARRAY_H

#include <stddef.h>

#include <dvmhlib2.h>
#include <dvmhx.h>

#include "examples/gsai/gsai.h"

/** An array. Its first member is the header, so that its address is one. */
typedef struct gsai_array {
    DvmType header[64];
    DvmType count;  /* elements; an array of none has one nonetheless */
    size_t element; /* bytes */
    bool exists;
} gsai_array_t;

/** What a loop does with an array. */
typedef struct gsai_use {
    gsai_array_t *array;
    DvmType intent; /* INTENT_IN, INTENT_OUT (all of this process's part is written), INTENT_INOUT */
} gsai_use_t;

/** Arrays of one loop at most. */
#define GSAI_USES_MAX 12

/** The body of a loop. Elements of the arrays stand at GSAI_BASE(record, number, type)[index]. */
typedef void (*gsai_body_t)(const dvmhx_record_t *record, void *context);

/** First element of an array of a loop, in the order of its uses; by index of the whole array. */
#define GSAI_BASE(record, number, type) ((type *)(record)->arrays[number].base)

/** Make an array that every process has whole; values undefined. @param type_code  rt_DOUBLE and the like. Collective. */
void gsai_array_create_whole(gsai_array_t *array_p, DvmType type_code, DvmType count);

/** Make an array that is cut over the processes: `sizes` elements for each along the first axis of the grid. Collective. */
void gsai_array_create_cut(gsai_array_t *array_p, DvmType type_code, DvmType count, const DvmType sizes[]);

/** End an array; one that is all zero, too. Collective. */
void gsai_array_delete(gsai_array_t *array);

/** First element of a whole array, or of a cut one in the only process, with the newest values, to read. Collective. */
const void *gsai_array_read(gsai_array_t *array);

/** First element of a whole array, to write all of it; gsai_array_written must follow. Collective. */
void *gsai_array_write(gsai_array_t *array);

/** Serial code has written a whole array. Collective. */
void gsai_array_written(gsai_array_t *array);

/** Set a whole array from host memory. Collective. */
void gsai_array_set(gsai_array_t *array, const void *values);

/** Copy all elements of a cut or whole array to host memory of every process. Collective. */
void gsai_array_gather(gsai_array_t *array, void *values);

/** Bodies of a loop. */
typedef struct gsai_bodies {
    gsai_body_t host;
    gsai_body_t
        gpu; /* called once, on the main thread: queues kernels on record->stream. NULL: the loop runs on the host */
} gsai_bodies_t;

/**
 * Run a loop over lo .. hi - 1 with independent iterations, each in the process that owns that element of `map`.
 * @param uses     use_count of them, at most GSAI_USES_MAX, all arrays that the body touches
 * @param bodies   the host's runs where there is no GPU, or no memory for the arrays there
 * @param context  for the body, which may run in several threads at once
 * Nothing happens when lo >= hi. Collective.
 */
void gsai_loop_on(gsai_array_t *map, DvmType lo, DvmType hi, int use_count, const gsai_use_t uses[],
                  gsai_bodies_t bodies, void *context);

/** The same on the host. */
void gsai_loop(gsai_array_t *map, DvmType lo, DvmType hi, int use_count, const gsai_use_t uses[],
               gsai_body_t body, void *context);

#endif
