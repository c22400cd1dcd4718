// Every format that is neither built in nor TIFF. libvips reads and writes it, in a module that is
// loaded when the first file needs it.
#include "core/module.h"
#include "io/metadata.h"
#include "io/row_reader.h"
#include "io/row_writer.h"
#include "io/vips/vips_module.h"

#include <pthread.h>
#include <string.h>

#ifdef LG_HAVE_VIPS

// libvips keeps its errors, and what is blocked, once per process. Files are opened one after another, under
// `opening`, and decoded side by side, each with a share of `decoding`. What has to be told of an error is
// found out alone: with `opening` and all of `decoding`. Encoders take that only to say why they failed.
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t decoding = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static const lg_vips *vips; // NULL until a file needed it; guarded by `loading`

static void lock_opening(void)
{
    pthread_mutex_lock(&opening);
}

static void unlock_opening(void)
{
    pthread_mutex_unlock(&opening);
}

static void begin_decoding(void)
{
    pthread_rwlock_rdlock(&decoding);
}

static void end_decoding(void)
{
    pthread_rwlock_unlock(&decoding);
}

static void lock_errors(void)
{
    pthread_rwlock_wrlock(&decoding);
    pthread_mutex_lock(&opening);
}

static void unlock_errors(void)
{
    pthread_mutex_unlock(&opening);
    pthread_rwlock_unlock(&decoding);
}

static const lg_vips_host host = {.alloc = lg_alloc,
                                  .free = lg_free,
                                  .strdup = lg_strdup,
                                  .image_create = lg_image_create,
                                  .image_destroy = lg_image_destroy,
                                  .thread_start = lg_thread_start,
                                  .thread_join = lg_thread_join,
                                  .lock_errors = lock_errors,
                                  .unlock_errors = unlock_errors,
                                  .lock_opening = lock_opening,
                                  .unlock_opening = unlock_opening,
                                  .begin_decoding = begin_decoding,
                                  .end_decoding = end_decoding};

static lg_status load_module(lg_error *error)
{
    static const char name[] = "liblumagraph-vips.so";
    void *module = NULL;
    const lg_status status = lg_module_open(LG_MODULE_OF_LUMAGRAPH, name, &module, error);
    if (status != LG_OK)
        return status;
    const lg_vips *table = lg_module_symbol(module, "lg_vips_module");
    if (!table || strcmp(table->version(), lg_version()) != 0)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "%s is of another version", name);
    table->enter(&host);
    vips = table;
    return LG_OK;
}

// `files` is what cannot be read or written without it.
static lg_status need_module(const char *files, lg_error *error)
{
    lg_error why = {LG_OK, ""};
    pthread_mutex_lock(&loading);
    lg_status status = vips ? LG_OK : load_module(&why);
    if (status == LG_OK)
        status = vips->start(&why);
    pthread_mutex_unlock(&loading);
    if (status == LG_OK)
        return LG_OK;
    if (why.status == LG_ERROR_MEMORY)
        return lg_fail(error, why.status, "%s", why.message);
    return lg_fail(error, why.status,
                   "%s goes through libvips, which cannot be loaded; install libvips, and "
                   "liblumagraph-vips.so, which the build makes (%.240s)",
                   files, why.message);
}

// The module, for a file that no other reader knows.
static lg_status need_decoder(lg_input *input, lg_error *error)
{
    if (lg_is_raw_photograph(input))
        return lg_fail(error, LG_ERROR_UNSUPPORTED, LG_RAW_PHOTOGRAPH);
    if (lg_input_peek(input, 1) == 0)
        return lg_fail(error, LG_ERROR_DATA, "the file is empty");
    return need_module("what is neither PNM, PFM, NPY, .cube, .acv nor TIFF (PNG, JPEG, WebP, "
                       "GIF, HEIF, JPEG 2000 ...)",
                       error);
}

lg_status lg_vips_read(lg_context *context, const char *path, lg_input *input,
                       const lg_read_params *params, lg_image **out, lg_read_info *info,
                       lg_error *error)
{
    lg_error why = {LG_OK, ""};
    lg_status status = need_decoder(input, error);
    if (status != LG_OK)
        return status;
    if (input->seekable) { // what fails is read once more, alone, to know why
        status = vips->load(context, path, input, params, false, out, info, &why);
        if (status != LG_ERROR_DATA && status != LG_ERROR_IO && status != LG_ERROR_MEMORY)
            return status ? lg_fail(error, status, "%s", why.message) : LG_OK;
        lg_metadata_destroy(&info->metadata);
        *info = (lg_read_info){0};
        if (lg_input_seek(input, 0, error) != LG_OK)
            return LG_ERROR_IO;
    }
    lock_errors();
    status = vips->load(context, path, input, params, true, out, info, error);
    unlock_errors();
    return status;
}

