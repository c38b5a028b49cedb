/* Which option of a loop to run, in the modes COST and REPLAY: by the period that the loop stands in, or by its own cost. */
#ifndef RTS_CHOICE_H
#define RTS_CHOICE_H

#include "rts/period.h"
#include "rts/reason.h"

/** Forget the sequence of loops and its period. */
void rts_choice_reset(void);

/**
 * Option for an execution.
 * @param site   with at least the option that is legal always
 * @param again  the choice before was refused: the same execution once more
 * @param reason_p  filled but for site, option and plan
 */
int rts_choice_option(rts_site_t *site, const rts_loop_facts_t *facts, bool again,
                      const rts_period_terms_t *terms, rts_reason_t *reason_p);

/** The option whose forms are all at hand; made when there is none yet. @return -1 when no such option is legal, or refused */
int rts_choice_present(rts_site_t *site, const rts_loop_facts_t *facts);

/** The option that can always be had: home's forms, or the pinned ones where they are the only ones; made when there is none yet. */
int rts_choice_safe(rts_site_t *site);

#endif
