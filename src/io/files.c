// Reading and writing image files: the content decides the reader, the extension the writer.
#include "io/archive.h"
#include "io/description.h"
#include "io/film.h"
#include "io/folder_tree.h"
#include "io/image_rows.h"
#include "io/layer_axes.h"
#include "io/metadata.h"

#include <string.h>

typedef lg_status (*builtin_read)(lg_context *, lg_input *, const lg_read_params *, lg_image **,
                                  lg_read_info *, lg_error *);
typedef lg_status (*builtin_write)(const lg_image *, const char *, FILE *, lg_error *);

static const struct {
    bool (*is)(const uint8_t *head, size_t size);
    builtin_read read;
} readers[] = {{lg_pnm_is, lg_pnm_read}, {lg_pfm_is, lg_pfm_read}, {lg_npy_is, lg_npy_read}};

static const struct {
    const char *extension;
    builtin_write write;
} writers[] = {
    {"pnm", lg_pnm_write}, {"pgm", lg_pnm_write}, {"ppm", lg_pnm_write}, {"pbm", lg_pnm_write},
    {"pam", lg_pnm_write}, {"pfm", lg_pfm_write}, {"npy", lg_npy_write},
};

// The built-in formats are read whole: of several layers one is kept.
static lg_status keep_page(lg_context *context, int page, lg_image **image, lg_error *error)
{
    lg_image_params shape = (*image)->shape;
    int pages = shape.layers;
    lg_image *one = NULL;
    if (page < 0 || (page == 0 && pages == 1))
        return LG_OK;
    shape.layers = 1;
    shape.row_stride = shape.layer_stride = 0;
    lg_status status = page < pages ? lg_image_create(context, &shape, &one, error)
                                    : lg_fail_page(error, page, pages);
    size_t bytes = (size_t)shape.width * (size_t)shape.channels * lg_type_size(shape.type);
    for (int64_t y = 0; y < shape.height && status == LG_OK; y++)
        memcpy(lg_image_row(one, 0, y), lg_image_row(*image, page, y), bytes);
    lg_image_destroy(image);
    *image = one;
    return status;
}

const char *lg_extension_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot + 1 : "";
}

// A table whose first line is no keyword is still one by its name: its error names the line.
static bool is_cube(lg_input *input, const char *path)
{
    const size_t size = lg_input_peek(input, 16);
    return lg_cube_is(input) || (size > 0 && strcasecmp(lg_extension_of(path), "cube") == 0 &&
                                 !memchr(input->buffer + input->begin, 0, size));
}

// Curves have no signature: a damaged file is one by its name.
static bool is_curves(lg_input *input, const char *path)
{
    const bool named = strcasecmp(lg_extension_of(path), "acv") == 0;
    return lg_acv_is(input) ||
           (named && (!lg_input_peek(input, 1) || input->buffer[input->begin] == 0));
}

static builtin_read find_reader(lg_input *input, const char *path)
{
    const size_t size = lg_input_peek(input, 16);
    for (size_t i = 0; i < LG_COUNT(readers); i++)
        if (readers[i].is(input->buffer + input->begin, size))
            return readers[i].read;
    return is_cube(input, path) ? lg_cube_read : is_curves(input, path) ? lg_acv_read : NULL;
}

bool lg_is_built_in(lg_input *input, const char *path)
{
    return find_reader(input, path) != NULL;
}

static bool is_tiff(lg_input *input)
{
    return lg_tiff_is(input->buffer + input->begin, lg_input_peek(input, 4));
}

static lg_status read_input(lg_context *context, const char *path, lg_input *input,
                            const lg_read_params *params, lg_image **out, lg_read_info *info,
                            lg_error *error)
{
    const builtin_read read = find_reader(input, path);
    if (input->failure)
        return lg_input_short(input, "the start", error);
    if (lg_y4m_is(input->buffer + input->begin, lg_input_peek(input, 16)))
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "is a film (y4m), not an image: its frames are read one by one");
    if (lg_video_is(input->buffer + input->begin, lg_input_peek(input, 16), path))
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "is a video file, not an image: its frames are read one by one");
    if (is_tiff(input)) {
        input->watched = params;
        const lg_status status = lg_input_settle(context, input, error);
        return status ? status : lg_tiff_read(context, input, params, out, info, error);
    }
    if (params->page == LG_PAGE_RAW)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "--page raw is of raw photographs that are TIFF files (DNG, NEF, CR2 ...), "
                       "and this is none");
    if (read) {
        lg_image *image = NULL;
        input->watched = params;
        lg_status status = read(context, input, params, &image, info, error);
        if (status == LG_OK)
            status = keep_page(context, params->page, &image, error);
        if (status == LG_OK)
            *out = image;
        return status;
    }
    return lg_vips_read(context, path, input, params, out, info, error);
}

