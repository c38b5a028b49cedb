#include "npb-lu/lu_problem.h"

#include <math.h>
#include <stddef.h>

static const lu_problem_t problems[] = {
    {'S',
     12,
     50,
     0.5,
     {{1.6196343210976702e-02, 2.1976745164821318e-03, 1.5179927653399185e-03, 1.5029584435994323e-03,
       3.4264073155896461e-02},
      {6.4223319957960924e-04, 8.4144342047347926e-05, 5.8588269616485186e-05, 5.8474222595157350e-05,
       1.3103347914111294e-03},
      7.8418928865937083}},
    {'W',
     33,
     300,
     1.5e-3,
     {{12.36511638192, 1.317228477799, 2.550120713095, 2.326187750252, 28.26799444189},
      {0.4867877144216, 5.064652880982e-02, 9.281818101960e-02, 8.570126542733e-02, 1.084277417792},
      11.61399311023}},
    {'A',
     64,
     250,
     2,
     {{779.02107606689367, 63.402765259692870, 194.99249727292479, 178.45301160418537, 1838.4760349464247},
      {29.964085685471943, 2.8194576365003349, 7.3473412698774742, 6.7139225687777051, 70.715315688392578},
      26.030925604886277}},
    {'B',
     102,
     250,
     2,
     {{3553.2672969982736, 262.14750795310692, 883.33721850952190, 778.12774739425265, 7308.7969592545314},
      {114.01176380212709, 8.1098963655421574, 28.480597317698308, 25.905394567832939, 260.54907504857413},
      47.887162703308227}},
    {'C',
     162,
     250,
     2,
     {{10376.6980323537846, 892.212458801008552, 2562.38814582660871, 2191.94343857831427,
       17807.8057261061185},
      {215.986399716949279, 15.5789559239863600, 54.1318863077207766, 48.2262643154045421,
       455.902910043250358},
      66.6404553572181300}},
    {'D',
     408,
     300,
     1,
     {{48684.17937025, 4696.371050071, 12181.14549776, 10338.01493461, 71423.98413817},
      {375.2393004482, 30.84128893659, 94.34276905469, 82.30686681928, 700.2620636210},
      83.34101392503}},
};

const lu_problem_t *lu_problem_find(const char *name) {
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        if (name[0] == problems[i].name && name[1] == '\0')
            return &problems[i];
    return NULL;
}

double lu_difference(double value, double reference) {
    return fabs((value - reference) / reference);
}

static int is_close(double value, double reference) {
    return lu_difference(value, reference) <= LU_TOLERANCE; /* not when it is NaN */
}

int lu_is_verified(const lu_norms_t *norms, const lu_norms_t *reference) {
    int verified = is_close(norms->integral, reference->integral);

    for (int m = 0; m < 5; m++)
        verified = verified && is_close(norms->residual[m], reference->residual[m]) &&
                   is_close(norms->error[m], reference->error[m]);
    return verified;
}

double lu_mops(const lu_problem_t *problem, long steps, double seconds) {
    const double n = (double)problem->n;

    return 1e-6 * (double)steps * (1984.77 * n * n * n - 10923.3 * n * n + 27770.9 * n - 144010) / seconds;
}
