// Files through libvips: decoding in strips straight into the image's rows.
#include "io/vips/vips_formats.h"

#include "io/vips/vips_exr.h"
#include "io/vips/vips_metadata.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define STRIP 64 // rows decoded at a time

// Some loaders say why they fail in a warning alone; it is kept for the error message.
static _Thread_local char warning[200];

static void keep_warning(const gchar *domain, GLogLevelFlags level, const gchar *text,
                         gpointer priv)
{
    snprintf(warning, sizeof warning, "%s", text ? text : "");
}

static bool started;

// Once per process, as libvips wants it. Its warnings go nowhere: what matters comes back as
// errors.
lg_status lg_vips_start(lg_error *error)
{
    if (started)
        return LG_OK;
    if (VIPS_INIT("lumagraph") != 0)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "libvips does not start");
    g_log_set_handler("VIPS", G_LOG_LEVEL_MASK | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION,
                      keep_warning, NULL);
    vips_cache_set_max(0);
    started = true;
    return LG_OK;
}

void lg_vips_forget_errors(void)
{
    vips_error_clear();
    warning[0] = '\0';
}

void lg_vips_stop(void)
{
    if (started)
        vips_shutdown();
    started = false;
}

// The last line of libvips' error text: the ones before it repeat the cause in other words.
lg_status lg_vips_fail(lg_error *error, lg_status status, const char *what)
{
    char text[300];
    snprintf(text, sizeof text, "%s", *vips_error_buffer() ? vips_error_buffer() : warning);
    vips_error_clear();
    size_t length = strlen(text);
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
        text[--length] = '\0';
    if (strstr(text, "out of memory")) // the file is not to blame
        return lg_fail(error, LG_ERROR_MEMORY, "out of memory while it was decoded");
    if (strstr(text, "Error creating thread")) // nor where libvips gets no stack for a thread
        return lg_fail(error, LG_ERROR_MEMORY, "%s: out of memory, or of threads", what);
    char *line = strrchr(text, '\n');
    return lg_fail(error, status, "%s: %s", what,
                   *text ? (line ? line + 1 : text) : "no reason given");
}

// ---- which loader -------------------------------------------------------------------------------

static gint64 source_read(VipsSourceCustom *source, void *data, gint64 length, lg_input *input)
{
    size_t got = lg_input_read(input, data, (size_t)length);
    return got == 0 && input->failure ? -1 : (gint64)got;
}

static VipsSource *open_source(lg_input *input)
{
    if (input->seekable) {
        // What was peeked at is given back.
        if (lseek(input->fd, -(off_t)(input->end - input->begin), SEEK_CUR) < 0)
            return NULL;
        input->begin = input->end = 0;
        return vips_source_new_from_descriptor(input->fd);
    }
    VipsSourceCustom *custom = vips_source_custom_new();
    if (custom)
        g_signal_connect(custom, "read", G_CALLBACK(source_read), input);
    return VIPS_SOURCE(custom);
}

// What a loader is. Looking for a class by its name is a walk over all of them, so it is done once for each.
typedef struct loader_traits {
    const char *loader; // names of classes stay where they are
    bool untrusted, pages;
} loader_traits;

static loader_traits find_traits(const char *loader)
{
    const VipsObjectClass *class = vips_class_find("VipsOperation", loader);
    GObjectClass *const object = class ? G_OBJECT_CLASS(class) : NULL;
    const bool untrusted = class && (VIPS_OPERATION_CLASS(class)->flags & VIPS_OPERATION_UNTRUSTED);
    return (loader_traits){loader, untrusted,
                           object && g_object_class_find_property(object, "n") &&
                               g_object_class_find_property(object, "page")};
}

static loader_traits traits_of(const char *loader)
{
    static GMutex lock;
    static loader_traits known[64];
    static size_t count;
    g_mutex_lock(&lock);
    size_t i = 0;
    while (i < count && known[i].loader != loader)
        i++;
    const loader_traits found = i < count ? known[i] : find_traits(loader);
    if (i == count && count < LG_COUNT(known))
        known[count++] = found;
    g_mutex_unlock(&lock);
    return found;
}

