// Which components stay: --keep, --no-edge, --largest. Of all at once, or of blocks from scratch files.
#include "label_run.h"
#include "layer_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool selects(const lg_options *options)
{
    return options->keep || options->no_edge || options->largest >= 0;
}

// --keep and --no-edge. free() *keep; NULL where all stay.
static lg_status choose(const lg_options *options, const lg_components *components, uint8_t **keep,
                        lg_error *error)
{
    const uint32_t count = lg_components_count(components);
    *keep = NULL;
    if (!selects(options))
        return LG_OK;
    *keep = malloc(2 * (size_t)count + 1);
    if (!*keep)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the selection");
    uint8_t *inner = *keep + count;
    memset(*keep, 1, 2 * (size_t)count);
    lg_status status = LG_OK;
    if (options->keep)
        status = lg_components_select(components, options->keep, *keep, error);
    if (status == LG_OK && options->no_edge)
        status = lg_components_select(components, "!edge", inner, error);
    for (uint32_t i = 0; i < count; i++)
        (*keep)[i] &= inner[i];
    return status;
}

// ---- all components -------------------------------------------------------------------------------

// Numbers those that stay from 1 on.
static uint32_t *map_of(const uint8_t *keep, uint32_t count)
{
    uint32_t *map = malloc(((size_t)count + 1) * sizeof *map), next = 0;
    if (map)
        map[0] = 0;
    for (uint32_t i = 0; i < count && map; i++)
        map[i + 1] = keep[i] ? ++next : 0;
    return map;
}

static lg_status remove_components(lg_session *session, lg_label_run *run, uint32_t **map,
                                   lg_error *error)
{
    const lg_options *options = session->options;
    uint8_t *keep = NULL;
    lg_status status = choose(options, run->components, &keep, error);
    if (status == LG_OK && options->largest >= 0)
        status = lg_components_largest(run->components, (uint32_t)options->largest, keep, error);
    if (status == LG_OK && keep && map && !(*map = map_of(keep, run->found)))
        status = lg_set_error(error, LG_ERROR_MEMORY, "no memory for the selection");
    if (status == LG_OK && keep)
        status = lg_components_keep(session->context, run->labels, run->components, keep, error);
    free(keep);
    return status;
}

lg_status lg_label_select(lg_session *session, const lg_input_file *file, lg_label_run *run,
                          uint32_t **map, lg_error *error)
{
    double pixel_size[3];
    lg_pixel_size_of(session, file, pixel_size);
    run->found = lg_components_count(run->components);
    run->unit = lg_components_unit(run->components);
    lg_status status = lg_components_pixel_size(run->components, pixel_size, error);
    if (status == LG_OK)
        status = remove_components(session, run, map, error);
    run->kept = lg_components_count(run->components);
    return status;
}

// ---- blocks ---------------------------------------------------------------------------------------

// The K largest areas so far, the least on top.
typedef struct areas {
    double *area;
    size_t count, room;
} areas;

static void move_down(areas *a)
{
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < a->count; child++)
            if (a->area[child] < a->area[least])
                least = child;
        if (least == i)
            return;
        const double other = a->area[i];
        a->area[i] = a->area[least];
        a->area[least] = other;
        i = least;
    }
}

static bool add_area(areas *a, double area, size_t most)
{
    if (a->count == most) {
        if (most && area > a->area[0]) {
            a->area[0] = area;
            move_down(a);
        }
        return true;
    }
    if (a->count == a->room) {
        const size_t room = 2 * a->room + 1000;
        double *more = realloc(a->area, room * sizeof *more);
        if (!more)
            return false;
        a->area = more;
        a->room = room;
    }
    size_t i = a->count++;
    for (; i && a->area[(i - 1) / 2] > area; i = (i - 1) / 2)
        a->area[i] = a->area[(i - 1) / 2];
    a->area[i] = area;
    return true;
}

typedef struct blocks {
    lg_session *session;
    lg_label_run *run;
    double pixel_size[3];
    areas *largest;      // while they are looked for
    uint32_t seen, kept; // so far
    uint32_t ties;       // that still stay
    uint32_t *map;       // of lg_label_map
    lg_label_rows_fn fn;
    void *priv;
} blocks;

static lg_status look_at_areas(blocks *b, const uint8_t *keep, const double *area, uint32_t count,
                               lg_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        if (keep[i] && !add_area(b->largest, area[i], (size_t)b->session->options->largest))
            return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the areas of --largest");
        b->kept += keep[i];
    }
    return LG_OK;
}

static void keep_largest(blocks *b, uint8_t *keep, const double *area, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const bool tie = area[i] == b->run->least && b->ties > 0;
        const bool stays = keep[i] && (area[i] > b->run->least || tie);
        b->ties -= keep[i] && tie;
        keep[i] = stays;
    }
}

