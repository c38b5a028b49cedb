/* Packing of facts into words, so that one comparison of memory says whether two executions are of the same loop. */
#include <config.h>

#include "rts/site_key.h"

#include <string.h>

#define MIX 0x9e3779b97f4a7c15u

/* Number of the highest bit of a count >= 1. */
static uint64_t magnitude(rts_index_t count) {
    return (uint64_t)(63 - __builtin_clzll((unsigned long long)(count | 1)));
}

/* Magnitudes of up to 8 counts in one word. */
static uint64_t pack_magnitudes(const rts_index_t count[], int rank) {
    uint64_t word = 0;
    for (int i = 0; i < rank; i++)
        word = word << 8 | magnitude(count[i]);
    return word;
}

static uint64_t pack_dims(const rts_array_facts_t *array) {
    uint64_t word = 0;
    for (int axis = 0; axis < array->rank; axis++)
        word = word << 8 | (uint64_t)((array->dim[axis] + 1) << 1 | (array->sign[axis] < 0));
    return word;
}

static uint64_t *pack_array(const rts_array_facts_t *array, uint64_t *word) {
    *word++ = (uint64_t)array->rank | (uint64_t)array->intent << 8 | (uint64_t)array->by_rows << 16 |
              (uint64_t)array->is_pinned << 17 | (uint64_t)array->forbidden << 24;
    *word++ = (uint64_t)array->element_bytes;
    *word++ = pack_magnitudes(array->extent, array->rank);
    *word++ = pack_dims(array);
    if (array->is_pinned) {
        *word++ = (uint64_t)array->pinned.kind << 32 | (uint32_t)array->pinned.rank;
        *word++ = (uint64_t)(uint32_t)array->pinned.a << 32 | (uint32_t)array->pinned.b;
        *word++ = (uint64_t)array->pinned.pitch_align;
        for (int i = 0; i < array->pinned.rank; i++)
            *word++ = (uint64_t)array->pinned.perm[i];
    }
    return word;
}

static uint64_t *pack_dependences(const rts_dependences_t *dependences, int rank, uint64_t *word) {
    *word++ = (uint64_t)dependences->count;
    for (int i = 0; i < dependences->count; i++)
        for (int dim = 0; dim < rank; dim++)
            *word++ = (uint64_t)dependences->vector[i][dim];
    return word;
}

void rts_site_key_make(const rts_loop_facts_t *facts, rts_site_key_t *key_p) {
    uint64_t *word = key_p->word;
    const bool has_arrays = facts->arrays != NULL;
    *word++ = facts->site;
    *word++ = (uint64_t)facts->rank | (uint64_t)facts->body << 4 | (uint64_t)facts->no_tiles << 8 |
              (uint64_t)facts->may_stream << 9 | (uint64_t)has_arrays << 10 |
              (uint64_t)facts->is_pinned_natural << 11 | (uint64_t)(facts->unit_steps & 0xffff) << 16 |
              (uint64_t)(uint32_t)facts->device << 32;
    *word++ = (uint64_t)(uint32_t)facts->thread_count | (uint64_t)(uint32_t)facts->array_count << 32;
    *word++ = (uint64_t)facts->element_bytes << 8 | (uint64_t)facts->front_lag;
    /* With a choice of layouts the contiguous dim follows from the forms. */
    *word++ = has_arrays ? 0 : (uint64_t)(facts->contiguous_dim + 1);
    *word++ = pack_magnitudes(facts->count, facts->rank);
    if (facts->is_gpu)
        *word++ = (uint64_t)facts->cuda_block[0] | (uint64_t)facts->cuda_block[1] << 20 |
                  (uint64_t)facts->cuda_block[2] << 40 | (uint64_t)1 << 63;
    word = pack_dependences(&facts->dependences, facts->rank, word);
    for (int i = 0; i < facts->array_count && has_arrays; i++)
        word = pack_array(&facts->arrays[i], word);
    key_p->count = (int)(word - key_p->word);
}

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * MIX;
    return hash ^ hash >> 29;
}

uint64_t rts_site_key_hash(const rts_site_key_t *key) {
    uint64_t hash = MIX;
    for (int i = 0; i < key->count; i++)
        hash = mix(hash, key->word[i]);
    return hash ^ hash >> 32;
}

uint64_t rts_site_file_hash(const rts_loop_facts_t *facts) {
    uint64_t hash = mix(MIX, (uint64_t)facts->position.line);
    for (const char *c = facts->position.file; c != NULL && *c != '\0'; c++)
        hash = mix(hash, (unsigned char)*c);
    hash = mix(hash, (uint64_t)facts->rank);
    for (int dim = 0; dim < facts->rank; dim++)
        hash = mix(hash, (uint64_t)facts->count[dim]);
    hash = mix(hash, (uint64_t)facts->dependences.count | (uint64_t)facts->front_lag << 32);
    if (facts->is_gpu) /* costs of the host say nothing of it */
        hash = mix(hash, 1);
    for (int i = 0; i < facts->dependences.count; i++)
        for (int dim = 0; dim < facts->rank; dim++)
            hash = mix(hash, (uint64_t)facts->dependences.vector[i][dim]);
    for (int i = 0; i < facts->array_count && facts->arrays != NULL; i++) {
        const rts_array_facts_t *array = &facts->arrays[i];
        hash = mix(hash, (uint64_t)array->element_bytes);
        for (int axis = 0; axis < array->rank; axis++)
            hash = mix(hash, (uint64_t)array->extent[axis]);
        hash = mix(hash, pack_dims(array));
    }
    return hash;
}

uint64_t rts_site_file_key(uint64_t file_hash, int ordinal) {
    return mix(file_hash, (uint64_t)ordinal);
}
