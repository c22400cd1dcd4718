// Windows of 2 x 2 pixels and classes of pixels on the border. A worker counts for all components in an array
// of its own, over a band of rows; these are added.
#include "measure/components/label_shape.h"

#include "engine/tile.h"

#include <string.h>

#define LG_SHAPE_BYTES                                                                             \
    ((size_t)256 << 20) // of all workers' arrays; fewer work where it is not enough

typedef struct shape_state {
    const lg_labels *labels;
    uint32_t count;
    bool volume;
    size_t jobs;
    lg_component_shape **shape; // [jobs]
    uint32_t *rows;             // scratch of each job, see `ring`
    size_t row;                 // elements of a row of it
} shape_state;

// Rows with a zero on either side. labels: of y - 1, y and y + 1; borders: the label of pixels on the border.
typedef struct ring {
    uint32_t *labels[3], *borders[3];
} ring;

static const uint32_t *row_of(const lg_labels *l, int64_t row)
{
    return (const uint32_t *)((const char *)l->data + (size_t)(row / l->height) * l->layer_stride +
                              (size_t)(row % l->height) * l->row_stride);
}

static void load_row(const lg_labels *l, int32_t layer, int32_t y, uint32_t *out)
{
    const size_t n = (size_t)l->width;
    out[0] = out[n + 1] = 0;
    if (y < 0 || y >= l->height)
        memset(out + 1, 0, n * sizeof *out);
    else
        memcpy(out + 1, row_of(l, (int64_t)layer * l->height + y), n * sizeof *out);
}

// ---- windows --------------------------------------------------------------------------------------

static void count_window(lg_component_shape *shape, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t v[4] = {a, b, c, d};
    for (unsigned i = 0; i < 4; i++) {
        unsigned which = 0, seen = 0;
        for (unsigned k = 0; k < 4; k++)
            which |= (unsigned)(v[k] == v[i]) << k;
        seen = which & ((1u << i) - 1); // counted with an earlier pixel
        if (v[i] && !seen)
            shape[v[i] - 1].windows[which]++;
    }
}

// Windows between two rows.
static void windows(lg_component_shape *shape, const uint32_t *above, const uint32_t *below,
                    int32_t width)
{
    for (int32_t x = 0; x <= width; x++) {
        const uint32_t a = above[x], b = above[x + 1], c = below[x], d = below[x + 1];
        if (a != b || c != d || a != c)
            count_window(shape, a, b, c, d);
        else if (a)
            shape[a - 1].windows[15]++;
    }
}

// ---- border ---------------------------------------------------------------------------------------

static void find_border(const uint32_t *above, const uint32_t *row, const uint32_t *below,
                        int32_t width, uint32_t *out)
{
    out[0] = out[width + 1] = 0;
    for (int32_t x = 1; x <= width; x++) {
        const uint32_t v = row[x];
        const bool inside =
            (above[x] == v) & (below[x] == v) & (row[x - 1] == v) & (row[x + 1] == v);
        out[x] = inside ? 0 : v;
    }
}

// scikit-image's classes by the sum of weights 10 2 10, 2 1 2, 10 2 10: 0 straight, 1 diagonal, 2 between;
// 3: counts nothing.
static const uint8_t classes[50] = {3, 3, 3, 3, 3, 0, 3, 0, 3, 3, 3, 3, 3, 2, 3, 0, 3,
                                    0, 3, 3, 3, 1, 3, 2, 3, 0, 3, 0, 3, 3, 3, 3, 3, 1,
                                    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3};

static void count_border(lg_component_shape *shape, const uint32_t *above, const uint32_t *row,
                         const uint32_t *below, int32_t width)
{
    for (int32_t x = 1; x <= width; x++) {
        const uint32_t v = row[x];
        if (!v)
            continue;
        const unsigned sides = (unsigned)(above[x] == v) + (unsigned)(below[x] == v) +
                               (unsigned)(row[x - 1] == v) + (unsigned)(row[x + 1] == v);
        const unsigned corners = (unsigned)(above[x - 1] == v) + (unsigned)(above[x + 1] == v) +
                                 (unsigned)(below[x - 1] == v) + (unsigned)(below[x + 1] == v);
        const unsigned class = classes[1 + 2 * sides + 10 * corners];
        if (class < 3)
            shape[v - 1].border[class]++;
    }
}

// ---- rows -----------------------------------------------------------------------------------------

