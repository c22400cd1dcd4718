// What to say to a name that no filter has: the words that people bring from elsewhere.
#include "filter/catalogue.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct word {
    const char *word, *filter;
} word;

static const word words[] = {
    {"blur", "gaussian_blur"},
    {"smooth", "gaussian_blur"},
    {"denoise", "bilateral"},
    {"mean_blur", "box_blur"},
    {"invert", "color_invert"},
    {"negate", "color_invert"},
    {"negative", "color_invert"},
    {"equalize", "histogram_equalization"},
    {"equalise", "histogram_equalization"},
    {"lut", "lookup"},
    {"curves", "tone_curve"},
    {"gray", "grayscale"},
    {"grey", "grayscale"},
    {"greyscale", "grayscale"},
    {"desaturate", "grayscale"},
    {"normalize", "auto_levels"},
    {"normalise", "auto_levels"},
    {"autocontrast", "auto_levels"},
    {"stretch", "auto_levels"},
    {"binarize", "threshold"},
    {"binarise", "threshold"},
    {"otsu", "threshold:level=@otsu"},
    {"edge", "sobel_edge_detection"},
    {"edges", "sobel_edge_detection"},
    {"sobel", "sobel_edge_detection"},
    {"canny", "canny_edge_detection"},
    {"dilate", "dilation"},
    {"erode", "erosion"},
    {"open", "opening"},
    {"close", "closing"},
    {"sharpness", "sharpen"},
    {"unsharp", "unsharp_mask"},
    {"convolve", "convolution_3x3"},
    {"multiply", "multiply_blend"},
    {"connected_components", "label"},
    {"scale", "resize"},
    {"thumbnail", "resize"},
    {"resample", "resize"},
    {"turn", "rotate"},
    {"mirror", "flip"},
    {"affine", "transform"},
    {"perspective", "transform"},
    {"frame", "pad"},
    // OpenCV, scikit-image, ImageJ, libvips, ffmpeg
    {"gblur", "gaussian_blur"},
    {"gaussianblur", "gaussian_blur"},
    {"gauss", "gaussian_blur"},
    {"gaussian", "gaussian_blur"},
    {"gaussblur", "gaussian_blur"},
    {"boxblur", "box_blur"},
    {"avgblur", "box_blur"},
    {"mean", "box_blur"},
    {"medianblur", "median"},
    {"rank", "median"},
    {"bilateralfilter", "bilateral"},
    {"nlmeans", "bilateral"},
    {"bitwise_not", "color_invert"},
    {"equalizehist", "equalize_histogram"},
    {"hist_equal", "equalize_histogram"},
    {"histeq", "equalize_histogram"},
    {"lut3d", "lookup"},
    {"haldclut", "lookup"},
    {"colorbalance", "rgb"},
    {"eq", "contrast:contrast=1.2 | brightness:brightness=0.1"},
    {"rgb2gray", "grayscale"},
    {"cvtcolor", "to_color_space"},
    {"colourspace", "to_color_space"},
    {"colorspace", "to_color_space"},
    {"rescale_intensity", "auto_levels"},
    {"linear_stretch", "auto_levels"},
    {"enhance_contrast", "auto_levels"},
    {"thresholding", "threshold"},
    {"threshold_otsu", "threshold:level=@otsu"},
    {"threshold_local", "local_threshold"},
    {"adaptivethreshold", "adaptive_threshold"},
    {"find_edges", "sobel_edge_detection"},
    {"prewitt", "prewitt_edge_detection"},
    {"laplace", "laplacian"},
    {"unsharp_mask_filter", "unsharp_mask"},
    {"maximum", "dilation"},
    {"minimum", "erosion"},
    {"filter2d", "convolution_3x3"},
    {"conv", "convolution_3x3"},
    {"convolution", "convolution_3x3"},
    {"tophat", "top_hat"},
    {"white_tophat", "top_hat"},
    {"black_tophat", "black_hat"},
    {"rolling_ball", "top_hat"},
    {"subtract_background", "top_hat"},
    {"background_subtraction", "top_hat"},
    {"median_filter", "median"},
    {"medfilt", "median"},
    {"gaussian_filter", "gaussian_blur"},
    {"uniform_filter", "box_blur"},
    {"maximum_filter", "dilation"},
    {"minimum_filter", "erosion"},
    {"edt", "distance_transform"},
    {"distance_map", "distance_transform"},
    {"distance_transform_edt", "distance_transform"},
    {"distancetransform", "distance_transform"},
    {"zproject", "project"},
    {"z_project", "project"},
    {"z_projection", "project"},
    {"mip", "project"},
    {"max_projection", "project"},
    {"max_intensity_projection", "project"},
    {"hflip", "flip"},
    {"vflip", "flip"},
    {"warpaffine", "transform"},
    {"warpperspective", "transform"},
    {"extract_area", "crop"},
    {"embed", "pad"},
    {"copymakeborder", "pad"},
    {"rot90", "rotate"},
    {"colorkey", "chroma_key"},
    {"chromakey", "chroma_key"},
    {"overlay", "source_over_blend"},
    {"composite", "source_over_blend"},
    {"tblend", "dissolve_blend"},
    {"goodfeaturestotrack", "shi_tomasi_feature_detection"},
    {"cornerharris", "harris_corner_detection"},
    {"houghlines", "hough_lines"},
    {"connectedcomponents", "label"},
    {"bwlabel", "label"},
};

