#include "area_bands.h"

#include "area_values.h"
#include "file_bands.h"
#include "state_files.h"

#include <stdlib.h>
#include <string.h>

// ---- which images, which figures ------------------------------------------------------------------

static bool is_added(int figure)
{
    return figure == LG_AREA_SUM || figure == LG_AREA_MEAN || figure == LG_AREA_VARIANCE ||
           figure == LG_AREA_MIN || figure == LG_AREA_MAX || figure == LG_AREA_COUNT;
}

const char *lg_area_whole_because(const lg_session *session, const lg_image_params *s)
{
    const lg_options *o = session->options;
    if (session->shapes->kind != LG_SHAPES_BOXES || o->has_angle)
        return "polygons, masks and boxes that are turned are looked up in a table of the whole "
               "image";
    for (int i = 0; i < o->figure_count; i++)
        if (!is_added(o->figure[i]))
            return "figures other than sum, mean, variance, min, max and count are looked up in a "
                   "structure of the whole image";
    if (o->area_kind >= 0 || o->plain)
        return "--kind and --plain choose a structure of the whole image";
    if (s->type > LG_U16)
        return "floats are rounded to a unit that is of the whole image";
    return o->report ? "--report takes whole images" : NULL;
}

// ---- boxes of the same layers ---------------------------------------------------------------------

// Boxes of one range of layers have an accumulator together.
typedef struct group {
    int64_t first_layer, end_layer;
    size_t first, end; // of `order`
    lg_box_accumulator *sums;
} group;

// A box and its layers.
typedef struct placed {
    int64_t first_layer, end_layer;
    size_t index;
} placed;

typedef struct groups {
    const lg_area_shapes *shapes;
    placed *order; // boxes by their layers
    group *group;
    size_t count;
} groups;

static placed place_of(const lg_area_shapes *shapes, size_t index)
{
    const int32_t *b = shapes->bounds + 6 * index;
    return shapes->dims == 3 ? (placed){b[2], b[5], index} : (placed){0, 1, index};
}

static int by_layers(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->first_layer != y->first_layer)
        return x->first_layer < y->first_layer ? -1 : 1;
    if (x->end_layer != y->end_layer)
        return x->end_layer < y->end_layer ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static void free_groups(groups *g)
{
    for (size_t i = 0; i < g->count; i++)
        lg_box_accumulator_destroy(&g->group[i].sums);
    free(g->group);
    free(g->order);
    *g = (groups){0};
}

static lg_status find_groups(const lg_area_shapes *shapes, groups *out, lg_error *error)
{
    *out = (groups){.shapes = shapes,
                    .order = calloc(shapes->count, sizeof *out->order),
                    .group = calloc(shapes->count, sizeof *out->group)};
    if (!out->order || !out->group)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the boxes");
    for (size_t i = 0; i < shapes->count; i++)
        out->order[i] = place_of(shapes, i);
    qsort(out->order, shapes->count, sizeof *out->order, by_layers);
    for (size_t i = 0; i < shapes->count; i++) {
        const int64_t first = out->order[i].first_layer, end = out->order[i].end_layer;
        group *last = out->count ? &out->group[out->count - 1] : NULL;
        if (!last || last->first_layer != first || last->end_layer != end) {
            last = &out->group[out->count++];
            *last = (group){first, end, i, i, NULL};
        }
        last->end = i + 1;
    }
    return LG_OK;
}

static lg_region box_of(const lg_area_shapes *shapes, size_t index)
{
    const int32_t *b = shapes->bounds + 2 * (size_t)shapes->dims * index, *e = b + shapes->dims;
    return (lg_region){b[0], b[1], (int64_t)e[0] - b[0], (int64_t)e[1] - b[1]};
}

static lg_status create(const lg_image_params *s, groups *g, lg_error *error)
{
    lg_region *boxes = calloc(g->shapes->count, sizeof *boxes);
    lg_status status =
        boxes ? LG_OK : lg_set_error(error, LG_ERROR_MEMORY, "no memory for the boxes");
    for (size_t i = 0; i < g->count && !status; i++) {
        group *one = &g->group[i];
        for (size_t k = one->first; k < one->end; k++)
            boxes[k - one->first] = box_of(g->shapes, g->order[k].index);
        status = lg_box_accumulator_create(s->type, lg_image_measured_channels(s), s->width,
                                           s->height, one->end_layer - one->first_layer, boxes,
                                           one->end - one->first, &one->sums, error);
    }
    free(boxes);
    return status;
}

