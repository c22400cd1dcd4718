#include "core/plane_codes.h"

// ---- shapes -------------------------------------------------------------------------------------

static lg_status check_codes(const lg_planes *p, lg_error *error)
{
    if ((unsigned)p->chroma > LG_CHROMA_444 || (unsigned)p->siting > LG_SITING_TOP_LEFT ||
        (unsigned)p->matrix > LG_MATRIX_SMPTE240M)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "planes with chroma %d, siting %d and matrix %d: one of these is unknown",
                       (int)p->chroma, (int)p->siting, (int)p->matrix);
    if (p->bits < 8 || p->bits > 16)
        return lg_fail(error, LG_ERROR_ARGUMENT, "codes of planes have 8 to 16 bits, not %d",
                       p->bits);
    if (p->shift < 0 || p->shift > (p->bits == 8 ? 0 : 16 - p->bits))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "codes of %d bits above %d zero bits do not fit %d bits", p->bits, p->shift,
                       p->bits == 8 ? 8 : 16);
    return LG_OK;
}

lg_status lg_planes_check(const lg_image_params *shape, lg_error *error)
{
    const lg_planes *p = shape->planes;
    const lg_status status = check_codes(p, error);
    if (status)
        return status;
    const bool grey = p->chroma == LG_CHROMA_NONE;
    if (shape->channels != (grey ? 1 : 4) ||
        shape->alpha != (grey ? LG_ALPHA_NONE : LG_ALPHA_OPAQUE) || shape->layers != 1)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "an image of planes with %s has %s and 1 layer, not %d channels and %d "
                       "layers",
                       grey ? "luma alone" : "chroma",
                       grey ? "1 channel" : "4 channels with opaque alpha", shape->channels,
                       shape->layers);
    if (shape->type != (p->bits == 8 ? LG_U8 : LG_U16))
        return lg_fail(error, LG_ERROR_ARGUMENT, "codes of %d bits are samples of %s, not of %s",
                       p->bits, p->bits == 8 ? "u8" : "u16", lg_type_name(shape->type));
    return LG_OK;
}

lg_status lg_image_check_adjacent(const lg_image_params *shape, const char *what, lg_error *error)
{
    if (!shape->planes)
        return LG_OK;
    return lg_fail(
        error, LG_ERROR_ARGUMENT,
        "%s cannot be an image that is stored as planes; take a plane of it (lg_image_plane), "
        "or make colours of it with a plan",
        what);
}

bool lg_planes_same(const lg_planes *a, const lg_planes *b)
{
    if (!a || !b)
        return a == b;
    return a->chroma == b->chroma && a->paired == b->paired && a->bits == b->bits &&
           a->shift == b->shift && a->matrix == b->matrix && a->full_range == b->full_range &&
           a->siting == b->siting;
}

int lg_planes_count(const lg_planes *planes)
{
    return planes->chroma == LG_CHROMA_NONE ? 1 : planes->paired ? 2 : 3;
}

lg_image_params lg_planes_shape(const lg_image_params *of, int plane)
{
    const lg_planes *p = of->planes;
    return (lg_image_params){.width = plane ? lg_chroma_across(p, of->width).chroma : of->width,
                             .height = plane ? lg_chroma_down(p, of->height).chroma : of->height,
                             .layers = 1,
                             .channels = plane && p->paired ? 2 : 1,
                             .type = of->type};
}

// ---- where chroma lies --------------------------------------------------------------------------

lg_chroma_axis lg_chroma_across(const lg_planes *planes, int32_t width)
{
    const lg_chroma c = planes->chroma;
    const int32_t factor = c == LG_CHROMA_411                         ? 4
                           : c == LG_CHROMA_420 || c == LG_CHROMA_422 ? 2
                                                                      : 1;
    return (lg_chroma_axis){.factor = factor,
                            .between = factor == 2 && planes->siting == LG_SITING_CENTER,
                            .luma = width,
                            .chroma = (width - 1) / factor + 1};
}

lg_chroma_axis lg_chroma_down(const lg_planes *planes, int32_t height)
{
    const int32_t factor = planes->chroma == LG_CHROMA_420 ? 2 : 1;
    return (lg_chroma_axis){.factor = factor,
                            .between = factor == 2 && planes->siting != LG_SITING_TOP_LEFT,
                            .luma = height,
                            .chroma = (height - 1) / factor + 1};
}

