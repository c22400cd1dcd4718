// Reads the selected pixels of a region one by one: addresses, masks, alpha, single samples.
#include "kernel/types.h"

layout(buffer_reference, scalar, buffer_reference_align = 1) readonly buffer lg_samples_u8 {
    uint8_t at[];
};
layout(buffer_reference, scalar, buffer_reference_align = 2) readonly buffer lg_samples_u16 {
    uint16_t at[];
};

uint lg_load_u8(uvec2 pixel, uint channel)
{
    return uint(lg_samples_u8(pixel).at[channel]);
}

uint lg_load_u16(uvec2 pixel, uint channel)
{
    return uint(lg_samples_u16(pixel).at[channel]);
}

uint lg_load_u32(uvec2 pixel, uint channel)
{
    return lg_words(pixel).at[channel];
}

uvec2 lg_pixel_address(lg_device_walk w, uint layer, uint row, uint column)
{
    return lg_add64(lg_add64(w.data, lg_mul64(layer, w.layer_stride)),
                    lg_add64(lg_mul64(row, uvec2(w.row_stride, 0u)), uvec2(column * w.step, 0u)));
}

bool lg_selected(lg_device_walk w, uint layer, uint row, uint column, uint type)
{
    if (w.mask_step != 0u) {
        const uvec2 at =
            lg_add64(lg_add64(w.mask, lg_mul64(layer, w.mask_layer_stride)),
                     lg_add64(lg_mul64(row, uvec2(w.mask_row_stride, 0u)),
                              uvec2(column * w.mask_step, 0u)));
        if (lg_load_u8(at, 0u) == 0u)
            return false;
    }
    if (w.alpha < 0)
        return true;
    const uvec2 pixel = lg_pixel_address(w, layer, row, column);
    if (type == LG_U8)
        return lg_load_u8(pixel, uint(w.alpha)) != 0u;
    if (type == LG_U16)
        return lg_load_u16(pixel, uint(w.alpha)) != 0u;
    if (type == LG_F16)
        return (lg_load_u16(pixel, uint(w.alpha)) & 0x7fffu) != 0u;
    return (lg_load_u32(pixel, uint(w.alpha)) & 0x7fffffffu) != 0u;
}
