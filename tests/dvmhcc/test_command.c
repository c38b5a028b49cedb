/* The command line: what each option sets, which step gets which flag, names of outputs, every message about a mistake. */
#include <config.h>

#include "tests/dvmhcc/files.h"

#include "rts/memory.h"

static dvmhcc_command_t command;

static const char *joined(const dvmhcc_words_t *words) {
    static char text[4096];
    text[0] = '\0';
    for (int i = 0; i < words->count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i > 0 ? " " : "", words->word[i]);
    return text;
}

static const char *inputs(void) {
    static char text[4096];
    text[0] = '\0';
    for (int i = 0; i < command.input_count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s", i > 0 ? " " : "",
                 command.inputs[i].kind == DVMHCC_INPUT_SOURCE ? "source:" : "", command.inputs[i].text);
    return text;
}

/* Read a line that must be right; its predecessor is forgotten. */
static void good(const char *line) {
    dvmhcc_command_free(&command);
    files_report_begin();
    const bool result = files_command(line, &command);
    CHECK_EQ_STR(files_report_end(), "");
    if (!CHECK(result))
        fprintf(stderr, "  for %s\n", line);
}

/* Read a line that must be refused with exactly this text, "dvmhcc: error: " left out. */
static void bad(const char *line, const char *message) {
    dvmhcc_command_free(&command);
    files_report_begin();
    const bool result = files_command(line, &command);
    char wanted[1024];
    snprintf(wanted, sizeof wanted, "dvmhcc: error: %s\n", message);
    CHECK_EQ_STR(files_report_end(), wanted);
    CHECK(!result);
}

static void test_settings(void) {
    good("a.c");
    CHECK(!command.auto_layout && !command.no_cuda && !command.sequential && !command.compile_only);
    CHECK(!command.report_loops && !command.verbose && !command.dependencies && !command.phony_dependencies);
    CHECK(!command.help && !command.version && command.output == NULL && command.emit_folder == NULL);
    good("-autoTfm -noCuda -Minfo -v -c a.c -o x/y.o --emit kept");
    CHECK(command.auto_layout && command.no_cuda && command.report_loops && command.verbose &&
          command.compile_only);
    CHECK_EQ_STR(command.output, "x/y.o");
    CHECK_EQ_STR(command.emit_folder, "kept");
    good("-s -oprogram a.c");
    CHECK(command.sequential);
    CHECK_EQ_STR(command.output, "program");
    good("-o same -o same a.c");
    CHECK_EQ_STR(command.output, "same");
    /* These need no input. */
    good("--help");
    CHECK(command.help);
    good("--version a.c b.c -c -o x");
    CHECK(command.version);
}

static void test_steps(void) {
    good("-I inc -Iother -DN=3 -D M -UX -include first.h -isystem sys -imacros m.h -O2 -g3 -std=c11 -fopenmp "
         "-march=native "
         "-Wall -Wl,-O1 -pthread -L lib -Llib2 -lm a.c b.o c/d.a e.so f.so.1.2 -Xlinker -x -static-libgcc "
         "-mllvm -v -w");
    CHECK_EQ_STR(joined(&command.preprocess), "-I inc -Iother -DN=3 -D M -UX -isystem sys");
    CHECK_EQ_STR(joined(&command.forced), "-include first.h -imacros m.h");
    CHECK_EQ_STR(joined(&command.compile),
                 "-O2 -g3 -std=c11 -fopenmp -march=native -Wall -pthread -mllvm -v -w");
    CHECK_EQ_STR(inputs(),
                 "-Wl,-O1 -L lib -Llib2 -lm source:a.c b.o c/d.a e.so f.so.1.2 -Xlinker -x -static-libgcc");
    CHECK_EQ_INT(command.source_count, 1);
    CHECK(!command.verbose);
    good("z.o -la b.c -lb a.c y.a -lm");
    CHECK_EQ_STR(inputs(), "z.o -la source:b.c -lb source:a.c y.a -lm");
    CHECK_EQ_INT(command.source_count, 2);
}

static void test_compiler(void) {
    unsetenv("DVMHCC_CC");
    good("a.c");
    CHECK_EQ_STR(joined(&command.compiler), DVMHCC_DEFAULT_CC);
    setenv("DVMHCC_CC", " ccache  my-cc\t-m64 ", 1);
    good("a.c");
    CHECK_EQ_INT(command.compiler.count, 3);
    CHECK_EQ_STR(joined(&command.compiler), "ccache my-cc -m64");
    unsetenv("DVMHCC_CFLAGS");
    good("a.c");
    CHECK_EQ_STR(joined(&command.runtime), "-isystem " DVMHCC_INCLUDEDIR);
    setenv("DVMHCC_CFLAGS", "-I here -DX", 1);
    good("a.c");
    CHECK_EQ_STR(joined(&command.runtime), "-I here -DX");
    good("-s a.c");
    CHECK_EQ_INT(command.runtime.count, 0);
    unsetenv("DVMHCC_CFLAGS");
    setenv("DVMHCC_CC", "  ", 1);
    good("a.c");
    CHECK_EQ_STR(joined(&command.compiler), DVMHCC_DEFAULT_CC);
    unsetenv("DVMHCC_CC");
}

