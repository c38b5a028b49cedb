/* sor3d: successive over-relaxation on a cube through the runtime, with handlers written by hand. */
#include "sor-bench/sor_program.h"

#define REAL double
#include "sor-bench/sor3d_kernels.h"

#define REAL float
#include "sor-bench/sor3d_kernels.h"

int main(int argc, char **argv) {
    const sor_program_t program = {.name = "sor3d",
                                   .rank = 3,
                                   .default_n = 256,
                                   .of_double = kernels_double,
                                   .of_float = kernels_float};

    sor_program_run(argc, argv, &program);
}