// "png" of "VipsForeignLoadPngSource".
static void format_name(const char *loader, char *out, size_t capacity)
{
    size_t used = 0;
    const char *at = strstr(loader, "Load");
    for (at = at ? at + 4 : loader; *at && used + 1 < capacity; at++) {
        if (used > 0 &&
            (strcmp(at, "Source") == 0 || strcmp(at, "File") == 0 || strcmp(at, "Buffer") == 0))
            break;
        out[used++] = (char)(*at >= 'A' && *at <= 'Z' ? *at + 32 : *at);
    }
    out[used] = '\0';
    if (strcmp(out, "nsgif") == 0)
        snprintf(out, capacity, "gif");
}

static lg_status fail_unknown(const uint8_t *head, size_t size, lg_error *error)
{
    char shown[40];
    size_t used = 0;
    for (size_t i = 0; i < LG_MIN(size, 8) && used + 5 < sizeof shown; i++) {
        bool plain = head[i] >= ' ' && head[i] < 127;
        used +=
            (size_t)snprintf(shown + used, sizeof shown - used, plain ? "%c" : "\\x%02x", head[i]);
    }
    vips_error_clear();
    return lg_fail(error, LG_ERROR_DATA,
                   "not an image of a known format, or damaged; it starts with \"%s\" (the content "
                   "decides, not the name)",
                   shown);
}

static lg_status fail_blocked(const char *format, lg_error *error)
{
    vips_error_clear();
    return lg_fail(error, LG_ERROR_LIMIT,
                   "format %s is read by a decoder that is not hardened against hostile files; "
                   "--allow-untrusted reads it",
                   format);
}

// A loader that knows a file by its content; one that goes by its name alone does not count.
static const char *find_by_file(const char *path)
{
    const char *loader = vips_foreign_find_load(path);
    const VipsObjectClass *class = loader ? vips_class_find("VipsForeignLoad", loader) : NULL;
    const bool content = class && VIPS_FOREIGN_LOAD_CLASS(class)->is_a;
    vips_error_clear();
    return content && !strstr(loader, "Magick") ? loader : NULL;
}

// ImageMagick takes the extension for the format, unless it gets bytes without a name.
static const char *find_by_bytes(const lg_input *input, int64_t start, VipsBlob **copy)
{
    const size_t size = input->size > 0 ? (size_t)input->size : 0;
    void *data = size ? g_try_malloc(size) : NULL;
    size_t got = 0;
    while (data && got < size) {
        const ssize_t some =
            pread(input->fd, (char *)data + got, size - got, (off_t)(start + (int64_t)got));
        if (some <= 0)
            break;
        got += (size_t)some;
    }
    const char *loader = data ? vips_foreign_find_load_buffer(data, got) : NULL;
    vips_error_clear();
    if (loader)
        *copy = vips_blob_new((VipsCallbackFn)vips_area_free_cb, data, got);
    else
        g_free(data);
    return loader;
}

// Decoders that take no stream: they are not hardened, and are asked only when that is allowed.
static void find_untrusted(const lg_input *input, lg_vips_opened *out)
{
    out->loader = find_by_file(out->path);
    if (!out->loader)
        out->loader = find_by_bytes(input, out->start, &out->copy);
    VIPS_UNREF(out->source);
}

static lg_status check_loader(const lg_vips_opened *from, bool allowed, const char *hint,
                              const uint8_t *head, size_t size, lg_error *error)
{
    char format[32];
    if (!from->loader && hint && !allowed)
        return fail_blocked(hint, error);
    if (!from->loader && hint)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "format %s, for which this libvips has no decoder; convert it to PNG or "
                       "TIFF first",
                       hint);
    if (!from->loader || strstr(from->loader, "Ppm")) // PNM is built in: this one is damaged
        return fail_unknown(head, size, error);
    format_name(from->loader, format, sizeof format);
    return !allowed && traits_of(from->loader).untrusted ? fail_blocked(format, error) : LG_OK;
}

// Encoders get pixels, and no file: none of them is blocked.
static void block_untrusted(bool block)
{
    vips_block_untrusted_set(block);
    vips_operation_block_set("VipsForeignSave", FALSE);
}

