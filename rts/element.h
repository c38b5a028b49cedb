/* Element types of the ABI: codes, sizes, names. */
#ifndef RTS_ELEMENT_H
#define RTS_ELEMENT_H

#include <dvmhlib_types.h>

#include "rts/status.h"

/** Element of an array: an rt_* code with its size, or RTS_ELEMENT_UNTYPED with a size only. */
#define RTS_ELEMENT_UNTYPED (-1)
typedef struct rts_element {
    int code; /* rt_* of dvmhlib_const.h */
    size_t bytes;
} rts_element_t;

/** Bytes of an rt_* code; 0 when unknown. */
size_t rts_element_bytes(DvmType code);
/** Such as "double"; "untyped" for RTS_ELEMENT_UNTYPED. */
const char *rts_element_name(int code);
/** Decode a typeSize argument: value <= 0 means code -value, value > 0 an untyped element of that many bytes.
 * @return RTS_ERR_INVALID  no such code */
rts_status_t rts_element_decode(DvmType type_size, rts_element_t *element_p);

#endif
