// The steps of corner_measure beside its Gaussian. MEASURES: the measure of means, else the products of
// derivatives of an image. Words: height, layers, indices of method, k and sensitivity.
#include "filter/native/corner_measure/corner_measure_window.h"

void main()
{
    LG_EACH_SPAN(x0, y, z) {
        LG_WORDS_OUT(w);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++) {
            int x = min(x0 + j, width - 1);
#if MEASURES
            float v = lg_corner_measure(lg_load_0(x, y, z), lg_param_float(int(lg.extra[2])),
                                        lg_param_float(int(lg.extra[3])),
                                        lg_param_float(int(lg.extra[4])));
            lg_pack(w, j, rgba(v, v, v, 1.0));
#else
            lg_pack(w, j, products_at(x, y, z));
#endif
        }
        lg_flush(w, x0, y, z);
    }
}
