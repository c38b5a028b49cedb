/* The rows of the table of environment variables, shared by the two files of this module only. */
#ifndef RTS_ENVIRONMENT_TABLE_H
#define RTS_ENVIRONMENT_TABLE_H

#include "rts/environment.h"

/** Form of a value. The comment names the type of the field that it is stored in. */
typedef enum rts_value_type {
    RTS_VALUE_BOOL,       /* bool: 1 on yes enable, 0 off no disable */
    RTS_VALUE_BOOL_AUTO,  /* int: the same, or auto = -1 */
    RTS_VALUE_INT,        /* int or int64_t, min..max */
    RTS_VALUE_INT_LIST,   /* rts_int_list_t, each min..max */
    RTS_VALUE_FLOAT,      /* not stored: a decimal number >= 0 */
    RTS_VALUE_FLOAT_LIST, /* not stored */
    RTS_VALUE_STRING,     /* char[], any text that fits */
    RTS_VALUE_LEVEL,      /* rts_log_level_t: 0..5 or a name */
    RTS_VALUE_CHOICE,     /* bool or an enum: place of the word in `words` */
    RTS_VALUE_PLANNER     /* planner_mode with planner_seed and planner_file */
} rts_value_type_t;

/** Bound of the number of rows, for arrays with an entry a row. */
#define RTS_ENVIRONMENT_ROWS_MAX 128

/** One variable. */
typedef struct rts_environment_row {
    const char *name;
    rts_value_type_t type;
    const char *initial;      /* default as a value, parsed like the user's; NULL: the field stays zero */
    const char *shown;        /* default as documentation says it; NULL: `initial` */
    const char *allowed;      /* ends the message about a bad value */
    const char *help;         /* one sentence, no final full stop, no '|' */
    size_t offset, size;      /* field of rts_environment_t; size 0: checked only */
    int64_t min, max;         /* INT, INT_LIST */
    const char *const *words; /* CHOICE; NULL-terminated */
} rts_environment_row_t;

extern const rts_environment_row_t rts_environment_rows[];
extern const int rts_environment_row_count;

#endif
