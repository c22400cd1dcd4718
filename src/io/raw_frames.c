// Frames without a header: what they are comes from the caller. And the words for colours.
#include "io/film.h"

#include <string.h>

#define PLANAR(name_, planes_, bits_, chroma_)                                                     \
    {                                                                                              \
        .name = (name_), .planes = (planes_), .bits = (bits_), .chroma = (chroma_)                 \
    }
#define PAIRED(name_, bits_, shift_, chroma_)                                                      \
    {                                                                                              \
        .name = (name_), .planes = 3, .bits = (bits_), .shift = (shift_), .chroma = (chroma_),     \
        .paired = true                                                                             \
    }
#define PACKED(name_, channels_, bits_, ...)                                                       \
    {                                                                                              \
        .name = (name_), .channels = (channels_), .bits = (bits_), .order = { __VA_ARGS__ }        \
    }

// Names as in FFmpeg. Samples of two bytes have the low one first.
static const lg_raw_format formats[] = {
    PLANAR("gray", 1, 8, LG_CHROMA_NONE),
    PLANAR("gray10", 1, 10, LG_CHROMA_NONE),
    PLANAR("gray12", 1, 12, LG_CHROMA_NONE),
    PLANAR("gray16", 1, 16, LG_CHROMA_NONE),
    PLANAR("yuv420p", 3, 8, LG_CHROMA_420),
    PLANAR("i420", 3, 8, LG_CHROMA_420),
    PLANAR("yuv420p10", 3, 10, LG_CHROMA_420),
    PLANAR("yuv420p12", 3, 12, LG_CHROMA_420),
    PLANAR("yuv420p16", 3, 16, LG_CHROMA_420),
    PLANAR("yuv411p", 3, 8, LG_CHROMA_411),
    PLANAR("yuv422p", 3, 8, LG_CHROMA_422),
    PLANAR("yuv422p10", 3, 10, LG_CHROMA_422),
    PLANAR("yuv422p12", 3, 12, LG_CHROMA_422),
    PLANAR("yuv422p16", 3, 16, LG_CHROMA_422),
    PLANAR("yuv444p", 3, 8, LG_CHROMA_444),
    PLANAR("yuv444p10", 3, 10, LG_CHROMA_444),
    PLANAR("yuv444p12", 3, 12, LG_CHROMA_444),
    PLANAR("yuv444p16", 3, 16, LG_CHROMA_444),
    PLANAR("yuva444p", 4, 8, LG_CHROMA_444),
    {.name = "yv12", .planes = 3, .bits = 8, .chroma = LG_CHROMA_420, .cr_first = true},
    {.name = "nv21",
     .planes = 3,
     .bits = 8,
     .chroma = LG_CHROMA_420,
     .paired = true,
     .cr_first = true},
    PAIRED("nv12", 8, 0, LG_CHROMA_420),
    PAIRED("nv16", 8, 0, LG_CHROMA_422),
    PAIRED("nv24", 8, 0, LG_CHROMA_444),
    PAIRED("p010", 10, 6, LG_CHROMA_420),
    PAIRED("p012", 12, 4, LG_CHROMA_420),
    PAIRED("p016", 16, 0, LG_CHROMA_420),
    PAIRED("p210", 10, 6, LG_CHROMA_422),
    PAIRED("p216", 16, 0, LG_CHROMA_422),
    PAIRED("p410", 10, 6, LG_CHROMA_444),
    PAIRED("p416", 16, 0, LG_CHROMA_444),
    PACKED("rgb24", 3, 8, 0, 1, 2),
    PACKED("bgr24", 3, 8, 2, 1, 0),
    PACKED("rgba", 4, 8, 0, 1, 2, 3),
    PACKED("bgra", 4, 8, 2, 1, 0, 3),
    PACKED("argb", 4, 8, 1, 2, 3, 0),
    PACKED("abgr", 4, 8, 3, 2, 1, 0),
    PACKED("rgb48", 3, 16, 0, 1, 2),
    PACKED("rgba64", 4, 16, 0, 1, 2, 3),
};

// ---- words --------------------------------------------------------------------------------------

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

