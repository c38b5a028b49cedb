/* Strange sources: valid ones with words changed, taken out, put in and exchanged. Whatever comes of it, the analysis ends, tells an
 * error when it fails, and gives all memory back. */
#include <config.h>

#include "rts/memory.h"
#include "tests/dvmhcc/program_text.h"

#include <ctype.h>

#define WORDS  3000
#define ROUNDS 120

static const char *const sources[] = {
    "#include <math.h>\n#pragma dvm array distribute[block][block] shadow[1:1][1:1]\ndouble A[10][20];\n"
    "#pragma dvm array align([i] with A[i][])\ndouble V[10];\n"
    "#pragma dvm inherit(a)\ndouble f(double (*a)[20], int n, double s) {\n  int i, j;\n"
    "#pragma dvm region in(A) out(V[1:n])\n  {\n"
    "#pragma dvm parallel([i][j] on A[i][j]) across(A[1:1][1:1]) reduction(max(s)) private(n)\n"
    "    for (i = 1; i < 9; i++)\n      for (j = 18; j > 0; j -= 2) {\n        double t = A[i][j];\n"
    "        if ((i + j) % 2 == 1) A[i][j] = A[i - 1][j] + A[i][j + 1] * 2;\n"
    "        s = fabs(A[i][j]) > s ? fabs(A[i][j]) : s;\n        n = t;\n      }\n"
    "#pragma dvm parallel([i] on V[i])\n    for (int i = 0; i <= 9; i++) V[i] = a[i][2 * i + 1] + V[9 - i];\n"
    "    if (n > 1) i = 2;\n  }\n#pragma dvm get_actual(V)\n  return s + A[1][2] + f(A, 1, V[i]);\n}\n",
    "#include <stdlib.h>\n#include <stdio.h>\ndouble w[3];\n#pragma dvm template[20] distribute[wgtblock(w, "
    "3)]\nvoid *T;\n"
    "struct pair { int u; float v[2]; };\n#pragma dvm array\nstruct pair (*B)[5];\n"
    "static int g(int x) { switch (x) { case 1: return 2; default: break; } return x ? g(x - 1) : 0; }\n"
    "int main(void) {\n  B = malloc(20 * 5 * sizeof(struct pair));\n"
    "#pragma dvm realign(B[i][] with T[2 * i + 1])\n#pragma dvm interval 3\n"
    "  for (int t = 0; t < 3; t++) {\n"
    "#pragma dvm parallel([i] on T[2 * i + 1]) remote_access(B[3][]) reduction(sum(t))\n"
    "    for (int i = 0; i < 20; i++) { int k; for (k = 0; k < 5; k++) { B[i][k].u = g(k); if (k > 3) break; "
    "} }\n"
    "    printf(\"%d\\n\", B[0][0].u);\n  }\n#pragma dvm endinterval\n#pragma dvm redistribute(T[block])\n"
    "  free(B);\n  return 0;\n}\n"};

typedef struct words {
    const char *text[WORDS];
    size_t length[WORDS];
    bool is_fixed[WORDS]; /* what the preprocessor reads: it would refuse the source itself */
    int count;
} words_t;

static void cut(const char *source, words_t *words) {
    const char *fixed_end = source;
    words->count = 0;
    while (*source != '\0' && words->count < WORDS - 20) {
        size_t length = 1;
        if (isalnum((unsigned char)*source) || *source == '_') {
            while (isalnum((unsigned char)source[length]) || source[length] == '_')
                length++;
        }
        if (*source == '#')
            fixed_end =
                strncmp(source, "#pragma dvm", 11) == 0 ? source + 11 : source + strcspn(source, "\n");
        words->is_fixed[words->count] = source < fixed_end;
        words->text[words->count] = source;
        words->length[words->count++] = length;
        source += length;
    }
}

/* A place of the text that holds a name or a number, mostly: so that what comes out is often still C. */
static int pick(const words_t *words) {
    int at = 0;
    do {
        at = (int)check_random_range(0, words->count - 1);
    } while (words->is_fixed[at] ||
             (!isalnum((unsigned char)words->text[at][0]) && !check_random_once_in(8)));
    return at;
}

static void change(words_t *words) {
    static const char *const others[] = {"0",
                                         "1",
                                         "-3",
                                         "9223372036854775807",
                                         "i",
                                         "j",
                                         "n",
                                         "A",
                                         "V[i]",
                                         "A[i][j]",
                                         "(n = 3)",
                                         "i++",
                                         "{",
                                         "}",
                                         ";",
                                         "return",
                                         "break",
                                         "continue",
                                         "goto out",
                                         "sizeof",
                                         "static",
                                         "\n#pragma dvm region\n",
                                         "if (n)",
                                         "\n#pragma dvm parallel([i] on V[i])\n",
                                         "\n#pragma dvm actual(A)\n",
                                         "for (;;)",
                                         "*",
                                         "&",
                                         "<=",
                                         "%"};
    const int at = pick(words), other = pick(words);
    switch (check_random_range(0, 5)) {
    case 0: /* take out */
        words->length[at] = 0;
        break;
    case 1: /* exchange */
    case 2:
    case 3:
        words->text[at] = words->text[other];
        words->length[at] = words->length[other];
        break;
    default: /* put in */
        words->text[at] = others[check_random_range(0, (int64_t)(sizeof others / sizeof others[0]) - 1)];
        words->length[at] = strlen(words->text[at]);
    }
}

static int accepted;

static void run(const words_t *words) {
    static analysed_t analysed;
    dvmhcc_text_t text = {0};
    for (int i = 0; i < words->count; i++)
        dvmhcc_text_add(&text, words->text[i], words->length[i]);
    const int64_t live = rts_memory_live();
    const bool good = analyse(dvmhcc_text_string(&text), &analysed);
    if (good) {
        FILE *file = fopen("/dev/null", "w");
        if (CHECK(file != NULL)) {
            dvmhcc_program_print(analysed.program, false, file);
            fclose(file);
        }
        accepted++;
    }
    /* The compiler's own preprocessor may refuse a source first; then it has told why itself. */
    if (!CHECK(good || analysed.parsed.source == NULL || strstr(analysed.messages, ": error: ") != NULL))
        fprintf(stderr, "  in:\n%s\n", dvmhcc_text_string(&text));
    analysed_free(&analysed);
    CHECK_EQ_INT(rts_memory_live(), live);
    dvmhcc_text_free(&text);
}

int main(void) {
    static words_t words;
    check_random_start();
    files_enter();
    CHECK(files_command("-c p.c", &parse_command));
    for (int i = 0; i < 2; i++) {
        cut(sources[i], &words);
        run(&words);
    }
    CHECK_EQ_INT(accepted, 2);
    for (int i = 0; i < ROUNDS; i++) {
        cut(sources[i % 2], &words);
        for (int64_t k = check_random_range(1, 2); k > 0; k--)
            change(&words);
        run(&words);
    }
    printf("%d of %d sources were accepted\n", accepted, ROUNDS + 2);
    CHECK(accepted > 5);
    dvmhcc_command_free(&parse_command);
    files_leave();
    return check_finish();
}
