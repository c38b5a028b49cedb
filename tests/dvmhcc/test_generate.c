/* Generated text: what small sources become, which things are refused with a message at their place, and what happens without
 * memory. That generated programs compute the right thing is for check-corpus.sh. */
#include <config.h>

#include "compiler-hooks/dvmhcc/generate.h"
#include "rts/memory.h"

#include "tests/dvmhcc/program_text.h"

typedef struct generate_case {
    const char *name, *source;
    bool auto_layout;
    const char *there[8]; /* parts of the result, white space as one blank */
    const char *absent[4];
} generate_case_t;

#define ARRAY "#pragma dvm array distribute[block][block]\ndouble A[10][20];\n"

static const generate_case_t cases[] = {
    {"array",
     ARRAY,
     false,
     {"DvmType A[64];", "void dvmhcc_create_A(void) {",
      "dvmh_array_create_C(A, 2, -rt_DOUBLE, (DvmType)(10), (DvmType)1, (DvmType)1, (DvmType)(20), "
      "(DvmType)1, "
      "(DvmType)1);",
      "dvmhcc_keep_layout(A);",
      "dvmh_distribute_C(A, 2, dvmh_distribution_block_C(1), dvmh_distribution_block_C(2));",
      "dvmhcc_module_enter(&module, dvm_start, NULL);"},
     {"double A", "#pragma"}},
    {"may_reorganise", ARRAY, true, {"dvmh_array_create_C(A, 2"}, {"dvmhcc_keep_layout"}},
    {"align",
     ARRAY "#pragma dvm array align([i][j] with A[2*j+1][]) shadow[0:2][1]\nstatic int B[5][7];\n",
     false,
     {"static DvmType B[64];",
      "(DvmType)(5), (DvmType)0, (DvmType)2, (DvmType)(7), (DvmType)1, "
      "(DvmType)1);",
      "dvmhcc_create_A(); dvmh_line_C(",
      "dvmh_align_C(B, A, 2, dvmh_alignment_linear_C(2, (DvmType)2, (DvmType)1), "
      "dvmh_alignment_linear_C(-1, 0, 0));"},
     {0}},
    {"extern",
     "#pragma dvm array distribute[block]\nextern float E[9];\n",
     false,
     {"extern DvmType E[64];"},
     {"dvmh_array_create_C", "dvmhcc_module_enter"}},
    {"elements",
     ARRAY "double f(int i) {\n  A[i][1] = A[1][i] + 2;\n  if (i) A[0][0]++; else A[i + 1][0] *= 3;\n"
           "  return A[2][2] = 1;\n}\n",
     false,
     {"{ double *const dvm_own = (double *)dvmhx_own_element_C(\"p.c:4:A\", A, 2, (DvmType)(i), "
      "(DvmType)(1)); "
      "if (dvm_own != NULL) (*dvm_own) = (*(double *)dvmhx_held_element_C(\"p.c:4:A\", A, 2, (DvmType)(1), "
      "(DvmType)(i))) + 2; }",
      "if (i) { double *const dvm_own", "(*dvm_own)++; } else {", "(*dvm_own) *= 3; }",
      "return (__extension__({"},
     {"A[i]", "A[1][i]"}},
    {"effects",
     ARRAY
     "int h(int);\nint count;\nint up(void) { return ++count; }\nint twice(int n) { n *= 2; return n; }\n"
     "void f(int i) {\n  A[1][1] = h(i);\n  A[2][2] += up();\n  A[3][3] = twice(i);\n  A[4][4] = i++;\n"
     "  i = A[5][5]++;\n  (void)(A[6][6] = i);\n}\n",
     false,
     {"{ double dvm_other[1], *const dvm_own = (double *)dvmhcc_own_or((double *)dvmhx_own_element_C("
      "\"p.c:8:A\", A, 2, (DvmType)(1), (DvmType)(1)), memset(dvm_other, 0, sizeof dvm_other)); "
      "(*dvm_own) = h(i); }",
      "memset(dvm_other, 0, sizeof dvm_other)); (*dvm_own) += up(); }",
      "if (dvm_own != NULL) (*dvm_own) = twice(i); }",
      "memset(dvm_other, 0, sizeof dvm_other)); (*dvm_own) = i++; }",
      "i = (__extension__({ double dvm_other[1], *const dvm_own = (double *)dvmhx_changed_element_C("
      "\"p.c:12:A\", dvm_other, A, 2, (DvmType)(5), (DvmType)(5)); (*dvm_own)++; }));",
      "if (dvm_own != NULL) (*dvm_own) = i; (void)0; })));"},
     {0}},
    {"remote",
     ARRAY "#pragma dvm array distribute[block]\nint V[10];\ndouble f(int k) {\n  double x = 0;\n"
           "#pragma dvm remote_access(A[k][], V[3])\n  x += A[k][4] * V[1 + 2] + A[4][k];\n"
           "#pragma dvm parallel([i] on V[i]) remote_access(A[2 * i + 1][k], A[][3])\n"
           "  for (int i = 0; i < 4; i++)\n    V[i] = A[1 + i * 2][k] + A[i][3] + A[i][2];\n  return x;\n}\n",
     false,
     {"dvmh_remote_access_C(dvm_remote2_1, A, 2, dvmh_alignment_linear_C(0, 0, (DvmType)k), "
      "dvmh_alignment_linear_C(-1, 0, 0));",
      "x += (*(double *)dvmhx_held_element_C(\"p.c:8:A\", dvm_remote2_1, 1, (DvmType)(4))) * "
      "(*(int *)dvmhx_held_element_C(\"p.c:8:V\", dvm_remote2_2, 1, (DvmType)0)) + "
      "(*(double *)dvmhx_held_element_C(\"p.c:8:A\", A, 2, (DvmType)(4), (DvmType)(k))); }",
      "dvmh_loop_remote_access_C(dvm_loop, A, 2, dvmh_alignment_linear_C(-1, 0, 0), "
      "dvmh_alignment_linear_C(0, 0, (DvmType)3));",
      "c->remote1_A[(1 + dvm_i * 2) * c->remote1_A_1 + c->k * c->remote1_A_2] + "
      "c->remote2_A[dvm_i * c->remote2_A_1 + 3 * c->remote2_A_2] + c->A[dvm_i * c->A_1 + 2 * c->A_2];"},
     {"c->remote1_A_1 == 1"}},
    {"main",
     "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n  char *p = malloc(3);\n  printf(\"x\");\n"
     "  if (printf(\"y\") < 0) exit(2);\n  fclose(tmpfile());\n  free(p);\n  return 4 + 1;\n}\n",
     true,
     {"int main(int dvm_argc, char **dvm_argv) {",
      "dvmh_init_C(INITFLAG_OPENMP, &dvm_argc, (char ***)&dvm_argv); "
      "dvmhx_reorganise_C();",
      "dvmh_malloc_C(3)", "dvmh_void_printf(\"x\");", "if (dvmh_printf(\"y\") < 0) dvmhcc_exit(2);",
      "(dvmh_line_C(7, \"p.c\"), dvmh_fclose)((dvmh_line_C(7, \"p.c\"), dvmh_tmpfile)());", "dvmh_free_C(p);",
      "dvmhcc_exit(4 + 1);"},
     {"return 4"}},
    {"loop",
     ARRAY "int f(int n, double w) {\n  int i, j;\n  double top = 0;\n"
           "#pragma dvm parallel([i][j] on A[i][j]) reduction(max(top)) across(A[1:1][1:0])\n"
           "  for (i = 1; i < n; i++)\n    for (j = 19; j >= 1; j -= 1) {\n"
           "      A[i][j] = w * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1]) + j;\n"
           "      if (A[i][j] > top) top = A[i][j];\n    }\n  return i + j;\n}\n",
     true,
     {"c->A[dvm_i * c->A_1 + dvm_j * c->A_2] = c->w * (c->A[(dvm_i - 1) * c->A_1 + dvm_j * c->A_2]",
      "int const j = (int)dvm_j;", "#define DVMHX_ROW_BODY dvm_loop_6_row_body",
      "const DvmType dvm_last[] = {(DvmType)(n) - 1, (DvmType)(1)};",
      "dvmh_loop_across_C(dvm_loop, 0, A, 2, (DvmType)1, (DvmType)1, (DvmType)1, (DvmType)0);",
      "dvmh_loop_reduction_C(dvm_loop, rf_MAX, &top,", "i = (int)dvmhcc_after(dvm_first[0]",
      "c->A_row0[dvm_i] = c->w * ("},
     {"int const i", "DVMHX_INDEPENDENT"}},
    {"ahead",
     ARRAY "void f(void) {\n#pragma dvm parallel([i][j] on A[i][j]) across(A[1:1][1:1])\n"
           "  for (int i = 8; i > 0; i--)\n    for (int j = 18; j > 0; j--)\n"
           "      A[i][j] = A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1];\n}\n",
     true,
     {"double *A_ahead;", "c->A_ahead = (double *)dvmhx_row(&dvmhcc_rows, -3, 0);",
      "#define DVMHX_ROW_PREFETCH(c, dvm_i, dvm_j) ((c)->A_ahead + (dvm_i))"},
     {0}},
    {"ahead_in_space",
     "#pragma dvm array distribute[block][block][*]\nfloat A[10][20][30];\n"
     "void f(void) {\n#pragma dvm parallel([k][j][i] on A[i][j][k]) across(A[1:0][1:0][1:2])\n"
     "  for (int k = 1; k < 28; k++)\n    for (int j = 1; j < 20; j++)\n      for (int i = 1; i < 10; i++)\n"
     "        A[i][j][k] = A[i - 1][j][k] + A[i][j - 1][k] + A[i][j][k - 1] + A[i][j][k + 2];\n}\n",
     true,
     {"const DvmType dvmhcc_index[] = {dvm_i, dvm_j, dvm_k + 2}; const dvmhx_rows_t dvmhcc_rows = "
      "dvmhx_rows_at(c->A_rows, dvmhcc_index); c->A_row4 = (float *)dvmhx_row(&dvmhcc_rows, 0, 0); "
      "c->A_ahead = (float *)dvmhx_row(&dvmhcc_rows, 2, 0);",
      "#define DVMHX_ROW_PREFETCH(c, dvm_k, dvm_j, dvm_i) ((c)->A_ahead + (dvm_j))"},
     {0}},
    {"nothing_ahead",
     ARRAY "void f(void) {\n#pragma dvm parallel([i][j] on A[i][j])\n  for (int i = 0; i < 10; i++)\n"
           "    for (int j = 0; j < 20; j++) A[i][j] += 1;\n}\n",
     true,
     {"#define DVMHX_ROW_BODY"},
     {"ahead", "ROW_PREFETCH"}},
    {"no_rows",
     ARRAY "void f(void) {\n#pragma dvm parallel([i][j] on A[i][j])\n  for (int i = 0; i < 10; i++)\n"
           "    for (int j = 0; j < 20; j++) A[i][j] = 1;\n}\n",
     false,
     {"#define DVMHX_INDEPENDENT", "#define DVMHX_STREAM(c) (c)->A", "dvmh_loop_create_C(0, 2"},
     {"ROW_BODY", "dvmhcc_after", "dvmh_loop_across_C"}},
    {"region",
     ARRAY
     "double f(void) {\n  double s = 0;\n#pragma dvm region out(A)\n  {\n"
     "#pragma dvm parallel([i][j] on A[i][j])\n  for (int i = 0; i < 10; i++)\n"
     "    for (int j = 0; j < 20; j++) A[i][j] = 1;\n  s = A[3][3];\n  A[1][1] = s;\n  }\n  return s;\n}\n",
     false,
     {"dvmh_region_register_array_C(dvm_region, INTENT_OUT, A, \"A\");", "dvmh_loop_create_C(dvm_region, 2",
      "dvmh_get_actual_array2_(A); s = ", "if (dvm_own != NULL) (*dvm_own) = s; } dvmh_actual_array2_(A);",
      "dvmh_region_end_C(dvm_region);"},
     {0}},
    {"local",
     "void f(int n) {\n#pragma dvm array distribute[block]\n  double L[n];\n  L[0] = 1;\n}\n",
     false,
     {"DvmType L[64] __attribute__((cleanup(dvmhcc_delete_array))) = {0};", "(DvmType)(n)"},
     {"dvmhcc_clear"}},
    {"names",
     ARRAY
     "int dvm_x, c;\nvoid f(void) {\n#pragma dvm parallel([c][record] on A[c][record])\n"
     "  for (int c = 0; c < 10; c++)\n    for (int record = 0; record < 20; record++) A[c][record] = c;\n}\n",
     false,
     {"struct dvm__loop_5 *context, DvmType dvm__c, DvmType dvm__record"},
     {0}},
};