static bool take_color(const char *word, size_t length, lg_film *film, bool *fixed)
{
    static const char *const matrices[] = {"bt709", "bt601", "bt2020", "smpte240m"};
    for (int i = 0; i < (int)LG_COUNT(matrices); i++)
        if (is_word(word, length, matrices[i])) {
            film->matrix = (lg_matrix)i;
            return true;
        }
    const bool full = is_word(word, length, "full");
    if (!full && !is_word(word, length, "limited"))
        return false;
    film->full_range = full;
    *fixed = true;
    return true;
}

// Words with colons between them, up to `end`.
static lg_status take_colors(const char *text, const char *end, lg_film *film, bool *fixed,
                             lg_error *error)
{
    do {
        const char *colon = memchr(text, ':', (size_t)(end - text));
        const size_t length = (size_t)((colon ? colon : end) - text);
        if (!take_color(text, length, film, fixed))
            return lg_fail(
                error, LG_ERROR_ARGUMENT,
                "'%.*s' is no colour of video; allowed are bt709, bt601, bt2020, smpte240m, "
                "limited, full",
                (int)LG_MIN(length, 40), text);
        text += length + (colon ? 1 : 0);
    } while (text < end);
    return LG_OK;
}

lg_status lg_film_parse_colors(const char *text, lg_film *film, bool *fixed, lg_error *error)
{
    return take_colors(text, text + strlen(text), film, fixed, error);
}

// At most nine digits from *text on.
static bool take_number(const char **text, int32_t *out)
{
    const size_t digits = strspn(*text, "0123456789");
    *out = 0;
    for (size_t i = 0; i < digits && digits < 10; i++)
        *out = *out * 10 + ((*text)[i] - '0');
    *text += digits;
    return digits > 0 && digits < 10;
}

// 50, 29.97 or 30000/1001.
static bool take_rate(const char *text, lg_film *film)
{
    int32_t part = 0;
    film->rate_per = 1;
    if (!take_number(&text, &film->rate) || film->rate < 1)
        return false;
    if (*text == '/') {
        text++;
        return take_number(&text, &film->rate_per) && film->rate_per > 0 && !*text;
    }
    if (*text == '.') {
        const char *first = ++text;
        if (film->rate > 10000 || !take_number(&text, &part) || text - first > 3)
            return false;
        for (; first < text; first++)
            film->rate *= 10, film->rate_per *= 10;
        film->rate += part;
    }
    return !*text;
}

static const lg_raw_format *find_format(const char *text, size_t length)
{
    for (size_t i = 0; i < LG_COUNT(formats); i++)
        if (is_word(text, length, formats[i].name))
            return &formats[i];
    return NULL;
}

static lg_status fail_format(const char *text, size_t length, lg_error *error)
{
    char names[400];
    size_t used = 0;
    for (size_t i = 0; i < LG_COUNT(formats) && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? " " : "",
                                 formats[i].name);
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "there is no format '%.*s' of raw frames; there are %s", (int)LG_MIN(length, 40),
                   text, names);
}

lg_status lg_raw_parse(const char *text, lg_film *film, const lg_raw_format **format,
                       lg_error *error)
{
    bool fixed = false;
    const char *at = strchr(text, '@');
    const char *end = at ? at : text + strlen(text);
    bool good = take_number(&text, &film->width) && *text == 'x';
    text += good;
    good = good && take_number(&text, &film->height) && *text == ':' && film->width > 0 &&
           film->height > 0;
    if (!good || (at && !take_rate(at + 1, film)))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "raw frames are WxH:FORMAT[:MATRIX][:RANGE][@RATE], as in "
                       "1920x1080:p010:bt2020@50");
    const char *name = ++text;
    const size_t length = strcspn(name, ":@");
    const lg_raw_format *found = find_format(name, length);
    if (!found)
        return fail_format(name, length, error);
    film->planes = found->planes;
    film->bits = found->bits;
    film->chroma = found->chroma;
    film->siting = LG_SITING_LEFT;
    film->fields = LG_FIELDS_PROGRESSIVE;
    film->full_range = found->planes <= 1;
    *format = found;
    text = name + length;
    return *text == ':' ? take_colors(text + 1, end, film, &fixed, error) : LG_OK;
}

// ---- frames -------------------------------------------------------------------------------------

// Nothing at all is the end of the file, a part is a damaged frame.
static lg_status read_bytes(lg_input *input, void *out, size_t bytes, bool first, bool *more,
                            lg_error *error)
{
    const size_t got = lg_input_read(input, out, bytes);
    *more = got > 0 || !first;
    if (got == bytes || (!*more && !input->failure))
        return LG_OK;
    return lg_input_short(input, "the frame", error);
}

