/* The drawings of docs/layouts.md are what the code does. A drawing is a fenced block that starts with a
 * line such as "wrap(+) of 3 x 4, pitch 4"; the rest of it is drawn anew and compared. With an argument the
 * program prints the file with all drawings drawn anew. */
#include <config.h>

#include "rts/layout.h"

#include "tests/check.h"

#include <stdarg.h>

#define TEXT_MAX   65536
#define EXTENT_MAX 9

typedef struct drawing {
    char text[TEXT_MAX];
    size_t used;
} drawing_t;

static void put(drawing_t *drawing, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(drawing->text + drawing->used, TEXT_MAX - drawing->used, format, arguments);
    va_end(arguments);
    if (CHECK(length >= 0 && (size_t)length < TEXT_MAX - drawing->used))
        drawing->used += (size_t)length;
}

/* No blanks at the end of a line. */
static void end_line(drawing_t *drawing) {
    while (drawing->used > 0 && drawing->text[drawing->used - 1] == ' ')
        drawing->used--;
    drawing->text[drawing->used] = '\0';
    put(drawing, "\n");
}

static void put_memory_row(drawing_t *drawing, const rts_plane64_t *plane, rts_index_t from, rts_index_t to) {
    for (rts_index_t offset = from; offset < to; offset++) {
        rts_index_t i_p, i_q;
        if (rts_plane64_inverse(plane, offset, &i_p, &i_q))
            put(drawing, " %d%d", (int)i_p, (int)i_q);
        else
            put(drawing, offset - from < plane->n_q ? " .." : " ##");
    }
}

/* Three grids side by side: d and offset of every element, and memory, row by row (PACKED: front by
 * front). */
static void draw(drawing_t *drawing, const rts_plane64_t *plane) {
    const bool is_packed = plane->kind == RTS_LAYOUT_PACKED;
    const int grid = (int)plane->n_q * 4 > 10 ? (int)plane->n_q * 4 : 10;
    const rts_index_t lines = is_packed ? rts_plane64_fronts(plane) : plane->rows;
    put(drawing, "%*s   %*s    memory: i_p i_q", -grid, "   d", -grid, "   offset");
    end_line(drawing);
    for (rts_index_t line = 0; line < rts_max(lines, plane->n_p); line++) {
        for (int k = 0; k < 2; k++) {
            const size_t start = drawing->used;
            for (rts_index_t i_q = 0; i_q < plane->n_q && line < plane->n_p; i_q++)
                put(drawing, "%4d",
                    (int)(k == 0 ? rts_plane64_d(plane, line, i_q) : rts_plane64_offset(plane, line, i_q)));
            put(drawing, "%*s   ", grid - (int)(drawing->used - start), "");
        }
        put(drawing, "%5d:", (int)line);
        if (is_packed && line < lines)
            put_memory_row(drawing, plane, rts_plane64_packed_start(plane, line),
                           line + 1 < lines ? rts_plane64_packed_start(plane, line + 1)
                                            : plane->n_p * plane->n_q);
        else if (line < lines)
            put_memory_row(drawing, plane, line * plane->pitch, (line + 1) * plane->pitch);
        end_line(drawing);
    }
    put(drawing, "%d elements in %d places\n", (int)(plane->n_p * plane->n_q),
        (int)(plane->rows * plane->pitch));
}

/* Reads a line such as "skew(1,-2) of 4 x 3, pitch 8". @return whether it starts a drawing */
static bool read_heading(const char *line, rts_layout_t *layout) {
    static const char *const kinds[] = {"plain", "skew", "wrap", "packed"};
    char kind_name[8], coefficients[8] = "";
    int n_p, n_q, pitch, a = 1, b = 0, kind = 0;
    if (sscanf(line, "%7[a-z](%7[^)]) of %d x %d, pitch %d", kind_name, coefficients, &n_p, &n_q, &pitch) !=
            5 &&
        sscanf(line, "%7[a-z] of %d x %d, pitch %d", kind_name, &n_p, &n_q, &pitch) != 4)
        return false;
    while (kind < 4 && strcmp(kinds[kind], kind_name) != 0)
        kind++;
    if (!CHECK(kind < 4) || !CHECK(n_p >= 1 && n_p <= EXTENT_MAX && n_q >= 1 && n_q <= EXTENT_MAX))
        return false;
    if (strcmp(coefficients, "+") == 0 || strcmp(coefficients, "-") == 0)
        b = coefficients[0] == '+' ? 1 : -1;
    else if (kind > 0 && !CHECK_EQ_INT(sscanf(coefficients, "%d,%d", &a, &b), 2))
        return false;
    const rts_box_t box = {.rank = 2, .hi = {n_p, n_q}};
    const rts_index_t align = pitch == n_q ? 1 : pitch;
    const rts_status_t status =
        kind == 0 ? rts_layout_plain(&box, NULL, align, layout)
                  : rts_layout_diagonal(&box, NULL, align, (rts_layout_kind_t)kind, a, b, layout);
    return CHECK_EQ_INT(status, RTS_OK) && CHECK_EQ_INT(layout->pitch, pitch);
}

int main(int count, char *arguments[]) {
    static drawing_t expected, found;
    static bool seen[4][3]; /* kind, sign of b */
    const char *const folder = getenv("srcdir");
    char path[4096], line[1024];
    (void)arguments;
    snprintf(path, sizeof path, "%s/docs/layouts.md", folder != NULL ? folder : ".");
    FILE *const file = fopen(path, "r");
    if (!CHECK(file != NULL))
        return check_finish();
    bool inside = false;
    while (fgets(line, sizeof line, file) != NULL) {
        rts_layout_t layout;
        if (!inside && count > 1)
            fputs(line, stdout);
        if (!inside && read_heading(line, &layout)) {
            const rts_plane64_t plane = rts_layout_plane(&layout);
            expected.used = found.used = 0;
            draw(&expected, &plane);
            seen[layout.kind][layout.b < 0 ? 0 : layout.b > 0 ? 2 : 1] = inside = true;
        } else if (inside && strncmp(line, "```", 3) == 0) {
            CHECK_EQ_STR(found.text, expected.text);
            if (count > 1)
                printf("%s%s", expected.text, line);
            inside = false;
        } else if (inside) {
            put(&found, "%s", line);
        }
    }
    fclose(file);
    CHECK(!inside && seen[RTS_LAYOUT_PLAIN][1]);
    for (int kind = RTS_LAYOUT_SKEW; kind <= RTS_LAYOUT_PACKED; kind++)
        CHECK(seen[kind][0] && seen[kind][2]);
    return check_finish();
}
