/* What the files of the directive parser share: the words being read, errors, lists, brackets, clauses, expressions. Private to
 * them; others include directive.h.
 *
 * How it goes on after an error: brackets always match (the lexer has seen to that), so whatever goes wrong inside of one, the
 * parser goes on behind it. Every function reads from parser->at up to parser->end, never beyond; an opened list or group
 * narrows `end` and closing it puts it back. A fault ends the entry that it is in, and the next entry is read afresh. */
#ifndef DVMHCC_DIRECTIVE_PARSER_H
#define DVMHCC_DIRECTIVE_PARSER_H

#include "compiler-hooks/dvmhcc/directive.h"

typedef struct dvmhcc_known_rank {
    dvmhcc_name_t name;
    int rank;
    struct dvmhcc_known_rank *next;
} dvmhcc_known_rank_t;

typedef struct dvmhcc_parser {
    dvmhcc_arena_t *arena;
    const dvmhcc_directive_source_t *source;
    const dvmhcc_token_t *tokens;
    int at;  /* the next word */
    int end; /* the first word that does not belong to what is being read; tokens[end] exists */
    dvmhcc_directive_t *directive;
    dvmhcc_known_rank_t *ranks; /* of the arrays named so far */
    int faults, warnings;       /* told so far */
    bool no_memory;
    bool stop; /* no memory, or too many faults: every loop ends */
} dvmhcc_parser_t;

/* ---- words and memory (directive_parser.c) ---- */

/** Zeroed memory of the arena. @return NULL when there is none: recorded, and the parser stops */
void *dvmhcc_take(dvmhcc_parser_t *parser, size_t bytes);

/** Whether the next word is there and is this one. */
bool dvmhcc_next_is(const dvmhcc_parser_t *parser, const char *text);

/** The part of the text that words first..end-1 take up; first < end. */
dvmhcc_span_t dvmhcc_span_of(const dvmhcc_parser_t *parser, int first, int end);

/** Read a name into *name_p. @return false: something else stands there and "expected WHAT" was told */
bool dvmhcc_read_name(dvmhcc_parser_t *parser, const char *what, dvmhcc_name_t *name_p);

bool dvmhcc_same_name(const dvmhcc_name_t *a, const dvmhcc_name_t *b);

/** Position of a word in a list that ends with NULL; -1 when it is not there. */
int dvmhcc_word_in(const dvmhcc_token_t *token, const char *const words[]);

/* ---- errors (directive_fault.c) ---- */

/** Tell an error about a part of the text, and mark the directive as faulty. */
void dvmhcc_fault(dvmhcc_parser_t *parser, dvmhcc_span_t span, const char *format, ...) RTS_PRINTF(3, 4);

/** The same for what is legal but hardly meant; the directive stays good. */
void dvmhcc_warning(dvmhcc_parser_t *parser, dvmhcc_span_t span, const char *format, ...) RTS_PRINTF(3, 4);

/** "expected ..., got 'word'", about the next word. */
void dvmhcc_expected(dvmhcc_parser_t *parser, const char *format, ...) RTS_PRINTF(2, 3);

/** "unknown WHAT 'word'; did you mean 'x'? expected one of ...", about the next word. `what` such as "clause", `of` such as
 * " of 'region'" or "". */
void dvmhcc_unknown(dvmhcc_parser_t *parser, const char *what, const char *of, const char *const words[]);

/** Tell an error unless the array has had no other rank in this directive. */
void dvmhcc_note_rank(dvmhcc_parser_t *parser, const dvmhcc_name_t *name, int rank);

/* ---- lists, groups, axes, clauses (directive_parser.c) ---- */

/** Entries with commas between them. `while (dvmhcc_list_next(...))` reads one entry each. */
typedef struct dvmhcc_list {
    const char *entry; /* "a variable": what an empty entry should have been */
    bool may_be_empty; /* set after opening */
    bool begun;
    int close, after;      /* the word that ends the list, and where to go on */
    int outer_end, faults; /* to put back; parser's count when the entry began */
} dvmhcc_list_t;

/** Open a list at '('. `after` is the word before it. @return false: there is no '(', told */
bool dvmhcc_list_open(dvmhcc_parser_t *parser, dvmhcc_list_t *list, const char *after, const char *entry);

/** A list without brackets: the rest of what is being read. */
void dvmhcc_list_open_rest(dvmhcc_parser_t *parser, dvmhcc_list_t *list, const char *entry);

/** Go to the next entry, [at, end) of the parser, never empty. What the last one left unread is told.
 * @return false: there is none, and the parser stands behind the list */
bool dvmhcc_list_next(dvmhcc_parser_t *parser, dvmhcc_list_t *list);

typedef struct dvmhcc_group {
    int outer_end, faults;
} dvmhcc_group_t;

/** Go inside a bracket, "(" or "[". @return false: the next word is another; nothing told */
bool dvmhcc_group_open(dvmhcc_parser_t *parser, dvmhcc_group_t *group, const char *bracket);

/** Go behind it. What was left unread is told. */
void dvmhcc_group_close(dvmhcc_parser_t *parser, dvmhcc_group_t *group);

