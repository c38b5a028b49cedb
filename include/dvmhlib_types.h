/* Basic types of the DVMH binary interface. */
#ifndef DVMHLIB_TYPES_H
#define DVMHLIB_TYPES_H

/** Integers, indices, handles and addresses. Handles are opaque; only 0 has a meaning: none. */
#ifdef __LLP64__
typedef long long DvmType;
#else
typedef long DvmType;
#endif

/** A loop handler. Real handlers take pointers only and return nothing: the result is never looked at. */
#ifdef __cplusplus
typedef int (*DvmHandlerFunc)(...);
#else
typedef int (*DvmHandlerFunc)();
#endif

#endif
