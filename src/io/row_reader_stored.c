// Rows of files whose samples lie in them as they are: PNM, PFM and NPY. Each part is read where it is.
#include "io/row_reader.h"
#include "io/row_team.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES     ((int64_t)64 << 10)  // through a buffer at a time
#define STRAIGHT_BYTES ((int64_t)16 << 10)  // of a row: worth a call of the system
#define BLOCK_BYTES    ((int64_t)256 << 10) // of the work that threads share
#define LANE_BYTES     ((int64_t)1 << 20) // of a part for each thread; with fewer one is done as soon

typedef struct stored {
    lg_stored_rows rows;
    lg_row_team team;
    int lanes; // the most
    uint8_t *buffer[LG_ROW_LANES];
    lg_rounding rounding[LG_ROW_LANES];
    // The part that is read.
    lg_row_reader *reader;
    lg_image *into;
    lg_region region;
    int32_t layer;
    int64_t columns, high; // pixels and rows of a block
    bool straight;         // no buffer is needed
    bool together;         // rows follow each other in the file and in memory
} stored;

// One page of several.
static lg_status keep_page(lg_stored_rows *rows, int page, lg_error *error)
{
    const int pages = rows->shape.layers;
    if (page < 0)
        return LG_OK;
    if (page >= pages)
        return lg_fail_page(error, page, pages);
    rows->first[0] = rows->first[page];
    rows->shape.layers = 1;
    return LG_OK;
}

// Within the memory that there is to spare.
static void plan_lanes(stored *s, const lg_row_reader *reader)
{
    const int threads = LG_MIN(lg_pool_threads(reader->context->pool), LG_ROW_LANES);
    const size_t more = reader->params.spare_memory / (size_t)READ_BYTES;
    s->lanes = (int)LG_MIN((size_t)threads, more + 1);
    for (int i = 0; i < s->lanes; i++)
        s->rounding[i] = (lg_rounding){.type = s->rows.foreign, .allowed = reader->params.convert};
}

static lg_status open_stored(lg_row_reader *reader, lg_error *error)
{
    const lg_read_params limits = lg_row_reader_limits(reader);
    stored *s = reader->state = lg_alloc(sizeof *s);
    if (!s)
        return lg_fail_memory(error, sizeof *s, "a reader of rows");
    lg_status status =
        lg_find_rows_of(&reader->input)(&reader->input, &limits, &s->rows, &reader->info, error);
    if (status)
        return status;
    if (!s->rows.row) {
        lg_row_format_stored.close(reader);
        reader->state = NULL;
        memset(&reader->info, 0, sizeof reader->info);
        reader->format = &lg_row_format_whole;
        status = lg_input_seek(&reader->input, 0, error);
        return status ? status : reader->format->open(reader, error);
    }
    status = keep_page(&s->rows, reader->params.page, error);
    plan_lanes(s, reader);
    s->buffer[0] = status ? NULL : lg_alloc_uninit((size_t)READ_BYTES);
    reader->shape = s->rows.shape;
    reader->memory = (size_t)READ_BYTES * (size_t)s->lanes;
    return status || s->buffer[0] ? status
                                  : lg_fail_memory(error, (size_t)READ_BYTES, "rows of a file");
}

static void close_stored(lg_row_reader *reader)
{
    stored *s = reader->state;
    if (!s)
        return;
    lg_row_team_end(&s->team);
    for (int i = 0; i < s->lanes; i++)
        lg_free(s->buffer[i]);
    lg_free(s->rows.first);
    lg_free(s);
}

// ---- bytes ----------------------------------------------------------------------------------------

