#include "measure/components/label_layers.h"

#include <string.h>

struct lg_label_layers {
    lg_covered_region region;
    bool volume;
    int64_t next;
    lg_component_shape *shape;
    lg_shape_rows rows;
    size_t step;       // words of a row, with a zero on either side
    uint32_t *before;  // the layer before; above the last two rows it is this layer already
    uint32_t *last[3]; // rows of this layer
    uint32_t *memory;  // of these
};

lg_status lg_label_layers_create(const lg_covered_region *region, uint32_t count, bool volume,
                                 size_t limit, lg_label_layers **out, lg_error *error)
{
    const size_t step = (size_t)region->width + 2, rows = volume ? (size_t)region->height : 0;
    const double bytes =
        (double)count * sizeof(lg_component_shape) + (double)step * (double)rows * sizeof(uint32_t);
    if (bytes > (double)limit)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "shapes of %u components need %.4g MB; the limit is %.4g MB", count,
                       bytes / 1e6, (double)limit / 1e6);
    lg_label_layers *l = lg_alloc(sizeof *l);
    if (!l)
        return lg_fail_memory(error, sizeof *l, "shapes of components");
    *l = (lg_label_layers){.region = *region,
                           .volume = volume,
                           .step = step,
                           .shape = lg_alloc_array((size_t)count + 1, sizeof *l->shape),
                           .memory = lg_alloc_array((rows + 3) * step, sizeof *l->memory)};
    lg_status status = l->shape && l->memory
                           ? lg_shape_rows_create((int32_t)region->width, &l->rows, error)
                           : lg_fail_memory(error, (size_t)bytes, "shapes of components");
    if (status) {
        lg_label_layers_destroy(&l);
        return status;
    }
    l->before = l->memory + 3 * step;
    for (size_t i = 0; i < 3; i++)
        l->last[i] = l->memory + i * step;
    *out = l;
    return LG_OK;
}

void lg_label_layers_destroy(lg_label_layers **layers)
{
    if (!layers || !*layers)
        return;
    lg_shape_rows_destroy(&(*layers)->rows);
    lg_free((*layers)->shape);
    lg_free((*layers)->memory);
    lg_free(*layers);
    *layers = NULL;
}

int64_t lg_label_layers_next(const lg_label_layers *l)
{
    return l->next;
}

const lg_component_shape *lg_label_layers_shapes(const lg_label_layers *l)
{
    return l->shape;
}

// A row of labels into the three last ones; NULL: zeros, as there are beyond the layer.
static void move_on(lg_label_layers *l, const uint32_t *labels)
{
    uint32_t *row = l->last[0];
    l->last[0] = l->last[1];
    l->last[1] = l->last[2];
    l->last[2] = row;
    if (labels)
        memcpy(row + 1, labels, (size_t)l->region.width * sizeof *row);
    else
        memset(row, 0, l->step * sizeof *row);
}

// All neighbours of the row above row y are there now, and row y takes its place.
static void take_middle(lg_label_layers *l, int64_t y, int64_t z)
{
    uint32_t *before = l->before + (size_t)y * l->step;
    if (z > 0)
        lg_shape_row_down(l->shape, before, l->last, (int32_t)l->region.width);
    memcpy(before, l->last[1], l->step * sizeof *before);
}

// Nothing is below the last layer.
static void end_layers(lg_label_layers *l)
{
    for (int i = 0; i < 3; i++)
        move_on(l, NULL);
    for (int64_t y = 0; y < l->region.height; y++)
        lg_shape_row_down(l->shape, l->before + (size_t)y * l->step, l->last,
                          (int32_t)l->region.width);
}

static void add_down(lg_label_layers *l, const uint32_t *labels, int64_t y, int64_t z)
{
    const int64_t height = l->region.height;
    for (int i = 0; i < 2 && y == 0; i++) // nothing is above the first row
        move_on(l, NULL);
    move_on(l, labels);
    if (y > 0)
        take_middle(l, y - 1, z);
    if (y + 1 < height)
        return;
    move_on(l, NULL);
    take_middle(l, y, z);
    if (z + 1 == l->region.layers)
        end_layers(l);
}

void lg_label_layers_add(lg_label_layers *l, const uint32_t *labels)
{
    const int64_t height = l->region.height, y = l->next % height, z = l->next / height;
    if (y == 0)
        lg_shape_rows_begin(&l->rows, true);
    lg_shape_rows_add(&l->rows, labels, l->shape);
    if (y + 1 == height)
        lg_shape_rows_end(&l->rows, true, l->shape);
    if (l->volume)
        add_down(l, labels, y, z);
    l->next++;
}
