/* The tree of C sources: nodes, declarations, types, constants, places, scopes and errors, each compared with what the source says. The
 * ranges of all nodes are checked against their text by rules that hold for every program. */
#include <config.h>

#include "rts/memory.h"
#include "tests/dvmhcc/unit_text.h"

#include <dvmhlib_const.h>

/* ---- statements and expressions */

static const dvmhcc_entity_t *find_function(const dvmhcc_unit_t *unit, const char *name) {
    return dvmhcc_unit_find(unit, name, unit->length);
}

typedef struct tree_case {
    const char *source, *tree;
} tree_case_t;

static const tree_case_t tree_cases[] = {
    {"x = 1;", "(do (= x 1))"},
    {"x += y; x <<= 2; x %= 3;", "(do (+= x y)) (do (<<= x 2)) (do (%= x 3))"},
    {"x = -y + ~x * (!y);", "(do (= x (+ (- y) (* (~ x) (paren (! y))))))"},
    {"x++; --x; y--; ++y;", "(do (x++ x)) (do (--x x)) (do (x-- y)) (do (++x y))"},
    {"x = y < 1 || x >= 2 && y != 3;", "(do (= x (|| (< y 1) (&& (>= x 2) (!= y 3)))))"},
    {"x = y & 1 | x ^ 2, y = x >> 1;", "(do (, (= x (| (& y 1) (^ x 2))) (= y (>> x 1))))"},
    {"x = y ? 1 : 2;", "(do (= x (?: y 1 2)))"},
    {"d = (double)x / y;", "(do (= d (/ (cast x) y)))"},
    {"x = sizeof(int); x = sizeof y;", "(do (= x (sizeof))) (do (= x (sizeof y)))"},
    {"a[x][2] = *p + p[y] + 1[p];", "(do (= ([] ([] a x) 2) (+ (+ (* p) ([] p y)) ([] p 1))))"},
    {"s.u = q->u + (&s)->v[1];", "(do (= (.u s) (+ (->u q) ([] (->v (paren (& s))) 1))))"},
    {"f(x, y + 1); x = f(f(1, 2), 3);", "(do (call f x (+ y 1))) (do (= x (call f (call f 1 2) 3)))"},
    {"if (x) y = 1;", "(if x (do (= y 1)) -)"},
    {"if (x) ; else { y = 1; }", "(if x (empty) (block (do (= y 1))))"},
    {"for (x = 0; x < 3; x++) y += x;", "(for (do (= x 0)) (< x 3) (x++ x) (do (+= y x)))"},
    {"for (int k = 0, m = 2; k < m; ) { }", "(for (decl k=0 m=2) (< k m) - (block))"},
    {"for (;;) break;", "(for - - - (break))"},
    {"for (; x < f(1, (y, 2)); ) continue;", "(for - (< x (call f 1 (paren (, y 2)))) - (continue))"},
    {"for (;; x++) if (x > ';') break;", "(for - - (x++ x) (if (> x ';') (break) -))"},
    {"for (x = ({ int z = 1; z; });;) break;",
     "(for (do (= x (({}) (block (decl z=1) (do z))))) - - (break))"},
    {"for (x = \"\\\";\"[0]; x < '\\''; x++) ;",
     "(for (do (= x ([] \"\\\";\" 0))) (< x '\\'') (x++ x) (empty))"},
    {"while (x) x--;", "(while x (do (x-- x)))"},
    {"do x--; while (x > 0);", "(dowhile (do (x-- x)) (> x 0))"},
    {"switch (x) { case 1: y = 1; break; case 2 ... 3: default: y = 2; }",
     "(switch x (block (case 1 - (do (= y 1))) (break) (case 2 3 (default (do (= y 2))))))"},
    {"goto out; out: ;", "(goto out) (label out (empty))"},
    {"int k = 1, *m = &k, v[3] = {1, 2}; double w[x][2 * y];",
     "(decl k=1 m=(& k) v[3]=(list 1 2)) (decl w[x][(* 2 y)])"},
    {"static double (*r)[4]; extern int later;", "(decl r[4]) (decl later)"},
    {"q = &(struct pair){1, {2}};", "(do (= q (& (literal (list 1 (list 2))))))"},
    {"d = 1.5e-3 + 'a' + \"b)\"[0] + 0x1fUL;", "(do (= d (+ (+ (+ 1.5e-3 'a') ([] \"b)\" 0)) 0x1fUL)))"},
    {"{ ; { x = 1; } }", "(block (empty) (block (do (= x 1))))"},
    {"x = MAXIMUM(y, 3);", "(do (= x (paren (?: (> (paren y) (paren 3)) (paren y) (paren 3)))))"},
    {"return x;", "(return x)"},
    {"undeclared(x);", "(do (call undeclared x))"},
    {"#pragma omp parallel for\nfor (x = 0; x < 2; x++) ;", "(for (do (= x 0)) (< x 2) (x++ x) (empty))"},
};