// Rows [begin, end) of a layer: their pixels on the border, and the windows above them; the layer's last row
// has windows below it as well.
static void count_rows(const shape_state *s, lg_component_shape *shape, ring *r, int32_t layer,
                       int32_t begin, int32_t end)
{
    const lg_labels *l = s->labels;
    for (int32_t y = begin - 2; y <= end; y++) {
        uint32_t *first_label = r->labels[0], *first_border = r->borders[0];
        memmove(r->labels, r->labels + 1, 2 * sizeof *r->labels);
        memmove(r->borders, r->borders + 1, 2 * sizeof *r->borders);
        r->labels[2] = first_label;
        r->borders[2] = first_border;
        load_row(l, layer, y + 1, r->labels[2]); // labels[1] is row y
        if (y < begin - 1) {
            load_row(l, layer, y, r->labels[1]);
            load_row(l, layer, y - 1, r->labels[0]);
        }
        find_border(r->labels[0], r->labels[1], r->labels[2], l->width, r->borders[2]);
        if ((y >= begin && y < end) || y == l->height)
            windows(shape, r->labels[0], r->labels[1], l->width);
        if (y > begin) // borders[1] is row y - 1
            count_border(shape, r->borders[0], r->borders[1], r->borders[2], l->width);
    }
}

// ---- layers ---------------------------------------------------------------------------------------

void lg_shape_row_down(lg_component_shape *shape, const uint32_t *row, uint32_t *const next[3],
                       int32_t width)
{
    for (int32_t x = 1; x <= width; x++) {
        const uint32_t v = row[x];
        if (!v)
            continue;
        for (int k = 0; k < 9; k++)
            shape[v - 1].down[k] += next[k / 3][x + k % 3 - 1] != v;
    }
}

// Rows [begin, end) of a layer beside those of the next one.
static void count_layer(const shape_state *s, lg_component_shape *shape, ring *r, int32_t layer,
                        int32_t begin, int32_t end)
{
    const bool last = layer == s->labels->layers - 1;
    uint32_t *const row = r->borders[0];
    for (int32_t y = begin - 2; y < end; y++) {
        uint32_t *first = r->labels[0];
        memmove(r->labels, r->labels + 1, 2 * sizeof *r->labels);
        r->labels[2] = first;
        load_row(s->labels, last ? layer : layer + 1, last ? -1 : y + 1, first);
        if (y < begin)
            continue;
        load_row(s->labels, layer, y, row);
        lg_shape_row_down(shape, row, r->labels, s->labels->width);
    }
}

static lg_status count_band(void *arg, const lg_tile *t)
{
    const shape_state *s = arg;
    const int64_t height = s->labels->height;
    const size_t job = t->index;
    ring r;
    for (int i = 0; i < 3; i++) {
        r.labels[i] = s->rows + (6 * job + (size_t)i) * s->row;
        r.borders[i] = s->rows + (6 * job + 3 + (size_t)i) * s->row;
    }
    for (int64_t row = t->y; row < t->y_end;) {
        const int32_t layer = (int32_t)(row / height), begin = (int32_t)(row % height);
        const int32_t end = (int32_t)LG_MIN(height, begin + t->y_end - row);
        count_rows(s, s->shape[job], &r, layer, begin, end);
        if (s->volume)
            count_layer(s, s->shape[job], &r, layer, begin, end);
        row += end - begin;
    }
    return LG_OK;
}

static lg_status add_shapes(void *arg, const lg_tile *t)
{
    const shape_state *s = arg;
    for (size_t i = (size_t)t->y; i < (size_t)t->y_end; i++)
        for (size_t job = 1; job < s->jobs; job++) {
            for (int k = 0; k < 16; k++)
                s->shape[0][i].windows[k] += s->shape[job][i].windows[k];
            for (int k = 0; k < 3; k++)
                s->shape[0][i].border[k] += s->shape[job][i].border[k];
            for (int k = 0; k < 9; k++)
                s->shape[0][i].down[k] += s->shape[job][i].down[k];
        }
    return LG_OK;
}

static lg_status run_bands(lg_context *context, shape_state *s, int64_t count, lg_tile_fn *run,
                           lg_error *error)
{
    const lg_tiling bands = {.height = count, .bands = (int64_t)s->jobs, .run = run, .job = s};
    return lg_tiling_run(context->pool, &bands, error);
}

