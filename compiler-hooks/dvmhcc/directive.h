/* One directive, `#pragma dvm ...`, as a tree of plain structs, and the function that makes it from the directive's text.
 * docs/language.md is the language. Decides what can be decided from the text alone: syntax, ranks and names that contradict
 * each other inside the directive, numbers that are out of range. Whether a name is a distributed array or a loop variable is
 * for later modules. Single-threaded.
 *
 * Lists are linked, in the order of the text. Everything lies in the arena that was given to the parser. A text of C is never
 * NULL where it is there, and NULL where the language lets it be left out and it was. */
#ifndef DVMHCC_DIRECTIVE_H
#define DVMHCC_DIRECTIVE_H

#include "compiler-hooks/dvmhcc/diagnostic.h"
#include "compiler-hooks/dvmhcc/directive_arena.h"
#include "compiler-hooks/dvmhcc/directive_lexer.h"
#include "rts/status.h"

#include <stdbool.h>
#include <stdint.h>

/** Largest rank of an array, a template or a loop; that of the runtime. */
#define DVMHCC_RANK_MAX 8

/** Errors told about one directive, and as many warnings; further ones are not worth reading. */
#define DVMHCC_DIRECTIVE_FAULTS_MAX 20

/** A part of the directive's text, in bytes. */
typedef struct dvmhcc_span {
    size_t offset, length;
} dvmhcc_span_t;

typedef struct dvmhcc_name {
    const char *text;
    dvmhcc_span_t span;
} dvmhcc_name_t;

/** A value that C can compute. */
typedef struct dvmhcc_constant {
    const char *text; /* C; white space and comments as one blank */
    bool known;       /* made of whole numbers alone, and the value fits */
    int64_t value;    /* if known */
} dvmhcc_constant_t;

typedef struct dvmhcc_expression {
    dvmhcc_constant_t constant; /* text NULL: left out */
    dvmhcc_span_t span;
    const dvmhcc_token_t *tokens; /* count of them */
    int count;
} dvmhcc_expression_t;

/** Bounds or widths in one pair of brackets. [x] is [x:x]. */
typedef struct dvmhcc_range {
    bool single; /* one expression stands there, low and high are equal */
    dvmhcc_expression_t low, high;
} dvmhcc_range_t;

typedef struct dvmhcc_names {
    dvmhcc_name_t name;
    struct dvmhcc_names *next;
} dvmhcc_names_t;

typedef struct dvmhcc_expressions {
    dvmhcc_expression_t expression;
    struct dvmhcc_expressions *next;
} dvmhcc_expressions_t;

/* ---- how arrays lie ---- */

typedef enum dvmhcc_axis_kind {
    DVMHCC_AXIS_WHOLE, /* [*] or []: every process has the whole axis */
    DVMHCC_AXIS_BLOCK,
    DVMHCC_AXIS_WGTBLOCK,  /* array: weights, value: their number */
    DVMHCC_AXIS_GENBLOCK,  /* array: extents */
    DVMHCC_AXIS_MULTBLOCK, /* value: borders are multiples of it */
} dvmhcc_axis_kind_t;

typedef struct dvmhcc_axis_rule {
    dvmhcc_axis_kind_t kind;
    dvmhcc_span_t span;
    dvmhcc_name_t array;
    dvmhcc_expression_t value;
} dvmhcc_axis_rule_t;

typedef struct dvmhcc_distribution {
    int rank;
    dvmhcc_axis_rule_t axes[DVMHCC_RANK_MAX];
} dvmhcc_distribution_t;

typedef enum dvmhcc_subscript_kind {
    DVMHCC_SUBSCRIPT_ALL,      /* []: every element */
    DVMHCC_SUBSCRIPT_CONSTANT, /* an expression without an index of the directive */
    DVMHCC_SUBSCRIPT_INDEX     /* coefficient * index + summand */
} dvmhcc_subscript_kind_t;

typedef struct dvmhcc_subscript {
    dvmhcc_subscript_kind_t kind;
    dvmhcc_span_t span;                     /* with its brackets */
    dvmhcc_expression_t whole;              /* what stands there; not for ALL */
    int index;                              /* for INDEX: which of the mapping's, from 0 */
    dvmhcc_constant_t coefficient, summand; /* for INDEX; texts that stand for themselves under * and + */
} dvmhcc_subscript_t;

