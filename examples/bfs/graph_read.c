/* Readers of edge lists, Matrix Market and METIS. They are strict: what a format does not allow is told, since a graph that was read
 * wrongly gives levels that look right. */
#include "examples/bfs/graph_read.h"
#include "examples/bfs/support.h"
#include "examples/bfs/text.h"

#include <string.h>

#define COMMENTS_EDGES         "#%"
#define COMMENTS_MATRIX_MARKET "%"
#define COMMENTS_METIS         "%"

#define ENTRIES_MAX (INT64_MAX / 64)

static int64_t count_so_far(const bfs_edges_t *edges) {
    return edges->passed + edges->count;
}

/* ---- edge lists ---- */

static void read_edges(bfs_text_t *text, const bfs_reading_t *reading, bfs_edges_t *edges) {
    const int64_t base = reading->base;
    int64_t expected = -1, last = BFS_VERTICES_MAX - 1 + base, greatest = -1;

    if (reading->has_counts) {
        if (!bfs_text_find_line(text, COMMENTS_EDGES))
            bfs_text_refuse(text, "the numbers of vertices and of edges");
        edges->vertices = bfs_text_number(text, 0, BFS_VERTICES_MAX, "the number of vertices");
        expected = bfs_text_number(text, 0, ENTRIES_MAX, "the number of edges");
        bfs_text_end_line(text, "two numbers");
        last = edges->vertices - 1 + base;
        (void)bfs_text_next_line(text);
    }
    while (bfs_text_find_line(text, COMMENTS_EDGES)) {
        const int64_t from = bfs_text_number(text, base, last, "a vertex");
        const int64_t to = bfs_text_number(text, base, last, "a vertex");

        if (count_so_far(edges) == expected)
            bfs_text_refuse(text, "no more edges than the first line says");
        while (bfs_text_has_word(text))
            bfs_text_skip_number(text, "two vertices, and numbers after them");
        bfs_edges_add(edges, (bfs_vertex_t)(from - base), (bfs_vertex_t)(to - base));
        greatest = from - base > greatest ? from - base : greatest;
        greatest = to - base > greatest ? to - base : greatest;
        (void)bfs_text_next_line(text);
    }
    if (expected >= 0 && count_so_far(edges) < expected)
        bfs_text_refuse(text, "as many edges as the first line says");
    if (!reading->has_counts)
        edges->vertices = greatest + 1;
}

/* ---- Matrix Market ---- */

/* What the banner says; without one: numbers are ignored, so any are allowed. */
typedef struct matrix_kind {
    bool has_banner;
    int numbers;       /* after the two indices */
    bool is_symmetric; /* entries stand for both directions */
} matrix_kind_t;

static void read_banner(bfs_text_t *text, matrix_kind_t *kind_p) {
    matrix_kind_t kind = {.has_banner = true};

    if (!bfs_text_take(text, "matrix"))
        bfs_text_refuse(text, "matrix");
    if (!bfs_text_take(text, "coordinate"))
        bfs_text_refuse(text, "coordinate");
    if (bfs_text_take(text, "real") || bfs_text_take(text, "integer"))
        kind.numbers = 1;
    else if (bfs_text_take(text, "complex"))
        kind.numbers = 2;
    else if (!bfs_text_take(text, "pattern"))
        bfs_text_refuse(text, "pattern, real, integer or complex");
    if (bfs_text_take(text, "symmetric") || bfs_text_take(text, "skew-symmetric") ||
        bfs_text_take(text, "hermitian"))
        kind.is_symmetric = true;
    else if (!bfs_text_take(text, "general"))
        bfs_text_refuse(text, "general, symmetric, skew-symmetric or hermitian");
    bfs_text_end_line(text, "the end of the line");
    (void)bfs_text_next_line(text);
    *kind_p = kind;
}

static void read_sizes(bfs_text_t *text, int64_t *vertices_p, int64_t *entries_p) {
    bfs_text_t columns_at;
    int64_t rows, columns;

    if (!bfs_text_find_line(text, COMMENTS_MATRIX_MARKET))
        bfs_text_refuse(text, "a line with rows, columns and entries");
    rows = bfs_text_number(text, 0, BFS_VERTICES_MAX, "the number of rows");
    (void)bfs_text_has_word(text);
    columns_at = *text;
    columns = bfs_text_number(text, 0, BFS_VERTICES_MAX, "the number of columns");
    if (rows != columns)
        bfs_text_refuse(&columns_at, "as many columns as rows");
    *vertices_p = rows;
    *entries_p = bfs_text_number(text, 0, ENTRIES_MAX, "the number of entries");
    bfs_text_end_line(text, "rows, columns and entries");
    (void)bfs_text_next_line(text);
}