// The areas of a block: they are looked at first, and decide then.
static lg_status use_areas(blocks *b, const lg_components *components, uint8_t *keep,
                           lg_error *error)
{
    const uint32_t count = lg_components_count(components);
    double *area = malloc(((size_t)count + 1) * sizeof *area);
    if (!area)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the areas of --largest");
    lg_status status = lg_components_column(components, LG_COLUMN_AREA, area, error);
    if (!status && b->largest)
        status = look_at_areas(b, keep, area, count, error);
    else if (!status)
        keep_largest(b, keep, area, count);
    free(area);
    return status;
}

static lg_status keep_some(blocks *b, lg_components *components, uint8_t **keep, lg_error *error)
{
    lg_status status = lg_components_pixel_size(components, b->pixel_size, error);
    b->run->unit = lg_components_unit(components);
    if (!status)
        status = choose(b->session->options, components, keep, error);
    if (!status && b->session->options->largest >= 0)
        status = use_areas(b, components, *keep, error);
    return status;
}

static lg_status count_block(void *priv, lg_components *components, lg_error *error)
{
    blocks *b = priv;
    uint8_t *keep = NULL;
    const uint32_t count = lg_components_count(components);
    const lg_status status = keep_some(b, components, &keep, error);
    for (uint32_t i = 0; i < count && !status && !b->largest; i++)
        b->kept += keep ? keep[i] : 1;
    b->seen += count;
    free(keep);
    return status;
}

static lg_status take_block(void *priv, lg_components *components, lg_error *error)
{
    blocks *b = priv;
    uint8_t *keep = NULL;
    lg_label_table *table = &b->run->table;
    const uint32_t count = lg_components_count(components), removed = b->seen - b->kept;
    lg_status status = keep_some(b, components, &keep, error);
    if (!status && keep)
        status = lg_components_keep(b->session->context, NULL, components, keep, error);
    if (!status)
        status = lg_label_table_fill(table, components, NULL, error);
    for (int i = 0; i < table->columns && !status; i++)
        for (size_t row = 0; table->column[i].of == LG_COLUMN_LABEL && row < table->rows; row++)
            table->cells[(size_t)i * table->rows + row] -= removed;
    b->seen += count;
    b->kept += lg_components_count(components);
    if (!status)
        b->fn(b->priv, table);
    lg_label_table_free(table);
    free(keep);
    return status;
}

static blocks begin(lg_session *session, const lg_input_file *file, lg_label_run *run)
{
    blocks b = {.session = session, .run = run, .ties = run->ties};
    lg_pixel_size_of(session, file, b.pixel_size);
    return b;
}

lg_status lg_label_count(lg_session *session, const lg_input_file *file, lg_label_run *run,
                         lg_error *error)
{
    blocks b = begin(session, file, run);
    areas largest = {0};
    const int32_t most = session->options->largest;
    b.largest = most >= 0 ? &largest : NULL;
    lg_status status =
        lg_label_accumulator_blocks(run->parts, LG_LABEL_BLOCK, count_block, &b, error);
    run->found = b.seen;
    run->kept = b.kept;
    if (most >= 0 && b.kept > (uint32_t)most) {
        run->kept = (uint32_t)most;
        run->least = most ? largest.area[0] : INFINITY;
        for (size_t i = 0; i < largest.count; i++)
            run->ties += largest.area[i] == run->least;
    }
    free(largest.area);
    return status;
}

// What the labels of a block are called now.
static lg_status map_block(void *priv, lg_components *components, lg_error *error)
{
    blocks *b = priv;
    uint8_t *keep = NULL;
    const uint32_t count = lg_components_count(components);
    const lg_status status = keep_some(b, components, &keep, error);
    for (uint32_t i = 0; i < count && !status; i++)
        b->map[++b->seen] = keep[i] ? ++b->kept : 0;
    free(keep);
    return status;
}

lg_status lg_label_map(lg_session *session, const lg_input_file *file, lg_label_run *run,
                       uint32_t **map, lg_error *error)
{
    blocks b = begin(session, file, run);
    if (!selects(session->options))
        return LG_OK;
    *map = b.map = calloc((size_t)run->found + 1, sizeof *b.map);
    if (!b.map)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the selection");
    return lg_label_accumulator_blocks(run->parts, LG_LABEL_BLOCK, map_block, &b, error);
}

lg_status lg_label_each_rows(lg_session *session, const lg_input_file *file, lg_label_run *run,
                             lg_label_rows_fn fn, void *priv, lg_error *error)
{
    if (!run->parts) {
        fn(priv, &run->table);
        return LG_OK;
    }
    blocks b = begin(session, file, run);
    b.fn = fn;
    b.priv = priv;
    return lg_label_accumulator_blocks(run->parts, LG_LABEL_BLOCK, take_block, &b, error);
}
