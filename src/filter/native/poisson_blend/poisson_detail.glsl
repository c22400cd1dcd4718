// The detail for a Poisson blend: the other image minus the mean of its neighbours; in place of
// alpha, the size of a step. Defined before: BORDER, MIX: index of the parameter. Words: height,
// layers.
float less_mean(float centre, float left, float right, float above, float below)
{
    LG_FLOAT sides = left + right;
    LG_FLOAT ends = above + below;
    LG_FLOAT mean = (sides + ends) * 0.25;
    LG_FLOAT detail = centre - mean;
    return detail;
}

void main()
{
    int height = int(lg.extra[0]), layers = int(lg.extra[1]), width = int(lg.width);
    int x = int(gl_GlobalInvocationID.x);
    if (x >= width)
        return;
    float part = lg_param_float(MIX);
    LG_EACH_ROW(y, z, 0, height, layers) {
        color c = lg_load_0(x, y, z);
        color l = lg_get_0(x - 1, y, z, BORDER), r = lg_get_0(x + 1, y, z, BORDER);
        color t = lg_get_0(x, y - 1, z, BORDER), b = lg_get_0(x, y + 1, z, BORDER);
        LG_FLOAT weight = c.a * part;
        uvec4 result[LG_VECTORS_OUT];
        result[0] = uvec4(0u);
        lg_pack(result, 0, rgba(less_mean(c.r, l.r, r.r, t.r, b.r), less_mean(c.g, l.g, r.g, t.g, b.g),
                                less_mean(c.b, l.b, r.b, t.b, b.b), weight));
        lg_flush(result, x, y, z);
    }
}
