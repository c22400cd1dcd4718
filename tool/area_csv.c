// CSV files of boxes and polygons, read line by line: a file may be larger than the memory.
#include "area_shapes.h"
#include "area_values.h"
#include "option_values.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_CELLS = 2 * LG_AREA_DIMS, LINE_SIZE = 4096 };

typedef struct row_reader {
    FILE *stream;
    size_t line; // number of the last one read, from 1
    char text[LINE_SIZE];
    char *cell[MOST_CELLS];
    int cells; // of the row; MOST_CELLS + 1 when there are more
} row_reader;

// ---- rows ---------------------------------------------------------------------------------------

// The cell without blanks and quotes around it.
static char *trim(char *text, char *end)
{
    while (text < end && (*text == ' ' || *text == '\t'))
        text++;
    while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    if (end - text >= 2 && *text == '"' && end[-1] == '"') {
        text++;
        end--;
    }
    *end = '\0';
    return text;
}

static void split(row_reader *rows, char *text)
{
    for (rows->cells = 0;; text++) {
        char *end = text + strcspn(text, ",");
        const bool last = *end == '\0';
        if (rows->cells == MOST_CELLS) {
            rows->cells++;
            return;
        }
        rows->cell[rows->cells++] = trim(text, end);
        if (last)
            return;
        text = end;
    }
}

// The next row that is not blank; *found is false behind the last.
static lg_status next_row(row_reader *rows, bool *found, lg_error *error)
{
    while (fgets(rows->text, sizeof rows->text, rows->stream)) {
        char *text = rows->text;
        size_t length = strlen(text);
        rows->line++;
        if (length == 0 || (text[length - 1] != '\n' && !feof(rows->stream)))
            return lg_set_error(error, LG_ERROR_ARGUMENT,
                                "line %zu: has more than %d bytes, or bytes that are no text",
                                rows->line, LINE_SIZE - 2);
        if (rows->line == 1 && strncmp(text, "\xef\xbb\xbf", 3) == 0) {
            text += 3; // the mark of UTF-8
            length -= 3;
        }
        while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
            text[--length] = '\0';
        if (text[strspn(text, " \t")] == '\0')
            continue;
        split(rows, text);
        *found = true;
        return LG_OK;
    }
    *found = false;
    return ferror(rows->stream)
               ? lg_set_error(error, LG_ERROR_IO, "line %zu: cannot read on", rows->line + 1)
               : LG_OK;
}

// ---- columns ------------------------------------------------------------------------------------

// What the columns are, by their number.
typedef struct columns {
    int count;
    const char *const *names;
    const char *own[MOST_CELLS]; // for names that are made
} columns;

static const char *const box_2[] = {"x", "y", "width", "height"};
static const char *const box_3[] = {"x", "y", "z", "width", "height", "depth"};
static const char *const polygon_3[] = {"polygon", "x", "y"};
static const char *const polygon_4[] = {"polygon", "ring", "x", "y"};
static const columns of_boxes[] = {{.count = 4, .names = box_2}, {.count = 6, .names = box_3}};
static const columns of_polygons[] = {{.count = 3, .names = polygon_3},
                                      {.count = 4, .names = polygon_4}};

static void join(const columns *c, char *out, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < c->count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? "," : "", c->names[i]);
}

static lg_status wrong_columns(const row_reader *rows, const columns known[2], lg_error *error)
{
    char first[64], second[64];
    join(&known[0], first, sizeof first);
    join(&known[1], second, sizeof second);
    return lg_set_error(
        error, LG_ERROR_ARGUMENT, "line %zu: has %s%d column%s; the columns are %s or %s%s",
        rows->line, rows->cells > MOST_CELLS ? "more than " : "",
        rows->cells > MOST_CELLS ? MOST_CELLS : rows->cells, rows->cells == 1 ? "" : "s", first,
        second, known == of_boxes ? ", of an .npy array a header first_0,...,end_0,..." : "");
}

// The header of boxes of ranges, first_0,first_1 ... end_0,end_1 ...: names them. It cannot be left out,
// as it is what tells them from boxes in pixels.
static bool is_range_header(const row_reader *rows, columns *out)
{
    const char **names = out->own;
    const int dims = rows->cells / 2;
    if (rows->cells > MOST_CELLS || rows->cells % 2 || dims < 1)
        return false;
    lg_area_range_columns(dims, names);
    for (int i = 0; i < rows->cells; i++)
        if (strcasecmp(rows->cell[i], names[i]) != 0)
            return false;
    out->count = rows->cells;
    out->names = names;
    return true;
}

