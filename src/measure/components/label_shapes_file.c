// Counts of shapes as bytes: measure/accumulator.h, then
//
//   number of components, number of strips;
//   of each component, ascending: label, windows 1 to 15, border pixels of 3 lengths;
//   of each strip: first row, end; the labels of its first and of its last rows, two in a word (the former in
//     the lower half), where the layer does not begin or end there.
#include "measure/components/label_shapes.h"

static const lg_saved_kind kind = {"LGSHAPES", 1};

#define OWN_WORDS   2
#define LABEL_WORDS 19
#define STRIP_WORDS 2

static size_t edge_words(const lg_label_shapes *s)
{
    return (size_t)LG_STRIP_ROWS * (size_t)(s->region.width + 2) / 2;
}

// ---- save -----------------------------------------------------------------------------------------

static void put_edge(uint8_t **at, const lg_label_shapes *s, const uint32_t *edge)
{
    const size_t words = edge ? edge_words(s) : 0;
    for (size_t i = 0; i < words; i++)
        lg_put64(at, (uint64_t)edge[2 * i + 1] << 32 | edge[2 * i]);
}

lg_status lg_label_shapes_save(const lg_label_shapes *s, void *data, size_t capacity, size_t *size,
                               lg_error *error)
{
    uint8_t *at = NULL;
    if (!s || !size)
        return lg_fail_null(error, "counts of shapes, and a size to fill");
    size_t words = LG_SAVED_HEADER + OWN_WORDS + (size_t)s->count * LABEL_WORDS + 1;
    for (size_t i = 0; i < s->strip_count; i++)
        words += STRIP_WORDS +
                 edge_words(s) * ((s->strips[i].top != NULL) + (s->strips[i].bottom != NULL));
    const lg_status status =
        lg_saved_begin(&kind, &s->region, data, capacity, 8 * words, size, &at, error);
    if (status || !at)
        return status;
    lg_put64(&at, s->count);
    lg_put64(&at, s->strip_count);
    for (uint32_t i = 0; i < s->count; i++) {
        lg_put64(&at, s->label[i]);
        for (int w = 1; w < 16; w++)
            lg_put64(&at, s->shape[i].windows[w]);
        for (int b = 0; b < 3; b++)
            lg_put64(&at, s->shape[i].border[b]);
    }
    for (size_t i = 0; i < s->strip_count; i++) {
        lg_put64(&at, (uint64_t)s->strips[i].first);
        lg_put64(&at, (uint64_t)s->strips[i].end);
        put_edge(&at, s, s->strips[i].top);
        put_edge(&at, s, s->strips[i].bottom);
    }
    lg_saved_end(data, at);
    return LG_OK;
}

// ---- load -----------------------------------------------------------------------------------------

static bool has_label(const lg_label_shapes *s, uint32_t label)
{
    const uint32_t at = lg_label_shapes_first(s, label);
    return at < s->count && s->label[at] == label;
}

static bool get_edge(const uint8_t **at, const uint8_t *end, const lg_label_shapes *s,
                     uint32_t *edge)
{
    const size_t words = edge ? edge_words(s) : 0;
    uint32_t last = 0;
    if ((size_t)(end - *at) / 8 < words)
        return false;
    for (size_t i = 0; i < 2 * words; i++) {
        const uint64_t word = i % 2 ? 0 : lg_get64(at);
        if (i % 2 == 0) {
            edge[i] = (uint32_t)word;
            edge[i + 1] = (uint32_t)(word >> 32);
        }
        if (edge[i] && edge[i] != last && !has_label(s, edge[i]))
            return false;
        last = edge[i];
    }
    return true;
}

static bool get_strip(const uint8_t **at, const uint8_t *end, lg_label_shapes *s)
{
    const int64_t before = s->strip_count ? s->strips[s->strip_count - 1].end : 0;
    const int64_t h = s->region.height;
    if (end - *at < 8 * STRIP_WORDS)
        return false;
    lg_shape_strip strip = {.first = (int64_t)lg_get64(at)};
    strip.end = (int64_t)lg_get64(at);
    if (strip.first < before || strip.end <= strip.first || strip.end > h * s->region.layers ||
        strip.first / h != (strip.end - 1) / h ||
        (s->strip_count && strip.first == before && before % h != 0) ||
        !lg_label_shapes_edges(s, &strip))
        return false;
    s->strips[s->strip_count++] = strip;
    s->region.covered += (uint64_t)(strip.end - strip.first) * (uint64_t)s->region.width;
    return get_edge(at, end, s, strip.top) && get_edge(at, end, s, strip.bottom);
}

static bool get_all(const uint8_t *at, const uint8_t *end, size_t strips, lg_label_shapes *s)
{
    bool good = true;
    for (uint32_t i = 0; i < s->count && good; i++) {
        const uint64_t label = lg_get64(&at);
        good = label <= UINT32_MAX && label > (i ? s->label[i - 1] : 0);
        s->label[i] = (uint32_t)label;
        for (int w = 1; w < 16; w++)
            s->shape[i].windows[w] = lg_get64(&at);
        for (int b = 0; b < 3; b++)
            s->shape[i].border[b] = lg_get64(&at);
    }
    for (size_t i = 0; i < strips && good; i++)
        good = get_strip(&at, end, s);
    return good && at == end;
}

lg_status lg_label_shapes_load(const void *data, size_t size, lg_label_shapes **out,
                               lg_error *error)
{
    lg_covered_region r;
    const uint8_t *at;
    lg_label_shapes *s = NULL;
    if (!data || !out)
        return lg_fail_null(error, "bytes, and a place for the counts");
    const uint8_t *const end = (const uint8_t *)data + size - 8;
    lg_status status = lg_saved_open(&kind, data, size, &r, &at, error);
    if (!status && (end - at < 8 * OWN_WORDS || r.width > LG_MAX_SIDE || r.height > LG_MAX_SIDE ||
                    r.layers > LG_MAX_LAYERS || r.channels != 1))
        status = lg_saved_damaged(error, "they are too few, or of no image");
    if (status)
        return status;
    const uint64_t count = lg_get64(&at), strips = lg_get64(&at);
    const size_t room = (size_t)(end - at) / 8;
    if (count >= UINT32_MAX || count > room / LABEL_WORDS || strips > room / STRIP_WORDS)
        return lg_saved_damaged(error, "their number does not fit the header");
    status = lg_label_shapes_create(&r, (uint32_t)count, &s, error);
    if (!status)
        status = lg_label_shapes_reserve(s, (size_t)strips, error);
    if (!status && (!get_all(at, end, (size_t)strips, s) || s->region.covered != r.covered))
        status = lg_saved_damaged(error, "its rows contradict each other");
    if (status)
        lg_label_shapes_destroy(&s);
    else
        *out = s;
    return status;
}