// PNG and JPEG have decoders that no rule blocks: the rules need not change for them, which takes a walk over
// all classes of libvips, and more time than a small file.
static bool is_never_blocked(const uint8_t *head, size_t size)
{
    return size >= 4 && (memcmp(head, "\x89PNG", 4) == 0 || memcmp(head, "\xff\xd8\xff", 3) == 0);
}

static lg_status find_loader(const char *path, lg_input *input, const lg_read_params *params,
                             lg_vips_opened *out, lg_error *error)
{
    uint8_t head[8];
    const char *hint = lg_format_hint(input);
    size_t size = lg_input_peek(input, sizeof head);
    memcpy(head, input->buffer + input->begin, size);
    out->source = open_source(input);
    if (!out->source)
        return lg_vips_fail(error, LG_ERROR_IO, "cannot read");
    out->path = path;
    out->start = input->seekable ? lseek(input->fd, 0, SEEK_CUR) : -1;
    const bool rules = !is_never_blocked(head, size);
    if (rules)
        vips_block_untrusted_set(FALSE); // to know a blocked format by its name
    out->loader = vips_foreign_find_load_source(out->source);
    if (!out->loader && input->owned && input->seekable && params->allow_untrusted)
        find_untrusted(input, out);
    if (rules)
        block_untrusted(!params->allow_untrusted);
    lg_status status = check_loader(out, params->allow_untrusted, hint, head, size, error);
    if (status == LG_OK)
        out->pages = traits_of(out->loader).pages && !strstr(out->loader, "Pdf");
    return status;
}

static int call_loader(const lg_vips_opened *from, int page, int pages, VipsImage **out)
{
#define COMMON "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_TRUNCATED
#define CALL(input)                                                                                \
    (from->pages ? vips_call(from->loader, input, out, "page", page, "n", pages, COMMON, NULL)     \
                 : vips_call(from->loader, input, out, COMMON, NULL))
    return from->source ? CALL(from->source) : from->copy ? CALL(from->copy) : CALL(from->path);
#undef CALL
#undef COMMON
}

static lg_status open_image(const lg_vips_opened *from, const lg_read_params *params,
                            VipsImage **out, lg_error *error)
{
    if (params->page > 0 && !from->pages)
        return lg_fail_page(error, params->page, 1);
    bool all = params->page < 0;
    if (call_loader(from, all ? 0 : params->page, all ? -1 : 1, out) == 0)
        return LG_OK;
    VipsImage *first = NULL;
    char text[200];
    snprintf(text, sizeof text, "%s", vips_error_buffer());
    if (!from->pages || params->page == 0 || call_loader(from, 0, 1, &first) != 0)
        return lg_vips_fail(error, LG_ERROR_DATA, "cannot decode");
    int pages = vips_image_get_n_pages(first);
    VIPS_UNREF(first);
    vips_error_clear();
    if (params->page >= pages)
        return lg_fail_page(error, params->page, pages);
    if (pages < 2 || !all) {
        text[strcspn(text, "\n")] = '\0';
        return lg_fail(error, LG_ERROR_DATA, "cannot decode: %s", text);
    }
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "its %d pages differ in size or type; --page N reads one of them (from 0)",
                   pages);
}

// ---- pixels -------------------------------------------------------------------------------------

static lg_status plan_type(VipsBandFormat format, lg_vips_layout *out, lg_error *error)
{
    out->shape.type = LG_F32;
    out->rounding.type = LG_FOREIGN_NONE;
    switch (format) {
    case VIPS_FORMAT_UCHAR:
        out->shape.type = LG_U8;
        return LG_OK;
    case VIPS_FORMAT_USHORT:
        out->shape.type = LG_U16;
        return LG_OK;
    case VIPS_FORMAT_FLOAT:
        return LG_OK;
    case VIPS_FORMAT_CHAR:
        out->rounding.type = LG_FOREIGN_I8;
        return LG_OK;
    case VIPS_FORMAT_SHORT:
        out->rounding.type = LG_FOREIGN_I16;
        return LG_OK;
    case VIPS_FORMAT_INT:
        out->rounding.type = LG_FOREIGN_I32;
        return LG_OK;
    case VIPS_FORMAT_UINT:
        out->rounding.type = LG_FOREIGN_U32;
        return LG_OK;
    case VIPS_FORMAT_DOUBLE:
        out->rounding.type = LG_FOREIGN_F64;
        return LG_OK;
    default:
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "complex samples; take their magnitude or real part first");
    }
}

