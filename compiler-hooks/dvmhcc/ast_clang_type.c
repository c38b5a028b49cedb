/* Types of libclang as types of ast.h. */
#include <config.h>

#include "compiler-hooks/dvmhcc/ast_clang.h"

#include <dvmhlib_const.h>
#include <string.h>

typedef struct basic_row {
    enum CXTypeKind clang;
    dvmhcc_basic_t basic;
    int runtime_code;
} basic_row_t;

static const basic_row_t basic_types[] = {
    {CXType_Void, DVMHCC_BASIC_VOID, rt_UNKNOWN},
    {CXType_Bool, DVMHCC_BASIC_BOOL, rt_UNKNOWN},
    {CXType_Char_S, DVMHCC_BASIC_CHAR, rt_CHAR},
    {CXType_Char_U, DVMHCC_BASIC_CHAR, rt_CHAR},
    {CXType_SChar, DVMHCC_BASIC_SCHAR, rt_CHAR},
    {CXType_UChar, DVMHCC_BASIC_UCHAR, rt_UCHAR},
    {CXType_Short, DVMHCC_BASIC_SHORT, rt_SHORT},
    {CXType_UShort, DVMHCC_BASIC_USHORT, rt_USHORT},
    {CXType_Int, DVMHCC_BASIC_INT, rt_INT},
    {CXType_UInt, DVMHCC_BASIC_UINT, rt_UINT},
    {CXType_Long, DVMHCC_BASIC_LONG, rt_LONG},
    {CXType_ULong, DVMHCC_BASIC_ULONG, rt_ULONG},
    {CXType_LongLong, DVMHCC_BASIC_LLONG, rt_LLONG},
    {CXType_ULongLong, DVMHCC_BASIC_ULLONG, rt_ULLONG},
    {CXType_Int128, DVMHCC_BASIC_WIDE_INTEGER, rt_UNKNOWN},
    {CXType_UInt128, DVMHCC_BASIC_WIDE_INTEGER, rt_UNKNOWN},
    {CXType_Float, DVMHCC_BASIC_FLOAT, rt_FLOAT},
    {CXType_Double, DVMHCC_BASIC_DOUBLE, rt_DOUBLE},
    {CXType_LongDouble, DVMHCC_BASIC_WIDE_FLOAT, rt_UNKNOWN},
    {CXType_Float128, DVMHCC_BASIC_WIDE_FLOAT, rt_UNKNOWN},
    {CXType_Float16, DVMHCC_BASIC_WIDE_FLOAT, rt_UNKNOWN},
};

static void set_basic(dvmhcc_type_t *type, enum CXTypeKind kind) {
    for (size_t i = 0; i < sizeof basic_types / sizeof basic_types[0]; i++) {
        if (basic_types[i].clang == kind) {
            type->kind = DVMHCC_TYPE_BASIC;
            type->basic = basic_types[i].basic;
            type->runtime_code = basic_types[i].runtime_code;
        }
    }
}

static void set_complex(dvmhcc_type_t *type, CXType element) {
    type->kind = DVMHCC_TYPE_BASIC;
    type->basic = DVMHCC_BASIC_WIDE_COMPLEX;
    if (element.kind == CXType_Float) {
        type->basic = DVMHCC_BASIC_FLOAT_COMPLEX;
        type->runtime_code = rt_FLOAT_COMPLEX;
    } else if (element.kind == CXType_Double) {
        type->basic = DVMHCC_BASIC_DOUBLE_COMPLEX;
        type->runtime_code = rt_DOUBLE_COMPLEX;
    }
}

static const char *qualified_text(dvmhcc_clang_t *clang, const dvmhcc_type_t *type, bool is_const,
                                  bool is_volatile) {
    const size_t size = strlen(type->text) + sizeof "const volatile ";
    char *text = dvmhcc_clang_take(clang, size);
    if (text != NULL)
        snprintf(text, size, "%s%s%s", is_const && !type->is_const ? "const " : "",
                 is_volatile && !type->is_volatile ? "volatile " : "", type->text);
    return text;
}

/* clang moves the qualifiers of elements to their array. @return NULL: failed */
static const dvmhcc_type_t *element_of(dvmhcc_clang_t *clang, const dvmhcc_type_t *array, CXType canonical) {
    const dvmhcc_type_t *element = dvmhcc_clang_type(clang, clang_getArrayElementType(canonical));
    if (element == NULL || (!array->is_const && !array->is_volatile))
        return element;
    dvmhcc_type_t *qualified = dvmhcc_clang_take(clang, sizeof *qualified);
    if (qualified == NULL)
        return NULL;
    *qualified = *element;
    qualified->text = qualified_text(clang, element, array->is_const, array->is_volatile);
    qualified->is_const = qualified->is_const || array->is_const;
    qualified->is_volatile = qualified->is_volatile || array->is_volatile;
    if (qualified->kind == DVMHCC_TYPE_ARRAY)
        qualified->target =
            element_of(clang, qualified, clang_getCanonicalType(clang_getArrayElementType(canonical)));
    return qualified;
}

