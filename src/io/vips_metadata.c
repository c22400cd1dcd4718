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
    // libvips writes EXIF from its own copy of the entries; what is not among them is dropped.
    static const char *const beginnings[] = {"exif-", "png-comment-"};
    static const char *const names[] = {VIPS_META_ICC_NAME,
                                        VIPS_META_XMP_NAME,
                                        VIPS_META_IPTC_NAME,
                                        "photoshop-data",
                                        VIPS_META_IMAGEDESCRIPTION,
                                        VIPS_META_ORIENTATION,
                                        "gif-comment",
                                        VIPS_META_RESOLUTION_UNIT,
                                        "delay",
                                        "loop",
                                        "gif-delay",
                                        "gif-loop"};
    for (size_t i = 0; i < LG_COUNT(beginnings); i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    for (size_t i = 0; i < LG_COUNT(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool is_of_frames(const char *name)
{
    return strstr(name, "delay") || strstr(name, "loop");
}

static void *take_field(VipsImage *in, const char *name, GValue *value, void *to)
{
    if (is_taken(name))
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
