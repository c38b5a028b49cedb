/* Records of ordinary variables, sorted by address; see the header. Handlers may allocate and ask for addresses on several threads
 * at once, so every access is locked; what they free is forgotten at once, but its array lives on until the loop has ended,
 * because other threads may be looking at it. */
#include <config.h>

#include "rts/variable.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "rts/coherence.h"
#include "rts/exec.h"
#include "rts/memory.h"
#include "rts/region.h"

typedef struct variable {
    const char *address;
    size_t bytes; /* 0: unknown */
    int depth;
    bool is_automatic; /* one of the depth is the runtime's own */
    rts_array_t *array;
    DvmType header[RTS_MAX_RANK + 3];
    struct variable *next_retired;
} variable_t;

static struct {
    variable_t **sorted;
    size_t count, capacity;
    size_t automatic_count;
    variable_t *retired; /* forgotten while a loop ran */
    pthread_mutex_t lock;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Place of an address, or where it belongs. */
static size_t place_of(const void *address) {
    size_t lo = 0, hi = known.count;
    while (lo < hi) {
        const size_t middle = lo + (hi - lo) / 2;
        if (known.sorted[middle]->address < (const char *)address)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static variable_t *find(const void *address) {
    const size_t place = place_of(address);
    return place < known.count && known.sorted[place]->address == address ? known.sorted[place] : NULL;
}

/* Neighbours may not reach into [address, address + bytes). */
static rts_status_t check_overlap(const char *address, size_t bytes) {
    const size_t place = place_of(address);
    const size_t after = place < known.count && known.sorted[place]->address == address ? place + 1 : place;
    const size_t size = bytes > 0 ? bytes : 1;
    if (place > 0 && known.sorted[place - 1]->address + known.sorted[place - 1]->bytes > address)
        return rts_fail(RTS_ERR_INVALID,
                        "the variable at %p of %zu bytes overlaps the one at %p of %zu bytes",
                        (const void *)address, bytes, (const void *)known.sorted[place - 1]->address,
                        known.sorted[place - 1]->bytes);
    if (after < known.count && address + size > known.sorted[after]->address)
        return rts_fail(RTS_ERR_INVALID,
                        "the variable at %p of %zu bytes overlaps the one at %p of %zu bytes",
                        (const void *)address, bytes, (const void *)known.sorted[after]->address,
                        known.sorted[after]->bytes);
    return RTS_OK;
}

static rts_status_t insert(const void *address, variable_t **variable_p) {
    if (known.count == known.capacity) {
        const size_t capacity = known.capacity == 0 ? 64 : 2 * known.capacity, word = sizeof *known.sorted;
        variable_t **sorted = rts_realloc(known.sorted, known.capacity * word, capacity * word);
        if (sorted == NULL)
            return rts_fail_memory("the list of variables", capacity * word);
        known.sorted = sorted;
        known.capacity = capacity;
    }
    variable_t *variable = rts_alloc_zeroed(1, sizeof *variable);
    if (variable == NULL)
        return rts_fail_memory("a variable", sizeof *variable);
    const size_t place = place_of(address);
    memmove(&known.sorted[place + 1], &known.sorted[place], (known.count - place) * sizeof *known.sorted);
    known.sorted[place] = variable;
    known.count++;
    variable->address = address;
    *variable_p = variable;
    return RTS_OK;
}

static void drop_array(variable_t *variable) {
    if (variable->array == NULL)
        return;
    rts_coherence_release(variable->array);
    rts_array_destroy(variable->array);
    variable->array = NULL;
}

static void destroy_retired(void) {
    while (known.retired != NULL) {
        variable_t *variable = known.retired;
        known.retired = variable->next_retired;
        drop_array(variable);
        rts_free(variable);
    }
}

static void remove_variable(variable_t *variable) {
    const size_t place = place_of(variable->address);
    known.count--;
    known.automatic_count -= variable->is_automatic;
    memmove(&known.sorted[place], &known.sorted[place + 1], (known.count - place) * sizeof *known.sorted);
    variable->next_retired = known.retired;
    known.retired = variable;
    if (!rts_exec_is_running())
        destroy_retired();
}

static rts_status_t too_large(void) {
    return rts_fail(RTS_ERR_INVALID,
                    "the variable is larger than the address space; allowed: less than %td bytes",
                    PTRDIFF_MAX);
}

static rts_status_t enter(const void *address, size_t bytes, variable_t **variable_p) {
    variable_t *variable = find(address);
    if (address == NULL)
        return rts_fail(RTS_ERR_INVALID, "a variable at address 0; allowed: any other");
    if (bytes >= PTRDIFF_MAX)
        return too_large();
    if (variable == NULL || bytes > variable->bytes)
        RTS_TRY(check_overlap(address, bytes));
    if (variable == NULL)
        RTS_TRY(insert(address, &variable));
    if (bytes > variable->bytes)
        variable->bytes = bytes;
    variable->depth++;
    *variable_p = variable;
    return RTS_OK;
}

static rts_status_t leave(const void *address, bool save) {
    variable_t *variable = find(address);
    if (variable == NULL)
        return rts_fail(RTS_ERR_INVALID,
                        "the variable at %p is in no data region; allowed: one that was entered", address);
    if (variable->depth > 1) {
        variable->depth--;
        return RTS_OK;
    }
    if (variable->array != NULL)
        RTS_TRY(rts_region_check_unused(variable->array));
    if (save && variable->array != NULL)
        RTS_TRY(rts_coherence_fetch(variable->array, 0, NULL));
    remove_variable(variable);
    return RTS_OK;
}

rts_status_t rts_variable_enter(const void *address, size_t bytes) {
    variable_t *variable;
    pthread_mutex_lock(&known.lock);
    const rts_status_t status = enter(address, bytes, &variable);
    pthread_mutex_unlock(&known.lock);
    return status;
}

rts_status_t rts_variable_exit(const void *address, bool save) {
    pthread_mutex_lock(&known.lock);
    const rts_status_t status = leave(address, save);
    pthread_mutex_unlock(&known.lock);
    return status;
}

bool rts_variable_is_known(const void *address) {
    pthread_mutex_lock(&known.lock);
    const bool is_known = find(address) != NULL;
    pthread_mutex_unlock(&known.lock);
    return is_known;
}

rts_array_t *rts_variable_array(const void *address) {
    pthread_mutex_lock(&known.lock);
    const variable_t *variable = find(address);
    rts_array_t *const array = variable != NULL ? variable->array : NULL;
    pthread_mutex_unlock(&known.lock);
    return array;
}

DvmType *rts_variable_header(const void *address) {
    pthread_mutex_lock(&known.lock);
    variable_t *variable = find(address);
    DvmType *const header = variable != NULL && variable->header[0] != 0 ? variable->header : NULL;
    pthread_mutex_unlock(&known.lock);
    return header;
}

rts_status_t rts_variable_bring_home(const void *address) {
    rts_array_t *array = rts_variable_array(address);
    return array != NULL ? rts_coherence_fetch(array, 0, NULL) : RTS_OK;
}

rts_status_t rts_variable_written_home(const void *address) {
    rts_array_t *array = rts_variable_array(address);
    return array != NULL ? rts_coherence_written(array, 0, NULL) : RTS_OK;
}

/* Fill in an unknown first extent. */
static rts_status_t complete_extent(const variable_t *variable, int rank, const rts_index_t given[],
                                    size_t element_bytes, rts_index_t extent[], size_t *bytes_p) {
    size_t row_bytes = element_bytes;
    for (int axis = rank - 1; axis >= 0; axis--) {
        extent[axis] = given[axis];
        if (given[axis] < 0 || (given[axis] == 0 && axis > 0))
            return rts_fail(RTS_ERR_INVALID, "axis %d has extent %lld; allowed: 1 and more", axis + 1,
                            (long long)given[axis]);
        if (axis > 0 && __builtin_mul_overflow(row_bytes, (size_t)given[axis], &row_bytes))
            return too_large();
    }
    if (rank > 0 && extent[0] == 0) {
        extent[0] = (rts_index_t)(variable->bytes / row_bytes);
        if (extent[0] == 0)
            return rts_fail(RTS_ERR_INVALID,
                            "the first extent of the variable at %p is given as 0, but its size is unknown; "
                            "allowed: 1 and more",
                            (const void *)variable->address);
    }
    if (__builtin_mul_overflow(row_bytes, rank > 0 ? (size_t)extent[0] : 1, bytes_p) ||
        *bytes_p >= PTRDIFF_MAX)
        return too_large();
    return RTS_OK;
}

#define SHAPE_SIZE (RTS_MAX_RANK * 22 + 32)

/* "[5][4] of double" */
static const char *print_shape(int rank, const rts_index_t extent[], rts_element_t element,
                               char text[SHAPE_SIZE]) {
    size_t used = 0;
    for (int axis = 0; axis < rank; axis++)
        used += (size_t)snprintf(text + used, SHAPE_SIZE - used, "[%lld]", (long long)extent[axis]);
    used += (size_t)snprintf(text + used, SHAPE_SIZE - used, rank > 0 ? " of " : "of ");
    if (element.code == RTS_ELEMENT_UNTYPED)
        snprintf(text + used, SHAPE_SIZE - used, "%zu bytes", element.bytes);
    else
        snprintf(text + used, SHAPE_SIZE - used, "%s", rts_element_name(element.code));
    return text;
}

static rts_status_t check_same(const rts_array_t *array, int rank, const rts_index_t extent[],
                               rts_element_t element) {
    bool same = array->space.rank == rank && array->element.bytes == element.bytes &&
                array->element.code == element.code;
    for (int axis = 1; axis < rank && same; axis++)
        same = array->space.hi[axis] == extent[axis];
    if (same)
        return RTS_OK;
    char old_shape[SHAPE_SIZE], new_shape[SHAPE_SIZE];
    return rts_fail(RTS_ERR_INVALID, "a variable %s is described again as %s; only the first extent may grow",
                    print_shape(array->space.rank, array->space.hi, array->element, old_shape),
                    print_shape(rank, extent, element, new_shape));
}

static rts_status_t build_array(variable_t *variable, int rank, const rts_index_t extent[],
                                rts_element_t element) {
    rts_array_t *array = NULL;
    RTS_TRY(rts_array_create_variable(rank, extent, element, (void *)(uintptr_t)variable->address, &array));
    const rts_status_t status = rts_array_attach_header(array, variable->header);
    if (status != RTS_OK) {
        rts_array_destroy(array);
        return status;
    }
    variable->array = array;
    return RTS_OK;
}

static rts_status_t describe(variable_t *variable, int rank, const rts_index_t given[],
                             rts_element_t element) {
    rts_index_t extent[RTS_MAX_RANK] = {0};
    size_t bytes = 0;
    RTS_TRY(complete_extent(variable, rank, given, element.bytes, extent, &bytes));
    if (variable->array != NULL) {
        RTS_TRY(check_same(variable->array, rank, extent, element));
        if (rank == 0 ||
            extent[0] <= variable->array->space.hi[0]) /* attached again: the program may forget it */
            return rts_array_attach_header(variable->array, variable->header);
        RTS_TRY(rts_region_check_unused(variable->array));
    }
    if (bytes > variable->bytes) {
        RTS_TRY(check_overlap(variable->address, bytes));
        variable->bytes = bytes;
    }
    if (variable->array != NULL)
        RTS_TRY(rts_coherence_fetch(variable->array, 0, NULL));
    drop_array(variable);
    return build_array(variable, rank, extent, element);
}

static rts_status_t find_and_describe(const void *address, int rank, const rts_index_t extent[],
                                      rts_element_t element, variable_t **variable_p) {
    variable_t *variable = find(address);
    const bool is_new = variable == NULL;
    if (is_new)
        RTS_TRY(enter(address, 0, &variable));
    const rts_status_t status = describe(variable, rank, extent, element);
    if (status != RTS_OK) {
        if (is_new)
            remove_variable(variable);
        return status;
    }
    if (is_new) {
        variable->is_automatic = true;
        known.automatic_count++;
    }
    *variable_p = variable;
    return RTS_OK;
}

rts_status_t rts_variable_describe(const void *address, int rank, const rts_index_t extent[],
                                   rts_element_t element, rts_array_t **array_p, DvmType **header_p) {
    variable_t *variable = NULL;
    pthread_mutex_lock(&known.lock);
    const rts_status_t status = find_and_describe(address, rank, extent, element, &variable);
    if (status == RTS_OK) {
        *array_p = variable->array;
        if (header_p != NULL)
            *header_p = variable->header;
    }
    pthread_mutex_unlock(&known.lock);
    return status;
}

rts_status_t rts_variable_exit_automatic(void) {
    rts_status_t status = RTS_OK;
    pthread_mutex_lock(&known.lock);
    destroy_retired();
    for (size_t i = known.count; i-- > 0 && known.automatic_count > 0 && status == RTS_OK;) {
        variable_t *variable = known.sorted[i];
        if (!variable->is_automatic)
            continue;
        variable->is_automatic = false;
        known.automatic_count--;
        status = leave(variable->address, true);
    }
    pthread_mutex_unlock(&known.lock);
    return status;
}

void rts_variable_reset(void) {
    while (known.count > 0)
        remove_variable(known.sorted[known.count - 1]);
    destroy_retired();
    rts_free(known.sorted);
    known.sorted = NULL;
    known.capacity = 0;
}
