// Sampling for warps. The kernel defines
//   LG_RAW                        a pixel as it is stored: uint, uvec2 or uvec4
//   LG_RAW_BYTES                  its size
//   LG_RAW_AT(address, i)         the pixel i behind an address
//   LG_RAW_COMPONENTS(raw)        what lg_color_0 takes
//   LG_RAW_OPAQUE(raw)            its colour if alpha is 1
//   LG_RAW_TRANSPARENT(raw)       0 where alpha is 1
//   LG_WARP_BORDER                what lies outside
layout(buffer_reference, scalar, buffer_reference_align = 1) readonly buffer lg_bytes {
    uint8_t at[];
};
layout(buffer_reference, scalar, buffer_reference_align = 2) readonly buffer lg_halves {
    uint16_t at[];
};
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer lg_doubles {
    uvec2 at[];
};

// What all pixels share. Kernels store pixels in a loop, and compilers cannot know that this changes no
// parameter.
struct lg_source {
    uvec2 data; // of the layer
    uint stride, z;
    uint last_column, last_row; // the first whose neighbours are not all inside
    float width, height;
    place middle;
    float step_x, step_y; // between places of pixels
};

#define LG_NEAR_BYTES 4.2e9 // of a layer: offsets have 32 bits

lg_source lg_source_at(uint z)
{
    lg_source s;
    s.data = lg_row(lg.views[0], 0u, z);
    s.stride = lg.views[0].row_stride;
    s.z = z;
    int width = lg_param_int(5), height = lg_param_int(6);
    bool near =
        max(width, height) < LG_NEAR_SIDE && float(s.stride) * float(height) < LG_NEAR_BYTES;
    s.last_column = near ? uint(width - 1) : 0u;
    s.last_row = near ? uint(height - 1) : 0u;
    s.width = float(width);
    s.height = float(height);
    s.middle = lg_place_at(0, 0);
    s.step_x = lg_param_float(2);
    s.step_y = lg_param_float(3);
    return s;
}

// lg_place_at.
place lg_source_place(lg_source s, int x, int y)
{
    place at = s.middle;
    at.x = (float(x) + 0.5) * s.step_x;
    at.y = (float(y) + 0.5) * s.step_y;
    return at;
}

color lg_sample_any(lg_source s, point from)
{
    lg_tap t = lg_tap_at(from.x, from.y, s.width, s.height);
    int x = int(t.x), y = int(t.y);
    return lg_bilinear(lg_get_0(x, y, s.z, LG_WARP_BORDER), lg_get_0(x + 1, y, s.z, LG_WARP_BORDER),
                       lg_get_0(x, y + 1, s.z, LG_WARP_BORDER),
                       lg_get_0(x + 1, y + 1, s.z, LG_WARP_BORDER), t);
}

// Where all four pixels are inside, one address serves them; where they are opaque, nothing is divided.
color lg_sample(lg_source s, point from)
{
    lg_near x = lg_near_at(from.x, s.width), y = lg_near_at(from.y, s.height);
    if (x.first >= s.last_column || y.first >= s.last_row)
        return lg_sample_any(s, from);
    uvec2 above = lg_add64(s.data, uvec2(y.first * s.stride + x.first * LG_RAW_BYTES, 0u));
    uvec2 below = lg_add64(above, uvec2(s.stride, 0u));
    LG_RAW tl = LG_RAW_AT(above, 0);
    if (x.share == 0.0 && y.share == 0.0)
        return lg_color_0(LG_RAW_COMPONENTS(tl));
    LG_RAW tr = LG_RAW_AT(above, 1), bl = LG_RAW_AT(below, 0), br = LG_RAW_AT(below, 1);
    lg_tap t = lg_tap(0.0, 0.0, x.share, y.share);
    if ((LG_RAW_TRANSPARENT(tl) | LG_RAW_TRANSPARENT(tr) | LG_RAW_TRANSPARENT(bl) |
         LG_RAW_TRANSPARENT(br)) == 0u)
        return lg_bilinear_opaque(LG_RAW_OPAQUE(tl), LG_RAW_OPAQUE(tr), LG_RAW_OPAQUE(bl),
                                  LG_RAW_OPAQUE(br), t);
    return lg_bilinear(lg_color_0(LG_RAW_COMPONENTS(tl)), lg_color_0(LG_RAW_COMPONENTS(tr)),
                       lg_color_0(LG_RAW_COMPONENTS(bl)), lg_color_0(LG_RAW_COMPONENTS(br)), t);
}

// What is mixed of opaque pixels is opaque, as it would be read back: the weights' sum is not always 1.
color lg_whole(color c)
{
#if LG_WARP_OPAQUE
    c.a = 1.0;
#endif
    return c;
}
