/* Sparsity patterns of columns. */
#include "examples/gsai/gsai_pattern.h"

#include <math.h>
#include <stdlib.h>

#include "examples/gsai/gsai_sparse.h"

/* Up to here sorting by insertion is fastest. */
enum { INSERTION_MAX = 48 };

bool gsai_set_create(int32_t n, gsai_set_t *set_p) {
    *set_p = (gsai_set_t){.member = gsai_alloc(n, sizeof(int32_t)), .place = gsai_alloc(n, sizeof(int32_t))};
    return set_p->member != NULL && set_p->place != NULL;
}

void gsai_set_free(gsai_set_t *set) {
    free(set->member);
    free(set->place);
    *set = (gsai_set_t){0};
}

static int compare(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

static void sort(int32_t *member, int32_t count) {
    if (count > INSERTION_MAX) {
        qsort(member, (size_t)count, sizeof *member, compare);
        return;
    }
    for (int32_t k = 1; k < count; k++) {
        const int32_t moved = member[k];
        int32_t at = k;

        for (; at > 0 && member[at - 1] > moved; at--)
            member[at] = member[at - 1];
        member[at] = moved;
    }
}

void gsai_pattern_of(gsai_columns_t columns, int32_t k, int levels, bool is_lower, gsai_set_t *set) {
    int32_t done = 0;

    gsai_set_add(set, k);
    for (int level = 0; level < levels; level++) {
        const int32_t known = set->count;

        for (; done < known; done++) {
            const int32_t j = set->member[done];

            for (int64_t at = columns.start[j]; at < columns.start[j + 1]; at++)
                gsai_set_add(set, columns.index[at]);
        }
    }
    if (is_lower) {
        int32_t kept = 0;

        for (int32_t at = 0; at < set->count; at++) {
            const int32_t index = set->member[at];

            if (index <= k)
                set->member[kept++] = index;
            else
                set->place[index] = 0;
        }
        set->count = kept;
    }
    sort(set->member, set->count);
    for (int32_t at = 0; at < set->count; at++)
        set->place[set->member[at]] = at + 1;
}

int32_t gsai_pattern_rows(gsai_columns_t columns, const int32_t *member, int32_t count, gsai_set_t *rows) {
    for (int32_t k = 0; k < count; k++)
        for (int64_t at = columns.start[member[k]]; at < columns.start[member[k] + 1]; at++)
            gsai_set_add(rows, columns.index[at]);
    const int32_t found = rows->count;
    gsai_set_clear(rows);
    return found;
}

gsai_status_t gsai_pattern_threshold(const gsai_sparse_t *columns, double threshold, gsai_sparse_t *kept_p,
                                     gsai_fault_t *fault) {
    const int32_t n = columns->n;
    gsai_sparse_t kept = {0};
    double *const root = gsai_alloc(n, sizeof *root);
    gsai_status_t status = root == NULL ? gsai_fail(fault, GSAI_ERR_MEMORY, "no memory for the threshold")
                                        : gsai_sparse_create(n, columns->start[n], &kept, fault);

    if (status != GSAI_OK) {
        free(root);
        return status;
    }
    for (int32_t k = 0; k < n; k++) {
        root[k] = 1;
        for (int64_t at = columns->start[k]; at < columns->start[k + 1]; at++)
            if (columns->index[at] == k && columns->value[at] != 0)
                root[k] = sqrt(fabs(columns->value[at]));
    }
    int64_t count = 0;
    for (int32_t k = 0; k < n; k++) {
        for (int64_t at = columns->start[k]; at < columns->start[k + 1]; at++) {
            const int32_t i = columns->index[at];

            if (i == k || fabs(columns->value[at]) > threshold * root[i] * root[k])
                kept.index[count++] = i;
        }
        kept.start[k + 1] = count;
    }
    free(root);
    *kept_p = kept;
    return GSAI_OK;
}