static lg_status open_rows(lg_row_reader *reader, lg_error *error)
{
    lg_status status = need_decoder(&reader->input, error);
    if (status != LG_OK)
        return status;
    lock_errors();
    status = vips->rows_open(reader, error);
    unlock_errors();
    return status;
}

static lg_status read_rows(lg_row_reader *reader, int32_t layer, const lg_region *region,
                           lg_image *into, lg_error *error)
{
    lock_errors();
    const lg_status status = vips->rows_read(reader, layer, region, into, error);
    unlock_errors();
    return status;
}

static void close_rows(lg_row_reader *reader)
{
    if (!reader->state)
        return;
    lock_errors();
    vips->rows_close(reader);
    unlock_errors();
}

const lg_row_format lg_row_format_vips = {open_rows, read_rows, NULL, close_rows};

void lg_vips_shutdown(void)
{
    pthread_mutex_lock(&loading);
    if (vips)
        vips->shutdown();
    pthread_mutex_unlock(&loading);
}

// ---- writing ------------------------------------------------------------------------------------

// What a format holds without loss of type, channels or layers (JPEG, GIF, AVIF and HEIC are lossy
// by their user's choice). Floats in JPEG XL are not among it: libvips makes u8 of grey ones, and libjxl 0.7
// other numbers of large ones. `always`: options beside those of the caller; `usual`: in their place.
static const struct {
    const char *extension, *suffix, *always, *usual;
    bool u16, f32, alpha, layers, profile, orientation, exact, rows;
} writers[] = {
    {"png", ".png", "", "", .u16 = true, .alpha = true, .profile = true, .orientation = true,
     .exact = true, .rows = true},
    {"jpg", ".jpg", "", "Q=95", .profile = true, .orientation = true, .rows = true},
    {"jpeg", ".jpg", "", "Q=95", .profile = true, .orientation = true, .rows = true},
    {"webp", ".webp", "", "lossless", .layers = true, .profile = true, .orientation = true,
     .exact = true},
    {"gif", ".gif", "", "", .alpha = true, .layers = true},
    {"jp2", ".jp2", "", "lossless", .u16 = true, .alpha = true, .exact = true},
    {"jxl", ".jxl", "", "lossless", .u16 = true, .alpha = true, .profile = true, .exact = true},
    {"avif", ".heic", "compression=av1", "Q=90", .alpha = true, .profile = true},
    {"heic", ".heic", "", "Q=90", .alpha = true, .profile = true},
    {"hdr", ".hdr", "", "", .f32 = true}, // and nothing else
};

static int find_writer(const char *extension)
{
    for (size_t i = 0; i < LG_COUNT(writers); i++)
        if (strcasecmp(extension, writers[i].extension) == 0)
            return (int)i;
    return -1;
}

bool lg_vips_can_write(const char *extension)
{
    return find_writer(extension) >= 0;
}

bool lg_vips_can_write_rows(const char *extension)
{
    const int writer = find_writer(extension);
    return writer >= 0 && writers[writer].rows;
}

static lg_status check_writer(int writer, const lg_image_params *shape, lg_error *error)
{
    const char *name = writers[writer].extension;
    const bool held = shape->type == LG_U8 || (shape->type == LG_U16 && writers[writer].u16) ||
                      (shape->type == LG_F32 && writers[writer].f32);
    if (writers[writer].f32 && !writers[writer].u16 &&
        (shape->type != LG_F32 || lg_file_channels(shape) != 3))
        return lg_fail(
            error, LG_ERROR_UNSUPPORTED,
            ".%s holds RGB of f32, the image has %d channels of %s samples; use .tif or .npy", name,
            lg_file_channels(shape), lg_type_name(shape->type));
    if (!held)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, ".%s cannot hold %s samples; use .tif or .npy",
                       name, lg_type_name(shape->type));
    int channels = lg_file_channels(shape);
    if ((channels == 2 || channels == 4) && !writers[writer].alpha)
        return lg_fail(
            error, LG_ERROR_UNSUPPORTED,
            writers[writer].exact // WebP
                ? ".%s is not written with %d channels, as libvips drops the colours of clear "
                  "pixels; use .png or .tif"
                : ".%s cannot hold %d channels; use .png or .tif",
            name, channels);
    if (shape->layers > 1 && !writers[writer].layers)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, ".%s cannot hold %d layers; use .tif or .npy",
                       name, shape->layers);
    return LG_OK;
}

bool lg_vips_holds_profile(const char *extension)
{
    const int writer = find_writer(extension);
    return writer >= 0 && writers[writer].profile;
}