static void fill(dvmhcc_clang_t *clang, dvmhcc_type_t *type, CXType canonical) {
    switch (canonical.kind) {
    case CXType_Pointer:
        type->kind = DVMHCC_TYPE_POINTER;
        type->runtime_code = rt_POINTER;
        type->target = dvmhcc_clang_type(clang, clang_getPointeeType(canonical));
        break;
    case CXType_ConstantArray:
        type->extent = clang_getArraySize(canonical);
        /* fall through */
    case CXType_IncompleteArray:
    case CXType_VariableArray:
        type->kind = DVMHCC_TYPE_ARRAY;
        type->target = element_of(clang, type, canonical);
        break;
    case CXType_FunctionProto:
    case CXType_FunctionNoProto:
        type->kind = DVMHCC_TYPE_FUNCTION;
        type->target = dvmhcc_clang_type(clang, clang_getResultType(canonical));
        break;
    case CXType_Record:
        type->kind = DVMHCC_TYPE_RECORD;
        break;
    case CXType_Enum:
        type->kind = DVMHCC_TYPE_ENUM;
        break;
    case CXType_Complex:
        set_complex(type, clang_getElementType(canonical));
        break;
    default:
        set_basic(type, canonical.kind);
    }
}

/* libclang answers 1 for types that have no size: sizeof(void) and sizeof(function) of gcc. Asked for that of a function such as
 * __builtin_va_start, whose type is none of C, it crashes. */
static int64_t bytes_of(const dvmhcc_type_t *type, CXType canonical) {
    if (type->kind == DVMHCC_TYPE_OTHER || type->kind == DVMHCC_TYPE_FUNCTION ||
        type->basic == DVMHCC_BASIC_VOID)
        return -1;
    const long long bytes = clang_Type_getSizeOf(canonical);
    return bytes >= 0 ? bytes : -1;
}

const dvmhcc_type_t *dvmhcc_clang_type(dvmhcc_clang_t *clang, CXType type) {
    dvmhcc_clang_type_t **bucket = &clang->types[((uintptr_t)type.data[0] >> 4) % DVMHCC_CLANG_BUCKETS];
    for (const dvmhcc_clang_type_t *entry = *bucket; entry != NULL; entry = entry->next) {
        if (clang_equalTypes(entry->key, type))
            return &entry->type;
    }
    dvmhcc_clang_type_t *entry = dvmhcc_clang_take(clang, sizeof *entry);
    if (entry == NULL)
        return NULL;
    entry->key = type;
    const CXType canonical = clang_getCanonicalType(type);
    entry->type.kind = DVMHCC_TYPE_OTHER;
    entry->type.runtime_code = rt_UNKNOWN;
    entry->type.extent = -1;
    entry->type.is_const = clang_isConstQualifiedType(canonical) != 0;
    entry->type.is_volatile = clang_isVolatileQualifiedType(canonical) != 0;
    entry->type.text = dvmhcc_clang_string(clang, clang_getTypeSpelling(type));
    fill(clang, &entry->type, canonical);
    entry->type.bytes = bytes_of(&entry->type, canonical);
    if (clang->failed)
        return NULL;
    entry->next = *bucket;
    *bucket = entry;
    return &entry->type;
}

/* "double[4]" becomes "double (*)[4]", "double" becomes "double *". */
static const char *pointer_text(dvmhcc_clang_t *clang, const char *element) {
    const size_t head = strcspn(element, "[");
    const size_t size = strlen(element) + sizeof " (*)";
    char *text = dvmhcc_clang_take(clang, size);
    if (text != NULL && element[head] == '\0')
        snprintf(text, size, "%s *", element);
    else if (text != NULL)
        snprintf(text, size, "%.*s (*)%s", (int)head, element, element + head);
    return text;
}

const dvmhcc_type_t *dvmhcc_clang_decay(dvmhcc_clang_t *clang, const dvmhcc_type_t *type) {
    if (type == NULL || type->kind != DVMHCC_TYPE_ARRAY)
        return type;
    dvmhcc_type_t *pointer = dvmhcc_clang_take(clang, sizeof *pointer);
    if (pointer == NULL)
        return NULL;
    *pointer = (dvmhcc_type_t){.kind = DVMHCC_TYPE_POINTER,
                               .runtime_code = rt_POINTER,
                               .bytes = sizeof(void *),
                               .text = pointer_text(clang, type->target->text),
                               .target = type->target,
                               .extent = -1};
    return pointer;
}