/** [i][j] with T[j][2*i+1], and [i][j] on A[i][j] of a loop. */
typedef struct dvmhcc_mapping {
    int index_count;
    dvmhcc_name_t indexes[DVMHCC_RANK_MAX]; /* text NULL: empty brackets, for align only */
    dvmhcc_name_t target;                   /* text NULL: a loop without `on` */
    int target_rank;
    dvmhcc_subscript_t subscripts[DVMHCC_RANK_MAX];
} dvmhcc_mapping_t;

/* ---- lists of arrays and variables ---- */

/** A[1:2][0:1]: shadow edges, or dependences of across. */
typedef struct dvmhcc_widths {
    dvmhcc_name_t array;
    bool corner;                          /* shadow_renew */
    bool out;                             /* across */
    int rank;                             /* 0: no widths stand there, those of the declaration count */
    dvmhcc_range_t axes[DVMHCC_RANK_MAX]; /* low: to lower indices, flow; high: to higher ones, anti */
    struct dvmhcc_widths *next;
} dvmhcc_widths_t;

/** What a region does with a variable, as bits. */
enum { DVMHCC_INTENT_IN = 1, DVMHCC_INTENT_OUT = 2, DVMHCC_INTENT_LOCAL = 4, DVMHCC_INTENT_USE = 8 };

/** x, A or A[1:n][0]. */
typedef struct dvmhcc_data {
    dvmhcc_name_t variable;
    int intent;                           /* of a region; else 0 */
    int rank;                             /* 0: all of it */
    dvmhcc_range_t axes[DVMHCC_RANK_MAX]; /* a bound that is left out is the array's */
    struct dvmhcc_data *next;
} dvmhcc_data_t;

/** A[i][]: elements that other processes may have. */
typedef struct dvmhcc_reference {
    dvmhcc_name_t array;
    int rank;
    dvmhcc_subscript_t axes[DVMHCC_RANK_MAX];
    struct dvmhcc_reference *next;
} dvmhcc_reference_t;

/* ---- loops ---- */

typedef enum dvmhcc_operation {
    DVMHCC_SUM,
    DVMHCC_PRODUCT,
    DVMHCC_MAX,
    DVMHCC_MIN,
    DVMHCC_AND,
    DVMHCC_OR,
    DVMHCC_XOR,
    DVMHCC_MAXLOC,
    DVMHCC_MINLOC
} dvmhcc_operation_t;

typedef struct dvmhcc_reduction {
    dvmhcc_operation_t operation;
    dvmhcc_name_t variable;
    dvmhcc_name_t location;            /* of maxloc and minloc */
    dvmhcc_expression_t location_size; /* its elements; may be left out */
    struct dvmhcc_reduction *next;
} dvmhcc_reduction_t;

/** A[i][-j][]: which dim walks which axis. */
typedef struct dvmhcc_tie {
    dvmhcc_name_t array;
    int rank;
    int axes[DVMHCC_RANK_MAX]; /* dim from 1, negative when it runs backwards along the axis, 0 none */
    struct dvmhcc_tie *next;
} dvmhcc_tie_t;

/* ---- directives ---- */

typedef enum dvmhcc_directive_kind {
    DVMHCC_UNKNOWN, /* no directive of this name; faulty */
    DVMHCC_ACTUAL,
    DVMHCC_ARRAY,
    DVMHCC_ENDINTERVAL,
    DVMHCC_EXITINTERVAL,
    DVMHCC_GET_ACTUAL,
    DVMHCC_HOST_SECTION,
    DVMHCC_INHERIT,
    DVMHCC_INTERVAL,
    DVMHCC_PARALLEL,
    DVMHCC_REALIGN,
    DVMHCC_REDISTRIBUTE,
    DVMHCC_REGION,
    DVMHCC_REMOTE_ACCESS,
    DVMHCC_ROUTINE,
    DVMHCC_SHADOW_RENEW,
    DVMHCC_TEMPLATE,
    DVMHCC_UNSUPPORTED /* unstructured arrays and others; faulty */
} dvmhcc_directive_kind_t;

