/* The environment of a job: launchers give the variables of the one who starts it to some processes only, so that process 0's are passed on
 * to those that lack them. Decides nothing about values. */
#ifndef RTS_ENVIRONMENT_SHARE_H
#define RTS_ENVIRONMENT_SHARE_H

#include "rts/status.h"

/** Environment blocks ("NAME=value", NULL-terminated) of a process. Entries belong to the process's own block or to `text`. */
typedef struct rts_environment_block {
    char *const *all; /* every DVMH_ variable in force; of a name that stands twice the first counts */
    char *const *own; /* those that process 0 has not: warnings about names come from one process */
    char **entries;   /* memory behind both; NULL when they are the process's own block */
    char *text;
} rts_environment_block_t;

/**
 * Pass on what process 0 has. A variable that a process has set itself counts there; an empty value is as good as none.
 * Synchronous, collective, main thread. The program's environment stays as it is. With one process nothing is copied.
 * @param block  the process's environment; must live as long as the result
 * @return RTS_ERR_NO_MEMORY, RTS_ERR_COMM  in this process; others may wait for it: the caller ends the job
 */
rts_status_t rts_environment_share(char *const block[], rts_environment_block_t *block_p);

/**
 * The arithmetic of it, without communication.
 * @param text   entries of process 0, each with its terminator; `bytes` bytes. Taken over on success
 */
rts_status_t rts_environment_merge(char *const block[], char *text, size_t bytes,
                                   rts_environment_block_t *block_p);

/** Give the memory back. */
void rts_environment_block_free(rts_environment_block_t *block);

#endif