static const char case_head[] = "#include <stdio.h>\n#include <stdlib.h>\n#include <math.h>\n"
                                "#define MAXIMUM(a, b) ((a) > (b) ? (a) : (b))\n"
                                "struct pair { int u, v[2]; };\n"
                                "int f(int, int);\n"
                                "int test(int x, int y, double d, int *p, double a[][5]) {\n"
                                "struct pair s, *q;\n";

static void check_trees(void) {
    for (size_t i = 0; i < sizeof tree_cases / sizeof tree_cases[0]; i++) {
        char source[2000];
        snprintf(source, sizeof source, "%s%s\n}\n", case_head, tree_cases[i].source);
        parsed_t parsed;
        if (CHECK(parse_source("tree.c", source, &parsed))) {
            const dvmhcc_entity_t *function = find_function(parsed.unit, "test");
            dvmhcc_text_t text = {0};
            for (int k = 1; CHECK(function != NULL) && k < function->body->count; k++) {
                dvmhcc_text_add_string(&text, k > 1 ? " " : "");
                unit_text_node(&text, parsed.unit, function->body->children[k]);
            }
            if (!CHECK_EQ_STR(dvmhcc_text_string(&text), tree_cases[i].tree))
                fprintf(stderr, "  in: %s\n", tree_cases[i].source);
            dvmhcc_text_free(&text);
        }
        parse_free(&parsed);
    }
}

/* ---- ranges */

typedef struct range_check {
    const dvmhcc_unit_t *unit;
    int nodes;
} range_check_t;

static const char *range_text(const dvmhcc_unit_t *unit, size_t begin, size_t end) {
    static char text[200];
    snprintf(text, sizeof text, "%.*s", (int)(end - begin), unit->text + begin);
    return text;
}

/* Rules for the text of every node: how it begins and ends, and that children lie inside, in order. */
static bool check_range(dvmhcc_node_t *node, void *context) {
    range_check_t *check = context;
    const char *text = check->unit->text;
    check->nodes++;
    CHECK(node->begin < node->end && node->end <= check->unit->length);
    const char first = text[node->begin], last = text[node->end - 1];
    switch (node->kind) {
    case DVMHCC_NODE_COMPOUND:
        CHECK(first == '{' && last == '}');
        break;
    case DVMHCC_NODE_PAREN:
        CHECK(first == '(' && last == ')');
        break;
    case DVMHCC_NODE_SUBSCRIPT:
        CHECK(last == ']');
        break;
    case DVMHCC_NODE_NAME:
        CHECK_EQ_STR(range_text(check->unit, node->begin, node->end), node->entity->name);
        break;
    case DVMHCC_NODE_DECLARATION:
    case DVMHCC_NODE_EXPRESSION:
    case DVMHCC_NODE_EMPTY:
    case DVMHCC_NODE_RETURN:
    case DVMHCC_NODE_BREAK:
        CHECK(last == ';');
        break;
    case DVMHCC_NODE_FOR:
    case DVMHCC_NODE_IF:
        CHECK(last == ';' || last == '}');
        break;
    default:
        break;
    }
    for (int i = 0; i < node->count; i++) {
        const dvmhcc_node_t *child = node->children[i];
        CHECK(child == NULL || (child->parent == node && dvmhcc_node_inside(child, node)));
    }
    for (int i = 0; i < node->declarator_count; i++) {
        const dvmhcc_declarator_t *d = node->declarators[i];
        CHECK(node->begin <= d->own_begin && d->own_begin <= d->name_begin && d->name_end <= d->own_end &&
              d->own_end <= node->end && d->end == node->end && d->statement == node);
        CHECK_EQ_STR(range_text(check->unit, d->name_begin, d->name_end), d->entity->name);
        CHECK(d->initialiser == NULL || d->initialiser->begin > d->own_end);
    }
    return true;
}

