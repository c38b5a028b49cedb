/* Translation of one source: read, parse, analyse, generate. Decides nothing itself. */
#include <config.h>

#include "compiler-hooks/dvmhcc/translate.h"

#include "compiler-hooks/dvmhcc/generate.h"

#include <string.h>

static bool generate(const dvmhcc_command_t *command, dvmhcc_source_t *source, dvmhcc_unit_t *unit,
                     FILE *output, dvmhcc_text_t *gpu) {
    const bool for_gpus = command->gpu_compiler.count > 0;
    dvmhcc_program_t *program = NULL;
    dvmhcc_text_t result = {0};
    bool good = dvmhcc_program_analyse(unit, &program);
    if (good && command->report_loops)
        dvmhcc_program_print(program, for_gpus, stderr);
    good = good && dvmhcc_generate(command, source, unit, program, &result, for_gpus ? gpu : NULL);
    if (good)
        fwrite(dvmhcc_text_string(&result), 1, result.length, output);
    dvmhcc_text_free(&result);
    dvmhcc_program_free(program);
    return good;
}

bool dvmhcc_translate(const dvmhcc_command_t *command, const char *file, FILE *output, dvmhcc_text_t *gpu) {
    dvmhcc_source_t *source = NULL;
    dvmhcc_unit_t *unit = NULL;
    if (!dvmhcc_source_read(command, file, &source))
        return false;
    const bool good =
        dvmhcc_unit_parse(command, source, &unit) && generate(command, source, unit, output, gpu);
    dvmhcc_unit_free(unit);
    dvmhcc_source_free(source);
    return good;
}
