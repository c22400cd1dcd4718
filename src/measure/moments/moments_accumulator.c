#include "measure/moments/moments_accumulator.h"

#define MAX_PIXELS (INT64_C(1) << 62)

lg_status lg_moments_accumulator_create(lg_type type, int channels, int64_t width, int64_t height,
                                        int64_t layers, lg_moments_accumulator **out,
                                        lg_error *error)
{
    if (!out)
        return lg_fail(error, LG_ERROR_ARGUMENT, "there is no place to put the accumulator");
    if (type < 0 || type >= LG_TYPES || channels < 1 || channels > LG_MAX_CHANNELS)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "an accumulator for %d channels of type %d was asked for; 1 to %d channels "
                       "of a known type are possible",
                       channels, (int)type, LG_MAX_CHANNELS);
    if (width < 1 || height < 1 || layers < 1)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the region %lldx%lldx%lld is empty; every side must be at least 1",
                       (long long)width, (long long)height, (long long)layers);
    if (width > MAX_PIXELS / height || width * height > MAX_PIXELS / layers)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "the region %lldx%lldx%lld is too large; at most 2^62 pixels are counted",
                       (long long)width, (long long)height, (long long)layers);
    lg_moments_accumulator *a = lg_alloc(sizeof *a);
    if (!a)
        return lg_fail_memory(error, sizeof *a, "an accumulator");
    a->type = type;
    a->channels = channels;
    a->width = width;
    a->height = height;
    a->layers = layers;
    a->integer = type == LG_U8 || type == LG_U16;
    for (int c = 0; c < channels; c++)
        a->integers[c] = lg_moments_state_empty(type);
    lg_forest_init(&a->forest, channels, (uint64_t)(width - 1) / LG_LEAF_WIDTH + 1,
                   (uint64_t)(height - 1) / LG_LEAF_HEIGHT + 1, (uint64_t)layers);
    *out = a;
    return LG_OK;
}

void lg_moments_accumulator_destroy(lg_moments_accumulator **accumulator)
{
    if (!accumulator || !*accumulator)
        return;
    lg_forest_free(&(*accumulator)->forest);
    lg_free(*accumulator);
    *accumulator = NULL;
}

// ---- add ----------------------------------------------------------------------------------------

typedef struct placement {
    lg_moments_accumulator *accumulator;
    lg_context *context;
    lg_scan scan;
    int64_t x, y, layer;
} placement;

static lg_status check_placement(const placement *p, lg_error *error)
{
    const lg_moments_accumulator *a = p->accumulator;
    const lg_scan *s = &p->scan;
    if (s->type != a->type || s->measured != a->channels)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the tile has %d channels of type %s; the accumulator takes %d of type %s",
                       s->measured, lg_type_name(s->type), a->channels, lg_type_name(a->type));
    if (p->x < 0 || p->y < 0 || p->layer < 0 || p->x > a->width - s->width ||
        p->y > a->height - s->height || p->layer > a->layers - s->layers)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "a tile of %lldx%lldx%d pixels at (%lld, %lld, %lld) leaves the region of "
                       "%lldx%lldx%lld",
                       (long long)s->width, (long long)s->height, s->layers, (long long)p->x,
                       (long long)p->y, (long long)p->layer, (long long)a->width,
                       (long long)a->height, (long long)a->layers);
    const int64_t right = p->x + s->width, bottom = p->y + s->height;
    if (!a->integer && (p->x % LG_LEAF_WIDTH || p->y % LG_LEAF_HEIGHT ||
                        (right % LG_LEAF_WIDTH && right != a->width) ||
                        (bottom % LG_LEAF_HEIGHT && bottom != a->height)))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "a float tile reaches from (%lld, %lld) to (%lld, %lld); its sides must be "
                       "at multiples of %d and %d or at the end of the region",
                       (long long)p->x, (long long)p->y, (long long)right, (long long)bottom,
                       LG_LEAF_WIDTH, LG_LEAF_HEIGHT);
    return LG_OK;
}