static lg_status add_band(lg_context *context, void *priv, int32_t layer, int64_t y,
                          const lg_image *band, const lg_select *select, lg_error *error)
{
    const groups *g = priv;
    lg_status status = LG_OK;
    for (size_t i = 0; i < g->count && !status; i++)
        if (layer >= g->group[i].first_layer && layer < g->group[i].end_layer)
            status = lg_box_accumulator_add(context, g->group[i].sums, band, select, 0, y,
                                            layer - g->group[i].first_layer, error);
    return status;
}

// ---- figures --------------------------------------------------------------------------------------

static double figure_of(const lg_moments *m, int figure)
{
    return figure == LG_AREA_MEAN       ? m->mean
           : figure == LG_AREA_VARIANCE ? m->variance
           : figure == LG_AREA_MIN      ? m->min
           : figure == LG_AREA_MAX      ? m->max
                                        : (double)m->count;
}

static void put_figures(const lg_options *o, const lg_moments *m, size_t row, lg_area_answers *to)
{
    for (int i = 0; i < o->figure_count; i++)
        if (o->figure[i] == LG_AREA_SUM)
            to->sums[row] = (int64_t)m->sum_lo; // fewer than 2^40 samples of 16 bits
        else
            to->values[o->figure[i]][row] = figure_of(m, o->figure[i]);
}

static lg_status make_room(const lg_options *o, lg_area_answers *to, lg_error *error)
{
    const size_t rows = to->shapes->count * (size_t)to->info.channels;
    bool good = true;
    for (int i = 0; i < o->figure_count && good; i++)
        if (o->figure[i] == LG_AREA_SUM)
            good = (to->sums = calloc(rows, sizeof *to->sums)) != NULL;
        else
            good = (to->values[o->figure[i]] = calloc(rows, sizeof **to->values)) != NULL;
    return good ? LG_OK : lg_set_error(error, LG_ERROR_MEMORY, "no memory for the answers");
}

static lg_status finish(lg_session *session, const lg_input_file *file, const groups *g,
                        lg_area_answers *out, lg_error *error)
{
    const lg_image_params *s = &file->image->shape;
    const size_t channels = (size_t)lg_image_measured_channels(s);
    *out = (lg_area_answers){
        .shapes = g->shapes,
        .info = {.dims = g->shapes->dims, .channels = (int)channels, .exact = true, .unit = 1},
        .added = true,
        .type = s->type};
    lg_moments *found = calloc(g->shapes->count * channels, sizeof *found);
    lg_status status = found ? make_room(session->options, out, error)
                             : lg_set_error(error, LG_ERROR_MEMORY, "no memory for the answers");
    for (size_t i = 0; i < g->count && !status; i++) {
        const group *one = &g->group[i];
        const size_t rows = (one->end - one->first) * channels;
        status = lg_box_accumulator_finish(one->sums, LG_NAN_IGNORE, found, rows, error);
        for (size_t k = 0; k < rows && !status; k++)
            put_figures(session->options, &found[k],
                        g->order[one->first + k / channels].index * channels + k % channels, out);
    }
    free(found);
    if (status)
        lg_area_answers_free(out);
    return status;
}

// ---- files ----------------------------------------------------------------------------------------

static lg_status add_file(lg_session *session, lg_input_file *file, const lg_area_shapes *shapes,
                          groups *g, lg_error *error)
{
    lg_status status = find_groups(shapes, g, error);
    if (!status)
        status = create(&file->image->shape, g, error);
    return status ? status : lg_bands_each(session, file, 0, NULL, add_band, g, error);
}

lg_status lg_area_in_bands(lg_session *session, lg_input_file *file, const lg_area_shapes *shapes,
                           lg_area_answers *out, lg_error *error)
{
    groups g;
    const double start = lg_clock();
    lg_status status = add_file(session, file, shapes, &g, error);
    const double added = lg_clock();
    if (!status)
        status = finish(session, file, &g, out, error);
    if (!status) {
        out->build = added - start;
        out->query = lg_clock() - added;
    }
    free_groups(&g);
    return status;
}

