/* Helper values: small rings, one a kind and thread. A word is the number of the value, counted from 1 over the whole run, times
 * KIND_COUNT plus its kind, so that a value of another kind or of an earlier call is recognised. */
#include <config.h>

#include "compiler-hooks/hooks_object.h"

enum { KIND_RULE, KIND_ALIGNMENT, KIND_HANDLER, KIND_SLICE, KIND_COUNT };

/* As many as one argument list can hold, and some left over from lists that were never consumed. */
#define RING_SIZE         64
#define HANDLER_RING_SIZE 8
#define SLICE_RING_SIZE   8

typedef struct ring_state {
    DvmType made, dropped; /* values made so far; the first `dropped` are dead */
} ring_state_t;

static _Thread_local ring_state_t state[KIND_COUNT];
static _Thread_local hooks_rule_t rules[RING_SIZE];
static _Thread_local rts_align_rule_t alignments[RING_SIZE];
static _Thread_local rts_handler_t handlers[HANDLER_RING_SIZE];
static _Thread_local hooks_slice_t slices[SLICE_RING_SIZE];

static const char *const kind_name[KIND_COUNT] = {"a distribution rule", "an alignment rule", "a handler",
                                                  "a section of an array"};

static DvmType make_word(int kind) {
    return ++state[kind].made * KIND_COUNT + kind;
}

/* Number of the value, from 0. */
static DvmType number_of(const char *entry_point, DvmType word, int kind, DvmType ring_size) {
    const DvmType number = word / KIND_COUNT;
    if (word <= 0 || word % KIND_COUNT != kind || number > state[kind].made ||
        number <= state[kind].dropped || number <= state[kind].made - ring_size)
        hooks_error(entry_point, "%ld is not %s made in this call's argument list", (long)word,
                    kind_name[kind]);
    return number - 1;
}

DvmType hooks_keep_rule(hooks_rule_t rule) {
    rules[state[KIND_RULE].made % RING_SIZE] = rule;
    return make_word(KIND_RULE);
}

DvmType hooks_keep_alignment(rts_align_rule_t rule) {
    alignments[state[KIND_ALIGNMENT].made % RING_SIZE] = rule;
    return make_word(KIND_ALIGNMENT);
}

DvmType hooks_keep_slice(const hooks_slice_t *slice) {
    slices[state[KIND_SLICE].made % SLICE_RING_SIZE] = *slice;
    return make_word(KIND_SLICE);
}

rts_handler_t *hooks_keep_handler(DvmType *word_p) {
    rts_handler_t *handler = &handlers[state[KIND_HANDLER].made % HANDLER_RING_SIZE];
    *word_p = make_word(KIND_HANDLER);
    return handler;
}

hooks_rule_t hooks_rule(const char *entry_point, DvmType word) {
    return rules[number_of(entry_point, word, KIND_RULE, RING_SIZE) % RING_SIZE];
}

rts_align_rule_t hooks_alignment(const char *entry_point, DvmType word) {
    return alignments[number_of(entry_point, word, KIND_ALIGNMENT, RING_SIZE) % RING_SIZE];
}

const rts_handler_t *hooks_handler(const char *entry_point, DvmType word) {
    return &handlers[number_of(entry_point, word, KIND_HANDLER, HANDLER_RING_SIZE) % HANDLER_RING_SIZE];
}

const hooks_slice_t *hooks_slice(const char *entry_point, DvmType word) {
    return &slices[number_of(entry_point, word, KIND_SLICE, SLICE_RING_SIZE) % SLICE_RING_SIZE];
}

void hooks_drop_helpers(void) {
    for (int kind = 0; kind < KIND_COUNT; kind++)
        state[kind].dropped = state[kind].made;
}