// With the rule to refuse them, NaN and infinities must not get in.
static lg_status check_values(const placement *p, const lg_moments_state *states, size_t count,
                              lg_error *error)
{
    lg_moments figures;
    lg_status status = LG_OK;
    if (p->scan.nan != LG_NAN_ERROR)
        return LG_OK;
    for (size_t i = 0; status == LG_OK && i < count; i++)
        status = lg_moments_finish(&states[i], LG_NAN_ERROR, &figures, error);
    return status;
}

static lg_status add_integers(placement *p, lg_error *error)
{
    lg_moments_state more[LG_MAX_CHANNELS];
    const lg_status status = lg_moments_run(p->context, &p->scan, true, more, error);
    for (int c = 0; status == LG_OK && c < p->accumulator->channels; c++)
        lg_moments_state_merge(&p->accumulator->integers[c], &more[c]);
    return status;
}

// The largest block of the tree that starts at leaf `first` of a row and ends before `end`, or with
// the row: its level.
static uint32_t block_level(const lg_forest *forest, uint64_t first, uint64_t end)
{
    uint32_t level = 0;
    while (level < forest->levels[0] && (UINT64_C(2) << level) <= LG_BLOCK_LEAVES &&
           first % (UINT64_C(2) << level) == 0 &&
           (first + (UINT64_C(2) << level) <= end || end == forest->leaves[0]))
        level++;
    return level;
}

// Cuts the tile into blocks of the tree. With blocks NULL it only counts them.
static size_t cut_tile(const placement *p, lg_moments_block *blocks, lg_forest_key *keys)
{
    const lg_scan *s = &p->scan;
    const uint64_t first = (uint64_t)p->x / LG_LEAF_WIDTH;
    const uint64_t end = (uint64_t)(p->x + s->width - 1) / LG_LEAF_WIDTH + 1;
    size_t count = 0;
    for (int32_t layer = 0; layer < s->layers; layer++) {
        for (int64_t y = 0; y < s->height; y += LG_LEAF_HEIGHT) {
            for (uint64_t leaf = first; leaf < end; count++) {
                const uint32_t level = block_level(&p->accumulator->forest, leaf, end);
                const int64_t x = (int64_t)(leaf - first) * LG_LEAF_WIDTH;
                const int64_t width = (int64_t)LG_LEAF_WIDTH << level;
                if (blocks) {
                    blocks[count] = (lg_moments_block){layer, x, y, LG_MIN(width, s->width - x),
                                                       LG_MIN(s->height - y, LG_LEAF_HEIGHT)};
                    keys[count] =
                        (lg_forest_key){level,
                                        {leaf >> level, (uint64_t)(p->y + y) / LG_LEAF_HEIGHT,
                                         (uint64_t)(p->layer + layer)}};
                }
                leaf += UINT64_C(1) << level;
            }
        }
    }
    return count;
}

static lg_status add_blocks(placement *p, const lg_moments_block *blocks, const lg_forest_key *keys,
                            size_t count, lg_moments_state *states, lg_error *error)
{
    lg_moments_accumulator *a = p->accumulator;
    for (size_t i = 0; i < count; i++) {
        if (lg_forest_taken(&a->forest, keys[i]))
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "the tile at (%lld, %lld, %lld) covers pixels that were added before; "
                           "add every pixel once",
                           (long long)p->x, (long long)p->y, (long long)p->layer);
    }
    if (!lg_forest_reserve(&a->forest, count))
        return lg_fail_memory(error, count * sizeof(lg_forest_entry), "an accumulator");
    lg_status status = lg_moments_cpu_blocks(p->context, &p->scan, blocks, count, states, error);
    if (status == LG_OK)
        status = check_values(p, states, count * (size_t)a->channels, error);
    for (size_t i = 0; status == LG_OK && i < count; i++) {
        lg_node nodes[LG_MAX_CHANNELS];
        for (int c = 0; c < a->channels; c++)
            nodes[c] = states[i * (size_t)a->channels + (size_t)c].node;
        lg_forest_insert(&a->forest, keys[i], nodes);
    }
    return status;
}

