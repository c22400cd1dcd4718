// Files that libvips encodes. It asks for rows as it needs them: those of an image, or of the bands that come
// one after another, for which the encoder runs in a thread of its own.
#include "io/vips/vips_formats.h"
#include "io/vips/vips_metadata.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

typedef struct saving {
    lg_image_params shape; // of the whole image
    char suffix[300];
    VipsImage *image; // of which rows are asked for
    bool resolved;    // the metadata state a resolution
    FILE *stream;     // NULL: nothing is kept of what is encoded
    int failure;      // errno of the stream
    GByteArray *head; // bytes of a PNG that wait until the resolution is gone; NULL: there are none
    const lg_image *rows; // at hand: the image, or a band; NULL: none are
    bool in_parts;        // there are bands, which the members below are for

    pthread_mutex_t lock; // guards the rest, and `rows`
    pthread_cond_t changed;
    int64_t first,
        taken; // row of the image that the band begins with; pixels that were taken of it
    bool dropped, ended;
    lg_status status;
    lg_error error;
    lg_thread *thread;
} saving;

// ---- rows that are asked for ------------------------------------------------------------------------

// Waits for row y; NULL: it does not come. Rows are asked for once each.
static const void *row_at(saving *s, int64_t y)
{
    if (!s->in_parts)
        return lg_image_row(s->rows, (int32_t)(y / s->shape.height), y % s->shape.height);
    const void *row = NULL;
    pthread_mutex_lock(&s->lock);
    while (!s->dropped && (!s->rows || y >= s->first + s->rows->shape.height))
        pthread_cond_wait(&s->changed, &s->lock);
    if (!s->dropped && y >= s->first)
        row = lg_image_row(s->rows, 0, y - s->first);
    pthread_mutex_unlock(&s->lock);
    return row;
}