static lg_status plan(VipsImage *in, const lg_read_params *params, lg_vips_layout *out,
                      lg_error *error)
{
    int bands = vips_image_get_bands(in), height = vips_image_get_height(in);
    out->page_height = vips_image_get_page_height(in);
    if (out->page_height < 1 || height % out->page_height != 0)
        out->page_height = height;
    int layers = height / out->page_height;
    lg_status status =
        lg_read_check(params, vips_image_get_width(in), out->page_height, layers, error);
    if (status != LG_OK)
        return status;
    if (bands < 1 || bands > LG_MAX_CHANNELS)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "%d channels; 1 to %d can be measured", bands,
                       LG_MAX_CHANNELS);
    out->shape = (lg_image_params){
        .width = vips_image_get_width(in),
        .height = out->page_height,
        .layers = layers,
        .channels = bands == 3 ? 4 : bands,
        .alpha = bands == 3                              ? LG_ALPHA_OPAQUE
                 : out->alpha_times_255                  ? LG_ALPHA_PREMULTIPLIED
                 : bands != 1 && vips_image_hasalpha(in) ? LG_ALPHA_STRAIGHT
                                                         : LG_ALPHA_NONE,
    };
    return plan_type(vips_image_get_format(in), out, error);
}

// Exact where the file has halves.
static void divide_alpha(const lg_vips_layout *plan, float *row)
{
    const size_t channels = (size_t)plan->shape.channels;
    for (size_t x = 0; x < (size_t)plan->shape.width; x++)
        row[x * channels + channels - 1] /= 255;
}

lg_status lg_vips_copy_row(lg_vips_layout *plan, const void *in, void *out, lg_error *error)
{
    size_t samples = (size_t)plan->shape.width * (size_t)lg_file_channels(&plan->shape);
    size_t sample = lg_type_size(plan->shape.type);
    lg_status status = LG_OK;
    if (plan->rounding.type == LG_FOREIGN_NONE)
        memcpy(out, in, samples * sample);
    else
        status = lg_foreign_to_f32(&plan->rounding, in, out, samples, error);
    if (status == LG_OK && plan->alpha_times_255)
        divide_alpha(plan, out);
    if (status == LG_OK && plan->shape.alpha == LG_ALPHA_OPAQUE)
        lg_expand_rgb(out, (size_t)plan->shape.width, sample);
    return status;
}

static lg_status copy_pixels(VipsImage *in, lg_vips_layout *plan, const lg_read_params *params,
                             lg_image *image, lg_error *error)
{
    VipsRegion *region = vips_region_new(in);
    if (!region)
        return lg_vips_fail(error, LG_ERROR_MEMORY, "cannot decode");
    int height = vips_image_get_height(in);
    lg_status status = LG_OK;
    for (int y = 0; y < height && status == LG_OK; y += STRIP) {
        VipsRect rect = {0, y, plan->shape.width, LG_MIN(STRIP, height - y)};
        if (vips_region_prepare(region, &rect) != 0) {
            status = lg_vips_fail(error, LG_ERROR_DATA, "truncated or damaged");
            break;
        }
        for (int row = y; row < y + rect.height && status == LG_OK; row++)
            status = lg_vips_copy_row(
                plan, VIPS_REGION_ADDR(region, 0, row),
                lg_image_row(image, row / plan->page_height, row % plan->page_height), error);
        if (!status)
            status = lg_read_progress(params, (double)(y + rect.height) / height, error);
    }
    g_object_unref(region);
    return status;
}

void lg_vips_describe(VipsImage *in, const lg_vips_opened *from, const lg_vips_layout *plan,
                      lg_read_info *info)
{
    format_name(from->loader, info->format, sizeof info->format);
    VipsInterpretation meaning = vips_image_get_interpretation(in);
    info->cmyk = meaning == VIPS_INTERPRETATION_CMYK && plan->shape.channels == 4;
    info->lab = meaning == VIPS_INTERPRETATION_LAB || meaning == VIPS_INTERPRETATION_LABS;
    lg_rounding_note(&plan->rounding, info);
    if (info->lab)
        lg_note(info, "CIE L*a*b* samples: r, g, b stand for L, a, b");
    if (plan->note[0])
        lg_note(info, "%s", plan->note);
}

