/* Sending the variables and merging them; see the header. */
#include <config.h>

#include "rts/environment_share.h"

#include <string.h>

#include "rts/comm.h"
#include "rts/memory.h"

static bool is_ours(const char *entry) {
    return strncmp(entry, "DVMH_", 5) == 0 && strchr(entry, '=') != NULL;
}

static bool is_empty(const char *entry) {
    return strchr(entry, '=')[1] == '\0';
}

static bool same_name(const char *a, const char *b) {
    const size_t length = (size_t)(strchr(a, '=') - a);
    return strncmp(a, b, length + 1) == 0;
}

/* Whether process 0 has a variable of that name. */
static bool is_in(const char *entry, const char *text, size_t bytes) {
    for (const char *at = text; at < text + bytes; at += strlen(at) + 1)
        if (same_name(entry, at))
            return true;
    return false;
}

static size_t text_bytes(char *const block[]) {
    size_t bytes = 0;
    for (; *block != NULL; block++)
        if (is_ours(*block))
            bytes += strlen(*block) + 1;
    return bytes;
}

static void pack(char *const block[], char *text) {
    for (; *block != NULL; block++)
        if (is_ours(*block)) {
            const size_t bytes = strlen(*block) + 1;
            memcpy(text, *block, bytes);
            text += bytes;
        }
}

/* First what both have, as set here, then what process 0 has, then what only this process has: so the first of a name counts. */
rts_status_t rts_environment_merge(char *const block[], char *text, size_t bytes,
                                   rts_environment_block_t *block_p) {
    size_t count = 1;
    for (size_t i = 0; block[i] != NULL; i++)
        count += is_ours(block[i]);
    for (size_t at = 0; at < bytes; at += strlen(text + at) + 1)
        count++;
    char **const entries = rts_alloc(count * sizeof *entries);
    if (entries == NULL)
        return rts_fail_memory("the environment variables", count * sizeof *entries);
    count = 0;
    for (size_t i = 0; block[i] != NULL; i++)
        if (is_ours(block[i]) && !is_empty(block[i]) && is_in(block[i], text, bytes))
            entries[count++] = block[i];
    for (size_t at = 0; at < bytes; at += strlen(text + at) + 1)
        entries[count++] = text + at;
    char **const own = entries + count;
    for (size_t i = 0; block[i] != NULL; i++)
        if (is_ours(block[i]) && !is_in(block[i], text, bytes))
            entries[count++] = block[i];
    entries[count] = NULL;
    *block_p = (rts_environment_block_t){.all = entries, .own = own, .entries = entries, .text = text};
    return RTS_OK;
}

rts_status_t rts_environment_share(char *const block[], rts_environment_block_t *block_p) {
    const bool is_first = rts_comm_rank() == 0;
    size_t bytes = is_first ? text_bytes(block) : 0;
    if (rts_comm_size() == 1) {
        *block_p = (rts_environment_block_t){.all = block, .own = block};
        return RTS_OK;
    }
    RTS_TRY(rts_comm_broadcast(&bytes, sizeof bytes, 0));
    char *const text = rts_alloc(bytes);
    if (text == NULL)
        return rts_fail_memory("the environment variables", bytes);
    if (is_first)
        pack(block, text);
    RTS_TRY(rts_comm_broadcast(text, bytes, 0));
    if (!is_first)
        return rts_environment_merge(block, text, bytes, block_p);
    rts_free(text);
    *block_p = (rts_environment_block_t){.all = block, .own = block};
    return RTS_OK;
}

void rts_environment_block_free(rts_environment_block_t *block) {
    rts_free(block->entries);
    rts_free(block->text);
    *block = (rts_environment_block_t){0};
}