/** [..][..]..; all zero at the start. `while (dvmhcc_axis_next(...))` reads axis number `rank`, from 1. */
typedef struct dvmhcc_axes {
    int rank;
    bool open;
    dvmhcc_group_t group;
} dvmhcc_axes_t;

/** Go inside the next pair of square brackets, which may be empty. More than DVMHCC_RANK_MAX are told and skipped. */
bool dvmhcc_axis_next(dvmhcc_parser_t *parser, dvmhcc_axes_t *axes);

/** name(...) name(...), with or without commas between them; `words` and `directive` set, the rest zero. */
typedef struct dvmhcc_clauses {
    const char *const *words;
    const char *directive;
    const char *const *unsupported; /* NULL: none */
    bool begun;
    bool lost; /* set by who reads a clause: it did not even begin as it should */
} dvmhcc_clauses_t;

/** Read the next clause's name. @return its position in words, -1 when there is none; unknown ones are told */
int dvmhcc_clause_next(dvmhcc_parser_t *parser, dvmhcc_clauses_t *clauses);

/** Tell an error unless this clause, whose name was read last, is the first of its kind. @return whether it is */
bool dvmhcc_clause_once(dvmhcc_parser_t *parser, bool seen);

/* ---- expressions (directive_expression.c, directive_affine.c) ---- */

/** Read words up to `end` as an expression. @return false: there is none, or it is none, told; at `end` anyway */
bool dvmhcc_read_expression(dvmhcc_parser_t *parser, int end, const char *what,
                            dvmhcc_expression_t *expression_p);

/** The same, for what counts something: a known value below `least` is told. */
void dvmhcc_read_count(dvmhcc_parser_t *parser, const char *what, int least, dvmhcc_expression_t *count_p);

/** [low:high] inside of its brackets. Widths must both be there and not be negative; bounds may be left out. */
void dvmhcc_read_widths(dvmhcc_parser_t *parser, dvmhcc_range_t *range_p);
void dvmhcc_read_bounds(dvmhcc_parser_t *parser, dvmhcc_range_t *range_p);

/** Value of words first..end-1 when they are whole numbers, + - * / % and brackets, and nothing overflows. */
bool dvmhcc_evaluate(const dvmhcc_token_t *tokens, int first, int end, int64_t *value_p);

/** Whether an operand of C may end with this word, so that a + or * behind it has two operands. */
bool dvmhcc_ends_operand(const dvmhcc_token_t *token);

/** A text of C that grows; all zero is empty. */
typedef struct dvmhcc_formula {
    char *data;
    size_t length, capacity;
} dvmhcc_formula_t;

void dvmhcc_formula_add(dvmhcc_parser_t *parser, dvmhcc_formula_t *text, const char *piece, size_t length);

/** Add words first..end-1; white space between them becomes one blank. */
void dvmhcc_formula_add_words(dvmhcc_parser_t *parser, dvmhcc_formula_t *text, int first, int end);

/** Read one subscript inside of its brackets. Names of mapping->indexes are indexes; mapping NULL: there are none. */
void dvmhcc_read_subscript(dvmhcc_parser_t *parser, const dvmhcc_mapping_t *mapping,
                           dvmhcc_subscript_t *subscript_p);

/* ---- directives and what they share ---- */

/** [i][j], names of indexes; empty brackets where empty_too. */
void dvmhcc_read_indexes(dvmhcc_parser_t *parser, dvmhcc_mapping_t *mapping, bool empty_too);

/** on T[..] or with T[..]; `word` says which. */
void dvmhcc_read_target(dvmhcc_parser_t *parser, dvmhcc_mapping_t *mapping, const char *word);

/** Lists of clauses: entries are added at *tail, which moves on. @return false: no '(' */
bool dvmhcc_read_names(dvmhcc_parser_t *parser, const char *after, dvmhcc_names_t ***tail);
bool dvmhcc_read_data(dvmhcc_parser_t *parser, const char *after, int intent, dvmhcc_data_t ***tail);
bool dvmhcc_read_shadow_renew(dvmhcc_parser_t *parser, dvmhcc_widths_t ***tail);
bool dvmhcc_read_across(dvmhcc_parser_t *parser, dvmhcc_widths_t ***tail);
bool dvmhcc_read_remote_access(dvmhcc_parser_t *parser, const dvmhcc_mapping_t *mapping,
                               dvmhcc_reference_t ***tail);

/* Each reads the rest of the directive behind its name. */
void dvmhcc_parse_actual(dvmhcc_parser_t *parser);
void dvmhcc_parse_array(dvmhcc_parser_t *parser);
void dvmhcc_parse_exitinterval(dvmhcc_parser_t *parser);
void dvmhcc_parse_inherit(dvmhcc_parser_t *parser);
void dvmhcc_parse_interval(dvmhcc_parser_t *parser);
void dvmhcc_parse_parallel(dvmhcc_parser_t *parser);
void dvmhcc_parse_realign(dvmhcc_parser_t *parser);
void dvmhcc_parse_redistribute(dvmhcc_parser_t *parser);
void dvmhcc_parse_region(dvmhcc_parser_t *parser);
void dvmhcc_parse_remote_access(dvmhcc_parser_t *parser);
void dvmhcc_parse_shadow_renew(dvmhcc_parser_t *parser);
void dvmhcc_parse_template(dvmhcc_parser_t *parser);

#endif