static void check_names_of(const char *line, const char *source, const char *object, const char *dependency,
                           const char *flags) {
    dvmhcc_text_t name = {0}, file = {0};
    dvmhcc_words_t words = {0};
    good(line);
    dvmhcc_command_object(&command, source, &name);
    dvmhcc_command_dependency_file(&command, source, &file);
    dvmhcc_command_dependency_flags(&command, source, "W", &words);
    CHECK_EQ_STR(dvmhcc_text_string(&name), object);
    CHECK_EQ_STR(dvmhcc_text_string(&file), dependency);
    CHECK_EQ_STR(joined(&words), flags);
    dvmhcc_text_free(&name);
    dvmhcc_text_free(&file);
    dvmhcc_words_free(&words);
}

static void test_names(void) {
    check_names_of("-MD a.c", "a.c", "a.o", "a.d", "-MD -MF W -MQ a.o");
    check_names_of("-MMD d.e/a.b.c -o out/prog", "d.e/a.b.c", "a.b.o", "a.b.d", "-MMD -MF W -MQ a.b.o");
    check_names_of("-c -MD -MP x/a.c -o y/b.obj", "x/a.c", "y/b.obj", "y/b.d", "-MD -MF W -MP -MQ y/b.obj");
    check_names_of("-c -MD x/a.c -o d.x/b", "x/a.c", "d.x/b", "d.x/b.d", "-MD -MF W -MQ d.x/b");
    check_names_of("-c -MMD -MF deps -MT t1 -MQt2 a.c", "a.c", "a.o", "deps", "-MMD -MF W -MT t1 -MQ t2");
    check_names_of("-c -MMD -MD a.c", "a.c", "a.o", "a.d", "-MD -MF W -MQ a.o");
    check_names_of("-MD ./.c", "./.c", ".c.o", ".c.d", "-MD -MF W -MQ .c.o");
}

static void test_mistakes(void) {
    bad("", "no input files; dvmhcc --help says how to use it");
    bad("-autotfm a.c", "unknown option '-autotfm'; did you mean -autoTfm?");
    bad("-noCUDA a.c", "unknown option '-noCUDA'; did you mean -noCuda?");
    bad("--emti d a.c",
        "unknown option '--emti'; did you mean --emit?\n"
        "dvmhcc: error: input 'd' is of no known kind; allowed are names that end in .c, .o, .a, .so");
    bad("-q a.c", "unknown option '-q'; dvmhcc --help lists the options");
    bad("--unheard-of a.c", "unknown option '--unheard-of'; dvmhcc --help lists the options");
    bad("a.f", "input 'a.f' is of no known kind; allowed are names that end in .c, .o, .a, .so");
    bad("a.c x.so/y", "input 'x.so/y' is of no known kind; allowed are names that end in .c, .o, .a, .so");
    bad("- a.c", "standard input ('-') cannot be compiled; name a file *.c");
    bad("a.c -o", "option '-o' needs a value: FILE");
    bad("a.c -include", "option '-include' needs a value: FILE");
    bad("a.c -Xclang", "option '-Xclang' needs a value");
    bad("a.c -o x -o y", "-o is given twice, with 'x' and 'y'");
    bad("a.c --emit x --emit y", "--emit is given twice, with 'x' and 'y'");
    bad("-c a.c b.c -o x.o", "-o with -c allows one source, but 2 are given");
    bad("-MD -MF x a.c b.c", "-MF allows one source, but 2 are given");
    bad("-MD -MT x a.c b.c", "-MT allows one source, but 2 are given");
    bad("-MF x a.c", "-MF, -MT, -MQ and -MP need -MD or -MMD");
    bad("-MP a.c", "-MF, -MT, -MQ and -MP need -MD or -MMD");
    bad("-E a.c", "option '-E' is not supported: to see generated sources, use --emit DIR");
    bad("-x c++ a.c",
        "option '-x' is not supported: only C is compiled; name the file *.c\n"
        "dvmhcc: error: input 'c++' is of no known kind; allowed are names that end in .c, .o, .a, .so");
    bad("-xc a.c", "option '-xc' is not supported: only C is compiled; name the file *.c");
    bad("-M a.c", "option '-M' is not supported: use -MD, which writes dependencies beside the object");
    bad("-s -autoTfm a.c", "-s and -autoTfm exclude each other: a sequential program has no run-time system");
    bad("-s --emit d a.c", "-s and --emit exclude each other: nothing is generated for a sequential program");
    bad("a.c -o a.c", "'a.c' is both an input and the output");
    bad("-o b.o a.c b.o", "'b.o' is both an input and the output");
    bad("-c x/a.c y/a.c",
        "'x/a.c' and 'y/a.c' would be written to files of the same name; compile them one at a time");
    bad("--emit d a.c y/a.c",
        "'a.c' and 'y/a.c' would be written to files of the same name; compile them one at a time");
    good("x/a.c y/a.c");
    /* All mistakes in one go. */
    bad("-q -E a.f -s -autoTfm",
        "unknown option '-q'; dvmhcc --help lists the options\n"
        "dvmhcc: error: option '-E' is not supported: to see generated sources, use --emit DIR\n"
        "dvmhcc: error: input 'a.f' is of no known kind; allowed are names that end in .c, .o, .a, .so\n"
        "dvmhcc: error: -s and -autoTfm exclude each other: a sequential program has no run-time system");
}