const lg_chroma_spread *lg_chroma_spread_of(const lg_chroma_axis *axis)
{
    static const lg_chroma_spread on_each = {0, 1, 1, {1}}, on_half = {0, 2, 2, {1, 1}},
                                  on_second = {-1, 3, 4, {1, 2, 1}},
                                  on_fourth = {-3, 7, 16, {1, 2, 3, 4, 3, 2, 1}};
    return axis->factor == 1   ? &on_each
           : axis->between     ? &on_half
           : axis->factor == 2 ? &on_second
                               : &on_fourth;
}

// ---- codes and colours --------------------------------------------------------------------------

#define WHOLE 10000 // of weights

typedef struct weights {
    int32_t red, green, blue;
} weights;

static weights weights_of(lg_matrix matrix)
{
    static const struct {
        int32_t red, blue;
    } known[] = {
        [LG_MATRIX_BT709] = {2126, 722},
        [LG_MATRIX_BT601] = {2990, 1140},
        [LG_MATRIX_BT2020] = {2627, 593},
        [LG_MATRIX_SMPTE240M] = {2120, 870},
    };
    const int32_t red = known[matrix].red, blue = known[matrix].blue;
    return (weights){red, WHOLE - red - blue, blue};
}

static lg_code_range range_of(const lg_planes *p, lg_type type)
{
    const int32_t unit = 1 << (p->bits - 8), highest = (1 << p->bits) - 1;
    return (lg_code_range){.most = type == LG_U8 ? 255 : 65535,
                           .highest = highest,
                           .black = p->full_range ? 0 : 16 * unit,
                           .grey = 128 * unit,
                           .luma = p->full_range ? highest : 219 * unit,
                           .chroma = p->full_range ? highest : 224 * unit};
}

// above / below as a multiple of 2^-40, to nearest, halves away from 0.
static int64_t fixed(__int128 above, __int128 below)
{
    const bool negative = above < 0;
    const __int128 size = negative ? -above : above;
    const __int128 quotient = (2 * (size << LG_CODE_SHIFT) + below) / (2 * below);
    return (int64_t)(negative ? -quotient : quotient);
}

lg_decoder lg_decoder_of(const lg_planes *planes, lg_type type)
{
    lg_decoder d = {.range = range_of(planes, type)};
    const weights w = weights_of(planes->matrix);
    const __int128 most = d.range.most, chroma = (__int128)16 * WHOLE * d.range.chroma;
    d.luma = fixed(most, d.range.luma);
    d.red_cr = fixed(most * 2 * (WHOLE - w.red), chroma);
    d.blue_cb = fixed(most * 2 * (WHOLE - w.blue), chroma);
    d.green_cb = fixed(-most * 2 * (WHOLE - w.blue) * w.blue, chroma * w.green);
    d.green_cr = fixed(-most * 2 * (WHOLE - w.red) * w.red, chroma * w.green);
    return d;
}

lg_encoder lg_encoder_of(const lg_planes *planes, lg_type type)
{
    lg_encoder e = {.range = range_of(planes, type)};
    const weights of = weights_of(planes->matrix);
    const int32_t w[3] = {of.red, of.green, of.blue};
    const lg_chroma_axis across = lg_chroma_across(planes, 1), down = lg_chroma_down(planes, 1);
    const __int128 most = e.range.most;
    const int32_t parts = lg_chroma_spread_of(&across)->sum * lg_chroma_spread_of(&down)->sum;
    e.grey = fixed(e.range.luma, most);
    for (int c = 0; c < 3; c++) {
        e.luma[c] = fixed((__int128)e.range.luma * w[c], most * WHOLE);
        for (int i = 0; i < 2; i++) {
            const int own = i == 0 ? 2 : 0; // Cb is of blue, Cr of red
            const int32_t part = c == own ? WHOLE - w[c] : -w[c];
            e.chroma[i][c] =
                fixed((__int128)e.range.chroma * part, 2 * (WHOLE - w[own]) * most * parts);
        }
    }
    return e;
}
