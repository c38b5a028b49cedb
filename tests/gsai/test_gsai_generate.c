/* Matrices that examples/gsai generates, against differences written down point by point; what is refused. */
#include "examples/gsai/gsai_generate.h"

#include <math.h>

#include "examples/gsai/gsai_sparse.h"

#include "tests/check.h"

enum { EDGE_MAX = 5, ORDER_MAX = EDGE_MAX * EDGE_MAX * EDGE_MAX };

static double dense[ORDER_MAX][ORDER_MAX];

static int number_of(int edge, int x, int y, int z) {
    return (z * edge + y) * edge + x;
}

/* A point's neighbour, if it is inside of the cube. */
static void add_neighbour(int edge, int k, int x, int y, int z, double value) {
    if (x >= 0 && x < edge && y >= 0 && y < edge && z >= 0 && z < edge)
        dense[k][number_of(edge, x, y, z)] = value;
}

static void make_dense(int edge, double flow) {
    memset(dense, 0, sizeof dense);
    for (int z = 0; z < edge; z++)
        for (int y = 0; y < edge; y++)
            for (int x = 0; x < edge; x++) {
                const int k = number_of(edge, x, y, z);

                dense[k][k] = 6 + flow + flow / 2 + flow / 4;
                add_neighbour(edge, k, x - 1, y, z, -1 - flow);
                add_neighbour(edge, k, x + 1, y, z, -1);
                add_neighbour(edge, k, x, y - 1, z, -1 - flow / 2);
                add_neighbour(edge, k, x, y + 1, z, -1);
                add_neighbour(edge, k, x, y, z - 1, -1 - flow / 4);
                add_neighbour(edge, k, x, y, z + 1, -1);
            }
}

static void check_problem(int edge, double flow) {
    const gsai_problem_t problem = {.edge = edge, .flow = flow};
    gsai_sparse_t matrix;
    gsai_fault_t fault;
    int64_t entries = 0;

    if (!CHECK_EQ_INT(gsai_generate(&problem, &matrix, &fault), GSAI_OK))
        return;
    CHECK_EQ_INT(matrix.n, edge * edge * edge);
    CHECK_EQ_INT(gsai_sparse_check(&matrix, &fault), GSAI_OK);
    make_dense(edge, flow);
    for (int k = 0; k < matrix.n; k++) {
        for (int j = 0; j < matrix.n; j++)
            entries += dense[k][j] != 0;
        for (int64_t at = matrix.start[k]; at < matrix.start[k + 1]; at++) {
            CHECK(matrix.value[at] == dense[k][matrix.index[at]]);
            CHECK(at == matrix.start[k] || matrix.index[at] > matrix.index[at - 1]);
        }
    }
    CHECK_EQ_INT(matrix.start[matrix.n], entries);
    gsai_sparse_free(&matrix);
}

static void refused(int edge, double flow, const char *text) {
    const gsai_problem_t problem = {.edge = edge, .flow = flow};
    gsai_sparse_t matrix;
    gsai_fault_t fault = {""};

    CHECK_EQ_INT(gsai_generate(&problem, &matrix, &fault), GSAI_ERR_ARGUMENT);
    CHECK_CONTAINS(fault.text, text);
}

int main(void) {
    for (int edge = 1; edge <= EDGE_MAX; edge++) {
        check_problem(edge, 0);
        check_problem(edge, 1);
        check_problem(edge, 0.375);
    }
    refused(0, 0, "allowed are 1..1290");
    refused(GSAI_EDGE_MAX + 1, 0, "allowed are 1..1290");
    refused(3, -1, "it is 0 or more");
    refused(3, NAN, "it is 0 or more");
    return check_finish();
}
