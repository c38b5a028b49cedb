/* Statements and expressions of libclang's tree as nodes. Conversions that C makes silently are left out. What libclang does not
 * tell, which parts of a `for` are there and where the ';' stands, is read from the text. */
#include <config.h>

#include "compiler-hooks/dvmhcc/ast_clang.h"
#include "compiler-hooks/dvmhcc/c_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- kinds and operators */

typedef struct kind_row {
    enum CXCursorKind clang;
    dvmhcc_node_kind_t kind;
} kind_row_t;

static const kind_row_t kinds[] = {
    {CXCursor_CompoundStmt, DVMHCC_NODE_COMPOUND},
    {CXCursor_DeclStmt, DVMHCC_NODE_DECLARATION},
    {CXCursor_NullStmt, DVMHCC_NODE_EMPTY},
    {CXCursor_IfStmt, DVMHCC_NODE_IF},
    {CXCursor_ForStmt, DVMHCC_NODE_FOR},
    {CXCursor_WhileStmt, DVMHCC_NODE_WHILE},
    {CXCursor_DoStmt, DVMHCC_NODE_DO},
    {CXCursor_SwitchStmt, DVMHCC_NODE_SWITCH},
    {CXCursor_CaseStmt, DVMHCC_NODE_CASE},
    {CXCursor_DefaultStmt, DVMHCC_NODE_DEFAULT},
    {CXCursor_LabelStmt, DVMHCC_NODE_LABEL},
    {CXCursor_GotoStmt, DVMHCC_NODE_GOTO},
    {CXCursor_IndirectGotoStmt, DVMHCC_NODE_GOTO},
    {CXCursor_BreakStmt, DVMHCC_NODE_BREAK},
    {CXCursor_ContinueStmt, DVMHCC_NODE_CONTINUE},
    {CXCursor_ReturnStmt, DVMHCC_NODE_RETURN},
    {CXCursor_DeclRefExpr, DVMHCC_NODE_NAME},
    {CXCursor_IntegerLiteral, DVMHCC_NODE_INTEGER},
    {CXCursor_FloatingLiteral, DVMHCC_NODE_FLOATING},
    {CXCursor_ImaginaryLiteral, DVMHCC_NODE_FLOATING},
    {CXCursor_CharacterLiteral, DVMHCC_NODE_CHARACTER},
    {CXCursor_StringLiteral, DVMHCC_NODE_STRING},
    {CXCursor_ParenExpr, DVMHCC_NODE_PAREN},
    {CXCursor_ArraySubscriptExpr, DVMHCC_NODE_SUBSCRIPT},
    {CXCursor_MemberRefExpr, DVMHCC_NODE_MEMBER},
    {CXCursor_CallExpr, DVMHCC_NODE_CALL},
    {CXCursor_UnaryOperator, DVMHCC_NODE_UNARY},
    {CXCursor_BinaryOperator, DVMHCC_NODE_BINARY},
    {CXCursor_CompoundAssignOperator, DVMHCC_NODE_ASSIGN},
    {CXCursor_ConditionalOperator, DVMHCC_NODE_CONDITIONAL},
    {CXCursor_CStyleCastExpr, DVMHCC_NODE_CAST},
    {CXCursor_UnaryExpr, DVMHCC_NODE_SIZEOF},
    {CXCursor_InitListExpr, DVMHCC_NODE_LIST},
    {CXCursor_CompoundLiteralExpr, DVMHCC_NODE_COMPOUND_LITERAL},
    {CXCursor_StmtExpr, DVMHCC_NODE_STATEMENT_EXPRESSION},
};

static dvmhcc_node_kind_t kind_of(enum CXCursorKind kind) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].clang == kind)
            return kinds[i].kind;
    }
    return clang_isStatement(kind) ? DVMHCC_NODE_OTHER_STATEMENT : DVMHCC_NODE_OTHER;
}

static dvmhcc_operator_t unary_operator(enum CXUnaryOperatorKind kind) {
    switch (kind) {
    case CXUnaryOperator_PostInc:
        return DVMHCC_OPERATOR_POST_INCREMENT;
    case CXUnaryOperator_PostDec:
        return DVMHCC_OPERATOR_POST_DECREMENT;
    case CXUnaryOperator_PreInc:
        return DVMHCC_OPERATOR_PRE_INCREMENT;
    case CXUnaryOperator_PreDec:
        return DVMHCC_OPERATOR_PRE_DECREMENT;
    case CXUnaryOperator_AddrOf:
        return DVMHCC_OPERATOR_ADDRESS;
    case CXUnaryOperator_Deref:
        return DVMHCC_OPERATOR_DEREFERENCE;
    case CXUnaryOperator_Plus:
        return DVMHCC_OPERATOR_PLUS;
    case CXUnaryOperator_Minus:
        return DVMHCC_OPERATOR_MINUS;
    case CXUnaryOperator_Not:
        return DVMHCC_OPERATOR_COMPLEMENT;
    case CXUnaryOperator_LNot:
        return DVMHCC_OPERATOR_NOT;
    default:
        return DVMHCC_OPERATOR_OTHER;
    }
}