// ---- states ---------------------------------------------------------------------------------------

static lg_status save(const void *a, void *data, size_t capacity, size_t *size, lg_error *error)
{
    return lg_box_accumulator_save(a, data, capacity, size, error);
}

lg_status lg_area_state(lg_session *session, lg_input_file *file, const lg_area_shapes *shapes,
                        lg_error *error)
{
    groups g;
    lg_status status = add_file(session, file, shapes, &g, error);
    void **sums = status ? NULL : calloc(g.count, sizeof *sums);
    if (!status && !sums)
        status = lg_set_error(error, LG_ERROR_MEMORY, "no memory for a state");
    for (size_t i = 0; i < g.count && sums; i++)
        sums[i] = g.group[i].sums;
    if (!status)
        status = lg_states_add(session, file, NULL, sums, g.count, save, error);
    free(sums);
    free_groups(&g);
    return status;
}

void lg_area_put_boxes(FILE *out, const lg_area_shapes *shapes)
{
    const size_t numbers = 2 * (size_t)shapes->dims;
    fprintf(out, "boxes %d %zu\n", shapes->dims, shapes->count);
    for (size_t i = 0; i < shapes->count * numbers; i++)
        fprintf(out, "%s%d%s", i % numbers ? " " : "box ", shapes->bounds[i],
                (i + 1) % numbers ? "" : "\n");
}

static bool take_boxes(const char *definition, lg_area_shapes *out)
{
    char *end;
    const char *head = lg_state_line(definition, NULL, "boxes"), *line = NULL;
    const long dims = head ? strtol(head, &end, 10) : 0;
    const unsigned long long count = dims == 2 || dims == 3 ? strtoull(end, NULL, 10) : 0;
    // A line of a box has 8 bytes at least.
    if (count < 1 || count > strlen(definition) / 8)
        return false;
    *out = (lg_area_shapes){.kind = LG_SHAPES_BOXES, .dims = (int)dims, .count = (size_t)count};
    out->bounds = calloc(out->count * 2 * (size_t)dims, sizeof *out->bounds);
    for (size_t i = 0; i < out->count && out->bounds; i++) {
        line = lg_state_line(definition, line, "box");
        const char *at = line;
        for (int k = 0; k < 2 * dims && at; k++) {
            const long number = strtol(at, &end, 10);
            out->bounds[2 * (size_t)dims * i + (size_t)k] = (int32_t)number;
            at = end != at && number >= 0 && number <= INT32_MAX ? end : NULL;
        }
        if (!at || *at != '\n')
            return false;
    }
    return out->bounds != NULL;
}

lg_status lg_area_take_boxes(const char *definition, lg_area_shapes *out, lg_error *error)
{
    *out = (lg_area_shapes){0};
    if (take_boxes(definition, out))
        return LG_OK;
    lg_area_shapes_free(out);
    return lg_set_error(error, LG_ERROR_DATA, "the boxes of the states do not go together");
}

lg_status lg_area_of_state(lg_session *session, const lg_input_file *file, const lg_state_input *in,
                           const lg_area_shapes *shapes, lg_area_answers *out, lg_error *error)
{
    groups g = {0};
    const size_t channels = (size_t)lg_image_measured_channels(&file->image->shape);
    lg_status status = lg_area_shapes_fit(shapes, &file->image->shape, error);
    if (!status)
        status = find_groups(shapes, &g, error);
    if (!status && g.count != in->saved_count)
        status = lg_set_error(error, LG_ERROR_DATA, "it has other boxes");
    for (size_t i = 0; i < g.count && !status; i++)
        status =
            lg_box_accumulator_load(in->saved[i].data, in->saved[i].size, &g.group[i].sums, error);
    if (!status)
        status = finish(session, file, &g, out, error);
    // A state of other boxes has another number of figures.
    if (status == LG_ERROR_ARGUMENT)
        status =
            lg_set_error(error, LG_ERROR_DATA, "it has other boxes, of %zu channels", channels);
    free_groups(&g);
    return status;
}