static void check_ranges(void) {
    for (size_t i = 0; i < sizeof tree_cases / sizeof tree_cases[0]; i++) {
        char source[2000];
        snprintf(source, sizeof source, "%s%s\n}\n", case_head, tree_cases[i].source);
        parsed_t parsed;
        if (CHECK(parse_source("range.c", source, &parsed))) {
            range_check_t check = {.unit = parsed.unit};
            dvmhcc_walk(find_function(parsed.unit, "test")->body, check_range, &check);
            CHECK(check.nodes > 2);
        }
        parse_free(&parsed);
    }
}

/* ---- declarations */

typedef struct declarator_case {
    const char *source, *name;
    const char *whole, *own, *initialiser; /* NULL: none */
    const char *extents;                   /* with | between them */
    dvmhcc_type_kind_t kind;
    int64_t bytes;
} declarator_case_t;

static const declarator_case_t declarator_cases[] = {
    {"double A[10][20];", "A", "double A[10][20];", "A[10][20]", NULL, "10|20|", DVMHCC_TYPE_ARRAY, 1600},
    {"static float (*B)[3 + 1];", "B", "static float (*B)[3 + 1];", "(*B)[3 + 1]", NULL, "3 + 1|",
     DVMHCC_TYPE_POINTER, 8},
    {"const int n = 5, m = 6;", "m", "const int n = 5, m = 6;", "m", "6", "", DVMHCC_TYPE_BASIC, 4},
    {"const int n = 5, m = 6;", "n", "const int n = 5, m = 6;", "n", "5", "", DVMHCC_TYPE_BASIC, 4},
    {"int *const restrict p = 0, q[2];", "p", "int *const restrict p = 0, q[2];", "*const restrict p", "0",
     "", DVMHCC_TYPE_POINTER, 8},
    {"int *const p = 0, q[2];", "q", "int *const p = 0, q[2];", "q[2]", NULL, "2|", DVMHCC_TYPE_ARRAY, 8},
    {"typedef double row[7]; row *r;", "r", "row *r;", "*r", NULL, "", DVMHCC_TYPE_POINTER, 8},
    {"typedef double row[7]; row r[2];", "r", "row r[2];", "r[2]", NULL, "2|", DVMHCC_TYPE_ARRAY, 112},
    {"extern double E[];", "E", "extern double E[];", "E[]", NULL, "|", DVMHCC_TYPE_ARRAY, -1},
    {"int g(int a[3], double (*b)[4]);", "g", "int g(int a[3], double (*b)[4]);",
     "g(int a[3], double (*b)[4])", NULL, "", DVMHCC_TYPE_FUNCTION, -1},
    {"int g(int a[3]) { return a[0]; }", "g", "int g(int a[3]) { return a[0]; }", "g(int a[3])", NULL, "",
     DVMHCC_TYPE_FUNCTION, -1},
    {"int (*call)(int a, int b[2]) = 0;", "call", "int (*call)(int a, int b[2]) = 0;",
     "(*call)(int a, int b[2])", "0", "", DVMHCC_TYPE_POINTER, 8},
    {"int v[] = {1, 2, 3};", "v", "int v[] = {1, 2, 3};", "v[]", "{1, 2, 3}", "|", DVMHCC_TYPE_ARRAY, 12},
    {"struct s { int x; } t = {1};", "t", "struct s { int x; } t = {1};", "t", "{1}", "", DVMHCC_TYPE_RECORD,
     4},
    {"double\nwide\n[2]\n[\n3 ]\n;", "wide", "double\nwide\n[2]\n[\n3 ]\n;", "wide\n[2]\n[\n3 ]", NULL,
     "2|\n3 |", DVMHCC_TYPE_ARRAY, 48},
    {"char text[] = \"a;b\", other;", "text", "char text[] = \"a;b\", other;", "text[]", "\"a;b\"", "|",
     DVMHCC_TYPE_ARRAY, 4},
    {"double late __attribute__((aligned(64)));", "late", "double late __attribute__((aligned(64)));", "late",
     NULL, "", DVMHCC_TYPE_BASIC, 8},
};