typedef struct binary_row {
    enum CXBinaryOperatorKind clang, assignment;
    dvmhcc_operator_t operation;
} binary_row_t;

static const binary_row_t binary_operators[] = {
    {CXBinaryOperator_Mul, CXBinaryOperator_MulAssign, DVMHCC_OPERATOR_MULTIPLY},
    {CXBinaryOperator_Div, CXBinaryOperator_DivAssign, DVMHCC_OPERATOR_DIVIDE},
    {CXBinaryOperator_Rem, CXBinaryOperator_RemAssign, DVMHCC_OPERATOR_REMAINDER},
    {CXBinaryOperator_Add, CXBinaryOperator_AddAssign, DVMHCC_OPERATOR_ADD},
    {CXBinaryOperator_Sub, CXBinaryOperator_SubAssign, DVMHCC_OPERATOR_SUBTRACT},
    {CXBinaryOperator_Shl, CXBinaryOperator_ShlAssign, DVMHCC_OPERATOR_SHIFT_LEFT},
    {CXBinaryOperator_Shr, CXBinaryOperator_ShrAssign, DVMHCC_OPERATOR_SHIFT_RIGHT},
    {CXBinaryOperator_And, CXBinaryOperator_AndAssign, DVMHCC_OPERATOR_AND},
    {CXBinaryOperator_Xor, CXBinaryOperator_XorAssign, DVMHCC_OPERATOR_XOR},
    {CXBinaryOperator_Or, CXBinaryOperator_OrAssign, DVMHCC_OPERATOR_OR},
    {CXBinaryOperator_LT, CXBinaryOperator_Invalid, DVMHCC_OPERATOR_LESS},
    {CXBinaryOperator_GT, CXBinaryOperator_Invalid, DVMHCC_OPERATOR_GREATER},
    {CXBinaryOperator_LE, CXBinaryOperator_Invalid, DVMHCC_OPERATOR_LESS_EQUAL},
    {CXBinaryOperator_GE, CXBinaryOperator_Invalid, DVMHCC_OPERATOR_GREATER_EQUAL},
    {CXBinaryOperator_EQ, CXBinaryOperator_Invalid, DVMHCC_OPERATOR_EQUAL},
    {CXBinaryOperator_NE, CXBinaryOperator_Invalid, DVMHCC_OPERATOR_UNEQUAL},
    {CXBinaryOperator_LAnd, CXBinaryOperator_Invalid, DVMHCC_OPERATOR_BOTH},
    {CXBinaryOperator_LOr, CXBinaryOperator_Invalid, DVMHCC_OPERATOR_EITHER},
    {CXBinaryOperator_Comma, CXBinaryOperator_Invalid, DVMHCC_OPERATOR_COMMA},
};

static void set_binary(dvmhcc_node_t *node, enum CXBinaryOperatorKind kind) {
    if (kind == CXBinaryOperator_Assign)
        node->kind = DVMHCC_NODE_ASSIGN;
    for (size_t i = 0; i < sizeof binary_operators / sizeof binary_operators[0]; i++) {
        if (kind != CXBinaryOperator_Invalid &&
            (binary_operators[i].clang == kind || binary_operators[i].assignment == kind))
            node->operation = binary_operators[i].operation;
    }
}

/* ---- leaves */

static const char *copy_range(dvmhcc_clang_t *clang, size_t begin, size_t end) {
    char *copy = dvmhcc_clang_take(clang, end - begin + 1);
    if (copy != NULL)
        memcpy(copy, clang->unit->text + begin, end - begin);
    return copy;
}

static void set_integer(const dvmhcc_clang_t *clang, dvmhcc_node_t *node) {
    const char *digits = clang->unit->text + node->begin;
    const bool binary = digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B');
    errno = 0;
    const unsigned long long value = binary ? strtoull(digits + 2, NULL, 2) : strtoull(digits, NULL, 0);
    node->is_constant = errno == 0 && value <= INT64_MAX;
    node->value = node->is_constant ? (int64_t)value : 0;
}

