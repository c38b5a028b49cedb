/* Tracing calls of the DVMH binary interface (dvmh_dbg_*): a compiler emits them only with its debugging
 * options, and this version provides none of them. The header exists because programs include it. */
#ifndef DVMHLIB_DEBUG_H
#define DVMHLIB_DEBUG_H

#include <dvmhlib_types.h>

#endif
