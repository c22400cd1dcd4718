// Metadata between images of libvips and ours.
#include "io/vips/vips_metadata.h"

#include <math.h>
#include <string.h>

static bool is_taken(const char *name)
{
    if (strncmp(name, "exif-ifd1-", 10) == 0) // of the thumbnail, see below
        return false;
    // libvips writes EXIF from its own copy of the entries; what is not among them is dropped.
    static const char *const beginnings[] = {"exif-", "png-comment-"};
    static const char *const names[] = {"gif-comment", "gif-delay", "gif-loop", "delay", "loop"};
    for (size_t i = 0; i < LG_COUNT(beginnings); i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    for (size_t i = 0; i < LG_COUNT(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

// ---- the thumbnail in EXIF, which shows the image as it was -------------------------------------

typedef struct exif {
    uint8_t *data; // a TIFF file
    size_t size;
    bool little;
} exif;

// An unsigned number of `bytes` bytes; 0 when it is not inside.
static uint32_t number_at(const exif *e, size_t offset, size_t bytes)
{
    uint32_t value = 0;
    if (offset > e->size || e->size - offset < bytes)
        return 0;
    for (size_t i = 0; i < bytes; i++)
        value = value << 8 | e->data[offset + (e->little ? bytes - 1 - i : i)];
    return value;
}

// The value of a tag in the directory at `offset`; 0 when there is none.
static uint32_t tag_value(const exif *e, size_t offset, uint32_t tag)
{
    const uint32_t entries = number_at(e, offset, 2);
    for (uint32_t i = 0; i < entries; i++)
        if (number_at(e, offset + 2 + (size_t)i * 12, 2) == tag)
            return number_at(e, offset + 2 + (size_t)i * 12 + 8, 4);
    return 0;
}

// Blanks the thumbnail and cuts the second directory, which describes it, off the first.
static void drop_thumbnail(uint8_t *data, size_t size)
{
    const size_t skip = size >= 6 && memcmp(data, "Exif\0", 6) == 0 ? 6 : 0;
    const exif e = {data + skip, size - skip, size > skip && data[skip] == 'I'};
    const size_t first = number_at(&e, 4, 4);
    const size_t link = first + 2 + (size_t)number_at(&e, first, 2) * 12;
    const size_t second = number_at(&e, link, 4);
    if (!first || !second)
        return;
    const size_t at = tag_value(&e, second, 0x201), length = tag_value(&e, second, 0x202);
    if (at && at <= e.size && length <= e.size - at)
        memset(e.data + at, 0, length);
    memset(e.data + link, 0, 4);
}

static void take_exif(const GValue *value, VipsImage *to)
{
    size_t size = 0;
    const void *data = vips_value_get_blob(value, &size);
    uint8_t *copy = data && size ? lg_alloc(size) : NULL;
    if (!copy)
        return;
    memcpy(copy, data, size);
    drop_thumbnail(copy, size);
    vips_image_set_blob_copy(to, VIPS_META_EXIF_NAME, copy, size);
    lg_free(copy);
}

// ---- fields -------------------------------------------------------------------------------------

static bool is_of_frames(const char *name)
{
    return strstr(name, "delay") || strstr(name, "loop");
}

static void *take_field(VipsImage *in, const char *name, GValue *value, void *to)
{
    if (strcmp(name, VIPS_META_EXIF_NAME) == 0)
        take_exif(value, to);
    else if (is_taken(name))
        vips_image_set(to, name, value);
    return NULL;
}

static lg_status take_blob(VipsImage *in, const char *name, lg_blob *out, lg_error *error)
{
    const void *data = NULL;
    size_t size = 0;
    if (vips_image_get_typeof(in, name) == 0 || vips_image_get_blob(in, name, &data, &size) != 0) {
        vips_error_clear();
        return LG_OK;
    }
    return lg_blob_copy(out, data, size, error);
}

static bool says(VipsImage *in, const char *name, const char **out)
{
    const bool there =
        vips_image_get_typeof(in, name) != 0 && vips_image_get_string(in, name, out) == 0;
    vips_error_clear();
    return there;
}

// Whole numbers were whole before libvips made pixels per millimetre of them.
static double rounded(double value)
{
    return fabs(value - round(value)) < 1e-6 * value ? round(value) : value;
}

// Pixels per millimetre that stand for "unknown": EXIF has to state a number, and 72 per inch means that.
#define UNKNOWN_RESOLUTION (72.0 / 25.4)

static void take_resolution(VipsImage *in, lg_metadata *m)
{
    const char *unit = NULL;
    const double x = vips_image_get_xres(in), y = vips_image_get_yres(in);
    const bool said = says(in, VIPS_META_RESOLUTION_UNIT, &unit);
    // What libvips takes where a file says nothing; the last one of PNG. A PNG that states these 2834 pixels
    // per metre, 72 per inch, means as little. JPEG says its unit.
    if (!said && x == y && (x == 1 || x == UNKNOWN_RESOLUTION || x == 2.834))
        return;
    const bool inch = said && strcmp(unit, "in") == 0;
    m->unit = inch ? LG_RESOLUTION_INCH : LG_RESOLUTION_CM;
    m->x_resolution = rounded(x * (inch ? 25.4 : 10));
    m->y_resolution = rounded(y * (inch ? 25.4 : 10));
}

static void free_fields(void *fields)
{
    g_object_unref(fields);
}

static lg_status take_all(VipsImage *in, const lg_image_params *shape, lg_metadata *m,
                          lg_error *error)
{
    const char *text = NULL;
    VipsImage *fields = NULL;
    m->shape = *shape;
    lg_status status = take_blob(in, VIPS_META_ICC_NAME, &m->profile, error);
    if (status == LG_OK)
        status = take_blob(in, VIPS_META_XMP_NAME, &m->xmp, error);
    if (status == LG_OK)
        status = take_blob(in, VIPS_META_IPTC_NAME, &m->iptc, error);
    if (status == LG_OK && says(in, VIPS_META_IMAGEDESCRIPTION, &text) &&
        !(m->description = lg_strdup(text)))
        status = lg_fail_memory(error, strlen(text), "the metadata of a file");
    if (status != LG_OK)
        return status;
    if (vips_black(&fields, 1, 1, NULL) != 0)
        return lg_fail_memory(error, sizeof *fields, "the metadata of a file");
    m->fields = fields;
    m->fields_free = free_fields;
    if (vips_image_get_typeof(in, VIPS_META_ORIENTATION) != 0)
        m->orientation = vips_image_get_orientation(in);
    take_resolution(in, m);
    vips_image_map(in, take_field, fields);
    return LG_OK;
}

lg_status lg_metadata_from_vips(VipsImage *in, const lg_image_params *shape, lg_metadata **out,
                                lg_error *error)
{
    lg_metadata *m = NULL;
    lg_status status = lg_metadata_create(&m, error);
    if (status == LG_OK)
        status = take_all(in, shape, m, error);
    if (status != LG_OK)
        lg_metadata_destroy(&m);
    *out = m;
    return status;
}

typedef struct giving {
    const lg_image_params *shape;
    VipsImage *to;
} giving;

static void *give_field(VipsImage *in, const char *name, GValue *value, void *arg)
{
    const giving *g = arg;
    if (is_taken(name) && (g->shape->layers > 1 || !is_of_frames(name)))
        vips_image_set(g->to, name, value);
    else if (strcmp(name, VIPS_META_EXIF_NAME) == 0)
        vips_image_set(g->to, name, value);
    return NULL;
}

static void give_blob(VipsImage *to, const char *name, const lg_blob *blob)
{
    if (blob->data)
        vips_image_set_blob_copy(to, name, blob->data, blob->size);
}

bool lg_metadata_has_resolution(const lg_metadata *metadata)
{
    return metadata && (metadata->unit == LG_RESOLUTION_INCH || metadata->unit == LG_RESOLUTION_CM);
}

void lg_metadata_hide_resolution(VipsImage *out)
{
    vips_image_set_string(out, VIPS_META_RESOLUTION_UNIT, "in");
    out->Xres = out->Yres = UNKNOWN_RESOLUTION;
}

size_t lg_png_drop_resolution(uint8_t *head, size_t size)
{
    for (size_t at = 8, rest; at + 8 <= size; at += rest) {
        rest = 12 + ((size_t)head[at] << 24 | (size_t)head[at + 1] << 16 |
                     (size_t)head[at + 2] << 8 | head[at + 3]);
        if (memcmp(head + at + 4, "IDAT", 4) == 0)
            return size;
        if (rest > size - at)
            return 0;
        if (memcmp(head + at + 4, "pHYs", 4) == 0) {
            memmove(head + at, head + at + rest, size - at - rest);
            size -= rest;
            rest = 0;
        }
    }
    return 0;
}

// PNG says how its pixels are turned in EXIF alone, which libvips completes but does not begin.
static void begin_exif(VipsImage *out, int orientation)
{
    const uint8_t block[] = {'E',  'x',  'i', 'f', 0, 0, 'I', 'I', 42,
                             0,    8,    0,   0,   0, 1, 0, // one entry:
                             0x12, 0x01, 3,   0,   1, 0, 0,   0,   (uint8_t)orientation,
                             0,    0,    0,   0,   0, 0, 0};
    vips_image_set_blob_copy(out, VIPS_META_EXIF_NAME, block, sizeof block);
}

void lg_metadata_to_vips(const lg_metadata *metadata, const lg_image_params *shape, VipsImage *out)
{
    giving g = {shape, out};
    if (metadata->fields)
        vips_image_map(metadata->fields, give_field, &g);
    if (lg_metadata_profile_fits(metadata, shape))
        give_blob(out, VIPS_META_ICC_NAME, &metadata->profile);
    give_blob(out, VIPS_META_XMP_NAME, &metadata->xmp);
    give_blob(out, VIPS_META_IPTC_NAME, &metadata->iptc);
    if (metadata->orientation > 0)
        vips_image_set_int(out, VIPS_META_ORIENTATION, metadata->orientation);
    if (metadata->orientation > 1 && !vips_image_get_typeof(out, VIPS_META_EXIF_NAME))
        begin_exif(out, metadata->orientation);
    if (!lg_metadata_has_resolution(metadata))
        return;
    const bool inch = metadata->unit == LG_RESOLUTION_INCH;
    vips_image_set_string(out, VIPS_META_RESOLUTION_UNIT, inch ? "in" : "cm");
    out->Xres = metadata->x_resolution / (inch ? 25.4 : 10);
    out->Yres = metadata->y_resolution / (inch ? 25.4 : 10);
}