/* Character constants and sizeof. */
static void set_evaluated(dvmhcc_node_t *node, CXCursor cursor) {
    CXEvalResult result = clang_Cursor_Evaluate(cursor);
    if (result == NULL)
        return;
    if (clang_EvalResult_getKind(result) == CXEval_Int) {
        node->value = clang_EvalResult_getAsLongLong(result);
        node->is_constant = true;
    }
    clang_EvalResult_dispose(result);
}

static void set_name(dvmhcc_clang_t *clang, dvmhcc_node_t *node, CXCursor cursor) {
    const CXCursor referenced = clang_getCursorReferenced(cursor);
    if (clang_Cursor_isNull(referenced))
        return;
    node->entity = dvmhcc_clang_entity(clang, referenced);
    if (node->entity != NULL && node->entity->kind == DVMHCC_ENTITY_ENUMERATOR) {
        node->is_constant = true;
        node->value = node->entity->value;
    }
}

static void set_label(dvmhcc_clang_t *clang, dvmhcc_node_t *node, CXCursor cursor) {
    const dvmhcc_unit_t *unit = clang->unit;
    size_t at = node->begin;
    if (clang_getCursorKind(cursor) == CXCursor_IndirectGotoStmt)
        return;
    if (node->kind == DVMHCC_NODE_GOTO)
        at = dvmhcc_c_next(unit->text, unit->length, at + strlen("goto"));
    node->text = copy_range(clang, at, dvmhcc_c_word_end(unit->text, unit->length, at));
}

static void set_leaf(dvmhcc_clang_t *clang, dvmhcc_node_t *node, CXCursor cursor) {
    switch (node->kind) {
    case DVMHCC_NODE_NAME:
    case DVMHCC_NODE_MEMBER:
        set_name(clang, node, cursor);
        break;
    case DVMHCC_NODE_INTEGER:
        set_integer(clang, node);
        break;
    case DVMHCC_NODE_CHARACTER:
    case DVMHCC_NODE_SIZEOF:
        set_evaluated(node, cursor);
        break;
    case DVMHCC_NODE_UNARY:
        node->operation = unary_operator(clang_getCursorUnaryOperatorKind(cursor));
        break;
    case DVMHCC_NODE_BINARY:
    case DVMHCC_NODE_ASSIGN:
        set_binary(node, clang_getCursorBinaryOperatorKind(cursor));
        break;
    case DVMHCC_NODE_LABEL:
    case DVMHCC_NODE_GOTO:
        set_label(clang, node, cursor);
        break;
    default:
        break;
    }
}

/* ---- statements */

static bool ends_with_semicolon(dvmhcc_node_kind_t kind) {
    return kind == DVMHCC_NODE_EXPRESSION || kind == DVMHCC_NODE_DO || kind == DVMHCC_NODE_GOTO ||
           kind == DVMHCC_NODE_BREAK || kind == DVMHCC_NODE_CONTINUE || kind == DVMHCC_NODE_RETURN ||
           kind == DVMHCC_NODE_OTHER_STATEMENT;
}

/* libclang ends a statement before its ';', and one that ends with another where that one did. */
static void set_end(const dvmhcc_clang_t *clang, dvmhcc_node_t *node) {
    const dvmhcc_unit_t *unit = clang->unit;
    for (int i = 0; i < node->count; i++) {
        if (node->children[i] != NULL && node->children[i]->end > node->end)
            node->end = node->children[i]->end;
    }
    if (!ends_with_semicolon(node->kind))
        return;
    const size_t at = dvmhcc_c_next(unit->text, unit->length, node->end);
    if (at < unit->length && unit->text[at] == ';' && node->end > 0 && unit->text[node->end - 1] != ';')
        node->end = at + 1;
}

static bool make_room(dvmhcc_clang_t *clang, dvmhcc_node_t *node, size_t count) {
    node->children = dvmhcc_clang_take(clang, (count + 1) * sizeof(dvmhcc_node_t *));
    node->count = (int)count;
    return node->children != NULL;
}

/* A statement, where an expression stands as one. */
static dvmhcc_node_t *read_statement(dvmhcc_clang_t *clang, CXCursor cursor, dvmhcc_node_t *parent) {
    if (!clang_isExpression(clang_getCursorKind(cursor)))
        return dvmhcc_clang_node(clang, cursor, parent);
    dvmhcc_node_t *node = dvmhcc_clang_take(clang, sizeof *node);
    if (node == NULL || !make_room(clang, node, 1))
        return NULL;
    node->kind = DVMHCC_NODE_EXPRESSION;
    node->parent = parent;
    node->children[0] = dvmhcc_clang_node(clang, cursor, node);
    if (node->children[0] == NULL)
        return NULL;
    node->begin = node->children[0]->begin;
    node->end = node->children[0]->end;
    set_end(clang, node);
    return node;
}