/* White space as one blank, without line markers. */
static void squeeze(const char *text, dvmhcc_text_t *result) {
    bool line_begins = true, blank = false;
    while (*text != '\0') {
        if (line_begins && text[0] == '#' && text[1] == ' ') {
            text += strcspn(text, "\n");
            continue;
        }
        line_begins = *text == '\n';
        if (*text == ' ' || *text == '\n') {
            blank = true;
        } else {
            dvmhcc_text_printf(result, blank ? " %c" : "%c", *text);
            blank = false;
        }
        text++;
    }
}

static bool generate(const char *source, bool auto_layout, analysed_t *analysed, dvmhcc_text_t *result) {
    dvmhcc_command_t command = parse_command;
    command.auto_layout = auto_layout;
    if (!analyse(source, analysed)) {
        CHECK_EQ_STR(analysed->messages, "");
        return false;
    }
    files_report_begin();
    const bool good = dvmhcc_generate(&command, analysed->parsed.source, analysed->parsed.unit,
                                      analysed->program, result, NULL);
    keep_messages(files_report_end(), analysed->messages, sizeof analysed->messages);
    return good;
}

static void test_texts(void) {
    static analysed_t analysed;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dvmhcc_text_t result = {0}, squeezed = {0};
        CHECK(generate(cases[i].source, cases[i].auto_layout, &analysed, &result));
        CHECK_EQ_STR(analysed.messages, "");
        squeeze(dvmhcc_text_string(&result), &squeezed);
        const char *text = dvmhcc_text_string(&squeezed);
        for (size_t k = 0; k < 8 && cases[i].there[k] != NULL; k++)
            if (!CHECK(strstr(text, cases[i].there[k]) != NULL))
                fprintf(stderr, "  %s: missing: %s\n  in: %s\n", cases[i].name, cases[i].there[k], text);
        for (size_t k = 0; k < 4 && cases[i].absent[k] != NULL; k++)
            if (!CHECK(strstr(text, cases[i].absent[k]) == NULL))
                fprintf(stderr, "  %s: should not be there: %s\n", cases[i].name, cases[i].absent[k]);
        dvmhcc_text_free(&result);
        dvmhcc_text_free(&squeezed);
        analysed_free(&analysed);
    }
}

