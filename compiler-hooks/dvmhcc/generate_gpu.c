/* The file for GPUs as a whole: which loops it has, how they get ordinary arrays, and its parts in their order. */
#include <config.h>

#include "compiler-hooks/dvmhcc/generate_gpu.h"

#include <string.h>

/* Ordinary arrays that travel inside a function object: together, of a loop. */
enum { BYTES_BY_VALUE = 2048 };

/* Whether a loop of a region writes an array: then its newest values may be on a GPU. */
static bool is_written(const dvmhcc_program_t *program, const dvmhcc_entity_t *entity) {
    for (const dvmhcc_loop_t *loop = program->loops; loop != NULL; loop = loop->next) {
        const dvmhcc_loop_variable_t *variable = dvmhcc_loop_variable(loop, entity);
        if (variable != NULL && variable->is_written)
            return true;
    }
    return false;
}

static void choose_ways(const dvmhcc_generator_t *generator, const dvmhcc_loop_t *loop,
                        dvmhcc_kernel_t *kernel) {
    const int64_t room = DVMHCC_GPU_OBJECT_BYTES - dvmhcc_gpu_object_bytes(loop);
    const int64_t limit = room < BYTES_BY_VALUE ? room : BYTES_BY_VALUE;
    int64_t bytes = 0;
    int variables = 0;
    for (int i = 0; i < kernel->capture_count; i++) {
        dvmhcc_capture_t *capture = &kernel->captures[i];
        const dvmhcc_entity_t *entity = capture->entity;
        if (capture->kind != DVMHCC_CAPTURE_ADDRESS && capture->kind != DVMHCC_CAPTURE_ELEMENTS)
            continue;
        int rank;
        const bool is_constant = dvmhcc_type_element(entity->type, &rank)->is_const;
        const bool is_known_here = is_constant || entity->is_internal || !entity->is_file_scope;
        capture->by_value = capture->kind == DVMHCC_CAPTURE_ADDRESS && is_known_here &&
                            entity->type->bytes > 0 && bytes + entity->type->bytes <= limit &&
                            !is_written(generator->program, entity);
        if (capture->by_value)
            bytes += entity->type->bytes;
        else
            capture->variable = variables++;
    }
}

static void tell_refusal(const dvmhcc_generator_t *generator, const dvmhcc_loop_t *loop,
                         const dvmhcc_gpu_refusal_t *refusal) {
    const dvmhcc_place_t place = dvmhcc_unit_place(generator->unit, refusal->begin, refusal->end);
    const dvmhcc_place_t where = dvmhcc_source_line(generator->source, loop->attached->begin);
    const bool apart = where.file != NULL && place.file != NULL && strcmp(where.file, place.file) != 0;
    dvmhcc_report(DVMHCC_WARNING, &place, "the parallel loop in line %d%s%s does not run on GPUs: %s",
                  where.line, apart ? " of " : "", apart ? where.file : "", refusal->reason);
}

bool dvmhcc_gpu_loop(dvmhcc_generator_t *generator, dvmhcc_kernel_t *kernel, const dvmhcc_loop_t *loop) {
    dvmhcc_gpu_t *gpu = generator->gpu;
    dvmhcc_gpu_refusal_t refusal;
    if (gpu == NULL || loop->attached->region == NULL)
        return true;
    choose_ways(generator, loop, kernel);
    if (!dvmhcc_gpu_wanted(generator->program, loop))
        return true;
    if (!dvmhcc_gpu_check(generator->unit, loop, &refusal)) {
        tell_refusal(generator, loop, &refusal);
        return true;
    }
    kernel->gpu_handler = dvmhcc_generator_text(generator, "%s_cuda_%08x", kernel->name, gpu->hash);
    return kernel->gpu_handler != NULL && dvmhcc_gpu_write_loop(gpu, kernel, loop);
}

/* Headers that C and C++ share. What others declare is not known to GPUs. */
static bool is_shared_header(const char *header) {
    static const char *const headers[] = {"<assert.h>",   "<ctype.h>",  "<errno.h>",     "<float.h>",
                                          "<inttypes.h>", "<limits.h>", "<math.h>",      "<stdarg.h>",
                                          "<stdbool.h>",  "<stddef.h>", "<stdint.h>",    "<stdio.h>",
                                          "<stdlib.h>",   "<string.h>", "<sys/types.h>", "<time.h>",
                                          "<wchar.h>",    NULL};
    for (int i = 0; headers[i] != NULL; i++)
        if (strcmp(header, headers[i]) == 0)
            return true;
    return false;
}

static void write_headers(const dvmhcc_gpu_t *gpu, dvmhcc_text_t *text) {
    const dvmhcc_source_t *source = gpu->generator->source;
    dvmhcc_text_add_string(text, "#include <math.h>\n#include <stdio.h>\n#include <string.h>\n");
    for (int i = 0; i < dvmhcc_source_include_count(source); i++) {
        const char *header = dvmhcc_source_include(source, i)->header;
        if (is_shared_header(header))
            dvmhcc_text_printf(text, "#include %s\n", header);
    }
    /* What C converts in braces, C++ calls narrowing. */
    dvmhcc_text_add_string(text,
                           "#include <type_traits>\n#include <dvmhx_run_cuda.h>\n\n"
                           "#ifdef __NVCC__\n#pragma nv_diag_suppress 2361\n#endif\n"
                           "#ifdef __GNUC__\n#pragma GCC diagnostic ignored \"-Wnarrowing\"\n#endif\n\n");
}

bool dvmhcc_gpu_write(dvmhcc_gpu_t *gpu, dvmhcc_text_t *text) {
    if (gpu->handlers.length == 0)
        return true;
    write_headers(gpu, text);
    /* Unnamed: kernels of two sources whose loops have one name are two. */
    dvmhcc_text_printf(text, "namespace {\nnamespace dvmhcc_gpu {\n\n");
    const bool good = dvmhcc_gpu_write_copies(gpu, text) && dvmhcc_text_good(&gpu->loops) &&
                      dvmhcc_text_good(&gpu->handlers);
    dvmhcc_text_printf(text, "\n%s}\n}\n\n%s", dvmhcc_text_string(&gpu->loops),
                       dvmhcc_text_string(&gpu->handlers));
    return good && dvmhcc_text_good(text);
}
