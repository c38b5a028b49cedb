/* Files that must not outlive a run of dvmhcc: a folder of its own for generated sources and objects, and outputs that are written
 * beside their final name and renamed when complete. They are removed at the end of the run and when a signal ends it.
 * Single-threaded. */
#ifndef DVMHCC_TEMPORARY_H
#define DVMHCC_TEMPORARY_H

#include "compiler-hooks/dvmhcc/text.h"

/** From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT end the program that runs, remove the files and then end dvmhcc as they would
 * have. Signals that the caller ignores stay ignored. */
void dvmhcc_temporary_catch_signals(void);

/**
 * Name a file in the folder for temporary files, which is made in $TMPDIR (/tmp) when it is first needed. The file does not exist
 * yet; it is removed at the end.
 *
 * @param name     of the file, without folders; must be new in this run
 * @param path_p   set to the path; lives until dvmhcc_temporary_remove
 * @return false   told with dvmhcc_report
 */
bool dvmhcc_temporary_file(const char *name, const char **path_p);

/**
 * Name a file to write instead of an output: `FILE.tmp`, to be renamed by dvmhcc_temporary_commit. An output that exists and is no
 * regular file, such as /dev/null, must not be replaced, and is written as it is.
 *
 * @param path_p  as above
 * @return false  told with dvmhcc_report
 */
bool dvmhcc_temporary_output(const char *output, const char **path_p);

/** The file is complete: give it its final name. @param path  from dvmhcc_temporary_output  @return false  told with
 * dvmhcc_report */
bool dvmhcc_temporary_commit(const char *path);

/** Remove all files that are not committed, and the folder. Safe to call again. */
void dvmhcc_temporary_remove(void);

#endif
