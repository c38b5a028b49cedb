/* Memory and events of GPUs that processes of one machine share: see rts/exchange_ops.h. */
#ifndef RTS_CUDA_CUDA_EXCHANGE_H
#define RTS_CUDA_CUDA_EXCHANGE_H

#include "rts/exchange_ops.h"

extern const rts_exchange_ops_t rts_cuda_exchange_ops;

#endif
