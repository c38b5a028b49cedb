/* The table of element types. */
#include <config.h>

#include "rts/element.h"

#include <dvmhlib_const.h>

typedef struct type_entry {
    const char *name;
    size_t bytes;
} type_entry_t;

static const type_entry_t types[] = {
    [rt_CHAR] = {"char", sizeof(char)},
    [rt_INT] = {"int", sizeof(int)},
    [rt_LONG] = {"long", sizeof(long)},
    [rt_FLOAT] = {"float", sizeof(float)},
    [rt_DOUBLE] = {"double", sizeof(double)},
    [rt_FLOAT_COMPLEX] = {"float complex", 2 * sizeof(float)},
    [rt_DOUBLE_COMPLEX] = {"double complex", 2 * sizeof(double)},
    [rt_LOGICAL] = {"logical", sizeof(int)},
    [rt_LLONG] = {"long long", sizeof(long long)},
    [rt_UCHAR] = {"unsigned char", sizeof(unsigned char)},
    [rt_UINT] = {"unsigned int", sizeof(unsigned int)},
    [rt_ULONG] = {"unsigned long", sizeof(unsigned long)},
    [rt_ULLONG] = {"unsigned long long", sizeof(unsigned long long)},
    [rt_SHORT] = {"short", sizeof(short)},
    [rt_USHORT] = {"unsigned short", sizeof(unsigned short)},
    [rt_POINTER] = {"pointer", sizeof(void *)},
};

#define TYPE_COUNT ((DvmType)(sizeof types / sizeof types[0]))

size_t rts_element_bytes(DvmType code) {
    return code >= 0 && code < TYPE_COUNT ? types[code].bytes : 0;
}

const char *rts_element_name(int code) {
    if (code == RTS_ELEMENT_UNTYPED)
        return "untyped";
    return code >= 0 && code < TYPE_COUNT ? types[code].name : "unknown type";
}

rts_status_t rts_element_decode(DvmType type_size, rts_element_t *element_p) {
    if (type_size > 0) {
        *element_p = (rts_element_t){.code = RTS_ELEMENT_UNTYPED, .bytes = (size_t)type_size};
        return RTS_OK;
    }
    if (type_size <= -TYPE_COUNT)
        return rts_fail(RTS_ERR_INVALID,
                        "element type %lld is unknown, allowed are -%lld..0 and sizes in bytes",
                        (long long)type_size, (long long)TYPE_COUNT - 1);
    const int code = (int)-type_size;
    *element_p = (rts_element_t){.code = code, .bytes = types[code].bytes};
    return RTS_OK;
}
