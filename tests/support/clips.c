#include "clips.h"

#include "check.h"

#include <string.h>

const clip_kind clip_kinds[CLIP_KINDS] = {
    {"C420jpeg", 3, 8, 2, 2, 0.5, 0.5}, {"C420mpeg2", 3, 8, 2, 2, 0, 0.5},
    {"C420paldv", 3, 8, 2, 2, 0, 0},    {"C411", 3, 8, 4, 1, 0, 0},
    {"C422", 3, 8, 2, 1, 0, 0},         {"C444", 3, 8, 1, 1, 0, 0},
    {"C444alpha", 4, 8, 1, 1, 0, 0},    {"Cmono", 1, 8, 1, 1, 0, 0},
    {"Cmono9", 1, 9, 1, 1, 0, 0},       {"Cmono16", 1, 16, 1, 1, 0, 0},
    {"C420p9", 3, 9, 2, 2, 0, 0.5},     {"C420p10", 3, 10, 2, 2, 0, 0.5},
    {"C422p12", 3, 12, 2, 1, 0, 0},     {"C422p14", 3, 14, 2, 1, 0, 0},
    {"C444p16", 3, 16, 1, 1, 0, 0},
};

int plane_width(const clip_kind *k, int plane, int width)
{
    return plane == 1 || plane == 2 ? (width + k->across - 1) / k->across : width;
}

int plane_height(const clip_kind *k, int plane, int height)
{
    return plane == 1 || plane == 2 ? (height + k->down - 1) / k->down : height;
}

size_t frame_bytes(const clip_kind *k, int width, int height)
{
    size_t samples = 0;
    for (int i = 0; i < k->planes; i++)
        samples += (size_t)plane_width(k, i, width) * (size_t)plane_height(k, i, height);
    return samples * (k->bits > 8 ? 2 : 1);
}

void random_frame(const clip_kind *k, uint8_t *out, size_t bytes)
{
    random_bytes(out, bytes);
    for (size_t i = 1; i < bytes && k->bits > 8; i += 2)
        out[i] = (uint8_t)(out[i] & ((1 << (k->bits - 8)) - 1));
}

const void *plane_row(const lg_image *plane, int y)
{
    return (const uint8_t *)plane->data + (size_t)y * plane->shape.row_stride;
}

double image_at(const lg_image *image, int x, int y, int c)
{
    const uint8_t *row = plane_row(image, y);
    uint16_t wide;
    const size_t at = (size_t)x * (size_t)image->shape.channels + (size_t)c;
    if (image->shape.type == LG_U8)
        return row[at];
    memcpy(&wide, row + 2 * at, 2);
    return wide;
}

lg_chroma clip_chroma(const clip_kind *k)
{
    return k->planes == 1   ? LG_CHROMA_NONE
           : k->across == 4 ? LG_CHROMA_411
           : k->down == 2   ? LG_CHROMA_420
           : k->across == 2 ? LG_CHROMA_422
                            : LG_CHROMA_444;
}

lg_siting clip_siting(const clip_kind *k)
{
    return k->left > 0                  ? LG_SITING_CENTER
           : k->down == 1 || k->top > 0 ? LG_SITING_LEFT
                                        : LG_SITING_TOP_LEFT;
}

bool next_frame(lg_frames *frames)
{
    lg_error error = {0};
    bool more = false;
    CHECK(lg_frames_next(frames, &more, &error) == LG_OK, "%s", error.message);
    return more;
}

lg_context *clip_context(void)
{
    lg_context_params params = lg_context_params_default();
    lg_error error = {0};
    lg_context *context = NULL;
    params.device = LG_DEVICE_CPU;
    params.threads = 1;
    params.use_cache = false;
    NEED(lg_context_create(&params, &context, &error) == LG_OK, "%s", error.message);
    return context;
}
