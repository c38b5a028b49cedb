/* References to distributed arrays in loops: what is known of their subscripts, what is printed of them, and how dependences are told
 * against across clauses. Vectors are compared with an execution in test_dependences. */
#include <config.h>

#include "tests/dvmhcc/program_text.h"

static const message_case_t across_cases[] = {
    {"across_not_written",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void f(int n, int i, int j, double s, double t) {\n"
     "#pragma dvm parallel([i][j] on A[i][j]) across(A[1:1][1:1])\n"
     "  for (i = 1; i < n; i++)\n"
     "    for (j = 1; j < n; j++)\n"
     "      s = A[i - 1][j];\n"
     "}\n",
     "7:7: error: iterations of a parallel loop share 's', which is written here; declare "
     "it in the body, or name it in private(..) or reduction(..)\n"
     "4:48: error: 'A' is in across, but the loop does not write it\n"},
    {"no_across",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void f(int n, int i, int j, double s, double t) {\n"
     "#pragma dvm parallel([i][j] on A[i][j])\n"
     "  for (i = 1; i < n; i++)\n"
     "    for (j = 1; j < n; j++)\n"
     "      A[i][j] = A[i - 1][j] + A[i][j + 1];\n"
     "}\n",
     "7:17: warning: iterations depend on each other by (1,0): one writes A[i][j], a "
     "later one reads A[i - 1][j]; no across declares it\n"
     "7:7: note: 'A[i][j]' is here\n"
     "4:13: note: across(A[1:0][0:1]) would declare all dependences of 'A'\n"},
    {"across_too_narrow",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void f(int n, int i, int j, double s, double t) {\n"
     "#pragma dvm parallel([i][j] on A[i][j]) across(A[1:1][0:0])\n"
     "  for (i = 2; i < n; i++)\n"
     "    for (j = 1; j < n; j++)\n"
     "      A[i][j] = A[i - 2][j] + A[i + 1][j];\n"
     "}\n",
     "7:17: warning: iterations depend on each other by (2,0): one writes A[i][j], a "
     "later one reads A[i - 2][j]; the widths of across do not reach that far\n"
     "7:7: note: 'A[i][j]' is here\n"
     "4:13: note: across(A[2:1][0:0]) would declare all dependences of 'A'\n"},
    {"across_good",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void f(int n, int i, int j, double s, double t) {\n"
     "#pragma dvm parallel([i][j] on A[i][j]) across(A[2:1][0:1])\n"
     "  for (i = 2; i < n; i++)\n"
     "    for (j = 1; j < n; j++)\n"
     "      A[i][j] = A[i - 2][j] + A[i + 1][j] + A[i][j + 1];\n"
     "#pragma dvm parallel([i][j] on A[i][j]) across(A)\n"
     "  for (i = n; i > 0; i--)\n"
     "    for (j = 1; j < n; j++)\n"
     "      A[i][j] = A[i + 1][j];\n"
     "#pragma dvm parallel([i][j] on A[i][j]) across(A[0:1][0])\n"
     "  for (i = n; i > 0; i--)\n"
     "    for (j = 1; j < n; j++)\n"
     "      A[i][j] = A[i + 1][j];\n"
     "}\n",
     ""},
    {"unknown_dependence",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void f(int n, int k) {\n"
     "#pragma dvm parallel([i][j] on A[i][j])\n"
     "  for (int i = 0; i < n; i++)\n"
     "    for (int j = 0; j < n; j++)\n"
     "      A[i][j] = A[j][i];\n"
     "#pragma dvm parallel([i][j] on A[i][j])\n"
     "  for (int i = 0; i < n; i++)\n"
     "    for (int j = 0; j < n; j++)\n"
     "      A[i][j] = A[i + k][j];\n"
     "}\n",
     "7:17: warning: iterations may depend on each other through A[i][j] and A[j][i], and "
     "no across declares it\n"
     "7:7: note: 'A[i][j]' is here\n"
     "11:17: warning: iterations may depend on each other through A[i][j] and A[i + "
     "k][j], and no across declares it\n"
     "11:7: note: 'A[i][j]' is here\n"},
    {"all_iterations_write",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "#pragma dvm array distribute[block]\n"
     "double V[10];\n"
     "void f(int n, int i, int j, double s, double t) {\n"
     "#pragma dvm parallel([i][j] on A[i][j])\n"
     "  for (i = 0; i < n; i++)\n"
     "    for (j = 0; j < n; j++)\n"
     "      V[i] = A[i][j];\n"
     "}\n",
     "9:7: warning: iterations depend on each other by (0,1): one writes V[i], a later "
     "one writes V[i]; no across declares it\n"},
};

/* ---- -Minfo */

static const char head[] = "#pragma dvm array distribute[block][block]\ndouble A[20][30];\n"
                           "#pragma dvm array distribute[block]\ndouble V[20];\n"
                           "struct pair { double u; int w[2]; };\n"
                           "#pragma dvm array distribute[block][block][block]\nstruct pair S[5][6][7];\n"
                           "int k, idx[20];\n"
                           "double f(double *p, double s, int n) {\n  int i, j;\n";

typedef struct info_case {
    const char *source, *info; /* what is printed behind the first line of each loop */
} info_case_t;

static const info_case_t info_cases[] = {
    {"#pragma dvm parallel([i][j] on A[i][j])\n"
     "for (i = 0; i < 20; i++) for (j = 0; j < 30; j++) A[i][j] = V[i] + V[i];\n",
     "  A: out; writes A[i][j]\n  V: in; reads V[i] x2\n  dependences: none\n"
     "  A would like: PLAIN, order (1,2)\n"},
    {"#pragma dvm parallel([i][j] on A[j][i])\n"
     "for (i = 0; i < 30; i++) for (j = 0; j < 20; j++) A[j][i] += 1;\n",
     "  A: inout; updates A[j][i]\n  dependences: none\n  A would like: PLAIN, order (2,1)\n"},
    {"#pragma dvm parallel([i][j] on A[i][j]) across(A[1:1][1:1])\n"
     "for (i = 1; i < 19; i++) for (j = 1; j < 29; j++)\n"
     "  A[i][j] = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4;\n",
     "  A: inout; writes A[i][j], reads A[i - 1][j], reads A[i + 1][j], reads A[i][j - 1], reads A[i][j + "
     "1]\n"
     "  dependences: (1,0) (0,1)\n  A would like: WRAP or SKEW of axes 1 and 2, a = 1, b = 1\n"},
    {"#pragma dvm parallel([i][j] on A[i][j]) across(A[1:1][1:1])\n"
     "for (i = 1; i < 19; i++) for (j = 28; j > 0; j--) A[i][j] = A[i - 1][j - 1] + A[i][j + 1];\n",
     "  A: inout; writes A[i][j], reads A[i - 1][j - 1], reads A[i][j + 1]\n"
     "  dependences: (1,-1) (0,1)\n  A would like: WRAP or SKEW of axes 1 and 2, a = 2, b = -1\n"},
    {"#pragma dvm parallel([i][j] on A[i][j]) across(A[1:0][0:1])\n"
     "for (i = 1; i < 19; i++) for (j = 1; j < 29; j++) A[i][j] = A[i - 1][j + 1];\n",
     "  A: inout; writes A[i][j], reads A[i - 1][j + 1]\n  dependences: (1,-1)\n"
     "  A would like: PLAIN, order (1,2)\n"},
    {"#pragma dvm parallel([i] on V[2 * i + 1]) remote_access(A[0][i + 1], V[k])\n"
     "for (i = 0; i < 9; i++) if (i > 2) V[2 * i + 1] = A[0][i + 1] + V[k] + A[0][1 + i];\n",
     "  V: inout; writes V[2*i + 1] at times, reads V[k] at times remotely\n"
     "  A: in; reads A[0][i + 1] x2 at times remotely\n  dependences: unknown\n"
     "  V would like: PLAIN, order (1)\n"},
    {"#pragma dvm parallel([i] on V[-i + 19])\n"
     "for (i = 0; i < 20; i++) { int q = i; V[19 - i] = A[idx[i]][q] + A[i + k - 1][2 * k]; }\n",
     "  V: out; writes V[-i + 19]\n  A: in; reads A[idx[i]][q], reads A[i + k - 1][2*k]\n"
     "  dependences: none\n  V would like: PLAIN, order (1)\n"},
    {"#pragma dvm parallel([i][j] on S[i][j][]) private(k)\n"
     "for (i = 0; i < 5; i++) for (j = 0; j < 6; j++)\n"
     "  for (k = 0; k < 7; k++) { S[i][j][k].u = k; S[i][j][k].w[1]++; if (k && S[i][j][0].u > 1) continue; "
     "}\n",
     "  S: inout; updates S[i][j][k] x2 at times, reads S[i][j][0] at times\n  dependences: none\n"
     "  S would like: PLAIN, order (1,3,2)\n"},
    {"#pragma dvm parallel([i][j] on A[i][j])\n"
     "for (i = 1; i < 19; i++) for (j = 1; j < 29; j++) if ((i + j) % 2 == 1)\n"
     "  A[i][j] = A[i - 1][j] + A[i][j + 1] + sizeof(A[i][0]);\n",
     "  A: inout; writes A[i][j] at times, reads A[i - 1][j] at times, reads A[i][j + 1] at times\n"
     "  dependences: none\n  A would like: PLAIN, order (1,2)\n"},
    {"#pragma dvm parallel([i] on V[i])\n"
     "for (i = 0; i < 9; i++) { double t = A[i][0]; if (t > A[i][1]) V[i] = A[i][0] + A[i][2]; S[0][0][i].u "
     "= t; }\n",
     "  A: in; reads A[i][0] x2, reads A[i][1], reads A[i][2] at times\n  V: out; writes V[i] at times\n"
     "  S: inout; updates S[0][0][i]\n  dependences: none\n  A would like: PLAIN, order (2,1)\n"
     "  V would like: PLAIN, order (1)\n  S would like: PLAIN, order (1,2,3)\n"},
    {"#pragma dvm parallel([i] on V[i])\nfor (i = 0; i < 9; i++) { if (i == n) continue; V[i] = k; }\n",
     "  V: out; writes V[i] at times\n  dependences: none\n  V would like: PLAIN, order (1)\n"},
};

/* Print, without the lines that say where a loop stands. */
static void print_info(const dvmhcc_program_t *program, char *info, size_t size) {
    char *all = NULL;
    size_t length, used = 0;
    FILE *file = open_memstream(&all, &length);
    if (!CHECK(file != NULL))
        return;
    dvmhcc_program_print(program, false, file);
    fclose(file);
    info[0] = '\0';
    for (char *line = strtok(all, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (line[0] == ' ' && used < size)
            used += (size_t)snprintf(info + used, size - used, "%s\n", line);
    }
    free(all);
}

static void check_info(void) {
    static analysed_t analysed;
    for (size_t i = 0; i < sizeof info_cases / sizeof info_cases[0]; i++) {
        char source[2000], info[2000];
        snprintf(source, sizeof source, "%s%s  return s;\n}\n", head, info_cases[i].source);
        if (CHECK(analyse(source, &analysed))) {
            print_info(analysed.program, info, sizeof info);
            CHECK_EQ_STR(info, info_cases[i].info);
        } else {
            fprintf(stderr, "%s", analysed.messages);
        }
        analysed_free(&analysed);
    }
}

static void check_place(void) {
    static analysed_t analysed;
    char *all = NULL;
    size_t length;
    CHECK(analyse(
        "#pragma dvm array distribute[block]\ndouble V[20];\nvoid f(void) {\n#pragma dvm region\n  {\n"
        "#pragma dvm parallel([i] on V[i])\n    for (int i = 0; i < 20; i++) V[i] = 0;\n  }\n}\n",
        &analysed));
    FILE *file = open_memstream(&all, &length);
    if (analysed.program != NULL && CHECK(file != NULL)) {
        dvmhcc_program_print(analysed.program, false, file);
        fclose(file);
        CHECK_CONTAINS(all, "p.c:6: parallel loop[i] on V, in a region\n");
    }
    free(all);
    analysed_free(&analysed);
}

/* ---- facts that are not printed */

static const message_case_t width_cases[] = {
    {"widths_of_downward_loops_and_writes_beyond",
     "#pragma dvm array distribute[block]\n"
     "double V[10];\n"
     "void f(int n) {\n"
     "#pragma dvm parallel([i] on V[i]) across(V[1:0])\n"
     "  for (int i = n; i > 0; i--) V[i] = V[i + 1];\n"
     "#pragma dvm parallel([i] on V[i]) across(V[0:1])\n"
     "  for (int i = n; i > 0; i--) V[i] = V[i + 1];\n"
     "#pragma dvm parallel([i] on V[i]) across(V[0:1])\n"
     "  for (int i = 1; i < n; i++) V[i] = V[i - 1];\n"
     "#pragma dvm parallel([i] on V[i]) across(out: V[0:1])\n"
     "  for (int i = 1; i < n; i++) { V[i] = 1; V[i - 1] = 2; }\n"
     "}\n",
     "9:38: warning: iterations depend on each other by (1): one writes V[i], a later one reads V[i - 1]; "
     "the widths of "
     "across do not reach that far\n"
     "9:31: note: 'V[i]' is here\n"
     "8:13: note: across(V[1:0]) would declare all dependences of 'V'\n"},
};

typedef struct vector_case {
    const char *loop, *vectors; /* as printed */
} vector_case_t;

/* Loops over V, or over V by i and j. */
static const vector_case_t vector_cases[] = {
    {"for (i = 0; i <= 9; i++) V[i] = V[9];", " unknown"},
    {"for (i = 0; i < 9; i++) V[i] = V[9];", " none"},
    {"for (i = 0; i < 9; i++) V[i] = V[8];", " unknown"},
    {"for (i = 1; i < 9; i++) V[i] = V[0];", " none"},
    {"for (i = 0; i < 9; i++) V[i] = V[0];", " unknown"},
    {"for (i = 9; i > 0; i--) V[i] = V[0];", " none"},
    {"for (i = 9; i > 0; i--) V[i] = V[1];", " unknown"},
    {"for (i = 9; i >= 0; i--) V[i] = V[0];", " unknown"},
    {"for (i = 9; i >= 0; i--) V[i] = V[10];", " none"},
    {"for (i = 9; i >= 0; i--) V[i] = V[9];", " unknown"},
    {"for (i = 0; i < 9; i += 2) V[i] = V[3];", " none"},
    {"for (i = 0; i < 9; i += 2) V[i] = V[4];", " unknown"},
    {"for (i = k; i < n; i++) V[i] = V[k - 1] + V[n];", " none"},
    {"for (i = k; i < n; i++) V[i] = V[k];", " unknown"},
    {"for (i = k; i <= n; i++) V[i] = V[n];", " unknown"},
    {"for (i = k; i <= n; i++) V[-i] = V[-n - 1];", " none"},
    {"for (i = 0; i < n; i += k) V[i] = V[i - 1];", " unknown"},
    {"for (i = 0; i < n; i += k) V[i] = V[i] + 1;", " none"},
    {"for (i = 0; i < n; i += 2) V[i] = V[i - 1];", " none"},
    {"for (i = 0; i < n; i += 2) V[i] = V[i - 4];", " (2)"},
    {"for (i = n; i > 0; i -= 2) V[i] = V[i + 4];", " (2)"},
    {"for (i = n; i > 0; i -= 2) V[i] = V[i - 4];", " (2)"},
    {"for (i = 0; i < 4; i++) V[i] = V[i + 4];", " none"},
    {"for (i = 0; i < 5; i++) V[i] = V[i + 4];", " (4)"},
    {"for (i = 0; i < n; i++) V[2 * i] = V[2 * i + 1];", " none"},
    {"for (i = 0; i < n; i++) V[2 * i] = V[4 * i + 1];", " none"},
    {"for (i = 0; i < n; i++) V[2 * i] = V[4 * i + 2];", " unknown"},
    {"for (i = 0; i < 5; i++) V[i] = V[9 - i];", " none"},
    {"for (i = 0; i < 6; i++) V[i] = V[9 - i];", " unknown"},
    {"for (i = 0; i < n; i++) V[i + k] = V[i + k - 2];", " (2)"},
    {"for (i = 0; i < n; i++) V[2 * n + i] = V[i + n + n - 1];", " (1)"},
    {"for (i = 0; i < n; i++) { int q = idx[i]; V[q] = V[q + 1]; }", " (1)"},
    {"for (i = 0; i < n; i++) if (i % 3 == 1) V[i] = V[i - 1];", " none"},
    {"for (i = 0; i < n; i++) if (i % 3 == 1) V[i] = V[i - 3];", " (3)"},
    {"for (i = 0; i < n; i++) if ((i + k) % 2 == 1) V[i] = V[i - 1];", " none"},
    {"for (i = 0; i < n; i++) if (i % 2 == 1) V[i] = V[i - 1]; else V[i] = 0;", " (1)"},
    {"for (i = 0; i < n; i++) { int q = i / 2; if ((i + q) % 2 == 1) V[i] = V[i - 1]; }", " (1)"},
    {"for (i = 0; i < n; i++) { V[i] = 1; if (i % 2 == 1) V[i] = V[i - 1]; }", " (1)"},
    {"for (i = 0; i < 1; i++) V[0] += i;", " none"},
    {"for (i = 0; i < 2; i++) V[0] += i;", " (1)"},
};

static void check_vectors(void) {
    static analysed_t analysed;
    for (size_t i = 0; i < sizeof vector_cases / sizeof vector_cases[0]; i++) {
        char source[2000], info[2000];
        snprintf(source, sizeof source,
                 "%s#pragma dvm parallel([i] on V[i]) across(V[9:9])\n%s\nreturn s;\n}\n", head,
                 vector_cases[i].loop);
        if (CHECK(analyse(source, &analysed))) {
            print_info(analysed.program, info, sizeof info);
            char *vectors = strstr(info, "dependences:");
            if (CHECK(vectors != NULL)) {
                vectors[strcspn(vectors, "\n")] = '\0';
                if (!CHECK_EQ_STR(vectors + strlen("dependences:"), vector_cases[i].vectors))
                    fprintf(stderr, "  in: %s\n", vector_cases[i].loop);
            }
        }
        /* What is not known is told. */
        const bool is_unknown = strcmp(vector_cases[i].vectors, " unknown") == 0;
        if (is_unknown)
            CHECK_CONTAINS(analysed.messages, "meet is not known here; all dependences within the widths of "
                                              "across are assumed, corners included");
        else
            CHECK_EQ_STR(analysed.messages, "");
        analysed_free(&analysed);
    }
}

typedef struct rows_case {
    const char *body;            /* of a loop over i and j of A and V */
    bool by_rows;                /* of A */
    int first_axis, second_axis; /* walked_by of A's axes */
} rows_case_t;

static const rows_case_t rows_cases[] = {
    {"A[i][j] = A[i - 1][j + 2]", true, 1, 2},
    {"A[j][i] = A[j + 1][i]", true, 2, 1},
    {"A[i][j] = A[19 - i][j]", false, 0, 2},
    {"A[19 - i][j] = A[18 - i][j]", true, -1, 2},
    {"A[2 * i][j] = 1", false, 1, 2},
    {"A[i][j] = A[i + k][j]", false, 1, 2},
    {"A[i][j] = A[i][0]", false, 1, 2},
    {"A[i][j] = A[j][i]", false, 0, 0},
    {"A[i][idx[j]] = 1", false, 1, 0},
    {"A[i][i] = j", false, 1, 1},
    {"{ int q = idx[j]; A[i][j] = A[i][q]; }", false, 1, 0},
    {"A[i][j] = V[i]", true, 1, 2},
};

static void check_rows(void) {
    static analysed_t analysed;
    for (size_t i = 0; i < sizeof rows_cases / sizeof rows_cases[0]; i++) {
        const rows_case_t *expected = &rows_cases[i];
        char source[2000];
        snprintf(source, sizeof source,
                 "%s#pragma dvm parallel([i][j] on A[i][j]) across(A[2:2][2:2])\n"
                 "for (i = 2; i < 8; i++) for (j = 2; j < 9; j++) %s;\nreturn s;\n}\n",
                 head, expected->body);
        if (CHECK(analyse(source, &analysed))) {
            const dvmhcc_loop_array_t *array = analysed.program->loops->arrays;
            if (!CHECK(array->by_rows == expected->by_rows) ||
                !CHECK_EQ_INT(array->walked_by[0], expected->first_axis) ||
                !CHECK_EQ_INT(array->walked_by[1], expected->second_axis))
                fprintf(stderr, "  in: %s\n", expected->body);
            CHECK(array->across != NULL && array->across->rank == 2);
        }
        analysed_free(&analysed);
    }
}

int main(void) {
    files_enter();
    CHECK(files_command("-c p.c", &parse_command));
    CHECK_MESSAGES(across_cases);
    CHECK_MESSAGES(width_cases);
    check_info();
    check_place();
    check_vectors();
    check_rows();
    dvmhcc_command_free(&parse_command);
    files_leave();
    return check_finish();
}
