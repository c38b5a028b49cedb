/* One case for every number of parameters, since C has no call with an argument list made at run time. The lists build on
 * each other: ARGUMENTS_n is ARGUMENTS_(n-1) and one more. */
#include <config.h>

#include "rts/call.h"

#define ARGUMENTS_0  first
#define ARGUMENTS_1  ARGUMENTS_0, p[0]
#define ARGUMENTS_2  ARGUMENTS_1, p[1]
#define ARGUMENTS_3  ARGUMENTS_2, p[2]
#define ARGUMENTS_4  ARGUMENTS_3, p[3]
#define ARGUMENTS_5  ARGUMENTS_4, p[4]
#define ARGUMENTS_6  ARGUMENTS_5, p[5]
#define ARGUMENTS_7  ARGUMENTS_6, p[6]
#define ARGUMENTS_8  ARGUMENTS_7, p[7]
#define ARGUMENTS_9  ARGUMENTS_8, p[8]
#define ARGUMENTS_10 ARGUMENTS_9, p[9]
#define ARGUMENTS_11 ARGUMENTS_10, p[10]
#define ARGUMENTS_12 ARGUMENTS_11, p[11]
#define ARGUMENTS_13 ARGUMENTS_12, p[12]
#define ARGUMENTS_14 ARGUMENTS_13, p[13]
#define ARGUMENTS_15 ARGUMENTS_14, p[14]
#define ARGUMENTS_16 ARGUMENTS_15, p[15]
#define ARGUMENTS_17 ARGUMENTS_16, p[16]
#define ARGUMENTS_18 ARGUMENTS_17, p[17]
#define ARGUMENTS_19 ARGUMENTS_18, p[18]
#define ARGUMENTS_20 ARGUMENTS_19, p[19]
#define ARGUMENTS_21 ARGUMENTS_20, p[20]
#define ARGUMENTS_22 ARGUMENTS_21, p[21]
#define ARGUMENTS_23 ARGUMENTS_22, p[22]
#define ARGUMENTS_24 ARGUMENTS_23, p[23]
#define ARGUMENTS_25 ARGUMENTS_24, p[24]
#define ARGUMENTS_26 ARGUMENTS_25, p[25]
#define ARGUMENTS_27 ARGUMENTS_26, p[26]
#define ARGUMENTS_28 ARGUMENTS_27, p[27]
#define ARGUMENTS_29 ARGUMENTS_28, p[28]
#define ARGUMENTS_30 ARGUMENTS_29, p[29]
#define ARGUMENTS_31 ARGUMENTS_30, p[30]
#define ARGUMENTS_32 ARGUMENTS_31, p[31]
#define ARGUMENTS_33 ARGUMENTS_32, p[32]
#define ARGUMENTS_34 ARGUMENTS_33, p[33]
#define ARGUMENTS_35 ARGUMENTS_34, p[34]
#define ARGUMENTS_36 ARGUMENTS_35, p[35]
#define ARGUMENTS_37 ARGUMENTS_36, p[36]
#define ARGUMENTS_38 ARGUMENTS_37, p[37]
#define ARGUMENTS_39 ARGUMENTS_38, p[38]
#define ARGUMENTS_40 ARGUMENTS_39, p[39]
#define ARGUMENTS_41 ARGUMENTS_40, p[40]
#define ARGUMENTS_42 ARGUMENTS_41, p[41]
#define ARGUMENTS_43 ARGUMENTS_42, p[42]
#define ARGUMENTS_44 ARGUMENTS_43, p[43]
#define ARGUMENTS_45 ARGUMENTS_44, p[44]
#define ARGUMENTS_46 ARGUMENTS_45, p[45]
#define ARGUMENTS_47 ARGUMENTS_46, p[46]
#define ARGUMENTS_48 ARGUMENTS_47, p[47]
#define ARGUMENTS_49 ARGUMENTS_48, p[48]
#define ARGUMENTS_50 ARGUMENTS_49, p[49]
#define ARGUMENTS_51 ARGUMENTS_50, p[50]
#define ARGUMENTS_52 ARGUMENTS_51, p[51]
#define ARGUMENTS_53 ARGUMENTS_52, p[52]
#define ARGUMENTS_54 ARGUMENTS_53, p[53]
#define ARGUMENTS_55 ARGUMENTS_54, p[54]
#define ARGUMENTS_56 ARGUMENTS_55, p[55]
#define ARGUMENTS_57 ARGUMENTS_56, p[56]
#define ARGUMENTS_58 ARGUMENTS_57, p[57]
#define ARGUMENTS_59 ARGUMENTS_58, p[58]
#define ARGUMENTS_60 ARGUMENTS_59, p[59]
#define ARGUMENTS_61 ARGUMENTS_60, p[60]
#define ARGUMENTS_62 ARGUMENTS_61, p[61]
#define ARGUMENTS_63 ARGUMENTS_62, p[62]
#define ARGUMENTS_64 ARGUMENTS_63, p[63]

/* clang-format off */
#define CASE(n) case n: (void)function(ARGUMENTS_##n); break;
#define CASES_8(a, b, c, d, e, f, g, h) CASE(a) CASE(b) CASE(c) CASE(d) CASE(e) CASE(f) CASE(g) CASE(h)
/* clang-format on */

/* The first parameter is const only for us: a handler declares what it wants. */
void rts_call_handler(DvmHandlerFunc function, const void *first, int count, void *const p[]) {
    switch (count) {
        CASE(0)
        CASES_8(1, 2, 3, 4, 5, 6, 7, 8)
        CASES_8(9, 10, 11, 12, 13, 14, 15, 16)
        CASES_8(17, 18, 19, 20, 21, 22, 23, 24)
        CASES_8(25, 26, 27, 28, 29, 30, 31, 32)
        CASES_8(33, 34, 35, 36, 37, 38, 39, 40)
        CASES_8(41, 42, 43, 44, 45, 46, 47, 48)
        CASES_8(49, 50, 51, 52, 53, 54, 55, 56)
        CASES_8(57, 58, 59, 60, 61, 62, 63, 64)
    default:
        break; /* refused when the handler was registered */
    }
}
