// Blurred but for a band: a landscape looks like a model.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, sigma, "px", 7, 0, 256, "of the Gaussian blur")                                      \
    X(NUMBER, top_focus_level, "heights", 0.4f, -2, 2, "where the sharp band begins")              \
    X(NUMBER, bottom_focus_level, "heights", 0.6f, -2, 2, "where it ends; below the top")          \
    X(NUMBER, focus_fall_off_rate, "heights", 0.2f, 0, 2, "how far outside all is blurred")        \
    X(NUMBER, angle, "degrees", 0, -360, 360, "of the band, clockwise around the middle")          \
    LG_BORDER_PARAMETER(X)                                                                         \
    X(ALIAS, blur_radius, sigma)

LG_ROWS(tilt_shift)

LG_PIPELINE_LIMITED(tilt_shift, 1,
                    "gaussian_blur:sigma={sigma}:border={border} #soft | #in | "
                    "band_mix:over=#soft:top={top_focus_level}:bottom={bottom_focus_level}:"
                    "fade={focus_fall_off_rate}:angle={angle}",
                    "top_focus_level < bottom_focus_level",
                    .summary = "Gaussian blur outside of a band, as a tilted lens makes it",
                    .formula = "band_mix of the image and gaussian_blur(image)",
                    .source = "GPUImageTiltShiftFilter; the angle is ours");
