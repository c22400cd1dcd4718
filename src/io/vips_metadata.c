// What goes from an input to the image that is made of it: everything that is still true of the new
// pixels. Sizes, codings and thumbnails are not, so fields are taken by name.
#ifdef LG_HAVE_VIPS

#include "io/vips_metadata.h"

#include <string.h>

struct lg_metadata {
    VipsImage *fields; // one pixel that carries them
    double x_resolution, y_resolution;
};

static bool is_taken(const char *name)
{
    if (strncmp(name, "exif-ifd1-", 10) == 0) // of the thumbnail, see below
        return false;
    // libvips writes EXIF from its own copy of the entries; what is not among them is dropped.
    static const char *const beginnings[] = {"exif-", "png-comment-"};
    static const char *const names[] = {VIPS_META_ICC_NAME,
                                        VIPS_META_XMP_NAME,
                                        VIPS_META_IPTC_NAME,
                                        VIPS_META_IMAGEDESCRIPTION,
                                        VIPS_META_ORIENTATION,
                                        VIPS_META_RESOLUTION_UNIT,
                                        "gif-comment",
                                        "gif-delay",
                                        "gif-loop",
                                        "delay",
                                        "loop"};
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

lg_status lg_metadata_take(VipsImage *in, lg_metadata **out, lg_error *error)
{
    lg_metadata *m = lg_alloc(sizeof *m);
    if (!m || vips_black(&m->fields, 1, 1, NULL) != 0) {
        lg_free(m);
        return lg_fail_memory(error, sizeof *m, "the metadata of a file");
    }
    m->x_resolution = vips_image_get_xres(in);
    m->y_resolution = vips_image_get_yres(in);
    vips_image_map(in, take_field, m->fields);
    *out = m;
    return LG_OK;
}

bool lg_metadata_profile(const lg_metadata *m)
{
    return vips_image_get_typeof(m->fields, VIPS_META_ICC_NAME) != 0;
}

bool lg_metadata_profile_fits(const lg_metadata *m, const lg_image_params *shape)
{
    const void *profile = NULL;
    size_t size = 0;
    if (vips_image_get_blob(m->fields, VIPS_META_ICC_NAME, &profile, &size) != 0) {
        vips_error_clear();
        return false;
    }
    // ICC.1, 7.2.6: the colour space of the data stands at byte 16.
    const char *space = lg_file_channels(shape) < 3 ? "GRAY" : "RGB ";
    return size >= 128 && memcmp((const char *)profile + 16, space, 4) == 0;
}

typedef struct giving {
    const lg_metadata *metadata;
    const lg_image_params *shape;
    VipsImage *to;
} giving;

static void *give_field(VipsImage *in, const char *name, GValue *value, void *arg)
{
    const giving *g = arg;
    const bool profile = strcmp(name, VIPS_META_ICC_NAME) == 0;
    if (is_taken(name) && (g->shape->layers > 1 || !is_of_frames(name)) &&
        (!profile || lg_metadata_profile_fits(g->metadata, g->shape)))
        vips_image_set(g->to, name, value);
    return NULL;
}

void lg_metadata_give(const lg_metadata *metadata, const lg_image_params *shape, VipsImage *out)
{
    giving g = {metadata, shape, out};
    vips_image_map(metadata->fields, give_field, &g);
    out->Xres = metadata->x_resolution;
    out->Yres = metadata->y_resolution;
}

void lg_metadata_destroy(lg_metadata **metadata)
{
    if (!metadata || !*metadata)
        return;
    VIPS_UNREF((*metadata)->fields);
    lg_free(*metadata);
    *metadata = NULL;
}

#endif
