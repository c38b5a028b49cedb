/* sor2d: successive over-relaxation on a plane through the runtime, with handlers written by hand. */
#include "sor-bench/sor_program.h"

#define REAL double
#include "sor-bench/sor2d_kernels.h"

#define REAL float
#include "sor-bench/sor2d_kernels.h"

int main(int argc, char **argv) {
    const sor_program_t program = {.name = "sor2d",
                                   .rank = 2,
                                   .default_n = 4096,
                                   .of_double = kernels_double,
                                   .of_float = kernels_float};

    sor_program_run(argc, argv, &program);
}