/** array and template. */
typedef struct dvmhcc_declaration {
    int rank; /* 0: nothing tells it; known when sizes, distribute, align or shadow stand there */
    dvmhcc_expression_t sizes[DVMHCC_RANK_MAX]; /* of a template */
    bool has_sizes, has_distribution, has_alignment, has_shadow;
    bool dynamic;
    dvmhcc_distribution_t distribution;
    dvmhcc_mapping_t alignment;
    dvmhcc_range_t shadow[DVMHCC_RANK_MAX];
} dvmhcc_declaration_t;

/** redistribute and realign. */
typedef struct dvmhcc_redistribution {
    dvmhcc_name_t array;
    dvmhcc_distribution_t distribution; /* redistribute */
    dvmhcc_mapping_t alignment;         /* realign */
    bool new_value;                     /* realign: the old values need not be kept */
} dvmhcc_redistribution_t;

/** Devices of a region, as bits; 0: any. */
enum { DVMHCC_TARGET_HOST = 1, DVMHCC_TARGET_CUDA = 2 };

typedef struct dvmhcc_region {
    dvmhcc_data_t *data;
    int targets;
    bool async;
} dvmhcc_region_t;

typedef struct dvmhcc_parallel {
    int rank;
    dvmhcc_mapping_t mapping; /* index_count 0: parallel(rank) */
    dvmhcc_names_t *privates;
    dvmhcc_reduction_t *reductions;
    dvmhcc_widths_t *acrosses;
    dvmhcc_widths_t *shadow_renews;
    dvmhcc_reference_t *remote_accesses;
    dvmhcc_tie_t *ties;
    int cuda_block_rank; /* 0: no such clause */
    dvmhcc_expression_t cuda_block[3];
    dvmhcc_expression_t stage; /* text NULL: no such clause */
} dvmhcc_parallel_t;

typedef struct dvmhcc_directive {
    dvmhcc_directive_kind_t kind;
    dvmhcc_name_t name; /* the word as written; text NULL when none stands there */
    bool faulty;        /* errors were told; what the tree holds may be incomplete, but is no less valid */
    union {
        dvmhcc_declaration_t declaration;       /* array, template */
        dvmhcc_redistribution_t redistribution; /* redistribute, realign */
        dvmhcc_region_t region;
        dvmhcc_parallel_t parallel;
        dvmhcc_data_t *data;                 /* actual, get_actual; NULL: everything */
        dvmhcc_names_t *names;               /* inherit */
        dvmhcc_reference_t *remote_accesses; /* remote_access */
        dvmhcc_widths_t *shadow_renews;      /* shadow_renew */
        dvmhcc_expressions_t *intervals;     /* interval (one or none), exitinterval */
    } is;
} dvmhcc_directive_t;

/** A directive's text, and where it came from. */
typedef struct dvmhcc_directive_source {
    const char *text; /* what follows `#pragma dvm`: macros expanded, lines joined or not; need not live on */
    size_t length;
    /** The place of length bytes from offset on, 0 <= offset <= the text's length; fills all of *place_p. */
    void (*place)(void *context, size_t offset, size_t length, dvmhcc_place_t *place_p);
    void *context;
} dvmhcc_directive_source_t;

/**
 * Parse one directive and tell all errors in it.
 *
 * @param arena        receives the tree and all that it points to
 * @param source       any bytes
 * @param directive_p  receives the tree, also after errors; its `faulty` says whether there were any
 * Errors in the directive go to dvmhcc_report, at most DVMHCC_DIRECTIVE_FAULTS_MAX and a line that says that there are more.
 * @return RTS_OK             also when the directive is faulty
 * @return RTS_ERR_NO_MEMORY  *directive_p is unchanged
 */
rts_status_t dvmhcc_directive_parse(dvmhcc_arena_t *arena, const dvmhcc_directive_source_t *source,
                                    const dvmhcc_directive_t **directive_p);

/** The word of an operation, such as "maxloc". Never NULL. */
const char *dvmhcc_operation_name(dvmhcc_operation_t operation);

#endif