static void check_declarator(const declarator_case_t *expected) {
    parsed_t parsed;
    if (CHECK(parse_source("declare.c", expected->source, &parsed))) {
        const dvmhcc_unit_t *unit = parsed.unit;
        const dvmhcc_entity_t *entity = dvmhcc_unit_find(unit, expected->name, unit->length);
        if (CHECK(entity != NULL) && CHECK(entity->declarators != NULL)) {
            const dvmhcc_declarator_t *d = entity->declarators;
            CHECK_EQ_STR(range_text(unit, d->begin, d->end), expected->whole);
            CHECK_EQ_STR(range_text(unit, d->own_begin, d->own_end), expected->own);
            CHECK_EQ_INT(entity->type->kind, expected->kind);
            CHECK_EQ_INT(entity->type->bytes, expected->bytes);
            CHECK((d->initialiser != NULL) == (expected->initialiser != NULL));
            if (d->initialiser != NULL && expected->initialiser != NULL)
                CHECK_EQ_STR(range_text(unit, d->initialiser->begin, d->initialiser->end),
                             expected->initialiser);
            char extents[100] = "";
            for (int i = 0; i < d->extent_count; i++)
                CHECK(snprintf(extents + strlen(extents), sizeof extents - strlen(extents), "%s|",
                               range_text(unit, d->extents[i].begin, d->extents[i].end)) > 0);
            CHECK_EQ_STR(extents, expected->extents);
        }
    }
    parse_free(&parsed);
}

/* Arrays as parameters are pointers, and so are sums with an array. */
static void check_decay(void) {
    parsed_t parsed;
    if (CHECK(parse_source("decay.c",
                           "double f(double a[10], const int b[][5], double (*c)[5], double v[3]) {\n"
                           "double w[2][7];\nreturn *(a + 1) + b[1][2] + (*(w + 1))[3] + c[1][2] + v[0]; }\n",
                           &parsed))) {
        const dvmhcc_entity_t *f = find_function(parsed.unit, "f");
        static const char *const types[] = {"double *", "const int (*)[5]", "double (*)[5]", "double *"};
        static const int64_t target_bytes[] = {8, 20, 40, 8};
        for (int i = 0; i < 4; i++) {
            const dvmhcc_type_t *type = f->parameters[i]->type;
            CHECK_EQ_STR(type->text, types[i]);
            CHECK(type->kind == DVMHCC_TYPE_POINTER && type->runtime_code == rt_POINTER);
            CHECK_EQ_INT(type->bytes, 8);
            CHECK_EQ_INT(type->target->bytes, target_bytes[i]);
        }
        const dvmhcc_node_t *sum = f->body->children[1]->children[0];
        for (int i = 0; i < 2; i++)
            sum = sum->children[0]; /* leave out + c.. + v.. */
        const dvmhcc_node_t *element = sum->children[1]->children[0];
        CHECK(sum->children[1]->kind == DVMHCC_NODE_SUBSCRIPT && element->type->kind == DVMHCC_TYPE_ARRAY);
        const dvmhcc_node_t *inner = dvmhcc_inner(element->children[0])->children[0];
        CHECK(inner->kind == DVMHCC_NODE_PAREN && inner->type->kind == DVMHCC_TYPE_POINTER);
        CHECK_EQ_STR(inner->type->text, "double (*)[7]");
    }
    parse_free(&parsed);
}

static void check_redeclarations(void) {
    parsed_t parsed;
    files_write("twice.h", "extern double A[];\ndouble sum(double (*a)[3], int n);\n");
    if (CHECK(parse_source("twice.c",
                           "#include \"twice.h\"\ndouble A[4];\n"
                           "double sum(double (*b)[3], int m) { return b[0][0] + m; }\n",
                           &parsed))) {
        const dvmhcc_unit_t *unit = parsed.unit;
        const dvmhcc_entity_t *array = dvmhcc_unit_find(unit, "A", unit->length);
        const dvmhcc_entity_t *sum = dvmhcc_unit_find(unit, "sum", unit->length);
        CHECK_EQ_INT(unit->declaration_count, 4);
        CHECK_EQ_INT(array->type->bytes, 32);
        CHECK(array->declarators->is_extern && !array->declarators->next->is_extern);
        CHECK(array->declarators->next->next == NULL && array->has_static_storage && !array->is_internal);
        CHECK_EQ_INT(sum->parameter_count, 2);
        CHECK_EQ_STR(sum->parameters[0]->name, "b");
        CHECK_EQ_STR(sum->declarators->parameters[1]->name, "n");
        CHECK(sum->body != NULL && !sum->declarators->is_definition && sum->declarators->next->is_definition);
        CHECK(sum->parameters[0]->function == sum);
        CHECK(dvmhcc_unit_find(unit, "b", sum->body->begin + 1) == sum->parameters[0]);
        CHECK(dvmhcc_unit_find(unit, "b", unit->length) == NULL);
        CHECK(dvmhcc_unit_find(unit, "n", sum->body->begin + 1) == NULL);
    }
    parse_free(&parsed);
}