// Reads the first row that has values and says which columns the file has: all rows have the same.
static lg_status begin(row_reader *rows, const columns known[2], columns *ranges,
                       const columns **out, bool *found, lg_error *error)
{
    lg_status status = next_row(rows, found, error);
    if (status != LG_OK || !*found)
        return status;
    if (ranges && is_range_header(rows, ranges)) {
        *out = ranges;
        return next_row(rows, found, error);
    }
    *out = rows->cells == known[0].count   ? &known[0]
           : rows->cells == known[1].count ? &known[1]
                                           : NULL;
    if (!*out)
        return wrong_columns(rows, known, error);
    bool header = true;
    for (int i = 0; i < rows->cells; i++)
        header &= strcasecmp(rows->cell[i], (*out)->names[i]) == 0;
    return header ? next_row(rows, found, error) : LG_OK;
}

static lg_status same_columns(const row_reader *rows, const columns *c, lg_error *error)
{
    if (rows->cells == c->count)
        return LG_OK;
    return lg_set_error(
        error, LG_ERROR_ARGUMENT, "line %zu: has %s%d column%s; the lines before have %d",
        rows->line, rows->cells > MOST_CELLS ? "more than " : "",
        rows->cells > MOST_CELLS ? MOST_CELLS : rows->cells, rows->cells == 1 ? "" : "s", c->count);
}

static lg_status bad_cell(const row_reader *rows, const columns *c, int cell, const char *what,
                          lg_error *error)
{
    return lg_set_error(error, LG_ERROR_ARGUMENT, "line %zu: %s '%.60s' is not %s", rows->line,
                        c->names[cell], rows->cell[cell], what);
}

// ---- boxes --------------------------------------------------------------------------------------

static lg_status add_box(const row_reader *rows, const columns *c, lg_area_shapes *out,
                         lg_error *error)
{
    int64_t value[2 * LG_AREA_DIMS];
    const int dims = out->dims;
    for (int i = 0; i < c->count; i++)
        if (!lg_parse_integer(rows->cell[i], &value[i]) || llabs(value[i]) > LG_MAX_BOX_NUMBER)
            return bad_cell(rows, c, i, "a whole number up to 1000000000", error);
    for (int axis = 0; axis < dims && out->ranges; axis++) {
        if (value[dims + axis] <= value[axis])
            return lg_set_error(error, LG_ERROR_ARGUMENT,
                                "line %zu: the box is empty: along axis %d it goes from %lld to "
                                "%lld; the end must be above the first",
                                rows->line, axis, (long long)value[axis],
                                (long long)value[dims + axis]);
        value[dims + axis] -= value[axis];
    }
    for (int axis = 0; axis < dims; axis++)
        if (value[dims + axis] < 1)
            return lg_set_error(error, LG_ERROR_ARGUMENT,
                                "line %zu: the box is empty: its %s is %lld, at least 1 is needed",
                                rows->line, c->names[dims + axis], (long long)value[dims + axis]);
    if (!lg_area_grow(&out->bounds, &out->room[0], out->count,
                      2 * (size_t)dims * sizeof(int32_t)) ||
        !lg_area_grow(&out->line, &out->room[1], out->count, sizeof *out->line))
        return lg_set_error(error, LG_ERROR_MEMORY, "line %zu: no memory for more boxes",
                            rows->line);
    int32_t *bounds = out->bounds + 2 * (size_t)dims * out->count;
    for (int axis = 0; axis < dims; axis++) {
        const int d = out->ranges ? dims - 1 - axis : axis; // NumPy's last axis is the first here
        bounds[d] = (int32_t)value[axis];
        bounds[dims + d] = (int32_t)(value[axis] + value[dims + axis]);
    }
    out->line[out->count++] = rows->line <= UINT32_MAX ? (uint32_t)rows->line : 0;
    return LG_OK;
}

lg_status lg_area_read_boxes(FILE *stream, lg_area_shapes *out, lg_error *error)
{
    row_reader rows = {.stream = stream};
    columns ranges = {0};
    const columns *c = NULL;
    bool found;
    lg_status status = begin(&rows, of_boxes, &ranges, &c, &found, error);
    out->ranges = c == &ranges;
    out->dims = c == &of_boxes[0] ? 2 : c ? c->count / 2 : 3;
    while (status == LG_OK && found) {
        status = same_columns(&rows, c, error);
        if (status == LG_OK)
            status = add_box(&rows, c, out, error);
        if (status == LG_OK)
            status = next_row(&rows, &found, error);
    }
    return status;
}

// ---- polygons -----------------------------------------------------------------------------------