/* What becomes the file for GPUs; `host` is what must stand in the generated source. */
typedef struct gpu_case {
    const char *name, *source, *host[6], *there[12], *absent[3];
} gpu_case_t;

#define LINE "#pragma dvm array distribute[block]\ndouble L[10];\n"
#define ALL  "#pragma dvm parallel([i] on L[i])\n  for (int i = 0; i < 10; i++) "

static const gpu_case_t gpu_cases[] = {
    {"sweep",
     ARRAY
     "double f(int n, double w) {\n  double top = 0;\n#pragma dvm region\n  {\n"
     "#pragma dvm parallel([i][j] on A[i][j]) reduction(max(top)) across(A[1:1][1:0]) cuda_block(32, 4)\n"
     "  for (int i = 1; i < n; i++)\n    for (int j = 1; j < 20; j++) {\n"
     "      A[i][j] = w * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1]) + A[i][(int)w];\n"
     "      if (A[i][j] > top) top = A[i][j];\n    }\n  }\n  return top;\n}\n",
     {"dvmh_region_execute_on_targets_C(dvm_region, DEVICE_TYPE_HOST | DEVICE_TYPE_CUDA);",
      "(const dvmhx_record_t *, void *);",
      "DEVICE_TYPE_HOST, DVMHX_HANDLER_RECORD, dvmh_handler_func_C(DVMHCC_HANDLER(dvm_loop_7_handler), 1",
      "DEVICE_TYPE_CUDA, DVMHX_HANDLER_RECORD, dvmh_handler_func_C(DVMHCC_HANDLER(dvm_loop_7_cuda_",
      "dvmh_loop_set_cuda_block_C(dvm_loop, (DvmType)32, (DvmType)4, (DvmType)1);"},
     {"template <typename dvmhcc_index> struct dvm_loop_7_context { double *A; dvmhcc_index A_1, A_2; double "
      "w; double top; };",
      "enum { RANK = 2, HAS_DEPENDENCES = 1, REDUCTIONS = 1, WEIGHT = 5 };",
      "c->A[dvm_i * c->A_1 + dvm_j * c->A_2] = c->w * (c->A[(dvm_i - 1) * c->A_1 + dvm_j * c->A_2]",
      "c->A[dvm_i * c->A_1 + (dvmhcc_index)((int)c->w) * c->A_2]",
      "dvmhcc_visit.template value<rf_MAX>(0, this->top);",
      "dvmhcc_loop.A_2 = (dvmhcc_index)dvmhcc_record->arrays[0].stride[1];",
      "memcpy((void *)&dvmhcc_loop.top, dvmhcc_record->launch->slots[0].start, sizeof dvmhcc_loop.top);",
      "dvmhx_launch(dvmhcc_record, dvmhcc_loop);",
      "if (dvmhcc_record->launch->narrow) dvmhcc_gpu::dvm_loop_7_start<int>(",
      "extern \"C\" void dvm_loop_7_cuda_"},
     {"prefetch", "restrict", "#pragma dvm"}},
    {"prefetch",
     ARRAY
     "void f(void) {\n#pragma dvm region\n  {\n#pragma dvm parallel([i][j] on A[i][j]) across(A[1:0][0:1])\n"
     "  for (int i = 1; i < 9; i++)\n    for (int j = 18; j > 0; j--) A[i][j] = A[i - 1][j] + A[i][j + 1];\n "
     " }\n}\n",
     {0},
     {"prefetch(dvmhcc_index dvm_i, dvmhcc_index dvm_j) { dvmhx_fetch(&this->A[(1 * dvm_i + "},
     {0}},
    {"apart",
     ARRAY
     "#pragma dvm array align([i][j] with A[i][j])\ndouble B[10][20];\n"
     "void f(void) {\n#pragma dvm region\n  {\n#pragma dvm parallel([i][j] on A[i][j])\n"
     "  for (int i = 1; i < 9; i++)\n    for (int j = 1; j < 9; j++) { double d = B[i][j]; A[i][j] = d; "
     "}\n  }\n}\n",
     {0},
     {"dvmhx_readable<double, dvmhcc_index> B;", "double *A;", "REDUCTIONS = 0, WEIGHT = 3 };",
      "if (dvmhcc_record->launch->narrow && dvmhx_are_apart(dvmhcc_record, 0x"},
     {"double *B;"}},
    {"ordinary",
     LINE "static double small[4], big[400];\nint seen[10];\nvoid f(int n) {\n  const float given[2] = {1, "
          "2};\n  double any[n];\n"
          "  any[0] = 0;\n#pragma dvm region\n  {\n" ALL
          "L[i] = small[i % 4] + big[i] + given[1] + any[0] * seen[i];\n" ALL "seen[i] = i;\n  }\n}\n",
     {"dvmhx_loop_variable_C(dvm_loop, (void *)big, sizeof big, INTENT_IN); dvmhx_loop_variable_C(dvm_loop, "
      "(void *)any, "
      "sizeof any, INTENT_IN); dvmhx_loop_variable_C(dvm_loop, (void *)seen, sizeof seen, INTENT_IN); "
      "dvmh_loop_reg",
      "dvmhx_loop_variable_C(dvm_loop, (void *)seen, sizeof seen, INTENT_OUT);"},
     {"std::remove_cv_t<__typeof__(double[4])> dvmhcc_value_small; const "
      "std::remove_cv_t<__typeof__(double[4])> *small;",
      "this->small = &dvmhcc_given->dvmhcc_value_small;", "this->given = &dvmhcc_given->dvmhcc_value_given;",
      "dvmhcc_loop.big = (__typeof__(double[400]) *)dvmhcc_record->launch->variables[0];",
      "dvmhcc_loop.any = (double *)dvmhcc_record->launch->variables[1];",
      "(*c->small)[i % 4] + (*c->big)[dvm_i]"},
     {"dvmhcc_value_big", "dvmhcc_value_seen"}},
    {"copies",
     "#include <math.h>\ntypedef struct new { double this; } new_t;\nstruct unused { int n; };\nenum { FEW = "
     "3 };\n"
     "static const int table[FEW] = {1, 2, 3};\nstatic double of(new_t p, void *restrict q) { double *r = "
     "q; "
     "return sqrt(p.this + *r) * table[1]; }\n" LINE
     "void f(void) {\n  new_t try = {3};\n#pragma dvm region\n  {\n" ALL
     "{ double class = i; _Bool b = 1; L[i] = of(try, &class) + b; }\n  }\n}\n",
     {0},
     {"typedef struct dvmhcc_word_new { double dvmhcc_word_this; } new_t;", "enum { FEW = 3 };",
      "static __constant__ const int table[FEW] = {1, 2, 3};",
      "static __device__ inline double dvmhcc_math_sqrt(double x) { return (::sqrt)(x); }",
      "static __device__ double of(new_t p, void * q);",
      "double *r = (double *)(q); return dvmhcc_math_sqrt(p.dvmhcc_word_this + *r) * table[1];",
      "double dvmhcc_word_class = i; bool b = 1;", "of(c->dvmhcc_word_try, &dvmhcc_word_class)"},
     {"unused", "restrict"}},
    {"outside", LINE "void f(void) {\n" ALL "L[i] = i;\n}\n", {"dvm_loop_4_handler"}, {0}, {"template"}},
    {"host_section",
     LINE "void f(void) {\n#pragma dvm region\n  {\n#pragma dvm host_section\n  {\n" ALL
          "L[i] = i;\n  }\n  }\n}\n",
     {"DEVICE_TYPE_HOST | DEVICE_TYPE_CUDA);", "dvm_loop_8_handler"},
     {0},
     {"template"}},
    {"unsigned",
     LINE "void f(unsigned n, long far, unsigned short near) {\n#pragma dvm region\n  {\n"
          "#pragma dvm parallel([i] on L[i])\n  for (unsigned i = 0; i < 5; i++) "
          "L[i] = L[i + n - 1] + L[i + 1u] + L[i + far] + L[i + near];\n  }\n}\n",
     {0},
     {"c->L[dvm_i * c->L_1] = c->L[(dvmhcc_index)(i + c->n - 1) * c->L_1] + c->L[(dvmhcc_index)(i + 1u) * "
      "c->L_1] + c->L[(dvm_i + c->far) * c->L_1] + c->L[(dvm_i + c->near) * c->L_1];"},
     {0}},
    {"between_loops",
     LINE "int seen[10];\nvoid g(void);\nvoid f(void) {\n#pragma dvm region\n  {\n" ALL
          "seen[i] = i;\n  L[0] = 1;\n  "
          "seen[3] += 2;\n  g();\n  while (seen[2] < 3)\n" ALL "L[i] = seen[i];\n  }\n}\n",
     {"dvmh_get_actual_variable2_((void *)seen); seen[3] += 2; dvmh_actual_variable2_(seen);",
      "dvmh_get_actual_variable2_((void *)seen); g(); dvmh_actual_variable2_(seen);",
      "while ((dvmh_get_actual_variable2_((void *)seen), seen[2] < 3))"},
     {0},
     {0}},
    {"for_the_host",
     LINE "void f(void) {\n#pragma dvm region targets(HOST)\n  {\n" ALL "L[i] = i;\n  }\n}\n",
     {"dvmh_region_execute_on_targets_C(dvm_region, DEVICE_TYPE_HOST);"},
     {0},
     {"template"}},
};