static size_t mark(const dvmhcc_unit_t *unit, int number) {
    char text[16];
    snprintf(text, sizeof text, "\"m%d\";", number);
    const char *found = strstr(unit->text, text);
    return CHECK(found != NULL) ? (size_t)(found - unit->text) : 0;
}

static void check_scopes(void) {
    static const char source[] =
        "enum { RED = 4, GREEN };\nint x; typedef int number;\n"
        "void f(int x) { \"m0\"; for (int i = 0; i < 2; i++) { \"m1\"; double x = 1; \"m2\"; }\n"
        " \"m3\"; static int y; \"m4\"; { extern int z; char x; \"m5\"; } }\nint w; \n";
    parsed_t parsed;
    if (CHECK(parse_source("scope.c", source, &parsed))) {
        const dvmhcc_unit_t *unit = parsed.unit;
        static const char types[] = "iidiic"; /* of x: int, double or char */
        for (int i = 0; i < 6; i++) {
            const size_t at = mark(unit, i);
            const dvmhcc_entity_t *x = dvmhcc_unit_find(unit, "x", at);
            CHECK(x != NULL && x->type->text[0] == types[i]);
            CHECK((dvmhcc_unit_find(unit, "i", at) != NULL) == (i == 1 || i == 2));
            CHECK((dvmhcc_unit_find(unit, "y", at) != NULL) == (i >= 4));
            CHECK((dvmhcc_unit_find(unit, "z", at) != NULL) == (i == 5));
            CHECK(dvmhcc_unit_find(unit, "w", at) == NULL);
            CHECK_EQ_INT(dvmhcc_unit_find(unit, "GREEN", at)->value, 5);
            CHECK(dvmhcc_unit_find(unit, "number", at)->kind == DVMHCC_ENTITY_TYPE);
        }
        const dvmhcc_entity_t *y = dvmhcc_unit_find(unit, "y", mark(unit, 4));
        CHECK(y != NULL && y->has_static_storage && !y->is_file_scope && !y->is_internal);
        CHECK(dvmhcc_unit_find(unit, "w", unit->length) != NULL);
    }
    parse_free(&parsed);
}

/* ---- types and constants */

