// One step of a Poisson blend of view 0, with the detail of view 1; alpha stays. LG_SPAN pixels of a
// thread. Defined before: BORDER. Words: height, layers.
float stepped(float centre, float left, float right, float above, float below, float detail, float weight)
{
    LG_FLOAT sides = left + right;
    LG_FLOAT ends = above + below;
    LG_FLOAT mean = (sides + ends) * 0.25;
    LG_FLOAT wanted = mean + detail;
    return lg_mix(centre, wanted, weight);
}

void main()
{
    int height = int(lg.extra[0]), layers = int(lg.extra[1]), width = int(lg.width);
    int x0 = int(gl_GlobalInvocationID.x) * LG_SPAN;
    if (x0 >= width)
        return;
    LG_EACH_ROW(y, z, 0, height, layers) {
        LG_WORDS_OUT(result);
        color l = lg_get_0(x0 - 1, y, z, BORDER), c = lg_load_0(x0, y, z);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++) {
            int x = min(x0 + j, width - 1);
            color r = lg_get_0(x + 1, y, z, BORDER);
            color t = lg_get_0(x, y - 1, z, BORDER), b = lg_get_0(x, y + 1, z, BORDER);
            color d = lg_load_1(x, y, z);
            lg_pack(result, j, rgba(stepped(c.r, l.r, r.r, t.r, b.r, d.r, d.a),
                                    stepped(c.g, l.g, r.g, t.g, b.g, d.g, d.a),
                                    stepped(c.b, l.b, r.b, t.b, b.b, d.b, d.a), c.a));
            l = c;
            c = r;
        }
        lg_flush(result, x0, y, z);
    }
}