static void to_host(uint8_t *data, size_t samples, size_t sample, int shift)
{
    uint16_t *wide = (void *)data;
    if (sample == 1)
        return;
    if (!lg_host_is_little())
        lg_swap_bytes(data, 2, samples);
    for (size_t i = 0; i < samples && shift; i++)
        wide[i] = (uint16_t)(wide[i] >> shift);
}

static lg_status read_plane(lg_input *input, const lg_raw_format *format, lg_frame_planes *planes,
                            int i, bool *more, lg_error *error)
{
    const lg_frame_plane *p = &planes->plane[i];
    const size_t bytes = p->row * (size_t)p->height;
    const lg_status status = read_bytes(input, p->data, bytes, i == 0, more, error);
    if (status == LG_OK && *more)
        to_host(p->data, bytes / planes->sample, planes->sample, format->shift);
    return status;
}

#define PART(type)                                                                                 \
    for (int32_t x = 0; x < width; x++) {                                                          \
        ((type *)(void *)first)[x] = ((const type *)pairs)[2 * x];                                 \
        ((type *)(void *)second)[x] = ((const type *)pairs)[2 * x + 1];                            \
    }

// A row of pairs at a time.
static lg_status read_pairs(lg_input *input, const lg_raw_format *format, lg_frame_planes *planes,
                            lg_error *error)
{
    const lg_frame_plane *a = &planes->plane[format->cr_first ? 2 : 1];
    const lg_frame_plane *b = &planes->plane[format->cr_first ? 1 : 2];
    const int32_t width = a->width;
    void *pairs = lg_alloc_array(2, a->row);
    bool more;
    if (!pairs)
        return lg_fail_memory(error, 2 * a->row, "a row of chroma");
    lg_status status = LG_OK;
    for (int32_t y = 0; y < a->height && status == LG_OK; y++) {
        uint8_t *first = a->data + (size_t)y * a->row, *second = b->data + (size_t)y * b->row;
        status = read_bytes(input, pairs, 2 * a->row, false, &more, error);
        to_host(pairs, 2 * (size_t)width, planes->sample, format->shift);
        if (planes->sample == 1) {
            PART(uint8_t)
        } else {
            PART(uint16_t)
        }
    }
    lg_free(pairs);
    return status;
}

#undef PART

lg_status lg_raw_read_planes(lg_input *input, const lg_raw_format *format, lg_frame_planes *planes,
                             bool *more, lg_error *error)
{
    bool further;
    lg_status status = read_plane(input, format, planes, 0, more, error);
    if (status != LG_OK || !*more || planes->count == 1)
        return status;
    if (format->paired)
        return read_pairs(input, format, planes, error);
    for (int i = 1; i < planes->count && status == LG_OK; i++) {
        const int plane = format->cr_first && i < 3 ? 3 - i : i;
        status = read_plane(input, format, planes, plane, &further, error);
    }
    return status;
}

#define ORDER(type)                                                                                \
    for (int32_t x = 0; x < shape->width; x++) {                                                   \
        const type *from = (const type *)packed + x * format->channels;                            \
        type *to = (type *)row + x * 4;                                                            \
        for (int c = 0; c < 4; c++)                                                                \
            to[c] = c < format->channels ? from[format->order[c]] : 0;                             \
    }

lg_status lg_raw_read_image(lg_input *input, const lg_raw_format *format, lg_image *image,
                            bool *more, lg_error *error)
{
    const lg_image_params *shape = &image->shape;
    const size_t sample = lg_type_size(shape->type);
    const size_t samples = (size_t)shape->width * (size_t)format->channels;
    void *packed = lg_alloc_array(samples, sample);
    if (!packed)
        return lg_fail_memory(error, samples * sample, "a row");
    lg_status status = LG_OK;
    *more = true;
    for (int32_t y = 0; y < shape->height && status == LG_OK && *more; y++) {
        void *row = lg_image_row(image, 0, y);
        status = read_bytes(input, packed, samples * sample, y == 0, more, error);
        to_host(packed, samples, sample, 0);
        if (sample == 1) {
            ORDER(uint8_t)
        } else {
            ORDER(uint16_t)
        }
    }
    lg_free(packed);
    return status;
}

#undef ORDER
