/* Variables of process 0 merged with those of another process: what a process has set itself counts, what it lacks or has empty comes from
 * process 0, and what only it has is told apart. Compared with a search name by name. */
#include <config.h>

#include "rts/environment_share.h"

#include "rts/memory.h"
#include "tests/check.h"

enum { NAMES = 6, ENTRIES = 12 };

static const char *const names[NAMES] = {"DVMH_A", "DVMH_AB", "DVMH_B", "DVMH_", "OTHER", "DVM"};

/* The value of the first entry of a name that is not empty, or an empty one, or NULL. */
static const char *value_of(char *const block[], const char *name) {
    const char *found = NULL;
    for (; *block != NULL; block++) {
        const char *const equals = strchr(*block, '=');
        const size_t length = equals != NULL ? (size_t)(equals - *block) : 0;
        if (length == strlen(name) && strncmp(*block, name, length) == 0 &&
            (found == NULL || (*found == '\0' && equals[1] != '\0')))
            found = equals + 1;
    }
    return found;
}

/* As the environment is read: the first entry counts, whatever it is. */
static const char *first_of(char *const block[], const char *name) {
    for (; *block != NULL; block++)
        if (strncmp(*block, name, strlen(name)) == 0 && (*block)[strlen(name)] == '=')
            return strchr(*block, '=') + 1;
    return NULL;
}

/* Each name at most once, as in an environment; without values and without `=` now and then. */
static void make_block(char text[ENTRIES][32], char *block[], const char *who) {
    int count = 0;
    for (int i = 0; i < NAMES; i++) {
        if (check_random_once_in(2))
            continue;
        const bool is_empty = check_random_once_in(3);
        snprintf(text[count], 32, "%s=%s", names[i], is_empty ? "" : who);
        block[count] = text[count];
        count++;
    }
    if (check_random_once_in(4)) {
        snprintf(text[count], 32, "DVMH_C");
        block[count] = text[count];
        count++;
    }
    block[count] = NULL;
}

static void test_merge(void) {
    char own_text[ENTRIES][32], first_text[ENTRIES][32], *own[ENTRIES + 1], *first[ENTRIES + 1];
    make_block(own_text, own, "own");
    make_block(first_text, first, "first");
    size_t bytes = 0;
    char *const text = rts_alloc(32 * ENTRIES);
    for (int i = 0; first[i] != NULL; i++)
        if (strncmp(first[i], "DVMH_", 5) == 0 && strchr(first[i], '=') != NULL) {
            memcpy(text + bytes, first[i], strlen(first[i]) + 1);
            bytes += strlen(first[i]) + 1;
        }
    rts_environment_block_t merged;
    CHECK_EQ_INT(rts_environment_merge(own, text, bytes, &merged), RTS_OK);
    for (int i = 0; i < NAMES; i++) {
        const char *const mine = value_of(own, names[i]), *const theirs = value_of(first, names[i]);
        const bool is_ours = strncmp(names[i], "DVMH_", 5) == 0, is_mine = mine != NULL && *mine != '\0';
        const char *const expected = !is_ours ? NULL : is_mine || theirs == NULL ? mine : theirs;
        const char *const found = first_of(merged.all, names[i]);
        CHECK((found == NULL) == (expected == NULL));
        if (found != NULL && expected != NULL)
            CHECK_EQ_STR(found, expected);
        CHECK((first_of(merged.own, names[i]) != NULL) == (is_ours && mine != NULL && theirs == NULL));
    }
    rts_environment_block_free(&merged);
}

static void test_one_process(void) {
    char entry[] = "DVMH_A=1", *block[] = {entry, NULL};
    rts_environment_block_t shared;
    const int64_t calls = rts_memory_calls();
    CHECK_EQ_INT(rts_environment_share(block, &shared), RTS_OK);
    CHECK(shared.all == block && shared.own == block);
    rts_environment_block_free(&shared);
    CHECK_EQ_INT(rts_memory_calls(), calls);
}

static void test_no_memory(void) {
    char entry[] = "DVMH_A=1", *block[] = {entry, NULL}, text[] = "DVMH_B=2";
    rts_environment_block_t merged = {0};
    rts_memory_fail_at(1);
    CHECK_EQ_INT(rts_environment_merge(block, text, sizeof text, &merged), RTS_ERR_NO_MEMORY);
    CHECK(merged.all == NULL);
}

int main(void) {
    check_random_start();
    for (int i = 0; i < 2000; i++)
        test_merge();
    test_one_process();
    test_no_memory();
    CHECK_EQ_INT(rts_memory_live(), 0);
    return check_finish();
}
