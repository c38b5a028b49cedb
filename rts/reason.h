/* Why a choice was made: figures kept when it is made, words made when somebody asks. */
#ifndef RTS_REASON_H
#define RTS_REASON_H

#include "rts/site.h"

typedef enum rts_reason_kind {
    RTS_REASON_NONE = 0, /* nothing to say: as at the last execution */
    RTS_REASON_FIRST,    /* first execution */
    RTS_REASON_MODE,     /* the mode says so: random, greedy, pinned */
    RTS_REASON_PLAN,     /* another plan on the same forms */
    RTS_REASON_ALONE,    /* outside any period, by its own cost */
    RTS_REASON_PERIOD,   /* as the schedule of the period says */
    RTS_REASON_CHANGE,   /* the schedule has just changed */
    RTS_REASON_REFUSED   /* what was wanted could not be had */
} rts_reason_kind_t;

typedef struct rts_reason {
    rts_reason_kind_t kind;
    const rts_site_t *site;
    int option, plan;
    bool is_unknown;                   /* the option has not been measured yet */
    bool is_trial;                     /* CHANGE: some of it has not */
    double plan_s, fastest_s;          /* PLAN: its fastest time, < 0 before the first; the option's */
    int period;                        /* PERIOD, CHANGE: loops */
    double saving_s, period_s, once_s; /* CHANGE */
    double seconds, there_s;           /* ALONE: of the loop, and of the reorganisations before it */
    double natural_s, go_home_s;       /* ALONE: the same for home's forms */
} rts_reason_t;

/** @return text, always terminated */
const char *rts_reason_text(const rts_reason_t *reason, char *text, size_t text_size);

#endif