bool lg_vips_holds_orientation(const char *extension)
{
    const int writer = find_writer(extension);
    return writer >= 0 && writers[writer].orientation;
}

bool lg_vips_is_exact(const char *extension, const char *options)
{
    const int writer = find_writer(extension);
    if (writer < 0 || !writers[writer].exact || !options || !*options)
        return writer >= 0 && writers[writer].exact;
    return *writers[writer].usual ? strstr(options, "lossless") != NULL
                                  : !strstr(options, "palette") && !strstr(options, "bitdepth");
}

// ".jpg[Q=80]": as libvips takes it. False: it is too long.
static bool make_suffix(int writer, const char *options, char *out, size_t size)
{
    const char *always = writers[writer].always;
    const char *more = options && *options ? options : writers[writer].usual;
    return (size_t)snprintf(out, size, "%s[%s%s%s]", writers[writer].suffix, always,
                            *always && *more ? "," : "", more) < size;
}

// What libvips takes as the name of a file, once it is known that it can write one.
static lg_status begin_writer(const char *extension, const lg_image_params *shape,
                              const char *options, char suffix[300], lg_error *error)
{
    const int writer = find_writer(extension);
    char files[40];
    snprintf(files, sizeof files, ".%s", extension);
    const lg_status status = check_writer(writer, shape, error);
    if (status)
        return status;
    if (!make_suffix(writer, options, suffix, 300))
        return lg_fail(error, LG_ERROR_ARGUMENT, "the options of .%s are too long", extension);
    return need_module(files, error);
}

lg_status lg_vips_write(const lg_image *image, const char *extension, const lg_write_params *params,
                        FILE *stream, lg_error *error)
{
    char suffix[300];
    const lg_status status =
        begin_writer(extension, &image->shape, params ? params->options : NULL, suffix, error);
    return status ? status
                  : vips->save(image, suffix, params ? params->metadata : NULL, stream, error);
}

static lg_status begin_rows(lg_row_writer *writer, lg_error *error)
{
    char suffix[300];
    const lg_status status =
        begin_writer(writer->extension, &writer->shape, writer->options, suffix, error);
    return status ? status : vips->save_begin(writer, suffix, error);
}

static lg_status add_rows(lg_row_writer *writer, const lg_image *rows, lg_error *error)
{
    return vips->save_rows(writer, rows, error);
}

static lg_status end_rows(lg_row_writer *writer, lg_error *error)
{
    return vips->save_end(writer, error);
}

static void drop_rows(lg_row_writer *writer)
{
    if (writer->state)
        vips->save_drop(writer);
}

const lg_row_sink lg_row_sink_vips = {begin_rows, add_rows, end_rows, drop_rows, .encodes = true};

#else

static lg_status open_rows(lg_row_reader *reader, lg_error *error)
{
    lg_image *none = NULL;
    return lg_vips_read(reader->context, reader->path, &reader->input, &reader->params, &none,
                        &reader->info, error);
}

static void close_rows(lg_row_reader *reader)
{
}

const lg_row_format lg_row_format_vips = {open_rows, NULL, NULL, close_rows};

lg_status lg_vips_read(lg_context *context, const char *path, lg_input *input,
                       const lg_read_params *params, lg_image **out, lg_read_info *info,
                       lg_error *error)
{
    if (lg_is_raw_photograph(input))
        return lg_fail(error, LG_ERROR_UNSUPPORTED, LG_RAW_PHOTOGRAPH);
    if (lg_input_peek(input, 1) == 0)
        return lg_fail(error, LG_ERROR_DATA, "the file is empty");
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "neither PNM, PAM, PFM nor NPY, which is all that this build reads; build with "
                   "libvips for other formats");
}

lg_status lg_vips_write(const lg_image *image, const char *extension, const lg_write_params *params,
                        FILE *stream, lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED, "this build writes .pnm, .pfm and .npy alone");
}

bool lg_vips_can_write(const char *extension)
{
    return false;
}

bool lg_vips_can_write_rows(const char *extension)
{
    return false;
}

static lg_status begin_rows(lg_row_writer *writer, lg_error *error)
{
    return lg_vips_write(NULL, writer->extension, NULL, writer->stream, error);
}

const lg_row_sink lg_row_sink_vips = {begin_rows, .encodes = true};

bool lg_vips_holds_profile(const char *extension)
{
    return false;
}

bool lg_vips_holds_orientation(const char *extension)
{
    return false;
}

bool lg_vips_is_exact(const char *extension, const char *options)
{
    return false;
}

void lg_vips_shutdown(void)
{
}

#endif