// Axes that the caller states go with the pixels, as those of a file do.
static lg_status keep_axes(const lg_read_params *params, const lg_image_params *shape,
                           lg_read_info *info, lg_error *error)
{
    if (!params->metadata || !params->layers || !params->layers->axes[0].name)
        return LG_OK;
    if (!info->metadata) {
        const lg_status status = lg_metadata_create(&info->metadata, error);
        if (status)
            return status;
        info->metadata->shape = *shape;
    }
    memcpy(info->metadata->axes, info->axes, sizeof info->axes);
    return LG_OK;
}

lg_status lg_read_input(lg_context *context, const char *path, lg_input *input,
                        const lg_read_params *params, lg_image **out, lg_read_info *info,
                        lg_error *error)
{
    lg_image *image = NULL;
    const bool tiff = is_tiff(input); // which reads the layers that are chosen
    lg_status status = (input->folder ? lg_zarr_read : read_input)(context, path, input, params,
                                                                   &image, info, error);
    if (!status && !tiff && params->page == -1)
        status = lg_layers_keep(context, params->layers, &image, info, error);
    if (!status && !tiff && params->page == -1)
        status = keep_axes(params, &image->shape, info, error);
    // A format may take the end of what could be read for the end of the file.
    if (input->failure)
        status = lg_input_short(input, "the file", error);
    if (status)
        lg_image_destroy(&image);
    else
        *out = image;
    return status;
}

lg_read_params lg_read_params_default(void)
{
    return (lg_read_params){.max_pixels = LG_READ_MAX_PIXELS,
                            .max_side = LG_MAX_SIDE,
                            .page = -1,
                            .spare_memory = (size_t)64 << 20};
}

lg_status lg_image_read(lg_context *context, const char *path, const lg_read_params *params,
                        lg_image **out, lg_read_info *info, lg_error *error)
{
    const lg_read_params defaults = lg_read_params_default();
    lg_read_info local = {0};
    if (!context || !path || !out)
        return lg_fail_null(error, "a context, the name of a file, and a place for the image");
    lg_input *input = lg_alloc(sizeof *input); // its buffer is large for a stack
    if (!input)
        return lg_fail_memory(error, sizeof *input, "a read buffer");
    lg_relieving_read room;
    lg_status status = lg_input_open(input, path, error);
    if (status == LG_OK) {
        params = lg_relieving_params(context, params ? params : &defaults, &room);
        status = lg_read_input(context, path, input, params, out, &local, error);
        lg_input_close(input);
    }
    lg_free(input);
    if (status == LG_OK && info)
        *info = local;
    else
        lg_metadata_destroy(&local.metadata);
    return status;
}

// Index in writers, -1 when the extension is not built in.
static int find_builtin(const char *extension)
{
    for (size_t i = 0; i < LG_COUNT(writers); i++)
        if (strcasecmp(writers[i].extension, extension) == 0)
            return (int)i;
    return -1;
}

bool lg_image_can_format(const char *format)
{
    return format && (find_builtin(format) >= 0 || lg_tiff_can_write(format) ||
                      lg_zarr_is(format) || lg_vips_can_write(format));
}

bool lg_image_is_folder(const char *path)
{
    return path && lg_tree_is_zarr(path);
}

bool lg_image_can_write(const char *path)
{
    return path && (strcmp(path, "-") == 0 || lg_image_can_format(lg_extension_of(path)));
}

static const char *format_of(const lg_image *image, const char *path, const lg_write_params *params)
{
    if (params && params->format)
        return params->format;
    if (strcmp(path, "-") == 0)
        return image->shape.type == LG_F16 || image->shape.type == LG_F32 ? "pfm" : "pnm";
    return lg_extension_of(path);
}

bool lg_image_keeps_profile(const lg_image *image, const char *path, const lg_write_params *params)
{
    if (!image || !path || !params || !params->metadata || !params->metadata->profile.data)
        return true;
    const char *format = format_of(image, path, params);
    return (lg_tiff_can_write(format) || lg_vips_holds_profile(format)) &&
           lg_metadata_profile_fits(params->metadata, &image->shape);
}

bool lg_image_keeps_orientation(const lg_image *image, const char *path,
                                const lg_write_params *params)
{
    if (!image || !path || !params || lg_metadata_orientation(params->metadata) <= 1)
        return true;
    const char *format = format_of(image, path, params);
    return lg_tiff_can_write(format) || lg_vips_holds_orientation(format);
}

bool lg_image_keeps_description(const lg_image *image, const char *path,
                                const lg_write_params *params)
{
    const lg_metadata *m = params ? params->metadata : NULL;
    char *text = NULL;
    if (!image || !path || !m || !m->description ||
        !lg_tiff_can_write(format_of(image, path, params)))
        return true;
    const lg_status status = lg_description_adapt(m, &image->shape, &text, NULL);
    const bool kept = status != LG_OK || text;
    lg_free(text);
    return kept;
}

lg_status lg_fail_options(lg_error *error, const char *format)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED, "format .%.20s has no options", format);
}