static void take_pixels(saving *s, int count)
{
    if (!s->in_parts)
        return;
    pthread_mutex_lock(&s->lock);
    s->taken += count;
    if (s->taken == (int64_t)s->shape.width * s->rows->shape.height) {
        s->rows = NULL;
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
}

static int make_region(VipsRegion *out, void *sequence, void *a, void *b, gboolean *stop)
{
    saving *s = a;
    const VipsRect *r = &out->valid;
    const size_t pixel = lg_type_size(s->shape.type) * (size_t)s->shape.channels;
    lg_image_params span = s->shape;
    span.width = r->width;
    for (int y = r->top; y < r->top + r->height; y++) {
        const char *row = row_at(s, y);
        if (!row) {
            vips_error("lumagraph", "rows come once, from top to bottom");
            return -1;
        }
        lg_pack_row(&span, row + (size_t)r->left * pixel, VIPS_REGION_ADDR(out, r->left, y));
        take_pixels(s, r->width);
    }
    return 0;
}

static VipsInterpretation meaning_of(const lg_image_params *shape)
{
    if (lg_file_channels(shape) < 3)
        return shape->type == LG_U16 ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_B_W;
    return shape->type == LG_U16   ? VIPS_INTERPRETATION_RGB16
           : shape->type == LG_F32 ? VIPS_INTERPRETATION_scRGB
                                   : VIPS_INTERPRETATION_sRGB;
}

// One thread packs rows: more of them would only hold more rows.
static bool make_image(saving *s, const lg_metadata *metadata)
{
    const lg_image_params *shape = &s->shape;
    const VipsBandFormat format = shape->type == LG_U8    ? VIPS_FORMAT_UCHAR
                                  : shape->type == LG_U16 ? VIPS_FORMAT_USHORT
                                                          : VIPS_FORMAT_FLOAT;
    s->image = vips_image_new();
    if (!s->image)
        return false;
    vips_image_init_fields(s->image, shape->width, shape->height * shape->layers,
                           lg_file_channels(shape), format, VIPS_CODING_NONE, meaning_of(shape), 1,
                           1);
    if (vips_image_pipelinev(s->image, VIPS_DEMAND_STYLE_THINSTRIP, NULL) != 0 ||
        vips_image_generate(s->image, NULL, make_region, NULL, s, NULL) != 0)
        return false;
    vips_image_set_int(s->image, VIPS_META_CONCURRENCY, 1);
    if (shape->layers > 1)
        vips_image_set_int(s->image, VIPS_META_PAGE_HEIGHT, shape->height);
    if (metadata)
        lg_metadata_to_vips(metadata, shape, s->image);
    s->resolved = lg_metadata_has_resolution(metadata);
    if (!s->resolved) // libvips writes one always
        lg_metadata_hide_resolution(s->image);
    return true;
}

// ---- bytes that come back -----------------------------------------------------------------------------

static gint64 put(saving *s, const void *data, size_t size)
{
    errno = 0;
    if (!s->stream || fwrite(data, 1, size, s->stream) == size)
        return (gint64)size;
    s->failure = errno ? errno : EIO;
    return -1;
}

static gint64 put_head(saving *s, size_t size)
{
    const gint64 done = put(s, s->head->data, size);
    g_byte_array_free(s->head, TRUE);
    s->head = NULL;
    return done;
}

static gint64 take_bytes(VipsTargetCustom *target, const void *data, gint64 size, void *priv)
{
    saving *s = priv;
    if (!s->head)
        return put(s, data, (size_t)size);
    g_byte_array_append(s->head, data, (guint)size);
    const size_t head = lg_png_drop_resolution(s->head->data, s->head->len);
    if (!head)
        return size;
    return put_head(s, head) < 0 ? -1 : size;
}

// JPEG 2000 goes back to write the lengths of its boxes. -1: a pipe.
static gint64 seek(VipsTargetCustom *target, gint64 offset, int whence, void *priv)
{
    saving *s = priv;
    if (!s->stream || fseeko(s->stream, (off_t)offset, whence) != 0)
        return -1;
    return (gint64)ftello(s->stream);
}

// For encoders that go back, where the stream is a pipe.
static bool encode_in_memory(saving *s)
{
    void *bytes = NULL;
    size_t size = 0;
    const bool done = vips_image_write_to_buffer(s->image, s->suffix, &bytes, &size, NULL) == 0 &&
                      put(s, bytes, size) >= 0;
    g_free(bytes);
    return done;
}

static bool encode(saving *s)
{
    const bool goes_back = strncmp(s->suffix, ".jp2", 4) == 0;
    if (goes_back && (!s->stream || fseeko(s->stream, 0, SEEK_CUR) != 0))
        return encode_in_memory(s);
    VipsTargetCustom *target = vips_target_custom_new();
    if (!target)
        return false;
    if (strncmp(s->suffix, ".png", 4) == 0 && !s->resolved)
        s->head = g_byte_array_new();
    g_signal_connect(target, "write", G_CALLBACK(take_bytes), s);
    g_signal_connect(target, "seek", G_CALLBACK(seek), s);
    bool done = vips_image_write_to_target(s->image, s->suffix, VIPS_TARGET(target), NULL) == 0;
    if (s->head)
        done = put_head(s, s->head->len) >= 0 && done;
    g_object_unref(target);
    return done && !s->failure;
}

// ---- whole images -------------------------------------------------------------------------------------

static bool encode_image(saving *s, const lg_metadata *metadata)
{
    const bool done = make_image(s, metadata) && encode(s);
    VIPS_UNREF(s->image);
    return done;
}

lg_status lg_vips_save(const lg_image *image, const char *suffix, const lg_metadata *metadata,
                       FILE *stream, lg_error *error)
{
    saving s = {.shape = image->shape, .stream = stream, .rows = image};
    if (lg_vips_check_options(suffix, error))
        return LG_ERROR_ARGUMENT;
    snprintf(s.suffix, sizeof s.suffix, "%s", suffix);
    if (encode_image(&s, metadata))
        return LG_OK;
    if (s.failure)
        return lg_fail_write(error, s.failure);
    lg_vips_library->lock_errors(); // again, so that the reason is not one of another file
    lg_vips_forget_errors();
    s.stream = NULL;
    encode_image(&s, metadata);
    const lg_status status = lg_vips_fail(error, LG_ERROR_IO, "cannot encode");
    lg_vips_library->unlock_errors();
    return status;
}

// ---- bands --------------------------------------------------------------------------------------------

static void encode_rows(void *priv)
{
    saving *s = priv;
    const bool done = encode(s);
    pthread_mutex_lock(&s->lock);
    if (!done && !s->dropped)
        s->status = s->failure ? lg_fail_write(&s->error, s->failure)
                               : lg_vips_fail(&s->error, LG_ERROR_IO, "cannot encode");
    s->ended = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    vips_thread_shutdown();
}

lg_status lg_vips_save_begin(lg_row_writer *writer, const char *suffix, lg_error *error)
{
    if (lg_vips_check_options(suffix, error))
        return LG_ERROR_ARGUMENT;
    saving *s = writer->state = lg_alloc(sizeof *s);
    if (!s)
        return lg_fail_memory(error, sizeof *s, "an encoder");
    s->shape = writer->shape;
    s->stream = writer->stream;
    s->in_parts = true;
    snprintf(s->suffix, sizeof s->suffix, "%s", suffix);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    return make_image(s, writer->metadata) ? LG_OK
                                           : lg_vips_fail(error, LG_ERROR_MEMORY, "cannot encode");
}

static lg_status start(saving *s, lg_error *error)
{
    s->thread = lg_vips_library->thread_start(encode_rows, s);
    return s->thread
               ? LG_OK
               : lg_fail(error, LG_ERROR_MEMORY, "cannot encode: out of memory, or of threads");
}

lg_status lg_vips_save_rows(lg_row_writer *writer, const lg_image *rows, lg_error *error)
{
    saving *s = writer->state;
    lg_status status = s->thread ? LG_OK : start(s, error);
    if (status)
        return status;
    pthread_mutex_lock(&s->lock);
    s->rows = rows;
    s->first = writer->rows - rows->shape.height;
    s->taken = 0;
    pthread_cond_broadcast(&s->changed);
    while (!s->ended && s->rows)
        pthread_cond_wait(&s->changed, &s->lock);
    s->dropped = s->ended; // nobody asks any more
    status = s->status;
    pthread_mutex_unlock(&s->lock);
    return status ? lg_fail(error, status, "%s", s->error.message) : LG_OK;
}

lg_status lg_vips_save_end(lg_row_writer *writer, lg_error *error)
{
    saving *s = writer->state;
    lg_vips_library->thread_join(&s->thread);
    return s->status ? lg_fail(error, s->status, "%s", s->error.message) : LG_OK;
}

void lg_vips_save_drop(lg_row_writer *writer)
{
    saving *s = writer->state;
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->dropped = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    lg_vips_library->thread_join(&s->thread);
    VIPS_UNREF(s->image);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    lg_free(s);
    writer->state = NULL;
}
