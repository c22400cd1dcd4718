// As from a lens that zooms.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(POINT, blur_center, 0.5f, 0.5f, "what stays sharp")                                          \
    X(NUMBER, blur_size, "percent", 1, 0, 25,                                                      \
      "a quarter of how far a line reaches, of the distance from the centre")                      \
    X(INTEGER, samples, "", 17, 3, 257, "points on a line, an odd number")                         \
    LG_BORDER_PARAMETER(X)                                                                         \
    X(ALIAS, center, blur_center)

LG_PARAMETERS(zoom_blur)

LG_KERNEL(
    zoom_blur,
    LG_FUNCTION float zoom_blur_count(zoom_blur_params p) {
        return floorf(p.samples * 0.5f) * 2.0f + 1.0f;
    } LG_FUNCTION point zoom_blur_along(float t, place at, zoom_blur_params p) {
        LG_FLOAT reach = (0.04f * p.blur_size) * t;
        LG_FLOAT x = at.x + (p.blur_center.x - at.x) * reach;
        LG_FLOAT y = at.y + (p.blur_center.y - at.y) * reach;
        return xy(x, y);
    })

LG_WARP_LINE(zoom_blur)

LG_EXAMPLES(zoom_blur, {"", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0.25f, 0.5f, 0.75f, 0.5f}},
            {"blur_size=10:center=0.25,1:samples=64", .in = {1, 0.5f, 0, 1},
             .out = {1, 0.5f, 0, 1}})

LG_FILTER(zoom_blur, WARP, 1, .summary = "as from a lens that zooms",
          .formula =
              "c' = sum of w(t) c(p + (blur_center - p) 0.04 blur_size t) / sum of w, t and w "
              "as in motion_blur; where there is alpha, of c a and a",
          .source = "GPUImageZoomBlurFilter, which has 9 samples",
          .notes = "an even `samples` counts as one more. Points further apart than a pixel or two "
                   "show as ghosts: a large blur_size needs more of them");