static void look(const char *name, const dvmhcc_text_t *result, const char *const there[], size_t count,
                 bool wanted) {
    dvmhcc_text_t squeezed = {0};
    squeeze(dvmhcc_text_string(result), &squeezed);
    const char *text = dvmhcc_text_string(&squeezed);
    for (size_t k = 0; k < count && there[k] != NULL; k++)
        if (!CHECK((strstr(text, there[k]) != NULL) == wanted))
            fprintf(stderr, "  %s: %s: %s\n  in: %s\n", name, wanted ? "missing" : "should not be there",
                    there[k], text);
    dvmhcc_text_free(&squeezed);
}

static void test_gpu(void) {
    static analysed_t analysed;
    for (size_t i = 0; i < sizeof gpu_cases / sizeof gpu_cases[0]; i++) {
        const gpu_case_t *given = &gpu_cases[i];
        dvmhcc_text_t result = {0}, gpu = {0};
        if (!CHECK(analyse(given->source, &analysed)))
            fprintf(stderr, "  %s\n", given->name);
        files_report_begin();
        CHECK(dvmhcc_generate(&parse_command, analysed.parsed.source, analysed.parsed.unit, analysed.program,
                              &result, &gpu));
        CHECK_EQ_STR(files_report_end(), "");
        look(given->name, &result, given->host, 6, true);
        look(given->name, &gpu, given->there, 12, true);
        look(given->name, &gpu, given->absent, 3, false);
        dvmhcc_text_free(&result);
        dvmhcc_text_free(&gpu);
        analysed_free(&analysed);
    }
}

