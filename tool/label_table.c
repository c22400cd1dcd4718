#include "label_table.h"

#include "label_values.h"
#include "session.h"

#include <math.h>
#include <stdlib.h>

// ---- which columns ------------------------------------------------------------------------------

static void add(lg_label_table *table, lg_label_column column)
{
    if (table->columns == LG_TABLE_COLUMNS)
        return;
    table->column[table->columns++] = column;
    table->needs |= lg_column_needs(column.of);
}

// --columns all: those that this image has.
static void add_all(lg_label_table *table, unsigned lacking)
{
    for (int i = 0; i < LG_COLUMNS; i++)
        if (!(lg_column_needs((lg_column)i) & lacking))
            add(table, (lg_label_column){lg_column_name((lg_column)i), (lg_column)i});
}

// What pixels of this shape lack, as LG_NEEDS.
static unsigned lacks_sides(const double size[3])
{
    const bool square = fabs(size[0] - size[1]) <= LG_SQUARE_PIXELS * size[0];
    const bool cube = square && fabs(size[0] - size[2]) <= LG_SQUARE_PIXELS * size[0];
    return (square ? 0 : LG_NEEDS_SQUARES) | (cube ? 0 : LG_NEEDS_CUBES);
}

// --spacing puts micrometres behind the columns of the default table.
static void add_micrometres(lg_label_table *table, bool volume)
{
    static const lg_column plane[] = {LG_COLUMN_AREA_UM2, LG_COLUMN_CX_UM, LG_COLUMN_CY_UM,
                                      LG_COLUMN_EQUIVALENT_DIAMETER_UM};
    static const lg_column solid[] = {LG_COLUMN_VOLUME_UM3, LG_COLUMN_CX_UM, LG_COLUMN_CY_UM,
                                      LG_COLUMN_CZ_UM, LG_COLUMN_EQUIVALENT_DIAMETER_UM};
    for (int i = 0; i < (volume ? 5 : 4); i++) {
        const lg_column column = volume ? solid[i] : plane[i];
        add(table, (lg_label_column){lg_column_name(column), column});
    }
}

// A size that was asked for has to be there.
static lg_status check_spacing(const lg_options *options, const double size[3], bool volume,
                               lg_error *error)
{
    if (!options->has_spacing || (size[0] > 0 && size[1] > 0 && (size[2] > 0 || !volume)))
        return LG_OK;
    return lg_set_error(error, LG_ERROR_ARGUMENT,
                        options->spacing_of_file
                            ? "the file does not say how large a pixel is%s; --spacing %s does"
                            : "how far are the layers from each other%s? --spacing %s says it",
                        volume && size[0] > 0 && options->spacing_of_file ? " along z" : "",
                        volume ? "X,Y,Z" : "X,Y");
}

static lg_status refuse_missing(const lg_label_table *table, unsigned without, lg_error *error)
{
    const char *what = "--keep";
    for (int i = 0; i < table->columns; i++)
        if (lg_column_needs(table->column[i].of) & without)
            what = table->column[i].name;
    return lg_set_error(error, LG_ERROR_ARGUMENT,
                        without & table->needs & LG_NEEDS_INTENSITY
                            ? "%s needs intensities: measure with --intensity"
                            : "%s needs the shapes of components, which are of whole images: "
                              "states have none",
                        what);
}

lg_status lg_label_table_plan(const lg_options *options, int32_t layers, const double pixel_size[3],
                              unsigned without, lg_label_table *out, lg_error *error)
{
    const int connectivity = lg_connectivity_of(options);
    const bool volume = layers > 1 && connectivity != 4 && connectivity != 8;
    const int here = (options->intensity ? LG_WHEN_INTENSITY : 0) |
                     (layers > 1 ? LG_WHEN_LAYERS : 0) | (volume ? LG_WHEN_VOLUME : LG_WHEN_PLANE);
    const unsigned lacking = (options->intensity ? 0 : LG_NEEDS_INTENSITY) |
                             (volume ? LG_NEEDS_PLANE : LG_NEEDS_VOLUME) |
                             (pixel_size[0] > 0 && pixel_size[1] > 0 ? 0 : LG_NEEDS_PIXEL_SIZE) |
                             (pixel_size[2] > 0 ? 0 : LG_NEEDS_DISTANCE) | lacks_sides(pixel_size) |
                             without;
    const lg_label_preset *preset = lg_label_preset_at(options->preset < 0 ? 0 : options->preset);
    const bool chosen = options->all_columns || options->column_count > 0;
    *out = (lg_label_table){.half = options->centers < 0 ? preset->half : options->centers == 1,
                            .background = preset->background,
                            .pixel_size = {pixel_size[0], pixel_size[1], pixel_size[2]}};
    if (options->all_columns)
        add_all(out, lacking);
    for (int i = 0; i < options->column_count; i++) {
        const lg_column column = (lg_column)options->columns[i];
        add(out, (lg_label_column){lg_column_name(column), column});
    }
    for (const lg_label_column *c = preset->columns; c->name && !chosen; c++)
        if ((c->when & here) == c->when)
            add(out, *c);
    if (options->has_spacing && !chosen && options->preset <= 0)
        add_micrometres(out, volume);
    if (preset->background && layers > 1)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "--preset %s is for one layer and there are %d: --page N takes one",
                            preset->name, layers);
    unsigned needs = 0;
    lg_status status = check_spacing(options, pixel_size, volume, error);
    if (!status && options->keep)
        status = lg_components_needs(options->keep, &needs, error);
    out->needs |= needs;
    if (!status && (out->needs & without))
        return refuse_missing(out, without, error);
    return status;
}

