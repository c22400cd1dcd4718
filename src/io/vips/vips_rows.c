// Rows of the files that libvips decodes, from top to bottom. What lies above is decoded anew.
#include "io/vips/vips_formats.h"
#include "io/vips/vips_metadata.h"

#include <string.h>

#define STRIP 64 // rows decoded at a time

typedef struct vips_rows {
    lg_vips_file file;
    int next; // row of all pages below those that were decoded; -1: the file has to be opened again
    char *row; // of samples of the image
    lg_read_params limits;
} vips_rows;

static bool is_set(VipsImage *image, const char *field)
{
    int value = 0;
    return vips_image_get_typeof(image, field) && vips_image_get_int(image, field, &value) == 0 &&
           value;
}

// Decoders that hand out rows as they read them; the others decode the whole image first.
static bool goes_by_rows(const lg_vips_file *file)
{
    static const char *const by_rows[] = {"Png", "Spng", "Jpeg", "Rad", "Jp2k", "Openslide"};
    const bool scans = is_set(file->image, "interlaced") || is_set(file->image, "jpeg-multiscan");
    for (size_t i = 0; i < LG_COUNT(by_rows); i++)
        if (strstr(file->from.loader, by_rows[i]))
            return !scans;
    return false;
}

static lg_status open_file(lg_row_reader *reader, vips_rows *v, lg_error *error)
{
    lg_status status = lg_vips_open(reader->path, &reader->input, &reader->params, &v->file, error);
    if (status)
        return status;
    v->limits = reader->params;
    if (goes_by_rows(&v->file))
        v->limits = lg_row_reader_limits(reader);
    status = lg_vips_plan(&v->file, &v->limits, error);
    v->next = 0;
    return status;
}

lg_status lg_vips_rows_open(lg_row_reader *reader, lg_error *error)
{
    vips_rows *v = reader->state = lg_alloc(sizeof *v);
    if (!v)
        return lg_fail_memory(error, sizeof *v, "a reader of rows");
    const lg_status status = open_file(reader, v, error);
    if (status)
        return status;
    const lg_image_params *s = &v->file.layout.shape;
    const size_t row = (size_t)s->width * (size_t)s->channels * lg_type_size(s->type);
    reader->shape = *s;
    reader->whole = !goes_by_rows(&v->file);
    reader->memory = row * (reader->whole ? (size_t)s->height * (size_t)s->layers : 4 * STRIP);
    v->row = lg_alloc(row);
    if (!v->row)
        return lg_fail_memory(error, row, "a row");
    lg_vips_describe(v->file.image, &v->file.from, &v->file.layout, &reader->info);
    return reader->params.metadata
               ? lg_metadata_from_vips(v->file.image, s, &reader->info.metadata, error)
               : LG_OK;
}

// From the start of the file again.
static lg_status begin_again(lg_row_reader *reader, vips_rows *v, lg_error *error)
{
    const lg_image_params before = reader->shape;
    lg_vips_close(&v->file);
    v->file = (lg_vips_file){0};
    lg_status status = lg_input_seek(&reader->input, 0, error);
    if (!status)
        status = open_file(reader, v, error);
    const lg_image_params *now = &v->file.layout.shape;
    if (!status && (now->width != before.width || now->height != before.height ||
                    now->layers != before.layers || now->channels != before.channels ||
                    now->type != before.type))
        return lg_fail(error, LG_ERROR_IO, "the file changed while it was read");
    return status;
}

static lg_status read_strip(vips_rows *v, VipsRegion *from, int y, int rows,
                            const lg_region *region, lg_image *into, int64_t at, lg_error *error)
{
    lg_vips_layout *layout = &v->file.layout;
    const size_t pixel = lg_type_size(layout->shape.type) * (size_t)layout->shape.channels;
    const VipsRect rect = {0, y, layout->shape.width, rows};
    const bool all = region->width == layout->shape.width;
    if (vips_region_prepare(from, &rect) != 0)
        return lg_vips_fail(error, LG_ERROR_DATA, "truncated or damaged");
    lg_status status = LG_OK;
    for (int k = 0; k < rows && !status; k++) {
        void *to = lg_image_row(into, 0, at + k);
        status =
            lg_vips_copy_row(layout, VIPS_REGION_ADDR(from, 0, y + k), all ? to : v->row, error);
        if (!all)
            memcpy(to, v->row + (size_t)region->x * pixel, (size_t)region->width * pixel);
    }
    v->next = y + rows;
    return status;
}

// A region belongs to the thread that made it, and the next call may come from another one.
static lg_status read_region(lg_row_reader *reader, vips_rows *v, int first,
                             const lg_region *region, lg_image *into, lg_error *error)
{
    const int end = first + (int)region->height;
    VipsRegion *from = vips_region_new(v->file.image);
    lg_status status = from ? LG_OK : lg_vips_fail(error, LG_ERROR_MEMORY, "cannot decode");
    for (int y = first; y < end && !status; y += STRIP) {
        const int rows = LG_MIN(STRIP, end - y);
        status = read_strip(v, from, y, rows, region, into, y - first, error);
        if (!status)
            status = lg_read_progress(
                &reader->params, (double)(y + rows) / vips_image_get_height(v->file.image), error);
    }
    VIPS_UNREF(from);
    return status;
}

lg_status lg_vips_rows_read(lg_row_reader *reader, int32_t layer, const lg_region *region,
                            lg_image *into, lg_error *error)
{
    vips_rows *v = reader->state;
    const int first = layer * v->file.layout.page_height + (int)region->y;
    lg_status status = first < v->next || v->next < 0 ? begin_again(reader, v, error) : LG_OK;
    if (!status)
        status = read_region(reader, v, first, region, into, error);
    // The notes may say more now. An error leaves the decoder in the middle of something.
    if (!status) {
        reader->info.note[0] = '\0';
        lg_vips_describe(v->file.image, &v->file.from, &v->file.layout, &reader->info);
    } else {
        lg_vips_close(&v->file);
        v->next = -1;
        v->file = (lg_vips_file){.layout = v->file.layout};
    }
    return status;
}

void lg_vips_rows_close(lg_row_reader *reader)
{
    vips_rows *v = reader->state;
    lg_vips_close(&v->file);
    lg_free(v->row);
    lg_free(v);
    reader->state = NULL;
}
