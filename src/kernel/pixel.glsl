// Walking the taken pixels of a region one by one: addresses, masks, alpha, single samples.

struct lg_walk {
    uvec2 data, layer_stride;      // first taken pixel; bytes
    uvec2 mask, mask_layer_stride; // likewise of the mask
    uint row_stride;               // bytes from taken row to taken row
    uint mask_row_stride;
    uint step;      // bytes from taken pixel to taken pixel
    uint mask_step; // likewise in the mask; 0: no mask
    int alpha;      // channel whose zero leaves a pixel out; -1: none
    uint width, height; // in taken pixels
    uint zero;          // 0, which no compiler knows
};

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

uvec2 lg_pixel_address(lg_walk w, uint layer, uint row, uint column)
{
    return lg_add64(lg_add64(w.data, lg_mul64(layer, w.layer_stride)),
                    lg_add64(lg_mul64(row, uvec2(w.row_stride, 0u)), uvec2(column * w.step, 0u)));
}

// type: 0 u8, 1 u16, 2 f16, 3 f32, as in lg_type.
bool lg_selected(lg_walk w, uint layer, uint row, uint column, uint type)
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
    if (type == 0u)
        return lg_load_u8(pixel, uint(w.alpha)) != 0u;
    if (type == 1u)
        return lg_load_u16(pixel, uint(w.alpha)) != 0u;
    if (type == 2u)
        return (lg_load_u16(pixel, uint(w.alpha)) & 0x7fffu) != 0u;
    return (lg_load_u32(pixel, uint(w.alpha)) & 0x7fffffffu) != 0u;
}
