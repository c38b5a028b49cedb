/* What query handlers ask of a GPU: see rts/handler_ops.h. */
#ifndef RTS_CUDA_CUDA_HANDLER_H
#define RTS_CUDA_CUDA_HANDLER_H

#include "rts/handler_ops.h"

extern const rts_handler_ops_t rts_cuda_handler_ops;

#endif