// libvips stops at some number of frames without a word.
static void note_frames(const lg_input *input, const lg_vips_opened *from, int layers,
                        lg_read_info *info)
{
    if (from->start < 0 || layers < 2 || strcmp(info->format, "gif") != 0)
        return;
    const int64_t frames = lg_gif_frames(input, from->start);
    if (frames > layers)
        lg_note(info, "the file has %lld frames, and libvips reads the first %d", (long long)frames,
                layers);
}

// Packed codings of libvips (Radiance RGBE, packed Lab) become plain samples.
static lg_status unpack(VipsImage **image, lg_error *error)
{
    VipsImage *plain = NULL;
    if (vips_image_get_coding(*image) == VIPS_CODING_NONE)
        return LG_OK;
    if (vips_image_decode(*image, &plain) != 0)
        return lg_vips_fail(error, LG_ERROR_DATA, "cannot decode");
    g_object_unref(*image);
    *image = plain;
    return LG_OK;
}

lg_status lg_vips_open(const char *path, lg_input *input, const lg_read_params *params,
                       lg_vips_file *out, lg_error *error)
{
    out->layout.rounding.allowed = params->convert;
    lg_vips_forget_errors();
    lg_status status = find_loader(path, input, params, &out->from, error);
    if (status == LG_OK)
        status = open_image(&out->from, params, &out->image, error);
    if (status == LG_OK)
        status = unpack(&out->image, error);
    if (status == LG_OK && strstr(out->from.loader, "Openexr"))
        status = lg_vips_exr_channels(input->fd, out->from.start, params->convert, out, error);
    return status;
}

lg_status lg_vips_plan(lg_vips_file *file, const lg_read_params *params, lg_error *error)
{
    return plan(file->image, params, &file->layout, error);
}

void lg_vips_close(lg_vips_file *file)
{
    VIPS_UNREF(file->image);
    VIPS_UNREF(file->from.source);
    if (file->from.copy)
        vips_area_unref(VIPS_AREA(file->from.copy));
    file->from.copy = NULL;
    vips_thread_shutdown(); // what libvips keeps for this thread, which may end next
}

// Which loaders are blocked is said once per process, so that files are opened one after another.
static lg_status open_and_plan(const char *path, lg_input *input, const lg_read_params *params,
                               bool alone, lg_vips_file *file, lg_error *error)
{
    if (!alone)
        lg_vips_library->lock_opening();
    lg_status status = lg_vips_open(path, input, params, file, error);
    if (status == LG_OK)
        status = lg_vips_plan(file, params, error);
    if (!alone)
        lg_vips_library->unlock_opening();
    return status;
}

static lg_status decode(lg_vips_file *file, const lg_read_params *params, bool alone,
                        lg_image *image, lg_error *error)
{
    if (!alone)
        lg_vips_library->begin_decoding();
    const lg_status status = copy_pixels(file->image, &file->layout, params, image, error);
    if (!alone)
        lg_vips_library->end_decoding();
    return status;
}

lg_status lg_vips_load(lg_context *context, const char *path, lg_input *input,
                       const lg_read_params *params, bool alone, lg_image **out, lg_read_info *info,
                       lg_error *error)
{
    lg_vips_file file = {0};
    lg_image *image = NULL;
    lg_status status = open_and_plan(path, input, params, alone, &file, error);
    const lg_image_params *shape = &file.layout.shape;
    if (status == LG_OK)
        status = lg_vips_library->image_create(context, shape, &image, error);
    if (status == LG_OK)
        status = decode(&file, params, alone, image, error);
    if (status == LG_OK)
        lg_vips_describe(file.image, &file.from, &file.layout, info);
    if (status == LG_OK && params->page < 0)
        note_frames(input, &file.from, shape->layers, info);
    if (status == LG_OK && params->metadata)
        status = lg_metadata_from_vips(file.image, shape, &info->metadata, error);
    lg_vips_close(&file);
    if (status != LG_OK) {
        lg_vips_library->image_destroy(&image);
        return status;
    }
    *out = image;
    return LG_OK;
}
