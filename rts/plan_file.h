/* Files of costs: what the loops of a run cost, for a later run that does not measure (DVMH_PLANNER_SAVE, DVMH_PLANNER=replay).
 * Text that people can read and edit; decides its form alone. What costs mean is the planner's. */
#ifndef RTS_PLAN_FILE_H
#define RTS_PLAN_FILE_H

#include "rts/planner.h"

/** What a file holds. */
typedef struct rts_plan_file {
    size_t count;
    rts_saved_cost_t *cost; /* rts_free */
    double reorganise_rate; /* bytes a second, > 0 */
} rts_plan_file_t;

/**
 * Look whether such a file can be written, so that who asks for one learns at the start that it cannot be had. Nothing is created.
 * @return RTS_OK      nothing speaks against it; writing may still fail
 * @return RTS_ERR_IO  its folder is missing or may not be written to, or the name is a folder's; the message names it and the reason
 * @return RTS_ERR_NO_MEMORY
 */
rts_status_t rts_plan_file_check(const char *name);

/**
 * Write all that the planner knows. It is written beside the file and takes its name when it is complete, so that a reader or a
 * full disk never leaves half a file under the name. Main thread.
 * @return RTS_OK
 * @return RTS_ERR_IO         the message names the file and the system's reason; an older file stays as it was
 * @return RTS_ERR_NO_MEMORY
 */
rts_status_t rts_plan_file_write(const char *name);

/**
 * Read such a file. Numbers come back exactly.
 * @param file_p  filled only on success
 * @return RTS_OK
 * @return RTS_ERR_IO         it cannot be read; the message names it and the system's reason
 * @return RTS_ERR_INVALID    it is none of ours, or damaged; the message says file, line, what is there and what is expected
 * @return RTS_ERR_NO_MEMORY
 */
rts_status_t rts_plan_file_read(const char *name, rts_plan_file_t *file_p);

#endif
