/* What the files of exec_query share: the handler that runs now. */
#ifndef RTS_EXEC_QUERY_INSIDE_H
#define RTS_EXEC_QUERY_INSIDE_H

#include "rts/exec_query.h"

/** Blocks of memory that a handler may be given, at most. */
#define RTS_QUERY_BLOCKS (4 * RTS_MAX_LOOP_ITEMS)

typedef struct rts_query_items {
    void **items_p, **locations_p; /* the handler's variables; items_p NULL: not registered */
    void *items, *locations;       /* NULL: not prepared */
    int64_t count;                 /* all there are */
} rts_query_items_t;

/** Valid while ops is not NULL. */
typedef struct rts_query {
    const rts_exec_portion_t *portion;
    const rts_handler_ops_t *ops;
    void *stream;
    bool has_launched; /* a sequence handler was told to launch */
    int transformed_count;
    const rts_array_t *transformed[RTS_MAX_LOOP_ITEMS]; /* in layouts that the handler asked for */
    bool is_fortran[RTS_MAX_LOOP_ITEMS];
    rts_query_items_t reduction[RTS_MAX_LOOP_ITEMS];
    int block_count;
    void *block[RTS_QUERY_BLOCKS]; /* all of the above and copies */
} rts_query_t;

extern rts_query_t rts_query;

/** Memory on the handler's device, freed at its end at the latest. */
rts_status_t rts_query_allocate(size_t bytes, void **memory_p);
void rts_query_release(void *memory);

#endif
