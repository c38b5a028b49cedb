/* The command line of examples/gsai/gsai: what is refused, and that the message names what is allowed. check-gsai.sh runs what works. */
#include "examples/gsai/gsai_program.h"

#include "tests/check.h"

/* Refused: `option value` after a matrix; `value` may be NULL. */
static void refused(const char *option, const char *value, const char *text) {
    static char name[] = "gsai", dash[] = "-m", file[] = "f.mtx";
    char first[64], second[64] = "";
    char *argv[] = {name, dash, file, first, value != NULL ? second : NULL, NULL};
    program_options_t options;
    gsai_fault_t fault = {""};

    snprintf(first, sizeof first, "%s", option);
    snprintf(second, sizeof second, "%s", value != NULL ? value : "");
    const int status = (int)program_read_options(value != NULL ? 5 : 4, argv, &options, &fault);
    if (!CHECK_EQ_INT(status, GSAI_ERR_ARGUMENT) || !CHECK_CONTAINS(fault.text, text))
        fprintf(stderr, "%s %s\n", option, second);
}

int main(void) {
    static const char *const patterns[] = {"B",
                                           "a",
                                           "A4",
                                           "threshold:",
                                           "threshold:x",
                                           "",
                                           "threshold:-1",
                                           "threshold:nan",
                                           "threshold:1,",
                                           "threshold:1,0",
                                           "A2x",
                                           "threshold:1,10"};

    for (size_t k = 0; k < sizeof patterns / sizeof patterns[0]; k++)
        refused("--pattern", patterns[k], "allowed are A, A2, A3, threshold:T");
    static const char *const problems[] = {"poisson",        "poisson3d",
                                           "poisson3d:",     "poisson3d:0",
                                           "poisson3d:1291", "poisson3d:4x",
                                           "poisson3d:4,1",  "flow3d:4,",
                                           "flow3d:4,-1",    "flow3d:4,x",
                                           "flow3d:4,1,1",   "",
                                           "flow3d:,1",      "flow3d:99999999999999999999"};
    for (size_t k = 0; k < sizeof problems / sizeof problems[0]; k++)
        refused("--generate", problems[k], "allowed are poisson3d:N and flow3d:N[,P]");
    refused("--side", "both", "allowed are right and left");
    refused("--filter", "1", "allowed are numbers from 0");
    refused("--filter", "-0.1", "allowed are numbers from 0");
    refused("--precision", "half", "allowed are double and float");
    refused("--zeros", "some", "allowed are keep and drop");
    refused("--solver", "jacobi", "allowed are bicgstab, gmres, gmres:M");
    refused("--solver", "gmres:0", "allowed are bicgstab, gmres, gmres:M");
    refused("--solver", "cg", "needs --factored: CG works with a symmetric positive definite");
    refused("--tolerance", "0", "allowed are numbers above 0");
    refused("--tolerance", "1e-8x", "allowed are numbers above 0");
    refused("--max-iterations", "-1", "allowed are 0..");
    refused("--right-hand-sides", "0", "allowed are 1..1000");
    refused("--work-memory", "0", "allowed are 1..");
    refused("--backend", "gpu", "--backend gpu: allowed are host and cuda");
    refused("--fast", NULL, "no such option");
    refused("--side", NULL, "something has to follow");
    refused("more", NULL, "no option");
    return check_finish();
}
