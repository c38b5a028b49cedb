/* Translation of one annotated source, as the driver sees it. */
#ifndef DVMHCC_TRANSLATE_H
#define DVMHCC_TRANSLATE_H

#include "compiler-hooks/dvmhcc/command.h"

/**
 * Translate a C source with directives into plain C that calls the runtime.
 *
 * @param file    the user's source; its dependencies are written when the command asks for them (dvmhcc_source_read does)
 * @param output  gets the generated source, whole, to be compiled with the command's flags without -include and -imacros
 * @param gpu     the file for GPUs is appended to it; stays empty where the command does not want one, or no loop can run there
 * @return false  something is wrong; all of it has been told with dvmhcc_report. What output got is then of no use
 */
bool dvmhcc_translate(const dvmhcc_command_t *command, const char *file, FILE *output, dvmhcc_text_t *gpu);

#endif
