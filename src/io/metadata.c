#include "io/metadata.h"

#include <string.h>

lg_status lg_metadata_create(lg_metadata **out, lg_error *error)
{
    *out = lg_alloc(sizeof **out);
    return *out ? LG_OK : lg_fail_memory(error, sizeof **out, "the metadata of a file");
}

void lg_metadata_destroy(lg_metadata **metadata)
{
    if (!metadata || !*metadata)
        return;
    lg_metadata *m = *metadata;
    lg_free(m->profile.data);
    lg_free(m->xmp.data);
    lg_free(m->iptc.data);
    lg_free(m->description);
    if (m->fields)
        m->fields_free(m->fields);
    lg_free(m);
    *metadata = NULL;
}

int lg_metadata_orientation(const lg_metadata *metadata)
{
    return metadata && metadata->orientation <= 8 ? metadata->orientation : 0;
}

bool lg_metadata_is_georeferenced(const lg_metadata *metadata)
{
    return metadata && metadata->georeferenced;
}

void lg_metadata_set_upright(lg_metadata *metadata)
{
    if (!metadata || metadata->orientation <= 0)
        return;
    if (metadata->orientation >= 5)
        lg_metadata_turn_pixels(metadata);
    metadata->orientation = 1;
}

static void exchange(double *a, double *b)
{
    const double first = *a;
    *a = *b;
    *b = first;
}

void lg_metadata_turn_pixels(lg_metadata *metadata)
{
    if (!metadata)
        return;
    exchange(&metadata->x_resolution, &metadata->y_resolution);
    exchange(&metadata->pixel_size[0], &metadata->pixel_size[1]);
    metadata->turned = true;
}

void lg_metadata_scale_pixels(lg_metadata *metadata, double x, double y)
{
    if (!metadata || !(metadata->pixel_size[0] > 0 && metadata->pixel_size[1] > 0))
        return;
    if (!(x > 0 && y > 0)) {
        lg_free(metadata->description);
        metadata->description = NULL;
        metadata->unit = LG_RESOLUTION_UNKNOWN;
        memset(metadata->pixel_size, 0, sizeof metadata->pixel_size);
        return;
    }
    metadata->x_resolution /= x;
    metadata->y_resolution /= y;
    metadata->pixel_size[0] *= x;
    metadata->pixel_size[1] *= y;
    metadata->scaled[0] = (metadata->scaled[0] > 0 ? metadata->scaled[0] : 1) * x;
    metadata->scaled[1] = (metadata->scaled[1] > 0 ? metadata->scaled[1] : 1) * y;
}

bool lg_metadata_knows_pixels(const lg_metadata *metadata)
{
    return metadata && metadata->pixel_size[0] > 0 && metadata->pixel_size[1] > 0;
}

lg_status lg_blob_copy(lg_blob *blob, const void *data, size_t size, lg_error *error)
{
    if (!data || size == 0)
        return LG_OK;
    uint8_t *copy = lg_alloc(size);
    if (!copy)
        return lg_fail_memory(error, size, "the metadata of a file");
    memcpy(copy, data, size);
    lg_free(blob->data);
    *blob = (lg_blob){copy, size};
    return LG_OK;
}

bool lg_metadata_profile_fits(const lg_metadata *metadata, const lg_image_params *shape)
{
    const lg_blob *profile = &metadata->profile;
    // ICC.1, 7.2.6: the colour space of the data stands at byte 16.
    const char *space = lg_file_channels(shape) < 3 ? "GRAY" : "RGB ";
    return profile->size >= 128 && memcmp(profile->data + 16, space, 4) == 0;
}
