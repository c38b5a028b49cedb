/* Uses of distributed arrays, regions and intervals: errors with their places; and what the program holds of a source without errors. */
#include <config.h>

#include "rts/memory.h"
#include "tests/dvmhcc/program_text.h"

static const message_case_t uses_cases[] = {
    {"without_subscripts",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void g(double *);\n"
     "void f(double *p) {\n"
     "  p = A[1];\n"
     "  p = (double *)A;\n"
     "  g(A);\n"
     "  g(&A[1][2]);\n"
     "  g(*A);\n"
     "  p = &A[0][0];\n"
     "}\n",
     "5:7: error: the distributed array 'A' has 2 axes, but 1 subscript stands here\n"
     "2:8: note: 'A' is declared here\n"
     "6:17: error: the distributed array 'A' is used without subscripts; it may stand "
     "with all of them, or as an argument of a function that inherits it\n"
     "7:5: error: the distributed array 'A' is passed to 'g', which does not inherit it; "
     "`#pragma dvm inherit(..)` must stand before that function and name the parameter\n"
     "3:6: note: 'g' is declared here\n"
     "8:5: error: the address of an element of the distributed array 'A' is taken; only "
     "scanf, fscanf and sscanf may get it\n"
     "9:6: error: the distributed array 'A' is used without subscripts; it may stand with "
     "all of them, or as an argument of a function that inherits it\n"
     "10:7: error: the address of an element of the distributed array 'A' is taken; only "
     "scanf, fscanf and sscanf may get it\n"},
    {"sizeof",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "int f(void) {\n"
     "  return sizeof(A) + sizeof A[0][0] + sizeof(A[0]);\n"
     "}\n",
     ""},
    {"address",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void *f(void) {\n"
     "  return &A;\n"
     "}\n",
     "4:11: error: the address of the distributed array 'A' is taken\n"},
    {"inherit_rank",
     "#pragma dvm inherit(a)\n"
     "void g(double *a);\n"
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void f(void) {\n"
     "  g(A);\n"
     "}\n",
     "6:5: error: 'A' has 2 axes, but parameter 'a' of 'g' has 1\n"
     "2:6: note: 'g' is declared here\n"},
    {"inherit_good",
     "#pragma dvm inherit(a)\n"
     "void g(int n, double a[][20]);\n"
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void f(void) {\n"
     "  g(1, A);\n"
     "}\n"
     "void g(int n, double (*b)[20]) {\n"
     "  b[n][n] = 1;\n"
     "  g(n, b);\n"
     "}\n",
     ""},
    {"malloc_good",
     "#include <stdlib.h>\n"
     "#include <stdio.h>\n"
     "#pragma dvm array distribute[block][*]\n"
     "float (*B)[4];\n"
     "int f(FILE *file) {\n"
     "  B = malloc(16 * sizeof(float));\n"
     "  if (B == NULL || !B) return 1;\n"
     "  B = (float (*)[4])calloc(4, 16);\n"
     "  fwrite(B, 4, 16, file);\n"
     "  scanf(\"%f\", &B[1][2]);\n"
     "  if (B) free(B);\n"
     "  B = NULL;\n"
     "  return 0;\n"
     "}\n",
     ""},
    {"assigned",
     "#pragma dvm array distribute[block]\n"
     "float *B;\n"
     "void f(float *p) {\n"
     "  B = p;\n"
     "  p = B;\n"
     "  B++;\n"
     "  *B = 1;\n"
     "  B[0] = 1;\n"
     "}\n",
     "4:3: error: the distributed array 'B' can be assigned memory of malloc or calloc only\n"
     "5:7: error: the distributed array 'B' is used without subscripts; it may stand with "
     "all of them, or as an argument of a function that inherits it\n"
     "6:3: error: the distributed array 'B' is used without subscripts; it may stand with "
     "all of them, or as an argument of a function that inherits it\n"
     "7:4: error: the distributed array 'B' is used without subscripts; it may stand with "
     "all of them, or as an argument of a function that inherits it\n"},
    {"template_used",
     "#pragma dvm template[4] distribute[block]\n"
     "void *t;\n"
     "void *f(void) {\n"
     "  return t;\n"
     "}\n",
     "4:10: error: 't' is a template; it stands in directives only\n"},
};

static const message_case_t regions_cases[] = {
    {"region_in_region",
     "void f(int n) {\n"
     "#pragma dvm region\n"
     "  {\n"
     "#pragma dvm region\n"
     "    n = 1;\n"
     "#pragma dvm actual(n)\n"
     "  }\n"
     "}\n",
     "4:13: error: a region inside of a region\n"
     "2:13: note: the region begins here\n"},
    {"region_array",
     "void f(int n) {\n"
     "#pragma dvm region\n"
     "  {\n"
     "#pragma dvm array distribute[block]\n"
     "    double B[3];\n"
     "    B[0] = n;\n"
     "  }\n"
     "}\n",
     "4:13: error: 'array' cannot stand inside of a region\n"
     "2:13: note: the region begins here\n"},
    {"host_section_outside",
     "void f(int n) {\n"
     "#pragma dvm host_section\n"
     "  n = 1;\n"
     "}\n",
     "2:13: error: 'host_section' must stand inside of a region\n"},
    {"region_left",
     "int f(int n) {\n"
     "  while (n) {\n"
     "#pragma dvm region\n"
     "    {\n"
     "      if (n > 3) break;\n"
     "      if (n > 4) continue;\n"
     "      while (n) break;\n"
     "      switch (n) { case 1: break; }\n"
     "      if (n > 5) return 1;\n"
     "      if (n > 6) goto out;\n"
     "      goto in;\n"
     "      in: n = 3;\n"
     "    }\n"
     "  }\n"
     "  out: return 0;\n"
     "}\n",
     "5:18: error: 'break' leaves a region\n"
     "6:18: error: 'continue' leaves a region\n"
     "9:18: error: 'return' leaves a region\n"
     "10:18: error: 'goto' leaves a region\n"},
    {"interval_nesting",
     "void f(int n) {\n"
     "#pragma dvm interval n\n"
     "  if (n) {\n"
     "#pragma dvm endinterval\n"
     "  }\n"
     "#pragma dvm endinterval\n"
     "#pragma dvm interval m\n"
     "}\n",
     "7:22: error: unknown name 'm'\n"
     "4:13: error: 'endinterval' stands in another block than its 'interval'\n"
     "2:13: note: the interval begins here\n"
     "6:13: error: 'endinterval' without an 'interval' before it\n"
     "7:13: error: this interval has no 'endinterval'\n"},
    {"parallel_in_parallel",
     "#pragma dvm array distribute[block][block]\n"
     "double A[10][20];\n"
     "void f(int n) {\n"
     "#pragma dvm parallel([i] on A[i][])\n"
     "  for (int i = 0; i < n; i++) {\n"
     "#pragma dvm parallel([j])\n"
     "    for (int j = 0; j < n; j++) A[i][j] = 0;\n"
     "#pragma dvm actual\n"
     "  }\n"
     "}\n",
     "6:13: error: 'parallel' inside of a parallel loop: name all indices of the nest in "
     "one directive\n"
     "4:13: note: the parallel loop begins here\n"
     "8:13: error: 'actual' inside of a parallel loop\n"
     "4:13: note: the parallel loop begins here\n"},
    {"faulty_directives",
     "#pragma dvm arry distribute[block]\n"
     "double A[3];\n"
     "#pragma dvm array distribute[blok]\n"
     "double B[3];\n"
     "void f(int n) {\n"
     "#pragma dvm parallel([i] on B[i]) privat(x)\n"
     "  for (int i = 0; i < n; i++) B[i] = 0;\n"
     "#pragma dvm localize(B)\n"
     "}\n",
     "1:13: error: unknown directive 'arry'; did you mean 'array'? expected one of "
     "actual, array, endinterval, exitinterval, get_actual, host_section, inherit, "
     "interval, parallel, realign, redistribute, region, remote_access, routine, "
     "shadow_renew, template\n"
     "3:30: error: unknown distribution 'blok'; did you mean 'block'? expected one of "
     "block, genblock, multblock, wgtblock\n"
     "6:35: error: unknown clause 'privat' of 'parallel'; did you mean 'private'? "
     "expected one of across, cuda_block, private, reduction, remote_access, "
     "shadow_renew, stage, tie\n"
     "8:13: error: directive 'localize' is not supported yet\n"},
};

/* ---- a program without errors */

static const char *const good_source = "#include <stdlib.h>\n"
                                       "#define ON(i) on T[i + 1]\n"
                                       "enum { N = 10 };\n"
                                       "#pragma dvm template[N + 2] distribute[block]\n"
                                       "static void *T;\n"
                                       "#pragma dvm array align([i] with T[i + 1]) shadow[1:2]\n"
                                       "double A[N];\n"
                                       "#pragma dvm array align([i][j] with A[i])\n"
                                       "static float (*B)[2 * N];\n"
                                       "#pragma dvm array distribute[block][*]\n"
                                       "extern int C[][5];\n"
                                       "double plain[N];\n"
                                       "#pragma dvm inherit(a)\n"
                                       "double sum(double (*a)[N], double b[N], int n);\n"
                                       "#pragma dvm routine\n"
                                       "double outside(double);\n"
                                       "double sum(double (*a)[N], double b[N], int n) {\n"
                                       "  double s = 0;\n"
                                       "  int i;\n"
                                       "#pragma dvm region in(A[1:n]) local(B) out(plain)\n"
                                       "  {\n"
                                       "    double t = A[1];\n"
                                       "#pragma dvm parallel([i] ON(i)) reduction(sum(s))\n"
                                       "    for (i = 0; i < N; i++) {\n"
                                       "      double u = b[i] + t;\n"
                                       "      s += outside(u) + A[i];\n"
                                       "    }\n"
                                       "    if (n > 3)\n"
                                       "#pragma dvm host_section\n"
                                       "      plain[0] = b[2];\n"
                                       "#pragma dvm parallel([i])\n"
                                       "    for (i = 0; i < N; i++) B[0][i] = n;\n"
                                       "  }\n"
                                       "#pragma dvm region\n"
                                       "#pragma dvm parallel([k] on A[k]) private(i)\n"
                                       "  for (int k = 0; k < N; k++) { i = k; A[k] = i; }\n"
                                       "  return s;\n"
                                       "#pragma dvm interval n\n"
                                       "#pragma dvm endinterval\n"
                                       "}\n";

static const dvmhcc_distributed_t *find_array(const dvmhcc_program_t *program, const char *name) {
    const dvmhcc_distributed_t *array = program->distributed;
    while (array != NULL && strcmp(array->entity->name, name) != 0)
        array = array->next;
    CHECK(array != NULL);
    return array;
}

static void check_arrays(const dvmhcc_program_t *program) {
    const char *text = program->unit->text;
    const dvmhcc_extent_t *extents[DVMHCC_RANK_MAX];
    const dvmhcc_distributed_t *t = find_array(program, "T"), *a = find_array(program, "A"),
                               *b = find_array(program, "B"), *c = find_array(program, "C"),
                               *p = find_array(program, "a");
    if (t == NULL || a == NULL || b == NULL || c == NULL || p == NULL)
        return;
    CHECK(t->form == DVMHCC_FORM_TEMPLATE && t->rank == 1 && t->element == NULL);
    CHECK(a->form == DVMHCC_FORM_ARRAY && a->rank == 1 && a->align_target == t && !a->is_only_extern);
    CHECK(b->form == DVMHCC_FORM_POINTER && b->rank == 2 && b->align_target == a && b->element->bytes == 4);
    CHECK(c->form == DVMHCC_FORM_ARRAY && c->rank == 2 && c->is_only_extern && c->align_target == NULL);
    CHECK(p->form == DVMHCC_FORM_PARAMETER && p->rank == 2 && p->declaration == NULL &&
          p->entity->is_inherited);
    CHECK(a->entity->distributed == a && p->entity->distributed->form == DVMHCC_FORM_PARAMETER);
    CHECK(dvmhcc_distributed_extents(a, extents) && strncmp(text + extents[0]->begin, "N]", 2) == 0);
    /* The enumerator is a constant of C, so its value is known. */
    CHECK(extents[0]->expression != NULL);
    CHECK(dvmhcc_distributed_extents(b, extents) && extents[0]->begin == extents[0]->end);
    CHECK(strncmp(text + extents[1]->begin, "2 * N]", 6) == 0);
    CHECK(dvmhcc_distributed_extents(c, extents) && strncmp(text + extents[1]->begin, "5]", 2) == 0);
    /* Both declarations of the function have it, the second without a directive of its own. */
    const dvmhcc_entity_t *sum = dvmhcc_unit_find(program->unit, "sum", program->unit->length);
    CHECK(sum->parameters[0]->is_inherited && sum->declarators->parameters[0]->is_inherited);
    CHECK(!sum->parameters[1]->is_inherited && sum->uses_distributed);
    CHECK(dvmhcc_unit_find(program->unit, "outside", program->unit->length)->is_routine);
}

static void check_attached(const dvmhcc_program_t *program) {
    CHECK_EQ_INT(program->attached_count, 14);
    for (int i = 0; i < program->attached_count; i++) {
        const dvmhcc_attached_t *attached = &program->attached[i];
        CHECK(!attached->faulty && (i == 0 || attached->begin >= program->attached[i - 1].end));
        CHECK((attached->declarator != NULL) == (i < 6));
        CHECK((attached->function != NULL) == (i >= 6));
        CHECK(i < 6 || attached->in_block == (attached->directive->kind != DVMHCC_HOST_SECTION));
    }
    CHECK(program->attached[0].declarator->entity == find_array(program, "T")->entity);
    const dvmhcc_attached_t *host = &program->attached[8];
    CHECK(host->block->kind == DVMHCC_NODE_IF && host->statement == host->block->children[1]);
    CHECK(program->attached[13].statement == NULL && program->attached[12].statement == NULL);
    CHECK(program->attached[10].statement == program->attached[11].statement);
}

static const dvmhcc_region_use_t *find_use(const dvmhcc_region_block_t *region, const char *name) {
    const dvmhcc_region_use_t *use = region->uses;
    while (use != NULL && strcmp(use->entity->name, name) != 0)
        use = use->next;
    return use;
}

static void check_regions(const dvmhcc_program_t *program) {
    const dvmhcc_region_block_t *first = program->regions, *second = first != NULL ? first->next : NULL;
    if (!CHECK(first != NULL && second != NULL && second->next == NULL))
        return;
    CHECK(first->is_block && !second->is_block && second->statement->kind == DVMHCC_NODE_FOR);
    CHECK(first->loops != NULL && first->loops->next_in_region != NULL &&
          first->loops->next_in_region->next_in_region == NULL);
    CHECK(second->loops != NULL && second->loops->attached->region == second);
    CHECK(program->loops == first->loops && program->loops->next->next == second->loops);
    static const struct {
        const char *name;
        int intent;
        bool is_named;
    } expected[] = {{"A", DVMHCC_INTENT_IN, true},      {"B", DVMHCC_INTENT_LOCAL, true},
                    {"plain", DVMHCC_INTENT_OUT, true}, {"s", DVMHCC_INTENT_IN | DVMHCC_INTENT_OUT, false},
                    {"b", DVMHCC_INTENT_IN, false},     {"n", DVMHCC_INTENT_IN, false}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const dvmhcc_region_use_t *use = find_use(first, expected[i].name);
        if (!CHECK(use != NULL) || !CHECK_EQ_INT(use->intent, expected[i].intent) ||
            !CHECK(use->is_named == expected[i].is_named && (use->data != NULL) == use->is_named))
            fprintf(stderr, "  in: %s\n", expected[i].name);
    }
    CHECK(find_use(first, "i") == NULL && find_use(first, "t") == NULL && find_use(first, "u") == NULL);
    CHECK_EQ_INT(find_use(second, "A")->intent, DVMHCC_INTENT_IN | DVMHCC_INTENT_OUT);
    CHECK(find_use(second, "A")->is_written && !find_use(second, "A")->is_read);
    CHECK(find_use(second, "k") == NULL && find_use(second, "i") == NULL && second->uses->next == NULL);
}

static void check_good(void) {
    static analysed_t analysed;
    if (CHECK(analyse(good_source, &analysed))) {
        check_arrays(analysed.program);
        check_attached(analysed.program);
        check_regions(analysed.program);
    }
    CHECK_EQ_STR(analysed.messages, "");
    analysed_free(&analysed);
}

/* ---- memory: whatever allocation fails, it is told, and nothing is lost */

static void check_memory(void) {
    parsed_t parsed;
    for (int64_t n = 1; n < 1000; n++) {
        if (!CHECK(parse_source("p.c", good_source, &parsed)))
            break;
        dvmhcc_program_t *program = NULL;
        files_report_begin();
        const int64_t live = rts_memory_live();
        rts_memory_fail_at(n);
        const bool good = dvmhcc_program_analyse(parsed.unit, &program);
        rts_memory_fail_at(0);
        const char *told = files_report_end();
        CHECK(good == (told[0] == '\0') && (good || rts_memory_live() == live));
        dvmhcc_program_free(program);
        CHECK_EQ_INT(rts_memory_live(), live);
        parse_free(&parsed);
        if (good) {
            CHECK(n > 2);
            break;
        }
    }
}

int main(void) {
    files_enter();
    CHECK(files_command("-c p.c", &parse_command));
    CHECK_MESSAGES(uses_cases);
    CHECK_MESSAGES(regions_cases);
    check_good();
    check_memory();
    dvmhcc_command_free(&parse_command);
    files_leave();
    return check_finish();
}