static lg_status read_bytes(const lg_row_reader *reader, int64_t offset, void *out, size_t bytes,
                            lg_error *error)
{
    size_t done = 0;
    while (done < bytes) {
        const ssize_t got = pread(reader->input.fd, (uint8_t *)out + done, bytes - done,
                                  (off_t)(reader->input.start + offset) + (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return lg_fail(error, LG_ERROR_IO, "cannot read: %s", strerror(errno));
        if (got == 0)
            return lg_fail(error, LG_ERROR_DATA,
                           "truncated: the file ends after %lld bytes, inside the pixels",
                           (long long)(offset + (int64_t)done));
        done += (size_t)got;
    }
    return LG_OK;
}

// ---- samples --------------------------------------------------------------------------------------

// `count` pixels, whose first is pixel `x` of the byte where there are several in one.
static lg_status to_pixels(const lg_stored_rows *r, lg_rounding *rounding, uint8_t *from, int64_t x,
                           size_t count, uint8_t *to, lg_error *error)
{
    const size_t samples = count * (size_t)lg_file_channels(&r->shape);
    if (r->bits) {
        for (size_t i = 0; i < count; i++)
            to[i] = from[((size_t)x + i) / 8] >> (7 - ((size_t)x + i) % 8) & 1 ? 0 : 255;
        return LG_OK;
    }
    lg_status status = LG_OK;
    if (r->swap)
        lg_swap_bytes(from, r->sample, samples);
    if (r->foreign != LG_FOREIGN_NONE)
        status = lg_foreign_to_f32(rounding, from, (float *)(void *)to, samples, error);
    else
        memcpy(to, from, samples * r->sample);
    if (status == LG_OK && r->shape.alpha == LG_ALPHA_OPAQUE)
        lg_expand_rgb(to, count, lg_type_size(r->shape.type));
    return status;
}

// Bytes of a pixel in the file, where it has whole ones.
static int64_t stored_pixel(const lg_stored_rows *r)
{
    return (int64_t)r->sample * lg_file_channels(&r->shape);
}

// The bytes of a row that the pixels x .. x + count - 1 lie in.
static void span_of(const lg_stored_rows *r, int64_t x, int64_t count, int64_t *first,
                    int64_t *bytes)
{
    const int64_t pixel = stored_pixel(r);
    *first = r->bits ? x / 8 : x * pixel;
    *bytes = (r->bits ? (x + count + 7) / 8 : (x + count) * pixel) - *first;
}

// ---- a block --------------------------------------------------------------------------------------

// Whether samples lie in the file as they do in memory, but for the order of their bytes.
static bool lies_as_pixels(const lg_stored_rows *r)
{
    return !r->bits && r->foreign == LG_FOREIGN_NONE &&
           r->shape.channels == lg_file_channels(&r->shape);
}

// Where rows y .. y + rows - 1 lie, which one read can fetch when they are whole.
static int64_t place_of(const stored *s, int64_t y, int64_t rows)
{
    const lg_stored_rows *r = &s->rows;
    return r->first[s->layer] + (r->upwards ? r->shape.height - y - rows : y) * r->row;
}

// To where the pixels are needed: `some` rows at a time.
static lg_status read_straight(const stored *s, const lg_region *b, int64_t some, uint8_t *to,
                               lg_error *error)
{
    const lg_stored_rows *r = &s->rows;
    const size_t stride = s->into->shape.row_stride;
    int64_t first, bytes;
    lg_status status = LG_OK;
    span_of(r, b->x, b->width, &first, &bytes);
    for (int64_t y = 0; y < b->height && !status; y += some) {
        const size_t size = (size_t)(bytes * some);
        status = read_bytes(s->reader, place_of(s, b->y + y, some) + first, to + (size_t)y * stride,
                            size, error);
        if (!status && r->swap)
            lg_swap_bytes(to + (size_t)y * stride, r->sample, size / r->sample);
    }
    return status;
}

// Through the buffer of the lane. Whole rows follow each other: several come at a time.
static lg_status read_buffered(stored *s, const lg_region *b, int lane, uint8_t *to,
                               lg_error *error)
{
    const lg_stored_rows *r = &s->rows;
    uint8_t *buffer = s->buffer[lane];
    int64_t first, bytes;
    lg_status status = LG_OK;
    span_of(r, b->x, b->width, &first, &bytes);
    const int64_t some = bytes == r->row ? READ_BYTES / bytes : 1;
    for (int64_t y = 0; y < b->height && !status; y += some) {
        const int64_t rows = LG_MIN(some, b->height - y);
        status = read_bytes(s->reader, place_of(s, b->y + y, rows) + first, buffer,
                            (size_t)(rows * bytes), error);
        for (int64_t k = 0; k < rows && !status; k++) {
            const int64_t at = r->upwards ? rows - 1 - k : k;
            status =
                to_pixels(r, &s->rounding[lane], buffer + at * bytes, b->x % 8, (size_t)b->width,
                          to + (size_t)(y + k) * s->into->shape.row_stride, error);
        }
    }
    return status;
}

static lg_status read_block(void *priv, size_t k, int lane, lg_error *error)
{
    stored *s = priv;
    const lg_region *all = &s->region;
    const size_t across = (size_t)((all->width + s->columns - 1) / s->columns);
    lg_region b = {all->x + (int64_t)(k % across) * s->columns,
                   all->y + (int64_t)(k / across) * s->high, s->columns, s->high};
    b.width = LG_MIN(b.width, all->x + all->width - b.x);
    b.height = LG_MIN(b.height, all->y + all->height - b.y);
    uint8_t *to = (uint8_t *)lg_image_row(s->into, 0, b.y - all->y) +
                  (size_t)(b.x - all->x) * lg_pixel_size(&s->into->shape);
    if (lane == 0) {
        const double part = (double)b.y / s->rows.shape.height;
        const lg_status status = lg_read_progress(&s->reader->params, part, error);
        if (status)
            return status;
    }
    return s->straight ? read_straight(s, &b, s->together ? b.height : 1, to, error)
                       : read_buffered(s, &b, lane, to, error);
}

// ---- a part ---------------------------------------------------------------------------------------

// Blocks of a size that is worth a turn of a thread, of which a row fits into a buffer where it needs one.
static void plan_blocks(stored *s)
{
    const lg_stored_rows *r = &s->rows;
    const lg_region *all = &s->region;
    int64_t first, bytes;
    span_of(r, all->x, all->width, &first, &bytes);
    s->together = bytes == r->row && (size_t)bytes == s->into->shape.row_stride && !r->upwards;
    s->straight = lies_as_pixels(r) && (s->together || bytes >= STRAIGHT_BYTES);
    const int64_t most = s->straight ? BLOCK_BYTES : READ_BYTES;
    const int64_t columns = r->bits ? most * 8 - 8 : most / stored_pixel(r);
    s->columns = LG_MIN(columns / 8 * 8, all->width);
    s->high = LG_MAX(BLOCK_BYTES / bytes, 1);
}

// So many lanes as the part is worth, each with what it reads with.
static int ready_lanes(stored *s)
{
    const lg_region *all = &s->region;
    int64_t first, bytes;
    span_of(&s->rows, all->x, all->width, &first, &bytes);
    const int worth = (int)LG_MIN(bytes * all->height / LANE_BYTES, (int64_t)s->lanes);
    int lanes = 1;
    while (lanes < worth && (s->straight || s->buffer[lanes] ||
                             (s->buffer[lanes] = lg_alloc_uninit((size_t)READ_BYTES))))
        lanes++;
    return lanes;
}

static lg_status read_stored(lg_row_reader *reader, int32_t layer, const lg_region *region,
                             lg_image *into, lg_error *error)
{
    stored *s = reader->state;
    s->reader = reader;
    s->layer = layer;
    s->region = *region;
    s->into = into;
    plan_blocks(s);
    const int64_t across = (region->width + s->columns - 1) / s->columns;
    const int64_t down = (region->height + s->high - 1) / s->high;
    const lg_row_blocks blocks = {.read = read_block,
                                  .priv = s,
                                  .count = (size_t)(across * down),
                                  .lanes = ready_lanes(s),
                                  .beginner = -1};
    return lg_row_team_read(&s->team, &blocks, error);
}

static void note_stored(const lg_row_reader *reader, lg_read_info *info)
{
    const stored *s = reader->state;
    lg_rounding all = s->rounding[0];
    for (int i = 1; i < s->lanes; i++)
        all.happened |= s->rounding[i].happened;
    lg_rounding_note(&all, info);
}

const lg_row_format lg_row_format_stored = {open_stored, read_stored, note_stored, close_stored};