lg_status lg_check_format(const char *format, const lg_write_params *params, lg_error *error)
{
    const bool exact = find_builtin(format) >= 0 || lg_tiff_can_write(format) || lg_zarr_is(format);
    if (lg_image_can_format(format) && params && params->exact && !exact &&
        !lg_vips_is_exact(format, params->options))
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       ".%s changes samples, and these have to stay as they are; use .png or .tif",
                       format);
    if (find_builtin(format) >= 0 && params && params->options && *params->options)
        return lg_fail_options(error, format);
    if (lg_image_can_format(format))
        return LG_OK;
    static const char list[] = "pnm, pgm, ppm, pbm, pam, pfm, npy, png, tif, jpg, webp, gif, jp2, "
                               "jxl, avif, heic, hdr, zarr";
    if (!*format)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "cannot write: the name has no extension, which chooses the format: %s",
                       list);
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "cannot write: the extension \".%.20s\" is not one of %s", format, list);
}

static lg_status write_image(const lg_image *image, bool labelled, const char *path,
                             const lg_write_params *params, lg_error *error)
{
    if (!image || !path)
        return lg_fail_null(error, "an image, and the name of a file");
    if (lg_image_check_adjacent(&image->shape, "what is written", error))
        return LG_ERROR_ARGUMENT;
    if (!image->data)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the image has no host pixels; lg_image_download makes them");
    if (lg_shape_is_packed(&image->shape))
        return lg_fail(
            error, LG_ERROR_UNSUPPORTED,
            "an image of three channels is only measured and filtered; write what a plan "
            "made of it, or one of 4 channels with opaque alpha");
    if (lg_writes_by_rows(image, path, params))
        return lg_write_by_rows(image, labelled, path, params, error);
    const char *format = format_of(image, path, params);
    int builtin = find_builtin(format);
    lg_output *output = NULL;
    lg_status status = lg_check_format(format, params, error);
    if (status == LG_OK && lg_zarr_is(format))
        return lg_zarr_write(image, labelled, path, params, error);
    if (status == LG_OK)
        status = lg_output_open(path, &output, error);
    if (status != LG_OK)
        return status;
    FILE *stream = lg_output_stream(output);
    const lg_metadata *metadata = params ? params->metadata : NULL;
    if (builtin >= 0)
        status = writers[builtin].write(image, writers[builtin].extension, stream, error);
    else if (lg_tiff_can_write(format))
        status = lg_tiff_write(image, labelled, metadata, params ? params->options : NULL, stream,
                               error);
    else
        status = lg_vips_write(image, format, params, stream, error);
    if (status == LG_OK)
        return lg_output_commit(&output, error);
    lg_output_discard(&output);
    return status;
}

lg_status lg_image_write(const lg_image *image, const char *path, const lg_write_params *params,
                         lg_error *error)
{
    return write_image(image, false, path, params, error);
}

// ---- labels ---------------------------------------------------------------------------------------

const uint32_t *lg_labels_row(const lg_labels *labels, int32_t layer, int32_t y)
{
    return (const uint32_t *)(const void *)((const uint8_t *)labels->data +
                                            (size_t)layer * labels->layer_stride +
                                            (size_t)y * labels->row_stride);
}

static lg_status write_narrow(lg_context *context, lg_labels *labels, const char *path,
                              const lg_write_params *params, lg_error *error)
{
    lg_image *image = NULL;
    lg_status status = lg_labels_image(context, labels, &image, error);
    if (status == LG_OK)
        status = write_image(image, true, path, params, error);
    lg_image_destroy(&image);
    return status;
}

lg_status lg_labels_write(lg_context *context, lg_labels *labels, const char *path,
                          const lg_write_params *params, lg_error *error)
{
    if (!context || !labels || !path)
        return lg_fail_null(error, "a context, labels, and the name of a file");
    const char *format = params && params->format ? params->format
                         : strcmp(path, "-") == 0 ? "pgm"
                                                  : lg_extension_of(path);
    const bool npy = strcasecmp(format, "npy") == 0;
    const bool tiff = lg_tiff_can_write(format), zarr = lg_zarr_is(format);
    lg_output *output = NULL;
    lg_status status = lg_check_format(format, params, error);
    if (status != LG_OK)
        return status;
    if (!npy && labels->count <= UINT16_MAX)
        return write_narrow(context, labels, path, params, error);
    if (!npy && !tiff && !zarr)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       ".%s holds 65535 labels and there are %u; use .tif, .npy or .zarr", format,
                       labels->count);
    status = lg_labels_download(context, labels, error);
    if (status == LG_OK && zarr)
        return lg_zarr_write_labels(labels, path, params, error);
    if (status == LG_OK)
        status = lg_output_open(path, &output, error);
    if (status != LG_OK)
        return status;
    status = npy ? lg_npy_write_labels(labels, lg_output_stream(output), error)
                 : lg_tiff_write_labels(labels, params ? params->metadata : NULL,
                                        params ? params->options : NULL, lg_output_stream(output),
                                        error);
    if (status == LG_OK)
        return lg_output_commit(&output, error);
    lg_output_discard(&output);
    return status;
}

void lg_io_shutdown(void)
{
    lg_archive_shutdown();
    lg_vips_shutdown();
}