/* Which child of a `for` a cursor is: its place among the ';' tells. */
static int part_of_for(const dvmhcc_clang_t *clang, const dvmhcc_node_t *node, CXCursor cursor) {
    const char *text = clang->unit->text;
    size_t begin, end;
    dvmhcc_clang_range(clang, cursor, &begin, &end);
    const size_t open = dvmhcc_c_find(text, node->end, node->begin, "(") + 1;
    const size_t first = dvmhcc_c_find(text, node->end, open, ";");
    const size_t second = first < node->end ? dvmhcc_c_find(text, node->end, first + 1, ";") : node->end;
    const size_t close = second < node->end ? dvmhcc_c_find(text, node->end, second + 1, ")") : node->end;
    return begin < first ? 0 : begin < second ? 1 : begin < close ? 2 : 3;
}

/* The number of a child in its parent, as ast.h lists them. @param index  of count children that are there */
static int slot_of(const dvmhcc_clang_t *clang, const dvmhcc_node_t *node, CXCursor cursor, int index,
                   int count) {
    if (node->kind == DVMHCC_NODE_FOR)
        return part_of_for(clang, node, cursor);
    if (node->kind == DVMHCC_NODE_CASE)
        return index == count - 1 ? 2 : index;
    return index;
}

static int slot_count(dvmhcc_node_kind_t kind, int count) {
    switch (kind) {
    case DVMHCC_NODE_FOR:
        return 4;
    case DVMHCC_NODE_IF:
    case DVMHCC_NODE_CASE:
        return 3;
    case DVMHCC_NODE_RETURN:
        return 1;
    default:
        return count;
    }
}

static bool child_is_statement(const dvmhcc_node_t *node, int slot) {
    switch (node->kind) {
    case DVMHCC_NODE_COMPOUND:
    case DVMHCC_NODE_DEFAULT:
    case DVMHCC_NODE_LABEL:
        return true;
    case DVMHCC_NODE_IF:
    case DVMHCC_NODE_WHILE:
    case DVMHCC_NODE_SWITCH:
        return slot > 0;
    case DVMHCC_NODE_DO:
        return slot == 0;
    case DVMHCC_NODE_FOR:
        return slot == 0 || slot == 3;
    case DVMHCC_NODE_CASE:
        return slot == 2;
    default:
        return false;
    }
}

static void read_declarations(dvmhcc_clang_t *clang, dvmhcc_node_t *node, size_t first, size_t end) {
    node->declarators = dvmhcc_clang_take(clang, (end - first + 1) * sizeof(dvmhcc_declarator_t *));
    for (size_t i = first; i < end && !clang->failed; i++) {
        dvmhcc_declarator_t *declarator = dvmhcc_clang_declare(clang, clang->cursors[i], node);
        if (declarator != NULL)
            node->declarators[node->declarator_count++] = declarator;
    }
}

/* Types and field names are no children; a cast keeps its operand, which is the last one. */
static size_t keep_children(dvmhcc_clang_t *clang, dvmhcc_node_t *node, size_t first) {
    size_t count = first;
    for (size_t i = first; i < clang->cursor_count; i++) {
        if (!clang_isDeclaration(clang_getCursorKind(clang->cursors[i])))
            clang->cursors[count++] = clang->cursors[i];
    }
    clang->cursor_count = count;
    if (node->kind == DVMHCC_NODE_CAST && count > first + 1) {
        clang->cursors[first] = clang->cursors[count - 1];
        clang->cursor_count = first + 1;
    }
    return clang->cursor_count - first;
}

static void read_children(dvmhcc_clang_t *clang, dvmhcc_node_t *node, CXCursor cursor) {
    const size_t first = dvmhcc_clang_push(clang, cursor);
    if (node->kind == DVMHCC_NODE_DECLARATION) {
        read_declarations(clang, node, first, clang->cursor_count);
    } else {
        const size_t count = keep_children(clang, node, first);
        const int slots = slot_count(node->kind, (int)count);
        if (!make_room(clang, node, (size_t)slots))
            return;
        for (size_t i = 0; i < count && !clang->failed; i++) {
            const CXCursor child = clang->cursors[first + i];
            const int slot = slot_of(clang, node, child, (int)i, (int)count);
            if (slot >= slots)
                continue;
            node->children[slot] = child_is_statement(node, slot) ? read_statement(clang, child, node)
                                                                  : dvmhcc_clang_node(clang, child, node);
        }
    }
    clang->cursor_count = first;
}