/* Without a banner the line of sizes may be missing: it is there when its three numbers fit the file. */
static bool take_sizes(bfs_text_t *text, int64_t *vertices_p, int64_t *entries_p) {
    bfs_text_t ahead = *text;
    int64_t rows, columns, entries;

    if (!bfs_text_find_line(&ahead, COMMENTS_MATRIX_MARKET) || !bfs_text_try_number(&ahead, &rows) ||
        !bfs_text_try_number(&ahead, &columns) || !bfs_text_try_number(&ahead, &entries) ||
        bfs_text_has_word(&ahead) || rows != columns || rows > BFS_VERTICES_MAX)
        return false;
    (void)bfs_text_next_line(&ahead);
    if (bfs_text_count_lines(&ahead, COMMENTS_MATRIX_MARKET) != entries)
        return false;
    *text = ahead;
    *vertices_p = rows;
    *entries_p = entries;
    return true;
}

static void read_entry(bfs_text_t *text, const matrix_kind_t *kind, int64_t last, bfs_edges_t *edges,
                       int64_t *greatest_p) {
    const int64_t row = bfs_text_number(text, 1, last, "a row");
    const int64_t column = bfs_text_number(text, 1, last, "a column");

    for (int i = 0; i < kind->numbers; i++)
        bfs_text_skip_number(text, "the value of the entry");
    while (!kind->has_banner && bfs_text_has_word(text))
        bfs_text_skip_number(text, "row, column, and numbers after them");
    bfs_text_end_line(text, "the end of the line");
    bfs_edges_add(edges, (bfs_vertex_t)(row - 1), (bfs_vertex_t)(column - 1));
    *greatest_p = row > *greatest_p ? row : *greatest_p;
    *greatest_p = column > *greatest_p ? column : *greatest_p;
}

static void read_matrix(bfs_text_t *text, bool is_directed, bfs_edges_t *edges) {
    matrix_kind_t kind = {.has_banner = false};
    int64_t last = BFS_VERTICES_MAX, expected = -1, greatest = 0, found = 0;
    bool has_sizes = false;

    if (bfs_text_take(text, "%%matrixmarket"))
        read_banner(text, &kind);
    if (kind.has_banner) {
        read_sizes(text, &edges->vertices, &expected);
        has_sizes = true;
    } else {
        has_sizes = take_sizes(text, &edges->vertices, &expected);
    }
    if (has_sizes)
        last = edges->vertices;
    for (; bfs_text_find_line(text, COMMENTS_MATRIX_MARKET); found++) {
        if (found == expected)
            bfs_text_refuse(text, "no more entries than the line of sizes says");
        read_entry(text, &kind, last, edges, &greatest);
        if (is_directed && kind.is_symmetric) {
            const bfs_vertex_t *edge = edges->end[edges->count - 1];

            if (edge[0] != edge[1])
                bfs_edges_add(edges, edge[1], edge[0]);
        }
        (void)bfs_text_next_line(text);
    }
    if (found < expected)
        bfs_text_refuse(text, "as many entries as the line of sizes says");
    if (!has_sizes)
        edges->vertices = greatest;
}

/* ---- METIS ---- */

/* Numbers that stand before the neighbours of a vertex, and after each. */
typedef struct metis_kind {
    int64_t before;
    bool has_edge_weights;
} metis_kind_t;

static void read_metis_head(bfs_text_t *text, int64_t *vertices_p, int64_t *edges_p, metis_kind_t *kind_p) {
    if (!bfs_text_find_line(text, COMMENTS_METIS))
        bfs_text_refuse(text, "the numbers of vertices and of edges");
    *vertices_p = bfs_text_number(text, 0, BFS_VERTICES_MAX, "the number of vertices");
    *edges_p = bfs_text_number(text, 0, ENTRIES_MAX, "the number of edges");
    *kind_p = (metis_kind_t){0};
    if (bfs_text_has_word(text)) {
        const bfs_text_t word = *text;
        const int64_t format = bfs_text_number(text, 0, 111, "the format, three digits 0 or 1");
        int64_t weights = format / 10 % 10;

        if (format % 10 > 1 || format / 10 % 10 > 1)
            bfs_text_refuse(&word, "the format, three digits 0 or 1");
        if (bfs_text_has_word(text))
            weights *= bfs_text_number(text, 0, 1000, "the number of weights of a vertex");
        kind_p->before = format / 100 + weights;
        kind_p->has_edge_weights = format % 10 == 1;
    }
    bfs_text_end_line(text, "vertices, edges, format and number of weights");
}

/* Sums over the neighbours that are larger, and those that are smaller, than their vertex: equal when every edge stands at both its ends. */
typedef struct metis_balance {
    int64_t neighbours;
    uint64_t larger, smaller;
} metis_balance_t;