static lg_status add_floats(placement *p, lg_error *error)
{
    const size_t count = cut_tile(p, NULL, NULL), channels = (size_t)p->accumulator->channels;
    lg_moments_block *blocks = lg_alloc_array(count, sizeof *blocks);
    lg_forest_key *keys = lg_alloc_array(count, sizeof *keys);
    lg_moments_state *states = lg_alloc_array(count * channels, sizeof *states);
    lg_status status;
    if (blocks && keys && states) {
        cut_tile(p, blocks, keys);
        status = add_blocks(p, blocks, keys, count, states, error);
    } else {
        status = lg_fail_memory(error, count * channels * sizeof *states, "an accumulator");
    }
    lg_free(blocks);
    lg_free(keys);
    lg_free(states);
    return status;
}

lg_status lg_moments_accumulator_add(lg_context *context, lg_moments_accumulator *accumulator,
                                     const lg_image *tile, const lg_select *select, int64_t x,
                                     int64_t y, int64_t layer, lg_error *error)
{
    placement p = {.accumulator = accumulator, .context = context, .x = x, .y = y, .layer = layer};
    if (!context || !accumulator)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "adding a tile needs a context and an accumulator");
    lg_status status = lg_scan_init(&p.scan, tile, select, error);
    if (status == LG_OK)
        status = check_placement(&p, error);
    if (status != LG_OK)
        return status;
    return accumulator->integer ? add_integers(&p, error) : add_floats(&p, error);
}

// ---- merge and finish ---------------------------------------------------------------------------

lg_status lg_moments_accumulator_merge(lg_moments_accumulator *into,
                                       const lg_moments_accumulator *from, lg_error *error)
{
    if (!into || !from || into == from)
        return lg_fail(error, LG_ERROR_ARGUMENT, "merging needs two accumulators");
    if (into->type != from->type || into->channels != from->channels ||
        into->width != from->width || into->height != from->height || into->layers != from->layers)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "an accumulator of %lldx%lldx%lld pixels with %d channels of type %s cannot "
                       "take one of %lldx%lldx%lld with %d of type %s; both must describe the same "
                       "region",
                       (long long)into->width, (long long)into->height, (long long)into->layers,
                       into->channels, lg_type_name(into->type), (long long)from->width,
                       (long long)from->height, (long long)from->layers, from->channels,
                       lg_type_name(from->type));
    if (into->integer) {
        for (int c = 0; c < into->channels; c++)
            lg_moments_state_merge(&into->integers[c], &from->integers[c]);
        return LG_OK;
    }
    if (lg_forest_overlap(&into->forest, &from->forest))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "both accumulators contain the same pixels; add every pixel once");
    if (!lg_forest_reserve(&into->forest, from->forest.count))
        return lg_fail_memory(error, from->forest.count * sizeof(lg_forest_entry), "a merge");
    for (size_t i = 0; i < from->forest.capacity; i++) {
        if (from->forest.entries[i].used)
            lg_forest_insert(&into->forest, from->forest.entries[i].key,
                             from->forest.entries[i].nodes);
    }
    return LG_OK;
}

lg_status lg_moments_accumulator_finish(const lg_moments_accumulator *a, lg_nan nan,
                                        lg_moments *out, size_t capacity, lg_error *error)
{
    lg_node roots[LG_MAX_CHANNELS];
    lg_moments figures[LG_MAX_CHANNELS];
    if (!a || !out || capacity < (size_t)a->channels)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "there is room for %zu figures; an accumulator has one for each of its %d "
                       "channels",
                       out ? capacity : 0, a ? a->channels : 0);
    if (!a->integer && !lg_forest_root(&a->forest, roots))
        return lg_fail_memory(error, a->forest.count * sizeof(lg_forest_entry), "figures");
    for (int c = 0; c < a->channels; c++) {
        lg_moments_state state = a->integers[c];
        if (!a->integer)
            state.node = roots[c];
        const lg_status status = lg_moments_finish(&state, nan, &figures[c], error);
        if (status != LG_OK)
            return status;
    }
    memcpy(out, figures, (size_t)a->channels * sizeof *out);
    return LG_OK;
}
