// A convolution with any kernel: the entry.
#include "filter/native/linear_filter/linear_filter.h"

#include "cpu/cpu.h"

LG_CPU_DECLARE(lg_pixel_tiles, linear_filter);

#define PARAMETERS(X)                                                                              \
    X(TEXT, kernel, "1,4,6,4,1;4,16,24,16,4;6,24,36,24,6;4,16,24,16,4;1,4,6,4,1",                  \
      "numbers with , between them, and ; between rows; at most 31 x 31")                          \
    X(NUMBER, factor, "", 0.00390625f, -1e6f, 1e6f, "of all numbers of the kernel")                \
    X(NUMBER, offset, "", 0, -1e6f, 1e6f, "added to the sum")                                      \
    LG_BORDER_PARAMETER(X)

LG_ROWS(linear_filter)

static lg_status refuse(const char *text, const char *why, lg_error *error)
{
    return lg_fail(error, LG_ERROR_ARGUMENT, "linear_filter: kernel=%.60s: %s", text, why);
}

static lg_status read_kernel(const char *text, double factor, lg_linear *l, lg_error *error)
{
    int column = 0;
    for (const char *p = text;; p++) {
        double number;
        if (l->rows == LG_LINEAR_SIDE || column == LG_LINEAR_SIDE)
            return refuse(text, "at most 31 x 31 numbers are allowed", error);
        if (!lg_parse_number(p, &p, &number) || (*p && *p != ',' && *p != ';'))
            return refuse(text, "numbers are written with , between them, and ; between rows",
                          error);
        l->weights[l->rows * LG_LINEAR_SIDE + column++] = (float)(number * factor);
        if (*p == ',')
            continue;
        if (l->rows && column != l->columns)
            return refuse(text, "its rows have different lengths", error);
        l->columns = column;
        l->rows++;
        column = 0;
        if (!*p)
            break;
    }
    for (int i = 0; i < l->rows * l->columns; i++)
        l->weights[i] = l->weights[i / l->columns * LG_LINEAR_SIDE + i % l->columns];
    return LG_OK;
}

lg_status lg_linear_describe(const lg_filter *filter, const float *values, const char *const *texts,
                             lg_linear *out, lg_error *error)
{
    const char *text = texts && texts[0] ? texts[0] : filter->params[0].text;
    *out = (lg_linear){.border = (lg_border)lg_native_value(filter, values, "border"),
                       .offset = lg_native_value(filter, values, "offset")};
    const lg_status status =
        read_kernel(text, (double)lg_native_value(filter, values, "factor"), out, error);
    out->left = (out->columns - 1) / 2;
    out->top = (out->rows - 1) / 2;
    return status;
}

#define STRIP 512 // pixels

static lg_status linear_filter(const lg_native_call *call)
{
    lg_linear l;
    const lg_status status =
        lg_linear_describe(call->filter, call->values, call->texts, &l, call->error);
    if (status)
        return status;
    lg_pixel_tiles tiles = *LG_CPU_SELECT(linear_filter, call->context->cpu_level);
    l.stride = STRIP + 64;
    tiles.job = &l;
    tiles.strip = STRIP;
    tiles.band = 64;
    tiles.scratch = (size_t)(l.rows + 1) * 4 * l.stride * sizeof(float);
    return lg_pixel_tiles_run(call, &tiles);
}

// The kernel is not known here.
static lg_row_reach reach(const lg_filter *filter, const float *values, const lg_image_params *in)
{
    (void)filter, (void)values, (void)in;
    return lg_row_reach_of(LG_LINEAR_SIDE / 2);
}

static const lg_native linear_native = {.cpu = linear_filter,
                                        .vulkan = LG_VULKAN(lg_linear_vulkan),
                                        .recorded = "factor offset",
                                        .reach = reach};

LG_NATIVE_FILTER(
    linear_filter, &linear_native, 1, .summary = "a convolution with any kernel of numbers",
    .formula =
        "c' = factor times the sum of kernel times the pixels around, + offset, for r, g, b; "
        "the kernel is not flipped; its middle, or what is left and above of it, is the "
        "pixel. Alpha is the centre's",
    .source = "VkLinearFilterLayer of aoce, filter2D of OpenCV",
    .notes = "float32, row by row from the left. Straight colours: what is transparent counts. A "
             "kernel that is a product of a row and a column is faster as two of them, with a "
             "factor for each: `linear_filter:kernel=1,2,1:factor=0.25 | "
             "linear_filter:kernel=1;2;1:factor=0.25`");
