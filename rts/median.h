/* The median of a few numbers, such as times of executions. */
#ifndef RTS_MEDIAN_H
#define RTS_MEDIAN_H

/** At most so many. */
#define RTS_MEDIAN_MAX 16

/** Median of `count` numbers, an odd number of them; they stay in their order. */
static inline double rts_median(const double number[], int count) {
    double sorted[RTS_MEDIAN_MAX];
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && sorted[at - 1] > number[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = number[i];
    }
    return sorted[count / 2];
}

#endif
