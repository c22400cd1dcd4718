// Images of bytes at half and at twice their size: tiles of the CPU.
#include "cpu/cpu.h"
#include "filter/native/geometry/resize.h"

LG_CPU_DECLARE(lg_pixel_tiles, resize_scaled);

#define STRIP       4096 // pixels: a row's sums stay in the first cache
#define BAND_PIXELS 65536

lg_resize_scale lg_resize_known_scale(const lg_resize *r, const lg_image_params *in,
                                      const lg_image_params *out)
{
    bool halved = true, doubled = true;
    for (int k = 0; k < 2; k++) {
        const lg_resize_axis *a = &r->axis[k];
        const bool whole = r->part[k].from == 0 && r->part[k].length == (double)a->size;
        halved = halved && whole && a->size % 2 == 0 && a->count == a->size / 2;
        doubled = doubled && whole && a->count % 2 == 0 && a->size == a->count / 2;
    }
    const bool linear = r->method == LG_RESIZE_BILINEAR;
    return !lg_resize_mixes_bytes(r, in, out)                                     ? LG_RESIZE_ANY
           : halved && (r->method == LG_RESIZE_AREA || (linear && !r->antialias)) ? LG_RESIZE_MEAN
           : doubled && linear                                                    ? LG_RESIZE_DOUBLE
                                                                                  : LG_RESIZE_ANY;
}

lg_status lg_resize_scaled_cpu(const lg_native_call *call, lg_resize_scale scale)
{
    const lg_image_params *out = &call->out->shape;
    const lg_resize_scaled_job job = {.scale = scale,
                                      .channels = out->channels,
                                      .set = lg_resize_set_of(out),
                                      .past_caches = lg_writes_past_caches(out)};
    lg_pixel_tiles tiles = *LG_CPU_SELECT(resize_scaled, call->context->cpu_level);
    tiles.job = &job;
    tiles.strip = LG_MIN(STRIP, out->width);
    tiles.band = LG_MAX(BAND_PIXELS / tiles.strip, 16);
    tiles.scratch = ((size_t)tiles.strip / 2 + 3) * LG_MAX_CHANNELS * sizeof(uint16_t) + 128;
    return lg_pixel_tiles_run(call, &tiles);
}