// ---- cells --------------------------------------------------------------------------------------

// What is to be added to the first pixel of a box.
static lg_status add_side(const lg_components *components, const lg_label_column *column,
                          double *cells, lg_error *error)
{
    const uint32_t count = lg_components_count(components);
    double *side = calloc((size_t)count + 1, sizeof *side);
    if (!side)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the table");
    const lg_status status = lg_components_column(
        components, (lg_column)(column->of - LG_COLUMN_X + LG_COLUMN_WIDTH), side, error);
    for (uint32_t i = 0; i < count && status == LG_OK; i++)
        cells[i] += side[i] - (column->rule == LG_CELL_LAST);
    free(side);
    return status;
}

// What centres at .5 add to a position: half a pixel, in its unit.
static double half_of(const lg_label_table *table, lg_column column)
{
    static const lg_column first[] = {LG_COLUMN_CX_UM, LG_COLUMN_MX_UM};
    if (!table->half)
        return 0;
    for (int i = 0; i < 2; i++)
        if (column >= first[i] && column < first[i] + 3)
            return table->pixel_size[column - first[i]] / 2;
    return lg_column_is_position(column) ? 0.5 : 0;
}

static lg_status fill_column(const lg_label_table *table, const lg_components *components,
                             const lg_label_column *column, double *cells, lg_error *error)
{
    const double more = column->rule == LG_CELL_NEXT ? 1 : half_of(table, column->of);
    lg_status status = lg_components_column(components, column->of, cells, error);
    if (status == LG_OK && (column->rule == LG_CELL_END || column->rule == LG_CELL_LAST))
        status = add_side(components, column, cells, error);
    for (uint32_t i = 0; i < lg_components_count(components) && status == LG_OK; i++)
        cells[i] += more;
    return status;
}

// ---- the background -----------------------------------------------------------------------------

typedef struct background {
    int32_t low[2], high[2];
    double area, sum[2];
} background;

static background background_of(const lg_labels *labels)
{
    background b = {.low = {labels->width, labels->height}, .high = {-1, -1}};
    for (int32_t y = 0; y < labels->height; y++) {
        const uint32_t *row = labels->data + (size_t)y * (labels->row_stride / sizeof *row);
        for (int32_t x = 0; x < labels->width; x++) {
            if (row[x])
                continue;
            b.low[0] = x < b.low[0] ? x : b.low[0];
            b.high[0] = x > b.high[0] ? x : b.high[0];
            b.low[1] = y < b.low[1] ? y : b.low[1];
            b.high[1] = y;
            b.area++;
            b.sum[0] += x;
            b.sum[1] += y;
        }
    }
    return b;
}

static double background_figure(const background *b, lg_column column)
{
    switch (column) {
    case LG_COLUMN_LABEL:
        return 0;
    case LG_COLUMN_AREA:
        return b->area;
    case LG_COLUMN_X:
    case LG_COLUMN_Y:
        return b->area > 0 ? b->low[column - LG_COLUMN_X] : NAN;
    case LG_COLUMN_WIDTH:
    case LG_COLUMN_HEIGHT:
        return b->area > 0
                   ? b->high[column - LG_COLUMN_WIDTH] - b->low[column - LG_COLUMN_WIDTH] + 1
                   : NAN;
    case LG_COLUMN_CX:
    case LG_COLUMN_CY:
        return b->area > 0 ? b->sum[column - LG_COLUMN_CX] / b->area : NAN;
    default:
        return NAN;
    }
}

lg_status lg_label_table_fill(lg_label_table *table, const lg_components *components,
                              const lg_labels *labels, lg_error *error)
{
    const bool first = table->background;
    table->rows = (size_t)lg_components_count(components) + first;
    table->cells = calloc(table->rows * (size_t)table->columns + 1, sizeof *table->cells);
    if (!table->cells)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the table");
    const background b = first ? background_of(labels) : (background){0};
    lg_status status = LG_OK;
    for (int i = 0; i < table->columns && status == LG_OK; i++) {
        double *cells = table->cells + (size_t)i * table->rows;
        const double more = table->half && lg_column_is_position(table->column[i].of) ? 0.5 : 0;
        if (first)
            *cells++ = background_figure(&b, table->column[i].of) + more;
        status = fill_column(table, components, &table->column[i], cells, error);
    }
    return status;
}

void lg_label_table_free(lg_label_table *table)
{
    free(table->cells);
    table->cells = NULL;
}