/* ---- any node */

static bool same_range(const dvmhcc_clang_t *clang, CXCursor a, CXCursor b) {
    size_t a_begin, a_end, b_begin, b_end;
    dvmhcc_clang_range(clang, a, &a_begin, &a_end);
    dvmhcc_clang_range(clang, b, &b_begin, &b_end);
    return a_begin == b_begin && a_end == b_end;
}

/* Go below conversions that C makes silently: libclang does not expose them, and they cover just their operand. */
static CXCursor below_conversions(dvmhcc_clang_t *clang, CXCursor cursor) {
    while (clang_getCursorKind(cursor) == CXCursor_UnexposedExpr) {
        const size_t first = dvmhcc_clang_push(clang, cursor);
        const size_t count = clang->cursor_count - first;
        const CXCursor child = count == 1 ? clang->cursors[first] : cursor;
        clang->cursor_count = first;
        if (count != 1 || !clang_isExpression(clang_getCursorKind(child)) ||
            !same_range(clang, cursor, child))
            return cursor;
        cursor = child;
    }
    return cursor;
}

static bool too_deep(dvmhcc_clang_t *clang, size_t offset) {
    if (clang->depth < DVMHCC_AST_DEPTH_MAX)
        return false;
    if (!clang->failed) {
        const dvmhcc_place_t place = dvmhcc_source_place(clang->unit->source, offset);
        dvmhcc_report(DVMHCC_ERROR, &place, "statements or expressions are nested more than %d deep here",
                      DVMHCC_AST_DEPTH_MAX);
    }
    clang->failed = true;
    return true;
}

/* Values are never arrays. */
static void set_type(dvmhcc_clang_t *clang, dvmhcc_node_t *node) {
    switch (node->kind) {
    case DVMHCC_NODE_NAME:
        if (node->entity != NULL && node->entity->kind == DVMHCC_ENTITY_PARAMETER)
            node->type = node->entity->type;
        break;
    case DVMHCC_NODE_PAREN:
        if (node->count > 0)
            node->type = node->children[0]->type;
        break;
    case DVMHCC_NODE_UNARY:
        if (node->operation == DVMHCC_OPERATOR_DEREFERENCE)
            break;
        /* fall through */
    case DVMHCC_NODE_BINARY:
    case DVMHCC_NODE_ASSIGN:
    case DVMHCC_NODE_CONDITIONAL:
    case DVMHCC_NODE_CALL:
        node->type = dvmhcc_clang_decay(clang, node->type);
        break;
    default:
        break;
    }
}

static bool is_address(const dvmhcc_node_t *node) {
    return node->type != NULL &&
           (node->type->kind == DVMHCC_TYPE_POINTER || node->type->kind == DVMHCC_TYPE_ARRAY);
}

/* `i[A]` means A[i]. */
static void swap_children(dvmhcc_node_t *node) {
    dvmhcc_node_t *index = node->children[0];
    node->children[0] = node->children[1];
    node->children[1] = index;
}

dvmhcc_node_t *dvmhcc_clang_node(dvmhcc_clang_t *clang, CXCursor cursor, dvmhcc_node_t *parent) {
    cursor = below_conversions(clang, cursor);
    dvmhcc_node_t *node = dvmhcc_clang_take(clang, sizeof *node);
    if (node == NULL)
        return NULL;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    node->kind = kind_of(kind);
    node->parent = parent;
    dvmhcc_clang_range(clang, cursor, &node->begin, &node->end);
    if (too_deep(clang, node->begin))
        return NULL;
    if (clang_isExpression(kind))
        node->type = dvmhcc_clang_type(clang, clang_getCursorType(cursor));
    set_leaf(clang, node, cursor);
    const size_t outer_end = clang->scope_end;
    if ((node->kind == DVMHCC_NODE_COMPOUND || node->kind == DVMHCC_NODE_FOR) && node->end > node->begin)
        clang->scope_end = node->end;
    clang->depth++;
    read_children(clang, node, cursor);
    clang->depth--;
    clang->scope_end = outer_end;
    set_type(clang, node);
    if (clang->failed)
        return NULL;
    if (dvmhcc_is_statement(node))
        set_end(clang, node);
    if (node->kind == DVMHCC_NODE_MEMBER)
        node->is_arrow = node->count > 0 && is_address(node->children[0]);
    if (node->kind == DVMHCC_NODE_SUBSCRIPT && node->count == 2 && !is_address(node->children[0]))
        swap_children(node);
    dvmhcc_node_fold(node);
    return node;
}
