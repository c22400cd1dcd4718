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

void lg_metadata_set_upright(lg_metadata *metadata)
{
    if (!metadata || metadata->orientation <= 0)
        return;
    if (metadata->orientation >= 5) {
        const double across = metadata->x_resolution;
        metadata->x_resolution = metadata->y_resolution;
        metadata->y_resolution = across;
    }
    metadata->orientation = 1;
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
