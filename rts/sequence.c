/* The ring of executions and the hypothesis about its period. Entries of one bucket are linked from new to old, so that the last
 * occurrence of an entry is found without a table that would have to forget what leaves the ring. */
#include <config.h>

#include "rts/sequence.h"

#include <string.h>

#define NUMBER_MASK (RTS_SEQUENCE_ENTRIES - 1)

void rts_sequence_reset(rts_sequence_t *sequence) {
    memset(sequence, 0, sizeof *sequence);
}

static rts_sequence_entry_t *entry_of(rts_sequence_t *sequence, int64_t number) {
    return &sequence->entry[number & NUMBER_MASK];
}

static bool is_kept(const rts_sequence_t *sequence, int64_t number) {
    return number >= 0 && sequence->count - number <= RTS_SEQUENCE_ENTRIES &&
           sequence->handle_count - sequence->entry[number & NUMBER_MASK].first_handle <=
               RTS_SEQUENCE_HANDLES;
}

rts_sequence_entry_t *rts_sequence_back(rts_sequence_t *sequence, int64_t back) {
    const int64_t number = sequence->count - 1 - back;
    return is_kept(sequence, number) ? entry_of(sequence, number) : NULL;
}

static bool is_same(const rts_sequence_t *sequence, int64_t a, int64_t b) {
    const rts_sequence_entry_t *one = &sequence->entry[a & NUMBER_MASK],
                               *other = &sequence->entry[b & NUMBER_MASK];
    if (one->loop != other->loop || one->array_count != other->array_count)
        return false;
    for (int i = 0; i < one->array_count; i++)
        if (rts_sequence_handle(sequence, one, i) != rts_sequence_handle(sequence, other, i))
            return false;
    return true;
}

static size_t bucket_of(const void *loop, const rts_handle_t array[], int array_count) {
    uint64_t hash = (uint64_t)(uintptr_t)loop;
    for (int i = 0; i < array_count; i++)
        hash = (hash ^ (uint64_t)array[i]) * 0x9e3779b97f4a7c15u;
    hash *= 0x9e3779b97f4a7c15u;
    return (size_t)(hash >> 40) & (RTS_SEQUENCE_BUCKETS - 1);
}

/* Entries at the end that equal those `distance` before; counted up to two of the longest periods. */
static int64_t count_right(const rts_sequence_t *sequence, int64_t newest, int64_t distance) {
    int64_t right = 0;
    while (right < 2 * RTS_SEQUENCE_MAX_PERIOD && is_kept(sequence, newest - right - distance) &&
           is_same(sequence, newest - right, newest - right - distance))
        right++;
    return right;
}

/* A new hypothesis: the shortest distance that has been right for a whole round; else the one that has come nearest to that. The
 * distance to the last occurrence alone would never find a period such as A B C A B A C C. */
static void guess_period(rts_sequence_t *sequence, int64_t newest) {
    sequence->period = sequence->right = 0;
    int64_t number = entry_of(sequence, newest)->previous;
    while (number >= 0 && newest - number <= RTS_SEQUENCE_MAX_PERIOD && is_kept(sequence, number)) {
        const int64_t distance = newest - number, right = count_right(sequence, newest, distance);
        if (right > 0 && (sequence->period == 0 || right * sequence->period > sequence->right * distance)) {
            sequence->period = distance;
            sequence->right = right;
        }
        if (right >= distance)
            return;
        number = entry_of(sequence, number)->previous;
    }
}

void rts_sequence_add(rts_sequence_t *sequence, void *loop, const rts_handle_t array[], int array_count) {
    const int64_t number = sequence->count++;
    rts_sequence_entry_t *entry = entry_of(sequence, number);
    int64_t *bucket = &sequence->bucket[bucket_of(loop, array, array_count)];
    *entry = (rts_sequence_entry_t){.loop = loop,
                                    .first_handle = sequence->handle_count,
                                    .previous = *bucket - 1,
                                    .array_count = array_count};
    *bucket = number + 1;
    for (int i = 0; i < array_count; i++)
        sequence->handle[(sequence->handle_count + i) & (RTS_SEQUENCE_HANDLES - 1)] = array[i];
    sequence->handle_count += array_count;
    const int64_t predicted = number - sequence->period;
    if (sequence->period > 0 && is_kept(sequence, predicted) && is_same(sequence, number, predicted)) {
        sequence->right++;
        return;
    }
    guess_period(sequence, number);
}
