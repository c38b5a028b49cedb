/* The words for reasons. */
#include <config.h>

#include "rts/reason.h"

#include <stdio.h>

static double ms(double seconds) {
    return seconds * 1e3;
}

static const char *forms_of(const rts_reason_t *reason, char *text, size_t text_size) {
    const rts_option_t *option = reason->site->option[reason->option]->option;
    if (option->kind == RTS_OPTION_NATURAL || reason->site->facts.arrays == NULL) {
        snprintf(text, text_size, "home's layout");
        return text;
    }
    return rts_option_name(option, reason->site->facts.array_count, text, text_size);
}

static void write_plan(const rts_reason_t *reason, char *text, size_t text_size) {
    const rts_site_option_t *at = reason->site->option[reason->option];
    const rts_plan_t *plan = &at->plan[reason->plan];
    char name[64];
    rts_plan_name(plan, reason->site->facts.rank, name, sizeof name);
    if (reason->plan_s < 0)
        snprintf(text, text_size, "tries %s: the fastest so far takes %.3g ms", name, ms(reason->fastest_s));
    else
        snprintf(text, text_size, "%s: the fastest, %.3g ms", name, ms(reason->plan_s));
}

static void write_change(const rts_reason_t *reason, const char *forms, char *text, size_t text_size) {
    snprintf(text, text_size, "%s%s: %s %.3g ms of %.3g in a period of %d loop%s, costs %.3g once",
             reason->is_unknown ? "tries " : "", forms, reason->is_trial ? "would save" : "saves",
             ms(reason->saving_s), ms(reason->period_s), reason->period, reason->period == 1 ? "" : "s",
             ms(reason->once_s));
}

static void write_alone(const rts_reason_t *reason, const char *forms, char *text, size_t text_size) {
    const rts_option_kind_t kind = reason->site->option[reason->option]->option->kind;
    if (reason->there_s == 0 && kind != RTS_OPTION_NATURAL)
        snprintf(text, text_size,
                 "keeps what is there, %s: %.3g ms; home's layout %.3g ms and %.3g ms to go there", forms,
                 ms(reason->seconds), ms(reason->natural_s), ms(reason->go_home_s));
    else
        snprintf(text, text_size, "%s: %.3g ms and %.3g ms to go there", forms, ms(reason->seconds),
                 ms(reason->there_s));
}

const char *rts_reason_text(const rts_reason_t *reason, char *text, size_t text_size) {
    char forms[256] = "";
    text[0] = '\0';
    if (reason->kind == RTS_REASON_NONE || reason->site == NULL)
        return text;
    forms_of(reason, forms, sizeof forms);
    switch (reason->kind) {
    case RTS_REASON_NONE:
        break;
    case RTS_REASON_FIRST:
        snprintf(text, text_size, "first execution: %s", forms);
        break;
    case RTS_REASON_MODE:
        snprintf(text, text_size, "%s: as the planner's mode or the program says", forms);
        break;
    case RTS_REASON_PLAN:
        write_plan(reason, text, text_size);
        break;
    case RTS_REASON_ALONE:
        write_alone(reason, forms, text, text_size);
        break;
    case RTS_REASON_PERIOD:
        snprintf(text, text_size, "period of %d loop%s: %s", reason->period, reason->period == 1 ? "" : "s",
                 forms);
        break;
    case RTS_REASON_CHANGE:
        write_change(reason, forms, text, text_size);
        break;
    case RTS_REASON_REFUSED:
        snprintf(text, text_size, "no memory for other layouts: %s", forms);
        break;
    }
    return text;
}
