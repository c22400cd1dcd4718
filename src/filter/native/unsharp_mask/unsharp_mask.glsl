// An image away from its blur, which is the second view. Words: height, layers, the index of the intensity.
void main()
{
    float amount = lg_param_float(int(lg.extra[2]));
    LG_EACH_SPAN(x0, y, z) {
        LG_WORDS_OUT(w);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++) {
            int x = min(x0 + j, width - 1);
            color b = lg_load_0(x, y, z);
            color o = lg_load_1(x, y, z);
            lg_pack(w, j, rgba(lg_mix(o.r, b.r, amount), lg_mix(o.g, b.g, amount),
                               lg_mix(o.b, b.b, amount), b.a));
        }
        lg_flush(w, x0, y, z);
    }
}
