// Products of derivatives anywhere.
float luminance_at(int x, int y, uint z)
{
    return lg_luminance(lg_get_0(x, y, z, BORDER));
}

// Outside the image the border takes products from inside.
color products_at(int x, int y, uint z)
{
    int i = lg_border_index(x, int(lg.width), BORDER),
        j = lg_border_index(y, lg_param_int(6), BORDER);
    if (i < 0 || j < 0)
        return rgba(0.0, 0.0, 0.0, 1.0);
    neighborhood n;
    n.tl = luminance_at(i - 1, j - 1, z);
    n.t = luminance_at(i, j - 1, z);
    n.tr = luminance_at(i + 1, j - 1, z);
    n.l = luminance_at(i - 1, j, z);
    n.c = 0.0;
    n.r = luminance_at(i + 1, j, z);
    n.bl = luminance_at(i - 1, j + 1, z);
    n.b = luminance_at(i, j + 1, z);
    n.br = luminance_at(i + 1, j + 1, z);
    return lg_corner_products(lg_across(n, 1.0), lg_down(n, 1.0), 1.0);
}
