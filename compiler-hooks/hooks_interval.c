/* Intervals of the program's statistics. */
#include <config.h>

#include <dvmhx.h>

#include "compiler-hooks/hooks.h"
#include "rts/exec_times.h"
#include "rts/interval.h"
#include "rts/log.h"
#include "rts/report.h"

static void start(const char *entry_point, rts_interval_kind_t kind, DvmType number) {
    hooks_need_serial(entry_point);
    if (rts_interval_start(kind, number, rts_position_get()) != RTS_OK)
        hooks_end(entry_point);
    hooks_drop_helpers();
}

static void end(const char *entry_point, bool is_user) {
    hooks_need_serial(entry_point);
    if (rts_interval_end(is_user) != RTS_OK)
        hooks_end(entry_point);
    hooks_drop_helpers();
}

HOOKS_API void dvmh_par_interval_start_C(void) {
    start(__func__, RTS_INTERVAL_PARALLEL, 0);
}

HOOKS_API void dvmh_seq_interval_start_C(void) {
    start(__func__, RTS_INTERVAL_SEQUENTIAL, 0);
}

HOOKS_API void dvmh_sp_interval_end_(void) {
    end(__func__, false);
}

HOOKS_API void dvmh_usr_interval_start_C(DvmType number) {
    start(__func__, RTS_INTERVAL_USER, number);
}

HOOKS_API void dvmh_usr_interval_end_(void) {
    end(__func__, true);
}

HOOKS_API double dvmhx_interval_seconds_C(DvmType number) {
    int count;
    hooks_need_runtime(__func__);
    HOOKS_TRY(rts_times_settle());
    const rts_interval_sum_t *sum = rts_interval_sums(&count);
    for (int i = 0; i < count; i++)
        if (sum[i].number == number)
            return rts_report_interval_seconds(&sum[i]);
    return 0;
}