/* Programs that the analysis allows and the generator does not. */
static const message_case_t refused[] = {
    {"local_type",
     "#pragma dvm array distribute[block]\nint A[9];\nvoid f(void) {\n  typedef int whole;\n"
     "#pragma dvm parallel([i] on A[i])\n  for (int i = 0; i < 9; i++) {\n    whole x = i;\n    A[i] = x;\n  "
     "}\n}\n",
     "7:5: error: the type 'whole' is known in its function only; to be used in a parallel loop it must be "
     "declared "
     "outside of all functions\n"},
    {"unnamed_type",
     "#pragma dvm array distribute[block]\nint A[9];\nvoid f(void) {\n  struct { int n; } s = {1};\n"
     "#pragma dvm parallel([i] on A[i])\n  for (int i = 0; i < 9; i++)\n    A[i] = s.n;\n}\n",
     NULL},
    {"jump",
     "void f(int n) {\n  if (n > 3)\n    goto end;\n#pragma dvm array distribute[block]\n  int L[9];\n  L[0] "
     "= n;\nend:\n"
     "  n = 0;\n}\n",
     "7:1: error: a jump may come here past the declaration of the distributed array 'L'; put what follows "
     "the "
     "declaration into a block of its own, without labels\n"},
    {"head_in_region",
     "#pragma dvm array distribute[block]\nint A[9];\nvoid f(int n) {\n#pragma dvm region\n  {\n    if (A[n] "
     "> 3) {\n"
     "#pragma dvm parallel([i] on A[i])\n      for (int i = 0; i < 9; i++)\n        A[i] = i;\n    }\n  "
     "}\n}\n",
     NULL},
    {"calloc",
     "#include <stdlib.h>\n#pragma dvm array\nint *A;\nvoid f(void) {\n  A = calloc(3, sizeof(int));\n}\n",
     "5:3: error: calloc cannot clear 'A', which gets its place later, by redistribute or realign; use "
     "malloc, "
     "and set "
     "the elements after that\n"},
};