static void check_types(void) {
    static const struct {
        const char *source;
        int code;
        int64_t bytes;
    } cases[] = {{"char", rt_CHAR, 1},
                 {"unsigned char", rt_UCHAR, 1},
                 {"short", rt_SHORT, 2},
                 {"unsigned short", rt_USHORT, 2},
                 {"int", rt_INT, 4},
                 {"unsigned", rt_UINT, 4},
                 {"long", rt_LONG, 8},
                 {"unsigned long", rt_ULONG, 8},
                 {"long long", rt_LLONG, 8},
                 {"unsigned long long", rt_ULLONG, 8},
                 {"float", rt_FLOAT, 4},
                 {"double", rt_DOUBLE, 8},
                 {"float _Complex", rt_FLOAT_COMPLEX, 8},
                 {"double _Complex", rt_DOUBLE_COMPLEX, 16},
                 {"long double", rt_UNKNOWN, 16},
                 {"struct pair", rt_UNKNOWN, 12},
                 {"size_t", rt_ULONG, 8},
                 {"int *", rt_POINTER, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char source[300];
        parsed_t parsed;
        snprintf(source, sizeof source,
                 "#include <stddef.h>\nstruct pair { int a, b, c; };\nconst %s x[3];\n", cases[i].source);
        if (CHECK(parse_source("type.c", source, &parsed))) {
            const dvmhcc_entity_t *x = dvmhcc_unit_find(parsed.unit, "x", parsed.unit->length);
            int rank;
            const dvmhcc_type_t *element = dvmhcc_type_element(x->type, &rank);
            CHECK_EQ_INT(rank, 1);
            CHECK_EQ_INT(x->type->extent, 3);
            CHECK_EQ_INT(element->runtime_code, cases[i].code);
            CHECK_EQ_INT(element->bytes, cases[i].bytes);
            CHECK(element->is_const || element->kind == DVMHCC_TYPE_POINTER);
        }
        parse_free(&parsed);
    }
}

static void check_constants(void) {
    static const struct {
        const char *expression;
        bool known;
        int64_t value;
    } cases[] = {
        {"1 + 2 * 3 - 4", true, 3},
        {"-7 / 2", true, -3},
        {"-7 % 3", true, -1},
        {"(1 << 5) | 3", true, 35},
        {"0x10 + 010 + 0b11", true, 27},
        {"sizeof(double) * 2", true, 16},
        {"'a'", true, 97},
        {"THREE + 1", true, 4},
        {"(char)65", true, 65},
        {"3 > 2 ? 10 : 20", true, 10},
        {"!5", true, 0},
        {"~0", true, -1},
        {"2147483647 + 1", false, 0},
        {"2147483647L + 1", true, INT64_C(2147483648)},
        {"-1 < 1u", false, 0},
        {"-1u", false, 0},
        {"1 / 0", false, 0},
        {"(unsigned char)300", false, 0},
        {"9223372036854775807L", true, INT64_MAX},
        {"18446744073709551615ul", false, 0},
        {"v + 1", false, 0},
        {"1.0 + 2", false, 0},
        {"(int)2.5", false, 0},
        {"1, 2", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char source[300];
        parsed_t parsed;
        snprintf(source, sizeof source, "enum { THREE = 3 };\nlong f(int v) { return %s; }\n",
                 cases[i].expression);
        if (CHECK(parse_source("constant.c", source, &parsed))) {
            const dvmhcc_node_t *value = find_function(parsed.unit, "f")->body->children[0]->children[0];
            if (!CHECK_EQ_INT(value->is_constant, cases[i].known) ||
                (cases[i].known && !CHECK_EQ_INT(value->value, cases[i].value)))
                fprintf(stderr, "  in: %s\n", cases[i].expression);
        }
        parse_free(&parsed);
    }
}

/* ---- errors, places, depth, memory */

static void check_errors(void) {
    parsed_t parsed;
    files_report_begin();
    CHECK(!parse_source("bad.c",
                        "#define WRONG nothing\nint f(int a) {\n    a = WRONG + 1;\n  return b;\n}\nint f;\n",
                        &parsed));
    const char *told = files_report_end();
    CHECK_CONTAINS(told, "bad.c:3:9: error: use of undeclared identifier 'nothing'");
    CHECK_CONTAINS(told, "bad.c:4:10: error: use of undeclared identifier 'b'");
    CHECK_CONTAINS(told, "bad.c:6:5: error: redefinition of 'f' as different kind of symbol");
    parse_free(&parsed);
}

static void check_deep(void) {
    parsed_t parsed;
    dvmhcc_text_t text = {0};
    dvmhcc_text_add_string(&text, "int f(int a) {\n  return a");
    for (int i = 0; i < 5000; i++)
        dvmhcc_text_add_string(&text, " + a");
    dvmhcc_text_add_string(&text, ";\n}\n");
    files_report_begin();
    CHECK(!parse_source("deep.c", dvmhcc_text_string(&text), &parsed));
    CHECK_CONTAINS(files_report_end(), "deep.c:2:10: error: statements or expressions are nested more than");
    parse_free(&parsed);
    dvmhcc_text_free(&text);
}

static void check_memory(void) {
    static const char source[] =
        "#include <math.h>\ndouble A[3][4]; int g(double (*x)[4]);\n"
        "int f(int n) { for (int i = 0; i < n; i++) A[i][0] = sqrt(i); return g(A); }\n";
    for (int64_t n = 1; n < 2000; n++) {
        parsed_t parsed = {0};
        files_write("memory.c", source);
        if (!dvmhcc_source_read(&parse_command, "memory.c", &parsed.source))
            break;
        files_report_begin();
        const int64_t live = rts_memory_live();
        rts_memory_fail_at(n);
        const bool good = dvmhcc_unit_parse(&parse_command, parsed.source, &parsed.unit);
        rts_memory_fail_at(0);
        CHECK(good || rts_memory_live() == live);
        const char *told = files_report_end();
        CHECK(good == (told[0] == '\0'));
        parse_free(&parsed);
        if (good) {
            CHECK(n > 10);
            return;
        }
    }
    CHECK(false);
}

int main(void) {
    files_enter();
    CHECK(files_command("-c x.c", &parse_command));
    check_trees();
    check_ranges();
    for (size_t i = 0; i < sizeof declarator_cases / sizeof declarator_cases[0]; i++)
        check_declarator(&declarator_cases[i]);
    check_decay();
    check_redeclarations();
    check_scopes();
    check_types();
    check_constants();
    check_errors();
    check_deep();
    check_memory();
    dvmhcc_command_free(&parse_command);
    files_leave();
    return check_finish();
}
