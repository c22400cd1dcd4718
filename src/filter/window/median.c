// Median of 3 x 3 pixels per channel.
#include "filter/kernel.h"

#define PARAMETERS(X) LG_BORDER_PARAMETER(X)

LG_PARAMETERS(median)

// Least, middle and greatest of every column; the median of nine is the median of the greatest of the
// least, the middle of the middles and the least of the greatest.
LG_KERNEL(
    median,
    LG_FUNCTION float median_low(float a, float b, float c) {
        return fminf(fminf(a, b), c);
    } LG_FUNCTION float median_high(float a, float b, float c) {
        return fmaxf(fmaxf(a, b), c);
    } LG_FUNCTION float median_middle(float a, float b, float c) {
        return fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
    } LG_FUNCTION float median_of(float tl, float t, float tr, float l, float c, float r, float bl,
                                  float b, float br) {
        float low = median_high(median_low(tl, l, bl), median_low(t, c, b), median_low(tr, r, br));
        float middle = median_middle(median_middle(tl, l, bl), median_middle(t, c, b),
                                     median_middle(tr, r, br));
        float high =
            median_low(median_high(tl, l, bl), median_high(t, c, b), median_high(tr, r, br));
        return median_middle(low, middle, high);
    } LG_FUNCTION color median_kernel(window w, place at, median_params p) {
        return rgba(median_of(w.tl.r, w.t.r, w.tr.r, w.l.r, w.c.r, w.r.r, w.bl.r, w.b.r, w.br.r),
                    median_of(w.tl.g, w.t.g, w.tr.g, w.l.g, w.c.g, w.r.g, w.bl.g, w.b.g, w.br.g),
                    median_of(w.tl.b, w.t.b, w.tr.b, w.l.b, w.c.b, w.r.b, w.bl.b, w.b.b, w.br.b),
                    w.c.a);
    })

LG_WINDOW(median)

LG_EXAMPLES(median,
            {"", .window = {0.9f, 0.1f, 0.8f, 0.2f, 0.7f, 0.3f, 0.6f, 0.4f, 0.5f},
             .out = {0.5f, 0.5f, 0.5f, 1}},
            {"", .window = {0, 0, 0, 0, 1, 0, 0, 0, 1}, .out = {0, 0, 0, 1}},
            {"", .window = {1, 1, 1, 0.25f, 0, 0.25f, 1, 0, 0}, .out = {0.25f, 0.25f, 0.25f, 1}})

LG_FILTER(median, WINDOW, 1, .summary = "the median of 3 x 3 pixels per channel",
          .formula = "the fifth of nine values in order, for red, green and blue",
          .source = "GPUImageMedianFilter", .notes = "alpha is the centre's; GPUImage makes it 1");