/* The command that compiles the file for GPUs. */
static void gpu(const char *line, const char *wanted) {
    dvmhcc_words_t words = {0};
    good(line);
    dvmhcc_command_gpu(&command, "x.cu", "x.o", &words);
    CHECK_EQ_STR(joined(&words), wanted);
    dvmhcc_words_free(&words);
}

static void test_gpu(void) {
    setenv("DVMHCC_CFLAGS", "-isystem /runtime -fopenmp", 1);
    setenv("DVMHCC_NVCC", "nvcc -ccbin g++", 1);
#define BEGIN "nvcc -ccbin g++ -std=c++17 -arch=sm_90 "
#define END   "-w -Xcompiler -w -isystem /runtime -c x.cu -o x.o"
    gpu("-arch=sm_90 a.c", BEGIN END);
    gpu("-arch=sm_90 -O3 -std=c11 -Wall -march=native -ffp-contract=off -fopenmp a.c",
        BEGIN "-O3 -fmad=false " END);
    gpu("-arch=sm_90 -Ofast -g3 -fPIC a.c", BEGIN "-O3 -g -lineinfo -Xcompiler -fPIC " END);
    gpu("-arch=sm_90 -Os -g0 a.c", BEGIN "-O2 " END);
    gpu("-arch=sm_90 -Iours -I theirs -DX=1 -U Y -isystem more -include f.h a.c",
        BEGIN "-w -Xcompiler -w -I ours -I theirs -isystem more -isystem /runtime -c x.cu -o x.o");
#undef BEGIN
#undef END
    good("-noCuda a.c");
    CHECK_EQ_INT(command.gpu_compiler.count, 0);
    good("-s a.c");
    CHECK_EQ_INT(command.gpu_compiler.count, 0);
    setenv("DVMHCC_NVCC", "", 1);
    good("a.c");
    CHECK_EQ_INT(command.gpu_compiler.count, 0);
    bad("-arch= a.c", "option '-arch=' needs a value: GPU");
    bad("-arch=sm_80 -arch=sm_90 a.c", "-arch is given twice, with 'sm_80' and 'sm_90'");
    unsetenv("DVMHCC_CFLAGS");
    unsetenv("DVMHCC_NVCC");
}

static void test_warning(void) {
    dvmhcc_command_free(&command);
    files_report_begin();
    CHECK(files_command("-c a.c b.o -lm", &command));
    CHECK_EQ_STR(files_report_end(), "dvmhcc: warning: 'b.o' is not used: nothing is linked with -c\n");
}

static void test_help(void) {
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!CHECK(file != NULL))
        return;
    dvmhcc_command_help(file);
    fclose(file);
    static const char *const parts[] = {"use: dvmhcc", "-autoTfm",  "-noCuda",       "-arch=GPU",
                                        "DVMHCC_NVCC", "-s ",       "-c ",           "-o FILE",
                                        "--emit DIR",  "-Minfo",    "-v ",           "-MD",
                                        "-MMD",        "-MP",       "-MF FILE",      "-MT TARGET",
                                        "--help",      "--version", "-I DIR",        "-D NAME[=X]",
                                        "-L DIR",      "-l NAME",   "-std=LANGUAGE", "DVMHCC_CC",
                                        "TMPDIR"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        CHECK_CONTAINS(text, parts[i]);
    free(text);
}

/* Every allocation fails once: no crash, nothing lost, and it is told. */
static void test_memory(void) {
    dvmhcc_command_free(&command);
    const int64_t live = rts_memory_live();
    bool failed = true;
    int64_t n = 1;
    for (; failed && n < 1000; n++) {
        files_report_begin();
        rts_memory_fail_at(n);
        const bool result =
            files_command("-I inc -D M=1 -include x.h -O2 a.c b.c c.o -lm -MD -o prog", &command);
        rts_memory_fail_at(0);
        dvmhcc_command_free(&command);
        const char *told = files_report_end();
        failed = !result;
        if (failed)
            CHECK_EQ_STR(told, "dvmhcc: error: out of memory\n");
        CHECK_EQ_INT(rts_memory_live(), live);
    }
    CHECK(n > 10 && n < 1000);
}

int main(void) {
    test_settings();
    test_steps();
    test_compiler();
    test_names();
    test_mistakes();
    test_gpu();
    test_warning();
    test_help();
    test_memory();
    dvmhcc_command_free(&command);
    return check_finish();
}
