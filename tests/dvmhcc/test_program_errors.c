/* Where directives stand, what they declare and what their names mean: every error with its message and place. */
#include <config.h>

#include "tests/dvmhcc/program_text.h"

static const message_case_t attach_cases[] = {
    {"array_before_function",
     "#pragma dvm array distribute[block]\n"
     "void f(void) { }\n",
     "1:13: error: 'array' must stand directly before the declaration of an array\n"},
    {"array_at_end",
     "int x;\n"
     "#pragma dvm array distribute[block]\n",
     "2:13: error: 'array' must stand directly before the declaration of an array\n"},
    {"array_before_two",
     "#pragma dvm array distribute[block]\n"
     "double A[3], B[3];\n",
     "1:13: error: 'array' stands before a declaration of 2 variables; declare 'A' alone\n"},
    {"array_before_statement",
     "void f(void) {\n"
     "#pragma dvm array\n"
     "  f();\n"
     "}\n",
     "2:13: error: 'array' must stand directly before the declaration of an array\n"},
    {"inherit_before_variable",
     "#pragma dvm inherit(x)\n"
     "int x;\n",
     "1:13: error: 'inherit' must stand directly before the declaration of a function\n"},
    {"inherit_no_parameter",
     "#pragma dvm inherit(a, c)\n"
     "void g(double *a, double *b);\n",
     "1:24: error: 'g' has no parameter 'c'\n"},
    {"inherit_number",
     "#pragma dvm inherit(a)\n"
     "void g(double a);\n",
     "1:13: error: parameter 'a' cannot be a distributed array: its type is 'double'\n"
     "2:15: note: 'a' is declared here\n"},
    {"parallel_before_while",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void f(int n, int i, int j, double s, double t) {\n"
     "#pragma dvm parallel([i] on A[i][])\n"
     "  while (n) n--;\n"
     "}\n",
     "4:13: error: 'parallel' must stand directly before a 'for' loop\n"},
    {"parallel_at_end",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void f(int n, int i, int j, double s, double t) {\n"
     "#pragma dvm parallel([i] on A[i][])\n"
     "}\n",
     "4:13: error: 'parallel' must stand directly before a 'for' loop\n"},
    {"parallel_file_scope",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "#pragma dvm parallel([i] on A[i][])\n"
     "int x;\n",
     "3:13: error: 'parallel' must stand inside of a function\n"},
    {"region_before_declaration",
     "void f(int n, int i, int j, double s, double t) {\n"
     "#pragma dvm region\n"
     "  int x = 1;\n"
     "  f(x, x, x, x, x);\n"
     "}\n",
     "2:13: error: 'region' must stand directly before a block or a statement\n"},
    {"region_at_end",
     "void f(int n, int i, int j, double s, double t) {\n"
     "  n = 1;\n"
     "#pragma dvm region\n"
     "}\n",
     "3:13: error: 'region' must stand directly before a block or a statement\n"},
    {"inside_expression",
     "int g(int a,\n"
     "#pragma dvm actual\n"
     "int b);\n"
     "void f(int n) {\n"
     "  n = n +\n"
     "#pragma dvm actual\n"
     " 1;\n"
     "}\n",
     "2:13: error: 'actual' stands inside of a declaration; a directive stands between "
     "statements or declarations\n"
     "6:13: error: 'actual' stands inside of an expression; a directive stands between "
     "statements or declarations\n"},
    {"inside_struct",
     "struct s {\n"
     "  int x;\n"
     "#pragma dvm actual\n"
     "  int y;\n"
     "};\n",
     "3:13: error: 'actual' stands inside of a declaration; a directive stands between "
     "statements or declarations\n"},
    {"in_header_of_if",
     "void f(int n) {\n"
     "  if (n) {\n"
     "    n = 1;\n"
     "  } else if (n >\n"
     "#pragma dvm actual\n"
     "    3) n = 2;\n"
     "}\n",
     "5:13: error: 'actual' stands inside of an expression; a directive stands between "
     "statements or declarations\n"},
    {"exitinterval_before_statement",
     "void f(int n) {\n"
     "#pragma dvm exitinterval n\n"
     "  n = 1;\n"
     "}\n",
     "2:13: error: 'exitinterval' must stand directly before a break, continue, goto or return\n"},
    {"routine_before_variable",
     "#pragma dvm routine\n"
     "int x;\n",
     "1:13: error: 'routine' must stand directly before the declaration of a function\n"},
};

static const message_case_t arrays_cases[] = {
    {"not_an_array",
     "#pragma dvm array distribute[block]\n"
     "double x;\n",
     "1:13: error: 'x' is neither an array nor a pointer to the rows of one; its type is "
     "'double'\n"
     "2:8: note: 'x' is declared here\n"},
    {"pointer_elements",
     "#pragma dvm array distribute[block]\n"
     "double *x[3];\n",
     "1:13: error: elements of the distributed array 'x' would have the type 'double *'; "
     "numbers and structs without pointers can be distributed\n"
     "2:9: note: 'x' is declared here\n"},
    {"wrong_rank",
     "#pragma dvm array distribute[block][block]\n"
     "double x[3];\n",
     "1:13: error: 'x' has 1 axis, but the directive is for 2\n"
     "2:8: note: 'x' is declared here\n"},
    {"wrong_rank_pointer",
     "#pragma dvm array distribute[block]\n"
     "float (*x)[3];\n",
     "1:13: error: 'x' has 2 axes, but the directive is for 1\n"
     "2:9: note: 'x' is declared here\n"},
    {"template_type",
     "#pragma dvm template[10] distribute[block]\n"
     "double *t;\n",
     "1:13: error: a template is a variable of type 'void *'; 't' has the type 'double *'\n"
     "2:9: note: 't' is declared here\n"},
    {"twice",
     "#pragma dvm array distribute[block]\n"
     "#pragma dvm array distribute[block]\n"
     "double x[3];\n",
     "2:13: error: 'x' has this directive already\n"},
    {"other_rank_again",
     "#pragma dvm array distribute[block]\n"
     "extern double x[];\n"
     "#pragma dvm array distribute[block][*]\n"
     "double x[3];\n",
     "3:13: error: 'x' has 1 axis in its first declaration, but the directive is for 2\n"},
    {"array_and_template",
     "#pragma dvm template[3] distribute[block]\n"
     "extern void *t;\n"
     "#pragma dvm array\n"
     "void *t;\n",
     "3:13: error: 't' is declared both as an array and as a template\n"},
    {"nine_axes",
     "#pragma dvm array\n"
     "double x[1][1][1][1][1][1][1][1][1];\n",
     "1:13: error: 'x' has 9 axes; at most 8 are allowed\n"
     "2:8: note: 'x' is declared here\n"},
    {"initialiser",
     "#pragma dvm array distribute[block]\n"
     "double x[3] = {1, 2, 3};\n"
     "#pragma dvm array distribute[block]\n"
     "double *y = 0;\n",
     "2:15: error: the distributed array 'x' cannot have this initialiser; a pointer may "
     "have malloc, calloc or NULL\n"},
};

static const message_case_t names_cases[] = {
    {"unknown_align",
     "#pragma dvm array align([i] with B[i])\n"
     "double x[3];\n",
     "1:34: error: unknown name 'B'\n"},
    {"align_not_distributed",
     "double B[3];\n"
     "#pragma dvm array align([i] with B[i])\n"
     "double x[3];\n",
     "2:34: error: 'B' is not a distributed array or template\n"
     "1:8: note: 'B' is declared here\n"},
    {"align_rank",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "#pragma dvm array align([i] with A[i])\n"
     "double x[3];\n",
     "3:34: error: 'A' has 2 axes, but 1 pair of brackets stands here\n"
     "2:8: note: 'A' is declared here\n"},
    {"align_itself",
     "#pragma dvm array align([i] with x[i])\n"
     "double x[3];\n",
     "1:34: error: unknown name 'x'\n"},
    {"align_earlier_itself",
     "#pragma dvm array distribute[block]\n"
     "extern double x[3];\n"
     "#pragma dvm array align([i] with x[i])\n"
     "double x[3];\n",
     "3:34: error: 'x' cannot be aligned with itself\n"},
    {"weights",
     "#pragma dvm array distribute[wgtblock(w, 3)][genblock(n)]\n"
     "double x[3][3];\n",
     "1:39: error: unknown name 'w'\n"
     "1:55: error: unknown name 'n'\n"},
    {"weights_type",
     "int w;\n"
     "#pragma dvm array distribute[wgtblock(w, 3)]\n"
     "double x[3];\n",
     "2:39: error: 'w' is no array of numbers, one for each part\n"
     "1:5: note: 'w' is declared here\n"},
    {"unknown_in_expression",
     "#pragma dvm array shadow[k:1]\n"
     "double x[3];\n",
     "1:26: error: unknown name 'k'\n"},
    {"distributed_in_expression",
     "#pragma dvm array distribute[block]\n"
     "double V[10];\n"
     "void f(void) {\n"
     "#pragma dvm actual(V[V[1]:2])\n"
     "}\n",
     "4:22: error: the distributed array 'V' cannot stand in an expression of a directive\n"},
    {"redistribute_unknown",
     "void f(void) {\n"
     "#pragma dvm redistribute(A[block])\n"
     "}\n",
     "2:26: error: unknown name 'A'\n"},
    {"redistribute_rank",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void f(void) {\n"
     "#pragma dvm redistribute(A[block])\n"
     "}\n",
     "4:26: error: 'A' has 2 axes, but 1 pair of brackets stands here\n"
     "2:8: note: 'A' is declared here\n"},
    {"redistribute_not",
     "double B[4];\n"
     "void f(void) {\n"
     "#pragma dvm redistribute(B[block])\n"
     "}\n",
     "3:26: error: 'B' is not a distributed array or template\n"
     "1:8: note: 'B' is declared here\n"},
    {"realign_template",
     "#pragma dvm template[4] distribute[block]\n"
     "void *t;\n"
     "#pragma dvm array distribute[block]\n"
     "double V[10];\n"
     "void f(void) {\n"
     "#pragma dvm realign(t[i] with V[i])\n"
     "#pragma dvm realign(V[i] with t[i])\n"
     "#pragma dvm realign(V[i] with V[i])\n"
     "}\n",
     "8:31: error: 'V' cannot be aligned with itself\n"
     "6:21: error: 't' is a template, which has no elements\n"},
    {"actual_names",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "typedef int number;\n"
     "void f(int n) {\n"
     "#pragma dvm actual(n, nothing, A[0], number, f)\n"
     "}\n",
     "5:23: error: unknown name 'nothing'\n"
     "5:32: error: 'A' has 2 axes, but 1 pair of brackets stands here\n"
     "5:38: error: 'number' is not a variable or an array\n"
     "5:46: error: 'f' is not a variable or an array\n"},
    {"region_names",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void f(int n) {\n"
     "#pragma dvm region in(A[1:2], m) out(B)\n"
     "  n = 1;\n"
     "}\n",
     "4:23: error: 'A' has 2 axes, but 1 pair of brackets stands here\n"
     "4:31: error: unknown name 'm'\n"
     "4:38: error: unknown name 'B'\n"},
    {"shadow_renew_names",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "double B[3];\n"
     "void f(int n) {\n"
     "#pragma dvm shadow_renew(A[1:1], B)\n"
     "}\n",
     "5:26: error: 'A' has 2 axes, but 1 pair of brackets stands here\n"
     "2:8: note: 'A' is declared here\n"
     "5:34: error: 'B' is not a distributed array\n"
     "3:8: note: 'B' is declared here\n"},
    {"remote_names",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void f(int n) {\n"
     "#pragma dvm remote_access(A[k][], A[1])\n"
     "  n = 1;\n"
     "}\n",
     "4:35: error: 'A' has 1 subscript here, but 2 before in this directive\n"},
    {"private_names",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void f(int n, int i, int j, double s, double t) {\n"
     "#pragma dvm parallel([i] on A[i][]) private(q, A, f)\n"
     "  for (i = 0; i < n; i++) A[i][0] = 0;\n"
     "}\n",
     "4:45: error: unknown name 'q'\n"
     "4:48: error: the distributed array 'A' cannot be private\n"
     "4:51: error: 'f' is not a variable\n"},
    {"reduction_names",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "struct r { int a; };\n"
     "void f(int n, struct r r, double d, const int c, double _Complex z) {\n"
     "#pragma dvm parallel([i] on A[i][]) reduction(sum(r), and(d), sum(c), max(z), sum(A))\n"
     "  for (int i = 0; i < n; i++) A[i][0] = 0;\n"
     "}\n",
     "5:51: error: 'r' cannot be reduced: its type is 'struct r'; numbers and arrays of "
     "them can\n"
     "5:59: error: 'and' combines integers; 'd' has the type 'double'\n"
     "5:67: error: 'c' is const\n"
     "5:75: error: 'max' needs an order; 'z' has the type '_Complex double'\n"
     "5:83: error: 'A' cannot be reduced: its type is 'double[10][20]'; numbers and "
     "arrays of them can\n"},
    {"location_type",
     "#pragma dvm array distribute[block]\n"
     "double V[10];\n"
     "void f(int n, double s, double l) {\n"
     "#pragma dvm parallel([i] on V[i]) reduction(maxloc(s, l))\n"
     "  for (int i = 0; i < n; i++) if (V[i] > s) { s = V[i]; l = i; }\n"
     "}\n",
     "4:55: error: 'l' cannot hold a location: its type is 'double'; an integer or an "
     "array of them can\n"},
    {"tie_names",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void f(int n, double *p) {\n"
     "#pragma dvm parallel([i] on A[i][]) tie(p[i][], n[i], A[i])\n"
     "  for (int i = 0; i < n; i++) A[i][0] = p[i];\n"
     "}\n",
     "4:55: error: 'A' has 1 subscript here, but 2 before in this directive\n"},
    {"stage_name",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void f(int n) {\n"
     "#pragma dvm parallel([i] on A[i][]) stage(k), cuda_block(c)\n"
     "  for (int i = 0; i < n; i++) A[i][0] = 0;\n"
     "}\n",
     "4:58: error: unknown name 'c'\n"
     "4:43: error: unknown name 'k'\n"},
    {"parallel_on_undistributed",
     "double B[4];\n"
     "void f(int n) {\n"
     "#pragma dvm parallel([i] on B[i])\n"
     "  for (int i = 0; i < n; i++) B[i] = 0;\n"
     "}\n",
     "3:29: error: 'B' is not a distributed array or template\n"
     "1:8: note: 'B' is declared here\n"},
    {"parallel_rank",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void f(int n) {\n"
     "#pragma dvm parallel([i] on A[i])\n"
     "  for (int i = 0; i < n; i++) A[i][0] = 0;\n"
     "}\n",
     "4:29: error: 'A' has 2 axes, but 1 pair of brackets stands here\n"
     "2:8: note: 'A' is declared here\n"},
};

int main(void) {
    files_enter();
    CHECK(files_command("-c p.c", &parse_command));
    CHECK_MESSAGES(attach_cases);
    CHECK_MESSAGES(arrays_cases);
    CHECK_MESSAGES(names_cases);
    dvmhcc_command_free(&parse_command);
    files_leave();
    return check_finish();
}
