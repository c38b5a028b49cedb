/* `__shared__` variables are thread-local ones, and all blocks run on one thread, so what they hold is put aside when another block's turn
 * comes. Most of the storage is never written in one kernel: it is poisoned in the beginning, and only chunks that are no longer poison are
 * moved. So a block also finds poison where it has not written. */
#define _GNU_SOURCE
#include <config.h>

#include "tests/emulated_cuda/emulated_inside.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 256, MODULES = 16 };

typedef struct module {
    const char *begin, *end; /* of its code and data */
    char *storage;           /* the engine's */
    size_t bytes, chunks;
    bool is_poisoned;
} module_t;

static struct {
    module_t module[MODULES];
    int count;
    module_t *current; /* NULL: the kernel's module has no such variables */
    unsigned char poison[CHUNK];
} shared;

static int find_module(struct dl_phdr_info *info, size_t bytes, void *data) {
    module_t *const module = data;
    const char *const wanted = module->begin;
    const char *low = NULL, *high = NULL;
    size_t storage_bytes = 0;
    (void)bytes;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *const part = &info->dlpi_phdr[i];
        const char *const begin = (const char *)(uintptr_t)(info->dlpi_addr + part->p_vaddr);
        if (part->p_type == PT_TLS)
            storage_bytes = part->p_memsz;
        if (part->p_type != PT_LOAD)
            continue;
        low = low == NULL || begin < low ? begin : low;
        high = begin + part->p_memsz > high ? begin + part->p_memsz : high;
    }
    if (wanted < low || wanted >= high)
        return 0;
    *module = (module_t){.begin = low, .end = high, .storage = info->dlpi_tls_data, .bytes = storage_bytes};
    return 1;
}

static char *chunk_at(size_t number) {
    return shared.current->storage + number * CHUNK;
}

static size_t chunk_bytes(size_t number) {
    const size_t left = shared.current->bytes - number * CHUNK;
    return left < CHUNK ? left : CHUNK;
}

bool emulated_shared_open(const void *kernel) {
    const char *const wanted = kernel;
    shared.current = NULL;
    for (int i = 0; i < shared.count; i++)
        if (wanted >= shared.module[i].begin && wanted < shared.module[i].end)
            shared.current = &shared.module[i];
    if (shared.current == NULL) {
        module_t module = {.begin = wanted};
        if (shared.count == MODULES || dl_iterate_phdr(find_module, &module) == 0)
            return false;
        module.chunks = (module.bytes + CHUNK - 1) / CHUNK;
        shared.module[shared.count] = module;
        shared.current = &shared.module[shared.count++];
    }
    memset(shared.poison, EMULATED_POISON, sizeof shared.poison);
    if (shared.current->bytes > 0 && shared.current->storage == NULL)
        return false;
    if (!shared.current->is_poisoned && shared.current->bytes > 0)
        memset(shared.current->storage, EMULATED_POISON, shared.current->bytes);
    shared.current->is_poisoned = true;
    return true;
}

void emulated_shared_leave(emulated_store_t *store, bool keeps) {
    store->dirty_count = 0;
    if (shared.current == NULL)
        return;
    for (size_t number = 0; number < shared.current->chunks; number++) {
        char *const chunk = chunk_at(number);
        const size_t bytes = chunk_bytes(number);
        if (memcmp(chunk, shared.poison, bytes) == 0)
            continue;
        if (keeps) {
            if (store->saved == NULL) {
                store->saved = emulated_alloc(shared.current->chunks * CHUNK);
                store->dirty = emulated_alloc(shared.current->chunks * sizeof *store->dirty);
            }
            memcpy(store->saved + number * CHUNK, chunk, bytes);
            store->dirty[store->dirty_count++] = (uint32_t)number;
        }
        memset(chunk, EMULATED_POISON, bytes);
    }
}

void emulated_shared_enter(const emulated_store_t *store) {
    for (size_t i = 0; i < store->dirty_count; i++)
        memcpy(chunk_at(store->dirty[i]), store->saved + (size_t)store->dirty[i] * CHUNK,
               chunk_bytes(store->dirty[i]));
}