// Entries of the catalogues of GPUImage and aoce that are no filters here.
static const word elsewhere[] = {
    {"convert_image", "an option of every pipeline: lumagraph run copy FILE --type f32 -o OUT"},
    {"histogram",
     "a command: lumagraph histogram FILE; in pipelines the figure @cdf, and pictures by "
     "histogram_picture and histogram_strip"},
    {"histogram_exact", "a command: lumagraph histogram FILE, whose counts are exact"},
    {"nn_tensor_upload",
     "done by reading: lumagraph run copy MASK.npy --type u8 -o OUT; H x W is an "
     "image of one channel, H x W x 3 one of three"},
};

static const word *find_word(const char *name)
{
    for (size_t i = 0; i < LG_COUNT(words); i++)
        if (strcasecmp(words[i].word, name) == 0)
            return &words[i];
    return NULL;
}

// The filter whose source names this class of GPUImage, with or without "Filter" at its end.
static const char *find_class(const char *name)
{
    const size_t length = strlen(name);
    if (strncmp(name, "GPUImage", 8) != 0)
        return NULL;
    for (size_t i = 0; i < lg_filter_count(); i++) {
        const char *at = strstr(lg_filter_at(i)->source, name);
        const char *end = at ? at + length : "?";
        if (strncmp(end, "Filter", 6) == 0)
            end += 6;
        if (!isalnum((unsigned char)*end) && *end != '?')
            return lg_filter_at(i)->name;
    }
    return NULL;
}

// At most four names that have the word as one of theirs, quotes and commas between them.
static bool find_names(const char *name, char *out, size_t size)
{
    const size_t length = strlen(name);
    size_t used = 0;
    int count = 0;
    out[0] = '\0';
    for (size_t i = 0; i < lg_filter_count() && length > 2 && count < 4; i++) {
        const char *whole = lg_filter_at(i)->name;
        const char *at = strstr(whole, name);
        const bool begins = at && (at == whole || at[-1] == '_');
        if (begins && (!at[length] || at[length] == '_') && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s", count++ ? "', '" : "", whole);
    }
    return count > 0;
}

lg_status lg_filter_fail_unknown(const char *name, lg_error *error)
{
    for (size_t i = 0; i < LG_COUNT(elsewhere); i++)
        if (strcmp(elsewhere[i].word, name) == 0)
            return lg_fail(error, LG_ERROR_ARGUMENT, "%s is no filter but %s", name,
                           elsewhere[i].filter);
    char found[200];
    const word *known = find_word(name);
    const char *near = known ? known->filter : find_class(name);
    if (!near && find_names(name, found, sizeof found))
        near = found;
    const char **names = near ? NULL : lg_alloc_array(lg_filter_count() + 1, sizeof *names);
    for (size_t i = 0; names && i < lg_filter_count(); i++)
        names[i] = lg_filter_at(i)->name;
    if (names)
        near = lg_nearest(name, names);
    lg_free(names);
    if (near)
        return lg_fail(error, LG_ERROR_ARGUMENT, "there is no filter '%.60s'; did you mean '%s'?",
                       name, near);
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "there is no filter '%.60s'; `lumagraph filters` lists them", name);
}