static void test_refused(void) {
    static analysed_t analysed;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        dvmhcc_text_t result = {0};
        CHECK(!generate(refused[i].source, false, &analysed, &result));
        if (refused[i].messages != NULL)
            CHECK_EQ_STR(analysed.messages, refused[i].messages);
        else if (!CHECK(strstr(analysed.messages, ": error: ") != NULL))
            fprintf(stderr, "  in: %s\n", refused[i].name);
        CHECK_EQ_STR(dvmhcc_text_string(&result), "");
        dvmhcc_text_free(&result);
        analysed_free(&analysed);
    }
}

/* Whichever allocation fails: no result, and it is told. */
static void fail_allocations(const char *name, const char *source, const dvmhcc_command_t *command,
                             int stride) {
    static analysed_t analysed;
    bool good = false;
    if (!CHECK(analyse(source, &analysed)))
        return;
    for (int at = 1; !good; at += at < 40 ? 1 : stride) {
        dvmhcc_text_t result = {0}, gpu = {0};
        files_report_begin();
        rts_memory_fail_at(at);
        good = dvmhcc_generate(command, analysed.parsed.source, analysed.parsed.unit, analysed.program,
                               &result, &gpu);
        rts_memory_fail_at(0);
        const bool told = strstr(files_report_end(), "memory") != NULL;
        if (!CHECK(good || told))
            fprintf(stderr, "  %s: allocation %d\n", name, at);
        dvmhcc_text_free(&result);
        dvmhcc_text_free(&gpu);
    }
    analysed_free(&analysed);
}

static void test_no_memory(void) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dvmhcc_command_t command = parse_command;
        command.auto_layout = cases[i].auto_layout;
        fail_allocations(cases[i].name, cases[i].source, &command, 3 + (int)i);
    }
    for (size_t i = 0; i < sizeof gpu_cases / sizeof gpu_cases[0]; i++)
        fail_allocations(gpu_cases[i].name, gpu_cases[i].source, &parse_command, 1 + (int)i);
}

int main(void) {
    files_enter();
    CHECK(files_command("-c p.c", &parse_command));
    test_texts();
    test_gpu();
    test_refused();
    test_no_memory();
    dvmhcc_command_free(&parse_command);
    files_leave();
    return check_finish();
}