lg_status lg_label_shape(lg_context *context, const lg_labels *labels, uint32_t count,
                         int connectivity, lg_component_shape *shape, lg_error *error)
{
    const size_t threads = (size_t)lg_pool_threads(context->pool);
    const size_t rows = (size_t)labels->height * (size_t)labels->layers;
    const size_t max = LG_SHAPE_BYTES / sizeof *shape / LG_MAX(count, 1u);
    shape_state s = {.labels = labels,
                     .count = count,
                     .volume = lg_connectivity_is_volume(connectivity) && labels->layers > 1};
    s.jobs = LG_MAX(LG_MIN(LG_MIN(threads, max + 1), rows), (size_t)1);
    s.row = lg_align_up((size_t)labels->width + 2, 16);
    s.shape = lg_alloc_array(s.jobs, sizeof *s.shape);
    s.rows = lg_alloc_uninit(6 * s.jobs * s.row * sizeof *s.rows);
    bool all = s.shape && s.rows;
    for (size_t i = 0; i < s.jobs && all; i++)
        all = (s.shape[i] = i ? lg_alloc_array(count, sizeof *shape) : shape) != NULL;
    lg_status status = LG_OK;
    if (all) {
        status = run_bands(context, &s, (int64_t)rows, count_band, error);
        if (!status)
            status = run_bands(context, &s, count, add_shapes, error);
    } else {
        status = lg_fail_memory(error, s.jobs * count * sizeof *shape, "shapes of components");
    }
    for (size_t i = 1; i < s.jobs && s.shape; i++)
        lg_free(s.shape[i]);
    lg_free(s.shape);
    lg_free(s.rows);
    return status;
}

// ---- row by row -----------------------------------------------------------------------------------

lg_status lg_shape_rows_create(int32_t width, lg_shape_rows *out, lg_error *error)
{
    const size_t row = lg_align_up((size_t)width + 2, 16);
    lg_shape_rows r = {.width = width, .memory = lg_alloc_array(6 * row, sizeof *r.memory)};
    if (!r.memory)
        return lg_fail_memory(error, 6 * row * sizeof *r.memory, "rows of labels");
    for (size_t i = 0; i < 3; i++) {
        r.labels[i] = r.memory + i * row;
        r.borders[i] = r.memory + (3 + i) * row;
    }
    *out = r;
    return LG_OK;
}

void lg_shape_rows_destroy(lg_shape_rows *r)
{
    lg_free(r->memory);
    *r = (lg_shape_rows){0};
}

void lg_shape_rows_begin(lg_shape_rows *r, bool top)
{
    const size_t bytes = ((size_t)r->width + 2) * sizeof(uint32_t);
    for (size_t i = 0; i < 3; i++) {
        memset(r->labels[i], 0, bytes);
        memset(r->borders[i], 0, bytes);
    }
    r->known = top ? 2 * LG_SHAPE_REACH : 0;
}

// Rows lag behind: labels[1] is the row before the new one, borders[1] the row before that. Rows of zeros, as
// there are above the first of a layer, count nothing.
void lg_shape_rows_add(lg_shape_rows *r, const uint32_t *labels, lg_component_shape *shape)
{
    const size_t bytes = (size_t)r->width * sizeof *labels;
    uint32_t *first_label = r->labels[0], *first_border = r->borders[0];
    memmove(r->labels, r->labels + 1, 2 * sizeof *r->labels);
    memmove(r->borders, r->borders + 1, 2 * sizeof *r->borders);
    r->labels[2] = first_label;
    r->borders[2] = first_border;
    if (labels)
        memcpy(first_label + 1, labels, bytes);
    else
        memset(first_label + 1, 0, bytes);
    find_border(r->labels[0], r->labels[1], r->labels[2], r->width, r->borders[2]);
    if (r->known >= LG_SHAPE_REACH)
        windows(shape, r->labels[0], r->labels[1], r->width);
    if (r->known >= 2 * LG_SHAPE_REACH)
        count_border(shape, r->borders[0], r->borders[1], r->borders[2], r->width);
    r->known++;
}

void lg_shape_rows_end(lg_shape_rows *r, bool bottom, lg_component_shape *shape)
{
    for (int i = 0; i < 2 && bottom; i++)
        lg_shape_rows_add(r, NULL, shape);
    if (!bottom && r->known >= LG_SHAPE_REACH)
        windows(shape, r->labels[1], r->labels[2], r->width);
}

void lg_shape_rows_seam(int32_t width, const uint32_t *const rows[8], int begin, int end,
                        lg_shape_rows *scratch, lg_component_shape *shape)
{
    windows(shape, rows[3], rows[4], width);
    for (int y = begin; y < end; y++) {
        for (int i = 0; i < 3; i++)
            find_border(rows[y - 2 + i], rows[y - 1 + i], rows[y + i], width, scratch->borders[i]);
        count_border(shape, scratch->borders[0], scratch->borders[1], scratch->borders[2], width);
    }
}