/* An edge is taken from its smaller end; also from the other one where directions count. */
static void read_metis_line(bfs_text_t *text, const metis_kind_t *kind, bool is_directed, int64_t vertex,
                            bfs_edges_t *edges, metis_balance_t *balance) {
    for (int64_t i = 0; i < kind->before; i++)
        bfs_text_skip_number(text, "size and weights of the vertex");
    for (; bfs_text_has_word(text); balance->neighbours++) {
        const bfs_text_t word = *text;
        const int64_t other = bfs_text_number(text, 1, edges->vertices, "a neighbour") - 1;

        if (other == vertex)
            bfs_text_refuse(&word, "a neighbour other than the vertex itself");
        if (kind->has_edge_weights)
            bfs_text_skip_number(text, "the weight of an edge");
        if (is_directed || other > vertex)
            bfs_edges_add(edges, (bfs_vertex_t)vertex, (bfs_vertex_t)other);
        if (other > vertex)
            balance->larger += bfs_random((uint64_t)vertex, (uint64_t)other);
        else
            balance->smaller += bfs_random((uint64_t)other, (uint64_t)vertex);
    }
}

/* To the line of the next vertex. An empty line is a vertex without neighbours, so only comments are skipped. */
static void find_metis_line(bfs_text_t *text, bool may_be_missing) {
    do {
        if (!bfs_text_next_line(text)) {
            if (!may_be_missing)
                bfs_text_refuse(text, "a line for each vertex");
            return;
        }
    } while (bfs_text_has_word(text) && strchr(COMMENTS_METIS, *text->at) != NULL);
}

static void read_metis(bfs_text_t *text, bool is_directed, bfs_edges_t *edges) {
    metis_balance_t balance = {0};
    metis_kind_t kind;
    int64_t expected;

    read_metis_head(text, &edges->vertices, &expected, &kind);
    for (int64_t vertex = 0; vertex < edges->vertices; vertex++) {
        /* The last line may be empty, and then even its end be missing. */
        find_metis_line(text, vertex == edges->vertices - 1 && kind.before == 0);
        read_metis_line(text, &kind, is_directed, vertex, edges, &balance);
    }
    while (bfs_text_next_line(text))
        if (bfs_text_has_word(text) && strchr(COMMENTS_METIS, *text->at) == NULL)
            bfs_text_refuse(text, "no more lines than vertices");
    if (balance.neighbours != 2 * expected)
        bfs_refuse("%s:%lld: %lld neighbours in all; allowed: two for each of the %lld edges", text->path,
                   (long long)text->line, (long long)balance.neighbours, (long long)expected);
    if (balance.larger != balance.smaller)
        bfs_refuse(
            "%s:%lld: some edge stands at one of its ends only; allowed: edges in the lines of both vertices",
            text->path, (long long)text->line);
}

/* ---- which format ---- */

static bool ends_with(const char *path, const char *end) {
    const size_t length = strlen(path), end_length = strlen(end);

    return length >= end_length && strcmp(path + length - end_length, end) == 0;
}

static bfs_format_t guess_format(bfs_text_t text) {
    if (bfs_text_take(&text, "%%matrixmarket") || ends_with(text.path, ".mtx") || ends_with(text.path, ".mm"))
        return BFS_FORMAT_MATRIX_MARKET;
    if (ends_with(text.path, ".graph") || ends_with(text.path, ".metis"))
        return BFS_FORMAT_METIS;
    return BFS_FORMAT_EDGES;
}

static void read_into(bfs_reading_t *reading, bool is_directed, bfs_edges_t *edges) {
    bfs_text_t text;
    bfs_format_t format = reading->format;

    bfs_text_open(reading->path, &text);
    if (format == BFS_FORMAT_GUESS)
        format = guess_format(text);
    if (format != BFS_FORMAT_EDGES && (reading->base == 0 || reading->has_counts))
        bfs_refuse("--base 0 or --counts given for %s; allowed: for edge lists only", reading->path);
    if (reading->base < 0)
        reading->base = format == BFS_FORMAT_EDGES ? 0 : 1;
    if (format == BFS_FORMAT_MATRIX_MARKET)
        read_matrix(&text, is_directed, edges);
    else if (format == BFS_FORMAT_METIS)
        read_metis(&text, is_directed, edges);
    else
        read_edges(&text, reading, edges);
    bfs_text_close(&text);
    bfs_edges_finish(edges);
}

void bfs_read(bfs_reading_t *reading, bool is_directed, bfs_edges_t *edges_p) {
    bfs_edges_t edges = {0};

    read_into(reading, is_directed, &edges);
    *edges_p = edges;
}

int64_t bfs_read_pieces(bfs_reading_t *reading, bool is_directed, bfs_take_t take, void *context) {
    bfs_edges_t edges = {.take = take, .context = context};

    read_into(reading, is_directed, &edges);
    return edges.vertices;
}
