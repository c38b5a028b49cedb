/* Products of compressed rows with vectors: one loop over rows. */
#include "examples/gsai/gsai_product.h"

#include <string.h>

#include "examples/gsai/gsai_sparse.h"

void gsai_product_room(int32_t n, int64_t entries, const gsai_gpu_t *gpu, gsai_product_t *product_p) {
    memset(product_p, 0, sizeof *product_p);
    product_p->n = n;
    product_p->entries = entries;
    product_p->gpu = gpu;
    gsai_array_create_whole(&product_p->start, rt_LLONG, (DvmType)n + 1);
    gsai_array_create_whole(&product_p->index, rt_INT, entries);
    gsai_array_create_whole(&product_p->value, rt_DOUBLE, entries);
}

gsai_sparse_t gsai_product_home(gsai_product_t *product) {
    return (gsai_sparse_t){.n = product->n,
                           .start = gsai_array_write(&product->start),
                           .index = gsai_array_write(&product->index),
                           .value = gsai_array_write(&product->value)};
}

void gsai_product_begin(int32_t n, int64_t entries, const gsai_gpu_t *gpu, gsai_product_t *product_p,
                        gsai_sparse_t *room_p) {
    gsai_product_room(n, entries, gpu, product_p);
    *room_p = gsai_product_home(product_p);
}

void gsai_product_end(gsai_product_t *product) {
    gsai_array_written(&product->start);
    gsai_array_written(&product->index);
    gsai_array_written(&product->value);
}

void gsai_product_create(const gsai_sparse_t *rows, const gsai_gpu_t *gpu, gsai_product_t *product_p) {
    gsai_sparse_t room;

    gsai_product_begin(rows->n, rows->start[rows->n], gpu, product_p, &room);
    gsai_sparse_copy_into(rows, &room);
    gsai_product_end(product_p);
}

/* Arrays: start, index, value, x, y. */
static void product_body(const dvmhx_record_t *record, void *context) {
    const int64_t *const start = GSAI_BASE(record, 0, int64_t);
    const int32_t *const index = GSAI_BASE(record, 1, int32_t);
    const double *const value = GSAI_BASE(record, 2, double), *const x = GSAI_BASE(record, 3, double);
    double *const y = GSAI_BASE(record, 4, double);

    (void)context;
    for (DvmType m = 0; m < record->count[0]; m++) {
        const DvmType k = record->start[0] + m;
        double sum = 0;

        for (int64_t at = start[k]; at < start[k + 1]; at++)
            sum += value[at] * x[index[at]];
        y[k] = sum;
    }
}

void gsai_product_apply(gsai_product_t *product, gsai_array_t *x, gsai_array_t *y) {
    const gsai_use_t uses[] = {{&product->start, INTENT_IN},
                               {&product->index, INTENT_IN},
                               {&product->value, INTENT_IN},
                               {x, INTENT_IN},
                               {y, INTENT_OUT}};

    gsai_step_t step = {.n = product->n, .entries = product->entries};
    const gsai_bodies_t bodies = {product_body, product->gpu != NULL ? product->gpu->product : NULL};

    gsai_loop_on(y, 0, product->n, 5, uses, bodies, &step);
}

void gsai_product_delete(gsai_product_t *product) {
    gsai_array_delete(&product->start);
    gsai_array_delete(&product->index);
    gsai_array_delete(&product->value);
}
