/* The canonical nest and the variables of its body: what is recognised, and every error with its message and place. */
#include <config.h>

#include "tests/dvmhcc/program_text.h"

static const message_case_t nest_cases[] = {
    {"begin",
     "#pragma dvm array distribute[block]\n"
     "double V[10];\n"
     "void f(int n, int i, int j, double s, double t) {\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (; i < n; i++) V[i] = 0;\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (i += 1; i < n; i++) V[i] = 0;\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (int i = 0, k = 0; i < n; i++) V[i] = 0;\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (int i; i < n; i++) V[i] = 0;\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (double i = 0; i < n; i++) V[(int)i] = 0;\n"
     "}\n",
     "5:3: error: a parallel loop must begin with 'index = expression'\n"
     "7:8: error: a parallel loop must begin with 'index = expression'\n"
     "9:8: error: a parallel loop must begin with 'index = expression'\n"
     "11:8: error: a parallel loop must begin with 'index = expression'\n"
     "13:8: error: the index of a parallel loop must be an integer variable; 'i' has the "
     "type 'double'\n"},
    {"condition",
     "#pragma dvm array distribute[block]\n"
     "double V[10];\n"
     "void f(int n, int i, int j, double s, double t) {\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (i = 0; ; i++) V[i] = 0;\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (i = 0; i != n; i++) V[i] = 0;\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (i = 0; i < n && n; i++) V[i] = 0;\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (i = 0; i + 1 < n; i++) V[i] = 0;\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (i = 0; n > i; i++) V[i] = 0;\n"
     "}\n",
     "5:3: error: the condition of a parallel loop must compare 'i' with a bound by <, "
     "<=, > or >=\n"
     "7:15: error: the condition of a parallel loop must compare 'i' with a bound by <, "
     "<=, > or >=\n"
     "9:15: error: the condition of a parallel loop must compare 'i' with a bound by <, "
     "<=, > or >=\n"
     "11:15: error: the condition of a parallel loop must compare 'i' with a bound by <, "
     "<=, > or >=\n"},
    {"step",
     "#pragma dvm array distribute[block]\n"
     "double V[10];\n"
     "void f(int n, int i, int j, double s, double t) {\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (i = 0; i < n; ) V[i] = 0;\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (i = 0; i < n; i *= 2) V[i] = 0;\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (i = 0; i < n; j++) V[i] = 0;\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (i = 0; i < n; i--) V[i] = 0;\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (i = 0; i < n; i += 0) V[i] = 0;\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (i = 0; i < n; i = n - i) V[i] = 0;\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (i = n; i > 0; i = i - -1) V[i] = 0;\n"
     "}\n",
     "5:3: error: the step of a parallel loop must be i++, i--, i += c, i -= c or i = i + c\n"
     "7:22: error: the step of a parallel loop must be i++, i--, i += c, i -= c or i = i + c\n"
     "9:22: error: the step of a parallel loop must be i++, i--, i += c, i -= c or i = i + c\n"
     "11:22: error: this step leads 'i' away from its bound\n"
     "13:22: error: the step of a parallel loop cannot be 0\n"
     "15:22: error: the step of a parallel loop must be i++, i--, i += c, i -= c or i = i + c\n"
     "17:22: error: this step leads 'i' away from its bound\n"},
    {"step_good",
     "#pragma dvm array distribute[block]\n"
     "double V[10];\n"
     "void f(int n, int i, int j, double s, double t) {\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (i = 0; i < n; i = i + 2) V[i] = 0;\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (i = 0; i < n; i = j + i) V[i] = 0;\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (i = n; i >= 0; i -= 3) V[i] = 0;\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (i = n; 0 <= i; --i) V[i] = 0;\n"
     "}\n",
     ""},
    {"bounds",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void f(int n, int i, int j, double s, double t) {\n"
     "#pragma dvm parallel([i][j] on A[i][j])\n"
     "  for (i = 0; i < n; i++)\n"
     "    for (j = i; j < A[0][0]; j += i + 1) A[i][j] = 0;\n"
     "#pragma dvm parallel([i] on A[i][])\n"
     "  for (i = n++; i < g(); i++) A[i][0] = 0;\n"
     "#pragma dvm parallel([i] on A[i][]) private(n)\n"
     "  for (i = 0; i < n; i++) { n = 3; A[i][0] = n; }\n"
     "}\n",
     "6:14: error: bounds and steps of a parallel loop must not depend on its indices\n"
     "6:21: error: bounds and steps of a parallel loop must not read distributed arrays; "
     "read the element before the loop\n"
     "6:35: error: bounds and steps of a parallel loop must not depend on its indices\n"
     "8:12: error: bounds and steps of a parallel loop must not change anything\n"
     "10:19: error: the loop changes this variable, on which its bounds or steps depend\n"},
    {"too_few_loops",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void f(int n, int i, int j, double s, double t) {\n"
     "#pragma dvm parallel([i][j] on A[i][j])\n"
     "  for (i = 0; i < n; i++)\n"
     "    A[i][0] = 0;\n"
     "#pragma dvm parallel([i][j] on A[i][j])\n"
     "  for (i = 0; i < n; i++) {\n"
     "    t = 0;\n"
     "    for (j = 0; j < n; j++) A[i][j] = 0;\n"
     "  }\n"
     "#pragma dvm parallel([i][j] on A[i][j])\n"
     "  for (i = 0; i < n; i++) {\n"
     "    { ; for (j = 0; j < n; j++) A[i][j] = 0; }\n"
     "  }\n"
     "#pragma dvm parallel(3)\n"
     "  for (i = 0; i < n; i++)\n"
     "    for (j = 0; j < n; j++) { }\n"
     "}\n",
     "6:5: error: 'parallel' is for 2 nested loops, but only 1 stands here\n"
     "9:5: error: statements between the loops of a parallel nest; put them into the "
     "innermost loop\n"
     "18:29: error: 'parallel' is for 3 nested loops, but only 2 stand here\n"},
    {"not_loop_variable",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void f(int n, int i, int j, double s, double t) {\n"
     "#pragma dvm parallel([j][i] on A[i][j])\n"
     "  for (i = 0; i < n; i++)\n"
     "    for (j = 0; j < n; j++) A[i][j] = 0;\n"
     "#pragma dvm parallel([i][k] on A[i][k])\n"
     "  for (i = 0; i < n; i++)\n"
     "    for (int k = 0; k < n; k++) A[i][k] = 0;\n"
     "#pragma dvm parallel([i][j] on A[i][j])\n"
     "  for (i = 0; i < n; i++)\n"
     "    for (i = 0; i < n; i++) A[i][i] = 0;\n"
     "}\n",
     "4:23: error: 'j' is not the variable of loop 1 of the nest, which is 'i'\n"
     "4:26: error: 'i' is not the variable of loop 2 of the nest, which is 'j'\n"
     "12:5: error: two loops of a parallel nest have the same index 'i'\n"},
};

static const message_case_t variables_cases[] = {
    {"shared_scalar",
     "#pragma dvm array distribute[block]\n"
     "double V[10];\n"
     "void f(int n, int i, int j, double s, double t) {\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (i = 0; i < n; i++) { s = V[i]; t += 1; double u = s; V[i] = u; }\n"
     "#pragma dvm parallel([i] on V[i]) private(s)\n"
     "  for (i = 0; i < n; i++) { s = V[i]; V[i] = s + t; }\n"
     "}\n",
     "5:29: error: iterations of a parallel loop share 's', which is written here; "
     "declare it in the body, or name it in private(..) or reduction(..)\n"
     "5:39: error: iterations of a parallel loop share 't', which is written here; "
     "declare it in the body, or name it in private(..) or reduction(..)\n"},
    {"index_changed",
     "#pragma dvm array distribute[block]\n"
     "double V[10];\n"
     "void f(int n, int i, int j, double s, double t) {\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (i = 0; i < n; i++) { V[i] = 0; i++; }\n"
     "}\n",
     "5:39: error: the index 'i' of a parallel loop is changed in its body\n"},
    {"shared_array",
     "#pragma dvm array distribute[block]\n"
     "double V[10];\n"
     "double w[10];\n"
     "void f(int n, double *p, int k) {\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (int i = 0; i < n; i++) { w[i] = V[i]; w[k] = 1; p[0] += 2; *p = 3; p[i + 1] "
     "= w[0]; int q = i; p[q] = 1; }\n"
     "}\n",
     "6:46: warning: all iterations may write the same element of 'w' here: no subscript "
     "depends on an index of the loop\n"
     "6:56: warning: all iterations may write the same element of 'p' here: no subscript "
     "depends on an index of the loop\n"
     "6:67: warning: all iterations may write the same element of 'p' here: no subscript "
     "depends on an index of the loop\n"},
    {"static_inside",
     "#pragma dvm array distribute[block]\n"
     "double V[10];\n"
     "void f(int n, int i, int j, double s, double t) {\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (i = 0; i < n; i++) { static int k; V[i] = k; }\n"
     "}\n",
     "5:29: error: iterations of a parallel loop share the static variable 'k'\n"},
    {"leaving",
     "#pragma dvm array distribute[block]\n"
     "double V[10];\n"
     "int f(int n) {\n"
     "  int i;\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (i = 0; i < n; i++) {\n"
     "    if (n) break;\n"
     "    if (n > 1) continue;\n"
     "    if (n > 2) return 1;\n"
     "    if (n > 3) goto out;\n"
     "    while (n) { break; }\n"
     "    switch (n) { case 1: break; }\n"
     "    V[i] = 0;\n"
     "  }\n"
     "  out: return 0;\n"
     "}\n",
     "7:12: error: 'break' leaves a parallel loop\n"
     "9:16: error: 'return' leaves a parallel loop\n"
     "10:16: error: 'goto' leaves a parallel loop\n"},
    {"calls",
     "#include <stdio.h>\n"
     "#include <math.h>\n"
     "#include <stdlib.h>\n"
     "#pragma dvm array distribute[block]\n"
     "double V[10];\n"
     "double other(double);\n"
     "#pragma dvm routine\n"
     "double good(double);\n"
     "static double mine(double x) { return x + 1; }\n"
     "static double theirs(int i) { return V[i]; }\n"
     "void f(int n, double (*by)(double)) {\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (int i = 0; i < n; i++) {\n"
     "    V[i] = sqrt(fabsf(1.5f)) + mine(1) + good(2) + abs(3);\n"
     "    V[i] += other(1);\n"
     "    V[i] += theirs(i);\n"
     "    V[i] += by(1);\n"
     "    printf(\"%g\\n\", V[i]);\n"
     "    V[i] += rand();\n"
     "  }\n"
     "}\n",
     "15:13: warning: 'other' is not known to be callable from a parallel loop; if it is, "
     "write `#pragma dvm routine` before its declaration\n"
     "16:13: error: 'theirs' uses distributed arrays, so a parallel loop cannot call it; "
     "pass it the elements\n"
     "17:13: warning: a parallel loop calls a function by pointer; it runs on the host only\n"
     "18:5: error: input and output in a parallel loop: 'printf' is called\n"
     "19:13: warning: 'rand' is not known to be callable from a parallel loop; if it is, "
     "write `#pragma dvm routine` before its declaration\n"},
    {"passed_inside",
     "#pragma dvm inherit(a)\n"
     "void g(double *a);\n"
     "#pragma dvm array distribute[block]\n"
     "double V[10];\n"
     "void f(int n) {\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (int i = 0; i < n; i++) { g(V); V[i] = 0; }\n"
     "}\n",
     "7:35: error: a parallel loop passes the distributed array 'V' to a function\n"
     "7:33: warning: 'g' is not known to be callable from a parallel loop; if it is, "
     "write `#pragma dvm routine` before its declaration\n"},
    {"private_index",
     "#pragma dvm array distribute[block]\n"
     "double V[10];\n"
     "void f(int n, int i, int j, double s, double t) {\n"
     "#pragma dvm parallel([i] on V[i]) private(i)\n"
     "  for (i = 0; i < n; i++) V[i] = 0;\n"
     "#pragma dvm parallel([i] on V[i]) reduction(sum(j))\n"
     "  for (i = 0; i < n; i++) { V[i] = 0; j += i; }\n"
     "}\n",
     "4:43: warning: loop variable 'i' is private anyway\n"},
};

static const message_case_t argument_cases[] = {
    {"arguments",
     "#pragma dvm array distribute[block]\n"
     "double V[10];\n"
     "static double take(const double *p, double q[2]) { return p[0] + q[0]; }\n"
     "void f(int n, double w[10]) {\n"
     "#pragma dvm parallel([i] on V[i])\n"
     "  for (int i = 0; i < n; i++) {\n"
     "    double q[2] = {1, 2};\n"
     "    V[i] = take(w, q);\n"
     "    V[i] = take(&w[1], w + 1);\n"
     "    V[i] = take(w, &w[2]);\n"
     "    V[i] = take(w, w);\n"
     "    *(w + i) = *(1 + w);\n"
     "    *(w + n) = 1;\n"
     "  }\n"
     "}\n",
     "9:24: warning: all iterations may write 'w' here\n"
     "10:21: warning: all iterations may write the same element of 'w' here: no subscript depends on an "
     "index of "
     "the loop\n"
     "11:20: warning: all iterations may write 'w' here\n"
     "13:5: warning: all iterations may write the same element of 'w' here: no subscript depends on an index "
     "of "
     "the loop\n"},
};

typedef struct dim_case {
    const char *header; /* of a loop over i; n, m, k are parameters */
    dvmhcc_operator_t relation;
    const char *first, *last, *step; /* step NULL: 1 */
    bool is_subtracted, is_downward, is_declared;
    int64_t step_value; /* 0: not known */
    int64_t count;      /* -1: not known */
} dim_case_t;

static const dim_case_t dim_cases[] = {
    {"i = 0; i < 10; i++", DVMHCC_OPERATOR_LESS, "0", "10", NULL, false, false, false, 1, 10},
    {"int i = 1; i <= 10; ++i", DVMHCC_OPERATOR_LESS_EQUAL, "1", "10", NULL, false, false, true, 1, 10},
    {"i = 9; i >= 0; i--", DVMHCC_OPERATOR_GREATER_EQUAL, "9", "0", NULL, true, true, false, -1, 10},
    {"i = 9; i > 0; --i", DVMHCC_OPERATOR_GREATER, "9", "0", NULL, true, true, false, -1, 9},
    {"i = 0; 10 > i; i += 3", DVMHCC_OPERATOR_LESS, "0", "10", "3", false, false, false, 3, 4},
    {"i = 0; i <= 9; i += 3", DVMHCC_OPERATOR_LESS_EQUAL, "0", "9", "3", false, false, false, 3, 4},
    {"i = 0; i < 9; i = i + 3", DVMHCC_OPERATOR_LESS, "0", "9", "3", false, false, false, 3, 3},
    {"i = 0; (i) < (9); i = (3 + i)", DVMHCC_OPERATOR_LESS, "0", "(9)", "3", false, false, false, 3, 3},
    {"i = 9; i > 0; i = i - 2", DVMHCC_OPERATOR_GREATER, "9", "0", "2", true, true, false, -2, 5},
    {"i = 9; i > 0; i += -2", DVMHCC_OPERATOR_GREATER, "9", "0", "-2", false, true, false, -2, 5},
    {"i = n; i < n + 4; i++", DVMHCC_OPERATOR_LESS, "n", "n + 4", NULL, false, false, false, 1, 4},
    {"i = 2 * n - k; i <= n + n - k + 4; i += 2", DVMHCC_OPERATOR_LESS_EQUAL, "2 * n - k", "n + n - k + 4",
     "2", false, false, false, 2, 3},
    {"i = 0; i < n; i += m", DVMHCC_OPERATOR_LESS, "0", "n", "m", false, false, false, 0, -1},
    {"i = 0; i < n; i++", DVMHCC_OPERATOR_LESS, "0", "n", NULL, false, false, false, 1, -1},
    {"i = 5; i < 5; i++", DVMHCC_OPERATOR_LESS, "5", "5", NULL, false, false, false, 1, 0},
    {"i = 5; i <= 3; i += 4", DVMHCC_OPERATOR_LESS_EQUAL, "5", "3", "4", false, false, false, 4, 0},
    {"long i = n * 2; i < 7L; i += 1", DVMHCC_OPERATOR_LESS, "n * 2", "7L", "1", false, false, true, 1, -1},
};

static void check_dim(const dim_case_t *expected) {
    static analysed_t analysed;
    char source[500], text[100];
    snprintf(source, sizeof source,
             "#pragma dvm array distribute[block]\ndouble V[10];\nvoid f(int i, int n, int m, int k) {\n"
             "#pragma dvm parallel([i] on V[i])\n  for (%s) V[i] = 0;\n}\n",
             expected->header);
    if (!CHECK(analyse(source, &analysed)) || !CHECK(analysed.program->loops != NULL)) {
        fprintf(stderr, "  in: %s\n%s", expected->header, analysed.messages);
        analysed_free(&analysed);
        return;
    }
    const dvmhcc_dim_t *dim = &analysed.program->loops->dims[0];
    const dvmhcc_unit_t *unit = analysed.parsed.unit;
    CHECK_EQ_STR(dim->index->name, "i");
    CHECK_EQ_INT(dim->relation, expected->relation);
    CHECK_EQ_STR(dvmhcc_node_text(unit, dim->first, text, sizeof text), expected->first);
    CHECK_EQ_STR(dvmhcc_node_text(unit, dim->last, text, sizeof text), expected->last);
    CHECK((dim->step != NULL) == (expected->step != NULL));
    if (dim->step != NULL && expected->step != NULL)
        CHECK_EQ_STR(dvmhcc_node_text(unit, dim->step, text, sizeof text), expected->step);
    CHECK(dim->is_subtracted == expected->is_subtracted && dim->is_downward == expected->is_downward &&
          dim->is_declared == expected->is_declared);
    CHECK_EQ_INT(dim->step_known ? dim->step_value : 0, expected->step_value);
    CHECK_EQ_INT(dim->count_known ? dim->count : -1, expected->count);
    analysed_free(&analysed);
}

static void check_roles(void) {
    static const struct {
        const char *name;
        dvmhcc_role_t role;
        bool is_read, is_written;
    } expected[] = {
        {"V", DVMHCC_ROLE_DISTRIBUTED, true, true}, {"i", DVMHCC_ROLE_INDEX, true, false},
        {"a", DVMHCC_ROLE_READ, true, false},       {"p", DVMHCC_ROLE_PRIVATE, true, true},
        {"s", DVMHCC_ROLE_REDUCTION, true, true},   {"l", DVMHCC_ROLE_LOCATION, false, true},
        {"w", DVMHCC_ROLE_ARRAY, true, false},      {"q", DVMHCC_ROLE_ARRAY, true, true},
        {"t", DVMHCC_ROLE_READ, true, false},       {"u", DVMHCC_ROLE_INSIDE, true, true},
        {"r", DVMHCC_ROLE_PRIVATE, true, true},     {"x", DVMHCC_ROLE_ARRAY, false, false},
    };
    static analysed_t analysed;
    CHECK(analyse(
        "#include <math.h>\n#pragma dvm array distribute[block]\ndouble V[10];\n"
        "struct pair { int a, b; };\n"
        "void f(int n, double a, double p, double s, int l, double w[5], double *q, struct pair t) {\n"
        "  double r[3], x[4];\n  int j;\n"
        "#pragma dvm parallel([i] on V[i]) private(p, r) reduction(maxloc(s, l))\n"
        "  for (int i = 0; i < n; i++) {\n    V[i] += a; p = w[i]; q[i] = q[i] + p * t.a;\n"
        "    if (V[i] > s) { s = V[i]; l = i; }\n    double u = sizeof x; u += fabs(p);\n"
        "    for (int m = 0; m < 3; m++) { if (m) continue; r[m] = u; V[i] += r[m]; }\n  }\n}\n",
        &analysed));
    if (analysed.program != NULL) {
        const dvmhcc_loop_t *loop = analysed.program->loops;
        for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
            const dvmhcc_loop_variable_t *variable = loop->variables;
            while (variable != NULL && strcmp(variable->entity->name, expected[i].name) != 0)
                variable = variable->next;
            if (!CHECK(variable != NULL) || !CHECK_EQ_INT(variable->role, expected[i].role) ||
                !CHECK(variable->is_read == expected[i].is_read &&
                       variable->is_written == expected[i].is_written))
                fprintf(stderr, "  in: %s\n", expected[i].name);
        }
        CHECK(loop->calls != NULL && strcmp(loop->calls->function->name, "fabs") == 0 &&
              loop->calls->next == NULL);
        CHECK(!loop->has_skips);
    }
    CHECK_EQ_STR(analysed.messages, "");
    analysed_free(&analysed);
}

int main(void) {
    files_enter();
    CHECK(files_command("-c p.c", &parse_command));
    CHECK_MESSAGES(nest_cases);
    CHECK_MESSAGES(variables_cases);
    CHECK_MESSAGES(argument_cases);
    for (size_t i = 0; i < sizeof dim_cases / sizeof dim_cases[0]; i++)
        check_dim(&dim_cases[i]);
    check_roles();
    dvmhcc_command_free(&parse_command);
    files_leave();
    return check_finish();
}
