/* No directive here but the one of the header. */
#include "plain.h"

#include <stdio.h>

double plain(int i) { return i * (20.5 - i); }

void print_result(double x) { printf("%.17g\n", x); }