static lg_status end_ring(const lg_area_shapes *shapes, lg_error *error)
{
    if (shapes->ring_count == 0)
        return LG_OK;
    const lg_named_polygon *polygon = &shapes->polygon[shapes->count - 1];
    const size_t points = shapes->ring[shapes->ring_count - 1];
    if (points >= 3)
        return LG_OK;
    return lg_set_error(error, LG_ERROR_ARGUMENT,
                        "line %zu: polygon '%.60s' has %s%zu point%s; at least 3 are needed",
                        polygon->line, polygon->id, polygon->rings > 1 ? "a ring of " : "", points,
                        points == 1 ? "" : "s");
}

static bool begin_polygon(const row_reader *rows, lg_area_shapes *out)
{
    if (!lg_area_grow(&out->polygon, &out->room[0], out->count, sizeof *out->polygon))
        return false;
    char *id = strdup(rows->cell[0]);
    if (id)
        out->polygon[out->count++] = (lg_named_polygon){
            .id = id, .line = rows->line, .point = out->point_count, .ring = out->ring_count};
    return id;
}

static bool begin_ring(lg_area_shapes *out)
{
    if (!lg_area_grow(&out->ring, &out->room[2], out->ring_count, sizeof *out->ring))
        return false;
    out->ring[out->ring_count++] = 0;
    out->polygon[out->count - 1].rings++;
    return true;
}

// ring: the name of the ring at work, in LINE_SIZE bytes.
static lg_status add_point(const row_reader *rows, const columns *c, char *ring,
                           lg_area_shapes *out, lg_error *error)
{
    double value[2];
    const bool named = c->count == 4;
    for (int i = 0; i < 2; i++)
        if (!lg_parse_real(rows->cell[c->count - 2 + i], &value[i]))
            return bad_cell(rows, c, c->count - 2 + i, "a finite number", error);
    const bool same = out->count && strcmp(out->polygon[out->count - 1].id, rows->cell[0]) == 0;
    const bool goes_on = same && (!named || strcmp(ring, rows->cell[1]) == 0);
    bool good = true;
    if (!goes_on) {
        const lg_status status = end_ring(out, error);
        if (status != LG_OK)
            return status;
        good = (same || begin_polygon(rows, out)) && begin_ring(out);
        if (named)
            strcpy(ring, rows->cell[1]); // a cell is shorter than a line
    }
    if (!good ||
        !lg_area_grow(&out->points, &out->room[3], out->point_count, 2 * sizeof *out->points))
        return lg_set_error(error, LG_ERROR_MEMORY, "line %zu: no memory for more points",
                            rows->line);
    memcpy(out->points + 2 * out->point_count++, value, sizeof value);
    out->ring[out->ring_count - 1]++;
    return LG_OK;
}

static int by_id(const void *a, const void *b)
{
    const lg_named_polygon *left = *(lg_named_polygon *const *)a,
                           *right = *(lg_named_polygon *const *)b;
    const int order = strcmp(left->id, right->id);
    return order ? order : (left->line > right->line) - (left->line < right->line);
}

// The rows of a polygon follow each other: a name that comes again is a mistake.
static lg_status check_names(const lg_area_shapes *shapes, lg_error *error)
{
    const lg_named_polygon **sorted = calloc(shapes->count + 1, sizeof *sorted);
    if (!sorted)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the names of polygons");
    for (size_t i = 0; i < shapes->count; i++)
        sorted[i] = &shapes->polygon[i];
    qsort(sorted, shapes->count, sizeof *sorted, by_id);
    lg_status status = LG_OK;
    for (size_t i = 1; i < shapes->count && status == LG_OK; i++)
        if (strcmp(sorted[i]->id, sorted[i - 1]->id) == 0)
            status = lg_set_error(error, LG_ERROR_ARGUMENT,
                                  "line %zu: polygon '%.60s' began on line %zu and ended before; "
                                  "its lines must follow each other",
                                  sorted[i]->line, sorted[i]->id, sorted[i - 1]->line);
    free(sorted);
    return status;
}

lg_status lg_area_read_polygons(FILE *stream, lg_area_shapes *out, lg_error *error)
{
    row_reader rows = {.stream = stream};
    const columns *c = NULL;
    char ring[LINE_SIZE] = "";
    bool found;
    lg_status status = begin(&rows, of_polygons, NULL, &c, &found, error);
    while (status == LG_OK && found) {
        status = same_columns(&rows, c, error);
        if (status == LG_OK)
            status = add_point(&rows, c, ring, out, error);
        if (status == LG_OK)
            status = next_row(&rows, &found, error);
    }
    if (status == LG_OK)
        status = end_ring(out, error);
    return status == LG_OK ? check_names(out, error) : status;
}
