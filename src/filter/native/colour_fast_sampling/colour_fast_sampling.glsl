// The kernel of colour_fast_sampling, in the common subset of C and GLSL; C includes this text behind
// kernel/color_math.h.

// The samples around a pixel, counterclockwise from (3, 1), y downwards.
LG_STRUCT(color_fast_ring)
{
    color a, b, c, d, e, f, g, h;
};

// One component: x is the contrast, y and z the direction along x and y, weighted with its magnitude.
LG_STRUCT(color_fast_part)
{
    float contrast, x, y;
};

LG_FUNCTION color_fast_part lg_color_fast_part(float a, float b, float c, float d, float e, float f,
                                                 float g, float h, float centre)
{
    LG_FLOAT mean = (((a + b) + (c + d)) + ((e + f) + (g + h))) * 0.125f;
    LG_FLOAT contrast = mean - centre;
    LG_FLOAT weight = fabsf(contrast);
    LG_FLOAT wide_x = (a - d) + (h - e);
    LG_FLOAT narrow_x = (b - c) + (g - f);
    LG_FLOAT wide_y = (b - g) + (c - f);
    LG_FLOAT narrow_y = (a - h) + (d - e);
    LG_FLOAT x = 0.94868f * wide_x + 0.316227f * narrow_x;
    LG_FLOAT y = 0.94868f * wide_y + 0.316227f * narrow_y;
    color_fast_part p;
    p.contrast = contrast;
    p.x = weight * x;
    p.y = weight * y;
    return p;
}

// Contrast of the ring to its centre in r, g, b, and the angle of the gradient in a: all of them 1/2
// where the image is flat.
LG_FUNCTION color lg_color_fast(color_fast_ring s, color centre)
{
    color_fast_part r = lg_color_fast_part(s.a.r, s.b.r, s.c.r, s.d.r, s.e.r, s.f.r, s.g.r, s.h.r,
                                             centre.r);
    color_fast_part g = lg_color_fast_part(s.a.g, s.b.g, s.c.g, s.d.g, s.e.g, s.f.g, s.g.g, s.h.g,
                                             centre.g);
    color_fast_part b = lg_color_fast_part(s.a.b, s.b.b, s.c.b, s.d.b, s.e.b, s.f.b, s.g.b, s.h.b,
                                             centre.b);
    LG_FLOAT x = (r.x + g.x) + b.x;
    LG_FLOAT y = (r.y + g.y) + b.y;
    LG_FLOAT turns = lg_atan2(y, x) * 0.159154943f;
    return rgba(r.contrast * 0.5f + 0.5f, g.contrast * 0.5f + 0.5f, b.contrast * 0.5f + 0.5f,
                turns + 0.5f);
}
