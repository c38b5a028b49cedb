/* Costs that an earlier run saved, looked up by loop. Keeps them; what they mean for a choice is decided by others. */
#ifndef RTS_SAVED_H
#define RTS_SAVED_H

#include "rts/planner.h"

/** Keep a copy of the costs, in place of those before. @return RTS_ERR_NO_MEMORY  none are kept then */
rts_status_t rts_saved_import(const rts_saved_cost_t cost[], size_t count);
void rts_saved_forget(void);

/** Seconds of a loop on forms with a plan. @param is_kept_p  set where that is what the run ended with, else left alone
 * @return < 0 when they were not saved */
double rts_saved_seconds(uint64_t loop, const char *forms, const char *plan, bool *is_kept_p);

#endif
